/* Measures of model files: what the whole course of a run shows. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"

int ph_measure_model_violation(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_model_result *y = ph_study_model_result(study, run);
    if (y)
        value[0] = y->position, value[1] = y->velocity;
    return y != NULL;
}

/* Runs with sigma = 0, 1, opt; 0: one failed. */
static int by_sigma(ph_study *study, const ph_claim_run *run, const ph_model_result *y[3])
{
    const double sigma[3] = {0, 1, PH_SIGMA_OPT};
    for (int i = 0; i < 3; i++) {
        ph_claim_run r = *run;
        r.sigma = sigma[i];
        y[i] = ph_study_model_result(study, &r);
        if (!y[i])
            return 0;
    }
    return 1;
}

int ph_measure_model_velocity(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_model_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->velocity;
    return ok;
}

int ph_measure_model_iterations(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_model_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->iterations;
    return ok;
}

int ph_measure_model_newton(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_model_result *y = ph_study_model_result(study, run);
    if (y)
        value[0] = y->iterations, value[1] = y->jacobians;
    return y != NULL;
}

int ph_measure_model_drift(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_model_result *y = ph_study_model_result(study, run);
    if (y)
        value[0] = y->drift, value[1] = y->drift_first, value[2] = y->drift_last;
    return y != NULL;
}

int ph_measure_model_rank(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_model_runner runner;
    if (!ph_model_runner_open(&runner, study, run))
        return 0;
    const ph_system *sys = ph_run_system(runner.run);
    int rows = ph_system_nl(sys);
    value[0] = rows, value[1] = rows - sys->n_redundant, value[2] = 0;
    for (int c = 0; c < sys->n_constraints; c++)
        if (sys->constraints[c].name && !strcmp(sys->constraints[c].name, run->of))
            value[2] += ph_run_redundant(runner.run, c);
    ph_model_runner_close(&runner);
    return 1;
}

/* ---- the same system, written in C -------------------------------------------------------------- */

static void compare(int n, const double *a, const double *b, double *max)
{
    for (int i = 0; i < n; i++)
        ph_raise(max, fabs(a[i] - b[i]));
}

int ph_measure_model_twin(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem *p = ph_study_problem(study, run);
    ph_options o = ph_claim_options(run);
    ph_sim *twin;
    ph_model_runner runner;
    if (!p || ph_sim_create(&twin, &p->sys, &o, 0, p->q0, p->v0, NULL) != PH_OK)
        return 0;
    int ok = ph_model_runner_open(&runner, study, run), nq = ph_system_nq(&p->sys),
        nv = ph_system_nv(&p->sys);
    ok = ok && nq == ph_system_nq(ph_run_system(runner.run)) &&
         ph_system_nl(&p->sys) == ph_system_nl(ph_run_system(runner.run));
    value[0] = value[1] = value[2] = 0;
    for (long k = 0; ok && k <= runner.steps; k++) {
        ok = k == 0 || (ph_model_runner_step(&runner, NULL) && ph_sim_step(twin, NULL) == PH_OK);
        ph_state a = ph_sim_state(runner.sim), b = ph_sim_state(twin);
        compare(nq, a.q, b.q, &value[0]);
        compare(nv, a.v, b.v, &value[1]);
        compare(ph_system_nl(&p->sys), a.lambda, b.lambda, &value[2]);
    }
    ph_model_runner_close(&runner);
    ph_sim_destroy(twin);
    return ok;
}

int ph_measure_model_twin_lambda(ph_study *study, const ph_claim_run *run, double *value)
{
    double all[3];
    int ok = ph_measure_model_twin(study, run, all);
    value[0] = all[2];
    return ok;
}

/* ---- periods ------------------------------------------------------------------------------------ */

/* Where the cubic through y[0..3] at -1, 0, 1, 2 is zero, in [0, 1]. */
static double zero_of_cubic(const double y[4])
{
    double lo = 0, hi = 1;
    for (int i = 0; i < 52; i++) {
        double x = (lo + hi) / 2;
        double p = -x * (x - 1) * (x - 2) / 6 * y[0] + (x + 1) * (x - 1) * (x - 2) / 2 * y[1] -
                   (x + 1) * x * (x - 2) / 2 * y[2] + (x + 1) * x * (x - 1) / 6 * y[3];
        if ((p < 0) == (y[1] < 0))
            lo = x;
        else
            hi = x;
    }
    return lo;
}

static int sensor_number(const ph_run *run, const char *word)
{
    size_t n = strcspn(word, ":");
    for (int i = 0; i < ph_run_count(run, PH_SENSORS); i++) {
        const char *name = ph_run_name(run, PH_SENSORS, i);
        if (strlen(name) == n && !memcmp(name, word, n))
            return i;
    }
    return -1;
}

int ph_measure_model_extremes(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_model_runner runner;
    double all[PH_NAMED_MAX] = {0};
    if (!ph_model_runner_open(&runner, study, run))
        return 0;
    int sensor = sensor_number(runner.run, run->of), which = run->of[strcspn(run->of, ":") + 1] - '1';
    int ok = sensor >= 0;
    for (long k = 0; ok && k <= runner.steps; k++) {
        ok = k == 0 || ph_model_runner_step(&runner, &ph_study_model_results(study)->complaint);
        ok = ok && ph_run_get(runner.run, PH_GET_SENSOR, sensor, all) == PH_OK && isfinite(all[which]);
        value[0] = k ? fmin(value[0], all[which]) : all[which];
        value[1] = k ? fmax(value[1], all[which]) : all[which];
    }
    ph_model_runner_close(&runner);
    return ok;
}

/* Time between the first and the third zero of number K of a sensor, "NAME:K"; 0: there are fewer */
static double period(ph_study *study, const ph_claim_run *run)
{
    ph_model_runner runner;
    double all[PH_NAMED_MAX] = {0}, y[4] = {0}, zero[3];
    int found = 0;
    if (!ph_model_runner_open(&runner, study, run))
        return 0;
    int sensor = sensor_number(runner.run, run->of), which = run->of[strcspn(run->of, ":") + 1] - '1';
    for (long k = 0; sensor >= 0 && found < 3 && k <= runner.steps; k++) {
        if (k > 0 && !ph_model_runner_step(&runner, &ph_study_model_results(study)->complaint))
            break;
        memmove(y, y + 1, 3 * sizeof *y);
        if (ph_run_get(runner.run, PH_GET_SENSOR, sensor, all) != PH_OK)
            break;
        y[3] = all[which];
        if (k >= 3 && (y[1] < 0) != (y[2] < 0))
            zero[found++] = ((double)(k - 2) + zero_of_cubic(y)) * run->h;
    }
    ph_model_runner_close(&runner);
    return found == 3 ? zero[2] - zero[0] : 0;
}

int ph_measure_model_period(ph_study *study, const ph_claim_run *run, double *value)
{
    double T[3];
    for (int k = 0; k < 3; k++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        T[k] = period(study, &r);
        if (T[k] == 0)
            return 0;
    }
    double a = T[1] + (T[1] - T[0]) / 3, b = T[2] + (T[2] - T[1]) / 3;
    value[0] = b + (b - a) / 7; /* T(h) = T + c2 h^2 + c3 h^3 + ... */
    return 1;
}
