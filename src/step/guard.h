/* Where functions of the state change their sign: steps that meet such a point end there.
 *
 * A step is evaluated on the polynomial between its ends (K9), at a few points inside too, since a function may change its
 * sign twice; also at the vertex of the parabola through three points, if it lies on the other side of 0. Functions that depend on
 * the time explicitly may change much faster than the motion, and are evaluated at points as close as `spacing` says.
 *
 * If a function changes its sign, the step is taken again to the time found there, and that time is corrected by the value of the
 * function at the end of the step,
 *
 *   t <- t - g(t)/g'(t),   g' of the polynomial,                                                       (EV1)
 *
 * until it stands still to round-off: the state there is one of the method, at its order. What happens there is not the
 * method's business: it starts anew with ph_sim_restart.
 *
 * States are known up to what Newton's method takes as nothing, tol of (N3). A function that moves by no more than
 *
 *   r = 8 max |g(q o exp(dq), v + dv, vdot + ddv, t + dt) - g(q, v, vdot, t)|                          (EV3)
 *   |dq| <= tol,  |dv| <= 2 tol/h,  |ddv| <= 4 tol/h^2,  |dt| <= 4 eps |t|, in three directions,
 *
 * is 0 there: it rests, on a stop or in a joint, and where round-off takes it is no change of its sign. */
#ifndef PH_STEP_GUARD_H
#define PH_STEP_GUARD_H

#include "step/sim.h"

typedef enum ph_way { PH_WAY_DOWN = -1, PH_WAY_BOTH, PH_WAY_UP } ph_way;

typedef struct ph_guard {
    int n;
    /* Function k at a state; PH_E_CALLBACK: it is not known */
    ph_status (*value)(const ph_state *s, int k, double *x, void *ctx);
    void *ctx;
    unsigned char
        *timed;      /* n: it depends on the time only; the state given to value is not that at its time */
    double *spacing; /* n: s, the step is evaluated at points at most this far apart; 0: at a few points */
    ph_way *way;     /* n: which changes count */
    unsigned char *rests; /* n: it is not looked at */
    int *sign;          /* n: at the start of the step; 0: it is 0, and has the next sign without a change */
    double *rest;       /* n: with sign 0: up to this, g is still 0 */
    unsigned char *hit; /* n: it changed its sign at the end of the step, */
    int met;            /* and that is where the step ended */
    int pending;        /* the method has come there, and what is seen of it not yet */
    double *g, *look;   /* n: scratch; values at all looks into the step */
    double *start, *resolution; /* n: values at the state where r of (EV3) was found last, and r; */
    int resolved;               /* 1: that is where the step starts */
    int *end, *before;          /* n: signs at its end, and before a change */
    double size;                /* s, of the step in which the last change was found */
    double *root;               /* n: time of a change within the step; HUGE_VAL: none */
    struct ph_dense *dense;     /* of the step */
    ph_point at;
    void *tape; /* all of the simulation, before the step */
    void *block;
    const ph_allocator *alloc;
} ph_guard;

/* For a simulation, which does not own it; attach it as sim->guard. */
ph_status ph_guard_create(ph_guard **out, ph_sim *sim, int n, const ph_allocator *alloc);
void ph_guard_destroy(ph_guard *g); /* accepts NULL */

/* Signs at the present state, of functions that are looked at. */
ph_status ph_guard_begin(ph_sim *sim);
void ph_guard_tape(ph_guard *g, ph_tape *t);

/* Before a step of the method, and after it: where it meets a change, it is made again by again(sim, t, ctx), from the
 * state before, to sim->next at most at t. */
typedef ph_status (*ph_again_fn)(ph_sim *sim, double t, void *ctx);
void ph_guard_before(ph_sim *sim);
ph_status ph_guard_after(ph_sim *sim, ph_again_fn again, void *ctx);

/* The same after a step that something else has made, to sim->next: *met 1 where it meets a change. Signs are those at its end
 * if it does not. */
ph_status ph_guard_pass(ph_sim *sim, int *met);

/* All functions at a state; 0 if they rest. */
ph_status ph_guard_values(const ph_guard *g, const ph_state *s, double *x);

/* Functions at the present state, to g and start, and r of (EV3) there. */
ph_status ph_guard_resolve(ph_sim *sim);

/* Values of a function that are nothing beside those of the last step. */
double ph_guard_nothing(const ph_guard *g, int k);

/* The simulation as it was before the step. */
ph_status ph_guard_undo(ph_sim *sim);

#endif
