/* The heavy top on R^3 x SO(3) as one node: the equations of heavy_top.c in blocks of six. */
#include "problem/heavy_top.h"

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

int ph_build_heavy_top_r3xso3(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_R3XSO3, 0, "top"}};
    if (!ph_top_create6(p, def, nodes))
        return 0;
    p->sys.g = ph_top_g, p->sys.B = B;
    p->sys.C = C, p->sys.K = K, p->sys.Z = Z, p->sys.convective = ph_top_convective;
    p->exact = ph_top_exact_r3xso3;
    return 1;
}
