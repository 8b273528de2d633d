/* Integrals along the motion, which a method with stages adds up. */
#ifndef PH_STEP_TALLY_H
#define PH_STEP_TALLY_H

#include "polhode/system.h"

#define PH_TALLY 2 /* integrals */

/* x' = f(t, q, v, lambda): the weights of the tableau give them the order of the method (RB20). */
typedef struct ph_tally {
    void (*rates)(void *ctx, const ph_state *s, double out[PH_TALLY]);
    void *ctx;
    double part[PH_TALLY];  /* increments in the last step of the method */
    int known;              /* 1: the method has set them */
    double t;               /* s, of the last accepted point; */
    double first[PH_TALLY]; /* and the rates there */
} ph_tally;

#endif
