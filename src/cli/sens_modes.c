/* The ways to derivatives: along with the run, backwards from its end, from runs near by. */
#include "cli/sens.h"
#include "mech/model.h"

#include <stdio.h>

/* A function of an objective failed. */
static ph_status refused(ph_job *r, const ph_goal *goal)
{
    snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %.400s", goal->t, ph_model_complaint(goal->refused));
    r->explained = 1;
    return r->err.status = PH_E_CALLBACK;
}

/* ---- with the run ----------------------------------------------------------------------------------------- */

/* The value of an objective so far and, in direct mode, its derivatives; n: which step this is. */
static ph_status add_up(ph_job *r, ph_sens_study *st, ph_aim *aim, const ph_state *s, long n)
{
    ph_goal *g = &aim->goal;
    double x, slope, half = n ? r->opt.h / 2 : 0;
    if (!ph_objective_has(g->model, g->objective, PH_ON_THE_WAY))
        return PH_OK;
    ph_status status = ph_mechanism_objective(g->mech, s, g->objective, PH_ON_THE_WAY, &x, NULL);
    if (status != PH_OK)
        g->refused = g->model, g->t = s->t;
    for (int k = 0; k < st->n && st->sens && status == PH_OK; k++) {
        status = ph_sens_derive_aim(r, st, aim, PH_ON_THE_WAY, k, &slope);
        aim->gradient[k] += half * (slope + aim->slope[k]);
        aim->slope[k] = slope;
    }
    aim->value += half * (x + aim->last);
    aim->last = x;
    return status;
}

static ph_status watch(const ph_sim *sim, void *ctx)
{
    ph_job *r = ctx;
    ph_sens_study *st = r->ctx;
    ph_state s = ph_sim_state(sim);
    ph_status status = ph_watch_step(sim, r);
    for (int i = 0; i < st->n_aims && status == PH_OK; i++)
        status = add_up(r, st, &st->aim[i], &s, ph_sim_stats(sim).steps);
    return status;
}

static ph_status end_aim(ph_job *r, ph_sens_study *st, ph_aim *aim)
{
    ph_goal *g = &aim->goal;
    ph_state s = ph_sim_state(r->sim);
    double x = 0, slope;
    ph_status status = ph_mechanism_objective(g->mech, &s, g->objective, PH_AT_THE_END, &x, NULL);
    aim->value += x;
    if (status != PH_OK)
        g->refused = g->model, g->t = s.t;
    for (int k = 0; k < st->n && st->sens && status == PH_OK; k++) {
        status = ph_sens_derive_aim(r, st, aim, PH_AT_THE_END, k, &slope);
        aim->gradient[k] += slope;
    }
    return status;
}

/* The run itself, with derivatives if st->sens is there. */
static ph_status run(ph_job *r, ph_sens_study *st)
{
    ph_status s = r->steps ? ph_sim_run(r->sim, r->steps, watch, r, &r->err)
                           : ph_sim_run_until(r->sim, r->t_end, watch, r, &r->err);
    for (int i = 0; i < st->n_aims && s == PH_OK; i++)
        s = end_aim(r, st, &st->aim[i]);
    for (int i = 0; i < st->n_aims; i++)
        if (st->aim[i].goal.refused)
            return refused(r, &st->aim[i].goal);
    return s;
}

static ph_status direct(ph_job *r, ph_sens_study *st)
{
    ph_status s = ph_sens_create(&st->sens, r->sim, st->n, st->param, &r->err);
    if (s == PH_OK)
        s = ph_sens_simplify(st->sens, (ph_simplification)r->args->simplify, &r->err);
    if (s == PH_OK)
        s = run(r, st);
    for (int k = 0; k < st->n && s == PH_OK; k++)
        ph_sens_derive(r, st, k, st->d + k * st->seen.width);
    return s;
}

/* ---- backwards -------------------------------------------------------------------------------------------- */

/* The first objective has the simulation that is reported. */
static ph_status back(ph_job *r, ph_sens_study *st, ph_aim *aim, ph_sim *sim, int first)
{
    ph_sens *sens;
    ph_objective o = ph_goal_objective(&aim->goal);
    if (first)
        aim->goal.watch = ph_watch_step, aim->goal.ctx = r;
    ph_mechanism_rewind(r->subject.mech);
    ph_status s = ph_sens_create(&sens, sim, st->n, st->param, &r->err);
    if (s == PH_OK)
        s = ph_sens_gradient(sens, r->steps, &o, ph_args_memory(r->args), &aim->value, aim->gradient,
                             &r->err);
    if (aim->goal.refused)
        s = refused(r, &aim->goal);
    ph_sens_destroy(sens);
    return s;
}

static ph_status adjoint(ph_job *r, ph_sens_study *st)
{
    ph_status s = back(r, st, &st->aim[0], r->sim, 1);
    for (int i = 1; i < st->n_aims && s == PH_OK; i++) {
        ph_sim *sim;
        s = ph_sim_create(&sim, &r->p->sys, &r->opt, 0, r->p->q0, r->p->v0, &r->err);
        if (s == PH_OK)
            s = back(r, st, &st->aim[i], sim, 0);
        ph_sim_destroy(sim);
    }
    return s;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

ph_status ph_sens_simulate(ph_job *r)
{
    ph_sens_study *st = r->ctx;
    int mode = r->args->mode;
    ph_status s = mode == PH_DIRECT ? direct(r, st) : mode == PH_ADJOINT ? adjoint(r, st) : run(r, st);
    if (s != PH_OK || (mode != PH_FD && !r->args->check))
        return s;
    ph_state now = ph_sim_state(r->sim);
    ph_seen_base(&st->seen, r->subject.mech, &now, st->base);
    ph_seen_values(&st->seen, r->subject.mech, &now, st->base, st->value);
    return ph_sens_differences(r, st);
}
