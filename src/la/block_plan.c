/* The symbolic phase of block LU: from a graph to the program of block.h.
 *
 * A block of 6 unknowns whose diagonal block is upper (solver.h), as that of a body on SE(3), and whose neighbours have 3 is
 * eliminated in two halves: below the diagonal of its own there is nothing to do, and all products are of 3 x 3 blocks.
 *
 * Where blocks of A, L and U stand is found here, once, so that the numeric phase searches for nothing: a
 * block of U from which nothing is subtracted is read from A itself; one of L that stays zero is the block
 * of zeros. */
#include "la/block.h"

#include <limits.h>
#include <string.h>

/* The graph that is eliminated: that of A, with halves in place of some of its blocks. */
typedef struct parts {
    ph_graph g;
    int *size, *row, *col; /* of g, as is late */
    unsigned char *late;
    int *whole, *unknown; /* n: the block of A; its first unknown in the order of A */
    int *place;           /* nnz: of the values */
    int *first;           /* blocks of A + 1: the first part of each */
    void *block;
} parts;

static void lay_parts(parts *p, const ph_graph *g, ph_arena *a)
{
    size_t n = 2 * (size_t)g->n, nnz = 4 * (size_t)g->nnz;
    p->size = ph_arena_take(a, n, sizeof(int));
    p->whole = ph_arena_take(a, n, sizeof(int));
    p->unknown = ph_arena_take(a, n, sizeof(int));
    p->late = ph_arena_take(a, n, 1);
    p->first = ph_arena_take(a, (size_t)g->n + 1, sizeof(int));
    p->row = ph_arena_take(a, nnz, sizeof(int));
    p->col = ph_arena_take(a, nnz, sizeof(int));
    p->place = ph_arena_take(a, nnz, sizeof(int));
}

/* How many parts each block of A has stands in first[i + 1]; halves 0: none has two. */
static void halve(parts *p, const ph_graph *g, int halves)
{
    for (int i = 0; i < g->n; i++)
        p->first[i + 1] = halves && g->upper && g->upper[i] ? 2 : 1;
    for (int e = 0; e < g->nnz; e++) {
        int i = g->row[e], j = g->col[e];
        if (i != j && g->size[j] != 3)
            p->first[i + 1] = 1;
        if (i != j && g->size[i] != 3)
            p->first[j + 1] = 1;
    }
}

/* The parts of a listed block, the first of whose values is at. */
static void list_parts(parts *p, int i, int j, int rows, int cols, int at)
{
    int down = p->first[i + 1] - p->first[i], across = p->first[j + 1] - p->first[j];
    for (int k = 0; k < down; k++)
        for (int l = 0; l < across; l++) {
            if (i == j && k > l)
                continue;
            int e = p->g.nnz++;
            p->row[e] = p->first[i] + k, p->col[e] = p->first[j] + l;
            p->place[e] = ph_place(at + k * rows / down * cols + l * cols / across,
                                   across > 1 ? PH_IN_SIXES : PH_IN_VALUES);
        }
}

static ph_status open_parts(parts *p, const ph_graph *g, int halves, const ph_allocator *alloc)
{
    ph_arena a = {0};
    *p = (parts){0};
    lay_parts(p, g, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    lay_parts(p, g, &a);
    p->block = a.block;
    halve(p, g, halves);
    for (int i = 0, unknown = 0; i < g->n; i++) {
        int count = p->first[i + 1];
        for (int k = 0; k < count; k++, unknown += g->size[i] / count) {
            int part = p->first[i] + k;
            p->size[part] = g->size[i] / count, p->late[part] = g->late ? g->late[i] : 0;
            p->whole[part] = i, p->unknown[part] = unknown;
        }
        p->first[i + 1] += p->first[i];
    }
    p->g = (ph_graph){.n = p->first[g->n], .size = p->size, .late = p->late, .row = p->row, .col = p->col};
    for (int e = 0, at = 0; e < g->nnz; e++) {
        int m = g->size[g->row[e]], n = g->size[g->col[e]];
        list_parts(p, g->row[e], g->col[e], m, n, at);
        at += m * n;
    }
    if (p->g.n == g->n)
        p->g.ordered = g->ordered;
    return PH_OK;
}

/* What is known before the object can be laid out. */
typedef struct draft {
    ph_structure s;
    int *rank;               /* n: when a block is eliminated */
    int *cursor;             /* n: next block of column m */
    int *at;                 /* n: place of block i among the entries of the present column */
    int *diagonal;           /* n: place of A_kk */
    ph_block_target *target; /* entries */
    unsigned char *has;      /* entries: 1: L_ik is not zero, 2: U_ki is not, 4: U_ki is not that of A */
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
static void locate(draft *d, const parts *p)
{
    const ph_structure *s = &d->s;
    const ph_graph *g = &p->g;
    for (int k = 0; k < s->n; k++)
        d->rank[s->order[k]] = k, d->diagonal[k] = PH_PLACE_ZERO;
    for (int t = 0; t < s->start[s->n]; t++)
        d->target[t] = (ph_block_target){.l_init = PH_PLACE_ZERO, .u_init = PH_PLACE_ZERO};
    for (int e = 0; e < g->nnz; e++) {
        int i = d->rank[g->row[e]], j = d->rank[g->col[e]];
        if (i == j) {
            d->diagonal[i] = p->place[e];
        } else if (i > j) {
            int t = find(s, j, i);
            d->target[t].l_init = p->place[e], d->has[t] |= 1;
        } else {
            int t = find(s, i, j);
            d->target[t].u_init = p->place[e], d->has[t] |= 2;
        }
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
    int kind = pair_kind(d, km, im);
    d->has[ik] |= (unsigned char)(kind & 2 ? kind | 4 : kind);
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
            store += (d->has[t] & 1 ? block : 0) + (d->has[t] & 4 ? block : 0);
        }
    }
    return store;
}

static void lay(ph_block_program *b, ph_arena *a, const draft *d, const ph_graph *g)
{
    size_t n = (size_t)d->s.n, entries = (size_t)d->s.start[d->s.n];
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
static void fill_columns(ph_block_program *b, draft *d, const parts *p)
{
    const ph_structure *s = &d->s;
    int store = d->largest * d->largest, y = 0, pairs = 0;
    for (int k = 0; k < s->n; k++)
        d->at[k] = y, y += ph_place_size(p->size[s->order[k]]);
    for (int k = 0; k < s->n; k++) {
        int block = s->order[k], size = p->size[block];
        b->order[k] = p->whole[block];
        b->pivot[k] = (ph_pivot){.size = size,
                                 .all3 = size == 3,
                                 .init = d->diagonal[k],
                                 .inverse = store,
                                 .unknown = p->unknown[block],
                                 .guarded = !p->late[block] && d->diagonal[k] != PH_PLACE_ZERO,
                                 .below_end = s->first[k + 1],
                                 .above_end = s->start[k + 1]};
        store += size * ph_place_size(size);
        for (int t = s->start[k]; t < s->start[k + 1]; t++) {
            int i = s->above[t], size_i = p->size[s->order[i]], count = d->target[t].pairs_end;
            ph_block_neighbour e = {0, d->target[t].u_init, d->at[i], size_i};
            if (d->has[t] & 1)
                e.l = store, store += size * size_i;
            if (d->has[t] & 4)
                e.u = ph_place(store, PH_IN_STORE), store += size * size_i;
            b->above[t] = e;
            b->target[t] = d->target[t];
            b->target[t].l = e.l, b->target[t].u = d->has[t] & 4 ? e.u >> 2 : 0, b->target[t].size = size_i;
            b->target[t].pairs_end = pairs; /* its start for now: fill_pair counts it up */
            pairs += count;
            b->pivot[k].all3 &= size_i == 3;
        }
    }
}

/* The neighbours of row k whose L is not zero, or whose L is, from place at on; returns their end. */
static int gather_row(ph_block_program *b, const draft *d, int k, int at, int zero)
{
    const ph_structure *s = &d->s;
    for (int t = s->first[k]; t < s->first[k + 1]; t++) {
        int m = s->below[t];
        ph_block_neighbour e = b->above[d->cursor[m]];
        if ((e.l == 0) != zero)
            continue;
        e.y = d->at[m], e.size = b->pivot[m].size;
        b->below[at++] = e;
    }
    return at;
}

/* Neighbours in rows: the same entries, gathered by row. */
static void fill_rows(ph_block_program *b, draft *d)
{
    const ph_structure *s = &d->s;
    memcpy(d->cursor, s->start, (size_t)s->n * sizeof(int));
    for (int k = 0; k < s->n; k++) {
        ph_pivot *p = &b->pivot[k];
        p->lower_end = gather_row(b, d, k, s->first[k], 0);
        p->guarded &= p->lower_end > s->first[k];
        gather_row(b, d, k, p->lower_end, 1);
        for (int t = s->first[k]; t < s->first[k + 1]; t++)
            d->cursor[s->below[t]]++, p->all3 &= b->pivot[s->below[t]].size == 3;
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

/* The program of a graph whose parts have an order. */
static ph_status write(ph_analysis **out, draft *d, const parts *p, const ph_graph *g,
                       const ph_allocator *alloc)
{
    ph_block_program trial, *b;
    ph_arena a = {0};
    for (int i = 0; i < p->g.n; i++)
        d->largest = p->size[i] > d->largest ? p->size[i] : d->largest;
    locate(d, p);
    each_pair(d, count_pair, NULL);
    d->store = measure(d, &p->g);
    ph_arena_take(&a, 1, sizeof *b);
    lay(&trial, &a, d, g);
    if (d->store >= INT_MAX / 4 || d->pairs >= INT_MAX || !ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    b = ph_arena_take(&a, 1, sizeof *b);
    lay(b, &a, d, g);
    b->pivot++;
    ph_analysis_begin(&b->base, &ph_block_ops, alloc, &a);
    b->n = p->g.n, b->largest = d->largest, b->store = d->store, b->halves = p->g.n > g->n;
    fill_columns(b, d, p);
    fill_rows(b, d);
    each_pair(d, fill_pair, b);
    *out = &b->base;
    return PH_OK;
}

static ph_status plan_parts(ph_analysis **out, const parts *p, const ph_graph *g, const ph_allocator *alloc)
{
    draft d = {0};
    ph_arena temporary = {0};
    ph_status status = ph_order_open(&d.s, &p->g, alloc);
    if (status != PH_OK)
        return status;
    status = PH_E_MEMORY;
    lay_draft(&d, &temporary);
    if (ph_arena_open(&temporary, alloc)) {
        lay_draft(&d, &temporary);
        status = write(out, &d, p, g, alloc);
    }
    ph_free(alloc, temporary.block);
    ph_order_close(&d.s, &p->g, alloc);
    return status;
}

/* Pivot k reads a block whose rows stand 6 apart. */
static int reads_sixes(const ph_block_program *b, int k)
{
    const ph_pivot *p = &b->pivot[k];
    int any = p->init;
    for (int t = p[-1].below_end; t < p->below_end; t++)
        any |= b->below[t].u;
    for (int t = p[-1].above_end; t < p->above_end; t++) {
        any |= b->above[t].u | b->target[t].l_init | b->target[t].u_init;
        for (int i = t ? b->target[t - 1].pairs_end : 0; i < b->target[t].pairs_end; i++)
            any |= b->pair[i].u_mk | b->pair[i].u_mi;
    }
    return any & PH_IN_SIXES;
}

/* Only pivots with neighbours of size 3 alone read such blocks: halves may meet others, once elimination has begun. */
static int is_readable(const ph_block_program *b)
{
    for (int k = 0; k < b->n; k++)
        if (!b->pivot[k].all3 && reads_sixes(b, k))
            return 0;
    return 1;
}

static ph_status plan(ph_analysis **out, const ph_graph *g, int halves, const ph_allocator *alloc)
{
    parts p;
    ph_status status = open_parts(&p, g, halves, alloc);
    if (status == PH_OK)
        status = plan_parts(out, &p, g, alloc);
    ph_free(alloc, p.block);
    return status;
}

ph_status ph_block_plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc)
{
    ph_status status = plan(out, g, 1, alloc);
    if (status != PH_OK || is_readable((const ph_block_program *)*out))
        return status;
    ph_analysis_release(*out);
    return plan(out, g, 0, alloc);
}
