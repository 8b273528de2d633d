/* The ways to derivatives: along with the run, backwards from its end, from runs near by. */
#include "cli/sens_show.h"

#include <stdio.h>
#include <string.h>

/* ---- with the run ----------------------------------------------------------------------------------------- */

/* A function of an objective failed. */
static ph_status refused(ph_job *r)
{
    snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %.400s", ph_run_time(r->run),
             ph_model_complaint(r->target.model));
    return r->err.status = PH_E_CALLBACK;
}

/* What objectives came to and, in direct mode, their derivatives. */
static ph_status end_results(ph_job *r, ph_sens_study *st)
{
    for (int i = 0; i < st->n_results; i++) {
        ph_objective_result *result = &st->result[i];
        ph_status s = ph_run_get(r->run, PH_GET_OBJECTIVE, result->objective, &result->value);
        for (int k = 0; k < st->n && r->args->mode == PH_DIRECT && s == PH_OK; k++)
            s = ph_run_get_derivative(r->run, PH_GET_OBJECTIVE, result->objective, k, &result->gradient[k]);
        if (s != PH_OK)
            return refused(r);
    }
    return PH_OK;
}

static ph_status run(ph_job *r, ph_sens_study *st)
{
    ph_status s = ph_job_run(r);
    return s == PH_OK ? end_results(r, st) : s;
}

static ph_status direct(ph_job *r, ph_sens_study *st)
{
    ph_status s = ph_run_follow(r->run, st->param, st->n, &r->err);
    if (s == PH_OK)
        s = ph_run_simplify(r->run, (ph_simplification)r->args->simplify, &r->err);
    if (s == PH_OK)
        s = run(r, st);
    for (int k = 0; k < st->n && s == PH_OK; k++)
        ph_seen_derive(&st->seen, r->run, k, 1, st->d + k * st->seen.width);
    return s;
}

/* ---- backwards -------------------------------------------------------------------------------------------- */

/* The run of the first objective is the one that is reported. */
static ph_status adjoint(ph_job *r, ph_sens_study *st)
{
    ph_status s = PH_OK;
    ph_run_observe(r->run, ph_watch_step, r);
    for (int i = 0; i < st->n_results && s == PH_OK; i++) {
        ph_objective_result *result = &st->result[i];
        s = ph_run_gradient(r->run, result->objective, st->param, st->n, ph_args_memory(r->args),
                            &result->value, result->gradient, &r->err);
        ph_run_observe(r->run, NULL, NULL);
    }
    return s;
}

/* Where exact derivatives are refused because of events, this command has another way. */
static ph_status advise(ph_job *r, ph_status s)
{
    size_t n = strlen(r->err.text);
    if (s == PH_E_INPUT && ph_run_count(r->run, PH_EVENTS) > 0)
        snprintf(r->err.text + n, sizeof r->err.text - n, ": --mode fd");
    return s;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

ph_status ph_sens_simulate(ph_job *r)
{
    ph_sens_study *st = r->ctx;
    int mode = r->args->mode;
    ph_status s = mode == PH_FD ? run(r, st) : advise(r, mode == PH_DIRECT ? direct(r, st) : adjoint(r, st));
    if (s != PH_OK || (mode != PH_FD && !r->args->check))
        return s;
    ph_seen_base(r->run, st->base);
    ph_seen_values(&st->seen, r->run, st->base, st->value);
    return ph_sens_differences(r, st);
}
