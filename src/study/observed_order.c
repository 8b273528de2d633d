/* Observed orders: e = C h^p. */
#include "study/observed_order.h"

#include <math.h>

#define P_MAX 20.0

static int usable(ph_order_row a)
{
    return a.h > 0 && a.e > 0 && isfinite(a.e) && a.r < a.h;
}

/* log of (h^p - r^p): p log h + log(1 - (r/h)^p), the last without cancellation */
static double log_gap(ph_order_row a, double p)
{
    return p * log(a.h) + (a.r > 0 ? log(-expm1(p * log(a.r / a.h))) : 0);
}

double ph_order_of_two(ph_order_row a, ph_order_row b)
{
    if (!usable(a) || !usable(b) || a.h == b.h)
        return NAN;
    double want = log(a.e / b.e), plain = want / log(a.h / b.h), low = 1e-3, high = P_MAX;
    if (!(a.r > 0) && !(b.r > 0))
        return plain;
    if (a.h < b.h) {
        ph_order_row c = a;
        a = b, b = c, want = -want;
    }
    if (!(want > log_gap(a, low) - log_gap(b, low)) || !(want < log_gap(a, high) - log_gap(b, high)))
        return plain; /* no order explains it */
    for (int k = 0; k < 200 && high - low > 1e-14 * high; k++) {
        double p = (low + high) / 2;
        if (log_gap(a, p) - log_gap(b, p) < want)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

double ph_order_true_error(ph_order_row a, double p)
{
    return a.r > 0 && p > 0 ? a.e * exp(p * log(a.h) - log_gap(a, p)) : a.e;
}

double ph_order_fit(int n, const ph_order_row *rows, double p, double *C)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    int m = 0;
    for (int i = 0; i < n; i++)
        if (usable(rows[i]))
            x += log(rows[i].h), y += log(ph_order_true_error(rows[i], p)), m++;
    x /= m > 0 ? m : 1, y /= m > 0 ? m : 1;
    for (int i = 0; i < n; i++)
        if (usable(rows[i])) {
            double dx = log(rows[i].h) - x;
            xx += dx * dx, xy += dx * (log(ph_order_true_error(rows[i], p)) - y);
        }
    double slope = m > 1 && xx > 0 ? xy / xx : NAN;
    *C = exp(y - slope * x);
    return slope;
}
