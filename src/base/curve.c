/* Curves through points, as cubics of Hermite between them.
 *
 * Values are those of (Y1), with D the slopes of chords and m those at the points: curve_at.h.
 *
 * Cubic: y'' is continuous, which with h_i = x_{i+1} - x_i is
 *   h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i D_{i-1} + h_{i-1} D_i)             (Y2)
 * and y''' too at the second and the last but one point (not a knot), or all of it at the ends of a period.
 * Monotone: m is a weighted harmonic mean of the neighbouring D, and 0 where their signs differ
 *   m_i = (w_1 + w_2)/(w_1/D_{i-1} + w_2/D_i),  w_1 = 2 h_i + h_{i-1},  w_2 = h_i + 2 h_{i-1}         (Y3)
 *
 * Fritsch, Butland (1984), with ends of three points, limited to keep the shape. */
#include "base/curve.h"

#include <math.h>
#include <string.h>

#include "base/sorted.h"

const char *ph_curve_kind_word(int k)
{
    static const char *const words[] = {"linear", "cubic", "monotone"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

const char *ph_curve_outside_word(int k)
{
    static const char *const words[] = {"hold", "linear", "periodic", "error"};
    return k >= 0 && k < 4 ? words[k] : NULL;
}

/* ---- monotone ---------------------------------------------------------------------------------------- */

static double mean(double h0, double h1, double d0, double d1)
{
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
}

/* At an end, from the two nearest intervals, without a turn that the points do not have. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0)
        return 0;
    return d0 * d1 <= 0 && fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

static void monotone(const ph_curve *c, double *m)
{
    int n = c->n, last = n - 2;
    for (int i = 1; i < n - 1; i++)
        m[i] = mean(ph_curve_width(c, i - 1), ph_curve_width(c, i), ph_curve_chord(c, i - 1),
                    ph_curve_chord(c, i));
    if (c->outside == PH_CURVE_PERIODIC) {
        m[0] = m[n - 1] = mean(ph_curve_width(c, last), ph_curve_width(c, 0), ph_curve_chord(c, last),
                               ph_curve_chord(c, 0));
    } else if (n == 2) {
        m[0] = m[1] = ph_curve_chord(c, 0);
    } else {
        m[0] =
            end_slope(ph_curve_width(c, 0), ph_curve_width(c, 1), ph_curve_chord(c, 0), ph_curve_chord(c, 1));
        m[n - 1] = end_slope(ph_curve_width(c, last), ph_curve_width(c, last - 1), ph_curve_chord(c, last),
                             ph_curve_chord(c, last - 1));
    }
}

/* ---- cubic ------------------------------------------------------------------------------------------- */

/* Solve a tridiagonal system: lower a, diagonal b, upper u, right side and solution r. b and r change. */
static void solve(int n, const double *a, double *b, const double *u, double *r)
{
    for (int i = 1; i < n; i++) {
        double f = a[i] / b[i - 1];
        b[i] -= f * u[i - 1], r[i] -= f * r[i - 1];
    }
    r[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; i--)
        r[i] = (r[i] - u[i] * r[i + 1]) / b[i];
}

/* The row of (Y2) at a point between intervals i and k. */
static void row(const ph_curve *c, int i, int k, double *a, double *b, double *u, double *r)
{
    double h0 = ph_curve_width(c, i), h1 = ph_curve_width(c, k);
    *a = h1, *b = 2 * (h0 + h1), *u = h0, *r = 3 * (h1 * ph_curve_chord(c, i) + h0 * ph_curve_chord(c, k));
}

static void not_a_knot(const ph_curve *c, double *m, double *a, double *b, double *u)
{
    int n = c->n;
    if (n == 3) { /* a parabola */
        double h0 = ph_curve_width(c, 0), h1 = ph_curve_width(c, 1), d0 = ph_curve_chord(c, 0),
               d1 = ph_curve_chord(c, 1);
        double curvature = (d1 - d0) / (h0 + h1);
        m[0] = d0 - h0 * curvature, m[1] = d0 + h0 * curvature, m[2] = d1 + h1 * curvature;
        return;
    }
    for (int i = 1; i < n - 1; i++)
        row(c, i - 1, i, &a[i], &b[i], &u[i], &m[i]);
    for (int end = 0; end < 2; end++) {
        int i = end ? n - 2 : 0, k = end ? n - 3 : 1, at = end ? n - 1 : 0;
        double h0 = ph_curve_width(c, i), h1 = ph_curve_width(c, k), sum = h0 + h1;
        b[at] = h1, *(end ? &a[at] : &u[at]) = sum;
        m[at] = ((h0 + 2 * sum) * h1 * ph_curve_chord(c, i) + h0 * h0 * ph_curve_chord(c, k)) / sum;
    }
    solve(n, a, b, u, m);
}

/* The last slope is the first; the corners of the matrix by the formula of Sherman and Morrison. */
static void periodic(const ph_curve *c, double *m, double *a, double *b, double *u)
{
    int n = c->n - 1; /* unknown slopes */
    double z[3] = {0};
    if (n == 1) {
        m[0] = m[1] = 0;
        return;
    }
    if (n == 2) { /* both neighbours of a point are the other one */
        row(c, 1, 0, &a[0], &b[0], &u[0], &m[0]);
        row(c, 0, 1, &a[1], &b[1], &u[1], &m[1]);
        double A = b[0], B = a[0] + u[0], C = a[1] + u[1], D = b[1], det = A * D - B * C;
        z[0] = (D * m[0] - B * m[1]) / det, z[1] = (A * m[1] - C * m[0]) / det;
        m[0] = m[2] = z[0], m[1] = z[1];
        return;
    }
    for (int i = 0; i < n; i++)
        row(c, i ? i - 1 : n - 1, i, &a[i], &b[i], &u[i], &m[i]);
    double corner0 = a[0], corner1 = u[n - 1], gamma = -b[0];
    double *w = b + c->n; /* the last of the four parts of work */
    b[0] -= gamma, b[n - 1] -= corner0 * corner1 / gamma;
    memset(w, 0, sizeof *w * (size_t)n);
    w[0] = gamma, w[n - 1] = corner1;
    for (int i = 1; i < n; i++) { /* both right sides in one elimination */
        double f = a[i] / b[i - 1];
        b[i] -= f * u[i - 1], m[i] -= f * m[i - 1], w[i] -= f * w[i - 1];
    }
    m[n - 1] /= b[n - 1], w[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; i--)
        m[i] = (m[i] - u[i] * m[i + 1]) / b[i], w[i] = (w[i] - u[i] * w[i + 1]) / b[i];
    double f = (m[0] + corner0 * m[n - 1] / gamma) / (1 + w[0] + corner0 * w[n - 1] / gamma);
    for (int i = 0; i < n; i++)
        m[i] -= f * w[i];
    m[n] = m[0];
}

void ph_curve_slopes(const ph_curve *c, double *slope, double *work)
{
    int n = c->n;
    double *a = work, *u = work + n, *b = work + 2 * n;
    if (c->kind == PH_CURVE_MONOTONE)
        monotone(c, slope);
    else if (c->outside == PH_CURVE_PERIODIC)
        periodic(c, slope, a, b, u);
    else if (n == 2)
        slope[0] = slope[1] = ph_curve_chord(c, 0);
    else
        not_a_knot(c, slope, a, b, u);
}

#define STEEP 1e100 /* as numbers of a model file: products of two do not overflow */

int ph_curve_steep(const ph_curve *c)
{
    for (int i = 0; i < c->n - 1; i++) {
        double h = ph_curve_width(c, i), m = fabs(ph_curve_chord(c, i));
        if (c->slope)
            m += fabs(c->slope[i]) + fabs(c->slope[i + 1]);
        if (!(h > 0) || !(m <= STEEP) || (c->slope && !(m / h <= STEEP)))
            return i;
    }
    return -1;
}

int ph_curve_at(const ph_curve *c, double x, double out[3])
{
    return ph_curve_value(c, x, out);
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

double ph_curve_piece(const ph_curve *c, double x)
{
    double first = c->x[0], period = c->x[c->n - 1] - first, turn = 0;
    if (c->outside == PH_CURVE_PERIODIC) {
        turn = floor((x - first) / period);
        x -= turn * period;
    }
    if (c->kind == PH_CURVE_LINEAR)
        return turn * c->n + (double)ph_sorted_up_to(c->n, c->x, x);
    if (c->outside != PH_CURVE_HOLD)
        return 0;
    return (x >= first) + (x >= c->x[c->n - 1]);
}
