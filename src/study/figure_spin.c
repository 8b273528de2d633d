/* Stability about steady spin: the spectral radius of one step.
 *
 * The heavy top hangs below its pivot and spins about its axis, e_y of the body, with Omega = 150 rad/s.
 * (Upright it is unstable in reality: (J_y Omega)^2 < 4 m g l J.) A step turns this state by Q = R_1 R_0^T
 * about the vertical and changes nothing else, so "step, then turn back by Q^T" has it as a fixed point. Its
 * derivative M by central differences, in the coordinates
 *
 *   (dq, h dv, h^2 da, h^2 dvdot),  q = q_0 o exp(dq)
 *
 * Increments that violate the constraint do no harm: a step leads back to it, they add eigenvalues 0.
 *
 *   spectral radius = lim |M^(2^k)|^(2^-k), by repeated squaring
 *
 * The eigenvalue 1 of turning and spinning faster has a Jordan block; k = 24 makes its growth negligible. */
#include <math.h>
#include <string.h>

#include "study/figure_run.h"

enum { NV = 6, NQ = 7, NL = 3, DIM = 4 * NV, SQUARINGS = 24 };

typedef struct point {
    double q[NQ], v[NV], a[NV], vdot[NV], lambda[NL];
} point;

static point get(const ph_sim *sim)
{
    ph_state s = ph_sim_state(sim);
    point p;
    memcpy(p.q, s.q, sizeof p.q);
    memcpy(p.v, s.v, sizeof p.v);
    memcpy(p.a, s.a, sizeof p.a);
    memcpy(p.vdot, s.vdot, sizeof p.vdot);
    memcpy(p.lambda, s.lambda, sizeof p.lambda);
    return p;
}

static int step(ph_sim *sim, const point *from, point *to)
{
    ph_state s = {.q = from->q, .v = from->v, .a = from->a, .vdot = from->vdot, .lambda = from->lambda};
    if (ph_sim_load(sim, &s, NULL) != PH_OK || ph_sim_step(sim, NULL) != PH_OK)
        return 0;
    *to = get(sim);
    return 1;
}

/* Turn a state of the top: x, its rates and R by Q; what is measured in the body stays. */
static void turn(ph_quat Q, point *p)
{
    ph_mat3 R = ph_qmat(Q);
    double *vector[4] = {p->q, p->v, p->a, p->vdot};
    for (int i = 0; i < 4; i++)
        ph_store3(vector[i], ph_mul(R, ph_load3(vector[i])));
    ph_store3(p->lambda, ph_mul(R, ph_load3(p->lambda)));
    ph_quat r = ph_qmul(Q, (ph_quat){p->q[3], p->q[4], p->q[5], p->q[6]});
    p->q[3] = r.w, p->q[4] = r.x, p->q[5] = r.y, p->q[6] = r.z;
}

/* p moved by e along coordinate j */
static point moved(const point *p, int j, double e, double h)
{
    const ph_group_ops *op = ph_group_get(PH_R3XSO3);
    point r = *p;
    double x[NV] = {0}, d[NQ];
    int k = j % NV;
    switch (j / NV) {
    case 0:
        x[k] = e;
        op->exp(NV, x, d);
        op->compose(NV, p->q, d, r.q);
        break;
    case 1:
        r.v[k] += e / h;
        break;
    case 2:
        r.a[k] += e / (h * h);
        break;
    default:
        r.vdot[k] += e / (h * h);
    }
    return r;
}

/* column = coordinates of b relative to a, over e */
static void difference(const point *a, const point *b, double e, double h, double *column)
{
    const ph_group_ops *op = ph_group_get(PH_R3XSO3);
    double d[NQ], x[NV];
    op->inverse(NV, a->q, d);
    op->compose(NV, d, b->q, d);
    op->log(NV, d, x);
    for (int i = 0; i < NV; i++) {
        column[i] = x[i] / e;
        column[NV + i] = h * (b->v[i] - a->v[i]) / e;
        column[2 * NV + i] = h * h * (b->a[i] - a->a[i]) / e;
        column[3 * NV + i] = h * h * (b->vdot[i] - a->vdot[i]) / e;
    }
}

static int linearise(ph_sim *sim, const point *base, double h, double M[DIM][DIM])
{
    const double e = 1e-5;
    point one;
    if (!step(sim, base, &one))
        return 0;
    ph_quat r0 = {base->q[3], base->q[4], base->q[5], base->q[6]};
    ph_quat back = ph_qmul(r0, (ph_quat){one.q[3], -one.q[4], -one.q[5], -one.q[6]}); /* R_0 R_1^T */
    for (int j = 0; j < DIM; j++) {
        point from[2] = {moved(base, j, -e, h), moved(base, j, e, h)}, to[2];
        double column[DIM];
        for (int k = 0; k < 2; k++) {
            if (!step(sim, &from[k], &to[k]))
                return 0;
            turn(back, &to[k]);
        }
        difference(&to[0], &to[1], 2 * e, h, column);
        for (int i = 0; i < DIM; i++)
            M[i][j] = column[i];
    }
    return 1;
}

static double spectral_radius(double M[DIM][DIM])
{
    double log_radius = 0, A[DIM][DIM];
    for (int k = 0; k <= SQUARINGS; k++) {
        double norm = 0;
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                norm += M[i][j] * M[i][j];
        norm = sqrt(norm);
        log_radius += log(norm) * ldexp(1, -k); /* M^(2^k) = norm_0^(2^k) norm_1^(2^(k-1)) ... */
        for (int i = 0; i < DIM; i++)
            for (int j = 0; j < DIM; j++)
                A[i][j] = M[i][j] / norm;
        memset(M, 0, sizeof A);
        for (int i = 0; i < DIM; i++)
            for (int m = 0; m < DIM; m++)
                for (int j = 0; j < DIM; j++)
                    M[i][j] += A[i][m] * A[m][j];
    }
    return exp(log_radius);
}

int ph_measure_radius(ph_study *study, const ph_figure_run *run, double *value)
{
    const double q[NQ] = {0, 0, -1, sqrt(0.5), -sqrt(0.5), 0, 0}, v[NV] = {0, 0, 0, 0, 150, 0};
    const ph_problem *p = ph_study_problem(study, run);
    double M[DIM][DIM];
    ph_options o = ph_figure_options(run);
    ph_sim *sim;
    o.rtol = 1e-13;
    if (!p || ph_sim_create(&sim, &p->sys, &o, 0, q, v, NULL) != PH_OK)
        return 0;
    point base = get(sim);
    int ok = linearise(sim, &base, run->h, M);
    ph_sim_destroy(sim);
    if (ok)
        value[0] = spectral_radius(M);
    return ok;
}
