/* Sparse patterns. */
#include "step/pattern.h"

#include <string.h>

size_t ph_colour_scratch(int n_rows, int n_cols, int count)
{
    return (size_t)n_rows + 2 * (size_t)n_cols + 3 + 2 * (size_t)count;
}

void ph_bucket(int n, int count, const int *key, const int *value, int *start, int *item)
{
    memset(start, 0, sizeof(int) * ((size_t)n + 1));
    for (int k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int k = 0; k < count; k++)
        item[start[key[k]]++] = value ? value[k] : k;
    memmove(start + 1, start, sizeof(int) * (size_t)n);
    start[0] = 0;
}

/* Greedy: each column takes the first colour that no column with a common row has. */
int ph_colour(int n_rows, int n_cols, int count, const int *row, const int *col, int *colour, int *scratch)
{
    int *row_start = scratch, *col_start = row_start + n_rows + 1, *taken = col_start + n_cols + 1;
    int *row_item = taken + n_cols + 1, *col_item = row_item + count;
    ph_bucket(n_rows, count, row, col, row_start, row_item);
    ph_bucket(n_cols, count, col, row, col_start, col_item);
    for (int j = 0; j < n_cols; j++)
        colour[j] = -1, taken[j] = -1;
    int colours = 0;
    for (int j = 0; j < n_cols; j++) {
        for (int k = col_start[j]; k < col_start[j + 1];
             k++) /* taken[c] == j: a neighbour of j has colour c */
            for (int l = row_start[col_item[k]]; l < row_start[col_item[k] + 1]; l++)
                if (colour[row_item[l]] >= 0)
                    taken[colour[row_item[l]]] = j;
        int c = 0;
        while (taken[c] == j)
            c++;
        colour[j] = c;
        if (c >= colours)
            colours = c + 1;
    }
    return colours;
}
