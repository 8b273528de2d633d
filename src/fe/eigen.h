/* Lowest frequencies of K x = omega^2 M x, of dense matrices or by iteration. */
#ifndef PH_FE_EIGEN_H
#define PH_FE_EIGEN_H

#include "fe/factor.h"

/* The n lowest of K x = lambda M x, both positive definite: ascending lambda, and the columns of V with V^T M
 * V = I. f: the factors of K, for PH_FACTOR_SPARSE. */
ph_status ph_eigen_lowest(const ph_csc *K, const ph_csc *M, ph_factor *f, ph_factor_kind kind, int n,
                          double *lambda, double *V, const ph_allocator *alloc, ph_error *err);

/* All of A x = lambda B x, n x n, column by column: A becomes the vectors, X^T B X = I; B, positive definite,
 * is lost. NULL: 1. PH_E_SINGULAR: B is not positive definite. */
ph_status ph_eigen_dense(int n, double *A, double *B, double *lambda, const ph_allocator *alloc,
                         ph_error *err);

#endif
