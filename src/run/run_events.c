/* Events of a run: what is done where functions of the model change their sign.
 *
 * A step ends there (step/guard.h). Then joints are released or engaged, inputs and states get other values, the state is
 * made consistent, and the method starts anew. An action may change the sign of other functions at once: their events
 * follow at the same moment. */
#include <stdio.h>
#include <string.h>

#include "mech/argument.h"
#include "model/keys.h"
#include "run/private.h"
#include "step/guard.h"
#include "step/sim.h"

#define KEPT             1024 /* events of which the time is kept */
#define AT_ONCE          100  /* events at one moment, at most */
#define ZENO             1e-4 /* of a step: where an event comes again after less than that, it comes ever faster */
#define SOON             1e-9 /* of the run: the same, whatever the steps are */
#define POINTS_OF_TIME   8192 /* points of a run at which functions of time only are evaluated; 50 ns each */
#define POINTS_OF_OTHERS 2048 /* the same for functions of time and state, which take 1 us and more */
#define MISSED           1e-3 /* of the size of bodies, or rad: what bodies may lack where a joint engages */

struct ph_events {
    int n;
    ph_guard *guard;
    double *last;         /* n: when it came last; -HUGE_VAL: never */
    unsigned char *other; /* n: its function has changed its sign by an action, */
    unsigned char *woke;  /* n: or is looked at again since then */
    double *before;       /* n: functions before it */
    int n_joints, n_inputs;
    unsigned char *set;    /* n_inputs: events have set it, */
    ph_input *input;       /* n_inputs: and before it was this */
    unsigned char *active; /* n_joints: before what is tried, */
    int n_redundant, n_idle;
    unsigned char *kept_set; /* n_inputs: and likewise */
    ph_input *kept_input;    /* the run's, n_inputs */
    ph_run_event log[KEPT];
    long total;
    int ended; /* 1 + the event that stopped the run; 0: none has */
};

/* ---- functions ----------------------------------------------------------------------------------------- */

static ph_status value(const ph_state *s, int k, double *x, void *ctx)
{
    ph_run *run = ctx;
    ph_scene at = {.m = run->mech, .s = s, .t = s->t, .accelerations = 1};
    return ph_function_values(&at, &run->model->event[k].when, 1, x);
}

/* Adaptive steps follow the motion, but a function may contain the time and change much faster. The points at which such
 * functions are evaluated are a part of the run apart; constant steps are chosen with all functions in view, and only functions
 * of the time itself, which cost little, are evaluated at more points there. */
static void set_spacing(ph_run *run)
{
    ph_guard *g = run->events->guard;
    double span = fmax(0, run->def.t_end - run->t0);
    for (int k = 0; k < g->n; k++) {
        const ph_function *f = &run->model->event[k].when;
        const ph_program *p = f->traced ? f->traced->program : NULL;
        int times = 0, known = p && !p->untraced;
        for (int i = 0; p && i < p->n_args; i++)
            times += p->arg[i].kind == PH_ARG_TIME;
        g->timed[k] = known && times > 0 && times == p->n_args;
        g->spacing[k] = g->timed[k]                                       ? span / POINTS_OF_TIME
                        : (!known || times > 0) && ph_sim_paced(run->sim) ? span / POINTS_OF_OTHERS
                                                                          : 0;
    }
}

/* Events that would only release what is released and engage what is engaged are not looked at. */
static int has_nothing_to_do(const ph_run *run, const ph_event_def *d)
{
    for (const ph_action_def *a = d->action, *end = a + d->n_actions; a < end; a++)
        if ((a->what != PH_DO_RELEASE && a->what != PH_DO_ENGAGE) ||
            ph_mechanism_active(run->mech, a->index) != (a->what == PH_DO_ENGAGE))
            return 0;
    return 1;
}

static void rest_or_wake(ph_run *run)
{
    for (int k = 0; k < run->events->n; k++)
        run->events->guard->rests[k] = (unsigned char)has_nothing_to_do(run, &run->model->event[k]);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

void ph_events_free(ph_run *run)
{
    ph_events *e = run->events;
    const ph_allocator *alloc = run->config.alloc;
    if (!e)
        return;
    ph_guard_destroy(e->guard);
    ph_free(alloc, e->last), ph_free(alloc, e->other), ph_free(alloc, e->before);
    ph_free(alloc, e->woke), ph_free(alloc, e->active), ph_free(alloc, e->set), ph_free(alloc, e->input);
    ph_free(alloc, e->kept_set), ph_free(alloc, e->kept_input);
    ph_free(alloc, e);
    run->events = NULL;
}

static int has_switches(const ph_model *m)
{
    for (int k = 0; k < m->n_joints; k++)
        if (m->joint[k].switched)
            return 1;
    return m->n_events > 0;
}

static void *room(const ph_run *run, int n, size_t size)
{
    void *p = ph_alloc(run->config.alloc, ((size_t)n + 1) * size);
    return p ? memset(p, 0, ((size_t)n + 1) * size) : NULL;
}

ph_status ph_events_adopt(ph_run *run)
{
    const ph_model *m = run->model;
    ph_events_free(run);
    if (!m || !has_switches(m))
        return PH_OK;
    ph_events *e = run->events = room(run, 0, sizeof *e);
    if (!e)
        return PH_E_MEMORY;
    e->n = m->n_events, e->n_joints = m->n_joints, e->n_inputs = m->n_inputs;
    e->last = room(run, e->n, sizeof *e->last), e->other = room(run, e->n, 1);
    e->before = room(run, e->n, sizeof *e->before);
    e->active = room(run, e->n_joints, 1), e->set = room(run, e->n_inputs, 1);
    e->input = room(run, e->n_inputs, sizeof *e->input);
    e->kept_set = room(run, e->n_inputs, 1), e->woke = room(run, e->n, 1);
    e->kept_input = room(run, e->n_inputs, sizeof *e->kept_input);
    ph_status s = e->last && e->other && e->before && e->active && e->set && e->input && e->kept_set &&
                          e->kept_input && e->woke
                      ? ph_guard_create(&e->guard, run->sim, e->n, run->config.alloc)
                      : PH_E_MEMORY;
    if (s != PH_OK) {
        ph_events_free(run);
        return s;
    }
    e->guard->value = value, e->guard->ctx = run;
    for (int k = 0; k < e->n; k++)
        e->guard->way[k] = m->event[k].direction == PH_UPWARDS     ? PH_WAY_UP
                           : m->event[k].direction == PH_DOWNWARDS ? PH_WAY_DOWN
                                                                   : PH_WAY_BOTH;
    run->sim->guard = e->n ? e->guard : NULL;
    return PH_OK;
}

/* ---- the start ------------------------------------------------------------------------------------------- */

static void remember(ph_run *run)
{
    ph_events *e = run->events;
    for (int k = 0; k < e->n_joints; k++)
        e->active[k] = (unsigned char)ph_mechanism_active(run->mech, k);
    e->n_redundant = run->mech->sys.n_redundant, e->n_idle = run->mech->sys.n_idle;
    memcpy(e->kept_set, e->set, (size_t)e->n_inputs);
    for (int k = 0; k < e->n_inputs; k++)
        e->kept_input[k] = run->input[k];
}

static void put_input(ph_run *run, int k, ph_input value)
{
    run->input[k] = run->mech->input[k] = value;
}

void ph_events_return(ph_run *run)
{
    ph_events *e = run->events;
    for (int k = 0; e && k < e->n_joints; k++)
        ph_mechanism_set_active(run->mech, k, e->active[k]);
    for (int k = 0; e && k < e->n_inputs; k++)
        e->set[k] = e->kept_set[k], put_input(run, k, e->kept_input[k]);
    if (e)
        run->mech->sys.n_redundant = e->n_redundant, run->mech->sys.n_idle = e->n_idle;
}

ph_status ph_events_rewind(ph_run *run, ph_error *err)
{
    ph_events *e = run->events;
    int moved = 0;
    if (!e)
        return PH_OK;
    remember(run);
    for (int k = 0; k < e->n_joints; k++) {
        moved |= ph_mechanism_active(run->mech, k) != run->model->joint[k].active;
        ph_mechanism_set_active(run->mech, k, run->model->joint[k].active);
    }
    for (int k = 0; k < e->n_inputs; k++)
        if (e->set[k])
            put_input(run, k, e->input[k]), e->set[k] = 0;
    return moved ? ph_mechanism_rank(run->mech, err) : PH_OK;
}

/* A function that fails at the initial values is a failure of the first step. */
ph_status ph_events_begin(ph_run *run, ph_error *err)
{
    ph_events *e = run->events;
    if (!e || !run->started)
        return PH_OK;
    e->total = 0, e->ended = 0;
    for (int k = 0; k < e->n; k++)
        e->last[k] = -HUGE_VAL;
    rest_or_wake(run);
    set_spacing(run);
    ph_status s = e->n ? ph_guard_begin(run->sim) : PH_OK;
    return s == PH_OK ? s : ph_run_explain_start(run->mech, run->model, s, ph_run_time(run), err);
}

/* ---- actions --------------------------------------------------------------------------------------------- */

static ph_status fail(const ph_run *run, int k, ph_status s, ph_error *err, const char *what)
{
    const ph_event_def *d = &run->model->event[k];
    ph_error own;
    ph_mech_fail(&own, s, run->model, d->origin, "event '%s' at t = %.9g: %.300s", d->name, ph_run_time(run),
                 what);
    return ph_fail(err, s, "%s", own.text);
}

static ph_status assign(ph_run *run, const ph_action_def *a, ph_error *err)
{
    ph_events *e = run->events;
    ph_state s = ph_sim_state(run->sim);
    double x[PH_SENSOR_MAX];
    ph_scene at = {.m = run->mech, .s = &s, .t = s.t, .accelerations = 1};
    ph_status status = a->f.call ? ph_function_values(&at, &a->f, a->size, x) : PH_OK;
    if (status != PH_OK)
        return ph_run_explain(run, status, err);
    if (!a->f.call)
        memcpy(x, a->value, sizeof *x * (size_t)a->size);
    if (a->what == PH_DO_STATE) {
        memcpy(run->sim->now.v + run->mech->own[a->index].v, x, sizeof *x * (size_t)a->size);
        return PH_OK;
    }
    if (!e->set[a->index])
        e->input[a->index] = run->input[a->index], e->set[a->index] = 1;
    ph_inputs_put(run, a->index, x[0]);
    return PH_OK;
}

/* Bodies must be where a joint that engages wants them: what they lack is told. "": nothing. Returns text. */
static const char *what_is_missed(ph_run *run, int joint, char *text, size_t size)
{
    const ph_mechanism *m = run->mech;
    ph_sim *sim = run->sim;
    double position, velocity, most = 0;
    text[0] = 0;
    if (ph_sim_violation(sim, &position, &velocity) != PH_OK)
        return text; /* the restart will tell */
    for (int c = m->joint_of[joint]; c < m->joint_of[joint + 1]; c++)
        if (!m->joint[c].nonholonomic)
            most = ph_larger(most, ph_small_max(m->joint[c].rows, sim->ev.Phi + m->joint[c].l_at));
    if (!(most <= MISSED * fmax(1, sim->matrix.body)))
        snprintf(text, size,
                 "joint '%.64s' engages where its bodies miss it by %.3g; engage it where they meet",
                 run->model->joint[joint].name, most);
    return text;
}

static ph_status switch_joint(ph_run *run, int k, const ph_action_def *a, int *switched, ph_error *err)
{
    int on = a->what == PH_DO_ENGAGE;
    char text[200];
    if (ph_mechanism_active(run->mech, a->index) == on)
        return PH_OK;
    *switched = 1;
    ph_mechanism_set_active(run->mech, a->index, on);
    return on && what_is_missed(run, a->index, text, sizeof text)[0]
               ? fail(run, k, PH_E_INCONSISTENT, err, text)
               : PH_OK;
}

static ph_status act(ph_run *run, int k, int *switched, int *changed, ph_error *err)
{
    const ph_event_def *d = &run->model->event[k];
    ph_status s = PH_OK;
    for (const ph_action_def *a = d->action, *end = a + d->n_actions; a < end && s == PH_OK; a++) {
        *changed |= a->what != PH_DO_STOP;
        if (a->what == PH_DO_STOP)
            run->events->ended = k + 1;
        else if (a->what == PH_DO_SET || a->what == PH_DO_STATE)
            s = assign(run, a, err);
        else
            s = switch_joint(run, k, a, switched, err);
    }
    return s;
}

/* The state consistent with what is now there. */
static ph_status start_anew(ph_run *run, int k, int switched, ph_error *err)
{
    ph_sim *sim = run->sim;
    ph_error own = {0};
    char why[400];
    ph_status s = switched ? ph_mechanism_rank_at(run->mech, sim->now.t, sim->now.q, &own) : PH_OK;
    sim->reason[0] = 0;
    if (s == PH_OK)
        s = ph_sim_restart(sim, &own);
    if (s == PH_OK)
        return s;
    ph_run_explain_start(run->mech, run->model, s, sim->now.t, &own);
    snprintf(why, sizeof why, "what follows cannot be made consistent: %.300s", own.text);
    return fail(run, k, s, err, why);
}

/* ---- order ----------------------------------------------------------------------------------------------- */

static ph_status note(ph_run *run, int k, ph_error *err)
{
    ph_events *e = run->events;
    double t = ph_run_time(run), since = t - e->last[k];
    char text[200];
    e->last[k] = t;
    if (e->total < KEPT)
        e->log[e->total] = (ph_run_event){k, t};
    e->total++;
    if (!(since > 0 && since < fmax(ZENO * e->guard->size, SOON * (t - run->t0))))
        return PH_OK;
    snprintf(
        text, sizeof text,
        "it comes ever faster, now after %.2g s, and the run cannot get beyond; stop it, or hold the bodies, "
        "while it is still rare",
        since);
    return fail(run, k, PH_E_STEP, err, text);
}

/* Functions after the actions: where those that came stand, and which others changed. Those that were located are at 0 but
 * for round-off, unless the action has moved them. How many did change; -1: a function
 * fails. */
static int look_again(ph_run *run, int located)
{
    ph_events *e = run->events;
    ph_guard *g = e->guard;
    int more = 0;
    if (ph_guard_resolve(run->sim) != PH_OK)
        return -1;
    for (int k = 0; k < e->n; k++) {
        double x = g->start[k], near = 1e3 * fabs(e->before[k]), nothing = g->resolution[k];
        int sign = (x > 0) - (x < 0), before = g->sign[k];
        int fits = g->way[k] == PH_WAY_BOTH || (int)g->way[k] == sign;
        e->other[k] = 0;
        if (g->rests[k])
            continue;
        if (e->woke[k] || (g->hit[k] && (!located || (fabs(x) > near && fabs(x) > ph_guard_nothing(g, k))))) {
            g->sign[k] = fabs(x) <= nothing ? 0 : sign, g->rest[k] = nothing;
        } else if (g->hit[k]) {
            g->sign[k] = 0, g->rest[k] = fmax(nothing, 4 * fmax(fabs(x), fabs(e->before[k])));
        } else if (sign && before && sign != before && fmax(fabs(x), fabs(e->before[k])) <= nothing) {
            continue;
        } else if (sign && before && sign != before) {
            g->sign[k] = sign;
            more += e->other[k] = (unsigned char)fits;
        } else if (sign) {
            g->sign[k] = sign;
        }
    }
    return more;
}

/* 1 if an event that has come does more than stop the run. */
static int changes_something(const ph_run *run)
{
    const ph_events *e = run->events;
    for (int k = 0; k < e->n; k++)
        for (int i = 0; e->guard->hit[k] && i < run->model->event[k].n_actions; i++)
            if (run->model->event[k].action[i].what != PH_DO_STOP)
                return 1;
    return 0;
}

/* Functions as a restart without the actions makes them, to g. A restart moves positions in index-2, velocities in index-2 and index-3,
 * and accelerations in most methods, which is no effect of the actions. The state stays as it is. */
static ph_status find_before(ph_run *run, int first, ph_error *err)
{
    ph_sim *sim = run->sim;
    ph_status s = start_anew(run, first, 0, err);
    if (s != PH_OK)
        return s;
    ph_state at = ph_sim_state(sim);
    s = ph_guard_values(sim->guard, &at, sim->guard->g);
    if (s == PH_OK)
        s = ph_guard_undo(sim);
    return s == PH_OK ? s : ph_run_explain(run, s, err);
}

static int first_hit(const ph_events *e)
{
    int k = 0;
    while (k < e->n && !e->guard->hit[k])
        k++;
    return k;
}

/* All that have come at this moment, then all that follow from them. */
static ph_status act_all(ph_run *run, ph_error *err)
{
    ph_events *e = run->events;
    ph_guard *g = e->guard;
    int first = first_hit(e), more = 1;
    ph_status s = changes_something(run) ? find_before(run, first, err) : PH_OK;
    for (int round = 0; more && s == PH_OK; round++) {
        int switched = 0, changed = 0;
        memcpy(e->before, g->g, sizeof *g->g * (size_t)e->n);
        first = first_hit(e);
        for (int k = first; k < e->n && s == PH_OK; k++)
            if (g->hit[k]) {
                s = note(run, k, err);
                if (s == PH_OK)
                    s = act(run, k, &switched, &changed, err);
            }
        if (s == PH_OK && round == AT_ONCE)
            s = fail(run, first, PH_E_STEP, err,
                     "it and others set each other off without end, all at this moment");
        if (s == PH_OK && changed)
            s = start_anew(run, first, switched, err);
        if (s != PH_OK)
            return s;
        memcpy(e->woke, g->rests, (size_t)e->n);
        rest_or_wake(run);
        for (int k = 0; k < e->n; k++)
            e->woke[k] = e->woke[k] && !g->rests[k];
        more = look_again(run, round == 0);
        if (more < 0)
            return ph_run_explain(run, PH_E_CALLBACK, err);
        memcpy(g->hit, e->other, (size_t)e->n);
    }
    return s;
}

ph_status ph_events_act(ph_run *run, ph_error *err)
{
    double kinetic = run->watched.kinetic, potential = run->watched.potential;
    remember(run);
    ph_guard_before(run->sim);
    ph_status s = act_all(run, err);
    if (s != PH_OK) { /* the run stays there, as it came there */
        ph_events_return(run);
        ph_guard_undo(run->sim);
        return s;
    }
    ph_watch_shock(run, kinetic + potential);
    ph_run_jump(run);
    return s;
}

ph_status ph_events_refuse(const ph_run *run, const char *what, ph_error *err)
{
    const ph_event_def *d = run->model && run->model->n_events ? run->model->event : NULL;
    return d ? ph_mech_fail(err, PH_E_INPUT, run->model, d->origin, "event '%s': %s", d->name, what) : PH_OK;
}

int ph_events_met(const ph_run *run)
{
    return run->events && run->events->guard->met;
}

/* ---- save and restore -------------------------------------------------------------------------------------- */

void ph_events_tape(ph_run *run, ph_tape *t)
{
    ph_events *e = run->events;
    if (!e)
        return;
    if (t->mode != PH_TAPE_READ)
        remember(run);
    for (int k = 0; k < e->n_inputs && t->mode == PH_TAPE_READ; k++)
        e->kept_input[k] = run->input[k]; /* which have been read */
    ph_tape_bytes(t, e->active, (size_t)e->n_joints);
    ph_tape_int(t, &e->n_redundant);
    ph_tape_int(t, &e->n_idle);
    ph_tape_bytes(t, e->set, (size_t)e->n_inputs);
    memcpy(e->kept_set, e->set, (size_t)e->n_inputs);
    if (t->mode == PH_TAPE_READ)
        ph_events_return(run);
    ph_guard_tape(e->guard, t);
    ph_tape_numbers(t, e->last, e->n);
    for (int k = 0; k < e->n_inputs; k++) {
        ph_input *u = &e->input[k];
        ph_tape_numbers(t, u->t, 2);
        ph_tape_numbers(t, u->u, 2);
        ph_tape_numbers(t, &u->from, 1);
        ph_tape_int(t, &u->n);
        ph_tape_int(t, &u->own);
        if (t->mode == PH_TAPE_READ) /* its table is that of the run */
            u->at = run->input[k].at, u->value = run->input[k].value, u->step = run->input[k].step;
    }
    ph_tape_bytes(t, e->log, sizeof e->log);
    ph_tape_bytes(t, &e->total, sizeof e->total);
    ph_tape_int(t, &e->ended);
}

/* ---- what others see ---------------------------------------------------------------------------------------- */

const ph_run_event *ph_run_events(const ph_run *run, int *n)
{
    const ph_events *e = run->events;
    *n = !e ? 0 : e->total < KEPT ? (int)e->total : KEPT;
    return e ? e->log : NULL;
}

long ph_run_event_count(const ph_run *run)
{
    return run->events ? run->events->total : 0;
}

int ph_run_ended_by(const ph_run *run)
{
    return run->events ? run->events->ended - 1 : -1;
}

const char *ph_run_event_action(const ph_run *run, int event, char *text, size_t size)
{
    text[0] = 0;
    if (!run->model || event < 0 || event >= run->model->n_events)
        return text;
    const ph_event_def *d = &run->model->event[event];
    for (int k = 0; k < d->n_actions; k++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s%s%s%s", k ? ", " : "", ph_action_word(d->action[k].what),
                 d->action[k].name ? " " : "", d->action[k].name ? d->action[k].name : "");
    }
    return text;
}

ph_status ph_run_set_active(ph_run *run, int joint, int active, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    const ph_model *m = run->model;
    ph_status s = ph_run_start(run, err);
    if (s != PH_OK)
        return s;
    if (!m || joint < 0 || joint >= m->n_joints)
        return ph_fail(err, PH_E_INPUT, "there is no joint %d", joint);
    if (!m->joint[joint].switched)
        return ph_fail(err, PH_E_INPUT,
                       "joint '%s' cannot be released: no event names it, and it is active from the start",
                       m->joint[joint].name);
    if (ph_mechanism_active(run->mech, joint) == !!active)
        return PH_OK;
    if (run->following)
        return ph_fail(err, PH_E_INPUT,
                       "derivatives follow the run, and do not go across a joint that is switched");
    double energy = run->watched.kinetic + run->watched.potential;
    char text[200];
    ph_guard *guard = run->sim->guard;
    remember(run);
    ph_mechanism_set_active(run->mech, joint, !!active);
    run->sim->guard = run->events->guard; /* which steps of a model without events do not have */
    ph_guard_before(run->sim);
    if (active && what_is_missed(run, joint, text, sizeof text)[0])
        s = ph_fail(err, PH_E_INCONSISTENT, "%s", text);
    if (s == PH_OK)
        s = ph_mechanism_rank_at(run->mech, run->sim->now.t, run->sim->now.q, err);
    if (s == PH_OK)
        s = ph_sim_restart(run->sim, err);
    if (s != PH_OK) {
        ph_events_return(run);
        ph_guard_undo(run->sim);
    }
    run->sim->guard = guard;
    if (s != PH_OK)
        return s;
    rest_or_wake(run);
    ph_watch_shock(run, energy);
    ph_run_jump(run);
    return PH_OK;
}
