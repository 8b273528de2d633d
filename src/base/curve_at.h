/* The value of a curve and its derivatives, as text that compiled models have too: one number at a time.
 *
 *   s = (x - x_i)/h,  h = x_{i+1} - x_i,  D = (y_{i+1} - y_i)/h,  m: slopes at the points
 *   y  = y_i + h s (m_i + s (3 D - 2 m_i - m_{i+1} + s (m_i + m_{i+1} - 2 D)))                        (Y1) */
#ifndef PH_BASE_CURVE_AT_H
#define PH_BASE_CURVE_AT_H

#include "polhode/vec.h"

typedef enum ph_curve_kind { PH_CURVE_LINEAR, PH_CURVE_CUBIC, PH_CURVE_MONOTONE } ph_curve_kind;
typedef enum ph_curve_outside {
    PH_CURVE_HOLD,     /* the value of the nearer end */
    PH_CURVE_ON,       /* along the tangent of the nearer end */
    PH_CURVE_PERIODIC, /* with the period from the first to the last abscissa */
    PH_CURVE_ERROR     /* no value */
} ph_curve_outside;

typedef struct ph_curve {
    ph_curve_kind kind;
    ph_curve_outside outside;
    int n;           /* points, at least 2 */
    const double *x; /* rising */
    const double *y;
    const double *slope; /* at the points; NULL of linear curves */
} ph_curve;

PH_FN double ph_curve_width(const ph_curve *c, int i)
{
    return c->x[i + 1] - c->x[i];
}

PH_FN double ph_curve_chord(const ph_curve *c, int i)
{
    return (c->y[i + 1] - c->y[i]) / ph_curve_width(c, i);
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* The interval that x lies in; the last one where x is not below its begin. */
PH_FN int ph_curve_interval(const ph_curve *c, double x)
{
    int low = 0, high = c->n - 1;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (x < c->x[mid])
            high = mid;
        else
            low = mid;
    }
    return low;
}

PH_FN void ph_curve_inside(const ph_curve *c, double x, double out[3])
{
    int i = ph_curve_interval(c, x);
    double h = ph_curve_width(c, i), D = ph_curve_chord(c, i), d = x - c->x[i], s = d / h;
    if (!c->slope) {
        out[0] = c->y[i] + D * d, out[1] = D, out[2] = 0;
        return;
    }
    double m0 = c->slope[i], m1 = c->slope[i + 1], p = 3 * D - 2 * m0 - m1, q = m0 + m1 - 2 * D;
    out[0] = c->y[i] + d * (m0 + s * (p + s * q));
    out[1] = m0 + s * (2 * p + 3 * q * s);
    out[2] = (2 * p + 6 * q * s) / h;
}

PH_FN void ph_curve_at_end(const ph_curve *c, double x, int last, double out[3])
{
    int i = last ? c->n - 1 : 0;
    double m = c->slope ? c->slope[i] : ph_curve_chord(c, last ? c->n - 2 : 0);
    int on = c->outside == PH_CURVE_ON;
    out[0] = c->y[i] + (on ? m * (x - c->x[i]) : 0), out[1] = on ? m : 0, out[2] = 0;
}

/* 0: x lies outside, where there is no value; out is then NaN. At a point where a derivative jumps it is that of the
 * right side. */
PH_FN int ph_curve_value(const ph_curve *c, double x, double out[3])
{
    double first = c->x[0], last = c->x[c->n - 1];
    int out_of = !(x >= first && x <= last);
    if (isnan(x) || (out_of && c->outside == PH_CURVE_ERROR)) {
        out[0] = out[1] = out[2] = NAN;
        return 0;
    }
    if (c->outside == PH_CURVE_PERIODIC) {
        double period = last - first;
        x -= period * floor((x - first) / period);
        ph_curve_inside(c, fmin(fmax(x, first), last), out);
    } else if (out_of) {
        ph_curve_at_end(c, x, x > last, out);
    } else {
        ph_curve_inside(c, x, out);
    }
    return 1;
}

#endif
