/* Numbers of a run over time: integrals, what sensors with over_time come to, and derivatives of that.
 *
 * An integral goes through the last four values as a cubic, by Gauss' rule of two points: it has order 4. Where there are
 * fewer values, after the start or a jump, the polynomial of those that there are is integrated from the first one. Extreme values are
 * those at points; where errors are asked for, also those of the polynomial between the last two. */
#include <string.h>

#include "run/private.h"
#include "step/sim.h"

/* Divided differences c of the values, which are the coefficients of their polynomial in Newton's form; 0: all values are zero. */
static int divide(const ph_integral *p, double c[PH_INTEGRAL])
{
    int any = 0;
    for (int i = 0; i < p->n; i++)
        c[i] = p->x[i], any |= c[i] != 0;
    for (int k = 1; k < p->n && any; k++)
        for (int i = p->n - 1; i >= k; i--)
            c[i] = (c[i] - c[i - 1]) / (p->t[i] - p->t[i - k]);
    return any;
}

/* The polynomial at t. */
static double through(const ph_integral *p, const double c[PH_INTEGRAL], double t)
{
    double x = c[p->n - 1];
    for (int i = p->n - 2; i >= 0; i--)
        x = c[i] + (t - p->t[i]) * x;
    return x;
}

static double between(const ph_integral *p, double from, double to)
{
    double c[PH_INTEGRAL], mid = (from + to) / 2, off = (to - from) / (2 * sqrt(3));
    return divide(p, c) ? (to - from) / 2 * (through(p, c, mid - off) + through(p, c, mid + off)) : 0;
}

/* Returns 1 if a value had to go. */
static int push(ph_integral *p, double t, double x)
{
    int full = p->n == PH_INTEGRAL;
    for (int i = 0; i + 1 < PH_INTEGRAL && full; i++)
        p->t[i] = p->t[i + 1], p->x[i] = p->x[i + 1];
    if (p->n == 0)
        p->before = p->sum;
    p->n += !full, p->more = 0;
    p->t[p->n - 1] = t, p->x[p->n - 1] = x;
    return full;
}

/* A value may change within the first step as nothing after it does, so later polynomials leave out the start. */
void ph_integral_put(ph_integral *p, double t, double x, double part)
{
    push(p, t, x);
    p->sum += part;
    if (p->n != 2 || p->settled)
        return;
    p->t[0] = t, p->x[0] = x, p->before = p->sum;
    p->n = p->settled = 1;
}

void ph_integral_add(ph_integral *p, double t, double x)
{
    if (push(p, t, x))
        p->sum += between(p, p->t[p->n - 2], t);
    else if (p->n > 1)
        p->sum = p->before + between(p, p->t[0], t);
}

#define NEAR 0.01 /* of the interval before: no polynomial takes a value that is nearer */

/* Show a value on a line, if it is too near the last one for a polynomial. Returns 1 if it is. */
static int show_near(ph_integral *p, double t, double x)
{
    int last = p->n - 1, near = last > 0 && t - p->t[last] < NEAR * (p->t[last] - p->t[last - 1]);
    if (near)
        p->more = (t - p->t[last]) / 2 * (p->x[last] + x);
    return near;
}

void ph_integral_show(ph_integral *p, double t, double x)
{
    ph_integral there = *p;
    if (show_near(p, t, x))
        return;
    push(&there, t, x);
    p->more = between(&there, p->t[p->n - 1], t);
}

void ph_integral_take(const ph_run *run, ph_integral *p, double t, double x)
{
    ph_integral there = *p;
    if (!run->shown) {
        ph_integral_add(p, t, x);
        return;
    }
    if (show_near(p, t, x))
        return;
    ph_integral_add(&there, t, x);
    p->more = there.sum - p->sum;
}

void ph_integral_jump(ph_integral *p)
{
    p->sum += p->more, p->more = 0, p->n = p->settled = 0;
}

/* ---- sensors ---------------------------------------------------------------------------------------------- */

ph_status ph_over_start(ph_run *run)
{
    int n = 0;
    for (int k = 0; run->model && k < run->model->n_sensors; k++)
        n += run->model->sensor[k].over ? run->model->sensor[k].size : 0;
    if (n > run->n_over || !run->over) {
        ph_free(run->config.alloc, run->over);
        run->over = ph_alloc(run->config.alloc, ((size_t)n + 1) * sizeof *run->over);
        run->n_over = 0;
        if (!run->over)
            return PH_E_MEMORY;
    }
    run->n_over = n;
    memset(run->over, 0, ((size_t)n + 1) * sizeof *run->over);
    return PH_OK;
}

/* What is largest where x is extreme. */
static double extreme(int what, double x)
{
    return what == PH_OVER_MAX_ABS ? fabs(x) : what == PH_OVER_MIN ? -x : x;
}

static void add(const ph_run *run, ph_over *o, int what, double t, double x)
{
    int first = !o->seen;
    double y = extreme(what, x);
    o->seen = 1;
    if (first || y > o->most || isnan(y))
        o->most = y, o->when = t;
    ph_integral_take(run, &o->sum, t, what == PH_OVER_RMS ? x * x : x);
}

void ph_over_add(ph_run *run, ph_over *o, const ph_state *s)
{
    for (int k = 0; run->n_over && k < run->model->n_sensors; k++) {
        const ph_sensor_def *d = &run->model->sensor[k];
        double x[PH_SENSOR_MAX];
        if (!d->over)
            continue;
        int known = ph_mechanism_sensor(run->mech, s, k, x) == PH_OK;
        for (int i = 0; i < d->size; i++, o++)
            add(run, o, d->over, s->t, known ? x[i] : NAN);
    }
}

/* Times in (from, last] at which the slope of the polynomial is 0: those of a quadratic in t - t_0, two at most. How many. */
static int level(const ph_integral *p, const double c[PH_INTEGRAL], double from, double at[2])
{
    double d[] = {p->n > 2 ? p->t[1] - p->t[0] : 0, p->n > 3 ? p->t[2] - p->t[0] : 0};
    double A = 3 * c[3], B = 2 * (c[2] - c[3] * (d[0] + d[1])), C = c[1] - c[2] * d[0] + c[3] * d[0] * d[1];
    double root = B * B - 4 * A * C, q = -(B + copysign(sqrt(fmax(0, root)), B)) / 2;
    double s[] = {C / q, q / A}; /* not finite where there is none */
    int n = 0;
    for (int k = 0; k < 2 && root >= 0; k++)
        if (p->t[0] + s[k] > from && p->t[0] + s[k] < p->t[p->n - 1])
            at[n++] = p->t[0] + s[k];
    return n;
}

/* Between the last two values, or all where they are few, on their polynomial. */
static void add_peak(ph_over *o, int what)
{
    const ph_integral *p = &o->sum;
    double c[PH_INTEGRAL] = {0}, at[2];
    int n = p->n > 2 && divide(p, c) ? level(p, c, p->n < PH_INTEGRAL ? p->t[0] : p->t[p->n - 2], at) : 0;
    for (int k = 0; k < n; k++)
        o->most = fmax(o->most, extreme(what, through(p, c, at[k])));
}

void ph_over_peaks(const ph_run *run, ph_over *o)
{
    for (int k = 0; run->n_over && k < run->model->n_sensors; k++) {
        const ph_sensor_def *d = &run->model->sensor[k];
        int most = d->over == PH_OVER_MAX || d->over == PH_OVER_MIN || d->over == PH_OVER_MAX_ABS;
        for (int i = 0; i < d->size && d->over; i++, o++)
            if (most && !isnan(o->most))
                add_peak(o, d->over);
    }
}

void ph_over_jump(ph_run *run, ph_over *o, const ph_state *s)
{
    for (int i = 0; i < run->n_over; i++)
        ph_integral_jump(&o[i].sum);
    ph_over_add(run, o, s);
}

static double value(const ph_run *run, const ph_over *o, int what)
{
    double time = ph_run_time(run) - run->t0;
    switch (what) {
    case PH_OVER_MIN:
        return -o->most;
    case PH_OVER_RMS:
        return time > 0 ? sqrt(fmax(0, ph_integral_value(&o->sum) / time)) : fabs(o->most);
    case PH_OVER_MEAN:
        return time > 0 ? ph_integral_value(&o->sum) / time : o->most;
    case PH_OVER_INTEGRAL:
        return ph_integral_value(&o->sum);
    default:
        return o->most;
    }
}

const ph_over *ph_over_of(const ph_run *run, const ph_over *o, int sensor)
{
    const ph_sensor_def *d = run->model->sensor;
    if (!d[sensor].over || !run->n_over)
        return NULL;
    for (int k = 0; k < sensor; k++)
        o += d[k].over ? d[k].size : 0;
    return o;
}

int ph_over_numbers(const ph_run *run, const ph_over *over, int sensor, double *out)
{
    const ph_sensor_def *d = &run->model->sensor[sensor];
    const ph_over *o = ph_over_of(run, over, sensor);
    for (int i = 0; o && i < d->size; i++)
        out[i] = value(run, o + i, d->over);
    return o != NULL;
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

static double sign(double x)
{
    return x < 0 ? -1 : 1;
}

/* x, slope: the number now and its derivative. */
void ph_over_follow(const ph_over *o, int what, double t, double x, double slope, ph_over_slope *d)
{
    double y = extreme(what, x);
    if (o->when == t && !(y < o->most)) /* else it is the other side of a jump */
        d->most = what == PH_OVER_MAX_ABS ? sign(x) * slope : slope;
    ph_integral_add(&d->sum, t, what == PH_OVER_RMS ? 2 * x * slope : slope);
}

double ph_over_slope_of(const ph_run *run, const ph_over *o, int what, const ph_over_slope *d)
{
    double time = ph_run_time(run) - run->t0, rms;
    switch (what) {
    case PH_OVER_RMS:
        rms = value(run, o, what);
        return time > 0 && rms > 0 ? d->sum.sum / (2 * time * rms) : 0;
    case PH_OVER_MEAN:
        return time > 0 ? d->sum.sum / time : d->most;
    case PH_OVER_INTEGRAL:
        return d->sum.sum;
    default:
        return d->most;
    }
}

/* Weight of the value at i in the integral of the polynomial of a window, from one of its times to the last. */
static void add_window(ph_integral window, double from, double *w)
{
    for (int i = 0; i < window.n; i++) {
        memset(window.x, 0, sizeof window.x);
        window.x[i] = 1;
        w[i] += between(&window, from, window.t[window.n - 1]);
    }
}

void ph_integral_weights(long n, const double *t, double *w)
{
    ph_integral window = {0};
    memset(w, 0, (size_t)n * sizeof *w);
    for (long k = 0; k < n; k++) {
        long first = k < PH_INTEGRAL ? 0 : k - PH_INTEGRAL + 1;
        int all = k == n - 1 && n <= PH_INTEGRAL;
        window.n = (int)(k - first) + 1;
        memcpy(window.t, t + first, (size_t)window.n * sizeof *t);
        if (all || k == PH_INTEGRAL - 1)
            add_window(window, t[0], w);
        else if (k >= PH_INTEGRAL)
            add_window(window, t[k - 1], w + first);
    }
}

double ph_over_weight(const ph_over *o, int what, double part, double time, int is_most, double x)
{
    double rms = sqrt(o->sum.sum / time);
    switch (what) {
    case PH_OVER_MAX:
    case PH_OVER_MIN:
        return is_most;
    case PH_OVER_MAX_ABS:
        return is_most * sign(x);
    case PH_OVER_RMS:
        return rms > 0 ? part * x / (time * rms) : 0;
    case PH_OVER_MEAN:
        return part / time;
    default:
        return part;
    }
}
