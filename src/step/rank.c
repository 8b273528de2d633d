/* Which rows of the constraints others imply: sparse elimination of B, with columns in an order of bodies
 * that keeps it sparse and in units that cancel. In the metric of M,
 *
 *     b_ij = B_ij / sqrt(m_j),   m_j = M_jj, of rotations the largest of their node                     (R4)
 *
 * entries of one row have the same unit, whatever lengths, masses and times are measured in; rows are
 * scaled to size 1, then the columns of each body such that the largest part of a row is 1: a heavy body
 * counts as a light one.
 *
 * Constraints that are left at a body, and are independent by the columns of that body alone, are independent
 * of all others. They are set aside, and so are those that are left elsewhere then: all of a tree, and all of a
 * net whose bodies have as many freedoms as rods. What is left are loops. */
#include <math.h>
#include <string.h>

#include "la/echelon.h"
#include "la/order.h"
#include "la/small.h"
#include "step/rank.h"
#include "step/step_limits.h"

typedef struct ranker {
    const ph_layout *lay;
    const double *B, *M; /* links, pairs */
    const ph_allocator *alloc;
    int *first, *list;      /* C + 2, n_links: links of each constraint */
    int *begin, *met;       /* groups + 2, n_links: constraints at each group */
    int *size, *row, *col;  /* graph of groups and constraints: N + C; n_links */
    unsigned char *late;    /* N + C */
    int *twin;              /* N: number of the nodes in the same constraints, their group; 0: in none */
    int n_groups;           /* and one more, 0 */
    int *column;            /* N: the first of a node in its group */
    int *seen, *new_of;     /* n_links + 1: while groups are told apart */
    int *place;             /* n_links + 1: when a group is eliminated */
    int *group;             /* nv: the place of its node's group */
    double *unit;           /* nv: 1 / sqrt(m_j) */
    double *largest;        /* groups: of the parts of rows of size 1 */
    int *start, *entry_col; /* nl + 1, entries */
    double *entry;          /* entries */
    int *left;              /* groups: rows of the constraints that are left at it */
    int *queue;             /* groups, each once */
    unsigned char *queued;  /* groups */
    unsigned char *aside;   /* C: independent of all others */
} ranker;

static void take(ranker *r, ph_arena *a)
{
    size_t N = (size_t)r->lay->N, C = (size_t)r->lay->C, L = (size_t)r->lay->n_links, nv = (size_t)r->lay->nv;
    r->first = ph_arena_take(a, C + 2, sizeof(int));
    r->list = ph_arena_take(a, L, sizeof(int));
    r->begin = ph_arena_take(a, N + 3, sizeof(int));
    r->met = ph_arena_take(a, L, sizeof(int));
    r->size = ph_arena_take(a, N + C + 1, sizeof(int));
    r->row = ph_arena_take(a, L, sizeof(int));
    r->col = ph_arena_take(a, L, sizeof(int));
    r->late = ph_arena_take(a, N + C + 1, 1);
    r->twin = ph_arena_take(a, N, sizeof(int));
    r->column = ph_arena_take(a, N, sizeof(int));
    r->seen = ph_arena_take(a, L + 1, sizeof(int));
    r->new_of = ph_arena_take(a, L + 1, sizeof(int));
    r->place = ph_arena_take(a, N + 1, sizeof(int));
    r->group = ph_arena_take(a, nv, sizeof(int));
    r->unit = ph_arena_take(a, nv, sizeof(double));
    r->largest = ph_arena_take(a, N + 1, sizeof(double));
    r->left = ph_arena_take(a, N + 1, sizeof(int));
    r->queue = ph_arena_take(a, N + 1, sizeof(int));
    r->queued = ph_arena_take(a, N + 1, 1);
    r->aside = ph_arena_take(a, C, 1);
    r->start = ph_arena_take(a, (size_t)r->lay->nl + 1, sizeof(int));
    r->entry_col = ph_arena_take(a, (size_t)r->lay->size_links, sizeof(int));
    r->entry = ph_arena_take(a, (size_t)r->lay->size_links, sizeof(double));
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

/* Nodes in the same constraints, such as position and rotation of a body, get one number in twin:
 * constraint by constraint, those of one number are told from those that are not linked here. new_of and
 * seen are by number; in the end numbers in use are counted anew. */
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
    memset(r->new_of, 0, sizeof(int) * ((size_t)r->lay->n_links + 1));
    for (int i = 0; i < r->lay->N; i++)
        if (r->twin[i]) {
            int *number = &r->new_of[r->twin[i]];
            r->twin[i] = *number = *number ? *number : ++r->n_groups;
        }
    for (int i = 0; i < r->lay->N; i++)
        r->column[i] = r->size[r->twin[i]], r->size[r->twin[i]] += r->lay->slot[i].dim;
}

/* c is at group g of its link t for the first time */
static int is_first(const ranker *r, int c, int t)
{
    int g = r->twin[r->lay->link[r->list[t]].col];
    for (int u = r->first[c]; u < t; u++)
        if (r->twin[r->lay->link[r->list[u]].col] == g)
            return 0;
    return 1;
}

/* Constraints by group; begin has one place more than it will keep. */
static void sort_constraints(ranker *r)
{
    int *at = r->begin + 1;
    for (int c = 0; c < r->lay->C; c++)
        for (int t = r->first[c]; t < r->first[c + 1]; t++)
            if (is_first(r, c, t)) {
                int g = r->twin[r->lay->link[r->list[t]].col];
                at[g + 1]++, r->left[g] += r->lay->rows[c];
            }
    for (int g = 0; g <= r->n_groups; g++)
        at[g + 1] += at[g];
    for (int c = 0; c < r->lay->C; c++)
        for (int t = r->first[c]; t < r->first[c + 1]; t++)
            if (is_first(r, c, t))
                r->met[at[r->twin[r->lay->link[r->list[t]].col]]++] = c;
}

/* The columns of group g in the rows of constraint c. */
static void put_rows(const ranker *r, int c, int g, double *a)
{
    int n = r->size[g];
    for (int t = r->first[c]; t < r->first[c + 1]; t++) {
        const ph_block *b = &r->lay->link[r->list[t]];
        for (int k = 0; k < b->m * b->n && r->twin[b->col] == g; k++)
            a[k / b->n * n + r->column[b->col] + k % b->n] = r->B[b->at + k] * r->unit[b->col_at + k % b->n];
    }
}

/* Whether the rows that are left at group g are independent by their columns there; what they have elsewhere does not
 * matter. Those of several constraints may come near dependence, within least. The memory of entries is free here. */
static int hold_alone(ranker *r, int g, double least)
{
    int m = 0, n = r->size[g], count = 0;
    double *a = r->entry;
    for (int t = r->begin[g]; t < r->begin[g + 1]; t++) {
        int c = r->met[t];
        if (r->aside[c])
            continue;
        put_rows(r, c, g, a + m * n);
        m += r->lay->rows[c], count++;
    }
    double small = count > 1 ? fmax(PH_RANK_ALONE, PH_RANK_TOGETHER * least) : PH_RANK_ALONE;
    for (int i = 0; i < m; i++) {
        double most = ph_small_max(n, a + i * n);
        for (int j = 0; j < n && most > 0; j++)
            a[i * n + j] /= most;
    }
    for (int k = 0; k < m; k++, a += n) { /* a: what is left, m - k rows */
        int at = 0;
        for (int j = 0; j < (m - k) * n; j++)
            at = fabs(a[j]) > fabs(a[at]) ? j : at;
        int row = at / n * n, col = at % n;
        if (!(fabs(a[at]) > small))
            return 0;
        for (int j = 0; j < n; j++) {
            double x = a[j];
            a[j] = a[row + j], a[row + j] = x;
        }
        for (int i = 1; i < m - k; i++) {
            double f = a[i * n + col] / a[col];
            for (int j = 0; j < n; j++)
                a[i * n + j] -= f * a[j];
        }
    }
    return 1;
}

/* Constraint c is set aside: what is left at its groups is tried next. Returns the end of the queue. */
static int leave(ranker *r, int c, int n)
{
    r->aside[c] = 1;
    for (int t = r->first[c]; t < r->first[c + 1]; t++)
        if (is_first(r, c, t)) {
            int g = r->twin[r->lay->link[r->list[t]].col];
            r->left[g] -= r->lay->rows[c];
            if (!r->queued[g])
                r->queue[n++] = g, r->queued[g] = 1;
        }
    return n;
}

/* Constraints of trees and of nets. Returns how many are left. */
static int set_aside(ranker *r, double least)
{
    int count = r->lay->C, n = 0;
    sort_constraints(r);
    for (int g = 1; g <= r->n_groups; g++)
        r->queue[n++] = g, r->queued[g] = 1;
    while (n > 0) {
        int g = r->queue[--n];
        if (r->left[g] <= r->size[g] && hold_alone(r, g, least))
            for (int t = r->begin[g]; t < r->begin[g + 1]; t++)
                if (!r->aside[r->met[t]])
                    n = leave(r, r->met[t], n), count--;
        r->queued[g] = 0;
    }
    return count;
}

/* Groups in an order that keeps fill of B^T B low: eliminating a constraint of this graph couples its
 * groups as B^T B does, and a group comes after its constraints. */
static ph_status order_groups(ranker *r)
{
    const ph_layout *lay = r->lay;
    int G = r->n_groups + 1, count = 0, links = 0;
    ph_structure s;
    memset(r->late, 1, (size_t)G);
    r->size[0] = 1;
    for (int c = 0; c < lay->C; c++)
        r->size[G + c] = lay->rows[c];
    for (int e = 0; e < lay->n_links; e++)
        if (!r->aside[lay->link[e].row])
            r->row[links] = G + lay->link[e].row, r->col[links++] = r->twin[lay->link[e].col];
    ph_graph g = {.n = G + lay->C, .size = r->size, .late = r->late, .nnz = links};
    g.row = r->row, g.col = r->col;
    ph_status status = ph_order(&s, &g, r->alloc);
    for (int k = 0; k < g.n && status == PH_OK; k++)
        if (s.order[k] < G)
            r->place[s.order[k]] = count++;
    ph_structure_free(&s, r->alloc);
    return status;
}

/* (R4). Coordinates without mass have the unit of the others of their node. */
static void set_units(ranker *r)
{
    for (int i = 0; i < r->lay->N; i++) {
        const ph_slot *n = &r->lay->slot[i];
        const double *M = r->M + r->lay->pair[r->lay->diag[i]].at;
        double most = 0, rotations = 0;
        for (int j = 0; j < n->dim; j++) {
            double m = M[j * (n->dim + 1)];
            most = fmax(most, m), rotations = j < n->rot ? rotations : fmax(rotations, m);
        }
        for (int j = 0; j < n->dim; j++) {
            double m = j < n->rot ? M[j * (n->dim + 1)] : rotations;
            r->unit[n->v_at + j] = m > 0 ? 1 / sqrt(m) : most > 0 ? 1 / sqrt(most) : 1;
        }
    }
}

/* The rows, scaled to size 1; zeros stay. Those that are set aside have no entries. */
static void list_rows(ranker *r)
{
    int at = 0;
    for (int i = 0; i < r->lay->N; i++)
        for (int j = 0; j < r->lay->slot[i].dim; j++)
            r->group[r->lay->slot[i].v_at + j] = r->place[r->twin[i]];
    for (int c = 0; c < r->lay->C; c++)
        for (int i = 0; i < r->lay->rows[c]; i++) {
            int row = r->lay->l_at[c] + i, begin = at;
            r->start[row] = at;
            for (int t = r->first[c]; t < r->first[c + 1] && !r->aside[c]; t++) {
                const ph_block *b = &r->lay->link[r->list[t]];
                for (int j = 0; j < b->n; j++, at++)
                    r->entry_col[at] = b->col_at + j,
                    r->entry[at] = r->B[b->at + i * b->n + j] * r->unit[b->col_at + j];
            }
            double most = ph_small_max(at - begin, r->entry + begin), sum = 0;
            for (int k = begin; k < at && most > 0; k++)
                r->entry[k] /= most, sum += r->entry[k] * r->entry[k];
            for (int k = begin; k < at && most > 0; k++)
                r->entry[k] /= sqrt(sum);
        }
    r->start[r->lay->nl] = at;
}

/* Columns of a group scaled such that the largest part of a row is 1. */
static void balance_groups(ranker *r)
{
    for (int k = 0; k < r->start[r->lay->nl]; k++) {
        double *largest = &r->largest[r->group[r->entry_col[k]]];
        *largest = fmax(*largest, fabs(r->entry[k]));
    }
    for (int k = 0; k < r->start[r->lay->nl]; k++)
        if (r->entry[k] != 0)
            r->entry[k] /= r->largest[r->group[r->entry_col[k]]];
}

static ph_status examine(ranker *r, double least, unsigned char *dependent)
{
    const ph_layout *lay = r->lay;
    ph_status s = order_groups(r);
    if (s != PH_OK)
        return s;
    list_rows(r);
    balance_groups(r);
    ph_echelon rows = {lay->nl, lay->nv, r->n_groups + 1, r->start, r->entry_col, r->entry, r->group};
    s = ph_echelon_rows(&rows, least, r->alloc, dependent);
    for (int c = 0; c < lay->C; c++)
        if (r->aside[c])
            memset(dependent + lay->l_at[c], 0, (size_t)lay->rows[c]);
    return s;
}

ph_status ph_rank_rows(const ph_layout *lay, const double *B, const double *M, double least,
                       const ph_allocator *alloc, unsigned char *dependent)
{
    ranker r = {.lay = lay, .B = B, .M = M, .alloc = alloc};
    ph_arena a = {0};
    if (!isfinite(ph_small_max(lay->size_links, B)))
        return PH_E_NAN;
    take(&r, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    take(&r, &a);
    sort_links(&r);
    find_twins(&r);
    set_units(&r);
    memset(dependent, 0, (size_t)lay->nl);
    ph_status s = set_aside(&r, least) ? examine(&r, least, dependent) : PH_OK;
    ph_free(alloc, a.block);
    return s;
}

/* ---- of a system ----------------------------------------------------------------------------------- */

typedef struct ranked {
    ph_system sys; /* a copy that announces no redundant rows */
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    unsigned char *dependent; /* nl */
} ranked;

static void take_ranked(ranked *r, ph_arena *a)
{
    ph_eval_take(&r->ev, &r->lay, a);
    ph_point_take(&r->at, &r->lay, a);
    r->dependent = ph_arena_take(a, (size_t)r->lay.nl, 1);
}

static ph_status rank(ranked *r, int *dependent, ph_error *err)
{
    ph_state s = ph_point_view(&r->at, &r->lay);
    ph_status status = ph_eval_mass(&r->ev, &s);
    if (status == PH_OK)
        status = ph_eval_links(&r->ev, &s, r->ev.B);
    if (status != PH_OK)
        return ph_fail(err, status, "the callback %s refused", r->ev.refused);
    status = ph_rank_rows(&r->lay, r->ev.B, r->ev.M, PH_ECHELON_DEPENDENT, NULL, r->dependent);
    if (status == PH_E_NAN)
        return ph_fail(err, status, "the callback B gave a number that is not finite");
    if (status != PH_OK)
        return ph_fail(err, status, "not enough memory to examine the constraints");
    for (int c = 0; c < r->lay.C; c++)
        for (int i = 0; i < r->lay.rows[c]; i++)
            dependent[c] += r->dependent[r->lay.l_at[c] + i];
    return PH_OK;
}

ph_status ph_skeleton_rank(const ph_skeleton *skeleton, double t, const double *q, int *dependent,
                           ph_error *err)
{
    ranked r = {.sys = *skeleton->lay.sys, .lay = skeleton->lay};
    ph_arena a = {0};
    r.sys.n_redundant = 0, r.lay.sys = &r.sys;
    memset(dependent, 0, sizeof(int) * (size_t)r.lay.C);
    if (!r.lay.C)
        return PH_OK;
    take_ranked(&r, &a);
    if (!ph_arena_open(&a, NULL))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to examine the constraints");
    take_ranked(&r, &a);
    ph_status s = ph_layout_check(&r.lay, t, q, NULL, err);
    if (s == PH_OK) {
        r.at.t = t;
        memcpy(r.at.q, q, sizeof(double) * (size_t)r.lay.nq);
        ph_point_rotations(&r.at, &r.lay);
        s = rank(&r, dependent, err);
    }
    ph_free(NULL, a.block);
    return s;
}

ph_status ph_system_rank(const ph_system *sys, double t, const double *q, int *dependent, ph_error *err)
{
    ph_skeleton *skeleton;
    ph_status s = ph_skeleton_create(&skeleton, sys, NULL, err);
    if (s == PH_OK)
        s = ph_skeleton_rank(skeleton, t, q, dependent, err);
    ph_skeleton_release(skeleton);
    return s;
}
