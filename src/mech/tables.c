/* The tables of elements. */
#include "mech/tables.h"

#include <assert.h>

const ph_joint_row *ph_joint_row_of(const ph_joint_def *d)
{
    static const ph_joint_row rows[] = {
#define PH_JOINT(code, ops, name, keys, text) {&ops, keys},
#include "mech/joints.def"
#undef PH_JOINT
    };
    assert(d->type >= 0 && d->type < PH_JOINT_COUNT);
    return &rows[d->type];
}

const ph_force_row *ph_force_row_of(const ph_force_def *d)
{
    static const ph_force_row rows[] = {
#define PH_FORCE(code, ops, name, keys, text) {&ops, keys, name},
#include "mech/forces.def"
#undef PH_FORCE
    };
    assert(d->type >= 0 && d->type < PH_FORCE_COUNT);
    return &rows[d->type];
}

#define PH_EITHER(of_angle, of_length) of_angle " or " of_length, of_angle, of_length

const ph_sensor_row *ph_sensor_row_of(const ph_sensor_def *d)
{
    static const ph_sensor_row rows[] = {
#define PH_SENSOR(code, ops, name, size, keys, unit, text) {&ops, size, keys, {unit}},
#include "mech/sensors.def"
#undef PH_SENSOR
    };
    assert(d->type >= 0 && d->type < PH_SENSOR_COUNT);
    return &rows[d->type];
}
