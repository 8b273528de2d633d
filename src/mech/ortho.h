/* An axis of each body orthogonal to that of the other, one row.
 *
 *   Phi = n_a . n_b,  n = R e
 *   B = (0, e_a x R_a^T n_b, 0, e_b x R_b^T n_a)
 *   d(B^T lambda)/dq: (phi_a, phi_a) = lambda tilde(e_a) tilde(R_a^T n_b)
 *                     (phi_a, phi_b) = -lambda tilde(e_a) R_a^T R_b tilde(e_b)
 *   Z_a = (Omega_a x e_a) x R_a^T n_b + e_a x R_a^T n_bdot, and with a and b exchanged
 *
 * |B| is 1 on either side wherever Phi = 0: rank is never lost. */
#ifndef PH_MECH_ORTHO_H
#define PH_MECH_ORTHO_H

#include "mech/mech.h"

typedef struct ph_ortho_axes {
    ph_vec3 na, nb;         /* world */
    ph_vec3 ea_dot, eb_dot; /* Omega x e, body */
    ph_vec3 na_dot, nb_dot; /* world */
} ph_ortho_axes;

PH_FN ph_ortho_axes ph_ortho_axes_of(const ph_site *s)
{
    ph_ortho_axes c = {.na = ph_mul(s->a.R, s->j->ea), .nb = ph_mul(s->b.R, s->j->eb)};
    c.ea_dot = ph_cross(s->a.w, s->j->ea);
    c.eb_dot = ph_cross(s->b.w, s->j->eb);
    c.na_dot = ph_mul(s->a.R, c.ea_dot);
    c.nb_dot = ph_mul(s->b.R, c.eb_dot);
    return c;
}

PH_FN void ph_ortho_Phi(const ph_site *s, ph_real *out)
{
    ph_ortho_axes c = ph_ortho_axes_of(s);
    out[0] = ph_dot(c.na, c.nb);
}

PH_FN void ph_ortho_put_zero(const ph_put *p)
{
    ph_put_row(p, PH_XA, 0, ph_zero3());
    ph_put_row(p, PH_XB, 0, ph_zero3());
}

PH_FN void ph_ortho_B(const ph_site *s, const ph_put *p)
{
    ph_ortho_axes c = ph_ortho_axes_of(s);
    ph_ortho_put_zero(p);
    ph_put_row(p, PH_FA, 0, ph_cross(s->j->ea, ph_tmul(s->a.R, c.nb)));
    ph_put_row(p, PH_FB, 0, ph_cross(s->j->eb, ph_tmul(s->b.R, c.na)));
}

PH_FN void ph_ortho_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    ph_ortho_axes c = ph_ortho_axes_of(s);
    ph_mat3 A = ph_mmul(ph_transpose(s->a.R), s->b.R);
    ph_mat3 W = ph_mscale(-lambda[0], ph_mmul(ph_tilde(s->j->ea), ph_mtilde(A, s->j->eb)));
    ph_add_pair(p, PH_FA, PH_FA, ph_mscale(lambda[0], ph_tilde2(s->j->ea, ph_tmul(s->a.R, c.nb))));
    ph_add_pair(p, PH_FB, PH_FB, ph_mscale(lambda[0], ph_tilde2(s->j->eb, ph_tmul(s->b.R, c.na))));
    ph_add_pair(p, PH_FA, PH_FB, W), ph_add_pair(p, PH_FB, PH_FA, ph_transpose(W));
}

PH_FN void ph_ortho_Z(const ph_site *s, const ph_put *p)
{
    ph_ortho_axes c = ph_ortho_axes_of(s);
    ph_ortho_put_zero(p);
    ph_put_row(
        p, PH_FA, 0,
        ph_add(ph_cross(c.ea_dot, ph_tmul(s->a.R, c.nb)), ph_cross(s->j->ea, ph_tmul(s->a.R, c.nb_dot))));
    ph_put_row(
        p, PH_FB, 0,
        ph_add(ph_cross(c.eb_dot, ph_tmul(s->b.R, c.na)), ph_cross(s->j->eb, ph_tmul(s->b.R, c.na_dot))));
}

PH_FN void ph_ortho_convective(const ph_site *s, ph_real *out)
{
    ph_ortho_axes c = ph_ortho_axes_of(s);
    ph_vec3 na_ddot = ph_mul(s->a.R, ph_cross(s->a.w, c.ea_dot)),
            nb_ddot = ph_mul(s->b.R, ph_cross(s->b.w, c.eb_dot));
    out[0] = ph_dot(na_ddot, c.nb) + 2 * ph_dot(c.na_dot, c.nb_dot) + ph_dot(c.na, nb_ddot);
}

#endif
