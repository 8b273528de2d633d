/* Coordinates of joints and their derivatives.
 *
 * With p = conj(q_a C_a) o (q_b C_b) = (p0, pv), P its matrix, and the relative increment, in the frame of b,
 *
 *   delta = C_b^T dphi_b - P^T C_a^T dphi_a,   w = C_b^T Omega_b - u,   u = P^T C_a^T Omega_a
 *
 * an angle x(p) with dx = gamma . delta, dgamma = G delta has                                         (J6)
 *
 *   b = (0, -C_a P gamma, 0, C_b gamma),   xdot = gamma . w
 *   z = (0, -C_a P zeta, 0, C_b zeta),     zeta = G^T w + u x gamma
 *   d(b^T): C_b G delta on phi_b,  -C_a P (G - tilde(gamma)) delta on phi_a
 *
 * One or two free rotations, about axis e of the joint frame:
 *
 *   x = 2 atan2(e . pv, p0),   n gamma = p0^2 e + p0 e x pv + (e . pv) pv,   n = p0^2 + (e . pv)^2    (J7)
 *
 * The two of a universal joint, about e_x of the first frame and e_y of the second, are also those of a cross, which are regular where the
 * other one is half a turn: x = atan2(s, c), with s and c products xi . P^T eta of axes of both frames,
 *
 *   e_x: s = e_y . P^T e_z, c = e_y . P^T e_y,   e_y: s = e_z . P^T e_x, c = e_x . P^T e_x
 *   n gamma = c sigma_s - s sigma_c,   n = s^2 + c^2,   sigma = xi x P^T eta                         (J14)
 *
 * Three free rotations: x = e . psi, exp(psi) = p, and gamma = T^-T(psi) e                             (J8)
 *
 * Displacements and lengths are those of slide.h and distance.h. */
#ifndef PH_MECH_ALONG_H
#define PH_MECH_ALONG_H

#include "lie/so3.h"
#include "mech/distance.h"
#include "mech/slide.h"

#ifndef PH_ALONG_FN /* models with many coordinates have these functions once */
#define PH_ALONG_FN PH_FN
#endif

PH_FN int ph_is_angle(int k)
{
    return k >= PH_ABOUT && k < PH_LENGTH;
}

/* ---- rotations ------------------------------------------------------------------------------------ */

/* The rotation vector psi from one joint frame to the other, and a torque y(psi, w) on the second body with minus sign, in
 * its joint frame; w: relative angular velocity there. */
typedef struct ph_swing {
    ph_quat p;
    ph_vec3 w;
    ph_mat3 P; /* from the frame of the second body to that of the first */
    ph_vec3 u; /* angular velocity of the first body, in the frame of the second */
} ph_swing;

PH_FN ph_quat ph_along_relative(const ph_site *s)
{
    return ph_qmul(ph_quat_conj(ph_qmul(s->a.q, s->j->Ca)), ph_qmul(s->b.q, s->j->Cb));
}

PH_FN int ph_along_is_vector(const ph_joint *j)
{
    return (j->frees >> PH_ABOUT & 7) == 7;
}

PH_FN int ph_along_is_cross(const ph_joint *j)
{
    return j->frees >> PH_CROSS & 1;
}

PH_FN ph_vec3 ph_along_axis(int k)
{
    return ph_v3(ph_k(k == PH_ABOUT), ph_k(k == PH_ABOUT + 1), ph_k(k == PH_ABOUT + 2));
}

PH_FN ph_swing ph_swing_of(const ph_site *s)
{
    ph_quat p = ph_along_relative(s);
    ph_swing c = {.p = p, .P = ph_qmat(p)};
    c.u = ph_tmul(c.P, ph_tmul(s->j->Ea, s->a.w));
    c.w = ph_sub(ph_tmul(s->j->Eb, s->b.w), c.u);
    return c;
}

/* dpsi = Tinv delta */
PH_FN ph_mat3 ph_swing_Tinv(ph_vec3 psi)
{
    return ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi);
}

PH_FN void ph_swing_row(const ph_site *s, const ph_swing *c, ph_vec3 y, ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = r[PH_XB] = ph_zero3();
    r[PH_FA] = ph_neg(ph_mul(s->j->Ea, ph_mul(c->P, y)));
    r[PH_FB] = ph_mul(s->j->Eb, y);
}

/* dy = Y delta, delta the relative increment: adds the tangent of the rows; y 0: at fixed rotations. */
PH_FN void ph_swing_K(const ph_site *s, const ph_swing *c, ph_mat3 Y, ph_vec3 y, const ph_put *p)
{
    ph_mat3 by_b = ph_transpose(s->j->Eb), by_a = ph_mneg(ph_transpose(ph_mmul(s->j->Ea, c->P))); /* delta */
    ph_mat3 on_b = ph_mmul(s->j->Eb, Y),
            on_a = ph_mneg(ph_mmul(ph_mmul(s->j->Ea, c->P), ph_msub(Y, ph_tilde(y))));
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(on_a, by_a)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(on_a, by_b));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(on_b, by_a)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(on_b, by_b));
}

/* gamma of (J7) */
PH_FN ph_vec3 ph_axis_gamma(ph_quat p, ph_vec3 e)
{
    ph_vec3 pv = ph_v3(p.x, p.y, p.z), turned = ph_cross(e, pv);
    ph_real pe = ph_dot(e, pv), n = p.w * p.w + pe * pe;
    return ph_scale(1 / n, ph_add(ph_add(ph_scale(p.w * p.w, e), ph_scale(p.w, turned)), ph_scale(pe, pv)));
}

/* and its G */
PH_FN ph_mat3 ph_axis_G(ph_quat p, ph_vec3 e, ph_vec3 gamma)
{
    ph_vec3 pv = ph_v3(p.x, p.y, p.z), turned = ph_cross(e, pv);
    ph_real pe = ph_dot(e, pv), n = p.w * p.w + pe * pe;
    ph_mat3 dpv = ph_mscale(ph_k(0.5), ph_madd(ph_diag3(p.w, p.w, p.w), ph_tilde(pv))); /* by delta */
    ph_vec3 dp0 = ph_scale(ph_k(-0.5), pv), dpe = ph_tmul(dpv, e);
    ph_vec3 dn = ph_add(ph_scale(2 * p.w, dp0), ph_scale(2 * pe, dpe));
    ph_mat3 top = ph_madd(ph_outer(ph_add(ph_scale(2 * p.w, e), turned), dp0), ph_outer(pv, dpe));
    top = ph_madd(top, ph_mmul(ph_madd(ph_mscale(p.w, ph_tilde(e)), ph_diag3(pe, pe, pe)), dpv));
    return ph_mscale(1 / n, ph_msub(top, ph_outer(gamma, dn)));
}

/* s and c of (J14), and their axes in the second frame. */
typedef struct ph_cross_angle {
    ph_real s, c, n;
    ph_vec3 xs, ys, xc, yc;
} ph_cross_angle;

PH_FN ph_cross_angle ph_cross_of(ph_mat3 P, int k)
{
    ph_vec3 ex = ph_along_axis(PH_ABOUT), ey = ph_along_axis(PH_ABOUT + 1), ez = ph_along_axis(PH_ABOUT + 2);
    ph_cross_angle a = {.xs = ey, .ys = ph_tmul(P, ez), .xc = ey, .yc = ph_tmul(P, ey)};
    if (k != PH_ABOUT)
        a.xs = ez, a.xc = ex, a.ys = a.yc = ph_tmul(P, ex);
    a.s = ph_dot(a.xs, a.ys), a.c = ph_dot(a.xc, a.yc);
    a.n = a.s * a.s + a.c * a.c;
    return a;
}

PH_FN ph_vec3 ph_cross_gamma(ph_mat3 P, int k)
{
    ph_cross_angle a = ph_cross_of(P, k);
    return ph_scale(1 / a.n,
                    ph_sub(ph_scale(a.c, ph_cross(a.xs, a.ys)), ph_scale(a.s, ph_cross(a.xc, a.yc))));
}

/* and its G: dsigma = xi x (P^T eta x delta), ds = sigma . delta */
PH_FN ph_mat3 ph_cross_G(ph_mat3 P, int k, ph_vec3 gamma)
{
    ph_cross_angle a = ph_cross_of(P, k);
    ph_vec3 s = ph_cross(a.xs, a.ys), c = ph_cross(a.xc, a.yc),
            dn = ph_scale(ph_k(2), ph_add(ph_scale(a.s, s), ph_scale(a.c, c)));
    ph_mat3 ds = ph_mmul(ph_tilde(a.xs), ph_tilde(a.ys)), dc = ph_mmul(ph_tilde(a.xc), ph_tilde(a.yc));
    ph_mat3 top =
        ph_madd(ph_msub(ph_outer(s, c), ph_outer(c, s)), ph_msub(ph_mscale(a.c, ds), ph_mscale(a.s, dc)));
    return ph_mscale(1 / a.n, ph_msub(top, ph_outer(gamma, dn)));
}

/* G of (J8) */
PH_FN ph_mat3 ph_vector_G(ph_quat p, ph_vec3 e)
{
    ph_vec3 psi = ph_so3_log(p);
    ph_form F = ph_form_transpose(ph_form_Tinv(ph_stumpff_of(psi)));
    return ph_mmul(ph_form_jac(F, psi, e, ph_cross(psi, e)), ph_swing_Tinv(psi));
}

PH_FN ph_vec3 ph_along_gamma(const ph_site *s, const ph_swing *c, int k)
{
    if (ph_along_is_cross(s->j))
        return ph_cross_gamma(c->P, k);
    return ph_along_is_vector(s->j) ? ph_tmul(ph_swing_Tinv(ph_so3_log(c->p)), ph_along_axis(k))
                                    : ph_axis_gamma(c->p, ph_along_axis(k));
}

PH_FN ph_mat3 ph_along_G(const ph_site *s, const ph_swing *c, int k, ph_vec3 gamma)
{
    if (ph_along_is_cross(s->j))
        return ph_cross_G(c->P, k, gamma);
    return ph_along_is_vector(s->j) ? ph_vector_G(c->p, ph_along_axis(k))
                                    : ph_axis_G(c->p, ph_along_axis(k), gamma);
}

/* z of (J6) */
PH_FN void ph_swing_z(const ph_site *s, const ph_swing *c, ph_vec3 gamma, ph_mat3 G, ph_vec3 z[PH_SLOTS])
{
    ph_swing_row(s, c, ph_add(ph_tmul(G, c->w), ph_cross(c->u, gamma)), z);
}

PH_FN ph_real ph_along_angle(const ph_site *s, int k)
{
    ph_quat p = ph_along_relative(s);
    if (ph_along_is_vector(s->j))
        return ph_dot(ph_along_axis(k), ph_so3_log(p));
    if (ph_along_is_cross(s->j)) {
        ph_cross_angle a = ph_cross_of(ph_qmat(p), k);
        return ph_atan2(a.s, a.c);
    }
    return 2 * ph_atan2(ph_dot(ph_along_axis(k), ph_v3(p.x, p.y, p.z)), p.w);
}

/* ---- all coordinates ------------------------------------------------------------------------------ */

PH_ALONG_FN ph_real ph_along_value(const ph_site *s, int k)
{
    const ph_joint *j = s->j;
    if (ph_is_angle(k))
        return ph_along_angle(s, k);
    ph_vec3 d = ph_sub(ph_add(s->b.x, ph_mul(s->b.R, j->sb)), s->a.x);
    if (k == PH_LENGTH)
        return ph_norm(ph_sub(d, ph_mul(s->a.R, j->sa)));
    return ph_dot(ph_column(&j->Ea, k), ph_sub(ph_tmul(s->a.R, d), j->sa));
}

/* Rows of a displacement or a length, those of its primitive: B, or Z where rates is 1. */
PH_FN void ph_along_part(const ph_site *s, int k, int rates, ph_vec3 out[PH_SLOTS])
{
    const int at[PH_SLOTS] = {0, 3, 6, 9};
    ph_real row[12];
    ph_site own = *s;
    ph_put p = {row, at, 12, 0};
    own.pick = k == PH_LENGTH ? 1 : 1u << k;
    if (k == PH_LENGTH && rates)
        ph_distance_Z(&own, &p);
    else if (k == PH_LENGTH)
        ph_distance_B(&own, &p);
    else if (rates)
        ph_slide_Z(&own, &p);
    else
        ph_slide_B(&own, &p);
    for (int i = 0; i < PH_SLOTS; i++)
        out[i] = ph_load3(row + 3 * i);
}

PH_ALONG_FN void ph_along_row(const ph_site *s, int k, ph_vec3 b[PH_SLOTS])
{
    if (ph_is_angle(k)) {
        ph_swing c = ph_swing_of(s);
        ph_swing_row(s, &c, ph_along_gamma(s, &c, k), b);
    } else {
        ph_along_part(s, k, 0, b);
    }
}

PH_FN ph_real ph_along_times_v(const ph_site *s, const ph_vec3 b[PH_SLOTS])
{
    return ph_dot(b[PH_XA], s->a.v) + ph_dot(b[PH_FA], s->a.w) + ph_dot(b[PH_XB], s->b.v) +
           ph_dot(b[PH_FB], s->b.w);
}

PH_ALONG_FN ph_real ph_along_rate(const ph_site *s, int k)
{
    ph_vec3 b[PH_SLOTS];
    if (ph_is_angle(k)) {
        ph_swing c = ph_swing_of(s);
        return ph_dot(ph_along_gamma(s, &c, k), c.w);
    }
    ph_along_part(s, k, 0, b);
    return ph_along_times_v(s, b);
}

PH_ALONG_FN void ph_along_z(const ph_site *s, int k, ph_vec3 z[PH_SLOTS])
{
    if (ph_is_angle(k)) {
        ph_swing c = ph_swing_of(s);
        ph_vec3 gamma = ph_along_gamma(s, &c, k);
        ph_swing_z(s, &c, gamma, ph_along_G(s, &c, k, gamma), z);
    } else {
        ph_along_part(s, k, 1, z);
    }
}

PH_ALONG_FN void ph_along_K(const ph_site *s, int k, ph_real f, const ph_put *p)
{
    if (ph_is_angle(k)) {
        ph_swing c = ph_swing_of(s);
        ph_vec3 gamma = ph_along_gamma(s, &c, k);
        ph_swing_K(s, &c, ph_mscale(f, ph_along_G(s, &c, k, gamma)), ph_scale(f, gamma), p);
        return;
    }
    ph_site own = *s;
    own.pick = k == PH_LENGTH ? 1 : 1u << k;
    if (k == PH_LENGTH)
        ph_distance_K(&own, &f, p);
    else
        ph_slide_K(&own, &f, p);
}

#endif
