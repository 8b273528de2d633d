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
    const struct CMUnitTest tests[] = {cmocka_unit_test(explosions_end_a_run),
                                       cmocka_unit_test(energy_is_balanced),
                                       cmocka_unit_test(nothing_is_watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
