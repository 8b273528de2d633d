/* Constraints that a function of the model gives: memory at work, and their derivatives where functions are traced. */
#ifndef PH_MECH_USER_H
#define PH_MECH_USER_H

#include "mech/argument.h"

/* One constraint: the bodies that its function reads, all where that is not known, and their nodes. */
typedef struct ph_user {
    const ph_user_constraint_def *def;
    int l_at;            /* its first row */
    int n_bodies, *body; /* of the model */
    int *place;          /* of each body: where the nodes of its frame begin among these: */
    int n_nodes, *node;  /* rising */
    int *link;           /* of each node: its block in values of B */
    int *pair;           /* n_nodes x n_nodes: blocks of K */
} ph_user;

/* Pieces of the scratch. */
typedef struct ph_user_work {
    const ph_user *user;
    int n, rows;          /* physical coordinates, six of each of its bodies; rows */
    double *f[4];         /* rows */
    double *A, *A2;       /* rows x n: B, Z */
    double *H;            /* n x n */
    double *plus, *minus; /* n: F(i), F(-i) */
} ph_user_work;

/* What is wanted; those that are not wanted are NULL. All are stored. */
typedef struct ph_user_wanted {
    double *B, *Z;              /* rows x n */
    double *Phi_t, *convective; /* rows; convective in physical coordinates */
    double *K;                  /* n x n: d(B^T lambda)/dq */
    const double *lambda;       /* of K: rows */
} ph_user_wanted;

/* By (P4) and (P5); 0: the function was not traced, or has no finite derivative here, and nothing is known. */
int ph_user_exact(const ph_mechanism *m, const ph_state *s, const ph_user_work *w, const ph_user_wanted *out);

#endif
