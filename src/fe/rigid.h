/* Rigid motions of finite elements, and what is left without them. */
#ifndef PH_FE_RIGID_H
#define PH_FE_RIGID_H

#include "fe/fe.h"

typedef struct ph_rigid_moves {
    int rows;
    double *Phi, *MPhi; /* rows x 6: Phi_t, Phi_r0 about the origin; M Phi */
    double A[36];       /* Phi^T M Phi, row by row */
} ph_rigid_moves;

int ph_rigid_make(ph_pool *pool, const ph_fe *fe, ph_rigid_moves *out); /* 0: no memory */

/* Each gives 0 where A is singular. */
int ph_rigid_strip(const ph_rigid_moves *r,
                   double *c); /* c -= Phi A^-1 Phi^T M c: motions without momentum */
int ph_rigid_relieve(const ph_rigid_moves *r,
                     double *f); /* f -= M Phi A^-1 Phi^T f: forces in balance (X7) */

#endif
