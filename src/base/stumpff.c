/* Coefficients of rotation operators at large angles.
 *
 * T^-1 has a pole at p = 2 pi: an error of p enters it magnified by 2 pi/(2 pi - p). So p/2 is carried in two
 * doubles h + l, and where it is near pi the functions are taken of the difference, pi in two doubles as
 * well: h + l = sqrt(s)/2,  sin(h + l) = sin h + l cos h,  sin(p/2) = sin(pi - p/2)                      (L5)
 * The quotients of (L8) lose nothing here since s > 4. */
#include "base/stumpff.h"

static const double PI_HI = 3.141592653589793116, PI_LO = 1.2246467991473532e-16;

/* sum + rest = a^2 + b^2 + c^2, the rest to its leading digits */
static double sum_of_squares(double a, double b, double c, double *rest)
{
    double aa = a * a, bb = b * b, cc = c * c;
    double t = aa + bb, bv = t - aa, te = (aa - (t - bv)) + (bb - bv);
    double sum = t + cc, cv = sum - t, se = (t - (sum - cv)) + (cc - cv);
    *rest = ((fma(a, a, -aa) + fma(b, b, -bb)) + fma(c, c, -cc)) + (te + se);
    return sum;
}

ph_stumpff ph_stumpff_large(ph_vec3 w)
{
    double s_lo, s = sum_of_squares(w.x, w.y, w.z, &s_lo);
    double p = sqrt(s), h = 0.5 * p, l = 0.25 * ((fma(-p, p, s) + s_lo) / p);

    double sn, C;
    if (h > 2 && h < 4) {
        double y = (PI_HI - h) + (PI_LO - l);
        sn = sin(y), C = -cos(y);
    } else {
        double s0 = sin(h), c0 = cos(h);
        sn = s0 + l * c0, C = c0 - l * s0;
    }
    double S = sn / h, c1 = S * C, c2 = 0.5 * (S * S), c3 = (1 - c1) / s;
    double b1 = (1 - s * c2 - c1) / s, b2 = (c1 - 2 * c2) / s, b3 = (c2 - 3 * c3) / s;
    double e = C / S, d = (1 - e) / s, d1 = (0.25 - 3 * d) / s + d * d;

    return (ph_stumpff){.s = s,
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
}
