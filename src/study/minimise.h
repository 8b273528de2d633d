/* The least value of a function with a gradient between bounds, by NLopt's SLSQP, which is optional. */
#ifndef PH_STUDY_MINIMISE_H
#define PH_STUDY_MINIMISE_H

#include "polhode/base.h"

/* Value and gradient at x. Any status but PH_OK ends the search. */
typedef ph_status (*ph_gradient_fn)(const double *x, double *value, double *gradient, void *ctx);

typedef struct ph_minimise_def {
    int n;
    const double *lower, *upper; /* finite, lower < upper */
    double tolerance;            /* of x, as a part of the range of its bounds */
    int evaluations;             /* at most */
    ph_gradient_fn f;
    void *ctx;
} ph_minimise_def;

/* NULL: it is loaded. Else what is missing. Call it before ph_minimise. */
const char *ph_minimise_missing(void);

/* From x, which becomes the best point that was found; *why: a sentence on why it ended. Status: that of f, or
 * PH_E_MEMORY. */
ph_status ph_minimise(const ph_minimise_def *def, double *x, double *value, const char **why);

#endif
