/* The program that block LU runs: plan.c makes it once for a graph, block.c executes it. Private to these two. */
#ifndef PH_LA_BLOCK_H
#define PH_LA_BLOCK_H

#include "la/backend.h"
#include "la/order.h"

/* A place is four times an offset plus where that is: into the values of A (0), into the store of the factors (1), or into the values
 * of A, at a block of 3 rows that stand 6 apart (2). The store begins with a block of zeros, for blocks that A does not list. */
enum { PH_IN_VALUES, PH_IN_STORE, PH_IN_SIXES };
#define PH_PLACE_ZERO PH_IN_STORE

static inline int ph_place(int at, int where)
{
    return 4 * at + where;
}

/* Room for a row of a block: one of 3 may be written as a vector of 4. */
static inline int ph_place_size(int size)
{
    return size == 3 ? 4 : size;
}

/* Pivot k. Blocks of row k of L and column k of U: below[pivot[k-1].below_end ..], first those whose L is not zero; blocks of column k
 * of L and row k of U: above[pivot[k-1].above_end ..], and target likewise. */
typedef struct ph_pivot {
    int size;
    int all3;                 /* it and all its neighbours have size 3: rows of its inverse stand 4 apart */
    int init;                 /* place of A_kk */
    int inverse;              /* offset of D_k^-T in the store */
    int unknown;              /* first unknown in the order of A */
    int guarded;              /* A_kk must not be lost in what is subtracted from it */
    int lower_end;            /* end of the neighbours below whose L is not zero */
    int below_end, above_end; /* end of its neighbours */
} ph_pivot;

/* A block of L and the block of U across the diagonal. */
typedef struct ph_block_neighbour {
    int l;    /* offset of L in the store */
    int u;    /* place of U */
    int y;    /* first unknown of the neighbour in y */
    int size; /* of the neighbour */
} ph_block_neighbour;

/* How L_ik and U_ki come about. */
typedef struct ph_block_target {
    int l_init, u_init; /* places of A_ik and A_ki */
    int l, u;           /* offset of L in the store, 0: it stays zero; of U, 0: it is that of A */
    int size;           /* of i */
    int pairs_end;      /* end of what is subtracted */
} ph_block_target;

/* L_ik gets - L_im U_mk and U_ki gets - L_km U_mi. */
typedef struct ph_pair {
    int l_im, u_mk, l_km, u_mi;
    int size; /* of m */
} ph_pair;

typedef struct ph_block_program {
    ph_analysis base;
    int n, largest;  /* pivots, size of the largest */
    int halves;      /* 1: some are halves of a block of A, whose rows stand 6 apart */
    int *order;      /* n: block of A eliminated k-th, one of two halves twice */
    ph_pivot *pivot; /* n, and one of zeros before them */
    ph_block_neighbour *below, *above;
    ph_block_target *target;
    ph_pair *pair;
    size_t store; /* doubles of the factors */
} ph_block_program;

typedef struct ph_block_lu {
    ph_solver base;
    ph_pattern p;  /* and what follows up to pair: the program's, near at hand */
    int n, threes; /* threes: all pivots are all3 */
    int halves;
    const int *order;
    const ph_pivot *pivot;
    const ph_block_neighbour *below, *above;
    const ph_block_target *target;
    const ph_pair *pair;
    ph_refinement w;
    const double *value; /* as factored */
    double trust;        /* growth up to which solutions are not refined */
    double *store;
    double *y;              /* unknowns in elimination order, each block of 3 in a place for 4 */
    double *work[3], *line; /* largest x largest each; largest */
    int *swap;              /* largest */
} ph_block_lu;

/* Orders, lays out and fills. */
ph_status ph_block_plan(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc);

#endif
