/* Names and numbers of a run, by index; turns. */
#include "run_cases.h"

static void numbers(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    double x[6], v[3], q[4], tip[3], energy[5], step[2], lambda[3];
    int top = ph_run_find(run, PH_BODIES, "top"), pivot = ph_run_find(run, PH_JOINTS, "pivot");
    assert_true(top == 0 && pivot == 0 && ph_run_find(run, PH_BODIES, "nobody") == -1);
    assert_string_equal(ph_run_name(run, PH_BODIES, 0), "top");
    assert_null(ph_run_name(run, PH_BODIES, 1));
    assert_string_equal(ph_run_label(run, PH_GET_ROTATION, top, 1), "qx");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 2), "N");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 3), "N m");
    steps_of(run, 10);
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, top, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, top, v), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_ROTATION, top, q), PH_OK);
    check_near(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1, 1e-14);               /* invariant: the arm */
    check_near(x[0] * v[0] + x[1] * v[1] + x[2] * v[2], 0, 1e-12);               /* invariant */
    check_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14); /* invariant */
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), tip), PH_OK);
    check_near(tip[1], 2 * x[1], 1e-14); /* round-off: the tip is twice as far as the centre of mass */
    assert_int_equal(ph_run_get(run, PH_GET_REACTION, pivot, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_MULTIPLIERS, pivot, lambda), PH_OK);
    check_near(hypot(hypot(x[0], x[1]), x[2]), hypot(hypot(lambda[0], lambda[1]), lambda[2]),
               1e-9); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, energy), PH_OK);
    ph_run_summary s = ph_run_summarise(run);
    check_near(energy[0] + energy[1], s.energy, 1e-12 * fabs(s.energy)); /* round-off */
    assert_true(fabs(energy[4]) <= s.residual && s.stats.steps == 10);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, step), PH_OK);
    check_near(step[0], ph_run_options(run).h, 1e-15); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, 1, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, PH_GET_INPUT, 0, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, 99, 0, x), PH_E_INPUT);
    ph_run_close(run);
}

/* An angle over many turns, against the one of a constant rate. */
static void turns(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 40} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, "
        "axis = {0, 0, 1} }\nrun{ t_end = 2, h = 0.01 }";
    scratch s = scratch_create("turns.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    double angle, rate;
    assert_int_equal(ph_run_until(run, 2, NULL), PH_OK);
    assert_int_equal(ph_run_size(run, PH_GET_JOINT_POSITION, 0), 1);
    assert_string_equal(ph_run_unit(run, PH_GET_JOINT_POSITION, 0, 0), "rad");
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_RATE, 0, &rate), PH_OK);
    check_near(angle, 80, 1e-9), check_near(rate, 40, 1e-10); /* round-off of 200 steps */
    ph_run_close(run);
    scratch_remove(&s);
}

/* A torsional spring swings by more than half a turn each way, slowly and fast: its torque needs the turns, which are not counted in
 * every step. */
static void turns_to_and_fro(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 5} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
        "actuator{ name = 'spring', joint = 'j', k = 1 }\nrun{ t_end = 20, h = 0.02, method = 'rkmk', "
        "tableau = 'rk4' }";
    scratch s = scratch_create("swing.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    double angle;
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(ph_run_until(run, k, NULL), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle), PH_OK);
        check_near(angle, 5 * sin(k), 2e-7); /* order 4: h^4/120 t */
    }
    ph_run_close(run);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(turns),
        cmocka_unit_test(turns_to_and_fro),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
