/* Where the parts of a system stand in flat arrays; made once from a ph_system and checked on the way. */
#ifndef PH_STEP_LAYOUT_H
#define PH_STEP_LAYOUT_H

#include "base/base.h"
#include "base/batch.h"
#include "la/solver.h"
#include "polhode/system.h"

/* A node with all that a loop over nodes needs. */
typedef struct ph_slot {
    const ph_group_ops *op;
    int dim, rot;   /* of the algebra; coordinates from rot on are rotational (rot = dim: none is) */
    int q_at, v_at; /* where its element and its velocity start */
    int R_at, T_at; /* rotation matrix; tangent operators; -1 for nodes of a vector space */
    int batched;    /* it is one of a batch */
} ph_slot;

/* A listed block with all that a loop over blocks needs. */
typedef struct ph_block {
    int row, col;       /* nodes of a pair; constraint and node of a link */
    int row_at, col_at; /* where the row's and the column's vectors start */
    int m, n;           /* size of the block */
    int at;             /* where its values start */
    int T_at;           /* tangent operators of the column's node; -1: none */
    int holonomic;      /* of a link: its constraint is */
    unsigned has;       /* of a pair: PH_HAS_ flags and PH_UPPER; of a link: not 0 */
} ph_block;

typedef struct ph_layout {
    const ph_system *sys;
    ph_products products; /* of sys, as long as what they stand for was not replaced, or NULL; and so on */
    ph_tangents tangents;
    ph_positions positions;
    ph_cut cut;             /* NULL: increments are never cut */
    int N, C;               /* nodes, constraints */
    int nq, nv, nl, nR, nT; /* sizes: q, v, lambda, rotation matrices, tangent operators */
    int n_pairs, n_links;   /* listed blocks */
    int size_pairs;         /* doubles of M, C, K */
    int size_links;         /* doubles of B, Z, g_lambda */
    int max_dim;            /* largest block dimension */
    int most_rows;          /* of constraints that act on one node */
    int friction;           /* g depends on lambda */
    int smooth;             /* PH_SMOOTH, of its own callbacks */
    int nonholonomic;       /* some constraint is */
    ph_slot *slot;          /* N */
    ph_batch
        *batch[PH_BATCHES]; /* nodes of a kind, four by four in their order; those left over are in none */
    int n_batches[PH_BATCHES];
    int *q_at, *v_at, *R_at; /* N: what ph_state hands out */
    int *rows, *l_at;        /* C */
    ph_block *pair, *link;   /* n_pairs, n_links */
    int *diag;               /* N: the pair (i, i) */
    int *link_end,
        *link_of; /* N, n_links: the links of node i are link_of[k], k from the end of node i - 1 on, in their order */
    ph_analyses *known; /* of matrices on it; NULL: they are not kept */
} ph_layout;

/* The layout of a system and the analyses of matrices on it, made once and shared by all that is done with the system
 * in one thread: initial values, rank, simulations. Each of them has a copy of lay, which reads the same arrays. */
typedef struct ph_skeleton {
    ph_layout lay;
    ph_analyses known;
    int users;
    ph_allocator alloc_copy;
    const ph_allocator *alloc; /* &alloc_copy, or NULL for malloc */
    void *block;               /* the memory of the whole object */
} ph_skeleton;

/* Rows of its constraints are left out of matrices, at least at times. */
static inline int ph_layout_leaves_out(const ph_layout *lay)
{
    return lay->sys->n_redundant > 0 || lay->sys->switches;
}

ph_status ph_skeleton_create(ph_skeleton **out, const ph_system *sys, const ph_allocator *alloc,
                             ph_error *err);
ph_skeleton *ph_skeleton_keep(ph_skeleton *s); /* for one user more */
void ph_skeleton_release(ph_skeleton *s);      /* by one of them; accepts NULL */

/* Sizes and counts of a system, or an error; nothing is allocated. */
ph_status ph_layout_measure(ph_layout *lay, const ph_system *sys, ph_error *err);

/* Take the arrays from an arena (twice, see ph_arena), then fill them. */
void ph_layout_take(ph_layout *lay, ph_arena *a);
ph_status ph_layout_fill(ph_layout *lay, ph_error *err);

/* "node 'top'" or "node 3", "state 'z'" for nodes of first order; "constraint 'pivot'" or "constraint 0". Writes to text and returns it. */
#define PH_NAME_MAX 80
const char *ph_node_label(const ph_layout *lay, int node, char text[PH_NAME_MAX]);
const char *ph_constraint_label(const ph_layout *lay, int constraint, char text[PH_NAME_MAX]);

/* Length of the quaternion of node i in q. */
double ph_layout_length(const ph_layout *lay, int i, const double *q);

/* Initial values, v NULL where there is none: numbers are finite, and elements of curved groups lie on the
 * group to the digits of a model file. */
ph_status ph_layout_check(const ph_layout *lay, double t, const double *q, const double *v, ph_error *err);

#endif
