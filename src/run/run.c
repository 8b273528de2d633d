/* The life of a run: from a file, a model or a system to values that are ready for the first step, and back there.
 *
 *   file ─> ph_model ─> ph_mechanism ─> initial values, redundant rows ─> ph_sim
 *
 * What can fail is built beside what the run has, and takes its place when all of it is there. */
#include <string.h>

#include "base/hash.h"
#include "mech/mech.h"
#include "polhode/compile.h"
#include "run/private.h"
#include "step/sim.h"

/* Stands in where a run has no step size: initial values do not depend on it, if they start plainly. */
#define NO_STEP 1e-6 /* s */

ph_run_config ph_run_defaults(void)
{
    return (ph_run_config){.size = sizeof(ph_run_config), .watch = PH_WATCH_ALL};
}

/* ---- the parts ---------------------------------------------------------------------------------------- */

/* What a run is made of, while it is made. */
typedef struct parts {
    ph_model *model;
    ph_mechanism *mech;
    ph_run_def said, def;
    ph_sim *sim;
    const double *q0, *v0;
    ph_so_far *so_far;
    double *corners;
} parts;

static void free_parts(const ph_run *run, parts *p)
{
    ph_sim_destroy(p->sim);
    if (p->mech != run->mech)
        ph_mechanism_destroy(p->mech);
    if (p->model != run->model)
        ph_model_free(p->model);
    ph_free(run->config.alloc, p->so_far);
    ph_free(run->config.alloc, p->corners);
}

/* h is the nearest value that divides the time from t0 to t_end. That over n falls ever more slowly with n: the n
 * nearest to it over h need not give the nearest h. */
static void plan(ph_run_def *def, double t0)
{
    double h = def->opt.h, T = def->t_end - t0, n = T > 0 && h > 0 ? fmax(1, floor(T / h)) : 0;
    if (n > 0 && isfinite(n))
        def->opt.h = T / (T / n - h <= h - T / (n + 1) ? n : n + 1);
    if (T > 0)
        def->opt.span = T;
    else if (h > 0 && def->opt.tol > 0 && !(def->opt.span > 0))
        def->opt.span = 1; /* s, wherever steps must end */
}

/* Functions of a model that others hold too need a Lua state of this run. */
static ph_status choose_model(const ph_run *run, const ph_model *given, int shared, const ph_told *told,
                              parts *p, ph_error *err)
{
    if (told->n_parameters || (shared && ph_model_has_functions(given)))
        return ph_model_again(&p->model, given, told->parameter, told->n_parameters, run->config.alloc, err);
    p->model = ph_model_keep(given);
    return PH_OK;
}

/* "FILE: sentence" */
static ph_status name_file(const ph_model *m, ph_status s, ph_error *err)
{
    ph_error own;
    if (s == PH_OK || !err || !m->file || !strncmp(err->text, m->file, strlen(m->file)))
        return s;
    own = *err;
    return ph_fail(err, s, "%.200s: %s", m->file, own.text);
}

static ph_status build_mechanism(const ph_run *run, parts *p, ph_error *err)
{
    int same = run->mech && p->model == run->model && p->def.space == run->def.space &&
               p->def.assemble == run->def.assemble;
    if (same) {
        p->mech = run->mech, p->q0 = run->q0, p->v0 = run->v0;
        return PH_OK;
    }
    ph_status s = ph_mechanism_create(&p->mech, p->model, p->def.space, run->config.alloc, err);
    if (s == PH_OK)
        s = ph_mechanism_initial(p->mech, p->def.assemble, &p->q0, &p->v0, err);
    if (s == PH_OK)
        s = ph_mechanism_rank(p->mech, err);
    if (s == PH_E_CALLBACK)
        ph_run_explain_start(p->mech, p->model, s, 0, err);
    return name_file(p->model, s, err);
}

/* The simulation; without a step size one that makes no step. */
static ph_status build_sim(const ph_run *run, ph_skeleton *skeleton, parts *p, ph_error *err)
{
    ph_options o = p->def.opt;
    o.alloc = run->config.alloc, o.log = run->config.log, o.log_ctx = run->config.log_ctx;
    if (!(o.h > 0) && !(o.tol > 0))
        o.h = NO_STEP, o.start = PH_PLAIN;
    if (ph_corners_find(run, p->model, &p->def, &o.nonsmooth, &p->corners) != PH_OK)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    ph_status s = ph_sim_create_on(&p->sim, skeleton, &o, run->t0, p->q0, p->v0, !run->config.wait, err);
    if (s != PH_OK)
        return ph_run_explain_start(p->mech, p->model, s, run->t0, err);
    p->sim->untraced = p->mech && p->mech->functions;
    if (p->mech && p->mech->sided)
        p->sim->sides = ph_mechanism_sides, p->sim->sides_ctx = p->mech;
    double h = p->def.opt.h;
    ph_start start = p->def.opt.start;
    p->def.opt = ph_sim_options(p->sim);
    p->def.opt.h = h, p->def.opt.start = start;
    return s;
}

static ph_status build(const ph_run *run, const ph_told *told, parts *p, ph_error *err)
{
    p->def = p->model ? p->model->run : (ph_run_def){.opt = ph_default_options(), .every = 1};
    ph_status s = ph_told_resolve(told, &p->def, err);
    p->said = p->def;
    plan(&p->def, run->t0);
    if (s == PH_OK && p->model)
        s = build_mechanism(run, p, err);
    if (s != PH_OK)
        return s;
    size_t n = p->model ? (size_t)p->model->n_objectives : 0;
    p->so_far = ph_alloc(run->config.alloc, (n + 1) * sizeof *p->so_far);
    if (!p->so_far)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    ph_skeleton *skeleton = run->skeleton;
    if (p->model)
        s = ph_mechanism_skeleton(p->mech, &skeleton, err);
    else
        p->q0 = run->q0, p->v0 = run->v0;
    return s == PH_OK ? build_sim(run, skeleton, p, err) : s;
}

/* Key of all that a saved state belongs to. */
static uint64_t key_of(const parts *p, const ph_system *sys)
{
    uint64_t own = ph_sim_fingerprint(p->sim);
    uint64_t key = p->model ? p->model->key : ph_hash_text(PH_HASH_START, sys->name ? sys->name : "");
    for (int i = 0; p->model && i < p->model->n_params; i++)
        key = ph_hash_bytes(key, &p->model->param[i].value, sizeof(double));
    key = ph_hash_bytes(key, &own, sizeof own);
    return ph_hash_bytes(key, (int[]){(int)p->def.space, p->def.assemble}, 2 * sizeof(int));
}

/* The parts become those of the run. */
static void adopt(ph_run *run, parts *p, ph_told *told)
{
    const ph_allocator *alloc = run->config.alloc;
    ph_following_free(run), ph_bars_free(run), ph_events_free(run), ph_stuck_free(run);
    ph_run_drop_native(run);
    ph_sim_destroy(run->sim);
    if (p->mech != run->mech)
        ph_mechanism_destroy(run->mech);
    if (p->model != run->model)
        ph_model_free(run->model);
    ph_free(alloc, run->so_far);
    ph_free(alloc, run->corners);
    if (p->def.every != run->def.every)
        run->table.every = p->def.every;
    run->model = p->model, run->mech = p->mech, run->sim = p->sim, run->so_far = p->so_far;
    run->corners = p->corners;
    run->sim->pass = ph_run_pass, run->sim->pass_ctx = run;
    run->said = p->said, run->def = p->def, run->q0 = p->q0, run->v0 = p->v0;
    if (run->mech)
        run->sys = ph_mechanism_system(run->mech);
    run->key = key_of(p, run->sys);
    ph_told_free(&run->told, alloc);
    run->told = *told, run->moved = 0, run->started = !run->config.wait;
    uint64_t shape = ph_run_shape(run);
    if (shape == run->shape)
        return;
    run->shape = shape, run->structure++;
    ph_table_free(run); /* its columns were of other sizes */
}

/* Inputs that were set before change the accelerations of a simulation that is new. */
static ph_status settle_inputs(ph_run *run, ph_error *err)
{
    int any = 0;
    ph_status s = run->mech ? ph_inputs_adopt(run) : PH_OK;
    if (s == PH_OK)
        s = ph_events_adopt(run);
    if (s != PH_OK)
        return ph_fail(err, s, "not enough memory for a run");
    for (int k = 0; k < run->n_inputs; k++)
        any |= run->input_set[k];
    if (any)
        s = ph_sim_reset(run->sim, run->t0, run->q0, run->v0, err);
    return s == PH_OK ? ph_run_begin(run, err) : s;
}

/* ---- open and close ----------------------------------------------------------------------------------- */

static ph_run *new_run(const ph_run_config *config)
{
    ph_run_config c = ph_run_defaults();
    if (config) /* a caller built with an older header knows fewer members */
        memcpy(&c, config, config->size < sizeof c ? config->size : sizeof c);
    ph_run *run = ph_alloc(c.alloc, sizeof *run);
    if (run)
        *run = (ph_run){.config = c, .table = {.every = 1}};
    return run;
}

/* A run is as good without. */
static void build_steps(ph_run *run)
{
    ph_error err = {0};
    if (ph_run_build(run, NULL, 0, &err) != PH_OK && run->config.log)
        run->config.log(err.text, run->config.log_ctx);
}

/* The first parts of a run, from what its configuration tells. */
static ph_status begin(ph_run *run, const ph_model *model, int shared, ph_error *err)
{
    const ph_run_config *c = &run->config;
    ph_told told = {0};
    parts p = {0};
    ph_status s = ph_told_add(&told, c->parameters, model ? c->n_parameters : 0, c->options, c->n_options,
                              c->alloc, err);
    if (s == PH_OK && model && shared)
        s = choose_model(run, model, shared, &told, &p, err);
    else if (model)
        p.model = ph_model_keep(model);
    if (s == PH_OK)
        s = build(run, &told, &p, err);
    if (s == PH_OK) {
        adopt(run, &p, &told);
        s = settle_inputs(run, err);
        if (s == PH_OK && c->compiled && model)
            build_steps(run);
        return s;
    }
    free_parts(run, &p);
    ph_told_free(&told, c->alloc);
    return s;
}

ph_status ph_run_start(ph_run *run, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    if (run->started)
        return PH_OK;
    ph_run_count_turns(run, NULL);
    ph_status s = ph_sim_reset(run->sim, run->t0, run->q0, run->v0, err);
    if (s != PH_OK)
        return ph_run_explain_start(run->mech, run->model, s, run->t0, err);
    run->started = 1;
    return ph_run_begin(run, err);
}

static ph_status finish(ph_run **out, ph_run *run, ph_status s)
{
    if (s == PH_OK)
        *out = run;
    else
        ph_run_close(run);
    return s;
}

ph_status ph_run_open(ph_run **out, const char *path, const ph_run_config *config, ph_error *err)
{
    ph_model *model;
    if (out)
        *out = NULL;
    if (!out || !path)
        return ph_refuse_null("out, path", err);
    ph_run *run = new_run(config);
    if (!run)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    const ph_run_config *c = &run->config;
    ph_status s = ph_model_read(&model, path, c->parameters, c->n_parameters, c->alloc, err);
    if (s == PH_OK)
        s = begin(run, model, 0, err);
    ph_model_free(model);
    return finish(out, run, s);
}

ph_status ph_run_create(ph_run **out, const ph_model *model, const ph_run_config *config, ph_error *err)
{
    if (out)
        *out = NULL;
    if (!out || !model)
        return ph_refuse_null("out, model", err);
    ph_run *run = new_run(config);
    if (!run)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    return finish(out, run, begin(run, model, 1, err));
}

static ph_status no_parameters(ph_error *err)
{
    return ph_fail(err, PH_E_INPUT, "a system of one's own has no parameters");
}

ph_status ph_run_create_system(ph_run **out, const ph_system *sys, double t0, const double *q0,
                               const double *v0, const ph_run_config *config, ph_error *err)
{
    if (out)
        *out = NULL;
    if (!out || !sys)
        return ph_refuse_null("out, sys", err);
    if (!q0 || !v0)
        return ph_fail(err, PH_E_INPUT, "initial values must be given");
    ph_run *run = new_run(config);
    if (!run)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    if (run->config.n_parameters) {
        ph_run_close(run);
        return no_parameters(err);
    }
    ph_status s = ph_skeleton_create(&run->skeleton, sys, run->config.alloc, err);
    if (s != PH_OK)
        return finish(out, run, s);
    size_t nq = (size_t)run->skeleton->lay.nq, nv = (size_t)run->skeleton->lay.nv;
    run->start = ph_alloc(run->config.alloc, (nq + nv + 1) * sizeof *run->start);
    if (!run->start)
        return finish(out, run, ph_fail(err, PH_E_MEMORY, "not enough memory for a run"));
    memcpy(run->start, q0, nq * sizeof *q0);
    memcpy(run->start + nq, v0, nv * sizeof *v0);
    run->sys = sys, run->t0 = t0, run->q0 = run->start, run->v0 = run->start + nq;
    return finish(out, run, begin(run, NULL, 0, err));
}

static void drop_builder(ph_run *run)
{
    if (run->builder)
        run->builder->close(run->builder, run->config.alloc);
    run->builder = NULL;
}

ph_status ph_run_set_compiled(ph_run *run, int on, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    if (on)
        return run->native && run->builder ? PH_OK : ph_run_build(run, NULL, 0, err);
    ph_run_drop_native(run);
    drop_builder(run);
    return PH_OK;
}

void ph_run_close(ph_run *run)
{
    if (!run)
        return;
    ph_allocator own = {0};
    const ph_allocator *alloc = run->config.alloc ? (own = *run->config.alloc, &own) : NULL;
    ph_following_free(run), ph_bars_free(run), ph_doubt_free(run), ph_events_free(run), ph_stuck_free(run);
    ph_run_drop_native(run);
    drop_builder(run);
    ph_sim_destroy(run->sim);
    ph_mechanism_destroy(run->mech);
    ph_model_free(run->model);
    ph_told_free(&run->told, alloc);
    ph_table_free(run);
    ph_inputs_free(run);
    ph_undo_free(run);
    ph_free(alloc, run->linear_names);
    ph_free(alloc, run->over);
    ph_watch_free(run);
    ph_skeleton_release(run->skeleton);
    ph_free(alloc, run->so_far);
    ph_free(alloc, run->corners);
    ph_free(alloc, run->start);
    ph_free(alloc, run);
}

/* ---- back to the start --------------------------------------------------------------------------------- */

static void tape_before(ph_run *run, ph_tape *tape)
{
    ph_inputs_tape(run, tape);
    if (run->mech)
        ph_tape_bytes(tape, run->mech->turns, (size_t)run->mech->n_turns * sizeof *run->mech->turns);
    ph_sim_tape(run->sim, tape);
}

/* Start from these values; if they are refused, all is as before, with what the method remembers. memory: turns so far; NULL: none. */
static ph_status restart(ph_run *run, double t, const double *q, const double *v, const void *memory,
                         int moved, ph_error *err)
{
    ph_tape tape = {.mode = PH_TAPE_COUNT};
    ph_status s = ph_events_rewind(run, err);
    if (s != PH_OK)
        return s;
    tape_before(run, &tape);
    void *kept = ph_alloc(run->config.alloc, tape.used);
    if (!kept)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to start anew");
    tape = (ph_tape){.mode = PH_TAPE_WRITE, .at = kept};
    tape_before(run, &tape);
    ph_inputs_settle(run);
    ph_run_count_turns(run, NULL); /* efforts at the start read angles */
    if (run->mech && run->sys->memory && memory)
        run->sys->memory->take_back(memory, run->sys->memory->ctx);
    s = ph_sim_reset(run->sim, t, q, v, err);
    if (s != PH_OK) {
        ph_run_explain_static(run, s, err);
        ph_events_return(run);
        tape = (ph_tape){.mode = PH_TAPE_READ, .at = kept};
        tape_before(run, &tape);
    }
    ph_free(run->config.alloc, kept);
    if (s != PH_OK)
        return s;
    ph_following_free(run), ph_bars_free(run);
    run->moved = moved, run->started = 1;
    return ph_run_begin(run, err);
}

ph_status ph_run_reset(ph_run *run, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    return restart(run, run->t0, run->q0, run->v0, NULL, 0, err);
}

/* The turns of a run, of which the new one has none; NULL: no memory. */
static void *set_turns_aside(ph_run *run)
{
    size_t size = run->mech ? (size_t)run->mech->n_turns * sizeof *run->mech->turns : 0;
    void *kept = ph_alloc(run->config.alloc, size + 1);
    if (kept && size)
        memcpy(kept, run->mech->turns, size);
    if (kept)
        ph_run_count_turns(run, NULL);
    return kept;
}

static void take_turns_back(ph_run *run, const void *kept)
{
    if (kept && run->mech && run->mech->n_turns)
        memcpy(run->mech->turns, kept, (size_t)run->mech->n_turns * sizeof *run->mech->turns);
}

static ph_status change(ph_run *run, const ph_setting *parameters, int n_parameters,
                        const char *const *options, int n_options, const ph_options *method, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    ph_told told;
    parts p = {0};
    ph_status s = ph_told_copy(&told, &run->told, alloc, err);
    if (s == PH_OK)
        s = ph_told_add(&told, parameters, n_parameters, options, n_options, alloc, err);
    if (s == PH_OK && method)
        ph_told_set_method(&told, method, run->model, alloc);
    if (s == PH_OK && n_parameters && !run->model)
        s = no_parameters(err);
    if (s == PH_OK && n_parameters)
        s = ph_model_again(&p.model, run->model, told.parameter, told.n_parameters, alloc, err);
    else
        p.model = run->model;
    void *turns = s == PH_OK ? set_turns_aside(run) : NULL; /* accelerations of the new start read angles */
    if (s == PH_OK && !turns)
        s = ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    if (s == PH_OK)
        s = ph_events_rewind(run, err);
    if (s == PH_OK)
        s = build(run, &told, &p, err);
    if (s != PH_OK)
        take_turns_back(run, turns);
    ph_free(alloc, turns);
    if (s != PH_OK) {
        ph_events_return(run);
        free_parts(run, &p);
        ph_told_free(&told, alloc);
        return s;
    }
    adopt(run, &p, &told);
    s = settle_inputs(run, err);
    if (s == PH_OK && run->builder)
        run->builder->again(run);
    return s;
}

ph_status ph_run_set_parameters(ph_run *run, const ph_setting *parameters, int n, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    return change(run, parameters, n, NULL, 0, NULL, err);
}

ph_status ph_run_set_options(ph_run *run, const char *const *options, int n, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    return change(run, NULL, 0, options, n, NULL, err);
}

ph_status ph_run_set_method(ph_run *run, const ph_options *opt, ph_error *err)
{
    if (!run || !opt)
        return ph_refuse_null("run, opt", err);
    return change(run, NULL, 0, NULL, 0, opt, err);
}

ph_status ph_run_start_at(ph_run *run, double t, const double *q, const double *v, int project, ph_error *err)
{
    return ph_run_go_on_at(run, t, q, v, NULL, project, err);
}

ph_status ph_run_go_on_at(ph_run *run, double t, const double *q, const double *v, const void *memory,
                          int project, ph_error *err)
{
    if (!run || !q || !v)
        return ph_refuse_null("run, q, v", err);
    int before = run->sim->opt.project;
    run->sim->opt.project = project;
    ph_status s = restart(run, t, q, v, memory, 1, err);
    run->sim->opt.project = before;
    return s;
}

/* ---- views ---------------------------------------------------------------------------------------------- */

int ph_run_structure(const ph_run *run)
{
    return run->structure;
}

double ph_run_end(const ph_run *run)
{
    return run->def.t_end;
}

ph_options ph_run_options(const ph_run *run)
{
    ph_options o = run->def.opt;
    o.nonsmooth = run->said.opt.nonsmooth; /* the times that were found are freed when the method changes */
    return o;
}

ph_run_def ph_run_settings(const ph_run *run)
{
    return run->said;
}

const ph_model *ph_run_model(const ph_run *run)
{
    return run->model;
}

const ph_system *ph_run_system(const ph_run *run)
{
    return run->sys;
}

const ph_sim *ph_run_sim(const ph_run *run)
{
    return run->sim;
}

void ph_run_initial(const ph_run *run, const double **q0, const double **v0)
{
    *q0 = run->q0, *v0 = run->v0;
}
