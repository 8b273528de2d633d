/* Joints that are sums of primitives and need no more: a recipe, an axis, friction. */
#include "mech/axes.h"
#include "mech/mech.h"

static ph_quat along_axis(const ph_joint_def *d)
{
    return ph_quat_z_to(d->axis);
}

static const char *at_centre(ph_joint_def *d, ph_vec3 x, int at_given)
{
    if (!at_given)
        d->at = x;
    return NULL;
}

const ph_joint_ops ph_joint_spherical = {
    .recipe = {&ph_part_point, PH_X | PH_Y | PH_Z, 0, NULL, PH_NO_COORDINATE, 0, PH_FREE_TURNS},
    .swings = 1,
    .friction = &ph_friction_spherical};

const ph_joint_ops ph_joint_revolute = {
    .recipe = {&ph_part_point, PH_X | PH_Y | PH_Z, PH_X | PH_Y, NULL, PH_ABOUT + 2, 0, PH_FREE(PH_ABOUT + 2)},
    .frame = along_axis,
    .axes = 1,
    .friction = &ph_friction_revolute};

const ph_joint_ops ph_joint_prismatic = {
    .recipe = {&ph_part_slide, PH_X | PH_Y, PH_X | PH_Y | PH_Z, NULL, PH_ALONG + 2, 0, PH_FREE(PH_ALONG + 2)},
    .frame = along_axis,
    .axes = 1,
    .displacement = 1,
    .friction = &ph_friction_prismatic,
    .complete = at_centre};

const ph_joint_ops ph_joint_cylindrical = {.recipe = {&ph_part_slide, PH_X | PH_Y, PH_X | PH_Y, NULL,
                                                      PH_ABOUT + 2, 0,
                                                      PH_FREE(PH_ALONG + 2) | PH_FREE(PH_ABOUT + 2)},
                                           .frame = along_axis,
                                           .axes = 1};

const ph_joint_ops ph_joint_planar = {
    .recipe = {&ph_part_slide, PH_Z, PH_X | PH_Y, NULL, PH_NO_COORDINATE, 0,
               PH_FREE(PH_ALONG) | PH_FREE(PH_ALONG + 1) | PH_FREE(PH_ABOUT + 2)},
    .frame = along_axis,
    .axes = 1,
    .displacement = 1};

const ph_joint_ops ph_joint_fixed = {
    .recipe = {&ph_part_point, PH_X | PH_Y | PH_Z, PH_X | PH_Y | PH_Z, NULL, PH_NO_COORDINATE, 0, 0},
    .displacement = 1,
    .complete = at_centre};

const ph_joint_ops ph_joint_point_on_line = {
    .recipe = {&ph_part_slide, PH_X | PH_Y, 0, NULL, PH_ALONG + 2, 0, PH_FREE(PH_ALONG + 2) | PH_FREE_TURNS},
    .frame = along_axis,
    .axes = 1};
