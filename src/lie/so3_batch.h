/* Four nodes of SO(3) at once, each with the bits that it has alone. */
#ifndef PH_LIE_SO3_BATCH_H
#define PH_LIE_SO3_BATCH_H

#include "base/batch.h"

/* q1 = q0 o exp(x), R(q1), T(x), T(x)^-1 as by move and ph_qmat, and Tu = T(x) u at the places of u; T
 * and Tinv may be NULL. */
void ph_so3_batch_move(const ph_batch *b, const double *q0, const double *x, const double *u, double *q1,
                       double *R, double *T, double *Tinv, double *Tu);

/* D = d(T(x) u)/dx, nine numbers for each node. */
void ph_so3_batch_dT(const ph_batch *b, const double *x, const double *u, double *D);

/* L = (1 + s D) T(x)^-1 at the places of T. */
void ph_so3_batch_L(const ph_batch *b, const double *x, const double *u, double s, const double *Tinv,
                    double *L);

#endif
