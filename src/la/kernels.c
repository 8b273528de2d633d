/* Products and inverses of blocks of any size: loops with constant bounds for sizes up to 6. */
#include "la/kernels.h"

/* f(n, ...) with n a constant where it is small; f must be PH_INLINE. */
#define BY_SIZE(n, f, ...)                                                                                   \
    ((n) == 1   ? f(1, __VA_ARGS__)                                                                          \
     : (n) == 2 ? f(2, __VA_ARGS__)                                                                          \
     : (n) == 3 ? f(3, __VA_ARGS__)                                                                          \
     : (n) == 4 ? f(4, __VA_ARGS__)                                                                          \
     : (n) == 5 ? f(5, __VA_ARGS__)                                                                          \
     : (n) == 6 ? f(6, __VA_ARGS__)                                                                          \
                : f((n), __VA_ARGS__))

PH_INLINE void mul_sized(int p, int n, int m, int subtract, double *restrict C, const double *L,
                         const double *U)
{
    for (int i = 0; i < m; i++, C += n, L += p)
        for (int j = 0; j < n; j++) {
            double t = L[0] * U[j];
            for (int k = 1; k < p; k++)
                t += L[k] * U[k * n + j];
            C[j] = subtract ? C[j] - t : t;
        }
}

PH_INLINE void mul_wide(int n, int p, int m, int subtract, double *restrict C, const double *L,
                        const double *U)
{
    BY_SIZE(p, mul_sized, n, m, subtract, C, L, U);
}

void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    BY_SIZE(n, mul_wide, p, m, 0, C, L, U);
}

void ph_block_mul_sub(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    BY_SIZE(n, mul_wide, p, m, 1, C, L, U);
}

/* y = A x or y -= A x, A m x n */
PH_INLINE void apply_sized(int n, int m, int subtract, double *restrict y, const double *A,
                           const double *restrict x)
{
    for (int i = 0; i < m; i++, A += n) {
        double t = A[0] * x[0];
        for (int j = 1; j < n; j++)
            t += A[j] * x[j];
        y[i] = subtract ? y[i] - t : t;
    }
}

/* y = A^T x or y -= A^T x, A m x n */
PH_INLINE void tapply_sized(int n, int m, int subtract, double *restrict y, const double *A,
                            const double *restrict x)
{
    for (int j = 0; j < n; j++) {
        double t = A[j] * x[0];
        for (int i = 1; i < m; i++)
            t += A[i * n + j] * x[i];
        y[j] = subtract ? y[j] - t : t;
    }
}

void ph_block_apply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    BY_SIZE(n, apply_sized, m, 1, y, A, x);
}

void ph_block_tapply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    BY_SIZE(n, tapply_sized, m, 1, y, A, x);
}

void ph_block_apply(int n, double *restrict y, const double *A, const double *restrict x)
{
    BY_SIZE(n, apply_sized, n, 0, y, A, x);
}

void ph_block_tapply(int n, double *restrict y, const double *A, const double *restrict x)
{
    BY_SIZE(n, tapply_sized, n, 0, y, A, x);
}

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

static double growth_of(int n, const double *M, const double *T)
{
    double g = 0;
    for (int i = 0; i < n * n; i++)
        g += fabs(T[i]) * M[i];
    return g;
}

double ph_block_invert_pivoted(int n, double *D, const double *M, double *T, int *swap)
{
    return BY_SIZE(n, gauss_jordan, D, T, swap) ? growth_of(n, M, T) : INFINITY;
}

/* Rows r .. r+2 and columns c .. c+2 of an n x n matrix, beyond its end those of the unit matrix. */
PH_INLINE ph_rows tile(int n, const double *D, int r, int c)
{
#define AT(i, j) (r + i < n && c + j < n ? D[(r + i) * n + c + j] : r + i == c + j)
    return ph_rows_of(ph_row_of(AT(0, 0), AT(0, 1), AT(0, 2)), ph_row_of(AT(1, 0), AT(1, 1), AT(1, 2)),
                      ph_row_of(AT(2, 0), AT(2, 1), AT(2, 2)));
#undef AT
}

PH_INLINE void put_tile(int n, double *T, int r, int c, ph_rows A)
{
    double a[9];
    ph_rows_store(a, A);
    for (int i = 0; i < 3 && r + i < n; i++)
        for (int j = 0; j < 3 && c + j < n; j++)
            T[(r + i) * n + c + j] = a[3 * i + j];
}

/* D = (A B; C E) in tiles of 3, without exchanges: with P = C A^-1, Q = A^-1 B, S = E - P B, D^-1 = (A^-1
 * + Q S^-1 P, -Q S^-1; -S^-1 P, S^-1). 0: A or S is too ill conditioned for that, or E is lost in S. */
PH_INLINE int invert_tiles(int n, const double *D, double *T)
{
    ph_rows A = tile(n, D, 0, 0), B = tile(n, D, 0, 3), C = tile(n, D, 3, 0), E = tile(n, D, 3, 3), At, St;
    double a, s, growth = ph_rows_invert(A, ph_rows_abs(A), &At, &a);
    ph_rows Ai = ph_rows_scale(a, ph_rows_transpose(At)), P = ph_rows_mul_rows(C, Ai),
            PB = ph_rows_mul_rows(P, B);
    ph_rows S = ph_rows_sub(E, PB), Q = ph_rows_mul_rows(Ai, B);
    double growth_s = ph_rows_invert(S, ph_rows_add_abs(ph_rows_abs(E), PB), &St, &s);
    if (!(growth <= PH_GROWTH_ADJUGATE && growth_s <= PH_GROWTH_ADJUGATE &&
          ph_rows_norm(PB) <= PH_GROWTH_ADJUGATE * ph_rows_norm(E)))
        return 0;
    ph_rows Si = ph_rows_scale(s, ph_rows_transpose(St)), SP = ph_rows_mul_rows(Si, P),
            QS = ph_rows_mul_rows(Q, Si);
    ph_rows minus_QSP = ph_rows_scale(-1, ph_rows_mul_rows(Q, SP));
    put_tile(n, T, 0, 0, ph_rows_transpose(ph_rows_sub(Ai, minus_QSP)));
    put_tile(n, T, 0, 3, ph_rows_transpose(ph_rows_scale(-1, SP)));
    put_tile(n, T, 3, 0, ph_rows_transpose(ph_rows_scale(-1, QS)));
    put_tile(n, T, 3, 3, ph_rows_transpose(Si));
    return 1;
}

double ph_block_invert(int n, double *D, const double *M, double *T, int *swap)
{
    int done = n == 6   ? invert_tiles(6, D, T)
               : n == 5 ? invert_tiles(5, D, T)
                        : n == 4 && invert_tiles(4, D, T);
    return done ? growth_of(n, M, T) : ph_block_invert_pivoted(n, D, M, T, swap);
}
