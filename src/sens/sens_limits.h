/* Tolerances and bounds of sensitivities, file by file, each with its reason. */
#ifndef PH_SENS_LIMITS_H
#define PH_SENS_LIMITS_H

#include <float.h>

/* ---- adjoint.c */
/* As many tell what one takes: pieces of the arena are rounded up to lines. */
#define PH_ADJOINT_SAMPLE 64

/* ---- adjoint_step.c */
/* The factorisation is exact but for its round-off and, with redundant rows, for what friction makes of the
 * multipliers that it leaves as they are, which converges as slowly as Newton's method did. */
#define PH_ADJOINT_STEP_CORRECTIONS 100
#define PH_ADJOINT_STEP_ROUND_OFF   1e-15

/* ---- sens.c */
/* Steps after which the rate of corrections is measured again, and what it may have grown by meanwhile. */
#define PH_SENS_REMEASURE 32
#define PH_SENS_SAFE      10
/* Parameters from which on a factorisation of one's own pays. */
#define PH_SENS_MANY 6
/* Differences below this part of the size of what cancels are round-off. */
#define PH_SENS_NO_DIFFERENCE 1e-12

/* ---- sens_solve.c */
/* The factorisation is that of a point near by, and stale at worst in modified Newton's method. */
#define PH_SENS_SOLVE_CORRECTIONS 100

#endif
