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

static void nothing_restores(void **state)
{
    (void)state;
    assert_true(fastest("model 'free'\nbody { name = 'ball', mass = 1, inertia = {1, 1, 1} }\n") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(springs), cmocka_unit_test(pendulum),
                                       cmocka_unit_test(nothing_restores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
