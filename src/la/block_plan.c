/* The symbolic phase of block LU: from a graph to the program of block.h.
 *
 * Where blocks of A, L and U stand is found here, once, so that the numeric phase searches for nothing: a
 * block of U from which nothing is subtracted is read from A itself; one of L that stays zero is the block
 * of zeros. */
#include "la/block.h"

#include <limits.h>
#include <string.h>

/* What is known before the object can be laid out. */
typedef struct draft {
    ph_structure s;
    int *rank;               /* n: when a block is eliminated */
    int *cursor;             /* n: next block of column m */
    int *at;                 /* n: place of block i among the entries of the present column */
    int *diagonal;           /* n: place of A_kk */
    ph_block_target *target; /* entries */
    unsigned char *has;      /* entries: 1: L_ik is not zero, 2: U_ki is not */
    size_t pairs, store;
    int largest;
} draft;

static void lay_draft(draft *d, ph_arena *a)
{
    size_t n = (size_t)d->s.n, entries = (size_t)d->s.start[d->s.n];
    d->rank = ph_arena_take(a, n, sizeof(int));
    d->cursor = ph_arena_take(a, n, sizeof(int));
    d->at = ph_arena_take(a, n, sizeof(int));
    d->diagonal = ph_arena_take(a, n, sizeof(int));
    d->target = ph_arena_take(a, entries, sizeof(ph_block_target));
    d->has = ph_arena_take(a, entries, 1);
}

static int find(const ph_structure *s, int k, int i)
{
    int low = s->start[k], high = s->start[k + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->above[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Places of the blocks of A. */
static void locate(draft *d, const ph_graph *g)
{
    const ph_structure *s = &d->s;
    for (int k = 0; k < s->n; k++)
        d->rank[s->order[k]] = k, d->diagonal[k] = PH_PLACE_ZERO;
    for (int t = 0; t < s->start[s->n]; t++)
        d->target[t] = (ph_block_target){.l_init = PH_PLACE_ZERO, .u_init = PH_PLACE_ZERO};
    int at = 0;
    for (int e = 0; e < g->nnz; e++) {
        int i = d->rank[g->row[e]], j = d->rank[g->col[e]];
        if (i == j) {
            d->diagonal[i] = 2 * at;
        } else if (i > j) {
            int t = find(s, j, i);
            d->target[t].l_init = 2 * at, d->has[t] |= 1;
        } else {
            int t = find(s, i, j);
            d->target[t].u_init = 2 * at, d->has[t] |= 2;
        }
        at += g->size[g->row[e]] * g->size[g->col[e]];
    }
}

/* Which of - L_im U_mk (1) and - L_km U_mi (2) are not zero by structure; entries (k,m) and (i,m) of
 * column m. */
static int pair_kind(const draft *d, int km, int im)
{
    int k = d->has[km], i = d->has[im];
    return ((i & 1) && (k & 2) ? 1 : 0) | ((k & 1) && (i & 2) ? 2 : 0);
}

/* Calls visit for every pair of every column k, columns, m and i ascending. */
static void each_pair(draft *d, void (*visit)(draft *d, int ik, int km, int im, int m, void *ctx), void *ctx)
{
    const ph_structure *s = &d->s;
    memcpy(d->cursor, s->start, (size_t)s->n * sizeof(int));
    for (int k = 0; k < s->n; k++) {
        for (int t = s->start[k]; t < s->start[k + 1]; t++)
            d->at[s->above[t]] = t;
        for (int b = s->first[k]; b < s->first[k + 1]; b++) {
            int m = s->below[b], km = d->cursor[m]++;
            for (int im = km + 1; im < s->start[m + 1]; im++)
                if (pair_kind(d, km, im))
                    visit(d, d->at[s->above[im]], km, im, m, ctx);
        }
    }
}

static void count_pair(draft *d, int ik, int km, int im, int m, void *ctx)
{
    (void)m, (void)ctx;
    d->has[ik] |= (unsigned char)pair_kind(d, km, im);
    d->target[ik].pairs_end++;
    d->pairs++;
}

/* How many doubles the store has. */
static size_t measure(const draft *d, const ph_graph *g)
{
    const ph_structure *s = &d->s;
    size_t store = (size_t)d->largest * (size_t)d->largest;
    for (int k = 0; k < s->n; k++) {
        size_t size = (size_t)g->size[s->order[k]];
        store += size * (size_t)ph_place_size((int)size);
        for (int t = s->start[k]; t < s->start[k + 1]; t++) {
            size_t block = size * (size_t)g->size[s->order[s->above[t]]];
            store +=
                (d->has[t] & 1 || d->target[t].pairs_end ? block : 0) + (d->target[t].pairs_end ? block : 0);
        }
    }
    return store;
}

static void lay(ph_block_program *b, ph_arena *a, const draft *d, const ph_graph *g)
{
    size_t n = (size_t)g->n, entries = (size_t)d->s.start[g->n];
    ph_pattern_lay(&b->base.p, g, a);
    b->pivot = ph_arena_take(a, n + 1, sizeof(ph_pivot));
    b->below = ph_arena_take(a, entries, sizeof(ph_block_neighbour));
    b->above = ph_arena_take(a, entries, sizeof(ph_block_neighbour));
    b->target = ph_arena_take(a, entries, sizeof(ph_block_target));
    b->pair = ph_arena_take(a, d->pairs, sizeof(ph_pair));
    b->order = ph_arena_take(a, n, sizeof(int));
}

/* Pivots, and neighbours in columns, with their places. d->at becomes each pivot's first unknown in
 * elimination order. */
static void fill_columns(ph_block_program *b, draft *d)
{
    const ph_structure *s = &d->s;
    int store = d->largest * d->largest, y = 0, pairs = 0;
    for (int k = 0; k < s->n; k++)
        d->at[k] = y, y += ph_place_size(b->base.p.size[s->order[k]]);
    for (int k = 0; k < s->n; k++) {
        int block = s->order[k], size = b->base.p.size[block];
        b->order[k] = block;
        b->pivot[k] = (ph_pivot){.size = size,
                                 .all3 = size == 3,
                                 .init = d->diagonal[k],
                                 .inverse = store,
                                 .unknown = b->base.p.first[block],
                                 .guarded = !b->base.p.late[block] && d->diagonal[k] != PH_PLACE_ZERO &&
                                            s->first[k] < s->first[k + 1],
                                 .below_end = s->first[k + 1],
                                 .above_end = s->start[k + 1]};
        store += size * ph_place_size(size);
        for (int t = s->start[k]; t < s->start[k + 1]; t++) {
            int i = s->above[t], size_i = b->base.p.size[s->order[i]], count = d->target[t].pairs_end;
            ph_block_neighbour e = {0, d->target[t].u_init, d->at[i], size_i};
            if (d->has[t] & 1 || count)
                e.l = store, store += size * size_i;
            if (count)
                e.u = 2 * store + 1, store += size * size_i;
            b->above[t] = e;
            b->target[t] = d->target[t];
            b->target[t].l = e.l, b->target[t].u = e.u >> 1, b->target[t].size = size_i;
            b->target[t].pairs_end = pairs; /* its start for now: fill_pair counts it up */
            pairs += count;
            b->pivot[k].all3 &= size_i == 3;
        }
    }
}

/* Neighbours in rows: the same entries, gathered by row. */
static void fill_rows(ph_block_program *b, draft *d)
{
    const ph_structure *s = &d->s;
    memcpy(d->cursor, s->start, (size_t)s->n * sizeof(int));
    for (int k = 0; k < s->n; k++)
        for (int t = s->first[k]; t < s->first[k + 1]; t++) {
            int m = s->below[t];
            b->below[t] = b->above[d->cursor[m]++];
            b->below[t].y = d->at[m];
            b->below[t].size = b->pivot[m].size;
            b->pivot[k].all3 &= b->pivot[m].size == 3;
        }
}

static void fill_pair(draft *d, int ik, int km, int im, int m, void *ctx)
{
    ph_block_program *b = ctx;
    int kind = pair_kind(d, km, im);
    ph_pair *p = &b->pair[b->target[ik].pairs_end++];
    *p = (ph_pair){0, PH_PLACE_ZERO, 0, PH_PLACE_ZERO, b->pivot[m].size};
    if (kind & 1)
        p->l_im = b->above[im].l, p->u_mk = b->above[km].u;
    if (kind & 2)
        p->l_km = b->above[km].l, p->u_mi = b->above[im].u;
}

ph_status ph_block_plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc)
{
    draft d = {0};
    ph_block_program trial, *b;
    ph_arena temporary = {0}, a = {0};
    ph_status status = ph_order_open(&d.s, g, alloc);
    if (status != PH_OK)
        return status;
    status = PH_E_MEMORY;
    lay_draft(&d, &temporary);
    if (ph_arena_open(&temporary, alloc)) {
        lay_draft(&d, &temporary);
        for (int i = 0; i < g->n; i++)
            d.largest = g->size[i] > d.largest ? g->size[i] : d.largest;
        locate(&d, g);
        each_pair(&d, count_pair, NULL);
        d.store = measure(&d, g);
        ph_arena_take(&a, 1, sizeof *b);
        lay(&trial, &a, &d, g);
        if (d.store < INT_MAX / 2 && d.pairs < INT_MAX && ph_arena_open(&a, alloc)) {
            b = ph_arena_take(&a, 1, sizeof *b);
            lay(b, &a, &d, g);
            b->pivot++;
            ph_analysis_begin(&b->base, &ph_block_ops, alloc, &a);
            b->n = g->n, b->largest = d.largest, b->store = d.store;
            fill_columns(b, &d);
            fill_rows(b, &d);
            each_pair(&d, fill_pair, b);
            *out = &b->base;
            status = PH_OK;
        }
    }
    ph_free(alloc, temporary.block);
    ph_order_close(&d.s, g, alloc);
    return status;
}
