/* What is watched of a run: violations, the balance of energy, and solutions that explode. */
#include "model_file.h"

#include "mech/mech.h"
#include "polhode/polhode.h"
#include "run/private.h"

static ph_run *watched(const char *text, unsigned watch)
{
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run_config c = ph_run_defaults();
    ph_run *run;
    c.watch = watch;
    if (ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

/* A spring so stiff that explicit steps of this size are unstable. */
#define STIFF                                                                                                \
    "model 'stiff'\nbody { name = 'bob', mass = 1, inertia = {1, 1, 1} }\n"                                  \
    "joint { name = 'pin', type = 'prismatic', bodies = {'ground', 'bob'}, at = {0, 0, 0}, axis = {1, 0, "   \
    "0} }\n"                                                                                                 \
    "spring { bodies = {'ground', 'bob'}, at_a = {-1, 0, 0}, k = 1e6, length = 0.9 }\n"                      \
    "run { method = 'rkmk', tableau = 'rk4', h = 0.01, t_end = 1 }\n"

static void explosions_end_a_run(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run = watched(STIFF, PH_WATCH_ALL);
    assert_int_equal(ph_run_until(run, 1, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "the solution explodes: its kinetic energy is"));
    assert_true(ph_run_time(run) < 0.2);
    ph_run_close(run);
    run = watched(STIFF, PH_WATCH_ENERGY); /* nobody looks: the run goes on, but the balance tells */
    for (int k = 0; k < 4; k++)
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    double e[5];
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, e), PH_OK);
    assert_true(fabs(e[4]) > 1e3 * 0.5 * 1e6 * 0.01);
    ph_run_close(run);
}

/* A damped pendulum with a motor: E - E0 = work - dissipated, up to the error of the method. (Y4), (Y5) */
static void energy_is_balanced(void **state)
{
    (void)state;
    static const char text[] =
        "model 'driven'\ngravity {0, 0, -9.81}\n"
        "body { name = 'bob', mass = 2, inertia = {1, 1, 1}, position = {0.4, 0, -0.3} }\n"
        "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'bob'}, at = {0, 0, 0}, axis = {0, 1, "
        "0} }\n"
        "torsion { body = 'bob', d = 0.8 }\n"
        "torque { body = 'bob', value = function(t) return 0, 3*math.sin(2*t), 0 end }\n"
        "run { method = 'rkmk', tableau = 'dopri5', h = 1e-3, t_end = 1 }\n";
    ph_error err = {0};
    ph_run *run = watched(text, PH_WATCH_ALL);
    double first[5], e[5];
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, first), PH_OK);
    if (ph_run_until(run, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, e), PH_OK);
    assert_true(fabs(e[2]) > 0.1 && e[3] > 0.1);                              /* both act */
    check_near(e[0] + e[1] - first[0] - first[1], e[2] - e[3] + e[4], 1e-12); /* round-off */
    check_le(fabs(e[4]), 1e-6);                                               /* invariant */
    ph_run_summary s = ph_run_summarise(run);
    assert_true(s.residual >= fabs(e[4]));
    assert_true(s.violation_position > 0);
    check_le(s.violation_position, 1e-12); /* round-off: positions are projected */
    ph_run_close(run);
}

#define CRANK                                                                                                \
    "model 'crank'\ngravity {0, 0, -9.81}\n"                                                                 \
    "body { name = 'crank', mass = 1, inertia = {.1, .1, .1}, position = {.2, 0, 0} }\n"                     \
    "body { name = 'bob', mass = 1, inertia = {.1, .1, .1}, position = {.4, 0, -.3} }\n"                     \
    "joint { name = 'drive', type = 'revolute', bodies = {'ground', 'crank'}, at = {0, 0, 0}, axis = {0, "   \
    "1, 0},"                                                                                                 \
    " drive = function(t) return 0.5*math.sin(3*t) end }\n"                                                  \
    "joint { name = 'pin', type = 'revolute', bodies = {'crank', 'bob'}, at = {.4, 0, 0}, axis = {0, 1, 0} " \
    "}\n"                                                                                                    \
    "actuator { name = 'motor', joint = 'pin', d = 0.1, effort = function(t) return math.cos(2*t) end }\n"   \
    "run { t_end = 2, "

/* Methods with stages add up power and dissipation as they do the motion: the balance holds to its tolerance, whatever the grid of
 * the output is, also where steps are doubled and stages are implicit. (RB20) */
static void work_by_stages(void **state)
{
    (void)state;
    static const char *const grids[] = {"", ", h = 0.5", ", h = 0.04", ", h = 1e-3"};
    static const struct {
        const char *tableau;
        double tol;
        int power; /* largest residual over tol */
    } rows[] = {{"dopri5", 1e-11, 1}, {"rk4", 1e-10, 1}, {"gauss3", 1e-10, 1}, {"radau3", 1e-10, 1}};
    ph_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 4; k++) {
            char text[2048];
            snprintf(text, sizeof text, CRANK "method = 'rkmk', tableau = '%s', tol = %g%s }\n",
                     rows[i].tableau, rows[i].tol, grids[k]);
            ph_run *run = watched(text, PH_WATCH_ALL);
            if (ph_run_until(run, 2, &err) != PH_OK)
                fail_msg("%s", err.text);
            ph_run_summary s = ph_run_summarise(run);
            assert_true(fabs(s.work) > 0.1 && s.dissipated > 0.01); /* both act */
            check_le(s.residual, rows[i].tol * rows[i].power);      /* invariant, up to the tolerance */
            ph_run_close(run);
        }
}

/* With constant steps it has the order of the tableau, or of the multistep method. */
static void order_of_work(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        int order;
    } rows[] = {
        {"method = 'rkmk', tableau = 'rk4'", 4},
        {"method = 'rkmk', tableau = 'dopri5'", 5},
        {"method = 'rkmk', tableau = 'gauss2'", 4},
        {"method = 'bliedf', order = 3", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double residual[3];
        for (int k = 0; k < 3; k++) {
            char text[2048];
            ph_error err = {0};
            snprintf(text, sizeof text, CRANK "%s, h = %g }\n", rows[i].method, 0.02 / (1 << k));
            ph_run *run = watched(text, PH_WATCH_ALL);
            if (ph_run_until(run, 2, &err) != PH_OK)
                fail_msg("%s", err.text);
            residual[k] = ph_run_summarise(run).residual;
            ph_run_close(run);
        }
        for (int k = 0; k < 2; k++)
            check_le(rows[i].order - log2(residual[k] / residual[k + 1]), 0.3); /* order, or better */
    }
}

/* A damper that a function gives: its work is negative under (RB3), whatever the method makes of it, and (RB4) lets it go on for ten steps at
 * most. */
static void function_damper(void **state)
{
    (void)state;
    static const char text[] =
        "body { name = 'b', mass = 1, inertia = {.1, .1, .1}, velocity = {1, 0, 0} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"
        "actuator { name = 'd', joint = 'rail', effort = function(t, s) return -1000*s.joints.rail.rate end "
        "}\n"
        "run { t_end = 1, h = 1e-2, method = 'rkmk' }\n";
    ph_error err = {0};
    ph_run *run = watched(text, PH_WATCH_ALL);
    assert_int_equal(ph_run_until(run, 1, &err), PH_E_STEP);
    assert_true(ph_run_failure(run).explodes && ph_run_time(run) < 0.11);
    ph_run_close(run);
}

/* A stop that touches within explicit steps: no work is done, so that one step is enough. */
static void stiff_stop(void **state)
{
    (void)state;
    static const char text[] =
        "body { name = 'b', mass = 1, inertia = {.1, .1, .1}, velocity = {1, 0, 0} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"
        "actuator { name = 'stop', joint = 'rail', stops = {-.3, .3}, stop_k = 1e9, stop_width = 1e-4 }\n"
        "run { t_end = 1, h = 1e-3, method = 'rkmk' }\n";
    ph_error err = {0};
    ph_run *run = watched(text, PH_WATCH_ALL);
    assert_int_equal(ph_run_until(run, 1, &err), PH_E_STEP);
    assert_true(ph_run_failure(run).explodes && ph_run_time(run) < 0.31);
    ph_run_close(run);
}

/* A step that restarts after a jump of an input, and fails, leaves the watch as it was. */
static void failed_steps_leave_it(void **state)
{
    (void)state;
    static const char text[] =
        "body { name = 'b', mass = 1, inertia = {.1, .1, .1} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"
        "input { name = 'u', value = 1, hold = 'step' }\nactuator { name = 'a', joint = 'rail', effort = 'u' "
        "}\n"
        "force { body = 'b', value = function(t, s) if t > 0.15 then error('over') end return 1, 0, 0 end }\n"
        "run { t_end = 1, h = 0.1 }\n";
    ph_error err = {0};
    ph_run *run = watched(text, PH_WATCH_ALL);
    assert_int_equal(ph_run_step(run, &err), PH_OK);
    ph_watched before = run->watched;
    int n = run->pairs.given + run->pairs.lost;
    ph_port pairs[16];
    assert_int_equal(n, 4);
    memcpy(pairs, run->pairs.last, sizeof *pairs * (size_t)n);
    assert_int_equal(ph_run_set_input(run, 0, 7), PH_OK);
    assert_int_not_equal(ph_run_step(run, &err), PH_OK);
    assert_memory_equal(&run->watched, &before, sizeof before);             /* exact */
    assert_memory_equal(run->pairs.last, pairs, sizeof *pairs * (size_t)n); /* exact */
    ph_run_close(run);
}

/* What is not asked for is not computed. */
static void nothing_is_watched(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run = watched(STIFF, 0);
    assert_int_equal(ph_run_until(run, 0.03, &err), PH_OK);
    assert_true(run->watched.most_position == 0 && run->watched.kinetic == 0);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explosions_end_a_run),  cmocka_unit_test(energy_is_balanced),
        cmocka_unit_test(work_by_stages),        cmocka_unit_test(order_of_work),
        cmocka_unit_test(function_damper),       cmocka_unit_test(stiff_stop),
        cmocka_unit_test(failed_steps_leave_it), cmocka_unit_test(nothing_is_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
