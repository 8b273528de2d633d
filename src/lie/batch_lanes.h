/* Four nodes at once, one in each lane of a vector: their numbers go in and out by transposing. */
#ifndef PH_LIE_BATCH_LANES_H
#define PH_LIE_BATCH_LANES_H

#include <math.h>
#include <string.h>

#include "base/batch.h"

#define PH_LANES PH_BATCH
#include "base/real.h"

#include "base/stumpff_large.h"
#include "lie/so3.h"

PH_FN ph_real load4(const double *p)
{
    ph_real a;
    memcpy(&a, p, sizeof a);
    return a;
}

PH_FN void store4(double *p, ph_real a)
{
    memcpy(p, &a, sizeof a);
}

/* Row k becomes column k. */
PH_FN void transpose(ph_real r[4])
{
    ph_real a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
            b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    ph_real c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6),
            d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Number k of each node. */
PH_FN ph_real number(const double *p, const int at[4], int k)
{
    return (ph_real){p[at[0] + k], p[at[1] + k], p[at[2] + k], p[at[3] + k]};
}

PH_FN void put_number(double *p, const int at[4], int k, ph_real a)
{
    for (int i = 0; i < 4; i++)
        p[at[i] + k] = a[i];
}

PH_FN ph_vec3 vectors(const double *p, const int at[4])
{
    return ph_v3(number(p, at, 0), number(p, at, 1), number(p, at, 2));
}

PH_FN void put_vectors(double *p, const int at[4], ph_vec3 a)
{
    put_number(p, at, 0, a.x), put_number(p, at, 1, a.y), put_number(p, at, 2, a.z);
}

PH_FN ph_quat quaternions(const double *p, const int at[4])
{
    ph_real r[4] = {load4(p + at[0]), load4(p + at[1]), load4(p + at[2]), load4(p + at[3])};
    transpose(r);
    return ph_quat_load(r);
}

PH_FN void put4(double *p, const int at[4], int k, ph_real r[4])
{
    transpose(r);
    for (int i = 0; i < 4; i++)
        store4(p + at[i] + k, r[i]);
}

PH_FN void put_matrices(double *p, const int at[4], ph_mat3 A)
{
    ph_real first[4] = {A.xx, A.xy, A.xz, A.yx}, next[4] = {A.yy, A.yz, A.zx, A.zy};
    put4(p, at, 0, first);
    put4(p, at, 4, next);
    put_number(p, at, 8, A.zz);
}

/* Six numbers of each node */
PH_FN void twists(const double *p, const int at[4], ph_vec3 *a, ph_vec3 *b)
{
    ph_real r[4] = {load4(p + at[0]), load4(p + at[1]), load4(p + at[2]), load4(p + at[3])},
            s[4] = {load4(p + at[0] + 2), load4(p + at[1] + 2), load4(p + at[2] + 2), load4(p + at[3] + 2)};
    transpose(r), transpose(s);
    *a = ph_v3(r[0], r[1], r[2]), *b = ph_v3(r[3], s[2], s[3]);
}

PH_FN void put_twists(double *p, const int at[4], ph_vec3 a, ph_vec3 b)
{
    ph_real first[4] = {a.x, a.y, a.z, b.x}, last[4] = {a.z, b.x, b.y, b.z};
    put4(p, at, 0, first);
    put4(p, at, 2, last);
}

/* n numbers in a row of each node, n a multiple of 4 and a constant */
PH_FN void numbers(const double *p, const int at[4], int n, ph_real *a)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 16
#endif
    for (int k = 0; k < n; k += 4) {
        ph_real r[4] = {load4(p + at[0] + k), load4(p + at[1] + k), load4(p + at[2] + k),
                        load4(p + at[3] + k)};
        transpose(r);
        a[k] = r[0], a[k + 1] = r[1], a[k + 2] = r[2], a[k + 3] = r[3];
    }
}

PH_FN ph_mat3 nines(const double *p, const int at[4])
{
    ph_real n[8];
    numbers(p, at, 8, n);
    return (ph_mat3){n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], number(p, at, 8)};
}

/* 1 + s D */
PH_FN ph_mat3 one_and(double s, ph_mat3 D)
{
    D = ph_mscale(ph_k(s), D);
    D.xx += 1, D.yy += 1, D.zz += 1;
    return D;
}

/* n numbers in a row, n a multiple of 4 and a constant */
PH_FN void put_numbers(double *p, const int at[4], int n, const ph_real *a)
{
    double *const to[4] = {p + at[0], p + at[1], p + at[2], p + at[3]};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 16
#endif
    for (int k = 0; k < n; k += 4) {
        ph_real r[4] = {a[k], a[k + 1], a[k + 2], a[k + 3]};
        transpose(r);
        store4(to[0] + k, r[0]), store4(to[1] + k, r[1]), store4(to[2] + k, r[2]), store4(to[3] + k, r[3]);
    }
}

#endif
