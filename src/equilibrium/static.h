/* Equilibria from inside. */
#ifndef PH_EQUILIBRIUM_STATIC_H
#define PH_EQUILIBRIUM_STATIC_H

#include "polhode/equilibrium.h"

/* Nodes of first order have no velocity while an equilibrium is sought: their positions were their values then. From now on
 * these are velocities again, and positions 0. */
void ph_equilibrium_release_first(ph_equilibrium *e);

#endif
