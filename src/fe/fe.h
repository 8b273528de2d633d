/* The finite elements of a body that nothing holds: nodes, mass and stiffness. */
#ifndef PH_FE_FE_H
#define PH_FE_FE_H

#include "fe/sparse.h"

/* A straight beam element, for the stress stiffness. */
typedef struct ph_fe_beam {
    int node[2]; /* indices */
    ph_mat3 R;   /* columns: axes of the section in the body, the first along the beam */
    double length, EA;
} ph_fe_beam;

/* Row of component k of node i, both from 0: dofs i + k. Components: displacements, then rotations, in the
 * axes of the body. */
typedef struct ph_fe {
    ph_pool pool;         /* owns all of it */
    const char *label[2]; /* of mass and stiffness in sentences: "M.mtx", "beam" */
    int n_nodes, dofs;    /* dofs of a node: 3 or 6 */
    int *id;              /* as users call the nodes */
    double *X;            /* n_nodes x 3, m */
    ph_csc M, K;
    int n_beams;
    ph_fe_beam *beam; /* NULL: the elements are not known */
} ph_fe;

int ph_fe_size(const ph_fe *fe);         /* rows of M and K */
int ph_fe_find(const ph_fe *fe, int id); /* index; -1: there is no such node */

/* Rigid motions of the nodes: Phi_t e_k for k < 3, Phi_r0 e_(k - 3) about the point o for the others. */
void ph_fe_rigid(const ph_fe *fe, ph_vec3 o, int k, double *c);

void ph_fe_free(ph_fe *fe); /* accepts one that is all 0 */

#endif
