/* Step sizes of differences, for arguments of size 1: larger arguments take them times their size. */
#ifndef PH_BASE_DIFFERENCE_H
#define PH_BASE_DIFFERENCE_H

/* Two points. Truncation is step^2 and round-off eps/step: eps^(1/3) balances them, and leaves 4e-11. */
#define PH_DIFFERENCE 6e-6

/* Two points where the result is multiplied by something small: a power of two is added without rounding, and an
 * error of 1e-10 of a term that is itself of the size of the error of a step is enough. */
#define PH_DIFFERENCE_SMALL 0x1p-16

/* Four points or more, with errors of step^4 and less: 1e-12 beside a round-off of 1e-12. */
#define PH_DIFFERENCE_WIDE 0x1p-10

/* The first of the steps of quotient.h, each an eighth of the one before: the size finds itself. */
#define PH_DIFFERENCE_FIRST 0x1p-9

#endif
