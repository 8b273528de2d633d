/* Flexible bodies of a few modes: their equations, in physical coordinates.
 *
 * In body components, v = (U, Omega, zetadot), the mass matrix is a polynomial of zeta, M + M_2 (X10-X12):
 *
 *   M_UO = calM_t0 + sum_k z_k calM_tk,   M_Uf = calM_tf,   M_Of = calM_0f + sum_k z_k calM_kf
 *   M_OO = calM_00 + sum_k z_k (calM_0k + calM_k0) + sum_kl z_k z_l calM_kl
 *   M_2 = Q^T J Q - E^T J E,   Q = E + J^-1 H,   J E = L, the first six rows of calM Lam
 *
 * with 0 the columns of Omega, k those of zeta_k Omega, z = zeta; J the inertia of the undeformed body, E v its mean
 * velocity, and h = H v = (Ndot_t + Omega x N_t, Ndot_r + S Omega/2) the momentum of displacements of second order,
 * from the work that unit loads do on them. All that follows needs their slopes
 *
 *   A_k = calM_tk,   G_k = calM_0k + calM_k0 + sum_l z_l (calM_lk + calM_kl),   B_k = calM_kf,   H_k, L_k: of H, L    (X13)
 *   W(y) = d(M y)/dz:  columns (A_k y_O;  A_k^T y_U + G_k y_O + B_k y_f;  B_k^T y_O) + those of M_2                   (X14)
 *     of M_2: H_k^T Q y + Q^T H_k y + L_k^T D y + D^T L_k y,   D = J^-1 H
 *
 * and those of G_k and H_k, which are constant. Hamel's equations, p = M v:
 *
 *   r = M vdot + W(v) zetadot + (Omega x P;  Omega x Pi + U x P;  -1/2 W(v)^T v + Kf z + Df zetadot) - gravity         (X15)
 *   gravity = (m gb;  S1 x gb;  S1'^T gb),   gb = R^T gamma,   S1 = S0 + S_f z + N_t                                   (X16)
 *
 * Physical coordinates: U = R^T xdot, Udot = R^T xddot - Omega x U, and the first three rows of r times R (X17). */
#include "mech/modal.h"

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
    /* where there are displacements of second order */
    double Nt[3 * F], Nr[3 * F], Sk[6 * F]; /* slopes of N_t, N_r and of the six numbers of S */
    double J[36], Ji[36];                   /* inertia of the undeformed body, and its inverse */
    double Q[6 * N], D[6 * N];              /* E + J^-1 H, J^-1 H */
} body;

/* ---- quadratic functions of zeta ------------------------------------------------------------------ */

static const double *calM(const ph_reduced *r, int row, int col)
{
    return r->calM + (size_t)row * (size_t)(6 + 4 * r->modes) + (size_t)col;
}

/* Where the columns of zeta_k Omega start. */
static int turning(const ph_reduced *r, int k)
{
    return 6 + r->modes + 3 * k;
}

static ph_mat3 calM3(const ph_reduced *r, int row, int col)
{
    const double *a = calM(r, row, col), *b = calM(r, row + 1, col), *c = calM(r, row + 2, col);
    return (ph_mat3){a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]};
}

/* out (cases x f) = d(f_c . w)/dz = -KG_c z, of cases from first on (X2) */
static void slopes(const ph_reduced *r, int first, int cases, const double *z, double *out)
{
    int f = r->modes;
    memset(out, 0, sizeof(double) * (size_t)(cases * f));
    for (int c = 0; c < cases && r->KG; c++)
        for (int k = 0; k < f; k++) {
            const double *row = ph_reduced_KG(r, first + c) + k * f;
            for (int l = 0; l < f; l++)
                out[c * f + k] -= row[l] * z[l];
        }
}

static ph_vec3 column(const double *a, int f, int k)
{
    return ph_v3(a[k], a[f + k], a[2 * f + k]);
}

/* S/2: x^T (S/2) x = xx s_0 + yy s_1 + zz s_2 + yz s_3 + zx s_4 + xy s_5, what six loads of spinning do */
static ph_mat3 spins(const double *s, int stride)
{
    double x = s[0], y = s[stride], z = s[2 * stride];
    double yz = s[3 * stride] / 2, zx = s[4 * stride] / 2, xy = s[5 * stride] / 2;
    return (ph_mat3){x, xy, zx, xy, y, yz, zx, yz, z};
}

/* G_k = sum_l z_l (calM_lk + calM_kl): what is linear in zeta of dM_OO/dz_k */
static void spin_slopes(const ph_reduced *r, const double *z, ph_mat3 *G)
{
    for (int k = 0; k < r->modes; k++) {
        ph_mat3 Q = {0};
        for (int l = 0; l < r->modes; l++)
            Q = ph_madd(Q, ph_mscale(z[l], calM3(r, turning(r, l), turning(r, k))));
        G[k] = ph_madd(Q, ph_transpose(Q));
    }
}

static void put3(double *M, int n, int row, int col, ph_mat3 A)
{
    ph_store3(M + row * n + col, ph_v3(A.xx, A.xy, A.xz));
    ph_store3(M + (row + 1) * n + col, ph_v3(A.yx, A.yy, A.yz));
    ph_store3(M + (row + 2) * n + col, ph_v3(A.zx, A.zy, A.zz));
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
    ph_mat3 UO = calM3(r, 0, 3), OO = calM3(r, 3, 3);
    for (int k = 0; k < f; k++) {
        UO = ph_madd(UO, ph_mscale(b->z[k], b->A[k]));
        OO = ph_madd(OO, ph_mscale(b->z[k], ph_msub(b->G[k], ph_mscale(0.5, spin[k]))));
    }
    put3(b->M, n, 0, 0, calM3(r, 0, 0)), put3(b->M, n, 0, 3, UO), put3(b->M, n, 3, 3, OO);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < f; i++) {
            double turn = calM(r, 3 + a, 6)[i];
            for (int k = 0; k < f; k++)
                turn += b->z[k] * calM(r, turning(r, k) + a, 6)[i];
            b->M[a * n + 6 + i] = calM(r, a, 6)[i];
            b->M[(3 + a) * n + 6 + i] = turn;
        }
    for (int i = 0; i < f; i++)
        memcpy(b->M + (6 + i) * n + 6, calM(r, 6 + i, 6), sizeof(double) * (size_t)f);
    mirror(b->M, n);
}

/* ---- displacements of second order --------------------------------------------------------------- */

/* y (m) = A x, A m x n */
static void times(int m, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

/* H (6 x n) at z, or, as what is quadratic counts whole, its rate along z: half = 1 or 2 halves */
static void momentum_of(const body *b, const double *Nt, const double *Nr, const double *Sk, double half,
                        double *H)
{
    int f = b->f, n = b->n;
    const double *z = b->z;
    ph_vec3 N_t = ph_v3(0, 0, 0);
    double s[6] = {0};
    memset(H, 0, sizeof(double) * (size_t)(6 * n));
    for (int k = 0; k < f; k++) {
        N_t = ph_add(N_t, ph_scale(half * z[k], column(Nt, f, k)));
        for (int c = 0; c < 6; c++)
            s[c] += half * z[k] * Sk[c * f + k];
    }
    put3(H, n, 0, 3, ph_tilde(ph_scale(-1, N_t)));
    put3(H, n, 3, 3, spins(s, 1));
    for (int a = 0; a < 3; a++) {
        memcpy(H + a * n + 6, Nt + a * f, sizeof(double) * (size_t)f);
        memcpy(H + (3 + a) * n + 6, Nr + a * f, sizeof(double) * (size_t)f);
    }
}

/* out (6 x n) += sum_k x_k L_k: what zeta_k adds to L, columns of Omega */
static void add_turning(const body *b, const double *x, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int a = 0; a < 6; a++)
            for (int i = 0; i < 3; i++)
                out[a * b->n + 3 + i] += x[k] * calM(b->r, a, turning(b->r, k))[i];
}

/* D = J^-1 H, Q = E + D with J E = L, the first six rows of calM Lam; M += Q^T J Q - E^T J E = D^T L + Q^T H */
static void add_second_order(body *b)
{
    const ph_reduced *r = b->r;
    int n = b->n;
    double H[6 * N], L[6 * N], h[6], q[6];
    slopes(r, PH_KG_MOVES, 3, b->z, b->Nt);
    slopes(r, PH_KG_TURNS, 3, b->z, b->Nr);
    slopes(r, PH_KG_SPINS, 6, b->z, b->Sk);
    for (int i = 0; i < 6; i++) {
        memcpy(b->J + 6 * i, calM(r, i, 0), sizeof(double) * 6);
        memcpy(L + i * n, calM(r, i, 0), sizeof(double) * (size_t)n);
    }
    if (!ph_small_inverse(6, b->J, b->Ji))
        memset(b->Ji, 0, sizeof b->Ji); /* a body without inertia is refused where it is read */
    add_turning(b, b->z, L);
    momentum_of(b, b->Nt, b->Nr, b->Sk, 0.5, H);
    for (int j = 0; j < n; j++)
        for (int with = 0; with < 2; with++) {
            for (int i = 0; i < 6; i++)
                h[i] = H[i * n + j] + with * L[i * n + j];
            times(6, 6, b->Ji, h, q);
            for (int i = 0; i < 6; i++)
                (with ? b->Q : b->D)[i * n + j] = q[i];
        }
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b->M[i * n + j] += b->D[c * n + i] * L[c * n + j] + b->Q[c * n + i] * H[c * n + j];
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
        ph_mat3 both = calM3(r, 3, turning(r, k));
        b->A[k] = calM3(r, 0, turning(r, k));
        b->G[k] = ph_madd(ph_madd(both, ph_transpose(both)), spin[k]);
    }
    mass(b, spin);
    if (r->KG)
        add_second_order(b);
    else
        memset(b->Nt, 0, sizeof(double) * (size_t)(3 * f));
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

/* out (f x f, rows ld apart) += sum_c x_c KG_c, of cases from first on */
static void add_KG(const ph_reduced *r, int first, int cases, const double *x, double *out, int ld)
{
    int f = r->modes;
    for (int c = 0; c < cases && r->KG; c++) {
        const double *a = ph_reduced_KG(r, first + c);
        for (int i = 0; i < f; i++)
            for (int j = 0; j < f; j++)
                out[i * ld + j] += x[c] * a[i * f + j];
    }
}

static void put_column(double *W, int f, int row, int k, ph_vec3 a)
{
    W[row * f + k] = a.x, W[(row + 1) * f + k] = a.y, W[(row + 2) * f + k] = a.z;
}

/* a_k = H_k y, 6 x f; E, B: slopes of N_t and N_r along y_f */
static void momentum_slopes(const body *b, const double *y, double *a)
{
    int f = b->f;
    double E[3 * F], B[3 * F];
    ph_vec3 w = ph_load3(y + 3);
    slopes(b->r, PH_KG_MOVES, 3, y + 6, E);
    slopes(b->r, PH_KG_TURNS, 3, y + 6, B);
    for (int k = 0; k < f; k++) {
        put_column(a, f, 0, k, ph_add(ph_cross(w, column(b->Nt, f, k)), column(E, f, k)));
        put_column(a, f, 3, k, ph_add(ph_mul(spins(b->Sk + k, f), w), column(B, f, k)));
    }
}

/* Columns k of out (n x f) += H_k^T s */
static void add_pull(const body *b, const double *s, double *out)
{
    int f = b->f;
    double minus[6];
    ph_vec3 t = ph_load3(s), r = ph_load3(s + 3);
    for (int k = 0; k < f; k++) {
        ph_vec3 turn = ph_add(ph_cross(column(b->Nt, f, k), t), ph_mul(spins(b->Sk + k, f), r));
        out[3 * f + k] += turn.x, out[4 * f + k] += turn.y, out[5 * f + k] += turn.z;
    }
    for (int i = 0; i < 6; i++)
        minus[i] = -s[i];
    add_KG(b->r, PH_KG_MOVES, 6, minus, out + 6 * f, f); /* cases of moving, then those of turning */
}

/* Columns k of out (n x f) += L_k^T x */
static void add_turning_pull(const body *b, const double *x, double *out)
{
    int f = b->f;
    for (int k = 0; k < f; k++)
        for (int a = 0; a < 6; a++)
            for (int i = 0; i < 3; i++)
                out[(3 + i) * f + k] += calM(b->r, a, turning(b->r, k))[i] * x[a];
}

/* L_k y, 6 x f */
static void turning_slopes(const body *b, const double *y, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int a = 0; a < 6; a++) {
            const double *c = calM(b->r, a, turning(b->r, k));
            out[a * b->f + k] = c[0] * y[3] + c[1] * y[4] + c[2] * y[5];
        }
}

/* out (n x f) += X^T a, X 6 x n, a 6 x f */
static void add_product(const body *b, const double *X, const double *a, double *out)
{
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < b->n; i++)
            for (int k = 0; k < b->f; k++)
                out[i * b->f + k] += X[c * b->n + i] * a[c * b->f + k];
}

/* W(y) = d(M y)/dz, n x f (X14) */
static void mass_slope(const body *b, const double *y, double *W)
{
    const ph_reduced *r = b->r;
    int f = b->f;
    ph_vec3 U = ph_load3(y), w = ph_load3(y + 3);
    for (int k = 0; k < f; k++) {
        const double *c = calM(r, turning(r, k), 6), *d = calM(r, turning(r, k) + 1, 6),
                     *e = calM(r, turning(r, k) + 2, 6);
        ph_vec3 turn = ph_v3(0, 0, 0);
        for (int i = 0; i < f; i++) {
            turn = ph_add(turn, ph_v3(c[i] * y[6 + i], d[i] * y[6 + i], e[i] * y[6 + i]));
            W[(6 + i) * f + k] = w.x * c[i] + w.y * d[i] + w.z * e[i];
        }
        put_column(W, f, 0, k, ph_mul(b->A[k], w));
        put_column(W, f, 3, k, ph_add(ph_add(ph_tmul(b->A[k], U), ph_mul(b->G[k], w)), turn));
    }
    if (!r->KG)
        return;
    double s[6], a[6 * F];
    times(6, b->n, b->Q, y, s);
    momentum_slopes(b, y, a);
    add_pull(b, s, W);
    add_product(b, b->Q, a, W);
    times(6, b->n, b->D, y, s);
    turning_slopes(b, y, a);
    add_turning_pull(b, s, W);
    add_product(b, b->D, a, W);
}

/* ---- the equations -------------------------------------------------------------------------------- */

/* S1 and its slope S_f + N_t', 3 x f (X16) */
static ph_vec3 first_moment(const body *b, double *slope)
{
    const ph_reduced *r = b->r;
    ph_vec3 S = ph_v3(*calM(r, 1, 5), *calM(r, 2, 3), *calM(r, 0, 4)); /* calM_t0 = -tilde(S0) */
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < b->f; k++)
            slope[a * b->f + k] = calM(r, a, 6)[k] + b->Nt[a * b->f + k];
    for (int k = 0; k < b->f; k++) { /* N_t is half of N_t' z */
        ph_vec3 half = ph_scale(0.5, column(b->Nt, b->f, k));
        S = ph_add(S, ph_scale(b->z[k], ph_sub(column(slope, b->f, k), half)));
    }
    return S;
}

static void add_gravity(const body *b, double *r)
{
    double slope[3 * F];
    ph_vec3 S = first_moment(b, slope);
    ph_add3(r, ph_scale(-*calM(b->r, 0, 0), b->gb));
    ph_add3(r + 3, ph_cross(b->gb, S));
    for (int k = 0; k < b->f; k++)
        r[6 + k] -= ph_dot(column(slope, b->f, k), b->gb);
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

/* Hdot (6 x n), along zetadot */
static void momentum_rate(const body *b, double *H)
{
    double Nt[3 * F], Nr[3 * F], Sk[6 * F];
    slopes(b->r, PH_KG_MOVES, 3, b->zdot, Nt);
    slopes(b->r, PH_KG_TURNS, 3, b->zdot, Nr);
    slopes(b->r, PH_KG_SPINS, 6, b->zdot, Sk);
    momentum_of(b, Nt, Nr, Sk, 1, H);
}

/* Mdot = sum_k zdot_k dM/dz_k, of which M_2 has Hdot^T Q + Ldot^T D and its transposed */
static void mass_rate(const body *b, double *out)
{
    const ph_reduced *r = b->r;
    int f = b->f, n = b->n;
    double H[6 * N], L[6 * N] = {0};
    ph_mat3 UO = {0}, OO = {0};
    memset(out, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < f; k++) {
        UO = ph_madd(UO, ph_mscale(b->zdot[k], b->A[k]));
        OO = ph_madd(OO, ph_mscale(b->zdot[k], b->G[k]));
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < f; i++)
                out[(3 + a) * n + 6 + i] += b->zdot[k] * calM(r, turning(r, k) + a, 6)[i];
    }
    put3(out, n, 0, 3, UO), put3(out, n, 3, 3, OO);
    mirror(out, n);
    if (!r->KG)
        return;
    momentum_rate(b, H);
    add_turning(b, b->zdot, L);
    for (int c = 0; c < 6 * n; c += n)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                out[i * n + j] += H[c + i] * b->Q[c + j] + b->Q[c + i] * H[c + j] + L[c + i] * b->D[c + j] +
                                  b->D[c + i] * L[c + j];
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

/* J^-1 a, column by column, 6 x f */
static void invert(const body *b, const double *a, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int i = 0; i < 6; i++) {
            out[i * b->f + k] = 0;
            for (int j = 0; j < 6; j++)
                out[i * b->f + k] += b->Ji[6 * i + j] * a[j * b->f + k];
        }
}

/* Of M_2: -1/2 v^T d^2M/dz_k dz_l v, to K (n x f); s = Q v, a = H_k v, Lv = L_k v */
static void add_second_energy(const body *b, const double *s, const double *a, const double *Ja,
                              const double *Lv, const double *JL, double *K)
{
    int f = b->f;
    double txw[3];
    ph_vec3 t = ph_load3(s), m = ph_load3(s + 3), w = b->w;
    const double w2[6] = {m.x * w.x,
                          m.y * w.y,
                          m.z * w.z,
                          (m.y * w.z + m.z * w.y) / 2,
                          (m.z * w.x + m.x * w.z) / 2,
                          (m.x * w.y + m.y * w.x) / 2};
    for (int c = 0; c < 6 * f; c += f)
        for (int k = 0; k < f; k++)
            for (int l = 0; l < f; l++)
                K[(6 + k) * f + l] -= a[c + k] * (Ja[c + l] + JL[c + l]) + Lv[c + k] * Ja[c + l];
    ph_store3(txw, ph_cross(t, w));
    add_KG(b->r, PH_KG_MOVES, 3, txw, K + 6 * f, f);
    add_KG(b->r, PH_KG_SPINS, 6, w2, K + 6 * f, f);
}

/* Of M_2: d(W(v) zetadot)/dz and the second derivatives of the energy, to K (n x f) */
static void add_second_slopes(const body *b, const double *v, double *K)
{
    int f = b->f, n = b->n;
    double s[6], hd[6], ld[6], x[6], a[6 * F], Ja[6 * F], Lv[6 * F], JL[6 * F], rest[6 * F];
    double Hd[6 * N], Ld[6 * N] = {0}, n_l[3 * F], S_l[6 * F];
    times(6, n, b->Q, v, s);
    momentum_slopes(b, v, a), invert(b, a, Ja);
    turning_slopes(b, v, Lv), invert(b, Lv, JL);
    add_second_energy(b, s, a, Ja, Lv, JL, K);
    momentum_rate(b, Hd), times(6, n, Hd, v, hd);
    add_turning(b, b->zdot, Ld), times(6, n, Ld, v, ld);
    slopes(b->r, PH_KG_MOVES, 3, b->zdot, n_l);
    slopes(b->r, PH_KG_SPINS, 6, b->zdot, S_l);
    for (int l = 0; l < f; l++) { /* Hd_l^T s and Hd_l v of the slope Hd_l of Hdot */
        ph_mat3 S = spins(S_l + l, f);
        ph_vec3 turn = ph_add(ph_cross(column(n_l, f, l), ph_load3(s)), ph_mul(S, ph_load3(s + 3)));
        K[3 * f + l] += turn.x, K[4 * f + l] += turn.y, K[5 * f + l] += turn.z;
        put_column(rest, f, 0, l, ph_cross(b->w, column(n_l, f, l)));
        put_column(rest, f, 3, l, ph_mul(S, b->w));
    }
    add_product(b, b->Q, rest, K);
    add_product(b, Ld, Ja, K);
    for (int i = 0; i < 6 * f; i++)
        JL[i] += Ja[i];
    add_product(b, Hd, JL, K);
    times(6, 6, b->Ji, hd, x);
    add_turning_pull(b, x, K);
    for (int i = 0; i < 6; i++)
        ld[i] += hd[i];
    times(6, 6, b->Ji, ld, x);
    add_pull(b, x, K);
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
        ph_vec3 down = ph_add(ph_mul(G[l], b->w), ph_cross(b->gb, column(moment, f, l)));
        K[3 * f + l] += down.x, K[4 * f + l] += down.y, K[5 * f + l] += down.z;
    }
    for (int k = 0; k < f; k++) /* -1/2 v^T d^2M/dz_k dz_l v */
        for (int l = 0; l < f; l++)
            K[(6 + k) * f + l] +=
                r->Kf[k * f + l] - ph_dot(b->w, ph_mul(calM3(r, turning(r, k), turning(r, l)), b->w));
    if (!r->KG)
        return;
    ph_store3(gb, b->gb);
    add_KG(r, PH_KG_MOVES, 3, gb, K + 6 * f, f); /* gravity on N_t */
    velocity(b, v);
    add_second_slopes(b, v, K);
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
            row = ph_sub(row, ph_cross(column(slope, b->f, i - 6), b->gb));
        ph_store3(out + 3 * i, row);
    }
    add3(out, 3, 0, 0, ph_tilde(ph_scale(-*calM(b->r, 0, 0), b->gb)));
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
    return V - ph_dot(s->gravity, ph_add(ph_scale(*calM(b.r, 0, 0), s->k.x), S));
}
