/* The frames of a view: places of bodies, and numbers of sensors, joints and the balance of energy. */
#include "view/view_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MOST                                                                                          \
    2000 /* more than a screen has columns, or a minute of a film has pictures that one tells apart */
#define FRAMES_LEAST 60    /* of a film of large models */
#define BYTES_MOST   2.4e7 /* of frames: a page of 32 MB */
#define POINTS_FROM  20000 /* bodies: from here on points are shown */
#define STATES_UPTO  60    /* bodies whose velocities are kept too */
#define JOINTS_UPTO  400   /* joints whose reactions are kept */

/* ---- channels ----------------------------------------------------------------------------------------- */

/* Counted where there is no room yet. */
static void add_channel(ph_view *v, int what, int index)
{
    int n = ph_run_size(v->run, what, index);
    if (n == 0)
        return;
    if (v->channel)
        v->channel[v->n_channels] = (ph_view_channel){what, index, v->columns, n};
    v->n_channels++;
    v->columns += n;
}

static void add_channels(ph_view *v)
{
    static const struct {
        int list, what;
    } others[] = {{PH_INPUTS, PH_GET_INPUT}, {PH_STATES, PH_GET_STATE}, {PH_ACTUATORS, PH_GET_EFFORT}};
    int sensors = ph_run_count(v->run, PH_SENSORS), joints = ph_run_count(v->run, PH_JOINTS);
    v->n_channels = 0, v->columns = 1;
    for (int k = 0; k < sensors; k++)
        add_channel(v, PH_GET_SENSOR, k);
    add_channel(v, PH_GET_ENERGY, 0), add_channel(v, PH_GET_VIOLATION, 0), add_channel(v, PH_GET_STEP, 0);
    for (int k = 0; joints <= JOINTS_UPTO && k < joints; k++) {
        add_channel(v, PH_GET_REACTION, k);
        if (ph_run_size(v->run, PH_GET_JOINT_POSITION, k) == 1)
            add_channel(v, PH_GET_JOINT_POSITION, k), add_channel(v, PH_GET_JOINT_RATE, k);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int k = 0; k < ph_run_count(v->run, others[i].list); k++)
            add_channel(v, others[i].what, k);
    for (int k = 0; v->n_bodies <= STATES_UPTO && k < v->n_bodies; k++)
        add_channel(v, PH_GET_VELOCITY, k), add_channel(v, PH_GET_OMEGA, k);
}

/* ---- create ------------------------------------------------------------------------------------------- */

static ph_status refuse(ph_error *err, ph_status s, const char *sentence)
{
    if (err) {
        err->status = s;
        snprintf(err->text, sizeof err->text, "%s", sentence);
    }
    return s;
}

ph_status ph_view_create(ph_view **out, ph_run *run, ph_error *err)
{
    *out = NULL;
    const ph_model *m = ph_run_model(run);
    if (!m)
        return refuse(err, PH_E_INPUT, "a view needs a model file: built-in problems have no bodies to show");
    ph_view *v = calloc(1, sizeof *v);
    if (!v)
        return refuse(err, PH_E_MEMORY, "not enough memory for the view");
    v->m = m, v->run = run, v->n_bodies = m->n_bodies, v->stride = 1;
    v->points = m->n_bodies >= POINTS_FROM;
    v->per_body = v->points ? 3 : 7;
    add_channels(v);
    v->size = (size_t)v->n_bodies * (size_t)v->per_body + (size_t)v->columns;
    double room = BYTES_MOST / (4 * (double)v->size);
    v->capacity = 2 * (long)(fmin(fmax(room, FRAMES_LEAST), FRAMES_MOST) / 2);
    v->channel = malloc((size_t)v->n_channels * sizeof *v->channel);
    v->data = malloc((size_t)(v->capacity + 1) * v->size * sizeof *v->data);
    v->row = malloc((PH_SENSOR_MAX + 8) * sizeof *v->row);
    if (!v->channel || !v->data || !v->row) {
        ph_view_destroy(v);
        return refuse(err, PH_E_MEMORY, "not enough memory for the view");
    }
    add_channels(v);
    *out = v;
    return PH_OK;
}

void ph_view_destroy(ph_view *view)
{
    if (!view)
        return;
    free(view->channel);
    free(view->data);
    free(view->row);
    free(view->value);
    free(view->shape);
    free(view);
}

void ph_view_share(ph_view *v, int runs)
{
    long fewer = v->capacity / (runs > 1 ? runs : 1);
    v->capacity = 2 * ((fewer > FRAMES_LEAST         ? fewer
                        : v->capacity < FRAMES_LEAST ? v->capacity
                                                     : FRAMES_LEAST) /
                       2);
}

int ph_view_alike(const ph_view *a, const ph_view *b)
{
    return a->n_bodies == b->n_bodies && a->columns == b->columns && a->size == b->size;
}

long ph_view_frames(const ph_view *view)
{
    return view->n;
}

/* ---- frames ------------------------------------------------------------------------------------------- */

/* Every second frame goes: 0, 2, 4, ... stay. */
static void thin(ph_view *v)
{
    for (long k = 2; k < v->n; k += 2)
        memcpy(v->data + (size_t)(k / 2) * v->size, v->data + (size_t)k * v->size, v->size * sizeof *v->data);
    v->n = (v->n + 1) / 2;
    v->stride *= 2;
}

void ph_view_place(const ph_view *v, ph_run *run, const ph_state *s, int body, double *x)
{
    int turns = !v->points && ph_run_size(run, PH_GET_ROTATION, body);
    x[3] = 1, x[4] = x[5] = x[6] = 0; /* a particle does not turn */
    if (s) {
        ph_run_get_of(run, s, PH_GET_POSITION, body, x);
        if (turns)
            ph_run_get_of(run, s, PH_GET_ROTATION, body, x + 3);
        return;
    }
    ph_run_get(run, PH_GET_POSITION, body, x);
    if (turns)
        ph_run_get(run, PH_GET_ROTATION, body, x + 3);
}

static ph_status fill(const ph_view *v, ph_run *run, float *f)
{
    double *x = v->row;
    for (int b = 0; b < v->n_bodies; b++, f += v->per_body) {
        ph_view_place(v, run, NULL, b, x);
        for (int k = 0; k < v->per_body; k++)
            f[k] = (float)x[k];
    }
    f[0] = (float)ph_run_time(run);
    for (int c = 0; c < v->n_channels; c++) {
        const ph_view_channel *at = &v->channel[c];
        ph_status s = ph_run_get(run, at->what, at->index, x);
        if (s != PH_OK)
            return s;
        for (int k = 0; k < at->n; k++)
            f[at->first + k] = (float)x[k];
    }
    return PH_OK;
}

static ph_status add_frame(ph_view *v, ph_run *run)
{
    if (v->n == v->capacity)
        thin(v);
    v->skipped = 0;
    ph_status s = fill(v, run, v->data + (size_t)v->n * v->size);
    v->n += s == PH_OK;
    return s;
}

ph_status ph_view_frame(ph_view *v, ph_run *run)
{
    if (v->n && ++v->skipped < v->stride)
        return PH_OK;
    if (v->n == v->capacity) {
        thin(v);
        v->skipped =
            v->stride / 2; /* the frame before this one has gone, and this one is between two that stay */
        return PH_OK;
    }
    return add_frame(v, run);
}

ph_status ph_view_end(ph_view *v, ph_run *run)
{
    return v->n == 0 || v->skipped ? add_frame(v, run) : PH_OK;
}

/* There is room for one frame more than are kept. */
ph_status ph_view_frame_text(const ph_view *v, ph_run *run, FILE *to)
{
    float *f = v->data + (size_t)v->capacity * v->size;
    ph_status s = fill(v, run, f);
    if (s == PH_OK)
        ph_view_base64(to, f, v->size * sizeof *f);
    return s;
}

void ph_view_forget(ph_view *v)
{
    v->n = v->skipped = 0;
    v->stride = 1;
}
