/* The primitive distance, whose rows and derivatives are in distance.h, and the joint. */
#include "mech/distance.h"

const ph_part ph_part_distance = {
    PH_PLAIN_PART(distance),
    .couples = PH_COUPLE_ALL,
    .Phi_t = ph_distance_Phi_t,
};

static ph_status check(const ph_model *model, const ph_joint_def *d, const ph_joint *j, ph_error *err)
{
    if (!d->drive.call && !(j->length > 0))
        return PH_REFUSE_JOINT("a distance of %.9g m has no direction", d->name, j->length);
    return PH_OK;
}

const ph_joint_ops ph_joint_distance = {
    .recipe = {&ph_part_distance, PH_X, 0, NULL, PH_LENGTH, 0, PH_FREE(PH_LENGTH)}, .check = check};
