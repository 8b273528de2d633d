/* Where the two bodies of each element of a batch stand in the arrays of a system. */
#ifndef PH_MECH_ENDS_H
#define PH_MECH_ENDS_H

#include "base/batch.h"

typedef struct ph_ends {
    int x[2][PH_BATCH], q[2][PH_BATCH]; /* positions and quaternions, */
    int R[2][PH_BATCH];                 /* rotation matrices, in doubles, */
    int v[2][PH_BATCH], w[2][PH_BATCH]; /* velocities */
} ph_ends;

/* A state of a system, as of ph_state. */
typedef struct ph_ends_state {
    const double *q, *v, *vdot, *R, *lambda;
} ph_ends_state;

#endif
