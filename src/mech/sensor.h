/* What sensors see of a point at of a body, world: position, velocity, acceleration. */
#ifndef PH_MECH_SENSOR_H
#define PH_MECH_SENSOR_H

#include "polhode/vec.h"

PH_FN ph_vec3 ph_point_position(ph_vec3 x, ph_mat3 R, ph_vec3 at)
{
    return ph_add(x, ph_mul(R, at));
}

PH_FN ph_vec3 ph_point_velocity(ph_vec3 v, ph_mat3 R, ph_vec3 omega, ph_vec3 at)
{
    return ph_add(v, ph_mul(R, ph_cross(omega, at)));
}

PH_FN ph_vec3 ph_point_acceleration(ph_vec3 a, ph_mat3 R, ph_vec3 omega, ph_vec3 omega_dot, ph_vec3 at)
{
    return ph_add(a, ph_mul(R, ph_add(ph_cross(omega_dot, at), ph_cross(omega, ph_cross(omega, at)))));
}

#endif
