/* Joints with a point in common and an axis, or all axes, four at a time, one in each lane of a vector; in physical coordinates. */
#ifndef PH_MECH_HINGE_BATCH_H
#define PH_MECH_HINGE_BATCH_H

#include "mech/ends.h"

/* Four joints of point.h and turn.h that lock the same turns, without drives. Numbers of lane i: [i]. */
typedef struct ph_hinge_batch {
    int n;              /* joints; lanes beyond repeat the last */
    int pick, rows;     /* of turns; of all */
    int l_at[PH_BATCH]; /* rows of Phi */
    ph_ends at;
    int B[4][PH_BATCH];  /* blocks of the slots */
    int K[16][PH_BATCH]; /* pairs of slots */
#define PH_HINGE_NUMBER(list, record, member, n, ...) double member[n][PH_BATCH];
#include "mech/numbers.def"
} ph_hinge_batch;

/* As the callbacks of a system. Zeros of B and Z in columns of positions are not stored: they never change. */
void ph_hinge_batch_Phi(const ph_hinge_batch *b, const ph_ends_state *s, double *out);
void ph_hinge_batch_B(const ph_hinge_batch *b, const ph_ends_state *s, double *out);
void ph_hinge_batch_positions(const ph_hinge_batch *b, const ph_ends_state *s, double *Phi, double *B);
void ph_hinge_batch_products(const ph_hinge_batch *b, const ph_ends_state *s, double *r, double *Phi,
                             double *rate);
void ph_hinge_batch_Z(const ph_hinge_batch *b, const ph_ends_state *s, double *out);
void ph_hinge_batch_K(const ph_hinge_batch *b, const ph_ends_state *s, double *out); /* adds */
void ph_hinge_batch_convective(const ph_hinge_batch *b, const ph_ends_state *s, double *out);

#endif
