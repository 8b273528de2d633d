/* Rates of Newton's method, the ratio of an increment to the one before: what they are worth. Compiled models have them too. */
#ifndef PH_STEP_RATES_H
#define PH_STEP_RATES_H

#define PH_RATE_TRUSTED 0.3 /* above it, an increment says nothing about the next one */
#define PH_RATE_RENEW                                                                                        \
    0.5 /* above it, a Jacobian that was kept over steps is renewed, and small increments are noise */
#define PH_RATE_STEP 0.1 /* the same of a Jacobian of the step, which is close */

#endif
