/* The primitive ortho, whose rows and derivatives are in ortho.h, and the joint universal. */
#include "mech/ortho.h"
#include "mech/numbers.h"

#include "mech/axes.h"

static int same(const ph_joint *a, const ph_joint *b, unsigned pick, double place)
{
    (void)pick, (void)place;
    return ph_agree(3, 1, &a->ea.x, &b->ea.x) && ph_agree(3, 1, &a->eb.x, &b->eb.x);
}

const ph_part ph_part_ortho = {
    PH_PLAIN_PART(ortho),
    .couples = PH_COUPLE_TURNS,
    .same = same,
};

/* x is the axis of the first body, y that of the second. */
static ph_quat frame(const ph_joint_def *d)
{
    return ph_quat_of_frame(ph_frame_xy(d->axis, d->axis_b));
}

static ph_status check(const ph_model *model, const ph_joint_def *d, const ph_joint *j, ph_error *err)
{
    double product = ph_dot(d->axis, d->axis_b);
    (void)j;
    if (fabs(product) > 1e-6) /* what a model file rounds to */
        return PH_REFUSE_JOINT("its axes are not orthogonal: their product is %.9g", d->name, product);
    return PH_OK;
}

const ph_joint_ops ph_joint_universal = {
    .recipe = {&ph_part_point, PH_X | PH_Y | PH_Z, 0, &ph_part_ortho, PH_NO_COORDINATE, 0,
               PH_FREE(PH_ABOUT) | PH_FREE(PH_ABOUT + 1) | PH_FREE(PH_CROSS)},
    .frame = frame,
    .axes = 2,
    .swings = 1,
    .check = check};
