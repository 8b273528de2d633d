/* Which error bars are not to be trusted yet: against a run with steps twice as large.
 *
 * Error bars are exact as h goes to 0. With x and e of the run and y and d of the coarse one, an error of second order has d = 4 e, and
 * x + e, y + d differ by what bars leave out, seven times that of the run if it is of third order. An error bar is in doubt unless
 *
 *   |(x + e) - (y + d)| <= 2 |e|,   2 < d/e < 8                                                       (RB14)
 *
 * With tol the coarse run has four times the tolerance, since errors are proportional to it. */
#include <string.h>

#include "run/private.h"
#include "step/sim.h"

#define COARSE_H   2.0
#define COARSE_TOL 4.0
#define LEFT_OUT   2.0 /* errors of the run: bound of the difference, of which the run itself has a seventh */
#define RATIO_LOW  2.0
#define RATIO_HIGH 8.0
#define ROUND      1e-10 /* relative to a number: smaller errors are round-off of Newton's method */

typedef struct entry {
    int what, index, n;
    double x[PH_SENSOR_MAX], e[PH_SENSOR_MAX];
} entry;

struct ph_doubt {
    double t;
    int known; /* 0: the coarse run failed, and all is in doubt */
    int n;
    entry entry[];
};

void ph_doubt_free(ph_run *run)
{
    ph_free(run->config.alloc, run->doubt);
    run->doubt = NULL;
}

/* The numbers that have error bars, to out; NULL: only count them. */
static int list(ph_run *run, entry *out)
{
    int n = 0, most = 1;
    for (int k = 0; k <= PH_CONSTRAINTS; k++)
        most += ph_run_count(run, k);
    for (int what = 0; what <= PH_GET_FASTEST; what++)
        for (int index = 0; index < most; index++) {
            entry own = {.what = what, .index = index, .n = ph_run_size(run, what, index)};
            if (own.n < 1 || own.n > PH_SENSOR_MAX || ph_run_get_error(run, what, index, own.e) != PH_OK ||
                ph_run_get(run, what, index, own.x) != PH_OK)
                continue;
            if (out)
                out[n] = own;
            n++;
        }
    return n;
}

static ph_status keep(ph_run *run, int known, double t, ph_error *err)
{
    int n = known ? list(run, NULL) : 0;
    struct ph_doubt *d = ph_alloc(run->config.alloc, sizeof *d + (size_t)n * sizeof *d->entry);
    if (!d)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for error bars");
    *d = (struct ph_doubt){.t = t, .known = known, .n = n};
    if (known)
        list(run, d->entry);
    run->doubt = d;
    return PH_OK;
}

/* The coarse run, and its numbers. */
static ph_status run_coarsely(ph_run *run, double t, ph_error *err)
{
    ph_options o = ph_run_options(run);
    if (o.tol > 0)
        o.tol *= COARSE_TOL;
    else
        o.h *= COARSE_H;
    ph_status s = ph_run_set_method(run, &o, NULL);
    ph_status bars = s == PH_OK ? ph_run_error_bars(run, 1, err) : s;
    if (s == PH_OK && bars != PH_OK)
        return bars;
    if (s == PH_OK)
        s = ph_run_until(run, t, NULL);
    return s == PH_E_MEMORY ? ph_fail(err, s, "not enough memory for error bars")
                            : keep(run, s == PH_OK, t, err);
}

ph_status ph_run_test_bars(ph_run *run, double t, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    const ph_allocator *alloc = run->config.alloc;
    ph_told told;
    ph_doubt_free(run);
    if (!(t > ph_run_time(run)))
        return ph_fail(err, PH_E_INPUT, "error bars are tested over a time above 0");
    ph_status s = ph_told_copy(&told, &run->told, alloc, err);
    if (s != PH_OK)
        return s;
    ph_observer_fn observer = run->observer;
    run->observer = NULL;
    s = run_coarsely(run, t, err);
    run->observer = observer;
    ph_told_free(&run->told, alloc);
    run->told = told;
    ph_error own = {0};
    ph_status back = ph_run_set_options(run, NULL, 0, &own);
    if (s == PH_OK && back != PH_OK)
        s = back, *(err ? err : &own) = own;
    return s;
}

static const entry *find(const struct ph_doubt *d, int what, int index)
{
    for (int k = 0; k < d->n; k++)
        if (d->entry[k].what == what && d->entry[k].index == index)
            return &d->entry[k];
    return NULL;
}

/* (x + e) - (y + d) of a rotation, x and y quaternions. */
static void rotation_left(const double *x, const double *e, const entry *coarse, double *out)
{
    const ph_group_ops *so3 = ph_group_get(PH_SO3);
    double a[4], turn[3];
    so3->inverse(3, x, a);
    so3->compose(3, a, coarse->x, a);
    so3->log(3, a, turn);
    for (int i = 0; i < 3; i++)
        out[i] = e[i] - turn[i] - coarse->e[i];
}

/* (RB14); left: the difference of x + e and y + d. */
static int is_doubtful(double left, double e, double d, double round)
{
    if (fabs(left) <= round && fabs(e) <= round)
        return 0;
    return !(fabs(left) <= LEFT_OUT * fabs(e)) || !(d / e > RATIO_LOW && d / e < RATIO_HIGH);
}

ph_status ph_run_get_doubt(ph_run *run, int what, int index, int *out)
{
    if (!run || !out)
        return ph_refuse_null("run, out", NULL);
    const struct ph_doubt *d = run->doubt;
    double x[PH_SENSOR_MAX], e[PH_SENSOR_MAX], left[PH_SENSOR_MAX], size = 1;
    int better = ph_run_extrapolates(run), n = d ? ph_run_size(run, what, index) : 0;
    if (n < 1 || n > PH_SENSOR_MAX || fabs(ph_run_time(run) - d->t) > ROUND * fmax(1, fabs(d->t)))
        return PH_E_INPUT;
    ph_status s = ph_run_get_error(run, what, index, e);
    if (s == PH_OK)
        s = ph_run_get(run, what, index, x);
    if (s != PH_OK)
        return s;
    const entry *coarse = find(d, what, index);
    int rotation = what == PH_GET_ROTATION;
    for (int i = 0; i < n && !rotation; i++)
        size = fmax(size, fabs(x[i]));
    for (int i = 0; i < n && coarse && !rotation; i++)
        left[i] = x[i] + (better ? 0 : e[i]) - coarse->x[i] - coarse->e[i];
    if (coarse && rotation)
        rotation_left(x, better ? (const double[3]){0} : e, coarse, left);
    for (int i = 0; i < (rotation ? 3 : n); i++)
        out[i] = !coarse || is_doubtful(left[i], e[i], coarse->e[i], ROUND * size);
    return PH_OK;
}

int ph_doubt_count(const ph_run *run)
{
    const struct ph_doubt *d = run->doubt;
    ph_run *own = (ph_run *)run; /* which keeps the better state that is found */
    int count = d && !d->known ? -1 : 0, doubt[PH_SENSOR_MAX];
    for (int k = 0; d && k < d->n; k++) {
        const entry *e = &d->entry[k];
        if (ph_run_get_doubt(own, e->what, e->index, doubt) != PH_OK)
            continue;
        for (int i = 0, n = e->what == PH_GET_ROTATION ? 3 : e->n; i < n; i++)
            count += doubt[i];
    }
    return count;
}
