/* A model as its user sees it: lists by name, and what run{} says. */
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

const char *ph_model_sensor_unit(const ph_model *m, int sensor)
{
    assert(sensor >= 0 && sensor < m->n_sensors);
    const ph_sensor_def *d = &m->sensor[sensor];
    const ph_sensor_row *row = ph_sensor_row_of(d);
    if (!row->unit[1] || row->keys & (PH_KEY_COORDINATE | PH_KEY_OF))
        return row->unit[0];
    return ph_joint_counts_angles(&m->joint[d->joint]) ? row->unit[1] : row->unit[2];
}
