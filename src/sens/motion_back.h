/* The adjoint of the motion itself: covectors from the end of a short piece to its start. */
#ifndef PH_SENS_MOTION_BACK_H
#define PH_SENS_MOTION_BACK_H

#include "step/accel.h"
#include "method/rk.h"
#include "sens/sens.h"

typedef struct ph_motion_back {
    ph_sens *sens;
    ph_accel ac;
    ph_point at, side;   /* a stage; a point near by on the motion */
    ph_point begin, end; /* of a piece */
    ph_point *point;     /* room >= 1: ends of pieces, given by the caller */
    int room;
    double *rhs, *x;     /* nv + nl: (mu_v, 0), and (xi, zeta) of (W12) */
    double *c_p;         /* nl */
    double *mu_W, *mu_v; /* nv: at a stage */
    double *slope;       /* stages x 2 nv: of mu_W, then of mu_v */
    const double *W, *v; /* covectors at the end of the piece */
    const ph_tableau *tab;
    double h;
    double *gradient;
} ph_motion_back;

/* Arrays for a tableau; called twice, see ph_arena. */
void ph_motion_back_take(ph_motion_back *m, ph_sens *sens, const ph_tableau *tab, ph_arena *a);

/* Turn covectors W, v at a point into covectors at another one before it on the motion, in `pieces` steps of an explicit
 * method; add to the gradient what the parameters do in between. The steps are made forwards first, once for every m->room
 * of them. The statistics of the simulation do not count them. */
ph_status ph_motion_back_over(ph_motion_back *m, ph_rk *rk, const ph_point *begin, const ph_point *end,
                              int pieces, double *W, double *v, double *gradient);

/* Covectors of vdot and lambda at a point become those of q, v and the parameters. */
ph_status ph_motion_back_forces(ph_motion_back *m, const ph_point *at, const double *vdot,
                                const double *lambda, double *W, double *v, double *gradient);

#endif
