/* Numbers of a run over time: integrals, means, extremes. */
#include "run_input_cases.h"
#include "step/sim.h"

/* E - E0 = work - dissipated: exactly known here, and the sensors of work and power agree; after a jump too. */
static void balance(void **state)
{
    (void)state;
    ph_run *run = run_of(WHEEL "input { name = 'u', value = 3, hold = 'step' }\n"
                               "actuator { name = 'motor', joint = 'axle', effort = 'u', d = 0.5, k = 2 }\n"
                               "sensor { name = 'w', type = 'work' }\n"
                               "sensor { name = 'd', type = 'dissipated' }\n"
                               "sensor { name = 'e', type = 'energy' }\n"
                               "run { h = 1e-3, t_end = 2, method = 'rkmk', tableau = 'rk4' }\n");
    double w = sqrt(1 - 1. / 64), t = 1, x = 1.5 * (1 - exp(-t / 8) * (cos(w * t) + sin(w * t) / (8 * w)));
    double energy[5];
    go(run, t);
    check_near(get(run, PH_GET_JOINT_POSITION, 0), x, 1e-12); /* order 4 */
    check_near(get(run, PH_GET_SENSOR, 0), 3 * x, 1e-11);     /* order 4: u is constant */
    ph_run_set_input(run, 0, -1);
    go(run, 2);
    double y = get(run, PH_GET_JOINT_POSITION, 0);
    check_near(get(run, PH_GET_SENSOR, 0), 3 * x - (y - x), 1e-11); /* order 4 */
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, energy), PH_OK);
    check_near(energy[2] - energy[3], energy[0] + energy[1], 1e-10); /* order 4 */
    check_le(0.1, energy[3]);                                        /* ordering: something was dissipated */
    check_le(ph_run_summarise(run).residual, 1e-9);                  /* order 3 in the first step */
    check_near(get(run, PH_GET_SENSOR, 1), energy[3], 0);            /* exact */
    ph_run_close(run);
}

/* Numbers over time: of a constant acceleration all are known. */
static void over_time(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        double value;
    } cases[] = {{"max", 3},    {"min", 0},     {"max_abs", 3}, {"rms", 1.7320508075688772},
                 {"mean", 1.5}, {"integral", 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        double x;
        snprintf(text, sizeof text,
                 WHEEL "actuator { name = 'motor', joint = 'axle', effort = 3 }\n"
                       "sensor { name = 'w', type = 'joint_rate', joint = 'axle', over_time = '%s' }\n"
                       "run { h = 0.01, t_end = 2 }\n",
                 cases[k].word);
        ph_run *run = run_of(text);
        go(run, 2);
        assert_int_equal(ph_run_get(run, PH_GET_OVER, 0, &x), PH_OK);
        check_near(x, cases[k].value, 1e-10); /* round-off: the rate is linear */
        ph_run_close(run);
    }
}

/* Where an event makes a number jump, the integral has both values there; before the first step means are the number itself. */
static void jumps(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\ninput{ name = 'u', value = 2 }\n"
        "sensor{ name = 'i', custom = function(t, s) return s.inputs.u end, over_time = 'integral' }\n"
        "sensor{ name = 'm', custom = function(t, s) return s.inputs.u end, over_time = 'mean' }\n"
        "sensor{ name = 'r', custom = function(t, s) return s.inputs.u end, over_time = 'rms' }\n"
        "event{ name = 'on', when = function(t, s) return t - 0.02 end, action = {set = {u = 5}} }\n"
        "event{ name = 'between', when = function(t, s) return t - 0.034 end, action = {set = {u = 6}} }\n"
        "run{ h = 0.01, t_end = 0.05 }";
    scratch file = scratch_create("jumps.lua");
    scratch_write(&file, text, strlen(text));
    ph_run *run;
    double x;
    ph_run_config c = ph_run_defaults();
    assert_int_equal(ph_run_open(&run, file.path, &c, NULL), PH_OK);
    assert_int_equal(ph_run_start(run, NULL), PH_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(ph_run_get(run, PH_GET_OVER, k, &x), PH_OK);
        assert_true(x == (k ? 2 : 0)); /* exact */
    }
    assert_int_equal(ph_run_until(run, 0.05, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_OVER, 0, &x), PH_OK);
    check_near(x, 2 * 0.02 + 5 * 0.014 + 6 * 0.016, 1e-15); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_OVER, 1, &x), PH_OK);
    check_near(x, (2 * 0.02 + 5 * 0.014 + 6 * 0.016) / 0.05, 1e-14); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_OVER, 2, &x), PH_OK);
    check_near(x * x, (4 * 0.02 + 25 * 0.014 + 36 * 0.016) / 0.05, 1e-13); /* round-off */
    ph_run_close(run);
    scratch_remove(&file);
}

#define SLIDER                                                                                               \
    "body { name = 'b', mass = 1, inertia = {1, 1, 1} }\n"                                                   \
    "joint { name = 'j', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"

#define SUMS                                                                                                 \
    "sensor { name = 'I', type = 'effort', of = 'a', over_time = 'integral' }\n"                             \
    "sensor { name = 'A', type = 'acceleration', body = 'b', over_time = 'integral' }\n"                     \
    "sensor { name = 'r', type = 'acceleration', body = 'b', over_time = 'rms' }\n"                          \
    "sensor { name = 'least', type = 'effort', of = 'a', over_time = 'min' }\n"                              \
    "sensor { name = 'most', type = 'effort', of = 'a', over_time = 'max' }\n"                               \
    "objective { name = 'J', integral = function(t, s) return s.b.acceleration.x end }\n"

/* An effort of -1 for 0.1 s, then of 1/2 for 0.2 s. */
static void check_sums(ph_run *run, int bars)
{
    static const double exact[] = {0, 0, 0.7071067811865475, -1, 0.5};
    double error[3];
    for (int k = 0; k < 5; k++) {
        check_near(get(run, PH_GET_OVER, k), exact[k], 1e-14); /* round-off: motions are parabolas */
        if (!bars)
            continue;
        assert_int_equal(ph_run_get_error(run, PH_GET_OVER, k, error), PH_OK);
        check_near(error[0], 0, 1e-14); /* round-off */
    }
    check_near(get(run, PH_GET_OBJECTIVE, 0), 0, 1e-14); /* round-off */
    check_le(ph_run_summarise(run).residual, 1e-14);     /* round-off */
}

/* Where functions, tables of inputs or joints jump, sums have both values there, on any grid of the output. */
static void corners(void **state)
{
    (void)state;
    static const char *const steps[] = {"tol = 1e-6", "tol = 1e-6, h = 0.1", "tol = 1e-6, h = 0.06",
                                        "tol = 1e-6, h = 0.3", "h = 0.01"};
    double t[] = {0, 0.1}, u[] = {-1, 0.5}, error[3];
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        int by_tol = k < 4;
        for (int table = !by_tol; table < 2; table++) {
            char text[2048];
            snprintf(
                text, sizeof text,
                SLIDER "input { name = 'u', hold = 'step' }\n"
                       "actuator { name = 'a', joint = 'j', effort = %s }\n" SUMS "run { t_end = 0.3, %s }\n",
                table ? "'u'" : "function(t) if t < 0.1 then return -1 else return 0.5 end end", steps[k]);
            ph_run *run = run_of(text);
            if (table)
                assert_int_equal(ph_run_set_input_table(run, 0, 2, t, u, NULL), PH_OK);
            assert_int_equal(ph_run_error_bars(run, by_tol, NULL), PH_OK);
            if (k == 0) { /* the step ends with the acceleration just before, and the error is of that */
                go(run, 0.1);
                assert_int_equal(ph_run_get_error(run, PH_GET_ACCELERATION, 0, error), PH_OK);
                check_near(error[0], 0, 1e-14); /* round-off */
            }
            go(run, 0.3);
            check_sums(run, by_tol);
            ph_run_close(run);
        }
    }
}

/* derivative: all of it is linear in p, and so are derivatives that follow the run; gradients follow it across tables. */
static void derivatives(void **state)
{
    (void)state;
    static const char *const steps[] = {"tol = 1e-6", "h = 0.01", "h = 0.01, method = 'bliedf'"};
    static const double exact[] = {0, 0, 0.7071067811865475, -1, 0.5};
    double t[] = {0, 0.1}, u[] = {-1, 0.5}, d[3], J;
    int p = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int table = k > 0; table < 2; table++) {
            char text[2048];
            ph_error err = {0};
            snprintf(text, sizeof text,
                     "local p = param('p', 1)\n" SLIDER "input { name = 'u', hold = 'step' }\n"
                     "actuator { name = 'a', joint = 'j', effort = function(t, s) %s end }\n" SUMS
                     "run { t_end = 0.3, %s }\n",
                     table ? "return p * s.inputs.u" : "if t < 0.1 then return -p else return 0.5 * p end",
                     steps[k]);
            ph_run *run = run_of(text);
            if (table)
                assert_int_equal(ph_run_set_input_table(run, 0, 2, t, u, NULL), PH_OK);
            assert_int_equal(ph_run_follow(run, &p, 1, NULL), PH_OK);
            go(run, 0.3);
            for (int i = 0; i < 5; i++) {
                assert_int_equal(ph_run_get_derivative(run, PH_GET_OVER, i, 0, d), PH_OK);
                check_near(d[0], exact[i], 1e-9);
            }
            assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, d), PH_OK);
            check_near(d[0], -0.015, 1e-9);
            assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, d), PH_OK);
            check_near(d[0], 0, 1e-9);
            assert_int_equal(ph_run_gradient(run, 0, &p, 1, 0, &J, d, &err), table ? PH_OK : PH_E_INPUT);
            check_near(table ? d[0] : 0, 0, 1e-9);
            assert_true(table || strstr(err.text, "times of nonsmooth"));
            ph_run_close(run);
        }
}

/* The same where a joint is released from outside. */
static void released(void **state)
{
    (void)state;
    ph_run *run = run_of(SLIDER "joint { name = 'held', type = 'fixed', bodies = {'ground', 'b'} }\n"
                                "event { name = 'late', when = function(t) return t - 9 end, "
                                "action = {release = 'held'} }\n"
                                "actuator { name = 'a', joint = 'j', effort = 2 }\n" SUMS
                                "run { t_end = 0.3, h = 0.1 }\n");
    go(run, 0.1);
    assert_int_equal(ph_run_set_active(run, 1, 0, NULL), PH_OK);
    go(run, 0.3);
    check_near(get(run, PH_GET_OVER, 1), 0.4, 1e-14);      /* round-off */
    check_near(get(run, PH_GET_OBJECTIVE, 0), 0.4, 1e-14); /* round-off */
    ph_run_close(run);
}

#define SWING                                                                                                \
    "gravity {0, 0, -9.81}\n"                                                                                \
    "body { name = 'b', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"                             \
    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"  \
    "input { name = 'u', value = 0.5, hold = 'step' }\n"                                                     \
    "actuator { name = 'a', joint = 'j', d = 0.3, effort = function(t, s) return math.sin(5*t) + "           \
    "s.inputs.u "                                                                                            \
    "end }\n"                                                                                                \
    "sensor { name = 'P', type = 'power', of = 'a', over_time = 'integral' }\n"                              \
    "sensor { name = 'most', type = 'rate', joint = 'j', over_time = 'max' }\n"                              \
    "sensor { name = 'w', type = 'work' }\n"                                                                 \
    "sensor { name = 'd', type = 'dissipated' }\n"                                                           \
    "objective { name = 'J', integral = function(t, s) return s.joints.j.rate^2 end }\n"

/* The grid of the output shows sums of the steps, however coarse it is. */
static void grid(void **state)
{
    (void)state;
    ph_run *all = run_of(SWING "run { t_end = 3, tol = 1e-5 }\n");
    go(all, 3);
    double sum = get(all, PH_GET_OVER, 0), most = get(all, PH_GET_OVER, 1), J = get(all, PH_GET_OBJECTIVE, 0);
    double drift = ph_run_summarise(all).residual, error, seen;
    check_le(drift, 1e-4);                                         /* of tol 1e-5 */
    assert_int_equal(ph_run_error_bars(all, 1, NULL), PH_E_INPUT); /* it is at its end */
    assert_int_equal(ph_run_reset(all, NULL), PH_OK);
    assert_int_equal(ph_run_error_bars(all, 1, NULL), PH_OK);
    go(all, 3);
    assert_int_equal(ph_run_get_error(all, PH_GET_OVER, 0, &error), PH_OK);
    static const char *const h[] = {"3", "0.5", "1e-3"};
    for (size_t k = 0; k < sizeof h / sizeof *h; k++) {
        char text[2048];
        snprintf(text, sizeof text, SWING "run { t_end = 3, tol = 1e-5, h = %s }\n", h[k]);
        ph_run *run = run_of(text);
        assert_int_equal(ph_run_error_bars(run, 1, NULL), PH_OK);
        go(run, 3);
        check_near(get(run, PH_GET_OVER, 0), sum, k < 2 ? 0 : 1e-7); /* exact: the same steps; then finer */
        assert_int_equal(ph_run_get_error(run, PH_GET_OVER, 0, &seen), PH_OK);
        check_near(seen, error, k < 2 ? 1e-15 : 1e-9);                       /* the same */
        check_near(ph_run_summarise(run).residual, drift, k < 2 ? 0 : 1e-7); /* the same */
        check_le(most, get(run, PH_GET_OVER, 1));           /* ordering: points of the output count too */
        check_near(get(run, PH_GET_OVER, 1), most, 1e-4);   /* of its parabola, steps of 0.01 s */
        check_near(get(run, PH_GET_OBJECTIVE, 0), J, 1e-4); /* the trapezoidal rule, steps of 0.01 s */
        ph_run_close(run);
    }
    ph_run_close(all);
}

/* Between two steps sums are those up to there. An input that is set there changes the rest alone. */
static void within_a_step(void **state)
{
    (void)state;
    ph_run *run = run_of(SWING "run { t_end = 3, tol = 1e-4, h = 1e-2 }\n"), *other;
    double energy[5], worst = 0, work = 0;
    int within = 0;
    for (int k = 1; k <= 100; k++) {
        go(run, 0.01 * k);
        within += run->sim->within > 0;
        assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, energy), PH_OK);
        assert_true(energy[2] == get(run, PH_GET_SENSOR, 2) && energy[3] == get(run, PH_GET_SENSOR, 3));
        ph_run_summary all = ph_run_summarise(run);
        assert_true(energy[2] == all.work && energy[3] == all.dissipated);
        worst = fmax(worst, fabs(energy[4]));
        work = energy[2];
    }
    assert_true(within > 50);
    check_le(worst, 1e-3); /* of tol 1e-4 */
    while (!(run->sim->within > 0))
        assert_int_equal(ph_run_step(run, NULL), PH_OK);
    other = run_of(SWING "run { t_end = 3, tol = 1e-4, h = 1e-2 }\n");
    size_t size = ph_run_save_size(run);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(ph_run_save(run, saved, size), PH_OK);
    assert_int_equal(ph_run_restore(other, saved, size, NULL), PH_OK);
    free(saved);
    ph_run_set_input(run, 0, 20), ph_run_set_input(other, 0, 20);
    go(run, 3), go(other, 3);
    assert_true(get(run, PH_GET_OVER, 0) == get(other, PH_GET_OVER, 0)); /* exact: the same bits */
    assert_true(get(run, PH_GET_OBJECTIVE, 0) == get(other, PH_GET_OBJECTIVE, 0));
    check_le(ph_run_summarise(run).residual, 1e-2);  /* of tol 1e-4, and 20 N m */
    check_le(10, get(run, PH_GET_SENSOR, 2) - work); /* ordering: it did work */
    ph_run_close(run), ph_run_close(other);
}

/* Integrals go on from what an input has become at once: those of the acceleration c u/2 are exact, and so are their derivatives by c
 * and what error bars say. The largest value is the one before the jump. */
static void over_inputs(void **state)
{
    (void)state;
    static const double t[] = {0, 0.5, 1}, u[] = {3, -1, 1}, c = 0.7;
    for (int k = 0; k < 3; k++) {
        ph_error err = {0};
        ph_run *run = run_of(
            "local c = param('c', 0.7)\n" WHEEL "input { name = 'u', value = 3, hold = 'step' }\n"
            "actuator { name = 'motor', joint = 'axle', effort = function(t, s) return c*s.inputs.u end }\n"
            "sensor { name = 'a', type = 'joint_acceleration', joint = 'axle', over_time = 'integral' }\n"
            "sensor { name = 'm', custom = function(t, s) return c*s.inputs.u*(1 + t) end, over_time = 'max' "
            "}\n"
            "objective { name = 'J', integral = function(t, s) return c*s.inputs.u end }\n"
            "run { h = 0.1, t_end = 1.5 }\n");
        double of_u = (3 - 1 + 1) * 0.5, x, error, most;
        assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
        assert_int_equal(k == 1   ? ph_run_follow(run, &(int){0}, 1, &err)
                         : k == 2 ? ph_run_error_bars(run, 1, &err)
                                  : PH_OK,
                         PH_OK);
        go(run, 1.5);
        check_near(get(run, PH_GET_OVER, 0), c * of_u / 2, 1e-12);  /* round-off */
        check_near(get(run, PH_GET_OBJECTIVE, 0), c * of_u, 1e-12); /* round-off */
        check_near(get(run, PH_GET_OVER, 1), c * 3 * 1.5, 1e-12);   /* round-off */
        if (k == 1) {
            assert_int_equal(ph_run_get_derivative(run, PH_GET_OVER, 0, 0, &x), PH_OK);
            check_near(x, of_u / 2, 1e-9); /* derivative */
            assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, &x), PH_OK);
            check_near(x, of_u, 1e-9); /* derivative */
            assert_int_equal(ph_run_get_derivative(run, PH_GET_OVER, 1, 0, &most), PH_OK);
            check_near(most, 4.5, 1e-9); /* derivative */
        } else if (k == 2) {
            assert_int_equal(ph_run_get_error(run, PH_GET_OVER, 0, &error), PH_OK);
            check_near(error, 0, 1e-12); /* round-off: the motion is of degree 2 */
            assert_int_equal(ph_run_get_error(run, PH_GET_OBJECTIVE, 0, &error), PH_OK);
            check_near(error, 0, 1e-12); /* likewise */
        }
        ph_run_close(run);
    }
}

/* The method starts anew within many steps, and nothing of the sums is lost. */
static void anew_within_a_step(void **state)
{
    (void)state;
    ph_run *run = run_of(SWING "run { t_end = 1, tol = 1e-4, h = 5e-2 }\n");
    int within = 0;
    for (int k = 1; k <= 20; k++) {
        go(run, 0.05 * k);
        within += run->sim->within > 0;
        ph_run_set_input(run, 0, k % 2 ? 0.5 : 0.5 + 1e-9);
    }
    assert_true(within > 10);
    check_le(ph_run_summarise(run).residual, 1e-3); /* of tol 1e-4 */
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps),         cmocka_unit_test(corners),
        cmocka_unit_test(released),      cmocka_unit_test(grid),
        cmocka_unit_test(within_a_step), cmocka_unit_test(over_time),
        cmocka_unit_test(over_inputs),   cmocka_unit_test(derivatives),
        cmocka_unit_test(balance),       cmocka_unit_test(anew_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
