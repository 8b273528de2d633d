/* The heavy top on SO(3) about its tip, without constraints.
 *
 *   Jp Omegadot + Omega x Jp Omega - m X x R^T gamma = 0,  Jp = J + m (X^T X I - X X^T)
 *   d(X x R^T gamma) = tilde(X) tilde(R^T gamma) dq */
#include "problem/heavy_top.h"

#include <string.h>

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    (void)s;
    ph_store33(out, ph_diag3(c->Jp.x, c->Jp.y, c->Jp.z));
    return PH_OK;
}

/* -m R^T gamma */
static ph_vec3 lift(const ph_top *c, const ph_mat3 *R)
{
    return ph_scale(c->m * c->gravity, ph_v3(R->zx, R->zy, R->zz));
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_store3(out, ph_add(ph_gyro(c->Jp, ph_load3(s->v)), ph_top_torque(lift(c, s->R))));
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_store33(out, ph_gyro_tangent(c->Jp, ph_load3(s->v)));
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    ph_store33(out, ph_top_stiffness(lift(ctx, s->R)));
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const ph_top *c = ctx;
    ph_vec3 w = ph_load3(s->v);
    return (c->Jp.x * w.x * w.x + c->Jp.y * w.y * w.y + c->Jp.z * w.z * w.z) / 2 +
           c->m * c->gravity * s->R[0].zy;
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    ph_top_motion r;
    (void)lambda;
    if (!ph_top_exact(p, t, &r))
        return 0;
    memcpy(q, r.p, sizeof r.p);
    ph_store3(v, r.Omega);
    ph_store3(vdot, r.Omegadot);
    return 1;
}

int ph_build_heavy_top_so3(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_SO3, 0, "top"}};
    ph_top *c = ph_top_create(p, def);
    if (!c)
        return 0;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.M = M, p->sys.g = g, p->sys.C = C, p->sys.K = K;
    p->energy = energy;
    p->exact = exact;
    memcpy(c->q0, ph_top_q0 + 3, 4 * sizeof(double));
    memcpy(c->v0, ph_top_v0 + 3, 3 * sizeof(double));
    return 1;
}
