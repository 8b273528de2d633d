/* Error control for one-step methods: step sizes, rejected steps, dense output on the group. */
#ifndef PH_STEP_CONTROL_H
#define PH_STEP_CONTROL_H

#include "step/rk.h"

typedef struct ph_control {
    double tol;
    double h;         /* to try next; 0: not known */
    double last;      /* error of the last accepted step, for the PI controller */
    double *error;    /* 2 nv */
    ph_point scratch; /* step doubling */
} ph_control;

void ph_control_take(ph_control *c, const ph_layout *lay, ph_arena *a);

/* One accepted step from a point, at most to t_max; to->t says where it ended. Statistics go to sim->stats. */
ph_status ph_control_step(ph_sim *sim, ph_control *c, ph_rk *rk, const ph_point *from, double t_max,
                          ph_point *to);

/* From a point to t1, in as many steps as it takes; p holds the end, and the start if it fails. */
ph_status ph_control_to(ph_sim *sim, ph_control *c, ph_rk *rk, ph_point *p, double t1);

#endif
