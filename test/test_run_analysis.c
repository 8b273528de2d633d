/* Equilibria and vibrations of a run. */
#include "run_cases.h"

static void equilibria_and_modes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "double_pendulum.lua", NULL, 0);
    ph_error err = {0};
    ph_static_stats stats;
    ph_modes *modes;
    double v[3];
    ph_status s = ph_run_static(run, NULL, &stats, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, 0, v), PH_OK);
    check_le(fabs(v[0]) + fabs(v[1]) + fabs(v[2]), 1e-14); /* at rest */
    snapshot before = snap_run(run);
    s = ph_run_modes(&modes, run, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_true(ph_modes_get_info(modes).count > 0);
    ph_modes_destroy(modes);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    free(before.x), free(after.x);
    ph_run_close(run);
}

static ph_status modes_at(const char *text, double t, ph_modes **modes, ph_error *err)
{
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0);
    if (t > 0 && ph_run_until(run, t, err) != PH_OK)
        fail_msg("%s", err->text);
    ph_status status = ph_run_modes(modes, run, err);
    ph_run_close(run);
    scratch_remove(&s);
    return status;
}

/* A run that has come to rest has the modes of a state of rest, however small its speed still is; as long as it swings it has none. */
static void modes_where_a_run_rests(void **state)
{
#define WHEEL                                                                                                \
    "body{ name = 'wheel', mass = 1, inertia = {0.03, 0.03, 0.05} }\n"                                       \
    "joint{ name = 'axle', type = 'revolute', bodies = {'ground', 'wheel'}, at = {0, 0, 0}, axis = {0, 0, "  \
    "1} }\nactuator{ name = 'm', joint = 'axle', effort = function(t, s) return 7 + math.exp(-t) end, k = "  \
    "1, d = 0.3 }\n"
    static const struct {
        const char *text;
        double t;
    } rows[] = {{WHEEL "run{ t_end = 100, h = 1e-2 }", 30},
                {WHEEL "run{ t_end = 100, h = 1e-2 }", 60},
                {WHEEL "run{ t_end = 100, h = 1e-2 }", 100},
                {WHEEL "run{ t_end = 40, tol = 1e-4 }", 40}};
    ph_modes *m;
    ph_error err = {0};
    double re, im;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (modes_at(rows[i].text, rows[i].t, &m, &err) != PH_OK)
            fail_msg("t = %g: %s", rows[i].t, err.text);
        ph_modes_info info = ph_modes_get_info(m);
        assert_true(info.count == 1 && !info.turning && info.speed == 0);
        check_le(info.acceleration, 1e-5); /* that of the state, not of one near by */
        ph_modes_value(m, 0, &re, &im);
        check_near(re, -3, 1e-12); /* round-off: 0.05 mu^2 + 0.3 mu + 1 = 0 */
        check_near(im, sqrt(11), 1e-12);
        ph_modes_destroy(m);
    }
    assert_int_equal(modes_at(rows[0].text, 3, &m, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the motion is not steady"));
}

/* A slow motion that is steady is one, beside much faster vibrations. */
static void slow_motions_are_kept(void **state)
{
    static const char text[] =
        "body{ name = 'rotor', mass = 1, inertia = {1, 1, 2}, omega = {0, 0, 1e-9} }\n"
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, position = {2, 0, 0} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {2, 0, 0}, axis = {0, 0, 1} }\n"
        "actuator{ name = 's', joint = 'j', k = 100 }\nrun{ t_end = 1, h = 1e-2 }";
    ph_modes *m;
    ph_error err = {0};
    (void)state;
    if (modes_at(text, 0, &m, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_true(ph_modes_get_info(m).speed == 1e-9); /* exact: that of the rotor */
    ph_modes_destroy(m);
}

/* A wheel that a motor holds at 7 rad, against a spring. */
static const char wheel[] =
    "input { name = 'u', value = 7 }\nbody { name = 'w', mass = 1, inertia = {0.03, 0.03, 0.05} }\n"
    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
    "actuator { name = 'm', joint = 'j', effort = 'u', k = 1, d = 0.3 }\n"
    "sensor { name = 'a', type = 'joint_position', joint = 'j' }\nrun { t_end = 30, h = 1e-2 }\n";

/* From the start, and from where the motion has come to rest: the run stays at the angle, over more than a turn, and has no effort there. */
static void turns_of_an_equilibrium(void **state)
{
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        scratch file;
        ph_run *run = run_of(&file, wheel, NULL, 0);
        ph_error err = {0};
        double angle, effort, x[3], was = moved ? 7 : 0;
        if (moved && ph_run_until(run, 30, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_equilibrium *e;
        assert_int_equal(ph_run_equilibrium(&e, run, NULL, &err), PH_OK);
        ph_equilibrium_destroy(e);
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, 0, &angle), PH_OK);
        check_near(angle, was, 1e-9); /* damped motion; the run has not changed */
        if (ph_run_static(run, NULL, NULL, &err) != PH_OK)
            fail_msg("%s", err.text);
        for (int k = 0; k < 3; k++) {
            ph_run_get(run, PH_GET_SENSOR, 0, &angle), ph_run_get(run, PH_GET_EFFORT, 0, &effort);
            ph_run_get(run, PH_GET_OMEGA_DOT, 0, x);
            check_near(angle, 7, 1e-9); /* Newton's tolerance */
            check_le(fabs(effort), 1e-9),
                check_le(fabs(x[2]), 1e-7); /* Newton's tolerance, over 0.05 kg m^2 */
            steps_of(run, 5);
        }
        assert_int_equal(ph_run_reset(run, &err), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, 0, &angle), PH_OK);
        check_near(angle, 0, 0); /* exact: at the start there are no turns */
        ph_run_close(run), scratch_remove(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria_and_modes),
        cmocka_unit_test(modes_where_a_run_rests),
        cmocka_unit_test(slow_motions_are_kept),
        cmocka_unit_test(turns_of_an_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
