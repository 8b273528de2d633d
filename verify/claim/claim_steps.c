/* Figures of steps that change their size, of error bars and of events: STEPS BY TOLERANCE of the page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claim/claim_run.h"
#include "polhode/lie.h"

/* What a run has come to, against the exact motion of a top that is a node of R^3 and one of SO(3). */
typedef struct deviation {
    const ph_problem *p;
    double q, v;   /* largest */
    double lambda; /* sum of squares */
    long n;
} deviation;

static ph_status compare(const ph_sim *sim, void *ctx)
{
    deviation *d = ctx;
    ph_state s = ph_sim_state(sim);
    double q[PH_RESULT_MAX], v[PH_RESULT_MAX], vdot[PH_RESULT_MAX], lambda[PH_RESULT_MAX], turn[3];
    if (!d->p->exact(d->p, s.t, q, v, vdot, lambda))
        return PH_E_INPUT;
    ph_rotation_between(q + 3, s.q + 3, turn);
    for (int i = 0; i < 3; i++) {
        ph_raise(&d->q, fabs(s.q[i] - q[i])), ph_raise(&d->q, fabs(turn[i]));
        ph_raise(&d->v, fabs(s.v[i] - v[i])), ph_raise(&d->v, fabs(s.v[3 + i] - v[3 + i]));
        d->lambda += (s.lambda[i] - lambda[i]) * (s.lambda[i] - lambda[i]);
    }
    d->n += 3;
    return PH_OK;
}

static ph_options options_of(const ph_claim_run *run)
{
    ph_options o = ph_default_options();
    o.formulation = run->formulation, o.sigma = run->sigma, o.rho = run->rho;
    if (run->order)
        o.method = "bliedf", o.order = run->order;
    return o;
}

static int go(ph_study *study, const ph_claim_run *run, const ph_options *o, deviation *d)
{
    ph_problem *p = ph_study_problem(study, run);
    ph_error err = {0};
    ph_sim *sim = NULL;
    *d = (deviation){.p = p};
    if (!p || ph_sim_create(&sim, &p->sys, o, 0, p->q0, p->v0, &err) != PH_OK)
        return 0;
    ph_status s = ph_sim_run_until(sim, run->to, compare, d, &err);
    ph_sim_destroy(sim);
    return s == PH_OK;
}

/* Largest error of q over tol, tol = 1e-2 ... 1e-5. */
int ph_measure_error_over_tol(ph_study *study, const ph_claim_run *run, double *value)
{
    for (int k = 0; k < 4; k++) {
        ph_options o = options_of(run);
        deviation d;
        o.h = 0, o.tol = pow(10, -2 - k);
        if (!go(study, run, &o, &d))
            return 0;
        value[k] = d.q / o.tol;
    }
    return 1;
}

#define SEEDS 3

/* Orders of q, v and, in the mean square, of lambda from H to H/4, with sizes from H/2 to 2 H anew in every step. */
int ph_measure_random_orders(ph_study *study, const ph_claim_run *run, double *value)
{
    double mean[2][3] = {{0}};
    for (int k = 0; k < 2; k++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            ph_options o = options_of(run);
            deviation d;
            o.h = k ? run->h / 4 : run->h, o.random = 2, o.seed = (unsigned)seed;
            if (!go(study, run, &o, &d))
                return 0;
            mean[k][0] += d.q, mean[k][1] += d.v, mean[k][2] += sqrt(d.lambda / (double)d.n);
        }
    for (int i = 0; i < 3; i++)
        value[i] = log2(mean[0][i] / mean[1][i]) / 2;
    return 1;
}

/* ---- model files ----------------------------------------------------------------------------------------- */

static int open_with(ph_run **out, ph_study *study, const ph_claim_run *run, double h)
{
    char path[512], h_text[64], t_text[64];
    const char *options[] = {h_text, t_text};
    ph_run_config c = ph_run_defaults();
    ph_error err = {0};
    snprintf(path, sizeof path, "%s/%s.lua", ph_study_model_results(study)->folder, run->model);
    snprintf(h_text, sizeof h_text, "h=%.17g", h);
    snprintf(t_text, sizeof t_text, "t_end=%.17g", run->to);
    c.options = options, c.n_options = 2;
    return ph_run_open(out, path, &c, &err) == PH_OK;
}

/* What error bars leave of the error of a body's position at the end [%], h, h/2, h/4. */
int ph_measure_error_bars(ph_study *study, const ph_claim_run *run, double *value)
{
    for (int k = 0; k < 3; k++) {
        ph_run *r = NULL;
        ph_error err = {0};
        double x[3], e[3], left = 0, whole = 0;
        if (!open_with(&r, study, run, ldexp(run->h, -k)))
            return 0;
        int body = ph_run_find(r, PH_BODIES, run->of);
        int ok = ph_run_error_bars(r, 1, &err) == PH_OK && ph_run_until(r, run->to, &err) == PH_OK &&
                 ph_run_get(r, PH_GET_POSITION, body, x) == PH_OK &&
                 ph_run_get_error(r, PH_GET_POSITION, body, e) == PH_OK;
        ph_run_close(r);
        if (!ok)
            return 0;
        for (int i = 0; i < 3; i++) {
            ph_raise(&left, fabs(run->exact[i] - x[i] - e[i]));
            ph_raise(&whole, fabs(run->exact[i] - x[i]));
        }
        value[k] = 100 * left / whole;
    }
    return 1;
}

/* The time of the last event of a name; NAN: it failed. */
static double last_event(ph_study *study, const ph_claim_run *run, double h)
{
    ph_run *r = NULL;
    ph_error err = {0};
    double t = NAN;
    int n = 0;
    if (!open_with(&r, study, run, h))
        return NAN;
    int name = ph_run_find(r, PH_EVENTS, run->of);
    if (ph_run_until(r, run->to, &err) == PH_OK) {
        const ph_run_event *e = ph_run_events(r, &n);
        for (int k = 0; k < n; k++)
            if (e[k].event == name)
                t = e[k].t;
    }
    ph_run_close(r);
    return t;
}

/* Orders of the time of an event, from h to h/2 and from h/2 to h/4. */
int ph_measure_event_order(ph_study *study, const ph_claim_run *run, double *value)
{
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = fabs(last_event(study, run, ldexp(run->h, -k)) - run->exact[0]);
    for (int k = 0; k < 2; k++)
        value[k] = log2(error[k] / error[k + 1]);
    return 1;
}

int ph_measure_event_time(ph_study *study, const ph_claim_run *run, double *value)
{
    value[0] = fabs(last_event(study, run, run->h) - run->exact[0]);
    return 1;
}
