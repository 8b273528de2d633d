/* Sensitivities from inside: what a method adds to them. */
#ifndef PH_STEP_SENS_H
#define PH_STEP_SENS_H

#include "polhode/sens.h"
#include "step/eval.h"

/* The derivative of a point by one parameter, and of what the method remembers. */
typedef struct ph_variation {
    double *W, *v, *vdot, *a; /* nv */
    double *lambda, *eta;     /* nl */
} ph_variation;

/* Differentiate the step from sim->now to sim->next that was just solved. */
ph_status ph_sens_follow(ph_sens *sens);

#endif
