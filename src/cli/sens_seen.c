/* All that run reports of a state, as one list of numbers: bodies, reactions, multipliers of constraint{}, sensors, state{}. */
#include "cli/sens_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes_x[] = {"x", "y", "z"}, *const axes_r[] = {"rx", "ry", "rz"},
                         *const axes_v[] = {"vx", "vy", "vz"}, *const axes_w[] = {"wx", "wy", "wz"},
                         *const axes_a[] = {"ax", "ay", "az"}, *const axes_wd[] = {"wdotx", "wdoty", "wdotz"},
                         *const axes_f[] = {"fx", "fy", "fz"}, *const axes_t[] = {"tx", "ty", "tz"};

static void add(ph_seen *seen, ph_channel c, struct ph_view view)
{
    seen->at[seen->n] = seen->width;
    seen->view[seen->n] = view;
    seen->channel[seen->n++] = c;
    seen->width += c.n;
}

static void add_body(ph_seen *seen, const ph_run *run, int body)
{
    static const struct {
        int what;
        const char *name, *unit;
        const char *const *axes;
    } all[] = {{PH_GET_POSITION, "position", "m", axes_x},
               {PH_GET_ROTATION, "rotation", "rad", axes_r},
               {PH_GET_VELOCITY, "velocity", "m/s", axes_v},
               {PH_GET_OMEGA, "omega", "rad/s", axes_w},
               {PH_GET_ACCELERATION, "acceleration", "m/s^2", axes_a},
               {PH_GET_OMEGA_DOT, "omega_dot", "rad/s^2", axes_wd}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (ph_run_size(run, all[k].what, body))
            add(seen,
                (ph_channel){.group = "bodies",
                             .of = ph_run_name(run, PH_BODIES, body),
                             .name = all[k].name,
                             .unit = all[k].unit,
                             .axes = all[k].axes,
                             .n = 3},
                (struct ph_view){all[k].what, body, 0});
}

static void add_joint(ph_seen *seen, const ph_run *run, int joint)
{
    ph_channel c = {.group = "joints",
                    .of = ph_run_name(run, PH_JOINTS, joint),
                    .name = "lambda",
                    .unit = "SI",
                    .prefix = "lambda",
                    .n = ph_run_size(run, PH_GET_MULTIPLIERS, joint)};
    add(seen, c, (struct ph_view){PH_GET_MULTIPLIERS, joint, 0});
    c.name = "force", c.unit = "N", c.axes = axes_f, c.prefix = NULL, c.n = 3;
    add(seen, c, (struct ph_view){PH_GET_REACTION, joint, 0});
    c.name = "torque", c.unit = "N m", c.axes = axes_t;
    add(seen, c, (struct ph_view){PH_GET_REACTION, joint, 3});
}

static void add_constraint(ph_seen *seen, const ph_run *run, int constraint)
{
    int tie = ph_run_count(run, PH_JOINTS) + constraint;
    add(seen,
        (ph_channel){.group = "constraints",
                     .of = ph_run_name(run, PH_CONSTRAINTS, constraint),
                     .name = "lambda",
                     .unit = "SI",
                     .prefix = "lambda",
                     .n = ph_run_size(run, PH_GET_MULTIPLIERS, tie)},
        (struct ph_view){PH_GET_MULTIPLIERS, tie, 0});
}

static void add_sensor(ph_seen *seen, const ph_run *run, int sensor)
{
    int n = ph_run_size(run, PH_GET_SENSOR, sensor);
    add(seen,
        (ph_channel){.group = "sensors",
                     .name = ph_run_name(run, PH_SENSORS, sensor),
                     .unit = ph_model_sensor_unit(ph_run_model(run), sensor),
                     .prefix = n > 1 ? "" : NULL,
                     .n = n},
        (struct ph_view){PH_GET_SENSOR, sensor, 0});
}

static void add_state(ph_seen *seen, const ph_run *run, int state)
{
    char full[PH_TOLD_COLUMN];
    ph_channel c = ph_told_channel(run, PH_TOLD_STATES, state, full);
    c.name = ph_run_name(run, PH_STATES, state);
    add(seen, c, (struct ph_view){PH_GET_STATE, state, 0});
}

ph_channel ph_seen_column(const ph_seen *seen, const ph_run *run, int c, char full[PH_TOLD_COLUMN])
{
    ph_channel q = seen->channel[c];
    if (seen->view[c].what == PH_GET_STATE)
        q.name = ph_told_channel(run, PH_TOLD_STATES, seen->view[c].index, full).name;
    return q;
}

const char *ph_seen_quantity(const ph_seen *seen, int c)
{
    const ph_channel *q = &seen->channel[c];
    return q->of ? q->name : seen->view[c].what == PH_GET_STATE ? PH_TOLD_STATES->one : "sensor";
}

int ph_seen_create(ph_seen *seen, const ph_run *run)
{
    int bodies = ph_run_count(run, PH_BODIES), joints = ph_run_count(run, PH_JOINTS),
        constraints = ph_run_count(run, PH_CONSTRAINTS), sensors = ph_run_count(run, PH_SENSORS),
        states = ph_run_count(run, PH_STATES);
    size_t most = (size_t)(6 * bodies + 3 * joints + constraints + sensors + states) + 1;
    *seen = (ph_seen){.channel = calloc(most, sizeof *seen->channel),
                      .at = calloc(most, sizeof *seen->at),
                      .view = calloc(most, sizeof *seen->view)};
    if (!seen->channel || !seen->at || !seen->view)
        return 0;
    for (int i = 0; i < bodies; i++)
        add_body(seen, run, i);
    for (int i = 0; i < joints; i++)
        add_joint(seen, run, i);
    for (int i = 0; i < constraints; i++)
        add_constraint(seen, run, i);
    for (int i = 0; i < sensors; i++)
        add_sensor(seen, run, i);
    for (int i = 0; i < states; i++)
        add_state(seen, run, i);
    return 1;
}

void ph_seen_destroy(ph_seen *seen)
{
    free(seen->channel);
    free(seen->at);
    free(seen->view);
}

void ph_seen_base(const ph_run *run, double *base)
{
    for (int i = 0; i < ph_run_count(run, PH_BODIES); i++)
        ph_run_get((ph_run *)run, PH_GET_ROTATION, i, base + 4 * i); /* reading leaves it as it is */
}

static void fill_nan(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = NAN;
}

/* At the end sensors with over_time are what they come to. */
static int what_of(const ph_run *run, const struct ph_view *v, int end)
{
    int over = end && v->what == PH_GET_SENSOR && ph_run_size(run, PH_GET_OVER, v->index) > 0;
    return over ? PH_GET_OVER : v->what;
}

void ph_seen_values(const ph_seen *seen, ph_run *run, const double *base, double *out)
{
    double x[PH_SENSOR_MAX];
    for (int c = 0; c < seen->n; c++) {
        const struct ph_view *v = &seen->view[c];
        if (ph_run_get(run, what_of(run, v, 1), v->index, x) != PH_OK)
            fill_nan(PH_SENSOR_MAX, x);
        else if (v->what == PH_GET_ROTATION)
            ph_rotation_between(base + 4 * v->index, x, x);
        memcpy(out + seen->at[c], x + v->first, (size_t)seen->channel[c].n * sizeof *x);
    }
}

void ph_seen_error(const ph_seen *seen, ph_run *run, double *out)
{
    double x[PH_SENSOR_MAX];
    for (int c = 0; c < seen->n; c++) {
        const struct ph_view *v = &seen->view[c];
        if (v->first == 0 && ph_run_get_error(run, v->what, v->index, x) != PH_OK)
            fill_nan(PH_SENSOR_MAX, x);
        memcpy(out + seen->at[c], x + v->first, (size_t)seen->channel[c].n * sizeof *x);
    }
}

void ph_seen_derive(const ph_seen *seen, ph_run *run, int k, int end, double *out)
{
    double x[PH_SENSOR_MAX];
    for (int c = 0; c < seen->n; c++) {
        const struct ph_view *v = &seen->view[c];
        if (v->first == 0 && ph_run_get_derivative(run, what_of(run, v, end), v->index, k, x) != PH_OK)
            fill_nan(PH_SENSOR_MAX, x);
        memcpy(out + seen->at[c], x + v->first, (size_t)seen->channel[c].n * sizeof *x);
    }
}
