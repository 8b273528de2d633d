/* Measures of sensitivities of model files: derivatives of one with two nodes, R^3 and SO(3), by the parameter
 * run->of. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"

/* Derivatives at the end. */
typedef struct derivative {
    double x[3], W[3]; /* of the position and, fixed to the body, of the rotation */
    double v[6], lambda[3];
} derivative;

/* With derivatives along. */
static int direct(ph_model_runner *runner, int parameter, derivative *out, ph_error *err)
{
    int ok = ph_run_follow(runner->run, &parameter, 1, err) == PH_OK;
    for (long k = 0; ok && k < runner->steps; k++)
        ok = ph_model_runner_step(runner, err);
    return ok && ph_run_get_derivative(runner->run, PH_GET_POSITION, 0, 0, out->x) == PH_OK &&
           ph_run_get_derivative(runner->run, PH_GET_ROTATION, 0, 0, out->W) == PH_OK &&
           ph_run_get_derivative(runner->run, PH_GET_VELOCITY, 0, 0, out->v) == PH_OK &&
           ph_run_get_derivative(runner->run, PH_GET_OMEGA, 0, 0, out->v + 3) == PH_OK &&
           ph_run_get_derivative(runner->run, PH_GET_MULTIPLIERS, 0, 0, out->lambda) == PH_OK;
}

static int differentiate(ph_study *study, const ph_claim_run *run, derivative *out)
{
    ph_model_runner runner;
    if (!ph_model_runner_open(&runner, study, run))
        return 0;
    int ok = direct(&runner, ph_run_find(runner.run, PH_PARAMETERS, run->of), out,
                    &ph_study_model_results(study)->complaint);
    ph_model_runner_close(&runner);
    return ok;
}

int ph_measure_sens_W(ph_study *study, const ph_claim_run *run, double *value)
{
    derivative d;
    int ok = differentiate(study, run, &d);
    if (ok)
        memcpy(value, d.W, sizeof d.W);
    return ok;
}

static int by_h(ph_study *study, const ph_claim_run *run, derivative d[3])
{
    for (int k = 0; k < 3; k++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        if (!differentiate(study, &r, &d[k]))
            return 0;
    }
    return 1;
}

/* y(h) = y + c2 h^2 + c3 h^3 + ... */
#define LIMIT(name, field)                                                                                   \
    int ph_measure_sens_##name(ph_study *study, const ph_claim_run *run, double *value)                      \
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
static int difference(ph_model_runner *runner, const ph_claim_run *run, double p, double eps, double x[3],
                      double v[6], ph_error *err)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const int place[] = {-2, -1, 1, 2};
    double now[3];
    int ok = 1;
    for (int k = 0; ok && k < 4; k++) {
        ph_setting set = {run->of, p + place[k] * eps};
        ok = ph_run_set_parameters(runner->run, &set, 1, err) == PH_OK;
        for (long n = 0; ok && n < runner->steps; n++)
            ok = ph_model_runner_step(runner, err);
        for (int i = 0; ok && i < 3; i++)
            for (int what = 0; what < 3; what++) {
                static const int all[] = {PH_GET_POSITION, PH_GET_VELOCITY, PH_GET_OMEGA};
                ph_run_get(runner->run, all[what], 0, now);
                *(what ? &v[3 * (what - 1) + i] : &x[i]) += weight[k] / eps * now[i];
            }
    }
    return ok;
}

int ph_measure_sens_difference(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_error *err = &ph_study_model_results(study)->complaint;
    derivative d;
    double x[3] = {0}, v[6] = {0}, p;
    ph_model_runner runner;
    if (!ph_model_runner_open(&runner, study, run))
        return 0;
    int parameter = ph_run_find(runner.run, PH_PARAMETERS, run->of);
    int ok = ph_run_get(runner.run, PH_GET_PARAMETER, parameter, &p) == PH_OK &&
             direct(&runner, parameter, &d, err) &&
             difference(&runner, run, p, ph_run_eps(runner.run, parameter), x, v, err);
    if (ok)
        value[0] = length(d.x, x, 3) / length(x, NULL, 3), value[1] = length(d.v, v, 6) / length(v, NULL, 6);
    ph_model_runner_close(&runner);
    return ok;
}
