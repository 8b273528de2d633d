/* All that run reports of a state, as one list of numbers: bodies, reactions, sensors. */
#include "cli/sens.h"
#include "mech/model.h"

#include <stdlib.h>

static const char *const axes_x[] = {"x", "y", "z"}, *const axes_r[] = {"rx", "ry", "rz"},
                         *const axes_v[] = {"vx", "vy", "vz"}, *const axes_w[] = {"wx", "wy", "wz"},
                         *const axes_a[] = {"ax", "ay", "az"}, *const axes_wd[] = {"wdotx", "wdoty", "wdotz"},
                         *const axes_f[] = {"fx", "fy", "fz"}, *const axes_t[] = {"tx", "ty", "tz"};

static void add(ph_seen *seen, ph_channel c)
{
    seen->at[seen->n] = seen->width;
    seen->channel[seen->n++] = c;
    seen->width += c.n;
}

static void add_vector(ph_seen *seen, const char *group, const char *of, const char *name, const char *unit,
                       const char *const *axes)
{
    add(seen, (ph_channel){.group = group, .of = of, .name = name, .unit = unit, .axes = axes, .n = 3});
}

static void add_body(ph_seen *seen, const ph_body_def *b)
{
    add_vector(seen, "bodies", b->name, "position", "m", axes_x);
    if (!b->particle)
        add_vector(seen, "bodies", b->name, "rotation", "rad", axes_r);
    add_vector(seen, "bodies", b->name, "velocity", "m/s", axes_v);
    if (!b->particle)
        add_vector(seen, "bodies", b->name, "omega", "rad/s", axes_w);
    add_vector(seen, "bodies", b->name, "acceleration", "m/s^2", axes_a);
    if (!b->particle)
        add_vector(seen, "bodies", b->name, "omega_dot", "rad/s^2", axes_wd);
}

int ph_seen_create(ph_seen *seen, const ph_model *model, const ph_mechanism *mech)
{
    size_t most = (size_t)(6 * model->n_bodies + 3 * model->n_joints + model->n_sensors) + 1;
    *seen = (ph_seen){.model = model};
    seen->channel = calloc(most, sizeof *seen->channel);
    seen->at = calloc(most, sizeof *seen->at);
    if (!seen->channel || !seen->at)
        return 0;
    for (int i = 0; i < model->n_bodies; i++)
        add_body(seen, &model->body[i]);
    for (int i = 0; i < model->n_joints; i++) {
        ph_channel c = {.group = "joints", .name = "lambda", .unit = "SI", .prefix = "lambda"};
        c.of = model->joint[i].name;
        ph_mechanism_lambda(mech, i, &c.n);
        add(seen, c);
        add_vector(seen, "joints", c.of, "force", "N", axes_f);
        add_vector(seen, "joints", c.of, "torque", "N m", axes_t);
    }
    for (int i = 0; i < model->n_sensors; i++)
        add(seen, (ph_channel){.group = "sensors",
                               .name = model->sensor[i].name,
                               .unit = ph_model_sensor_unit(model, i),
                               .prefix = model->sensor[i].size > 1 ? "" : NULL,
                               .n = model->sensor[i].size});
    return 1;
}

void ph_seen_destroy(ph_seen *seen)
{
    free(seen->channel);
    free(seen->at);
}

void ph_seen_base(const ph_seen *seen, const ph_mechanism *mech, const ph_state *s, ph_body_state *base)
{
    for (int i = 0; i < seen->model->n_bodies; i++)
        ph_mechanism_body(mech, s, i, &base[i]);
}

static double *put(double *out, ph_vec3 a)
{
    ph_store3(out, a);
    return out + 3;
}

/* log(R_base^T R), body components */
static ph_vec3 turn(ph_quat base, ph_quat q)
{
    double a[4] = {base.w, base.x, base.y, base.z}, b[4] = {q.w, q.x, q.y, q.z}, w[3];
    const ph_group_ops *so3 = ph_group_get(PH_SO3);
    so3->inverse(3, a, a);
    so3->compose(3, a, b, b);
    so3->log(3, b, w);
    return ph_load3(w);
}

void ph_seen_values(const ph_seen *seen, ph_mechanism *mech, const ph_state *s, const ph_body_state *base,
                    double *out)
{
    const ph_model *model = seen->model;
    for (int i = 0; i < model->n_bodies; i++) {
        ph_body_state b;
        int turns = !model->body[i].particle;
        ph_mechanism_body(mech, s, i, &b);
        out = put(out, b.x);
        if (turns)
            out = put(out, turn(base[i].q, b.q));
        out = put(out, b.v);
        if (turns)
            out = put(out, b.omega);
        out = put(out, b.a);
        if (turns)
            out = put(out, b.omega_dot);
    }
    for (int i = 0; i < model->n_joints; i++) {
        int rows, at = ph_mechanism_lambda(mech, i, &rows);
        ph_vec3 force, torque;
        for (int k = 0; k < rows; k++)
            *out++ = s->lambda[at + k];
        ph_mechanism_reaction(mech, s, i, &force, &torque);
        out = put(put(out, force), torque);
    }
    for (int i = 0; i < model->n_sensors; i++, out += model->sensor[i - 1].size)
        if (ph_mechanism_sensor(mech, s, i, out) != PH_OK)
            for (int k = 0; k < model->sensor[i].size; k++)
                out[k] = NAN;
}
