/* Which rows of a sparse matrix depend on those before them: rows are added one by one. */
#ifndef PH_LA_ECHELON_H
#define PH_LA_ECHELON_H

#include "polhode/base.h"

typedef struct ph_echelon ph_echelon;

/* For rows of so many columns, numbered in an order that keeps fill low (that of the Cholesky factor of
 * A^T A). Columns of equal block[], which stand together, may be exchanged at no cost. */
ph_status ph_echelon_create(ph_echelon **out, int cols, const int *block, const ph_allocator *alloc);

/* Parts outside the span that are smaller than this, relative to the row, are none: above the digits of a model
 * file, below any angle that a mechanism is built with. */
#define PH_ECHELON_DEPENDENT 1e-8

/* Add a row of n entries, finite numbers x at columns col, each column once, in any order. *left becomes the size
 * of its part outside the span of the rows before it, relative to the row: a lower bound where it is above
 * least, and rough (within a moderate factor) elsewhere. The row is kept if *left > least.
 * PH_E_MEMORY: the object can only be destroyed. */
ph_status ph_echelon_add(ph_echelon *e, int n, const int *col, const double *x, double least, double *left);

void ph_echelon_destroy(ph_echelon *e); /* accepts NULL */

#endif
