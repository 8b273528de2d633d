/* Equilibria of a system, and the vibrations about an equilibrium or a steady motion.
 *
 *   g(q, 0, t, lambda) + B(q)^T lambda = 0,   Phi(q, t) = 0                                  statics
 *   M y'' + D y' + K y + B^T lambda = 0,      B y = 0,   y = Y exp(mu t)                      modes
 *
 *   ph_static_options o = ph_default_static();
 *   ph_equilibrium *e;
 *   if (ph_equilibrium_create(&e, &sys, &o, 0, q0, &err) == PH_OK) ... ph_equilibrium_state(e) ...
 *   ph_equilibrium_destroy(e);
 *
 * Non-holonomic rows let a system move from q0 only by increments with A dq = 0. */
#ifndef POLHODE_EQUILIBRIUM_H
#define POLHODE_EQUILIBRIUM_H

#include "polhode/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statics ------------------------------------------------------------------------------------- */

/* Told the factor of the loads, 0 to 1, before the system is evaluated; 1 at the end, whatever happens. */
typedef ph_status (*ph_load_fn)(double factor, void *ctx);

typedef struct ph_static_options {
    int steps;             /* load steps to begin with; cut where needed */
    int iterations;        /* of Newton's method in one load step */
    int relaxations;       /* steps of relaxation, where load steps alone do not arrive */
    double tol;            /* increment at which the iteration ends: rad; relative to positions */
    double turn;           /* largest increment of an iteration: rad; relative to positions of at least 1 */
    ph_load_fn load;       /* NULL: loads have no factor, and there is one load step */
    void *ctx;             /* handed to it */
    ph_solver_kind solver; /* linear solver */
    const ph_allocator *alloc; /* must outlive the result; NULL: malloc */
} ph_static_options;

PH_API ph_static_options ph_default_static(void);

typedef struct ph_equilibrium ph_equilibrium;

typedef struct ph_static_stats {
    int load_steps; /* done */
    int cuts;       /* load steps that were given up and halved */
    int iterations; /* of Newton's method, those of load steps given up included */
    int relaxed;    /* steps of relaxation; 0: load steps alone arrived */
} ph_static_stats;

/* The equilibrium that load steps reach from q0; where they do not arrive, one that a strongly damped motion
 * from q0 under full load comes to. PH_E_SINGULAR: nothing holds a node, and err names it; PH_E_NEWTON: none was
 * found. *out is NULL then. */
PH_API ph_status ph_equilibrium_create(ph_equilibrium **out, const ph_system *sys,
                                       const ph_static_options *opt, double t, const double *q0,
                                       ph_error *err);
PH_API void ph_equilibrium_destroy(ph_equilibrium *e);         /* accepts NULL */
PH_API ph_state ph_equilibrium_state(const ph_equilibrium *e); /* v = 0 and vdot = 0 */
PH_API ph_static_stats ph_equilibrium_stats(const ph_equilibrium *e);

#ifdef __cplusplus
}
#endif

#endif
