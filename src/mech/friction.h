/* Coulomb friction in joints, smooth at rest, (J3)-(J5): mu N w/sqrt(w^2 + w_s^2),
 * N = |lambda| of the rows that press.
 *
 *   revolute   a torque about the axis e of the first body, lever r, N the force; n_b = R_b^T R_a e:
 *              w = n_b . Omega_b - e . Omega_a,  T = mu r N w/sqrt(..),  g = (0, -T e, 0, T n_b)
 *              dw/dq = (0, e x R_a^T R_b Omega_b, 0, Omega_b x n_b)
 *              dn_b = tilde(n_b) dphi_b - R_b^T R_a tilde(e) dphi_a
 *   spherical  a torque against the relative angular velocity, world:
 *              w = R_b Omega_b - R_a Omega_a,  tau = mu r N w/sqrt(..),  g = (0, -R_a^T tau, 0, R_b^T tau)
 *   prismatic  a force along the axis, N the force across it: with the row b of a slide along it (slide.c):
 *              w = b v,  T = mu N w/sqrt(..),  g = T b^T,  C = T' b^T b,  K = T d(b^T)/dq + T' b^T z
 *
 * Moments that a bearing carries do not press here.
 *
 * With y = w/w_s the law changes its sign within |y| < 1 and is flat outside. An increment of Newton's method from y0 to
 * y0 + dy that jumps over this range is cut to the fraction that ends nearest to rest:
 *
 *   if |y0| > 1, |y0 + dy| > 1 and y0 . (y0 + dy) < 0:   kappa = min(1, -y0 . dy/|dy|^2),  else kappa = 1      (CT8) */
#ifndef PH_MECH_FRICTION_H
#define PH_MECH_FRICTION_H

#include "mech/along.h"

/* N and its derivative by the pressing rows: all three of a point, the two across a slide. */
PH_FN ph_real ph_friction_pressure(const ph_force_site *s, int n, int i, ph_real *slope)
{
    ph_real sum = ph_k(0);
    for (int k = 0; k < n; k++)
        sum += s->lambda[k] * s->lambda[k];
    ph_real N = ph_sqrt(sum);
    *slope = i < n ? ph_select(N > 0, s->lambda[i] / N, ph_k(0)) : ph_k(0);
    return N;
}

/* w/sqrt(w^2 + w_s^2) and its derivative */
PH_FN ph_real ph_friction_law(ph_real w, ph_real ws, ph_real *slope)
{
    ph_real r = ph_sqrt(w * w + ws * ws);
    *slope = ws * ws / (r * r * r);
    return w / r;
}

/* Return kappa of (CT8). */
PH_FN ph_real ph_friction_fraction(ph_vec3 y0, ph_vec3 dy)
{
    ph_vec3 y1 = ph_add(y0, dy);
    ph_mask from = ph_dot(y0, y0) > 1, to = ph_dot(y1, y1) > 1, turns = ph_dot(y0, y1) < 0;
    return ph_select(from & to & turns, -ph_dot(y0, dy) / ph_dot(dy, dy), ph_k(1));
}

/* ---- revolute ------------------------------------------------------------------------------------- */

typedef struct ph_bearing {
    ph_vec3 e, nb;
    ph_mat3 A; /* R_a^T R_b */
    ph_real w;
} ph_bearing;

PH_FN ph_bearing ph_bearing_of(const ph_force_site *s)
{
    ph_bearing c = {.e = ph_column(&s->f->joint->Ea, 2), .A = ph_mmul(ph_transpose(s->a.R), s->b.R)};
    c.nb = ph_tmul(c.A, c.e);
    c.w = ph_dot(c.nb, s->b.w) - ph_dot(c.e, s->a.w);
    return c;
}

PH_FN ph_vec3 ph_friction_revolute_slip(const ph_force_site *s)
{
    return ph_v3(ph_bearing_of(s).w / s->f->speed, ph_k(0), ph_k(0));
}

PH_FN void ph_friction_revolute_add(const ph_bearing *c, ph_real T, ph_vec3 r[PH_SLOTS])
{
    r[PH_FA] = ph_scale(-T, c->e);
    r[PH_FB] = ph_scale(T, c->nb);
}

PH_FN void ph_friction_revolute_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_bearing c = ph_bearing_of(s);
    ph_real slope;
    ph_friction_revolute_add(&c,
                             s->f->friction * ph_friction_pressure(s, 3, 0, &slope) *
                                 ph_friction_law(c.w, s->f->speed, &slope),
                             r);
}

PH_FN void ph_friction_revolute_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    ph_bearing c = ph_bearing_of(s);
    ph_real slope, N_i;
    ph_friction_pressure(s, 3, i, &N_i);
    ph_friction_revolute_add(&c, s->f->friction * N_i * ph_friction_law(c.w, s->f->speed, &slope), r);
}

/* T' (-e, n_b) (wa, wb)^T */
PH_FN void ph_friction_revolute_rows(const ph_bearing *c, ph_real dT, ph_vec3 wa, ph_vec3 wb, const ph_put *p)
{
    ph_vec3 e = ph_scale(-dT, c->e), nb = ph_scale(dT, c->nb);
    ph_add_pair(p, PH_FA, PH_FA, ph_outer(e, wa)), ph_add_pair(p, PH_FA, PH_FB, ph_outer(e, wb));
    ph_add_pair(p, PH_FB, PH_FA, ph_outer(nb, wa)), ph_add_pair(p, PH_FB, PH_FB, ph_outer(nb, wb));
}

PH_FN void ph_friction_revolute_C(const ph_force_site *s, const ph_put *p)
{
    ph_bearing c = ph_bearing_of(s);
    ph_real slope, N = ph_friction_pressure(s, 3, 0, &slope);
    ph_friction_law(c.w, s->f->speed, &slope);
    ph_friction_revolute_rows(&c, s->f->friction * N * slope, ph_neg(c.e), c.nb, p);
}

PH_FN void ph_friction_revolute_K(const ph_force_site *s, const ph_put *p)
{
    ph_bearing c = ph_bearing_of(s);
    ph_real slope, N = ph_friction_pressure(s, 3, 0, &slope),
                   T = s->f->friction * N * ph_friction_law(c.w, s->f->speed, &slope);
    ph_friction_revolute_rows(&c, s->f->friction * N * slope, ph_cross(c.e, ph_mul(c.A, s->b.w)),
                              ph_cross(s->b.w, c.nb), p);
    ph_add_pair(p, PH_FB, PH_FB, ph_mscale(T, ph_tilde(c.nb)));
    ph_add_pair(p, PH_FB, PH_FA, ph_mscale(-T, ph_mtilde(ph_transpose(c.A), c.e)));
}

/* ---- spherical ------------------------------------------------------------------------------------ */

PH_FN ph_vec3 ph_friction_spherical_slip(const ph_force_site *s)
{
    return ph_scale(1 / s->f->speed, ph_sub(ph_mul(s->b.R, s->b.w), ph_mul(s->a.R, s->a.w)));
}

/* tau/(mu r N), and d(tau)/dw/(mu r N) = I/r - w w^T/r^3 */
PH_FN ph_vec3 ph_friction_rubbing(const ph_force_site *s, ph_mat3 *S)
{
    ph_vec3 w = ph_sub(ph_mul(s->b.R, s->b.w), ph_mul(s->a.R, s->a.w));
    ph_real r = ph_sqrt(ph_dot(w, w) + s->f->speed * s->f->speed);
    *S = ph_msub(ph_diag3(1 / r, 1 / r, 1 / r), ph_mscale(1 / (r * r * r), ph_outer(w, w)));
    return ph_scale(1 / r, w);
}

PH_FN void ph_friction_spherical_add(const ph_force_site *s, ph_vec3 tau, ph_vec3 r[PH_SLOTS])
{
    r[PH_FA] = ph_neg(ph_tmul(s->a.R, tau));
    r[PH_FB] = ph_tmul(s->b.R, tau);
}

PH_FN void ph_friction_spherical_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_mat3 S;
    ph_real slope, c = s->f->friction * ph_friction_pressure(s, 3, 0, &slope);
    ph_friction_spherical_add(s, ph_scale(c, ph_friction_rubbing(s, &S)), r);
}

PH_FN void ph_friction_spherical_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    ph_mat3 S;
    ph_real N_i;
    ph_friction_pressure(s, 3, i, &N_i);
    ph_friction_spherical_add(s, ph_scale(s->f->friction * N_i, ph_friction_rubbing(s, &S)), r);
}

/* -R_a^T and R_b^T times S (A dphi_a + B dphi_b) */
PH_FN void ph_friction_spherical_rows(const ph_force_site *s, ph_mat3 S, ph_mat3 A, ph_mat3 B,
                                      const ph_put *p)
{
    ph_mat3 Rat = ph_mneg(ph_mmul(ph_transpose(s->a.R), S)), Rbt = ph_mmul(ph_transpose(s->b.R), S);
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(Rat, A)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(Rat, B));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(Rbt, A)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(Rbt, B));
}

PH_FN void ph_friction_spherical_C(const ph_force_site *s, const ph_put *p)
{
    ph_mat3 S;
    ph_real slope, c = s->f->friction * ph_friction_pressure(s, 3, 0, &slope);
    ph_friction_rubbing(s, &S);
    ph_friction_spherical_rows(s, ph_mscale(c, S), ph_mneg(s->a.R), s->b.R, p);
}

PH_FN void ph_friction_spherical_K(const ph_force_site *s, const ph_put *p)
{
    ph_mat3 S;
    ph_real slope, c = s->f->friction * ph_friction_pressure(s, 3, 0, &slope);
    ph_vec3 tau = ph_scale(c, ph_friction_rubbing(s, &S));
    ph_friction_spherical_rows(s, ph_mscale(c, S), ph_mtilde(s->a.R, s->a.w),
                               ph_mneg(ph_mtilde(s->b.R, s->b.w)), p);
    ph_add_pair(p, PH_FA, PH_FA, ph_mneg(ph_tilde(ph_tmul(s->a.R, tau))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde(ph_tmul(s->b.R, tau)));
}

/* ---- prismatic ------------------------------------------------------------------------------------ */

/* Rows b and z of a slide along the axis: one row of B and of Z as four 3-vectors. */
typedef struct ph_rail {
    ph_site site;
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    ph_real w; /* b v */
} ph_rail;

PH_FN ph_rail ph_rail_of(const ph_force_site *s)
{
    ph_rail c = {.site = {.j = s->f->joint, .a = s->a, .b = s->b, .pick = 4}};
    c.w = ph_k(0);
    ph_along_part(&c.site, 2, 0, c.b), ph_along_part(&c.site, 2, 1, c.z);
    const ph_vec3 v[PH_SLOTS] = {s->a.v, s->a.w, s->b.v, s->b.w};
    for (int k = 0; k < PH_SLOTS; k++)
        c.w += ph_dot(c.b[k], v[k]);
    return c;
}

PH_FN ph_vec3 ph_friction_prismatic_slip(const ph_force_site *s)
{
    return ph_v3(ph_rail_of(s).w / s->f->speed, ph_k(0), ph_k(0));
}

PH_FN void ph_friction_prismatic_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_rail c = ph_rail_of(s);
    ph_real slope, T = s->f->friction * ph_friction_pressure(s, 2, 0, &slope) *
                       ph_friction_law(c.w, s->f->speed, &slope);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(T, c.b[k]);
}

PH_FN void ph_friction_prismatic_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    ph_rail c = ph_rail_of(s);
    ph_real N_i, slope;
    ph_friction_pressure(s, 2, i, &N_i);
    ph_real T = s->f->friction * N_i * ph_friction_law(c.w, s->f->speed, &slope);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(T, c.b[k]);
}

PH_FN void ph_friction_prismatic_rows(ph_real dT, const ph_vec3 *b, const ph_vec3 *w, const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, ph_outer(ph_scale(dT, b[i]), w[j]));
}

PH_FN void ph_friction_prismatic_C(const ph_force_site *s, const ph_put *p)
{
    ph_rail c = ph_rail_of(s);
    ph_real slope, N = ph_friction_pressure(s, 2, 0, &slope);
    ph_friction_law(c.w, s->f->speed, &slope);
    ph_friction_prismatic_rows(s->f->friction * N * slope, c.b, c.b, p);
}

PH_FN void ph_friction_prismatic_K(const ph_force_site *s, const ph_put *p)
{
    ph_rail c = ph_rail_of(s);
    ph_real slope, N = ph_friction_pressure(s, 2, 0, &slope),
                   T = s->f->friction * N * ph_friction_law(c.w, s->f->speed, &slope);
    ph_friction_prismatic_rows(s->f->friction * N * slope, c.b, c.z, p);
    ph_slide_K(&c.site, &T, p);
}

#endif
