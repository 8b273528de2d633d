/* Symmetric positive definite matrices: factors and solutions, dense or in a band. */
#ifndef PH_FE_FACTOR_H
#define PH_FE_FACTOR_H

#include "fe/sparse.h"

#define PH_DENSE_ROWS 150  /* up to which eigenvalues of dense matrices take milliseconds */
#define PH_DENSE_MOST 3000 /* up to which they stand in for a sparse solver that is not there: a minute */

typedef enum ph_factor_kind { PH_FACTOR_AUTO, PH_FACTOR_DENSE, PH_FACTOR_SPARSE } ph_factor_kind;

typedef struct ph_factor ph_factor;

/* PH_E_SINGULAR: A is not positive definite, and *row is where that shows, from 0. PH_E_INPUT with a
 * sentence: its band is too wide. */
ph_status ph_factor_create(ph_factor **out, const ph_csc *A, ph_factor_kind kind, const ph_allocator *alloc,
                           int *row, ph_error *err);

/* An estimate of 1/condition, in the 1-norm, of A scaled to a diagonal of 1. */
double ph_factor_sound(ph_factor *f);
void ph_factor_solve(ph_factor *f, double *x); /* x = A^-1 x */
void ph_factor_destroy(ph_factor *f);          /* accepts NULL */

#endif
