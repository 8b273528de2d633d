/* The planar pendulum in R^2, unit mass and length, without and with friction in its bearing.
 *
 *   xddot = -lambda x - f_x,  yddot = -9.81 - lambda y - f_y,  Phi = (x^2 + y^2 - 1)/2 = 0
 *   f = mu N(lambda) v/w,  N = sqrt(lambda^2 + d^2),  w = sqrt(|v|^2 + e^2)
 *
 * f is Coulomb friction, smooth where |lambda| or |v| is small. It depends on lambda, the force in the rod:
 *
 *   df/dv = mu N (I - v v^T/w^2)/w,  df/dlambda = mu (lambda/N) v/w
 *
 * The energy at the start is 1/2 - 9.81, so x_0 (on the lower branch) fixes the initial velocity; xdot_0 > 0.
 * (Arnold, Bruls, Cardona, Numer. Math. 129 (2015), Example 1; Remark 1 for forces that depend on lambda.)
 *
 * Reference, with f tangential:
 *
 *   x = sin a,  y = -cos a,  addot = -9.81 sin a - mu N adot/w,  lambda = adot^2 - 9.81 y */
#include "problem/build.h"
#include "problem/ode.h"

#include <math.h>
#include <stdlib.h>

#define GRAVITY 9.81

typedef struct pendulum {
    double mu, d, e;
    double q0[2], v0[2];
    ph_ode ode; /* y = (a, adot) */
} pendulum;

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = out[3] = 1;
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[1] = GRAVITY;
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = out[3] = s->lambda[0];
    return PH_OK;
}

static ph_status Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1) / 2;
    return PH_OK;
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->q[0], out[1] = s->q[1];
    return PH_OK;
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->v[0], out[1] = s->v[1];
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->v[0] * s->v[0] + s->v[1] * s->v[1];
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    (void)ctx;
    return (s->v[0] * s->v[0] + s->v[1] * s->v[1]) / 2 + GRAVITY * s->q[1];
}

/* ---- friction --------------------------------------------------------------------------------- */

static double normal(const pendulum *c, const ph_state *s)
{
    return sqrt(s->lambda[0] * s->lambda[0] + c->d * c->d);
}

static double speed(const pendulum *c, const ph_state *s)
{
    return sqrt(s->v[0] * s->v[0] + s->v[1] * s->v[1] + c->e * c->e);
}

static ph_status g_friction(const ph_state *s, double *out, void *ctx)
{
    const pendulum *c = ctx;
    double f = c->mu * normal(c, s) / speed(c, s);
    out[0] = f * s->v[0];
    out[1] = f * s->v[1] + GRAVITY;
    return PH_OK;
}

static ph_status C_friction(const ph_state *s, double *out, void *ctx)
{
    const pendulum *c = ctx;
    double w = speed(c, s), f = c->mu * normal(c, s) / w, x = s->v[0] / w, y = s->v[1] / w;
    out[0] = f * (1 - x * x), out[1] = out[2] = -f * x * y, out[3] = f * (1 - y * y);
    return PH_OK;
}

static ph_status g_lambda(const ph_state *s, double *out, void *ctx)
{
    const pendulum *c = ctx;
    double f = c->mu * s->lambda[0] / (normal(c, s) * speed(c, s));
    out[0] = f * s->v[0], out[1] = f * s->v[1];
    return PH_OK;
}

/* -f^T v */
static double power(const ph_state *s, const void *ctx)
{
    const pendulum *c = ctx;
    return -c->mu * normal(c, s) / speed(c, s) * (s->v[0] * s->v[0] + s->v[1] * s->v[1]);
}

/* ---- reference -------------------------------------------------------------------------------- */

static void swing(long double t, const long double *y, long double *dy, const void *ctx)
{
    const pendulum *c = ctx;
    long double w = y[1], lambda = w * w + GRAVITY * cosl(y[0]), d = c->d, e = c->e;
    (void)t;
    dy[0] = w;
    dy[1] = -GRAVITY * sinl(y[0]) - c->mu * sqrtl(lambda * lambda + d * d) * w / sqrtl(w * w + e * e);
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    pendulum *c = p->data;
    if (!ph_ode_move(&c->ode, t))
        return 0;
    long double dy[2], S = sinl(c->ode.y[0]), C = cosl(c->ode.y[0]), w = c->ode.y[1];
    swing(t, c->ode.y, dy, c);
    q[0] = (double)S, q[1] = (double)-C;
    v[0] = (double)(w * C), v[1] = (double)(w * S);
    vdot[0] = (double)(dy[1] * C - w * w * S), vdot[1] = (double)(dy[1] * S + w * w * C);
    if (lambda)
        lambda[0] = (double)(w * w + GRAVITY * C);
    return 1;
}

/* ---- building --------------------------------------------------------------------------------- */

static int build(ph_problem *p, double x, double mu)
{
    static const ph_node nodes[] = {{PH_RN, 2, "bob"}};
    static const ph_constraint constraints[] = {{1, 0, "rod"}};
    double y = -sqrt(1 - x * x), v2 = 1 - 2 * GRAVITY * (1 + y), v = sqrt(v2);
    if (!(v2 >= 0)) /* higher than the energy allows */
        return 0;
    pendulum *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    *c = (pendulum){.mu = mu, .d = 0.1, .e = 0.1, .q0 = {x, y}, .v0 = {-v * y, v * x}};
    c->ode = (ph_ode){.n = 2, .f = swing, .ctx = c, .y0 = {asinl((long double)x), v}, .size = {1, 1}};
    ph_ode_start(&c->ode, 0.1L);
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->t_end = 2;
    p->h = 0.01;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    p->sys.M = M, p->sys.g = g, p->sys.Phi = Phi, p->sys.B = B;
    p->sys.C = ph_callback_zero, p->sys.K = K, p->sys.Z = Z, p->sys.convective = convective;
    p->energy = energy;
    p->exact = exact;
    return 1;
}

int ph_build_pendulum(ph_problem *p, const ph_problem_def *def)
{
    return build(p, def->x, 0);
}

int ph_build_friction(ph_problem *p, const ph_problem_def *def)
{
    if (!(def->x >= 0) || !isfinite(def->x) || !build(p, 0.2, def->x))
        return 0;
    p->sys.flags = PH_MASS_CONSTANT | PH_FORCE_LAMBDA;
    p->sys.g = g_friction, p->sys.C = C_friction, p->sys.g_lambda = g_lambda;
    p->power = power;
    return 1;
}
