/* A point of each body in common, three rows in world components; lambda is the force on the second body.
 *
 *   Phi = x_a + R_a s_a - x_b - R_b s_b
 *   B = (I, -R_a tilde(s_a), -I, R_b tilde(s_b))
 *   d(B^T lambda)/dq: tilde(s_a) tilde(R_a^T lambda) on (phi_a, phi_a), minus the same of b on (phi_b, phi_b)
 *   Z = (0, -R_a tilde(Omega_a x s_a), 0, R_b tilde(Omega_b x s_b)) */
#ifndef PH_MECH_POINT_H
#define PH_MECH_POINT_H

#include "mech/element.h"
#ifndef PH_ELEMENT_LANES
#include "mech/mech.h"
#endif

PH_FN ph_vec3 ph_point_end_of(const ph_kin *k, ph_vec3 s)
{
    return ph_add(k->x, ph_mul(k->R, s));
}

PH_FN void ph_point_Phi(const ph_site *s, ph_real *out)
{
    ph_store3(out, ph_sub(ph_point_end_of(&s->a, s->j->sa), ph_point_end_of(&s->b, s->j->sb)));
}

PH_FN void ph_point_B(const ph_site *s, const ph_put *p)
{
    ph_put_mat(p, PH_XA, 0, ph_one33());
    ph_put_mat(p, PH_FA, 0, ph_mtilde(s->a.R, ph_neg(s->j->sa)));
    ph_put_mat(p, PH_XB, 0, ph_mneg(ph_one33()));
    ph_put_mat(p, PH_FB, 0, ph_mtilde(s->b.R, s->j->sb));
}

PH_FN void ph_point_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    ph_vec3 l = ph_load3(lambda);
    ph_add_pair(p, PH_FA, PH_FA, ph_tilde2(s->j->sa, ph_tmul(s->a.R, l)));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde2(s->j->sb, ph_neg(ph_tmul(s->b.R, l))));
}

PH_FN void ph_point_Z(const ph_site *s, const ph_put *p)
{
    ph_put_mat(p, PH_XA, 0, ph_zero33());
    ph_put_mat(p, PH_FA, 0, ph_mtilde(s->a.R, ph_cross(s->j->sa, s->a.w)));
    ph_put_mat(p, PH_XB, 0, ph_zero33());
    ph_put_mat(p, PH_FB, 0, ph_mtilde(s->b.R, ph_cross(s->b.w, s->j->sb)));
}

/* R (Omega x (Omega x s)) */
PH_FN ph_vec3 ph_point_swing(const ph_kin *k, ph_vec3 s)
{
    return ph_mul(k->R, ph_cross(k->w, ph_cross(k->w, s)));
}

PH_FN void ph_point_convective(const ph_site *s, ph_real *out)
{
    ph_store3(out, ph_sub(ph_point_swing(&s->a, s->j->sa), ph_point_swing(&s->b, s->j->sb)));
}

#endif
