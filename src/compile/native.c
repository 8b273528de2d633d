/* Steps of a run by a compiled model that was built and loaded: before each step the numbers of the run go to its struct, and
 * come back after it. So all else of a run, watch, table, inputs, restarts, is as without. A model with lanes makes the steps of
 * several runs at once, or has the same run in all of them.
 *
 * The first steps are made by both; they must agree, or the compiled model is given up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ftz.h"
#include "compile/built.h"
#include "run/private.h"
#include "step/guard.h"

typedef struct native {
    ph_native base;  /* first */
    ph_compiled *of; /* NULL: the caller has loaded the code */
    unsigned (*step)(void *state);
    ph_struct_places at;
    double t0;
    int checked;     /* steps that agreed */
    int lanes, lane; /* lane -1: all of them */
    double *state;   /* number k of lane i is k lanes + i */
    double *own;     /* the same, of this run alone; */
    int ahead;       /* 1: the step was made, with others, */
    unsigned failed; /* and did not converge */
    const double *data;
    double *past; /* room for what a method of several steps remembers; NULL: nothing */
} native;

static void close_native(ph_native *base, const ph_allocator *alloc)
{
    native *n = (native *)base;
    ph_compiled_release(n->of);
    free(n->own);
    ph_free(alloc, base);
}

static void put(native *n, int place, const double *from, int count)
{
    int first = n->lane < 0 ? 0 : n->lane, end = n->lane < 0 ? n->lanes : first + 1;
    for (int i = first; i < end; i++)
        for (int k = 0; k < count; k++)
            n->state[(place + k) * n->lanes + i] = from[k];
}

static void get(const native *n, int place, double *to, int count)
{
    const double *s = n->state + (n->lane < 0 ? 0 : n->lane);
    for (int k = 0; k < count; k++)
        to[k] = s[(place + k) * n->lanes];
}

static void put_one(native *n, int place, double x)
{
    put(n, place, &x, 1);
}

/* The struct before a step. */
static void load(const ph_run *run, native *n)
{
    const ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    const ph_point *now = &sim->now, *last = sim->has_last ? &sim->last : now;
    double h = sim->opt.h;
    put_one(n, 0, now->t), put_one(n, n->at.steps, round((now->t - n->t0) / h));
    put(n, n->at.q, now->q, lay->nq), put(n, n->at.v, now->v, lay->nv);
    put(n, n->at.vdot, now->vdot, lay->nv), put(n, n->at.a, now->a, lay->nv);
    put(n, n->at.lambda, now->lambda, lay->nl);
    put(n, n->at.last_vdot, last->vdot, lay->nv), put(n, n->at.last_lambda, last->lambda, lay->nl);
    put_one(n, n->at.slope, sim->has_last);
    for (int k = 0; k < run->mech->n_turns; k++) {
        const ph_counted *c = &run->mech->turns[k];
        const double turn[] = {c->angle, isnan(c->rate) ? 0 : c->rate, isnan(c->rate) ? now->t : c->t};
        put(n, n->at.turns + 3 * k, turn, 3);
    }
    for (int k = 0; k < run->model->n_inputs; k++) {
        double u = ph_input_at(&run->mech->input[k], now->t + h);
        put_one(n, n->at.input + k, u), put_one(n, n->at.last_input + k, u);
    }
    if (n->of)
        put(n, n->at.data, n->data, n->of->n_data);
    if (n->past) {
        ph_multistep_past(sim, n->past);
        put(n, n->at.past, n->past, n->at.numbers - n->at.past);
    }
}

/* The point after it. */
static void fetch(ph_run *run, const native *n)
{
    ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    ph_point *next = &sim->next;
    next->t = sim->grid + (double)(sim->passed + sim->n + 1) * sim->opt.h;
    get(n, n->at.q, next->q, lay->nq), get(n, n->at.v, next->v, lay->nv);
    get(n, n->at.vdot, next->vdot, lay->nv), get(n, n->at.a, next->a, lay->nv);
    get(n, n->at.lambda, next->lambda, lay->nl);
    if (next->eta)
        memset(next->eta, 0, sizeof(double) * (size_t)lay->nl);
    ph_point_rotations(next, lay);
}

static void accept(ph_run *run, const native *n)
{
    ph_sim *sim = run->sim;
    double made;
    get(n, n->at.iterations, &made, 1);
    int iterations = (int)made, nv = sim->lay.nv;
    if (n->past) {
        get(n, n->at.past + ph_multistep_order(sim) * nv, n->past, sim->opt.order > 1 ? nv : 0);
        ph_multistep_accept(sim, n->past);
    }
    ph_point free_one = sim->last;
    sim->last = sim->now, sim->now = sim->next, sim->next = free_one;
    sim->has_last = 1, sim->matrix.factored = 0;
    sim->n++, sim->stats.steps++;
    sim->stats.iterations += iterations, sim->stats.jacobians += iterations;
    sim->stats.factorizations += iterations, sim->stats.residuals += iterations;
    if (iterations > sim->stats.worst_iterations)
        sim->stats.worst_iterations = iterations;
}

/* The largest difference of numbers of the struct from those of the library, of their size. */
static double apart(const native *n, int place, const double *b, int count)
{
    double most = 0, size = 1;
    const double *s = n->state + (n->lane < 0 ? 0 : n->lane);
    for (int i = 0; i < count; i++) {
        double d = fabs(s[(place + i) * n->lanes] - b[i]);
        size = fmax(size, fabs(b[i]));
        if (!(d <= most))
            most = d;
    }
    return most / size;
}

static unsigned step_lanes(const native *n)
{
    unsigned mode = ph_ftz_begin(), failed = n->step(n->state);
    ph_ftz_end(mode);
    return failed;
}

/* An event is met on the way to the point that was fetched: the library finds where, and says what is wrong with its
 * function. */
static int meets_event(ph_sim *sim)
{
    int met = 0;
    unsigned mode = ph_ftz_begin();
    ph_status s = sim->guard ? ph_guard_pass(sim, &met) : PH_OK;
    ph_ftz_end(mode);
    return met || s != PH_OK;
}

/* Steps of another size, as those between an event and the grid, are the library's. */
static int is_its_own(const ph_sim *sim)
{
    return sim->sens || sim->off || sim->renew || sim->n < ph_multistep_first(sim);
}

static ph_status step(ph_run *run, ph_error *err)
{
    native *n = (native *)run->native;
    ph_sim *sim = run->sim;
    if (is_its_own(sim)) {
        n->ahead = 0;
        return ph_sim_step(sim, err);
    }
    if (!n->ahead) {
        load(run, n);
        n->failed = step_lanes(n) & 1u << (n->lane < 0 ? 0 : n->lane);
    }
    n->ahead = 0;
    if (!n->failed && n->checked == PH_STEPS_CHECKED) {
        fetch(run, n);
        if (meets_event(sim))
            return ph_sim_step(sim, err);
        accept(run, n);
        return PH_OK;
    }
    ph_status s = ph_sim_step(sim, err); /* the library says why a step fails, or makes it */
    if (s != PH_OK || n->checked == PH_STEPS_CHECKED || (sim->guard && sim->guard->met))
        return s;
    double off = fmax(apart(n, n->at.q, sim->now.q, sim->lay.nq), apart(n, n->at.v, sim->now.v, sim->lay.nv));
    n->checked++;
    if (n->failed || !(off <= PH_AGREE))
        ph_run_drop_native(run);
    return PH_OK;
}

/* ---- which code ------------------------------------------------------------------------------------------------ */

/* The numbers of the run that are data; 0: it differs from what was compiled in others too. */
static int read_data(const ph_compiled *c, const ph_constants *x, double *data)
{
    if (x->shape != c->constants.shape || x->n != c->constants.n)
        return 0;
    for (int i = 0; i < x->n; i++)
        if (c->datum[i] >= 0)
            data[c->datum[i]] = x->value[i];
        else if (ph_constants_differ(x, &c->constants, i))
            return 0;
    return 1;
}

static ph_status no_memory(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for a compiled model");
}

static ph_status refuse_redundant(const ph_run *run, ph_error *err)
{
    return run->sim->matrix.redundant
               ? ph_fail(err, PH_E_INPUT,
                         "the model has redundant constraints, whose reactions compiled steps do not find")
               : PH_OK;
}

static ph_status differs(ph_error *err)
{
    return ph_fail(err, PH_E_INPUT, "the run differs from the one that was compiled");
}

static ph_status use(ph_run *run, const native *like, const ph_constants *x, ph_error *err)
{
    if (refuse_redundant(run, err) != PH_OK)
        return PH_E_INPUT;
    const ph_compiled *c = like->of;
    size_t head = (sizeof(native) + 15) / 16 * 16, bytes = sizeof(double) * (size_t)like->at.numbers;
    bytes = (bytes * (size_t)like->lanes / 64 + 1) * 64;
    int n_data = c ? c->n_data + 1 : 1, n_past = like->at.numbers - like->at.past;
    native *n = ph_alloc(run->config.alloc, head + sizeof(double) * (size_t)(n_data + n_past));
    double *own = aligned_alloc(64, bytes);
    if (!n || !own) {
        free(own), ph_free(run->config.alloc, n);
        return no_memory(err);
    }
    *n = *like;
    double *data = (double *)((char *)n + head);
    n->base = (ph_native){step, close_native}, n->t0 = run->sim->t0, n->lane = -1;
    n->own = n->state = memset(own, 0, bytes), n->data = data, n->of = NULL;
    n->past = n_past ? data + n_data : NULL;
    if (c && !read_data(c, x, data)) {
        close_native(&n->base, run->config.alloc);
        return differs(err);
    }
    n->of = c ? ph_compiled_keep(like->of) : NULL;
    ph_run_drop_native(run);
    run->native = &n->base;
    return PH_OK;
}

ph_status ph_run_use(ph_run *run, ph_compiled *c, ph_error *err)
{
    ph_constants x;
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if (!c->step)
        return ph_fail(err, PH_E_INPUT, "the compiled model is one for a device");
    if (ph_constants_create(&x, run, run->config.alloc) != PH_OK)
        return no_memory(err);
    ph_status s = use(run, &(native){.of = c, .step = c->step, .at = c->at, .lanes = c->lanes}, &x, err);
    ph_constants_destroy(&x);
    return s;
}

ph_status ph_run_use_compiled(ph_run *run, unsigned (*with)(void *state), ph_error *err)
{
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    return use(run,
               &(native){.step = with, .at = ph_compile_struct(run, &(ph_open){0}), .lanes = 1, .checked = 0},
               NULL, err);
}

int ph_run_is_compiled(const ph_run *run)
{
    return run->native != NULL;
}

/* ---- members of an ensemble ---------------------------------------------------------------------------------------- */

ph_status ph_compiled_pack(const ph_compiled *c, const ph_run *run, double *state, ph_error *err)
{
    ph_constants x;
    ph_status s = refuse_redundant(run, err);
    double *data = s == PH_OK ? ph_alloc(run->config.alloc, sizeof *data * ((size_t)c->n_data + 1)) : NULL;
    native n = {.of = (ph_compiled *)c, .at = c->at, .lanes = 1, .lane = -1, .state = state, .data = data};
    if (s != PH_OK)
        return s;
    if (!data || ph_constants_create(&x, run, run->config.alloc) != PH_OK) {
        ph_free(run->config.alloc, data);
        return no_memory(err);
    }
    n.t0 = run->sim->t0;
    memset(state, 0, sizeof *state * (size_t)c->at.numbers);
    if (read_data(c, &x, data))
        load(run, &n);
    else
        s = differs(err);
    ph_constants_destroy(&x);
    ph_free(run->config.alloc, data);
    return s;
}

double ph_compiled_apart(const ph_compiled *c, const ph_run *run, double *state)
{
    const ph_sim *sim = run->sim;
    native n = {.at = c->at, .lanes = 1, .lane = -1, .state = state};
    return fmax(apart(&n, n.at.q, sim->now.q, sim->lay.nq), apart(&n, n.at.v, sim->now.v, sim->lay.nv));
}

/* ---- several runs at once --------------------------------------------------------------------------------------- */

#define REACHED 1e-9 /* of a step: what is left of it at the end */

static int is_under_way(const ph_run *run, double t)
{
    return ph_run_time(run) < t - REACHED * run->def.opt.h && ph_run_ended_by(run) < 0;
}

/* Members that have the code take their places in one struct; others, of -1, go alone. */
static native *gather(ph_run *const *run, int n)
{
    native *first = NULL;
    for (int i = 0; i < n; i++) {
        native *m = (native *)run[i]->native;
        if (!m || !m->of || (first && (m->of != first->of || i >= first->lanes)))
            continue;
        if (!first) {
            first = m;
            load(run[i], m); /* in all lanes: those without a run have numbers too */
        }
        m->state = first->own, m->lane = i;
    }
    return first;
}

static void scatter(ph_run *const *run, int n)
{
    for (int i = 0; i < n; i++) {
        native *m = (native *)run[i]->native;
        if (m)
            m->state = m->own, m->lane = -1, m->ahead = 0;
    }
}

/* One step of all runs that are under way; 0: none is. */
static int step_all(ph_run *const *run, int n, double t, const native *first, ph_status *status,
                    ph_error *err)
{
    int any = 0;
    for (int i = 0; i < n; i++) {
        native *m = (native *)run[i]->native;
        if (status[i] != PH_OK || !is_under_way(run[i], t))
            continue;
        any = 1;
        status[i] = ph_run_prepare(run[i], &err[i]);
        if (status[i] == PH_OK && m && m->lane >= 0)
            load(run[i], m), m->ahead = 1;
    }
    unsigned failed = any ? step_lanes(first) : 0;
    for (int i = 0; i < n; i++) {
        native *m = (native *)run[i]->native;
        if (status[i] != PH_OK || !is_under_way(run[i], t))
            continue;
        if (m && m->ahead)
            m->failed = failed & 1u << m->lane;
        status[i] = ph_run_step(run[i], &err[i]);
    }
    return any;
}

ph_status ph_runs_until(ph_run *const *run, int n, double t, ph_status *status, ph_error *err)
{
    native *first = gather(run, n), kept;
    for (int i = 0; i < n; i++)
        status[i] = PH_OK;
    if (!first) {
        for (int i = 0; i < n; i++)
            status[i] = ph_run_until(run[i], t, &err[i]);
        return PH_OK;
    }
    kept = *first; /* its run may give it up, and the others go on */
    first->own = NULL;
    while (step_all(run, n, t, &kept, status, err))
        ;
    for (int i = 0; i < n; i++)
        if ((native *)run[i]->native == first)
            first->own = kept.own, kept.own = NULL;
    scatter(run, n);
    free(kept.own);
    return PH_OK;
}
