/* The joint generic: any coordinates of its frame are locked. */
#include "mech/axes.h"
#include "mech/mech.h"

/* The coordinate that is left, or none where there are several. */
static int only_free(unsigned lock)
{
    int found = PH_NO_COORDINATE;
    for (int k = 0; k < PH_LENGTH; k++)
        if (!(lock >> k & 1)) {
            if (found != PH_NO_COORDINATE)
                return PH_NO_COORDINATE;
            found = k;
        }
    return found;
}

static void adapt(const ph_joint_def *d, int particle, ph_recipe *r)
{
    r->first_pick = d->lock & 7;
    r->turn = d->lock >> PH_ABOUT & 7;
    r->frees = ~d->lock & 0x3f;
    r->free = only_free(particle ? d->lock | PH_FREE_TURNS : d->lock);
}

static ph_quat frame(const ph_joint_def *d)
{
    return ph_quat_of_frame(d->frame);
}

static const char *complete(ph_joint_def *d, ph_vec3 x, int at_given)
{
    int has_frame = d->frame.xx != 0 || d->frame.yx != 0 || d->frame.zx != 0, has_axis = ph_norm(d->axis) > 0;
    (void)x, (void)at_given;
    if (has_frame && has_axis)
        return "axis and frame say the same thing; give one of them";
    if (!has_frame)
        d->frame = has_axis ? ph_frame_about(d->axis) : ph_diag3(1, 1, 1);
    d->axis = ph_v3(0, 0, 0); /* it is in the frame now */
    return NULL;
}

const ph_joint_ops ph_joint_generic = {.recipe = {.first = &ph_part_slide},
                                       .adapt = adapt,
                                       .frame = frame,
                                       .displacement = 1,
                                       .complete = complete};
