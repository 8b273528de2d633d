/* Curves through any points that a model file may give: values, derivatives, ends and pieces belong together. */
#include "fuzz.h"

#include <float.h>

#include "base/curve.h"
#include "model/limits.h"

enum { POINTS = 12, PLACES = 8 };

/* Any size that is allowed, most of them near 1. */
static double number(fuzz_bytes *b)
{
    int k = fuzz_byte(b), size = k < 192 ? 0 : k < 248 ? fuzz_byte(b) % 41 - 20 : fuzz_byte(b) % 601 - 300;
    double x = ((k & 31) - 15) / 8.0 + fuzz_byte(b) / 4096.0;
    return fmax(-PH_MODEL_NUMBER, fmin(PH_MODEL_NUMBER, ldexp(x, size)));
}

typedef struct made {
    double x[POINTS], y[POINTS], slope[POINTS], work[4 * POINTS];
    ph_curve c;
} made;

/* 0: the reader refuses them. */
static int make(fuzz_bytes *b, made *m)
{
    m->c = (ph_curve){(ph_curve_kind)(fuzz_byte(b) % 3),
                      (ph_curve_outside)(fuzz_byte(b) % 4),
                      2 + fuzz_byte(b) % (POINTS - 1),
                      m->x,
                      m->y,
                      NULL};
    ph_curve *c = &m->c;
    for (int i = 0; i < c->n; i++) {
        m->x[i] = i ? m->x[i - 1] + fabs(number(b)) : number(b), m->y[i] = number(b);
    }
    if (c->outside == PH_CURVE_PERIODIC && c->kind != PH_CURVE_LINEAR)
        m->y[c->n - 1] = m->y[0];
    if (c->kind != PH_CURVE_LINEAR)
        ph_curve_slopes(c, m->slope, m->work), c->slope = m->slope;
    return ph_curve_steep(c) < 0;
}

/* ---- one interval ----------------------------------------------------------------------------------------- */

/* Sizes of the terms of (Y1) in interval i: its slope, and what rounding makes of value and slope. */
typedef struct sizes {
    double h, slope, value_noise, slope_noise;
} sizes;

static sizes sizes_of(const ph_curve *c, int i)
{
    double h = ph_curve_width(c, i), D = fabs(ph_curve_chord(c, i)),
           m = D + (c->slope ? fabs(c->slope[i]) + fabs(c->slope[i + 1]) : 0);
    return (sizes){h, 12 * m, 16 * DBL_EPSILON * (fabs(c->y[i]) + 12 * m * h), 256 * DBL_EPSILON * m};
}

/* Differences of values are slopes, and those of slopes curvatures: exact but for the cubic term. */
static void differentiate(const ph_curve *c, int i, double x)
{
    sizes s = sizes_of(c, i);
    double e = 1e-4 * s.h, at[3], minus[3], plus[3], left = x - e, right = x + e, width = right - left;
    if (!(left > c->x[i] && right < c->x[i + 1]) ||
        !(width > 1e4 * DBL_EPSILON * (fabs(c->x[0]) + fabs(c->x[c->n - 1]))))
        return;
    must(ph_curve_at(c, x, at) && ph_curve_at(c, left, minus) && ph_curve_at(c, right, plus));
    must(ph_curve_piece(c, left) == ph_curve_piece(c, right));
    must(fabs((plus[0] - minus[0]) / width - at[1]) <= 1e-7 * s.slope + 4 * s.value_noise / width);
    must(fabs((plus[1] - minus[1]) / width - at[2]) <= 1e-3 * s.slope / s.h + 4 * s.slope_noise / width);
    if (c->kind != PH_CURVE_MONOTONE)
        return;
    double low = fmin(c->y[i], c->y[i + 1]), high = fmax(c->y[i], c->y[i + 1]);
    must(at[0] >= low - s.value_noise && at[0] <= high + s.value_noise);
    must(at[1] * (c->y[i + 1] - c->y[i]) >= 0 || fabs(at[1]) <= s.slope_noise);
}

/* It goes through its points, from both sides. */
static void meet_points(const ph_curve *c)
{
    double out[3], folded = 0, steepest = 0;
    int jumps = c->outside == PH_CURVE_PERIODIC && c->y[0] != c->y[c->n - 1];
    for (int i = 0; i < c->n - 1 && c->outside == PH_CURVE_PERIODIC;
         i++) /* into another interval, by rounding */
        folded = 4 * DBL_EPSILON * (fabs(c->x[0]) + fabs(c->x[c->n - 1])),
        steepest = fmax(steepest, sizes_of(c, i).slope);
    for (int i = 0; i < c->n; i++)
        for (int side = -1; side <= 1; side++) {
            double x = side ? nextafter(c->x[i], side * INFINITY) : c->x[i];
            int end = x - c->x[0] <= folded || c->x[c->n - 1] - x <= folded; /* rounding decides of which */
            if ((jumps && end) || !ph_curve_at(c, x, out))
                continue;
            sizes a = sizes_of(c, i ? i - 1 : c->n - 2), b = sizes_of(c, i < c->n - 1 ? i : 0);
            double slope = fmax(steepest, fmax(a.slope, b.slope));
            must(fabs(out[0] - c->y[i]) <=
                 fmax(a.value_noise, b.value_noise) + (folded + fabs(x - c->x[i])) * slope);
        }
    for (int i = 1; i < c->n - 1 && c->kind == PH_CURVE_LINEAR; i++)
        must(c->x[c->n - 1] - c->x[i] <= folded ||
             ph_curve_piece(c, nextafter(c->x[i], -INFINITY)) != ph_curve_piece(c, c->x[i]));
}

/* ---- anywhere --------------------------------------------------------------------------------------------- */

static void meet_place(const made *m, double x)
{
    const ph_curve *c = &m->c;
    double out[3], first = c->x[0], last = c->x[c->n - 1];
    int within = x >= first && x <= last, known = ph_curve_at(c, x, out);
    must(known == (within || c->outside != PH_CURVE_ERROR));
    for (int k = 0; k < 3 && known; k++)
        must(isfinite(out[k]));
    must(isfinite(ph_curve_piece(c, x)));
    if (c->outside == PH_CURVE_HOLD && !within)
        must(out[0] == (x < first ? c->y[0] : c->y[c->n - 1]) && out[1] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes b = {data, size, 0};
    made m;
    if (!make(&b, &m))
        return 0;
    meet_points(&m.c);
    for (int k = 0; k < PLACES; k++) {
        int i = fuzz_byte(&b) % (m.c.n - 1);
        differentiate(&m.c, i, m.x[i] + ph_curve_width(&m.c, i) * (fuzz_byte(&b) + 1) / 257);
        meet_place(&m, number(&b));
    }
    meet_place(&m, PH_MODEL_NUMBER);
    meet_place(&m, -PH_MODEL_NUMBER);
    return 0;
}
