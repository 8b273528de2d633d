/* Products and inverses of blocks of any size, by vectors for sizes up to 6; 3x3 in registers is in rows.h, inverses
 * without exchanges in inverse.h. */
#ifndef PH_LA_KERNELS_H
#define PH_LA_KERNELS_H

#include "la/rows.h"

/* C = L U; C += L U; C = A - L U, where A may be C; D -= L U and M += |L U|.
 * C is m x n, D and M are n x n, L has p columns. */
void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U);
void ph_block_mul_add(int m, int n, int p, double *restrict C, const double *L, const double *U);
void ph_block_rest(int m, int n, int p, double *C, const double *A, const double *L, const double *U);
void ph_block_pivot_rest(int n, int p, double *restrict D, double *restrict M, const double *L,
                         const double *U);

/* sum of |a_i| over n numbers */
double ph_block_norm(int n, const double *a);

/* y += A x, y -= A x, y += A^T x, y -= A^T x, A m x n; y = A x and y = A^T x, A n x n */
void ph_block_apply_add(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_apply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_tapply_add(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_tapply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_apply(int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_tapply(int n, double *restrict y, const double *A, const double *restrict x);

/* B = A^T, A m x n; y = x */
void ph_block_transpose(int m, int n, double *restrict B, const double *restrict A);
void ph_block_copy(int n, double *restrict y, const double *restrict x);

/* The adjugate loses the square of what elimination with exchanges loses: beyond this growth use the
 * latter. */
#define PH_GROWTH_ADJUGATE 1e3

/* T = D^-T; destroys D; swap is room for n. Returns sum |T| M, infinite if D is singular or not finite. */
double ph_block_invert_pivoted(int n, double *D, const double *M, double *T, int *swap);

#endif
