/* Gragg-Bulirsch-Stoer extrapolation of the midpoint rule.
 *
 *   d_0 = 0,  d_1 = h f(y),  d_{m+1} = d_{m-1} + 2 h f(y + d_m),  h = H/n_j,  n_j = 2, 4, 6, ...
 *   T_j0 = d_{n_j},  T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / ((n_j/n_{j-k})^2 - 1)
 *   error: sum of |T_jj - T_j,j-1| / (size + |y|) over the components
 *
 * Increments d are extrapolated, not y: their rounding errors are smaller. One step may err by 100 rounding
 * errors of long double. (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.9.) */
#include "problem/ode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLUMNS 12 /* order 24 at most */
#define USUAL   9  /* columns that a step should take */
#define TOL     (100 * LDBL_EPSILON)

/* d = increment of the midpoint rule over H in n steps; f0 = f(t, y) */
static void midpoint(const ph_ode *o, const long double *f0, long double H, int n, long double *d)
{
    long double h = H / n, last[PH_ODE_MAX], z[PH_ODE_MAX], f[PH_ODE_MAX];
    for (int i = 0; i < o->n; i++) {
        last[i] = 0;
        d[i] = h * f0[i];
    }
    for (int m = 1; m < n; m++) {
        for (int i = 0; i < o->n; i++)
            z[i] = o->y[i] + d[i];
        o->f(o->t + m * h, z, f, o->ctx);
        for (int i = 0; i < o->n; i++) {
            long double next = last[i] + 2 * h * f[i];
            last[i] = d[i];
            d[i] = next;
        }
    }
}

/* One step of size H. Returns the number of columns used; 0: not enough of them, nothing is changed. */
static int step(ph_ode *o, long double H)
{
    long double T[COLUMNS][PH_ODE_MAX], f0[PH_ODE_MAX];
    o->f(o->t, o->y, f0, o->ctx);
    for (int j = 0; j < COLUMNS; j++) {
        /* T[k] holds T_{j-1,k} and becomes T_{j,k} */
        long double error = 0, now[PH_ODE_MAX];
        midpoint(o, f0, H, 2 * (j + 1), now);
        for (int i = 0; i < o->n; i++) {
            long double a = now[i];
            for (int k = 1; k <= j; k++) {
                long double r = (j + 1) / (long double)(j + 1 - k), b = a + (a - T[k - 1][i]) / (r * r - 1);
                T[k - 1][i] = a;
                a = b;
            }
            if (j > 0)
                error += fabsl(a - T[j - 1][i]) / (o->size[i] + fabsl(o->y[i]));
            T[j][i] = a;
        }
        if (j > 1 && error <= TOL) {
            for (int i = 0; i < o->n; i++)
                o->y[i] += T[j][i];
            return j + 1;
        }
    }
    return 0;
}

void ph_ode_start(ph_ode *o, long double H)
{
    memcpy(o->y, o->y0, sizeof o->y);
    o->t = 0;
    o->first = o->H = H;
    o->from = (ph_ode_point){0};
    memcpy(o->from.y, o->y0, sizeof o->y);
}

/* The last of the solution's own steps that ends before t. */
static int walk(ph_ode *o, long double t)
{
    o->t = o->from.t;
    memcpy(o->y, o->from.y, sizeof o->y);
    while (o->t + o->H < t) {
        int used = step(o, o->H);
        if (used)
            o->t += o->H;
        o->H *= used == 0 ? 0.5L : used < USUAL ? 1.25L : used > USUAL ? 0.8L : 1;
        if (!(o->t + o->H > o->t))
            return 0;
    }
    o->from.t = o->t;
    memcpy(o->from.y, o->y, sizeof o->y);
    return 1;
}

int ph_ode_move(ph_ode *o, long double t)
{
    if (t < o->from.t)
        ph_ode_start(o, o->first);
    if (!walk(o, t))
        return 0;
    for (long double H = t - o->t; o->t < t;) {
        if (step(o, H))
            o->t = o->t + H >= t ? t : o->t + H;
        else
            H /= 2;
        if (o->t < t && !(o->t + H > o->t))
            return 0;
        H = fminl(H, t - o->t);
    }
    return 1;
}
