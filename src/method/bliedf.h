/* What the steps of BLieDF and its start share. */
#ifndef PH_METHOD_BLIEDF_H
#define PH_METHOD_BLIEDF_H

#include "method/ahead.h"
#include "method/control.h"

#define PH_BDF_MAX 6 /* order */

typedef struct ph_bdf_formula {
    double alpha[PH_BDF_MAX + 1], gamma[PH_BDF_MAX + 1];
    double slope[PH_BDF_MAX +
                 1]; /* gamma of differences of v, which with steps of one size are those of increments */
    double w[4][PH_BDF_MAX + 1]; /* of the V_d of (D7): first v1, then v_n, ... */
} ph_bdf_formula;

typedef struct ph_bliedf {
    ph_step_ops ops;                  /* first: where a test finds it */
    int order;                        /* asked for */
    int k;                            /* of the present step */
    int in_exp, in_velocity;          /* (D3), (D4) in the present step */
    int ahead;                        /* (D12), not (D5), where the Lie term is explicit */
    int fourth;                       /* with E */
    ph_bdf_formula f[PH_BDF_MAX + 1]; /* by order */
    double gp;                        /* alpha_0/h */
    double *v[PH_BDF_MAX];            /* nv: v_{n-1}, v_{n-2}, ... */
    double *D[PH_BDF_MAX];            /* nv: D_{n-1}, D_{n-2}, ...; the last one takes D_n */
    double *c, *S;                    /* nv: vdot1 = gp (v1 - v_n) + c; what does not depend on v1 in (D2) */
    double *G[4];                     /* nv: V_d without v1 */
    double *x;                        /* nv */
    double *H;                        /* nT: the part of dz/dv1 without E */
    double *T, *Tinv, *L, *F;         /* nT; F = J^-1 */
    double *A;                        /* nT: Ad(exp(-x)), for sensitivities */
    double *Z[PH_BDF_MAX + 1];        /* nT: dz/du_j of (W9), likewise */
    double *y, *dy, *Bn;              /* B(q_n)^T eta and h times its increment, nv; B(q_n), links */
    ph_rk rk;                         /* the one-step method of the start */
    ph_control control;               /* of its steps */
    double *exact;                    /* nv: v_n before it was perturbed (D9) */
    int start_steps;
    int pieces[2 * PH_BDF_MAX]; /* of the steps of the start */
    /* Steps by tolerance */
    ph_ahead steps;
    ph_pace pace;
    ph_pace_rules rules;
    int past;                     /* steps that are remembered, order at most */
    double sizes[PH_BDF_MAX];     /* s: of the steps of D_{n-1}, D_{n-2}, ... */
    double guess[PH_BDF_MAX + 1]; /* weights of v_n, v_{n-1}, ... in the first guess of v1 */
    double share[PH_BDF_MAX + 1]; /* weights of v1, v_n, ... in (VS13) */
    double even;                  /* s: all these are of steps of this size; 0: of several sizes */
    double *e;                    /* nv */
} ph_bliedf;

/* Derivatives 0 to 3 at s of the polynomial through values at 0, -1, ..., 1 - points: w[d][j] of value j. */
void ph_bliedf_weights(int points, double s, double w[4][PH_BDF_MAX + 1]);

/* The numbers of steps of order k. */
void ph_bliedf_set_order(ph_sim *sim, int k);

/* All that a step takes from the past; v1 extrapolated from as many points. */
void ph_bliedf_look_back(ph_sim *sim, int points, double *v1);

/* z = p or c of one node, after ph_bliedf_look_back. */
void ph_bliedf_lie_term(const ph_bliedf *m, const ph_slot *i, double h, const double *v1, double *z);

/* Steps of the method before the present one: since t0 or, by tolerance, since it began anew; a few are as good as many. */
static inline long ph_bliedf_past(const ph_sim *sim)
{
    return ph_sim_paced(sim) ? ((const ph_bliedf *)sim->method)->past : sim->n;
}

/* One step of the multistep formula; what follows from an accepted one. */
ph_status ph_bliedf_multistep(ph_sim *sim);
ph_status ph_bliedf_factor(ph_sim *sim, double h); /* the matrix of its last step, but at sim->now */
void ph_bliedf_remember(ph_sim *sim);

/* bliedf_ahead.c: steps by tolerance. */
void ph_bliedf_ahead_take(ph_bliedf *m, const ph_sim *sim, ph_arena *arena);
ph_status ph_bliedf_ahead_prepare(ph_bliedf *m, const ph_sim *sim, ph_error *err);
void ph_bliedf_ahead_tape(ph_bliedf *m, const ph_sim *sim, ph_tape *t);
ph_status ph_bliedf_ahead_step(ph_sim *sim);

/* A step of the one-step method to sim->next, and its D without the Lie term. 0: it turns too far. */
ph_status ph_bliedf_one_step(ph_sim *sim);
int ph_bliedf_log_step(ph_sim *sim);

/* A step of the start (D9), from sim->now to sim->next. */
ph_status ph_bliedf_start_step(ph_sim *sim);

/* Sensitivities of the start, entries of the stepper. */
ph_rk *ph_bliedf_start_method(ph_sim *sim, int step, int *pieces);
void ph_bliedf_start_back(ph_sim *sim, const ph_point *at, const double *memory, ph_variation *bar);

#endif
