/* 3x3 matrices in registers, from and to memory where they stand by rows without gaps.
 *
 * Written twice: with rows as 4-wide vectors whose last lane is of no interest (AVX2 and up, twice as fast),
 * and with scalars, which are vectors of elements where elements stand in lanes. Both add in the same order and nothing is
 * fused, so both give the same bits. */
#ifndef PH_LA_ROWS_H
#define PH_LA_ROWS_H

#include <math.h>
#include <string.h>

#include "polhode/base.h"

#if defined(__GNUC__) && !defined(PH_COVERAGE) /* which counts lines, and not their copies */
#define PH_INLINE static inline __attribute__((always_inline))
#else
#define PH_INLINE static inline
#endif

#if defined(__AVX2__) && !defined(PH_SCALAR_KERNELS) && !defined(PH_LANES)

typedef double ph_row __attribute__((vector_size(32)));

typedef struct ph_rows {
    ph_row r0, r1, r2;
} ph_rows;

#define PH_SHUFFLE __builtin_shufflevector

PH_INLINE ph_row ph_row_splat(double a)
{
    return (ph_row){a, a, a, a};
}

PH_INLINE ph_row ph_row_abs(ph_row a)
{
    typedef long long bits __attribute__((vector_size(32)));
    const long long m = 0x7fffffffffffffff;
    return (ph_row)((bits)a & (bits){m, m, m, m});
}

PH_INLINE ph_row ph_row_of(double x, double y, double z)
{
    return (ph_row){x, y, z, 0};
}

PH_INLINE ph_rows ph_rows_of(ph_row a, ph_row b, ph_row c)
{
    return (ph_rows){a, b, c};
}

PH_INLINE ph_row ph_rows_get(ph_rows A, int i)
{
    return i == 0 ? A.r0 : i == 1 ? A.r1 : A.r2;
}

PH_INLINE double ph_row_sum(ph_row a)
{
    return a[0] + a[1] + a[2];
}

/* Four numbers; the last is of no interest. */
PH_INLINE ph_row ph_row_load4(const double *p)
{
    ph_row a;
    memcpy(&a, p, sizeof a);
    return a;
}

PH_INLINE void ph_row_store4(double *p, ph_row a)
{
    memcpy(p, &a, sizeof a);
}

PH_INLINE ph_row ph_row_load3(const double *p)
{
    return (ph_row){p[0], p[1], p[2], 0};
}

PH_INLINE void ph_row_store3(double *p, ph_row a)
{
    p[0] = a[0], p[1] = a[1], p[2] = a[2];
}

PH_INLINE ph_row ph_row_sub(ph_row a, ph_row b)
{
    return a - b;
}

PH_INLINE ph_row ph_row_add(ph_row a, ph_row b)
{
    return a + b;
}

/* Rows from where they stand, stride apart, the last one from one number before its start: no byte outside the block is touched, be it of 3
 * columns or one of the halves of 6. */
PH_INLINE ph_rows ph_rows_load_apart(const double *p, int stride)
{
    ph_row c = ph_row_load4(p + 2 * stride - 1);
    return (ph_rows){ph_row_load4(p), ph_row_load4(p + stride), PH_SHUFFLE(c, c, 1, 2, 3, 0)};
}

PH_INLINE void ph_rows_store(double *p, ph_rows A)
{
    ph_row_store4(p, PH_SHUFFLE(A.r0, A.r1, 0, 1, 2, 4));
    ph_row_store4(p + 4, PH_SHUFFLE(A.r1, A.r2, 1, 2, 4, 5));
    p[8] = A.r2[2];
}

/* Rows of two blocks side by side */
PH_INLINE void ph_rows_store_six(double *p, ph_rows A, ph_rows B)
{
    const ph_row a[3] = {A.r0, A.r1, A.r2}, b[3] = {B.r0, B.r1, B.r2};
    for (int i = 0; i < 3; i++, p += 6) {
        ph_row_store4(p, PH_SHUFFLE(a[i], b[i], 0, 1, 2, 4));
        p[4] = b[i][1], p[5] = b[i][2];
    }
}

/* Rows four apart. */
PH_INLINE ph_rows ph_rows_load4(const double *p)
{
    return (ph_rows){ph_row_load4(p), ph_row_load4(p + 4), ph_row_load4(p + 8)};
}

PH_INLINE void ph_rows_store4(double *p, ph_rows A)
{
    ph_row_store4(p, A.r0), ph_row_store4(p + 4, A.r1), ph_row_store4(p + 8, A.r2);
}

PH_INLINE ph_rows ph_rows_sub(ph_rows A, ph_rows B)
{
    return (ph_rows){A.r0 - B.r0, A.r1 - B.r1, A.r2 - B.r2};
}

PH_INLINE ph_rows ph_rows_add(ph_rows A, ph_rows B)
{
    return (ph_rows){A.r0 + B.r0, A.r1 + B.r1, A.r2 + B.r2};
}

PH_INLINE ph_rows ph_rows_scale(double s, ph_rows A)
{
    ph_row v = ph_row_splat(s);
    return (ph_rows){v * A.r0, v * A.r1, v * A.r2};
}

PH_INLINE ph_rows ph_rows_abs(ph_rows A)
{
    return (ph_rows){ph_row_abs(A.r0), ph_row_abs(A.r1), ph_row_abs(A.r2)};
}

/* A + |B| */
PH_INLINE ph_rows ph_rows_add_abs(ph_rows A, ph_rows B)
{
    return (ph_rows){A.r0 + ph_row_abs(B.r0), A.r1 + ph_row_abs(B.r1), A.r2 + ph_row_abs(B.r2)};
}

/* sum of |A_rc| */
PH_INLINE double ph_rows_norm(ph_rows A)
{
    return ph_row_sum(ph_row_abs(A.r0) + ph_row_abs(A.r1) + ph_row_abs(A.r2));
}

PH_INLINE ph_rows ph_rows_transpose(ph_rows A)
{
    ph_row a = PH_SHUFFLE(A.r0, A.r1, 0, 4, 1, 5), b = PH_SHUFFLE(A.r0, A.r1, 2, 6, 2, 6);
    return (ph_rows){PH_SHUFFLE(a, A.r2, 0, 1, 4, 4), PH_SHUFFLE(a, A.r2, 2, 3, 5, 5),
                     PH_SHUFFLE(b, A.r2, 0, 1, 6, 6)};
}

/* L U with L in memory, its rows stride apart */
PH_INLINE ph_rows ph_rows_mul_apart(const double *l, int stride, ph_rows U)
{
    const double *m = l + stride, *n = m + stride;
    return (ph_rows){ph_row_splat(l[0]) * U.r0 + ph_row_splat(l[1]) * U.r1 + ph_row_splat(l[2]) * U.r2,
                     ph_row_splat(m[0]) * U.r0 + ph_row_splat(m[1]) * U.r1 + ph_row_splat(m[2]) * U.r2,
                     ph_row_splat(n[0]) * U.r0 + ph_row_splat(n[1]) * U.r1 + ph_row_splat(n[2]) * U.r2};
}

PH_INLINE ph_row ph_row_mul(ph_row l, ph_rows U)
{
    return PH_SHUFFLE(l, l, 0, 0, 0, 0) * U.r0 + PH_SHUFFLE(l, l, 1, 1, 1, 1) * U.r1 +
           PH_SHUFFLE(l, l, 2, 2, 2, 2) * U.r2;
}

/* L U */
PH_INLINE ph_rows ph_rows_mul_rows(ph_rows L, ph_rows U)
{
    return (ph_rows){ph_row_mul(L.r0, U), ph_row_mul(L.r1, U), ph_row_mul(L.r2, U)};
}

/* a x b, and the same with all signs positive */
PH_INLINE ph_row ph_row_cross(ph_row a, ph_row b, ph_row *positive)
{
    ph_row p = a * PH_SHUFFLE(b, b, 1, 2, 0, 3),
           m = PH_SHUFFLE(a, a, 1, 2, 0, 3) * b; /* z, x, y of the result */
    ph_row plus = ph_row_abs(p) + ph_row_abs(m), minus = p - m;
    *positive = PH_SHUFFLE(plus, plus, 1, 2, 0, 3);
    return PH_SHUFFLE(minus, minus, 1, 2, 0, 3);
}

/* A^-T = s C, C the cofactors. Returns the growth sum |C| M |s|, with |C| before cancellation: a bound on
 * sum |A^-T| M and on the relative error of det A in units of round-off; not finite if A is singular. */
PH_INLINE double ph_rows_invert(ph_rows A, ph_rows M, ph_rows *C, double *s)
{
    ph_row p0, p1, p2, a;
    C->r0 = ph_row_cross(A.r1, A.r2, &p0);
    C->r1 = ph_row_cross(A.r2, A.r0, &p1);
    C->r2 = ph_row_cross(A.r0, A.r1, &p2);
    a = A.r0 * C->r0;
    *s = 1 / ph_row_sum(a);
    return ph_row_sum(p0 * M.r0 + p1 * M.r1 + p2 * M.r2) * fabs(*s);
}

/* Sums of products A x or A^T x with blocks A in memory, rows stride apart, added up lane by lane and brought together once.
 * The last row is loaded from one number before its start, so that nothing outside the block is read. */
typedef struct ph_sums {
    ph_row a, b, c;
} ph_sums;

PH_INLINE void ph_sums_add_apart(ph_sums *s, const double *A, int stride, ph_row x)
{
    s->a += ph_row_load4(A) * x;
    s->b += ph_row_load4(A + stride) * x;
    s->c += ph_row_load4(A + 2 * stride - 1) * PH_SHUFFLE(x, x, 3, 0, 1, 2);
}

PH_INLINE ph_row ph_sums_total(const ph_sums *s)
{
    ph_row p = PH_SHUFFLE(s->a, s->b, 0, 4, 1, 5), q = PH_SHUFFLE(s->a, s->b, 2, 6, 2, 6);
    return PH_SHUFFLE(p, s->c, 0, 1, 5, 5) + PH_SHUFFLE(p, s->c, 2, 3, 6, 6) +
           PH_SHUFFLE(q, s->c, 0, 1, 7, 7);
}

PH_INLINE void ph_sums_tadd_apart(ph_sums *s, const double *A, int stride, const double *x)
{
    s->a += ph_row_load4(A) * ph_row_splat(x[0]);
    s->b += ph_row_load4(A + stride) * ph_row_splat(x[1]);
    s->c += ph_row_load4(A + 2 * stride - 1) * ph_row_splat(x[2]);
}

PH_INLINE ph_row ph_sums_ttotal(const ph_sums *s)
{
    return s->a + s->b + PH_SHUFFLE(s->c, s->c, 1, 2, 3, 0);
}

/* A x, A^T x */
PH_INLINE ph_row ph_rows_apply(ph_rows A, ph_row x)
{
    ph_rows P = ph_rows_transpose((ph_rows){A.r0 * x, A.r1 * x, A.r2 * x});
    return P.r0 + P.r1 + P.r2;
}

PH_INLINE ph_row ph_rows_tapply(ph_rows A, ph_row x)
{
    return ph_row_mul(x, A);
}

/* Row i of m > 1 without gaps: the last is loaded from one number before its start, so that nothing outside the block is read. */
PH_INLINE ph_row ph_row_of_block(int m, const double *A, int i)
{
    if (i + 1 < m)
        return ph_row_load4(A + 3 * i);
    ph_row last = ph_row_load4(A + 3 * i - 1);
    return PH_SHUFFLE(last, last, 1, 2, 3, 0);
}

/* A^T x with A and x in memory, A m x 3 */
PH_INLINE ph_row ph_row_tapply(int m, const double *A, const double *x)
{
    ph_row sum = (m > 1 ? ph_row_load4(A) : ph_row_load3(A)) * ph_row_splat(x[0]);
    for (int i = 1; i < m; i++)
        sum += ph_row_of_block(m, A, i) * ph_row_splat(x[i]);
    return sum;
}

#else

typedef ph_vec3 ph_row;
typedef ph_mat3 ph_rows;

PH_INLINE ph_row ph_row_of(ph_real x, ph_real y, ph_real z)
{
    return ph_v3(x, y, z);
}

PH_INLINE ph_rows ph_rows_of(ph_row a, ph_row b, ph_row c)
{
    return (ph_rows){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}

PH_INLINE ph_row ph_rows_get(ph_rows A, int i)
{
    return i == 0 ? ph_v3(A.xx, A.xy, A.xz) : i == 1 ? ph_v3(A.yx, A.yy, A.yz) : ph_v3(A.zx, A.zy, A.zz);
}

PH_INLINE ph_row ph_row_load4(const ph_real *p)
{
    return ph_load3(p);
}

PH_INLINE void ph_row_store4(ph_real *p, ph_row a)
{
    ph_store3(p, a);
}

PH_INLINE ph_row ph_row_load3(const ph_real *p)
{
    return ph_load3(p);
}

PH_INLINE void ph_row_store3(ph_real *p, ph_row a)
{
    ph_store3(p, a);
}

PH_INLINE ph_row ph_row_sub(ph_row a, ph_row b)
{
    return ph_sub(a, b);
}

PH_INLINE ph_row ph_row_add(ph_row a, ph_row b)
{
    return ph_add(a, b);
}

PH_INLINE ph_rows ph_rows_load_apart(const ph_real *p, int stride)
{
    return ph_rows_of(ph_load3(p), ph_load3(p + stride), ph_load3(p + 2 * stride));
}

PH_INLINE void ph_rows_store(ph_real *p, ph_rows A)
{
    ph_store33(p, A);
}

PH_INLINE void ph_rows_store_six(ph_real *p, ph_rows A, ph_rows B)
{
    for (int i = 0; i < 3; i++, p += 6)
        ph_store3(p, ph_rows_get(A, i)), ph_store3(p + 3, ph_rows_get(B, i));
}

PH_INLINE ph_rows ph_rows_load4(const ph_real *p)
{
    return (ph_rows){p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]};
}

PH_INLINE void ph_rows_store4(ph_real *p, ph_rows A)
{
    p[0] = A.xx, p[1] = A.xy, p[2] = A.xz, p[4] = A.yx, p[5] = A.yy, p[6] = A.yz, p[8] = A.zx, p[9] = A.zy,
    p[10] = A.zz;
}

PH_INLINE ph_rows ph_rows_sub(ph_rows A, ph_rows B)
{
    return ph_msub(A, B);
}

PH_INLINE ph_rows ph_rows_add(ph_rows A, ph_rows B)
{
    return ph_madd(A, B);
}

PH_INLINE ph_rows ph_rows_scale(ph_real s, ph_rows A)
{
    return ph_mscale(s, A);
}

PH_INLINE ph_rows ph_rows_abs(ph_rows A)
{
    return (ph_rows){ph_abs(A.xx), ph_abs(A.xy), ph_abs(A.xz), ph_abs(A.yx), ph_abs(A.yy),
                     ph_abs(A.yz), ph_abs(A.zx), ph_abs(A.zy), ph_abs(A.zz)};
}

PH_INLINE ph_rows ph_rows_add_abs(ph_rows A, ph_rows B)
{
    return ph_madd(A, ph_rows_abs(B));
}

/* sum of A_rc B_rc, column by column */
PH_INLINE ph_real ph_rows_dot(ph_rows A, ph_rows B)
{
    return (A.xx * B.xx + A.yx * B.yx + A.zx * B.zx) + (A.xy * B.xy + A.yy * B.yy + A.zy * B.zy) +
           (A.xz * B.xz + A.yz * B.yz + A.zz * B.zz);
}

PH_INLINE ph_real ph_rows_norm(ph_rows A)
{
    ph_real one = ph_k(1);
    return ph_rows_dot(ph_rows_abs(A), (ph_rows){one, one, one, one, one, one, one, one, one});
}

PH_INLINE ph_rows ph_rows_transpose(ph_rows A)
{
    return ph_transpose(A);
}

PH_INLINE ph_rows ph_rows_mul_apart(const ph_real *l, int stride, ph_rows U)
{
    return ph_mmul(ph_rows_load_apart(l, stride), U);
}

PH_INLINE ph_rows ph_rows_mul_rows(ph_rows L, ph_rows U)
{
    return ph_mmul(L, U);
}

PH_INLINE ph_row ph_row_cross(ph_row a, ph_row b, ph_row *positive)
{
    ph_row p = {a.y * b.z, a.z * b.x, a.x * b.y}, m = {a.z * b.y, a.x * b.z, a.y * b.x};
    *positive = ph_v3(ph_abs(p.x) + ph_abs(m.x), ph_abs(p.y) + ph_abs(m.y), ph_abs(p.z) + ph_abs(m.z));
    return ph_sub(p, m);
}

PH_INLINE ph_real ph_rows_invert(ph_rows A, ph_rows M, ph_rows *C, ph_real *s)
{
    ph_row a = {A.xx, A.xy, A.xz}, b = {A.yx, A.yy, A.yz}, c = {A.zx, A.zy, A.zz}, p, q, r;
    ph_row u = ph_row_cross(b, c, &p), v = ph_row_cross(c, a, &q), w = ph_row_cross(a, b, &r);
    *C = (ph_rows){u.x, u.y, u.z, v.x, v.y, v.z, w.x, w.y, w.z};
    *s = 1 / ph_dot(a, u);
    return ph_rows_dot((ph_rows){p.x, p.y, p.z, q.x, q.y, q.z, r.x, r.y, r.z}, M) * ph_abs(*s);
}

typedef struct ph_sums {
    ph_real a[3], b[3], c[3];
} ph_sums;

PH_INLINE void ph_sums_add_apart(ph_sums *s, const ph_real *A, int stride, ph_row x)
{
    const ph_real *B = A + stride, *C = B + stride;
    s->a[0] += A[0] * x.x, s->a[1] += A[1] * x.y, s->a[2] += A[2] * x.z;
    s->b[0] += B[0] * x.x, s->b[1] += B[1] * x.y, s->b[2] += B[2] * x.z;
    s->c[0] += C[0] * x.x, s->c[1] += C[1] * x.y, s->c[2] += C[2] * x.z;
}

PH_INLINE ph_row ph_sums_total(const ph_sums *s)
{
    return ph_v3(s->a[0] + s->a[1] + s->a[2], s->b[0] + s->b[1] + s->b[2], s->c[0] + s->c[1] + s->c[2]);
}

PH_INLINE void ph_sums_tadd_apart(ph_sums *s, const ph_real *A, int stride, const ph_real *x)
{
    for (int i = 0; i < 3; i++)
        s->a[i] += A[i] * x[0], s->b[i] += A[stride + i] * x[1], s->c[i] += A[2 * stride + i] * x[2];
}

PH_INLINE ph_row ph_sums_ttotal(const ph_sums *s)
{
    return ph_v3(s->a[0] + s->b[0] + s->c[0], s->a[1] + s->b[1] + s->c[1], s->a[2] + s->b[2] + s->c[2]);
}

PH_INLINE ph_row ph_rows_apply(ph_rows A, ph_row x)
{
    return ph_mul(A, x);
}

PH_INLINE ph_row ph_rows_tapply(ph_rows A, ph_row x)
{
    return ph_tmul(A, x);
}

PH_INLINE ph_row ph_row_of_block(int m, const ph_real *A, int i)
{
    (void)m;
    return ph_load3(A + 3 * i);
}

PH_INLINE ph_row ph_row_tapply(int m, const ph_real *A, const ph_real *x)
{
    ph_row sum = ph_scale(x[0], ph_load3(A));
    for (int i = 1; i < m; i++)
        sum = ph_add(sum, ph_scale(x[i], ph_load3(A + 3 * i)));
    return sum;
}

#endif

PH_INLINE void ph_rows_store_apart(ph_real *p, int stride, ph_rows A)
{
    for (int i = 0; i < 3; i++)
        ph_row_store3(p + i * stride, ph_rows_get(A, i));
}

/* The same without gaps. */
PH_INLINE ph_rows ph_rows_load(const ph_real *p)
{
    return ph_rows_load_apart(p, 3);
}

PH_INLINE ph_rows ph_rows_mul(const ph_real *l, ph_rows U)
{
    return ph_rows_mul_apart(l, 3, U);
}

PH_INLINE void ph_sums_add(ph_sums *s, const ph_real *A, ph_row x)
{
    ph_sums_add_apart(s, A, 3, x);
}

#endif
