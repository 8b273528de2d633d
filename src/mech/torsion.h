/* Torque -(d Omega + k log R) on a body; log R is the same in the body and in the world.
 *
 *   g = d Omega + k psi,  exp(psi) = R,  dpsi = T^-1(psi) dphi */
#ifndef PH_MECH_TORSION_H
#define PH_MECH_TORSION_H

#include "lie/so3.h"
#include "mech/mech.h"

PH_FN void ph_torsion_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    r[PH_FB] = ph_add(ph_scale(s->f->def->d, s->b.w), ph_scale(s->f->def->k, ph_so3_log(s->b.q)));
}

PH_FN void ph_torsion_C(const ph_force_site *s, const ph_put *p)
{
    ph_real d = s->f->def->d;
    ph_add_pair(p, PH_FB, PH_FB, ph_diag3(d, d, d));
}

PH_FN void ph_torsion_K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 psi = ph_so3_log(s->b.q);
    ph_add_pair(p, PH_FB, PH_FB, ph_mscale(s->f->def->k, ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi)));
}

PH_FN ph_real ph_torsion_energy(const ph_force_site *s)
{
    ph_vec3 psi = ph_so3_log(s->b.q);
    return s->f->def->k * ph_dot(psi, psi) / 2;
}

#endif
