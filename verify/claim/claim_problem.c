/* Measures that read surveys: states at the end of a run, errors, orders, iterations. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"

/* ---- the end of a run --------------------------------------------------------------------------- */

#define END(name, field, at)                                                                                 \
    int ph_measure_##name(ph_study *study, const ph_claim_run *run, double *value)                           \
    {                                                                                                        \
        const ph_problem_result *y = ph_study_problem_result(study, run);                                    \
        if (y)                                                                                               \
            memcpy(value, y->field + at, 3 * sizeof(double));                                                \
        return y != NULL;                                                                                    \
    }
END(x, q, 0)
END(xdot, v, 0)
END(Omega, v, 3)
END(xddot, vdot, 0)
END(Omegadot, vdot, 3)
END(a, a, 0)
END(a_Omega, a, 3)
END(lambda, lambda, 0)
END(eta, eta_end, 0)
#undef END

/* ---- several runs ------------------------------------------------------------------------------- */

/* Runs with sigma = 0, 1, opt; 0: one failed. */
static int by_sigma(ph_study *study, const ph_claim_run *run, const ph_problem_result *y[3])
{
    const double sigma[3] = {0, 1, PH_SIGMA_OPT};
    for (int i = 0; i < 3; i++) {
        ph_claim_run r = *run;
        r.sigma = sigma[i];
        y[i] = ph_study_problem_result(study, &r);
        if (!y[i])
            return 0;
    }
    return 1;
}

/* n runs with h, h/2, h/4; 0: one failed. */
static int by_h(ph_study *study, const ph_claim_run *run, int n, const ph_problem_result **y)
{
    for (int i = 0; i < n; i++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -i);
        y[i] = ph_study_problem_result(study, &r);
        if (!y[i])
            return 0;
    }
    return 1;
}

int ph_measure_errors(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y = ph_study_problem_result(study, run);
    for (int i = 0; y && i < 3; i++)
        value[i] = y->error[i];
    return y != NULL;
}

double ph_claim_order(const ph_claim_run *run, const double e[3])
{
    double p = log2(e[0] / e[1]), p2 = log2(e[1] / e[2]), to = run->expect > 0 ? run->expect : 2;
    return fabs(p - to) <= fabs(p2 - to) ? p2 : p;
}

int ph_measure_order(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    if (!by_h(study, run, 3, y))
        return 0;
    for (int i = 0; i < 3; i++) {
        const double e[3] = {y[0]->error[i], y[1]->error[i], y[2]->error[i]};
        value[i] = ph_claim_order(run, e);
    }
    return 1;
}

int ph_measure_attitude(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[4];
    int ok = by_h(study, run, 4, y);
    for (int i = 0; ok && i < 4; i++)
        value[i] = y[i]->error[0];
    return ok;
}

int ph_measure_lambda_at(ph_study *study, const ph_claim_run *run, double *value)
{
    static const double rho[2] = {0.9, 0.6};
    for (int i = 0; i < 2; i++) {
        ph_claim_run r = *run;
        r.rho = rho[i];
        const ph_problem_result *y = ph_study_problem_result(study, &r);
        if (!y)
            return 0;
        value[i] = nearbyint(y->lambda_at / run->h);
    }
    return 1;
}

int ph_measure_transient(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->error[2];
    return ok;
}

int ph_measure_iterations(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->iterations;
    return ok;
}

int ph_measure_max_eta(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_h(study, run, 3, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->eta;
    return ok;
}

int ph_measure_eta_ratio(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_h(study, run, 3, y);
    for (int i = 0; ok && i < 2; i++)
        value[i] = y[i]->eta / y[i + 1]->eta;
    return ok;
}

int ph_measure_lambda_error(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[2];
    int ok = by_h(study, run, 2, y);
    for (int i = 0; ok && i < 2; i++)
        value[i] = y[i]->error[2];
    return ok;
}

int ph_measure_loose(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_claim_run loose = *run;
    double fine[2];
    loose.accuracy *= 100, loose.rtol *= 100;
    int ok = ph_measure_lambda_error(study, run, fine) && ph_measure_lambda_error(study, &loose, value);
    for (int i = 0; ok && i < 2; i++)
        value[i] /= fine[i];
    return ok;
}

/* ---- exact motions ------------------------------------------------------------------------------ */

/* q, v and lambda at the time run->to; 0: not to be had */
static int exact(ph_study *study, const ph_claim_run *run, double *q, double *v, double *lambda)
{
    double vdot[PH_RESULT_MAX];
    const ph_problem *p = ph_study_problem(study, run);
    return p && p->exact && p->exact(p, run->to, q, v, vdot, lambda);
}

#define EXACT(name, from)                                                                                    \
    int ph_measure_exact_##name(ph_study *study, const ph_claim_run *run, double *value)                     \
    {                                                                                                        \
        double q[PH_RESULT_MAX], v[PH_RESULT_MAX], lambda[PH_RESULT_MAX];                                    \
        int ok = exact(study, run, q, v, lambda);                                                            \
        if (ok)                                                                                              \
            memcpy(value, from, 3 * sizeof(double));                                                         \
        return ok;                                                                                           \
    }
EXACT(q, q)
EXACT(v, v)
EXACT(Omega, v + 3)
EXACT(lambda, lambda)
#undef EXACT

/* ---- rotor -------------------------------------------------------------------------------------- */

/* x + R l, l = (0.09, 0, 0), for q = (x, quaternion) */
static ph_vec3 bearing(const double *q)
{
    ph_mat3 R = ph_qmat((ph_quat){q[3], q[4], q[5], q[6]});
    return ph_add(ph_load3(q), ph_mul(R, ph_v3(0.09, 0, 0)));
}

int ph_measure_rotor_p2(ph_study *study, const ph_claim_run *run, double *value)
{
    double q[PH_RESULT_MAX], v[PH_RESULT_MAX], lambda[PH_RESULT_MAX];
    if (!exact(study, run, q, v, lambda))
        return 0;
    ph_store3(value, bearing(q));
    return 1;
}

int ph_measure_rotor(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    double p2[3];
    if (!ph_measure_rotor_p2(study, run, p2) || !by_sigma(study, run, y))
        return 0;
    for (int i = 0; i < 3; i++)
        value[i] = ph_norm(ph_sub(bearing(y[i]->q), ph_load3(p2)));
    return 1;
}

/* ---- constraints -------------------------------------------------------------------------------- */

int ph_measure_position(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->position;
    return ok;
}

int ph_measure_velocity(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y[3];
    int ok = by_sigma(study, run, y);
    for (int i = 0; ok && i < 3; i++)
        value[i] = y[i]->velocity;
    return ok;
}
