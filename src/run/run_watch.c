/* Checks of a run from step to step: violations of the constraints, the balance of energy, and whether the kinetic
 * energy can be explained.
 *
 *   E - E0 = int P dt - int D dt + residual, P and D the powers of (Y4), (Y5)
 *
 * A method of second order uses the mean effort times the mean rate, pair by pair. Under the trapezoidal rule this is the
 * change of the kinetic energy:
 *
 *   W = h sum_k (f_k,n + f_k,1)/2 (v_k,n + v_k,1)/2,   given += max(0, h P_n, h P_1, W)             (RB3)
 *
 * A method with stages adds up P and D itself (RB20). The other methods get the polynomial through the last values.
 *
 * Kinetic energy is at most the initial one, plus what the potential gave or springs can give, plus `given`. A quadrature
 * of forces that the steps do not resolve is off by at most
 *
 *   reserve = max over steps of h sum_k max |f_k| max |v_k|                                          (RB4)
 *
 * once, since its errors do not add up. A run that has become unstable is soon far above; errors of a sound one are a few
 * percent, and those of a method that feeds vibrations, as explicit Euler does, grow slowly. */
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"
#include "run/run_limits.h"
#include "step/sim.h"

/* Round-off of a system at rest must not count: the energy of all its bodies at a very small speed. */
static double floor_of(const ph_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->n_bodies; i++)
        if (!m->body[i].flexible)
            sum += m->body[i].mass + m->body[i].J.xx + m->body[i].J.yy + m->body[i].J.zz;
    for (int i = 0; i < m->n_flexible; i++) { /* mass and moments of inertia of the undeformed body */
        int n = 6 + 4 * m->flexible[i].body->modes;
        for (int k = 2; k < 6; k++)
            sum += m->flexible[i].body->calM[k * (n + 1)];
    }
    return sum * PH_WATCH_SLOW * PH_WATCH_SLOW;
}

/* What springs hold; 0 where flexible bodies make the potential of gravity another. */
static double stored(const ph_run *run, const ph_state *s, double potential)
{
    const ph_model *m = run->model;
    for (int i = 0; i < m->n_bodies && !m->n_flexible; i++) {
        ph_body_state b;
        ph_mechanism_body(run->mech, s, i, &b);
        potential += m->body[i].mass * ph_dot(m->gravity, b.x);
    }
    return m->n_flexible ? 0 : fmax(potential, 0);
}

/* ---- power -------------------------------------------------------------------------------------------- */

static int keeps_energy(const ph_run *run)
{
    return run->pairs.given + run->pairs.lost == 0;
}

/* Power and dissipation at a state; `to` receives their pairs, unless it is NULL. */
static void find_flows(const ph_run *run, const ph_state *s, ph_port *to, double out[PH_TALLY])
{
    ph_flow given = {to, 0}, lost = {to ? to + run->pairs.given : NULL, 0};
    ph_mechanism_flows(run->mech, s, &given, &lost);
    out[0] = given.sum, out[1] = lost.sum;
}

static void rates(void *run, const ph_state *s, double out[PH_TALLY])
{
    find_flows(run, s, NULL, out);
}

static int sees_energy(const ph_run *run)
{
    return (run->config.watch & (PH_WATCH_ENERGY | PH_WATCH_BLOWUP)) || run->balances;
}

void ph_watch_free(ph_run *run)
{
    ph_free(run->config.alloc, run->pairs.block);
    run->pairs = (ph_pairs){0};
}

static ph_status take_pairs(ph_run *run)
{
    ph_pairs *p = &run->pairs;
    int given = 0, lost = 0;
    if (run->mech)
        ph_mechanism_count_pairs(run->mech, &given, &lost);
    size_t n = (size_t)(given + lost);
    if (given + lost > p->room) {
        ph_watch_free(run);
        p->block = ph_alloc(run->config.alloc, n * (3 * sizeof(ph_port) + sizeof(double)));
        if (!p->block)
            return PH_E_MEMORY;
        p->room = given + lost;
    }
    p->given = given, p->lost = lost;
    p->last = p->block, p->now = n ? p->last + n : NULL, p->start = n ? p->now + n : NULL;
    p->seen = n ? (double *)(p->start + n) : NULL;
    if (n)
        memset(p->block, 0, n * (3 * sizeof(ph_port) + sizeof(double)));
    return PH_OK;
}

ph_status ph_watch_start(ph_run *run)
{
    run->counts = run->mech && ph_mechanism_counts(run->mech);
    if (!run->model)
        return PH_OK;
    run->floor = floor_of(run->model);
    run->balances = 0;
    for (int k = 0; k < run->model->n_sensors; k++)
        run->balances |= ph_sensor_row_of(&run->model->sensor[k])->op->depth == PH_NOT_SEEN;
    ph_status s = take_pairs(run);
    run->tally = (ph_tally){.rates = rates, .ctx = run, .t = -HUGE_VAL};
    run->sim->tally = s == PH_OK && run->mech && sees_energy(run) && !keeps_energy(run) ? &run->tally : NULL;
    return s;
}

/* ---- violations --------------------------------------------------------------------------------------- */

/* NaN must win. */
static void enlarge(double *most, double x)
{
    if (x > *most || isnan(x))
        *most = x;
}

static void note_violation(ph_watched *w, double position, double velocity)
{
    w->position = position, w->velocity = velocity;
    enlarge(&w->most_position, position);
    enlarge(&w->most_velocity, velocity);
}

void ph_watch_violation(ph_run *run)
{
    double position, velocity;
    if (!(run->config.watch & PH_WATCH_VIOLATION))
        return;
    if (ph_sim_violation(run->sim, &position, &velocity) != PH_OK)
        position = velocity = NAN;
    note_violation(&run->watched, position, velocity);
}

/* ---- the balance of energy ---------------------------------------------------------------------------- */

void ph_watch_shock(ph_run *run, double energy)
{
    ph_watched *w = &run->watched;
    ph_state s = ph_sim_state(run->sim);
    if (!run->mech || !w->work.n)
        return;
    ph_mechanism_energies(run->mech, &s, &w->kinetic, &w->potential);
    double lost = energy - w->kinetic - w->potential;
    if (lost >= 0)
        w->dissipated.sum += lost;
    else
        w->work.sum -= lost, w->given -= lost;
}

/* The energy does not balance if
 *
 *   |residual| > p (T + V_0 - V + given + dissipated),  the largest residual, T and V_0 - V so far      (RB21)
 *
 * The sum in brackets is the energy that moved; p is PH_WATCH_RESIDUAL, and with error control at most
 * PH_WATCH_RESIDUAL_TOL tol. */
static double allowed_residual(const ph_run *run)
{
    const ph_watched *w = &run->watched;
    double tol = run->sim->opt.tol, p = PH_WATCH_RESIDUAL;
    double moved = w->most_kinetic + w->fallen + w->given + fmax(0, w->dissipated.sum);
    if (tol > 0)
        p = fmin(p, PH_WATCH_RESIDUAL_TOL * tol);
    return p * moved + PH_WATCH_ROUND * fabs(w->first_potential) + run->floor;
}

/* Record the time from which on a condition holds. */
static void note_from(int *holds, double *from, int now, double t)
{
    if (now && !*holds)
        *from = t;
    *holds = now;
}

/* What is left of the balance. Between the ends of steps, what interpolation lacks is no drift of theirs. */
static void close_balance(ph_run *run, double t)
{
    ph_watched *w = &run->watched;
    double work = ph_integral_value(&w->work), dissipated = ph_integral_value(&w->dissipated);
    w->residual = w->kinetic + w->potential - w->first_kinetic - w->first_potential - work + dissipated;
    if (!(run->sim->within > 0)) {
        enlarge(&w->most_residual, fabs(w->residual));
        enlarge(&w->most_kinetic, w->kinetic);
        w->fallen = fmax(w->fallen, w->first_potential - w->potential);
        note_from(&w->unbalanced, &w->unbalanced_from, w->most_residual > allowed_residual(run), t);
    }
    run->mech->balance.work = work, run->mech->balance.dissipated = dissipated;
}

/* A step that starts there knows its first rates: those after a jump, if there was one. */
static void note_start(ph_run *run, double t, const double flow[PH_TALLY])
{
    run->tally.known = 0, run->tally.t = t;
    memcpy(run->tally.first, flow, sizeof run->tally.first);
}

/* Start all sums at a state. */
static void begin_sums(ph_run *run, const ph_state *s)
{
    ph_watched *w = &run->watched;
    double flow[PH_TALLY];
    find_flows(run, s, run->pairs.last, flow);
    for (int k = 0; k < run->pairs.given + run->pairs.lost; k++)
        run->pairs.seen[k] = run->pairs.last[k].f;
    note_start(run, s->t, flow), w->between = 0;
    ph_integral_add(&w->work, s->t, flow[0]);
    ph_integral_add(&w->dissipated, s->t, flow[1]);
}

/* Powers of n pairs over a step: at both ends, of the means, and sum max |f| max |v| [W]. */
typedef struct powers {
    double first, last, mean, most;
} powers;

static powers powers_of(int n, const ph_port *from, const ph_port *to)
{
    powers p = {0};
    for (int k = 0; k < n; k++) {
        double f0 = from[k].f, f1 = to[k].f, v0 = from[k].v, v1 = to[k].v;
        p.first += f0 * v0, p.last += f1 * v1;
        p.mean += (f0 + f1) * (v0 + v1) / 4;
        p.most += fmax(fabs(f0), fabs(f1)) * fmax(fabs(v0), fabs(v1));
    }
    return p;
}

/* (RB3) and (RB4) from the last accepted point to t. */
static void explain_work(ph_run *run, double t)
{
    ph_watched *w = &run->watched;
    double dt = t - w->work.t[w->work.n - 1];
    powers p = powers_of(run->pairs.given, run->pairs.last, run->pairs.now);
    w->given += dt * fmax(fmax(p.first, p.last), fmax(p.mean, 0));
    w->reserve = fmax(w->reserve, dt * p.most);
}

/* A method that restarts at a point of the output leaves its step there. */
void ph_watch_jump(ph_run *run)
{
    ph_watched *w = &run->watched;
    ph_state s = ph_sim_state(run->sim);
    if (!run->mech || !w->work.n)
        return;
    if (w->between)
        explain_work(run, w->t);
    ph_integral_jump(&w->work), ph_integral_jump(&w->dissipated);
    begin_sums(run, &s);
}

/* The quadrature of means has the order of the method. */
static int is_second_order(const ph_sim *sim)
{
    return !(sim->stepper->reads & PH_READS_ORDER) || sim->opt.order <= 2;
}

/* The weights with which a method sees efforts: those of generalized-alpha, or the trapezoidal rule. */
typedef struct weights {
    double alpha_m, alpha_f, gamma;
} weights;

static weights weights_of(const ph_sim *sim)
{
    const ph_options *o = &sim->opt;
    int alpha = (sim->stepper->reads & PH_READS_ALPHA) && !ph_sim_paced(sim);
    return alpha ? (weights){o->alpha_m, o->alpha_f, o->gamma} : (weights){0, 0, 0.5};
}

static int is_start(const ph_run *run, double t)
{
    return fabs(run->tally.t - t) <= PH_WATCH_INSTANT * fabs(t);
}

/* f_0* of (RB33) to pairs.start: a damper that the step does not resolve has another effort as soon as the step has begun. */
static void relax_start(ph_run *run)
{
    const ph_sim *sim = run->sim;
    const ph_pairs *p = &run->pairs;
    double flow[PH_TALLY];
    if (!sim->stiff || !is_start(run, sim->relaxed.t)) {
        memcpy(p->start, p->last, sizeof *p->start * (size_t)(p->given + p->lost));
        return;
    }
    ph_state s = ph_point_view(&sim->relaxed, &sim->lay);
    s.t = run->tally.t;
    find_flows(run, &s, p->start, flow);
}

/* Efforts at the start of the step, as the method sees them. (RB33) */
static void begin_efforts(ph_run *run, const weights *w)
{
    const ph_pairs *p = &run->pairs;
    double Da = w->alpha_m - w->alpha_f, rho = w->alpha_f / (1 - w->alpha_f);
    relax_start(run);
    for (int k = 0; k < p->given + p->lost; k++) {
        double f = p->start[k].f;
        p->seen[k] = f + Da * (p->now[k].f - f + rho * (p->last[k].f - f));
    }
}

/* Mean efforts times mean rates of n pairs from `first` on; then moves the efforts to the end of the step. (RB33) */
static double seen_power(const ph_pairs *p, int first, int n, const weights *w)
{
    double sum = 0;
    for (int k = first; k < first + n; k++) {
        double f = p->seen[k], mean;
        p->seen[k] =
            ((1 - w->alpha_f) * p->now[k].f + w->alpha_f * p->last[k].f - w->alpha_m * f) / (1 - w->alpha_m);
        mean = (1 - w->gamma) * f + w->gamma * p->seen[k];
        sum += mean * (p->last[k].v + p->now[k].v) / 2;
    }
    return sum;
}

static void add_powers(ph_run *run, double t, const double flow[PH_TALLY])
{
    ph_watched *w = &run->watched;
    ph_pairs *p = &run->pairs;
    weights by = weights_of(run->sim);
    double dt = t - w->work.t[w->work.n - 1];
    explain_work(run, t);
    if (is_start(run, run->sim->t0) || is_start(run, run->sim->relaxed.t))
        begin_efforts(run, &by);
    double work = dt * seen_power(p, 0, p->given, &by), lost = dt * seen_power(p, p->given, p->lost, &by);
    if (run->tally.known || is_second_order(run->sim)) {
        ph_integral_put(&w->work, t, flow[0], run->tally.known ? run->tally.part[0] : work);
        ph_integral_put(&w->dissipated, t, flow[1], run->tally.known ? run->tally.part[1] : lost);
    } else {
        ph_integral_add(&w->work, t, flow[0]);
        ph_integral_add(&w->dissipated, t, flow[1]);
    }
    note_start(run, t, flow);
    ph_port *free = p->last;
    p->last = p->now, p->now = free;
}

/* Sums go from one accepted point to the next. Points of the output in between only show them. */
static void watch_powers(ph_run *run, const ph_state *s)
{
    ph_watched *w = &run->watched;
    double flow[PH_TALLY];
    find_flows(run, s, run->pairs.now, flow);
    w->between = run->sim->within > 0;
    if (w->between) {
        ph_integral_show(&w->work, s->t, flow[0]);
        ph_integral_show(&w->dissipated, s->t, flow[1]);
    } else {
        add_powers(run, s->t, flow);
    }
}

static void watch_energy(ph_run *run, const ph_state *s)
{
    ph_watched *w = &run->watched;
    ph_mechanism_energies(run->mech, s, &w->kinetic, &w->potential);
    if (!w->work.n) {
        w->first_kinetic = w->kinetic, w->first_potential = w->potential;
        w->fallen = stored(run, s, w->potential);
        begin_sums(run, s);
    } else if (!keeps_energy(run)) {
        watch_powers(run, s);
    }
    close_balance(run, s->t);
}

/* The work of user constraints is unknown. Interpolated points decide nothing. */
static int is_blown(ph_run *run, double t)
{
    ph_watched *w = &run->watched;
    if (run->sim->within > 0)
        return w->blown;
    w->explained = run->floor + w->first_kinetic + w->given + w->fallen;
    int finite = w->kinetic < HUGE_VAL;
    if ((finite && w->kinetic <= PH_WATCH_TOO_MUCH * w->explained) || run->model->n_constraints) {
        w->strikes = 0;
        return 0;
    }
    if (!w->strikes++)
        w->struck_from = t;
    return !finite || w->strikes >= PH_WATCH_STRIKES ||
           !(w->kinetic <= PH_WATCH_TOO_MUCH * (w->explained + w->reserve));
}

/* What helps against it, beside smaller steps; "": nothing that is known. */
static const char *remedy(const ph_options *o)
{
    return strcmp(o->method, "bliedf") == 0 && o->order > 2
               ? "bliedf of an order above 2 feeds vibrations that its steps do not resolve, so take order 2 "
                 "or genalpha; or "
               : "";
}

static ph_status explain(ph_run *run, const ph_state *s, ph_error *err)
{
    const ph_watched *w = &run->watched;
    ph_vec3 most = {0, 0, 0};
    int fastest = 0;
    char text[160] = "";
    const ph_options *o = &run->def.opt;
    for (int i = 0; i < run->model->n_bodies; i++) {
        ph_body_state b;
        ph_mechanism_body(run->mech, s, i, &b);
        if (ph_norm(b.omega) > ph_norm(most))
            most = b.omega, fastest = i;
    }
    if (ph_norm(most) > 0)
        snprintf(text, sizeof text, "; fastest: body '%s' turns at %.3g rad/s",
                 run->model->body[fastest].name, ph_norm(most));
    run->trouble = (ph_run_trouble){.status = PH_E_STEP, .t = s->t, .h = o->h, .explodes = 1};
    return ph_fail(
        err, PH_E_STEP,
        "t = %.9g: the solution explodes: its kinetic energy is %.3g J, and at most %.3g J can be explained; "
        "%suse a smaller %s = %g or another space%s",
        s->t, w->kinetic, w->explained, remedy(o), o->tol > 0 ? "tolerance than tol" : "step than h",
        o->tol > 0 ? o->tol : o->h, text);
}

ph_status ph_watch_look(ph_run *run, const ph_state *s, ph_error *err)
{
    if (!run->mech || !sees_energy(run))
        return PH_OK;
    watch_energy(run, s);
    run->watched.blown = (run->config.watch & PH_WATCH_BLOWUP) && is_blown(run, s->t);
    return run->watched.blown ? explain(run, s, err) : PH_OK;
}

int ph_watch_told(ph_run *run, double t, const ph_sighting *seen)
{
    unsigned watch = run->config.watch;
    ph_watched *w = &run->watched;
    w->t = t;
    if (watch & PH_WATCH_VIOLATION)
        note_violation(w, seen->position, seen->velocity);
    if (!sees_energy(run))
        return 1;
    w->kinetic = seen->kinetic, w->potential = seen->potential;
    close_balance(run, t);
    return !((watch & PH_WATCH_BLOWUP) && is_blown(run, t));
}
