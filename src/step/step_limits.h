/* Tolerances and bounds of src/step, file by file, each with its reason. */
#ifndef PH_STEP_LIMITS_H
#define PH_STEP_LIMITS_H

#include <float.h>

/* ---- accel.c */
/* Step of differences along the motion [rad, m], where Z is itself a difference: (eps of Z)^(1/3). */
#define PH_ACCEL_STEP_DIFFERENCED 3e-4

/* ---- eval.c */
/* Step of t, with five points, since Phi_t stands in the residual: error 1e-11, and 1e-10 for a drive of 100
 * rad/s. It does not grow with t, which makes no drive slower; a power of two is added to t without rounding.
 * */
#define PH_EVAL_STEP_T 0x1p-15

/* ---- layout.c */
#define PH_LAYOUT_OFF_GROUP 1e-6 /* of a quaternion from length 1 */

/* ---- newton.c */
/* Growth above which a solution, with half of its digits, may be why increments no longer fall. */
#define PH_NEWTON_DOUBT 1e8
/* Residuals of this part of what cancels in them are round-off, and increments that no longer fall are what an
 * ill-conditioned matrix makes of it. */
#define PH_NEWTON_RESIDUAL_ROUND_OFF (64 * DBL_EPSILON)
/* Increments of so many tolerances are anything but small. */
#define PH_NEWTON_MUCH 1e100
/* The largest violation of velocities at the iterate, and what a step may leave of it, as a part of velocities. */
#define PH_NEWTON_DRIFT 1e-13
/* An exact Jacobian leaves far less than the tolerance, the square of a rate; one of the step shall, too. Third iterations are rare
 * with it. */
#define PH_NEWTON_LEFT_OF_STEP 0.01
/* Whether first increments are enough (N7): */
#define PH_NEWTON_JUDGED        32   /* steps until that is judged anew, */
#define PH_NEWTON_JUDGED_SOON   12   /* and where they were not; */
#define PH_NEWTON_SURE          0.1  /* of their bounds, what residuals may have; */
#define PH_NEWTON_LEFT_OF_FIRST 1e-3 /* of the tolerance, a second increment, */
#define PH_NEWTON_SECOND        0.25 /* or where residuals are small; */
#define PH_NEWTON_FARTHER       2    /* how much larger than the one judged a first one may be; */
#define PH_NEWTON_FARTHER_LAMBDA                                                                             \
    8 /* the same of multipliers, beyond which products of both are found, which costs a few percent; */
#define PH_NEWTON_NEAR  4    /* how far above that which follows they are hopeless, */
#define PH_NEWTON_REST  64   /* for so many steps; */
#define PH_NEWTON_SHORT 1e-8 /* of a radian and of the size of bodies: its square is round-off; */
#define PH_NEWTON_PLAIN                                                                                      \
    1e-5 /* the same from a plain guess: where it is larger, steps are too large for others; */
#define PH_NEWTON_ROUND_OFF                                                                                  \
    30 /* tolerances: second increments that may be round-off, as those of rotations in long chains */
#define PH_NEWTON_BENDS                                                                                      \
    0.01 /* a rate that need not be known where it is bounded so: bounds are ten to a hundred times as large */
#define PH_NEWTON_KEPT_BY_TOL 2 /* iterations of one Jacobian, where steps are found by tolerance */
/* Steps without a bound on the forces of multipliers, where it does not tell, as where joints make no torques: it would cost half of
 * what they cost themselves. */
#define PH_NEWTON_WITHOUT 32
/* Increments that may be cut (CT8) before they count as iterations: chains need a few for each joint that comes to rest. */
#define PH_NEWTON_CUTS 40
/* Rows that are left out may be violated so much, relative to positions, before others are; more than ten times that,
 * and they are not implied. */
#define PH_NEWTON_LEFT_OUT 1e-7

/* ---- newton_graph.c */
/* Newton's method corrects what a solution lacks: a relative error of 2e-3 costs one iteration at worst, which is
 * less than refinement or pivots across blocks would. */
#define PH_NEWTON_TRUST 1e13
/* Constraints of a node from which on it is a hub. Trees gain from 5 on (9 hinges about one body take 0.14 of the time), but nets in which
 * every body has 8 lose (1.6 times), and with fewer than 5 the order of elimination would not take it for a hub. */
#define PH_NEWTON_HUB 9

/* ---- newton_matrix.c */
/* Mechanisms of usual size have the length 1, as papers have it; those of another size one that is larger or smaller by
 * powers of this, a power of two. Then neighbouring values of a parameter have the same length. */
#define PH_NEWTON_LENGTHS 20 /* binary digits */

/* ---- position.c */
/* Rows are dependent up to this where iterates only come near the position. */
#define PH_POSITION_NEAR 1e-4
/* E relative to the diagonal: above the square of NEAR, below that of sensible mechanisms. */
#define PH_POSITION_SMALL      1e-6
#define PH_POSITION_ITERATIONS 4
/* Components below this, relative to the largest, are none. */
#define PH_POSITION_NONE 0.02

/* ---- rank.c */
/* Pivots of rows of size 1 that make a constraint independent by one body. */
#define PH_RANK_ALONE 1e-6
/* The same of several constraints, in parts of what makes rows dependent: elimination may overestimate what is independent. */
#define PH_RANK_TOGETHER 100

/* ---- redundant.c */
/* E relative to the diagonal of B^T B: far above what rows that depend on each other have left where a point is a
 * little off the constraints, far below the eigenvalues of a sensible mechanism. Where these are as small, what is
 * left of (R2) is in directions that change hardly any force. */
#define PH_REDUNDANT_SMALL 1e-9
/* Repetitions of (R2), at most; they end where a change is not less than this part of the last one: round-off. */
#define PH_REDUNDANT_REPETITIONS 30
#define PH_REDUNDANT_SLOW        0.9
/* Rows are dependent up to this, where the configuration is not yet consistent. */
#define PH_REDUNDANT_LOOSE 2e-3
/* Growth of round-off, relative to the least so far, at which rows are chosen anew. */
#define PH_REDUNDANT_WORSE 100

/* ---- sim.c */
/* Up to this error of its length a quaternion is left as it is: a state that was loaded keeps its bits. */
#define PH_SIM_UNIT (16 * DBL_EPSILON)
/* Above this turn in one step the equations of a step may have no solution [rad]. */
#define PH_SIM_SPIN_LIMIT 1.0
/* A step is halved at most so often: smaller parts would go by two terms of their Taylor series (SHORT). */
#define PH_SIM_HALVINGS 9
/* Parts below this ratio (RB22) are divided: motion may grow by exp(1) in a part. */
#define PH_SIM_GROWTH 0.5
/* Up to this part of a step before the end, the end is reached. */
#define PH_SIM_REACHED 1e-9

/* ---- start.c */
/* Violations up to this size, relative to the size of the numbers that cancel, are taken as consistent: what
 * a model file with ten digits gives. */
#define PH_START_CONSISTENT 1e-9
/* Reactions with friction that change by no more than this part of all forces, and by no less than half as much as before, have reached
 * the round-off of their matrix or, where a point is a little off the constraints, as stages are, what redundant rows leave open there. */
#define PH_START_STILL 1e-4
/* Violations that a step of a projection leaves, as a part of what they were, up to which its matrix is kept. */
#define PH_START_KEEP 1e-4
/* Newton steps of a projection; it converges quadratically or not at all. */
#define PH_START_PROJECTIONS 30
/* The derivative of accelerations at a start is looked for at most so often, each time a quarter as far ahead: the last time
 * round-off is still below 1e-10 of accelerations. */
#define PH_START_LOOKS 8

#endif
