/* The reversed Cuthill-McKee order: rows in layers from one end of the graph to the other, those with few
 * neighbours first. The end is found by going to the farthest row and back until that gets no farther. */
#include "fe/band.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const ph_csc *A;
    int *queue; /* rows in the order of their visit */
    int *layer; /* of rows: 0 not visited, else 1 + distance from the start */
    int *degree;
} walk;

static int degree_of(const ph_csc *A, int i)
{
    return A->p[i + 1] - A->p[i];
}

/* Rows of a small part of the queue by degree: few, and nearly sorted. */
static void sort_part(walk *w, int from, int end)
{
    for (int k = from + 1; k < end; k++) {
        int row = w->queue[k], at = k;
        for (; at > from && w->degree[w->queue[at - 1]] > w->degree[row]; at--)
            w->queue[at] = w->queue[at - 1];
        w->queue[at] = row;
    }
}

/* All rows that are connected with start, from place first of the queue on; the end of them there. */
static int visit(walk *w, int start, int first)
{
    int end = first;
    w->queue[end++] = start, w->layer[start] = 1;
    for (int k = first; k < end; k++) {
        int i = w->queue[k], from = end;
        for (int m = w->A->p[i]; m < w->A->p[i + 1]; m++) {
            int j = w->A->i[m];
            if (!w->layer[j])
                w->queue[end++] = j, w->layer[j] = w->layer[i] + 1;
        }
        sort_part(w, from, end);
    }
    return end;
}

static void forget(walk *w, int first, int end)
{
    for (int k = first; k < end; k++)
        w->layer[w->queue[k]] = 0;
}

/* The row of the last layer with the fewest neighbours. */
static int farthest(const walk *w, int first, int end)
{
    int best = w->queue[end - 1];
    for (int k = end - 1; k >= first && w->layer[w->queue[k]] == w->layer[w->queue[end - 1]]; k--)
        if (w->degree[w->queue[k]] < w->degree[best])
            best = w->queue[k];
    return best;
}

static int visit_part(walk *w, int start, int first)
{
    int end = visit(w, start, first), depth = w->layer[w->queue[end - 1]];
    for (;;) {
        int next = farthest(w, first, end);
        forget(w, first, end);
        end = visit(w, next, first);
        if (w->layer[w->queue[end - 1]] <= depth)
            return end;
        depth = w->layer[w->queue[end - 1]];
    }
}

int ph_band_order(ph_pool *pool, const ph_csc *A, int *place)
{
    int n = A->columns, end = 0, width = 0;
    walk w = {.A = A,
              .queue = ph_pool_ints(pool, (size_t)n),
              .layer = ph_pool_ints(pool, (size_t)n),
              .degree = ph_pool_ints(pool, (size_t)n)};
    if (!w.queue || !w.layer || !w.degree)
        return -1;
    for (int i = 0; i < n; i++)
        w.degree[i] = degree_of(A, i);
    for (int i = 0; i < n; i++)
        if (!w.layer[i])
            end = visit_part(&w, i, end);
    for (int k = 0; k < n; k++)
        place[w.queue[k]] = n - 1 - k;
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int d = abs(place[A->i[k]] - place[j]);
            width = d > width ? d : width;
        }
    return width;
}
