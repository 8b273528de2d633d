/* Coulomb friction in joints: friction.h, and from the words of the model to it. */
#include "mech/friction.h"

#define OPERATIONS(name)                                                                                     \
    static ph_status name##_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])                                   \
    {                                                                                                        \
        ph_friction_##name##_g(s, r);                                                                        \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    static ph_status name##_C(const ph_force_site *s, const ph_put *p)                                       \
    {                                                                                                        \
        ph_friction_##name##_C(s, p);                                                                        \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    static ph_status name##_K(const ph_force_site *s, const ph_put *p)                                       \
    {                                                                                                        \
        ph_friction_##name##_K(s, p);                                                                        \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    const ph_force_ops ph_friction_##name = {                                                                \
        .g = name##_g, .C = name##_C, .K = name##_K, .g_lambda = ph_friction_##name##_g_lambda};

OPERATIONS(revolute)
OPERATIONS(spherical)
OPERATIONS(prismatic)

ph_status ph_friction_make(const ph_model *model, const ph_joint *j, ph_force *out, ph_error *err)
{
    const ph_joint_def *d = &model->joint[j->def];
    *out = (ph_force){.joint = j, .body = {j->body[0], j->body[1]}, .speed = d->friction_speed};
    out->friction = d->friction * (d->type == PH_J_PRISMATIC ? 1 : d->friction_radius);
    out->couples = d->type == PH_J_PRISMATIC ? PH_COUPLE_ALL : PH_COUPLE_TURNS;
    out->op = d->type == PH_J_REVOLUTE    ? &ph_friction_revolute
              : d->type == PH_J_SPHERICAL ? &ph_friction_spherical
              : d->type == PH_J_PRISMATIC ? &ph_friction_prismatic
                                          : NULL;
    if (!out->op)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction is for revolute, spherical and prismatic joints", d->name);
    if (!(d->friction_speed > 0) || (d->type != PH_J_PRISMATIC && !(d->friction_radius > 0)))
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction needs a positive speed%s", d->name,
                            d->type == PH_J_PRISMATIC ? "" : " and a positive radius");
    return PH_OK;
}
