/* Tables as functions of one number: roads, cams, motor maps. Between the points a curve is linear, a cubic spline, or a
 * cubic that is monotone wherever the points are; beyond them it goes on as it is told to. */
#ifndef PH_BASE_CURVE_H
#define PH_BASE_CURVE_H

#include "base/curve_at.h"

const char *ph_curve_kind_word(int k);    /* "linear", "cubic", "monotone"; NULL past the end */
const char *ph_curve_outside_word(int k); /* "hold", "linear", "periodic", "error" */

/* Slopes at the points of a cubic or monotone curve, to slope; work has 4 n numbers. */
void ph_curve_slopes(const ph_curve *c, double *slope, double *work);
/* The first interval where points do not rise, or are so near that the curve is too steep to compute with: its slope or
 * curvature is beyond 1e100. -1: there is none. */
int ph_curve_steep(const ph_curve *c);

/* Value, first and second derivative at x, to out. 0: x lies outside, where there is no value; out is then NaN. At a
 * point where a derivative jumps it is that of the right side. */
int ph_curve_at(const ph_curve *c, double x, double out[3]);

/* The number of a piece with a continuous derivative: it changes where that jumps, at points of linear curves and at ends. */
double ph_curve_piece(const ph_curve *c, double x);

#endif
