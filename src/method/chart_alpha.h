/* Generalized-alpha in conformal rotation vectors: what linear-alpha and residual-alpha share. */
#ifndef PH_METHOD_CHART_ALPHA_H
#define PH_METHOD_CHART_ALPHA_H

#include "method/genalpha.h"

/* Coefficients of w and b of (C2), of a1 and of the first guess of c, by v_n, a_n and vdot_n. */
typedef struct ph_calpha_weights {
    double w_v, w_a, w_d;
    double b_v, b_a, b_d;
    double a_y, a_a, a_d;      /* a_y by y1 */
    double c_v, c_a, c_d, c_1; /* c_1 by a guessed acceleration */
} ph_calpha_weights;

/* The method's record begins with it. Coordinates of nodes of a vector space are increments, as ever. */
typedef struct ph_chart_alpha {
    ph_alpha p;
    ph_calpha_weights k;
    int a_is_force;       /* the a of a state is a covector */
    double *c, *w, *b;    /* nv */
    double *u, *y;        /* nv */
    double *z;            /* nv: T a1 */
    double *Tinv, *L, *Q; /* nT; of translations identity, identity and zero */
    ph_step_ops ops;
} ph_chart_alpha;

/* ---- one rotation -------------------------------------------------------------------------------- */

typedef struct ph_calpha_turn {
    ph_quat q; /* of the step */
    ph_mat3 T, Tinv;
} ph_calpha_turn;

ph_calpha_turn ph_calpha_turn_of(const double *c);
ph_mat3 ph_calpha_by_c(const double *c, const double *x); /* d(T(c) x)/dc */

/* A 3 x 3 block at the rotational place of that of a node, which is diagonal elsewhere. */
void ph_calpha_embed(const ph_slot *i, double diagonal, ph_mat3 A, double *out);

/* ---- step ---------------------------------------------------------------------------------------- */

ph_status ph_calpha_prepare(ph_sim *sim, ph_error *err); /* but for the weights */
void ph_calpha_take(ph_sim *sim, ph_arena *a);
void ph_calpha_predict(ph_sim *sim);                    /* c, lambda, w, b and tolerances */
ph_status ph_calpha_update(ph_sim *sim);                /* q, v, vdot and Tinv from c */
void ph_calpha_linearise(ph_sim *sim);                  /* L and Q */
double ph_calpha_correct(ph_sim *sim, const double *x); /* c += T^-1 dq; its size in units of tolerances */

/* a1, then z = T a1 and x = T a1 + S, what is kept of it beyond the step. */
void ph_calpha_acceleration(ph_sim *sim, double *x);

/* ---- sensitivities ------------------------------------------------------------------------------- */

/* (C1) differentiated: v' = T u' + v_c c',  vdot' = T y' + vdot_c c' + S_u u' */
typedef struct ph_calpha_tangent {
    ph_calpha_turn t;
    ph_mat3 R; /* of the step */
    ph_mat3 v_c, vdot_c, S_c, S_u;
} ph_calpha_tangent;

ph_calpha_tangent ph_calpha_tangent_of(const ph_chart_alpha *m, int at);

/* The derivatives of c, v, a and vdot at the start of a step, and W at its end if c1' = c'. Coordinates move
 * with q_n, so that c' = 0. Simplified (reference-free) they stay, c' = W_n, and what (C1) makes of u and
 * y is kept:
 *   u' = v' + W x v/2,   y' = vdot' + W x vdot/2 - S_c(0, v) W,   G' + W x G/2 for a covector         (C8) */
typedef struct ph_calpha_origin {
    ph_vec3 c, W, v, a, d;
} ph_calpha_origin;

ph_calpha_origin ph_calpha_origin_of(const ph_sim *sim, const ph_calpha_tangent *x, const ph_variation *now,
                                     int at);
void ph_calpha_sens_predict(ph_sim *sim, const ph_variation *now, const double *y, ph_variation *next);

/* z' and the derivative of T a1 + S of one node, from those of v and of vdot of (C1) in next. */
void ph_calpha_vary(ph_sim *sim, const ph_slot *i, const ph_variation *now, const ph_variation *next,
                    double *z1, double *out);

/* c from the two points of a step, then all that update leaves behind. */
void ph_calpha_restore(ph_sim *sim);

/* ph_calpha_vary transposed: bars of T a1 and of S, and what else is known of that of c1'. */
void ph_calpha_vary_back(ph_sim *sim, const ph_slot *i, const double *z_bar, const double *bar, ph_vec3 c_bar,
                         ph_variation *next, ph_variation *now);
void ph_calpha_sens_predict_back(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now);

#define PH_CALPHA_CITE                                                                                       \
    "O. Bruels, P. Eberhard: Sensitivity analysis for dynamic mechanical systems with finite rotations, "    \
    "International Journal for Numerical Methods in Engineering"

#endif
