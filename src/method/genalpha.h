/* The parameters of the generalized-alpha family. */
#ifndef PH_METHOD_GENALPHA_H
#define PH_METHOD_GENALPHA_H

#include "step/sim.h"

typedef struct ph_alpha {
    double alpha_m, alpha_f, beta, gamma, sigma;
    double gp, eps; /* dv = gp ..., dvdot = eps dv, see (N1) */
} ph_alpha;

/* From the scheme of the options, to which the resolved numbers are written; an error for numbers that make
 * no sense. The scales of (N1) go to ops. */
ph_status ph_alpha_prepare(ph_options *o, ph_alpha *p, ph_step_ops *ops, ph_error *err);

/* gp, eps and the scales of (N1) for steps of size h. */
void ph_alpha_resize(ph_alpha *p, double h, ph_step_ops *ops);

double
ph_alpha_C_q(const ph_alpha *p); /* leading coefficient of the local error in q, C_q h^3 vddot + ... (G9) */

/* 1 if the method is of second order. */
int ph_alpha_is_second_order(const ph_alpha *p);

/* l += factor [v, vdot] on curved groups. */
void ph_alpha_add_bracket(const ph_layout *lay, double factor, const double *v, const double *vdot,
                          double *l);

#endif
