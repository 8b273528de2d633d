/* Which rows of a sparse matrix depend on those before them: rows are added one by one. */
#ifndef PH_LA_ECHELON_H
#define PH_LA_ECHELON_H

#include "polhode/base.h"

typedef struct ph_echelon ph_echelon;

/* For rows of so many columns, numbered in an order that keeps fill low (that of the Cholesky factor of
 * A^T A). Columns of equal block[], which stand together, may be exchanged at no cost. */
ph_status ph_echelon_create(ph_echelon **out, int cols, const int *block, const ph_allocator *alloc);

/* Add a row of n entries, finite numbers x at columns col, each column once, in any order. *dependent
 * becomes 1 and the row is not kept if, up to 1e-8 of its size, it is a combination of the rows before it.
 * PH_E_MEMORY: the object can only be destroyed. */
ph_status ph_echelon_add(ph_echelon *e, int n, const int *col, const double *x, int *dependent);

void ph_echelon_destroy(ph_echelon *e); /* accepts NULL */

#endif
