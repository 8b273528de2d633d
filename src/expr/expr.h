/* Expressions: graphs of operations, and programs that evaluate them and their first and second derivatives.
 *
 * A graph is built node by node. Equal nodes are one node, constants are folded. A decision tree on top says which nodes are
 * the results, by comparisons. A program is the tree with its operations in a row, ready to be evaluated without allocation;
 * only the operations of the leaf that is reached are. Numbers of the program are numbered:
 *
 *   arguments, constants, results of operations
 *
 * For y = op(a, b) on the way, with partial derivatives y_a, y_b, y_aa, y_ab, y_bb and the weight w of a result:
 *
 *   gradient  backwards:  a' += y' y_a,  b' += y' y_b                                                 (P1)
 *   forwards along d:     y. = y_a a. + y_b b.                                                        (P2)
 *   H d       backwards:  a'. += y'. y_a + y' (y_aa a. + y_ab b.),  b'. alike                         (P3)
 *
 * A factor of exactly 0 removes its term, whatever the other is: max(0, x)^1.5 has derivatives at x < 0. */
#ifndef PH_EXPR_EXPR_H
#define PH_EXPR_EXPR_H

#include <stdio.h>

#include "base/base.h"

typedef enum ph_op_code {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb) code,
#include "expr/ops.def"
#undef PH_OP
    PH_OPS
} ph_op_code;

typedef struct ph_op_row {
    const char *name;
    int operands, kink;
} ph_op_row;

const ph_op_row *ph_op_get(int code); /* NULL past the end */
int ph_op_find(const char *name);     /* -1: none */

/* Comparisons, of which a decision tree is made. */
typedef enum ph_relation { PH_LESS, PH_LESS_EQUAL, PH_EQUAL, PH_RELATIONS } ph_relation;

/* What a program is a function of: its kind is a row of a table of the program's user, with an index and a component. */
typedef struct ph_argument {
    int kind, index, component;
} ph_argument;

/* A curve y(x): out = {y, y', y''}, as far as level says. 0: there is no value at x. */
typedef struct ph_curve_ref {
    int (*at)(const void *curve, double x, int level, double out[3]);
    const void *curve; /* lives as long as what uses it */
    int index;         /* of the model's curves, by which frozen models name it */
    double (*piece)(const void *curve,
                    double x); /* a number that changes where y' jumps; NULL: it never does */
} ph_curve_ref;

/* ---- graphs ------------------------------------------------------------------------------------------- */

#define PH_GRAPH_NODES 100000

typedef struct ph_expr_graph ph_expr_graph;

/* Lua's kinds of numbers: PH_ANY is an integer or a float, as max(0, x) is. */
typedef enum ph_number { PH_FLOAT, PH_INTEGER, PH_ANY } ph_number;

ph_expr_graph *ph_expr_graph_create(const ph_allocator *alloc); /* NULL: no memory */
void ph_expr_graph_destroy(ph_expr_graph *g);
ph_expr_graph *ph_expr_graph_copy(const ph_expr_graph *g); /* nodes keep their numbers; NULL: no memory */

/* Nodes; a negative answer is one of these. */
enum { PH_GRAPH_MEMORY = -1, PH_GRAPH_FULL = -2 };

int ph_expr_graph_constant(ph_expr_graph *g, double x, ph_number kind); /* integers: up to 2^53 */
int ph_expr_graph_argument(ph_expr_graph *g, ph_argument a);
int ph_expr_graph_curve(ph_expr_graph *g, const ph_curve_ref *curve, int a);
/* y = op(a, b), with Lua's rules for integers; b: of two operands. */
int ph_expr_graph_op(ph_expr_graph *g, ph_op_code code, int a, int b);
ph_number ph_expr_graph_kind(const ph_expr_graph *g, int node);
/* 1: it is a constant, *x */
int ph_expr_graph_is_constant(const ph_expr_graph *g, int node, double *x);
/* Values of nodes, from number first on, where those before are known; x: of arguments, in the order in which they came.
 * NaN: a curve has no value there. */
void ph_expr_graph_values(const ph_expr_graph *g, const double *x, int first, double *value);
int ph_expr_graph_size(const ph_expr_graph *g); /* nodes */

/* ---- decision trees ----------------------------------------------------------------------------------- */

/* Children follow their parents. */
typedef struct ph_tree_node {
    enum {
        PH_TREE_OPEN,
        PH_TREE_BRANCH,
        PH_TREE_LEAF,
        PH_TREE_UNTRACED
    } kind;               /* ASK: no expression is known here */
    ph_relation relation; /* of a branch: a relation b */
    int a, b;
    int no, yes; /* children; yes of ASK: 1: there is nothing to be known, the function has no value here */
    int out;     /* of a leaf: its first result in the list of results */
} ph_tree_node;

typedef struct ph_tree {
    const ph_tree_node *node; /* the root first */
    int nodes;
    const int *out; /* nodes of the graph, n_out for each leaf */
    int n_out;
} ph_tree;

/* ---- programs ----------------------------------------------------------------------------------------- */

typedef struct ph_op {
    int code;
    int y, a, b; /* numbers */
    int wants;   /* bits 0 and 1: a, b depend on arguments */
    int curve;   /* of PH_OP_CURVE: its curve */
} ph_op;

/* Part of the way through the tree: operations, then a comparison or results. */
typedef struct ph_stretch {
    int first, end; /* operations */
    int kind, relation, a, b, no, yes, out;
} ph_stretch;

typedef struct ph_program {
    int n_args, n_constants, n_numbers, n_ops, n_stretches, n_curves, n_out, n_results;
    int untraced; /* stretches where an expression would be needed and is not known */
    int depth;    /* most stretches on a way */
    ph_argument *arg;
    double *constant;
    ph_op *op;
    ph_stretch *stretch;
    ph_curve_ref *curve;
    int *result; /* numbers, n_out for each leaf */
    const ph_allocator *alloc;
    void *block;
} ph_program;

/* It keeps the arguments that some way needs; PH_E_INPUT where it has more than PH_GRAPH_NODES operations. */
ph_status ph_program_create(ph_program **out, const ph_expr_graph *g, const ph_tree *tree,
                            const ph_allocator *alloc);
void ph_program_destroy(ph_program *p);
/* One of these sizes, with arrays to fill in. */
ph_status ph_program_make(ph_program **out, const ph_program *sizes, const ph_allocator *alloc);

/* Memory of an evaluation, which two of them at once must not share. */
size_t ph_program_room(const ph_program *p); /* doubles */

typedef enum ph_answer {
    PH_KNOWN,
    PH_UNTRACED, /* no expression is known here */
    PH_NOWHERE   /* a curve has no value here, or a number is not finite */
} ph_answer;

/* Results at the arguments x, which stay in room for what follows. */
ph_answer ph_program_values(const ph_program *p, const double *x, double *room, double *out);
/* Then derivatives: first the partial ones of the operations on the way, of order 1 or 2. */
void ph_program_partials(const ph_program *p, double *room, int order);
/* g: by each argument, of result k (P1). 0: one is not finite. */
int ph_program_gradient(const ph_program *p, double *room, int k, double *g);
/* H d of the sum of the results times w (P2, P3), and its gradient, NULL: not wanted. 0: one is not finite. */
int ph_program_curvature(const ph_program *p, double *room, const double *w, const double *d, double *g,
                         double *Hd);
/* The leaf of the last evaluation: a number below n_stretches. */
int ph_program_leaf(const ph_program *p, const double *room);

/* Switches on the way of the last evaluation: f changes its formula where one of them passes 0. How many there are;
 * those of comparisons first, then those of operations with kinks. out NULL: they are counted. */
int ph_program_switches(const ph_program *p, const double *room, double *out, int most);

/* Switches that depend on arguments of one kind alone, all of which have the value x, on all ways through the program: on which
 * side of each it is, as numbers that change where it passes one. How many there are; room: of ph_program_pieces_room. */
int ph_program_pieces(const ph_program *p, int kind, double x, double *room, double *side, int most);
size_t ph_program_pieces_room(const ph_program *p); /* doubles */

/* 1: it has such switches, or others, and depends on an argument of this kind: it may jump or bend with it. */
int ph_program_may_jump(const ph_program *p, int kind);

#endif
