/* Steps of a run, and all that goes with each: turn counters, objectives, the watch, the table, the observer. */
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"
#include "step/sim.h"

/* ---- the table ---------------------------------------------------------------------------------------- */

#define FIRST_SHOWN 16

/* Room for one more, twice as much as before: many columns cost time in proportion. */
static int grow_shown(ph_run *run)
{
    ph_recorded *t = &run->table;
    int room = t->room_shown ? 2 * t->room_shown : FIRST_SHOWN;
    ph_shown *shown = ph_alloc(run->config.alloc, (size_t)room * sizeof *shown);
    if (!shown)
        return 0;
    if (t->n_shown)
        memcpy(shown, t->shown, (size_t)t->n_shown * sizeof *shown);
    ph_free(run->config.alloc, t->shown);
    t->shown = shown, t->room_shown = room;
    return 1;
}

ph_status ph_run_record(ph_run *run, int what, int index, int *first_column, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    ph_recorded *t = &run->table;
    int n = ph_run_size(run, what, index);
    if (n < 1)
        return ph_fail(err, PH_E_INPUT, "there is nothing of this kind to record");
    if (t->rows > 1)
        return ph_fail(err, PH_E_INPUT, "columns cannot be added: the table has rows already");
    if (t->n_shown == t->room_shown && !grow_shown(run))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the table of the run");
    t->shown[t->n_shown++] = (ph_shown){what, index, n};
    ph_free(run->config.alloc, t->row);
    t->row = NULL, t->rows = t->room = 0;
    if (t->columns == 0)
        t->columns = 1;
    if (first_column)
        *first_column = t->columns;
    t->columns += n;
    return PH_OK;
}

void ph_run_record_every(ph_run *run, long every)
{
    run->table.every = every > 0 ? every : 1;
}

const double *ph_run_rows(const ph_run *run, long *rows, int *columns)
{
    *rows = run->table.rows, *columns = run->table.columns;
    return run->table.row;
}

double *ph_run_take_rows(ph_run *run, long *rows, int *columns)
{
    double *taken = run->table.row;
    *rows = run->table.rows, *columns = run->table.columns;
    run->table.row = NULL, run->table.rows = run->table.room = 0;
    return taken;
}

void ph_rows_free(double *rows, const ph_allocator *alloc)
{
    ph_free(alloc, rows);
}

void ph_run_record_none(ph_run *run)
{
    ph_table_free(run);
}

void ph_table_free(ph_run *run)
{
    ph_free(run->config.alloc, run->table.shown);
    ph_free(run->config.alloc, run->table.row);
    run->table = (ph_recorded){.every = run->table.every};
}

#define FIRST_ROOM 256 /* rows */

static int grow(ph_run *run)
{
    ph_recorded *t = &run->table;
    long room = t->room ? 2 * t->room : FIRST_ROOM;
    double *row = ph_alloc(run->config.alloc, (size_t)room * (size_t)t->columns * sizeof *row);
    if (!row)
        return 0;
    if (t->rows)
        memcpy(row, t->row, (size_t)t->rows * (size_t)t->columns * sizeof *row);
    ph_free(run->config.alloc, t->row);
    t->row = row, t->room = room;
    return 1;
}

/* Numbers that a function refuses are NaN. */
static ph_status add_row(ph_run *run)
{
    ph_recorded *t = &run->table;
    double now = ph_run_time(run);
    if (!t->columns || (t->rows && t->last_t == now))
        return PH_OK;
    if (t->rows == t->room && !grow(run))
        return PH_E_MEMORY;
    double *x = t->row + t->rows * t->columns;
    *x++ = t->last_t = now;
    for (const ph_shown *k = t->shown, *end = k + t->n_shown; k < end; x += k->n, k++)
        if (ph_run_get(run, k->what, k->index, x) != PH_OK)
            for (int i = 0; i < k->n; i++)
                x[i] = NAN;
    t->rows++;
    return PH_OK;
}

/* ---- after the initial values and after each step ------------------------------------------------------- */

/* The integral of each objective by the trapezoidal rule; NaN where its function fails. */
static void add_objectives(ph_run *run, const ph_state *s, double dt)
{
    for (int k = 0; run->model && k < run->model->n_objectives; k++) {
        ph_so_far *o = &run->so_far[k];
        double x = 0;
        if (!ph_objective_has(run->model, k, PH_ON_THE_WAY))
            continue;
        if (ph_mechanism_objective(run->mech, s, k, PH_ON_THE_WAY, &x, NULL) != PH_OK)
            x = NAN;
        o->sum += dt > 0 ? dt / 2 * (x + o->last) : 0;
        o->last = x;
    }
}

static ph_status no_room(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for the table of the run");
}

/* Whether there is anything to be done after a step. */
static int sees(const ph_run *run)
{
    return run->counts || run->config.watch || run->balances || run->table.columns || run->n_over ||
           run->bars || run->following || (run->model && run->model->n_objectives);
}

/* What is added up over the run, and watched. */
static ph_status add_up(ph_run *run, ph_error *err)
{
    ph_state s = ph_sim_view(run->sim);
    double dt = s.t - run->watched.t;
    if (run->model && run->model->n_objectives)
        add_objectives(run, &s, dt);
    if (run->n_over)
        ph_over_add(run, run->over, &s);
    if (run->bars)
        ph_bars_look(run);
    if (run->following)
        ph_following_look(run, dt);
    ph_status status = run->config.watch || run->balances ? ph_watch_look(run, &s, err) : PH_OK;
    run->watched.t = s.t;
    return status;
}

void ph_run_jump(ph_run *run)
{
    ph_state s = ph_sim_state(run->sim);
    run->shown = 0, run->watched.added = s.t, run->watched.interpolated = 0;
    add_objectives(run, &s, 0);
    ph_over_jump(run, run->over, &s);
    if (run->bars)
        ph_bars_jump(run);
    if (run->following)
        ph_following_jump(run);
    ph_watch_jump(run);
}

/* Where functions jump, numbers have two values: the one before ends the step, and the next one begins with that after. */
static ph_status add_both(ph_run *run, double before, double after, ph_error *err)
{
    ph_sim *sim = run->sim;
    double t = sim->now.t;
    sim->now.t = before;
    ph_status s = add_up(run, err);
    ph_point_copy(&sim->kept, &sim->now, &sim->lay);
    sim->now.t = after;
    ph_inputs_begin(run, 0);
    if (ph_start_accelerations(sim, &sim->now) == PH_OK) /* or the next step tells why not */
        ph_run_jump(run);
    ph_inputs_return(run);
    ph_point_copy(&sim->now, &sim->kept, &sim->lay);
    if (run->bars)
        ph_bars_before(run, t);
    sim->now.t = run->watched.t = t;
    return s;
}

#define APART_ON_GRID 1e-3 /* of its size: of two points of an integral, one of which is interpolated */

/* On a grid of the output, integrals go through whatever is denser, its points or the ends of steps; on: the present point is one of
 * the grid, both: it is a corner. */
static int is_shown(const ph_run *run, int on, int both)
{
    const ph_sim *sim = run->sim;
    const ph_watched *w = &run->watched;
    double h = sim->opt.h;
    if (!ph_sim_has_grid(sim))
        return 0;
    if ((sim->within > 0 || w->interpolated) && sim->now.t - w->added < APART_ON_GRID * h)
        return 1;
    return sim->within > 0 ? sim->within < h : !on && !both && sim->now.t - sim->last.t >= h;
}

/* The start of a run has no step before it, and points of the output within a step do not lie on a corner. */
static ph_status see(ph_run *run, int on, ph_error *err)
{
    double t = run->sim->now.t, before, after;
    if (!sees(run)) {
        run->watched.t = t;
        return PH_OK;
    }
    if (run->counts) {
        ph_state s = ph_sim_state(run->sim);
        ph_mechanism_track(run->mech, &s);
    }
    ph_watch_violation(run);
    int both = t > run->watched.t && !(run->sim->within > 0) && ph_corners_at(run, t, &before, &after);
    run->shown = t > run->watched.t && is_shown(run, on, both);
    if (!run->shown)
        run->watched.added = t, run->watched.interpolated = run->sim->within > 0;
    return both ? add_both(run, before, after, err) : add_up(run, err);
}

void ph_run_pass(void *ctx)
{
    ph_run *run = ctx;
    double within = run->sim->within;
    run->sim->within = 0;
    if (ph_run_time(run) > run->watched.t)
        see(run, 0, NULL);
    ph_inputs_begin(run, 1);
    run->sim->within = within;
}

/* All but the observer; row 0: nor the table. */
static ph_status look(ph_run *run, int row, ph_error *err)
{
    ph_status status = see(run, 1, err);
    if ((status == PH_OK || run->watched.blown) && row && run->table.columns &&
        run->sim->stats.steps % run->table.every == 0 && add_row(run) != PH_OK)
        return no_room(err);
    return status;
}

/* What is done where the step has ended at an event. A row of the table is of the state after it, if it is on the grid. */
static ph_status meet_events(ph_run *run, int row, ph_error *err)
{
    ph_status s = ph_events_act(run, err);
    if (s != PH_OK)
        return s;
    return row && run->table.columns && run->sim->stats.steps % run->table.every == 0 && add_row(run) != PH_OK
               ? no_room(err)
               : PH_OK;
}

/* A run that waits has nothing to show yet. */
ph_status ph_run_begin(ph_run *run, ph_error *err)
{
    size_t n = run->model ? (size_t)run->model->n_objectives : 0;
    memset(run->so_far, 0, (n + 1) * sizeof *run->so_far);
    run->table.rows = 0, run->observed = 0, run->wall_s = run->cpu_s = 0;
    run->trouble = (ph_run_trouble){0};
    run->growth = 0;
    run->jumped = 0; /* accelerations are those of the inputs */
    run->watched = (ph_watched){.t = ph_run_time(run)};
    if (ph_over_start(run) != PH_OK)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    ph_status s = ph_watch_start(run) == PH_OK ? ph_events_begin(run, err)
                                               : ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    if (s == PH_OK && ph_undo_make(run) != PH_OK)
        s = ph_fail(err, PH_E_MEMORY, "not enough memory for a run");
    return run->started && s == PH_OK ? look(run, 1, err) : s;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

double ph_run_time(const ph_run *run)
{
    return run->sim->now.t;
}

void ph_run_observe(ph_run *run, ph_observer_fn f, void *ctx)
{
    run->observer = f, run->observer_ctx = ctx;
}

void ph_run_stop(ph_run *run)
{
    atomic_store(&run->stop, 1);
}

static ph_status stopped(const ph_run *run, ph_error *err)
{
    return ph_fail(err, PH_E_STOPPED, "stopped at t = %.9g", ph_run_time(run));
}

static ph_status show(ph_run *run, int why, ph_error *err)
{
    run->observed = 1;
    return run->observer && run->observer(run, why, run->observer_ctx) != PH_OK ? stopped(run, err) : PH_OK;
}

ph_status ph_run_look(ph_run *run, int why, ph_error *err)
{
    ph_status s = why == PH_ON_START ? PH_OK : look(run, 1, err);
    if (s == PH_OK)
        return show(run, why, err);
    if (run->watched.blown)
        show(run, why, NULL); /* it sees how the run ends */
    return s;
}

#define STEPS_MAX 1e9 /* of one run */

/* A run that can make steps, and has not too many to make. */
static ph_status make_ready(ph_run *run, ph_error *err)
{
    const ph_run_def *d = &run->def;
    double n = d->t_end > run->t0 && d->opt.h > 0 ? (d->t_end - run->t0) / d->opt.h : 0;
    if (!(d->opt.h > 0) && !(d->opt.tol > 0))
        return ph_fail(err, PH_E_INPUT, "the model says no h: give a step size");
    if (!(n <= STEPS_MAX))
        return ph_fail(err, PH_E_INPUT,
                       "t_end = %g s in steps of h = %g s takes %.3g steps; the limit is %.0e", d->t_end,
                       d->opt.h, n, STEPS_MAX);
    return ph_run_start(run, err);
}

void ph_run_drop_native(ph_run *run)
{
    if (run->native)
        run->native->close(run->native, run->config.alloc);
    run->native = NULL;
}

/* Inputs jump where the run is, and no step is at work yet. */
static ph_status before_step(ph_run *run, ph_error *err)
{
    ph_status s = run->n_inputs ? ph_inputs_before_step(run, err) : PH_OK;
    if (s == PH_OK)
        return s;
    run->trouble = (ph_run_trouble){.status = s, .t = ph_run_time(run)};
    return ph_run_explain_start(run->mech, run->model, s, ph_run_time(run), err);
}

ph_status ph_run_prepare(ph_run *run, ph_error *err)
{
    ph_status s = make_ready(run, err);
    return s == PH_OK ? before_step(run, err) : ph_run_explain(run, s, err);
}

/* With error control the method stays within t_end, if that lies ahead; on a grid within that of the run, so that its
 * steps do not depend on where one stops to look. */
static ph_status step(ph_run *run, double t_end, ph_error *err)
{
    ph_error own; /* its whole text need not be cleared in each step */
    own.status = PH_OK, own.text[0] = 0;
    ph_status s = before_step(run, err);
    if (s != PH_OK)
        return s;
    double stop = run->def.opt.h > 0 ? run->def.t_end : t_end;
    run->sim->t_stop = stop > ph_run_time(run) ? stop : HUGE_VAL;
    if (run->n_inputs && ph_sim_has_grid(run->sim))
        run->sim->t_stop = fmin(run->sim->t_stop, ph_inputs_bend(run));
    if (run->n_inputs && !ph_sim_paced(run->sim))
        run->sim->part = ph_inputs_part(run);
    if (run->undo.tape && !run->undo.kept && (run->sim->renew || ph_sim_parts(run->sim)))
        ph_undo_keep(run);
    s = run->native ? run->native->step(run, &own) : ph_sim_step_part(run->sim, &own);
    run->sim->t_stop = run->sim->part = HUGE_VAL;
    if (s != PH_OK) {
        if (err)
            *err = own;
        ph_run_explain(run, s, err);
        ph_undo_return(run);
    }
    if (s == PH_OK && run->sim->in_parts)
        ph_undo_keep_rest(run);
    else
        run->undo.kept = PH_UNDO_NOTHING;
    return s;
}

/* A step of constant size, in parts if it is divided (RB5) or the table of an input steps within it. Only what is added up
 * over the run, and the watch, see the parts. */
static ph_status advance(ph_run *run, double t_end, ph_error *err)
{
    long before = run->sim->stats.steps;
    if (run->table.columns && !run->table.rows)
        add_row(run); /* columns were chosen after the start */
    ph_status s = step(run, t_end, err);
    while (s == PH_OK && !ph_sim_paced(run->sim) && run->sim->stats.steps == before && !ph_events_met(run)) {
        s = see(run, 1, err);
        if (s == PH_OK)
            s = step(run, t_end, err);
    }
    return s;
}

/* A run that blew up stays at the step where that was seen. */
ph_status ph_run_step(ph_run *run, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    ph_status s = make_ready(run, err);
    long before = run->sim->stats.steps;
    if (s == PH_OK && ph_run_ended_by(run) >= 0)
        return ph_fail(err, PH_E_STOPPED, "event '%s' has ended the run at t = %.9g",
                       run->model->event[ph_run_ended_by(run)].name, ph_run_time(run));
    if (s == PH_OK)
        s = advance(run, run->def.t_end, err);
    int met = s == PH_OK && ph_events_met(run);
    if (s == PH_OK)
        s = look(run, !met, err);
    return s == PH_OK && met ? meet_events(run, run->sim->stats.steps > before, err) : s;
}

/* Steps of constant size must meet t. */
static ph_status check_end(const ph_run *run, double t, ph_error *err)
{
    double h = run->def.opt.h, now = ph_run_time(run), n = h > 0 ? (t - run->sim->grid) / h : 0;
    if (!isfinite(t) || t < now - PH_REACHED * fmax(h, fabs(now)))
        return ph_fail(err, PH_E_INPUT, "the run is at t = %.9g and cannot go to %.9g", now, t);
    if (fabs(n - round(n)) > 1e-6)
        return ph_fail(err, PH_E_INPUT,
                       "t = %.9g is not a whole number of steps of h = %.9g away from t = %.9g", t, h, now);
    return PH_OK;
}

/* How often the clock is read for the time that the watch takes: after so many steps that reading it is nothing beside them. The
 * watch takes the same time after each. */
typedef struct sampling {
    long every, since; /* steps: between two samples; since the last one */
    double last;       /* s, when that was */
} sampling;

#define OFTEN  16   /* steps, at first */
#define SELDOM 4096 /* steps, at most */
#define APART  1e-4 /* s, at least */

static void note_sample(sampling *k, double begun, double end)
{
    if (begun - k->last < APART && k->every < SELDOM)
        k->every *= 2;
    else if (begun - k->last > 4 * APART && k->every > 1)
        k->every /= 2;
    k->since = 0, k->last = end;
}

/* A step that ended at an event, which the observer sees, and then the step if it is on the grid; before: steps then. */
static ph_status pass_event(ph_run *run, long before, ph_error *err)
{
    int counts = run->sim->stats.steps > before;
    ph_status s = look(run, 0, err);
    if (s == PH_OK)
        s = meet_events(run, counts, err);
    if (s == PH_OK)
        s = show(run, PH_ON_EVENT, err);
    return s == PH_OK && counts && ph_run_ended_by(run) < 0 ? show(run, PH_ON_STEP, err) : s;
}

/* What is done beside the step; *own is the time it takes. Returns late = 1 past the time of a pause, or before that of
 * the start, by a clock that was set back: it is read no more often than without one. */
static ph_status look_and_show(ph_run *run, long before, const double pause[2], sampling *k, double *own,
                               int *late, ph_error *err)
{
    int each = run->observer || run->table.columns;
    int timed = each || (run->config.watch && ++k->since >= k->every);
    double begun = timed ? ph_sim_clock() : 0;
    ph_status s = ph_events_met(run) ? pass_event(run, before, err) : ph_run_look(run, PH_ON_STEP, err);
    double end = timed || pause[1] < HUGE_VAL ? ph_sim_clock() : 0;
    if (timed)
        *own += (double)(each ? 1 : k->since) * fmax(0, end - begun), note_sample(k, begun, end);
    *late = pause[1] < HUGE_VAL && !(end >= pause[0] && end < pause[1]);
    return s;
}

ph_status ph_run_until_or(ph_run *run, double t, double seconds, int *arrived, ph_error *err)
{
    if (!run || !arrived)
        return ph_refuse_null("run, arrived", err);
    ph_status s = make_ready(run, err);
    if (s == PH_OK)
        s = check_end(run, t, err);
    double slack = run->def.opt.h > 0 ? PH_REACHED * run->def.opt.h : 0, own = 0;
    *arrived = 0;
    if (s == PH_OK && !run->observed)
        s = show(run, PH_ON_START, err);
    double begun = ph_sim_clock(), cpu = ph_sim_cpu(), pause[] = {begun, begun + seconds};
    sampling sample = {.every = OFTEN, .last = begun};
    int late = 0;
    while (s == PH_OK && !late && ph_run_time(run) < t - slack && ph_run_ended_by(run) < 0) {
        long before = run->sim->stats.steps;
        if (atomic_load_explicit(&run->stop, memory_order_relaxed) && atomic_exchange(&run->stop, 0)) {
            s = stopped(run, err);
            break;
        }
        s = advance(run, t, err);
        if (s == PH_OK)
            s = look_and_show(run, before, pause, &sample, &own, &late, err);
    }
    double wall = ph_sim_since(begun);
    own = fmin(own, wall);
    run->wall_s += wall - own;
    run->cpu_s += wall > 0 ? (ph_sim_cpu() - cpu) * (1 - own / wall) : 0;
    *arrived = s == PH_OK && (!(ph_run_time(run) < t - slack) || ph_run_ended_by(run) >= 0);
    return *arrived && add_row(run) != PH_OK ? no_room(err) : s;
}

ph_status ph_run_until(ph_run *run, double t, ph_error *err)
{
    int arrived;
    return ph_run_until_or(run, t, HUGE_VAL, &arrived, err);
}
