/* Which rows of the constraints others imply: block LU says quickly that none does, else Gram-Schmidt,
 * constraint by constraint in their order within each connected part of the system, says which. */
#include <limits.h>
#include <string.h>

#include "la/small.h"
#include "step/newton.h"

/* Growth of the factorisation of [M B^T; B 0] up to which the rows are independent beyond doubt: pivots have four
 * digits then, and dependent rows would leave none. It grows like the cube of the length of a chain of hinges. */
#define INDEPENDENT 1e12

/* A row whose part orthogonal to those before it is smaller than this, relative to the row, depends on them:
 * above the digits of a model file, below any angle that a mechanism is built with. */
#define DEPENDENT 1e-8

/* Doubles of the largest part that is examined densely: 400 MB. */
#define DENSE_MAX 50000000

typedef struct ranker {
    ph_system sys; /* a copy that announces no redundant rows */
    ph_layout lay;
    ph_eval ev;
    ph_point at;
    int *part;         /* C: first constraint of the connected part */
    int *first, *last; /* N: first constraint of a node; column of a node in the part at work */
    double *basis;     /* orthonormal rows of the part at work */
} ranker;

static void take(ranker *r, ph_arena *a)
{
    ph_layout_take(&r->lay, a);
    ph_eval_take(&r->ev, &r->lay, a);
    ph_point_take(&r->at, &r->lay, a);
    r->part = ph_arena_take(a, (size_t)r->lay.C, sizeof(int));
    r->first = ph_arena_take(a, (size_t)r->lay.N, sizeof(int));
    r->last = ph_arena_take(a, (size_t)r->lay.N, sizeof(int));
}

static int root(int *part, int c)
{
    while (part[c] != c)
        c = part[c] = part[part[c]];
    return c;
}

/* Constraints that share a node belong together. */
static void connect(ranker *r)
{
    for (int i = 0; i < r->lay.N; i++)
        r->first[i] = -1;
    for (int c = 0; c < r->lay.C; c++)
        r->part[c] = c;
    for (const ph_block *b = r->lay.link, *end = b + r->lay.n_links; b < end; b++) {
        if (r->first[b->col] < 0) {
            r->first[b->col] = b->row;
            continue;
        }
        int x = root(r->part, r->first[b->col]), y = root(r->part, b->row);
        r->part[x > y ? x : y] = x < y ? x : y;
    }
    for (int c = 0; c < r->lay.C; c++)
        r->part[c] = root(r->part, c);
}

/* Columns of the nodes of a part, one after the other; how many rows and columns it has. */
static void measure(ranker *r, int part, size_t *rows, size_t *cols)
{
    *rows = *cols = 0;
    for (int i = 0; i < r->lay.N; i++)
        r->last[i] = -1;
    for (int c = 0; c < r->lay.C; c++)
        *rows += r->part[c] == part ? (size_t)r->lay.rows[c] : 0;
    for (const ph_block *b = r->lay.link, *end = b + r->lay.n_links; b < end; b++)
        if (r->part[b->row] == part && r->last[b->col] < 0) {
            r->last[b->col] = (int)*cols;
            *cols += (size_t)b->n;
        }
}

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Add a row to the basis of count rows, or find that it depends on them. */
static int add_row(double *basis, size_t count, size_t cols)
{
    double *row = basis + count * cols, size = sqrt(dot(row, row, cols));
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < count; k++) {
            const double *b = basis + k * cols;
            double s = dot(b, row, cols);
            for (size_t i = 0; i < cols; i++)
                row[i] -= s * b[i];
        }
    double rest = sqrt(dot(row, row, cols));
    if (!(rest > DEPENDENT * size))
        return 0;
    for (size_t i = 0; i < cols; i++)
        row[i] /= rest;
    return 1;
}

/* Row i of constraint c as a dense row. */
static void write_row(const ranker *r, int c, int i, double *row, size_t cols)
{
    memset(row, 0, sizeof(double) * cols);
    for (const ph_block *b = r->lay.link, *end = b + r->lay.n_links; b < end; b++)
        for (int j = 0; b->row == c && j < b->n; j++)
            row[r->last[b->col] + j] = r->ev.B[b->at + i * b->n + j];
}

static ph_status examine(ranker *r, int part, int sure, int *dependent, ph_error *err)
{
    size_t rows, cols, count = 0;
    char label[PH_NAME_MAX];
    measure(r, part, &rows, &cols);
    if (cols && rows > DENSE_MAX / cols && sure == 0)
        return PH_OK; /* the doubt is not worth the time */
    if (cols && rows > DENSE_MAX / cols)
        return ph_fail(err, PH_E_MEMORY,
                       "%s belongs to dependent constraints of %zu rows: too many to be examined",
                       ph_constraint_label(&r->lay, part, label), rows);
    double *basis = ph_alloc(NULL, sizeof(double) * (rows * cols + 1));
    if (!basis)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to examine the constraints");
    for (int c = part; c < r->lay.C; c++)
        for (int i = 0; i < r->lay.rows[c] && r->part[c] == part; i++) {
            write_row(r, c, i, basis + count * cols, cols);
            if (add_row(basis, count, cols))
                count++;
            else
                dependent[c]++;
        }
    ph_free(NULL, basis);
    return PH_OK;
}

/* 1 if block LU is sure that no row depends on others, -1 if it found one that does, 0 if it doubts. */
static ph_status independent(ranker *r, int *sure, ph_error *err)
{
    ph_newton_matrix nm;
    ph_status s = ph_newton_create(&nm, &r->lay, 0, PH_INDEX3, PH_BLOCK, NULL, err);
    *sure = 0;
    if (s == PH_OK) {
        ph_status f = ph_newton_factor_initial(&nm, &r->ev, 0);
        *sure = f != PH_OK ? -1 : ph_solver_ask(nm.initial).growth <= INDEPENDENT;
        ph_newton_destroy(&nm);
    }
    return s;
}

static ph_status rank(ranker *r, int *dependent, ph_error *err)
{
    ph_state s = ph_point_view(&r->at, &r->lay);
    int sure;
    ph_status status = ph_eval_mass(&r->ev, &s);
    if (status == PH_OK)
        status = ph_eval_links(&r->ev, &s, r->ev.B);
    if (status != PH_OK)
        return ph_fail(err, status, "the callback %s refused", r->ev.refused);
    if (!isfinite(ph_small_max(r->lay.size_links, r->ev.B)))
        return ph_fail(err, PH_E_NAN, "the callback B gave a number that is not finite");
    status = independent(r, &sure, err);
    if (status != PH_OK || sure > 0)
        return status;
    connect(r);
    for (int c = 0; c < r->lay.C && status == PH_OK; c++)
        if (r->part[c] == c)
            status = examine(r, c, sure, dependent, err);
    return status;
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
    if (s == PH_OK) {
        r.at.t = t;
        memcpy(r.at.q, q, sizeof(double) * (size_t)r.lay.nq);
        ph_point_rotations(&r.at, &r.lay);
        s = rank(&r, dependent, err);
    }
    ph_free(NULL, a.block);
    return s;
}
