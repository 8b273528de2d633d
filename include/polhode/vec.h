/* 3-vectors, 3x3 matrices and quaternions by value.
 *
 * This text, and that of stumpff.h, so3.h and the elements of src/mech, has two uses: in the library ph_real is
 * double; a compiled model has the text in its file, where ph_real may be a vector of members. So constants go
 * through ph_k, and choices by value through ph_select. */
#ifndef POLHODE_VEC_H
#define POLHODE_VEC_H

#ifndef PH_FN /* a compiled model has defined all of this */

#include <math.h>

#define PH_FN static inline

typedef double ph_real;
typedef int ph_mask; /* what a comparison gives */

PH_FN ph_real ph_k(double a) /* a constant */
{
    return a;
}

PH_FN ph_real ph_select(ph_mask m, ph_real a, ph_real b)
{
    return m ? a : b;
}

PH_FN int ph_any(ph_mask m) /* of members */
{
    return m;
}

PH_FN int ph_all(ph_mask m)
{
    return m;
}

PH_FN ph_real ph_sqrt(ph_real a)
{
    return sqrt(a);
}

PH_FN ph_real ph_abs(ph_real a)
{
    return fabs(a);
}

PH_FN ph_real ph_sin(ph_real a)
{
    return sin(a);
}

PH_FN ph_real ph_cos(ph_real a)
{
    return cos(a);
}

PH_FN ph_real ph_atan2(ph_real y, ph_real x)
{
    return atan2(y, x);
}

PH_FN ph_real ph_fma(ph_real a, ph_real b, ph_real c)
{
    return fma(a, b, c);
}

#endif

typedef struct ph_vec3 {
    ph_real x, y, z;
} ph_vec3;

typedef struct ph_mat3 { /* row by row */
    ph_real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} ph_mat3;

typedef struct ph_quat { /* unit, scalar first, body to world */
    ph_real w, x, y, z;
} ph_quat;

PH_FN ph_vec3 ph_v3(ph_real x, ph_real y, ph_real z)
{
    ph_vec3 c = {x, y, z};
    return c;
}

PH_FN ph_vec3 ph_zero3(void)
{
    return ph_v3(ph_k(0), ph_k(0), ph_k(0));
}

PH_FN ph_vec3 ph_load3(const ph_real *p)
{
    ph_vec3 c = {p[0], p[1], p[2]};
    return c;
}

PH_FN void ph_store3(ph_real *p, ph_vec3 a)
{
    p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

PH_FN ph_vec3 ph_add(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.x + b.x, a.y + b.y, a.z + b.z};
    return c;
}

PH_FN ph_vec3 ph_sub(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c;
}

PH_FN ph_vec3 ph_scale(ph_real s, ph_vec3 a)
{
    ph_vec3 c = {s * a.x, s * a.y, s * a.z};
    return c;
}

PH_FN ph_vec3 ph_neg(ph_vec3 a)
{
    ph_vec3 c = {-a.x, -a.y, -a.z};
    return c;
}

PH_FN ph_real ph_dot(ph_vec3 a, ph_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

PH_FN ph_vec3 ph_cross(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

PH_FN ph_real ph_norm(ph_vec3 a)
{
    return ph_sqrt(ph_dot(a, a));
}

PH_FN ph_mat3 ph_load33(const ph_real *p)
{
    ph_mat3 C = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
    return C;
}

PH_FN void ph_store33(ph_real *p, ph_mat3 A)
{
    p[0] = A.xx, p[1] = A.xy, p[2] = A.xz, p[3] = A.yx, p[4] = A.yy, p[5] = A.yz, p[6] = A.zx, p[7] = A.zy,
    p[8] = A.zz;
}

PH_FN ph_mat3 ph_diag3(ph_real a, ph_real b, ph_real c)
{
    ph_real o = ph_k(0);
    ph_mat3 C = {a, o, o, o, b, o, o, o, c};
    return C;
}

PH_FN ph_mat3 ph_zero33(void)
{
    return ph_diag3(ph_k(0), ph_k(0), ph_k(0));
}

PH_FN ph_mat3 ph_one33(void)
{
    return ph_diag3(ph_k(1), ph_k(1), ph_k(1));
}

/* tilde(a) b = a x b */
PH_FN ph_mat3 ph_tilde(ph_vec3 a)
{
    ph_real o = ph_k(0);
    ph_mat3 C = {o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o};
    return C;
}

PH_FN ph_mat3 ph_outer(ph_vec3 a, ph_vec3 b)
{
    ph_mat3 C = {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                 a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
    return C;
}

PH_FN ph_mat3 ph_transpose(ph_mat3 A)
{
    ph_mat3 C = {A.xx, A.yx, A.zx, A.xy, A.yy, A.zy, A.xz, A.yz, A.zz};
    return C;
}

PH_FN ph_mat3 ph_madd(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yx + B.yx, A.yy + B.yy,
                 A.yz + B.yz, A.zx + B.zx, A.zy + B.zy, A.zz + B.zz};
    return C;
}

PH_FN ph_mat3 ph_msub(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx - B.xx, A.xy - B.xy, A.xz - B.xz, A.yx - B.yx, A.yy - B.yy,
                 A.yz - B.yz, A.zx - B.zx, A.zy - B.zy, A.zz - B.zz};
    return C;
}

PH_FN ph_mat3 ph_mscale(ph_real s, ph_mat3 A)
{
    ph_mat3 C = {s * A.xx, s * A.xy, s * A.xz, s * A.yx, s * A.yy, s * A.yz, s * A.zx, s * A.zy, s * A.zz};
    return C;
}

PH_FN ph_mat3 ph_mneg(ph_mat3 A)
{
    ph_mat3 C = {-A.xx, -A.xy, -A.xz, -A.yx, -A.yy, -A.yz, -A.zx, -A.zy, -A.zz};
    return C;
}

PH_FN ph_mat3 ph_mselect(ph_mask m, ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {ph_select(m, A.xx, B.xx), ph_select(m, A.xy, B.xy), ph_select(m, A.xz, B.xz),
                 ph_select(m, A.yx, B.yx), ph_select(m, A.yy, B.yy), ph_select(m, A.yz, B.yz),
                 ph_select(m, A.zx, B.zx), ph_select(m, A.zy, B.zy), ph_select(m, A.zz, B.zz)};
    return C;
}

/* A b */
PH_FN ph_vec3 ph_mul(ph_mat3 A, ph_vec3 b)
{
    ph_vec3 c = {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.yx * b.x + A.yy * b.y + A.yz * b.z,
                 A.zx * b.x + A.zy * b.y + A.zz * b.z};
    return c;
}

/* A^T b */
PH_FN ph_vec3 ph_tmul(ph_mat3 A, ph_vec3 b)
{
    ph_vec3 c = {A.xx * b.x + A.yx * b.y + A.zx * b.z, A.xy * b.x + A.yy * b.y + A.zy * b.z,
                 A.xz * b.x + A.yz * b.y + A.zz * b.z};
    return c;
}

/* A B */
PH_FN ph_mat3 ph_mmul(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx * B.xx + A.xy * B.yx + A.xz * B.zx, A.xx * B.xy + A.xy * B.yy + A.xz * B.zy,
                 A.xx * B.xz + A.xy * B.yz + A.xz * B.zz, A.yx * B.xx + A.yy * B.yx + A.yz * B.zx,
                 A.yx * B.xy + A.yy * B.yy + A.yz * B.zy, A.yx * B.xz + A.yy * B.yz + A.yz * B.zz,
                 A.zx * B.xx + A.zy * B.yx + A.zz * B.zx, A.zx * B.xy + A.zy * B.yy + A.zz * B.zy,
                 A.zx * B.xz + A.zy * B.yz + A.zz * B.zz};
    return C;
}

/* A tilde(b) */
PH_FN ph_mat3 ph_mtilde(ph_mat3 A, ph_vec3 b)
{
    ph_mat3 C = {A.xy * b.z - A.xz * b.y, A.xz * b.x - A.xx * b.z, A.xx * b.y - A.xy * b.x,
                 A.yy * b.z - A.yz * b.y, A.yz * b.x - A.yx * b.z, A.yx * b.y - A.yy * b.x,
                 A.zy * b.z - A.zz * b.y, A.zz * b.x - A.zx * b.z, A.zx * b.y - A.zy * b.x};
    return C;
}

/* Inverse by the adjugate; the caller knows that A is well conditioned. */
PH_FN ph_mat3 ph_minv(ph_mat3 A)
{
    ph_real a = A.yy * A.zz - A.yz * A.zy, b = A.yz * A.zx - A.yx * A.zz, c = A.yx * A.zy - A.yy * A.zx;
    ph_real s = 1 / (A.xx * a + A.xy * b + A.xz * c);
    ph_mat3 C = {s * a, s * (A.xz * A.zy - A.xy * A.zz), s * (A.xy * A.yz - A.xz * A.yy),
                 s * b, s * (A.xx * A.zz - A.xz * A.zx), s * (A.xz * A.yx - A.xx * A.yz),
                 s * c, s * (A.xy * A.zx - A.xx * A.zy), s * (A.xx * A.yy - A.xy * A.yx)};
    return C;
}

PH_FN ph_quat ph_qmul(ph_quat a, ph_quat b)
{
    ph_quat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return c;
}

/* Rotation matrix of a unit quaternion. */
PH_FN ph_mat3 ph_qmat(ph_quat q)
{
    ph_real x2 = 2 * q.x, y2 = 2 * q.y, z2 = 2 * q.z;
    ph_real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    ph_real xx = q.x * x2, xy = q.x * y2, xz = q.x * z2, yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
    ph_mat3 C = {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                 yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
    return C;
}

#endif
