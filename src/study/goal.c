/* An objective of a model file as one of ph_sens_gradient. */
#include "study/goal.h"

const double ph_vary_weight[PH_NEIGHBOURS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

ph_status ph_goal_by_parameter(ph_goal *goal, const ph_state *s, ph_objective_part part, int k, double *out)
{
    const ph_vary *vary = &goal->vary[k];
    double sum = 0;
    for (int i = 0; i < PH_NEIGHBOURS; i++) {
        double x;
        ph_mechanism_count_as(vary->at[i].mech, goal->mech);
        ph_status status = ph_mechanism_objective(vary->at[i].mech, s, goal->objective, part, &x, NULL);
        if (status != PH_OK) {
            goal->refused = vary->at[i].model, goal->t = s->t;
            return status;
        }
        sum += ph_vary_weight[i] * x;
    }
    *out = sum / vary->eps;
    return PH_OK;
}

/* States come one by one, from the last to the first, so that angles stay counted. */
static ph_status value_of(ph_goal *goal, ph_objective_part part, const ph_state *s, double *value,
                          const ph_covector *g)
{
    ph_mechanism_track(goal->mech, s);
    ph_status status = ph_mechanism_objective(goal->mech, s, goal->objective, part, value, g);
    if (status != PH_OK)
        goal->refused = goal->model, goal->t = s->t;
    for (int k = 0; k < goal->n && g && status == PH_OK; k++) {
        double by_p = 0;
        status = ph_goal_by_parameter(goal, s, part, k, &by_p);
        g->p[k] += by_p;
    }
    return status;
}

static ph_status final(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    return value_of(ctx, PH_AT_THE_END, s, value, g);
}

static ph_status integral(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    return value_of(ctx, PH_ON_THE_WAY, s, value, g);
}

static ph_status forwards(const ph_sim *sim, void *ctx)
{
    ph_goal *goal = ctx;
    ph_state s = ph_sim_state(sim);
    ph_mechanism_track(goal->mech, &s);
    return goal->watch ? goal->watch(sim, goal->ctx) : PH_OK;
}

ph_objective ph_goal_objective(ph_goal *goal)
{
    return (ph_objective){
        .final = ph_objective_has(goal->model, goal->objective, PH_AT_THE_END) ? final : NULL,
        .integral = ph_objective_has(goal->model, goal->objective, PH_ON_THE_WAY) ? integral : NULL,
        .forwards = forwards,
        .ctx = goal};
}
