/* What is watched of a run from step to step: violations of the constraints, the balance of energy, and whether the
 * kinetic energy can be explained.
 *
 *   E - E0 = int P dt - int D dt + residual, P and D the powers of (Y4), (Y5), integrated as run_over.c does
 *
 * Kinetic energy is at most what there was at first, what the potential has given or springs can give, and what drives
 * and forces have done. A run that has become unstable is soon far above it; errors of a sound one are a few percent,
 * those of a method that feeds vibrations, as explicit Euler does, grow slowly. */
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"
#include "step/sim.h"

#define TOO_MUCH 2 /* times the kinetic energy that can be explained */

/* Round-off of a system at rest must not count: energy of all its bodies at this speed [m/s, rad/s]. */
#define SLOW 1e-6

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
    return sum * SLOW * SLOW;
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

void ph_watch_start(ph_run *run)
{
    run->counts = run->mech && ph_mechanism_counts(run->mech);
    if (!run->model)
        return;
    run->floor = floor_of(run->model);
    run->closed = run->mech && ph_mechanism_is_closed(run->mech);
    run->balances = 0;
    for (int k = 0; k < run->model->n_sensors; k++)
        run->balances |= ph_sensor_row_of(&run->model->sensor[k])->op->depth == PH_NOT_SEEN;
}

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

void ph_watch_jump(ph_run *run)
{
    ph_watched *w = &run->watched;
    ph_state s = ph_sim_state(run->sim);
    if (!run->mech || !w->work.n)
        return;
    w->power = ph_mechanism_power(run->mech, &s);
    ph_integral_jump(&w->work), ph_integral_jump(&w->dissipated);
    ph_integral_add(&w->work, s.t, w->power);
    ph_integral_add(&w->dissipated, s.t, ph_mechanism_dissipation(run->mech, &s));
}

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

/* What is left of the balance. Between the ends of steps, what interpolation lacks is no drift of theirs. */
static void close_balance(ph_run *run)
{
    ph_watched *w = &run->watched;
    double work = ph_integral_value(&w->work), dissipated = ph_integral_value(&w->dissipated);
    w->residual = w->kinetic + w->potential - w->first_kinetic - w->first_potential - work + dissipated;
    enlarge(&w->most_kinetic, w->kinetic);
    if (!(run->sim->within > 0))
        enlarge(&w->most_residual, fabs(w->residual));
    run->mech->balance.work = work, run->mech->balance.dissipated = dissipated;
}

static void watch_powers(ph_run *run, const ph_state *s, int first)
{
    ph_watched *w = &run->watched;
    double power = w->power;
    w->power = ph_mechanism_power(run->mech, s);
    ph_integral_take(run, &w->work, s->t, w->power);
    ph_integral_take(run, &w->dissipated, s->t, ph_mechanism_dissipation(run->mech, s));
    if (first) {
        w->first_kinetic = w->kinetic, w->first_potential = w->potential;
        w->fallen = stored(run, s, w->potential);
    } else {
        w->given += (s->t - w->t) * fmax(fmax(w->power, power), 0);
    }
}

static void watch_energy(ph_run *run, const ph_state *s, int first)
{
    ph_mechanism_energies(run->mech, s, &run->watched.kinetic, &run->watched.potential);
    if (first || !run->closed)
        watch_powers(run, s, first);
    close_balance(run);
}

/* User constraints may do work of which nothing is known. */
static int is_blown(ph_run *run)
{
    ph_watched *w = &run->watched;
    w->fallen = fmax(w->fallen, w->first_potential - w->potential);
    w->explained = run->floor + w->first_kinetic + w->given + w->fallen;
    return !run->model->n_constraints && !(w->kinetic <= TOO_MUCH * w->explained);
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
    unsigned watch = run->config.watch;
    if (!run->mech || !(watch & (PH_WATCH_ENERGY | PH_WATCH_BLOWUP) || run->balances))
        return PH_OK;
    watch_energy(run, s, !run->watched.work.n);
    run->watched.blown = (watch & PH_WATCH_BLOWUP) && is_blown(run);
    return run->watched.blown ? explain(run, s, err) : PH_OK;
}

int ph_watch_told(ph_run *run, double t, const ph_sighting *seen)
{
    unsigned watch = run->config.watch;
    ph_watched *w = &run->watched;
    w->t = t;
    if (watch & PH_WATCH_VIOLATION)
        note_violation(w, seen->position, seen->velocity);
    if (!(watch & (PH_WATCH_ENERGY | PH_WATCH_BLOWUP) || run->balances))
        return 1;
    w->kinetic = seen->kinetic, w->potential = seen->potential;
    close_balance(run);
    return !((watch & PH_WATCH_BLOWUP) && is_blown(run));
}
