/* The heavy top on R^3 x SO(3) as one node: the equations of heavy_top.c in blocks of six. */
#include "problem/heavy_top.h"

#include <string.h>

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    (void)s;
    ph_put33(out, 6, 0, 0, ph_diag3(c->m, c->m, c->m));
    ph_put33(out, 6, 1, 1, ph_diag3(c->J.x, c->J.y, c->J.z));
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    out[2] = c->m * c->gravity;
    ph_store3(out + 3, ph_gyro(c->J, ph_load3(s->v + 3)));
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_put33(out, 6, 1, 1, ph_gyro_tangent(c->J, ph_load3(s->v + 3)));
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_put33(out, 6, 1, 1, ph_top_stiffness(ph_tmul(s->R[0], ph_load3(s->lambda))));
    return PH_OK;
}

static ph_status Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_store3(out, ph_sub(ph_top_arm(s->R[0]), ph_load3(s->q)));
    return PH_OK;
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = out[7] = out[14] = -1;
    ph_put33(out, 6, 0, 1, ph_top_B(s->R[0]));
    return PH_OK;
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_vec3 a = ph_top_arm_rate(ph_load3(s->v + 3));
    ph_put33(out, 6, 0, 1, ph_mtilde(s->R[0], ph_scale(-1, a)));
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_vec3 w = ph_load3(s->v + 3);
    ph_store3(out, ph_mul(s->R[0], ph_cross(w, ph_top_arm_rate(w))));
    return PH_OK;
}

int ph_build_heavy_top_r3xso3(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_R3XSO3, 0, "top"}};
    static const ph_constraint constraints[] = {{3, 0, "pivot"}};
    ph_top *c = ph_top_create(p, def);
    if (!c)
        return 0;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.M = M, p->sys.g = g, p->sys.Phi = Phi, p->sys.B = B;
    p->sys.C = C, p->sys.K = K, p->sys.Z = Z, p->sys.convective = convective;
    p->energy = ph_top_energy;
    p->exact = ph_top_exact_r3xso3;
    memcpy(c->q0, ph_top_q0, sizeof ph_top_q0);
    memcpy(c->v0, ph_top_v0, sizeof ph_top_v0);
    return 1;
}
