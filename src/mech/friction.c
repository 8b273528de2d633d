/* Coulomb friction in joints: friction.h, and from the words of the model to it. */
#include "mech/friction.h"

#include "mech/carry.h"

/* 0 within the smooth range; beyond it, how far outside, since the slope falls as |y|^-3, and a bit for each direction. */
static uint64_t side_of(ph_vec3 y)
{
    double size = ph_dot(y, y);
    unsigned level = (size > 1) + (size > 1e2) + (size > 1e4);
    return level ? 8u * level + (y.x > 0) + 2u * (y.y > 0) + 4u * (y.z > 0) : 0;
}

#define OPERATIONS(name, components, rows)                                                                   \
    PH_PLAIN_FORCE(friction_##name)                                                                          \
    static uint64_t name##_side(const ph_mechanism *m, const ph_state *s, const ph_force *f)                 \
    {                                                                                                        \
        ph_force_site x;                                                                                     \
        ph_force_at(m, s, f, &x);                                                                            \
        return side_of(ph_friction_##name##_slip(&x));                                                       \
    }                                                                                                        \
    const ph_force_ops ph_friction_##name = {PH_PLAIN_TERMS(friction_##name),                                \
                                             .g_lambda = ph_friction_##name##_g_lambda,                      \
                                             .slip = ph_friction_##name##_slip,                              \
                                             .slips = components,                                            \
                                             .presses = rows,                                                \
                                             .side = name##_side};

OPERATIONS(revolute, 1, 3)
OPERATIONS(spherical, 3, 3)
OPERATIONS(prismatic, 1, 2)

ph_status ph_friction_make(const ph_model *model, const ph_joint *j, ph_force *out, ph_error *err)
{
    const ph_joint_def *d = &model->joint[j->def];
    *out = (ph_force){.joint = j, .body = {j->body[0], j->body[1]}, .speed = d->friction_speed};
    const ph_joint_row *row = ph_joint_row_of(d);
    int lever = (row->keys & PH_KEY_FRICTION_RADIUS) != 0;
    out->friction = d->friction * (lever ? d->friction_radius : 1);
    out->couples = lever ? PH_COUPLE_TURNS : PH_COUPLE_ALL;
    out->op = row->op->friction;
    if (!out->op)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction is for revolute, spherical and prismatic joints", d->name);
    if (!(d->friction_speed > 0) || (lever && !(d->friction_radius > 0)))
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction needs a positive speed%s", d->name,
                            lever ? " and a positive radius" : "");
    return PH_OK;
}
