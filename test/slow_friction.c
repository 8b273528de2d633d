/* Chains with friction in every joint over 20 s: 24 runs, of which none converged before increments were cut. */
#include "friction_cases.h"

/* (CT8) */
static void chains_that_stick_and_slip(void **state)
{
    static const double ws[] = {1e-2, 1e-3, 1e-4, 1e-5}, h[] = {2e-2, 1e-2, 5e-3};
    (void)state;
    assert_int_equal(failed_chains(ws, 4, h, 3, 20), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_that_stick_and_slip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
