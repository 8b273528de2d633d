/* Equilibria from inside. */
#ifndef PH_EQUILIBRIUM_STATIC_H
#define PH_EQUILIBRIUM_STATIC_H

#include "polhode/equilibrium.h"
#include "step/layout.h"

/* Nodes of first order have no velocity while an equilibrium is sought: their positions were their values then. From now on
 * these are velocities again, and positions 0. */
void ph_equilibrium_release_first(ph_equilibrium *e);

/* Write the answer of ph_equilibrium_judge, and the number of unstable equilibria that were left, into its stats. */
void ph_equilibrium_set_rest(ph_equilibrium *e, const ph_rest *rest);
void ph_equilibrium_set_left(ph_equilibrium *e, int left);

/* Q of an equilibrium that is moved by x, left increments of the nodes, to q. */
void ph_equilibrium_moved(ph_equilibrium *e, double s, const double *x, double *q);

/* Evaluate the system at the equilibrium; kappa becomes max |K_ij|/M_ii [1/s^2]. */
ph_status ph_equilibrium_evaluate(ph_equilibrium *e, double *kappa);
/* Factor [K + mu M, B^T; B, 0] there; then solve it for (M y, 0): x lies in the null space of B. */
ph_status ph_equilibrium_shift(ph_equilibrium *e, double mu);
ph_status ph_equilibrium_invert(ph_equilibrium *e, const double *y, double *x);
double ph_equilibrium_product(const ph_equilibrium *e, const double *y, const double *x); /* y^T M x */
double ph_equilibrium_damping(const ph_equilibrium *e, const double *x);                  /* x^T C x */
const ph_layout *ph_equilibrium_layout(const ph_equilibrium *e);
const ph_allocator *ph_equilibrium_alloc(const ph_equilibrium *e);

#endif
