/* Flexible bodies of a few modes: their equations, in physical coordinates.
 *
 * In body components, v = (U, Omega, zetadot), the mass matrix is a polynomial of zeta (X10-X12):
 *
 *   M_UO = calM_t0 + sum_k z_k calM_tk,   M_Uf = calM_tf,   M_Of = calM_0f + sum_k z_k calM_kf
 *   M_OO = calM_00 + sum_k z_k (calM_0k + calM_k0) + sum_kl z_k z_l calM_kl,   all + M_2
 *
 * with 0 the columns of Omega, k those of zeta_k Omega, z = zeta; M_2 is that of displacements of second
 * order, second.c. All that follows needs the slopes
 *
 *   A_k = calM_tk,   G_k = calM_0k + calM_k0 + sum_l z_l (calM_lk + calM_kl),   B_k = calM_kf          (X13)
 *   W(y) = d(M y)/dz:  columns (A_k y_O;  A_k^T y_U + G_k y_O + B_k y_f;  B_k^T y_O), + of M_2         (X14)
 *
 * and those of G_k, which are constant. Hamel's equations, p = M v:
 *
 *   r = M vdot + W(v) zetadot
 *       + (Omega x P;  Omega x Pi + U x P;  -1/2 W(v)^T v + Kf z + Df zetadot) - gravity               (X15)
 *   gravity = (m gb;  S1 x gb;  S1'^T gb),   gb = R^T gamma,   S1 = S0 + S_f z + N_t                   (X16)
 *
 * Physical coordinates: U = R^T xdot, Udot = R^T xddot - Omega x U, first three rows of r times R (X17). */
#include "mech/second.h"

#include <string.h>

enum { N = PH_MODAL_MAX, F = PH_MODES_MAX };

/* A body in its own components, with M and its slopes; n: 6 + f coordinates. */
typedef struct body {
    const ph_reduced *r;
    int f, n;
    ph_vec3 U, w, gb;
    const double *z, *zdot;
    ph_mat3 A[F], G[F]; /* (X13) */
    double M[N * N];
    ph_second s; /* where there are displacements of second order */
} body;

/* ---- quadratic functions of zeta ------------------------------------------------------------------ */

/* G_k = sum_l z_l (calM_lk + calM_kl): what is linear in zeta of dM_OO/dz_k */
static void spin_slopes(const ph_reduced *r, const double *z, ph_mat3 *G)
{
    for (int k = 0; k < r->modes; k++) {
        ph_mat3 Q = {0};
        for (int l = 0; l < r->modes; l++)
            Q = ph_madd(Q, ph_mscale(z[l], ph_calM3(r, ph_calM_at(r, l), ph_calM_at(r, k))));
        G[k] = ph_madd(Q, ph_transpose(Q));
    }
}

static void add3(double *M, int n, int row, int col, ph_mat3 A)
{
    ph_add3(M + row * n + col, ph_v3(A.xx, A.xy, A.xz));
    ph_add3(M + (row + 1) * n + col, ph_v3(A.yx, A.yy, A.yz));
    ph_add3(M + (row + 2) * n + col, ph_v3(A.zx, A.zy, A.zz));
}

/* The lower triangle from the upper one. */
static void mirror(double *M, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            M[i * n + j] = M[j * n + i];
}

/* M without M_2 (X12); linear terms of G_k count whole, quadratic ones half */
static void mass(body *b, const ph_mat3 *spin)
{
    const ph_reduced *r = b->r;
    int f = b->f, n = b->n;
    ph_mat3 UO = ph_calM3(r, 0, 3), OO = ph_calM3(r, 3, 3);
    for (int k = 0; k < f; k++) {
        UO = ph_madd(UO, ph_mscale(b->z[k], b->A[k]));
        OO = ph_madd(OO, ph_mscale(b->z[k], ph_msub(b->G[k], ph_mscale(0.5, spin[k]))));
    }
    ph_put33(b->M, n, 0, 0, ph_calM3(r, 0, 0)), ph_put33(b->M, n, 0, 3, UO), ph_put33(b->M, n, 3, 3, OO);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < f; i++) {
            double turn = ph_calM(r, 3 + a, 6)[i];
            for (int k = 0; k < f; k++)
                turn += b->z[k] * ph_calM(r, ph_calM_at(r, k) + a, 6)[i];
            b->M[a * n + 6 + i] = ph_calM(r, a, 6)[i];
            b->M[(3 + a) * n + 6 + i] = turn;
        }
    for (int i = 0; i < f; i++)
        memcpy(b->M + (6 + i) * n + 6, ph_calM(r, 6 + i, 6), sizeof(double) * (size_t)f);
    mirror(b->M, n);
}

static void body_of(const ph_modal_site *s, body *b)
{
    const ph_reduced *r = s->r;
    int f = r->modes;
    ph_mat3 spin[F];
    b->r = r, b->f = f, b->n = 6 + f;
    b->U = ph_tmul(s->k.R, s->k.v), b->w = s->k.w, b->gb = ph_tmul(s->k.R, s->gravity);
    b->z = s->zeta, b->zdot = s->zdot;
    spin_slopes(r, s->zeta, spin);
    for (int k = 0; k < f; k++) {
        ph_mat3 both = ph_calM3(r, 3, ph_calM_at(r, k));
        b->A[k] = ph_calM3(r, 0, ph_calM_at(r, k));
        b->G[k] = ph_madd(ph_madd(both, ph_transpose(both)), spin[k]);
    }
    mass(b, spin);
    if (r->KG)
        ph_second_open(&b->s, r, s->zeta, s->zdot, b->M);
    else
        memset(b->s.Nt, 0, sizeof(double) * (size_t)(3 * f));
}

/* y = A x */
static void apply(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

static void velocity(const body *b, double *v)
{
    ph_store3(v, b->U), ph_store3(v + 3, b->w);
    memcpy(v + 6, b->zdot, sizeof(double) * (size_t)b->f);
}

/* W(y) = d(M y)/dz, n x f (X14) */
static void mass_slope(const body *b, const double *y, double *W)
{
    const ph_reduced *r = b->r;
    int f = b->f;
    ph_vec3 U = ph_load3(y), w = ph_load3(y + 3);
    for (int k = 0; k < f; k++) {
        const double *c = ph_calM(r, ph_calM_at(r, k), 6), *d = ph_calM(r, ph_calM_at(r, k) + 1, 6),
                     *e = ph_calM(r, ph_calM_at(r, k) + 2, 6);
        ph_vec3 turn = ph_v3(0, 0, 0);
        for (int i = 0; i < f; i++) {
            turn = ph_add(turn, ph_v3(c[i] * y[6 + i], d[i] * y[6 + i], e[i] * y[6 + i]));
            W[(6 + i) * f + k] = w.x * c[i] + w.y * d[i] + w.z * e[i];
        }
        ph_put_column(W, f, 0, k, ph_mul(b->A[k], w));
        ph_put_column(W, f, 3, k, ph_add(ph_add(ph_tmul(b->A[k], U), ph_mul(b->G[k], w)), turn));
    }
    if (r->KG)
        ph_second_slope(&b->s, y, W);
}

/* ---- the equations -------------------------------------------------------------------------------- */

/* S1 and its slope S_f + N_t', 3 x f (X16) */
static ph_vec3 first_moment(const body *b, double *slope)
{
    const ph_reduced *r = b->r;
    ph_vec3 S = ph_v3(*ph_calM(r, 1, 5), *ph_calM(r, 2, 3), *ph_calM(r, 0, 4)); /* calM_t0 = -tilde(S0) */
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < b->f; k++)
            slope[a * b->f + k] = ph_calM(r, a, 6)[k] + b->s.Nt[a * b->f + k];
    for (int k = 0; k < b->f; k++) { /* N_t is half of N_t' z */
        ph_vec3 half = ph_scale(0.5, ph_column_of(b->s.Nt, b->f, k));
        S = ph_add(S, ph_scale(b->z[k], ph_sub(ph_column_of(slope, b->f, k), half)));
    }
    return S;
}

static void add_gravity(const body *b, double *r)
{
    double slope[3 * F];
    ph_vec3 S = first_moment(b, slope);
    ph_add3(r, ph_scale(-*ph_calM(b->r, 0, 0), b->gb));
    ph_add3(r + 3, ph_cross(b->gb, S));
    for (int k = 0; k < b->f; k++)
        r[6 + k] -= ph_dot(ph_column_of(slope, b->f, k), b->gb);
}

/* r (X15), y: vdot in body components; W: W(v) */
static void residual(const body *b, const double *y, const double *W, double *r)
{
    int f = b->f, n = b->n;
    double v[N], p[N];
    velocity(b, v);
    apply(n, b->M, v, p);
    apply(n, b->M, y, r);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f; k++)
            r[i] += W[i * f + k] * b->zdot[k];
    ph_vec3 P = ph_load3(p), Pi = ph_load3(p + 3);
    ph_add3(r, ph_cross(b->w, P));
    ph_add3(r + 3, ph_add(ph_cross(b->w, Pi), ph_cross(b->U, P)));
    for (int k = 0; k < f; k++) {
        for (int i = 0; i < n; i++)
            r[6 + k] -= 0.5 * W[i * f + k] * v[i];
        for (int l = 0; l < f; l++)
            r[6 + k] += b->r->Kf[k * f + l] * b->z[l] + b->r->Df[k * f + l] * b->zdot[l];
    }
    add_gravity(b, r);
}

/* vdot in body components; with = 0: of xddot = 0, Omegadot = 0, zetaddot = 0 (X17) */
static void acceleration(const ph_modal_site *s, const body *b, int with, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)b->n);
    if (with) {
        ph_store3(y, ph_tmul(s->k.R, s->a)), ph_store3(y + 3, s->wdot);
        memcpy(y + 6, s->zddot, sizeof(double) * (size_t)b->f);
    }
    ph_add3(y, ph_cross(b->U, b->w));
}

/* ---- tangents in body components ------------------------------------------------------------------ */

/* out += (Omega x D_P; Omega x D_Pi + U x D_P), D with m columns, out with ld */
static void add_transport(const body *b, const double *D, int m, double *out, int ld)
{
    for (int j = 0; j < m; j++) {
        ph_vec3 P = ph_v3(D[j], D[m + j], D[2 * m + j]), Pi = ph_v3(D[3 * m + j], D[4 * m + j], D[5 * m + j]);
        ph_vec3 up = ph_cross(b->w, P), down = ph_add(ph_cross(b->w, Pi), ph_cross(b->U, P));
        out[j] += up.x, out[ld + j] += up.y, out[2 * ld + j] += up.z;
        out[3 * ld + j] += down.x, out[4 * ld + j] += down.y, out[5 * ld + j] += down.z;
    }
}

/* Mdot = sum_k zdot_k dM/dz_k */
static void mass_rate(const body *b, double *out)
{
    const ph_reduced *r = b->r;
    int f = b->f, n = b->n;
    ph_mat3 UO = {0}, OO = {0};
    memset(out, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < f; k++) {
        UO = ph_madd(UO, ph_mscale(b->zdot[k], b->A[k]));
        OO = ph_madd(OO, ph_mscale(b->zdot[k], b->G[k]));
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < f; i++)
                out[(3 + a) * n + 6 + i] += b->zdot[k] * ph_calM(r, ph_calM_at(r, k) + a, 6)[i];
    }
    ph_put33(out, n, 0, 3, UO), ph_put33(out, n, 3, 3, OO);
    mirror(out, n);
    if (r->KG)
        ph_second_rate(&b->s, out);
}

/* C = Mdot + W(v) by zetadot - its transposed + transport of p, and Udot = R^T xddot - Omega x U (X18) */
static void damping(const body *b, const double *W, double *C)
{
    int f = b->f, n = b->n;
    double v[N], p[N];
    velocity(b, v);
    apply(n, b->M, v, p);
    mass_rate(b, C);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f; k++)
            C[i * n + 6 + k] += W[i * f + k], C[(6 + k) * n + i] -= W[i * f + k];
    for (int k = 0; k < f; k++)
        for (int l = 0; l < f; l++)
            C[(6 + k) * n + 6 + l] += b->r->Df[k * f + l];
    ph_mat3 P = ph_tilde(ph_scale(-1, ph_load3(p))), Pi = ph_tilde(ph_scale(-1, ph_load3(p + 3)));
    add3(C, n, 0, 3, P), add3(C, n, 3, 0, P), add3(C, n, 3, 3, Pi);
    add_transport(b, b->M, n, C, n);
    for (int i = 0; i < n; i++) { /* a^T tilde(x) = (a x x)^T */
        ph_vec3 a = ph_load3(b->M + i * n);
        ph_add3(C + i * n, ph_cross(b->w, a));
        ph_add3(C + i * n + 3, ph_cross(a, b->U));
    }
}

/* The columns of zeta, n x f (X19) */
static void stiffness(const body *b, const double *y, const double *W, double *K)
{
    const ph_reduced *r = b->r;
    int f = b->f;
    double moment[3 * F], v[N], gb[3];
    ph_mat3 G[F];
    mass_slope(b, y, K);
    add_transport(b, W, f, K, f);
    spin_slopes(r, b->zdot, G);
    first_moment(b, moment);
    for (int l = 0; l < f; l++) { /* d(W(v))/dz zetadot, and turning by gravity */
        ph_vec3 down = ph_add(ph_mul(G[l], b->w), ph_cross(b->gb, ph_column_of(moment, f, l)));
        K[3 * f + l] += down.x, K[4 * f + l] += down.y, K[5 * f + l] += down.z;
    }
    for (int k = 0; k < f; k++) /* -1/2 v^T d^2M/dz_k dz_l v */
        for (int l = 0; l < f; l++)
            K[(6 + k) * f + l] += r->Kf[k * f + l] -
                                  ph_dot(b->w, ph_mul(ph_calM3(r, ph_calM_at(r, k), ph_calM_at(r, l)), b->w));
    if (!r->KG)
        return;
    ph_store3(gb, b->gb);
    ph_second_add_KG(r, PH_KG_MOVES, 3, gb, K + 6 * f); /* gravity on N_t */
    velocity(b, v);
    ph_second_stiffness(&b->s, v, K);
}

/* The columns of phi, n x 3: U, R^T xddot and gb turn (X20) */
static void turned(const ph_modal_site *s, const body *b, const double *C, double *out)
{
    int n = b->n;
    double slope[3 * F];
    ph_vec3 S = first_moment(b, slope), a = ph_tmul(s->k.R, s->a);
    for (int i = 0; i < n; i++) {
        ph_vec3 row = ph_add(ph_cross(ph_load3(C + i * n), b->U), ph_cross(ph_load3(b->M + i * n), a));
        if (i >= 6)
            row = ph_sub(row, ph_cross(ph_column_of(slope, b->f, i - 6), b->gb));
        ph_store3(out + 3 * i, row);
    }
    add3(out, 3, 0, 0, ph_tilde(ph_scale(-*ph_calM(b->r, 0, 0), b->gb)));
    add3(out, 3, 3, 0, ph_mscale(-1, ph_tilde2(S, b->gb)));
}

/* ---- physical coordinates ------------------------------------------------------------------------- */

/* The first three rows times R */
static void turn_rows(ph_mat3 R, int n, double *A)
{
    for (int j = 0; j < n; j++) {
        ph_vec3 a = ph_mul(R, ph_v3(A[j], A[n + j], A[2 * n + j]));
        A[j] = a.x, A[n + j] = a.y, A[2 * n + j] = a.z;
    }
}

/* S A S^T, S = diag(R, I) */
static void turn_both(ph_mat3 R, int n, double *A)
{
    turn_rows(R, n, A);
    for (int i = 0; i < n; i++)
        ph_store3(A + i * n, ph_mul(R, ph_load3(A + i * n)));
}

void ph_modal_M(const ph_modal_site *s, double *M)
{
    body b;
    body_of(s, &b);
    memcpy(M, b.M, sizeof(double) * (size_t)(b.n * b.n));
    turn_both(s->k.R, b.n, M);
}

void ph_modal_g(const ph_modal_site *s, double *g)
{
    body b;
    double v[N], y[N], W[N * F];
    body_of(s, &b);
    velocity(&b, v);
    mass_slope(&b, v, W);
    acceleration(s, &b, 0, y);
    residual(&b, y, W, g);
    turn_rows(s->k.R, 1, g);
}

void ph_modal_C(const ph_modal_site *s, double *C)
{
    body b;
    double v[N], W[N * F];
    body_of(s, &b);
    velocity(&b, v);
    mass_slope(&b, v, W);
    damping(&b, W, C);
    turn_both(s->k.R, b.n, C);
}

void ph_modal_K(const ph_modal_site *s, double *K)
{
    body b;
    double v[N], y[N], r[N], W[N * F], C[N * N], turn[3 * N], zeta[N * F];
    body_of(s, &b);
    int f = b.f, n = b.n;
    velocity(&b, v);
    mass_slope(&b, v, W);
    acceleration(s, &b, 1, y);
    residual(&b, y, W, r);
    damping(&b, W, C);
    turned(s, &b, C, turn);
    add3(turn, 3, 0, 0, ph_tilde(ph_scale(-1, ph_load3(r)))); /* R r turns with R */
    stiffness(&b, y, W, zeta);
    for (int i = 0; i < n; i++) {
        ph_store3(K + i * n, ph_v3(0, 0, 0));
        memcpy(K + i * n + 3, turn + 3 * i, sizeof(double) * 3);
        memcpy(K + i * n + 6, zeta + i * f, sizeof(double) * (size_t)f);
    }
    turn_rows(s->k.R, n, K);
}

double ph_modal_kinetic(const ph_modal_site *s)
{
    body b;
    double v[N], p[N], T = 0;
    body_of(s, &b);
    velocity(&b, v);
    apply(b.n, b.M, v, p);
    for (int i = 0; i < b.n; i++)
        T += 0.5 * v[i] * p[i];
    return T;
}

double ph_modal_potential(const ph_modal_site *s)
{
    body b;
    double slope[3 * F], V = 0;
    body_of(s, &b);
    for (int k = 0; k < b.f; k++)
        for (int l = 0; l < b.f; l++)
            V += 0.5 * b.z[k] * b.r->Kf[k * b.f + l] * b.z[l];
    ph_vec3 S = ph_mul(s->k.R, first_moment(&b, slope));
    return V - ph_dot(s->gravity, ph_add(ph_scale(*ph_calM(b.r, 0, 0), s->k.x), S));
}
