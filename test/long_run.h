/* A gradient over a long run under a bound of memory: it is that of the direct way, and the bound is kept. */
#ifndef PH_TEST_LONG_RUN_H
#define PH_TEST_LONG_RUN_H

#include "sens_cases.h"

/* Live bytes, and the most there ever were. */
typedef struct meter {
    size_t live, most;
} meter;

/* In front of each block, as long as malloc aligns. */
typedef union size_before {
    size_t size;
    max_align_t aligned;
} size_before;

static inline void *meter_alloc(size_t size, void *ctx)
{
    meter *m = ctx;
    size_before *p = malloc(sizeof *p + size);
    if (!p)
        return NULL;
    p->size = size;
    m->live += size;
    m->most = m->live > m->most ? m->live : m->most;
    return p + 1;
}

static inline void meter_free(void *block, void *ctx)
{
    if (!block)
        return;
    size_before *p = (size_before *)block - 1;
    ((meter *)ctx)->live -= p->size;
    free(p);
}

static inline void check_long_run(const char *method, ph_formulation form, long steps, size_t memory)
{
    fixture r;
    meter m = {0};
    ph_allocator alloc = {meter_alloc, meter_free, &m};
    ph_error err = {0};
    ph_options o = ph_default_options();
    double value, gradient;
    o.method = method, o.h = 1e-3, o.formulation = form, o.alloc = &alloc;
    open_fixture(&r, "../test/models/long_run.lua", "k", 0, &o);
    scalar f = {.r = &r, .scale = 0.3};
    ph_objective objective = {.final = value_of, .integral = value_of, .ctx = &f};
    assert_int_equal(ph_sim_run(r.sim, steps, add_up, &f, NULL), PH_OK);
    ph_state s = ph_sim_state(r.sim);
    double direct = f.sum + derivative_of(&f, &s);
    close_fixture(&r);
    open_fixture(&r, "../test/models/long_run.lua", "k", 0, &o);
    size_t before = m.live;
    m.most = before;
    if (ph_sens_gradient(r.sens, steps, &objective, memory, &value, &gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    print_message("%s, %ld steps: %zu bytes of %zu, gradient %.10g\n", method, steps, m.most - before, memory,
                  gradient);
    assert_true(m.live == before);
    assert_true(m.most - before <= memory);                 /* exact */
    assert_true(m.most - before > memory / 2);              /* and it is made use of */
    check_le(fabs(gradient - direct) / fabs(direct), 1e-9); /* round-off, of as many steps */
    close_fixture(&r);
}

#endif
