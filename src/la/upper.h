/* 6x6 matrices [A B; 0 D] of 3x3 blocks in registers: T of SE(3), its inverse and its slopes, and nodes that are upper (system.h). In memory
 * they stand row by row, and their zeros are neither read nor written. */
#ifndef PH_LA_UPPER_H
#define PH_LA_UPPER_H

#include "la/rows.h"

enum { PH_UPPER_B = 3, PH_UPPER_D = 21 }; /* where these blocks stand */

typedef struct ph_upper {
    ph_rows A, B, D;
} ph_upper;

PH_INLINE ph_upper ph_upper_load(const double *p)
{
    return (ph_upper){ph_rows_load_apart(p, 6), ph_rows_load_apart(p + PH_UPPER_B, 6),
                      ph_rows_load_apart(p + PH_UPPER_D, 6)};
}

PH_INLINE void ph_upper_store(double *p, ph_upper x)
{
    ph_rows_store_six(p, x.A, x.B);
    ph_rows_store_apart(p + PH_UPPER_D, 6, x.D);
}

PH_INLINE ph_upper ph_upper_add(ph_upper x, ph_upper y)
{
    return (ph_upper){ph_rows_add(x.A, y.A), ph_rows_add(x.B, y.B), ph_rows_add(x.D, y.D)};
}

PH_INLINE ph_upper ph_upper_scale(double s, ph_upper x)
{
    return (ph_upper){ph_rows_scale(s, x.A), ph_rows_scale(s, x.B), ph_rows_scale(s, x.D)};
}

/* The numbers of X one by one: in memory they need no shuffles. */
PH_INLINE ph_upper ph_upper_mul(const double *X, ph_upper y)
{
    return (ph_upper){
        ph_rows_mul_apart(X, 6, y.A),
        ph_rows_add(ph_rows_mul_apart(X, 6, y.B), ph_rows_mul_apart(X + PH_UPPER_B, 6, y.D)),
        ph_rows_mul_apart(X + PH_UPPER_D, 6, y.D),
    };
}

/* 1 + X; adding -0 changes nothing, not even the sign of a zero */
PH_INLINE ph_upper ph_upper_one_and(ph_upper x)
{
    ph_rows one = ph_rows_of(ph_row_of(1, -0.0, -0.0), ph_row_of(-0.0, 1, -0.0), ph_row_of(-0.0, -0.0, 1));
    return (ph_upper){ph_rows_add(one, x.A), x.B, ph_rows_add(one, x.D)};
}

/* y += X x with X in memory */
PH_INLINE void ph_upper_apply_add(const double *X, const double *x, double *y)
{
    ph_row first = ph_row_load3(x), last = ph_row_load3(x + 3);
    ph_sums s = {0}, t = {0};
    ph_sums_add_apart(&s, X, 6, first);
    ph_sums_add_apart(&s, X + PH_UPPER_B, 6, last);
    ph_sums_add_apart(&t, X + PH_UPPER_D, 6, last);
    ph_row_store3(y, ph_row_add(ph_row_load3(y), ph_sums_total(&s)));
    ph_row_store3(y + 3, ph_row_add(ph_row_load3(y + 3), ph_sums_total(&t)));
}

#endif
