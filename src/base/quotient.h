/* Derivatives as differences, with a step that finds itself.
 *
 *   D = (4 D1 - D2)/3,   D1 = (f(e) - f(-e))/(2 e),   D2 = (f(2e) - f(-2e))/(4 e)
 *
 * D1 - D2 tells how large the terms of third order are, and those of fifth order, which D is left with, are about
 * as much smaller than these as these are smaller than D:
 *
 *   error of D ~ |D1 - D2|^2/(9 |D|) + 2 u max|f|/e                                                   (W11)
 *
 * Where f is what cancellation has left, its round-off is larger than the second term, and the first may be small by
 * chance: so D has to agree with that of the step before, to three digits if it is as good as can be. Beside a kink, where only the
 * first step is too long, it is the third that agrees. */
#ifndef PH_BASE_QUOTIENT_H
#define PH_BASE_QUOTIENT_H

#include <float.h>
#include <math.h>

#define PH_QUOTIENT_TRIES 9     /* steps, each an eighth of the one before */
#define PH_QUOTIENT_GOOD  1e-11 /* relative error that nobody will miss */
#define PH_QUOTIENT_NEAR                                                                                     \
    1e-3 /* relative error of the step before such a one, which has eight times its length */

/* The best derivative so far, and the last one. */
typedef struct ph_quotient {
    double value, error, last;
} ph_quotient;

#define PH_QUOTIENT_NONE ((ph_quotient){0, HUGE_VAL, NAN})

/* f at -2e, -e, e, 2e. 1: smaller steps will not be better. */
static inline int ph_quotient_try(ph_quotient *s, const double f[4], double e)
{
    double D1 = (f[2] - f[1]) / (2 * e), D2 = (f[3] - f[0]) / (4 * e), D = (4 * D1 - D2) / 3;
    double third = fabs(D1 - D2) / 3, size = fmax(fmax(fabs(f[0]), fabs(f[1])), fmax(fabs(f[2]), fabs(f[3])));
    double cut = third > 0 ? third * (third / fmax(third, fabs(D))) : 0, round = 2 * DBL_EPSILON * size / e;
    int agrees = isnan(s->last) || fabs(D - s->last) <= PH_QUOTIENT_NEAR * fabs(D);
    int good = cut <= PH_QUOTIENT_GOOD * fabs(D) && agrees;
    double error = (good || isnan(s->last) ? cut : fmax(cut, fabs(D - s->last))) + round;
    if (error < s->error)
        s->value = D, s->error = error;
    s->last = D;
    return good || (cut <= round && agrees);
}

#endif
