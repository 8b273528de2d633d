/* Inverses of blocks of 3 to 6 rows in registers, without exchanges, where they are well conditioned. */
#ifndef PH_LA_INVERSE_H
#define PH_LA_INVERSE_H

#include "la/kernels.h"
#include "la/lines.h"

/* Rows r .. r+2 and columns 0 .. 2, or 3 .. 5 where right, of n lines; beyond their end those of the unit matrix. */
PH_INLINE ph_row tile_row(int n, const line *D, int i, int right)
{
    if (i >= n)
        return ph_row_of(right && i == 3, right && i == 4, right && i == 5);
    return right ? line_right(D[i]) : line_left(D[i]);
}

PH_INLINE ph_rows tile(int n, const line *D, int r, int right)
{
    return ph_rows_of(tile_row(n, D, r, right), tile_row(n, D, r + 1, right), tile_row(n, D, r + 2, right));
}

/* Rows r .. r+2 of n lines from two tiles. */
PH_INLINE void put_tiles(int n, line *D, int r, ph_rows left, ph_rows right)
{
    for (int i = 0; i < 3 && r + i < n; i++)
        D[r + i] = line_of(ph_rows_get(left, i), ph_rows_get(right, i));
}

/* D = (A B; C E) in tiles of 3: with P = C A^-1, Q = A^-1 B, S = E - P B, D^-1 = (A^-1 + Q S^-1 P, -Q S^-1; -S^-1 P,
 * S^-1). T = D^-T. 0: A or S is too ill conditioned for that, or E is lost in S. */
PH_INLINE int invert_tiles(int n, const line *D, line *inverse, line *T)
{
    ph_rows A = tile(n, D, 0, 0), B = tile(n, D, 0, 1), C = tile(n, D, 3, 0), E = tile(n, D, 3, 1), At, St;
    double a, s, growth = ph_rows_invert(A, ph_rows_abs(A), &At, &a);
    ph_rows Ai = ph_rows_scale(a, ph_rows_transpose(At)), P = ph_rows_mul_rows(C, Ai),
            PB = ph_rows_mul_rows(P, B);
    ph_rows S = ph_rows_sub(E, PB), Q = ph_rows_mul_rows(Ai, B);
    double growth_s = ph_rows_invert(S, ph_rows_add_abs(ph_rows_abs(E), PB), &St, &s);
    if (!(growth <= PH_GROWTH_ADJUGATE && growth_s <= PH_GROWTH_ADJUGATE &&
          ph_rows_norm(PB) <= PH_GROWTH_ADJUGATE * ph_rows_norm(E)))
        return 0;
    ph_rows Si = ph_rows_scale(s, ph_rows_transpose(St)), SP = ph_rows_mul_rows(Si, P),
            QS = ph_rows_mul_rows(Q, Si);
    ph_rows first = ph_rows_add(Ai, ph_rows_mul_rows(Q, SP)), minus_SP = ph_rows_scale(-1, SP),
            minus_QS = ph_rows_scale(-1, QS);
    put_tiles(n, inverse, 0, first, minus_QS);
    put_tiles(n, inverse, 3, minus_SP, Si);
    put_tiles(n, T, 0, ph_rows_transpose(first), ph_rows_transpose(minus_SP));
    put_tiles(n, T, 3, ph_rows_transpose(minus_QS), ph_rows_transpose(Si));
    return 1;
}

/* The adjugate. Returns the growth before cancellation. */
PH_INLINE double invert_3(const line *D, const line *M, line *inverse, line *T)
{
    ph_rows C, none = ph_rows_scale(0, tile(3, D, 3, 0));
    double s, growth = ph_rows_invert(tile(3, D, 0, 0), tile(3, M, 0, 0), &C, &s);
    C = ph_rows_scale(s, C);
    put_tiles(3, T, 0, C, none);
    put_tiles(3, inverse, 0, ph_rows_transpose(C), none);
    return growth <= PH_GROWTH_ADJUGATE ? growth : 0;
}

/* D^-1 and T = D^-T of n lines, n a constant from 1 to 6. Returns sum |T| M, or a bound on it; 0: D is too ill conditioned, or too
 * small, for what is done here. */
PH_INLINE double ph_lines_invert(int n, const line *D, const line *M, line *inverse, line *T)
{
    if (n == 3)
        return invert_3(D, M, inverse, T);
    if (n < 3 || !invert_tiles(n, D, inverse, T))
        return 0;
    line s = line_zero();
    for (int i = 0; i < n; i++)
        s = line_add(n, s, line_mul(n, line_abs(n, T[i]), M[i]));
    return line_sum(n, s);
}

#endif
