/* Graphs: equal nodes are one node, constants are folded, integers follow the rules of Lua. */
#include "expr/graph.h"

#include <string.h>

#include "base/hash.h"
#include "expr/ops.h"

ph_expr_graph *ph_expr_graph_create(const ph_allocator *alloc)
{
    ph_expr_graph *g = ph_alloc(alloc, sizeof *g);
    if (g)
        *g = (ph_expr_graph){.alloc = alloc};
    return g;
}

void ph_expr_graph_destroy(ph_expr_graph *g)
{
    if (!g)
        return;
    ph_free(g->alloc, g->node);
    ph_free(g->alloc, g->table);
    ph_free(g->alloc, g->arg);
    ph_free(g->alloc, g->curve);
    ph_free(g->alloc, g);
}

/* A copy of n things of this size, with room for as many as before; 0: no memory. */
static int copy_list(ph_expr_graph *g, void *to, const void *from, int n, int room, size_t size)
{
    void *own = room ? ph_alloc(g->alloc, (size_t)room * size) : NULL;
    if (room && !own)
        return 0;
    if (n)
        memcpy(own, from, (size_t)n * size);
    memcpy(to, &own, sizeof own);
    return 1;
}

ph_expr_graph *ph_expr_graph_copy(const ph_expr_graph *g)
{
    ph_expr_graph *c = ph_expr_graph_create(g->alloc);
    if (!c)
        return NULL;
    int done = copy_list(c, &c->node, g->node, g->nodes, g->room, sizeof *g->node) &&
               copy_list(c, &c->table, g->table, g->slots, g->slots, sizeof *g->table) &&
               copy_list(c, &c->arg, g->arg, g->args, g->arg_room, sizeof *g->arg) &&
               copy_list(c, &c->curve, g->curve, g->curves, g->curve_room, sizeof *g->curve);
    if (!done) {
        ph_expr_graph_destroy(c);
        return NULL;
    }
    c->nodes = g->nodes, c->room = g->room, c->slots = g->slots;
    c->args = g->args, c->arg_room = g->arg_room;
    c->curves = g->curves, c->curve_room = g->curve_room;
    return c;
}

/* Room for one more; 0: no memory. */
static int reserve(ph_expr_graph *g, void *list, int n, int *room, size_t size)
{
    void *old, *more;
    memcpy(&old, list, sizeof old);
    if (n < *room)
        return 1;
    int next = *room ? 2 * *room : 64;
    more = ph_alloc(g->alloc, (size_t)next * size);
    if (!more)
        return 0;
    if (n)
        memcpy(more, old, (size_t)n * size);
    ph_free(g->alloc, old);
    memcpy(list, &more, sizeof more);
    *room = next;
    return 1;
}

/* ---- equal nodes -------------------------------------------------------------------------------------- */

static unsigned slot_of(const ph_expr_graph *g, const ph_expr_graph_node *n)
{
    uint64_t key = ph_hash_bytes(PH_HASH_START, &n->code, sizeof n->code);
    key = ph_hash_bytes(key, &n->a, sizeof n->a);
    key = ph_hash_bytes(key, &n->b, sizeof n->b);
    key = ph_hash_bytes(key, &n->x, sizeof n->x);
    key = ph_hash_bytes(key, &n->kind, sizeof n->kind);
    return (unsigned)(key ^ key >> 32) & (unsigned)(g->slots - 1);
}

/* Bit by bit: 0 and -0 are two constants. */
static int equal(const ph_expr_graph_node *a, const ph_expr_graph_node *b)
{
    return a->code == b->code && a->a == b->a && a->b == b->b && a->kind == b->kind &&
           !memcmp(&a->x, &b->x, sizeof a->x);
}

static void enter(ph_expr_graph *g, int node)
{
    unsigned k = slot_of(g, &g->node[node]);
    while (g->table[k])
        k = (k + 1) & (unsigned)(g->slots - 1);
    g->table[k] = node + 1;
}

static int widen(ph_expr_graph *g)
{
    if (2 * (g->nodes + 1) <= g->slots)
        return 1;
    int slots = g->slots ? 2 * g->slots : 256, *table = ph_alloc(g->alloc, sizeof(int) * (size_t)slots);
    if (!table)
        return 0;
    memset(table, 0, sizeof(int) * (size_t)slots);
    ph_free(g->alloc, g->table);
    g->table = table, g->slots = slots;
    for (int k = 0; k < g->nodes; k++)
        enter(g, k);
    return 1;
}

/* The node, found or new. */
static int intern(ph_expr_graph *g, ph_expr_graph_node n)
{
    if (!widen(g))
        return PH_GRAPH_MEMORY;
    for (unsigned k = slot_of(g, &n); g->table[k]; k = (k + 1) & (unsigned)(g->slots - 1))
        if (equal(&g->node[g->table[k] - 1], &n))
            return g->table[k] - 1;
    if (g->nodes >= PH_GRAPH_NODES)
        return PH_GRAPH_FULL;
    if (!reserve(g, &g->node, g->nodes, &g->room, sizeof *g->node))
        return PH_GRAPH_MEMORY;
    g->node[g->nodes] = n;
    enter(g, g->nodes);
    return g->nodes++;
}

/* ---- leaves ------------------------------------------------------------------------------------------- */

int ph_expr_graph_constant(ph_expr_graph *g, double x, ph_number kind)
{
    return intern(g, (ph_expr_graph_node){.code = PH_NODE_CONSTANT, .x = x, .kind = kind});
}

int ph_expr_graph_argument(ph_expr_graph *g, ph_argument a)
{
    int k = 0;
    while (k < g->args &&
           (g->arg[k].kind != a.kind || g->arg[k].index != a.index || g->arg[k].component != a.component))
        k++;
    if (k == g->args) {
        if (!reserve(g, &g->arg, g->args, &g->arg_room, sizeof *g->arg))
            return PH_GRAPH_MEMORY;
        g->arg[g->args++] = a;
    }
    return intern(g, (ph_expr_graph_node){.code = PH_NODE_ARGUMENT, .a = k});
}

int ph_expr_graph_curve(ph_expr_graph *g, const ph_curve_ref *curve, int a)
{
    int k = 0;
    while (k < g->curves && g->curve[k].curve != curve->curve)
        k++;
    if (k == g->curves) {
        if (!reserve(g, &g->curve, g->curves, &g->curve_room, sizeof *g->curve))
            return PH_GRAPH_MEMORY;
        g->curve[g->curves++] = *curve;
    }
    return intern(g, (ph_expr_graph_node){.code = PH_OP_CURVE, .a = a, .b = k});
}

ph_number ph_expr_graph_kind(const ph_expr_graph *g, int node)
{
    return g->node[node].kind;
}

int ph_expr_graph_is_constant(const ph_expr_graph *g, int node, double *x)
{
    if (g->node[node].code == PH_NODE_CONSTANT)
        *x = g->node[node].x;
    return g->node[node].code == PH_NODE_CONSTANT;
}

/* ---- operations --------------------------------------------------------------------------------------- */

/* What Lua makes of numbers of these kinds. */
static ph_number kind_of(ph_op_code code, ph_number a, ph_number b)
{
    switch (code) {
    case PH_OP_FLOOR:
    case PH_OP_CEIL:
    case PH_OP_TRUNC:
    case PH_OP_WHOLE:
        return PH_INTEGER;
    case PH_OP_MAX:
    case PH_OP_MIN:
        return a == b ? a : PH_ANY;
    case PH_OP_ADD:
    case PH_OP_SUB:
    case PH_OP_MUL:
    case PH_OP_IDIV:
    case PH_OP_MOD:
    case PH_OP_FMOD:
        return a == PH_FLOAT || b == PH_FLOAT ? PH_FLOAT : a == b ? a : PH_ANY;
    case PH_OP_NEG:
    case PH_OP_ABS:
    case PH_OP_DIVISOR:
        return a;
    default:
        return PH_FLOAT;
    }
}

static int divides(ph_op_code code)
{
    return code == PH_OP_IDIV || code == PH_OP_MOD || code == PH_OP_FMOD;
}

/* One operation, or the constant that it gives. */
static int one(ph_expr_graph *g, ph_op_code code, int a, int b)
{
    int two = ph_op_get(code)->operands == 2;
    double x, y = 0;
    ph_number kind = kind_of(code, g->node[a].kind, two ? g->node[b].kind : PH_FLOAT);
    if (ph_expr_graph_is_constant(g, a, &x) && (!two || ph_expr_graph_is_constant(g, b, &y)) &&
        code != PH_OP_DIVISOR) {
        double value = ph_op_value(code, x, y);
        if (kind != PH_INTEGER || fabs(value) <= PH_OP_WHOLE_MAX)
            return ph_expr_graph_constant(g, kind == PH_INTEGER ? value + 0.0 : value, kind);
    }
    return intern(g, (ph_expr_graph_node){.code = (int)code, .a = a, .b = two ? b : 0, .kind = kind});
}

int ph_expr_graph_op(ph_expr_graph *g, ph_op_code code, int a, int b)
{
    double x;
    if (a < 0 || (ph_op_get(code)->operands == 2 && b < 0))
        return a < b ? a : b;
    if ((code == PH_OP_FLOOR || code == PH_OP_CEIL || code == PH_OP_TRUNC) && g->node[a].kind == PH_INTEGER)
        return a;
    if (divides(code) && g->node[a].kind != PH_FLOAT && g->node[b].kind != PH_FLOAT &&
        !(ph_expr_graph_is_constant(g, b, &x) && x != 0)) {
        b = one(g, PH_OP_DIVISOR, b, 0);
        if (b < 0)
            return b;
    }
    int y = one(g, code, a, b);
    if (y < 0 || g->node[y].kind != PH_INTEGER || g->node[y].code < 0 || code == PH_OP_MAX ||
        code == PH_OP_MIN)
        return y;
    return one(g, PH_OP_WHOLE, y, 0);
}

/* ---- values ------------------------------------------------------------------------------------------- */

int ph_expr_graph_size(const ph_expr_graph *g)
{
    return g->nodes;
}

void ph_expr_graph_values(const ph_expr_graph *g, const double *x, int first, double *value)
{
    for (int k = first; k < g->nodes; k++) {
        const ph_expr_graph_node *n = &g->node[k];
        if (n->code == PH_NODE_CONSTANT) {
            value[k] = n->x;
        } else if (n->code == PH_NODE_ARGUMENT) {
            value[k] = x[n->a];
        } else if (n->code == PH_OP_CURVE) {
            double y[3];
            value[k] = g->curve[n->b].at(g->curve[n->b].curve, value[n->a], 0, y) ? y[0] : NAN;
        } else {
            value[k] = ph_op_value(n->code, value[n->a], value[n->b]); /* of one operand b is node 0 */
        }
    }
}
