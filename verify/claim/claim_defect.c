/* Do the states of a run solve the equations of the method? Defects, computed from the states alone:
 *
 *   theta = log(q_n^-1 o q_{n+1}),  thetadot = T(theta)^-1 v_{n+1}                                  (16)
 *   theta - h v_n - h d - h^2 (1/2 - beta) a_n - h^2 beta a_{n+1}                                   (12)
 *   d = sigma beta/gamma (thetadot - v_{n+1}) - T(theta)^-1 B(q_n)^T eta                            (13)
 *   v_{n+1} - v_n - h (1 - gamma) a_n - h gamma a_{n+1}                                             (14)
 *
 * Numbers of Holzinger, Arnold, Gerstmayr. In the inside form B(q_n)^T eta stands without T(theta)^-1. For
 * problems of one node. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"

#define N PH_DIM_MAX

/* The part of the last state that the defects need. */
typedef struct last {
    double q[N + 1], v[N], a[N], B[N * N];
} last;

static void keep(const ph_problem *p, const ph_state *s, int n, last *l)
{
    memcpy(l->q, s->q, sizeof(double) * (size_t)ph_system_nq(&p->sys));
    memcpy(l->v, s->v, sizeof(double) * (size_t)n);
    memcpy(l->a, s->a, sizeof(double) * (size_t)n);
    if (p->sys.B)
        p->sys.B(s, l->B, p->sys.ctx);
}

/* d += scale A x */
static void mul_add(int n, double scale, const double *A, const double *x, double *d)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            d[i] += scale * A[i * n + j] * x[j];
}

static double larger(double max, double x)
{
    return x <= max || isnan(max) ? max : x;
}

/* Largest entries of (12) and (14). */
static void defects(const ph_problem *p, const ph_claim_run *run, const ph_state *s, const last *l,
                    double *max)
{
    const ph_group_ops *op = ph_group_get(p->sys.nodes[0].group);
    ph_claim_alpha A = ph_claim_numbers(run);
    int n = op->dim, rows = ph_system_nl(&p->sys);
    int inside = run->ggl == PH_GGL_INSIDE || (run->ggl == PH_GGL_AUTO && A.sigma == 0);
    double h = run->h, e[N + 1], theta[N], Tinv[N * N], y[N] = {0}, d[N] = {0};
    op->inverse(n, l->q, e);
    op->compose(n, e, s->q, e);
    op->log(n, e, theta);
    op->Tinv(n, theta, Tinv);
    for (int r = 0; s->eta && r < rows; r++)
        for (int i = 0; i < n; i++)
            y[i] += l->B[r * n + i] * s->eta[r];
    mul_add(n, A.sigma * A.beta / A.gamma, Tinv, s->v, d);
    for (int i = 0; i < n; i++)
        d[i] -= A.sigma * A.beta / A.gamma * s->v[i] + (inside ? y[i] : 0);
    if (!inside)
        mul_add(n, -1, Tinv, y, d);
    for (int i = 0; i < n; i++) {
        double q = theta[i] - h * (l->v[i] + d[i] + h * ((0.5 - A.beta) * l->a[i] + A.beta * s->a[i]));
        double v = s->v[i] - l->v[i] - h * ((1 - A.gamma) * l->a[i] + A.gamma * s->a[i]);
        max[0] = larger(max[0], fabs(q)), max[1] = larger(max[1], fabs(v));
    }
}

/* Largest defects over a run; 0: it failed. */
static int run_defects(ph_study *study, const ph_claim_run *run, double *max)
{
    const ph_problem *p = ph_study_problem(study, run);
    ph_options o = ph_claim_options(run);
    last l = {0};
    ph_sim *sim;
    max[0] = max[1] = 0;
    if (!p || p->sys.n_nodes != 1 || ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, NULL) != PH_OK)
        return 0;
    int ok = 1, n = ph_system_nv(&p->sys);
    for (long k = lrint(run->to / run->h); k > 0 && ok; k--) {
        ph_state s = ph_sim_state(sim);
        keep(p, &s, n, &l);
        ok = ph_sim_step(sim, NULL) == PH_OK;
        s = ph_sim_state(sim);
        defects(p, run, &s, &l, max);
    }
    ph_sim_destroy(sim);
    return ok;
}

static int by_sigma(ph_study *study, const ph_claim_run *run, int which, double *value)
{
    const double sigma[3] = {0, 1, PH_SIGMA_OPT};
    for (int i = 0; i < 3; i++) {
        ph_claim_run r = *run;
        double max[2];
        r.sigma = sigma[i];
        if (!run_defects(study, &r, max))
            return 0;
        value[i] = max[which];
    }
    return 1;
}

int ph_measure_defect_q(ph_study *study, const ph_claim_run *run, double *value)
{
    return by_sigma(study, run, 0, value);
}

int ph_measure_defect_v(ph_study *study, const ph_claim_run *run, double *value)
{
    return by_sigma(study, run, 1, value);
}
