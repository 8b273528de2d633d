/* What tests of Runge-Kutta methods share: options, errors at the end, orders over two halvings. */
#ifndef PH_TEST_RK_CASES_H
#define PH_TEST_RK_CASES_H

#include "model_cases.h"
#include "sim_cases.h"
#include "method/tableau.h"

static inline ph_tableau tableau(const char *name)
{
    ph_tableau t;
    ph_error err;
    assert_int_equal(ph_tableau_get(name, &t, &err), PH_OK);
    return t;
}

/* ---- runs --------------------------------------------------------------------------------------- */

static inline ph_options rkmk(const char *name, double h)
{
    ph_options o = ph_default_options();
    o.method = "rkmk", o.tableau = name, o.h = h;
    return o;
}

typedef struct error_of {
    double q, v, lambda; /* at the end, against the exact state */
    ph_stats stats;
} error_of;

static inline double distance_of(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static inline error_of errors(const ph_problem *p, const ph_options *o, long steps)
{
    double q[64], v[64], vdot[64], lambda[64];
    ph_sim *sim = sim_of(&p->sys, o, p->q0, p->v0);
    run_sim(sim, steps);
    ph_state s = ph_sim_state(sim);
    assert_true(p->exact(p, s.t, q, v, vdot, lambda));
    error_of e = {distance_of(s.q, q, ph_system_nq(&p->sys)), distance_of(s.v, v, ph_system_nv(&p->sys)),
                  distance_of(s.lambda, lambda, ph_system_nl(&p->sys)), ph_sim_stats(sim)};
    ph_sim_destroy(sim);
    return e;
}

/* order: p +- band over two halvings of t_end/steps */
static inline void check_order_within(const ph_problem *p, const char *name, double t_end, long steps,
                                      double order, double band)
{
    error_of e[3];
    for (int k = 0; k < 3; k++) {
        ph_options o = rkmk(name, t_end / (double)(steps << k));
        e[k] = errors(p, &o, steps << k);
    }
    for (int k = 0; k < 2; k++) {
        double by[] = {e[k].q / e[k + 1].q, e[k].v / e[k + 1].v, e[k].lambda / e[k + 1].lambda};
        for (int i = 0; i < (p->sys.n_constraints ? 3 : 2); i++) {
            double reached = log2(by[i]);
            if (!(fabs(reached - order) <= band))
                print_message("%s, %s, part %d, %ld steps\n", p->name, name, i, steps << k);
            check_near(reached, order, band);
        }
    }
}

static inline void check_order(const ph_problem *p, const char *name, double t_end, long steps, double order)
{
    check_order_within(p, name, t_end, steps, order, 0.15);
}

/* ---- models ------------------------------------------------------------------------------------- */

static inline snapshot end_of(const opened *m, const ph_options *o, double t_end)
{
    ph_sim *sim = sim_of(&m->sys, o, m->q0, m->v0);
    run_sim(sim, lround(t_end / o->h));
    snapshot x = snap(sim, &m->sys);
    ph_sim_destroy(sim);
    return x;
}

/* order: q, v and lambda against a solution of order 12, over two halvings of h */
static inline void check_model_order(const opened *m, const char *name, double t_end, double h, double order)
{
    ph_options best = rkmk("gauss6", h / 2);
    snapshot exact = end_of(m, &best, t_end), x[3];
    for (int k = 0; k < 3; k++) {
        ph_options o = rkmk(name, h / (1 << k));
        x[k] = end_of(m, &o, t_end);
    }
    for (int k = 0; k < 2; k++) {
        double by[] = {distance_of(snap_q(&x[k]), snap_q(&exact), exact.nq) /
                           distance_of(snap_q(&x[k + 1]), snap_q(&exact), exact.nq),
                       distance_of(snap_v(&x[k]), snap_v(&exact), exact.nv) /
                           distance_of(snap_v(&x[k + 1]), snap_v(&exact), exact.nv),
                       distance_of(snap_lambda(&x[k]), snap_lambda(&exact), exact.nl) /
                           distance_of(snap_lambda(&x[k + 1]), snap_lambda(&exact), exact.nl)};
        for (int i = 0; i < 3; i++) {
            if (!(fabs(log2(by[i]) - order) <= 0.15))
                print_message("%s, %s, part %d, h = %g\n", m->sys.name, name, i, h / (1 << k));
            check_near(log2(by[i]), order, 0.15);
        }
    }
    for (int k = 0; k < 3; k++)
        free(x[k].x);
    free(exact.x);
}

/* One step of a ball that turns about n alone: angle and speed are those of the classical method, y. */
static inline void check_about_axis(ph_sim *sim, const double n[3], const double y[2], int step)
{
    double x[3];
    run_sim(sim, 1);
    ph_state now = ph_sim_state(sim);
    ph_group_get(PH_SO3)->log(0, now.q, x);
    for (int i = 0; i < 3; i++) { /* round-off: 1e-13 in each step */
        check_near(x[i], n[i] * y[0], 1e-13 * (step + 1));
        check_near(now.v[i], n[i] * y[1], 1e-13 * (step + 1));
    }
}

#endif
