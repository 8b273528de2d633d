/* Sparse matrices by compressed columns. Symmetric ones have both triangles. */
#ifndef PH_FE_SPARSE_H
#define PH_FE_SPARSE_H

#include "fe/memory.h"

typedef struct ph_csc {
    int rows, columns;
    int *p;    /* columns + 1: where they begin */
    int *i;    /* rows of the entries, ascending in a column */
    double *x; /* the entries */
} ph_csc;

/* Entries in any order; those of the same place add up. */
typedef struct ph_triplets {
    int n, room;
    int *i, *j;
    double *x;
} ph_triplets;

/* Each takes its memory from the pool; 0: there is none. */
int ph_triplets_open(ph_pool *pool, ph_triplets *t, int room);
void ph_triplets_add(ph_triplets *t, int i, int j, double x); /* where there is room */
int ph_csc_build(ph_pool *pool, int rows, int columns, const ph_triplets *t, ph_csc *out);
int ph_csc_transpose(ph_pool *pool, const ph_csc *A, ph_csc *out);
int ph_csc_congruence(ph_pool *pool, const ph_csc *A, const ph_csc *T, ph_csc *out); /* T^T A T */

void ph_csc_mul(const ph_csc *A, const double *x, double *y);  /* y = A x */
void ph_csc_tmul(const ph_csc *A, const double *x, double *y); /* y = A^T x */
double ph_csc_max(const ph_csc *A);                            /* largest |entry| */
void ph_csc_project(const ph_csc *A, int n, const double *P, double *work,
                    double *out);                         /* P^T A P, n x n, of a symmetric A; work: rows */
double ph_inner(int n, const double *a, const double *b); /* a . b */
void ph_csc_dense(const ph_csc *A, double *D);            /* column by column */

#endif
