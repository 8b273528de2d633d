/* Sparse patterns: lists by key, and colourings of columns. */
#ifndef PH_STEP_PATTERN_H
#define PH_STEP_PATTERN_H

#include <stddef.h>

/* Sort by key: item[start[i]] ... item[start[i + 1] - 1] are the values whose key is i < n, in their order.
 * value NULL: the values are 0, 1, 2, ... start has n + 1 entries, item has count. */
void ph_bucket(int n, int count, const int *key, const int *value, int *start, int *item);

/* Ints of scratch that ph_colour needs. */
size_t ph_colour_scratch(int n_rows, int n_cols, int count);

/* Columns of one colour have no row in common. Entries (row[k], col[k]), k < count. Writes colour[col] for
 * each column and returns the number of colours. */
int ph_colour(int n_rows, int n_cols, int count, const int *row, const int *col, int *colour, int *scratch);

#endif
