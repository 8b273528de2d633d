/* Checkpoints of the adjoint: bounds of memory. (Gradients themselves: test_sens.c.) */
#include "long_run.h"

static void bounded_memory(void **state)
{
    (void)state;
    check_long_run("genalpha", PH_INDEX3, 50000, 40000);
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
            fixture r;
            ph_error err = {0};
            double value, gradient;
            open_fixture(&r, "../test/models/long_run.lua", "k", 0, &o);
            scalar f = {.r = &r};
            ph_objective objective = {.final = value_of, .integral = value_of, .ctx = &f};
            size_t before = m.live;
            m.most = before;
            ph_status s = ph_sens_gradient(r.sens, 300, &objective, memory, &value, &gradient, &err);
            assert_true(m.most - before <= memory); /* exact */
            if (s == PH_OK && !least)
                least = memory, first = gradient;
            assert_int_equal(s, least ? PH_OK : PH_E_INPUT);
            assert_true(!least || gradient == first); /* exact */
            close_fixture(&r);
        }
        assert_true(least > 1000 && least < 100000);
    }
}

typedef struct spoiler {
    int how, calls;
} spoiler;

/* x of the first node, until the fourth call. */
static ph_status spoilt(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    spoiler *b = ctx;
    *value = s->q[0];
    if (g)
        g->W[0] += 1;
    if (++b->calls < 4)
        return PH_OK;
    if (b->how == 0)
        *value = NAN;
    else if (b->how == 1 && g)
        g->W[1] = NAN;
    else if (b->how == 2 && g)
        g->lambda[0] = HUGE_VAL;
    else if (b->how == 3 && g)
        g->p[0] = NAN;
    return b->how == 4 ? (ph_status)99 : PH_OK;
}

/* Objectives that fail on the way back: no gradient that is none with PH_OK, and no status that is none. */
static void objectives_that_fail(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bliedf"};
    for (int m = 0; m < 2; m++)
        for (int how = 0; how < 5; how++) {
            fixture r;
            spoiler b = {.how = how};
            ph_objective objective = {.final = spoilt, .integral = spoilt, .ctx = &b};
            ph_options o = ph_default_options();
            ph_error err = {0};
            double value, gradient;
            o.h = 1e-3, o.method = methods[m], o.formulation = PH_GGL;
            open_fixture(&r, "heavy_top.lua", "m", 0, &o);
            ph_status s = ph_sens_gradient(r.sens, 8, &objective, 0, &value, &gradient, &err);
            assert_int_equal(s, how == 4 ? PH_E_CALLBACK : PH_E_NAN);
            assert_int_equal(err.status, s);
            assert_true(strlen(err.text) > 20);
            close_fixture(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounded_memory), cmocka_unit_test(every_bound),
                                       cmocka_unit_test(objectives_that_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
