/* A step that fails, in words of the model. */
#include "run_cases.h"

/* A step that fails names bodies and joints, and leaves the run where it was. */
static void failures(void **state)
{
    (void)state;
    const char *const o[] = {"h=0.1", "formulation=index3"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
