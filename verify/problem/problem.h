/* Problems in C, written against the public headers: shared by tests, benchmarks and the program. */
#ifndef PH_PROBLEM_PROBLEM_H
#define PH_PROBLEM_PROBLEM_H

#include <stdint.h>

#include "polhode/sim.h"

typedef struct ph_problem {
    const char *name;
    ph_system sys;
    double t_end, h;       /* of a usual run */
    const double *q0, *v0; /* consistent initial values at t = 0 */
    /* Kinetic and potential energy; ctx is sys.ctx. */
    double (*energy)(const ph_state *s, const void *ctx);
    /* Its rate along solutions: dampers, friction, drives, moving constraints. NULL: energy is kept. */
    double (*power)(const ph_state *s, const void *ctx);
    /* Exact state at time t >= 0, from a closed form or an independent high-precision computation, in the
     * layout of the system; lambda may be NULL. 0: not to be had. NULL where there is no such reference. The
     * computation goes on from the last t, so increasing t is cheap; one thread at a time may ask. */
    int (*exact)(const struct ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda);
    const double
        *corner; /* rising times at which functions are not smooth, n_corners; NULL: none are known */
    int n_corners;
    uint64_t key; /* fingerprint of the model and its parameters; 0: not known */
    void *data;   /* one block: parameters, lists of the system, initial values, reference */
} ph_problem;

typedef struct ph_problem_def {
    int size; /* number of bodies of the chain and the ring; others ignore it */
    double x; /* the one parameter of a problem, named in its row; others ignore it */
} ph_problem_def;

/* NULL: no such problem, a def that makes no sense, or no memory. def may be NULL: the row's defaults. */
ph_problem *ph_problem_create(const char *name, const ph_problem_def *def);
void ph_problem_destroy(ph_problem *p); /* accepts NULL */

/* Row k of the table; NULL past the end. */
const char *ph_problem_name(int k);
const char *ph_problem_text(int k);

#endif
