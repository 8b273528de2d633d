/* The heavy top on SE(3), one node: U = R^T xdot and Omega, both in body components.
 *
 *   m (Udot + Omega x U) = R^T (m gamma + lambda)
 *   J Omegadot + Omega x J Omega = -X x R^T lambda
 *   Phi = -x + R X = 0,  B = (-R, -R tilde(X))
 *   B v = R a,  a = Omega x X - U,  d(R a) = -R tilde(a) dq
 *
 * Phi has world components, so lambda is the force on the top in the world, as in heavy_top.c. The mass
 * matrix is constant. Exact motion: U = Omega x X, since the tip rests. */
#include "problem/heavy_top.h"

#include <string.h>

/* m R^T gamma */
static ph_vec3 weight(const ph_top *c, const ph_mat3 *R)
{
    return ph_scale(-c->m * c->gravity, ph_v3(R->zx, R->zy, R->zz));
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_vec3 U = ph_load3(s->v), w = ph_load3(s->v + 3);
    ph_store3(out, ph_sub(ph_scale(c->m, ph_cross(w, U)), weight(c, s->R)));
    ph_store3(out + 3, ph_gyro(c->J, w));
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_vec3 U = ph_load3(s->v), w = ph_load3(s->v + 3);
    ph_put33(out, 6, 0, 0, ph_tilde(ph_scale(c->m, w)));
    ph_put33(out, 6, 0, 1, ph_tilde(ph_scale(-c->m, U)));
    ph_put33(out, 6, 1, 1, ph_gyro_tangent(c->J, w));
    return PH_OK;
}

/* d(R^T b) = tilde(R^T b) dq */
static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_vec3 f = ph_tmul(s->R[0], ph_load3(s->lambda));
    ph_put33(out, 6, 0, 1, ph_tilde(ph_scale(-1, ph_add(weight(c, s->R), f))));
    ph_put33(out, 6, 1, 1, ph_top_stiffness(f));
    return PH_OK;
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_put33(out, 6, 0, 0, ph_mscale(-1, s->R[0]));
    ph_put33(out, 6, 0, 1, ph_top_B(s->R[0]));
    return PH_OK;
}

static ph_vec3 slip(const ph_state *s)
{
    return ph_sub(ph_top_arm_rate(ph_load3(s->v + 3)), ph_load3(s->v));
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_put33(out, 6, 0, 1, ph_mtilde(s->R[0], ph_scale(-1, slip(s))));
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_store3(out, ph_mul(s->R[0], ph_cross(ph_load3(s->v + 3), slip(s))));
    return PH_OK;
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    ph_top_motion r;
    if (!ph_top_exact(p, t, &r))
        return 0;
    ph_store3(q, r.x);
    memcpy(q + 3, r.p, sizeof r.p);
    ph_store3(v, ph_top_arm_rate(r.Omega));
    ph_store3(v + 3, r.Omega);
    ph_store3(vdot, ph_top_arm_rate(r.Omegadot));
    ph_store3(vdot + 3, r.Omegadot);
    if (lambda)
        ph_store3(lambda, r.lambda);
    return 1;
}

int ph_build_heavy_top_se3(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_SE3, 0, "top"}};
    if (!ph_top_create6(p, def, nodes)) /* R = I: body and world components agree; |U| = |xdot| */
        return 0;
    p->sys.g = g, p->sys.B = B;
    p->sys.C = C, p->sys.K = K, p->sys.Z = Z, p->sys.convective = convective;
    p->exact = exact;
    return 1;
}
