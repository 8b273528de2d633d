/* Forces on points of bodies, and torques, of a given value, in world or body axes.
 *
 *   force in the world  g = (-F, -s x R^T F);  in the body  g = (-R F, -s x F)
 *   torque in the world g = -R^T tau;          in the body  g = -tau */
#ifndef PH_MECH_LOAD_H
#define PH_MECH_LOAD_H

#include "mech/mech.h"

PH_FN void ph_load_force_g(const ph_force_site *s, ph_vec3 F, ph_vec3 r[PH_SLOTS])
{
    int body = s->f->def->in_body;
    r[PH_XB] = ph_neg(body ? ph_mul(s->b.R, F) : F);
    r[PH_FB] = ph_cross(body ? F : ph_tmul(s->b.R, F), s->f->sb);
}

PH_FN void ph_load_force_K(const ph_force_site *s, ph_vec3 F, const ph_put *p)
{
    if (s->f->def->in_body)
        ph_add_pair(p, PH_XB, PH_FB, ph_mtilde(s->b.R, F));
    else
        ph_add_pair(p, PH_FB, PH_FB, ph_tilde2(s->f->sb, ph_neg(ph_tmul(s->b.R, F))));
}

PH_FN void ph_load_torque_g(const ph_force_site *s, ph_vec3 tau, ph_vec3 r[PH_SLOTS])
{
    r[PH_FB] = ph_neg(s->f->def->in_body ? tau : ph_tmul(s->b.R, tau));
}

PH_FN void ph_load_torque_K(const ph_force_site *s, ph_vec3 tau, const ph_put *p)
{
    if (!s->f->def->in_body)
        ph_add_pair(p, PH_FB, PH_FB, ph_mneg(ph_tilde(ph_tmul(s->b.R, tau))));
}

#endif
