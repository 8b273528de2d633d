/* Values of what a model file does not say. */
#include "model/limits.h"

#include "mech/numbers.h"

static ph_vec3 not_given(void)
{
    return ph_v3(NAN, NAN, NAN);
}

ph_body_def ph_default_body(void)
{
    return (ph_body_def){.R = {1, 0, 0, 0}, .v = not_given(), .omega = not_given()};
}

ph_joint_def ph_default_joint(void)
{
    return (ph_joint_def){.at = not_given(), .length = NAN, .friction_speed = PH_FRICTION_SPEED, .active = 1};
}

ph_force_def ph_default_force(void)
{
    ph_force_def d = {.body = {PH_GROUND, PH_GROUND}};
    ph_numbers_open(PH_NUMBERS_LAW, &d);
    return d;
}

ph_sensor_def ph_default_sensor(void)
{
    return (ph_sensor_def){.body = -2, .joint = -1, .element = -1, .coordinate = -1, .of = -1};
}

ph_beam_def ph_default_beam(void)
{
    return (ph_beam_def){.from = not_given(), .to = not_given(), .v = not_given(), .omega = not_given()};
}

ph_flexible_def ph_default_flexible(void)
{
    return (ph_flexible_def){.spec = {.dofs = 3, .frame_id = PH_NO_NODE, .fixed = PH_AS_MANY, .stiffen = -1},
                             .x = not_given(),
                             .R = {1, 0, 0, 0},
                             .v = not_given(),
                             .omega = not_given()};
}

ph_actuator_def ph_default_actuator(void)
{
    ph_actuator_def d = {.coordinate = -1, .input = -1};
    ph_numbers_open(PH_NUMBERS_ACTUATOR, &d);
    d.stop_width = PH_STOP_WIDTH;
    return d;
}

ph_coupling_def ph_default_coupling(void)
{
    return (ph_coupling_def){.coordinate = {-1, -1}, .offset = NAN};
}

ph_model ph_default_model(void)
{
    return (ph_model){.run = {.opt = ph_default_options(), .every = PH_DEFAULT_EVERY}};
}
