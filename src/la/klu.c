/* SuiteSparse KLU on scalars: pivots across blocks, so it solves what block LU cannot, about ten times
 * slower.
 *
 * The matrix is scaled by powers of two (exactly) so that the largest entry of each row and column is
 * about one: A' = R A C. Pivots of A' then tell a singular matrix from a badly scaled one. Fill-reducing
 * order once, scales and pivots at the first factorisation; later ones keep them while they serve
 * (klu_refactor) and choose anew when not. KLU takes its own memory from the hooks of SuiteSparse_config,
 * in analyse and when factor chooses pivots. Ruiz: A scaling algorithm to equilibrate both rows and
 * columns norms in matrices, RAL-TR-2001-034. Davis, Palamadai Natarajan: Algorithm 907, KLU, ACM Trans.
 * Math. Softw. 37 (2010). */
#include "la/backend.h"
#include "la/small.h"

#include <klu.h>
#include <string.h>

/* The smallest pivot of A' below this part of the largest: singular. */
#define SINGULAR 1e-14
/* A diagonal pivot this part of the largest of its column is taken, since it keeps the factors sparse. */
#define SPARSE 1e-3
/* Where entries grow beyond the inverse of this, or a matrix seems singular, the largest pivots are taken. */
#define GROWN 1e-4
/* Refactored with so many times the pivot growth of when pivots were chosen: choose them anew. */
#define GROWTH 100
/* Each sweep of scaling halves the digits by which rows and columns differ. */
#define SWEEPS 8

/* Scalars by columns, and their order. */
typedef struct klu_plan {
    ph_analysis base;
    int *Ap, *Ai;
    int *place;    /* each value's place in Ax */
    int *block_of; /* total: block of each unknown */
    klu_symbolic *symbolic;
    klu_common common;
} klu_plan;

typedef struct klu_backend {
    ph_solver base;
    ph_pattern p; /* and what follows up to symbolic: the plan's, near at hand */
    int *Ap, *Ai;
    const int *place, *block_of;
    klu_symbolic *symbolic;
    ph_refinement w;
    const double *value; /* as factored */
    double *rs, *cs;     /* total: R and C */
    double *y;           /* total */
    double *Ax;          /* A', scalars by columns */
    double *scale;       /* of each value of A */
    klu_numeric *numeric;
    klu_common common;
    double rgrowth; /* reciprocal pivot growth when pivots were chosen, */
    double *chosen; /* and the values then */
} klu_backend;

static void lay_plan(klu_plan *k, ph_arena *a, const ph_graph *g, size_t total, size_t values)
{
    ph_pattern_lay(&k->base.p, g, a);
    k->Ap = ph_arena_take(a, total + 1, sizeof(int));
    k->Ai = ph_arena_take(a, values, sizeof(int));
    k->place = ph_arena_take(a, values, sizeof(int));
    k->block_of = ph_arena_take(a, total, sizeof(int));
}

static void lay(klu_backend *k, ph_arena *a, const ph_pattern *p)
{
    size_t total = (size_t)p->total, values = (size_t)p->at[p->nnz];
    ph_refinement_lay(&k->w, p->total, a);
    k->rs = ph_arena_take(a, total, sizeof(double));
    k->cs = ph_arena_take(a, total, sizeof(double));
    k->y = ph_arena_take(a, total, sizeof(double));
    k->Ax = ph_arena_take(a, values, sizeof(double));
    k->scale = ph_arena_take(a, values, sizeof(double));
    k->chosen = ph_arena_take(a, values, sizeof(double));
}

/* Columns of scalars; row indices within a column stand in the order of the list, which KLU accepts. */
static void fill_columns(klu_plan *k)
{
    const ph_pattern *p = &k->base.p;
    for (int e = 0; e < p->nnz; e++)
        for (int j = 0; j < p->size[p->col[e]]; j++)
            k->Ap[p->first[p->col[e]] + j + 1] += p->size[p->row[e]];
    for (int j = 0; j < p->total; j++)
        k->Ap[j + 1] += k->Ap[j];
    for (int e = 0; e < p->nnz; e++) {
        int m = p->size[p->row[e]], n = p->size[p->col[e]], at = p->at[e];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                int *next = &k->Ap[p->first[p->col[e]] + j];
                k->Ai[*next] = p->first[p->row[e]] + i;
                k->place[at + i * n + j] = (*next)++;
            }
    }
    memmove(k->Ap + 1, k->Ap, (size_t)p->total * sizeof(int));
    k->Ap[0] = 0;
}

static void forget(ph_analysis *a)
{
    klu_plan *k = (klu_plan *)a;
    klu_free_symbolic(&k->symbolic, &k->common);
}

static ph_status plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc)
{
    ph_arena a = {0};
    klu_plan trial, *k;
    size_t total = 0, values = 0;
    for (int i = 0; i < g->n; i++)
        total += (size_t)g->size[i];
    for (int e = 0; e < g->nnz; e++)
        values += (size_t)g->size[g->row[e]] * (size_t)g->size[g->col[e]];
    ph_arena_take(&a, 1, sizeof *k);
    lay_plan(&trial, &a, g, total, values);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    k = ph_arena_take(&a, 1, sizeof *k);
    lay_plan(k, &a, g, total, values);
    ph_analysis_begin(&k->base, &ph_klu_ops, alloc, &a);
    for (int i = 0; i < g->n; i++)
        for (int j = k->base.p.first[i]; j < k->base.p.first[i + 1]; j++)
            k->block_of[j] = i;
    fill_columns(k);
    klu_defaults(&k->common);
    k->common.scale = -1; /* we scale, and look for NaN while doing so */
    k->common.btf = 0;    /* a mechanism is one block: with it, factor takes 10 to 30% longer */
    if (total)
        k->symbolic = klu_analyze(k->base.p.total, k->Ap, k->Ai, &k->common);
    if (total && !k->symbolic) {
        ph_analysis_release(&k->base);
        return PH_E_MEMORY;
    }
    *out = &k->base;
    return PH_OK;
}

static ph_status create(ph_solver **out, const ph_graph *g, ph_analysis *analysis, ph_analyses *known,
                        const ph_allocator *alloc)
{
    const klu_plan *of = (klu_plan *)analysis;
    ph_arena a = {0};
    klu_backend trial, *k;
    (void)g, (void)known;
    ph_arena_take(&a, 1, sizeof *k);
    lay(&trial, &a, &of->base.p);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    k = ph_arena_take(&a, 1, sizeof *k);
    lay(k, &a, &of->base.p);
    ph_solver_begin(&k->base, &ph_klu_ops, alloc, &a);
    k->p = of->base.p, k->Ap = of->Ap, k->Ai = of->Ai, k->place = of->place;
    k->block_of = of->block_of, k->symbolic = of->symbolic, k->common = of->common;
    *out = &k->base;
    return PH_OK;
}

static void destroy(ph_solver *s)
{
    klu_backend *k = (klu_backend *)s;
    klu_free_numeric(&k->numeric, &k->common);
    ph_solver_end(s);
}

/* About the inverse root of a number, a power of two; 0 if it is zero or not finite. */
static double inverse_root(double x)
{
    int e;
    if (!(x > 0 && x < INFINITY))
        return 0;
    frexp(x, &e);
    return ldexp(1, -(e / 2));
}

/* One sweep of scaling: largest entries of rows and columns of A', and their inverse roots for R and C.
 * Returns the unknown whose row or column is zero or not finite, or -1. */
static int sweep(klu_backend *k, double *row, double *column)
{
    int n = k->p.total;
    memset(row, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        double largest = 0;
        for (int t = k->Ap[j]; t < k->Ap[j + 1]; t++) {
            double a = fabs(k->Ax[t]);
            largest = ph_larger(largest, a);
            row[k->Ai[t]] = ph_larger(row[k->Ai[t]], a);
        }
        if ((column[j] = inverse_root(largest)) == 0)
            return j;
    }
    for (int i = 0; i < n; i++)
        if ((row[i] = inverse_root(row[i])) == 0)
            return i;
    return -1;
}

static void scale_by(klu_backend *k, const double *row, const double *column)
{
    for (int j = 0; j < k->p.total; j++) {
        k->rs[j] *= row[j], k->cs[j] *= column[j];
        for (int t = k->Ap[j]; t < k->Ap[j + 1]; t++)
            k->Ax[t] *= row[k->Ai[t]] * column[j];
    }
}

static double diagonal_entry(const klu_backend *k, int j)
{
    double d = 0;
    for (int t = k->Ap[j]; t < k->Ap[j + 1]; t++)
        d = k->Ai[t] == j ? fabs(k->Ax[t]) : d;
    return d;
}

/* Entries on the diagonal become about one, then the largest ones of rows and columns where that is zero. Returns as sweep does. */
static int begin_with_diagonal(klu_backend *k, double *row, double *column)
{
    int n = k->p.total;
    for (int j = 0; j < n; j++) {
        double s = inverse_root(diagonal_entry(k, j));
        row[j] = column[j] = s > 0 ? s : 1;
    }
    scale_by(k, row, column);
    int bad = sweep(k, row, column);
    for (int j = 0; j < n && bad < 0; j++) {
        int zero = diagonal_entry(k, j) == 0;
        row[j] = zero ? row[j] * row[j] : 1, column[j] = zero ? column[j] * column[j] : 1;
    }
    if (bad < 0)
        scale_by(k, row, column);
    return bad;
}

/* A', R and C from the values of A. Returns as sweep does. Scales with which the largest entries are about one are not unique:
 * where units are far apart those on the diagonal may be left too small, unless one begins with them. */
static int equilibrate(klu_backend *k, const double *value, int diagonal)
{
    int n = k->p.total;
    double *row = k->w.r, *column = k->w.d;
    for (int i = 0; i < n; i++)
        k->rs[i] = k->cs[i] = 1;
    for (int t = 0; t < k->Ap[n]; t++)
        k->Ax[k->place[t]] = value[t];
    int bad = diagonal ? begin_with_diagonal(k, row, column) : -1;
    for (int pass = 0; pass < SWEEPS && bad < 0; pass++) {
        bad = sweep(k, row, column);
        if (bad < 0)
            scale_by(k, row, column);
    }
    for (int e = 0; e < k->p.nnz && bad < 0; e++) {
        const double *r = k->rs + k->p.first[k->p.row[e]], *c = k->cs + k->p.first[k->p.col[e]];
        int m = k->p.size[k->p.row[e]], cols = k->p.size[k->p.col[e]];
        for (int i = 0; i < m * cols; i++)
            k->scale[k->p.at[e] + i] = r[i / cols] * c[i % cols];
    }
    return bad;
}

/* The unknown with the smallest pivot if that is as good as zero, or -1. The ratio of pivots is what is known of the
 * condition, and goes to the caller as growth. */
static int zero_pivot(klu_backend *k)
{
    const double *u = k->numeric->Udiag;
    double smallest = INFINITY, largest = 0;
    int at = 0;
    for (int i = 0; i < k->p.total; i++) {
        if (!(fabs(u[i]) >= smallest))
            smallest = fabs(u[i]), at = i;
        largest = ph_larger(largest, fabs(u[i]));
    }
    k->base.info.growth = largest / smallest;
    return smallest >= SINGULAR * largest ? -1 : k->symbolic->Q[at];
}

/* Old scales and pivots with new values; 0 if they do not serve. */
static int refactor(klu_backend *k, const double *value)
{
    if (!k->numeric)
        return 0;
    for (int t = 0; t < k->Ap[k->p.total]; t++)
        k->Ax[k->place[t]] = value[t] * k->scale[t];
    return ph_all_finite(k->Ax, k->Ap[k->p.total]) &&
           klu_refactor(k->Ap, k->Ai, k->Ax, k->symbolic, k->numeric, &k->common) &&
           k->common.status == KLU_OK && zero_pivot(k) < 0 &&
           klu_rgrowth(k->Ap, k->Ai, k->Ax, k->symbolic, k->numeric, &k->common) &&
           k->common.rgrowth * GROWTH >= k->rgrowth;
}

static ph_status singular(klu_backend *k, int unknown)
{
    klu_free_numeric(&k->numeric, &k->common);
    k->base.info.where = unknown >= 0 && unknown < k->p.total ? k->block_of[unknown] : -1;
    return PH_E_SINGULAR;
}

/* New pivots for A'; diagonal ones down to this part of the largest in their column. */
static ph_status choose_pivots(klu_backend *k, double diagonal)
{
    int bad;
    k->common.tol = diagonal;
    klu_free_numeric(&k->numeric, &k->common);
    k->numeric = klu_factor(k->Ap, k->Ai, k->Ax, k->symbolic, &k->common);
    if (!k->numeric && k->common.status == KLU_SINGULAR)
        return singular(k, k->common.singular_col);
    if (!k->numeric)
        return PH_E_MEMORY;
    if ((bad = zero_pivot(k)) >= 0)
        return singular(k, bad);
    klu_rgrowth(k->Ap, k->Ai, k->Ax, k->symbolic, k->numeric, &k->common);
    k->rgrowth = k->common.rgrowth;
    return PH_OK;
}

static ph_status scale_and_choose(klu_backend *k, const double *value, int diagonal)
{
    int bad = equilibrate(k, value, diagonal);
    if (bad >= 0)
        return singular(k, bad);
    ph_status status = choose_pivots(k, SPARSE);
    if (status == PH_E_SINGULAR || (status == PH_OK && k->rgrowth < GROWN))
        status = choose_pivots(k, 1);
    return status;
}

static ph_status choose(klu_backend *k, const double *value)
{
    ph_status status = scale_and_choose(k, value, 0);
    int where = k->base.info.where;
    if (status == PH_E_SINGULAR && (status = scale_and_choose(k, value, 1)) == PH_E_SINGULAR)
        k->base.info.where = where;
    if (status != PH_OK)
        return status;
    k->base.info.where = -1;
    memmove(k->chosen, value, (size_t)k->Ap[k->p.total] * sizeof *value);
    return PH_OK;
}

static ph_status factor(ph_solver *s, const double *value)
{
    klu_backend *k = (klu_backend *)s;
    s->info.where = -1;
    k->value = value;
    if (!k->p.total)
        return PH_OK;
    ph_status status = refactor(k, value) ? PH_OK : choose(k, value);
    if (status != PH_OK)
        return status;
    s->info.fill = (size_t)k->numeric->lnz + (size_t)k->numeric->unz;
    return PH_OK;
}

/* x = C A'^-1 R b or R A'^-T C b */
static void plain(ph_solver *s, const double *b, double *x, int transposed)
{
    klu_backend *k = (klu_backend *)s;
    int n = k->p.total;
    const double *before = transposed ? k->cs : k->rs, *after = transposed ? k->rs : k->cs;
    for (int i = 0; i < n; i++)
        k->y[i] = b[i] * before[i];
    (transposed ? klu_tsolve : klu_solve)(k->symbolic, k->numeric, n, 1, k->y, &k->common);
    for (int i = 0; i < n; i++)
        x[i] = k->y[i] * after[i];
}

static ph_status solve(ph_solver *s, const double *b, double *x, int transposed)
{
    klu_backend *k = (klu_backend *)s;
    if (k->p.total)
        ph_refine(&k->w, s, plain, &k->p, k->value, b, x, 1, transposed);
    return ph_all_finite(x, k->p.total) ? PH_OK : PH_E_NAN;
}

size_t ph_klu_tape_size(const ph_pattern *p)
{
    return sizeof(int) + (size_t)p->at[p->nnz] * sizeof(double);
}

/* Pivots follow from the values for which they were chosen. */
static ph_status tape(ph_solver *s, ph_tape *t)
{
    klu_backend *k = (klu_backend *)s;
    int has_pivots = k->numeric != NULL;
    ph_tape_int(t, &has_pivots);
    ph_tape_numbers(t, k->chosen, k->Ap[k->p.total]);
    if (t->mode != PH_TAPE_READ)
        return PH_OK;
    if (has_pivots)
        return choose(k, k->chosen);
    klu_free_numeric(&k->numeric, &k->common);
    return PH_OK;
}

const ph_solver_ops ph_klu_ops = {"klu", plan, forget, create, factor, solve, destroy, tape};
