/* The space R^3 x SO(3): coordinates are the physical ones, a body is two nodes.
 *
 *   m xddot = m gamma + ...,  J Omegadot + Omega x J Omega = ... */
#include "mech/mech.h"
#include "mech/rigid_body.h"

#include "lie/so3.h"

static void kin(const ph_state *s, const ph_body *b, ph_kin *k)
{
    k->x = ph_load3(s->q + b->q[0]);
    k->v = ph_load3(s->v + b->v[0]);
    k->w = ph_load3(s->v + b->v[1]);
    k->q = ph_quat_load(s->q + b->q[1]);
    k->R = s->R[b->R];
}

static void acceleration(const ph_state *s, const ph_body *b, ph_vec3 *a, ph_vec3 *omega_dot)
{
    *a = ph_load3(s->vdot + b->v[0]);
    *omega_dot = ph_load3(s->vdot + b->v[1]);
}

static void set(const ph_body *b, const ph_kin *k, double *q, double *v)
{
    ph_store3(q + b->q[0], k->x), ph_quat_store(q + b->q[1], k->q);
    ph_store3(v + b->v[0], k->v), ph_store3(v + b->v[1], k->w);
}

static void M(const ph_body *b, const ph_state *s, double *out)
{
    (void)s;
    ph_store33(out + b->M[0], ph_diag3(b->m, b->m, b->m));
    ph_store33(out + b->M[3], b->J);
}

static void g(const ph_body *b, const ph_state *s, double *out)
{
    ph_vec3 w = ph_load3(s->v + b->v[1]);
    ph_store3(out + b->v[0], ph_scale(-1, b->weight));
    ph_store3(out + b->v[1], ph_rigid_g(b->J, w));
}

static void C(const ph_body *b, const ph_state *s, double *out)
{
    ph_store33(out + b->M[3], ph_rigid_C(b->J, ph_load3(s->v + b->v[1])));
}

const ph_space ph_space_r3xso3 = {
    .plain = 1,
    .n = {3, 3},
    .node = {{PH_RN, 3, NULL}, {PH_SO3, 0, NULL}},
    .kin = kin,
    .acceleration = acceleration,
    .set = set,
    .M = M,
    .g = g,
    .C = C,
};
