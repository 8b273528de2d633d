/* Products and inverses of blocks of any size: loops with constant bounds for sizes up to 6. */
#include "la/kernels.h"
#include "la/lines.h"

/* ---- products ------------------------------------------------------------------------------------------- */

/* What becomes of a product L U: C = L U, C = A + L U, C = A - L U, or C = A - L U and M += |L U|. */
typedef enum use { PRODUCT, SUM, REST, REST_AND_SIZE } use;

PH_INLINE double used(use what, double a, double t)
{
    return what == PRODUCT ? t : what == SUM ? a + t : a - t;
}

PH_INLINE line line_used(int n, use what, const double *a, line t)
{
    return what == PRODUCT ? t
           : what == SUM   ? line_add(n, line_load(n, a), t)
                           : line_sub(n, line_load(n, a), t);
}

/* Lines of n <= 6 numbers, p <= 6 of them in U; both are constants. */
PH_INLINE void mul_lines(int p, int n, int m, use what, double *C, double *M, const double *A,
                         const double *L, const double *U)
{
    line u[6];
    for (int k = 0; k < p; k++)
        u[k] = line_load(n, U + k * n);
    for (int i = 0; i < m; i++, L += p) {
        line t = line_scale(n, L[0], u[0]);
        for (int k = 1; k < p; k++)
            t = line_add(n, t, line_scale(n, L[k], u[k]));
        if (what == REST_AND_SIZE)
            line_store(n, M + i * n, line_add(n, line_load(n, M + i * n), line_abs(n, t)));
        line_store(n, C + i * n, what == PRODUCT ? t : line_used(n, what, A + i * n, t));
    }
}

/* Any sizes. */
static void mul_any(int p, int n, int m, use what, double *C, double *M, const double *A, const double *L,
                    const double *U)
{
    for (int i = 0; i < m; i++, L += p)
        for (int j = 0; j < n; j++) {
            int at = i * n + j;
            double t = L[0] * U[j];
            for (int k = 1; k < p; k++)
                t += L[k] * U[k * n + j];
            if (what == REST_AND_SIZE)
                M[at] += fabs(t);
            C[at] = what == PRODUCT ? t : used(what, A[at], t);
        }
}

PH_INLINE void mul_wide(int n, int p, int m, use what, double *C, double *M, const double *A, const double *L,
                        const double *U)
{
    PH_CONSTANT(p, mul_lines, mul_any, n, m, what, C, M, A, L, U);
}

PH_INLINE void mul_wide_any(int n, int p, int m, use what, double *C, double *M, const double *A,
                            const double *L, const double *U)
{
    mul_any(p, n, m, what, C, M, A, L, U);
}

void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    PH_CONSTANT(n, mul_wide, mul_wide_any, p, m, PRODUCT, C, NULL, NULL, L, U);
}

void ph_block_mul_add(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    PH_CONSTANT(n, mul_wide, mul_wide_any, p, m, SUM, C, NULL, C, L, U);
}

void ph_block_rest(int m, int n, int p, double *C, const double *A, const double *L, const double *U)
{
    PH_CONSTANT(n, mul_wide, mul_wide_any, p, m, REST, C, NULL, A, L, U);
}

void ph_block_pivot_rest(int n, int p, double *restrict D, double *restrict M, const double *L,
                         const double *U)
{
    PH_CONSTANT(n, mul_wide, mul_wide_any, p, n, REST_AND_SIZE, D, M, D, L, U);
}

/* ---- sums ----------------------------------------------------------------------------------------------- */

/* |a_i| w_i; w NULL: |a_i| */
PH_INLINE line weighed(int n, const double *a, const double *w)
{
    line x = line_abs(n, line_load(n, a));
    return w ? line_mul(n, x, line_load(n, w)) : x;
}

/* Sum of |a_i| w_i: every fourth together, and these last. */
PH_INLINE double sum_sizes(int n, const double *a, const double *w)
{
    line s = {0};
    double t[4];
    int i = 0;
    for (; i + 4 <= n; i += 4)
        s = line_add(4, s, weighed(4, a + i, w ? w + i : NULL));
    for (; i < n; i++)
        s = line_add(4, s, weighed(1, a + i, w ? w + i : NULL));
    line_store(4, t, s);
    return (t[0] + t[1]) + (t[2] + t[3]);
}

double ph_block_norm(int n, const double *a)
{
    return sum_sizes(n, a, NULL);
}

/* ---- matrix times vector -------------------------------------------------------------------------------- */

/* y = A x, y += A x or y -= A x, A m x n */
PH_INLINE void apply_sized(int m, int n, use what, double *restrict y, const double *A,
                           const double *restrict x)
{
    for (int i = 0; i < m; i++, A += n) {
        double t = A[0] * x[0];
        for (int j = 1; j < n; j++)
            t += A[j] * x[j];
        y[i] = used(what, y[i], t);
    }
}

PH_INLINE void apply_wide(int n, int m, use what, double *restrict y, const double *A,
                          const double *restrict x)
{
    PH_CONSTANT(m, apply_sized, apply_sized, n, what, y, A, x);
}

/* The same with A^T. */
PH_INLINE void tapply_lines(int n, int m, use what, double *restrict y, const double *A,
                            const double *restrict x)
{
    line t = line_scale(n, x[0], line_load(n, A));
    for (int i = 1; i < m; i++)
        t = line_add(n, t, line_scale(n, x[i], line_load(n, A + i * n)));
    line_store(n, y, line_used(n, what, y, t));
}

static void tapply_any(int n, int m, use what, double *restrict y, const double *A, const double *restrict x)
{
    for (int j = 0; j < n; j++) {
        double t = A[j] * x[0];
        for (int i = 1; i < m; i++)
            t += A[i * n + j] * x[i];
        y[j] = used(what, y[j], t);
    }
}

void ph_block_apply_add(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, apply_wide, apply_wide, m, SUM, y, A, x);
}

void ph_block_apply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, apply_wide, apply_wide, m, REST, y, A, x);
}

void ph_block_tapply_add(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, tapply_lines, tapply_any, m, SUM, y, A, x);
}

void ph_block_tapply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, tapply_lines, tapply_any, m, REST, y, A, x);
}

void ph_block_apply(int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, apply_sized, apply_sized, n, PRODUCT, y, A, x);
}

void ph_block_tapply(int n, double *restrict y, const double *A, const double *restrict x)
{
    PH_CONSTANT(n, tapply_lines, tapply_any, n, PRODUCT, y, A, x);
}

/* ---- moves ---------------------------------------------------------------------------------------------- */

PH_INLINE void transpose_sized(int m, int n, double *restrict B, const double *restrict A)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            B[j * m + i] = A[i * n + j];
}

PH_INLINE void transpose_wide(int n, int m, double *restrict B, const double *restrict A)
{
    PH_CONSTANT(m, transpose_sized, transpose_sized, n, B, A);
}

void ph_block_transpose(int m, int n, double *restrict B, const double *restrict A)
{
    PH_CONSTANT(n, transpose_wide, transpose_wide, m, B, A);
}

PH_INLINE void copy_line(int n, double *restrict y, const double *restrict x)
{
    line_store(n, y, line_load(n, x));
}

static void copy_any(int n, double *restrict y, const double *restrict x)
{
    memcpy(y, x, (size_t)n * sizeof(double));
}

void ph_block_copy(int n, double *restrict y, const double *restrict x)
{
    PH_CONSTANT(n, copy_line, copy_any, y, x);
}

/* ---- inverses ------------------------------------------------------------------------------------------- */

/* T = A^-T by Gauss-Jordan elimination in place with row exchanges; destroys A. 0: a pivot is zero or not
 * finite. */
PH_INLINE int gauss_jordan(int n, double *restrict A, double *restrict T, int *restrict swap)
{
    for (int k = 0; k < n; k++) {
        double *restrict pivot = A + k * n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (!(fabs(A[i * n + k]) <= fabs(A[best * n + k])))
                best = i;
        double s = 1 / A[best * n + k];
        if (!(fabs(s) < INFINITY && s != 0))
            return 0;
        swap[k] = best;
        if (best != k)
            for (int j = 0; j < n; j++) {
                double t = A[best * n + j];
                A[best * n + j] = pivot[j], pivot[j] = t;
            }
        pivot[k] = 1;
        for (int j = 0; j < n; j++)
            pivot[j] *= s;
        for (int i = 0; i < n; i++) {
            double *restrict row = A + i * n, f = row[k];
            if (i == k)
                continue;
            row[k] = 0;
            for (int j = 0; j < n; j++)
                row[j] -= f * pivot[j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            T[j * n + i] = A[i * n + j];
    for (int k = n - 1; k >= 0; k--)
        if (swap[k] != k)
            for (int j = 0; j < n; j++) {
                double t = T[k * n + j];
                T[k * n + j] = T[swap[k] * n + j], T[swap[k] * n + j] = t;
            }
    return 1;
}

double ph_block_invert_pivoted(int n, double *D, const double *M, double *T, int *swap)
{
    return PH_CONSTANT(n, gauss_jordan, gauss_jordan, D, T, swap) ? sum_sizes(n * n, T, M) : INFINITY;
}
