/* The table of a run: t, the motion of each body, the multipliers of each joint, the energy. */
#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void name_body(ph_csv *csv, const ph_bodies *all, int body, const ph_state *s)
{
    char of[PH_LABEL_MAX], axis[PH_LABEL_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(all, body, s, q);
    ph_body_name(all, body, of);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < q[i].n; k++)
            ph_csv_name(csv, of, ph_quantity_axis(&q[i], k, axis), q[i].unit);
}

/* The unit of a multiplier depends on how its author scaled Phi. */
static void name_joint(ph_csv *csv, const ph_bodies *all, int joint, const ph_state *s)
{
    char of[PH_LABEL_MAX], axis[32];
    int rows;
    ph_joint_lambda(all, joint, s, &rows);
    for (int k = 0; k < rows; k++) {
        snprintf(axis, sizeof axis, "lambda%d", k + 1);
        ph_csv_name(csv, ph_joint_name(all, joint, of), axis, "SI");
    }
}

int ph_run_sensor(const ph_run *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX])
{
    int n = r->subject.model->sensor[sensor].size;
    if (n > PH_SENSOR_MAX)
        n = PH_SENSOR_MAX;
    if (ph_mechanism_sensor(r->subject.mech, s, sensor, value) != PH_OK)
        for (int k = 0; k < n; k++)
            value[k] = NAN;
    return n;
}

/* The unit of number k of a sensor; that of a reaction, "N, N m", is of three numbers each. */
void ph_sensor_unit(int type, int k, char *text, size_t size)
{
    static const char *const units[] = {
#define PH_SENSOR(code, name, n, keys, unit, words) unit,
#include "mech/sensors.def"
#undef PH_SENSOR
    };
    const char *unit = units[type], *comma = strchr(unit, ',');
    if (comma && k >= 3)
        snprintf(text, size, "%s", comma + 2);
    else
        snprintf(text, size, "%.*s", comma ? (int)(comma - unit) : (int)strlen(unit), unit);
}

static void name_sensors(ph_run *r)
{
    const ph_model_def *model = r->subject.model;
    for (int i = 0; model && i < model->n_sensors; i++)
        for (int k = 0; k < model->sensor[i].size; k++) {
            char axis[32], unit[32];
            snprintf(axis, sizeof axis, "%d", k + 1);
            ph_sensor_unit(model->sensor[i].type, k, unit, sizeof unit);
            if (model->sensor[i].size > 1)
                ph_csv_name(&r->csv, model->sensor[i].name, axis, unit);
            else
                ph_csv_name(&r->csv, NULL, model->sensor[i].name, unit);
        }
}

void ph_trajectory_header(ph_run *r)
{
    char text[512];
    ph_state s = ph_sim_state(r->sim);
    snprintf(text, sizeof text, "polhode %s, model %s", ph_version(), r->p->name);
    ph_csv_comment(&r->csv, text);
    ph_report_settings(r, text, sizeof text);
    ph_csv_comment(&r->csv, text);
    if (r->steps)
        snprintf(text, sizeof text, "h = %.17g s, t_end = %.17g s, %ld steps, a row every %d", r->opt.h,
                 r->t_end, r->steps, r->args->every);
    else
        snprintf(text, sizeof text, "t_end = %.17g s, a row every %d steps", r->t_end, r->args->every);
    ph_csv_comment(&r->csv, text);
    for (int i = 0; i < r->args->set.n; i++) {
        snprintf(text, sizeof text, "set %s", r->args->set.text[i]);
        ph_csv_comment(&r->csv, text);
    }
    ph_csv_name(&r->csv, NULL, "t", "s");
    for (int i = 0; i < r->bodies->n; i++)
        name_body(&r->csv, r->bodies, i, &s);
    for (int i = 0; i < r->bodies->n_joints; i++)
        name_joint(&r->csv, r->bodies, i, &s);
    name_sensors(r);
    if (r->p->energy)
        ph_csv_name(&r->csv, NULL, "energy", "J");
    ph_csv_end_header(&r->csv);
}

void ph_trajectory_row(ph_run *r, const ph_state *s)
{
    const ph_model_def *model = r->subject.model;
    ph_csv_number(&r->csv, s->t);
    for (int i = 0; i < r->bodies->n; i++) {
        ph_quantity q[PH_QUANTITIES];
        int n = ph_body_motion(r->bodies, i, s, q);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < q[j].n; k++)
                ph_csv_number(&r->csv, q[j].value[k]);
    }
    for (int i = 0; i < r->bodies->n_joints; i++) {
        int rows, at = ph_joint_lambda(r->bodies, i, s, &rows);
        for (int k = 0; k < rows; k++)
            ph_csv_number(&r->csv, s->lambda[at + k]);
    }
    for (int i = 0; model && i < model->n_sensors; i++) {
        double value[PH_SENSOR_MAX];
        int n = ph_run_sensor(r, i, s, value);
        for (int k = 0; k < n; k++)
            ph_csv_number(&r->csv, value[k]);
    }
    if (r->p->energy)
        ph_csv_number(&r->csv, r->watch.E);
    ph_csv_end_row(&r->csv);
}
