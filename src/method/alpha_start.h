/* Starting values of the generalized-alpha family: accelerations a_0, and velocities of index-3. */
#ifndef PH_METHOD_ALPHA_START_H
#define PH_METHOD_ALPHA_START_H

#include "method/genalpha.h"

/* Evaluate the system and its tangents at sim->now. Return in *ops the terms (N1) of a step of size h that has not left
 * sim->now. */
typedef ph_status (*ph_alpha_open_fn)(ph_sim *sim, double h, const ph_step_ops **ops);

typedef struct ph_alpha_start_rules {
    const ph_alpha *p;
    ph_alpha_open_fn open;
    /* Turn vddot into the third derivative of the coordinates of the method; NULL if they are those of the group. */
    void (*third)(const ph_sim *sim, double *vddot);
} ph_alpha_start_rules;

/* Set sim->now.a and, in index-3, change sim->now.v, for steps of size sim->h: (S2), (S3), and (RB2) if the step does not
 * resolve the motion. after: as ph_start_jerk has it. vddot and scratch: nv numbers each. */
ph_status ph_alpha_start(ph_sim *sim, const ph_alpha_start_rules *x, int after, double *vddot,
                         double *scratch);

/* Terms of ph_alpha_open_fn, for methods whose tangent operators are the identity at theta = 0. Bn receives the links of
 * the stabilised form. */
ph_status ph_alpha_open(ph_sim *sim, ph_step_ops *o, double *Bn);

#endif
