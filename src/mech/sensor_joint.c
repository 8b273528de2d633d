/* Sensors of joints, and of drives, actuators and couplings along their coordinates. */
#include "mech/argument.h"
#include "mech/coordinate.h"

#include <stdio.h>

/* ---- a coordinate --------------------------------------------------------------------------------- */

/* The one that the keys name, or its only one; of joints with several that a drive could take: angle and rate. */
static const ph_joint *coordinate_of(const ph_mechanism *m, const ph_sensor_def *d, int *k)
{
    const ph_joint *j = &m->joint[m->joint_of[d->joint]];
    *k = !(ph_sensor_row_of(d)->keys & PH_KEY_COORDINATE) ? j->free
         : d->coordinate >= 0                             ? d->coordinate
                                                          : ph_joint_free(j, 0);
    return j;
}

static ph_status position(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    int k;
    const ph_joint *j = coordinate_of(m, d, &k);
    *out = ph_mechanism_coordinate(m, s, j->def, k);
    return PH_OK;
}

static ph_status rate(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    int k;
    const ph_joint *j = coordinate_of(m, d, &k);
    *out = ph_mechanism_rate(m, s, j->def, k);
    return PH_OK;
}

static ph_status acceleration(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    int k;
    const ph_joint *j = coordinate_of(m, d, &k);
    *out = ph_joint_acceleration(m, s, j, k);
    return PH_OK;
}

static ph_status check_single(const ph_mechanism *m, const ph_sensor_def *d, ph_error *err)
{
    if (m->joint[m->joint_of[d->joint]].free < 0)
        return ph_mech_fail(err, PH_E_INPUT, m->model, d->origin,
                            "sensor '%s': joint '%s' has no single coordinate", d->name,
                            m->model->joint[d->joint].name);
    return PH_OK;
}

static ph_status check_coordinate(const ph_mechanism *m, const ph_sensor_def *d, ph_error *err)
{
    char who[96];
    int k;
    snprintf(who, sizeof who, "sensor '%.63s'", d->name);
    return ph_coordinate_choose(m, d->joint, d->coordinate, d->origin, who, &k, err);
}

const ph_sensor_ops ph_sensor_angle = {.value = position,
                                       .check = check_single,
                                       .depth = PH_SEEN_PLACE,
                                       .argument = PH_ARG_JOINT_POSITION,
                                       .form = PH_FORM_COORDINATE};
const ph_sensor_ops ph_sensor_rate = {.value = rate,
                                      .check = check_single,
                                      .depth = PH_SEEN_SPEED,
                                      .argument = PH_ARG_JOINT_RATE,
                                      .form = PH_FORM_RATE};
const ph_sensor_ops ph_sensor_joint_position = {.value = position,
                                                .check = check_coordinate,
                                                .depth = PH_SEEN_PLACE,
                                                .argument = PH_ARG_JOINT_POSITION,
                                                .form = PH_FORM_COORDINATE};
const ph_sensor_ops ph_sensor_joint_rate = {.value = rate,
                                            .check = check_coordinate,
                                            .depth = PH_SEEN_SPEED,
                                            .argument = PH_ARG_JOINT_RATE,
                                            .form = PH_FORM_RATE};
const ph_sensor_ops ph_sensor_joint_acceleration = {.value = acceleration,
                                                    .check = check_coordinate,
                                                    .depth = PH_SEEN_ACCELERATION,
                                                    .form = PH_FORM_ACCELERATION};

/* ---- its reaction --------------------------------------------------------------------------------- */

static ph_status reaction(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    ph_vec3 force, torque;
    ph_mechanism_reaction(m, s, d->joint, &force, &torque);
    ph_store3(out, force), ph_store3(out + 3, torque);
    return PH_OK;
}

const ph_sensor_ops ph_sensor_reaction = {.value = reaction,
                                          .depth = PH_SEEN_SPEED, /* friction */
                                          .multipliers = 1,
                                          .form = PH_FORM_REACTION};

/* ---- what acts along it --------------------------------------------------------------------------- */

/* A drive gives the part of B^T lambda along its coordinate, with minus sign; Phi_t at f' = 1 is -dPhi/dx. */
static double drive_effort(const ph_mechanism *m, const ph_state *s, const ph_joint *j)
{
    ph_site site;
    double Phi_t[PH_ROWS_MAX] = {0}, sum = 0;
    if (ph_joint_site(m, s, j, 0, &site) != PH_OK)
        return NAN;
    site.f[1] = 1;
    for (int i = 0; i < j->n_parts; i++) {
        site.pick = j->part[i].pick;
        if (j->part[i].op->Phi_t)
            j->part[i].op->Phi_t(&site, Phi_t + j->part[i].row);
    }
    for (int i = 0; i < j->rows; i++)
        sum += s->lambda[j->l_at + i] * Phi_t[i];
    return sum;
}

static double effort_of(const ph_mechanism *m, const ph_state *s, const ph_sensor_def *d)
{
    ph_force_site site;
    if (d->of_kind == PH_OF_JOINT)
        return drive_effort(m, s, &m->joint[m->joint_of[d->of]]);
    if (d->of_kind == PH_OF_COUPLING)
        return -s->lambda[m->couple[d->of].l_at];
    ph_force_at(m, s, ph_actuator_of(m, d->of), &site);
    return ph_actuator_effort(&site);
}

static ph_status effort(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    *out = effort_of(m, s, d);
    return PH_OK;
}

static double rate_along(const ph_mechanism *m, const ph_state *s, const ph_sensor_def *d)
{
    if (d->of_kind == PH_OF_JOINT)
        return ph_mechanism_rate(m, s, d->of, m->joint[m->joint_of[d->of]].drive);
    if (d->of_kind == PH_OF_COUPLING)
        return ph_mechanism_rate(m, s, m->couple[d->of].of[1]->def, m->couple[d->of].coordinate[1]);
    return ph_mechanism_rate(m, s, ph_actuator_of(m, d->of)->along->def,
                             ph_actuator_of(m, d->of)->coordinate);
}

static ph_status power(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    *out = effort_of(m, s, d) * rate_along(m, s, d);
    return PH_OK;
}

static ph_status check_effort(const ph_mechanism *m, const ph_sensor_def *d, ph_error *err)
{
    if (d->of_kind == PH_OF_JOINT && m->joint[m->joint_of[d->of]].drive < 0)
        return ph_mech_fail(err, PH_E_INPUT, m->model, d->origin, "sensor '%s': joint '%s' is not driven",
                            d->name, m->model->joint[d->of].name);
    if (d->of_kind == PH_OF_ACTUATOR && ph_actuator_of(m, d->of)->coordinate < 0)
        return ph_mech_fail(err, PH_E_INPUT, m->model, d->origin,
                            "sensor '%s': actuator '%s' acts about a rotation vector, not along a coordinate",
                            d->name, m->model->actuator[d->of].name);
    return PH_OK;
}

const ph_sensor_ops ph_sensor_effort = {
    .value = effort, .check = check_effort, .depth = PH_SEEN_SPEED, .form = PH_FORM_EFFORT};
const ph_sensor_ops ph_sensor_power = {
    .value = power, .check = check_effort, .depth = PH_SEEN_SPEED, .form = PH_FORM_POWER};
