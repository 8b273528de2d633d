/* The gradient of an objective of the model by the adjoint: the derivatives by the state are the mechanism's, those by
 * parameters come from neighbouring models. */
#include <string.h>

#include "base/sorted.h"
#include "la/small.h"
#include "mech/mech.h"
#include "mech/support.h"
#include "run/neighbours.h"
#include "step/sim.h"

typedef struct objective_run {
    ph_run *run;
    int objective; /* -1: a sensor, */
    int sensor, number;
    int n;
    long steps;
    const ph_neighbours *near;
    const ph_model *refused; /* whose function failed, at time t; NULL: none did */
    double t;
    double *time,
        *weight; /* of a sensor over time: those of all steps + 1 points, and what they count in an integral */
    ph_counted *turns; /* of the run, where it is on its way forwards */
    ph_status stopped; /* why it ended there */
    ph_error why;
    ph_integral sum; /* of the integrand, on the way forwards; */
    double lacks;    /* what the trapezoidal rule lacks of it so far; */
    int n_parts;     /* where errors are asked for: equal parts of the run, and the error that each adds */
    double *part;
    double seen;             /* s, of the last point that the observer has seen, */
    ph_observer_fn observer; /* which it does not see again */
    void *observer_ctx;
    int forces; /* the objective depends on accelerations or multipliers, whose errors are not those of the adjoint */
} objective_run;

static ph_status number_of(const objective_run *g, ph_mechanism *m, const ph_state *s, ph_objective_part part,
                           double *value, const ph_covector *c)
{
    return g->objective < 0 ? ph_mechanism_sensed(m, s, g->sensor, g->number, value, c)
                            : ph_mechanism_objective(m, s, g->objective, part, value, c);
}

/* Explicit dependence on parameter k: the objective at the same state, differenced over the neighbours. */
static ph_status by_parameter(objective_run *g, const ph_state *s, ph_objective_part part, int k, double *out)
{
    const ph_neighbours *near = &g->near[k];
    double x[PH_NEIGHBOURS];
    for (int i = 0; i < PH_NEIGHBOURS; i++) {
        ph_mechanism_copy_turns(near->at[i].mech, g->run->mech);
        ph_status status = number_of(g, near->at[i].mech, s, part, &x[i], NULL);
        if (status != PH_OK) {
            g->refused = near->at[i].model, g->t = s->t;
            return status;
        }
    }
    *out = ph_neighbours_difference(x, near->eps);
    return PH_OK;
}

/* States come one by one, from the last to the first, so that angles stay counted. */
static ph_status value_of(objective_run *g, ph_objective_part part, const ph_state *s, double *value,
                          const ph_covector *c)
{
    ph_mechanism_track(g->run->mech, s);
    ph_status status = number_of(g, g->run->mech, s, part, value, c);
    if (status != PH_OK)
        g->refused = g->run->model, g->t = s->t;
    else if (c && g->part)
        g->forces |= ph_small_max(ph_system_nv(g->run->sys), c->vdot) > 0 ||
                     ph_small_max(ph_system_nl(g->run->sys), c->lambda) > 0;
    for (int k = 0; k < g->n && c && status == PH_OK; k++) {
        double by_p = 0;
        status = by_parameter(g, s, part, k, &by_p);
        c->p[k] += by_p;
    }
    return status;
}

static ph_status final(const ph_state *s, double *value, const ph_covector *c, void *ctx)
{
    return value_of(ctx, PH_AT_THE_END, s, value, c);
}

static ph_status integral(const ph_state *s, double *value, const ph_covector *c, void *ctx)
{
    return value_of(ctx, PH_ON_THE_WAY, s, value, c);
}

static void scale(int n, double f, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= f;
}

/* The point of the run at time t. */
static long point_at(const objective_run *g, double t)
{
    long k = ph_sorted_below(g->steps, g->time, t);
    return k > 0 && t - g->time[k - 1] < g->time[k] - t ? k - 1 : k;
}

/* What a sensor comes to over time is, as far as derivatives go, a sum over the points, each with its weight; the adjoint
 * takes it by the trapezoidal rule. */
static ph_status over(const ph_state *s, double *value, const ph_covector *c, void *ctx)
{
    objective_run *g = ctx;
    const ph_run *run = g->run;
    const ph_over *o = ph_over_of(run, run->over, g->sensor) + g->number;
    long k = point_at(g, s->t), n = g->steps;
    int what = run->model->sensor[g->sensor].over;
    ph_status status = value_of(g, PH_ON_THE_WAY, s, value, c);
    double f =
        ph_over_weight(o, what, g->weight[k], g->time[n] - g->time[0], k == point_at(g, o->when), *value);
    f /= 0.5 * (g->time[k < n ? k + 1 : n] - g->time[k > 0 ? k - 1 : 0]);
    *value *= f;
    if (status != PH_OK || !c)
        return status;
    int nv = ph_system_nv(run->sys);
    scale(nv, f, c->W), scale(nv, f, c->v), scale(nv, f, c->vdot);
    scale(ph_system_nl(run->sys), f, c->lambda), scale(g->n, f, c->p);
    return status;
}

static void copy_turns(void *to, const void *from, const ph_run *run)
{
    memcpy(to, from, (size_t)run->mech->n_turns * sizeof(ph_counted));
}

static ph_status asked_to_stop(objective_run *g, const ph_sim *sim)
{
    if (!atomic_load_explicit(&g->run->stop, memory_order_relaxed) || !atomic_exchange(&g->run->stop, 0))
        return PH_OK;
    g->stopped = PH_E_STOPPED;
    ph_fail(&g->why, PH_E_STOPPED, "stopped at t = %.9g", ph_sim_state(sim).t);
    return g->stopped;
}

/* Turns are counted along the way that is made again, and back. */
static ph_status again(const ph_sim *sim, void *ctx)
{
    const objective_run *g = ctx;
    ph_state s = ph_sim_state(sim);
    ph_mechanism_track(g->run->mech, &s);
    return PH_OK;
}

static ph_status backwards(const ph_sim *sim, void *ctx)
{
    return asked_to_stop(ctx, sim) == PH_OK ? again(sim, ctx) : PH_E_STOPPED;
}

static void keep_turns(void *to, void *ctx)
{
    const objective_run *g = ctx;
    copy_turns(to, g->run->mech->turns, g->run);
}

static void take_turns_back(const void *from, void *ctx)
{
    const objective_run *g = ctx;
    copy_turns(g->run->mech->turns, from, g->run);
}

/* To the part of the run that t is in. */
static void add_to_part(const objective_run *g, double t, double x)
{
    double T = g->run->def.t_end - g->run->t0, at = (t - g->run->t0) / T * g->n_parts;
    int k = (int)ceil(at - 1e-9) - 1;
    g->part[k < 0 ? 0 : k < g->n_parts ? k : g->n_parts - 1] += x;
}

/* The error of the trapezoidal rule, by one of order 4. */
static void look_at_rule(objective_run *g, const ph_sim *sim)
{
    ph_state s = ph_sim_state(sim);
    const ph_so_far *o = &g->run->so_far[g->objective];
    double x;
    if (!ph_objective_has(g->run->model, g->objective, PH_ON_THE_WAY) ||
        ph_mechanism_objective(g->run->mech, &s, g->objective, PH_ON_THE_WAY, &x, NULL) != PH_OK)
        return;
    double rule = ph_sim_stats(sim).steps ? o->sum + 0.5 * (s.t - g->run->watched.t) * (x + o->last) : 0;
    ph_integral_add(&g->sum, s.t, x);
    add_to_part(g, s.t, g->sum.sum - rule - g->lacks);
    g->lacks = g->sum.sum - rule;
}

static void note_time(const objective_run *g, const ph_sim *sim)
{
    long k = ph_sim_stats(sim).steps;
    g->time[k] = ph_sim_state(sim).t;
    if (k == g->steps)
        ph_integral_weights(k + 1, g->time, g->weight);
}

/* Steps by tolerance were counted before: as many as lead to the end, unless a function answers otherwise this time. */
static ph_status goes_another_way(objective_run *g, const ph_sim *sim)
{
    const ph_run_def *d = &g->run->def;
    double t = ph_sim_state(sim).t;
    if (d->opt.h > 0 || (t < d->t_end) == (ph_sim_stats(sim).steps < g->steps))
        return PH_OK;
    g->stopped = PH_E_INPUT;
    ph_fail(
        &g->why, PH_E_INPUT,
        "t = %.9g: the run, made once more for its gradient, goes another way: its functions must give the "
        "same numbers for the same arguments",
        t);
    return g->stopped;
}

static ph_status forwards(const ph_sim *sim, void *ctx)
{
    objective_run *g = ctx;
    if (asked_to_stop(g, sim) != PH_OK || goes_another_way(g, sim) != PH_OK)
        return g->stopped;
    if (g->part)
        look_at_rule(g, sim);
    if (g->time)
        note_time(g, sim);
    g->seen = ph_sim_state(sim).t;
    g->stopped = ph_run_look(g->run, ph_sim_stats(sim).steps ? PH_ON_STEP : PH_ON_START, &g->why);
    copy_turns(g->turns, g->run->mech->turns, g->run);
    return g->stopped;
}

static ph_status step(ph_sim *sim, void *ctx, ph_error *err)
{
    ph_run *run = ((objective_run *)ctx)->run;
    return run->native ? run->native->step(run, err) : ph_sim_step(sim, err);
}

static ph_status refuse(const ph_run *run, ph_error *err)
{
    const ph_options *o = &run->def.opt;
    if (run->model->changing)
        return ph_fail(err, PH_E_INPUT,
                       "%s: its function keeps values between its calls, and a gradient repeats them",
                       run->model->changing);
    for (int k = 0; k < run->n_inputs; k++)
        if (run->input_set[k] && !run->input[k].n)
            return ph_fail(
                err, PH_E_INPUT,
                "input '%s' was set between steps, which a gradient cannot repeat; give it a table",
                run->model->input[k].name);
    if (!(o->h > 0) && !(o->tol > 0))
        return ph_fail(err, PH_E_INPUT, "the model says no h: give a step size");
    if (o->tol > 0 && o->h > 0)
        return ph_fail(
            err, PH_E_INPUT,
            "a gradient by steps of tolerance is that of their ends: leave out h, the grid of the output");
    if (!(run->def.t_end > run->t0))
        return ph_fail(err, PH_E_INPUT,
                       "a gradient is that of a run to t_end, which neither file nor options give");
    return PH_OK;
}

/* Steps of the run from its start, which is reset; those by tolerance are counted in a run of their own, as it is made without a
 * gradient: where angles are counted over turns, sizes of steps depend on all that goes with each. */
static ph_status count_steps(objective_run *g, long *steps, ph_error *err)
{
    ph_run *run = g->run;
    ph_status s = ph_run_reset(run, err);
    *steps = run->def.opt.h > 0 ? lround((run->def.t_end - run->t0) / run->def.opt.h) : 0;
    if (s != PH_OK || run->def.opt.h > 0)
        return s;
    while (s == PH_OK && ph_run_time(run) < run->def.t_end)
        s = asked_to_stop(g, run->sim) == PH_OK ? ph_run_step(run, err)
                                                : ph_fail(err, g->stopped, "%s", g->why.text);
    *steps = ph_sim_stats(run->sim).steps;
    return s == PH_OK ? ph_run_reset(run, err) : s;
}

static ph_status errors_by_steps(objective_run *g, ph_sens *sens, long steps, const ph_objective *o,
                                 size_t memory, double *value, ph_error *err)
{
    const ph_allocator *alloc = g->run->config.alloc;
    double *time = ph_alloc(alloc, 2 * (size_t)steps * sizeof *time), *term = time + steps;
    if (!time)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the errors of %ld steps", steps);
    ph_status s = ph_sens_error_of(sens, steps, o, memory, value, time, term, err);
    for (long k = 0; k < steps && s == PH_OK; k++)
        add_to_part(g, time[k], term[k]);
    ph_free(alloc, time);
    return s;
}

static ph_objective objective_of(objective_run *g)
{
    const ph_model *m = g->run->model;
    ph_objective o = {.forwards = forwards,
                      .backwards = backwards,
                      .kept = (size_t)g->run->mech->n_turns * sizeof(ph_counted),
                      .keep = keep_turns,
                      .take_back = take_turns_back,
                      .again = again,
                      .step = step,
                      .ctx = g};
    if (g->objective < 0 && m->sensor[g->sensor].over)
        o.integral = over;
    else if (g->objective < 0)
        o.final = final;
    if (g->objective >= 0 && ph_objective_has(m, g->objective, PH_AT_THE_END))
        o.final = final;
    if (g->objective >= 0 && ph_objective_has(m, g->objective, PH_ON_THE_WAY))
        o.integral = integral;
    return o;
}

/* From the start, with neighbours that are there; param NULL: errors in place of derivatives. */
static ph_status differentiate(objective_run *g, const ph_param *param, long steps, size_t memory,
                               double *value, double *gradient, ph_error *err)
{
    ph_run *run = g->run;
    ph_sens *sens;
    ph_objective o = objective_of(g);
    ph_status s = param ? ph_sens_create(&sens, run->sim, g->n, param, err)
                        : ph_sens_create_error(&sens, run->sim, err);
    copy_turns(g->turns, run->mech->turns, run);
    run->sim->t_stop = run->def.t_end;
    double begun = ph_sim_clock(), cpu = ph_sim_cpu();
    if (s == PH_OK)
        s = param ? ph_sens_gradient(sens, steps, &o, memory, value, gradient, err)
                  : errors_by_steps(g, sens, steps, &o, memory, value, err);
    run->wall_s += ph_sim_since(begun), run->cpu_s += ph_sim_cpu() - cpu;
    run->sim->t_stop = HUGE_VAL;
    copy_turns(run->mech->turns, g->turns, run); /* the way back has counted others */
    ph_sens_destroy(sens);
    if (s == PH_OK && g->objective < 0) { /* the sum of weights and values is something else */
        double x[PH_SENSOR_MAX];
        s = ph_run_get(run, run->model->sensor[g->sensor].over ? PH_GET_OVER : PH_GET_SENSOR, g->sensor, x);
        *value = x[g->number];
    }
    if (g->refused)
        return ph_fail(err, PH_E_CALLBACK, "t = %.9g: %.400s", g->t, ph_model_complaint(g->refused));
    if (g->stopped != PH_OK)
        return ph_fail(err, g->stopped, "%s", g->why.text);
    if (s == PH_E_CALLBACK)
        ph_run_explain(run, s, err);
    return param ? ph_neighbours_explain(g->near, g->n, s, err) : s;
}

/* Errors, or with neighbours a gradient. */
static ph_status go_back(objective_run *g, const ph_param *param, size_t memory, double *value,
                         double *gradient, ph_error *err)
{
    ph_run *run = g->run;
    const ph_allocator *alloc = run->config.alloc;
    long steps = 0;
    int over = g->objective < 0 && run->model->sensor[g->sensor].over;
    g->turns = ph_alloc(alloc, (size_t)(run->mech->n_turns + 1) * sizeof *g->turns);
    ph_status s = count_steps(g, &steps, err);
    if (s == PH_OK && over)
        g->time = ph_alloc(alloc, 2 * (size_t)(steps + 1) * sizeof *g->time), g->weight = g->time + steps + 1;
    if (s == PH_OK && (!g->turns || (over && !g->time)))
        s = ph_fail(err, PH_E_MEMORY, "not enough memory for a gradient");
    if (s == PH_OK)
        g->steps = steps, s = differentiate(g, param, steps, memory, value, gradient, err);
    ph_free(alloc, g->turns), ph_free(alloc, g->time);
    return s;
}

static ph_status show_the_rest(ph_run *run, int why, void *ctx)
{
    const objective_run *g = ctx;
    return g->observer && ph_run_time(run) > g->seen ? g->observer(run, why, g->observer_ctx) : PH_OK;
}

/* Derivatives that follow the steps, for a run that restarts on its way, at a jump of an input or in a step that is divided:
 * the adjoint does not. */
static ph_status follow_instead(objective_run *g, const int *parameters, double *value, double *gradient,
                                ph_error *err)
{
    ph_run *run = g->run;
    int over = g->objective < 0 && run->model->sensor[g->sensor].over;
    int what = g->objective >= 0 ? PH_GET_OBJECTIVE : over ? PH_GET_OVER : PH_GET_SENSOR;
    int index = g->objective >= 0 ? g->objective : g->sensor;
    double x[PH_SENSOR_MAX];
    for (int k = 0; k < g->n; k++) /* before the run is reset: a refusal changes nothing */
        if (parameters[k] < 0 || parameters[k] >= run->model->n_params)
            return ph_fail(err, PH_E_INPUT, "there is no parameter %d", parameters[k]);
    ph_status s = ph_run_reset(run, err);
    if (s == PH_OK)
        s = ph_run_follow(run, parameters, g->n, err);
    g->observer = run->observer, g->observer_ctx = run->observer_ctx;
    ph_run_observe(run, show_the_rest, g);
    if (s == PH_OK)
        s = ph_run_until(run, run->def.t_end, err);
    ph_run_observe(run, g->observer, g->observer_ctx);
    for (int k = -1; k < g->n && s == PH_OK; k++) {
        s = k < 0 ? ph_run_get(run, what, index, x) : ph_run_get_derivative(run, what, index, k, x);
        const char *why = ph_model_complaint(run->model);
        if (s == PH_OK)
            *(k < 0 ? value : &gradient[k]) = x[g->number];
        else
            s = ph_fail(err, PH_E_CALLBACK, "t = %.9g: %.400s", ph_run_time(run),
                        why[0] ? why : "derivatives of the objective are not finite");
    }
    ph_following_free(run);
    return s;
}

static ph_status gradient_of(objective_run g, const int *parameters, size_t memory, double *value,
                             double *gradient, ph_error *err)
{
    const ph_allocator *alloc = g.run->config.alloc;
    ph_neighbours *near;
    ph_param *param;
    ph_status s = refuse(g.run, err);
    if (s == PH_OK && g.n < 1)
        s = ph_fail(err, PH_E_INPUT, "a gradient needs parameters");
    if (s == PH_OK)
        s = ph_mechanism_can(g.run->mech, PH_CAN_SENS, err);
    if (s == PH_OK && ph_inputs_jump(g.run) >= 0)
        return follow_instead(&g, parameters, value, gradient, err);
    if (s == PH_OK)
        s = ph_neighbours_of(g.run, parameters, g.n, &near, &param, err);
    if (s != PH_OK)
        return s;
    g.near = near;
    s = go_back(&g, param, memory, value, gradient, err);
    int divided = s == PH_E_INPUT && ph_sim_stats(g.run->sim).divided > 0;
    for (int k = 0; k < g.n; k++)
        ph_neighbours_destroy(&near[k]);
    ph_free(alloc, near), ph_free(alloc, param);
    return divided ? follow_instead(&g, parameters, value, gradient, err) : s;
}

static ph_status find_objective(const ph_run *run, int objective, ph_error *err)
{
    return run->model && objective >= 0 && objective < run->model->n_objectives
               ? PH_OK
               : ph_fail(err, PH_E_INPUT, "there is no objective %d", objective);
}

ph_status ph_run_gradient(ph_run *run, int objective, const int *parameters, int n, size_t memory,
                          double *value, double *gradient, ph_error *err)
{
    if (!run || (!parameters && n > 0) || !value || !gradient)
        return ph_refuse_null("run, parameters, value, gradient", err);
    objective_run g = {.run = run, .objective = objective, .n = n, .seen = -HUGE_VAL};
    ph_status s = find_objective(run, objective, err);
    return s == PH_OK ? gradient_of(g, parameters, memory, value, gradient, err) : s;
}

ph_status ph_run_gradient_of_sensor(ph_run *run, int sensor, int number, const int *parameters, int n,
                                    size_t memory, double *value, double *gradient, ph_error *err)
{
    if (!run || (!parameters && n > 0) || !value || !gradient)
        return ph_refuse_null("run, parameters, value, gradient", err);
    if (!run->model || sensor < 0 || sensor >= run->model->n_sensors || number < 0 ||
        number >= run->model->sensor[sensor].size)
        return ph_fail(err, PH_E_INPUT, "there is no number %d of a sensor %d", number, sensor);
    const ph_sensor_def *d = &run->model->sensor[sensor];
    if (ph_sensor_row_of(d)->op->depth == PH_NOT_SEEN)
        return ph_fail(err, PH_E_INPUT,
                       "sensor '%s' is a sum over the run, which has no gradient; take an integral of power",
                       d->name);
    objective_run g = {
        .run = run, .objective = -1, .sensor = sensor, .number = number, .n = n, .seen = -HUGE_VAL};
    return gradient_of(g, parameters, memory, value, gradient, err);
}

ph_status ph_run_objective_error(ph_run *run, int objective, size_t memory, double *value, double *error,
                                 int n_parts, double *parts, ph_error *err)
{
    if (!run || !value || !error || (!parts && n_parts > 0))
        return ph_refuse_null("run, value, error, parts", err);
    double whole = 0;
    objective_run g = {.run = run,
                       .objective = objective,
                       .n_parts = n_parts > 0 ? n_parts : 1,
                       .part = n_parts > 0 ? parts : &whole};
    ph_status s = find_objective(run, objective, err);
    if (s == PH_OK)
        s = refuse(run, err);
    if (s == PH_OK)
        s = ph_events_refuse(run, PH_NO_BARS, err);
    if (s == PH_OK)
        s = ph_mechanism_can(run->mech, PH_CAN_SENS, err);
    if (s == PH_OK && ph_inputs_jump(run) >= 0)
        s = ph_fail(err, PH_E_INPUT,
                    "the error of an objective does not go back across the steps of input '%s'; compare runs "
                    "with two step sizes",
                    run->model->input[ph_inputs_jump(run)].name);
    memset(g.part, 0, (size_t)g.n_parts * sizeof *g.part);
    if (s == PH_OK)
        s = go_back(&g, NULL, memory, value, NULL, err);
    *error = 0;
    for (int k = 0; k < g.n_parts; k++)
        *error += g.part[k];
    if (s == PH_OK && g.forces)
        return ph_fail(
            err, PH_E_INPUT,
            "objective '%s' depends on accelerations or reactions: where its error comes from is not known; "
            "run --error-bars says how large it is",
            run->model->objective[objective].name);
    return s;
}
