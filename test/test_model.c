/* The public header of models: what a user finds by name, and what it says of a state. */
#include "check.h"

#include <string.h>

#include "polhode/model.h"

static ph_model *read_model(const char *name, const ph_setting *set)
{
    char path[512];
    ph_model *m;
    ph_error err = {0};
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s.lua", name);
    if (ph_model_read(&m, path, set, set != NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

static void lists_have_names(void **state)
{
    (void)state;
    ph_setting set = {"m", 16.5};
    ph_model *m = read_model("heavy_top", &set);
    static const char *const names[][4] = {
        [PH_BODIES] = {"top"},
        [PH_JOINTS] = {"pivot"},
        [PH_SENSORS] = {"tip", "reaction", "energy"},
        [PH_PARAMETERS] = {"m"},
    };
    for (int list = PH_BODIES; list <= PH_PARAMETERS; list++) {
        int n = 0;
        for (; names[list][n]; n++) {
            assert_string_equal(ph_model_name(m, (ph_list)list, n), names[list][n]);
            assert_int_equal(ph_model_find(m, (ph_list)list, names[list][n]), n);
        }
        assert_int_equal(ph_model_count(m, (ph_list)list), n);
        assert_int_equal(ph_model_find(m, (ph_list)list, "nobody"), -1);
        assert_int_equal(ph_model_find(m, (ph_list)list, ""), -1);
    }
    assert_int_equal(ph_model_find(m, PH_BODIES, "ground"), -1); /* has no state */
    assert_string_equal(ph_model_title(m), "heavy top");
    assert_true(ph_model_parameter(m, 0) == 16.5);
    assert_int_equal(ph_model_sensor_size(m, 0), 3);
    assert_string_equal(ph_model_sensor_unit(m, 0), "m");
    assert_int_equal(ph_model_sensor_size(m, 1), 6);
    assert_string_equal(ph_model_sensor_unit(m, 1), "N, N m");
    assert_int_equal(ph_model_sensor_size(m, 2), 1);
    ph_model_free(m);
}

static void run_is_that_of_the_file(void **state)
{
    (void)state;
    ph_model *m = read_model("heavy_top", NULL);
    ph_run_def run = ph_model_run_def(m);
    assert_true(run.opt.h == 1e-3 && run.t_end == 1 && run.space == PH_SPACE_R3XSO3 && !run.assemble);
    assert_true(run.opt.formulation == PH_GGL && run.opt.rho == 0.9 && run.every == 1);
    assert_string_equal(ph_space_word((int)run.space), "R3xSO3");
    ph_model_free(m);
}

/* A closed loop of revolute joints: 3 of its 20 conditions are redundant, and it runs once that is found. */
static void redundant_rows_are_found(void **state)
{
    (void)state;
    ph_model *m = read_model("four_bar", NULL);
    ph_run_def run = ph_model_run_def(m);
    ph_mechanism *mech;
    ph_sim *sim;
    ph_error err = {0};
    const double *q0, *v0;
    assert_int_equal(ph_mechanism_create(&mech, m, run.space, NULL, &err), PH_OK);
    assert_int_equal(ph_mechanism_initial(mech, run.assemble, &q0, &v0, &err), PH_OK);
    const ph_system *sys = ph_mechanism_system(mech);
    assert_int_not_equal(ph_sim_create(&sim, sys, &run.opt, 0, q0, v0, &err), PH_OK);
    for (int twice = 0; twice < 2; twice++) {
        int sum = 0;
        assert_int_equal(ph_mechanism_rank(mech, &err), PH_OK);
        for (int c = 0; c < sys->n_constraints; c++)
            sum += ph_mechanism_redundant(mech, c);
        assert_int_equal(sum, 3);
        assert_int_equal(sys->n_redundant, 3);
    }
    assert_int_equal(ph_sim_create(&sim, sys, &run.opt, 0, q0, v0, &err), PH_OK);
    assert_int_equal(ph_sim_run(sim, 10, NULL, NULL, &err), PH_OK);
    ph_sim_destroy(sim);
    ph_mechanism_destroy(mech);
    ph_model_free(m);
}

/* What is refused says so, and leaves nothing. */
static void mistakes_are_errors(void **state)
{
    (void)state;
    ph_model *m = (ph_model *)&m;
    ph_mechanism *mech;
    ph_error err = {0};
    ph_setting set = {"mass", 1};
    assert_int_equal(ph_model_read(&m, "/nonexistent/top.lua", NULL, 0, NULL, &err), PH_E_INPUT);
    assert_null(m);
    assert_non_null(strstr(err.text, "/nonexistent/top.lua"));
    assert_int_equal(ph_model_read(&m, PH_TEST_DIR "/../models/heavy_top.lua", &set, 1, NULL, &err),
                     PH_E_INPUT);
    assert_null(m);
    assert_non_null(strstr(err.text, "mass"));
    m = read_model("heavy_top", NULL);
    assert_int_equal(ph_mechanism_create(&mech, m, PH_SPACE_COUNT, NULL, &err), PH_E_INPUT);
    assert_null(mech);
    assert_string_equal(ph_model_complaint(m), "");
    ph_model_free(m);
    ph_model_free(NULL);
    ph_mechanism_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_names),
        cmocka_unit_test(run_is_that_of_the_file),
        cmocka_unit_test(redundant_rows_are_found),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
