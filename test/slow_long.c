/* A hundred million steps: energies and constraints stay where they are, and the drift is put on record. */
#include "check.h"

#include "polhode/polhode.h"

#define STEPS 100000000L

static void drift(const char *path, const char *const *options, int n, double energy_tol)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    double e0[5], e[5], most = 0;
    long steps = getenv("PH_LONG_STEPS") ? atol(getenv("PH_LONG_STEPS")) : STEPS;
    c.options = options, c.n_options = n, c.watch = 0;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, e0), PH_OK);
    for (long k = 1; k <= steps; k++) {
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("step %ld: %s", k, err.text);
        if (k % 1000 == 0) {
            assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, e), PH_OK);
            most = fmax(most, fabs(e[0] + e[1] - e0[0] - e0[1]));
        }
        if (k % (steps / 10) == 0)
            print_message("%s: step %ld, t = %.9g s: energy off by %.3e J at most\n", path, k,
                          ph_run_time(run), most);
    }
    double violation[2], size = fabs(e0[0]) + fabs(e0[1]) + 1;
    assert_int_equal(ph_run_get(run, PH_GET_VIOLATION, 0, violation), PH_OK);
    print_message("%s: violations %.3e, %.3e\n", path, violation[0], violation[1]);
    check_le(violation[0], 1e-12); /* invariant: the last step makes it hold, whatever came before */
    check_le(violation[1], 1e-12);
    check_le(most / size, energy_tol);
    ph_run_close(run);
}

/* invariant: energy swings by 6e-6 of its size at this h, and the method adds some 2e-12 of it in each step: 2e-4 in all. */
static void pendulum(void **state)
{
    (void)state;
    static const char *const options[] = {"h=1e-3", "t_end=1e5", "rho=1"};
    drift(PH_TEST_DIR "/../test/models/free_pendulum.lua", options, 3, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
