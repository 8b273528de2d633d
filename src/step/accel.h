/* The constraints on accelerations and their tangents, for methods in index-1 form. */
#ifndef PH_STEP_ACCEL_H
#define PH_STEP_ACCEL_H

#include "step/eval.h"

typedef struct ph_accel {
    double *c;           /* nl: d(B v + Phi_t)/dt = B vdot + convective */
    double *by_q, *by_v; /* size_links: dc/dq, dc/dv; dc/dvdot is B */
    double *Z[2], *B[2]; /* Z, and B of non-holonomic rows, at both ends of a short piece of the motion */
    ph_point end;        /* one of the ends */
    int nonholonomic;    /* some rows are */
} ph_accel;

void ph_accel_take(ph_accel *ac, const ph_layout *lay, ph_arena *a);

/* c at a point where the residual is evaluated. */
ph_status ph_accel_rows(ph_accel *ac, ph_eval *ev, const ph_point *p);

/* Its tangents, where the residual and the tangents with PH_EVAL_RATE are evaluated. */
ph_status ph_accel_tangent(ph_accel *ac, ph_eval *ev, const ph_point *p);

#endif
