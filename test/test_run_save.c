/* Save and restore: going on gives the same bits; what does not fit is refused. */
#include "run_cases.h"

static void check_going_on(const char *path, const char *const *options, int n, int before)
{
    ph_run *a = open_run(path, options, n), *b = open_run(path, options, n);
    steps_of(a, before), steps_of(b, 2);
    size_t size = ph_run_save_size(a);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    steps_of(a, 8);
    assert_int_equal(ph_run_restore(b, bytes, size, NULL), PH_OK);
    steps_of(b, 8);
    check_same(a, b, path);
    ph_run_summary x = ph_run_summarise(a), y = ph_run_summarise(b);
    assert_true(x.residual == y.residual && x.work == y.work &&
                x.violation_position == y.violation_position); /* exact */
    assert_int_equal(x.stats.iterations, y.stats.iterations);
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* Redundant rows, friction, drives by functions, flexible bodies, many turns; full and modified Newton; all solvers. */
static void going_on(void **state)
{
    (void)state;
    static const char *const names[] = {
        "four_bar",     "bricard", "driven_crank", "flexible_slider_crank_modal",
        "slider_crank", "andrews", "rolling_disc", "governor"};
    static const char *const methods[][3] = {{"method=genalpha", "formulation=ggl", "newton=full"},
                                             {"method=genalpha", "formulation=index3", "newton=modified"},
                                             {"method=bliedf", "formulation=ggl", "newton=modified"},
                                             {"method=rkmk", "tableau=gauss2", "newton=modified"},
                                             {"method=genalpha", "newton=modified", "solver=klu"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            char path[256];
            snprintf(path, sizeof path, MODELS "%s.lua", names[k]);
            check_going_on(path, methods[m], 3, 11);
        }
}

/* Between the ends of steps, too: work that the method has added up ahead of the output. */
static void ahead_of_the_output(void **state)
{
    (void)state;
    static const char *const methods[][3] = {{"method=rkmk", "tol=1e-6", "h=1e-3"},
                                             {"method=genalpha", "tol=1e-3", "h=1e-3"}};
    for (int before = 9; before < 15; before++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            check_going_on(MODELS "driven_crank.lua", methods[m], 3, before);
}

/* What the last step was comes back too; before the first one there is none. */
static void last_step(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    double first[2], step[2], later[2];
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size), *start = malloc(size);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, first), PH_OK);
    assert_true(first[0] == 0 && first[1] == 0);
    assert_int_equal(ph_run_save(run, start, size), PH_OK);
    steps_of(run, 3);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, step), PH_OK);
    assert_true(step[0] > 0 && step[1] > 0);
    assert_int_equal(ph_run_save(run, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(run, start, size, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, first, sizeof first); /* exact */
    assert_int_equal(ph_run_restore(run, bytes, size, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, step, sizeof step); /* exact */
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, first, sizeof first); /* exact */
    free(bytes), free(start);
    ph_run_close(run);
}

static void states_are_told_apart(void **state)
{
    (void)state;
    const char *const rho = "rho=0.8";
    ph_run *a = open_run(MODELS "heavy_top.lua", NULL, 0), *b = open_run(MODELS "heavy_top.lua", &rho, 1);
    ph_error err = {0};
    size_t size = ph_run_save_size(a);
    unsigned char *bytes = malloc(size);
    steps_of(a, 3);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(b, bytes, size, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "another model"));
    bytes[size / 2] ^= 1;
    assert_int_equal(ph_run_restore(a, bytes, size, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "damaged"));
    assert_int_equal(ph_run_set_parameters(a, &(ph_setting){"m", 15.5}, 1, NULL), PH_OK);
    bytes[size / 2] ^= 1;
    assert_int_equal(ph_run_restore(a, bytes, size, &err), PH_E_INPUT);
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* It is the values of options that count, not how they were told. */
static void states_fit_by_values(void **state)
{
    (void)state;
    const char *const o[] = {"h=2e-3", "rho=0.8"}, *const same[] = {"rho=0.80", "h=0.002", "atol=0"};
    ph_run *a = open_run(MODELS "heavy_top.lua", o, 2), *b = open_run(MODELS "heavy_top.lua", same, 3);
    size_t size = ph_run_save_size(a);
    void *bytes = malloc(size);
    steps_of(a, 3);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(b, bytes, size, NULL), PH_OK);
    steps_of(a, 3), steps_of(b, 3);
    check_same(a, b, "the same options");
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* A function that counts its calls cannot be repeated. */
static void functions_that_change(void **state)
{
    (void)state;
    static const char text[] = "local n = 0\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
                               "force{ body = 'b', value = function(t, s) n = n + 1 return {n, 0, 0} end }\n"
                               "run{ t_end = 1, h = 0.1 }";
    scratch s = scratch_create("counts.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(run, bytes, size), PH_E_INPUT);
    free(bytes);
    ph_run_close(run);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_on),
        cmocka_unit_test(ahead_of_the_output),
        cmocka_unit_test(last_step),
        cmocka_unit_test(states_are_told_apart),
        cmocka_unit_test(states_fit_by_values),
        cmocka_unit_test(functions_that_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
