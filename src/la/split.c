/* LU of a part of a matrix, A = S - R, and the rest by its residual, for meshes of bodies and joints:
 *
 *     S x_0 = b,   S d = b - A x_k,   x_k+1 = x_k + d                                  (A13)
 *
 * The error falls by |S^-1 R| each time. R has what makes bodies neighbours of each other without a joint's own rows: in a step, the
 * stiffness of forces and reactions, h^2 small beside masses. Without it bodies are eliminated first, each by itself, and
 * the mesh that is left has the rows of joints alone. A block of A stays in S where it costs no fill:
 *
 *     between two blocks that are not late, if all late blocks next to one of them are next to the other;
 *     in the column of a late block, if its own row has the block across.
 *
 * Solutions are as good as those of A's own factors, and a matrix whose R is too large is refused; auto takes those then. */
#include "la/split.h"
#include "la/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REFINED   1e-12             /* backward error of a solution that is good */
#define ROUND_OFF (4 * DBL_EPSILON) /* and of one that does not get better */
/* Corrections, at most: each takes a twentieth of the time of a factorisation of A (bench/lattice.lua). */
#define CORRECTIONS 12
/* S is worth its corrections where its factors are so many times less work than A's. */
#define LESS 8

/* Values of blocks of S that stand side by side in A. */
typedef struct run {
    int at, count;
} run;

typedef struct split_plan {
    ph_analysis base; /* with the pattern of A */
    int n_kept, *row, *col;
    int n_runs, values;
    run *run;
} split_plan;

typedef struct split {
    ph_solver base;
    const split_plan *plan;
    ph_refinement w;
    const double *value; /* A, as factored */
    double *part;        /* S */
    ph_solver *inner;
} split;

/* ---- which blocks ---------------------------------------------------------------------------------------- */

/* For each block that is not late: the late ones whose rows have it, ascending. */
typedef struct crossings {
    int *start, *by_row, *next; /* n + 2; nnz; n + 2 */
    int *late;                  /* start[n] */
    unsigned char *keep;        /* nnz */
} crossings;

static void lay_crossings(crossings *c, const ph_graph *g, ph_arena *a)
{
    size_t n = (size_t)g->n + 2, nnz = (size_t)g->nnz;
    c->start = ph_arena_take(a, n, sizeof(int));
    c->next = ph_arena_take(a, n, sizeof(int));
    c->by_row = ph_arena_take(a, nnz, sizeof(int));
    c->late = ph_arena_take(a, nnz, sizeof(int));
    c->keep = ph_arena_take(a, nnz, 1);
}

static int is_late(const ph_graph *g, int i)
{
    return g->late && g->late[i];
}

static void find_crossings(crossings *c, const ph_graph *g)
{
    for (int e = 0; e < g->nnz; e++) {
        c->next[g->row[e] + 1]++;
        c->start[g->col[e] + 2] += is_late(g, g->row[e]) && !is_late(g, g->col[e]);
    }
    for (int i = 0; i < g->n; i++)
        c->next[i + 1] += c->next[i], c->start[i + 2] += c->start[i + 1];
    for (int e = 0; e < g->nnz; e++)
        c->by_row[c->next[g->row[e]]++] = e;
    for (int t = 0; t < g->nnz;
         t++) { /* start[i + 1] moves to the end of i, which is the start of the next */
        int i = g->row[c->by_row[t]], j = g->col[c->by_row[t]];
        if (is_late(g, i) && !is_late(g, j))
            c->late[c->start[j + 1]++] = i;
    }
}

/* Whether late block l has i in its row. */
static int crosses(const crossings *c, int i, int l)
{
    int low = c->start[i], high = c->start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c->late[middle] < l)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->start[i + 1] && c->late[low] == l;
}

/* Whether all late blocks of i are late blocks of j. */
static int is_within(const crossings *c, int i, int j)
{
    if (c->start[i + 1] - c->start[i] > c->start[j + 1] - c->start[j])
        return 0;
    for (int t = c->start[i]; t < c->start[i + 1]; t++)
        if (!crosses(c, j, c->late[t]))
            return 0;
    return 1;
}

static int stays(const crossings *c, const ph_graph *g, int i, int j)
{
    if (i == j || is_late(g, i))
        return 1;
    return is_late(g, j) ? crosses(c, i, j) : is_within(c, i, j) || is_within(c, j, i);
}

/* ---- plan ------------------------------------------------------------------------------------------------ */

static void lay_plan(split_plan *p, ph_arena *a, const ph_graph *g)
{
    size_t n = (size_t)g->nnz;
    ph_pattern_lay(&p->base.p, g, a);
    p->row = ph_arena_take(a, n, sizeof(int));
    p->col = ph_arena_take(a, n, sizeof(int));
    p->run = ph_arena_take(a, n, sizeof(run));
}

static void fill_plan(split_plan *p, const crossings *c)
{
    const ph_pattern *A = &p->base.p;
    for (int e = 0; e < A->nnz; e++) {
        int at = A->at[e], count = A->at[e + 1] - at;
        if (!c->keep[e])
            continue;
        p->row[p->n_kept] = A->row[e], p->col[p->n_kept++] = A->col[e];
        p->values += count;
        run *last = p->run + p->n_runs - 1;
        if (p->n_runs > 0 && last->at + last->count == at)
            last->count += count;
        else
            p->run[p->n_runs++] = (run){at, count};
    }
}

static ph_status plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc)
{
    crossings c;
    split_plan trial, *p;
    ph_arena temporary = {0}, a = {0};
    ph_status status = PH_E_MEMORY;
    lay_crossings(&c, g, &temporary);
    ph_arena_take(&a, 1, sizeof *p);
    lay_plan(&trial, &a, g);
    if (ph_arena_open(&temporary, alloc) && ph_arena_open(&a, alloc)) {
        lay_crossings(&c, g, &temporary);
        find_crossings(&c, g);
        for (int e = 0; e < g->nnz; e++)
            c.keep[e] = (unsigned char)stays(&c, g, g->row[e], g->col[e]);
        p = ph_arena_take(&a, 1, sizeof *p);
        lay_plan(p, &a, g);
        ph_analysis_begin(&p->base, &ph_split_ops, alloc, &a);
        fill_plan(p, &c);
        *out = &p->base;
        status = PH_OK;
    }
    ph_free(alloc, temporary.block);
    return status;
}

/* Its solutions are corrected here. */
ph_graph ph_split_graph(const ph_analysis *a)
{
    const split_plan *p = (const split_plan *)a;
    const ph_pattern *A = &a->p;
    return (ph_graph){.n = A->n,
                      .size = A->size,
                      .late = A->late,
                      .nnz = p->n_kept,
                      .row = p->row,
                      .col = p->col,
                      .trust = HUGE_VAL};
}

/* Multiplications of an elimination in this order, about. */
static double work(const ph_structure *s, const int *size)
{
    double sum = 0;
    for (int k = 0; k < s->n; k++) {
        double n = size[s->order[k]], r = n / 2;
        for (int t = s->start[k]; t < s->start[k + 1]; t++)
            r += size[s->order[s->above[t]]];
        sum += n * r * r;
    }
    return sum;
}

int ph_split_gains(const ph_graph *g, const ph_structure *order, const ph_allocator *alloc)
{
    ph_analysis *a;
    ph_structure s;
    int gains = 0;
    if (plan(&a, g, alloc) != PH_OK)
        return 0;
    ph_graph part = ph_split_graph(a);
    if (part.nnz < g->nnz && ph_order(&s, &part, alloc) == PH_OK) {
        gains = LESS * work(&s, g->size) <= work(order, g->size);
        ph_structure_free(&s, alloc);
    }
    ph_analysis_release(a);
    return gains;
}

/* ---- solver ---------------------------------------------------------------------------------------------- */

static ph_status factor(ph_solver *s, const double *value)
{
    split *b = (split *)s;
    double *to = b->part;
    b->value = value;
    for (const run *r = b->plan->run, *end = r + b->plan->n_runs; r < end; to += r->count, r++)
        memcpy(to, value + r->at, (size_t)r->count * sizeof *to);
    ph_status status = b->inner->ops->factor(b->inner, b->part);
    s->info.where = b->inner->info.where, s->info.growth = b->inner->info.growth;
    return status;
}

/* What is not finite shows in the residual. */
static void solve_part(const split *b, const double *rhs, double *x, int transposed)
{
    b->inner->ops->solve(b->inner, rhs, x, transposed);
}

/* (A13) in w.x; its backward error. Corrections end where they no longer halve it. */
static double correct(split *b, const double *rhs, int transposed)
{
    const ph_pattern *p = &b->plan->base.p;
    ph_refinement *w = &b->w;
    solve_part(b, rhs, w->x, transposed);
    double error = ph_refinement_weigh(w, p, b->value, rhs, w->x, transposed), last = HUGE_VAL;
    for (int k = 0; k < CORRECTIONS && error > ROUND_OFF && error < last / 2; k++) {
        solve_part(b, w->r, w->d, transposed);
        for (int i = 0; i < p->total; i++)
            w->x[i] += w->d[i];
        ph_pattern_rest(p, b->value, rhs, w->x, w->r, transposed);
        last = error, error = ph_refinement_error(w, p);
    }
    return error;
}

static ph_status solve(ph_solver *s, const double *rhs, double *x, int transposed)
{
    split *b = (split *)s;
    int total = b->plan->base.p.total;
    double error = correct(b, rhs, transposed);
    if (!(error <= REFINED))
        return ph_all_finite(rhs, total) ? PH_E_SINGULAR : PH_E_NAN;
    memcpy(x, b->w.x, (size_t)total * sizeof *x);
    return PH_OK;
}

static void destroy(ph_solver *s)
{
    ph_solver_destroy(((split *)s)->inner);
    ph_solver_end(s);
}

static void lay(split *b, const split_plan *p, ph_arena *a)
{
    b->part = ph_arena_take(a, (size_t)p->values, sizeof(double));
    ph_refinement_lay(&b->w, p->base.p.total, a);
}

static ph_status create(ph_solver **out, const ph_graph *graph, ph_analysis *analysis, ph_analyses *known,
                        const ph_allocator *alloc)
{
    const split_plan *p = (split_plan *)analysis;
    split trial, *b;
    ph_arena a = {0};
    ph_graph part = ph_split_graph(analysis);
    (void)graph;
    ph_arena_take(&a, 1, sizeof *b);
    lay(&trial, p, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    b = ph_arena_take(&a, 1, sizeof *b);
    lay(b, p, &a);
    ph_solver_begin(&b->base, &ph_split_ops, alloc, &a);
    b->plan = p;
    ph_status status = ph_solver_make(&b->inner, &ph_front_ops, &part, known, alloc);
    if (status != PH_OK) {
        ph_solver_end(&b->base);
        return status;
    }
    b->base.info.fill = b->inner->info.fill;
    *out = &b->base;
    return PH_OK;
}

const ph_solver_ops ph_split_ops = {"split", plan, NULL, create, factor, solve, destroy, NULL};
