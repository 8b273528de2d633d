/* Sensors of the whole model, of beam elements, and functions of the file. */
#include "mech/argument.h"

#include <string.h>

static ph_status energy(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    (void)d;
    *out = ph_mechanism_energy(m, s);
    return PH_OK;
}

static ph_status work(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    (void)s, (void)d;
    *out = m->balance.work;
    return PH_OK;
}

static ph_status dissipated(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    (void)s, (void)d;
    *out = m->balance.dissipated;
    return PH_OK;
}

const ph_sensor_ops ph_sensor_energy = {.value = energy, .depth = PH_SEEN_SPEED, .form = PH_FORM_ENERGY};
const ph_sensor_ops ph_sensor_work = {.value = work, .depth = PH_NOT_SEEN};
const ph_sensor_ops ph_sensor_dissipated = {.value = dissipated, .depth = PH_NOT_SEEN};

/* ---- beam elements -------------------------------------------------------------------------------- */

static void section(const ph_mechanism *m, const ph_state *s, int element, double force[6], double strain[6])
{
    ph_force_site site;
    ph_force_at(m, s, &m->force[element], &site);
    ph_beam_section(&site, force, strain);
}

static ph_status section_force(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    double force[6], strain[6];
    section(m, s, d->element, force, strain);
    memcpy(out, force, sizeof force);
    return PH_OK;
}

static ph_status section_strain(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    double force[6], strain[6];
    section(m, s, d->element, force, strain);
    memcpy(out, strain, sizeof strain);
    return PH_OK;
}

const ph_sensor_ops ph_sensor_section_force = {.value = section_force, .depth = PH_SEEN_SPEED}; /* damping */
const ph_sensor_ops ph_sensor_section_strain = {.value = section_strain, .depth = PH_SEEN_PLACE};

/* ---- functions ------------------------------------------------------------------------------------ */

static ph_status custom(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    ph_scene at = {.m = m, .s = s, .t = s->t, .accelerations = 1};
    return ph_function_values(&at, &d->f, d->size, out);
}

const ph_sensor_ops ph_sensor_custom = {
    .value = custom, .depth = PH_SEEN_ACCELERATION, .form = PH_FORM_FUNCTION};
