/* Products and inverses of small blocks stored by rows, without gaps.
 *
 * 3x3 is the hot case: rows are held as 4-wide vectors whose last lane is of no interest. Vector arithmetic is lane by
 * lane and never fused, so bits do not depend on what the machine has. Other sizes up to 6 are the same loops with
 * constant bounds. */
#ifndef PH_LA_KERNELS_H
#define PH_LA_KERNELS_H

#include <math.h>
#include <string.h>

#include "la/small.h"

#if defined(__AVX2__) && !defined(PH_SCALAR)

#pragma GCC diagnostic ignored "-Wpsabi"
typedef double ph_v4 __attribute__((vector_size(32)));
typedef long long ph_v4i __attribute__((vector_size(32)));

typedef struct ph_rows3 {
    ph_v4 r0, r1, r2;
} ph_rows3;

PH_INLINE ph_v4 ph_splat(double a)
{
    return (ph_v4){a, a, a, a};
}

PH_INLINE ph_v4 ph_abs4(ph_v4 a)
{
    const ph_v4i mask = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff};
    return (ph_v4)((ph_v4i)a & mask);
}

PH_INLINE double ph_sum3(ph_v4 a)
{
    return a[0] + a[1] + a[2];
}

/* Two loads of four and one of one: the same cuts as in ph_rows_store, so that a block can be read at once after it is
 * written, and no byte outside it is touched. */
PH_INLINE ph_rows3 ph_rows_load(const double *p)
{
    ph_v4 a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + 4, sizeof b);
    return (ph_rows3){a, __builtin_shufflevector(a, b, 3, 4, 5, 6), __builtin_shufflevector(b, ph_splat(p[8]), 2, 3, 4, 5)};
}

PH_INLINE void ph_rows_store(double *p, ph_rows3 A)
{
    ph_v4 a = __builtin_shufflevector(A.r0, A.r1, 0, 1, 2, 4), b = __builtin_shufflevector(A.r1, A.r2, 1, 2, 4, 5);
    memcpy(p, &a, sizeof a);
    memcpy(p + 4, &b, sizeof b);
    p[8] = A.r2[2];
}

PH_INLINE ph_rows3 ph_rows_sub(ph_rows3 A, ph_rows3 B)
{
    return (ph_rows3){A.r0 - B.r0, A.r1 - B.r1, A.r2 - B.r2};
}

PH_INLINE ph_rows3 ph_rows_abs(ph_rows3 A)
{
    return (ph_rows3){ph_abs4(A.r0), ph_abs4(A.r1), ph_abs4(A.r2)};
}

/* A + |B| */
PH_INLINE ph_rows3 ph_rows_add_abs(ph_rows3 A, ph_rows3 B)
{
    return (ph_rows3){A.r0 + ph_abs4(B.r0), A.r1 + ph_abs4(B.r1), A.r2 + ph_abs4(B.r2)};
}

/* Sum of the absolute values of all entries. */
PH_INLINE double ph_rows_norm(ph_rows3 A)
{
    return ph_sum3(ph_abs4(A.r0) + ph_abs4(A.r1) + ph_abs4(A.r2));
}

/* L U with L in memory */
PH_INLINE ph_rows3 ph_rows_mul(const double *l, ph_rows3 U)
{
    return (ph_rows3){ph_splat(l[0]) * U.r0 + ph_splat(l[1]) * U.r1 + ph_splat(l[2]) * U.r2,
                      ph_splat(l[3]) * U.r0 + ph_splat(l[4]) * U.r1 + ph_splat(l[5]) * U.r2,
                      ph_splat(l[6]) * U.r0 + ph_splat(l[7]) * U.r1 + ph_splat(l[8]) * U.r2};
}

PH_INLINE ph_v4 ph_row_mul(ph_v4 l, ph_rows3 U)
{
    return __builtin_shufflevector(l, l, 0, 0, 0, 0) * U.r0 + __builtin_shufflevector(l, l, 1, 1, 1, 1) * U.r1 +
           __builtin_shufflevector(l, l, 2, 2, 2, 2) * U.r2;
}

PH_INLINE ph_rows3 ph_rows_transpose(ph_rows3 A)
{
    ph_v4 a = __builtin_shufflevector(A.r0, A.r1, 0, 4, 1, 5), b = __builtin_shufflevector(A.r0, A.r1, 2, 6, 2, 6);
    return (ph_rows3){__builtin_shufflevector(a, A.r2, 0, 1, 4, 4), __builtin_shufflevector(a, A.r2, 2, 3, 5, 5),
                      __builtin_shufflevector(b, A.r2, 0, 1, 6, 6)};
}

/* (y, z, x) */
PH_INLINE ph_v4 ph_turn(ph_v4 a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

/* a x b, and the same with all signs positive */
PH_INLINE ph_v4 ph_cross4(ph_v4 a, ph_v4 b, ph_v4 *positive)
{
    ph_v4 p = a * ph_turn(b), m = ph_turn(a) * b;
    *positive = ph_turn(ph_abs4(p) + ph_abs4(m));
    return ph_turn(p - m);
}

/* T = A^-T by the adjugate. Returns the growth sum |adj A|^T M / |det A|, with |adj A| before cancellation: a bound on
 * sum |A^-1|^T M and on the relative error of det A in units of round-off; not finite if A is singular. */
PH_INLINE double ph_rows_invert(ph_rows3 A, ph_rows3 M, ph_rows3 *T)
{
    ph_v4 p0, p1, p2;
    ph_v4 c0 = ph_cross4(A.r1, A.r2, &p0), c1 = ph_cross4(A.r2, A.r0, &p1), c2 = ph_cross4(A.r0, A.r1, &p2);
    double s = 1 / ph_sum3(A.r0 * c0);
    ph_v4 v = ph_splat(s);
    *T = (ph_rows3){c0 * v, c1 * v, c2 * v};
    return ph_sum3(p0 * M.r0 + p1 * M.r1 + p2 * M.r2) * fabs(s);
}

PH_INLINE ph_rows3 ph_rows_rows_mul(ph_rows3 L, ph_rows3 U)
{
    return (ph_rows3){ph_row_mul(L.r0, U), ph_row_mul(L.r1, U), ph_row_mul(L.r2, U)};
}

#else

typedef ph_mat3 ph_rows3;

PH_INLINE ph_rows3 ph_rows_load(const double *p)
{
    return ph_load33(p);
}

PH_INLINE void ph_rows_store(double *p, ph_rows3 A)
{
    ph_store33(p, A);
}

PH_INLINE ph_rows3 ph_rows_sub(ph_rows3 A, ph_rows3 B)
{
    return ph_msub(A, B);
}

PH_INLINE ph_rows3 ph_rows_abs(ph_rows3 A)
{
    return (ph_rows3){fabs(A.xx), fabs(A.xy), fabs(A.xz), fabs(A.yx), fabs(A.yy),
                      fabs(A.yz), fabs(A.zx), fabs(A.zy), fabs(A.zz)};
}

PH_INLINE ph_rows3 ph_rows_add_abs(ph_rows3 A, ph_rows3 B)
{
    return ph_madd(A, ph_rows_abs(B));
}

/* sum |A_rc| B_rc, column by column */
PH_INLINE double ph_rows_dot(ph_rows3 A, ph_rows3 B)
{
    return (A.xx * B.xx + A.yx * B.yx + A.zx * B.zx) + (A.xy * B.xy + A.yy * B.yy + A.zy * B.zy) +
           (A.xz * B.xz + A.yz * B.yz + A.zz * B.zz);
}

PH_INLINE double ph_rows_norm(ph_rows3 A)
{
    return (fabs(A.xx) + fabs(A.yx) + fabs(A.zx)) + (fabs(A.xy) + fabs(A.yy) + fabs(A.zy)) +
           (fabs(A.xz) + fabs(A.yz) + fabs(A.zz));
}

PH_INLINE ph_rows3 ph_rows_mul(const double *l, ph_rows3 U)
{
    return ph_mmul(ph_load33(l), U);
}

PH_INLINE ph_rows3 ph_rows_rows_mul(ph_rows3 L, ph_rows3 U)
{
    return ph_mmul(L, U);
}

PH_INLINE ph_rows3 ph_rows_transpose(ph_rows3 A)
{
    return ph_transpose(A);
}

/* a x b, and the same with all signs positive */
PH_INLINE ph_vec3 ph_cross_both(ph_vec3 a, ph_vec3 b, ph_vec3 *positive)
{
    double px = a.y * b.z, py = a.z * b.x, pz = a.x * b.y, mx = a.z * b.y, my = a.x * b.z, mz = a.y * b.x;
    *positive = ph_v3(fabs(px) + fabs(mx), fabs(py) + fabs(my), fabs(pz) + fabs(mz));
    return ph_v3(px - mx, py - my, pz - mz);
}

PH_INLINE double ph_rows_invert(ph_rows3 A, ph_rows3 M, ph_rows3 *T)
{
    ph_vec3 a = {A.xx, A.xy, A.xz}, b = {A.yx, A.yy, A.yz}, c = {A.zx, A.zy, A.zz}, p, q, r;
    ph_vec3 u = ph_cross_both(b, c, &p), v = ph_cross_both(c, a, &q), w = ph_cross_both(a, b, &r);
    double s = 1 / ph_dot(a, u);
    *T = (ph_rows3){s * u.x, s * u.y, s * u.z, s * v.x, s * v.y, s * v.z, s * w.x, s * w.y, s * w.z};
    return ph_rows_dot((ph_rows3){p.x, p.y, p.z, q.x, q.y, q.z, r.x, r.y, r.z}, M) * fabs(s);
}

#endif

/* C = L U and C -= L U; C m x n, L m x p, U p x n */
void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U);
void ph_block_mul_sub(int m, int n, int p, double *restrict C, const double *L, const double *U);

#endif
