/* Warnings of runs whose steps all succeed. */
#include "model_file.h"

#include "polhode/polhode.h"

static ph_run *spring(const char *h)
{
    char text[600];
    snprintf(text, sizeof text,
             "model 'spring'\nbody { name = 'bob', mass = 1, inertia = {1, 1, 1} }\n"
             "joint { name = 'pin', type = 'prismatic', bodies = {'ground', 'bob'}, axis = {1, 0, 0} }\n"
             "spring { bodies = {'ground', 'bob'}, at_a = {-1, 0, 0}, k = 100, length = 0.9 }\n"
             "run { method = 'rkmk', tableau = 'euler', h = %s, t_end = 1 }\n",
             h);
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    if (ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

/* Explicit Euler adds energy: a factor 1 + (h omega)^2 in each step, e^(h omega^2 t) in all. */
static void energy_that_does_not_balance_is_a_warning(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_warning w[4];
    ph_run *run = spring("1e-3");
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    assert_int_equal(ph_run_until(run, 1, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 1);
    assert_string_equal(w[0].what, "energy");
    assert_non_null(strstr(w[0].text, "use a smaller h than 0.001"));
    assert_int_equal(ph_run_warnings(run, NULL, 0), 1);
    ph_run_close(run);
    run = spring("1e-5");
    assert_int_equal(ph_run_until(run, 1, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_that_does_not_balance_is_a_warning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
