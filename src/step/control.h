/* Error control for one-step methods: step sizes and rejected steps.
 *
 * The error of a step is estimated by the second weights of the tableau (K6) or, where it has none, by two
 * half steps beside the whole one,
 *
 *   error = log(q_whole^-1 o q_halves)/(2^p - 1),  (v_halves - v_whole)/(2^p - 1)                     (K7)
 *
 * and the more accurate of the two results goes on (local extrapolation), so that the error at the end is
 * proportional to tol. It is measured by the largest of its parts: rotations in rad, positions, velocities
 * and angular velocities relative to max(1, their largest size). With err = that over tol/(50 gain), where
 * gain is the principal error of what goes on over that of what is estimated, and k the power of h in the
 * estimate,
 *
 *   h <- h min(5, max(1/5, 0.9 err_n^(-0.7/k) err_n-1^(0.4/k)))                                       (K8)
 *
 * References: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4;
 * K. Gustafsson (PI controller). */
#ifndef PH_STEP_CONTROL_H
#define PH_STEP_CONTROL_H

#include "step/rk.h"

typedef struct ph_control {
    double tol;
    double rest;   /* 1/s; velocities of this times the size of positions are rest; 0: sizes below 1 are 1 */
    double h;      /* to try next, without sign; 0: not known */
    int most;      /* attempts of ph_control_to; 0: as many as it takes */
    double last;   /* error of the last accepted step, for the PI controller; 0: there is none */
    double *error; /* 2 nv */
    ph_point whole, half;  /* step doubling */
    ph_point begin, ahead; /* ph_control_to */
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
