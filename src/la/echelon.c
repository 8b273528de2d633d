/* Sparse rows brought to echelon form by rotations, one row after the other.
 *
 * The rows so far have a basis R: row k of it has a pivot in column k and else only columns whose place in
 * the order comes after. A new row a of size 1 goes through the columns by their places. First it is
 * reduced,
 *
 *     a <- a - (a_k / R_kk) R_k   at each column with a pivot                                            (A8)
 *
 * which leaves a - c R, zero at all pivots: as small as the distance of a from the span of R, up to a
 * factor that good pivots keep moderate. If it is small enough, a depends on the rows before it and R
 * stays as it is. Otherwise its pivot is to be the first column p that has none and where its entry is not
 * small beside the others, and a is rotated into R up to there,
 *
 *     [ R_k ]    [  c  s ] [ R_k ]
 *     [ a   ] <- [ -s  c ] [ a   ],   c = R_kk / r,  s = a_k / r,  r = hypot(R_kk, a_k)                  (A9)
 *
 * and kept, scaled to size 1, since only the span matters. Columns without a pivot that it has passed get
 * a place after the last rotation. So no entry of R is outside the Cholesky factor of A^T A for the order
 * of the columns, which such exchanges change as little as they can. A row that is nearly dependent is
 * kept as (A8) leaves it. George, Heath: Solution of sparse linear least squares problems using Givens
 * rotations, Linear Algebra Appl. 34 (1980). */
#include "la/echelon.h"
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry at a column without a pivot that proves independence, whatever the rest: above PH_ECHELON_DEPENDENT by
 * more than the rows so far can mislead. */
#define SURE 1e-3

/* A good pivot, relative to other entries of the reduced row. */
#define GOOD 0.1

/* Smaller entries of rows of size 1 are round-off. */
#define DROP 1e-15

/* Places closer than this are numbered anew: above round-off of numbers up to INT_MAX. */
#define PLACE_STEP 1e-5

typedef struct entry {
    int col;
    double x;
} entry;

typedef struct line {
    entry *e; /* by rising column, n of room */
    int n, room;
} line;

struct ph_echelon {
    int cols;
    int *block;       /* cols */
    double *diag;     /* cols: R_kk; 0: no pivot in this column */
    line *row;        /* cols: the rest of R_k */
    double *place;    /* cols: rising along the list */
    int *next, *prev; /* cols: the list of all columns by their places; -1: none */
    double *x;        /* cols: the row that is reduced */
    int *mark;        /* cols: stamp of the row at which the column was reached */
    int stamp;
    int *heap, n_heap;     /* cols: columns reached and not yet passed, the first place on top */
    int *passed, n_passed; /* cols: columns without a pivot, as they were passed */
    line v, to_v, to_r;    /* row at work, and results; room for all columns */
    ph_allocator alloc_copy;
    const ph_allocator *alloc; /* &alloc_copy, or NULL for malloc */
    void *memory;
};

static double size(const line *v)
{
    double s = 0;
    for (int i = 0; i < v->n; i++)
        s += v->e[i].x * v->e[i].x;
    return sqrt(s);
}

static void put(line *to, int col, double x)
{
    if (fabs(x) > DROP)
        to->e[to->n++] = (entry){col, x};
}

static int by_column(const void *a, const void *b)
{
    return ((const entry *)a)->col - ((const entry *)b)->col;
}

static void sort(line *v)
{
    qsort(v->e, (size_t)v->n, sizeof(entry), by_column);
}

/* to_r = c R_k + s v, to_v = c v - s R_k, each without column k */
static void combine(ph_echelon *e, int k, double c, double s)
{
    const line *r = &e->row[k], *v = &e->v;
    int i = 0, j = 0;
    e->to_r.n = e->to_v.n = 0;
    while (i < r->n || j < v->n) {
        int from_r = j == v->n || (i < r->n && r->e[i].col <= v->e[j].col);
        int from_v = i == r->n || (j < v->n && v->e[j].col <= r->e[i].col);
        int col = from_r ? r->e[i].col : v->e[j].col;
        double x = from_r ? r->e[i++].x : 0, y = from_v ? v->e[j++].x : 0;
        if (col == k)
            continue;
        put(&e->to_r, col, c * x + s * y);
        put(&e->to_v, col, c * y - s * x);
    }
}

static ph_status keep(ph_echelon *e, int k, const line *from)
{
    line *r = &e->row[k];
    if (from->n > r->room) {
        int room = from->n + from->n / 2;
        entry *more = ph_alloc(e->alloc, sizeof(entry) * (size_t)room);
        if (!more)
            return PH_E_MEMORY;
        ph_free(e->alloc, r->e);
        r->e = more, r->room = room;
    }
    if (from->n)
        memcpy(r->e, from->e, sizeof(entry) * (size_t)from->n);
    r->n = from->n;
    return PH_OK;
}

/* The entry of v at the first place after this one; NULL: none */
static const entry *following(const ph_echelon *e, double at)
{
    const entry *first = NULL;
    for (const entry *x = e->v.e, *end = x + e->v.n; x < end; x++)
        if (e->place[x->col] > at && (!first || e->place[x->col] < e->place[first->col]))
            first = x;
    return first;
}

static void heap_push(ph_echelon *e, int col)
{
    int i = e->n_heap++;
    for (int up; i > 0 && e->place[e->heap[up = (i - 1) / 2]] > e->place[col]; i = up)
        e->heap[i] = e->heap[up];
    e->heap[i] = col;
}

static int heap_pop(ph_echelon *e)
{
    int top = e->heap[0], last = e->heap[--e->n_heap], i = 0;
    for (int down; (down = 2 * i + 1) < e->n_heap; i = down) {
        if (down + 1 < e->n_heap && e->place[e->heap[down + 1]] < e->place[e->heap[down]])
            down++;
        if (e->place[e->heap[down]] > e->place[last])
            break;
        e->heap[i] = e->heap[down];
    }
    e->heap[i] = last;
    return top;
}

static void reach(ph_echelon *e, int col, double x)
{
    if (e->mark[col] != e->stamp) {
        e->mark[col] = e->stamp, e->x[col] = 0;
        heap_push(e, col);
    }
    e->x[col] += x;
}

static double largest(const ph_echelon *e, const int *col, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(e->x[col[i]]));
    return most;
}

/* The column of the largest entry in the block of the first passed entry that is good enough. */
static int choose(const ph_echelon *e, double enough)
{
    int i = 0;
    while (!(fabs(e->x[e->passed[i]]) >= enough))
        i++;
    int p = e->passed[i];
    for (; i < e->n_passed && e->block[e->passed[i]] == e->block[p]; i++)
        if (fabs(e->x[e->passed[i]]) > fabs(e->x[p]))
            p = e->passed[i];
    return p;
}

/* (A8) for v, whose size after it becomes *left. Returns the column of its pivot, or -1 if *left is not above
 * least. *whole: its passed entries are the reduced row; 0: a pivot was found before. */
static int reduce(ph_echelon *e, double least, double *left, int *whole)
{
    double most = 0, sure = fmax(SURE, least);
    int here = -1;
    e->stamp++, e->n_heap = e->n_passed = 0;
    for (int i = 0; i < e->v.n; i++)
        reach(e, e->v.e[i].col, e->v.e[i].x);
    for (*whole = 0; e->n_heap > 0;) {
        if (e->block[e->heap[0]] != here && most > sure && most >= GOOD * largest(e, e->heap, e->n_heap)) {
            *left = most;
            return choose(e, GOOD * most);
        }
        int k = heap_pop(e);
        here = e->block[k];
        if (!(fabs(e->x[k]) > DROP))
            continue;
        if (e->diag[k] == 0) {
            e->passed[e->n_passed++] = k;
            most = fmax(most, fabs(e->x[k]));
            continue;
        }
        double c = e->x[k] / e->diag[k];
        for (int i = 0; i < e->row[k].n; i++)
            reach(e, e->row[k].e[i].col, -c * e->row[k].e[i].x);
    }
    double sum = 0;
    for (int i = 0; i < e->n_passed; i++)
        sum += e->x[e->passed[i]] * e->x[e->passed[i]];
    *whole = 1;
    *left = sqrt(sum);
    return *left > least ? choose(e, GOOD * most) : -1;
}

static void renumber(ph_echelon *e, int first)
{
    double at = 0;
    while (e->prev[first] >= 0)
        first = e->prev[first];
    for (int k = first; k >= 0; k = e->next[k])
        e->place[k] = at++;
}

static void move_after(ph_echelon *e, int col, int to)
{
    int before = e->prev[col], after = e->next[col], next = e->next[to];
    if (before >= 0)
        e->next[before] = after;
    if (after >= 0)
        e->prev[after] = before;
    e->prev[col] = to, e->next[col] = next, e->next[to] = col;
    if (next >= 0)
        e->prev[next] = col;
}

/* Columns of v before column k, which have no pivot, get places between k and the next. */
static void put_passed_after(ph_echelon *e, int k)
{
    int count = 0, last = k;
    double at = e->place[k];
    for (const entry *x = e->v.e, *end = x + e->v.n; x < end; x++)
        count += e->place[x->col] < at;
    double step = (e->next[k] < 0 ? 1 : e->place[e->next[k]] - at) / (count + 1);
    for (const entry *x = e->v.e, *end = x + e->v.n; x < end; x++)
        if (e->place[x->col] < at) {
            move_after(e, x->col, last);
            e->place[x->col] = e->place[last] + step;
            last = x->col;
        }
    if (!(step > PLACE_STEP))
        renumber(e, k);
}

/* Keep v with its pivot in column p. */
static ph_status settle(ph_echelon *e, int p)
{
    double scale = 1 / size(&e->v);
    put_passed_after(e, p);
    e->to_v.n = 0;
    for (const entry *x = e->v.e, *end = x + e->v.n; x < end; x++)
        if (x->col == p)
            e->diag[p] = x->x * scale;
        else
            put(&e->to_v, x->col, x->x * scale);
    return keep(e, p, &e->to_v);
}

/* (A9) at column k */
static ph_status rotate(ph_echelon *e, int k, double x)
{
    double r = hypot(e->diag[k], x), c = e->diag[k] / r, s = x / r;
    put_passed_after(e, k);
    combine(e, k, c, s);
    e->diag[k] = r;
    line old = e->v;
    e->v = e->to_v, e->to_v = old;
    return keep(e, k, &e->to_r);
}

static double entry_at(const line *v, int col)
{
    for (int i = 0; i < v->n; i++)
        if (v->e[i].col == col)
            return v->e[i].x;
    return 0;
}

/* Rotate v into R up to column p. */
static ph_status insert(ph_echelon *e, int p, double *left)
{
    double at = -1;
    for (const entry *x; at < e->place[p] && (x = following(e, at)) != NULL;) {
        int k = x->col;
        ph_status s = e->diag[k] != 0 ? rotate(e, k, x->x) : PH_OK;
        if (s != PH_OK)
            return s;
        at = e->place[k];
    }
    /* nothing left: the rows of R are so nearly dependent that the new one replaces one of them */
    if (entry_at(&e->v, p) == 0) {
        *left = 0;
        return PH_OK;
    }
    return settle(e, p);
}

/* Keep the reduced row as it is. */
static ph_status insert_reduced(ph_echelon *e, int p)
{
    e->v.n = 0;
    for (int i = 0; i < e->n_passed; i++)
        put(&e->v, e->passed[i], e->x[e->passed[i]]);
    sort(&e->v);
    return settle(e, p);
}

/* v = the row, scaled to size 1; 0: it is zero */
static int load(ph_echelon *e, int n, const int *col, const double *x)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    if (!(most > 0))
        return 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] / most) * (x[i] / most);
    e->v.n = 0;
    for (int i = 0; i < n; i++)
        put(&e->v, col[i], x[i] / most / sqrt(sum));
    sort(&e->v);
    return 1;
}

ph_status ph_echelon_add(ph_echelon *e, int n, const int *col, const double *x, double least, double *left)
{
    int p = -1, whole;
    *left = 0;
    if (load(e, n, col, x))
        p = reduce(e, least, left, &whole);
    if (p < 0)
        return PH_OK;
    return whole && !(fabs(e->x[p]) > SURE) ? insert_reduced(e, p) : insert(e, p, left);
}

static void take(ph_echelon *e, ph_arena *a)
{
    size_t n = (size_t)e->cols;
    e->block = ph_arena_take(a, n, sizeof(int));
    e->next = ph_arena_take(a, n, sizeof(int));
    e->prev = ph_arena_take(a, n, sizeof(int));
    e->mark = ph_arena_take(a, n, sizeof(int));
    e->heap = ph_arena_take(a, n, sizeof(int));
    e->passed = ph_arena_take(a, n, sizeof(int));
    e->x = ph_arena_take(a, n, sizeof(double));
    e->diag = ph_arena_take(a, n, sizeof(double));
    e->place = ph_arena_take(a, n, sizeof(double));
    e->row = ph_arena_take(a, n, sizeof(line));
    e->v.e = ph_arena_take(a, n, sizeof(entry));
    e->to_v.e = ph_arena_take(a, n, sizeof(entry));
    e->to_r.e = ph_arena_take(a, n, sizeof(entry));
}

ph_status ph_echelon_create(ph_echelon **out, int cols, const int *block, const ph_allocator *alloc)
{
    ph_echelon *e = ph_alloc(alloc, sizeof *e);
    ph_arena a = {0};
    *out = NULL;
    if (!e)
        return PH_E_MEMORY;
    *e = (ph_echelon){.cols = cols};
    take(e, &a);
    if (!ph_arena_open(&a, alloc)) {
        ph_free(alloc, e);
        return PH_E_MEMORY;
    }
    take(e, &a);
    e->memory = a.block;
    if (alloc)
        e->alloc_copy = *alloc, e->alloc = &e->alloc_copy;
    for (int k = 0; k < cols; k++)
        e->block[k] = block[k], e->place[k] = k, e->prev[k] = k - 1, e->next[k] = k < cols - 1 ? k + 1 : -1;
    *out = e;
    return PH_OK;
}

void ph_echelon_destroy(ph_echelon *e)
{
    if (!e)
        return;
    for (int k = 0; k < e->cols; k++)
        ph_free(e->alloc, e->row[k].e);
    ph_free(e->alloc, e->memory);
    ph_allocator copy = e->alloc_copy;
    ph_free(e->alloc ? &copy : NULL, e);
}
