/* Small dense matrices, row by row: products with the 3x3 case unrolled. */
#ifndef PH_LA_SMALL_H
#define PH_LA_SMALL_H

#include <stdint.h>
#include <string.h>

#include "la/kernels.h"
#include "la/upper.h"
#include "la/vectors.h"

/* f(n, ...) with the loops of the common size 3 unrolled; f must be PH_INLINE. */
#define PH_BY_SIZE(n, f, ...) ((n) == 3 ? f(3, __VA_ARGS__) : f((n), __VA_ARGS__))

/* y += A x, A m x 3 */
PH_INLINE void ph_small_mul_3_add(int m, const double *A, ph_vec3 x, double *restrict y)
{
    for (int i = 0; i < m; i++)
        y[i] += ph_dot(ph_load3(A + 3 * i), x);
}

/* y += A x, A m x n, with the loops of the common sizes unrolled */
PH_INLINE void ph_small_mul_add(int m, int n, const double *A, const double *x, double *y)
{
    if (m == 3 && n == 3)
        ph_store3(y, ph_add(ph_load3(y), ph_mul(ph_load33(A), ph_load3(x))));
    else if (m == 5 && n == 3)
        ph_small_mul_3_add(5, A, ph_load3(x), y);
    else
        ph_block_apply_add(m, n, y, A, x);
}

/* The same with T of a group, its inverse or its slope, n x n: of every group with n = 6 they are upper. */
PH_INLINE void ph_small_upper_mul_add(int n, const double *A, const double *x, double *y)
{
    if (n == 6)
        ph_upper_apply_add(A, x, y);
    else
        ph_small_mul_add(n, n, A, x, y);
}

/* A^T x, A m x 3, with the loops of the common sizes unrolled */
PH_INLINE ph_row ph_small_tmul_3(int m, const double *A, const double *x)
{
    return m == 3 ? ph_row_tapply(3, A, x) : m == 5 ? ph_row_tapply(5, A, x) : ph_row_tapply(m, A, x);
}

/* y += A^T x, A m x n */
PH_INLINE void ph_small_tmul_add(int m, int n, const double *A, const double *x, double *y)
{
    if (n == 3)
        ph_row_store3(y, ph_row_add(ph_row_load3(y), ph_small_tmul_3(m, A, x)));
    else
        ph_block_tapply_add(m, n, y, A, x);
}

/* y = A x, A n x n */
PH_INLINE void ph_small_mul(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    ph_small_mul_add(n, n, A, x, y);
}

PH_INLINE void ph_small_upper_mul(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    ph_small_upper_mul_add(n, A, x, y);
}

/* C = A B, A m x k, B k x n; C is none of the others */
PH_INLINE void ph_small_mmul(int m, int k, int n, const double *A, const double *B, double *C)
{
    if (m == 3 && k == 3 && n == 3)
        ph_rows_store(C, ph_rows_mul(A, ph_rows_load(B)));
    else
        ph_block_mul(m, n, k, C, A, B);
}

/* C += A B */
PH_INLINE void ph_small_mmul_add(int m, int k, int n, const double *A, const double *B, double *C)
{
    if (m == 3 && k == 3 && n == 3)
        ph_rows_store(C, ph_rows_add(ph_rows_load(C), ph_rows_mul(A, ph_rows_load(B))));
    else
        ph_block_mul_add(m, n, k, C, A, B);
}

/* Nine numbers in the order of a transposed 3x3 matrix. */
PH_INLINE void ph_small_transpose_3(const double *A, double *B)
{
    ph_four a = *(const ph_four *)A, b = *(const ph_four *)(A + 4);
    double last = A[8];
    *(ph_four *)B = __builtin_shufflevector(a, b, 0, 3, 6, 1);
    *(ph_four *)(B + 4) = __builtin_shufflevector(a, b, 4, 7, 2, 5);
    B[8] = last;
}

PH_INLINE void ph_small_copy_9(const double *A, double *B)
{
    ph_four a = *(const ph_four *)A, b = *(const ph_four *)(A + 4);
    double last = A[8];
    *(ph_four *)B = a, *(ph_four *)(B + 4) = b, B[8] = last;
}

/* B = A^T, A m x n */
PH_INLINE void ph_small_transpose(int m, int n, const double *A, double *B)
{
    if (m == 3 && n == 3) {
        ph_small_transpose_3(A, B);
    } else if (m == 3 && n == 6) {
        ph_rows_store(B, ph_rows_transpose(ph_rows_load_apart(A, 6)));
        ph_rows_store(B + 9, ph_rows_transpose(ph_rows_load_apart(A + 3, 6)));
    } else
        ph_block_transpose(m, n, B, A);
}

/* The larger of a and b; NaN if any is NaN. */
PH_INLINE double ph_larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

/* The largest of m >= 0 and |a_i|; NaN if any is NaN. The bits of numbers without sign rise with them, and those of NaN are
 * beyond all others: integers need one comparison where numbers need two. */
PH_INLINE double ph_small_larger(int n, double m, const double *a)
{
    uint64_t most, bits;
    memcpy(&most, &m, sizeof most);
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &a[i], sizeof bits);
        bits &= UINT64_MAX >> 1;
        most = bits > most ? bits : most;
    }
    memcpy(&m, &most, sizeof m);
    return m;
}

/* The largest |a_i|; NaN if any is NaN. With n = 0, a may be NULL. */
double ph_small_max_long(int n, const double *a); /* n >= 16 */
static inline double ph_small_max(int n, const double *a)
{
    return n <= PH_VECTOR_SHORT ? ph_small_larger(n, 0, a) : ph_small_max_long(n, a);
}

/* Inverse by Gauss-Jordan elimination with row pivoting, n <= 6; 0 if singular. */
int ph_small_inverse(int n, const double *A, double *inv);

/* X = A^-1 X by elimination with row pivoting, A n x n, X n x m; destroys A; 0 if singular or not finite. */
int ph_small_solve(int n, int m, double *A, double *X);

#endif
