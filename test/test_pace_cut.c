/* Sizes of steps by tolerance: a step that Newton's method cannot solve is cut, down to h_min, and no further. */
#include "scratch.h"

#include "polhode/polhode.h"

/* A pendulum that falls against an exponential wall. */
static const char wall[] =
    "gravity {0, 0, -9.81}\n"
    "body{ name = 'a', mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }\n"
    "joint{ name = 'pivot', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "torque{ name = 'wall', body = 'a', value = function(t, s)\n"
    "    return 0, -20*math.exp(math.min(400*(s.joints.pivot.position - 0.4), 300)), 0\nend }\n"
    "run{ t_end = 0.5, tol = 10, h_max = 0.1 }";

static ph_status go(const char *const *options, int n, ph_run **run, ph_error *err)
{
    scratch s = scratch_create("wall.lua");
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n;
    scratch_write(&s, wall, strlen(wall));
    assert_int_equal(ph_run_open(run, s.path, &c, err), PH_OK);
    scratch_remove(&s);
    return ph_run_until(*run, 0.5, err);
}

/* Steps of 0.1 s fail at the wall, and a tolerance that rejects nothing lets them grow to that. */
static void failures_cut_the_step(void **state)
{
    (void)state;
    static const char *const methods[] = {"method=genalpha", "method=bliedf"};
    ph_run *run;
    ph_error err = {0};
    for (int k = 0; k < 2; k++) {
        if (go(&methods[k], 1, &run, &err) != PH_OK)
            fail_msg("%s: %s", methods[k], err.text);
        ph_stats st = ph_run_summarise(run).stats;
        assert_true(st.rejected > 0 && st.h_least < 0.03);
        ph_run_close(run);
    }
}

/* What is left then is the failure, with the body and the joint at which it is. */
static void not_below_the_least_step(void **state)
{
    (void)state;
    const char *options[] = {"h_min=0.1"};
    ph_run *run;
    ph_error err = {0};
    assert_int_equal(go(options, 1, &run, &err), PH_E_NEWTON);
    assert_non_null(strstr(err.text, "even with a step of h = 0.1"));
    assert_non_null(strstr(err.text, "'a'"));
    assert_non_null(strstr(err.text, "h_min = 0.1"));
    assert_int_equal(ph_run_failure(run).culprit[0].list, PH_BODIES);
    ph_run_close(run);
}

/* Steps whose ends are rounded are still those of h_min: the run ends, with the reason. */
static void rounded_ends(void **state)
{
    (void)state;
    static const char *const least[] = {"h_min=1e-3", "h_min=2e-3", "h_min=3e-3", "h_min=7e-4"};
    for (int k = 0; k < 4; k++) {
        const char *options[] = {least[k], "tol=1e-5"};
        ph_run *run;
        ph_error err = {0};
        assert_int_equal(go(options, 2, &run, &err), PH_E_STEP);
        assert_non_null(strstr(err.text, "allows no smaller ones"));
        ph_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_cut_the_step),
        cmocka_unit_test(not_below_the_least_step),
        cmocka_unit_test(rounded_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
