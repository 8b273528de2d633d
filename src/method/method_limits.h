/* Tolerances and bounds of the methods, file by file, each with its reason. */
#ifndef PH_METHOD_LIMITS_H
#define PH_METHOD_LIMITS_H

#include <float.h>

/* ---- alpha_ahead.c */
#define PH_ALPHA_AHEAD_GROW  1.5 /* of step sizes at most: stable with (VS3), (VS4) for every rho */
#define PH_ALPHA_AHEAD_POWER 2   /* of h in (VS9) */
#define PH_ALPHA_AHEAD_CUT   0.99
/* Sizes tried to find the first one: each is a fifth of the one before or more. */
#define PH_ALPHA_AHEAD_FIRST_GUESSES 12

/* ---- alpha_start.c */
/* (RB8). Up to about 1 (S2) is the better start: a spring with h omega < 1 keeps its energy, and dampers are stable. From 2
 * on (S2) multiplies errors. Rigid mechanisms stay below 0.2. */
#define PH_ALPHA_START_STIFF 0.35

/* ---- bliedf.c */
/* Tolerance of the start: little more than round-off. */
#define PH_BLIEDF_START_TOL 1e-13
/* The same of steps by tolerance, over theirs: what is left of it is not seen beside their own errors. */
#define PH_BLIEDF_START_PART 1e-4
/* Attempts of the one-step method in one step; what needs more vibrates so fast that this step does not
 * resolve it. */
#define PH_BLIEDF_START_STEPS 5000
/* The same of steps by tolerance, which can be smaller: one of the right size takes a few, beside stiff beams up to 80. */
#define PH_BLIEDF_START_STEPS_BY_TOL 100

/* ---- bliedf_ahead.c */
/* Growth of step sizes at most: zero-stable for order 4, where steps of one ratio may have 1.28. */
#define PH_BLIEDF_AHEAD_GROW      1.2
#define PH_BLIEDF_AHEAD_SAFETY    0.9 /* in (K8): errors settle at 1/2, 1/3, 1/4 for the orders 2, 3, 4 */
#define PH_BLIEDF_AHEAD_CUT       0.99
#define PH_BLIEDF_AHEAD_ORDER_MAX 4
#define PH_BLIEDF_AHEAD_UNSEEN    0.5 /* error of a step of the start: the next one may be as large */

/* ---- control.c */
#define PH_CONTROL_SAFETY                                                                                    \
    0.95 /* in (K8): errors settle at 0.4 to 0.2 of what they may be for orders 5 to 8 */
#define PH_CONTROL_GROW     5.0 /* of step sizes at most, from one step to the next */
#define PH_CONTROL_TURN_END 3.1 /* rad in a step: beyond, the logarithm would take the short way */
/* Errors of (K7) after extrapolation over those before, principal norms: 0.12 to 0.69 in the
 * table. */
#define PH_CONTROL_GAIN 0.5
/* Errors of the steps add up to this many times that of a single one, in motions of some periods. */
#define PH_CONTROL_STEPS 50
/* What is left of the estimate when all numbers agree to round-off. */
#define PH_CONTROL_ROUND (16 * DBL_EPSILON)

/* ---- pace.c */
#define PH_PACE_SAFETY 0.9  /* of a step size that would just do */
#define PH_PACE_TARGET 0.5  /* error that (VS10) aims at, in units of the tolerance */
#define PH_PACE_STAY   1.35 /* errors within this factor of it leave the size of steps as it is */
#define PH_PACE_NEARLY 1.02 /* times h_min: a step of h_min, whose end is that of the interval, or rounded */
#define PH_PACE_SHRINK 0.2  /* at least, from one step to the next */
#define PH_PACE_QUIET  1e-4 /* errors below, in units of the tolerance, tell the controllers nothing more */
#define PH_PACE_TURN   2.5  /* rad in a step at most: an exact rotation shows no error, but its chart ends */
/* An estimate below this that does not fall with the step size is noise, of Newton's method or of
 * cancellation. */
#define PH_PACE_NOISE 1e-10

/* ---- rk.c */
/* T^-1 is singular at 2 pi, and useless before [rad]. */
#define PH_RK_TURN_MAX 6.0

/* ---- rk_implicit.c */
/* Relative increments of multipliers that change no friction. */
#define PH_RK_IMPLICIT_SHARED 1e-12
/* Relative error of the Jacobian: (K12) has a difference in it. */
#define PH_RK_IMPLICIT_INEXACT 1e-8

/* ---- rk_turn.c */
/* After an increment of this size the next one, quadratically smaller, is below round-off [rad]. */
#define PH_RK_TURN_SMALL      1e-9
#define PH_RK_TURN_ITERATIONS 30

#endif
