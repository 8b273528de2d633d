/* Coefficients of every rotation operator; all small-angle and large-angle handling lives here.
 *
 * With s = |w|^2, p = |w|, the Stumpff functions and their relations (docs/theory.md)
 *   c_k(s) = sum_j (-s)^j/(2j+k)!,   c_k = 1/k! - s c_{k+2},   2 dc_k/ds = k c_{k+2} - c_{k+1}        (L3)
 * are needed at s and, for the quaternion, at z = s/4. With k_j = c_j(z), C = 1 - z k2, S = 1 - z k3, the
 * values at s follow from those at z without a cancellation:
 *   c1 = S C,  c2 = S^2/2,  c3 = (k2 + k3 C)/4,  c4 = k3 (1 + S)/8,  c5 = (k4 + k5 + k2 k3)/16,
 *   c6 = (2 k5 + k3^2)/32,  c7 = (k6 + k7 + k3 k4 + k5/2)/64                                        (L4)
 * Only k6 and k7 are evaluated as polynomials. Above s = 4 trigonometric functions take over (L5). */
#ifndef PH_BASE_STUMPFF_H
#define PH_BASE_STUMPFF_H

#include "polhode/vec.h"

#define PH_STUMPFF_SMALL 4.0 /* up to this |w|^2: polynomials; seven terms leave 3e-16 of k6, 1e-17 of k4 */

typedef struct ph_stumpff {
    ph_real s;          /* |w|^2 */
    ph_real C, S;       /* cos(p/2), sin(p/2)/(p/2) */
    ph_real c1, c2, c3; /* c_k(s) */
    ph_real b2, b3;     /* 2 dc_k/ds */
    ph_real h2, h3;     /* 2 db_k/ds */
    ph_real e;          /* (p/2) cot(p/2) = C/S */
    ph_real d, d1, d2;  /* (1 - e)/s, 2 dd/ds, 2 dd1/ds */
} ph_stumpff;

#ifndef PH_COLD /* of a function that is rarely called: out of line */
#define PH_COLD
#endif

/* s > PH_STUMPFF_SMALL of some member, accurate up to the pole of e at p = 2 pi (L5) */
PH_COLD ph_stumpff ph_stumpff_large(ph_vec3 w);

/* s <= PH_STUMPFF_SMALL */
PH_FN ph_stumpff ph_stumpff_small(ph_real s)
{
    ph_real z = 0.25 * s, z2 = z * z, z4 = z2 * z2;
    /* Estrin's scheme; the coefficients are 1/(2j+6)! and 1/(2j+7)! */
    ph_real k6 = ((1 / 720.0 - z * (1 / 40320.0)) + z2 * (1 / 3628800.0 - z * (1 / 479001600.0))) +
                 z4 * ((1 / 87178291200.0 - z * (1 / 20922789888000.0)) + z2 * (1 / 6402373705728000.0));
    ph_real k7 = ((1 / 5040.0 - z * (1 / 362880.0)) + z2 * (1 / 39916800.0 - z * (1 / 6227020800.0))) +
                 z4 * ((1 / 1307674368000.0 - z * (1 / 355687428096000.0)) + z2 * (1 / 121645100408832000.0));
    ph_real k5 = 1 / 120.0 - z * k7, k4 = 1 / 24.0 - z * k6, k3 = 1 / 6.0 - z * k5, k2 = 0.5 - z * k4;
    ph_real S = 1 - z * k3, C = 1 - z * k2;

    ph_real c3 = 0.25 * (k2 + k3 * C), c4 = 0.125 * (k3 * (1 + S)), c5 = 0.0625 * (k4 + k5 + k2 * k3);
    ph_real c6 = (2 * k5 + k3 * k3) / 32, c7 = (k6 + k7 + k3 * k4 + 0.5 * k5) / 64;

    /* (L8) in a form without s in a denominator: k2 - k3 = 1/3 - z A, 3 A - k3 = -1/15 - z (3 B - k5) */
    ph_real A = k4 - k5, B = k6 - k7, k23 = k2 - k3, A3 = 3 * A - k3;
    ph_real r = 1 / S, e = C * r, d = 0.25 * (k23 * r), d1 = 0.0625 * (A3 * r) + d * d;
    ph_real d2 = (3 * A * (1 / 3.0 + k23) + 15 * B - 5 * k5 + 5 * k3 * A3) * (r * r) / 64 + 2 * d * d1;

    return (ph_stumpff){.s = s,
                        .C = C,
                        .S = S,
                        .c1 = S * C,
                        .c2 = 0.5 * (S * S),
                        .c3 = c3,
                        .b2 = 2 * c4 - c3,
                        .b3 = 3 * c5 - c4,
                        .h2 = 8 * c6 - 5 * c5 + c4,
                        .h3 = 15 * c7 - 7 * c6 + c5,
                        .e = e,
                        .d = d,
                        .d1 = d1,
                        .d2 = d2};
}

PH_FN ph_stumpff ph_stumpff_of(ph_vec3 w)
{
    ph_real s = ph_dot(w, w);
    if (ph_all(s <= PH_STUMPFF_SMALL))
        return ph_stumpff_small(s);
    return ph_stumpff_large(w);
}

#endif
