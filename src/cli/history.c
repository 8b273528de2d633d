/* Time histories of a run, for --plot: a panel for each sensor, or, where a model has none, for the position
 * of each body and the multipliers of each joint.
 *
 * Of long runs some states are left out: of every STRIDE-th one the numbers are kept, and STRIDE doubles
 * whenever there is no more room. */
#include "cli/history.h"
#include "study/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS     4000 /* of a curve; more than there are dots across the paper */
#define PANELS_MAX 12   /* on one page */

typedef enum kind { SENSOR, BODY, JOINT } kind;

/* Numbers that one panel shows: some of a sensor, a position, multipliers. */
typedef struct view {
    kind of;
    int index;       /* of the sensor, body or joint */
    int first, size; /* which of its numbers */
    int at;          /* in a row */
    char label[PH_LABEL_MAX + 16], unit[PH_COLUMN_MAX];
} view;

struct ph_history {
    int n_views, hidden; /* hidden: views that have no room on the page */
    view view[PANELS_MAX];
    int size; /* numbers of a row */
    int n;    /* rows */
    long stride, seen;
    double *t;     /* POINTS */
    double *value; /* size columns of POINTS */
};

/* ---- what is drawn ------------------------------------------------------------------------------------- */

static void add_view(ph_history *h, view v)
{
    if (h->n_views == PANELS_MAX) {
        h->hidden++;
        return;
    }
    v.at = h->size;
    h->size += v.size;
    h->view[h->n_views++] = v;
}

/* Forces and torques of a reaction, which have different units, are two panels. */
static void add_sensor(ph_history *h, const ph_run *r, int sensor)
{
    const ph_model *m = r->subject.model;
    int n = ph_model_sensor_size(m, sensor);
    ph_channel c = {.unit = ph_model_sensor_unit(m, sensor), .n = n};
    view v = {.of = SENSOR, .index = sensor, .size = n};
    snprintf(v.label, sizeof v.label, "%.95s", ph_model_name(m, PH_SENSORS, sensor));
    for (int k = 0; k < n; k += v.size) {
        char unit[PH_COLUMN_MAX];
        ph_channel_unit(&c, k, v.unit);
        v.first = k;
        for (v.size = 1; k + v.size < n && !strcmp(ph_channel_unit(&c, k + v.size, unit), v.unit);)
            v.size++;
        add_view(h, v);
    }
}

static void add_body(ph_history *h, const ph_run *r, int body, const ph_state *s)
{
    ph_quantity q[PH_QUANTITIES];
    char name[PH_LABEL_MAX];
    view v = {.of = BODY, .index = body};
    if (ph_body_motion(r->bodies, body, s, q) == 0 || q[0].n > 4)
        return;
    v.size = q[0].n;
    snprintf(v.label, sizeof v.label, "%s, %s", ph_body_name(r->bodies, body, name), q[0].name);
    snprintf(v.unit, sizeof v.unit, "%s", q[0].unit);
    add_view(h, v);
}

static void add_joint(ph_history *h, const ph_run *r, int joint, const ph_state *s)
{
    char name[PH_LABEL_MAX];
    view v = {.of = JOINT, .index = joint, .unit = "SI"};
    ph_joint_lambda(r->bodies, joint, s, &v.size);
    snprintf(v.label, sizeof v.label, "%s, lambda", ph_joint_name(r->bodies, joint, name));
    if (v.size)
        add_view(h, v);
}

ph_history *ph_history_create(const ph_run *r, const ph_state *s)
{
    ph_history *h = calloc(1, sizeof *h);
    int sensors = r->subject.model ? ph_model_count(r->subject.model, PH_SENSORS) : 0;
    for (int i = 0; h && i < sensors; i++)
        add_sensor(h, r, i);
    for (int i = 0; h && !sensors && i < r->bodies->n_own; i++)
        add_body(h, r, i, s);
    for (int i = 0; h && !sensors && i < r->bodies->n_joints; i++)
        add_joint(h, r, i, s);
    if (!h)
        return NULL;
    h->stride = 1;
    h->t = calloc(POINTS, sizeof *h->t);
    h->value = calloc(POINTS * ((size_t)h->size + 1), sizeof *h->value);
    if (h->t && h->value)
        return h;
    ph_history_destroy(h);
    return NULL;
}

void ph_history_destroy(ph_history *h)
{
    if (h)
        free(h->t), free(h->value);
    free(h);
}

/* ---- on the way ---------------------------------------------------------------------------------------- */

/* Every other row goes. */
static void thin(ph_history *h)
{
    h->n = (h->n + 1) / 2;
    for (int k = 0; k < h->n; k++) {
        h->t[k] = h->t[2 * k];
        for (int i = 0; i < h->size; i++)
            h->value[i * POINTS + k] = h->value[i * POINTS + 2 * k];
    }
    h->stride *= 2;
}

/* The numbers of a view, n of them, in text of the state or in own. */
static const double *numbers_of(const view *v, const ph_run *r, const ph_state *s, double own[PH_SENSOR_MAX])
{
    ph_quantity q[PH_QUANTITIES];
    int n;
    switch (v->of) {
    case SENSOR:
        ph_run_sensor(r, v->index, s, own);
        break;
    case BODY:
        ph_body_motion(r->bodies, v->index, s, q);
        memcpy(own, q[0].value, (size_t)v->size * sizeof *own);
        break;
    case JOINT:
        return s->lambda + ph_joint_lambda(r->bodies, v->index, s, &n);
    }
    return own;
}

void ph_history_see(ph_history *h, const ph_run *r, const ph_state *s, int last)
{
    double own[PH_SENSOR_MAX];
    if (h->seen++ % h->stride != 0 && !last)
        return;
    if (h->n == POINTS)
        thin(h);
    h->t[h->n] = s->t;
    for (int k = 0; k < h->n_views; k++) {
        const view *v = &h->view[k];
        const double *x = numbers_of(v, r, s, own);
        for (int i = 0; i < v->size; i++)
            h->value[(v->at + i) * POINTS + h->n] = x[v->first + i];
    }
    h->n++;
}

/* ---- the picture --------------------------------------------------------------------------------------- */

int ph_history_draw(const ph_history *h, const ph_run *r, ph_error *err)
{
    ph_panel panel[PANELS_MAX] = {0};
    char label[PH_SENSOR_MAX][24];
    ph_series *series = calloc((size_t)h->size + 1, sizeof *series);
    int most = 0, ok = 0;
    for (int i = 0; i < PH_SENSOR_MAX; i++)
        snprintf(label[i], sizeof label[i], "component %d", i + 1);
    for (int k = 0; k < h->n_views && series; k++) {
        const view *v = &h->view[k];
        for (int i = 0; i < v->size; i++)
            series[v->at + i] = (ph_series){.label = i < PH_SENSOR_MAX ? label[i] : NULL,
                                            .style = PH_LINES,
                                            .look = i + 1,
                                            .n = h->n,
                                            .x = h->t,
                                            .y = h->value + (v->at + i) * POINTS};
        panel[k] = (ph_panel){.x = {.label = "t", .unit = "s", .min = 0, .max = r->t_end},
                              .y = {.label = v->label, .unit = v->unit},
                              .legend = PH_LEGEND_NONE,
                              .n_series = v->size,
                              .series = series + v->at};
        most = v->size > h->view[most].size ? k : most;
    }
    if (h->n_views && h->view[most].size > 1) /* the same looks in all panels: one legend, of the longest */
        panel[most].legend = PH_LEGEND_BELOW;
    const ph_plot plot = {.title = r->p->name, .n_panels = h->n_views, .panels = panel};
    if (!series)
        snprintf(err->text, sizeof err->text, "not enough memory for the picture");
    else
        ok = ph_plot_write(&plot, r->plot, err);
    if (ok && h->hidden && !r->args->quiet)
        ph_note("the picture shows the first %d of %d panels", h->n_views, h->n_views + h->hidden);
    free(series);
    return ok;
}
