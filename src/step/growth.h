/* Parts of a step must resolve motion that grows (RB22). */
#ifndef PH_STEP_GROWTH_H
#define PH_STEP_GROWTH_H

#include "step/sim.h"

/* Return the least ratio (RB22) at the two ends of the step from sim->now to sim->next; 1 if it resolves the motion well,
 * below 0 if Newton's method may have found a solution beyond a singularity. */
double ph_growth_least(ph_sim *sim);

#endif
