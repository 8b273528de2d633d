/* The space of Euler parameters: x of R^3 and p of R^4 with |p|^2 = 1, for comparison with the literature.
 *
 *   Omega = 2 G(p) pdot = T(p) pdot,  d(T^T J Omega)/dt - (dOmega/dp)^T J Omega = T^T tau
 *   Phi = |p|^2 - 1,  B = 2 p^T,  Z = 2 pdot^T,  convective = 2 pdot . pdot,  K = 2 lambda I
 *
 * 4 G^T J G is singular along p. The kinetic energy mu/2 (p . pdot)^2, which the constraint makes zero, adds
 *
 *   mu p (p . pddot + pdot . pdot)
 *
 * so that M is regular and neither motion nor multipliers change.
 *
 * These are Lagrange's equations. T^T (J Omegadot + Omega x J Omega) is the same where p . pdot = 0, which
 * the index-3 form has only to the order of the method: errors would differ by some percent from those
 * published. */
#include "mech/chart.h"

#include <string.h>

#include "lie/so3.h"
#include "lie/groups.h"

enum { N = 4 };

static const ph_chart_ops *const op = &ph_euler_ops;

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Inertia along p: of the size of that across it, also where forces have it. */
static double mu(const ph_body *b)
{
    return b->scale;
}

/* out += s a b^T */
static void add_outer(double s, const double *a, const double *b, double *out)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            out[i * N + j] += s * a[i] * b[j];
}

static void add_unit(double s, double *out)
{
    for (int i = 0; i < N; i++)
        out[i * N + i] += s;
}

/* ---- bodies --------------------------------------------------------------------------------------- */

static void kin(const ph_state *s, const ph_body *b, ph_kin *k)
{
    ph_chart_kin(op, s, b, k);
}

static void acceleration(const ph_state *s, const ph_body *b, ph_vec3 *a, ph_vec3 *omega_dot)
{
    ph_chart_acceleration(op, s, b, a, omega_dot);
}

/* pdot = G^T Omega/2 */
static void set(const ph_body *b, const ph_kin *k, double *q, double *v)
{
    double *p = q + b->q[1], T[3 * N];
    ph_store3(q + b->q[0], k->x), ph_store3(v + b->v[0], k->v);
    ph_quat_store(p, k->q);
    op->T(p, T);
    for (int i = 0; i < N; i++)
        v[b->v[1] + i] = (T[i] * k->w.x + T[N + i] * k->w.y + T[2 * N + i] * k->w.z) / 4;
}

static void chain(const ph_state *s, const ph_body *b, ph_chain_rule *c)
{
    ph_chart_chain(op, s, b, c);
}

static void fold(const ph_chain_rule *c, int half, ph_vec3 r, double *out)
{
    ph_chart_fold(op, c, half, r, out);
}

static void slope(const ph_state *s, const ph_body *b, ph_slope *c)
{
    ph_chart_slope(op, s, b, NULL, c); /* T is linear in p */
}

static void M(const ph_body *b, const ph_state *s, double *out)
{
    const double *p = s->q + b->q[1];
    ph_chart_M(op, b, s, out);
    add_outer(mu(b), p, p, out + b->M[3]);
}

/* Tdot = W = -V, since T is linear in p; (W - V)^T J Omega = 2 W^T J Omega */
static void g(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    double f = mu(b) * dot4(x.u, x.u), *r = out + b->v[1];
    ph_store3(out + b->v[0], ph_scale(-1, b->weight));
    for (int i = 0; i < N; i++)
        r[i] = f * x.c[i];
    ph_wide_add_vector(N, x.W, ph_scale(2, ph_mul(b->J, x.w)), r);
}

/* d(2 W(u)^T J Omega)/du, and W has the form of T */
static void C(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    ph_wide A = {0};
    double *o = out + b->M[3];
    memset(o, 0, sizeof(double) * N * N);
    ph_wide_add(N, ph_mscale(2, b->J), x.T, A);
    ph_wide_add_square(N, x.W, A, o);
    ph_chart_add_fold(op, x.c, 2, ph_mul(b->J, x.w), o);
    add_outer(2 * mu(b), x.c, x.u, o);
}

/* d(T^T J Omegadot + 2 W^T J Omega)/dp */
static void K(const ph_body *b, const ph_state *s, double *out)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    ph_wide D, A = {0}, E = {0};
    double *o = out + b->M[3];
    memset(o, 0, sizeof(double) * N * N);
    op->dT(x.c, x.a, D);
    ph_wide_add(N, b->J, D, A);
    ph_wide_add_square(N, x.T, A, o);
    ph_wide_add(N, ph_mscale(2, b->J), x.V, E);
    ph_wide_add_square(N, x.W, E, o);
    ph_chart_add_fold(op, x.c, 1, ph_mul(b->J, x.wdot), o);
    add_outer(mu(b), x.c, x.a, o);
    add_unit(mu(b) * (dot4(x.c, x.a) + dot4(x.u, x.u)), o);
}

/* ---- the norms ------------------------------------------------------------------------------------ */

#define EACH_NORM(m, n) for (const ph_unit_norm *n = (m)->norm, *end = n + (m)->n_norms; n < end; n++)

void ph_norms_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_NORM(m, n)
    out[n->l_at] = dot4(s->q + n->q, s->q + n->q) - 1;
}

void ph_norms_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_NORM(m, n)
    for (int i = 0; i < N; i++)
        out[n->B + i] = 2 * s->q[n->q + i];
}

void ph_norms_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_NORM(m, n)
    for (int i = 0; i < N; i++)
        out[n->B + i] = 2 * s->v[n->v + i];
}

void ph_norms_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_NORM(m, n)
    out[n->l_at] = 2 * dot4(s->v + n->v, s->v + n->v);
}

void ph_norms_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_NORM(m, n)
    add_unit(2 * s->lambda[n->l_at], out + n->K);
}

const ph_space ph_space_euler = {
    .n = {3, N},
    .bent = 1,
    .varies = 1,
    .norm = 1,
    .node = {{PH_RN, 3, NULL}, {PH_RN, N, NULL}},
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
