/* Error bars that are not to be trusted yet: few of the others are too short, none of small steps is in doubt, and the test of bars
 * leaves the run as it was. (RB14) */
#include "model_file.h"

#include "polhode/polhode.h"

static ph_run *open_run(const char *name, const char *const *options, int n)
{
    char path[256];
    ph_run_config c = ph_run_defaults();
    ph_run *run;
    ph_error err = {0};
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s.lua", name);
    c.options = options, c.n_options = n;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s: %s", name, err.text);
    return run;
}

typedef struct count {
    int n, signs, outside, outside_without_sign;
} count;

/* Errors of positions and velocities of all bodies against a run that has hardly any; outside: beyond 1.5 times the error bar. */
static void add(count *c, ph_run *run, ph_run *best)
{
    static const int whats[] = {PH_GET_POSITION, PH_GET_VELOCITY, PH_GET_OMEGA};
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < ph_run_count(run, PH_BODIES); b++) {
            double x[3], y[3], e[3];
            int doubt[3];
            if (ph_run_size(run, whats[k], b) != 3)
                continue;
            assert_int_equal(ph_run_get_error(run, whats[k], b, e), PH_OK);
            assert_int_equal(ph_run_get_doubt(run, whats[k], b, doubt), PH_OK);
            ph_run_get(run, whats[k], b, x), ph_run_get(best, whats[k], b, y);
            for (int i = 0; i < 3; i++) {
                double real = fabs(y[i] - x[i]);
                if (real < 1e-9 && fabs(e[i]) < 1e-9)
                    continue;
                int outside = real > 1.5 * fabs(e[i]) + 1e-9;
                c->n++, c->signs += doubt[i], c->outside += outside;
                c->outside_without_sign += outside && !doubt[i];
            }
        }
}

static count count_with(const char *option)
{
    static const char *const names[] = {"heavy_top", "double_pendulum", "chain", "governor", "spinning_top"};
    static const char *const good[] = {"method=rkmk", "tableau=dopri8", "tol=1e-11", "t_end=0.4"};
    const char *options[] = {option, "t_end=0.4"};
    count c = {0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ph_run *best = open_run(names[k], good, 4), *run = open_run(names[k], options, 2);
        ph_error err = {0};
        assert_int_equal(ph_run_until(best, 0.4, &err), PH_OK);
        assert_int_equal(ph_run_test_bars(run, 0.4, &err), PH_OK);
        assert_true(ph_run_time(run) == 0);
        assert_int_equal(ph_run_error_bars(run, 1, &err), PH_OK);
        assert_int_equal(ph_run_until(run, 0.4, &err), PH_OK);
        add(&c, run, best);
        ph_run_close(best), ph_run_close(run);
    }
    return c;
}

static void signs_tell(void **state)
{
    (void)state;
    count coarse = count_with("h=8e-3"), fine = count_with("h=2.5e-4");
    assert_true(coarse.n > 50 && fine.n > 50);
    assert_true(coarse.outside > coarse.n / 10); /* ordering: many bars are too short, */
    check_le(coarse.outside_without_sign, 0.05 * (coarse.n - coarse.signs)); /* and the signs find them */
    check_le(fine.outside_without_sign, 0.02 * fine.n);
    check_le(fine.signs, 0.4 * fine.n); /* small steps: errors that pass through 0 */
}

/* Exact: the test of bars changes neither the options nor the motion, and calls no observer. */
static ph_status observe(ph_run *run, int why, void *ctx)
{
    (void)run, (void)why;
    ++*(int *)ctx;
    return PH_OK;
}

static void leaves_the_run(void **state)
{
    (void)state;
    static const char *const options[] = {"h=3e-3", "t_end=0.05"};
    ph_run *a = open_run("heavy_top", options, 2), *b = open_run("heavy_top", options, 2);
    double x[4], y[4];
    int doubt[3], seen = 0;
    ph_error err = {0};
    ph_run_observe(a, observe, &seen);
    assert_int_equal(ph_run_get_doubt(a, PH_GET_POSITION, 0, doubt), PH_E_INPUT);
    assert_int_equal(ph_run_test_bars(a, 0.05, &err), PH_OK);
    assert_int_equal(seen, 0);
    assert_int_equal(ph_run_test_bars(a, 0, &err), PH_E_INPUT);
    assert_int_equal(ph_run_test_bars(a, 0.05, &err), PH_OK);
    assert_true(ph_run_options(a).h == ph_run_options(b).h && ph_run_settings(a).opt.h == 3e-3);
    assert_int_equal(ph_run_error_bars(a, 1, &err), PH_OK);
    assert_int_equal(ph_run_error_bars(b, 1, &err), PH_OK);
    assert_int_equal(ph_run_until(a, 0.05, &err), PH_OK);
    assert_int_equal(ph_run_until(b, 0.05, &err), PH_OK);
    assert_true(seen > 10);
    ph_run_get(a, PH_GET_ROTATION, 0, x), ph_run_get(b, PH_GET_ROTATION, 0, y);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(ph_run_get_doubt(a, PH_GET_ROTATION, 0, doubt), PH_OK);
    assert_int_equal(ph_run_get_doubt(b, PH_GET_ROTATION, 0, doubt), PH_E_INPUT);
    assert_int_equal(ph_run_get_doubt(a, PH_GET_PARAMETER, 0, doubt), PH_E_INPUT);
    ph_run_close(a), ph_run_close(b);
}

/* A coarse run that fails leaves all in doubt. The function fails the first two times that it is called behind the first step: a step
 * whose callback refuses is tried twice. */
static void failure(void **state)
{
    (void)state;
    ph_model *model =
        read_text("local calls = 0\n"
                  "body { name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                  "force { body = 'a', value = function(t, s)\n"
                  "  if t > 0.025 then calls = calls + 1 if calls <= 2 then error('late') end end\n"
                  "  return 1, 0, 0\n"
                  "end }\n"
                  "run { h = 1e-2, t_end = 0.04 }\n");
    ph_run *run;
    int doubt[3];
    ph_error err = {0};
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    if (ph_run_test_bars(run, 0.04, &err) != PH_OK || ph_run_error_bars(run, 1, &err) != PH_OK ||
        ph_run_until(run, 0.04, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get_doubt(run, PH_GET_POSITION, 0, doubt), PH_OK);
    assert_int_equal(doubt[0] + doubt[1] + doubt[2], 3);
    ph_warning w[4];
    int n = ph_run_warnings(run, w, 4);
    assert_int_equal(n, 1);
    assert_string_equal(w[0].what, "error bars");
    assert_non_null(strstr(w[0].text, "the run with a larger h that should confirm them fails"));
    ph_run_close(run);
    ph_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_tell), cmocka_unit_test(leaves_the_run),
                                       cmocka_unit_test(failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
