/* Runs with several step sizes and variants, each compared with a reference.
 *
 * Each run is compared at all of its own times. Runs whose numbers of steps divide n share the reference with
 * n points; where step sizes do not divide each other there are several references. */
#include "study/cases.h"
#include "study/observed_order.h"
#include "study/fail.h"
#include "study/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRACK_MAX 3e6 /* numbers of one reference: beyond, it is thinned to fewer times */
#define FINER     4 /* the finest run has a quarter of the smallest step, or less; of tolerances its square */
#define GRID      100   /* points at which runs with steps by tolerance are compared */
#define BEST      1e-12 /* tolerance of the solution that goes along with random steps */
#define BUDGET    0.3   /* s for the repeats of one run */
#define LEAST     3     /* repeats, unless they take */
#define LONG      1.5   /* s */

typedef struct plan {
    const ph_cases_def *def;
    int n_refs;
    long steps[PH_LIST_MAX + 1];  /* of the run that reference r serves at all of its times */
    long points[PH_LIST_MAX + 1]; /* of reference r */
    int cover[PH_LIST_MAX];       /* reference of each h, */
    int cover_tol;                /* and of all tolerances */
    ph_track *tracks;             /* n_refs, of the finest runs n_refs for each variant */
    int n_tracks;
    ph_status *status;  /* of the finest runs */
    char (*why)[256];   /* of one that failed */
    size_t track_bytes; /* of a finest run between processes */
} plan;

static ph_case_site site_of(const ph_cases_def *def, int variant)
{
    return def->sites ? def->sites[variant] : (ph_case_site){def->run, def->probe};
}

/* As a run has it: t_end/n falls ever more slowly with n: the n nearest to t_end/h need not give the nearest h. */
long ph_steps_of(double t_end, double h)
{
    double n = fmax(1, floor(t_end / h));
    return (long)(t_end / n - h <= h - t_end / (n + 1) ? n : n + 1);
}

int ph_cases_count(const ph_cases_def *def, int variant)
{
    return def->variants[variant].by_tol ? def->n_tol : def->n_h;
}

int ph_cases_first(const ph_cases_def *def, int variant)
{
    int n = 0;
    for (int v = 0; v < variant; v++)
        n += ph_cases_count(def, v);
    return n;
}

int ph_cases_variant(const ph_cases_def *def, int row)
{
    int v = 0;
    while (row >= ph_cases_count(def, v))
        row -= ph_cases_count(def, v++);
    return v;
}

/* Points of time of row i of a variant; its size or tolerance. */
static long steps_of(const ph_cases_def *def, int variant, int i)
{
    return def->variants[variant].by_tol ? GRID : def->steps[i];
}

static double size_of(const ph_cases_def *def, int variant, int i)
{
    return def->variants[variant].by_tol ? def->tol[i] : def->t_end / (double)def->steps[i];
}

/* ---- references --------------------------------------------------------------------------------------- */

/* Every d-th of n points, d the least divisor of n that saves enough. */
static long thin(long n, int size)
{
    for (long d = 1; d < n; d++)
        if (n % d == 0 && ((double)(n / d) + 1) * (size + 1) <= TRACK_MAX)
            return n / d;
    return 1;
}

/* The reference that has so many steps, or a multiple. */
static int reference_with(plan *pl, long steps)
{
    int r = 0;
    while (r < pl->n_refs && pl->steps[r] % steps != 0)
        r++;
    if (r == pl->n_refs) {
        pl->steps[r] = steps;
        pl->points[r] = thin(steps, pl->def->probe->size);
        pl->n_refs++;
    }
    return r;
}

static void plan_references(plan *pl)
{
    const ph_cases_def *def = pl->def;
    for (int k = def->n_h - 1; k >= 0 && !(def->random > 1); k--)
        pl->cover[k] = reference_with(pl, def->steps[k]);
    if (def->n_tol)
        pl->cover_tol = reference_with(pl, GRID);
}

static int cover_of(const plan *pl, int variant, int i)
{
    return pl->def->variants[variant].by_tol ? pl->cover_tol : pl->cover[i];
}

static ph_status exact_tracks(plan *pl, ph_error *err)
{
    const ph_cases_def *def = pl->def;
    ph_status s = PH_OK;
    for (int r = 0; r < pl->n_refs && s == PH_OK; r++) {
        ph_reference *ref;
        s = ph_reference_create(&ref, def->p, def->t_end, pl->points[r], err);
        if (s == PH_OK && !ph_track_of_reference(&pl->tracks[pl->n_tracks++], def->probe, ref))
            s = ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
        ph_reference_destroy(ref);
    }
    ph_study_explain(def->probe->run, s, err);
    return s;
}

/* Steps of the finest run of a variant for reference r: a multiple of what it serves; 0: it serves no row. */
static long finest_steps(const plan *pl, int variant, int r)
{
    int served = 0;
    for (int i = 0; i < ph_cases_count(pl->def, variant); i++)
        served |= cover_of(pl, variant, i) == r;
    if (!served || pl->def->variants[variant].by_tol)
        return served ? pl->steps[r] : 0;
    long most = pl->def->steps[pl->def->n_h - 1];
    return pl->steps[r] * ((FINER * most + pl->steps[r] - 1) / pl->steps[r]);
}

static double finest_size(const plan *pl, int variant, int r)
{
    const ph_cases_def *def = pl->def;
    return def->variants[variant].by_tol ? def->tol[def->n_tol - 1] / (FINER * FINER)
                                         : def->t_end / (double)finest_steps(pl, variant, r);
}

/* The rows of a finest run as they travel between processes: this, then times, then rows, each with room for all points. */
typedef struct finest {
    ph_status status;
    char why[256];
    long n; /* rows: fewer than there is room for where an event ends the run */
    double rows[];
} finest;

typedef struct recorder {
    ph_probe *probe;
    finest *to;
    long points, every, step;
} recorder;

/* Rows are those of the grid. An event lies between them, or a step follows at its time; its turns count. */
static ph_status record(ph_run *run, int why, void *ctx)
{
    recorder *r = ctx;
    ph_state s = ph_run_state(run);
    int on_grid = why != PH_ON_EVENT;
    if (on_grid && r->step % r->every == 0 && r->to->n <= r->points) {
        long k = r->to->n++;
        r->to->rows[k] = s.t;
        ph_probe_read(r->probe, &s, r->to->rows + (r->points + 1) + k * r->probe->size);
    } else
        ph_probe_pass(r->probe, &s);
    r->step += on_grid;
    return PH_OK;
}

static void explain(const ph_probe *probe, ph_status status, ph_error *err, char *why, size_t size)
{
    ph_study_explain(probe->run, status, err);
    snprintf(why, size, "%.255s", err->text);
}

/* One run from the start, with an observer. */
static ph_status run_site(const ph_cases_def *def, const ph_case_site *site, const ph_options *opt,
                          long steps, double tol, ph_observer_fn f, void *ctx, ph_error *err)
{
    double t_end = def->t_end;
    ph_options o = *opt;
    o.h = t_end / (double)steps, o.tol = tol;
    ph_run_observe(site->run, f, ctx);
    ph_status s = ph_run_set_method(site->run, &o, err);
    if (s == PH_OK && def->extrapolate)
        s = ph_run_error_bars(site->run, 1, err);
    if (s == PH_OK && def->extrapolate)
        s = ph_run_extrapolate(site->run, 1);
    if (s == PH_OK)
        s = ph_run_until(site->run, t_end, err);
    ph_run_observe(site->run, NULL, NULL);
    return s;
}

static void run_finest(int k, void *result, void *ctx)
{
    const plan *pl = ctx;
    const ph_cases_def *def = pl->def;
    finest *out = result;
    int r = k % pl->n_refs, variant = k / pl->n_refs;
    long steps = finest_steps(pl, variant, r);
    const ph_options *o = &def->variants[variant].opt;
    ph_case_site site = site_of(def, variant);
    out->status = PH_E_INPUT;
    if (!steps)
        return;
    recorder to = {.probe = site.probe, .to = out, .points = pl->points[r], .every = steps / pl->points[r]};
    ph_error err = {0};
    double tol = def->variants[variant].by_tol ? finest_size(pl, variant, r) : 0;
    out->status = run_site(def, &site, o, steps, tol, record, &to, &err);
    if (out->status != PH_OK)
        explain(site.probe, out->status, &err, out->why, sizeof out->why);
}

static void lose_finest(int k, const char *why, void *result, void *ctx)
{
    finest *out = result;
    (void)k, (void)ctx;
    out->status = PH_E_STOPPED;
    snprintf(out->why, sizeof out->why, "its process was %s", why);
}

/* One finest run becomes a track; one that failed leaves no rows, and its cases say so. */
static int keep_finest(plan *pl, int k, const finest *f)
{
    int r = k % pl->n_refs, size = pl->def->probe->size;
    long room = pl->points[r] + 1, n = f->status == PH_OK ? f->n : 0;
    ph_track *t = &pl->tracks[k];
    pl->status[k] = f->status;
    memcpy(pl->why[k], f->why, sizeof pl->why[k]);
    if (!ph_track_create(t, n, size))
        return n == 0; /* calloc(0) may be NULL */
    t->h = finest_size(pl, k / pl->n_refs, r);
    if (n) {
        memcpy(t->t, f->rows, (size_t)n * sizeof(double));
        memcpy(t->row, f->rows + room, (size_t)n * (size_t)size * sizeof(double));
    }
    return 1;
}

static ph_status finest_tracks(plan *pl, int *signal, ph_error *err)
{
    const ph_cases_def *def = pl->def;
    ph_pool_def pool = ph_pool_default();
    ph_pool_end end = {0};
    int n = pl->n_refs * def->n_variants;
    for (int r = 0; r < pl->n_refs; r++) {
        size_t bytes =
            sizeof(finest) + (size_t)(pl->points[r] + 1) * (size_t)(def->probe->size + 1) * sizeof(double);
        pl->track_bytes = bytes > pl->track_bytes ? bytes : pl->track_bytes;
    }
    char *results = calloc((size_t)n, pl->track_bytes);
    if (!results)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the finest runs");
    pool.n = n, pool.size = pl->track_bytes, pool.jobs = def->jobs,
    pool.title = def->title ? "finest runs" : NULL;
    pool.job = run_finest, pool.lost = lose_finest, pool.ctx = pl;
    ph_status s = ph_pool_run(&pool, results, &end, err);
    *signal = end.signal;
    for (int k = 0; k < n && s == PH_OK; k++) {
        pl->n_tracks = k + 1;
        if (!keep_finest(pl, k, (const finest *)(const void *)(results + (size_t)k * pl->track_bytes)))
            s = ph_study_fail(err, PH_E_MEMORY, "not enough memory for the finest runs");
    }
    free(results);
    return s;
}

static const ph_track *track_of(const plan *pl, int variant, int k)
{
    if (pl->def->against == PH_AGAINST_TRACK)
        return pl->def->track;
    int r = cover_of(pl, variant, k);
    return &pl->tracks[pl->def->against == PH_AGAINST_FINEST ? variant * pl->n_refs + r : r];
}

/* ---- cases -------------------------------------------------------------------------------------------- */

/* States at events are not compared: another run has them a little earlier or later. Their turns count. */
static ph_status see(ph_run *run, int why, void *ctx)
{
    ph_comparison *c = ctx;
    ph_state s = ph_run_state(run);
    if (why == PH_ON_EVENT)
        ph_probe_pass(c->probe, &s);
    else
        ph_comparison_see(c, &s);
    return PH_OK;
}

/* A solution that goes along with steps of random sizes. */
typedef struct along {
    ph_comparison *c;
    ph_probe *probe; /* of the solution */
    ph_sim *best;
    const ph_system *sys; /* of it */
    double *row;
    ph_status status;
} along;

static ph_status see_along(ph_run *run, int why, void *ctx)
{
    along *a = ctx;
    ph_state s = ph_run_state(run), b;
    ph_error err;
    if (why == PH_ON_EVENT)
        return PH_OK;
    if (s.t > ph_sim_state(a->best).t)
        a->status = ph_sim_run_until(a->best, s.t, ph_follow_sim, (void *)a->sys, &err);
    if (a->status != PH_OK)
        return a->status;
    b = ph_sim_state(a->best);
    ph_probe_read(a->probe, &b, a->row);
    ph_comparison_meet(a->c, &s, a->row);
    return PH_OK;
}

static ph_status run_along(const ph_cases_def *def, const ph_case_site *site, int variant, int i,
                           ph_comparison *c, ph_error *err)
{
    ph_options o = def->variants[variant].opt, best = ph_default_options();
    along a = {.c = c,
               .probe = def->probe,
               .sys = &def->p->sys,
               .row = calloc((size_t)def->probe->size, sizeof *a.row)};
    best.method = "rkmk", best.tableau = "dopri8", best.tol = BEST;
    o.random = def->random, o.seed = def->seed;
    ph_follow_begin(a.sys);
    c->mean = 1u << PH_OF_VDOT | 1u << PH_OF_LAMBDA;
    ph_status s = a.row ? ph_sim_create(&a.best, &def->p->sys, &best, 0, def->p->q0, def->p->v0, err)
                        : ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
    if (s == PH_OK)
        s = run_site(def, site, &o, def->steps[i], 0, see_along, &a, err);
    if (a.status != PH_OK)
        s = ph_study_fail(err, a.status, "the solution of reference, of tol = %g, failed", BEST);
    ph_sim_destroy(a.best);
    free(a.row);
    return s;
}

static double cpu_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec
                                                            : NAN;
}

/* Best of several: what disturbs a run makes it only slower. Steps by tolerance have no output on a grid here. */
static ph_status measure_time(const ph_cases_def *def, ph_run *run, ph_case *out, ph_error *err)
{
    double spent = 0, best = HUGE_VAL;
    ph_options o = ph_run_options(run);
    ph_status s = PH_OK;
    if (o.tol > 0)
        o.h = 0, s = ph_run_set_method(run, &o, err);
    for (int k = 0;
         s == PH_OK && (def->repeats ? k < def->repeats : spent < BUDGET || (k < LEAST && spent < LONG));
         k++) {
        s = ph_run_reset(run, err);
        double begun = cpu_seconds();
        if (s == PH_OK)
            s = ph_run_until(run, def->t_end, err);
        double took = cpu_seconds() - begun;
        spent += took;
        best = fmin(best, took);
        out->repeats = k + 1;
    }
    out->cpu_s = best;
    out->stats = ph_run_summarise(run).stats; /* of what was timed */
    return s;
}

/* An error that is not a number is a failure, unless the reference does not have it. */
static void judge(const ph_probe *probe, const ph_comparison *c, ph_case *out)
{
    ph_error not_finite = {PH_E_NAN, "the solution is not finite"};
    for (int m = 0; m < probe->n_measures; m++) {
        out->error[m] = c->times ? c->error[m] : NAN;
        if (out->status == PH_OK && c->times && !isfinite(out->error[m]) &&
            !(c->track && c->track->missing & 1u << m)) {
            out->status = m < PH_OF_SENSOR ? PH_E_NAN : PH_E_CALLBACK;
            explain(probe, out->status, &not_finite, out->why, sizeof out->why);
        }
    }
    if (!probe->nl)
        out->error[PH_OF_LAMBDA] = NAN;
    out->times = c->times;
    if (out->status == PH_OK && !c->times) {
        out->status = PH_E_INPUT;
        snprintf(out->why, sizeof out->why, "there is no time that it shares with the reference");
    }
}

static void run_case(int k, void *result, void *ctx)
{
    const plan *pl = ctx;
    const ph_cases_def *def = pl->def;
    ph_case *out = result;
    int variant = ph_cases_variant(def, k), i = k - ph_cases_first(def, variant);
    ph_case_site site = site_of(def, variant);
    const ph_variant *v = &def->variants[variant];
    const ph_track *track = def->random > 1 ? NULL : track_of(pl, variant, i);
    ph_comparison c;
    ph_error err = {.text = "not enough memory"};
    out->h = size_of(def, variant, i), out->steps = steps_of(def, variant, i);
    double near = 1e-6 * def->t_end / (double)out->steps;
    out->h_reference = track ? track->h : 0, out->cpu_s = NAN, out->status = PH_E_MEMORY;
    if (ph_comparison_begin(&c, site.probe, track, def->from, near))
        out->status = track ? run_site(def, &site, &v->opt, out->steps, v->by_tol ? out->h : 0, see, &c, &err)
                            : run_along(def, &site, variant, i, &c, &err);
    out->stats = ph_run_summarise(site.run).stats;
    if (out->status == PH_OK && def->timed)
        out->status = measure_time(def, site.run, out, &err);
    if (v->by_tol || !track)
        out->steps = out->stats.accepted;
    if (out->status != PH_OK) {
        explain(site.probe, out->status, &err, out->why, sizeof out->why);
        c.times = 0;
    }
    judge(site.probe, &c, out);
    ph_comparison_end(&c);
}

static void lose_case(int k, const char *why, void *result, void *ctx)
{
    const plan *pl = ctx;
    const ph_cases_def *def = pl->def;
    ph_case *out = result;
    int variant = ph_cases_variant(def, k);
    *out = (ph_case){
        .h = size_of(def, variant, k - ph_cases_first(def, variant)), .status = PH_E_STOPPED, .cpu_s = NAN};
    snprintf(out->why, sizeof out->why, "its process was %s", why);
    for (int m = 0; m < PH_MEASURES; m++)
        out->error[m] = NAN;
}

static ph_status make_tracks(plan *pl, int *signal, ph_error *err)
{
    const ph_cases_def *def = pl->def;
    size_t n = (size_t)pl->n_refs * (size_t)(def->against == PH_AGAINST_FINEST ? def->n_variants : 1);
    if (def->against == PH_AGAINST_TRACK || def->random > 1)
        return PH_OK;
    pl->tracks = calloc(n, sizeof *pl->tracks);
    pl->status = calloc(n, sizeof *pl->status);
    pl->why = calloc(n, sizeof *pl->why);
    if (!pl->tracks || !pl->status || !pl->why)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solutions");
    return def->against == PH_AGAINST_EXACT ? exact_tracks(pl, err) : finest_tracks(pl, signal, err);
}

/* Say of a case whose finest run failed why it has no errors. */
static void blame_reference(const plan *pl, ph_case *out)
{
    const ph_cases_def *def = pl->def;
    int all = def->against == PH_AGAINST_FINEST ? ph_cases_first(def, def->n_variants) : 0;
    for (int k = 0; k < all; k++) {
        int v = ph_cases_variant(def, k), i = k - ph_cases_first(def, v);
        const ph_track *t = track_of(pl, v, i);
        if (out[k].status != PH_E_INPUT || t->n > 0)
            continue;
        out[k].status = pl->status[t - pl->tracks];
        snprintf(out[k].why, sizeof out[k].why, "the finest run, %s = %.3g, failed: %.200s",
                 def->variants[v].by_tol ? "tol" : "h", finest_size(pl, v, cover_of(pl, v, i)),
                 pl->why[t - pl->tracks]);
    }
}

ph_status ph_cases_run(const ph_cases_def *def, ph_case *out, int *signal, ph_error *err)
{
    plan pl = {.def = def};
    ph_pool_def pool = ph_pool_default();
    ph_pool_end end = {0};
    int none = 0;
    signal = signal ? signal : &none;
    *signal = 0;
    plan_references(&pl);
    ph_status s = make_tracks(&pl, signal, err);
    if (s == PH_OK) {
        pool.n = ph_cases_first(def, def->n_variants), pool.size = sizeof(ph_case), pool.title = def->title;
        pool.jobs = def->timed ? 1 : def->jobs;
        pool.job = run_case, pool.lost = lose_case, pool.ctx = &pl;
        s = ph_pool_run(&pool, out, &end, err);
        *signal = end.signal;
    }
    if (s == PH_OK)
        blame_reference(&pl, out);
    for (int k = 0; k < pl.n_tracks; k++)
        ph_track_clear(&pl.tracks[k]);
    free(pl.tracks);
    free(pl.status);
    free(pl.why);
    return s;
}

/* ---- orders ------------------------------------------------------------------------------------------- */

static ph_order_row row_of(const ph_case *c, int measure)
{
    return (ph_order_row){c->h, c->error[measure], c->h_reference};
}

double ph_cases_local_order(const ph_case *coarse, const ph_case *fine, int measure)
{
    return ph_order_of_two(row_of(coarse, measure), row_of(fine, measure));
}

ph_observed ph_cases_order(int n, const ph_case *rows, int measure)
{
    ph_observed o = {NAN, NAN, NAN};
    ph_order_row all[PH_LIST_MAX];
    double C;
    if (n < 2)
        return o;
    for (int k = 0; k < n; k++)
        all[k] = row_of(&rows[k], measure);
    o.order = ph_order_of_two(all[n - 2], all[n - 1]);
    o.fit = ph_order_fit(n, all, o.order, &C);
    double p = round(o.order);
    o.constant = ph_order_true_error(all[n - 1], p) / pow(all[n - 1].h, p);
    return o;
}

int ph_order_missed(double order, double expected)
{
    return !(fabs(order - expected) <= 0.15);
}
