/* Steps of a run by a compiled model that was built and loaded: before each step the numbers of the run go to its struct, and
 * come back after it. So all else of a run, watch, table, inputs, restarts, is as without.
 *
 * The first steps are made by both; they must agree, or the compiled model is given up. */
#include <math.h>
#include <string.h>

#include "base/ftz.h"
#include "compile/compile.h"
#include "run/private.h"

#define STEPS_CHECKED 4
#define AGREE         1e-9 /* of the size of positions and velocities: Newton's tolerance is 1e-8 of accelerations */

typedef struct native {
    ph_native base; /* first */
    unsigned (*step)(void *state);
    ph_struct_places at;
    double t0;
    int checked; /* steps that agreed */
    double *state;
} native;

static void close_native(ph_native *base, const ph_allocator *alloc)
{
    ph_free(alloc, base);
}

static double *copy(double *to, const double *from, int n)
{
    return n > 0 ? memcpy(to, from, sizeof *to * (size_t)n) : to;
}

/* The struct before a step. */
static void load(const ph_run *run, native *n)
{
    const ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    const ph_point *now = &sim->now, *last = sim->has_last ? &sim->last : now;
    double *s = n->state, h = sim->opt.h;
    s[0] = now->t, s[n->at.steps] = round((now->t - n->t0) / h);
    copy(s + n->at.q, now->q, lay->nq), copy(s + n->at.v, now->v, lay->nv);
    copy(s + n->at.vdot, now->vdot, lay->nv), copy(s + n->at.a, now->a, lay->nv);
    copy(s + n->at.lambda, now->lambda, lay->nl);
    copy(s + n->at.last_vdot, last->vdot, lay->nv), copy(s + n->at.last_lambda, last->lambda, lay->nl);
    s[n->at.slope] = sim->has_last;
    for (int k = 0; k < run->mech->n_turns; k++) {
        const ph_counted *c = &run->mech->turns[k];
        double *turn = s + n->at.turns + 3 * k;
        turn[0] = c->angle, turn[1] = isnan(c->rate) ? 0 : c->rate, turn[2] = isnan(c->rate) ? now->t : c->t;
    }
    for (int k = 0; k < run->model->n_inputs; k++)
        s[n->at.input + k] = s[n->at.last_input + k] = ph_input_at(&run->mech->input[k], now->t + h);
}

static void store(ph_run *run, const native *n)
{
    ph_sim *sim = run->sim;
    const ph_layout *lay = &sim->lay;
    const double *s = n->state;
    ph_point *next = &sim->next;
    int iterations = (int)s[n->at.iterations];
    next->t = sim->t0 + (double)(sim->n + 1) * sim->opt.h;
    copy(next->q, s + n->at.q, lay->nq), copy(next->v, s + n->at.v, lay->nv);
    copy(next->vdot, s + n->at.vdot, lay->nv), copy(next->a, s + n->at.a, lay->nv);
    copy(next->lambda, s + n->at.lambda, lay->nl);
    if (next->eta)
        memset(next->eta, 0, sizeof(double) * (size_t)lay->nl);
    ph_point_rotations(next, lay);
    ph_point free = sim->last;
    sim->last = sim->now, sim->now = *next, sim->next = free;
    sim->has_last = 1, sim->matrix.factored = 0;
    sim->n++, sim->stats.steps++;
    sim->stats.iterations += iterations, sim->stats.jacobians += iterations;
    sim->stats.factorizations += iterations, sim->stats.residuals += iterations;
    if (iterations > sim->stats.worst_iterations)
        sim->stats.worst_iterations = iterations;
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        if (!(fabs(a[i] - b[i]) <= most))
            most = fabs(a[i] - b[i]);
    }
    return most / size;
}

static ph_status step(ph_run *run, ph_error *err)
{
    native *n = (native *)run->native;
    ph_sim *sim = run->sim;
    if (sim->sens)
        return ph_sim_step(sim, err);
    load(run, n);
    unsigned mode = ph_ftz_begin();
    unsigned failed = n->step(n->state);
    ph_ftz_end(mode);
    if (!failed && n->checked == STEPS_CHECKED) {
        store(run, n);
        return PH_OK;
    }
    ph_status s = ph_sim_step(sim, err); /* the library says why a step fails, or makes it */
    if (s != PH_OK || n->checked == STEPS_CHECKED)
        return s;
    double off = fmax(apart(n->state + n->at.q, sim->now.q, sim->lay.nq),
                      apart(n->state + n->at.v, sim->now.v, sim->lay.nv));
    n->checked++;
    if (failed || !(off <= AGREE))
        ph_run_drop_native(run);
    return PH_OK;
}

ph_status ph_run_use_compiled(ph_run *run, unsigned (*with)(void *state), ph_error *err)
{
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if (run->sim->matrix.redundant)
        return ph_fail(err, PH_E_INPUT,
                       "the model has redundant constraints, whose reactions compiled steps do not find");
    ph_struct_places at = ph_compile_struct(run, &(ph_open){0});
    size_t head = (sizeof(native) + 15) / 16 * 16;
    native *n = ph_alloc(run->config.alloc, head + sizeof(double) * (size_t)at.numbers);
    if (!n)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a compiled model");
    *n = (native){.base = {step, close_native}, .step = with, .at = at, .t0 = run->sim->t0};
    n->state = (double *)((char *)n + head);
    memset(n->state, 0, sizeof(double) * (size_t)at.numbers);
    ph_run_drop_native(run);
    run->native = &n->base;
    return PH_OK;
}

int ph_run_is_compiled(const ph_run *run)
{
    return run->native != NULL;
}
