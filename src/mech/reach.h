/* Functions of the file as terms of g: where their tangents go.
 *
 * A term r f(q, v, x) with rows r of an element and a function f of bodies and states x adds
 *
 *   C += r df/dv,  K += r df/dq                                                                        (T6)
 *
 * to the pairs of the nodes of the element with all nodes that the function reads: a body's, its frame's where it is a
 * marker, and those of states, whose values are velocities (state.c). */
#ifndef PH_MECH_REACH_H
#define PH_MECH_REACH_H

#include "mech/argument.h"

/* Nodes, each once, and a place for the numbers of each in one row. */
typedef struct ph_nodes {
    int n, size;
    int *node, *at;
} ph_nodes;

typedef struct ph_reach {
    ph_nodes rows, cols;
    int n_bodies, *body;  /* that the function depends on */
    int n_states, *state; /* the same */
    int *pair;            /* rows.n x cols.n: blocks of pairs */
} ph_reach;

/* A load whose function was traced and reads more than the body that it acts on. */
int ph_reach_needed(const ph_force_def *d);

/* The bodies that a function which is not traced may read: all; then it is differenced. */
int ph_reach_bodies(const ph_model *model, const ph_function *f, int *body); /* how many */
int ph_reach_states(const ph_model *model, const ph_function *f, int *state);

/* Room and nodes of a reach, with the rows of these bodies, or of one state (>= 0). */
void ph_reach_take(const ph_model *model, const ph_function *f, ph_reach *r, ph_arena *a);
void ph_reach_fill(const ph_mechanism *m, const ph_function *f, const int body[2], int state, ph_reach *r);

/* row += what of a physical row of 6 numbers of a body, by place and by speed, in coordinates of the space; by_speed NULL:
 * there is none. at: nodes that have the body. */
void ph_nodes_add(const ph_mechanism *m, const ph_state *s, const ph_nodes *at, int body,
                  const double by_place[6], const double *by_speed, double *row);

/* Rows df/dq (K 1) or df/dv (K 0) of result i of an open formula whose gradient was asked for. */
void ph_reach_columns(const ph_mechanism *m, const ph_state *s, const ph_reach *r, ph_formula *k, int K,
                      double *row);
/* state.c: all of them at once, n rows of cols.size; differenced where it is not traced */
ph_status ph_reach_rows(const ph_mechanism *m, const ph_state *s, const ph_reach *r, const ph_function *f,
                        int n, int K, double *rows);
/* out += f row col^T, block by block */
void ph_reach_put(const ph_mechanism *m, const ph_reach *r, double f, const double *row, const double *col,
                  double *out);

#endif
