/* Reference values in 113-bit arithmetic: everything from the defining series, nothing from closed forms.
 * Where the machine has no such numbers PH_NO_QUAD is defined, and the tests that need them are left out. */
#ifndef PH_TEST_QUAD_H
#define PH_TEST_QUAD_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include "polhode/lie.h"

#if defined(PH_HAVE_QUAD)
#include <quadmath.h>
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#define sqrtq  sqrtl
#define sinq   sinl
#define cosq   cosl
#define atan2q atan2l
#if LDBL_MANT_DIG != 113
#define PH_NO_QUAD
#endif
#endif

enum { QN = 6, Q_TERMS = 90 }; /* 9^90/91! is 1e-55 */

typedef struct quad_mat {
    quad a[QN][QN];
} quad_mat;

typedef struct quad_vec {
    quad a[QN];
} quad_vec;

static inline quad_vec q_vec(const double *x, int n)
{
    quad_vec v = {{0}};
    for (int i = 0; i < n; i++)
        v.a[i] = x[i];
    return v;
}

static inline quad_mat q_mul(quad_mat A, quad_mat B)
{
    quad_mat C = {{{0}}};
    for (int i = 0; i < QN; i++)
        for (int k = 0; k < QN; k++)
            if (A.a[i][k] != 0)
                for (int j = 0; j < QN; j++)
                    C.a[i][j] += A.a[i][k] * B.a[k][j];
    return C;
}

static inline quad_vec q_mulv(quad_mat A, quad_vec b)
{
    quad_vec c = {{0}};
    for (int i = 0; i < QN; i++)
        for (int k = 0; k < QN; k++)
            c.a[i] += A.a[i][k] * b.a[k];
    return c;
}

/* A + s B */
static inline quad_mat q_add(quad_mat A, quad s, quad_mat B)
{
    for (int i = 0; i < QN; i++)
        for (int j = 0; j < QN; j++)
            A.a[i][j] += s * B.a[i][j];
    return A;
}

static inline quad_mat q_transpose(quad_mat A)
{
    quad_mat B;
    for (int i = 0; i < QN; i++)
        for (int j = 0; j < QN; j++)
            B.a[i][j] = A.a[j][i];
    return B;
}

/* A^-1 by elimination with row exchanges; rows and columns beyond n are left zero */
static inline quad_mat q_inverse(quad_mat A, int n)
{
    quad_mat B = {{{0}}};
    for (int i = 0; i < n; i++)
        B.a[i][i] = 1;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (A.a[i][k] * A.a[i][k] > A.a[p][k] * A.a[p][k])
                p = i;
        for (int j = 0; j < n; j++) {
            quad t = A.a[k][j], u = B.a[k][j];
            A.a[k][j] = A.a[p][j], A.a[p][j] = t;
            B.a[k][j] = B.a[p][j], B.a[p][j] = u;
        }
        quad r = 1 / A.a[k][k];
        for (int j = 0; j < n; j++)
            A.a[k][j] *= r, B.a[k][j] *= r;
        for (int i = 0; i < n; i++) {
            quad m = A.a[i][k];
            for (int j = 0; j < n && i != k; j++)
                A.a[i][j] -= m * A.a[k][j], B.a[i][j] -= m * B.a[k][j];
        }
    }
    return B;
}

/* The block tilde(v) at (row, col) */
static inline void q_tilde(quad_mat *A, int row, int col, const quad *v)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A->a[row + j][col + k] = -v[i], A->a[row + k][col + j] = v[i];
    }
}

/* hat(x), from the brackets of (L12) */
static inline quad_mat q_hat(ph_group g, quad_vec x)
{
    quad_mat H = {{{0}}};
    if (g == PH_SO3)
        q_tilde(&H, 0, 0, x.a);
    if (g == PH_SE3)
        q_tilde(&H, 0, 0, x.a + 3), q_tilde(&H, 0, 3, x.a), q_tilde(&H, 3, 3, x.a + 3);
    if (g == PH_R3XSO3)
        q_tilde(&H, 3, 3, x.a + 3);
    return H;
}

/* sum_i s^i/(i+1)! H^i: T for H = hat(x), s = -1 (L2) */
static inline quad_mat q_phi(quad_mat H, quad s, int n)
{
    quad_mat sum = {{{0}}}, term = {{{0}}};
    for (int i = 0; i < n; i++)
        term.a[i][i] = 1;
    sum = term;
    for (int i = 1; i < Q_TERMS; i++) {
        term = q_add((quad_mat){{{0}}}, s / (i + 1), q_mul(term, H));
        sum = q_add(sum, 1, term);
    }
    return sum;
}

/* sum_i H^i/i! */
static inline quad_mat q_expm(quad_mat H, int n)
{
    quad_mat A = q_mul(H, q_phi(H, 1, n));
    for (int i = 0; i < n; i++)
        A.a[i][i] += 1;
    return A;
}

/* K(v) dx = hat(dx) v, or hat(dx)^T v */
static inline quad_mat q_hat_of(ph_group g, quad_vec v, int n, int transposed)
{
    quad_mat K = {{{0}}};
    for (int j = 0; j < n; j++) {
        quad_vec e = {{0}};
        e.a[j] = 1;
        quad_mat H = q_hat(g, e);
        quad_vec c = q_mulv(transposed ? q_transpose(H) : H, v);
        for (int i = 0; i < n; i++)
            K.a[i][j] = c.a[i];
    }
    return K;
}

/* d(T(x) u)/dx or d(T(x)^T u)/dx, the series differentiated term by term:
 * v_i = H v_{i-1}, D_i = H D_{i-1} + K(v_{i-1}) */
static inline quad_mat q_dT(ph_group g, quad_vec x, quad_vec u, int n, int transposed)
{
    quad_mat H = q_hat(g, x), D = {{{0}}}, sum = {{{0}}};
    if (transposed)
        H = q_transpose(H);
    quad factor = 1;
    for (int i = 1; i < Q_TERMS; i++) {
        D = q_add(q_mul(H, D), 1, q_hat_of(g, u, n, transposed));
        u = q_mulv(H, u);
        factor /= -(i + 1);
        sum = q_add(sum, factor, D);
    }
    return sum;
}

/* T^-1 u = y differentiated: -T^-1 d(T y)/dx at fixed y; the transposed likewise */
static inline quad_mat q_dTinv(ph_group g, quad_vec x, quad_vec u, int n, int transposed)
{
    quad_mat Ti = q_inverse(q_phi(q_hat(g, x), -1, n), n);
    if (transposed)
        Ti = q_transpose(Ti);
    return q_add((quad_mat){{{0}}}, -1, q_mul(Ti, q_dT(g, x, q_mulv(Ti, u), n, transposed)));
}

/* ---- quaternions ---------------------------------------------------------------------------------- */

typedef struct quad_quat {
    quad w, v[3];
} quad_quat;

static inline quad_quat q_qmul(quad_quat a, quad_quat b)
{
    quad_quat c = {a.w * b.w, {0}};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.w -= a.v[i] * b.v[i];
        c.v[i] = a.w * b.v[i] + b.w * a.v[i] + a.v[j] * b.v[k] - a.v[k] * b.v[j];
    }
    return c;
}

static inline quad_quat q_conj(quad_quat a)
{
    return (quad_quat){a.w, {-a.v[0], -a.v[1], -a.v[2]}};
}

static inline quad_quat q_unit(const double *q)
{
    quad n = 0;
    for (int i = 0; i < 4; i++)
        n += (quad)q[i] * q[i];
    n = 1 / sqrtq(n);
    return (quad_quat){n * q[0], {n * q[1], n * q[2], n * q[3]}};
}

/* sum_i (w/2)^i/i! in the quaternions */
static inline quad_quat q_qexp(const quad *w)
{
    quad_quat h = {0, {w[0] / 2, w[1] / 2, w[2] / 2}}, sum = {1, {0}}, term = sum;
    for (int i = 1; i < Q_TERMS; i++) {
        term = q_qmul(term, h);
        term.w /= i, sum.w += term.w;
        for (int k = 0; k < 3; k++)
            term.v[k] /= i, sum.v[k] += term.v[k];
    }
    return sum;
}

/* The angle is 2 atan2(|v|, |q0|), about v or -v */
static inline void q_qlog(quad_quat q, quad *w)
{
    quad n = sqrtq(q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]), s = q.w < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        w[i] = n == 0 ? 0 : s * 2 * atan2q(n, s * q.w) / n * q.v[i];
}

/* Columns are the images of the axes: q e_j q^-1 */
static inline quad_mat q_qmat(quad_quat q)
{
    quad_mat R = {{{0}}};
    for (int j = 0; j < 3; j++) {
        quad_quat e = {0, {j == 0, j == 1, j == 2}}, r = q_qmul(q_qmul(q, e), q_conj(q));
        for (int i = 0; i < 3; i++)
            R.a[i][j] = r.v[i];
    }
    return R;
}

/* ---- comparison ----------------------------------------------------------------------------------- */

/* |A - ref|_F/|ref|_F of the rows x cols block at (r0, c0) of A with leading dimension ld; 0/0 is 0 */
static inline double q_block_error(const double *A, int ld, const quad_mat *ref, int r0, int c0, int rows,
                                   int cols)
{
    quad d = 0, n = 0;
    for (int i = r0; i < r0 + rows; i++)
        for (int j = c0; j < c0 + cols; j++) {
            quad e = A[i * ld + j] - ref->a[i][j];
            d += e * e, n += ref->a[i][j] * ref->a[i][j];
        }
    return d == 0 ? 0 : (double)(sqrtq(d) / sqrtq(n));
}

static inline double q_error(const double *a, const quad *ref, int n)
{
    quad d = 0, m = 0;
    for (int i = 0; i < n; i++) {
        quad e = a[i] - ref[i];
        d += e * e, m += ref[i] * ref[i];
    }
    return d == 0 ? 0 : (double)(sqrtq(d) / sqrtq(m));
}

/* The larger of *worst and error; a NaN stays */
static inline void q_worst(double *worst, double error)
{
    if (!isnan(*worst) && !(error <= *worst))
        *worst = error;
}

#endif
