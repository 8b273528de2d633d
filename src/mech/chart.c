/* A body with coordinates c of its rotation, two nodes R^3 and R^n, for the classical method.
 *
 *   Omega = T(c) u,  u = cdot,  V = d(T u)/dc,  Omegadot = T udot + V u
 *   W = Tdot: its column i is dT(c, e_i) u
 *   M = T^T J T */
#include "mech/chart.h"

#include <string.h>

#include "lie/so3.h"

/* ---- 3 x n matrices ------------------------------------------------------------------------------- */

static ph_vec3 times(int n, const double *A, const double *u)
{
    double y[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * u[j];
    return ph_load3(y);
}

void ph_wide_add(int n, ph_mat3 S, const double *A, double *out)
{
    for (int j = 0; j < n; j++) {
        ph_vec3 y = ph_mul(S, ph_v3(A[j], A[n + j], A[2 * n + j]));
        out[j] += y.x, out[n + j] += y.y, out[2 * n + j] += y.z;
    }
}

void ph_wide_add_vector(int n, const double *A, ph_vec3 r, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] += A[i] * r.x + A[n + i] * r.y + A[2 * n + i] * r.z;
}

void ph_wide_add_square(int n, const double *A, const double *B, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] += A[i] * B[j] + A[n + i] * B[n + j] + A[2 * n + i] * B[2 * n + j];
}

/* dT(c, e_i) */
static void along(const ph_chart_ops *op, const double *c, int i, double *D)
{
    double e[PH_HALF_MAX] = {0};
    e[i] = 1;
    op->dT(c, e, D);
}

/* Row i of d(T^T r)/dc is r^T dT(c, e_i). */
void ph_chart_add_fold(const ph_chart_ops *op, const double *c, double s, ph_vec3 r, double *out)
{
    int n = op->dim;
    for (int i = 0; i < n; i++) {
        ph_wide D;
        along(op, c, i, D);
        ph_wide_add_vector(n, D, ph_scale(s, r), out + i * n);
    }
}

/* ---- bodies --------------------------------------------------------------------------------------- */

ph_chart_site ph_chart_at(const ph_chart_ops *op, const ph_state *s, const ph_body *b)
{
    int n = op->dim;
    ph_chart_site x = {.c = s->q + b->q[1], .u = s->v + b->v[1], .a = s->vdot + b->v[1]};
    op->T(x.c, x.T);
    op->dT(x.c, x.u, x.V);
    for (int i = 0; i < n; i++) {
        ph_wide D;
        along(op, x.c, i, D);
        ph_vec3 W = times(n, D, x.u);
        x.W[i] = W.x, x.W[n + i] = W.y, x.W[2 * n + i] = W.z;
    }
    x.w = times(n, x.T, x.u);
    x.wdot = ph_add(times(n, x.T, x.a), times(n, x.V, x.u));
    return x;
}

void ph_chart_kin(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_kin *k)
{
    double q[4];
    ph_wide T;
    const double *c = s->q + b->q[1];
    op->to_quat(c, q);
    op->T(c, T);
    k->x = ph_load3(s->q + b->q[0]);
    k->v = ph_load3(s->v + b->v[0]);
    k->q = ph_quat_load(q);
    k->R = ph_qmat(k->q);
    k->w = times(op->dim, T, s->v + b->v[1]);
}

void ph_chart_acceleration(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_vec3 *a,
                           ph_vec3 *omega_dot)
{
    *a = ph_load3(s->vdot + b->v[0]);
    *omega_dot = ph_chart_at(op, s, b).wdot;
}

void ph_chart_chain(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_chain_rule *c)
{
    c->at = s->q + b->q[1];
    ph_store33(c->D[0], ph_diag3(1, 1, 1));
    op->T(c->at, c->D[1]);
    memset(c->V[0], 0, sizeof c->V[0]);
    op->dT(c->at, s->v + b->v[1], c->V[1]);
}

void ph_chart_fold(const ph_chart_ops *op, const ph_chain_rule *c, int half, ph_vec3 r, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)(c->n[half] * op->dim));
    if (half == 1)
        ph_chart_add_fold(op, c->at, 1, r, out);
}

/* d(T udot + V u) = (dT(c, udot) + d(V u)/dc) dc + (V + W) du */
void ph_chart_slope(const ph_chart_ops *op, const ph_state *s, const ph_body *b, const double *second,
                    ph_slope *c)
{
    ph_chart_site x = ph_chart_at(op, s, b);
    *c = (ph_slope){0};
    op->dT(x.c, x.a, c->Y[1]);
    for (int i = 0; i < 3 * op->dim; i++) {
        c->Y[1][i] += second ? second[i] : 0;
        c->U[1][1][i] = x.V[i] + x.W[i];
    }
}

void ph_chart_M(const ph_chart_ops *op, const ph_body *b, const ph_state *s, double *out)
{
    int n = op->dim;
    ph_wide T, JT = {0};
    op->T(s->q + b->q[1], T);
    ph_wide_add(n, b->J, T, JT);
    ph_store33(out + b->M[0], ph_diag3(b->m, b->m, b->m));
    memset(out + b->M[3], 0, sizeof(double) * (size_t)(n * n));
    ph_wide_add_square(n, T, JT, out + b->M[3]);
}
