/* The matrix (N2) of a step before it has values: its blocks and their places, the graph of its solver, memory.
 *
 * Values stand in the order pairs, B^T, rows of lambda, [diagonals,] rows of position, [diagonals,] columns of eta. */
#include "step/newton.h"

#include "step/pattern.h"
#include "step/step_limits.h"

static int is_holonomic(const ph_layout *lay, int c)
{
    return !lay->sys->constraints[c].nonholonomic;
}

static unsigned evaluations(const ph_layout *lay, ph_formulation f)
{
    int mixed = 0;
    for (int c = 0; c < lay->C; c++)
        mixed |= !is_holonomic(lay, c);
    if (f == PH_INDEX2)
        return PH_EVAL_RATE;
    return f == PH_GGL || mixed ? PH_EVAL_PHI | PH_EVAL_RATE : PH_EVAL_PHI;
}

/* The graph of (N2) while it is being listed, with scratch for the products. */
typedef struct listing {
    int stages;              /* how often each unknown stands in its block; 1 but for Runge-Kutta stages */
    int n_blocks, count, at; /* blocks of unknowns; listed places; doubles of A so far */
    int *row, *col;          /* places, capacity known beforehand */
    int *size;               /* of each block of unknowns */
    unsigned char *late, *upper;
    int *key;                    /* scratch: keys to sort by */
    int *pair_start, *pair_item; /* pairs of each row */
    int *link_start, *link_item; /* links of each constraint */
    int *node_start, *node_item; /* links of each node */
    int *mark, *mark_at;         /* for each constraint: the row that has met it, and the place it got */
} listing;

static void put(listing *g, int row, int col)
{
    g->row[g->count] = row, g->col[g->count] = col;
    g->count++;
    g->at += g->size[row] * g->size[col];
}

static void sort_blocks(const ph_layout *lay, listing *g)
{
    for (int e = 0; e < lay->n_pairs; e++)
        g->key[e] = lay->pair[e].row;
    ph_bucket(lay->N, lay->n_pairs, g->key, NULL, g->pair_start, g->pair_item);
    for (int e = 0; e < lay->n_links; e++)
        g->key[e] = lay->link[e].row;
    ph_bucket(lay->C, lay->n_links, g->key, NULL, g->link_start, g->link_item);
    for (int e = 0; e < lay->n_links; e++)
        g->key[e] = lay->link[e].col;
    ph_bucket(lay->N, lay->n_links, g->key, NULL, g->node_start, g->node_item);
}

/* Those of a block one after the other, in the order that they have. A row has few. */
static void gather_terms(ph_term *term, int count)
{
    for (int k = 1; k < count; k++) {
        ph_term t = term[k];
        int l = k;
        for (; l > 0 && term[l - 1].at > t.at; l--)
            term[l] = term[l - 1];
        term[l] = t;
    }
}

/* One row of the columns of eta: a block for each constraint that the blocks item[0..count) reach through a
 * node, or one for the node if that is a hub. */
static int list_products(ph_newton_matrix *nm, listing *g, int row, int stamp, const ph_block *left,
                         const int *item, int count, ph_term *term)
{
    const ph_layout *lay = nm->lay;
    int terms = 0;
    for (int k = 0; k < count; k++) {
        int node = left[item[k]].col;
        if (!left[item[k]].has)
            continue; /* no block of G */
        if (nm->hub_at[node] >= 0) {
            term[terms++] = (ph_term){item[k], -1, g->at, 1, left[item[k]].at, -1};
            put(g, row, nm->hub_block[node]);
            continue;
        }
        for (int l = g->node_start[node]; l < g->node_start[node + 1]; l++) {
            int f = g->node_item[l], c = lay->link[f].row;
            if (nm->eta_at[c] < 0)
                continue;
            int first = g->mark[c] != stamp;
            if (first) {
                g->mark[c] = stamp, g->mark_at[c] = g->at;
                put(g, row, nm->eta_block[c]);
            }
            const ph_block *a = &left[item[k]], *b = &lay->link[f];
            int threes = a->m == 3 && a->n == 3 && b->m == 3;
            term[terms++] = (ph_term){item[k], f, g->mark_at[c], first, a->at, threes ? b->at : -1};
        }
    }
    gather_terms(term, terms);
    return terms;
}

/* The rows of (N6). */
static void list_hubs(ph_newton_matrix *nm, listing *g)
{
    const ph_layout *lay = nm->lay;
    nm->I_hub = g->at;
    for (int i = 0; i < lay->N; i++)
        if (nm->hub_at[i] >= 0)
            put(g, nm->hub_block[i], nm->hub_block[i]);
    nm->FB_hub = g->at;
    for (int e = 0; e < lay->n_links; e++)
        if (nm->eta_at[lay->link[e].row] >= 0 && nm->hub_at[lay->link[e].col] >= 0)
            put(g, nm->hub_block[lay->link[e].col], nm->eta_block[lay->link[e].row]);
}

static void list_stabilised(ph_newton_matrix *nm, listing *g)
{
    const ph_layout *lay = nm->lay;
    nm->P = g->at;
    for (int e = 0; e < lay->n_links; e++)
        if (nm->eta_at[lay->link[e].row] >= 0)
            put(g, nm->eta_block[lay->link[e].row], lay->link[e].col);
    nm->D_eta = g->at;
    for (int c = 0; c < lay->C && nm->redundant; c++)
        if (nm->eta_at[c] >= 0)
            put(g, nm->eta_block[c], nm->eta_block[c]);
    list_hubs(nm, g);
    sort_blocks(lay, g);
    for (int c = 0; c < lay->C; c++)
        g->mark[c] = -1;
    for (int i = 0; i < lay->N; i++)
        nm->n_X += list_products(nm, g, i, i, lay->pair, g->pair_item + g->pair_start[i],
                                 g->pair_start[i + 1] - g->pair_start[i], nm->X_term + nm->n_X);
    for (int c = 0; c < lay->C; c++)
        nm->n_Y += list_products(nm, g, lay->N + c, lay->N + c, lay->link, g->link_item + g->link_start[c],
                                 g->link_start[c + 1] - g->link_start[c], nm->Y_term + nm->n_Y);
}

/* List the places of A in the order in which the values stand: pairs that have one of the flags, all without flags;
 * B^T, lambda rows, position rows, X, Y. */
static void list_places(ph_newton_matrix *nm, listing *g, unsigned flags, int stabilised)
{
    const ph_layout *lay = nm->lay;
    for (int i = 0; i < lay->N; i++) {
        g->size[i] = g->stages * lay->slot[i].dim;
        g->upper[i] = g->stages == 1 && lay->pair[lay->diag[i]].has & PH_UPPER;
    }
    for (int c = 0; c < lay->C; c++) {
        g->size[lay->N + c] = g->stages * lay->rows[c], g->late[lay->N + c] = PH_LATE;
        if (stabilised && nm->eta_at[c] >= 0)
            g->size[nm->eta_block[c]] = lay->rows[c], g->late[nm->eta_block[c]] = PH_LATE_SECOND;
    }
    for (int i = 0; i < lay->N && stabilised; i++)
        if (nm->hub_at[i] >= 0)
            g->size[nm->hub_block[i]] = lay->slot[i].dim, g->late[nm->hub_block[i]] = 0;
    for (int e = 0; e < lay->n_pairs; e++)
        if (!flags || lay->pair[e].has & flags)
            put(g, lay->pair[e].row, lay->pair[e].col);
    nm->BT = g->at;
    for (int e = 0; e < lay->n_links; e++)
        put(g, lay->link[e].col, lay->N + lay->link[e].row);
    nm->W = g->at;
    for (int e = 0; e < lay->n_links; e++)
        put(g, lay->N + lay->link[e].row, lay->link[e].col);
    nm->D = g->at;
    for (int c = 0; c < lay->C && nm->redundant; c++)
        put(g, lay->N + c, lay->N + c);
    g->n_blocks = lay->N + lay->C;
    if (stabilised) {
        g->n_blocks += nm->n_eta_blocks + nm->n_hub_blocks;
        list_stabilised(nm, g);
    }
    nm->A_size = g->at;
}

static void take_listing(listing *g, const ph_layout *lay, size_t products, ph_arena *a)
{
    size_t N = (size_t)lay->N, C = (size_t)lay->C, P = (size_t)lay->n_pairs, L = (size_t)lay->n_links;
    size_t places = P + 4 * L + 2 * C + N + products, key = P > L ? P : L;
    g->row = ph_arena_take(a, places, sizeof(int));
    g->col = ph_arena_take(a, places, sizeof(int));
    g->size = ph_arena_take(a, 2 * N + 2 * C, sizeof(int));
    g->late = ph_arena_take(a, 2 * N + 2 * C, 1);
    g->upper = ph_arena_take(a, 2 * N + 2 * C, 1);
    g->key = ph_arena_take(a, key, sizeof(int));
    g->pair_start = ph_arena_take(a, N + 1, sizeof(int));
    g->pair_item = ph_arena_take(a, P, sizeof(int));
    g->link_start = ph_arena_take(a, C + 1, sizeof(int));
    g->link_item = ph_arena_take(a, L, sizeof(int));
    g->node_start = ph_arena_take(a, N + 1, sizeof(int));
    g->node_item = ph_arena_take(a, L, sizeof(int));
    g->mark = ph_arena_take(a, C, sizeof(int));
    g->mark_at = ph_arena_take(a, C, sizeof(int));
}

/* Constraints of each node that have an eta, and their rows. */
typedef struct crowd {
    int links, rows;
} crowd;

static int is_hub(const crowd *c)
{
    return c->links >= PH_NEWTON_HUB;
}

/* Terms of X and Y; unknowns of hubs; doubles that all of them fill at most. */
typedef struct products {
    size_t X, Y, hubs, doubles;
} products;

/* A block meets every constraint of its column's node; a copy of it stands for them where that is a hub. */
static size_t count_terms(const crowd *of, const ph_block *b, int count, products *p)
{
    size_t terms = 0;
    for (const ph_block *end = b + count; b < end; b++) {
        const crowd *c = &of[b->col];
        if (!b->has)
            continue;
        terms += is_hub(c) ? 1 : (size_t)c->links;
        p->doubles += (size_t)b->m * (size_t)(is_hub(c) ? b->n : c->rows);
    }
    return terms;
}

static products count_products(const ph_layout *lay, crowd *of)
{
    products p = {0};
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (b->holonomic)
            of[b->col].links++, of[b->col].rows += b->m;
    p.X = count_terms(of, lay->pair, lay->n_pairs, &p);
    p.Y = count_terms(of, lay->link, lay->n_links, &p);
    for (int i = 0; i < lay->N; i++)
        if (is_hub(&of[i])) {
            size_t n = (size_t)lay->slot[i].dim;
            p.hubs += n, p.doubles += n * (n + (size_t)of[i].rows);
        }
    return p;
}

/* more: doubles of S beside E */
static void take_redundant(ph_newton_matrix *nm, size_t more, ph_arena *a)
{
    const ph_layout *lay = nm->lay;
    size_t nl = (size_t)lay->nl, d = sizeof(double);
    nm->E_size = 0;
    nm->E_at = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    for (int i = 0; i < lay->N; i++) {
        if (nm->E_at)
            nm->E_at[i] = nm->E_size;
        nm->E_size += lay->slot[i].dim * lay->slot[i].dim;
    }
    nm->out = ph_arena_take(a, nl, 1);
    nm->trial = ph_arena_take(a, nl, 1);
    nm->before = ph_arena_take(a, nl, 1);
    nm->pivot = ph_arena_take(a, nl, d);
    nm->S = ph_arena_take(a, (size_t)nm->E_size + more, d);
    nm->y = ph_arena_take(a, (size_t)lay->nv + nl, d);
    nm->w = ph_arena_take(a, nl, d);
    nm->unit = ph_arena_take(a, nl, d);
}

static void take_matrix(ph_newton_matrix *nm, const products *p, ph_arena *a)
{
    const ph_layout *lay = nm->lay;
    size_t d = sizeof(double), links = (size_t)lay->size_links, pairs = (size_t)lay->size_pairs;
    size_t m = (size_t)lay->max_dim, diagonals = 0;
    int stabilised = nm->formulation == PH_GGL;
    for (int c = 0; c < lay->C && nm->redundant; c++)
        diagonals += (size_t)lay->rows[c] * (size_t)lay->rows[c];
    nm->eta_at = ph_arena_take(a, (size_t)lay->C, sizeof(int));
    nm->eta_block = ph_arena_take(a, (size_t)lay->C, sizeof(int));
    nm->hub_at = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    nm->hub_block = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    nm->b = ph_arena_take(a, (size_t)lay->nv + 2 * (size_t)lay->nl + p->hubs, d);
    nm->x = ph_arena_take(a, (size_t)lay->nv + 2 * (size_t)lay->nl + p->hubs, d);
    nm->A = ph_arena_take(a, pairs + 2 * links + 2 * diagonals + (stabilised ? links + p->doubles : 0), d);
    nm->A0 = ph_arena_take(a, pairs + 2 * links + diagonals, d);
    nm->work = ph_arena_take(a, m * m, d);
    nm->convective = ph_arena_take(a, (size_t)lay->nl, d);
    if (stabilised) {
        nm->X_term = ph_arena_take(a, p->X, sizeof(ph_term));
        nm->Y_term = ph_arena_take(a, p->Y, sizeof(ph_term));
        nm->G = ph_arena_take(a, pairs, d);
        nm->FB = ph_arena_take(a, links, d);
    }
    if (nm->redundant)
        take_redundant(nm, 2 * links + diagonals, a);
}

static void number_eta(ph_newton_matrix *nm)
{
    const ph_layout *lay = nm->lay;
    nm->n_eta = nm->n_eta_blocks = 0;
    for (int c = 0; c < lay->C; c++) {
        nm->eta_at[c] = -1;
        if (nm->formulation != PH_GGL || !is_holonomic(lay, c))
            continue;
        nm->eta_at[c] = nm->n_eta;
        nm->eta_block[c] = lay->N + lay->C + nm->n_eta_blocks++;
        nm->n_eta += lay->rows[c];
    }
}

/* of NULL: there are none */
static void number_hubs(ph_newton_matrix *nm, const crowd *of)
{
    const ph_layout *lay = nm->lay;
    nm->n_hub = nm->n_hub_blocks = 0;
    for (int i = 0; i < lay->N; i++) {
        nm->hub_at[i] = -1;
        if (!of || !is_hub(&of[i]))
            continue;
        nm->hub_at[i] = nm->n_hub;
        nm->hub_block[i] = lay->N + lay->C + nm->n_eta_blocks + nm->n_hub_blocks++;
        nm->n_hub += lay->slot[i].dim;
    }
}

/* The part of (N6) that never changes. */
static void put_identities(ph_newton_matrix *nm)
{
    double *I = nm->A + nm->I_hub;
    for (int i = 0; i < nm->lay->N; i++) {
        int n = nm->hub_at[i] < 0 ? 0 : nm->lay->slot[i].dim;
        for (int k = 0; k < n; k++)
            I[k * (n + 1)] = 1;
        I += n * n;
    }
}

static ph_status analyse(ph_newton_matrix *nm, listing *g, unsigned flags, int stabilised,
                         ph_solver_kind kind, double trust, ph_solver **out)
{
    g->count = g->at = 0;
    list_places(nm, g, flags, stabilised);
    ph_graph graph = {.n = g->n_blocks,
                      .size = g->size,
                      .late = g->late,
                      .upper = g->upper,
                      .nnz = g->count,
                      .row = g->row,
                      .col = g->col,
                      .trust = trust};
    return ph_solver_analyse_known(out, kind, &graph, nm->lay->known, nm->alloc);
}

/* The graph of (R3): constraints are eliminated first. */
static ph_status analyse_span(ph_newton_matrix *nm, listing *g, ph_solver_kind kind)
{
    const ph_layout *lay = nm->lay;
    g->count = g->at = 0;
    for (int i = 0; i < lay->N; i++)
        put(g, i, i);
    for (int e = 0; e < lay->n_links; e++)
        put(g, lay->link[e].col, lay->N + lay->link[e].row);
    for (int e = 0; e < lay->n_links; e++)
        put(g, lay->N + lay->link[e].row, lay->link[e].col);
    for (int c = 0; c < lay->C; c++)
        put(g, lay->N + c, lay->N + c);
    for (int i = 0; i < lay->N + lay->C; i++)
        g->late[i] = i < lay->N;
    ph_graph graph = {.n = lay->N + lay->C,
                      .size = g->size,
                      .late = g->late,
                      .nnz = g->count,
                      .row = g->row,
                      .col = g->col,
                      .trust = PH_NEWTON_TRUST};
    return ph_solver_analyse_known(&nm->span, kind, &graph, lay->known, nm->alloc);
}

ph_status ph_newton_analyse_stages(const ph_layout *lay, int stages, ph_solver_kind kind,
                                   const ph_allocator *alloc, ph_solver **out)
{
    ph_arena temporary = {0};
    listing g = {.stages = stages};
    ph_newton_matrix nm = {.lay = lay, .redundant = ph_layout_leaves_out(lay), .alloc = alloc};
    *out = NULL;
    take_listing(&g, lay, 0, &temporary);
    if (!ph_arena_open(&temporary, alloc))
        return PH_E_MEMORY;
    take_listing(&g, lay, 0, &temporary);
    ph_status s = analyse(&nm, &g, 0, 0, kind, PH_NEWTON_TRUST, out);
    ph_free(alloc, temporary.block);
    return s;
}

/* The first place of a list that an earlier one repeats; there is one. */
static ph_place repeated(const ph_block *b, int count)
{
    for (int e = 0; e < count; e++)
        for (int f = 0; f < e; f++)
            if (b[e].row == b[f].row && b[e].col == b[f].col)
                return (ph_place){b[e].row, b[e].col};
    return (ph_place){-1, -1};
}

static ph_status refuse_twice(const ph_layout *lay, ph_error *err)
{
    ph_place p = repeated(lay->pair, lay->n_pairs), l = repeated(lay->link, lay->n_links);
    if (p.row >= 0)
        return ph_fail(err, PH_E_INPUT, "the place (%d, %d) is listed twice among the pairs", p.row, p.col);
    return ph_fail(err, PH_E_INPUT, "the place (%d, %d) is listed twice among the links", l.row, l.col);
}

ph_status ph_newton_create(ph_newton_matrix *nm, const ph_layout *lay, int steps, ph_formulation f,
                           ph_solver_kind kind, const ph_allocator *alloc, ph_error *err)
{
    ph_arena counts = {0}, own = {0}, temporary = {0};
    listing g = {.stages = 1};
    products p = {0};
    ph_status s = PH_E_MEMORY;
    *nm = (ph_newton_matrix){.lay = lay,
                             .formulation = f,
                             .what = evaluations(lay, f),
                             .redundant = ph_layout_leaves_out(lay),
                             .tolerable = {HUGE_VAL, HUGE_VAL},
                             .turn = 1,
                             .alloc = alloc};
    crowd *of = ph_arena_take(&counts, (size_t)lay->N, sizeof *of); /* NULL */
    if (f == PH_GGL && ph_arena_open(&counts, alloc)) {
        of = ph_arena_take(&counts, (size_t)lay->N, sizeof *of);
        p = count_products(lay, of);
    }
    take_matrix(nm, &p, &own);
    take_listing(&g, lay, p.X + p.Y, &temporary);
    if ((f == PH_GGL && !counts.block) || !ph_arena_open(&own, alloc) || !ph_arena_open(&temporary, alloc))
        goto done;
    nm->block = own.block;
    take_matrix(nm, &p, &own);
    take_listing(&g, lay, p.X + p.Y, &temporary);
    number_eta(nm);
    number_hubs(nm, of);
    nm->n = lay->nv + lay->nl + nm->n_eta + nm->n_hub;
    s = analyse(nm, &g, PH_HAS_M, 0, kind, 0, &nm->initial);
    nm->BT0 = nm->BT;
    if (s == PH_OK && steps)
        s = analyse(nm, &g, 0, f == PH_GGL, kind, PH_NEWTON_TRUST, &nm->solver);
    if (nm->n_hub > 0)
        put_identities(nm);
    if (s == PH_OK && nm->redundant)
        s = analyse_span(nm, &g, kind);
done:
    if (!nm->block)
        ph_free(alloc, own.block);
    ph_free(alloc, temporary.block);
    ph_free(alloc, counts.block);
    if (s == PH_E_INPUT)
        return refuse_twice(lay, err);
    return s == PH_OK ? s : ph_fail(err, s, "not enough memory for the matrix of the system");
}

void ph_newton_destroy(ph_newton_matrix *nm)
{
    ph_solver_destroy(nm->solver);
    ph_solver_destroy(nm->initial);
    ph_solver_destroy(nm->span);
    ph_free(nm->alloc, nm->block);
    *nm = (ph_newton_matrix){0};
}
