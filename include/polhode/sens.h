/* Sensitivities: derivatives of a simulation by parameters, exact for the discrete solution.
 *
 *   ph_sens *sens;
 *   ph_sens_create(&sens, sim, 1, &parameter, &err);   a simulation that has not made a step yet
 *   ph_sim_run(sim, 1000, output, ctx, &err);          carries the derivatives along
 *   ph_derivative d = ph_sens_get(sens, 0);            of the present state
 *   ph_sens_destroy(sens);                             before the simulation
 *
 * Each step is differentiated as it was solved: one linear system for each parameter, with the factorisation
 * of the step (docs/theory.md, W). How the equations depend on a parameter is told by systems built for
 * neighbouring values.
 *
 * Threads: sensitivities belong to their simulation and are used with it, by one at a time (sim.h). */
#ifndef POLHODE_SENS_H
#define POLHODE_SENS_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PH_NEIGHBOURS 4 /* at p - 2 eps, p - eps, p + eps, p + 2 eps */

/* Which parts are wanted: */
#define PH_LOADS_PHI  1u
#define PH_LOADS_RATE 2u
#define PH_LOADS_ROWS 4u /* nothing but B^T lambda in r */

/* What a parameter changes: add the sums over the neighbours of weight r, weight Phi and weight rate, in the
 * layout of the state; the weights have the sum 0. what: PH_LOADS_ bits. */
typedef ph_status (*ph_loads_fn)(const ph_state *s, const double *weight, unsigned what, double *r,
                                 double *Phi, double *rate, void *ctx);

/* One parameter p: the same system with the same layout at neighbouring values, and its initial values there.
 * All of it must outlive the sensitivities. */
typedef struct ph_param {
    const char *name; /* for messages */
    double eps;       /* above 0 */
    struct {
        const ph_system *sys;
        const double *q0, *v0;
    } at[PH_NEIGHBOURS];
    ph_loads_fn loads; /* for less cost than all callbacks of all neighbours; NULL: these */
    void *ctx;
    /* 1: the systems depend on the parameter near the start as they do later on. The inner two neighbours alone count then,
     * where third differences vanish. 0: all four count, as they must where a drive, a force or a contact begins later. */
    int steady;
} ph_param;

/* Derivatives by one parameter, in the layout of the state. */
typedef struct ph_derivative {
    const double *W; /* nv: q(p + dp) = q o exp(dp W), a body-fixed vector for rotations */
    const double *v, *vdot;
    const double *lambda;
    const double *eta; /* NULL outside the stabilised form */
} ph_derivative;

typedef struct ph_sens ph_sens;

/* params are copied, what they point to is not. PH_E_INPUT for a method without sensitivities, or for
 * neighbours whose layout differs. */
PH_API ph_status ph_sens_create(ph_sens **out, ph_sim *sim, int n, const ph_param *params, ph_error *err);
PH_API void ph_sens_destroy(ph_sens *sens); /* accepts NULL */

/* Derivatives as they are simplified in the literature, to measure what that costs: they are not exact. */
typedef enum ph_simplification {
    PH_NOT_SIMPLIFIED,
    PH_SYMMETRIC_STIFFNESS, /* (K + K^T)/2 for K, on the diagonal */
    PH_REFERENCE_FREE,      /* (C8), of the methods in coordinates */
    PH_WITHOUT_KG           /* (C9), of the methods in coordinates; k_G vanishes in linear-alpha */
} ph_simplification;

/* Before the first step. PH_E_INPUT: the method has nothing to simplify. ph_sens_gradient refuses what is simplified. */
PH_API ph_status ph_sens_simplify(ph_sens *sens, ph_simplification how, ph_error *err);
PH_API const char *ph_simplification_word(int k); /* NULL past the end */

/* A view; it holds until the next step. */
PH_API ph_derivative ph_sens_get(const ph_sens *sens, int param);

/* The state moved by dp along the derivative, to first order: with the system of p + dp, what anything that
 * depends on state and parameter is there. The arrays belong to sens and hold until the next call. */
PH_API ph_state ph_sens_move(ph_sens *sens, int param, double dp);

/* ---- error bars ------------------------------------------------------------------------------------ */

/* The global error follows the steps, exact less numerical, from one run: local errors of each step, carried on as
 * derivatives are (VS11). In the stabilised form it is asymptotically exact, in the others an estimate. Derivative 0 of
 * ph_sens_get is then the error of q and v. PH_E_INPUT: the method does not know its local errors. */
PH_API ph_status ph_sens_create_error(ph_sens **out, ph_sim *sim, ph_error *err);

/* The state less its error, of third order where the error is exact, with accelerations and multipliers found anew. The
 * arrays belong to sens and hold until the next call. */
PH_API ph_status ph_sens_better(ph_sens *sens, ph_state *out);

/* ---- gradients by the adjoint ------------------------------------------------------------------- */

/* Where an objective adds its derivatives by the state, in the layout of the state; zero at first. */
typedef struct ph_covector {
    double *W, *v, *vdot; /* nv */
    double *lambda;       /* nl */
    double *p;            /* for each parameter: explicit dependence */
} ph_covector;

/* A scalar function of the state: its value, and where g is not NULL its derivatives. */
typedef ph_status (*ph_scalar_fn)(const ph_state *s, double *value, const ph_covector *g, void *ctx);

/* J = final(state at the end) + integral of integral(state) dt by the trapezoidal rule over the steps. */
typedef struct ph_objective {
    ph_scalar_fn final, integral; /* NULL: not there; from the last step to the first */
    ph_output_fn forwards;        /* before, at the start and after each step; may be NULL */
    void *ctx;
    ph_output_fn backwards; /* then before each step back, at its earlier end; may be NULL */
    /* What ctx changes along with the run, such as turns that it counts: kept bytes beside each checkpoint, and a call
     * after each step that is made again. kept = 0: nothing. */
    size_t kept;
    void (*keep)(void *to, void *ctx);
    void (*take_back)(const void *from, void *ctx);
    ph_output_fn again;
    ph_status (*step)(ph_sim *sim, void *ctx, ph_error *err); /* on the way forwards; NULL: ph_sim_step */
} ph_objective;

/* Run the simulation of sens, which has not made a step yet, and find J and its derivatives by all
 * parameters: forwards once with checkpoints, then backwards. The cost hardly depends on the number of
 * parameters. memory [bytes] bounds what is allocated; 0: it grows like the square root of steps. The
 * simulation ends at its last step; the derivatives of ph_sens_get are then not available. */
PH_API ph_status ph_sens_gradient(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                                  double *value, double *gradient, ph_error *err);

/* The same with sens of ph_sens_create_error: the error of J, exact less numerical, as a sum over the steps, each of which ends at
 * time[n] and adds term[n]; steps numbers each. That of the trapezoidal rule is not among them. With tol, steps is what a run with the
 * same end took, here and in ph_sens_gradient. */
PH_API ph_status ph_sens_error_of(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                                  double *value, double *time, double *term, ph_error *err);

#ifdef __cplusplus
}
#endif

#endif
