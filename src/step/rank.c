/* Which rows of the constraints those before them imply: one by one, in their order, they go to an echelon
 * form, with columns in an order of nodes that keeps it sparse. */
#include <math.h>
#include <string.h>

#include "la/echelon.h"
#include "la/order.h"
#include "la/small.h"
#include "step/eval.h"

typedef struct ranker {
    ph_system sys; /* a copy that announces no redundant rows */
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    int *first, *list;     /* C + 2, n_links: links of each constraint */
    int *size, *row, *col; /* graph of nodes and constraints: N + C; n_links */
    unsigned char *late;   /* N + C */
    int *column, *twin;    /* N: first column of a node; number of those in the same constraints */
    int *seen, *new_of;    /* n_links + 1 */
    int *block;            /* nv: twin of its node */
    int *entry_col;        /* nv: one row */
    double *entry;         /* nv */
} ranker;

static void take(ranker *r, ph_arena *a)
{
    size_t N = (size_t)r->lay.N, C = (size_t)r->lay.C, L = (size_t)r->lay.n_links, nv = (size_t)r->lay.nv;
    ph_layout_take(&r->lay, a);
    ph_eval_take(&r->ev, &r->lay, a);
    ph_point_take(&r->at, &r->lay, a);
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
}

/* Nodes in the same constraints, such as position and rotation of a body, get one number in twin:
 * constraint by constraint, those of one number are told from those that are not linked here. new_of and
 * seen are by number. */
static void find_twins(ranker *r)
{
    int count = 1;
    for (int c = 0; c < r->lay.C; c++)
        for (int t = r->first[c]; t < r->first[c + 1]; t++) {
            int *twin = &r->twin[r->lay.link[r->list[t]].col];
            if (r->seen[*twin] != c + 1)
                r->seen[*twin] = c + 1, r->new_of[*twin] = count++;
            *twin = r->new_of[*twin];
        }
}

/* Links by constraint; first has one place more than it will keep. */
static void sort_links(ranker *r)
{
    int *at = r->first + 1;
    for (int e = 0; e < r->lay.n_links; e++)
        at[r->lay.link[e].row + 1]++;
    for (int c = 0; c < r->lay.C; c++)
        at[c + 1] += at[c];
    for (int e = 0; e < r->lay.n_links; e++)
        r->list[at[r->lay.link[e].row]++] = e;
}

/* Columns in an order of nodes that keeps fill of B^T B low: eliminating a constraint of this graph
 * couples its nodes as B^T B does, and a node comes after its constraints. */
static ph_status order_columns(ranker *r)
{
    int N = r->lay.N, cols = 0;
    ph_structure s;
    for (int i = 0; i < N; i++)
        r->size[i] = r->lay.slot[i].dim, r->late[i] = 1;
    for (int c = 0; c < r->lay.C; c++)
        r->size[N + c] = r->lay.rows[c];
    for (int e = 0; e < r->lay.n_links; e++)
        r->row[e] = N + r->lay.link[e].row, r->col[e] = r->lay.link[e].col;
    ph_graph g = {.n = N + r->lay.C, .size = r->size, .late = r->late, .nnz = r->lay.n_links};
    g.row = r->row, g.col = r->col;
    ph_status status = ph_order(&s, &g, NULL);
    for (int k = 0; k < g.n && status == PH_OK; k++)
        if (s.order[k] < N) {
            int i = s.order[k];
            r->column[i] = cols;
            for (int j = 0; j < r->size[i]; j++)
                r->block[cols++] = r->twin[i];
        }
    ph_structure_free(&s, NULL);
    return status;
}

/* Add row i of constraint c. */
static ph_status add_row(ranker *r, ph_echelon *rows, int c, int i, int *dependent)
{
    int n = 0, found;
    for (int t = r->first[c]; t < r->first[c + 1]; t++) {
        const ph_block *b = &r->lay.link[r->list[t]];
        for (int j = 0; j < b->n; j++, n++)
            r->entry_col[n] = r->column[b->col] + j, r->entry[n] = r->ev.B[b->at + i * b->n + j];
    }
    ph_status s = ph_echelon_add(rows, n, r->entry_col, r->entry, &found);
    *dependent += found;
    return s;
}

static ph_status examine(ranker *r, int *dependent, ph_error *err)
{
    ph_echelon *rows = NULL;
    sort_links(r);
    find_twins(r);
    ph_status s = order_columns(r);
    if (s == PH_OK)
        s = ph_echelon_create(&rows, r->lay.nv, r->block, NULL);
    for (int c = 0; c < r->lay.C; c++)
        for (int i = 0; i < r->lay.rows[c] && s == PH_OK; i++)
            s = add_row(r, rows, c, i, &dependent[c]);
    ph_echelon_destroy(rows);
    return s == PH_OK ? s : ph_fail(err, s, "not enough memory to examine the constraints");
}

static ph_status rank(ranker *r, int *dependent, ph_error *err)
{
    ph_state s = ph_point_view(&r->at, &r->lay);
    ph_status status = ph_eval_links(&r->ev, &s, r->ev.B);
    if (status != PH_OK)
        return ph_fail(err, status, "the callback %s refused", r->ev.refused);
    if (!isfinite(ph_small_max(r->lay.size_links, r->ev.B)))
        return ph_fail(err, PH_E_NAN, "the callback B gave a number that is not finite");
    return examine(r, dependent, err);
}

ph_status ph_system_rank(const ph_system *sys, double t, const double *q, int *dependent, ph_error *err)
{
    ranker r = {0};
    ph_arena a = {0};
    ph_status s = ph_layout_measure(&r.lay, sys, err);
    if (s != PH_OK)
        return s;
    r.sys = *sys, r.sys.n_redundant = 0, r.lay.sys = &r.sys;
    memset(dependent, 0, sizeof(int) * (size_t)r.lay.C);
    if (!r.lay.C)
        return PH_OK;
    take(&r, &a);
    if (!ph_arena_open(&a, NULL))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to examine the constraints");
    take(&r, &a);
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
