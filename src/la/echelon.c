/* Dependent rows of a sparse matrix, by elimination of its columns group by group.
 *
 * Rows have size 1, and size s_i in units of what they were. The rows that have entries in a group, those
 * that other groups left included, form a small dense matrix. Row p with its pivot in column c is taken
 * from the others,
 *
 *     a_i <- a_i - (a_ic / a_pc) a_p,   s_i <- s_i |a_i|,   a_i <- a_i / |a_i|                          (A8)
 *
 * so s_i becomes the size of what row i has outside the span of the pivot rows, up to a factor that good
 * pivots keep moderate. If it is small enough, row i depends on them. The pivot row is the first one with
 *
 *     w_p |a_pc| >= GOOD max_ic w_i |a_ic|,   |a_pc| >= LEAST,   w_i = min(1, s_i / PLAIN)              (A9)
 *
 * over the columns of the group: rows that are left in the end depend on earlier ones. A column without
 * such an entry is given to the next group of the rows that have one there. The other rows, zero at all
 * pivots, go to the group of their next column: no entry is outside the Cholesky factor of A^T A, but for
 * columns given on. In a tree each joint has the columns of its own body as pivots, and nothing is left.
 * Compare George, Heath: Solution of sparse linear least squares problems using Givens rotations, Linear
 * Algebra Appl. 34 (1980). */
#include "la/echelon.h"
#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Part of the largest entry: the first of the rows that are as good is taken. */
#define GOOD 0.1

/* Rows with less than this outside the span of pivot rows come last: what is left out then is what the rest
 * determines best. */
#define PLAIN 0.1

/* Beside the size of its row: what is outside the span is overestimated by no more than its inverse. */
#define LEAST 0.01

/* Entries smaller than this part of what is none are left out: a thousand of them are none yet. */
#define DROP 1e-3

typedef struct entry {
    int col;
    double x;
} entry;

typedef struct work {
    const ph_echelon *A;
    double least;
    unsigned char *dependent;
    int *owner;    /* cols: the group in which a column is to get a pivot */
    double *size;  /* rows: s_i */
    int *at, *len; /* rows: entries of a row in pool */
    int *head;     /* groups: the first row that waits for it; -1: none */
    int *next;     /* rows: the next one */
    entry *pool;   /* grows */
    size_t used, room;
    /* the matrix of the group at work: m rows, n columns of which the first own ones are the group's */
    int m, n, own;
    int *row;            /* rows */
    int *col;            /* cols */
    int *place;          /* cols: of a column in the matrix; -1: it has none */
    unsigned char *done; /* cols: it has a pivot */
    double *F;           /* grows */
    size_t room_F;
    const ph_allocator *alloc;
} work;

static void take(work *w, ph_arena *a)
{
    size_t rows = (size_t)w->A->rows, cols = (size_t)w->A->cols;
    w->owner = ph_arena_take(a, cols, sizeof(int));
    w->size = ph_arena_take(a, rows, sizeof(double));
    w->at = ph_arena_take(a, rows, sizeof(int));
    w->len = ph_arena_take(a, rows, sizeof(int));
    w->head = ph_arena_take(a, (size_t)w->A->groups, sizeof(int));
    w->next = ph_arena_take(a, rows, sizeof(int));
    w->row = ph_arena_take(a, rows, sizeof(int));
    w->col = ph_arena_take(a, cols, sizeof(int));
    w->place = ph_arena_take(a, cols, sizeof(int));
    w->done = ph_arena_take(a, cols, 1);
}

/* Room for count items of so many bytes, of which used are kept; 0: no memory */
static int reserve(const work *w, void **block, size_t *room, size_t used, size_t count, size_t bytes)
{
    if (count <= *room)
        return 1;
    size_t more = 2 * count;
    void *p = more < INT_MAX ? ph_alloc(w->alloc, more * bytes) : NULL;
    if (!p)
        return 0;
    if (used)
        memcpy(p, *block, used * bytes);
    ph_free(w->alloc, *block);
    *block = p, *room = more;
    return 1;
}

static int reserve_pool(work *w, int more)
{
    void *p = w->pool;
    int ok = reserve(w, &p, &w->room, w->used, w->used + (size_t)more, sizeof(entry));
    w->pool = p;
    return ok;
}

/* Row i, whose entries are in the pool, waits for the first of its groups. */
static void queue(work *w, int i)
{
    int first = INT_MAX;
    for (int k = w->at[i]; k < w->at[i] + w->len[i]; k++)
        if (w->owner[w->pool[k].col] < first)
            first = w->owner[w->pool[k].col];
    w->next[i] = w->head[first], w->head[first] = i;
}

/* (A8) for what is left of row i; 0: it depends on others. */
static int scale(work *w, int i, double *a, int n)
{
    double most = 0, sum = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(a[k]));
    for (int k = 0; k < n && most > 0; k++)
        sum += (a[k] / most) * (a[k] / most);
    double size = most * sqrt(sum);
    w->size[i] *= size;
    w->dependent[i] = !(w->size[i] > w->least);
    for (int k = 0; k < n && !w->dependent[i]; k++)
        a[k] /= size;
    return !w->dependent[i];
}

static int load(work *w)
{
    const ph_echelon *A = w->A;
    if (!reserve_pool(w, A->start[A->rows]))
        return 0;
    for (int i = 0; i < A->rows; i++) {
        double most = 0, sum = 0;
        for (int k = A->start[i]; k < A->start[i + 1]; k++)
            most = fmax(most, fabs(A->x[k]));
        for (int k = A->start[i]; k < A->start[i + 1] && most > 0; k++)
            sum += (A->x[k] / most) * (A->x[k] / most);
        w->at[i] = (int)w->used, w->size[i] = 1, w->dependent[i] = !(most > 0);
        for (int k = A->start[i]; k < A->start[i + 1]; k++)
            if (A->x[k] != 0)
                w->pool[w->used++] = (entry){A->col[k], A->x[k] / most / sqrt(sum)};
        w->len[i] = (int)w->used - w->at[i];
        if (!w->dependent[i])
            queue(w, i);
    }
    return 1;
}

/* Columns of the rows at work that are the group's, or those that are not. */
static void list_columns(work *w, int group, int own)
{
    for (int r = 0; r < w->m; r++)
        for (int k = w->at[w->row[r]]; k < w->at[w->row[r]] + w->len[w->row[r]]; k++) {
            int c = w->pool[k].col;
            if ((w->owner[c] == group) == own && w->place[c] < 0)
                w->place[c] = w->n, w->done[w->n] = 0, w->col[w->n++] = c;
        }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The matrix of a group; 0: no memory */
static int gather(work *w, int group)
{
    w->m = w->n = 0;
    for (int i = w->head[group]; i >= 0; i = w->next[i])
        w->row[w->m++] = i;
    qsort(w->row, (size_t)w->m, sizeof(int), by_number);
    list_columns(w, group, 1);
    w->own = w->n;
    list_columns(w, group, 0);
    size_t doubles = (size_t)w->m * (size_t)w->n;
    void *p = w->F;
    int ok = reserve(w, &p, &w->room_F, 0, doubles, sizeof(double));
    w->F = p;
    if (!ok)
        return 0;
    if (doubles)
        memset(w->F, 0, doubles * sizeof(double));
    for (int r = 0; r < w->m; r++)
        for (int k = w->at[w->row[r]]; k < w->at[w->row[r]] + w->len[w->row[r]]; k++)
            w->F[(size_t)r * (size_t)w->n + (size_t)w->place[w->pool[k].col]] = w->pool[k].x;
    return 1;
}

static double *line(const work *w, int r)
{
    return w->F + (size_t)r * (size_t)w->n;
}

/* (A9): the largest entry of row r in columns of the group that have no pivot, weighted; 0: there is none. */
static double best(const work *w, int r, int *col)
{
    double most = 0;
    const double *a = line(w, r);
    *col = -1;
    for (int c = 0; c < w->own; c++)
        if (!w->done[c] && fabs(a[c]) > most)
            most = fabs(a[c]), *col = c;
    return most >= LEAST ? most * fmin(1, w->size[w->row[r]] / PLAIN) : 0;
}

/* (A9): row and column; 0: there is none */
static int choose(const work *w, int *row, int *col)
{
    double most = 0;
    for (int r = 0; r < w->m; r++)
        if (w->row[r] >= 0)
            most = fmax(most, best(w, r, col));
    for (int r = 0; r < w->m && most > 0; r++)
        if (w->row[r] >= 0 && best(w, r, col) >= GOOD * most) {
            *row = r;
            return 1;
        }
    return 0;
}

/* (A8) with this pivot; rows that are done with have the number -1. */
static void eliminate(work *w, int p, int c)
{
    const double *pivot = line(w, p);
    w->done[c] = 1, w->row[p] = -1;
    for (int r = 0; r < w->m; r++) {
        double *a = line(w, r);
        if (w->row[r] < 0 || a[c] == 0)
            continue;
        double f = a[c] / pivot[c];
        for (int k = 0; k < w->n; k++)
            a[k] -= f * pivot[k];
        a[c] = 0;
        if (!scale(w, w->row[r], a, w->n))
            w->row[r] = -1;
    }
}

/* Columns of the group without a pivot go to the first group that a row with an entry there goes to. */
static void give_on(work *w)
{
    for (int c = 0; c < w->own; c++) {
        int to = INT_MAX;
        for (int r = 0; r < w->m && !w->done[c]; r++)
            for (int k = w->own; w->row[r] >= 0 && line(w, r)[c] != 0 && k < w->n; k++)
                if (line(w, r)[k] != 0 && w->owner[w->col[k]] < to)
                    to = w->owner[w->col[k]];
        w->owner[w->col[c]] = to;
    }
}

/* What is left of the rows goes to the next groups; 0: no memory */
static int scatter(work *w)
{
    for (int r = 0; r < w->m; r++)
        for (int k = 0; w->row[r] >= 0 && k < w->n; k++)
            if (!(fabs(line(w, r)[k]) > DROP * w->least / w->size[w->row[r]]))
                line(w, r)[k] = 0;
    give_on(w);
    for (int r = 0; r < w->m; r++) {
        int i = w->row[r];
        if (i < 0)
            continue;
        if (!reserve_pool(w, w->n))
            return 0;
        w->at[i] = (int)w->used;
        for (int k = 0; k < w->n; k++)
            if (line(w, r)[k] != 0)
                w->pool[w->used++] = (entry){w->col[k], line(w, r)[k]};
        w->len[i] = (int)w->used - w->at[i];
        queue(w, i);
    }
    for (int k = 0; k < w->n; k++)
        w->place[w->col[k]] = -1;
    return 1;
}

static ph_status examine(work *w)
{
    for (int k = 0; k < w->A->cols; k++)
        w->owner[k] = w->A->group[k], w->place[k] = -1;
    for (int g = 0; g < w->A->groups; g++)
        w->head[g] = -1;
    int ok = load(w);
    for (int g = 0, p, c; g < w->A->groups && ok; g++) {
        if (w->head[g] < 0)
            continue;
        ok = gather(w, g);
        while (ok && choose(w, &p, &c))
            eliminate(w, p, c);
        ok = ok && scatter(w);
    }
    return ok ? PH_OK : PH_E_MEMORY;
}

ph_status ph_echelon_rows(const ph_echelon *A, double least, const ph_allocator *alloc,
                          unsigned char *dependent)
{
    work w = {.A = A, .least = least, .dependent = dependent, .alloc = alloc};
    ph_arena a = {0};
    take(&w, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    take(&w, &a);
    ph_status s = examine(&w);
    ph_free(alloc, w.pool);
    ph_free(alloc, w.F);
    ph_free(alloc, a.block);
    return s;
}
