/* Warnings of runs whose steps all succeed. */
#include "model_file.h"

#include "polhode/polhode.h"
#include "run/private.h"

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
    double first = w[0].t;
    assert_true(first > 0 && first < 0.5); /* it adds 10 % of its energy in 1 s, and 1 % is a warning */
    ph_run_close(run);
    run = spring("1e-3"); /* the warning begins with that step */
    assert_int_equal(ph_run_until(run, first - 1e-3, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    assert_int_equal(ph_run_step(run, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 1);
    assert_true(w[0].t == first); /* exact: the same step */
    ph_run_close(run);
    run = spring("1e-5");
    assert_int_equal(ph_run_until(run, 1, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    ph_run_close(run);
}

static ph_run *opened(const char *model, const char *const *options, int n)
{
    char path[512];
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n;
    snprintf(path, sizeof path, "%s/../models/%s.lua", PH_TEST_DIR, model);
    if (ph_run_open(&run, path, &c, &err) != PH_OK || ph_run_until(run, ph_run_end(run), &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

/* (RB21): bliedf of order 3 feeds the spin of the heavy top, 73 J of 5663 J in 100 s. */
static void advice_is_true(void **state)
{
    (void)state;
    static const char *const grows[] = {"h=1e-3", "t_end=100", "method=bliedf"};
    static const char *const kept[] = {"h=1e-3", "t_end=100"};
    ph_warning w[4];
    ph_run *run = opened("heavy_top", grows, 3);
    assert_int_equal(ph_run_warnings(run, w, 4), 1);
    assert_non_null(strstr(w[0].text, "is off by up to 73."));
    assert_non_null(strstr(w[0].text, "use a smaller h than 0.001, or genalpha"));
    ph_run_close(run);
    run = opened("heavy_top", kept, 2);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    ph_run_close(run);
}

/* With error control less is allowed. The balance is changed by hand, since no method here is so far off. */
static void energy_against_the_tolerance(void **state)
{
    (void)state;
    static const char *const options[] = {"tol=1e-6", "t_end=0.5"};
    ph_error err = {0};
    ph_warning w[4];
    ph_run *run = opened("double_pendulum", options, 2);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    run->watched.most_residual = 1e-3 * run->watched.most_kinetic; /* constant steps may leave this */
    assert_int_equal(ph_run_step(run, &err), PH_OK);               /* which each step judges */
    assert_int_equal(ph_run_warnings(run, w, 4), 1);
    assert_non_null(strstr(w[0].text, "use a smaller tol than 1e-06"));
    run->watched.most_residual = 1e-6 * run->watched.most_kinetic;
    assert_int_equal(ph_run_step(run, &err), PH_OK);
    assert_int_equal(ph_run_warnings(run, w, 4), 0);
    ph_run_close(run);
}

/* A damper given by a function, unstable with h d/m = 4: nine steps warn, and the tenth ends the run. */
static void explosion_that_begins(void **state)
{
    (void)state;
    static const char text[] =
        "body { name = 'b', mass = 1, inertia = {.1, .1, .1}, velocity = {1, 0, 0} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"
        "actuator { name = 'd', joint = 'rail', effort = function(t, s) return -400*s.joints.rail.rate end "
        "}\n"
        "run { t_end = 1, h = 0.01, method = 'rkmk' }\n";
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run;
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    ph_model_free(model);
    int steps = 0, warned = 0;
    double since = 0;
    while (ph_run_step(run, &err) == PH_OK) {
        ph_warning w[4];
        int n = ph_run_warnings(run, w, 4);
        if (n > 0 && strcmp(w[n - 1].what, "explosion") == 0) {
            since = warned++ ? since : ph_run_time(run);
            assert_true(w[n - 1].t == since); /* exact: the time of the first step */
        }
        assert_true(++steps < 50);
    }
    assert_true(ph_run_failure(run).explodes && warned == 9);
    assert_int_equal(ph_run_warnings(run, NULL, 0), 0);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_that_does_not_balance_is_a_warning), cmocka_unit_test(advice_is_true),
        cmocka_unit_test(energy_against_the_tolerance), cmocka_unit_test(explosion_that_begins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
