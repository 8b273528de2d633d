/* Reference solutions of small differential equations y' = f(t, y), in long double, by extrapolation.
 * Errors are some 1e-17 where long double has 64 bits of mantissa, some 1e-14 where it is double. */
#ifndef PH_PROBLEM_ODE_H
#define PH_PROBLEM_ODE_H

#define PH_ODE_MAX 16 /* components */

typedef void (*ph_ode_fn)(long double t, const long double *y, long double *dy, const void *ctx);

typedef struct ph_ode_point {
    long double t, y[PH_ODE_MAX];
} ph_ode_point;

/* A solution that starts at t = 0 and a cursor that moves along it. Where it was before does not matter to what
 * it finds: the solution has steps of its own, and the cursor leaves the last one before t. */
typedef struct ph_ode {
    int n;
    ph_ode_fn f;
    const void *ctx;
    long double y0[PH_ODE_MAX];   /* at t = 0 */
    long double size[PH_ODE_MAX]; /* errors are relative to size + |y| */
    long double t, y[PH_ODE_MAX]; /* the cursor */
    long double first, H;         /* steps: guess of the first, the next */
    ph_ode_point from;            /* where the next of them starts */
} ph_ode;

/* Put the cursor at t = 0; n, f, ctx, y0 and size are set. H: a guess of the step. */
void ph_ode_start(ph_ode *o, long double H);

/* Move the cursor to t >= 0; going back starts again from 0. 0: no convergence. */
int ph_ode_move(ph_ode *o, long double t);

#endif
