/* The parameters of the generalized-alpha family. */
#ifndef PH_STEP_GENALPHA_H
#define PH_STEP_GENALPHA_H

#include "step/sim.h"

typedef struct ph_alpha {
    double alpha_m, alpha_f, beta, gamma, sigma;
    double gp, eps; /* dv = gp ..., dvdot = eps dv, see (N1) */
} ph_alpha;

/* From the scheme of the options, to which the resolved numbers are written; an error for numbers that make
 * no sense. The scales of (N1) go to ops. */
ph_status ph_alpha_prepare(ph_options *o, ph_alpha *p, ph_step_ops *ops, ph_error *err);

/* Starting values (S2), (S3); vddot and l are scratch of nv numbers. */
ph_status ph_alpha_start(ph_sim *sim, const ph_alpha *p, double *vddot, double *l);

#endif
