/* Numbers of a run over time: integrals, means, extremes. */
#include "run_input_cases.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_inputs),
        cmocka_unit_test(jumps),
        cmocka_unit_test(over_time),
        cmocka_unit_test(balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
