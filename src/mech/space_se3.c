/* The space SE(3): one node per body, v = (U, Omega) in body components, xdot = R U.
 *
 *   dx = R dU,  d(xdot) = R d(U) - R tilde(U) dphi,  xddot = R (Udot + Omega x U)
 *   d(R^T r) = tilde(R^T r) dphi
 *   d(xddot) = -R tilde(Udot + Omega x U) dphi + R tilde(Omega) d(U) - R tilde(U) d(Omega)
 *   m (Udot + Omega x U) = m R^T gamma + ...,  J Omegadot + Omega x J Omega = ... */
#include "mech/mech.h"

#include "lie/so3.h"
#include "mech/rigid_body.h"

enum { N = 6 };

static void put(double *out, ph_mat3 A)
{
    ph_store3(out, ph_v3(A.xx, A.xy, A.xz));
    ph_store3(out + N, ph_v3(A.yx, A.yy, A.yz));
    ph_store3(out + 2 * N, ph_v3(A.zx, A.zy, A.zz));
}

static void kin(const ph_state *s, const ph_body *b, ph_kin *k)
{
    k->R = s->R[b->R];
    k->x = ph_load3(s->q + b->q[0]);
    k->v = ph_mul(k->R, ph_load3(s->v + b->v[0]));
    k->w = ph_load3(s->v + b->v[1]);
    k->q = ph_quat_load(s->q + b->q[1]);
}

static void acceleration(const ph_state *s, const ph_body *b, ph_vec3 *a, ph_vec3 *omega_dot)
{
    ph_vec3 U = ph_load3(s->v + b->v[0]), w = ph_load3(s->v + b->v[1]), Udot = ph_load3(s->vdot + b->v[0]);
    *a = ph_mul(s->R[b->R], ph_add(Udot, ph_cross(w, U)));
    *omega_dot = ph_load3(s->vdot + b->v[1]);
}

static void set(const ph_body *b, const ph_kin *k, double *q, double *v)
{
    ph_store3(q + b->q[0], k->x), ph_quat_store(q + b->q[1], k->q);
    ph_store3(v + b->v[0], ph_tmul(ph_qmat(k->q), k->v)), ph_store3(v + b->v[1], k->w);
}

static void chain(const ph_state *s, const ph_body *b, ph_chain_rule *c)
{
    ph_mat3 R = s->R[b->R];
    ph_store33(c->D[0], R);
    ph_store33(c->D[1], ph_diag3(1, 1, 1));
    ph_store33(c->V[0], ph_mtilde(R, ph_scale(-1, ph_load3(s->v + b->v[0]))));
    ph_store33(c->V[1], (ph_mat3){0});
}

static void fold(const ph_chain_rule *c, int half, ph_vec3 r, double *out)
{
    ph_store33(out, half == 0 ? ph_tilde(ph_tmul(ph_load33(c->D[0]), r)) : (ph_mat3){0});
}

static void slope(const ph_state *s, const ph_body *b, ph_slope *c)
{
    ph_mat3 R = s->R[b->R];
    ph_vec3 U = ph_load3(s->v + b->v[0]), w = ph_load3(s->v + b->v[1]), Udot = ph_load3(s->vdot + b->v[0]);
    *c = (ph_slope){0};
    ph_store33(c->Y[0], ph_mtilde(R, ph_scale(-1, ph_add(Udot, ph_cross(w, U)))));
    ph_store33(c->U[0][0], ph_mtilde(R, w));
    ph_store33(c->U[0][1], ph_mtilde(R, ph_scale(-1, U)));
}

static void M(const ph_body *b, const ph_state *s, double *out)
{
    (void)s;
    put(out + b->M[0], ph_diag3(b->m, b->m, b->m));
    put(out + b->M[3], b->J);
}

static void g(const ph_body *b, const ph_state *s, double *out)
{
    ph_vec3 U = ph_load3(s->v + b->v[0]), w = ph_load3(s->v + b->v[1]);
    ph_store3(out + b->v[0], ph_moving_g(b->m, U, w, ph_tmul(s->R[b->R], b->weight)));
    ph_store3(out + b->v[1], ph_rigid_g(b->J, w));
}

static void C(const ph_body *b, const ph_state *s, double *out)
{
    ph_vec3 U = ph_load3(s->v + b->v[0]), w = ph_load3(s->v + b->v[1]);
    put(out + b->M[0], ph_moving_C_U(b->m, w));
    put(out + b->M[1], ph_moving_C_w(b->m, U));
    put(out + b->M[3], ph_rigid_C(b->J, w));
}

static void K(const ph_body *b, const ph_state *s, double *out)
{
    ph_add_pair(&(ph_put){out, &b->M[1], N, 0}, 0, 0, ph_moving_K(ph_tmul(s->R[b->R], b->weight)));
}

const ph_space ph_space_se3 = {
    .n = {3, 3},
    .joined = 1,
    .bent = 0,
    .body_axes = 1,
    .node = {{PH_SE3, 0, NULL}},
    .kin = kin,
    .acceleration = acceleration,
    .set = set,
    .chain = chain,
    .fold = fold,
    .slope = slope,
    .M = M,
    .g = g,
    .C = C,
    .K = K,
};
