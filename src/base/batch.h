/* Four nodes of one kind that a loop takes together: where each stands in the arrays of a system. */
#ifndef PH_BASE_BATCH_H
#define PH_BASE_BATCH_H

#define PH_BATCH 4

/* Kinds that are taken so: SO(3), SE(3). */
enum { PH_BATCH_SO3, PH_BATCH_SE3, PH_BATCHES };

typedef struct ph_batch {
    int q_at[PH_BATCH], v_at[PH_BATCH]; /* elements; velocities */
    int R_at[PH_BATCH], T_at[PH_BATCH]; /* rotation matrices and tangent operators, in doubles */
} ph_batch;

#endif
