/* The first steps of a solution: errors of the multipliers with two kinds of starting values, and the amplification
 * that the error recursion of index-3 predicts; of the stabilised form eta, which is of second order. */
#ifndef PH_STUDY_TRANSIENT_H
#define PH_STUDY_TRANSIENT_H

#include "problem/problem.h"

/* alpha_m, alpha_f, beta, gamma: the matrix T_+^-1 T_0 of (V5). */
ph_mat3 ph_transient_matrix(double alpha_m, double alpha_f, double beta, double gamma);
double ph_spectral_norm(ph_mat3 A); /* |A|_2 */

typedef struct ph_transient_row {
    double t;
    double plain, perturbed; /* |lambda - lambda_exact|_2 with either start */
    double predicted;        /* |(T_+^-1 T_0)^n|_2; NAN where the recursion is not that of the method */
    double eta, eta_half;    /* |eta|_2 of the stabilised form, with h and h/2; NAN: another form */
} ph_transient_row;

/* steps + 1 rows, the first of them at t = 0. opt->start is not read. PH_E_INPUT: the problem has no
 * multipliers, or the method has only one start. */
ph_status ph_transient_run(ph_transient_row *row, const ph_problem *p, const ph_options *opt, int steps,
                           ph_error *err);

#endif
