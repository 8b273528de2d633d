/* Simulations: create, step, run, and the words for what went wrong. */
#include "step/sim.h"

#include <float.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/ftz.h"
#include "base/hash.h"
#include "la/small.h"
#include "step/growth.h"
#include "step/guard.h"
#include "step/position.h"
#include "step/step_limits.h"
#include "step/touch.h"

/* Times that differ by less than this part of a step are the same point of the grid. */
#define ON_GRID 1e-9

/* ---- defaults ----------------------------------------------------------------------------------- */

ph_options ph_default_options(void)
{
    return (ph_options){
        .method = "genalpha",
        .sigma = 1, /* no inverse tangent operator, and the smaller error of the two simple choices */
        .rho = 0.9, /* damps the transient within tens of steps, hardly the motion */
        .formulation = PH_GGL, /* index-3 rings behind drives and in loops, index-2 drifts */
        .atol = 0,             /* (N3) has round-off of positions, which is enough in any unit */
        .rtol = 1e-8,          /* one Newton step more than this costs nothing with quadratic convergence */
        .max_iterations = 20,  /* a step that needs more is too large */
        .order = 3, /* of the multistep methods that damp, the most accurate one with a wide sector */
        .tableau = "dopri5", /* serves fixed steps and error control alike */
        .halvings = PH_SIM_HALVINGS,
    };
}

/* ---- create ------------------------------------------------------------------------------------- */

static ph_status check_options(const ph_options *o, const ph_stepper **stepper, ph_error *err)
{
    *stepper = ph_stepper_find(o->method);
    if (!*stepper) {
        char names[256] = "";
        for (int k = 0; ph_method_name(k); k++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                     ph_method_name(k));
        return ph_fail(err, PH_E_INPUT, "no method is called '%s'; there are: %s", o->method ? o->method : "",
                       names);
    }
    if (!(o->tol >= 0) || !isfinite(o->tol))
        return ph_fail(err, PH_E_INPUT, "tol = %g is not a number >= 0", o->tol);
    if (o->tol > 0 && !((*stepper)->reads & PH_READS_TOL))
        return ph_fail(err, PH_E_INPUT, "%s has no error control: give h instead of tol, or use genalpha",
                       o->method);
    if (!(o->h_min >= 0) || !(o->h_max >= 0) || !isfinite(o->h_min) || !isfinite(o->h_max) ||
        (o->h_max > 0 && o->h_max < o->h_min))
        return ph_fail(err, PH_E_INPUT, "h_min = %g and h_max = %g are not bounds of step sizes", o->h_min,
                       o->h_max);
    if (!(o->span >= 0) || !isfinite(o->span))
        return ph_fail(err, PH_E_INPUT, "span = %g is not a time >= 0", o->span);
    if (!(o->random >= 0) || !isfinite(o->random) || (o->random > 1 && o->tol > 0))
        return ph_fail(err, PH_E_INPUT, "random = %g is not a ratio of step sizes, or stands beside tol",
                       o->random);
    if (o->random > 1 && !((*stepper)->reads & PH_READS_TOL))
        return ph_fail(err, PH_E_INPUT, "%s has steps of one size alone", o->method);
    for (int k = 0; k < o->nonsmooth.n; k++)
        if (!isfinite(o->nonsmooth.t[k]))
            return ph_fail(err, PH_E_INPUT, "nonsmooth: %g is not a time", o->nonsmooth.t[k]);
        else if (k && !(o->nonsmooth.t[k] > o->nonsmooth.t[k - 1]))
            return ph_fail(err, PH_E_INPUT, "nonsmooth: times must rise, and %.9g comes after %.9g",
                           o->nonsmooth.t[k], o->nonsmooth.t[k - 1]);
    if (!(o->h > 0 || (o->h == 0 && o->tol > 0)) || !isfinite(o->h))
        return ph_fail(err, PH_E_INPUT, "the step size h = %g is not a positive number", o->h);
    if (!(o->ggl_length >= 0) || !isfinite(o->ggl_length))
        return ph_fail(err, PH_E_INPUT, "ggl_length = %g: a length, or 0", o->ggl_length);
    if (!(o->atol >= 0) || !(o->rtol >= 0) || !isfinite(o->atol) || !isfinite(o->rtol))
        return ph_fail(err, PH_E_INPUT, "atol = %g and rtol = %g: both must be numbers >= 0", o->atol,
                       o->rtol);
    if (o->max_iterations < 1)
        return ph_fail(err, PH_E_INPUT, "max_iterations = %d is below 1", o->max_iterations);
    if (o->halvings < 0 || o->halvings > PH_SIM_HALVINGS)
        return ph_fail(err, PH_E_INPUT, "halvings = %d is not between 0 and %d", o->halvings,
                       PH_SIM_HALVINGS);
    const struct {
        const char *name;
        int code, last;
    } choice[] = {{"formulation", (int)o->formulation, PH_GGL},
                  {"newton", (int)o->newton, PH_MODIFIED},
                  {"start", (int)o->start, PH_PLAIN},
                  {"correction", (int)o->correction, PH_WITHOUT},
                  {"ggl_form", (int)o->ggl_form, PH_GGL_OUTSIDE},
                  {"solver", (int)o->solver, PH_SOLVER_COUNT - 1}};
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
        if (choice[k].code < 0 || choice[k].code > choice[k].last)
            return ph_fail(err, PH_E_INPUT, "%s = %d is not a code of this option, which has 0 to %d",
                           choice[k].name, choice[k].code, choice[k].last);
    return PH_OK;
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(ph_sim *sim, ph_arena *a)
{
    ph_eval_take(&sim->ev, &sim->lay, a);
    ph_point_take(&sim->now, &sim->lay, a);
    ph_point_take(&sim->next, &sim->lay, a);
    ph_point_take(&sim->last, &sim->lay, a);
    ph_point_take(&sim->kept, &sim->lay, a);
    ph_point_take(&sim->relaxed, &sim->lay, a);
    sim->touch = ph_arena_take(a, 4 * (size_t)sim->lay.N, sizeof(double));
    sim->method = ph_arena_take(a, 1, sim->stepper->size);
    sim->stepper->take(sim, a);
}

/* One line for each tangent that has to be differenced. */
static void log_differences(const ph_sim *sim)
{
    const ph_system *s = sim->lay.sys;
    int rate = sim->matrix.what & PH_EVAL_RATE, C = s->n_constraints;
    const struct {
        int missing;
        const char *name;
    } row[] = {{!s->C, "C = dg/dv"},
               {!s->K, "K = d(M vdot + g + B^T lambda)/dq"},
               {C && rate && !s->Z, "Z = d(B v + Phi_t)/dq"},
               {C && !s->convective, "the convective term of the constraints"},
               {(s->flags & PH_RHEONOMIC) && !s->Phi_t, "Phi_t"},
               {(s->flags & PH_FORCE_LAMBDA) && !s->g_lambda, "g_lambda = dg/dlambda"}};
    for (size_t k = 0; sim->opt.log && k < sizeof row / sizeof *row; k++)
        if (row[k].missing) {
            char text[128];
            snprintf(text, sizeof text, "%s is not given and will be differenced", row[k].name);
            sim->opt.log(text, sim->opt.log_ctx);
        }
}

static ph_status refuse_index2(ph_error *err)
{
    return ph_fail(err, PH_E_INPUT,
                   "index-2 lets positions drift off the constraints, where redundant rows no "
                   "longer agree: use index-3 or the stabilised form");
}

static ph_status build(ph_sim *sim, ph_error *err)
{
    ph_arena a = {0};
    if (sim->lay.sys->n_redundant > sim->lay.sys->n_idle && sim->opt.formulation == PH_INDEX2)
        return refuse_index2(err);
    take(sim, &a);
    if (!ph_arena_open(&a, sim->opt.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the state of the system");
    sim->block = a.block;
    take(sim, &a);
    ph_eval_prepare(&sim->ev);
    int steps = (sim->stepper->reads & PH_READS_FORMULATION) != 0;
    ph_status s = ph_newton_create(&sim->matrix, &sim->lay, steps, sim->opt.formulation, sim->opt.solver,
                                   sim->opt.alloc, err);
    if (s == PH_OK)
        s = sim->stepper->prepare(sim, err);
    if (s != PH_OK || ph_sim_paced(sim) || !sim->opt.halvings ||
        !(ph_options_reads(&sim->opt) & PH_READS_NEWTON)) /* explicit stages fail because they are unstable */
        return s;
    ph_tape count = {.mode = PH_TAPE_COUNT, .brief = 2};
    ph_sim_tape(sim, &count);
    sim->whole = ph_alloc(sim->opt.alloc, count.used);
    return sim->whole ? PH_OK : ph_fail(err, PH_E_MEMORY, "not enough memory for the state before a step");
}

/* Also that time goes on: beside a large time a small step is lost, and a run until some time would have no
 * end. */
static ph_status check_start(const ph_sim *sim, double t, const double *q, const double *v, ph_error *err)
{
    ph_status s = ph_layout_check(&sim->lay, t, q, v, err);
    if (s == PH_OK && sim->opt.h > 0 && !(t + sim->opt.h > t))
        return ph_fail(err, PH_E_INPUT, "the initial time %g is so large that steps of h = %g are lost in it",
                       t, sim->opt.h);
    return s;
}

static ph_status begin(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err);
static ph_status hold(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err);

/* Options that check_options accepted. started 0: as ph_sim_create_on. */
static ph_status create(ph_sim **out, ph_skeleton *skeleton, const ph_options *opt, const ph_stepper *stepper,
                        double t0, const double *q0, const double *v0, int started, ph_error *err)
{
    ph_sim *sim = ph_alloc(opt->alloc, sizeof *sim);
    if (!sim)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a simulation");
    *sim = (ph_sim){.opt = *opt,
                    .stepper = stepper,
                    .skeleton = ph_skeleton_keep(skeleton),
                    .lay = skeleton->lay,
                    .h = opt->h,
                    .t_stop = HUGE_VAL,
                    .part = HUGE_VAL,
                    .project_as = -1};
    sim->opt.method = stepper->name;
    if (!(stepper->reads & PH_READS_FORMULATION))
        sim->opt.formulation = PH_INDEX3; /* of which only [M B^T; B 0] is used */
    ph_status s = build(sim, err);
    if (s == PH_OK) {
        log_differences(sim);
        s = started ? begin(sim, t0, q0, v0, err) : hold(sim, t0, q0, v0, err);
    }
    if (s != PH_OK) {
        ph_sim_destroy(sim);
        return s;
    }
    *out = sim;
    return PH_OK;
}

ph_status ph_sim_create_on(ph_sim **out, ph_skeleton *skeleton, const ph_options *opt, double t0,
                           const double *q0, const double *v0, int started, ph_error *err)
{
    const ph_stepper *stepper;
    *out = NULL;
    ph_status s = check_options(opt, &stepper, err);
    return s == PH_OK ? create(out, skeleton, opt, stepper, t0, q0, v0, started, err) : s;
}

ph_status ph_sim_create(ph_sim **out, const ph_system *sys, const ph_options *opt, double t0,
                        const double *q0, const double *v0, ph_error *err)
{
    const ph_stepper *stepper;
    ph_skeleton *skeleton = NULL;
    *out = NULL;
    if (!opt || !q0 || !v0)
        return ph_fail(err, PH_E_INPUT, "options and initial values must be given");
    ph_status s = check_options(opt, &stepper, err);
    if (s == PH_OK)
        s = ph_skeleton_create(&skeleton, sys, opt->alloc, err);
    if (s == PH_OK)
        s = create(out, skeleton, opt, stepper, t0, q0, v0, 1, err);
    ph_skeleton_release(skeleton);
    return s;
}

void ph_sim_destroy(ph_sim *sim)
{
    if (!sim)
        return;
    const ph_allocator *alloc = sim->opt.alloc;
    if (sim->stepper->release && sim->method)
        sim->stepper->release(sim);
    ph_newton_destroy(&sim->matrix);
    ph_skeleton_release(sim->skeleton);
    ph_free(alloc, sim->whole);
    ph_free(alloc, sim->block);
    ph_free(alloc, sim);
}

/* The step size of a method with constant steps. */
static void set_size(ph_sim *sim, double h)
{
    if (sim->h == h || ph_sim_paced(sim))
        return;
    sim->h = h;
    if (sim->stepper->resize)
        sim->stepper->resize(sim);
}

/* q and v to sim->now, quaternions with length 1 to round-off; nothing is remembered of the steps before. */
static void put_state(ph_sim *sim, double t, const double *q, const double *v)
{
    const ph_layout *lay = &sim->lay;
    memmove(sim->now.q, q, sizeof(double) * (size_t)lay->nq); /* a state can be loaded onto itself */
    memmove(sim->now.v, v, sizeof(double) * (size_t)lay->nv);
    for (int i = 0; i < lay->N; i++) {
        if (lay->R_at[i] < 0)
            continue;
        double length = ph_layout_length(lay, i, sim->now.q);
        double *u = sim->now.q + lay->q_at[i] + lay->slot[i].op->quat;
        for (int k = 0; k < 4 && fabs(length - 1) > PH_SIM_UNIT; k++)
            u[k] /= length;
    }
    ph_point_rotations(&sim->now, lay);
    sim->now.t = t;
    sim->n_past = 0;
    sim->matrix.factored = 0;
    set_size(sim, sim->opt.h); /* the last step may have been a part */
}

/* The initial values alone. */
static ph_status hold(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    ph_status s = check_start(sim, t0, q0, v0, err);
    if (s != PH_OK)
        return s;
    put_state(sim, t0, q0, v0);
    memset(sim->now.lambda, 0, sizeof(double) * (size_t)lay->nl);
    memset(sim->now.eta, 0, sizeof(double) * (size_t)lay->nl);
    return PH_OK;
}

static ph_status begin(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err)
{
    ph_status s = hold(sim, t0, q0, v0, err);
    sim->after = 0;
    if (s == PH_OK)
        s = ph_start_consistent(sim, err);
    if (s != PH_OK)
        return s;
    sim->matrix.factored = 0;
    sim->t0 = sim->grid = t0, sim->n = sim->passed = 0, sim->off = sim->renew = 0, sim->within = 0;
    sim->stats = (ph_stats){0}, sim->step_iterations = 0;
    sim->depth = sim->in_parts = sim->hold = sim->looks = 0;
    return PH_OK;
}

ph_status ph_sim_reset(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err)
{
    if (!q0 || !v0)
        return ph_fail(err, PH_E_INPUT, "initial values must be given");
    ph_point_copy(&sim->kept, &sim->now, &sim->lay);
    ph_status s = begin(sim, t0, q0, v0, err);
    if (s == PH_OK)
        return s;
    ph_point_copy(&sim->now, &sim->kept, &sim->lay);
    ph_start_again(sim); /* matrices may be of the point that was refused */
    return s;
}

double ph_sim_next_of_grid(const ph_sim *sim)
{
    return sim->grid + (double)(sim->passed + sim->n + 1) * sim->opt.h;
}

/* From sim->now, with steps of size h first. */
static ph_status start_with(ph_sim *sim, double h, ph_error *err)
{
    int project = sim->opt.project;
    sim->passed += sim->n, sim->n = 0;
    sim->t0 = sim->now.t, sim->n_past = 0, sim->after = 1, sim->within = 0;
    sim->matrix.factored = 0;
    memset(sim->now.eta, 0, sizeof(double) * (size_t)sim->lay.nl);
    set_size(sim, h);
    sim->opt.project = 1;
    ph_status s = ph_start_consistent(sim, err);
    sim->opt.project = project;
    sim->matrix.factored = 0, sim->renew = 0;
    return s;
}

/* Start the neighbours of derivatives as sim has started. */
static ph_status gather(ph_sim *sim, ph_error *err)
{
    ph_status s = ph_sens_gather(sim->sens);
    return s == PH_OK ? s
                      : ph_fail(err, PH_E_CALLBACK,
                                "t = %.9g: the start failed for a value near by of a parameter", sim->now.t);
}

/* The same, and the neighbours of derivatives with it. */
static ph_status start_all(ph_sim *sim, double h, ph_error *err)
{
    if (sim->sens)
        ph_sens_spread(sim->sens, &sim->now);
    ph_status s = start_with(sim, h, err);
    return s == PH_OK && sim->sens ? gather(sim, err) : s;
}

/* Return the size of the first step after a restart, which ends on the grid, and set sim->off. */
static double size_onwards(ph_sim *sim)
{
    double to = ph_sim_next_of_grid(sim), h = sim->opt.h;
    sim->off = h > 0 && !(fabs(to - h - sim->now.t) <= ON_GRID * h);
    return sim->off ? to - sim->now.t : h;
}

ph_status ph_sim_restart(ph_sim *sim, ph_error *err)
{
    if (sim->lay.sys->n_redundant > sim->lay.sys->n_idle && sim->opt.formulation == PH_INDEX2)
        return refuse_index2(err);
    unsigned mode = ph_ftz_begin();
    ph_status s = start_all(sim, size_onwards(sim), err);
    ph_ftz_end(mode);
    return s;
}

ph_status ph_sim_restart_as(ph_sim *neighbour, const ph_sim *sim)
{
    neighbour->grid = sim->grid, neighbour->passed = sim->passed, neighbour->n = 0;
    neighbour->off = sim->off, neighbour->part = sim->part;
    neighbour->project_as = sim->projected; /* else derivatives would be of another map */
    ph_status s = start_with(neighbour, sim->h, NULL);
    neighbour->project_as = -1;
    return s;
}

ph_status ph_sim_load(ph_sim *sim, const ph_state *s, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    size_t d = sizeof(double), nv = (size_t)lay->nv, nl = (size_t)lay->nl;
    int has_a = (sim->stepper->reads & PH_READS_ALPHA) != 0;
    if (!s->a && has_a)
        return ph_fail(err, PH_E_INPUT,
                       "the state has no algorithmic accelerations a: take it from a simulation");
    ph_status status = check_start(sim, s->t, s->q, s->v, err);
    if (status != PH_OK)
        return status;
    if (!isfinite(ph_small_max(lay->nv, s->vdot)) || (has_a && !isfinite(ph_small_max(lay->nv, s->a))) ||
        !isfinite(ph_small_max(lay->nl, s->lambda)))
        return ph_fail(err, PH_E_INPUT, "vdot, a or lambda of the state is not finite");
    put_state(sim, s->t, s->q, s->v);
    memmove(sim->now.vdot, s->vdot, d * nv);
    if (has_a)
        memmove(sim->now.a, s->a, d * nv);
    memmove(sim->now.lambda, s->lambda, d * nl);
    if (s->eta)
        memmove(sim->now.eta, s->eta, d * nl);
    sim->t0 = sim->grid = s->t, sim->n = sim->passed = 0, sim->off = sim->renew = 0;
    sim->depth = sim->in_parts = sim->hold = sim->looks = 0;
    return PH_OK;
}

/* ---- save and restore --------------------------------------------------------------------------- */

ph_status ph_sim_tape(ph_sim *sim, ph_tape *t)
{
    ph_tape_bytes(t, &sim->n, sizeof sim->n);
    ph_tape_numbers(t, &sim->t0, 1);
    ph_tape_numbers(t, &sim->grid, 1);
    ph_tape_bytes(t, &sim->passed, sizeof sim->passed);
    ph_tape_int(t, &sim->off);
    ph_tape_int(t, &sim->renew);
    ph_tape_int(t, &sim->after);
    ph_tape_int(t, &sim->depth);
    ph_tape_int(t, &sim->hold);
    ph_tape_int(t, &sim->looks);
    ph_tape_int(t, &sim->in_parts);
    ph_tape_bytes(t, &sim->last_divided, sizeof sim->last_divided);
    double h = sim->h;
    ph_tape_numbers(t, &h, 1);
    if (t->mode == PH_TAPE_READ) {
        set_size(sim, h);
        sim->h = h; /* which steps of several sizes set themselves */
    }
    ph_tape_int(t, &sim->n_past);
    ph_tape_bytes(t, &sim->stats, sizeof sim->stats);
    ph_tape_int(t, &sim->step_iterations);
    ph_point_tape(&sim->now, &sim->lay, t);
    ph_point_tape(&sim->last, &sim->lay, t);
    if (!t->brief) {
        ph_tape_int(t, &sim->stiff);
        ph_point_tape(&sim->relaxed, &sim->lay, t);
    }
    ph_status s = ph_newton_tape(&sim->matrix, sim->opt.newton, t);
    return sim->stepper->tape && s == PH_OK ? sim->stepper->tape(sim, t) : s;
}

uint64_t ph_sim_fingerprint(const ph_sim *sim)
{
    const ph_options *o = &sim->opt;
    const ph_layout *lay = &sim->lay;
    const double number[] = {o->h,     o->sigma, o->rho,  o->hht_alpha, o->alpha_m, o->alpha_f, o->beta,
                             o->gamma, o->tol,   o->atol, o->rtol,      o->h_min,   o->h_max,   o->random};
    const int code[] = {(int)o->scheme,
                        (int)o->formulation,
                        (int)o->ggl_form,
                        (int)o->newton,
                        (int)o->start,
                        o->order,
                        (int)o->correction,
                        o->max_iterations,
                        (int)o->solver,
                        o->halvings,
                        lay->nq,
                        lay->nv,
                        lay->nl,
                        lay->size_pairs,
                        lay->size_links};
    uint64_t hash = ph_hash_text(PH_HASH_START, o->method);
    hash = ph_hash_text(hash, o->tableau ? o->tableau : "");
    hash = ph_hash_bytes(hash, number, sizeof number);
    return ph_hash_bytes(hash, code, sizeof code);
}

size_t ph_sim_save_size(const ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_COUNT};
    ph_sim_tape((ph_sim *)sim, &t); /* counting changes nothing */
    return sizeof(uint64_t) + t.used;
}

ph_status ph_sim_save(const ph_sim *sim, void *to, size_t size)
{
    uint64_t own = ph_sim_fingerprint(sim);
    if (size != ph_sim_save_size(sim) || sim->sens)
        return PH_E_INPUT;
    memcpy(to, &own, sizeof own);
    ph_tape t = {.mode = PH_TAPE_WRITE, .at = (unsigned char *)to + sizeof own};
    return ph_sim_tape((ph_sim *)sim, &t); /* and so does writing */
}

ph_status ph_sim_restore(ph_sim *sim, const void *from, size_t size, ph_error *err)
{
    uint64_t own = ph_sim_fingerprint(sim);
    if (size != ph_sim_save_size(sim) || memcmp(from, &own, sizeof own) != 0)
        return ph_fail(err, PH_E_INPUT, "the state is that of another system, or of other options");
    if (sim->sens)
        return ph_fail(err, PH_E_INPUT, "derivatives follow this simulation, and a saved state has none");
    ph_tape t = {.mode = PH_TAPE_READ, .at = (unsigned char *)from + sizeof own}; /* only read */
    ph_status s = ph_sim_tape(sim, &t);
    sim->in_parts = 0; /* the undivided step begins here now */
    return s == PH_OK ? s : ph_fail(err, s, "the matrix of the saved state cannot be factored again");
}

/* ---- failures ----------------------------------------------------------------------------------- */

static void add_culprit(ph_failure *f, int is_constraint, int index, double value, double *rank, double r)
{
    if (isnan(r))
        r = HUGE_VAL; /* the worst of all */
    if (!(r > 0))
        return;
    int k = f->n_culprits < PH_CULPRITS ? f->n_culprits++ : PH_CULPRITS - 1;
    if (k == PH_CULPRITS - 1 && rank[k] >= r)
        return;
    for (; k > 0 && rank[k - 1] < r; k--)
        f->culprit[k] = f->culprit[k - 1], rank[k] = rank[k - 1];
    f->culprit[k].is_constraint = is_constraint, f->culprit[k].index = index, f->culprit[k].value = value;
    rank[k] = r;
}

/* The rows that dominate: nodes by the displacement that their residual force would cause in a step,
 * constraints by their violation. */
static void record_failure(ph_sim *sim, ph_status s)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double rank[PH_CULPRITS] = {0}, h = sim->h;
    ph_failure *f = &sim->failure;
    *f = (ph_failure){.status = s, .t = sim->next.t, .h = h, .iterations = sim->step_iterations};
    if (s == PH_E_CALLBACK)
        return; /* the residuals are of an earlier point */
    for (int i = 0; i < lay->N; i++) {
        int n = lay->slot[i].dim;
        double r = ph_small_max(n, ev->r + lay->v_at[i]);
        double m = ph_small_max(n * n, ev->M + lay->pair[lay->diag[i]].at);
        add_culprit(f, 0, i, r, rank, h * h * r / m);
        if (lay->R_at[i] >= 0)
            f->spin = fmax(f->spin, h * ph_norm(ph_load3(sim->now.v + lay->v_at[i] + lay->slot[i].op->rot)));
    }
    for (int c = 0; c < lay->C; c++) {
        int at = lay->l_at[c], n = lay->rows[c];
        double phi = sim->matrix.what & PH_EVAL_PHI ? ph_small_max(n, ev->Phi + at) : 0;
        double rate = sim->matrix.what & PH_EVAL_RATE ? ph_small_max(n, ev->rate + at) : 0;
        add_culprit(f, 1, c, fmax(phi, rate), rank, fmax(phi, h * rate));
    }
}

static void name_culprits(const ph_sim *sim, char *text, size_t size)
{
    const ph_failure *f = &sim->failure;
    char label[PH_NAME_MAX];
    text[0] = 0;
    for (int k = 0; k < f->n_culprits && k < 2; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s (%.3g)", k ? ", " : "; largest residuals: ",
                 f->culprit[k].is_constraint ? ph_constraint_label(&sim->lay, f->culprit[k].index, label)
                                             : ph_node_label(&sim->lay, f->culprit[k].index, label),
                 f->culprit[k].value);
}

static int ran_away(const ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    return sim->step_iterations > 1 || !isfinite(ph_small_max(lay->nq, sim->next.q)) ||
           !isfinite(ph_small_max(lay->nv, sim->next.v)) || !isfinite(ph_small_max(lay->nv, sim->next.vdot));
}

/* The solver of the steps, or of methods that only solve for accelerations. */
static const ph_solver *at_work(const ph_sim *sim)
{
    return sim->matrix.solver ? sim->matrix.solver : sim->matrix.initial;
}

const char *ph_sim_solver_words(const ph_sim *sim)
{
    switch (sim->opt.solver) {
    case PH_BLOCK:
        return "; the solver block may be at fault: use auto";
    case PH_FRONT:
        return "; the solver front may be at fault: use auto";
    default:
        return "";
    }
}

/* That the step which failed is the least one allowed; "": it is not. Returns text. */
static const char *least_words(const ph_sim *sim, char *text, size_t size)
{
    double h_min = sim->opt.h_min;
    text[0] = 0;
    if (h_min > 0 && sim->failure.h <= 1.1 * h_min)
        snprintf(text, size, ", the least that h_min = %g allows", h_min);
    return text;
}

/* Advice that helps only if steps were not divided. */
static const char *unless_divided(const ph_sim *sim, const char *advice)
{
    return sim->gives_up || sim->depth ? "" : advice;
}

static ph_status explain(ph_sim *sim, ph_status s, ph_error *err)
{
    ph_state at = ph_point_view(&sim->next, &sim->lay);
    double t = sim->next.t;
    char rows[256];
    record_failure(sim, s); /* before the search for a culprit evaluates anew */
    int blamed = (s == PH_E_NAN || s == PH_E_SINGULAR) && ph_eval_blame(&sim->ev, &at, err);
    if (blamed)
        s = PH_E_NAN;
    else if (s == PH_E_NAN || (s == PH_E_SINGULAR && ran_away(sim)))
        s = sim->reason[0] ? PH_E_STEP : PH_E_NEWTON;
    sim->failure.status = s;
    if (blamed)
        return s; /* err has its name */
    if (sim->reason[0])
        return ph_fail(err, s, "t = %.9g: %s", t, sim->reason);
    name_culprits(sim, rows, sizeof rows);
    const ph_failure *f = &sim->failure;
    int where = ph_solver_get_info(at_work(sim)).where;
    char label[PH_NAME_MAX], position[256], least[64];
    if ((s == PH_E_SINGULAR || s == PH_E_NEWTON) &&
        ph_position_words(sim, &sim->next, sim->lay.sys->n_redundant, position, sizeof position)[0])
        return ph_fail(err, s, "t = %.9g: %s", t, position);
    switch (s) {
    case PH_E_NEWTON:
        if (sim->opt.tol > 0)
            return ph_fail(err, s,
                           "t = %.9g: Newton's method did not converge in %d iterations, even with a step of "
                           "h = %.3g%s%s%s",
                           t, f->iterations, f->h, least_words(sim, least, sizeof least),
                           ph_sim_solver_words(sim), rows);
        if (f->spin > PH_SIM_SPIN_LIMIT)
            return ph_fail(
                err, s,
                "t = %.9g: Newton's method did not converge in %d iterations; a body turns by %.2g "
                "rad in one step of h = %g%s%s%s",
                t, f->iterations, f->spin, f->h, unless_divided(sim, ": use a smaller step"),
                ph_sim_solver_words(sim), rows);
        return ph_fail(
            err, s, "t = %.9g: Newton's method did not converge in %d iterations with h = %g%s%s%s", t,
            f->iterations, f->h, unless_divided(sim, ": use a smaller step"), ph_sim_solver_words(sim), rows);
    case PH_E_SINGULAR:
        if (where >= sim->lay.N && where < sim->lay.N + sim->lay.C)
            ph_constraint_label(&sim->lay, where - sim->lay.N, label);
        else if (where >= 0 && where < sim->lay.N)
            ph_node_label(&sim->lay, where, label);
        else
            snprintf(label, sizeof label, "the constraints");
        return ph_fail(err, s,
                       "t = %.9g: the matrix of the step is singular at %s: dependent constraints%s%s%s", t,
                       label, unless_divided(sim, ", or a step too large"), ph_sim_solver_words(sim), rows);
    case PH_E_CALLBACK:
        if (!sim->ev.refused) /* one of a neighbouring value, which has its own record */
            return ph_fail(err, s, "t = %.9g: a callback refused for a value near by of a parameter", t);
        return ph_fail(err, s, "t = %.9g: the callback %s refused", t, sim->ev.refused);
    case PH_E_MEMORY:
        return ph_fail(err, s, "t = %.9g: not enough memory for the second linear solver", t);
    default: /* as before, of a neighbouring value */
        return ph_fail(err, s, "t = %.9g: %s for a value near by of a parameter", t, ph_status_word(s));
    }
}

/* ---- step and run ------------------------------------------------------------------------------- */

int ph_sim_parts(const ph_sim *sim)
{
    return sim->part > sim->now.t && sim->part < ph_sim_next_of_grid(sim) && !ph_sim_paced(sim);
}

/* Up to this part of a step, the part of it beside an event or a jump goes by two terms of its Taylor series, with an error of the
 * third power of this: what methods divide by its size would be round-off. */
#define SHORT 1e-3

static int is_short(const ph_sim *sim)
{
    return !ph_sim_paced(sim) && sim->next.t - sim->now.t < SHORT * sim->opt.h;
}

/* q o exp(d v + d^2/2 vdot), v + d/2 (vdot + vdot1), with an error of d^3; vdot1 where d vdot leads. */
ph_status ph_sim_drift(ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    const ph_point *now = &sim->now;
    ph_point *next = &sim->next;
    double t = next->t, d = t - now->t, *u = next->vdot;
    ph_status s = PH_OK;
    for (int i = 0; i < lay->nv; i++)
        u[i] = d * (now->v[i] + d / 2 * now->vdot[i]);
    ph_point_shift(lay, now, 1, u, next);
    memcpy(next->vdot, now->vdot, sizeof(double) * (size_t)lay->nv);
    memcpy(next->lambda, now->lambda, sizeof(double) * (size_t)lay->nl);
    memset(next->eta, 0, sizeof(double) * (size_t)lay->nl);
    next->t = t, sim->step_iterations = 0;
    if (sim->tally)
        sim->tally->known = 0;
    for (int pass = 0; pass < 2 && s == PH_OK; pass++) {
        for (int i = 0; i < lay->nv; i++)
            next->v[i] = now->v[i] + d / 2 * (now->vdot[i] + next->vdot[i]);
        s = ph_start_project(sim, next, 1);
        if (s == PH_OK)
            s = ph_start_accelerations(sim, next);
    }
    memcpy(next->a, next->vdot, sizeof(double) * (size_t)lay->nv);
    return s;
}

static ph_status try_step(ph_sim *sim)
{
    sim->reason[0] = 0, sim->ev.refused = NULL;
    sim->next.t = ph_sim_parts(sim) ? sim->part : ph_sim_next_of_grid(sim);
    return sim->off && is_short(sim) ? ph_sim_drift(sim) : sim->stepper->step(sim);
}

/* A Jacobian that was kept must neither end a run nor lead to another solution: where it does not contract, the step is made again with
 * one in every iteration. */
static ph_status make_step(ph_sim *sim)
{
    ph_newton kind = sim->opt.newton;
    ph_status s = try_step(sim);
    int kept = (kind == PH_STEP || kind == PH_MODIFIED) && !(sim->opt.tol > 0) && sim->matrix.solver;
    if (s == PH_OK || s == PH_E_MEMORY || !kept)
        return s;
    sim->matrix.factored = 0, sim->matrix.fresh = 1;
    if (sim->n_past > 1)
        sim->n_past = 1; /* first guesses begin anew */
    s = try_step(sim);
    sim->matrix.fresh = 0;
    return s;
}

/* The step at work again, with constant steps: one that ends at t, and starts anew, since it has another size. */
static ph_status part_of_step(ph_sim *sim, double t, void *ctx)
{
    ph_status s = ph_guard_undo(sim);
    (void)ctx;
    sim->next.t = t;
    if (s != PH_OK || is_short(sim))
        return s == PH_OK ? ph_sim_drift(sim) : s;
    s = start_with(sim, t - sim->now.t, NULL);
    sim->next.t = t, sim->reason[0] = 0;
    return s == PH_OK ? sim->stepper->step(sim) : s;
}

/* ---- steps that are divided (RB5) ------------------------------------------------------------------ */

/* Ends of parts that differ by less than this fraction of a part are the same. */
#define ON_PART 1e-3
/* Parts for which the depth stays after a law has become much stiffer: twice the time of a touch; */
#define HOLD 16
/* and much softer: the touch is over, but another one may not be. */
#define HOLD_OPEN 8
/* Steps whose stiffness is compared after a law has changed its side: it may have done so at the very end of a step. */
#define LOOKS 2

static double part_size(const ph_sim *sim)
{
    return sim->opt.h / (1 << sim->depth); /* exact */
}

static int can_divide(const ph_sim *sim)
{
    return sim->whole && sim->depth < sim->opt.halvings && part_size(sim) >= 2 * sim->opt.h_min;
}

/* A one-sided law that closes within the step must be resolved (RB6). */
static ph_status check_touch(ph_sim *sim)
{
    if (!sim->sides)
        return PH_OK;
    sim->changes = !sim->gives_up && ph_touch_changes(sim);
    double w = sim->changes || sim->looks || sim->hold ? ph_touch_stiffens(sim) : 0;
    if (!(fabs(w) > PH_TOUCH_MUCH))
        return PH_OK;
    sim->hold = w > 0 ? HOLD : HOLD_OPEN;
    return can_divide(sim) ? PH_E_STEP : PH_OK;
}

/* A part that does not resolve the growth of the motion may have gone beyond a singularity (RB22). */
static ph_status check_growth(ph_sim *sim)
{
    if (!sim->depth || ph_growth_least(sim) > PH_SIM_GROWTH)
        return PH_OK;
    snprintf(sim->reason, sizeof sim->reason, "the motion grows too fast for a step of h = %.3g",
             sim->next.t - sim->now.t);
    return PH_E_STEP;
}

/* A step that may end where functions change their sign. */
static ph_status guarded_step(ph_sim *sim)
{
    int paced = ph_sim_paced(sim);
    if (sim->guard && !paced)
        ph_guard_before(sim);
    ph_status s = make_step(sim);
    if (s == PH_OK)
        s = check_touch(sim);
    if (s == PH_OK)
        s = check_growth(sim);
    if (s != PH_OK || !sim->guard || paced)
        return s;
    s = ph_guard_after(sim, part_of_step, NULL);
    if (s != PH_OK)
        ph_guard_undo(sim);
    return s;
}

/* sim->next is a point of the grid, or there is none. */
static int reached_grid(const ph_sim *sim)
{
    int met = sim->guard && sim->guard->met;
    return (!met && !ph_sim_parts(sim)) || !(sim->opt.h > 0) || sim->opt.random > 1 ||
           fabs(sim->next.t - ph_sim_next_of_grid(sim)) <= ON_GRID * sim->opt.h;
}

/* Return where the next part ends: a multiple of its size before the grid; HUGE_VAL: at the grid. */
static double end_of_part(const ph_sim *sim)
{
    double to = ph_sim_next_of_grid(sim), part = part_size(sim);
    double left = sim->depth ? ceil((to - sim->now.t) / part - ON_PART) - 1 : 0; /* parts after it */
    return left >= 1 ? to - left * part : HUGE_VAL;
}

/* Double the parts if the state is on the grid of larger ones. */
static void grow(ph_sim *sim)
{
    double left = (ph_sim_next_of_grid(sim) - sim->now.t) / (2 * part_size(sim));
    if (fabs(left - round(left)) <= ON_PART)
        sim->depth--;
}

/* Restart if the step has another size than the one before. sim->kept is the state before the restart. */
static ph_status begin_step(ph_sim *sim, ph_error *err)
{
    double h = sim->part - sim->now.t;
    int parts = ph_sim_parts(sim);
    sim->begun = parts ? !(sim->off && !sim->n_past && sim->h == h) : sim->renew;
    if (!sim->begun)
        return PH_OK;
    ph_point_copy(&sim->kept, &sim->now, &sim->lay);
    if (parts)
        sim->off = 1;
    else
        h = size_onwards(sim);
    return start_with(sim, h, err);
}

/* Return to the state before the attempt that failed; the next one restarts. */
static void take_back(ph_sim *sim)
{
    if (sim->begun)
        ph_point_copy(&sim->now, &sim->kept, &sim->lay);
    sim->matrix.factored = 0, sim->n_past = 0, sim->off = 0, sim->renew = 1;
}

/* Keep all of the simulation before an undivided step, */
static void keep_whole(ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_WRITE, .brief = 2, .at = sim->whole};
    ph_sim_tape(sim, &t);
    sim->in_parts = 1;
}

/* and return to it. Counters of what was done stay. */
static void return_to_whole(ph_sim *sim)
{
    ph_stats st = sim->stats;
    ph_tape t = {.mode = PH_TAPE_READ, .brief = 2, .at = sim->whole};
    ph_sim_tape(sim, &t);
    sim->stats = st, sim->matrix.factored = 0, sim->in_parts = 0;
}

/* Step to the end of a part, the next jump of an input, or the grid. *started is 0 if the restart failed. */
static ph_status attempt(ph_sim *sim, double jump, int *started, ph_error *err)
{
    sim->part = fmin(jump, end_of_part(sim)), sim->parts_fail = 0;
    ph_status s = begin_step(sim, err);
    *started = s == PH_OK;
    return s == PH_OK ? guarded_step(sim) : s;
}

static int may_be_too_long(ph_status s)
{
    return s == PH_E_NEWTON || s == PH_E_SINGULAR || s == PH_E_NAN || s == PH_E_STEP;
}

/* No part succeeds: say why the undivided step fails, made once more for this; if it succeeds, why the smallest part fails.
 * own: what the start said, if the smallest part was not started. */
static ph_status give_up(ph_sim *sim, double jump, int started, ph_status s, ph_error own, ph_error *err)
{
    double least = part_size(sim), from = sim->now.t;
    ph_error whole = {0};
    if (started)
        s = explain(sim, s, &own);
    ph_failure smallest = sim->failure;
    sim->gives_up = 1;
    return_to_whole(sim);
    sim->depth = 0;
    ph_status t = attempt(sim, jump, &started, &whole);
    if (may_be_too_long(t)) {
        s = started ? explain(sim, t, &whole) : t;
        own = whole;
    } else {
        sim->failure = smallest;
    }
    sim->gives_up = 0;
    return ph_fail(err, s, "%.300s; also with steps of %.3g s from t = %.9g%s", own.text, least, from,
                   s == PH_E_NEWTON && sim->stepper->reads & PH_READS_TOL
                       ? "; try tol = 1e-4: if it ends at the same time, no motion goes on from there"
                       : "");
}

/* One step, or one part of a step that is divided: parts are halved until one succeeds. */
static ph_status divided_step(ph_sim *sim, double jump, ph_error *err)
{
    int started, kept = sim->in_parts;
    ph_error own;
    own.text[0] = 0;
    if (sim->depth && !sim->hold)
        grow(sim);
    if (!kept && can_divide(sim) && (sim->depth || sim->renew || ph_sim_parts(sim)))
        keep_whole(sim), kept = 1;
    ph_status s = attempt(sim, jump, &started, &own);
    for (; may_be_too_long(s) && !sim->parts_fail && can_divide(sim); kept = 1) {
        if (!kept)
            keep_whole(sim); /* the attempt has changed nothing */
        take_back(sim);
        sim->depth++;
        s = attempt(sim, jump, &started, &own);
    }
    if (s == PH_OK)
        return s;
    if (kept && sim->depth && may_be_too_long(s))
        s = give_up(sim, jump, started, s, own, err);
    else if (started)
        s = explain(sim, s, err);
    else
        ph_fail(err, s, "%s", own.text);
    if (kept)
        return_to_whole(sim);
    sim->matrix.factored = 0;
    return s;
}

static void count_divided(ph_sim *sim)
{
    ph_stats *st = &sim->stats;
    long step = sim->passed + sim->n + 1;
    if (!st->divided)
        st->first_divided = sim->now.t, st->smallest = HUGE_VAL;
    if (sim->last_divided != step || !st->divided)
        st->divided++;
    st->smallest = fmin(st->smallest, part_size(sim)), sim->last_divided = step;
}

/* Neighbours of derivatives restart, if sim did, and follow the step. */
static ph_status follow(ph_sim *sim, ph_error *err)
{
    ph_status s = PH_OK;
    if (sim->begun) {
        ph_sens_spread(sim->sens, &sim->kept);
        s = gather(sim, err);
    }
    if (s != PH_OK || ph_sim_paced(sim))
        return s;
    s = sim->off && is_short(sim) ? ph_sens_drift(sim->sens) : ph_sens_follow(sim->sens);
    sim->matrix.factored &= s == PH_OK;
    return s == PH_OK ? s : explain(sim, s, err);
}

static void accept(ph_sim *sim)
{
    if (sim->stepper->accept)
        sim->stepper->accept(sim);
    if (sim->depth)
        count_divided(sim);
    sim->hold -= sim->hold > 0;
    sim->looks = sim->changes ? LOOKS : sim->looks - (sim->looks > 0);
    int counts = reached_grid(sim), parted = !counts && ph_sim_parts(sim);
    ph_point free = sim->last;
    sim->last = sim->now, sim->now = sim->next, sim->next = free;
    sim->n_past += sim->n_past < PH_PAST;
    sim->n += counts, sim->stats.steps += counts;
    sim->renew = parted || (sim->off && counts && !ph_sim_paced(sim)), sim->off = 0;
    if (sim->step_iterations > sim->stats.worst_iterations)
        sim->stats.worst_iterations = sim->step_iterations;
}

static ph_status advance(ph_sim *sim, ph_error *err)
{
    double jump = sim->part;
    ph_status s = divided_step(sim, jump, err);
    if (s == PH_OK && sim->sens)
        s = follow(sim, err);
    if (s == PH_OK)
        accept(sim);
    sim->in_parts = s == PH_OK && sim->depth && sim->renew && sim->now.t == sim->part && sim->part < jump;
    sim->part = jump;
    return s;
}

ph_status ph_sim_step_part(ph_sim *sim, ph_error *err)
{
    unsigned mode = ph_ftz_begin();
    ph_status s = advance(sim, err);
    ph_ftz_end(mode);
    return s;
}

/* All parts, to the grid, or to where an event or the jump of an input ends the step. */
static ph_status advance_to_grid(ph_sim *sim, ph_error *err)
{
    long before = sim->stats.steps;
    ph_status s;
    do
        s = advance(sim, err);
    while (s == PH_OK && sim->stats.steps == before && sim->now.t < sim->part &&
           !(sim->guard && sim->guard->met));
    return s;
}

ph_status ph_sim_step(ph_sim *sim, ph_error *err)
{
    unsigned mode = ph_ftz_begin();
    ph_status s = advance_to_grid(sim, err);
    ph_ftz_end(mode);
    return s;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double ph_sim_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double ph_sim_since(double begun)
{
    return fmax(0, ph_sim_clock() - begun);
}

double ph_sim_cpu(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int is_over(const ph_sim *sim, long steps_left, double t_end)
{
    return steps_left == 0 || !(sim->now.t < t_end - PH_SIM_REACHED * sim->opt.h);
}

/* steps < 0: as many as it takes. */
static ph_status run(ph_sim *sim, long steps, double t_end, ph_output_fn output, void *ctx, ph_error *err)
{
    if (output && output(sim, ctx) != PH_OK)
        return ph_fail(err, PH_E_STOPPED, "stopped by the output callback at t = %.9g", sim->now.t);
    for (; !is_over(sim, steps, t_end); steps--) {
        ph_status s = advance_to_grid(sim, err);
        if (s != PH_OK)
            return s;
        if (output && output(sim, ctx) != PH_OK)
            return ph_fail(err, PH_E_STOPPED, "stopped by the output callback at t = %.9g", sim->now.t);
    }
    return PH_OK;
}

static ph_status timed_run(ph_sim *sim, long steps, double t_end, ph_output_fn output, void *ctx,
                           ph_error *err)
{
    double start = ph_sim_clock(), cpu = ph_sim_cpu();
    unsigned mode = ph_ftz_begin();
    double h = sim->opt.random > 1 ? 0 : sim->opt.h;
    sim->t_stop = steps >= 0 && h > 0 ? sim->t0 + (double)(sim->n + steps) * h : t_end;
    ph_status s = run(sim, steps, t_end, output, ctx, err);
    sim->t_stop = HUGE_VAL;
    ph_ftz_end(mode);
    sim->stats.wall_s += ph_sim_since(start);
    sim->stats.cpu_s += ph_sim_cpu() - cpu;
    return s;
}

ph_status ph_sim_run(ph_sim *sim, long steps, ph_output_fn output, void *ctx, ph_error *err)
{
    if (steps < 0)
        return ph_fail(err, PH_E_INPUT, "a run of %ld steps", steps);
    return timed_run(sim, steps, HUGE_VAL, output, ctx, err);
}

ph_status ph_sim_run_until(ph_sim *sim, double t_end, ph_output_fn output, void *ctx, ph_error *err)
{
    if (!isfinite(t_end) || t_end < sim->now.t)
        return ph_fail(err, PH_E_INPUT, "a run from t = %g to %g", sim->now.t, t_end);
    return timed_run(sim, -1, t_end, output, ctx, err);
}

/* ---- views -------------------------------------------------------------------------------------- */

ph_state ph_sim_state(const ph_sim *sim)
{
    return ph_sim_view(sim);
}

ph_stats ph_sim_stats(const ph_sim *sim)
{
    return sim->stats;
}

const ph_failure *ph_sim_failure(const ph_sim *sim)
{
    return &sim->failure;
}

ph_options ph_sim_options(const ph_sim *sim)
{
    return sim->opt;
}

const char *ph_sim_solver(const ph_sim *sim)
{
    return ph_solver_get_info(at_work(sim)).backend;
}

ph_status ph_sim_violation(ph_sim *sim, double *position, double *velocity)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    ph_state s = ph_point_view(&sim->now, lay);
    ph_status status = lay->C ? ph_eval_violations(&sim->ev, &s) : PH_OK;
    *position = *velocity = 0;
    if (status != PH_OK)
        return status;
    *velocity = ph_small_max(lay->nl, ev->rate);
    if (!lay->nonholonomic)
        *position = ph_small_max(lay->nl, ev->Phi);
    for (int c = 0; c < lay->C && lay->nonholonomic; c++)
        if (!lay->sys->constraints[c].nonholonomic)
            *position = ph_small_larger(lay->rows[c], *position, ev->Phi + lay->l_at[c]);
    return status;
}
