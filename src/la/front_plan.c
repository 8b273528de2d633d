/* The symbolic phase of the solver of fronts.
 *
 * Column k goes into the front of k - 1 where k is its parent, so that column k - 1 is k and a part of column k, and where
 * the work of one front is less than that of two (A11). The order is that of block LU, a postorder, so a front is a range of columns. */
#include "la/front.h"

#include <limits.h>
#include <string.h>

typedef struct draft {
    ph_structure s;
    int *rank;   /* n: when a block is eliminated */
    int *at;     /* n + 1: first unknown in elimination order */
    int *beyond; /* n: unknowns that column k is coupled with */
    int *front;  /* n: front of column k */
    int *begin;  /* n + 1: first column of each front */
    int *parent; /* n: of each front; -1: none */
    int *count;  /* n + 1: entries of A in each front, then where the next one goes */
    int n_fronts, rows;
} draft;

static void lay_draft(draft *d, ph_arena *a)
{
    size_t n = (size_t)d->s.n + 1;
    int **const all[] = {&d->rank, &d->at, &d->beyond, &d->front, &d->begin, &d->parent, &d->count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = ph_arena_take(a, n, sizeof(int));
}

/* Multiplications for p pivots among p + r unknowns; assembling a number costs as much as some of them, and a front as
 * much as some thousand. */
static double work(double p, double r)
{
    return 2000 + 8 * (p + r) * (p + r) + p * p * p / 3 + p * p * r + p * r * r; /* (A11) */
}

static void find_fronts(draft *d, const ph_graph *g)
{
    const ph_structure *s = &d->s;
    int p = 0;
    for (int k = 0; k < s->n; k++) {
        int size = g->size[s->order[k]];
        d->rank[s->order[k]] = k;
        d->at[k + 1] = d->at[k] + size;
    }
    for (int k = 0; k < s->n; k++) {
        int size = d->at[k + 1] - d->at[k];
        for (int t = s->start[k]; t < s->start[k + 1]; t++)
            d->beyond[k] += g->size[s->order[s->above[t]]];
        int joined = k > 0 && s->start[k - 1] < s->start[k] && s->above[s->start[k - 1]] == k &&
                     work(p + size, d->beyond[k]) <= work(p, d->beyond[k - 1]) + work(size, d->beyond[k]);
        if (!joined)
            d->begin[d->n_fronts++] = k, p = 0;
        p += size;
        d->front[k] = d->n_fronts - 1;
    }
    d->begin[d->n_fronts] = s->n;
    for (int f = 0; f < d->n_fronts; f++) {
        int last = d->begin[f + 1] - 1, any = s->start[last] < s->start[last + 1];
        d->parent[f] = any ? d->front[s->above[s->start[last]]] : -1;
        d->rows += d->beyond[last];
    }
}

static void lay(ph_front_plan *b, ph_arena *a, const draft *d, const ph_graph *g)
{
    size_t total = (size_t)d->at[g->n];
    ph_pattern_lay(&b->base.p, g, a);
    b->front = ph_arena_take(a, (size_t)d->n_fronts, sizeof *b->front);
    b->entry = ph_arena_take(a, (size_t)g->nnz, sizeof *b->entry);
    b->row = ph_arena_take(a, (size_t)d->rows, sizeof(int));
    b->map = ph_arena_take(a, (size_t)d->rows, sizeof(int));
    b->from = ph_arena_take(a, total, sizeof(int));
    b->of = ph_arena_take(a, total, sizeof(int));
    b->within = ph_arena_take(a, total, sizeof(int));
}

/* Where column k stands in front f, which has it. */
static int place_in(const draft *d, int f, int k)
{
    const ph_structure *s = &d->s;
    int a = d->begin[f], last = d->begin[f + 1] - 1, p = d->at[last + 1] - d->at[a];
    if (k <= last)
        return d->at[k] - d->at[a];
    for (int t = s->start[last]; s->above[t] != k; t++)
        p += d->at[s->above[t] + 1] - d->at[s->above[t]];
    return p;
}

/* Rows of a front, and their places in its parent: both lists ascend. */
static void fill_rows(ph_front_plan *b, const draft *d, int f)
{
    const ph_structure *s = &d->s;
    int last = d->begin[f + 1] - 1, up = d->parent[f], at = b->front[f].rows;
    int up_last = up >= 0 ? d->begin[up + 1] - 1 : 0, t_up = up >= 0 ? s->start[up_last] : 0;
    int beyond = up >= 0 ? d->at[up_last + 1] - d->at[d->begin[up]] : 0;
    for (int t = s->start[last]; t < s->start[last + 1]; t++) {
        int k = s->above[t], size = d->at[k + 1] - d->at[k], place;
        if (k <= up_last) {
            place = d->at[k] - d->at[d->begin[up]];
        } else {
            for (; s->above[t_up] != k; t_up++)
                beyond += d->at[s->above[t_up] + 1] - d->at[s->above[t_up]];
            place = beyond;
        }
        for (int i = 0; i < size; i++, at++)
            b->row[at] = d->at[k] + i, b->map[at] = place + i;
    }
}

/* Sizes of the diagonal blocks beyond a front. */
static int beside(const draft *d, int f)
{
    const ph_structure *s = &d->s;
    int last = d->begin[f + 1] - 1, n = 0;
    for (int t = s->start[last]; t < s->start[last + 1]; t++) {
        int size = d->at[s->above[t] + 1] - d->at[s->above[t]];
        n += size * ph_front_room(size);
    }
    return n;
}

/* Sizes and places of all fronts; updates wait on a stack until their parent comes. */
static void fill_fronts(ph_front_plan *b, draft *d)
{
    int rows = 0, gross = 0;
    size_t stack = 0;
    for (int f = 0; f < d->n_fronts; f++)
        b->front[f].child = b->front[f].sibling = -1;
    for (int f = 0; f < d->n_fronts; f++) {
        ph_front *x = &b->front[f];
        int last = d->begin[f + 1] - 1;
        size_t p = (size_t)(d->at[last + 1] - d->at[d->begin[f]]), r = (size_t)d->beyond[last];
        x->p = (int)p, x->r = (int)r, x->first = d->at[d->begin[f]], x->rows = rows;
        rows += x->r;
        x->lu = b->store, x->u = x->lu + p * p, x->l = x->u + p * r;
        b->store = x->l + p * r;
        b->widest = x->p + x->r > b->widest ? x->p + x->r : b->widest;
        for (int c = x->child; c >= 0; c = b->front[c].sibling) /* the last ones on the stack */
            stack = b->front[c].update, gross = b->front[c].gross;
        x->update = stack, x->gross = gross;
        stack += r * r, gross += beside(d, f);
        b->stack = stack > b->stack ? stack : b->stack;
        b->sizes = gross > b->sizes ? gross : b->sizes;
        if (d->parent[f] >= 0)
            x->sibling = b->front[d->parent[f]].child, b->front[d->parent[f]].child = f;
        fill_rows(b, d, f);
    }
}

static void fill_entries(ph_front_plan *b, draft *d, const ph_graph *g)
{
    for (int e = 0; e < g->nnz; e++) {
        int i = d->rank[g->row[e]], j = d->rank[g->col[e]];
        d->count[d->front[i < j ? i : j] + 1]++;
    }
    for (int f = 0; f < d->n_fronts; f++) {
        d->count[f + 1] += d->count[f];
        b->front[f].entries = d->count[f], b->front[f].end = d->count[f + 1];
    }
    for (int e = 0, at = 0; e < g->nnz; e++) {
        int i = d->rank[g->row[e]], j = d->rank[g->col[e]], f = d->front[i < j ? i : j];
        int m = g->size[g->row[e]], n = g->size[g->col[e]];
        b->entry[d->count[f]++] = (ph_front_entry){at, place_in(d, f, i), place_in(d, f, j), m, n};
        at += m * n;
    }
    for (int k = 0; k < g->n; k++) {
        int size = d->at[k + 1] - d->at[k];
        b->largest = size > b->largest ? size : b->largest;
        for (int i = 0; i < size; i++) {
            b->from[d->at[k] + i] = b->base.p.first[d->s.order[k]] + i;
            b->of[d->at[k] + i] = d->s.order[k], b->within[d->at[k] + i] = i;
        }
    }
}

ph_status ph_front_make_plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc)
{
    draft d = {0};
    ph_front_plan trial, *b;
    ph_arena temporary = {0}, a = {0};
    ph_status status = ph_order_open(&d.s, g, alloc);
    if (status != PH_OK)
        return status;
    status = PH_E_MEMORY;
    lay_draft(&d, &temporary);
    if (ph_arena_open(&temporary, alloc)) {
        lay_draft(&d, &temporary);
        find_fronts(&d, g);
        ph_arena_take(&a, 1, sizeof *b);
        lay(&trial, &a, &d, g);
        if (ph_arena_open(&a, alloc)) {
            b = ph_arena_take(&a, 1, sizeof *b);
            lay(b, &a, &d, g);
            ph_analysis_begin(&b->base, &ph_front_ops, alloc, &a);
            b->n_fronts = d.n_fronts;
            fill_fronts(b, &d);
            fill_entries(b, &d, g);
            *out = &b->base;
            status = PH_OK;
        }
    }
    ph_free(alloc, temporary.block);
    ph_order_close(&d.s, g, alloc);
    return status;
}
