/* Checkpoints of the adjoint: bounds of memory. (Gradients themselves: test_sens.c.) */
#include "long_run.h"

static void bounded_memory(void **state)
{
    (void)state;
    check_long_run("genalpha", PH_INDEX3, 50000, 30000);
    check_long_run("bliedf", PH_GGL, 20000, 50000);
}

/* Every bound that is not refused is kept, down to the least one. */
static void every_bound(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_options o = ph_default_options();
        o.h = 1e-3, o.method = k ? "bliedf" : "genalpha";
        meter m = {0};
        ph_allocator alloc = {meter_alloc, meter_free, &m};
        o.alloc = &alloc;
        size_t least = 0;
        double first = 0;
        for (size_t memory = 1000; memory < 300000; memory += memory / 5) {
            rig r;
            ph_error err = {0};
            double value, gradient;
            open_rig(&r, "../test/models/long_run.lua", "k", 0, &o);
            scalar f = {.r = &r};
            ph_objective objective = {value_of, value_of, NULL, &f};
            size_t before = m.live;
            m.most = before;
            ph_status s = ph_sens_gradient(r.sens, 300, &objective, memory, &value, &gradient, &err);
            assert_true(m.most - before <= memory); /* exact */
            if (s == PH_OK && !least)
                least = memory, first = gradient;
            assert_int_equal(s, least ? PH_OK : PH_E_INPUT);
            assert_true(!least || gradient == first); /* exact */
            close_rig(&r);
        }
        assert_true(least > 1000 && least < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounded_memory), cmocka_unit_test(every_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
