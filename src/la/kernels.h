/* Products and inverses of blocks of any size, with constant loops for sizes up to 6; 3x3 is in rows.h. */
#ifndef PH_LA_KERNELS_H
#define PH_LA_KERNELS_H

#include "la/rows.h"
#include "la/small.h"

/* C = L U and C -= L U; C m x n, L m x p, U p x n */
void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U);
void ph_block_mul_sub(int m, int n, int p, double *restrict C, const double *L, const double *U);

/* y -= A x and y -= A^T x, A m x n; y = A x and y = A^T x, A n x n */
void ph_block_apply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_tapply_sub(int m, int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_apply(int n, double *restrict y, const double *A, const double *restrict x);
void ph_block_tapply(int n, double *restrict y, const double *A, const double *restrict x);

/* The adjugate loses the square of what elimination with exchanges loses: beyond this growth use the
 * latter. */
#define PH_GROWTH_ADJUGATE 1e3

/* T = D^-T; destroys D; swap is room for n. Returns sum |T| M, infinite if D is singular or not finite. */
double ph_block_invert(int n, double *D, const double *M, double *T, int *swap);
double ph_block_invert_pivoted(int n, double *D, const double *M, double *T, int *swap);

#endif
