/* The plan of the solver of fronts: front_plan.c makes it once for a graph, front.c executes it. Private to these two. */
#ifndef PH_LA_FRONT_H
#define PH_LA_FRONT_H

#include "la/backend.h"
#include "la/order.h"

/* Columns that are eliminated together: p unknowns, and r that they are coupled with. */
typedef struct ph_front {
    int p, r;
    int first; /* its first unknown in elimination order */
    int rows;  /* where its r unknowns stand in row and in map */
    int child,
        sibling;      /* the last front whose update it takes; the one before of the same parent; -1: none */
    int entries, end; /* its blocks of A */
    int gross;        /* where its update starts among the sizes on the stack */
    size_t update;    /* and on the stack */
    size_t lu, u, l;  /* p x p, p x r, r x p in the store */
} ph_front;

/* A block of A: where its values start, where it goes in its front. */
typedef struct ph_front_entry {
    int at, row, col, m, n;
} ph_front_entry;

typedef struct ph_front_plan {
    ph_analysis base;
    int n_fronts, widest; /* most unknowns of a front */
    ph_front *front;
    ph_front_entry *entry;
    int *row;     /* of each front: unknowns in elimination order, ascending */
    int *map;     /* and where they stand in the parent */
    int *from;    /* total: unknown of A that is eliminated k-th */
    int *of;      /* total: block of that unknown, */
    int *within;  /* and which of the block's it is */
    size_t store; /* doubles of the factors */
    size_t stack; /* doubles of updates that wait */
    int sizes;    /* and of the sizes of their diagonal blocks */
    int largest;  /* block */
} ph_front_plan;

/* Sizes of a row of a block, by fours. */
static inline int ph_front_room(int size)
{
    return (size + 3) / 4 * 4;
}

ph_status ph_front_make_plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc);

#endif
