/* Small dense matrices, row by row: products with the 3x3 case unrolled. */
#ifndef PH_LA_SMALL_H
#define PH_LA_SMALL_H

#include <string.h>

#include "polhode/base.h"

#if defined(__GNUC__)
#define PH_INLINE static inline __attribute__((always_inline))
#else
#define PH_INLINE static inline
#endif

/* f(n, ...) with the loops of the common size 3 unrolled; f must be PH_INLINE. */
#define PH_BY_SIZE(n, f, ...) ((n) == 3 ? f(3, __VA_ARGS__) : f((n), __VA_ARGS__))

/* y += A x, A m x n */
static inline void ph_small_mul_add(int m, int n, const double *A, const double *x, double *y)
{
    if (m == 3 && n == 3) {
        ph_store3(y, ph_add(ph_load3(y), ph_mul(ph_load33(A), ph_load3(x))));
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
}

/* y += A^T x, A m x n */
static inline void ph_small_tmul_add(int m, int n, const double *A, const double *x, double *y)
{
    if (m == 3 && n == 3) {
        ph_store3(y, ph_add(ph_load3(y), ph_tmul(ph_load33(A), ph_load3(x))));
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i * n + j] * x[i];
}

/* y = A x, A n x n */
static inline void ph_small_mul(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    ph_small_mul_add(n, n, A, x, y);
}

/* C = A B, A m x k, B k x n; C is none of the others */
static inline void ph_small_mmul(int m, int k, int n, const double *A, const double *B, double *C)
{
    if (m == 3 && k == 3 && n == 3) {
        ph_store33(C, ph_mmul(ph_load33(A), ph_load33(B)));
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int l = 0; l < k; l++)
                s += A[i * k + l] * B[l * n + j];
            C[i * n + j] = s;
        }
}

/* B = A^T, A m x n */
static inline void ph_small_transpose(int m, int n, const double *A, double *B)
{
    if (m == 3 && n == 3) {
        ph_store33(B, ph_transpose(ph_load33(A)));
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            B[j * m + i] = A[i * n + j];
}

/* The largest of m and |a_i|; NaN if any is NaN. */
PH_INLINE double ph_small_larger(int n, double m, const double *a)
{
    for (int i = 0; i < n; i++) {
        double x = fabs(a[i]);
        m = x > m || x != x ? x : m;
    }
    return m;
}

static inline double ph_small_max(int n, const double *a)
{
    return ph_small_larger(n, 0, a);
}

/* Inverse by Gauss-Jordan elimination with row pivoting, n <= 6; 0 if singular. */
int ph_small_inverse(int n, const double *A, double *inv);

#endif
