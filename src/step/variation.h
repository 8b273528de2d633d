/* Derivatives by a parameter, as a step and its method see them; src/sens follows them. */
#ifndef PH_STEP_VARIATION_H
#define PH_STEP_VARIATION_H

#include "polhode/sens.h"
#include "step/newton.h"

/* The derivative of a point by one parameter, or of an objective by a point (a covector). */
typedef struct ph_variation {
    double *W, *v, *vdot, *a; /* nv */
    double *lambda, *eta;     /* nl */
    double *memory;           /* nv times ph_sens_memory: of what the method remembers */
} ph_variation;

/* One parameter, its neighbours, and what it does to the solution. */
typedef struct ph_follower {
    ph_param p;
    ph_sim *at[PH_NEIGHBOURS];
    double weight[PH_NEIGHBOURS]; /* of the pseudo-loads, over eps; 0: not needed */
    ph_variation now, next;
} ph_follower;

/* Differentiate the step from sim->now to sim->next that was just solved. */
ph_status ph_sens_follow(ph_sens *sens);

/* Where sim starts anew from sim->now: before it does, neighbours go to where derivatives say, and after it they start anew, too. */
void ph_sens_spread(ph_sens *sens, const ph_point *from);
ph_status ph_sens_gather(ph_sens *sens);

/* After such a start: the same for ph_sim_drift from sim->now to sim->next. */
ph_status ph_sens_drift(ph_sens *sens);

/* The start of the last step, with its derivatives, in place of its end; once more: and back. */
void ph_sens_turn(ph_sens *sens);

/* The simplification of the derivatives that follow the simulation; none follow: PH_NOT_SIMPLIFIED. */
ph_simplification ph_sens_simplified(const ph_sim *sim);

#endif
