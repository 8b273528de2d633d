/* A ball with a torsional spring and a damper on SO(3): m omegadot + d omega + k log R = 0.
 *
 *   d(log R) = T(log R)^-1 dq for the left increment dq
 *
 * Reference: pdot = p o omega / 2 and log R = 2 atan2(|e|, p_0) e/|e|, e = (p_1, p_2, p_3). */
#include "problem/build.h"
#include "problem/ode.h"
#include "problem/rotate.h"

#include <stdlib.h>

typedef struct ball {
    double m, d, k;
    const ph_group_ops *so3;
    double q0[4], v0[3];
    ph_ode ode; /* y = (p, omega) */
} ball;

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const ball *c = ctx;
    (void)s;
    out[0] = out[4] = out[8] = c->m;
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const ball *c = ctx;
    double psi[3];
    c->so3->log(0, s->q, psi);
    for (int i = 0; i < 3; i++)
        out[i] = c->d * s->v[i] + c->k * psi[i];
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ball *c = ctx;
    (void)s;
    out[0] = out[4] = out[8] = c->d;
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const ball *c = ctx;
    double psi[3];
    c->so3->log(0, s->q, psi);
    c->so3->Tinv(0, psi, out);
    for (int i = 0; i < 9; i++)
        out[i] *= c->k;
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const ball *c = ctx;
    double psi[3];
    c->so3->log(0, s->q, psi);
    ph_vec3 a = ph_load3(psi), w = ph_load3(s->v);
    return (c->m * ph_dot(w, w) + c->k * ph_dot(a, a)) / 2;
}

static double power(const ph_state *s, const void *ctx)
{
    const ball *c = ctx;
    ph_vec3 w = ph_load3(s->v);
    return -c->d * ph_dot(w, w);
}

static void turn(long double t, const long double *y, long double *dy, const void *ctx)
{
    const ball *c = ctx;
    const long double *e = y + 1, *w = y + 4;
    long double n = sqrtl(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    long double a = n > 0 ? 2 * atan2l(n, y[0]) / n : 2;
    (void)t;
    ph_quat_ratel(y, w, dy);
    for (int i = 0; i < 3; i++)
        dy[4 + i] = -(c->d * w[i] + c->k * a * e[i]) / c->m;
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    ball *c = p->data;
    long double dy[PH_ODE_MAX];
    (void)lambda;
    if (!ph_ode_move(&c->ode, t))
        return 0;
    turn(t, c->ode.y, dy, c);
    ph_quat_store(c->ode.y, q);
    for (int i = 0; i < 3; i++) {
        v[i] = (double)c->ode.y[4 + i];
        vdot[i] = (double)dy[4 + i];
    }
    return 1;
}

int ph_build_spring_ball(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_SO3, 0, "ball"}};
    if (!(def->x >= 0) || !isfinite(def->x))
        return 0;
    ball *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    /* psi_0 = (0.4, 0, 0) */
    *c = (ball){.m = 1, .d = def->x, .k = 10, .q0 = {cos(0.2), sin(0.2), 0, 0}, .v0 = {0, 1, 0.5}};
    c->so3 = ph_group_get(PH_SO3);
    c->ode = (ph_ode){.n = 7,
                      .f = turn,
                      .ctx = c,
                      .y0 = {cosl(0.2L), sinl(0.2L), 0, 0, 0, 1, 0.5L},
                      .size = {1, 1, 1, 1, 1, 1, 1}};
    ph_ode_start(&c->ode, 0.1L);
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->t_end = 2;
    p->h = 0.01;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    p->sys.M = M, p->sys.g = g, p->sys.C = C, p->sys.K = K;
    p->energy = energy;
    p->power = power;
    p->exact = exact;
    return 1;
}
