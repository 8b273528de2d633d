/* Error control for one-step methods: step sizes and rejected steps.
 *
 * The error of a step is estimated by the second weights of the tableau (K6) or, where it has none, by two
 * half steps beside the whole one,
 *
 *   error = log(q_whole^-1 o q_halves)/(2^p - 1),  (v_halves - v_whole)/(2^p - 1)                     (K7)
 *
 * and the more accurate of the two results goes on (local extrapolation), so that the error at the end is
 * proportional to tol. err of (K8) is its size over tol/(50 gain), where gain is the principal error of what goes on
 * over that of what is estimated; see pace.h.
 *
 * Reference: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4. */
#ifndef PH_METHOD_CONTROL_H
#define PH_METHOD_CONTROL_H

#include "method/pace.h"
#include "method/rk.h"

typedef struct ph_control {
    ph_pace pace;
    double rest;           /* 1/s, of ph_pace_measure */
    int most;              /* attempts of ph_control_to; 0: as many as it takes */
    double *error;         /* 2 nv */
    ph_point whole, half;  /* step doubling */
    ph_point begin, ahead; /* ph_control_to */
    double part[PH_TALLY]; /* increments of the tally in all steps of ph_control_to */
} ph_control;

void ph_control_take(ph_control *c, const ph_layout *lay, ph_arena *a);

void ph_control_tape(ph_control *c, const ph_layout *lay, ph_tape *t);

/* One accepted step from a point, at most to t_max, which may lie before it; to->t says where it ended.
 * Statistics go to sim->stats. */
ph_status ph_control_step(ph_sim *sim, ph_control *c, ph_rk *rk, const ph_point *from, double t_max,
                          ph_point *to);

/* From a point to t1, in as many steps as it takes; p holds the end, and the start if it fails. */
ph_status ph_control_to(ph_sim *sim, ph_control *c, ph_rk *rk, ph_point *p, double t1);

/* Order of what goes on: that of the tableau, one more where it is extrapolated (K7). */
int ph_control_order(const ph_tableau *t);

#endif
