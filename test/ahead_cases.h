/* What tests of steps by tolerance share: errors over a run, and a model with a motion of reference. */
#ifndef PH_TEST_AHEAD_CASES_H
#define PH_TEST_AHEAD_CASES_H

#include "la/small.h"
#include "model_cases.h"
#include "sim_cases.h"
#include "step/sim.h"

static inline void run_to(ph_sim *sim, double t_end)
{
    ph_error err = {0};
    if (ph_sim_run_until(sim, t_end, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

typedef struct deviation {
    double q, v, lambda; /* largest of a run; of lambda the root mean square */
} deviation;

/* |log(q^-1 o q_n)|, largest over the nodes */
static inline double group_distance(const ph_system *sys, const double *q, const ph_state *s)
{
    double most = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n;
        double e[8], x[8];
        op->inverse(n, q + s->q_at[i], e);
        op->compose(n, e, s->q + s->q_at[i], e);
        op->log(n, e, x);
        most = ph_small_larger(ph_group_dim(sys->nodes[i].group, n), most, x);
    }
    return most;
}

static inline double distance_squared(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The state of reference at time t. */
typedef void (*reference_fn)(void *ctx, double t, double *q, double *v, double *lambda);

static inline deviation deviate(const ph_system *sys, ph_sim *sim, double t_end, reference_fn f, void *ctx)
{
    deviation d = {0};
    double q[64], v[64], lambda[64], sum = 0;
    long steps = 0;
    int nv = ph_system_nv(sys), nl = ph_system_nl(sys);
    sim->t_stop = t_end;
    for (; sim->now.t < t_end; steps++) {
        ph_error err = {0};
        if (ph_sim_step(sim, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        f(ctx, s.t, q, v, lambda);
        d.q = ph_larger(d.q, group_distance(sys, q, &s));
        d.v = ph_larger(d.v, max_diff(s.v, v, nv));
        sum += distance_squared(s.lambda, lambda, nl);
    }
    d.lambda = sqrt(sum / (double)steps);
    return d;
}

static inline void exact_state(void *ctx, double t, double *q, double *v, double *lambda)
{
    const ph_problem *p = ctx;
    double vdot[64];
    assert_true(p->exact(p, t, q, v, vdot, lambda));
}

/* Two bodies of three different moments of inertia on spherical joints. */
static const char two_bodies[] =
    "model 'two bodies'\n gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 2, inertia = {0.3, 0.2, 0.12}, position = {0.4, 0.3, 0.1}, omega = {1, -2, 3} "
    "}\n"
    "body { name = 'b', mass = 1, inertia = {0.05, 0.11, 0.08}, position = {0.9, 0.7, 0}, omega = {-3, 1, 2} "
    "}\n"
    "joint { name = 'p', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\n"
    "joint { name = 'q', type = 'spherical', bodies = {'a', 'b'}, at = {0.7, 0.5, 0.1} }\n"
    "run { t_end = 2, h = 0.01 }\n";

/* A motion of reference, which goes on to later times only. */
static inline void best_state(void *ctx, double t, double *q, double *v, double *lambda)
{
    ph_sim *best = ctx;
    run_to(best, t);
    ph_state s = ph_sim_state(best);
    memcpy(q, s.q, sizeof(double) * (size_t)best->lay.nq);
    memcpy(v, s.v, sizeof(double) * (size_t)best->lay.nv);
    memcpy(lambda, s.lambda, sizeof(double) * (size_t)best->lay.nl);
}

static inline ph_sim *best_of(const opened *m)
{
    ph_options o = ph_default_options();
    o.method = "rkmk", o.tableau = "dopri8", o.tol = 1e-12;
    return sim_of(&m->sys, &o, m->q0, m->v0);
}

#endif
