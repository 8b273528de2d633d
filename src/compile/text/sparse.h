/* The elimination of a matrix with many entries: in loops over tables of their places. */
#ifndef PH_COMPILE_SPARSE_H
#define PH_COMPILE_SPARSE_H

/* A becomes its factors, p the inverse pivots. For each pivot ph_places has its column (entry, row), its row (entry, column),
 * and the entries that change. */
PH_OUT_OF_LINE void ph_factor(ph_real *A, ph_real *p)
{
    ph_real u[PH_N];
    ph_zeros(A + PH_FILL, PH_NA - PH_FILL);
    for (int k = 0; k < PH_N; k++) {
        const ph_pivot_entry *e = &ph_pivot[k];
        const int *rows = ph_places + e->at, *cols = rows + 2 * e->rows, *to = cols + 2 * e->cols;
        p[k] = 1 / A[e->pivot];
        for (int j = 0; j < e->cols; j++)
            u[j] = A[cols[2 * j]];
        for (int i = 0; i < e->rows; i++, to += e->cols) {
            ph_real l = A[rows[2 * i]] = A[rows[2 * i]] * p[k];
            for (int j = 0; j < e->cols; j++)
                A[to[j]] -= l * u[j];
        }
    }
}

/* A x = b, b is lost. */
PH_OUT_OF_LINE void ph_solve(const ph_real *A, const ph_real *p, ph_real *b, ph_real *x)
{
    for (int k = 0; k < PH_N; k++) {
        const ph_pivot_entry *e = &ph_pivot[k];
        const int *rows = ph_places + e->at;
        for (int i = 0; i < e->rows; i++)
            b[rows[2 * i + 1]] -= A[rows[2 * i]] * b[e->row];
    }
    for (int k = PH_N - 1; k >= 0; k--) {
        const ph_pivot_entry *e = &ph_pivot[k];
        const int *cols = ph_places + e->at + 2 * e->rows;
        ph_real y = b[e->row];
        for (int j = 0; j < e->cols; j++)
            y -= A[cols[2 * j]] * x[cols[2 * j + 1]];
        x[e->col] = p[k] * y;
    }
}

#endif
