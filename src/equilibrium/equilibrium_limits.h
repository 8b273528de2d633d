/* Tolerances and bounds of statics, modes and linearisation, file by file, each with its reason. */
#ifndef PH_EQUILIBRIUM_LIMITS_H
#define PH_EQUILIBRIUM_LIMITS_H

#include <float.h>

/* ---- frequency.c */
/* Iterations; the mean over the last half settles a pair of eigenvalues of equal size. */
#define PH_FREQUENCY_ITERATIONS 60

/* ---- linear.c */
#define PH_LINEAR_LARGEST   1500 /* velocities: 20 MB for each matrix, some minutes for its eigenvalues */
#define PH_LINEAR_DEPENDENT 1e-8 /* as rank.c has it */
#define PH_LINEAR_ANGLE     1e-3 /* of the motion on both sides [rad]: what a change is looked for over */
/* What is no change over that angle, as a part of the size. A speed of so little beside the rates of the system, which steps by
 * tolerance leave, is rest where it is not steady. */
#define PH_LINEAR_STEADY 1e-6
/* Acceleration of a steady motion over the square of its speed; slow modes would feel more. */
#define PH_LINEAR_RESTING 1e-9
/* Speed over the largest rate of the system: what round-off leaves where a run has come to rest. */
#define PH_LINEAR_STILL    1e-13
#define PH_LINEAR_UNDAMPED 1e-13

#define PH_LINEAR_NOISE 16 /* times the round-off of its terms: an entry of A, B, C, D that is no more is 0 */

#define PH_LINEAR_SINGULAR 1e-12 /* rows of A of a run that depend on others: round-off of differences */

/* ---- lowest.c */
#define PH_LOWEST_MORE  8    /* vectors in addition to the K wanted modes; K if K is larger */
#define PH_LOWEST_FIRST 1e-2 /* the first shift, of kappa: random vectors keep all parts */
#define PH_LOWEST_SHIFT                                                                                      \
    0.1 /* shift over the largest nu that is wanted: modes twice as high lose 1/4 at least */
#define PH_LOWEST_LEAST     1e-9 /* the smallest shift, of kappa: free motions keep seven digits */
#define PH_LOWEST_PASSES    300  /* 20 are usual; modes outside the block with nearly the same nu take more */
#define PH_LOWEST_DEPENDENT 1e-8 /* what a vector must add to the others */
#define PH_LOWEST_EXACT     1e-12 /* residual of a mode; eigenvalues have its square */
#define PH_LOWEST_NEAR      1e-6  /* residual that is round-off if it no longer falls */

/* ---- modes.c */
#define PH_MODES_ZERO_SQUARE 1e-13 /* of nu: round-off of A */
#define PH_MODES_ZERO        3e-8  /* of mu */
#define PH_MODES_SINGULAR    1e-14 /* rows of A that depend on others: round-off of A */

/* ---- rest.c */
#define PH_REST_DENSE 150   /* velocities up to which all eigenvalues are found: some 10 ms */
#define PH_REST_NOISE 1e-10 /* real parts below this part of the largest eigenvalue are round-off */
#define PH_REST_STEPS 24    /* Lanczos steps per shift; neighbouring shifts share the values between them */
#define PH_REST_SHIFT 1e-2  /* from one shift to the next, from kappa */
#define PH_REST_LEAST 1e-11 /* the last shift, as a part of kappa */
#define PH_REST_CLEAR                                                                                        \
    1e-6 /* by how much a Ritz value must be outside what stable systems have; asymmetry of K */

/* ---- static.c */
#define PH_STATIC_STEP_LEAST   (1.0 / 256) /* load step: what a smaller one would need is not a smaller load */
#define PH_STATIC_QUICK        4           /* iterations after which the next load step is twice as large */
#define PH_STATIC_FREE         1e-13 /* delta over kappa: above round-off of K, below any stiffness that is meant */
#define PH_STATIC_FREE_GROWTH  0.03 /* part of 1/delta that a free motion is magnified by at least */
#define PH_STATIC_FREE_PASSES  3
#define PH_STATIC_TURN_AT_ONCE 0.3   /* of relaxation [rad]: steps that follow the motion */
#define PH_STATIC_CLOSE        1e-3  /* of the first acceleration: from here on Newton's method is trusted */
#define PH_STATIC_AT_REST      1e-10 /* of the same: what is still missing is stiffness */
#define PH_STATIC_SETTLED      1e-9  /* Phi from which the next step starts, relative to positions */
#define PH_STATIC_FAR          1e4   /* times the size of the system: it moves away for ever */

#endif
