/* Simulations: one system, one method, one step size, and the state that changes.
 *
 *   ph_options opt = ph_default_options();
 *   opt.h = 1e-3;
 *   ph_sim *sim;
 *   if (ph_sim_create(&sim, &system, &opt, 0, q0, v0, &err) != PH_OK) ...
 *   ph_sim_run(sim, 1000, output, ctx, &err);
 *   ph_sim_destroy(sim);
 *
 * Only ph_sim_create allocates, with two exceptions: under PH_AUTO a matrix that block LU cannot factor stably
 * goes to KLU, which allocates when it is first needed; and where rows of redundant constraints must be chosen anew,
 * memory is taken and given back. The system, with all that it points to, must outlive the simulation.
 *
 * Threads: a simulation is used by one at a time. Several simulations in several threads can share a system
 * whose callbacks do not write to ctx. That of a mechanism (model.h) is such a one, unless its model has
 * functions: then all simulations of this model must be used by one thread at a time. */
#ifndef POLHODE_SIM_H
#define POLHODE_SIM_H

#include "polhode/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ph_formulation {
    PH_INDEX3, /* Phi = 0 */
    PH_INDEX2, /* B v + Phi_t = 0 */
    PH_GGL     /* both: stabilised index-2 */
} ph_formulation;

typedef enum ph_newton {
    PH_STEP, /* exact Jacobian of the first iteration, kept in the step; one in every iteration where contraction is
                      worse than 0.1 */
    PH_FULL,       /* exact Jacobian in every iteration */
    PH_SIMPLIFIED, /* tangent operators and their derivatives left out */
    PH_MODIFIED /* exact, but kept over iterations and steps until contraction is worse than 0.5. A step that fails
                      with a Jacobian that was kept is made again with one in every iteration */
} ph_newton;

typedef enum ph_start {
    PH_PERTURBED, /* a_0 of (S2) and, for index-3, v_0 of (S3): no first-order transient in lambda; of a
                     multistep method: starting values that keep its order */
    PH_PLAIN      /* v_0 as given, a_0 = vdot_0; of a multistep method: steps of order 1, 2, ... */
} ph_start;

/* Multistep methods: where the term h^2/12 [v, vdot] stands that increments on a group have and those of a
 * vector space have not, (D3)-(D6) and (D12). */
typedef enum ph_correction {
    PH_IN_EXP,       /* in the argument of the exponential map */
    PH_IN_VELOCITY,  /* in the equation of v, with v and vdot of the end of the step */
    PH_LAGGED,       /* likewise, with velocities of the steps before: at most order 3 */
    PH_EXTRAPOLATED, /* likewise, with velocities of the steps before extrapolated: at most order 4 */
    PH_WITHOUT       /* nowhere: at most order 2 */
} ph_correction;

/* Stabilised index-2 form: where the multipliers eta enter, (G7) and (G8). */
typedef enum ph_ggl_form {
    PH_GGL_AUTO,   /* PH_GGL_INSIDE for sigma = 0, PH_GGL_OUTSIDE otherwise */
    PH_GGL_INSIDE, /* E = gamma/beta T(theta) B(q_n)^T */
    PH_GGL_OUTSIDE /* E = gamma/beta B(q_n)^T */
} ph_ggl_form;

/* How the four numbers of the generalized-alpha method are found. */
typedef enum ph_scheme {
    PH_CHUNG_HULBERT, /* from rho */
    PH_HHT,           /* from hht_alpha in [0, 1/3] */
    PH_NEWMARK,       /* from beta and gamma */
    PH_FOUR_NUMBERS   /* alpha_m, alpha_f, beta, gamma as given */
} ph_scheme;

#define PH_SIGMA_OPT HUGE_VAL /* sigma = gamma/(3 beta): no Lie part in the leading error */

typedef struct ph_times {
    int n;
    const double *t; /* s */
} ph_times;

typedef struct ph_options {
    const char *method;         /* row of steppers.def; "genalpha" */
    double h;                   /* step size [s]; has no default; may be 0 with tol */
    double sigma;               /* 0: geom1; 1; PH_SIGMA_OPT; any real number */
    ph_scheme scheme;           /* PH_CHUNG_HULBERT */
    double rho;                 /* spectral radius at infinite frequency, in [0, 1] */
    double hht_alpha;           /* of PH_HHT */
    double alpha_m, alpha_f;    /* of PH_FOUR_NUMBERS */
    double beta, gamma;         /* of PH_FOUR_NUMBERS and PH_NEWMARK */
    ph_formulation formulation; /* PH_GGL */
    ph_ggl_form ggl_form;       /* PH_GGL_AUTO */
    double ggl_length;          /* m, of (N5); 0: 1, as papers have it, but for very large or small levers */
    ph_newton newton;           /* PH_STEP */
    ph_start start;             /* PH_PERTURBED */
    int order;                  /* of a multistep method, 1 to 6 */
    ph_correction correction;   /* PH_IN_EXP */
    const char *tableau;        /* of a Runge-Kutta method: row of tableaux.def */
    double tol;                 /* above 0: step sizes by error control, see ph_sim_step */
    double h_min,
        h_max;   /* s, with tol: no step is smaller, except the last one, or larger; 0: no bound. Without tol
                              no part of a step that is divided is smaller than h_min */
    double span; /* s, with tol: errors of steps may add up to tol over this time (VS9); 0: up to
                                   the end of the run at the first step, or 1 if that is not known */
    ph_times nonsmooth; /* with tol: times that steps end at, rising; must outlive the simulation */
    double random;      /* above 1: steps of random sizes from h/random to h random, which show what a
                                   method makes of changes of h; without tol */
    unsigned seed;      /* of these sizes */
    double atol, rtol;  /* of accelerations in Newton's method, (N3) */
    int max_iterations; /* of one step */
    int halvings;       /* without tol: a step that fails is made again in parts, of 2^-halvings of h at least
                              (RB5); 9, which is the most; 0: it ends the run */
    int project;        /* 1: initial values that violate the constraints are projected; 0: an error */
    ph_solver_kind solver;     /* PH_AUTO */
    const ph_allocator *alloc; /* NULL: malloc; must outlive the simulation */
    ph_log_fn log;             /* NULL: silent */
    void *log_ctx;
} ph_options;

/* Those of a run whose file says nothing; h is not among them. */
PH_API ph_options ph_default_options(void);

typedef struct ph_stats {
    long steps, iterations, jacobians, factorizations, residuals;
    int worst_iterations;    /* of one step */
    long accepted, rejected; /* steps of a method with error control, between the points of its grid */
    double h_least, h_most;  /* of those accepted */
    double h_last;           /* of the last one */
    long divided;            /* constant steps that were made in parts (RB5); */
    double smallest;         /* s, size of the smallest part; 0: none */
    double first_divided;    /* s, time of the first of them */
    double wall_s, cpu_s; /* in ph_sim_run: seconds, and those of them in which the thread had a processor */
} ph_stats;

#define PH_CULPRITS 4

/* What a failed step leaves for the user: the rows that dominate, worst first. */
typedef struct ph_failure {
    ph_status status;
    double t, h;
    int iterations;
    double spin;    /* largest h |Omega| [rad] */
    int n_culprits; /* at most PH_CULPRITS */
    struct {
        int is_constraint;
        int index;    /* node or constraint */
        double value; /* size of its residual: force and torque of a node, Phi or Phidot of a constraint */
    } culprit[PH_CULPRITS];
} ph_failure;

typedef struct ph_sim ph_sim;

/* Check, allocate, make the initial values consistent and prepare the first step. q0 and v0 are copied. */
PH_API ph_status ph_sim_create(ph_sim **out, const ph_system *sys, const ph_options *opt, double t0,
                               const double *q0, const double *v0, ph_error *err);
PH_API void ph_sim_destroy(ph_sim *sim); /* accepts NULL */

/* Start again from other values, with the same options; no allocation. */
PH_API ph_status ph_sim_reset(ph_sim *sim, double t0, const double *q0, const double *v0, ph_error *err);

/* One step. On failure the state is as before; ph_sim_failure tells more. With tol and h the method finds its
 * own steps, and the state is that at the next point of the grid t0 + n h; with tol and h = 0 it is that after
 * the next step of the method. */
PH_API ph_status ph_sim_step(ph_sim *sim, ph_error *err);

/* Called before the first and after every step; any status but PH_OK stops the run with PH_E_STOPPED. */
typedef ph_status (*ph_output_fn)(const ph_sim *sim, void *ctx);

/* So many steps. output NULL: nobody is told. A step that fails ends the run there, with its status. */
PH_API ph_status ph_sim_run(ph_sim *sim, long steps, ph_output_fn output, void *ctx, ph_error *err);

/* Steps until t_end is reached. With h = 0 the last one ends there; otherwise the run ends at a point of the grid. */
PH_API ph_status ph_sim_run_until(ph_sim *sim, double t_end, ph_output_fn output, void *ctx, ph_error *err);

/* Views; they hold until the next step. */
PH_API ph_state ph_sim_state(const ph_sim *sim);
PH_API ph_stats ph_sim_stats(const ph_sim *sim);            /* counters since the start */
PH_API const ph_failure *ph_sim_failure(const ph_sim *sim); /* of the last step that failed */
PH_API const char *ph_sim_solver(const ph_sim *sim);        /* name of the linear solver at work */
PH_API ph_options ph_sim_options(const ph_sim *sim);        /* with sigma and the four numbers as resolved */

/* Set the whole state, that of another simulation of the same system and method: a restart without a
 * transient. The pointers q, v, vdot, a, lambda and (stabilised form) eta of s are read, and t. The state is
 * taken to the bit; the steps after it agree with those of the other simulation to Newton's tolerance, since
 * the first guess starts without memory. */
PH_API ph_status ph_sim_load(ph_sim *sim, const ph_state *s, ph_error *err);

/* All that changes in a simulation, as bytes: the state, what the method and Newton's method remember, the counters. A
 * simulation of the same system with the same options goes on from them with the same bits; another is refused. No
 * allocation. PH_E_INPUT also while derivatives follow the simulation. */
PH_API size_t ph_sim_save_size(const ph_sim *sim);
/* Write to size bytes, as many as ph_sim_save_size says; PH_E_INPUT otherwise. */
PH_API ph_status ph_sim_save(const ph_sim *sim, void *to, size_t size);
/* Go on from bytes of ph_sim_save. PH_E_INPUT: they are of another simulation; nothing changes then. */
PH_API ph_status ph_sim_restore(ph_sim *sim, const void *from, size_t size, ph_error *err);

/* Largest |Phi| and |B v + Phi_t| at the present state. */
PH_API ph_status ph_sim_violation(ph_sim *sim, double *position, double *velocity);

/* Fastest angular frequency [rad/s] of the undamped system linearised at the present state; 0: nothing
 * restores it. */
PH_API ph_status ph_sim_fastest(ph_sim *sim, double *omega);

/* Which options a method reads, as bits. */
enum {
    PH_READS_ALPHA = 1,       /* scheme, rho, hht_alpha, alpha_m, alpha_f, beta, gamma */
    PH_READS_FORMULATION = 2, /* others constrain accelerations and project */
    PH_READS_NEWTON = 4,      /* newton, atol, rtol, max_iterations */
    PH_READS_START = 8,
    PH_READS_ORDER = 16, /* order, correction */
    PH_READS_TABLEAU = 32,
    PH_READS_TOL = 64,
    PH_READS_SIGMA = 128 /* sigma, ggl_form */
};

PH_API unsigned ph_method_reads(const char *method); /* 0: there is none of this name */

/* The same of a method with its options: explicit tableaux have no use for Newton's method. */
PH_API unsigned ph_options_reads(const ph_options *o);

/* Row k of the table of methods; NULL past the end. */
PH_API const char *ph_method_name(int k);
PH_API const char *ph_method_text(int k); /* what it is, one line */
PH_API const char *ph_method_cite(int k); /* what to cite, a line each */

/* Row k of the table of Runge-Kutta tableaux; NULL past the end. */
PH_API const char *ph_tableau_name(int k);
PH_API const char *ph_tableau_text(int k); /* what it is, one line */
PH_API const char *ph_tableau_cite(int k); /* "": nothing */

/* The row of a name or alias, without regard to case, '-', '_' and blanks; -1: there is none. */
PH_API int ph_tableau_find(const char *name);

/* Word k of the choices of an option, by its code; NULL past the end. */
PH_API const char *ph_formulation_word(int k);
PH_API const char *ph_newton_word(int k);     /* of ph_newton */
PH_API const char *ph_start_word(int k);      /* of ph_start */
PH_API const char *ph_correction_word(int k); /* of ph_correction */
PH_API const char *ph_solver_word(int k);     /* of ph_solver_kind */

#ifdef __cplusplus
}
#endif

#endif
