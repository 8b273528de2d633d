/* One run of a model, as run and the studies need it: step size, integration, words for what went wrong. */
#include "cli/history.h"

#include <stdio.h>

#include "study/cases.h"

/* h is the nearest value that divides t_end. With a tolerance and no h of its own on the command line the
 * method finds its steps, and each of them is output. */
int ph_job_plan(ph_job *r)
{
    const ph_options *o = &r->args->opt;
    double h = o->h > 0 || o->tol > 0 ? o->h : r->p->h;
    double t_end = r->args->t_end > 0 ? r->args->t_end : r->p->t_end, n = h > 0 ? t_end / h : 0;
    r->opt = *o, r->t_end = t_end;
    if ((!(h > 0) && !(o->tol > 0)) || !(t_end > 0)) {
        ph_complain("the model says no %s: give --%s", t_end > 0 ? "h" : "t_end", t_end > 0 ? "h" : "t-end");
        return 0;
    }
    if (!(n <= PH_STEPS_MAX)) {
        ph_complain("t_end = %g s in steps of h = %g s takes %.3g steps; the limit is %.0e", t_end, h, n,
                    PH_STEPS_MAX);
        return 0;
    }
    if (h > 0) {
        r->steps = ph_steps_of(t_end, h);
        r->opt.h = t_end / (double)r->steps;
    }
    return 1;
}

int ph_job_is_numerical(ph_status s)
{
    return s != PH_OK && s != PH_E_INPUT && s != PH_E_INCONSISTENT && s != PH_E_MEMORY;
}

/* A sentence in the words of the model where the library can only say that something stopped. */
static void explain(ph_job *r)
{
    char why[sizeof r->err.text - 64];
    if (r->watch.interrupted && r->status == PH_E_STOPPED) {
        snprintf(
            r->err.text, sizeof r->err.text,
            "interrupted at t = %.9g of %.9g; the %ld rows so far are in '%.200s'; the same command runs it "
            "anew, with --t-end %.9g only so far",
            ph_sim_state(r->sim).t, r->t_end, r->record.rows, r->args->output ? r->args->output : "",
            ph_sim_state(r->sim).t);
        return;
    }
    if (r->watch.exploded) {
        ph_watch_explain(r, r->err.text, sizeof r->err.text);
        return;
    }
    if (r->watch.blind[0]) {
        r->status = PH_E_CALLBACK;
        snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %s", ph_sim_state(r->sim).t, r->watch.blind);
        return;
    }
    if (r->status != PH_E_CALLBACK || !r->subject.mech || r->explained)
        return;
    ph_mechanism_complaint(r->subject.mech, why, sizeof why);
    if (!why[0])
        snprintf(why, sizeof why, "%s", ph_model_complaint(r->subject.model));
    if (why[0])
        snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %s", r->sim ? ph_sim_failure(r->sim)->t : 0,
                 why);
}

void ph_job_simulate(ph_job *r)
{
    ph_watch *w = &r->watch;
    r->status = ph_sim_create(&r->sim, &r->p->sys, &r->opt, 0, r->p->q0, r->p->v0, &r->err);
    if (r->status == PH_OK) {
        ph_state s = ph_sim_state(r->sim);
        if (r->record.op)
            ph_trajectory_header(r);
        if (r->plot && !(r->history = ph_history_create(r, &s))) {
            r->status = PH_E_MEMORY;
            snprintf(r->err.text, sizeof r->err.text, "not enough memory for the picture");
            return;
        }
        w->begun = w->last_tick = ph_seconds();
        if (r->extension)
            r->status = r->extension->simulate(r);
        else
            r->status = r->steps ? ph_sim_run(r->sim, r->steps, ph_watch_step, r, &r->err)
                                 : ph_sim_run_until(r->sim, r->t_end, ph_watch_step, r, &r->err);
    }
    explain(r);
}
