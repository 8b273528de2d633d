/* The primitive roll, whose rows and derivatives are in roll.h, and the joint rolling. */
#include "mech/roll.h"

#include "mech/axes.h"

const ph_part ph_part_roll = {
    PH_PLAIN_PART(roll),
    .couples = PH_COUPLE(PH_FB, PH_FB),
};

static ph_quat frame(const ph_joint_def *d)
{
    return ph_quat_z_to(d->axis);
}

/* The lowest point of a disc with axle e: x - radius u, u the part of n square to e. */
static ph_vec3 contact(const ph_joint_def *d, ph_vec3 x)
{
    ph_vec3 u = ph_sub(d->axis, ph_scale(ph_dot(d->axis, d->axis_b), d->axis_b));
    double n = ph_norm(u);
    return n > 0 ? ph_sub(x, ph_scale(d->radius / n, u)) : x;
}

static const char *complete(ph_joint_def *d, ph_vec3 x, int at_given)
{
    if (ph_norm(d->axis) == 0)
        d->axis = ph_v3(0, 0, 1);
    if (!at_given)
        d->at = contact(d, x);
    return NULL;
}

static ph_status check(const ph_model *model, const ph_joint_def *d, const ph_joint *j, ph_error *err)
{
    (void)j;
    if (d->body[0] != PH_GROUND)
        return PH_REFUSE_JOINT("a disc rolls on the ground, which must be the first body", d->name);
    if (!(d->radius > 0))
        return PH_REFUSE_JOINT("the radius is %.9g m", d->name, d->radius);
    if (fabs(ph_dot(d->axis, d->axis_b)) > 1 - 1e-9)
        return PH_REFUSE_JOINT("the disc lies flat on the plane", d->name);
    return PH_OK;
}

const ph_joint_ops ph_joint_rolling = {
    .recipe = {&ph_part_roll, PH_Z, 0, NULL, PH_NO_COORDINATE, PH_X | PH_Y, 0},
    .frame = frame,
    .axes = 2,
    .complete = complete,
    .check = check};
