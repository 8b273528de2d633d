/* States between the ends of a step: Hermite interpolation on the group.
 *
 * In the chart at the start of the step, q(t) = q_0 o exp(Theta(t)), the polynomial with the values
 *
 *   Theta_i = log(q_0^-1 o q_i),   Theta_i' = T(Theta_i)^-1 v_i,
 *   Theta_i'' = T(Theta_i)^-1 vdot_i + d(T(Theta_i)^-1 v_i)/dTheta Theta_i'                              (K9)
 *
 * at m points has an error of O(h^(3 m)); v = T(Theta) Theta' and vdot = T(Theta) Theta'' + d(T(Theta) Theta')/dTheta
 * Theta' follow from it, Theta' held fixed in the last derivative. */
#ifndef PH_METHOD_DENSE_OUTPUT_H
#define PH_METHOD_DENSE_OUTPUT_H

#include "step/eval.h"

#define PH_DENSE_POINTS 3

typedef struct ph_dense {
    int n;                         /* coefficients, 3 for each point; 0: nothing is held */
    double t, h;                   /* start and size of the step */
    double z[3 * PH_DENSE_POINTS]; /* each point three times, in units of h */
    double *c;                     /* n x nv: divided differences */
    double *slope, *bend;          /* points x nv: h Theta', h^2/2 Theta'' */
} ph_dense;

void ph_dense_take(ph_dense *d, const ph_layout *lay, ph_arena *a);

void ph_dense_tape(ph_dense *d, const ph_layout *lay, ph_tape *t);

/* The polynomial through m points, the first and the last of which are the ends of the step. */
void ph_dense_fit(ph_dense *d, const ph_layout *lay, int m, const ph_point *const *p);

/* q, R and v at to->t; from is the start of the step. */
void ph_dense_at(const ph_dense *d, const ph_layout *lay, const ph_point *from, ph_point *to);

#endif
