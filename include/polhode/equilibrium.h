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
 * Non-holonomic rows let a system move from q0 only by increments with A dq = 0.
 *
 * Threads: as simulations (sim.h); several equilibria in several threads can share a system. */
#ifndef POLHODE_EQUILIBRIUM_H
#define POLHODE_EQUILIBRIUM_H

#include "polhode/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statics ------------------------------------------------------------------------------------- */

/* Told the factor of the loads, 0 to 1, before the system is evaluated; 1 at the end, also after a failure. */
typedef ph_status (*ph_load_fn)(double factor, void *ctx);

typedef struct ph_static_options {
    int steps;       /* load steps to begin with; cut where needed */
    int iterations;  /* of Newton's method in one load step */
    int relaxations; /* steps of relaxation, where load steps do not converge */
    double tol;      /* increment at which the iteration ends: rad; relative to positions */
    double turn;     /* largest increment of an iteration: rad; relative to positions of at least 1 */
    ph_load_fn load; /* NULL: loads have no factor, and there is one load step */
    void *ctx;       /* handed to it */
    int stable; /* runs only. 1: leave unstable equilibria along the mode that grows, until a stable one is found */
    ph_solver_kind solver;     /* linear solver */
    const ph_allocator *alloc; /* must outlive the result; NULL: malloc */
} ph_static_options;

/* One load step with all of the loads, malloc. */
PH_API ph_static_options ph_default_static(void);

typedef struct ph_equilibrium ph_equilibrium;

typedef enum ph_rest_code { PH_REST_UNDECIDED, PH_REST_STABLE, PH_REST_UNSTABLE } ph_rest_code;

/* Whether a system stays near an equilibrium after small displacements. */
typedef struct ph_rest {
    ph_rest_code code;
    double growth; /* 1/s, of the mode that grows fastest; 0 unless unstable */
    int node;      /* the node with the largest share of that mode; -1 unless unstable */
    char why[160]; /* why it is undecided; "" otherwise */
} ph_rest;

typedef struct ph_static_stats {
    int load_steps; /* done */
    int cuts;       /* load steps that were given up and halved */
    int iterations; /* of Newton's method, those of load steps given up included */
    int relaxed;    /* steps of relaxation; 0: load steps were enough */
    int left;       /* unstable equilibria that the search left (stable of ph_static_options) */
    ph_rest rest;   /* filled by ph_equilibrium_judge, which the calls on runs make */
} ph_static_stats;

/* The equilibrium that load steps reach from q0; where they do not converge, the end of a strongly damped motion
 * from q0 under full load. PH_E_SINGULAR: a node is not supported, and err names it; PH_E_NEWTON: none
 * was found. *out is NULL then. */
PH_API ph_status ph_equilibrium_create(ph_equilibrium **out, const ph_system *sys,
                                       const ph_static_options *opt, double t, const double *q0,
                                       ph_error *err);
PH_API void ph_equilibrium_destroy(ph_equilibrium *e);         /* accepts NULL */
PH_API ph_state ph_equilibrium_state(const ph_equilibrium *e); /* v = 0 and vdot = 0 */
/* What the system's callbacks remember there, such as turns from the start to it: bytes for take_back of its ph_memory, which the search
 * leaves as it was. NULL: nothing. It holds as long as the equilibrium. */
PH_API const void *ph_equilibrium_memory(const ph_equilibrium *e);
PH_API ph_static_stats ph_equilibrium_stats(const ph_equilibrium *e); /* what the search took */
/* Find out whether the equilibrium is stable; the answer is the rest of its stats. sys is the system that it was made
 * for. shape: the left increments of the nodes in the mode that grows fastest, largest entry 1, in the layout of v; it
 * may be NULL and is written if the equilibrium is unstable. An answer that cannot be computed is undecided, and no failure. */
PH_API ph_status ph_equilibrium_judge(ph_equilibrium *e, const ph_system *sys, double *shape, ph_error *err);

/* ---- modes --------------------------------------------------------------------------------------- */

/* The system linearised about a state of rest or of steady motion; its eigenvalues mu: y = Y exp(mu t). */
typedef struct ph_modes ph_modes;

typedef struct ph_modes_info {
    int freedom;         /* degrees of freedom of velocities */
    int count;           /* eigenvalues with im >= 0, by rising modulus; those with im > 0 stand for a pair */
    int undamped;        /* at rest without damping: squares of mu are eigenvalues themselves */
    int turning;         /* mu are what axes see that turn with the nodes; 0: that stay */
    double speed;        /* largest velocity of the state, rad/s or m/s; 0: rest, or as good as rest */
    double acceleration; /* largest acceleration; at speed 0 it says how far this is from an equilibrium */
} ph_modes_info;

/* Linearise about (q, v) at t; lambda follows. Where v is not 0 the motion must be steady: seen from axes that
 * turn with the nodes, or from axes that stay, nothing may change in time; PH_E_INPUT otherwise. alloc (NULL:
 * malloc) must outlive it, and so must sys; the search for eigenvalues takes its own memory from malloc. At
 * most 1500 velocities. */
PH_API ph_status ph_modes_create(ph_modes **out, const ph_system *sys, double t, const double *q,
                                 const double *v, const ph_allocator *alloc, ph_error *err);
PH_API void ph_modes_destroy(ph_modes *m);                 /* accepts NULL */
PH_API ph_modes_info ph_modes_get_info(const ph_modes *m); /* how many there are, and about what */
PH_API void ph_modes_value(const ph_modes *m, int k, double *re, double *im); /* 1/s */

/* The mode k: Y as left increments of the nodes in the layout of v, re and im, its largest entry 1; share: what
 * part of the kinetic energy each coordinate has. Any of them may be NULL. */
PH_API ph_status ph_modes_shape(ph_modes *m, int k, double *re, double *im, double *share);

#ifdef __cplusplus
}
#endif

#endif
