/* A model as its user sees it: lists by name, and what run{} says. */
#include "mech/coordinate.h"
#include "mech/mech.h"

#include <assert.h>
#include <string.h>

ph_run_def ph_model_run_def(const ph_model *m)
{
    return m->run;
}

const char *ph_model_title(const ph_model *m)
{
    return m->name;
}

uint64_t ph_model_key(const ph_model *m)
{
    return m->key;
}

int ph_model_frozen(const ph_model *m)
{
    return m->frozen;
}

int ph_model_count(const ph_model *m, ph_list list)
{
    switch (list) {
    case PH_BODIES:
        return m->n_bodies;
    case PH_JOINTS:
        return m->n_joints;
    case PH_SENSORS:
        return m->n_sensors;
    case PH_PARAMETERS:
        return m->n_params;
    case PH_OBJECTIVES:
        return m->n_objectives;
    }
    return 0;
}

const char *ph_model_name(const ph_model *m, ph_list list, int k)
{
    assert(k >= 0 && k < ph_model_count(m, list));
    switch (list) {
    case PH_BODIES:
        return m->body[k].name;
    case PH_JOINTS:
        return m->joint[k].name;
    case PH_SENSORS:
        return m->sensor[k].name;
    case PH_PARAMETERS:
        return m->param[k].name;
    case PH_OBJECTIVES:
        return m->objective[k].name;
    }
    return NULL;
}

int ph_model_find(const ph_model *m, ph_list list, const char *name)
{
    int n = ph_model_count(m, list);
    for (int k = 0; k < n; k++)
        if (strcmp(name, ph_model_name(m, list, k)) == 0)
            return k;
    return -1;
}

double ph_model_parameter(const ph_model *m, int parameter)
{
    assert(parameter >= 0 && parameter < m->n_params);
    return m->param[parameter].value;
}

int ph_model_sensor_size(const ph_model *m, int sensor)
{
    assert(sensor >= 0 && sensor < m->n_sensors);
    return m->sensor[sensor].size;
}

/* asked: a coordinate of the joint; -1: its first free one */
static int is_angle(const ph_model *m, int joint, int asked)
{
    const ph_joint_def *j = &m->joint[joint];
    int particle = 0, k = asked;
    for (int side = 0; side < 2; side++)
        particle |= j->body[side] >= 0 && m->body[j->body[side]].particle;
    unsigned frees = ph_joint_def_frees(j, particle);
    for (int i = 0; i < PH_COORDINATES && k < 0; i++)
        k = frees >> i & 1 ? i : k;
    return ph_is_angle(k);
}

/* What an effort or power is of. */
static int acts_on_angle(const ph_model *m, const ph_sensor_def *d)
{
    if (d->of_kind == PH_OF_ACTUATOR)
        return is_angle(m, m->actuator[d->of].joint, m->actuator[d->of].coordinate);
    if (d->of_kind == PH_OF_COUPLING)
        return is_angle(m, m->coupling[d->of].joint[1], m->coupling[d->of].coordinate[1]);
    return ph_joint_counts_angles(&m->joint[d->of]);
}

const char *ph_model_sensor_unit(const ph_model *m, int sensor)
{
    assert(sensor >= 0 && sensor < m->n_sensors);
    const ph_sensor_def *d = &m->sensor[sensor];
    const ph_sensor_row *row = ph_sensor_row_of(d);
    if (d->unit)
        return d->unit;
    if (!row->unit[1])
        return row->unit[0];
    int angle = row->keys & PH_KEY_OF           ? acts_on_angle(m, d)
                : row->keys & PH_KEY_COORDINATE ? is_angle(m, d->joint, d->coordinate)
                                                : ph_joint_counts_angles(&m->joint[d->joint]);
    return angle ? row->unit[1] : row->unit[2];
}

const ph_function *ph_motion_function(const ph_model *m, int k)
{
    if (k < m->n_forces)
        return &m->force[k].f;
    k -= m->n_forces;
    if (k < m->n_joints)
        return &m->joint[k].drive;
    k -= m->n_joints;
    if (k < m->n_actuators)
        return &m->actuator[k].f;
    k -= m->n_actuators;
    if (k < m->n_states)
        return &m->state[k].rate;
    k -= m->n_states;
    return k < m->n_constraints ? &m->constraint[k].f : NULL;
}
