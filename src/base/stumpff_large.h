/* Coefficients of rotation operators at large angles.
 *
 * T^-1 has a pole at p = 2 pi: an error of p enters it magnified by 2 pi/(2 pi - p). So p/2 is carried in two
 * doubles h + l, and where it is near pi the functions are taken of the difference, pi in two doubles as
 * well: h + l = sqrt(s)/2,  sin(h + l) = sin h + l cos h,  sin(p/2) = sin(pi - p/2)                      (L5)
 * The quotients of (L8) lose nothing here since s > 4. */
#ifndef PH_BASE_STUMPFF_LARGE_H
#define PH_BASE_STUMPFF_LARGE_H

#include "base/stumpff.h"

/* sum + rest = a^2 + b^2 + c^2, the rest to its leading digits */
PH_FN ph_real ph_sum_of_squares(ph_real a, ph_real b, ph_real c, ph_real *rest)
{
    ph_real aa = a * a, bb = b * b, cc = c * c;
    ph_real t = aa + bb, bv = t - aa, te = (aa - (t - bv)) + (bb - bv);
    ph_real sum = t + cc, cv = sum - t, se = (t - (sum - cv)) + (cc - cv);
    *rest = ((ph_fma(a, a, -aa) + ph_fma(b, b, -bb)) + ph_fma(c, c, -cc)) + (te + se);
    return sum;
}

/* a where an angle is large, b elsewhere */
PH_FN ph_stumpff ph_stumpff_pick(ph_mask large, ph_stumpff a, ph_stumpff b)
{
    return (ph_stumpff){.s = ph_select(large, a.s, b.s),
                        .C = ph_select(large, a.C, b.C),
                        .S = ph_select(large, a.S, b.S),
                        .c1 = ph_select(large, a.c1, b.c1),
                        .c2 = ph_select(large, a.c2, b.c2),
                        .c3 = ph_select(large, a.c3, b.c3),
                        .b2 = ph_select(large, a.b2, b.b2),
                        .b3 = ph_select(large, a.b3, b.b3),
                        .h2 = ph_select(large, a.h2, b.h2),
                        .h3 = ph_select(large, a.h3, b.h3),
                        .e = ph_select(large, a.e, b.e),
                        .d = ph_select(large, a.d, b.d),
                        .d1 = ph_select(large, a.d1, b.d1),
                        .d2 = ph_select(large, a.d2, b.d2)};
}

PH_COLD ph_stumpff ph_stumpff_large(ph_vec3 w)
{
    ph_real s_lo, s = ph_sum_of_squares(w.x, w.y, w.z, &s_lo);
    ph_real p = ph_sqrt(s), h = 0.5 * p, l = 0.25 * ((ph_fma(-p, p, s) + s_lo) / p);

    const double pi = 3.141592653589793116, rest_of_pi = 1.2246467991473532e-16;
    ph_mask near_pi = (h > 2) & (h < 4);
    ph_real y = (pi - h) + (rest_of_pi - l), x = ph_select(near_pi, y, h), s0 = ph_sin(x), c0 = ph_cos(x);
    ph_real sn = ph_select(near_pi, s0, s0 + l * c0), C = ph_select(near_pi, -c0, c0 - l * s0);
    ph_real S = sn / h, c1 = S * C, c2 = 0.5 * (S * S), c3 = (1 - c1) / s;
    ph_real b1 = (1 - s * c2 - c1) / s, b2 = (c1 - 2 * c2) / s, b3 = (c2 - 3 * c3) / s;
    ph_real e = C / S, d = (1 - e) / s, d1 = (0.25 - 3 * d) / s + d * d;

    ph_stumpff r = {.s = s,
                    .C = C,
                    .S = S,
                    .c1 = c1,
                    .c2 = c2,
                    .c3 = c3,
                    .b2 = b2,
                    .b3 = b3,
                    .h2 = (b1 - 4 * b2) / s,
                    .h3 = (b2 - 5 * b3) / s,
                    .e = e,
                    .d = d,
                    .d1 = d1,
                    .d2 = (2 * d * d - 5 * d1) / s + 2 * d * d1};
    ph_mask large = s > PH_STUMPFF_SMALL;
    return ph_all(large) ? r : ph_stumpff_pick(large, r, ph_stumpff_small(ph_dot(w, w)));
}

#endif
