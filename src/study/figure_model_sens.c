/* Measures of sensitivities of model files: derivatives of one with two nodes, R^3 and SO(3), by the parameter
 * run->of. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/figure_run.h"
#include "study/vary.h"

/* Derivatives at the end. */
typedef struct derivative {
    double x[3], W[3]; /* of the position and, fixed to the body, of the rotation */
    double v[6], lambda[3];
} derivative;

typedef struct trial {
    ph_rig rig;
    ph_vary vary;
} trial;

static int open_trial(trial *t, ph_study *study, const ph_figure_run *run)
{
    char path[512];
    *t = (trial){0};
    snprintf(path, sizeof path, "%s/%s.lua", ph_study_trials(study)->folder, run->model);
    if (!ph_rig_open(&t->rig, study, run))
        return 0;
    const ph_system *sys = ph_mechanism_system(t->rig.mech);
    ph_vary_base base = {.path = path,
                         .model = t->rig.model,
                         .space = run->space,
                         .assemble = ph_model_run(t->rig.model).assemble,
                         .n_redundant = sys->n_redundant};
    if (ph_vary_create(&t->vary, &base, run->of, 0, &ph_study_trials(study)->complaint) == PH_OK)
        return 1;
    ph_rig_close(&t->rig);
    return 0;
}

static void close_trial(trial *t)
{
    ph_vary_destroy(&t->vary);
    ph_rig_close(&t->rig);
}

static int direct(const trial *t, derivative *out, ph_error *err)
{
    ph_param p = ph_vary_param(&t->vary);
    ph_sens *sens = NULL;
    int ok = ph_sens_create(&sens, t->rig.sim, 1, &p, err) == PH_OK &&
             ph_sim_run(t->rig.sim, t->rig.steps, NULL, NULL, err) == PH_OK;
    if (ok) {
        ph_derivative d = ph_sens_get(sens, 0);
        ph_state s = ph_sim_state(t->rig.sim);
        memcpy(out->x, d.W + s.v_at[0], sizeof out->x);
        memcpy(out->W, d.W + s.v_at[1], sizeof out->W);
        memcpy(out->v, d.v, sizeof out->v);
        memcpy(out->lambda, d.lambda, sizeof out->lambda);
    }
    ph_sens_destroy(sens);
    return ok;
}

static int differentiate(ph_study *study, const ph_figure_run *run, derivative *out)
{
    trial t;
    if (!open_trial(&t, study, run))
        return 0;
    int ok = direct(&t, out, &ph_study_trials(study)->complaint);
    close_trial(&t);
    return ok;
}

int ph_measure_sens_W(ph_study *study, const ph_figure_run *run, double *value)
{
    derivative d;
    int ok = differentiate(study, run, &d);
    if (ok)
        memcpy(value, d.W, sizeof d.W);
    return ok;
}

static int by_h(ph_study *study, const ph_figure_run *run, derivative d[3])
{
    for (int k = 0; k < 3; k++) {
        ph_figure_run r = *run;
        r.h = ldexp(run->h, -k);
        if (!differentiate(study, &r, &d[k]))
            return 0;
    }
    return 1;
}

/* y(h) = y + c2 h^2 + c3 h^3 + ... */
#define LIMIT(name, field)                                                                                   \
    int ph_measure_sens_##name(ph_study *study, const ph_figure_run *run, double *value)                     \
    {                                                                                                        \
        derivative d[3];                                                                                     \
        int ok = by_h(study, run, d);                                                                        \
        for (int i = 0; ok && i < 3; i++) {                                                                  \
            double y0 = (d[0].field)[i], y1 = (d[1].field)[i], y2 = (d[2].field)[i];                         \
            double a = y1 + (y1 - y0) / 3, b = y2 + (y2 - y1) / 3;                                           \
            value[i] = b + (b - a) / 7;                                                                      \
        }                                                                                                    \
        return ok;                                                                                           \
    }
LIMIT(x_limit, x)
LIMIT(Omega_limit, v + 3)
LIMIT(lambda_limit, lambda)

static double length(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(s);
}

/* dx/dp and dv/dp by five-point differences of whole runs. */
static int difference(const trial *t, const ph_options *o, double x[3], double v[6], ph_error *err)
{
    static const double weight[PH_NEIGHBOURS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    int ok = 1;
    for (int k = 0; ok && k < PH_NEIGHBOURS; k++) {
        const ph_neighbour *n = &t->vary.at[k];
        ph_sim *sim = NULL;
        ok = ph_sim_create(&sim, &n->sys, o, 0, n->q0, n->v0, err) == PH_OK &&
             ph_sim_run(sim, t->rig.steps, NULL, NULL, err) == PH_OK;
        if (ok) {
            ph_state s = ph_sim_state(sim);
            for (int i = 0; i < 3; i++)
                x[i] += weight[k] / t->vary.eps * s.q[i];
            for (int i = 0; i < 6; i++)
                v[i] += weight[k] / t->vary.eps * s.v[i];
        }
        ph_sim_destroy(sim);
    }
    return ok;
}

int ph_measure_sens_difference(ph_study *study, const ph_figure_run *run, double *value)
{
    ph_error *err = &ph_study_trials(study)->complaint;
    ph_options o = ph_figure_options(run);
    derivative d;
    double x[3] = {0}, v[6] = {0};
    trial t;
    if (!open_trial(&t, study, run))
        return 0;
    int ok = direct(&t, &d, err) && difference(&t, &o, x, v, err);
    if (ok)
        value[0] = length(d.x, x, 3) / length(x, NULL, 3), value[1] = length(d.v, v, 6) / length(v, NULL, 6);
    close_trial(&t);
    return ok;
}
