/* What test_bliedf.c, test_bliedf_start.c share. */
#ifndef PH_TEST_BLIEDF_CASES_H
#define PH_TEST_BLIEDF_CASES_H

#include "sim_cases.h"
#include <float.h>
#include "polhode/model.h"
#include "problem/heavy_top.h"
#include "step/sim.h"

#define FORMS 3

static const ph_formulation forms[FORMS] = {PH_INDEX3, PH_INDEX2, PH_GGL};

static inline ph_options options(int k, ph_correction c, ph_formulation f, double h)
{
    ph_options o = ph_default_options();
    o.method = "bliedf", o.order = k, o.correction = c, o.formulation = f, o.h = h;
    o.atol = o.rtol = 1e-12; /* the order must not end at Newton's tolerance */
    return o;
}

/* One state: largest over the nodes of |log(q_exact^-1 o q)|, |v - v_exact|, |lambda - lambda_exact|. */
typedef struct errors {
    double q, v, lambda;
} errors;

static inline double gap(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

static inline double turn_gap(const ph_system *sys, const double *a, const double *b)
{
    double m = 0, e[8], x[6] = {0};
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = node_dim(sys, i), size = ph_group_size(sys->nodes[i].group, sys->nodes[i].n);
        double d;
        if (op->rot < 0) {
            d = gap(a, b, n);
        } else {
            op->inverse(n, b, e);
            op->compose(n, e, a, e);
            op->log(n, e, x);
            d = norm2(x, n);
        }
        m = d > m || isnan(d) ? d : m;
        a += size, b += size;
    }
    return m;
}

static inline double worse(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* The largest errors of all steps that end after t_from. */
static inline errors run_errors(const ph_problem *p, const double *v0, const ph_options *o, double t_end,
                                double t_from, ph_stats *stats)
{
    ph_sim *sim = sim_of(&p->sys, o, p->q0, v0);
    double q[14], v[12], vdot[12], lambda[6] = {0};
    int nv = ph_system_nv(&p->sys), nl = ph_system_nl(&p->sys);
    errors e = {0, 0, 0};
    for (long n = lround(t_end / o->h); n > 0; n--) {
        run_sim(sim, 1);
        ph_state s = ph_sim_state(sim);
        if (s.t < t_from && n > 1)
            continue;
        assert_true(p->exact(p, s.t, q, v, vdot, lambda));
        e.q = worse(e.q, turn_gap(&p->sys, s.q, q));
        e.v = worse(e.v, gap(s.v, v, nv));
        e.lambda = worse(e.lambda, gap(s.lambda, lambda, nl));
    }
    if (stats)
        *stats = ph_sim_stats(sim);
    ph_sim_destroy(sim);
    return e;
}

/* The error falls by 2^order; below the floor of round-off it may do anything. */
static inline void check_order(double coarse, double fine, double order, double tol, double floor)
{
    if (!(fine <= floor))
        check_near(log2(coarse / fine), order, tol);
}

/* The first guess is good: with the usual tolerances, two iterations. */
static inline void iterations(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = 0; f < FORMS; f++)
        for (int k = 1; k <= 6; k++) {
            ph_options o = options(k, PH_IN_EXP, forms[f], 1e-3);
            ph_stats n;
            o.atol = 1e-10, o.rtol = 1e-8, o.newton = PH_FULL;
            run_errors(p, p->v0, &o, 0.3, 0.3, &n);
            check_le((double)n.iterations / (double)n.steps, 2.05); /* ordering */
        }
    ph_problem_destroy(p);
}

#endif
