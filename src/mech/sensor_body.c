/* Sensors of a body: of a point of it, of its rotation, of its modes. */
#include "mech/argument.h"
#include "mech/sensor.h"

#include <string.h>

#include "lie/so3.h"

/* A body as the statements below see it; the ground is at rest. */
typedef struct sight {
    ph_kin k;
    ph_vec3 a, alpha; /* accelerations, of the angular velocity in the body */
} sight;

static sight look(const ph_mechanism *m, const ph_state *s, int body)
{
    ph_body_state b = {.q = {1, 0, 0, 0}};
    if (body >= 0)
        ph_mechanism_body(m, s, body, &b);
    return (sight){{b.x, b.v, b.omega, b.q, ph_qmat(b.q)}, b.a, b.omega_dot};
}

/* The statement is the value here and, as text, in compiled models. */
#define PH_BODY_SENSOR(name, statement, ...)                                                                 \
    static ph_status name(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)           \
    {                                                                                                        \
        sight seen = look(m, s, d->body);                                                                    \
        ph_kin k = seen.k;                                                                                   \
        ph_vec3 a = seen.a, alpha = seen.alpha, at = d->at;                                                  \
        (void)a, (void)alpha, (void)at;                                                                      \
        statement;                                                                                           \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    const ph_sensor_ops ph_sensor_##name = {                                                                 \
        .value = name, .form = PH_FORM_BODY, .text = #statement, __VA_ARGS__}

PH_BODY_SENSOR(position, ph_store3(out, ph_point_position(k.x, k.R, at)), .depth = PH_SEEN_PLACE,
               .argument = PH_ARG_POSITION);
PH_BODY_SENSOR(velocity, ph_store3(out, ph_point_velocity(k.v, k.R, k.w, at)), .depth = PH_SEEN_SPEED,
               .argument = PH_ARG_VELOCITY);
PH_BODY_SENSOR(acceleration, ph_store3(out, ph_point_acceleration(a, k.R, k.w, alpha, at)),
               .depth = PH_SEEN_ACCELERATION, .argument = PH_ARG_ACCELERATION);
PH_BODY_SENSOR(rotation, ph_quat_store(out, k.q), .depth = PH_SEEN_PLACE, .argument = PH_ARG_ROTATION,
               .quaternion = 1);
PH_BODY_SENSOR(omega, ph_store3(out, k.w), .depth = PH_SEEN_SPEED, .argument = PH_ARG_OMEGA);

/* ---- modes ---------------------------------------------------------------------------------------- */

static ph_status modes(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out)
{
    memcpy(out, s->q + m->flex[m->body[d->body].flex].q, sizeof(double) * (size_t)d->size);
    return PH_OK;
}

static ph_status check_modes(const ph_mechanism *m, const ph_sensor_def *d, ph_error *err)
{
    const ph_body_def *b = d->body < 0 ? NULL : &m->model->body[d->body];
    int n = b && b->flexible ? m->model->flexible[b->flexible - 1].body->modes : 0;
    if (n == 0 || n != d->size)
        return ph_mech_fail(err, PH_E_INPUT, m->model, d->origin, "sensor '%s': its body has %d modes",
                            d->name, n);
    return PH_OK;
}

const ph_sensor_ops ph_sensor_modes = {.value = modes, .check = check_modes, .depth = PH_SEEN_PLACE};
