/* A thin disc, the second body, rolls on a plane of the ground without slip.
 *
 * Its axle k goes through its centre of mass, its radius is r. In body components, with the normal n' = R^T n
 * of the plane and tangents t' = R^T t:
 *
 *   u' = (n' - (n'.k) k)/rho,  rho = |n' - (n'.k) k|: up the disc, and the sine of its tilt
 *   c' = -r u': from the centre to the contact
 *   Phi = n . (x - x_plane) - r rho,  B = (n, c' x n')    holonomic: the disc touches the plane
 *   A = (t, c' x t')                                     non-holonomic: the contact does not slip
 *
 * All rows have the form (e, c' x e'), since d rho = u' . dn'. With dn' = n' x dphi and dc' = -r H dn',
 * H = (I - u' u'^T)(I - k k^T)/rho:
 *
 *   d(B^T lambda)/dq on (phi, phi), m = sum of lambda e':  r tilde(m) H tilde(n') + tilde(c') tilde(m)
 *   Z_phi = -r (e' x Omega)^T H tilde(n') + (Omega x c')^T tilde(e') */
#ifndef PH_MECH_ROLL_H
#define PH_MECH_ROLL_H

#include "mech/mech.h"

typedef struct ph_roll_disc {
    ph_vec3 n, c; /* n' and c' */
    ph_real rho;
    ph_mat3 Hn; /* H tilde(n') */
} ph_roll_disc;

PH_FN ph_roll_disc ph_roll_disc_of(const ph_site *s)
{
    ph_roll_disc d = {.n = ph_tmul(s->b.R, ph_column(&s->j->Ea, 2))};
    ph_vec3 k = s->j->eb, w = ph_sub(d.n, ph_scale(ph_dot(d.n, k), k));
    d.rho = ph_norm(w);
    ph_vec3 u = ph_scale(1 / d.rho, w);
    d.c = ph_scale(-s->j->radius, u);
    ph_mat3 one = ph_one33();
    ph_mat3 H = ph_mmul(ph_msub(one, ph_outer(u, u)), ph_msub(one, ph_outer(k, k)));
    d.Hn = ph_mtilde(ph_mscale(1 / d.rho, H), d.n);
    return d;
}

/* Axis k of the plane: x and y tangents, z normal. */
PH_FN ph_vec3 ph_roll_plane_axis(const ph_site *s, int k)
{
    return ph_column(&s->j->Ea, k);
}

PH_FN void ph_roll_Phi(const ph_site *s, ph_real *out)
{
    ph_vec3 from_plane = ph_sub(s->b.x, s->j->sa);
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            *out++ =
                k == 2 ? ph_dot(ph_roll_plane_axis(s, 2), from_plane) - s->j->radius * ph_roll_disc_of(s).rho
                       : ph_k(0);
}

PH_FN void ph_roll_B(const ph_site *s, const ph_put *p)
{
    ph_roll_disc d = ph_roll_disc_of(s);
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_vec3 e = ph_roll_plane_axis(s, k);
            ph_put_row(p, PH_XB, row, e);
            ph_put_row(p, PH_FB, row++, ph_cross(d.c, ph_tmul(s->b.R, e)));
        }
}

PH_FN void ph_roll_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    ph_roll_disc d = ph_roll_disc_of(s);
    ph_vec3 m = ph_zero3();
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            m = ph_add(m, ph_scale(*lambda++, ph_roll_plane_axis(s, k)));
    m = ph_tmul(s->b.R, m);
    ph_mat3 by_contact = ph_mscale(s->j->radius, ph_mmul(ph_tilde(m), d.Hn));
    ph_add_pair(p, PH_FB, PH_FB, ph_madd(by_contact, ph_tilde2(d.c, m)));
}

PH_FN ph_vec3 ph_roll_z_row(const ph_site *s, const ph_roll_disc *d, int k)
{
    ph_vec3 e = ph_tmul(s->b.R, ph_roll_plane_axis(s, k));
    ph_vec3 by_contact = ph_scale(-s->j->radius, ph_tmul(d->Hn, ph_cross(e, s->b.w)));
    return ph_add(by_contact, ph_cross(ph_cross(s->b.w, d->c), e));
}

PH_FN void ph_roll_Z(const ph_site *s, const ph_put *p)
{
    ph_roll_disc d = ph_roll_disc_of(s);
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_put_row(p, PH_XB, row, ph_zero3());
            ph_put_row(p, PH_FB, row++, ph_roll_z_row(s, &d, k));
        }
}

PH_FN void ph_roll_convective(const ph_site *s, ph_real *out)
{
    ph_roll_disc d = ph_roll_disc_of(s);
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            *out++ = ph_dot(ph_roll_z_row(s, &d, k), s->b.w);
}

#endif
