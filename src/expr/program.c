/* Programs: a graph with its decision tree, made ready for evaluation. */
#include "expr/graph.h"

#include <string.h>

/* The walk over the tree, which is done twice: first to count, then to fill in. A node is evaluated once on each way: it
 * is ready from the stretch on that needs it first. */
typedef struct walk {
    const ph_expr_graph *g;
    const ph_tree *tree;
    ph_program *p; /* what is counted; arrays from the second time on */
    int *place;    /* of all nodes: among arguments, constants or operations; -1: none needs it yet */
    int *ready;    /* of all nodes: 1 where it is on the present way */
    int *order;    /* operations that are ready, in their order */
    int n_ready;
    int *stack;
    int n_operations; /* that are some node's */
    int failed;       /* too many operations */
} walk;

static int *count_of(walk *w, int code)
{
    return code == PH_NODE_CONSTANT   ? &w->p->n_constants
           : code == PH_NODE_ARGUMENT ? &w->p->n_args
                                      : &w->n_operations;
}

/* The number of a node. */
static int number_of(const walk *w, int node)
{
    int code = w->g->node[node].code, k = w->place[node];
    return code == PH_NODE_ARGUMENT   ? k
           : code == PH_NODE_CONSTANT ? w->p->n_args + k
                                      : w->p->n_args + w->p->n_constants + k;
}

static int is_variable(const ph_expr_graph *g, int node)
{
    return g->node[node].code != PH_NODE_CONSTANT;
}

static void put(walk *w, int node)
{
    const ph_expr_graph_node *n = &w->g->node[node];
    ph_program *p = w->p;
    if (w->place[node] < 0) {
        int *count = count_of(w, n->code);
        w->place[node] = (*count)++;
    }
    if (p->op && n->code == PH_NODE_ARGUMENT)
        p->arg[w->place[node]] = w->g->arg[n->a];
    if (p->op && n->code == PH_NODE_CONSTANT)
        p->constant[w->place[node]] = n->x;
    w->ready[node] = 1;
    w->order[w->n_ready++] = node;
    if (n->code < 0)
        return;
    int two = ph_op_get(n->code)->operands == 2;
    if (p->op)
        p->op[p->n_ops] = (ph_op){.code = n->code,
                                  .y = number_of(w, node),
                                  .a = number_of(w, n->a),
                                  .b = number_of(w, two ? n->b : n->a),
                                  .wants = is_variable(w->g, n->a) + 2 * (two && is_variable(w->g, n->b)),
                                  .curve = n->code == PH_OP_CURVE ? n->b : 0};
    w->failed |= ++p->n_ops > PH_GRAPH_NODES;
}

/* What a node needs first: an operand that is not ready; -1: nothing. */
static int lacks(const walk *w, int node)
{
    const ph_expr_graph_node *n = &w->g->node[node];
    if (n->code < 0)
        return -1;
    if (!w->ready[n->a])
        return n->a;
    return ph_op_get(n->code)->operands == 2 && !w->ready[n->b] ? n->b : -1;
}

static void need(walk *w, int node)
{
    int top = 0;
    w->stack[top++] = node;
    while (top > 0 && !w->failed) {
        int next = w->stack[top - 1], first = lacks(w, next);
        if (w->ready[next])
            top--;
        else if (first >= 0)
            w->stack[top++] = first;
        else
            put(w, next), top--;
    }
}

/* A stretch and those after it; which one it is. */
static int go(walk *w, int at, int depth)
{
    const ph_tree_node *t = &w->tree->node[at];
    ph_program *p = w->p;
    int k = p->n_stretches++, kept = w->n_ready, n = w->tree->n_out;
    ph_stretch s = {.first = p->n_ops, .kind = t->kind, .relation = (int)t->relation};
    p->depth = depth > p->depth ? depth : p->depth;
    if (t->kind == PH_TREE_BRANCH)
        need(w, t->a), need(w, t->b);
    for (int i = 0; i < n && t->kind == PH_TREE_LEAF; i++)
        need(w, w->tree->out[t->out + i]);
    s.end = p->n_ops;
    if (t->kind == PH_TREE_BRANCH) {
        s.a = number_of(w, t->a), s.b = number_of(w, t->b);
        s.no = w->failed ? 0 : go(w, t->no, depth + 1);
        s.yes = w->failed ? 0 : go(w, t->yes, depth + 1);
    } else if (t->kind == PH_TREE_LEAF) {
        s.out = p->n_results;
        for (int i = 0; i < n; i++, p->n_results++)
            if (p->result)
                p->result[p->n_results] = number_of(w, w->tree->out[t->out + i]);
    } else {
        s.kind = PH_TREE_UNTRACED, s.yes = t->kind == PH_TREE_UNTRACED && t->yes;
        p->untraced += !s.yes;
    }
    if (p->stretch)
        p->stretch[k] = s;
    while (w->n_ready > kept)
        w->ready[w->order[--w->n_ready]] = 0;
    return k;
}

static void begin(walk *w)
{
    ph_program *p = w->p;
    p->n_ops = p->n_stretches = p->n_results = p->untraced = p->depth = 0;
    w->n_ready = 0;
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(ph_program *p, ph_arena *a)
{
    p->arg = ph_arena_take(a, (size_t)p->n_args, sizeof *p->arg);
    p->constant = ph_arena_take(a, (size_t)p->n_constants, sizeof *p->constant);
    p->op = ph_arena_take(a, (size_t)p->n_ops + 1, sizeof *p->op);
    p->stretch = ph_arena_take(a, (size_t)p->n_stretches, sizeof *p->stretch);
    p->curve = ph_arena_take(a, (size_t)p->n_curves, sizeof *p->curve);
    p->result = ph_arena_take(a, (size_t)p->n_results, sizeof *p->result);
}

ph_status ph_program_make(ph_program **out, const ph_program *sizes, const ph_allocator *alloc)
{
    ph_arena a = {0};
    ph_program count = *sizes;
    *out = NULL;
    ph_arena_take(&a, 1, sizeof count);
    take(&count, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    ph_program *p = ph_arena_take(&a, 1, sizeof *p);
    *p = *sizes;
    p->alloc = alloc, p->block = a.block;
    take(p, &a);
    *out = p;
    return PH_OK;
}

static int open_walk(walk *w, const ph_expr_graph *g, ph_arena *a, const ph_allocator *alloc)
{
    for (int again = 0; again < 2; again++) {
        size_t n = (size_t)g->nodes;
        w->place = ph_arena_take(a, n, sizeof(int));
        w->ready = ph_arena_take(a, n, sizeof(int));
        w->order = ph_arena_take(a, n, sizeof(int));
        w->stack = ph_arena_take(a, n + 1, sizeof(int));
        if (!again && !ph_arena_open(a, alloc))
            return 0;
    }
    for (int k = 0; k < g->nodes; k++)
        w->place[k] = -1;
    return 1;
}

ph_status ph_program_create(ph_program **out, const ph_expr_graph *g, const ph_tree *tree,
                            const ph_allocator *alloc)
{
    ph_program count = {.n_out = tree->n_out, .n_curves = g->curves};
    walk w = {.g = g, .tree = tree, .p = &count};
    ph_arena a = {0};
    *out = NULL;
    if (!open_walk(&w, g, &a, alloc))
        return PH_E_MEMORY;
    begin(&w);
    go(&w, 0, 1);
    count.n_numbers = count.n_args + count.n_constants + w.n_operations;
    ph_status s = w.failed ? PH_E_INPUT : ph_program_make(out, &count, alloc);
    if (s == PH_OK) {
        w.p = *out;
        begin(&w);
        go(&w, 0, 1);
        if (g->curves)
            memcpy((*out)->curve, g->curve, sizeof *g->curve * (size_t)g->curves);
    }
    ph_free(alloc, a.block);
    return s;
}

void ph_program_destroy(ph_program *p)
{
    if (p)
        ph_free(p->alloc, p->block);
}
