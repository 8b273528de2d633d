/* The space of Cardan angles: x of R^3 and (a, b, c) of R^3, R = Rx(a) Ry(b) Rz(c), for comparison with the
 * literature. T is singular at b = +-90 degrees.
 *
 * With u = (a, b, c)dot, V u = d(T u)/d(a, b, c) u is
 *   (-sin b cos c u1 u2 - cos b sin c u1 u3 + cos c u2 u3,
 *     sin b sin c u1 u2 - cos b cos c u1 u3 - sin c u2 u3,
 *     cos b u1 u2) */
#include "mech/chart.h"

#include "lie/so3.h"
#include "lie/groups.h"

/* Angles start with cos b > 0. Below this they are too near to the singularity, 0.06 degrees, or beyond it. */
static const double COS_MIN = 1e-3;

static const ph_chart_ops *const op = &ph_cardan_ops;

static void kin(const ph_state *s, const ph_body *b, ph_kin *k)
{
    ph_chart_kin(op, s, b, k);
}

static void acceleration(const ph_state *s, const ph_body *b, ph_vec3 *a, ph_vec3 *omega_dot)
{
    ph_chart_acceleration(op, s, b, a, omega_dot);
}

/* NaN where there are no angles: singular() sees it. */
static void set(const ph_body *b, const ph_kin *k, double *q, double *v)
{
    double p[4], *c = q + b->q[1], T[9];
    ph_store3(q + b->q[0], k->x), ph_store3(v + b->v[0], k->v);
    ph_quat_store(p, k->q);
    if (!op->from_quat(p, c))
        c[0] = c[1] = c[2] = NAN;
    op->T(c, T);
    ph_store3(v + b->v[1], ph_mul(ph_minv(ph_load33(T)), k->w));
}

static int singular(const ph_body *b, const double *q)
{
    return !(cos(q[b->q[1] + 1]) >= COS_MIN);
}

static void chain(const ph_state *s, const ph_body *b, ph_chain_rule *c)
{
    ph_chart_chain(op, s, b, c);
}

static void fold(const ph_chain_rule *c, int half, ph_vec3 r, double *out)
{
    ph_chart_fold(op, c, half, r, out);
}

/* d(V u)/d(a, b, c) */
static ph_mat3 second(const double *c, const double *u)
{
    double cb = cos(c[1]), sb = sin(c[1]), cc = cos(c[2]), sc = sin(c[2]);
    double u12 = u[0] * u[1], u13 = u[0] * u[2], u23 = u[1] * u[2];
    return (ph_mat3){.xy = -cb * cc * u12 + sb * sc * u13,
                     .xz = sb * sc * u12 - cb * cc * u13 - sc * u23,
                     .yy = cb * sc * u12 + sb * cc * u13,
                     .yz = sb * cc * u12 + cb * sc * u13 - cc * u23,
                     .zy = -sb * u12};
}

static void slope(const ph_state *s, const ph_body *b, ph_slope *c)
{
    double D[9];
    ph_store33(D, second(s->q + b->q[1], s->v + b->v[1]));
    ph_chart_slope(op, s, b, D, c);
}

static void M(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_M(op, b, s, out);
}

static ph_mat3 gyroscopic(const ph_body *b, ph_vec3 w)
{
    return ph_msub(ph_mmul(ph_tilde(w), b->J), ph_tilde(ph_mul(b->J, w)));
}

/* T^T (J V u + Omega x J Omega) */
static void g(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    ph_vec3 Vu = ph_mul(ph_load33(x.V), ph_load3(x.u));
    ph_vec3 r = ph_add(ph_mul(b->J, Vu), ph_cross(x.w, ph_mul(b->J, x.w)));
    ph_store3(out + b->v[0], ph_scale(-1, b->weight));
    ph_store3(out + b->v[1], ph_tmul(ph_load33(x.T), r));
}

/* T^T (J (V + W) + gyr T) */
static void C(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    ph_mat3 T = ph_load33(x.T), A = ph_mmul(b->J, ph_madd(ph_load33(x.V), ph_load33(x.W)));
    A = ph_madd(A, ph_mmul(gyroscopic(b, x.w), T));
    ph_store33(out + b->M[3], ph_mmul(ph_transpose(T), A));
}

/* d(T^T r)/dc at fixed r = J Omegadot + Omega x J Omega, and T^T (J (dT(c, udot) + d(V u)/dc) + gyr V) */
static void K(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    ph_vec3 r = ph_add(ph_mul(b->J, x.wdot), ph_cross(x.w, ph_mul(b->J, x.w)));
    double D[9];
    op->dT(x.c, x.a, D);
    ph_mat3 A = ph_mmul(b->J, ph_madd(ph_load33(D), second(x.c, x.u)));
    A = ph_madd(A, ph_mmul(gyroscopic(b, x.w), ph_load33(x.V)));
    ph_store33(out + b->M[3], ph_mmul(ph_transpose(ph_load33(x.T)), A));
    ph_chart_add_fold(op, x.c, 1, r, out + b->M[3]);
}

const ph_space ph_space_cardan = {
    .n = {3, 3},
    .bent = 1,
    .varies = 1,
    .node = {{PH_RN, 3, NULL}, {PH_RN, 3, NULL}},
    .kin = kin,
    .acceleration = acceleration,
    .set = set,
    .singular = singular,
    .chain = chain,
    .fold = fold,
    .slope = slope,
    .M = M,
    .g = g,
    .C = C,
    .K = K,
};
