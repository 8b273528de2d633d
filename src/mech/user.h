/* Constraints that a function of the model gives: memory at work, and their derivatives where functions are traced. */
#ifndef PH_MECH_USER_H
#define PH_MECH_USER_H

#include "mech/argument.h"

/* Pieces of the scratch. */
typedef struct ph_user_work {
    int n, rows;    /* physical coordinates of the model, six of each body; rows of all these constraints */
    double *f[4];   /* rows */
    double *A, *A2; /* rows x n: B, Z */
    double *H;      /* n x n */
    double *plus, *minus; /* n: F(i), F(-i) */
} ph_user_work;

/* What is wanted; those that are not wanted are NULL. All are stored. */
typedef struct ph_user_wanted {
    double *B, *Z;              /* rows x n */
    double *Phi_t, *convective; /* rows; convective in physical coordinates */
    double *K;                  /* n x n: d(B^T lambda)/dq */
    const double *lambda;       /* of K: rows */
} ph_user_wanted;

/* By (T4) and (T5); 0: some function was not traced, or has no finite derivative here, and nothing is known. */
int ph_user_exact(const ph_mechanism *m, const ph_state *s, const ph_user_work *w, const ph_user_wanted *out);

#endif
