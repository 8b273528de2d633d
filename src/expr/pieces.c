/* Where an expression changes its formula, as far as that depends on one argument alone, as the time is: on every way through
 * it, and not only on the present one. */
#include <math.h>

#include "expr/ops.h"

/* What a number depends on. */
enum { NOTHING, THE_ARGUMENT, OTHERS };

typedef struct numbers {
    const ph_program *p;
    double *value, *on; /* of each number; on: as above */
} numbers;

/* Arguments of the kind have the value x, constants theirs, and operations on both what comes of them. */
static void evaluate(numbers *n, int kind, double x)
{
    const ph_program *p = n->p;
    for (int i = 0; i < p->n_numbers; i++)
        n->value[i] = 0, n->on[i] = OTHERS;
    for (int i = 0; i < p->n_args; i++)
        n->value[i] = x, n->on[i] = p->arg[i].kind == kind ? THE_ARGUMENT : OTHERS;
    for (int i = 0; i < p->n_constants; i++)
        n->value[p->n_args + i] = p->constant[i], n->on[p->n_args + i] = NOTHING;
    for (const ph_op *o = p->op, *end = o + p->n_ops; o < end; o++) {
        int two = ph_op_get(o->code)->operands == 2;
        n->on[o->y] = fmax(n->on[o->a], two ? n->on[o->b] : NOTHING);
        if (n->on[o->y] == OTHERS)
            continue;
        double y[3];
        if (o->code != PH_OP_CURVE)
            n->value[o->y] = ph_op_value(o->code, n->value[o->a], n->value[o->b]);
        else
            n->value[o->y] =
                p->curve[o->curve].at(p->curve[o->curve].curve, n->value[o->a], 0, y) ? y[0] : NAN;
    }
}

/* On which side of its kinks an operation is. */
static double side_of(const ph_program *p, const ph_op *o, double a, double b)
{
    const ph_curve_ref *c = o->code == PH_OP_CURVE ? &p->curve[o->curve] : NULL;
    switch (o->code) {
    case PH_OP_MAX:
    case PH_OP_MIN:
        return a < b;
    case PH_OP_ABS:
    case PH_OP_SIGN:
        return a < 0;
    case PH_OP_SMOOTH:
        return (a > 0) + (a >= 1);
    case PH_OP_IDIV:
    case PH_OP_MOD:
    case PH_OP_FMOD:
        return floor(a / b);
    case PH_OP_CURVE:
        return c->piece ? c->piece(c->curve, a) : 0;
    case PH_OP_CEIL:
        return ceil(a);
    default:
        return floor(a);
    }
}

int ph_program_may_jump(const ph_program *p, int kind)
{
    int depends = 0, switches = 0;
    for (int i = 0; i < p->n_args; i++)
        depends |= p->arg[i].kind == kind;
    for (const ph_stretch *s = p->stretch, *end = s + p->n_stretches; s < end; s++)
        switches |= s->kind == PH_TREE_BRANCH;
    for (const ph_op *o = p->op, *end = o + p->n_ops; o < end; o++)
        switches |= ph_op_get(o->code)->kink || o->code == PH_OP_CURVE;
    return depends && switches;
}

size_t ph_program_pieces_room(const ph_program *p)
{
    return 2 * (size_t)p->n_numbers;
}

int ph_program_pieces(const ph_program *p, int kind, double x, double *room, double *side, int most)
{
    numbers n = {p, room, room + p->n_numbers};
    int count = 0;
    evaluate(&n, kind, x);
    for (const ph_stretch *s = p->stretch, *end = s + p->n_stretches; s < end; s++)
        if (s->kind == PH_TREE_BRANCH && s->relation != PH_EQUAL &&
            fmax(n.on[s->a], n.on[s->b]) == THE_ARGUMENT && count++ < most)
            side[count - 1] =
                s->relation == PH_LESS ? n.value[s->a] < n.value[s->b] : n.value[s->a] <= n.value[s->b];
    for (const ph_op *o = p->op, *end = o + p->n_ops; o < end; o++)
        if ((ph_op_get(o->code)->kink || o->code == PH_OP_CURVE) && n.on[o->y] == THE_ARGUMENT &&
            count++ < most)
            side[count - 1] = side_of(p, o, n.value[o->a], n.value[o->b]);
    return count;
}
