/* Dense symmetric matrices, column by column: Cholesky's factors, eigenvalues and eigenvectors. */
#ifndef PH_LA_SYMMETRIC_H
#define PH_LA_SYMMETRIC_H

/* A = L L^T in the lower triangle. Returns 0, or from 1 the row at which A turns out not to be positive
 * definite. */
int ph_cholesky(int n, double *A);
void ph_cholesky_forward(int n, const double *L, double *x); /* x = L^-1 x */
void ph_cholesky_back(int n, const double *L, double *x);    /* x = L^-T x */

/* Eigenvalues, ascending, and eigenvectors, the columns of A on return, of length 1; only the lower triangle
 * of A is read. work: 4 n. 0: no convergence, or an entry is not finite. */
int ph_symmetric_eigen(int n, double *A, double *value, double *work);

#endif
