/* A knife edge (skate) on an inclined plane that falls along x; q = (x, y, a), heading a.
 *
 *   m xddot = m gamma - lambda sin a,  m yddot = lambda cos a,  J addot = 0
 *   A v = xdot sin a - ydot cos a = 0, non-holonomic
 *
 * Started at the origin with xdot = ydot = a = 0 and adot = w it runs across the plane on a cycloid:
 *
 *   x = gamma/(2 w^2) sin^2 wt,  y = gamma/(2 w^2) (wt - sin(2wt)/2),  lambda = 2 m gamma sin wt
 *
 * (A. M. Bloch, Nonholonomic Mechanics and Control, chapter 1.) */
#include "problem/build.h"

#include <math.h>
#include <stdlib.h>

typedef struct skate {
    double m, J, gamma, w;
    double q0[3], v0[3];
} skate;

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const skate *c = ctx;
    (void)s;
    out[0] = out[4] = c->m, out[8] = c->J;
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const skate *c = ctx;
    (void)s;
    out[0] = -c->m * c->gamma;
    return PH_OK;
}

static ph_status A(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = sin(s->q[2]), out[1] = -cos(s->q[2]);
    return PH_OK;
}

/* d(A^T lambda)/da */
static ph_status K(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[2] = s->lambda[0] * cos(s->q[2]), out[5] = s->lambda[0] * sin(s->q[2]);
    return PH_OK;
}

/* d(A v)/da: the speed along the edge */
static double along(const ph_state *s)
{
    return s->v[0] * cos(s->q[2]) + s->v[1] * sin(s->q[2]);
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[2] = along(s);
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = along(s) * s->v[2];
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const skate *c = ctx;
    const double *v = s->v;
    return (c->m * (v[0] * v[0] + v[1] * v[1]) + c->J * v[2] * v[2]) / 2 - c->m * c->gamma * s->q[0];
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    const skate *c = p->data;
    double w = c->w, r = c->gamma / (2 * w * w), S = sin(w * t), S2 = sin(2 * w * t), C2 = cos(2 * w * t);
    q[0] = r * S * S, q[1] = r * (w * t - S2 / 2), q[2] = w * t;
    v[0] = r * w * S2, v[1] = 2 * r * w * S * S, v[2] = w;
    vdot[0] = 2 * r * w * w * C2, vdot[1] = 2 * r * w * w * S2, vdot[2] = 0;
    if (lambda)
        lambda[0] = 2 * c->m * c->gamma * S;
    return 1;
}

int ph_build_skate(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_RN, 3, "skate"}};
    static const ph_constraint constraints[] = {{1, 1, "edge"}};
    if (def->x == 0 || !isfinite(def->x))
        return 0;
    skate *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    *c = (skate){.m = 2, .J = 0.5, .gamma = 9.81 / 2, .w = def->x, .v0 = {0, 0, def->x}}; /* 30 degrees */
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->t_end = 2;
    p->h = 0.01;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.flags = PH_MASS_CONSTANT;
    p->sys.M = M, p->sys.g = g, p->sys.Phi = ph_callback_zero, p->sys.B = A;
    p->sys.C = ph_callback_zero, p->sys.K = K, p->sys.Z = Z, p->sys.convective = convective;
    p->energy = energy;
    p->exact = exact;
    return 1;
}
