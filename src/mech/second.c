/* Displacements of second order of flexible bodies (X11-X14, X19).
 *
 *   M_2 = Q^T J Q - E^T J E,   Q = E + D,   D = J^-1 H,   J E = L, the first six rows of calM Lam
 *   H v = (Ndot_t + Omega x N_t, Ndot_r + S Omega/2)
 *   dM_2/dz_k y = H_k^T Q y + Q^T H_k y + L_k^T D y + D^T L_k y */
#include "mech/second.h"

#include <string.h>

enum { N = PH_MODAL_MAX, F = PH_MODES_MAX };

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

/* S/2: x^T (S/2) x = xx s_0 + yy s_1 + zz s_2 + yz s_3 + zx s_4 + xy s_5, what six loads of spinning do */
static ph_mat3 spins(const double *s, int stride)
{
    double x = s[0], y = s[stride], z = s[2 * stride];
    double yz = s[3 * stride] / 2, zx = s[4 * stride] / 2, xy = s[5 * stride] / 2;
    return (ph_mat3){x, xy, zx, xy, y, yz, zx, yz, z};
}

/* y (m) = A x, A m x n */
static void times(int m, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

/* H (6 x n) from slopes at zeta, half = 0.5, or its rate from those at zetadot, half = 1: N_t and S are
 * quadratic */
static void momentum_of(const ph_second *b, const double *Nt, const double *Nr, const double *Sk, double half,
                        double *H)
{
    int f = b->f, n = b->n;
    const double *z = b->z;
    ph_vec3 N_t = ph_v3(0, 0, 0);
    double s[6] = {0};
    memset(H, 0, sizeof(double) * (size_t)(6 * n));
    for (int k = 0; k < f; k++) {
        N_t = ph_add(N_t, ph_scale(half * z[k], ph_column_of(Nt, f, k)));
        for (int c = 0; c < 6; c++)
            s[c] += half * z[k] * Sk[c * f + k];
    }
    ph_put33(H, n, 0, 3, ph_tilde(ph_scale(-1, N_t)));
    ph_put33(H, n, 3, 3, spins(s, 1));
    for (int a = 0; a < 3; a++) {
        memcpy(H + a * n + 6, Nt + a * f, sizeof(double) * (size_t)f);
        memcpy(H + (3 + a) * n + 6, Nr + a * f, sizeof(double) * (size_t)f);
    }
}

/* out (6 x n) += sum_k x_k L_k: what zeta_k adds to L, columns of Omega */
static void add_turning(const ph_second *b, const double *x, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int a = 0; a < 6; a++)
            for (int i = 0; i < 3; i++)
                out[a * b->n + 3 + i] += x[k] * ph_calM(b->r, a, ph_calM_at(b->r, k))[i];
}

/* D = J^-1 H, Q = E + D with J E = L, the first six rows of calM Lam; M += Q^T J Q - E^T J E = D^T L + Q^T
 * H */
void ph_second_open(ph_second *b, const ph_reduced *r, const double *z, const double *zdot, double *M)
{
    int n = 6 + r->modes;
    double H[6 * N], L[6 * N], h[6], q[6];
    b->r = r, b->f = r->modes, b->n = n, b->z = z, b->zdot = zdot;
    slopes(r, PH_KG_MOVES, 3, b->z, b->Nt);
    slopes(r, PH_KG_TURNS, 3, b->z, b->Nr);
    slopes(r, PH_KG_SPINS, 6, b->z, b->Sk);
    for (int i = 0; i < 6; i++) {
        memcpy(b->J + 6 * i, ph_calM(r, i, 0), sizeof(double) * 6);
        memcpy(L + i * n, ph_calM(r, i, 0), sizeof(double) * (size_t)n);
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
                M[i * n + j] += b->D[c * n + i] * L[c * n + j] + b->Q[c * n + i] * H[c * n + j];
}

void ph_second_add_KG(const ph_reduced *r, int first, int cases, const double *x, double *out)
{
    int f = r->modes;
    for (int c = 0; c < cases && r->KG; c++) {
        const double *a = ph_reduced_KG(r, first + c);
        for (int i = 0; i < f; i++)
            for (int j = 0; j < f; j++)
                out[i * f + j] += x[c] * a[i * f + j];
    }
}

/* a_k = H_k y, 6 x f; E, B: slopes of N_t and N_r at y_f */
static void momentum_slopes(const ph_second *b, const double *y, double *a)
{
    int f = b->f;
    double E[3 * F], B[3 * F];
    ph_vec3 w = ph_load3(y + 3);
    slopes(b->r, PH_KG_MOVES, 3, y + 6, E);
    slopes(b->r, PH_KG_TURNS, 3, y + 6, B);
    for (int k = 0; k < f; k++) {
        ph_put_column(a, f, 0, k, ph_add(ph_cross(w, ph_column_of(b->Nt, f, k)), ph_column_of(E, f, k)));
        ph_put_column(a, f, 3, k, ph_add(ph_mul(spins(b->Sk + k, f), w), ph_column_of(B, f, k)));
    }
}

/* Columns k of out (n x f) += H_k^T s */
static void add_pull(const ph_second *b, const double *s, double *out)
{
    int f = b->f;
    double minus[6];
    ph_vec3 t = ph_load3(s), r = ph_load3(s + 3);
    for (int k = 0; k < f; k++) {
        ph_vec3 turn = ph_add(ph_cross(ph_column_of(b->Nt, f, k), t), ph_mul(spins(b->Sk + k, f), r));
        out[3 * f + k] += turn.x, out[4 * f + k] += turn.y, out[5 * f + k] += turn.z;
    }
    for (int i = 0; i < 6; i++)
        minus[i] = -s[i];
    ph_second_add_KG(b->r, PH_KG_MOVES, 6, minus, out + 6 * f); /* cases of moving, then those of turning */
}

/* Columns k of out (n x f) += L_k^T x */
static void add_turning_pull(const ph_second *b, const double *x, double *out)
{
    int f = b->f;
    for (int k = 0; k < f; k++)
        for (int a = 0; a < 6; a++)
            for (int i = 0; i < 3; i++)
                out[(3 + i) * f + k] += ph_calM(b->r, a, ph_calM_at(b->r, k))[i] * x[a];
}

/* L_k y, 6 x f */
static void turning_slopes(const ph_second *b, const double *y, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int a = 0; a < 6; a++) {
            const double *c = ph_calM(b->r, a, ph_calM_at(b->r, k));
            out[a * b->f + k] = c[0] * y[3] + c[1] * y[4] + c[2] * y[5];
        }
}

/* out (n x f) += X^T a, X 6 x n, a 6 x f */
static void add_product(const ph_second *b, const double *X, const double *a, double *out)
{
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < b->n; i++)
            for (int k = 0; k < b->f; k++)
                out[i * b->f + k] += X[c * b->n + i] * a[c * b->f + k];
}

void ph_second_slope(const ph_second *b, const double *y, double *W)
{
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

/* Hdot (6 x n), along zetadot */
static void momentum_rate(const ph_second *b, double *H)
{
    double Nt[3 * F], Nr[3 * F], Sk[6 * F];
    slopes(b->r, PH_KG_MOVES, 3, b->zdot, Nt);
    slopes(b->r, PH_KG_TURNS, 3, b->zdot, Nr);
    slopes(b->r, PH_KG_SPINS, 6, b->zdot, Sk);
    momentum_of(b, Nt, Nr, Sk, 1, H);
}

/* Hdot^T Q + Ldot^T D and its transposed */
void ph_second_rate(const ph_second *b, double *Mdot)
{
    int n = b->n;
    double H[6 * N], L[6 * N] = {0};
    momentum_rate(b, H);
    add_turning(b, b->zdot, L);
    for (int c = 0; c < 6 * n; c += n)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                Mdot[i * n + j] += H[c + i] * b->Q[c + j] + b->Q[c + i] * H[c + j] + L[c + i] * b->D[c + j] +
                                   b->D[c + i] * L[c + j];
}

/* J^-1 a, column by column, 6 x f */
static void invert(const ph_second *b, const double *a, double *out)
{
    for (int k = 0; k < b->f; k++)
        for (int i = 0; i < 6; i++) {
            out[i * b->f + k] = 0;
            for (int j = 0; j < 6; j++)
                out[i * b->f + k] += b->Ji[6 * i + j] * a[j * b->f + k];
        }
}

/* The term of M_2: -1/2 v^T d^2M/dz_k dz_l v, to K (n x f); s = Q v, a = H_k v, Lv = L_k v */
static void add_energy(const ph_second *b, ph_vec3 w, const double *s, const double *a, const double *Ja,
                       const double *Lv, const double *JL, double *K)
{
    int f = b->f;
    double txw[3];
    ph_vec3 t = ph_load3(s), m = ph_load3(s + 3);
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
    ph_second_add_KG(b->r, PH_KG_MOVES, 3, txw, K + 6 * f);
    ph_second_add_KG(b->r, PH_KG_SPINS, 6, w2, K + 6 * f);
}

/* The terms of M_2: d(W(v) zetadot)/dz and the second derivatives of the energy, to K (n x f) */
void ph_second_stiffness(const ph_second *b, const double *v, double *K)
{
    int f = b->f, n = b->n;
    double s[6], hd[6], ld[6], x[6], a[6 * F], Ja[6 * F], Lv[6 * F], JL[6 * F], rest[6 * F];
    double Hd[6 * N], Ld[6 * N] = {0}, n_l[3 * F], S_l[6 * F];
    ph_vec3 w = ph_load3(v + 3);
    times(6, n, b->Q, v, s);
    momentum_slopes(b, v, a), invert(b, a, Ja);
    turning_slopes(b, v, Lv), invert(b, Lv, JL);
    add_energy(b, w, s, a, Ja, Lv, JL, K);
    momentum_rate(b, Hd), times(6, n, Hd, v, hd);
    add_turning(b, b->zdot, Ld), times(6, n, Ld, v, ld);
    slopes(b->r, PH_KG_MOVES, 3, b->zdot, n_l);
    slopes(b->r, PH_KG_SPINS, 6, b->zdot, S_l);
    for (int l = 0; l < f; l++) { /* Hd_l^T s and Hd_l v of the slope Hd_l of Hdot */
        ph_mat3 S = spins(S_l + l, f);
        ph_vec3 turn = ph_add(ph_cross(ph_column_of(n_l, f, l), ph_load3(s)), ph_mul(S, ph_load3(s + 3)));
        K[3 * f + l] += turn.x, K[4 * f + l] += turn.y, K[5 * f + l] += turn.z;
        ph_put_column(rest, f, 0, l, ph_cross(w, ph_column_of(n_l, f, l)));
        ph_put_column(rest, f, 3, l, ph_mul(S, w));
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
