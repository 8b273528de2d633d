/* The gradient of an objective of the model by the adjoint: the derivatives by the state are the mechanism's, those by
 * parameters come from neighbouring models. */
#include <string.h>

#include "mech/mech.h"
#include "run/neighbours.h"

typedef struct goal {
    ph_run *run;
    int objective, n;
    const ph_neighbours *near;
    const ph_model *refused; /* whose function failed, at time t; NULL: none did */
    double t;
} goal;

/* Explicit dependence on parameter k: the objective at the same state, differenced over the neighbours. */
static ph_status by_parameter(goal *g, const ph_state *s, ph_objective_part part, int k, double *out)
{
    const ph_neighbours *near = &g->near[k];
    double sum = 0;
    for (int i = 0; i < PH_NEIGHBOURS; i++) {
        double x;
        ph_mechanism_count_as(near->at[i].mech, g->run->mech);
        ph_status status = ph_mechanism_objective(near->at[i].mech, s, g->objective, part, &x, NULL);
        if (status != PH_OK) {
            g->refused = near->at[i].model, g->t = s->t;
            return status;
        }
        sum += ph_neighbour_weight[i] * x;
    }
    *out = sum / near->eps;
    return PH_OK;
}

/* States come one by one, from the last to the first, so that angles stay counted. */
static ph_status value_of(goal *g, ph_objective_part part, const ph_state *s, double *value,
                          const ph_covector *c)
{
    ph_mechanism_track(g->run->mech, s);
    ph_status status = ph_mechanism_objective(g->run->mech, s, g->objective, part, value, c);
    if (status != PH_OK)
        g->refused = g->run->model, g->t = s->t;
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

static ph_status forwards(const ph_sim *sim, void *ctx)
{
    ph_run *run = ((goal *)ctx)->run;
    return ph_run_look(run, ph_sim_stats(sim).steps ? PH_ON_STEP : PH_ON_START);
}

static ph_status refuse(const ph_run *run, int objective, ph_error *err)
{
    const ph_options *o = &run->def.opt;
    if (!run->model || objective < 0 || objective >= run->model->n_objectives)
        return ph_fail(err, PH_E_INPUT, "there is no objective %d", objective);
    if (run->model->changing)
        return ph_fail(err, PH_E_INPUT,
                       "%s: its function keeps values between its calls, and a gradient repeats them",
                       run->model->changing);
    if (o->tol > 0)
        return ph_fail(err, PH_E_INPUT, "a gradient needs steps of constant size: give h instead of tol");
    if (!(run->def.t_end > run->t0))
        return ph_fail(err, PH_E_INPUT,
                       "a gradient is that of a run to t_end, which neither file nor options give");
    return PH_OK;
}

ph_status ph_run_gradient(ph_run *run, int objective, const int *parameters, int n, size_t memory,
                          double *value, double *gradient, ph_error *err)
{
    goal g = {.run = run, .objective = objective, .n = n};
    ph_neighbours *near;
    ph_param *param;
    ph_sens *sens;
    ph_status s = refuse(run, objective, err);
    if (s == PH_OK)
        s = ph_run_reset(run, err);
    if (s == PH_OK)
        s = ph_neighbours_of(run, parameters, n, &near, &param, err);
    if (s != PH_OK)
        return s;
    g.near = near;
    ph_objective o = {.final = ph_objective_has(run->model, objective, PH_AT_THE_END) ? final : NULL,
                      .integral = ph_objective_has(run->model, objective, PH_ON_THE_WAY) ? integral : NULL,
                      .forwards = forwards,
                      .ctx = &g};
    s = ph_sens_create(&sens, run->sim, n, param, err);
    long steps = lround((run->def.t_end - run->t0) / run->def.opt.h);
    if (s == PH_OK)
        s = ph_sens_gradient(sens, steps, &o, memory, value, gradient, err);
    if (g.refused)
        s = ph_fail(err, PH_E_CALLBACK, "t = %.9g: %.400s", g.t, ph_model_complaint(g.refused));
    else if (s == PH_E_CALLBACK)
        ph_run_explain(run, s, err);
    ph_sens_destroy(sens);
    for (int k = 0; k < n; k++)
        ph_neighbours_destroy(&near[k]);
    ph_free(run->config.alloc, near), ph_free(run->config.alloc, param);
    return s;
}
