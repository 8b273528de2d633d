/* Pieces of SE(3) that batches and beams share. With eps^2 = 0, w + eps U stands for the twist (U, w), and every operator of SO(3)
 * gives that of SE(3) by taking its real and its dual part, F(w + eps U) = F0 + eps F1 (L14), J0 + eps J1 (L16). */
#ifndef PH_LIE_SE3_H
#define PH_LIE_SE3_H

#include "lie/so3.h"

/* a.b, by error-free products and sums: to its last place unless nearly everything cancels.
 * Towards 2 pi the positions of exp come near 0 and the coefficients of T^-1 outgrow each other: both magnify
 * the errors of products. */
PH_FN ph_real ph_dot_exact(const ph_real *a, const ph_real *b, int n)
{
    ph_real sum = ph_k(0), rest = ph_k(0);
    for (int i = 0; i < n; i++) {
        ph_real t = a[i] * b[i], next = sum + t, v = next - sum;
        rest += ph_fma(a[i], b[i], -t) + ((sum - (next - v)) + (t - v));
        sum = next;
    }
    return sum + rest;
}

PH_FN ph_vec3 ph_select3(ph_mask m, ph_vec3 a, ph_vec3 b)
{
    return ph_v3(ph_select(m, a.x, b.x), ph_select(m, a.y, b.y), ph_select(m, a.z, b.z));
}

/* The next three are exact where s = |w|^2 is large. */
PH_FN ph_real ph_se3_dot(ph_real s, ph_vec3 a, ph_vec3 b)
{
    ph_mask small = s <= PH_STUMPFF_SMALL;
    if (ph_all(small))
        return ph_dot(a, b);
    return ph_select(small, ph_dot(a, b),
                     ph_dot_exact((ph_real[]){a.x, a.y, a.z}, (ph_real[]){b.x, b.y, b.z}, 3));
}

PH_FN ph_vec3 ph_se3_cross(ph_real s, ph_vec3 a, ph_vec3 b)
{
    ph_mask small = s <= PH_STUMPFF_SMALL;
    return ph_all(small) ? ph_cross(a, b) : ph_select3(small, ph_cross(a, b), ph_cross_exact(a, b));
}

/* a x b + c x d */
PH_FN ph_vec3 ph_se3_cross_sum(ph_real s, ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d)
{
    ph_mask small = s <= PH_STUMPFF_SMALL;
    ph_vec3 sum = ph_add(ph_cross(a, b), ph_cross(c, d));
    if (ph_all(small))
        return sum;
    return ph_select3(
        small, sum,
        ph_v3(ph_dot_exact((ph_real[]){a.y, -a.z, c.y, -c.z}, (ph_real[]){b.z, b.y, d.z, d.y}, 4),
              ph_dot_exact((ph_real[]){a.z, -a.x, c.z, -c.x}, (ph_real[]){b.x, b.z, d.x, d.z}, 4),
              ph_dot_exact((ph_real[]){a.x, -a.y, c.x, -c.y}, (ph_real[]){b.y, b.x, d.y, d.x}, 4)));
}

/* F1 = f tilde(U) + m (f1 W + g1 w w^T + e1 I) + g (w U^T + U w^T), m = w.U (L14) */
PH_FN ph_mat3 ph_dual_mat(ph_form F, ph_vec3 w, ph_vec3 U, ph_real m)
{
    ph_real k = F.g1 * m;
    ph_vec3 a = {-(F.f * U.x + F.f1 * m * w.x), -(F.f * U.y + F.f1 * m * w.y), -(F.f * U.z + F.f1 * m * w.z)};
    ph_vec3 b = {F.g * U.x + k * w.x, F.g * U.y + k * w.y, F.g * U.z + k * w.z};
    return ph_form_sum(ph_k(1), a, F.e1 * m, ph_scale(F.g, w), U, b, w);
}

/* J0 and J1 of d(F(w + eps U) (u0 + eps u1)) by w + eps U (L16), for F = const I + f W + g W^2; s = |w|^2 */
PH_FN void ph_dual_jac(ph_real s, ph_form F, ph_vec3 w, ph_vec3 U, ph_vec3 u0, ph_vec3 u1, ph_mat3 *J0,
                       ph_mat3 *J1)
{
    ph_real m = ph_se3_dot(s, w, U);
    ph_vec3 a0 = ph_se3_cross(s, w, u0), a1 = ph_se3_cross_sum(s, U, u0, w, u1);
    ph_vec3 b0 = ph_cross(w, a0), b1 = ph_add(ph_cross(U, a0), ph_cross(w, a1));
    ph_real wu0 = ph_dot(w, u0), wu1 = ph_dot(U, u0) + ph_dot(w, u1);
    ph_vec3 v0 = ph_form_radial(F, w, u0, a0);
    ph_real f2 = F.f2 * m, g2 = F.g2 * m, f1 = F.f1 * m, g1 = F.g1 * m, g = 2 * F.g;
    ph_vec3 v1 = {f2 * a0.x + F.f1 * a1.x + g2 * b0.x + F.g1 * b1.x - 2 * g1 * u0.x - g * u1.x,
                  f2 * a0.y + F.f1 * a1.y + g2 * b0.y + F.g1 * b1.y - 2 * g1 * u0.y - g * u1.y,
                  f2 * a0.z + F.f1 * a1.z + g2 * b0.z + F.g1 * b1.z - 2 * g1 * u0.z - g * u1.z};
    ph_vec3 a = {f1 * u0.x + F.f * u1.x, f1 * u0.y + F.f * u1.y, f1 * u0.z + F.f * u1.z};
    ph_vec3 b = {g1 * w.x + F.g * U.x, g1 * w.y + F.g * U.y, g1 * w.z + F.g * U.z};
    ph_vec3 gw = ph_scale(F.g, w);

    *J0 = ph_form_sum(F.f, u0, F.g * wu0, gw, u0, v0, w);
    *J1 = ph_madd(ph_form_sum(ph_k(1), a, g1 * wu0 + F.g * wu1, b, u0, v1, w),
                  ph_madd(ph_outer(gw, u1), ph_outer(v0, U)));
}

PH_FN void ph_se3_form_slope(ph_form F, ph_vec3 w, ph_vec3 U, ph_vec3 u0, ph_vec3 u1, ph_mat3 *J0,
                             ph_mat3 *J1)
{
    ph_dual_jac(ph_dot(w, w), F, w, U, u0, u1, J0, J1);
}

/* Position of exp: T(w)^T U = c1 U + c2 w x U + c3 m w, m = w.U (L15) */
PH_FN ph_vec3 ph_se3_exp_position(ph_stumpff r, ph_vec3 w, ph_vec3 U, ph_real m)
{
    ph_vec3 a = ph_cross(w, U);
    ph_real k = r.c3 * m;
    return (ph_vec3){r.c1 * U.x + r.c2 * a.x + k * w.x, r.c1 * U.y + r.c2 * a.y + k * w.y,
                     r.c1 * U.z + r.c2 * a.z + k * w.z};
}

/* q0 o exp((U, w)), and the blocks of T = [T0 T1; 0 T0] and of its inverse, with shared coefficients */
typedef struct ph_se3_moved {
    ph_vec3 x;
    ph_quat q;
    ph_mat3 T0, T1, Tinv0, Tinv1;
} ph_se3_moved;

PH_FN ph_se3_moved ph_se3_move(ph_vec3 x0, ph_quat q0, ph_vec3 U, ph_vec3 w)
{
    ph_stumpff r = ph_stumpff_of(w);
    ph_real m = ph_se3_dot(r.s, w, U);
    ph_form T = ph_form_T(r), Tinv = ph_form_Tinv(r);
    return (ph_se3_moved){.x = ph_add(x0, ph_quat_rotate(q0, ph_se3_exp_position(r, w, U, m))),
                          .q = ph_quat_fix(ph_qmul(q0, ph_so3_exp(r, w))),
                          .T0 = ph_form_mat(T, w),
                          .T1 = ph_dual_mat(T, w, U, m),
                          .Tinv0 = ph_form_mat(Tinv, w),
                          .Tinv1 = ph_dual_mat(Tinv, w, U, m)};
}

/* d(T(x) u)/dx = [J0 J1; 0 J0], x = (U, w) and u = (u1, u0) */
PH_FN void ph_se3_slope(ph_vec3 U, ph_vec3 w, ph_vec3 u1, ph_vec3 u0, ph_mat3 *J0, ph_mat3 *J1)
{
    ph_stumpff r = ph_stumpff_of(w);
    ph_dual_jac(r.s, ph_form_T(r), w, U, u0, u1, J0, J1);
}

/* The numbers of [A B; 0 A], row by row */
PH_FN void ph_dual_numbers(ph_mat3 A, ph_mat3 B, ph_real n[36])
{
    const ph_vec3 a[3] = {{A.xx, A.xy, A.xz}, {A.yx, A.yy, A.yz}, {A.zx, A.zy, A.zz}},
                  b[3] = {{B.xx, B.xy, B.xz}, {B.yx, B.yy, B.yz}, {B.zx, B.zy, B.zz}};
    for (int i = 0; i < 3; i++) {
        ph_store3(n + 6 * i, a[i]), ph_store3(n + 6 * i + 3, b[i]);
        ph_store3(n + 18 + 6 * i, ph_zero3()), ph_store3(n + 21 + 6 * i, a[i]);
    }
}

#endif
