/* Eigenvalues and singular vectors of small dense matrices, row by row in memory. */
#ifndef PH_BASE_SPECTRUM_H
#define PH_BASE_SPECTRUM_H

#include "polhode/base.h"

#include <complex.h>

/* Eigenvalues of the n x n matrix A, which is kept, by falling modulus. PH_E_NAN: an entry is not finite, or no
 * convergence. PH_E_MEMORY. */
ph_status ph_eigenvalues(int n, const double *A, double complex *value);

/* Scale the n x n matrix A by a diagonal similarity, in powers of two, until rows and columns are of similar size: eigenvalues
 * stay, and small ones keep their digits. */
void ph_balance(int n, double *A);

/* Take the eigenvalue 0 out of the n x n matrix A, with all that a Jordan block of it has: A becomes the r x r matrix
 * of the other eigenvalues, r is returned. Rows below tol, relative to the largest, and below least are 0; work: n^2. */
int ph_remove_zeros(int n, double *A, double tol, double least, double *work);

/* An eigenvector of the n x n matrix A for an eigenvalue that ph_eigenvalues gave, its largest entry 1, by
 * inverse iteration; size: of the largest eigenvalue. For a repeated one, another seed gives another vector.
 * PH_E_NAN: not finite. PH_E_MEMORY. */
ph_status ph_eigenvector(int n, const double *A, double complex value, double size, unsigned seed,
                         double complex *vector);

/* Singular value decomposition of the m x n matrix A^T, given as A: n rows of m numbers. On return row i of A
 * is s_i u_i^T and row i of V, n x n, is v_i^T, with A^T v_i = s_i u_i; the u_i are orthogonal, in no order.
 * */
void ph_singular_rows(int n, int m, double *A, double *V);

#endif
