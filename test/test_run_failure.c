/* A step that fails, in words of the model. */
#include "run_cases.h"

/* A step that fails names bodies and joints, and leaves the run where it was. */
static void failures(void **state)
{
    (void)state;
    const char *const o[] = {"h=0.1", "formulation=index3", "halvings=0"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 3);
    ph_error err = {0};
    snapshot before = snap_run(run);
    ph_status s = ph_run_step(run, &err);
    assert_true(s == PH_E_NEWTON || s == PH_E_STEP);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    ph_run_trouble t = ph_run_failure(run);
    assert_true(t.status == s && t.n_culprits > 0);
    for (int k = 0; k < t.n_culprits; k++)
        assert_non_null(ph_run_name(run, t.culprit[k].list, t.culprit[k].index));
    free(before.x), free(after.x);
    ph_run_close(run);
}

/* What does not converge is named by what it is: a state{}, a constraint{}, a coupling. */
static void culprits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int list, index;
    } row[] = {
        {"body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
         "state{ name = 'x', initial = 100, rate = function(t, s) return s.states.x^3 end }\nrun{ h = 0.1, "
         "t_end = 1 }",
         PH_NODES, -1},
        {"body{ name = 'a', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
         "constraint{ name = 'c', f = function(t, s) local p = s.a.position return p.x^2 + p.y^2 - (1 - "
         "25*t) end }\n"
         "run{ h = 0.02, t_end = 1 }",
         PH_CONSTRAINTS, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        scratch file;
        ph_run *run = run_of(&file, row[k].text, NULL, 0);
        ph_error err = {0};
        int found = 0;
        assert_true(ph_run_until(run, 1, &err) != PH_OK);
        assert_true(err.text[0]);
        ph_run_trouble t = ph_run_failure(run);
        for (int i = 0; i < t.n_culprits; i++)
            found |=
                t.culprit[i].list == row[k].list && (row[k].index < 0 || t.culprit[i].index == row[k].index);
        if (!found)
            fail_msg("%d culprits, first of list %d: %s", t.n_culprits, t.n_culprits ? t.culprit[0].list : -1,
                     err.text);
        ph_run_close(run);
        scratch_remove(&file);
    }
}

/* Coordinates of modes have names; what is asked for alone is given alone. */
static void names_of_modes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "flexible_pendulum_modal.lua", NULL, 0);
    int n = 0, m = -1, p = 0;
    ph_error err = {0};
    assert_null(ph_run_linear_name(run, 0)); /* nothing is linearised yet */
    if (ph_run_linear_sizes(run, &n, NULL, NULL, &err) != PH_OK ||
        ph_run_linear_sizes(run, NULL, &m, NULL, &err) != PH_OK ||
        ph_run_linear_sizes(run, NULL, NULL, &p, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(n, 18); /* the hinge and eight modes, twice */
    assert_int_equal(m, 0);
    double *A = calloc((size_t)(n * n), sizeof *A), *C = calloc((size_t)(n * p), sizeof *C), x;
    if (ph_run_linearise(run, A, NULL, C, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    int modes = 0, rates = 0;
    for (int k = 0; k < n; k++) {
        const char *name = ph_run_linear_name(run, k);
        modes += strstr(name, "bar.mode") != NULL, rates += strstr(name, "rate") != NULL;
    }
    assert_int_equal(modes, 16);
    assert_null(ph_run_linear_name(run, -1));
    assert_null(ph_run_linear_name(run, n));
    x = A[0];
    assert_true(isfinite(x));
    free(A), free(C);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(culprits),
        cmocka_unit_test(names_of_modes),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
