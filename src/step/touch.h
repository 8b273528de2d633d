/* Steps within which a one-sided law closes or opens (RB6). */
#ifndef PH_STEP_TOUCH_H
#define PH_STEP_TOUCH_H

#include "step/sim.h"

/* Above this the step is divided: (pi/8)^2, h = T_c/8 of a touch whose time T_c is half a period. */
#define PH_TOUCH_MUCH 0.154

/* Return 1 if a law is on other sides at sim->now and sim->next. */
int ph_touch_differs(const ph_sim *sim);

/* The same, but 0 if steps are not divided. */
int ph_touch_changes(ph_sim *sim);

/* Return (h omega)^2 of the stiffness that one node gains in the step from sim->now to sim->next, or loses (below 0): the
 * largest change. */
double ph_touch_stiffens(ph_sim *sim);

#endif
