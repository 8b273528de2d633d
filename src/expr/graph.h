/* A graph from inside, for those who make programs of it. */
#ifndef PH_EXPR_GRAPH_H
#define PH_EXPR_GRAPH_H

#include "expr/expr.h"

enum { PH_NODE_CONSTANT = -1, PH_NODE_ARGUMENT = -2 }; /* codes of nodes that are no operations */

typedef struct ph_expr_graph_node {
    int code;
    int a, b; /* nodes before it; of an argument and of a curve a or b is its index */
    double x; /* of a constant */
    ph_number kind;
} ph_expr_graph_node;

struct ph_expr_graph {
    const ph_allocator *alloc;
    ph_expr_graph_node *node;
    int nodes, room;
    int *table, slots; /* open hashing: 1 + node; slots: a power of 2 */
    ph_argument *arg;
    int args, arg_room;
    ph_curve_ref *curve;
    int curves, curve_room;
};

#endif
