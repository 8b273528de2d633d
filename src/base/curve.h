/* Tables as functions of one number: roads, cams, motor maps. Between the points a curve is linear, a cubic spline, or a
 * cubic that is monotone wherever the points are; beyond them it goes on as it is told to. */
#ifndef PH_BASE_CURVE_H
#define PH_BASE_CURVE_H

#include <stddef.h>

typedef enum ph_curve_kind { PH_CURVE_LINEAR, PH_CURVE_CUBIC, PH_CURVE_MONOTONE } ph_curve_kind;
typedef enum ph_curve_outside {
    PH_CURVE_HOLD,     /* the value of the nearer end */
    PH_CURVE_ON,       /* along the tangent of the nearer end */
    PH_CURVE_PERIODIC, /* with the period from the first to the last abscissa */
    PH_CURVE_ERROR     /* no value */
} ph_curve_outside;

const char *ph_curve_kind_word(int k);    /* "linear", "cubic", "monotone"; NULL past the end */
const char *ph_curve_outside_word(int k); /* "hold", "linear", "periodic", "error" */

typedef struct ph_curve {
    ph_curve_kind kind;
    ph_curve_outside outside;
    int n;           /* points, at least 2 */
    const double *x; /* rising */
    const double *y;
    const double *slope; /* at the points; NULL of linear curves */
} ph_curve;

/* Slopes at the points of a cubic or monotone curve, to slope; work has 4 n numbers. */
void ph_curve_slopes(const ph_curve *c, double *slope, double *work);

/* Value, first and second derivative at x, to out. 0: x lies outside, where there is no value; out is then NaN. At a
 * point where a derivative jumps it is that of the right side. */
int ph_curve_at(const ph_curve *c, double x, double out[3]);

/* The number of a piece with a continuous derivative: it changes where that jumps, at points of linear curves and at ends. */
double ph_curve_piece(const ph_curve *c, double x);

#endif
