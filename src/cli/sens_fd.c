/* Five-point differences of whole runs, of all that is seen at their ends and of objectives. */
#include "cli/sens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "study/fail.h"

#define SIZES 3 /* of steps */

/* So that differences see the discrete solution and not what Newton's method has left. */
#define TIGHT 1e-13

typedef struct near_by {
    ph_job *r;
    ph_sens_study *st;
    const ph_neighbour *at;
    int j;        /* which of the neighbours */
    double *last; /* of each objective: its integrand at the last step */
    ph_status status;
} near_by;

static ph_status add(near_by *n, ph_aim *aim, const ph_state *s, ph_objective_part part, double half,
                     double *last)
{
    double x;
    n->status = ph_mechanism_objective(n->at->mech, s, aim->goal.objective, part, &x, NULL);
    aim->end[n->j] += half * (x + *last);
    *last = x;
    return n->status;
}

static ph_status watch(const ph_sim *sim, void *ctx)
{
    near_by *n = ctx;
    ph_state s = ph_sim_state(sim);
    double half = ph_sim_stats(sim).steps ? n->r->opt.h / 2 : 0;
    ph_mechanism_track(n->at->mech, &s);
    for (int i = 0; i < n->st->n_aims && n->status == PH_OK; i++)
        add(n, &n->st->aim[i], &s, PH_ON_THE_WAY, half, &n->last[i]);
    return n->status;
}

/* One run; what is seen at its end goes to st->work[j]. */
static ph_status run(near_by *n, ph_error *err)
{
    ph_job *r = n->r;
    ph_sim *sim;
    ph_options o = r->opt;
    o.atol = fmin(o.atol, TIGHT), o.rtol = fmin(o.rtol, TIGHT);
    ph_mechanism_rewind(n->at->mech);
    ph_status s = ph_sim_create(&sim, &n->at->sys, &o, 0, n->at->q0, n->at->v0, err);
    if (s == PH_OK)
        s = r->steps ? ph_sim_run(sim, r->steps, watch, n, err)
                     : ph_sim_run_until(sim, r->t_end, watch, n, err);
    if (s == PH_OK) {
        ph_state end = ph_sim_state(sim);
        double none = 0;
        ph_seen_values(&n->st->seen, n->at->mech, &end, n->st->base, n->st->work[n->j]);
        for (int i = 0; i < n->st->n_aims && n->status == PH_OK; i++, none = 0)
            add(n, &n->st->aim[i], &end, PH_AT_THE_END, 1, &none);
    }
    if (n->status != PH_OK) {
        s = n->status;
        snprintf(err->text, sizeof err->text, "%.400s", ph_model_complaint(n->at->model));
    }
    ph_sim_destroy(sim);
    return s;
}

/* Differences over steps of vary, of all that is seen and of objectives: to out, width and n_aims numbers. */
static ph_status measure(ph_job *r, ph_sens_study *st, const ph_vary *vary, double *out)
{
    double *last = st->work[4], *aims = out + st->seen.width;
    for (int i = 0; i < st->n_aims; i++)
        for (int j = 0; j < PH_NEIGHBOURS; j++)
            st->aim[i].end[j] = 0;
    for (int j = 0; j < PH_NEIGHBOURS; j++) {
        near_by n = {r, st, &vary->at[j], j, last, PH_OK};
        ph_error why = {0};
        for (int i = 0; i < st->n_aims; i++)
            last[i] = 0;
        ph_status s = run(&n, &why);
        if (s != PH_OK) {
            snprintf(r->err.text, sizeof r->err.text, "a run with a value near %s = %.9g: %.400s", vary->name,
                     vary->value, why.text);
            return s;
        }
    }
    for (int i = 0; i < st->seen.width; i++)
        out[i] =
            (8 * (st->work[2][i] - st->work[1][i]) - (st->work[3][i] - st->work[0][i])) / (12 * vary->eps);
    for (int i = 0; i < st->n_aims; i++) {
        aims[i] = 0;
        for (int j = 0; j < PH_NEIGHBOURS; j++)
            aims[i] += ph_vary_weight[j] * st->aim[i].end[j] / vary->eps;
    }
    return PH_OK;
}

/* Vibrations make a function of a parameter wavy: what step is small enough depends on the model. Over steps e, e/8
 * and e/64 errors of order 4 fall and round-off grows: where differences change far less from e/8 to e/64 than from e
 * to e/8, those over e/8 are the better ones. work: 3 (width + n_aims). */
static ph_status by_parameter(ph_job *r, ph_sens_study *st, int k, double *work)
{
    int n = st->seen.width + st->n_aims, sizes = r->args->eps > 0 ? 1 : SIZES;
    double *D[SIZES] = {work, work + n, work + 2 * n};
    ph_status s = measure(r, st, &st->vary[k], D[0]);
    for (int size = 1; size < sizes && s == PH_OK; size++) {
        ph_vary vary;
        s = ph_vary_create(&vary, &st->from, st->name[k], ldexp(st->vary[k].eps, -3 * size), &r->err);
        if (s == PH_OK)
            s = measure(r, st, &vary, D[size]);
        ph_vary_destroy(&vary);
    }
    for (int i = 0; i < n && s == PH_OK; i++) {
        int wavy = sizes == SIZES && 4 * fabs(D[2][i] - D[1][i]) < fabs(D[1][i] - D[0][i]);
        *(i < st->seen.width ? &st->fd[k * st->seen.width + i] : &st->aim[i - st->seen.width].fd[k]) =
            D[wavy][i];
    }
    return s;
}

ph_status ph_sens_differences(ph_job *r, ph_sens_study *st)
{
    ph_status s = PH_OK;
    double *work = malloc(sizeof(double) * SIZES * (size_t)(st->seen.width + st->n_aims));
    if (!work)
        return ph_study_fail(&r->err, PH_E_MEMORY, "not enough memory for differences of runs");
    for (int k = 0; k < st->n && s == PH_OK; k++)
        s = by_parameter(r, st, k, work);
    free(work);
    st->checked = s == PH_OK;
    return s;
}
