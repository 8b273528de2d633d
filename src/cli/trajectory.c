/* The table of a run: t, the motion of each body, the multipliers of each joint, sensors, states, inputs, the energy. */
#include "cli/job.h"
#include "study/fail.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const ph_told_list ph_told_lists[] = {{PH_STATES, PH_GET_STATE, "states", "state"},
                                      {PH_INPUTS, PH_GET_INPUT, "inputs", "input"},
                                      {0, 0, NULL, NULL}};

int ph_job_told(const ph_job *r, const ph_told_list *list, int k, const ph_state *s,
                double value[PH_SENSOR_MAX])
{
    return ph_run_get_of(r->run, s, list->what, k, value) == PH_OK ? ph_run_size(r->run, list->what, k) : 0;
}

double ph_job_objective(const ph_job *r, int objective)
{
    double value;
    return ph_run_get(r->run, PH_GET_OBJECTIVE, objective, &value) == PH_OK ? value : NAN;
}

int ph_job_sensor(const ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX])
{
    int n = ph_run_size(r->run, PH_GET_SENSOR, sensor);
    if (ph_run_get_of(r->run, s, PH_GET_SENSOR, sensor, value) != PH_OK)
        for (int k = 0; k < n; k++)
            value[k] = NAN;
    return n;
}

int ph_job_result(const ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX])
{
    if (ph_run_summarise(r->run).stats.steps > 0 && ph_run_get(r->run, PH_GET_OVER, sensor, value) == PH_OK)
        return ph_run_size(r->run, PH_GET_OVER, sensor);
    return ph_job_sensor(r, sensor, s, value);
}

int ph_job_watch_sensor(ph_job *r, int sensor, const ph_state *s, double value[PH_SENSOR_MAX])
{
    int n = ph_job_sensor(r, sensor, s, value), finite = 1;
    char *why = r->watch.blind;
    for (int k = 0; k < n; k++)
        finite = finite && isfinite(value[k]);
    if (finite || why[0])
        return n;
    if (ph_run_is(r->run, PH_IS_OF_FUNCTION, sensor))
        snprintf(why, sizeof r->watch.blind, "%.*s", (int)sizeof r->watch.blind - 1,
                 ph_model_complaint(r->target.model));
    else
        snprintf(why, sizeof r->watch.blind, "sensor '%s' has a number that is not finite",
                 ph_run_name(r->run, PH_SENSORS, sensor));
    return n;
}

/* ---- header -------------------------------------------------------------------------------------------- */

static void note_settings(ph_job *r)
{
    char text[512], name[PH_LABEL_MAX];
    double x;
    ph_report_settings(r, text, sizeof text);
    ph_record_text(&r->record, "polhode", ph_version());
    ph_record_text(&r->record, "model", r->p->name);
    ph_record_text(&r->record, "space", ph_bodies_space(r->bodies));
    ph_record_text(&r->record, "settings", text);
    if (r->steps)
        ph_record_number(&r->record, "h", r->opt.h);
    ph_record_number(&r->record, "t_end", r->t_end);
    if (r->steps)
        ph_record_number(&r->record, "steps", (double)r->steps);
    ph_record_number(&r->record, "every", r->args->every);
    for (int k = 0; ph_target_parameter(&r->target, k, name, sizeof name, &x); k++)
        ph_record_parameter(&r->record, name, x);
}

static void add_body(ph_job *r, int body, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_quantity q[PH_QUANTITIES];
    int n = ph_body_motion(r->bodies, body, s, q);
    ph_body_name(r->bodies, body, of);
    for (int i = 0; i < n; i++)
        ph_record_channel(&r->record, &(ph_channel){.group = "bodies",
                                                    .of = of,
                                                    .name = q[i].name,
                                                    .unit = q[i].unit,
                                                    .axes = q[i].axes,
                                                    .prefix = q[i].prefix,
                                                    .n = q[i].n});
}

/* The unit of a multiplier depends on how its author scaled Phi. */
static void add_joint(ph_job *r, int joint, const ph_state *s)
{
    char of[PH_LABEL_MAX];
    ph_channel c = {.group = joint < r->bodies->n_joints ? "joints" : "constraints",
                    .name = "lambda",
                    .unit = "SI",
                    .prefix = "lambda"};
    c.of = ph_joint_name(r->bodies, joint, of);
    c.n = ph_run_size(r->run, PH_GET_MULTIPLIERS, joint);
    ph_record_channel(&r->record, &c);
    c.name = c.prefix = "eta";
    if (s->eta) /* of the stabilised form */
        ph_record_channel(&r->record, &c);
}

static void add_sensors(ph_job *r)
{
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++) {
        int n = ph_run_size(r->run, PH_GET_SENSOR, i);
        ph_record_channel(&r->record, &(ph_channel){.group = "sensors",
                                                    .name = ph_run_name(r->run, PH_SENSORS, i),
                                                    .unit = ph_model_sensor_unit(r->target.model, i),
                                                    .prefix = n > 1 ? "" : NULL,
                                                    .n = n});
    }
}

/* A column that was there before has this name. */
static int is_taken(const ph_run *run, const ph_told_list *list, const char *name)
{
    int taken = ph_run_find(run, PH_SENSORS, name) >= 0 || !strcmp(name, "t") || !strcmp(name, "energy");
    for (const ph_told_list *l = ph_told_lists; l < list; l++)
        taken |= ph_run_find(run, l->list, name) >= 0;
    return taken;
}

ph_channel ph_told_channel(const ph_run *run, const ph_told_list *list, int k, char full[PH_TOLD_COLUMN])
{
    const char *name = ph_run_name(run, list->list, k), *unit = ph_run_unit(run, list->what, k, 0);
    int n = ph_run_size(run, list->what, k);
    snprintf(full, PH_TOLD_COLUMN, "%s.%s", list->group, name);
    return (ph_channel){.group = list->group,
                        .name = is_taken(run, list, name) ? full : name,
                        .unit = unit && unit[0] ? unit : "1",
                        .prefix = n > 1 ? "" : NULL,
                        .n = n};
}

static void add_told(ph_job *r, const ph_told_list *list)
{
    for (int i = 0; i < ph_run_count(r->run, list->list); i++) {
        char full[PH_TOLD_COLUMN];
        ph_channel c = ph_told_channel(r->run, list, i, full);
        ph_record_channel(&r->record, &c);
    }
}

/* ---- the choice of --columns ------------------------------------------------------------------------- */

#define CHOSEN_MAX 64

typedef struct chosen {
    const char *list; /* names with commas */
    uint64_t found;   /* bit k: the table has name k */
} chosen;

/* "top", "top.position", "tip" */
static int is_named(const ph_channel *c, const char *name, size_t n)
{
    char full[PH_LABEL_MAX + PH_TOLD_COLUMN];
    snprintf(full, sizeof full, "%s%s%s", c->of ? c->of : "", c->of ? "." : "", c->name);
    return (strlen(full) == n && !strncmp(full, name, n)) ||
           (c->of && strlen(c->of) == n && !strncmp(c->of, name, n));
}

static int wants(void *ctx, const ph_channel *c)
{
    chosen *x = ctx;
    int wanted = !c->group && !strcmp(c->name, "t"), k = 0;
    for (const char *name = x->list; name && k < CHOSEN_MAX; k++) {
        size_t n = strcspn(name, ",");
        if (is_named(c, name, n))
            wanted = 1, x->found |= UINT64_C(1) << k;
        name = name[n] ? name + n + 1 : NULL;
    }
    return wanted;
}

/* Each name must be that of something. */
static ph_status check_chosen(const chosen *x, ph_error *err)
{
    int k = 0;
    for (const char *name = x->list; name; k++) {
        size_t n = strcspn(name, ",");
        if (k == CHOSEN_MAX)
            return ph_study_fail(err, PH_E_INPUT, "--columns: more than %d names", CHOSEN_MAX);
        if (!(x->found >> k & 1))
            return ph_study_fail(err, PH_E_INPUT,
                                 "--columns: the table has no '%.*s'; give names of bodies, joints, sensors, "
                                 "states or inputs, or as top.position",
                                 (int)n, name);
        name = name[n] ? name + n + 1 : NULL;
    }
    return PH_OK;
}

/* ---- the whole header -------------------------------------------------------------------------------- */

/* A sensor of this name has it. */
static int adds_energy(const ph_job *r)
{
    return ph_run_find(r->run, PH_SENSORS, "energy") < 0;
}

ph_status ph_trajectory_header(ph_job *r)
{
    ph_state s = ph_sim_state(r->sim);
    chosen columns = {.list = r->args->columns};
    note_settings(r);
    if (columns.list)
        ph_record_choose(&r->record, wants, &columns);
    ph_record_channel(&r->record, &(ph_channel){.name = "t", .unit = "s", .n = 1});
    for (int i = 0; i < r->bodies->n; i++)
        add_body(r, i, &s);
    for (int i = 0; i < r->bodies->n_ties; i++)
        add_joint(r, i, &s);
    add_sensors(r);
    for (const ph_told_list *l = ph_told_lists; l->group; l++)
        add_told(r, l);
    if (adds_energy(r))
        ph_record_channel(&r->record, &(ph_channel){.name = "energy", .unit = "J", .n = 1});
    if (r->extension && r->extension->header)
        r->extension->header(r);
    if (check_chosen(&columns, &r->err) != PH_OK)
        return PH_E_INPUT;
    ph_record_begin(&r->record, r->steps / r->args->every + 2);
    return PH_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The run has the motion of a body of a model in the order of its channels. */
static void put_motion(ph_job *r, int body, const ph_state *s)
{
    double motion[PH_MOTION_MAX];
    ph_quantity q[PH_QUANTITIES];
    if (r->bodies->is_file) {
        ph_run_get_of(r->run, s, PH_GET_MOTION, body, motion);
        ph_record_put(&r->record, ph_run_size(r->run, PH_GET_MOTION, body), motion);
        return;
    }
    for (int k = 0, n = ph_body_motion(r->bodies, body, s, q); k < n; k++)
        ph_record_put(&r->record, q[k].n, q[k].value);
}

void ph_trajectory_row(ph_job *r, const ph_state *s)
{
    ph_record_put(&r->record, 1, &s->t);
    for (int i = 0; i < r->bodies->n; i++)
        put_motion(r, i, s);
    for (int i = 0; i < r->bodies->n_ties; i++) {
        double x[PH_ROWS];
        int rows = ph_joint_multipliers(r->bodies, i, PH_GET_MULTIPLIERS, s, x);
        ph_record_put(&r->record, rows, x);
        if (s->eta)
            ph_record_put(&r->record, ph_joint_multipliers(r->bodies, i, PH_GET_ETA, s, x), x);
    }
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++) {
        double value[PH_SENSOR_MAX];
        ph_record_put(&r->record, ph_job_watch_sensor(r, i, s, value), value);
    }
    for (const ph_told_list *l = ph_told_lists; l->group; l++)
        for (int i = 0; i < ph_run_count(r->run, l->list); i++) {
            double value[PH_SENSOR_MAX];
            ph_record_put(&r->record, ph_job_told(r, l, i, s, value), value);
        }
    if (adds_energy(r))
        ph_record_put(&r->record, 1, (double[]){ph_job_energies(r).now});
    if (r->extension && r->extension->row)
        r->extension->row(r, s);
    ph_record_end_row(&r->record);
}
