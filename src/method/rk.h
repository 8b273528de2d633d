/* One step of a Runge-Kutta-Munthe-Kaas method in index-1 form, for every method that needs one: the stepper
 * rkmk, the start of multistep methods, error control.
 *
 *   Theta_i = h sum_j a_ij k_j,   k_j = T(Theta_j)^-1 V_j,   q_i = q_n o exp(Theta_i)                   (K1)
 *   V_i = v_n + h sum_j a_ij A_j                                                                        (K2)
 *   M A_j + g + B^T Lambda_j = 0,  B A_j + convective = 0  at (q_j, V_j, t_n + c_j h)                   (K3)
 *   q = q_n o exp(h sum_j b_j k_j),   v = v_n + h sum_j b_j A_j, both projected to the constraints,
 *   then vdot and lambda from (K3) at the end of the step                                             (K4) */
#ifndef PH_METHOD_RK_H
#define PH_METHOD_RK_H

#include "step/sim.h"
#include "method/tableau.h"

typedef struct ph_rk_newton ph_rk_newton; /* rk_implicit.c: the matrix of implicit stages */

typedef struct ph_rk {
    ph_tableau tab;
    double *k, *A;        /* s x nv: slopes of Theta, accelerations */
    double *Theta, *V;    /* s x nv; explicit stages use one row */
    double *Lambda;       /* s x nl: multipliers of implicit stages */
    ph_point at;          /* where a stage is evaluated */
    double turn_max;      /* larger rotations of a stage [rad] are refused; 0: 6, since T^-1 ends at 2 pi */
    ph_rk_newton *newton; /* NULL: explicit */
    int short_steps; /* steps are so small that the Jacobian of the first iterate may serve all of them */
    /* Called at each explicit stage that counts, with its accelerations; NULL: nothing follows the motion */
    ph_status (*stage)(void *ctx, int i, const ph_point *at);
    void *ctx;
    const ph_tally *tally; /* integrals that the stages add up; NULL: none */
    double part[PH_TALLY]; /* their increments in the last step */
} ph_rk;

/* Arrays of rk->tab; called twice, see ph_arena. */
void ph_rk_take(ph_rk *rk, const ph_layout *lay, ph_arena *a);

/* What an implicit tableau needs beside the arena; nothing for an explicit one. */
ph_status ph_rk_prepare(ph_rk *rk, ph_sim *sim, ph_error *err);
void ph_rk_release(ph_rk *rk);

/* What implicit stages keep from step to step. */
ph_status ph_rk_tape(ph_rk *rk, ph_sim *sim, ph_tape *t);

/* One step of size h from a point with consistent q, v, vdot, lambda to another one; h may be negative. to->t
 * is set by the caller. error, unless NULL, receives the estimate of the error of an embedded pair: nv
 * numbers of Theta, then nv of v. On failure sim->reason may say why. */
ph_status ph_rk_step(ph_sim *sim, ph_rk *rk, const ph_point *from, double h, ph_point *to, double *error);

/* Onto the constraints, then vdot and lambda, of a point that a step of size h led to; lambda holds a
 * guess. */
ph_status ph_rk_settle(ph_sim *sim, double h, ph_point *p);

/* Add what a stage contributes to the integrals. */
void ph_rk_tally(const ph_sim *sim, ph_rk *rk, int i, double h, const ph_point *at);

/* After an accepted step, or one that failed with s: hand its increments to sim->tally. Later steps that only find points in
 * between do not count. */
void ph_rk_end_tally(const ph_sim *sim, ph_rk *rk, const double part[PH_TALLY], ph_status s);

/* rk_implicit.c: the stages of a step, to k, A and Lambda, for a tableau that is not explicit. */
ph_status ph_rk_implicit_create(ph_rk *rk, ph_sim *sim, ph_error *err);
void ph_rk_implicit_destroy(ph_rk *rk);
ph_status ph_rk_implicit_tape(ph_rk *rk, ph_sim *sim, ph_tape *t);
ph_status ph_rk_implicit_stages(ph_sim *sim, ph_rk *rk, const ph_point *from, double h);

#endif
