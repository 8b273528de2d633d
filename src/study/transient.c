/* The error recursion of the first steps of generalized-alpha in index-3 form,
 *
 *   E_{n+1} = T_+^-1 T_0 E_n,  E = (r^B, e^lambda, e^a)                                                 (V5)
 *
 *         ( 0    0          -beta       )         ( 1   0         1/2 - beta )
 *   T_+ = ( 1    0          -gamma      ),  T_0 = ( 1   0         1 - gamma  )
 *         ( 0    1-alpha_f   1-alpha_m  )         ( 0  -alpha_f  -alpha_m    )
 *
 * and the errors of multipliers beside it. T_+^-1 T_0 has the triple eigenvalue -rho: its powers grow before
 * they vanish. (Arnold, Bruls, Cardona, Numer. Math. 129 (2015), eqs. (44)-(46) and section 4.1.) */
#include "study/transient.h"

#include <math.h>
#include <stdio.h>

#include "study/reference.h"
#include "study/fail.h"
#include "study/follow.h"

ph_mat3 ph_transient_matrix(double alpha_m, double alpha_f, double beta, double gamma)
{
    ph_mat3 plus = {0, 0, -beta, 1, 0, -gamma, 0, 1 - alpha_f, 1 - alpha_m};
    ph_mat3 zero = {1, 0, 0.5 - beta, 1, 0, 1 - gamma, 0, -alpha_f, -alpha_m};
    return ph_mmul(ph_minv(plus), zero);
}

/* Largest eigenvalue of a symmetric matrix: the characteristic polynomial in trigonometric form. */
static double largest_eigenvalue(ph_mat3 S)
{
    double m = (S.xx + S.yy + S.zz) / 3;
    ph_mat3 D = ph_msub(S, ph_diag3(m, m, m)), D2 = ph_mmul(D, D);
    double p = sqrt((D2.xx + D2.yy + D2.zz) / 6);
    if (p == 0)
        return m;
    ph_mat3 U = ph_mscale(1 / p, D);
    double det = ph_dot(ph_v3(U.xx, U.xy, U.xz), ph_cross(ph_v3(U.yx, U.yy, U.yz), ph_v3(U.zx, U.zy, U.zz)));
    double c = fmax(-1, fmin(1, det / 2));
    return m + 2 * p * cos(acos(c) / 3);
}

double ph_spectral_norm(ph_mat3 A)
{
    return sqrt(largest_eigenvalue(ph_mmul(ph_transpose(A), A)));
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double length(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* eta of every second step of h/2, where the form has one. */
static ph_status run_half(ph_transient_row *row, const ph_problem *p, const ph_options *opt, int steps,
                          ph_error *err)
{
    ph_options o = *opt;
    ph_sim *sim = NULL;
    o.h /= 2, o.start = PH_PERTURBED;
    ph_follow_begin(&p->sys);
    ph_status s = isnan(row[0].eta) ? PH_OK : ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, err);
    for (int n = 0; n <= steps && s == PH_OK; n++) {
        if (sim && n > 0)
            s = ph_sim_run(sim, 2, ph_follow_sim, (void *)&p->sys, err);
        row[n].eta_half = sim ? length(ph_system_nl(&p->sys), ph_sim_state(sim).eta) : NAN;
    }
    ph_sim_destroy(sim);
    return s;
}

static ph_status run(ph_transient_row *row, const ph_problem *p, const ph_options *opt, ph_start start,
                     int steps, ph_reference *exact, ph_error *err)
{
    ph_options o = *opt;
    ph_sim *sim;
    o.start = start;
    ph_follow_begin(&p->sys);
    ph_status s = ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, err);
    if (s != PH_OK)
        return s;
    o = ph_sim_options(sim);
    int has = ph_method_reads(o.method) & PH_READS_ALPHA && o.formulation == PH_INDEX3;
    int nl = ph_system_nl(&p->sys);
    ph_mat3 T = ph_transient_matrix(o.alpha_m, o.alpha_f, o.beta, o.gamma), A = ph_diag3(1, 1, 1);
    for (int n = 0; n <= steps && s == PH_OK; n++, A = ph_mmul(T, A)) {
        if (n > 0)
            s = ph_sim_run(sim, 1, ph_follow_sim, (void *)&p->sys, err);
        ph_state now = ph_sim_state(sim), want = ph_reference_state(exact, n);
        *(start == PH_PLAIN ? &row[n].plain : &row[n].perturbed) = distance(nl, now.lambda, want.lambda);
        row[n].t = now.t;
        row[n].predicted = has ? ph_spectral_norm(A) : NAN;
        row[n].eta = now.eta ? length(nl, now.eta) : NAN;
    }
    ph_sim_destroy(sim);
    return s;
}

ph_status ph_transient_run(ph_transient_row *row, const ph_problem *p, const ph_options *opt, int steps,
                           ph_error *err)
{
    ph_reference *exact;
    if (ph_system_nl(&p->sys) < 1)
        return ph_study_fail(err, PH_E_INPUT, "'%s' has no constraints, and so no multipliers", p->name);
    if (!(ph_method_reads(opt->method) & PH_READS_START))
        return ph_study_fail(err, PH_E_INPUT, "the method '%s' has no starting values to choose",
                             opt->method);
    void *kept = ph_follow_keep(&p->sys);
    if (!kept)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the study");
    ph_status s = ph_reference_create(&exact, p, steps * opt->h, steps, err);
    if (s == PH_OK)
        s = run(row, p, opt, PH_PLAIN, steps, exact, err);
    if (s == PH_OK)
        s = run(row, p, opt, PH_PERTURBED, steps, exact, err);
    if (s == PH_OK)
        s = run_half(row, p, opt, steps, err);
    ph_follow_take_back(&p->sys, kept);
    ph_reference_destroy(exact);
    return s;
}
