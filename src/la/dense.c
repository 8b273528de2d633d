/* Dense LU with row exchanges, for tiny systems: P A = L U, rows judged by their size in A (scaled partial
 * pivoting), so that the units of rows and columns change neither the pivots nor the test for singularity. */
#include "la/backend.h"
#include "la/small.h"

#include <string.h>

/* A pivot below this part of its column of A is zero. */
#define SINGULAR 1e-14

typedef struct dense {
    ph_solver base;
    ph_pattern p;
    double *a;      /* total x total: L below the diagonal, U with inverted diagonal */
    double *weight; /* total: 1 / largest entry of each row of A */
    double *column; /* total: largest weighted entry of each column of A */
    double *x;      /* total */
    int *swap;      /* total: the row exchanged with row k at step k */
    int *block_of;  /* total: block of each unknown */
} dense;

static void lay(dense *d, ph_arena *a, const ph_graph *g, int total)
{
    size_t n = (size_t)total;
    ph_pattern_lay(&d->p, g, a);
    d->a = ph_arena_take(a, n * n, sizeof(double));
    d->weight = ph_arena_take(a, n, sizeof(double));
    d->column = ph_arena_take(a, n, sizeof(double));
    d->x = ph_arena_take(a, n, sizeof(double));
    d->swap = ph_arena_take(a, n, sizeof(int));
    d->block_of = ph_arena_take(a, n, sizeof(int));
}

static ph_status create(ph_solver **out, const ph_graph *g, ph_analysis *none, ph_analyses *known,
                        const ph_allocator *alloc)
{
    ph_arena a = {0};
    dense trial, *d;
    int total = 0;
    (void)none, (void)known;
    for (int i = 0; i < g->n; i++)
        total += g->size[i];
    ph_arena_take(&a, 1, sizeof *d);
    lay(&trial, &a, g, total);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    d = ph_arena_take(&a, 1, sizeof *d);
    lay(d, &a, g, total);
    ph_solver_begin(&d->base, &ph_dense_ops, alloc, &a);
    d->base.info.fill = (size_t)total * (size_t)total;
    for (int i = 0; i < g->n; i++)
        for (int j = d->p.first[i]; j < d->p.first[i + 1]; j++)
            d->block_of[j] = i;
    *out = &d->base;
    return PH_OK;
}

static void scatter(dense *d, const double *value)
{
    const ph_pattern *p = &d->p;
    int n = p->total;
    memset(d->a, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int e = 0; e < p->nnz; e++) {
        int rows = p->size[p->row[e]], cols = p->size[p->col[e]];
        double *to = d->a + (size_t)p->first[p->row[e]] * (size_t)n + p->first[p->col[e]];
        for (int i = 0; i < rows; i++, to += n)
            for (int j = 0; j < cols; j++)
                to[j] = *value++;
    }
}

/* Weights of rows and columns. Returns the row that is zero or not finite, or -1. */
static int weigh(dense *d)
{
    int n = d->p.total;
    memset(d->column, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        const double *a = d->a + (size_t)i * (size_t)n;
        double m = 0;
        for (int j = 0; j < n; j++)
            m = ph_larger(m, fabs(a[j]));
        double w = 1 / m;
        if (!(w > 0 && w < INFINITY))
            return i;
        d->weight[i] = w;
        for (int j = 0; j < n; j++)
            d->column[j] = ph_larger(d->column[j], fabs(a[j]) * w);
    }
    return -1;
}

static void exchange(dense *d, int i, int k)
{
    int n = d->p.total;
    double *a = d->a + (size_t)i * (size_t)n, *b = d->a + (size_t)k * (size_t)n, t;
    for (int j = 0; j < n; j++)
        t = a[j], a[j] = b[j], b[j] = t;
    t = d->weight[i], d->weight[i] = d->weight[k], d->weight[k] = t;
}

static ph_status factor(ph_solver *s, const double *value)
{
    dense *d = (dense *)s;
    size_t n = (size_t)d->p.total;
    scatter(d, value);
    int bad = weigh(d);
    s->info.where = bad < 0 ? -1 : d->block_of[bad];
    if (bad >= 0)
        return PH_E_SINGULAR;
    for (size_t k = 0; k < n; k++) {
        double *ak = d->a + k * n, largest = 0;
        size_t best = k;
        for (size_t i = k; i < n; i++) {
            double t = fabs(d->a[i * n + k]) * d->weight[i];
            if (!(t <= largest))
                largest = t, best = i;
        }
        if (!(largest > SINGULAR * d->column[k] && largest < INFINITY)) {
            s->info.where = d->block_of[k];
            return PH_E_SINGULAR;
        }
        d->swap[k] = (int)best;
        if (best != k)
            exchange(d, (int)best, (int)k);
        ak[k] = 1 / ak[k];
        for (size_t i = k + 1; i < n; i++) {
            double *ai = d->a + i * n;
            double l = ai[k] *= ak[k];
            if (l != 0)
                for (size_t j = k + 1; j < n; j++)
                    ai[j] -= l * ak[j];
        }
    }
    return PH_OK;
}

/* x = U^-1 L^-1 P b */
static void solve_plain(const dense *d, double *x)
{
    int n = d->p.total;
    const double *a = d->a;
    for (int k = 0; k < n; k++) {
        double t = x[d->swap[k]];
        x[d->swap[k]] = x[k], x[k] = t;
    }
    for (int i = 1; i < n; i++) {
        const double *ai = a + (size_t)i * (size_t)n;
        double t = x[i];
        for (int j = 0; j < i; j++)
            t -= ai[j] * x[j];
        x[i] = t;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *ai = a + (size_t)i * (size_t)n;
        double t = x[i];
        for (int j = i + 1; j < n; j++)
            t -= ai[j] * x[j];
        x[i] = t * ai[i];
    }
}

/* x = P^T L^-T U^-T b */
static void solve_transposed(const dense *d, double *x)
{
    int n = d->p.total;
    const double *a = d->a;
    for (int i = 0; i < n; i++) {
        const double *ai = a + (size_t)i * (size_t)n;
        double t = x[i] *= ai[i];
        for (int j = i + 1; j < n; j++)
            x[j] -= ai[j] * t;
    }
    for (int i = n - 1; i > 0; i--) {
        const double *ai = a + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            x[j] -= ai[j] * x[i];
    }
    for (int k = n - 1; k >= 0; k--) {
        double t = x[d->swap[k]];
        x[d->swap[k]] = x[k], x[k] = t;
    }
}

static ph_status solve(ph_solver *s, const double *b, double *x, int transposed)
{
    dense *d = (dense *)s;
    size_t bytes = (size_t)d->p.total * sizeof(double);
    memcpy(d->x, b, bytes);
    (transposed ? solve_transposed : solve_plain)(d, d->x);
    memcpy(x, d->x, bytes);
    return ph_all_finite(x, d->p.total) ? PH_OK : PH_E_NAN;
}

const ph_solver_ops ph_dense_ops = {"dense", NULL, NULL, create, factor, solve, ph_solver_end, NULL};
