/* Elimination order and structure of the factors of a block matrix. */
#ifndef PH_LA_ORDER_H
#define PH_LA_ORDER_H

#include "la/solver.h"

/* Block order[k] of the graph is eliminated k-th. Column k of L, and row k of U, has the blocks
 * above[start[k] .. start[k+1]), ascending numbers > k; row k of L has below[first[k] .. first[k+1]),
 * ascending < k. */
typedef struct ph_structure {
    int n;
    int *order;         /* n */
    int *start, *above; /* n + 1, start[n] */
    int *first, *below; /* n + 1, start[n] */
    void *block;        /* the memory of all of them */
} ph_structure;

ph_status ph_order(ph_structure *out, const ph_graph *g, const ph_allocator *alloc);
void ph_structure_free(ph_structure *s, const ph_allocator *alloc);

/* The same, or what the graph has of it already; and its end. */
ph_status ph_order_open(ph_structure *out, const ph_graph *g, const ph_allocator *alloc);
void ph_order_close(ph_structure *s, const ph_graph *g, const ph_allocator *alloc);

#endif
