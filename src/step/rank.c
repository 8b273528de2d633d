/* Which rows of the constraints those before them imply: one by one, in their order, they go to an echelon
 * form, with columns in an order of nodes that keeps it sparse. Of the rows of one constraint those come last
 * that others nearly imply: what is left out then is what the rest determines best. */
#include <math.h>
#include <string.h>

#include "la/echelon.h"
#include "la/order.h"
#include "la/small.h"
#include "step/rank.h"

/* Rows with less than this outside the span of those before them, relative to their size, come last. */
#define PLAIN 0.1

typedef struct ranker {
    const ph_layout *lay;
    const double *B; /* links */
    double least;    /* outside the span, or a row is dependent */
    const ph_allocator *alloc;
    ph_echelon *rows;      /* the independent ones so far */
    int *first, *list;     /* C + 2, n_links: links of each constraint */
    int *size, *row, *col; /* graph of nodes and constraints: N + C; n_links */
    unsigned char *late;   /* N + C */
    int *column, *twin;    /* N: first column of a node; number of those in the same constraints */
    int *seen, *new_of;    /* n_links + 1 */
    int *block;            /* nv: twin of its node */
    int *entry_col;        /* nv: one row */
    double *entry;         /* nv */
    double *left;          /* nl: outside the span, when it was tried last */
} ranker;

static void take(ranker *r, ph_arena *a)
{
    size_t N = (size_t)r->lay->N, C = (size_t)r->lay->C, L = (size_t)r->lay->n_links, nv = (size_t)r->lay->nv;
    r->first = ph_arena_take(a, C + 2, sizeof(int));
    r->list = ph_arena_take(a, L, sizeof(int));
    r->size = ph_arena_take(a, N + C, sizeof(int));
    r->row = ph_arena_take(a, L, sizeof(int));
    r->col = ph_arena_take(a, L, sizeof(int));
    r->late = ph_arena_take(a, N + C, 1);
    r->column = ph_arena_take(a, N, sizeof(int));
    r->twin = ph_arena_take(a, N, sizeof(int));
    r->seen = ph_arena_take(a, L + 1, sizeof(int));
    r->new_of = ph_arena_take(a, L + 1, sizeof(int));
    r->block = ph_arena_take(a, nv, sizeof(int));
    r->entry_col = ph_arena_take(a, nv, sizeof(int));
    r->entry = ph_arena_take(a, nv, sizeof(double));
    r->left = ph_arena_take(a, (size_t)r->lay->nl, sizeof(double));
}

/* Nodes in the same constraints, such as position and rotation of a body, get one number in twin:
 * constraint by constraint, those of one number are told from those that are not linked here. new_of and
 * seen are by number. */
static void find_twins(ranker *r)
{
    int count = 1;
    for (int c = 0; c < r->lay->C; c++)
        for (int t = r->first[c]; t < r->first[c + 1]; t++) {
            int *twin = &r->twin[r->lay->link[r->list[t]].col];
            if (r->seen[*twin] != c + 1)
                r->seen[*twin] = c + 1, r->new_of[*twin] = count++;
            *twin = r->new_of[*twin];
        }
}

/* Links by constraint; first has one place more than it will keep. */
static void sort_links(ranker *r)
{
    int *at = r->first + 1;
    for (int e = 0; e < r->lay->n_links; e++)
        at[r->lay->link[e].row + 1]++;
    for (int c = 0; c < r->lay->C; c++)
        at[c + 1] += at[c];
    for (int e = 0; e < r->lay->n_links; e++)
        r->list[at[r->lay->link[e].row]++] = e;
}

/* Columns in an order of nodes that keeps fill of B^T B low: eliminating a constraint of this graph
 * couples its nodes as B^T B does, and a node comes after its constraints. */
static ph_status order_columns(ranker *r)
{
    int N = r->lay->N, cols = 0;
    ph_structure s;
    for (int i = 0; i < N; i++)
        r->size[i] = r->lay->slot[i].dim, r->late[i] = 1;
    for (int c = 0; c < r->lay->C; c++)
        r->size[N + c] = r->lay->rows[c];
    for (int e = 0; e < r->lay->n_links; e++)
        r->row[e] = N + r->lay->link[e].row, r->col[e] = r->lay->link[e].col;
    ph_graph g = {.n = N + r->lay->C, .size = r->size, .late = r->late, .nnz = r->lay->n_links};
    g.row = r->row, g.col = r->col;
    ph_status status = ph_order(&s, &g, r->alloc);
    for (int k = 0; k < g.n && status == PH_OK; k++)
        if (s.order[k] < N) {
            int i = s.order[k];
            r->column[i] = cols;
            for (int j = 0; j < r->size[i]; j++)
                r->block[cols++] = r->twin[i];
        }
    ph_structure_free(&s, r->alloc);
    return status;
}

/* Try row i of constraint c, which is kept if it has more than least outside the span. */
static ph_status try_row(ranker *r, int c, int i, double least)
{
    int n = 0;
    for (int t = r->first[c]; t < r->first[c + 1]; t++) {
        const ph_block *b = &r->lay->link[r->list[t]];
        for (int j = 0; j < b->n; j++, n++)
            r->entry_col[n] = r->column[b->col] + j, r->entry[n] = r->B[b->at + i * b->n + j];
    }
    return ph_echelon_add(r->rows, n, r->entry_col, r->entry, least, &r->left[r->lay->l_at[c] + i]);
}

/* The row of a constraint that has most outside the span, of those that are neither kept nor dependent; -1: none. */
static int next_row(const double *left, const unsigned char *settled, int n)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (!settled[i] && (best < 0 || left[i] > left[best]))
            best = i;
    return best;
}

/* dependent marks rows that are settled until they all are. */
static ph_status add_constraint(ranker *r, int c, unsigned char *dependent)
{
    int n = r->lay->rows[c], at = r->lay->l_at[c];
    ph_status s = PH_OK;
    for (int i = 0; i < n && s == PH_OK; i++) {
        s = try_row(r, c, i, PLAIN);
        dependent[at + i] = r->left[at + i] > PLAIN;
    }
    for (int i; s == PH_OK && (i = next_row(r->left + at, dependent + at, n)) >= 0;) {
        s = try_row(r, c, i, r->least);
        dependent[at + i] = 1;
    }
    for (int i = 0; i < n; i++)
        dependent[at + i] = !(r->left[at + i] > r->least);
    return s;
}

static ph_status examine(ranker *r, unsigned char *dependent)
{
    sort_links(r);
    find_twins(r);
    ph_status s = order_columns(r);
    if (s == PH_OK)
        s = ph_echelon_create(&r->rows, r->lay->nv, r->block, r->alloc);
    for (int c = 0; c < r->lay->C && s == PH_OK; c++)
        s = add_constraint(r, c, dependent);
    ph_echelon_destroy(r->rows);
    return s;
}

ph_status ph_rank_rows(const ph_layout *lay, const double *B, double least, const ph_allocator *alloc,
                       unsigned char *dependent)
{
    ranker r = {.lay = lay, .B = B, .least = least, .alloc = alloc};
    ph_arena a = {0};
    if (!isfinite(ph_small_max(lay->size_links, B)))
        return PH_E_NAN;
    take(&r, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    take(&r, &a);
    ph_status s = examine(&r, dependent);
    ph_free(alloc, a.block);
    return s;
}

/* ---- of a system ----------------------------------------------------------------------------------- */

typedef struct subject {
    ph_system sys; /* a copy that announces no redundant rows */
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    unsigned char *dependent; /* nl */
} subject;

static void take_subject(subject *r, ph_arena *a)
{
    ph_layout_take(&r->lay, a);
    ph_eval_take(&r->ev, &r->lay, a);
    ph_point_take(&r->at, &r->lay, a);
    r->dependent = ph_arena_take(a, (size_t)r->lay.nl, 1);
}

static ph_status rank(subject *r, int *dependent, ph_error *err)
{
    ph_state s = ph_point_view(&r->at, &r->lay);
    ph_status status = ph_eval_links(&r->ev, &s, r->ev.B);
    if (status != PH_OK)
        return ph_fail(err, status, "the callback %s refused", r->ev.refused);
    status = ph_rank_rows(&r->lay, r->ev.B, PH_ECHELON_DEPENDENT, NULL, r->dependent);
    if (status == PH_E_NAN)
        return ph_fail(err, status, "the callback B gave a number that is not finite");
    if (status != PH_OK)
        return ph_fail(err, status, "not enough memory to examine the constraints");
    for (int c = 0; c < r->lay.C; c++)
        for (int i = 0; i < r->lay.rows[c]; i++)
            dependent[c] += r->dependent[r->lay.l_at[c] + i];
    return PH_OK;
}

ph_status ph_system_rank(const ph_system *sys, double t, const double *q, int *dependent, ph_error *err)
{
    subject r = {0};
    ph_arena a = {0};
    ph_status s = ph_layout_measure(&r.lay, sys, err);
    if (s != PH_OK)
        return s;
    r.sys = *sys, r.sys.n_redundant = 0, r.lay.sys = &r.sys;
    memset(dependent, 0, sizeof(int) * (size_t)r.lay.C);
    if (!r.lay.C)
        return PH_OK;
    take_subject(&r, &a);
    if (!ph_arena_open(&a, NULL))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to examine the constraints");
    take_subject(&r, &a);
    s = ph_layout_fill(&r.lay, err);
    if (s == PH_OK)
        s = ph_layout_check(&r.lay, t, q, NULL, err);
    if (s == PH_OK) {
        r.at.t = t;
        memcpy(r.at.q, q, sizeof(double) * (size_t)r.lay.nq);
        ph_point_rotations(&r.at, &r.lay);
        s = rank(&r, dependent, err);
    }
    ph_free(NULL, a.block);
    return s;
}
