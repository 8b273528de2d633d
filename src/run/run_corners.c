/* Times at which functions of the model jump or bend because of the time alone: steps by tolerance end there and start anew.
 *
 * Functions that were traced know their switches, of which those that depend on the time alone have sides at any time. Sides are
 * compared at some times from the start to the end and beside each that is found, and where one changes it is bisected to the last
 * bit. A switch that is crossed twice between two of these times, as sin(1e5 t) > 0, is not seen. Tables of inputs bend at their
 * points. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "mech/argument.h"
#include "run/private.h"
#include "step/sim.h"

#define SAMPLES  2048
#define SWITCHES 64    /* of one function that are looked at */
#define MOST     20000 /* times of one run */
#define SAME     16    /* units in the last place: one time */

typedef struct search {
    const ph_program *p;
    double *room;
    double least; /* earlier ones are where the run begins */
    double *t;    /* those that are found */
    int n;
} search;

static void add(search *s, double t)
{
    if (s->n < MOST && t > s->least)
        s->t[s->n++] = t;
}

static double side_at(const search *s, int k, double t)
{
    double side[SWITCHES];
    ph_program_pieces(s->p, PH_ARG_TIME, t, s->room, side, SWITCHES);
    return side[k];
}

/* All times in (low, high] at which side k changes, as far as it has other values in between. */
static void bisect(search *s, int k, double low, double at_low, double high, double at_high)
{
    double mid = low + (high - low) / 2;
    if (at_low == at_high || s->n == MOST)
        return;
    if (!(mid > low && mid < high)) {
        add(s, high);
        return;
    }
    double at_mid = side_at(s, k, mid);
    bisect(s, k, low, at_low, mid, at_mid);
    bisect(s, k, mid, at_mid, high, at_high);
}

static void look_between(search *s, int n, double low, double high)
{
    double side[2][SWITCHES];
    ph_program_pieces(s->p, PH_ARG_TIME, low, s->room, side[0], SWITCHES);
    ph_program_pieces(s->p, PH_ARG_TIME, high, s->room, side[1], SWITCHES);
    for (int k = 0; k < n; k++)
        bisect(s, k, low, side[0][k], high, side[1][k]);
}

/* What is found are times to look at, too: math.abs(t - 1) < 1e-6 bends at 1, and is true there. */
static void look(search *s, const ph_function *f, double t0, double t1)
{
    double side[SWITCHES], apart = (t1 - t0) / SAMPLES;
    int first = s->n;
    s->p = f->traced->program;
    int n = ph_program_pieces(s->p, PH_ARG_TIME, t0, s->room, side, SWITCHES);
    n = n < SWITCHES ? n : SWITCHES;
    for (int i = 1; i <= SAMPLES && n > 0; i++)
        look_between(s, n, t0 + apart * (i - 1), i < SAMPLES ? t0 + apart * i : t1);
    for (int i = first, end = s->n; i < end && end - first <= SAMPLES; i++) {
        look_between(s, n, fmax(t0, s->t[i] - apart), s->t[i]);
        look_between(s, n, s->t[i], fmin(t1, s->t[i] + apart));
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int without_repeats(int n, double *t)
{
    int kept = 0;
    qsort(t, (size_t)n, sizeof *t, ascending);
    for (int i = 0; i < n; i++)
        if (!kept || t[i] - t[kept - 1] > SAME * DBL_EPSILON * fabs(t[i]))
            t[kept++] = t[i];
    return kept;
}

static double instant(double t)
{
    return SAME * DBL_EPSILON * fabs(t);
}

/* Whether t is one of these times, but for round-off. */
static int is_among(const ph_times *c, double t)
{
    long k = ph_sorted_below(c->n, c->t, t - instant(t));
    return k < c->n && c->t[k] <= t + instant(t);
}

int ph_corners_at(const ph_run *run, double t, double *before, double *after)
{
    *before = t - instant(t), *after = t + instant(t);
    return run->def.opt.tol > 0 && is_among(&run->def.opt.nonsmooth, t);
}

static size_t room_of(const ph_model *m)
{
    size_t room = 0;
    const ph_function *f;
    for (int k = 0; (f = ph_motion_function(m, k)); k++)
        if (f->traced && f->traced->program && ph_program_pieces_room(f->traced->program) > room)
            room = ph_program_pieces_room(f->traced->program);
    return room;
}

static void look_at_inputs(search *s, const ph_run *run, double t0, double t1)
{
    for (int k = 0; k < run->n_inputs; k++)
        for (int i = 0; i < run->input[k].n; i++)
            if (run->input[k].at[i] > t0 && run->input[k].at[i] < t1)
                add(s, run->input[k].at[i]);
}

ph_status ph_corners_find(const ph_run *run, const ph_model *m, const ph_run_def *def, ph_times *out,
                          double **own)
{
    const ph_allocator *alloc = run->config.alloc;
    const ph_function *f;
    ph_times given = def->opt.nonsmooth;
    *out = given, *own = NULL;
    if (!m || !(def->opt.tol > 0) || !(def->t_end > run->t0))
        return PH_OK;
    search s = {.t = ph_alloc(alloc, (size_t)(MOST + given.n) * sizeof *s.t),
                .room = ph_alloc(alloc, (room_of(m) + 1) * sizeof *s.room),
                .least = run->t0 + SAME * DBL_EPSILON * (def->t_end - run->t0)};
    if (!s.t || !s.room) {
        ph_free(alloc, s.t), ph_free(alloc, s.room);
        return PH_E_MEMORY;
    }
    for (int k = 0; (f = ph_motion_function(m, k)); k++)
        if (f->traced && f->traced->program)
            look(&s, f, run->t0, def->t_end);
    look_at_inputs(&s, run, run->t0, def->t_end);
    if (given.n)
        memcpy(s.t + s.n, given.t, (size_t)given.n * sizeof *s.t);
    ph_free(alloc, s.room);
    *own = s.t;
    *out = (ph_times){without_repeats(s.n + given.n, s.t), s.t};
    return PH_OK;
}

int ph_run_corners(const ph_run *run, double *t, int room)
{
    ph_run_def def = run->def;
    ph_times all;
    double *own;
    def.opt.nonsmooth = run->said.opt.nonsmooth, def.opt.tol = 1; /* whatever the steps of the run are */
    if (ph_corners_find(run, run->model, &def, &all, &own) != PH_OK)
        return -1;
    if (all.n && room > 0)
        memcpy(t, all.t, sizeof *t * (size_t)(all.n < room ? all.n : room));
    ph_free(run->config.alloc, own);
    return all.n;
}

/* ---- times that a parameter moves ---------------------------------------------------------------------- */

#define JUMP                                                                                                 \
    1e-6 /* of values on both sides of an instant, relative or absolute: more than slopes make of it */

/* 1: a function that the motion depends on jumps at t, where the run is now. */
static int jumps(ph_run *run, double t)
{
    const ph_function *f;
    ph_state s = ph_sim_state(run->sim);
    double sides[2];
    ph_corners_at(run, t, &sides[0], &sides[1]);
    for (int k = 0; (f = ph_motion_function(run->model, k)); k++) {
        double x[2][PH_SENSOR_MAX];
        int n = f->traced && f->traced->program ? f->traced->program->n_out : 0, known = n <= PH_SENSOR_MAX;
        for (int side = 0; side < 2 && known && n; side++) {
            ph_scene at = ph_scene_of(run->mech, &s, NULL);
            at.t = sides[side];
            known = ph_function_values(&at, f, n, x[side]) == PH_OK;
        }
        for (int i = 0; i < n && known; i++)
            if (fabs(x[1][i] - x[0][i]) > JUMP * fmax(1, fabs(x[0][i])))
                return 1;
    }
    return 0;
}

ph_status ph_corners_stay(ph_run *run, int parameter, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    const ph_times *here = &run->def.opt.nonsmooth;
    if (!(run->def.opt.tol > 0) || !here->n || parameter < 0 || parameter >= run->model->n_params)
        return PH_OK;
    const ph_param_def *p = &run->model->param[parameter];
    double value = p->value + ph_run_eps(run, parameter), *own = NULL;
    ph_run_def def = run->def;
    ph_times there;
    ph_model *near;
    if (ph_model_again(&near, run->model, &(ph_setting){p->name, value}, 1, alloc, NULL) != PH_OK)
        return PH_OK; /* which is told later on */
    def.opt.nonsmooth = run->said.opt.nonsmooth;
    ph_status s = ph_corners_find(run, near, &def, &there, &own);
    for (int k = 0; k < here->n && s == PH_OK; k++) {
        if (!is_among(&there, here->t[k]) && jumps(run, here->t[k]))
            s = ph_fail(err, PH_E_INPUT,
                        "parameter '%s' moves the time t = %.9g s at which a function jumps, and derivatives "
                        "do not see "
                        "what that changes: take differences of runs",
                        p->name, here->t[k]);
    }
    ph_free(alloc, own);
    ph_model_free(near);
    return s;
}
