/* Sparse matrices by compressed columns. */
#include "fe/sparse.h"

#include <limits.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"

int ph_triplets_open(ph_pool *pool, ph_triplets *t, int room)
{
    *t = (ph_triplets){.room = room};
    t->i = ph_pool_ints(pool, (size_t)room), t->j = ph_pool_ints(pool, (size_t)room);
    t->x = ph_pool_numbers(pool, (size_t)room);
    return t->i && t->j && t->x;
}

void ph_triplets_add(ph_triplets *t, int i, int j, double x)
{
    t->i[t->n] = i, t->j[t->n] = j, t->x[t->n] = x;
    t->n++;
}

static int open_csc(ph_pool *pool, ph_csc *A, int rows, int columns, size_t entries)
{
    *A = (ph_csc){.rows = rows, .columns = columns};
    if (entries > INT_MAX)
        return 0;
    A->p = ph_pool_ints(pool, (size_t)columns + 1), A->i = ph_pool_ints(pool, entries);
    A->x = ph_pool_numbers(pool, entries);
    return A->p && A->i && A->x;
}

/* counts of columns, in p[1] ..., become the beginnings of columns */
static void add_up(ph_csc *A)
{
    for (int j = 0; j < A->columns; j++)
        A->p[j + 1] += A->p[j];
}

int ph_csc_transpose(ph_pool *pool, const ph_csc *A, ph_csc *out)
{
    int n = A->p[A->columns], *next = ph_pool_ints(pool, (size_t)A->rows);
    if (!next || !open_csc(pool, out, A->columns, A->rows, (size_t)n))
        return 0;
    for (int k = 0; k < n; k++)
        out->p[A->i[k] + 1]++;
    add_up(out);
    memcpy(next, out->p, (size_t)A->rows * sizeof *next);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int to = next[A->i[k]]++;
            out->i[to] = j, out->x[to] = A->x[k];
        }
    return 1;
}

/* Entries of the same place become one; the rows of a column ascend. */
static void merge(ph_csc *A)
{
    int to = 0;
    for (int j = 0; j < A->columns; j++) {
        int first = to;
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (to > first && A->i[to - 1] == A->i[k])
                A->x[to - 1] += A->x[k];
            else
                A->i[to] = A->i[k], A->x[to] = A->x[k], to++;
        A->p[j] = first;
    }
    A->p[A->columns] = to;
}

/* Sorted by rows through two transpositions. */
int ph_csc_build(ph_pool *pool, int rows, int columns, const ph_triplets *t, ph_csc *out)
{
    ph_csc A, B;
    int *next = ph_pool_ints(pool, (size_t)columns);
    if (!next || !open_csc(pool, &A, rows, columns, (size_t)t->n))
        return 0;
    for (int k = 0; k < t->n; k++)
        A.p[t->j[k] + 1]++;
    add_up(&A);
    memcpy(next, A.p, (size_t)columns * sizeof *next);
    for (int k = 0; k < t->n; k++) {
        int to = next[t->j[k]]++;
        A.i[to] = t->i[k], A.x[to] = t->x[k];
    }
    if (!ph_csc_transpose(pool, &A, &B) || !ph_csc_transpose(pool, &B, out))
        return 0;
    merge(out);
    return 1;
}

/* A vector with a list of those of its entries that were touched. */
typedef struct scatter {
    double *x;
    int *touched; /* 1: it is in the list */
    int *list, n;
} scatter;

static int open_scatter(ph_pool *pool, scatter *s, int n)
{
    *s = (scatter){0};
    s->x = ph_pool_numbers(pool, (size_t)n);
    s->touched = ph_pool_ints(pool, (size_t)n), s->list = ph_pool_ints(pool, (size_t)n);
    return s->x && s->touched && s->list;
}

static void add(scatter *s, int i, double x)
{
    if (!s->touched[i])
        s->touched[i] = 1, s->list[s->n++] = i;
    s->x[i] += x;
}

/* s += f A e_j */
static void add_column(scatter *s, const ph_csc *A, int j, double f)
{
    for (int k = A->p[j]; k < A->p[j + 1]; k++)
        add(s, A->i[k], f * A->x[k]);
}

static void clear(scatter *s)
{
    for (int k = 0; k < s->n; k++)
        s->x[s->list[k]] = 0, s->touched[s->list[k]] = 0;
    s->n = 0;
}

/* Column j of T^T A T, into c. */
static void congruence_column(const ph_csc *A, const ph_csc *T, const ph_csc *Tt, int j, scatter *w,
                              scatter *c)
{
    for (int k = T->p[j]; k < T->p[j + 1]; k++)
        add_column(w, A, T->i[k], T->x[k]);
    for (int k = 0; k < w->n; k++)
        add_column(c, Tt, w->list[k], w->x[w->list[k]]);
    clear(w);
}

/* Columns are made twice: to count their entries, and to keep them. */
int ph_csc_congruence(ph_pool *pool, const ph_csc *A, const ph_csc *T, ph_csc *out)
{
    ph_csc Tt, B;
    scatter w, c;
    int n = T->columns;
    size_t entries = 0;
    if (!ph_csc_transpose(pool, T, &Tt) || !open_scatter(pool, &w, A->rows) || !open_scatter(pool, &c, n))
        return 0;
    for (int j = 0; j < n; j++, clear(&c)) {
        congruence_column(A, T, &Tt, j, &w, &c);
        entries += (size_t)c.n;
    }
    if (!open_csc(pool, &B, n, n, entries))
        return 0;
    for (int j = 0; j < n; j++, clear(&c)) {
        congruence_column(A, T, &Tt, j, &w, &c);
        B.p[j + 1] = B.p[j] + c.n;
        for (int k = 0; k < c.n; k++)
            B.i[B.p[j] + k] = c.list[k], B.x[B.p[j] + k] = c.x[c.list[k]];
    }
    return ph_csc_transpose(pool, &B, out); /* it is symmetric, and its rows are sorted now */
}

void ph_csc_mul(const ph_csc *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->rows * sizeof *y);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            y[A->i[k]] += A->x[k] * x[j];
}

void ph_csc_tmul(const ph_csc *A, const double *x, double *y)
{
    for (int j = 0; j < A->columns; j++) {
        y[j] = 0;
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            y[j] += A->x[k] * x[A->i[k]];
    }
}

double ph_inner(int n, const double *a, const double *b)
{
    return ph_vector_dot(n, a, b);
}

void ph_csc_project(const ph_csc *A, int n, const double *P, double *work, double *out)
{
    size_t rows = (size_t)A->rows;
    for (int b = 0; b < n; b++) {
        ph_csc_mul(A, P + (size_t)b * rows, work);
        for (int a = 0; a <= b; a++)
            out[a * n + b] = out[b * n + a] = ph_inner(A->rows, P + (size_t)a * rows, work);
    }
}

double ph_csc_max(const ph_csc *A)
{
    return ph_small_max(A->p[A->columns], A->x);
}

void ph_csc_dense(const ph_csc *A, double *D)
{
    memset(D, 0, (size_t)A->rows * (size_t)A->columns * sizeof *D);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            D[(size_t)j * (size_t)A->rows + (size_t)A->i[k]] = A->x[k];
}
