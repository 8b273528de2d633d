/* Starting values of the generalized-alpha family: accelerations a_0, and velocities of index-3. */
#ifndef PH_METHOD_ALPHA_START_H
#define PH_METHOD_ALPHA_START_H

#include "method/genalpha.h"

/* Return the terms (N1) of steps of size h, with which L, F, Q and N are set, and in *Bn the array of their links. */
typedef ph_step_ops *(*ph_alpha_ops_fn)(ph_sim *sim, double h, double **Bn);

typedef struct ph_alpha_start_rules {
    const ph_alpha *p;
    ph_alpha_ops_fn ops;
    /* Turn vddot into the third derivative of the coordinates of the method; NULL if they are those of the group. */
    void (*third)(const ph_sim *sim, double *vddot);
} ph_alpha_start_rules;

/* Set sim->now.a and, in index-3, change sim->now.v, for steps of size sim->h: (S2), (S3), and (RB2) if the step does not
 * resolve the motion. after: as ph_start_jerk has it. vddot and scratch: nv numbers each. */
ph_status ph_alpha_start(ph_sim *sim, const ph_alpha_start_rules *x, int after, double *vddot,
                         double *scratch);

/* Factor the matrix of a step of size h that has not left sim->now. */
ph_status ph_alpha_factor(ph_sim *sim, ph_alpha_ops_fn ops, double h);

#endif
