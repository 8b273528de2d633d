/* What is watched of a run from step to step: violations of the constraints, the balance of energy, and whether the
 * kinetic energy can be explained.
 *
 *   E - E0 = int P dt - int D dt + residual, P and D the powers of (W7), (W8), integrated through their last four values:
 *
 * a cubic, by Gauss' rule of two points, so that the balance is that of a method of order 4. Where there are fewer values,
 * after the start or a jump of an input, the polynomial of those that there are is integrated from the first one.
 *
 * Kinetic energy is at most what there was at first, what the potential has given or springs can give, and what drives
 * and forces have done. A run that has become unstable is soon far above it; errors of a sound one are a few percent,
 * those of a method that feeds vibrations, as explicit Euler does, grow slowly. */
#include <stdio.h>

#include "mech/mech.h"
#include "run/private.h"

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
    if (!run->model)
        return;
    run->floor = floor_of(run->model);
    run->balances = 0;
    for (int k = 0; k < run->model->n_sensors; k++)
        run->balances |=
            run->model->sensor[k].type == PH_S_WORK || run->model->sensor[k].type == PH_S_DISSIPATED;
}

/* NaN must win. */
static void enlarge(double *most, double x)
{
    if (x > *most || isnan(x))
        *most = x;
}

static void watch_violation(ph_run *run)
{
    ph_watched *w = &run->watched;
    if (ph_sim_violation(run->sim, &w->position, &w->velocity) != PH_OK)
        w->position = w->velocity = NAN;
    enlarge(&w->most_position, w->position);
    enlarge(&w->most_velocity, w->velocity);
}

/* The polynomial through n points (t, x), at t; column: which of both powers. */
static double through(int n, double p[][3], int column, double t)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double x = p[i][column];
        for (int k = 0; k < n; k++)
            if (k != i)
                x *= (t - p[k][0]) / (p[i][0] - p[k][0]);
        sum += x;
    }
    return sum;
}

static double integral(int n, double p[][3], int column, double from, double to)
{
    double mid = (from + to) / 2, off = (to - from) / (2 * sqrt(3));
    return (to - from) / 2 * (through(n, p, column, mid - off) + through(n, p, column, mid + off));
}

/* Work and dissipation up to now. */
static void integrate(ph_watched *w, double t, double power, double dissipation)
{
    double *sum[2] = {&w->work, &w->dissipated};
    int full = w->n_powers == PH_POWERS;
    for (int i = 0; i + 1 < PH_POWERS && full; i++)
        for (int k = 0; k < 3; k++)
            w->powers[i][k] = w->powers[i + 1][k];
    if (w->n_powers == 0)
        w->before[0] = w->work, w->before[1] = w->dissipated;
    w->n_powers += !full;
    int n = w->n_powers;
    w->powers[n - 1][0] = t, w->powers[n - 1][1] = power, w->powers[n - 1][2] = dissipation;
    for (int k = 0; k < 2 && n > 1; k++)
        if (full)
            *sum[k] += integral(n, w->powers, k + 1, w->powers[n - 2][0], t);
        else
            *sum[k] = w->before[k] + integral(n, w->powers, k + 1, w->powers[0][0], t);
}

void ph_watch_jump(ph_run *run)
{
    ph_watched *w = &run->watched;
    ph_state s = ph_sim_state(run->sim);
    if (!run->mech || !w->n_powers)
        return;
    w->n_powers = 0;
    w->power = ph_mechanism_power(run->mech, &s);
    integrate(w, s.t, w->power, ph_mechanism_dissipation(run->mech, &s));
}

static void watch_energy(ph_run *run, const ph_state *s, int first)
{
    ph_watched *w = &run->watched;
    double before = w->power, dt = s->t - w->t;
    ph_mechanism_energies(run->mech, s, &w->kinetic, &w->potential);
    w->power = ph_mechanism_power(run->mech, s);
    if (first) {
        w->first_kinetic = w->kinetic, w->first_potential = w->potential;
        w->fallen = stored(run, s, w->potential);
    } else {
        w->given += dt * fmax(fmax(w->power, before), 0);
    }
    integrate(w, s->t, w->power, ph_mechanism_dissipation(run->mech, s));
    w->residual = w->kinetic + w->potential - w->first_kinetic - w->first_potential - w->work + w->dissipated;
    enlarge(&w->most_residual, fabs(w->residual));
    run->mech->balance.work = w->work, run->mech->balance.dissipated = w->dissipated;
}

/* User constraints may do work of which nothing is known. */
static int is_blown(ph_run *run)
{
    ph_watched *w = &run->watched;
    w->fallen = fmax(w->fallen, w->first_potential - w->potential);
    w->explained = run->floor + w->first_kinetic + w->given + w->fallen;
    return !run->model->n_constraints && !(w->kinetic <= TOO_MUCH * w->explained);
}

static ph_status explain(ph_run *run, const ph_state *s, ph_error *err)
{
    const ph_watched *w = &run->watched;
    ph_vec3 most = {0, 0, 0};
    int fastest = 0;
    char text[160] = "";
    for (int i = 0; i < run->model->n_bodies; i++) {
        ph_body_state b;
        ph_mechanism_body(run->mech, s, i, &b);
        if (ph_norm(b.omega) > ph_norm(most))
            most = b.omega, fastest = i;
    }
    if (ph_norm(most) > 0)
        snprintf(text, sizeof text, "; fastest: body '%s' turns at %.3g rad/s",
                 run->model->body[fastest].name, ph_norm(most));
    run->trouble = (ph_run_trouble){.status = PH_E_STEP, .t = s->t, .h = run->def.opt.h, .explodes = 1};
    return ph_fail(
        err, PH_E_STEP,
        "t = %.9g: the solution explodes: its kinetic energy is %.3g J, and at most %.3g J can be explained; "
        "use a smaller step than h = %g or another space%s",
        s->t, w->kinetic, w->explained, run->def.opt.h, text);
}

ph_status ph_watch_look(ph_run *run, ph_error *err)
{
    ph_state s = ph_sim_state(run->sim);
    unsigned watch = run->config.watch;
    if (watch & PH_WATCH_VIOLATION)
        watch_violation(run);
    if (!run->mech || !(watch & (PH_WATCH_ENERGY | PH_WATCH_BLOWUP) || run->balances))
        return PH_OK;
    watch_energy(run, &s, ph_sim_stats(run->sim).steps == 0);
    run->watched.blown = (watch & PH_WATCH_BLOWUP) && is_blown(run);
    return run->watched.blown ? explain(run, &s, err) : PH_OK;
}
