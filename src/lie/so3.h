/* Pieces of SO(3) that its products and extensions share.
 *
 * T, T^-1 and their transposes are all of the form, W = tilde(w),
 *   F(w) = I + f W + g W^2 = e I + f W + g w w^T,   e = 1 - g |w|^2                                  (L7)
 *   T: f = -c2, g = c3, e = c1;   T^-1: f = 1/2, g = d, e = (p/2) cot(p/2);   F^T: -f for f
 * and their derivatives need no more than f1 = 2 df/ds, f2 = 2 df1/ds and the same of g (L8). */
#ifndef PH_LIE_SO3_H
#define PH_LIE_SO3_H

#include "base/stumpff.h"

typedef struct ph_form {
    ph_real e, f, g, e1, f1, g1, f2, g2;
} ph_form;

/* T (L7) */
PH_FN ph_form ph_form_T(ph_stumpff r)
{
    return (ph_form){r.c1, -r.c2, r.c3, r.c3 - r.c2, -r.b2, r.b3, -r.h2, r.h3};
}

/* T^-1 (L7); e1 = -(2 d + s d1) = d - 1/4 - s d^2 */
PH_FN ph_form ph_form_Tinv(ph_stumpff r)
{
    return (ph_form){r.e, ph_k(0.5), r.d, r.d - 0.25 - r.s * (r.d * r.d), ph_k(0), r.d1, ph_k(0), r.d2};
}

PH_FN ph_form ph_form_transpose(ph_form F)
{
    F.f = -F.f, F.f1 = -F.f1, F.f2 = -F.f2;
    return F;
}

/* e I + f W + g w w^T (L7) */
PH_FN ph_mat3 ph_form_mat(ph_form F, ph_vec3 w)
{
    ph_vec3 gw = ph_scale(F.g, w), fw = ph_scale(F.f, w);
    ph_real xy = gw.x * w.y, xz = gw.x * w.z, yz = gw.y * w.z;
    return (ph_mat3){F.e + gw.x * w.x, xy - fw.z, xz + fw.y, xy + fw.z,       F.e + gw.y * w.y,
                     yz - fw.x,        xz - fw.y, yz + fw.x, F.e + gw.z * w.z};
}

/* a x b, each component to its last place also where a and b are nearly parallel */
PH_FN ph_vec3 ph_cross_exact(ph_vec3 a, ph_vec3 b)
{
    ph_real x = a.z * b.y, y = a.x * b.z, z = a.y * b.x;
    return (ph_vec3){ph_fma(a.y, b.z, -x) - ph_fma(a.z, b.y, -x), ph_fma(a.z, b.x, -y) - ph_fma(a.x, b.z, -y),
                     ph_fma(a.x, b.y, -z) - ph_fma(a.y, b.x, -z)};
}

/* -f tilde(a) + g I + b c^T + v w^T */
PH_FN ph_mat3 ph_form_sum(ph_real f, ph_vec3 a, ph_real g, ph_vec3 b, ph_vec3 c, ph_vec3 v, ph_vec3 w)
{
    ph_vec3 fa = ph_scale(f, a);
    return (ph_mat3){
        g + b.x * c.x + v.x * w.x,     fa.z + b.x * c.y + v.x * w.y,  -fa.y + b.x * c.z + v.x * w.z,
        -fa.z + b.y * c.x + v.y * w.x, g + b.y * c.y + v.y * w.y,     fa.x + b.y * c.z + v.y * w.z,
        fa.y + b.z * c.x + v.z * w.x,  -fa.x + b.z * c.y + v.z * w.y, g + b.z * c.z + v.z * w.z};
}

/* f1 w x u + g1 w x (w x u) - 2 g u, given wu = w x u */
PH_FN ph_vec3 ph_form_radial(ph_form F, ph_vec3 w, ph_vec3 u, ph_vec3 wu)
{
    ph_vec3 wwu = ph_cross(w, wu);
    ph_real g = 2 * F.g;
    return (ph_vec3){F.f1 * wu.x + F.g1 * wwu.x - g * u.x, F.f1 * wu.y + F.g1 * wwu.y - g * u.y,
                     F.f1 * wu.z + F.g1 * wwu.z - g * u.z};
}

/* d(F(w) u)/dw = -f tilde(u) + g (w.u) I + g w u^T + (f1 w x u + g1 w x (w x u) - 2 g u) w^T (L9) */
PH_FN ph_mat3 ph_form_jac(ph_form F, ph_vec3 w, ph_vec3 u, ph_vec3 wu)
{
    return ph_form_sum(F.f, u, F.g * ph_dot(w, u), ph_scale(F.g, w), u, ph_form_radial(F, w, u, wu), w);
}

/* Quaternion of exp(w): (cos(p/2), sin(p/2)/p w) (L6) */
PH_FN ph_quat ph_so3_exp(ph_stumpff r, ph_vec3 w)
{
    ph_real h = 0.5 * r.S;
    return (ph_quat){r.C, h * w.x, h * w.y, h * w.z};
}

/* The norm of a quaternion that is nearly one, corrected to first order: q (3 - |q|^2)/2 (L11) */
PH_FN ph_quat ph_quat_fix(ph_quat q)
{
    ph_real k = 1.5 - 0.5 * ((q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z));
    return (ph_quat){k * q.w, k * q.x, k * q.y, k * q.z};
}

PH_FN ph_quat ph_quat_load(const ph_real *p)
{
    return (ph_quat){p[0], p[1], p[2], p[3]};
}

PH_FN void ph_quat_store(ph_real *p, ph_quat q)
{
    p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z;
}

PH_FN ph_quat ph_quat_conj(ph_quat q)
{
    return (ph_quat){q.w, -q.x, -q.y, -q.z};
}

/* q0 o exp(w), T(w) and T(w)^-1, with shared coefficients */
typedef struct ph_so3_moved {
    ph_quat q;
    ph_mat3 T, Tinv;
} ph_so3_moved;

PH_FN ph_so3_moved ph_so3_move(ph_quat q0, ph_vec3 w)
{
    ph_stumpff r = ph_stumpff_of(w);
    return (ph_so3_moved){.q = ph_quat_fix(ph_qmul(q0, ph_so3_exp(r, w))),
                          .T = ph_form_mat(ph_form_T(r), w),
                          .Tinv = ph_form_mat(ph_form_Tinv(r), w)};
}

/* d(T(w) u)/dw */
PH_FN ph_mat3 ph_so3_dT(ph_vec3 w, ph_vec3 u)
{
    return ph_form_jac(ph_form_T(ph_stumpff_of(w)), w, u, ph_cross(w, u));
}

/* R(q) x = x + 2 q0 (v x x) + 2 v x (v x x) */
PH_FN ph_vec3 ph_quat_rotate(ph_quat q, ph_vec3 x)
{
    ph_vec3 v = {q.x, q.y, q.z}, t = ph_cross(v, x), tt = ph_cross(v, t);
    return (ph_vec3){x.x + 2 * (q.w * t.x + tt.x), x.y + 2 * (q.w * t.y + tt.y),
                     x.z + 2 * (q.w * t.z + tt.z)};
}

/* |w| <= pi (L10) */
PH_FN ph_vec3 ph_so3_log(ph_quat q)
{
    /* q and -q are one rotation; |q0| is that of an angle up to pi. p = 2 atan2(|v|, |q0|), and below
     * |v|^2 = 1e-17 the quotient p/|v| is 2/|q0| to the last place (L10). */
    ph_real vv = q.x * q.x + q.y * q.y + q.z * q.z, q0 = ph_abs(q.w), v = ph_sqrt(vv);
    ph_mask small = vv < 1e-17;
    ph_real k = ph_select(small, ph_k(2), 2 * ph_atan2(v, q0)) / ph_select(small, q0, v);
    k = ph_select(q.w < 0, -k, k);
    return (ph_vec3){k * q.x, k * q.y, k * q.z};
}

#endif
