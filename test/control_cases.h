/* What test_ahead.c, test_control.c, test_pace.c share. */
#ifndef PH_TEST_CONTROL_CASES_H
#define PH_TEST_CONTROL_CASES_H

#include <float.h>
#include "rk_cases.h"
#include "method/control.h"

static inline ph_options controlled(const char *name, double tol, double h)
{
    ph_options o = rkmk(name, h);
    o.tol = tol;
    return o;
}

static inline void run_to(ph_sim *sim, double t_end)
{
    ph_error err = {0};
    if (ph_sim_run_until(sim, t_end, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* Rotations and positions, velocities relative to max(1, size). */
static inline double error_at_end(const ph_system *sys, const double *q, const double *v, const ph_state *s)
{
    double a = 0, b = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n, dim = ph_group_dim(sys->nodes[i].group, n);
        double inv[8], x[8];
        op->inverse(n, q + s->q_at[i], inv);
        op->compose(n, inv, s->q + s->q_at[i], inv);
        op->log(n, inv, x);
        for (int k = 0; k < dim; k++)
            a = fmax(a, isnan(x[k]) ? HUGE_VAL : fabs(x[k]));
        double d = max_diff(s->v + s->v_at[i], v + s->v_at[i], dim);
        b = fmax(b, isnan(d) ? HUGE_VAL : d / size_of(v + s->v_at[i], dim));
    }
    return fmax(a, b);
}

typedef struct bench {
    ph_problem *p;
    ph_sim *sim;
    ph_rk rk;
    ph_control c;
    ph_point from, to, other;
    ph_arena arena;
} bench;

static inline void lay(bench *b)
{
    const ph_layout *l = &b->sim->lay;
    ph_rk_take(&b->rk, l, &b->arena);
    ph_control_take(&b->c, l, &b->arena);
    ph_point_take(&b->from, l, &b->arena);
    ph_point_take(&b->to, l, &b->arena);
    ph_point_take(&b->other, l, &b->arena);
}

static inline void bench_open(bench *b, const char *problem, const char *name, double tol)
{
    *b = (bench){.p = problem_named(problem)};
    ph_options o = rkmk(name, 1e-3);
    b->sim = sim_of(&b->p->sys, &o, b->p->q0, b->p->v0);
    b->rk.tab = tableau(name), b->c.pace.tol = tol;
    lay(b);
    assert_true(ph_arena_open(&b->arena, NULL));
    lay(b);
    assert_int_equal(ph_rk_prepare(&b->rk, b->sim, NULL), PH_OK);
    ph_point_copy(&b->from, &b->sim->now, &b->sim->lay);
}

static inline void bench_close(bench *b)
{
    ph_rk_release(&b->rk);
    ph_free(NULL, b->arena.block);
    ph_sim_destroy(b->sim);
    ph_problem_destroy(b->p);
}

static inline double point_distance(const bench *b, const ph_point *x, const ph_point *y)
{
    const ph_layout *l = &b->sim->lay;
    double q = max_diff(x->q, y->q, l->nq), v = max_diff(x->v, y->v, l->nv);
    return q > v || isnan(q) ? q : v;
}

#endif
