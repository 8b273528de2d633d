/* Free rigid bodies on SO(3): J Omegadot + Omega x J Omega = 0.
 * Reference: Euler's equations and pdot = p o Omega / 2. */
#include "problem/build.h"
#include "problem/ode.h"
#include "problem/rotate.h"

#include <stdlib.h>

typedef struct body {
    ph_vec3 J;
    double q0[4], v0[3];
    ph_ode ode; /* y = (p, Omega) */
} body;

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const body *c = ctx;
    (void)s;
    ph_store33(out, ph_diag3(c->J.x, c->J.y, c->J.z));
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const body *c = ctx;
    ph_store3(out, ph_gyro(c->J, ph_load3(s->v)));
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const body *c = ctx;
    ph_store33(out, ph_gyro_tangent(c->J, ph_load3(s->v)));
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const body *c = ctx;
    const double *w = s->v;
    return (c->J.x * w[0] * w[0] + c->J.y * w[1] * w[1] + c->J.z * w[2] * w[2]) / 2;
}

static void euler(long double t, const long double *y, long double *dy, const void *ctx)
{
    const body *c = ctx;
    const long double *w = y + 4, Jx = c->J.x, Jy = c->J.y, Jz = c->J.z;
    (void)t;
    ph_quat_ratel(y, w, dy);
    dy[4] = (Jy - Jz) * w[1] * w[2] / Jx;
    dy[5] = (Jz - Jx) * w[2] * w[0] / Jy;
    dy[6] = (Jx - Jy) * w[0] * w[1] / Jz;
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    body *c = p->data;
    long double dy[PH_ODE_MAX];
    (void)lambda;
    if (!ph_ode_move(&c->ode, t))
        return 0;
    euler(t, c->ode.y, dy, c);
    ph_quat_store(c->ode.y, q);
    for (int i = 0; i < 3; i++) {
        v[i] = (double)c->ode.y[4 + i];
        vdot[i] = (double)dy[4 + i];
    }
    return 1;
}

static int build(ph_problem *p, ph_vec3 J, ph_vec3 w)
{
    static const ph_node nodes[] = {{PH_SO3, 0, "body"}};
    body *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    *c = (body){.J = J, .q0 = {1, 0, 0, 0}, .v0 = {w.x, w.y, w.z}};
    c->ode = (ph_ode){
        .n = 7, .f = euler, .ctx = c, .y0 = {1, 0, 0, 0, w.x, w.y, w.z}, .size = {1, 1, 1, 1, 1, 1, 1}};
    ph_ode_start(&c->ode, 0.1L);
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    p->sys.M = M, p->sys.g = g, p->sys.C = C, p->sys.K = ph_callback_zero;
    p->energy = energy;
    p->exact = exact;
    return 1;
}

int ph_build_free_body(ph_problem *p, const ph_problem_def *def)
{
    (void)def;
    p->t_end = 2;
    p->h = 0.01;
    return build(p, ph_v3(2, 1, 1.5), ph_v3(0.5, 3, -1));
}

/* Spin about the middle axis is unstable: the body turns over periodically, with period 29.93 s. */
int ph_build_dzhanibekov(ph_problem *p, const ph_problem_def *def)
{
    (void)def;
    p->t_end = 30;
    p->h = 0.01;
    return build(p, ph_v3(1, 2, 3), ph_v3(0.001, 2, 0.001));
}
