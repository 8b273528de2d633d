/* Inside of the claims: the study that keeps runs, and the measures of the table. */
#ifndef PH_CLAIM_CLAIM_RUN_H
#define PH_CLAIM_CLAIM_RUN_H

#include "polhode/run.h"
#include "problem/problem.h"
#include "claim/claim.h"

#define PH_RESULT_MAX 7 /* numbers of q of any problem of the table */

/* *max = the larger of both; NAN stays */
static inline void ph_raise(double *max, double x)
{
    if (!(x <= *max) && !isnan(*max))
        *max = x;
}

/* All that is kept of one run. */
typedef struct ph_problem_result {
    ph_claim_run run;
    int ok;
    double error[3];           /* largest |(x error, log R error)|, |v error|, |lambda error| */
    double lambda_at;          /* when the last of them was reached */
    double eta;                /* largest |eta| */
    double position, velocity; /* largest |Phi| and |B v + Phi_t| */
    double iterations;         /* mean of Newton's method */
    double q[PH_RESULT_MAX], v[PH_RESULT_MAX], vdot[PH_RESULT_MAX], a[PH_RESULT_MAX]; /* at the end */
    double lambda[PH_RESULT_MAX], eta_end[PH_RESULT_MAX];
} ph_problem_result;

/* Make the run, or find it among those made before. NULL: it failed. */
const ph_problem_result *ph_study_problem_result(ph_study *study, const ph_claim_run *run);

/* The problem of a run, kept by the study; NULL: there is none. */
ph_problem *ph_study_problem(ph_study *study, const ph_claim_run *run);

/* ---- model files, claim_model.c ---------------------------------------------------------------- */

/* A model file, ready to step. */
typedef struct ph_model_runner {
    ph_run *run;
    const ph_sim *sim; /* of the run */
    long steps;        /* of the whole run */
} ph_model_runner;

int ph_model_runner_open(ph_model_runner *runner, ph_study *study,
                         const ph_claim_run *run); /* 0: failed, see the complaint */
void ph_model_runner_close(ph_model_runner *runner);
int ph_model_runner_step(ph_model_runner *runner, ph_error *err); /* 0: failed */

#define PH_NAMED_MAX 6

/* Something to look at: a sensor, "BODY.position", "JOINT.force" and the like. */
typedef struct ph_named {
    char name[48];
    int n;
    double value[PH_NAMED_MAX];
} ph_named;

/* All that is kept of one run of a model file. */
typedef struct ph_model_result {
    struct ph_model_result *next;
    ph_claim_run run;
    int ok;
    int n;                                 /* things to look at */
    ph_named *named;                       /* at the end */
    double position, velocity;             /* largest |Phi| and |B v + Phi_t| */
    double drift, drift_first, drift_last; /* largest |E - E(0)|: in all, in the first and the last tenth */
    double iterations, jacobians;          /* of Newton's method: mean for each step; of the whole run */
} ph_model_result;

typedef struct ph_model_results {
    const char *folder;
    ph_model_result *first;
    ph_error complaint;
} ph_model_results;

ph_model_results *ph_study_model_results(ph_study *study);
void ph_model_results_clear(ph_model_results *results);

/* Make the run, or find it among those made before. NULL: it failed. */
const ph_model_result *ph_study_model_result(ph_study *study, const ph_claim_run *run);

/* What the words of run->of give at the end, n of each word. Returns how many words; 0: one is not there, or
 * all of them give more than PH_CLAIM_MAX numbers. */
int ph_model_result_look(ph_study *study, const ph_claim_run *run, double value[PH_CLAIM_MAX],
                         int n[PH_CLAIM_MAX]);

/* The same of any state of a model file. */
int ph_model_runner_look(ph_model_runner *runner, const ph_state *now, const char *of,
                         double value[PH_CLAIM_MAX]);

/* A problem or a model file, as one: claim_reference.c. */
typedef struct ph_reference_case {
    ph_model_runner runner; /* of a model file; else empty */
    ph_problem own;         /* with q0 and v0, without its exact solution */
    const ph_problem *p;    /* of the study, or own */
} ph_reference_case;

int ph_reference_case_open(ph_reference_case *given, ph_study *study,
                           const ph_claim_run *run); /* 0: failed */
void ph_reference_case_close(ph_reference_case *given);

/* ---- options ------------------------------------------------------------------------------------ */

ph_options ph_claim_options(const ph_claim_run *run);
int ph_same_method(const ph_claim_run *a, const ph_claim_run *b); /* with its order, tableau and the like */

/* log2(e[0]/e[1]) or log2(e[1]/e[2]), whichever is farther from the expected order. */
double ph_claim_order(const ph_claim_run *run, const double e[3]);

/* alpha_m, alpha_f, beta, gamma of Chung and Hulbert, and sigma with its name resolved. */
typedef struct ph_claim_alpha {
    double alpha_m, alpha_f, beta, gamma, sigma;
} ph_claim_alpha;

ph_claim_alpha ph_claim_numbers(const ph_claim_run *run);

/* Measures of the table; see the files for what each gives. */
typedef int ph_measure(ph_study *study, const ph_claim_run *run, double *value);

/* claim_problem.c */
ph_measure ph_measure_x, ph_measure_xdot, ph_measure_Omega, ph_measure_xddot, ph_measure_Omegadot,
    ph_measure_a, ph_measure_a_Omega, ph_measure_lambda, ph_measure_eta; /* at its end */
ph_measure ph_measure_errors;                                            /* of q, v, lambda */
ph_measure ph_measure_order;                         /* of q, v, lambda: over h, h/2, h/4 */
ph_measure ph_measure_error_over_tol;                /* of q, tol = 1e-2 ... 1e-5 */
ph_measure ph_measure_random_orders;                 /* of q, v, lambda, steps of changing size */
ph_measure ph_measure_error_bars;                    /* % that they leave of the error, h, h/2, h/4 */
ph_measure ph_measure_event_order;                   /* of the time of the last event, twice */
ph_measure ph_measure_event_time;                    /* its error [s] */
ph_measure ph_measure_transient;                     /* |lambda error| with sigma = 0, 1, opt */
ph_measure ph_measure_iterations;                    /* mean with sigma = 0, 1, opt */
ph_measure ph_measure_max_eta;                       /* with h, h/2, h/4 */
ph_measure ph_measure_eta_ratio;                     /* of these */
ph_measure ph_measure_lambda_error;                  /* with h and h/2 */
ph_measure ph_measure_loose;                         /* the same with tolerances times 100, over it */
ph_measure ph_measure_rotor;                         /* |p2 error| with sigma = 0, 1, opt */
ph_measure ph_measure_rotor_p2;                      /* reference */
ph_measure ph_measure_position, ph_measure_velocity; /* violations with sigma = 0, 1, opt */

ph_measure ph_measure_attitude;  /* |q error| with h, h/2, h/4, h/8 */
ph_measure ph_measure_lambda_at; /* step of the largest |lambda error| with rho = 0.9, 0.6 */

/* claim_problem.c, of the exact motion at the time run->to */
ph_measure ph_measure_exact_q, ph_measure_exact_v, ph_measure_exact_Omega, ph_measure_exact_lambda;

/* claim_sens.c: of residual-alpha, linear-alpha and genalpha, x of the heavy top against the exact motion, the
 * order over h and h/2, dx/dm against differences; of one method, dx/dm, its error against run->exact with h,
 * h/2, h/4, and what simplified derivatives lack, with h and h/10 */
ph_measure ph_measure_three_errors, ph_measure_three_orders, ph_measure_three_differences;
ph_measure ph_measure_three_central, ph_measure_three_backward; /* the same over other stencils */
ph_measure ph_measure_dx, ph_measure_dx_error;
ph_measure ph_measure_reference_free, ph_measure_without_kG, ph_measure_symmetric_K;

/* claim_spinning.c, of the same three methods: psi_2 at the end, its jumps; the lowest x_3; how lambda_1 rings */
ph_measure ph_measure_three_psi, ph_measure_three_jumps, ph_measure_three_lowest, ph_measure_three_ringing;

/* claim_defect.c: with sigma = 0, 1, opt */
ph_measure ph_measure_defect_q, ph_measure_defect_v;

/* claim_local.c */
ph_measure ph_measure_local;     /* coefficients of the local error: Lie part and C_q */
ph_measure ph_measure_local_gap; /* how far the first is from what it should be */

/* claim_transient.c: matrices of the error recursion, and a run that follows it */
ph_measure ph_measure_amplification, ph_measure_amplification_n, ph_measure_second_row, ph_measure_c_inf;
ph_measure ph_measure_amplification_rule; /* per cent, from 0.9/(1 - rho^0.25) for rho in [0.3, 0.99] */
ph_measure ph_measure_example2_ratio, ph_measure_example2_difference;

/* claim_stability.c */
ph_measure ph_measure_radius;     /* spectral radius of one step */
ph_measure ph_measure_ball_limit; /* z where bounded motion ends; run: see BALL of claims.def */

/* claim_method.c */
ph_measure ph_measure_psi;        /* log R of one node SO(3) at the end */
ph_measure ph_measure_ball_error; /* |(psi error, omega error)| at the end */
ph_measure
    ph_measure_parallel; /* ball on one axis against the oscillator in R^1: difference after 10 steps */
ph_measure ph_measure_tolerance;    /* error at the end with tol = 1e-6, 1e-9, 1e-12 */
ph_measure ph_measure_flips;        /* largest over smallest step with error control */
ph_measure ph_measure_model_orders; /* of q, v, lambda at the end, against the reference solver */

/* claim_reference.c: the reference solver at run->to */
ph_measure ph_measure_reference_q, ph_measure_reference_v, ph_measure_reference_Omega,
    ph_measure_reference_lambda, ph_measure_reference_psi, ph_measure_reference_turn;
ph_measure ph_measure_reference_model; /* what run->of gives there */

/* claim_model_sens.c: derivatives of a model file by the parameter run->of */
ph_measure ph_measure_sens_W;
ph_measure ph_measure_sens_Omega_limit, ph_measure_sens_x_limit, ph_measure_sens_lambda_limit; /* h -> 0 */
ph_measure ph_measure_sens_difference; /* of W and v, relative, from five-point differences of whole runs */

/* claim_model_value.c: what run->of gives at the end of a run of a model file */
ph_measure ph_measure_model;
ph_measure ph_measure_model_limit;    /* for h -> 0, from h, h/2, h/4 */
ph_measure ph_measure_model_order;    /* of each word: over h, h/2, h/4 */
ph_measure ph_measure_model_distance; /* from run->exact */
ph_measure ph_measure_model_error;    /* the same with sigma = 0, 1, opt */

/* claim_model_run.c: what its whole course shows */
ph_measure ph_measure_model_violation;  /* position, velocity */
ph_measure ph_measure_model_velocity;   /* violation with sigma = 0, 1, opt */
ph_measure ph_measure_model_iterations; /* mean with sigma = 0, 1, opt */
ph_measure ph_measure_model_newton;     /* mean iterations, Jacobians of the whole run */
ph_measure ph_measure_model_drift;      /* largest |E - E(0)|: in all, in the first and the last tenth */
ph_measure ph_measure_model_rank; /* conditions, their rank, those of the joint run->of that repeat others */
ph_measure ph_measure_model_twin; /* largest difference of q, v, lambda from those of run->problem */
ph_measure ph_measure_model_twin_lambda; /* the last of them */
ph_measure ph_measure_model_extremes;    /* least and greatest number of the sensor run->of, over all steps */
ph_measure ph_measure_model_modes, ph_measure_model_modes_error; /* claim_modes.c */
ph_measure ph_measure_model_period; /* for h -> 0: of the sensor run->of, between zeros of one direction */

#endif
