/* Steps of a run by a compiled model that was built and loaded: before each step the numbers of the run go to its struct, and
 * come back after it. So all else of a run, watch, table, inputs, restarts, is as without. A model with lanes has the same run in all
 * of them, or makes the steps of several: lanes.c.
 *
 * Some steps are made by both; they must agree, or the compiled model is given up. The first ones of a run are the library's, whoever makes
 * them, so that a run which goes on from a saved state has the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ftz.h"
#include "compile/native.h"
#include "run/private.h"
#include "step/guard.h"
#include "step/touch.h"

static void close_native(ph_native *base, const ph_allocator *alloc)
{
    ph_member *n = (ph_member *)base;
    ph_compiled_release(n->of);
    free(n->own);
    ph_free(alloc, base);
}

static void put(ph_member *n, int place, const double *from, int count)
{
    int first = n->lane < 0 ? 0 : n->lane, end = n->lane < 0 ? n->lanes : first + 1;
    for (int i = first; i < end; i++)
        for (int k = 0; k < count; k++)
            n->state[(place + k) * n->lanes + i] = from[k];
}

void ph_member_get(const ph_member *n, int place, double *to, int count)
{
    const double *s = n->state + (n->lane < 0 ? 0 : n->lane);
    for (int k = 0; k < count; k++)
        to[k] = s[(place + k) * n->lanes];
}

static void put_one(ph_member *n, int place, double x)
{
    put(n, place, &x, 1);
}

void ph_member_load(const ph_run *run, ph_member *n)
{
    const ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    const ph_point *now = &sim->now, *last = sim->n_past ? &sim->last : now;
    double h = sim->opt.h;
    put_one(n, 0, now->t), put_one(n, n->at.steps, round((now->t - n->t0) / h));
    put(n, n->at.q, now->q, lay->nq), put(n, n->at.v, now->v, lay->nv);
    put(n, n->at.vdot, now->vdot, lay->nv), put(n, n->at.a, now->a, lay->nv);
    put(n, n->at.lambda, now->lambda, lay->nl);
    put(n, n->at.last_vdot, last->vdot, lay->nv), put(n, n->at.last_lambda, last->lambda, lay->nl);
    put_one(n, n->at.slope, sim->n_past > 0);
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

void ph_member_fetch(ph_run *run, const ph_member *n, long steps)
{
    ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    ph_point *next = &sim->next;
    next->t = sim->grid + (double)(sim->passed + sim->n + steps) * sim->opt.h;
    ph_member_get(n, n->at.q, next->q, lay->nq), ph_member_get(n, n->at.v, next->v, lay->nv);
    ph_member_get(n, n->at.vdot, next->vdot, lay->nv), ph_member_get(n, n->at.a, next->a, lay->nv);
    ph_member_get(n, n->at.lambda, next->lambda, lay->nl);
    if (next->eta)
        memset(next->eta, 0, sizeof(double) * (size_t)lay->nl);
    ph_point_rotations(next, lay);
}

void ph_member_accept(ph_run *run, const ph_member *n)
{
    ph_sim *sim = run->sim;
    double made;
    ph_member_get(n, n->at.iterations, &made, 1);
    int iterations = (int)made, nv = sim->lay.nv;
    if (n->past) {
        ph_member_get(n, n->at.past + ph_multistep_order(sim) * nv, n->past, sim->opt.order > 1 ? nv : 0);
        ph_multistep_accept(sim, n->past);
    }
    ph_point free_one = sim->last;
    sim->last = sim->now, sim->now = sim->next, sim->next = free_one;
    sim->n_past = 1, sim->matrix.factored = 0;
    sim->n++, sim->stats.steps++;
    sim->stats.iterations += iterations, sim->stats.jacobians += iterations;
    sim->stats.factorizations += iterations, sim->stats.residuals += iterations;
    if (iterations > sim->stats.worst_iterations)
        sim->stats.worst_iterations = iterations;
}

/* The largest difference of numbers of the struct from those of the library, of their size. */
static double apart(const ph_member *n, int place, const double *b, int count)
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

unsigned ph_member_step(const ph_member *n)
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

/* The library takes steps of another size: between an event or a jump and the grid, and parts of a divided step. */
static int is_its_own(const ph_sim *sim)
{
    return sim->sens || sim->off || sim->renew || sim->depth || sim->looks || ph_sim_parts(sim) ||
           sim->n < ph_multistep_first(sim);
}

static double apart_from(const ph_member *n, const ph_sim *sim)
{
    return fmax(apart(n, n->at.q, sim->now.q, sim->lay.nq), apart(n, n->at.v, sim->now.v, sim->lay.nv));
}

/* Whether the library makes the same step; the simulation is as before. Without memory nobody knows. */
static int agrees(ph_run *run, ph_member *n)
{
    ph_sim *sim = run->sim;
    struct ph_guard *guard = sim->guard;
    size_t size = ph_sim_save_size(sim);
    void *kept = ph_alloc(run->config.alloc, size);
    if (!kept || ph_sim_save(sim, kept, size) != PH_OK) {
        ph_free(run->config.alloc, kept);
        return 1;
    }
    sim->guard = NULL;
    ph_status s = ph_sim_step_part(sim, NULL);
    double off = apart_from(n, sim);
    sim->guard = guard;
    ph_sim_restore(sim, kept, size, NULL);
    ph_free(run->config.alloc, kept);
    n->checked++;
    return s == PH_OK && off <= PH_AGREE;
}

static ph_status step(ph_run *run, ph_error *err)
{
    ph_member *n = (ph_member *)run->native;
    ph_sim *sim = run->sim;
    if (is_its_own(sim)) {
        n->ahead = 0;
        return ph_sim_step_part(sim, err);
    }
    if (!n->ahead) {
        ph_member_load(run, n);
        n->failed = ph_member_step(n) & 1u << (n->lane < 0 ? 0 : n->lane);
    }
    n->ahead = 0;
    if (!n->failed && sim->stats.steps >= PH_STEPS_CHECKED) {
        ph_member_fetch(run, n, 1);
        if (ph_touch_changes(sim) || meets_event(sim))
            return ph_sim_step_part(sim, err);
        if (n->checked < PH_STEPS_CHECKED) {
            if (!agrees(run, n)) {
                ph_run_drop_native(run);
                return ph_sim_step_part(sim, err);
            }
            ph_member_fetch(run, n, 1);
        }
        ph_member_accept(run, n);
        return PH_OK;
    }
    ph_status s = ph_sim_step_part(sim, err); /* the library says why a step fails, or makes it */
    if (s != PH_OK || n->checked == PH_STEPS_CHECKED || sim->depth || (sim->guard && sim->guard->met))
        return s;
    double off = apart_from(n, sim);
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

static ph_status use(ph_run *run, const ph_member *like, const ph_constants *x, ph_error *err)
{
    if (refuse_redundant(run, err) != PH_OK)
        return PH_E_INPUT;
    const ph_compiled *c = like->of;
    size_t head = (sizeof(ph_member) + 15) / 16 * 16, bytes = sizeof(double) * (size_t)like->at.numbers;
    bytes = (bytes * (size_t)like->lanes / 64 + 1) * 64;
    int n_data = c ? c->n_data + 1 : 1, n_past = like->at.numbers - like->at.past;
    ph_member *n = ph_alloc(run->config.alloc, head + sizeof(double) * (size_t)(n_data + n_past));
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
    ph_status s = use(run, &(ph_member){.of = c, .step = c->step, .at = c->at, .lanes = c->lanes}, &x, err);
    ph_constants_destroy(&x);
    return s;
}

ph_status ph_run_use_compiled(ph_run *run, unsigned (*with)(void *state), ph_error *err)
{
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    return use(
        run,
        &(ph_member){.step = with, .at = ph_compile_struct(run, &(ph_open){0}), .lanes = 1, .checked = 0},
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
    ph_member n = {.of = (ph_compiled *)c, .at = c->at, .lanes = 1, .lane = -1, .state = state, .data = data};
    if (s != PH_OK)
        return s;
    if (!data || ph_constants_create(&x, run, run->config.alloc) != PH_OK) {
        ph_free(run->config.alloc, data);
        return no_memory(err);
    }
    n.t0 = run->sim->t0;
    memset(state, 0, sizeof *state * (size_t)c->at.numbers);
    if (read_data(c, &x, data))
        ph_member_load(run, &n);
    else
        s = differs(err);
    ph_constants_destroy(&x);
    ph_free(run->config.alloc, data);
    return s;
}

double ph_compiled_apart(const ph_compiled *c, const ph_run *run, double *state)
{
    ph_member n = {.at = c->at, .lanes = 1, .lane = -1, .state = state};
    return apart_from(&n, run->sim);
}
