/* Torque -(d Omega + k log R) on a body; log R is the same in the body and in the world.
 *
 *   g = d Omega + k psi,  exp(psi) = R,  dpsi = T^-1(psi) dphi */
#include "mech/mech.h"

#include "lie/so3.h"

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    r[PH_FB] = ph_add(ph_scale(s->f->def->d, s->b.w), ph_scale(s->f->def->k, ph_so3_log(s->b.q)));
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    double d = s->f->def->d;
    ph_add_pair(p, PH_FB, PH_FB, ph_diag3(d, d, d));
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 psi = ph_so3_log(s->b.q);
    ph_add_pair(p, PH_FB, PH_FB, ph_mscale(s->f->def->k, ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi)));
    return PH_OK;
}

static double energy(const ph_force_site *s)
{
    ph_vec3 psi = ph_so3_log(s->b.q);
    return s->f->def->k * ph_dot(psi, psi) / 2;
}

const ph_force_ops ph_force_torsion = {.g = g, .C = C, .K = K, .energy = energy};
