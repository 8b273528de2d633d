/* Which rows of a sparse matrix depend on those before them. */
#ifndef PH_LA_ECHELON_H
#define PH_LA_ECHELON_H

#include "polhode/base.h"

/* Row i has the finite numbers x[start[i] .. start[i+1]) in columns col[..], each column once, in any order.
 * Columns belong to groups, of which those of one are eliminated together, group by group: numbered in an
 * order that keeps fill low (that of the Cholesky factor of A^T A). */
typedef struct ph_echelon {
    int rows, cols, groups;
    const int *start, *col; /* rows + 1; start[rows] */
    const double *x;
    const int *group; /* cols */
} ph_echelon;

/* Parts outside the span that are smaller than this, relative to the row, are none: above the digits of a
 * model file, below any angle that a mechanism is built with. */
#define PH_ECHELON_DEPENDENT 1e-8

/* Mark the rows of which no more than least, relative to their size, is outside the span of the others that
 * are not marked, of rows that imply each other the last as far as pivots allow. What is outside may be
 * overestimated by a moderate factor. PH_E_MEMORY. */
ph_status ph_echelon_rows(const ph_echelon *A, double least, const ph_allocator *alloc,
                          unsigned char *dependent);

#endif
