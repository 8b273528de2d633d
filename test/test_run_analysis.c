/* Equilibria and vibrations of a run. */
#include "run_cases.h"

static void equilibria_and_modes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "double_pendulum.lua", NULL, 0);
    ph_error err = {0};
    ph_static_stats stats;
    ph_modes *modes;
    double v[3];
    ph_status s = ph_run_static(run, NULL, &stats, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, 0, v), PH_OK);
    check_le(fabs(v[0]) + fabs(v[1]) + fabs(v[2]), 1e-14); /* at rest */
    snapshot before = snap_run(run);
    s = ph_run_modes(&modes, run, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_true(ph_modes_get_info(modes).count > 0);
    ph_modes_destroy(modes);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    free(before.x), free(after.x);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria_and_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
