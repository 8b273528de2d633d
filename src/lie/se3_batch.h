/* Four nodes of SE(3) at once, each with the bits that it has alone. */
#ifndef PH_LIE_SE3_BATCH_H
#define PH_LIE_SE3_BATCH_H

#include "base/batch.h"

/* As those of SO(3); D has 36 numbers for each node. */
void ph_se3_batch_move(const ph_batch *b, const double *q0, const double *x, const double *u, double *q1,
                       double *R, double *T, double *Tinv, double *Tu);
void ph_se3_batch_dT(const ph_batch *b, const double *x, const double *u, double *D);
void ph_se3_batch_L(const ph_batch *b, const double *x, const double *u, double s, const double *Tinv,
                    double *L);

#endif
