/* Inside of the figures: the study that keeps runs, and the measures of the table. */
#ifndef PH_STUDY_FIGURE_RUN_H
#define PH_STUDY_FIGURE_RUN_H

#include "problem/problem.h"
#include "study/figure.h"

#define PH_SURVEY_MAX 7 /* numbers of q of any problem of the table */

/* All that is kept of one run. */
typedef struct ph_survey {
    ph_figure_run run;
    int ok;
    double error[3];           /* largest |(x error, log R error)|, |v error|, |lambda error| */
    double lambda_at;          /* when the last of them was reached */
    double eta;                /* largest |eta| */
    double position, velocity; /* largest |Phi| and |B v + Phi_t| */
    double iterations;         /* mean of Newton's method */
    double q[PH_SURVEY_MAX], v[PH_SURVEY_MAX], vdot[PH_SURVEY_MAX], a[PH_SURVEY_MAX]; /* at the end */
    double lambda[PH_SURVEY_MAX], eta_end[PH_SURVEY_MAX];
} ph_survey;

/* Make the run, or find it among those made before. NULL: it failed. */
const ph_survey *ph_study_survey(ph_study *study, const ph_figure_run *run);

/* The problem of a run, kept by the study; NULL: there is none. */
ph_problem *ph_study_problem(ph_study *study, const ph_figure_run *run);

ph_options ph_figure_options(const ph_figure_run *run);

/* alpha_m, alpha_f, beta, gamma of Chung and Hulbert, and sigma with its name resolved. */
typedef struct ph_figure_alpha {
    double alpha_m, alpha_f, beta, gamma, sigma;
} ph_figure_alpha;

ph_figure_alpha ph_figure_numbers(const ph_figure_run *run);

/* Measures of the table; see the files for what each gives. */
typedef int ph_measure(ph_study *study, const ph_figure_run *run, double *value);

/* figure_survey.c */
ph_measure ph_measure_x, ph_measure_xdot, ph_measure_Omega, ph_measure_xddot, ph_measure_Omegadot,
    ph_measure_a, ph_measure_a_Omega, ph_measure_lambda, ph_measure_eta; /* at its end */
ph_measure ph_measure_errors;                                            /* of q, v, lambda */
ph_measure ph_measure_order;                         /* of q, v, lambda: over h, h/2, h/4 */
ph_measure ph_measure_transient;                     /* |lambda error| with sigma = 0, 1, opt */
ph_measure ph_measure_iterations;                    /* mean with sigma = 0, 1, opt */
ph_measure ph_measure_max_eta;                       /* with h, h/2, h/4 */
ph_measure ph_measure_eta_ratio;                     /* of these */
ph_measure ph_measure_lambda_error;                  /* with h and h/2 */
ph_measure ph_measure_rotor;                         /* |p2 error| with sigma = 0, 1, opt */
ph_measure ph_measure_rotor_p2;                      /* reference */
ph_measure ph_measure_position, ph_measure_velocity; /* violations with sigma = 0, 1, opt */

/* figure_survey.c, of the exact motion at the time run->to */
ph_measure ph_measure_exact_q, ph_measure_exact_v, ph_measure_exact_Omega, ph_measure_exact_lambda;

/* figure_defect.c: with sigma = 0, 1, opt */
ph_measure ph_measure_defect_q, ph_measure_defect_v;

/* figure_local.c */
ph_measure ph_measure_local;     /* coefficients of the local error: Lie part and C_q */
ph_measure ph_measure_local_gap; /* how far the first is from what it should be */

/* figure_transient.c: matrices of the error recursion, and a run that follows it */
ph_measure ph_measure_amplification, ph_measure_amplification_n, ph_measure_second_row, ph_measure_c_inf;
ph_measure ph_measure_example2_ratio, ph_measure_example2_difference;

/* figure_spin.c */
ph_measure ph_measure_radius; /* spectral radius of one step */

#endif
