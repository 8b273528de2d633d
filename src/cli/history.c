/* Time histories of a run, for --plot: a panel for each sensor, or for those of --sensor, or, where a model has none, for the
 * position of each body and the multipliers of each joint; last the step size, where it changes. --plot-xy draws numbers of sensors over each other.
 *
 * Long runs keep the numbers of every STRIDE-th state only, and STRIDE doubles
 * whenever there is no more room. */
#include "cli/history.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS     4000  /* of a curve; more than there are dots across the paper */
#define PANELS_MAX 12    /* on one page */
#define ROUND_OFF  1e-11 /* of the largest number of a picture: what is smaller, and jumps, is none */

typedef enum kind { SENSOR, BODY, JOINT, SIZE } kind;

/* Numbers that one panel shows: some of a sensor, a position, multipliers, the step size. */
typedef struct view {
    kind of;
    int index;        /* of the sensor, body or joint */
    int first, size;  /* which of its numbers */
    int at;           /* in a row */
    int over;         /* 1: the first of its two numbers is the abscissa of the other; 0: time is */
    const char *axes; /* letters of its numbers; "": they have numbers */
    char label[PH_LABEL_MAX + 16], unit[PH_COLUMN_MAX];
    int second, second_first; /* over: sensor and number of the ordinate ... */
    char y_label[PH_LABEL_MAX + 16], y_unit[PH_COLUMN_MAX];
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

/* "xyz" of vectors, which reactions have two of, "wxyz" of quaternions; "" where numbers have no letters. */
static const char *axes_of(const ph_run *run, int sensor)
{
    return ph_run_is(run, PH_IS_QUATERNION, sensor) ? "wxyz"
           : ph_run_is(run, PH_IS_VECTOR, sensor)   ? "xyz"
                                                    : "";
}

/* The name of number k: "x", or "4". */
static const char *number_name(const char *axes, int k, char text[PH_COLUMN_MAX])
{
    if (axes[0])
        snprintf(text, PH_COLUMN_MAX, "%c", axes[(size_t)k % strlen(axes)]);
    else
        snprintf(text, PH_COLUMN_MAX, "%d", k + 1);
    return text;
}

/* Forces and torques of a reaction, which have different units, are two panels. */
static void add_sensor(ph_history *h, const ph_job *r, int sensor)
{
    int n = ph_run_size(r->run, PH_GET_SENSOR, sensor);
    ph_channel c = {.unit = ph_model_sensor_unit(r->target.model, sensor), .n = n};
    view v = {.of = SENSOR, .index = sensor, .size = n, .axes = axes_of(r->run, sensor)};
    snprintf(v.label, sizeof v.label, "%.95s", ph_run_name(r->run, PH_SENSORS, sensor));
    for (int k = 0; k < n; k += v.size) {
        char unit[PH_COLUMN_MAX];
        ph_channel_unit(&c, k, v.unit);
        v.first = k;
        for (v.size = 1; k + v.size < n && !strcmp(ph_channel_unit(&c, k + v.size, unit), v.unit);)
            v.size++;
        add_view(h, v);
    }
}

static void add_body(ph_history *h, const ph_job *r, int body, const ph_state *s)
{
    ph_quantity q[PH_QUANTITIES];
    char name[PH_LABEL_MAX];
    view v = {.of = BODY, .index = body};
    if (ph_body_motion(r->bodies, body, s, q) == 0 || q[0].n > 4)
        return;
    v.size = q[0].n;
    v.axes = q[0].n == 3 ? "xyz" : q[0].n == 4 ? "wxyz" : "";
    snprintf(v.label, sizeof v.label, "%s, %s", ph_body_name(r->bodies, body, name), q[0].name);
    snprintf(v.unit, sizeof v.unit, "%s", q[0].unit);
    add_view(h, v);
}

static void add_joint(ph_history *h, const ph_job *r, int joint)
{
    char name[PH_LABEL_MAX];
    view v = {.of = JOINT, .index = joint, .unit = "SI", .axes = ""};
    v.size = ph_run_size(r->run, PH_GET_MULTIPLIERS, joint);
    snprintf(v.label, sizeof v.label, "%s, lambda", ph_joint_name(r->bodies, joint, name));
    if (v.size)
        add_view(h, v);
}

/* The size of the step that a state belongs to. */
static void add_size(ph_history *h)
{
    view v = {.of = SIZE, .size = 1, .label = "h", .unit = "s", .axes = ""};
    if (h->n_views == PANELS_MAX)
        h->n_views--, h->size -= h->view[h->n_views].size, h->hidden++;
    add_view(h, v);
}

/* ---- what is asked for --------------------------------------------------------------------------------- */

/* The sensor of the name, length bytes; -1: there is none. */
static int find_sensor(const ph_run *run, const char *name, size_t length)
{
    for (int i = 0; i < ph_run_count(run, PH_SENSORS); i++) {
        const char *own = ph_run_name(run, PH_SENSORS, i);
        if (strlen(own) == length && !strncmp(own, name, length))
            return i;
    }
    return -1;
}

/* "tip.x", "tip.1", or "speed" of one number: the sensor, and which number. 0 with a sentence in err. */
static int find_number(const ph_run *run, const char *name, size_t length, int *sensor, int *k, ph_error *err)
{
    size_t dot = length;
    char text[PH_COLUMN_MAX];
    *sensor = find_sensor(run, name, length), *k = 0;
    while (*sensor < 0 && dot > 0)
        if (name[--dot] == '.')
            *sensor = find_sensor(run, name, dot);
    int n = *sensor < 0 ? 0 : ph_run_size(run, PH_GET_SENSOR, *sensor), whole = dot == length;
    if (*sensor < 0)
        return snprintf(err->text, sizeof err->text, "the model has no sensor '%.*s'", (int)fmin(length, 64),
                        name),
               0;
    if (n == 1 && whole)
        return 1;
    for (; *k < n && !whole; ++*k) {
        const char *axes = axes_of(run, *sensor);
        size_t rest = length - dot - 1;
        for (int numbered = 0; numbered < 2; numbered++) {
            number_name(numbered || *k >= (int)strlen(axes) ? "" : axes, *k, text);
            if (strlen(text) == rest && !strncmp(text, name + dot + 1, rest))
                return 1;
        }
    }
    const char *own = ph_run_name(run, PH_SENSORS, *sensor);
    snprintf(err->text, sizeof err->text, "sensor '%s' has %d numbers: say which, as in %s.%s", own, n, own,
             number_name(axes_of(run, *sensor), 0, text));
    return 0;
}

static void name_number(const ph_run *run, int sensor, int k, char *label, size_t size,
                        char unit[PH_COLUMN_MAX])
{
    int n = ph_run_size(run, PH_GET_SENSOR, sensor);
    char text[PH_COLUMN_MAX] = "";
    ph_channel c = {.unit = ph_model_sensor_unit(ph_run_model(run), sensor), .n = n};
    if (n > 1)
        number_name(axes_of(run, sensor), k, text);
    snprintf(label, size, "%.95s%s%s", ph_run_name(run, PH_SENSORS, sensor), text[0] ? "." : "", text);
    ph_channel_unit(&c, k, unit);
}

/* "a,b": b over a. 0 with a sentence in err. */
static int add_pair(ph_history *h, const ph_run *run, const char *pair, ph_error *err)
{
    const char *comma = strchr(pair, ',');
    view v = {.of = SENSOR, .over = 1, .size = 2, .axes = ""};
    if (!comma || strchr(comma + 1, ','))
        return snprintf(err->text, sizeof err->text, "'%.64s' is not of the form A,B", pair), 0;
    if (!find_number(run, pair, (size_t)(comma - pair), &v.index, &v.first, err) ||
        !find_number(run, comma + 1, strlen(comma + 1), &v.second, &v.second_first, err))
        return 0;
    name_number(run, v.index, v.first, v.label, sizeof v.label, v.unit);
    name_number(run, v.second, v.second_first, v.y_label, sizeof v.y_label, v.y_unit);
    add_view(h, v);
    return 1;
}

/* What --sensor and --plot-xy ask for; 0 with a sentence in err. */
static int add_chosen(ph_history *h, const ph_job *r, ph_error *err)
{
    for (const char *name = r->args->sensors, *end; name; name = end ? end + 1 : NULL) {
        end = strchr(name, ',');
        size_t n = end ? (size_t)(end - name) : strlen(name);
        int sensor = find_sensor(r->run, name, n);
        if (sensor < 0)
            return snprintf(err->text, sizeof err->text, "--sensor: the model has no sensor '%.*s'",
                            (int)fmin((double)n, 64), name),
                   0;
        add_sensor(h, r, sensor);
    }
    for (int i = 0; i < r->args->plot_xy.n; i++) {
        ph_error why = {0};
        if (!add_pair(h, r->run, r->args->plot_xy.text[i], &why))
            return snprintf(err->text, sizeof err->text, "--plot-xy: %.200s", why.text), 0;
    }
    return 1;
}

int ph_history_possible(const ph_job *r, ph_error *err)
{
    ph_history *h = calloc(1, sizeof *h);
    int asked = r->args->sensors || r->args->plot_xy.n, ok = h != NULL;
    if (!h)
        snprintf(err->text, sizeof err->text, "not enough memory for the picture");
    else if (asked && !r->plot)
        ok = snprintf(err->text, sizeof err->text, "%s chooses what --plot draws: say in which file",
                      r->args->sensors ? "--sensor" : "--plot-xy") < 0;
    else
        ok = add_chosen(h, r, err);
    free(h);
    return ok;
}

ph_history *ph_history_create(const ph_job *r, const ph_state *s)
{
    ph_history *h = calloc(1, sizeof *h);
    ph_error err;
    int sensors = ph_run_count(r->run, PH_SENSORS);
    int asked = r->args->sensors || r->args->plot_xy.n;
    if (!h)
        return NULL;
    if (asked)
        add_chosen(h, r, &err); /* ph_history_possible has said that it can */
    for (int i = 0; !asked && i < sensors; i++)
        add_sensor(h, r, i);
    for (int i = 0; !asked && !sensors && i < r->bodies->n_own; i++)
        add_body(h, r, i, s);
    for (int i = 0; !asked && !sensors && i < r->bodies->n_joints; i++)
        add_joint(h, r, i);
    if (r->opt.tol > 0)
        add_size(h);
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
static const double *numbers_of(const view *v, const ph_job *r, const ph_state *s, double own[PH_SENSOR_MAX])
{
    ph_quantity q[PH_QUANTITIES];
    switch (v->of) {
    case SENSOR:
        ph_job_sensor(r, v->index, s, own);
        break;
    case BODY:
        ph_body_motion(r->bodies, v->index, s, q);
        memcpy(own, q[0].value, (size_t)v->size * sizeof *own);
        break;
    case JOINT:
        ph_joint_multipliers(r->bodies, v->index, PH_GET_MULTIPLIERS, s, own);
        break;
    case SIZE:
        own[0] = ph_sim_stats(r->sim).h_last;
        if (!(own[0] > 0))
            own[0] = NAN; /* no step yet */
        break;
    }
    return own;
}

void ph_history_see(ph_history *h, const ph_job *r, const ph_state *s, int last)
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
            h->value[(v->at + i) * POINTS + h->n] = x[v->first + (v->over ? 0 : i)];
        if (v->over) {
            ph_job_sensor(r, v->second, s, own);
            h->value[(v->at + 1) * POINTS + h->n] = own[v->second_first];
        }
    }
    h->n++;
}

/* ---- the picture --------------------------------------------------------------------------------------- */

static double largest(const ph_history *h, int at, int columns)
{
    double most = 0;
    for (int i = at; i < at + columns; i++)
        for (int k = 0; k < h->n; k++)
            if (isfinite(h->value[i * POINTS + k]))
                most = fmax(most, fabs(h->value[i * POINTS + k]));
    return most;
}

/* Views whose numbers are all 0 say nothing, unless they were asked for, or there are no others. */
static void drop_zeros(ph_history *h, const ph_job *r)
{
    int n = 0;
    if (r->args->sensors || r->args->plot_xy.n || !(largest(h, 0, h->size) > 0))
        return;
    for (int k = 0; k < h->n_views; k++)
        if (largest(h, h->view[k].at, h->view[k].size) > 0)
            h->view[n++] = h->view[k];
    h->n_views = n;
}

/* 1: the numbers of a view jump from point to point, more than they move: |x_2 - 2 x_1 + x_0| against |x_1 - x_0|. */
static int jumps(const ph_history *h, const view *v)
{
    double first = 0, second = 0;
    for (int i = v->at; i < v->at + v->size; i++)
        for (int k = 2; k < h->n; k++) {
            const double *x = h->value + i * POINTS + k;
            first += fabs(x[0] - x[-1]), second += fabs(x[0] - 2 * x[-1] + x[-2]);
        }
    return second > 0.5 * first;
}

/* The legend, which serves all panels: of each look the names that it has in one of them, "x" or "x, 1". */
static void name_looks(const ph_history *h, int most, char (*name)[PH_COLUMN_MAX])
{
    char text[PH_COLUMN_MAX];
    for (int i = 0; i < h->view[most].size; i++) {
        name[i][0] = 0;
        for (int k = 0; k < h->n_views; k++) {
            const view *v = &h->view[k];
            if (v->over || v->size <= i || v->size < 2)
                continue;
            number_name(v->axes, v->first + i, text);
            size_t n = strlen(name[i]), length = strlen(text);
            const char *there = strstr(name[i], text);
            if (!there || (there[length] && there[length] != ','))
                snprintf(name[i] + n, PH_COLUMN_MAX - n, "%s%s", n ? ", " : "", text);
        }
    }
}

/* Over time, with the looks of all panels; what is round-off lies on the axis, and the title says so. */
static ph_panel time_panel(const ph_history *h, const ph_job *r, const view *v, double size, char title[64],
                           ph_series *series, char (*name)[PH_COLUMN_MAX])
{
    for (int i = 0; i < v->size; i++)
        series[i] = (ph_series){.label = name[i],
                                .style = PH_LINES,
                                .look = i + 1,
                                .n = h->n,
                                .x = h->t,
                                .y = h->value + (v->at + i) * POINTS};
    ph_panel p = {.x = {.label = "t", .unit = "s", .min = 0, .max = r->t_end},
                  .y = {.label = v->label, .unit = v->unit},
                  .legend = PH_LEGEND_NONE,
                  .n_series = v->size,
                  .series = series};
    double most = largest(h, v->at, v->size);
    p.y.log = v->of == SIZE;
    if (!p.y.log && most > 0 && most <= ROUND_OFF * size && jumps(h, v)) {
        snprintf(title, 64, "0 but for round-off, %.0e", most);
        p.title = title, p.y.max = 1e3 * ROUND_OFF * size, p.y.min = -p.y.max;
    }
    return p;
}

static ph_panel xy_panel(const ph_history *h, const view *v, ph_series *series)
{
    series[0] = (ph_series){.style = PH_LINES, .look = 1, .n = h->n};
    series[0].x = h->value + v->at * POINTS, series[0].y = h->value + (v->at + 1) * POINTS;
    return (ph_panel){.x = {.label = v->label, .unit = v->unit},
                      .y = {.label = v->y_label, .unit = v->y_unit},
                      .legend = PH_LEGEND_NONE,
                      .n_series = 1,
                      .series = series};
}

int ph_history_draw(ph_history *h, const ph_job *r, ph_error *err)
{
    drop_zeros(h, r);
    ph_panel panel[PANELS_MAX] = {0};
    char title[PANELS_MAX][64];
    ph_series *series = calloc((size_t)h->size + 1, sizeof *series);
    char(*name)[PH_COLUMN_MAX] = calloc((size_t)h->size + 1, sizeof *name);
    int most = 0, ok = 0;
    double size = largest(h, 0, h->size);
    for (int k = 1; k < h->n_views; k++)
        if (!h->view[k].over && (h->view[most].over || h->view[k].size > h->view[most].size))
            most = k;
    if (h->n_views && name)
        name_looks(h, most, name);
    for (int k = 0; k < h->n_views && series && name; k++) {
        const view *v = &h->view[k];
        if (v->over)
            panel[k] = xy_panel(h, v, series + v->at);
        else
            panel[k] = time_panel(h, r, v, size, title[k], series + v->at, name);
    }
    if (panel[most].n_series > 1)
        panel[most].legend = PH_LEGEND_BELOW;
    const ph_plot plot = {.title = r->p->name, .n_panels = h->n_views, .panels = panel};
    if (!series || !name)
        snprintf(err->text, sizeof err->text, "not enough memory for the picture");
    else
        ok = ph_plot_write(&plot, r->plot, err);
    if (ok && h->hidden && !r->args->quiet)
        ph_note("the picture shows the first %d of %d panels; --sensor NAME,... chooses", h->n_views,
                h->n_views + h->hidden);
    free(series), free(name);
    return ok;
}
