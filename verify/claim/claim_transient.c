/* Figures of the error recursion of the first steps, (V5) of transient.c: amplification, and a run that
 * follows it. (Arnold, Bruls, Cardona, Numer. Math. 129 (2015), Example 2 and section 4.1.) */
#include <math.h>

#include "claim/claim_run.h"
#include "study/transient.h"

#define POWERS 1000 /* beyond the maximum for rho <= 0.99 */

static ph_mat3 recursion(const ph_claim_run *run)
{
    ph_claim_alpha p = ph_claim_numbers(run);
    return ph_transient_matrix(p.alpha_m, p.alpha_f, p.beta, p.gamma);
}

/* max_n |(T_+^-1 T_0)^n|_2; *at: the n where it is reached */
static double amplification(const ph_claim_run *run, double *at)
{
    ph_mat3 T = recursion(run), A = T;
    double max = 0;
    for (int n = 1; n <= POWERS; n++, A = ph_mmul(T, A)) {
        double norm = ph_spectral_norm(A);
        if (norm > max || isnan(norm))
            max = norm, *at = n;
    }
    return max;
}

int ph_measure_amplification(ph_study *study, const ph_claim_run *run, double *value)
{
    double at;
    (void)study;
    value[0] = amplification(run, &at);
    return 1;
}

int ph_measure_amplification_n(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    amplification(run, &value[0]);
    return 1;
}

int ph_measure_amplification_rule(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study, (void)run;
    value[0] = 0;
    for (int k = 30; k <= 99; k++) {
        const ph_claim_run r = {.rho = 0.01 * k};
        double at;
        ph_raise(&value[0], 100 * fabs(0.9 / (1 - pow(r.rho, 0.25)) / amplification(&r, &at) - 1));
    }
    return 1;
}

/* max_n of the entries of the second row of (T_+^-1 T_0)^(2n), that of e^lambda */
int ph_measure_second_row(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_mat3 T = recursion(run), T2 = ph_mmul(T, T), A = T2;
    (void)study;
    value[0] = value[1] = value[2] = 0;
    for (int n = 2; n <= POWERS; n += 2, A = ph_mmul(T2, A)) {
        value[0] = fmax(value[0], fabs(A.yx));
        value[1] = fmax(value[1], fabs(A.yy));
        value[2] = fmax(value[2], fabs(A.yz));
    }
    return 1;
}

/* c_inf = max_n n (n - 1) rho^(n-2) / 2 for rho = 0.6, 0.9, 0.99 */
int ph_measure_c_inf(ph_study *study, const ph_claim_run *run, double *value)
{
    const double rho[3] = {0.6, 0.9, 0.99};
    (void)study, (void)run;
    for (int i = 0; i < 3; i++) {
        value[i] = 0;
        for (int n = 2; n <= POWERS; n++)
            value[i] = fmax(value[i], 0.5 * n * (n - 1) * pow(rho[i], n - 2));
    }
    return 1;
}

static double larger(double max, double x)
{
    return x <= max || isnan(max) ? max : x;
}

/* Example 2, q = t^3, from exact values, a_0 = vdot(t_0 + (alpha_m - alpha_f) h): largest |lambda error|, and
 * how far the errors are from the second entry of E_n, E_0 = (6 C_q h, 0, 0). */
static int example2(ph_study *study, const ph_claim_run *run, double *error, double *difference)
{
    ph_claim_alpha p = ph_claim_numbers(run);
    ph_options o = ph_claim_options(run);
    const ph_problem *pr = ph_study_problem(study, run);
    double h = run->h, shift = p.alpha_m - p.alpha_f, a[1] = {6 * shift * h}, zero[1] = {0};
    ph_mat3 T = recursion(run);
    ph_vec3 E = {(1 - 6 * p.beta - 3 * shift) * h, 0, 0};
    ph_state s = {.q = zero, .v = zero, .vdot = zero, .lambda = zero, .a = a};
    ph_sim *sim;
    *error = *difference = 0;
    if (!pr || ph_sim_create(&sim, &pr->sys, &o, 0, zero, zero, NULL) != PH_OK)
        return 0;
    int ok = ph_sim_load(sim, &s, NULL) == PH_OK;
    for (long k = lrint(run->to / h); k > 0 && ok; k--) {
        ok = ph_sim_step(sim, NULL) == PH_OK;
        E = ph_mul(T, E);
        ph_state now = ph_sim_state(sim);
        double e = -6 * now.t - now.lambda[0];
        *error = larger(*error, fabs(e));
        *difference = larger(*difference, fabs(e - E.y));
    }
    ph_sim_destroy(sim);
    return ok;
}

int ph_measure_example2_ratio(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_claim_run half = *run;
    double e[2], d;
    half.h = run->h / 2;
    if (!example2(study, run, &e[0], &d) || !example2(study, &half, &e[1], &d))
        return 0;
    value[0] = e[0] / e[1];
    return 1;
}

int ph_measure_example2_difference(ph_study *study, const ph_claim_run *run, double *value)
{
    double e;
    return example2(study, run, &e, &value[0]);
}
