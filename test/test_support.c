/* Abilities of elements: texts of compiled models, and refusals by name. */
#include "mech_cases.h"
#include "compile/compile.h"
#include "mech/support.h"
#include "polhode/equilibrium.h"
#include "run/private.h"
#include "scratch.h"

/* ---- texts of compiled models -------------------------------------------------------------------------- */

static int has_function(const char *format, const char *text)
{
    char name[80];
    snprintf(name, sizeof name, format, text);
    size_t n = strlen(name);
    for (int k = 0; k < ph_n_texts; k++)
        for (size_t i = 0; i + n <= ph_texts[k].size; i++)
            if (!memcmp(ph_texts[k].bytes + i, name, n))
                return 1;
    return 0;
}

static void need(const char *format, const char *text)
{
    if (!has_function(format, text))
        fail_msg("no text of compiled models has a function for '%s' as in %s: ph_texts of CMakeLists.txt",
                 text, format);
}

static void force_is_in_the_texts(const ph_force_ops *op)
{
    static const char *const all[] = {"ph_%s_g(", "ph_%s_K("};
    for (int k = 0; k < 2 && op->text; k++)
        need(all[k], op->text);
    if (op->text && op->energy)
        need("ph_%s_energy(", op->text);
    if (op->text && op->g_lambda)
        need("ph_%s_g_lambda(", op->text);
    if (op->text && op->slip)
        need("ph_%s_slip(", op->text);
}

static void part_is_in_the_texts(const ph_part *p)
{
    static const char *const all[] = {"ph_%s_Phi(", "ph_%s_B(", "ph_%s_K(", "ph_%s_Z(", "ph_%s_convective("};
    for (size_t k = 0; k < sizeof all / sizeof *all && p && p->text; k++)
        need(all[k], p->text);
    if (p && p->text && p->Phi_t)
        need("ph_%s_Phi_t(", p->text);
}

static void every_text_is_there(void **state)
{
    (void)state;
    for (int type = 0; type < PH_FORCE_COUNT; type++)
        force_is_in_the_texts(ph_force_row_of(&(ph_force_def){.type = type})->op);
    force_is_in_the_texts(&ph_force_actuator), force_is_in_the_texts(&ph_force_swing);
    part_is_in_the_texts(&ph_part_turn);
    for (int type = 0; type < PH_JOINT_COUNT; type++) {
        const ph_joint_ops *op = ph_joint_row_of(&(ph_joint_def){.type = type})->op;
        part_is_in_the_texts(op->recipe.first), part_is_in_the_texts(op->recipe.last);
        if (op->friction)
            force_is_in_the_texts(op->friction);
    }
    assert_false(has_function("ph_%s_g(", "nothing"));
}

/* ---- refusals ------------------------------------------------------------------------------------------- */

/* A mechanism whose only force has other operations. */
static void refused(const ph_force_ops *op, ph_ability what, const char *words)
{
    kit k;
    fixture r;
    uint64_t seed = 61;
    ph_error err = {0};
    kit_open(&k);
    kit_random_body(&k, "one", &seed), kit_random_body(&k, "two", &seed);
    kit_force(&k, "pull", PH_F_SPRING, 0, 1)->k = 1;
    fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
    assert_int_equal(ph_mechanism_can(r.mech, what, &err), PH_OK);
    r.mech->force[0].op = op;
    assert_int_equal(ph_mechanism_can(r.mech, what, &err), words ? PH_E_INPUT : PH_OK);
    if (words && !strstr(err.text, words))
        fail_msg("'%s' without '%s'", err.text, words);
    fixture_scatter(&r, &seed); /* tangents are evaluated without it */
    ph_state s = fixture_state(&r);
    fixture_tangents(&r, &s);
    fixture_close(&r);
}

static void absent_means_refused(void **state)
{
    (void)state;
    ph_force_ops none = ph_force_spring, no_text = ph_force_spring;
    none.C = none.K = NULL, no_text.text = NULL;
    refused(&ph_force_spring, PH_CAN_COMPILE, NULL);
    refused(&no_text, PH_CAN_COMPILE, "spring 'pull' cannot be compiled");
    refused(&no_text, PH_CAN_SENS, NULL);
    refused(&none, PH_CAN_COMPILE, "spring 'pull' cannot be compiled");
    refused(&none, PH_CAN_SENS, "spring 'pull' has no exact derivatives");
    refused(&none, PH_CAN_LINEARISE, "spring 'pull' has no tangents");
    refused(&none, PH_CAN_STATIC, "spring 'pull' has no tangents");
}

static const char spring[] =
    "local k = param('k', 1)\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
    "spring{ name = 'pull', bodies = {'ground', 'b'}, k = k, length = 0.5 }\n"
    "objective{ name = 'J', final = function(s) return s.b.position.x end }\nrun{ t_end = 0.1, h = 0.01 }\n";

/* Everything that needs tangents asks; a run goes without them. */
static void everything_asks(void **state)
{
    (void)state;
    ph_run *run;
    ph_error err = {0};
    ph_run_config config = ph_run_defaults();
    ph_equilibrium *rest;
    ph_modes *modes;
    double value, gradient, error;
    const int k = 0;
    scratch s = scratch_create("spring.lua");
    scratch_write(&s, spring, strlen(spring));
    if (ph_run_open(&run, s.path, &config, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_force_ops none = *run->mech->force[0].op;
    none.C = none.K = NULL, run->mech->force[0].op = &none;
    for (int call = 0; call < 7; call++) {
        err = (ph_error){0};
        ph_status status = call == 0   ? ph_run_follow(run, &k, 1, &err)
                           : call == 1 ? ph_run_gradient(run, 0, &k, 1, 0, &value, &gradient, &err)
                           : call == 2 ? ph_run_error_bars(run, 1, &err)
                           : call == 3 ? ph_run_objective_error(run, 0, 0, &value, &error, 0, NULL, &err)
                           : call == 4 ? ph_run_equilibrium(&rest, run, NULL, &err)
                           : call == 5 ? ph_run_modes(&modes, run, &err)
                                       : ph_run_linearise(run, NULL, NULL, NULL, NULL, &err);
        assert_int_equal(status, PH_E_INPUT);
        if (!strstr(err.text, "spring 'pull' has no "))
            fail_msg("call %d: %s", call, err.text);
    }
    for (int step = 0; step < 10; step++)
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    ph_run_close(run);
    scratch_remove(&s);
}

static void joints_and_sensors(void **state)
{
    (void)state;
    assert_true(ph_joint_can(&ph_joint_revolute) >> PH_CAN_COMPILE & 1);
    ph_part bare = {.Phi = ph_part_point.Phi, .B = ph_part_point.B};
    ph_joint_ops joint = ph_joint_revolute;
    joint.recipe.first = &bare;
    assert_int_equal(ph_joint_can(&joint), 0);
    assert_false(ph_sensor_can(&ph_sensor_work) >> PH_CAN_SENS & 1);
    assert_true(ph_sensor_can(&ph_sensor_position) >> PH_CAN_SENS & 1);
    assert_int_equal(ph_other_can("contact"), 0); /* unknown: no ability */
    assert_true(ph_other_can("coupling") >> PH_CAN_COMPILE & 1);
    assert_string_equal(ph_ability_word(PH_CAN_STATIC), "static");
    assert_null(ph_ability_word(PH_ABILITIES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_is_there), cmocka_unit_test(absent_means_refused),
        cmocka_unit_test(everything_asks), cmocka_unit_test(joints_and_sensors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
