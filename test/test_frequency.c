/* The fastest frequency of a system: that of the stiffest spring, of a pendulum, and none where nothing restores. */
#include "model_file.h"

#include "polhode/polhode.h"

static double fastest(const char *text)
{
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run;
    double omega = NAN;
    if (ph_run_create(&run, model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_fastest(run, &omega), PH_OK);
    ph_run_close(run);
    ph_model_free(model);
    return omega;
}

#define SLIDER(name, mass, k)                                                                                \
    "body { name = '" name "', mass = " mass ", inertia = {1, 1, 1} }\n"                                     \
    "joint { name = 'on_" name "', type = 'prismatic', bodies = {'ground', '" name                           \
    "'}, at = {0, 0, 0}, axis = {1, 0, 0} }\n"                                                               \
    "spring { bodies = {'ground', '" name "'}, at_a = {-1, 0, 0}, k = " k ", length = 1 }\n"

/* Two springs: omega = sqrt(k/m) of the stiffer one, sqrt(900) (F1) */
static void springs(void **state)
{
    (void)state;
    double omega = fastest("model 'two'\n" SLIDER("slow", "2", "50") SLIDER("fast", "1", "900"));
    check_near(omega, 30, 1e-9); /* iteration: (5/30)^120 is left */
}

/* A pendulum at rest below its pivot: its stiffness is that of the reaction, omega^2 = m g l/(m l^2 + J). */
static void pendulum(void **state)
{
    (void)state;
    double omega =
        fastest("model 'pendulum'\ngravity {0, 0, -9.81}\n"
                "body { name = 'bob', mass = 3, inertia = {0.6, 0.5, 0.4}, position = {0, 0, -0.7} }\n"
                "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'bob'}, at = {0, 0, 0}, axis = "
                "{0, 1, 0} }\n");
    check_near(omega, sqrt(3 * 9.81 * 0.7 / (3 * 0.49 + 0.5)), 1e-9); /* round-off: one frequency alone */
}

/* States: a real eigenvalue, 1/tau; the spring of oil between a piston and its valve, sqrt(beta a^2/(V m)); and a mechanism that
 * is faster than its states. (F2) */
static void states(void **state)
{
    (void)state;
    double omega = fastest("model 'filter'\n" SLIDER(
        "slow", "2", "50") "state { name = 'x', initial = 1, rate = function(t, s) "
                           "return (s.joints.on_slow.position - s.states.x)/1e-4 end }\n");
    check_near(omega, 1e4, 1e-3); /* iteration */
    omega = fastest(
        "model 'piston'\nbody { name = 'rod', mass = 3, inertia = {1, 1, 1} }\n"
        "joint { name = 'seal', type = 'prismatic', bodies = {'ground', 'rod'}, axis = {1, 0, 0} }\n"
        "state { name = 'p', unit = 'Pa', rate = function(t, s) return -2e12*s.joints.seal.rate end }\n"
        "actuator { name = 'ram', joint = 'seal', effort = function(t, s) return 1.5e-3*s.states.p end }\n");
    check_near(omega / sqrt(2e12 * 1.5e-3 / 3), 1, 1e-3);
    omega = fastest(
        "model 'both'\n" SLIDER("fast", "1", "900") "state { name = 'x', initial = 1, rate = function(t, s) "
                                                    "return 5 - s.states.x end }\n");
    check_near(omega, 30, 1e-3);
}

/* Dampers and friction set no frequency. (F1) */
static void dampers(void **state)
{
    (void)state;
    assert_true(
        fastest("model 'damped' gravity {0, 0, -9.81}\nbody { name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
                "joint { name = 'j', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0}, "
                "friction = 0.5 }\nactuator { name = 'd', joint = 'j', d = 1e6 }\n") == 0);
}

static void nothing_restores(void **state)
{
    (void)state;
    assert_true(fastest("model 'free'\nbody { name = 'ball', mass = 1, inertia = {1, 1, 1} }\n") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(springs), cmocka_unit_test(pendulum),
                                       cmocka_unit_test(states), cmocka_unit_test(dampers),
                                       cmocka_unit_test(nothing_restores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
