/* Patches: a node, or several, whose mean position and rotation are those of a marker. */
#ifndef PH_FE_PATCH_H
#define PH_FE_PATCH_H

#include "fe/fe.h"

typedef struct ph_patch {
    const char *name;
    int n;
    const int *node; /* indices */
    ph_vec3 X;       /* mean position */
    ph_mat3 A; /* of nodes without rotations: inverse of sum (|y|^2 I - y y^T), y from the mean position */
} ph_patch;

/* A sentence names what. PH_E_INPUT: a node is not there or is there twice, or nodes without rotations are on
 * a line. */
ph_status ph_patch_make(ph_pool *pool, const ph_fe *fe, const char *what, const char *name, int n,
                        const int *id, ph_patch *out, ph_error *err);

/* Mean displacement and rotation of the patch, in a field of the nodes. */
void ph_patch_mean(const ph_fe *fe, const ph_patch *p, const double *c, ph_vec3 *u, ph_vec3 *th);
void ph_patch_force(const ph_fe *fe, const ph_patch *p, ph_vec3 F,
                    double *f); /* f += forces that add up to F */

#endif
