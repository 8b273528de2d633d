/* The parameters of the generalized-alpha family. */
#ifndef PH_STEP_GENALPHA_H
#define PH_STEP_GENALPHA_H

#include "step/sim.h"

typedef struct ph_alpha {
    double alpha_m, alpha_f, beta, gamma, sigma;
} ph_alpha;

/* From the scheme of the options, to which the resolved numbers are written; an error for numbers that make no sense. */
ph_status ph_alpha_resolve(ph_options *o, ph_alpha *p, ph_error *err);

/* Starting values (S2), (S3); vddot and l are scratch of nv numbers. */
ph_status ph_alpha_start(ph_sim *sim, const ph_alpha *p, double *vddot, double *l);

#endif
