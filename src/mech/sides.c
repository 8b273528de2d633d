/* On which side of their switches the laws of a mechanism are: stops of actuators, friction, functions that were traced (RB6).
 *
 * A side is a number that changes if the law takes another formula: another leaf of the decision tree of a function, the
 * other side of one of its kinks. Laws without switches are not evaluated. */
#include "base/hash.h"
#include "mech/argument.h"

#define SWITCHES 64 /* the most of one function that are compared */

static int has_switches(const ph_function *f)
{
    if (!f->call || f->only_time || !f->traced || !f->traced->program || f->traced->depth <= PH_NOT_SEEN)
        return 0; /* it does not depend on the motion, or nobody knows how */
    const ph_program *p = f->traced->program;
    int switches = 0;
    for (const ph_stretch *s = p->stretch, *end = s + p->n_stretches; s < end; s++)
        switches |= s->kind == PH_TREE_BRANCH;
    for (const ph_op *o = p->op, *end = o + p->n_ops; o < end; o++)
        switches |= ph_op_get(o->code)->kink;
    return switches;
}

int ph_force_has_sides(const ph_force *f)
{
    if (f->actuator)
        return (isnan(f->actuator->stop[0]) ? 0 : PH_SIDES_OF_LAW) |
               (has_switches(&f->actuator->f) ? PH_SIDES_OF_FUNCTION : 0);
    if (f->op->slip)
        return PH_SIDES_OF_LAW;
    return f->op->side && f->def && has_switches(&f->def->f) ? PH_SIDES_OF_FUNCTION : 0;
}

uint64_t ph_function_side(const ph_mechanism *m, const ph_state *s, const ph_force *force,
                          const ph_function *f, int n)
{
    ph_formula k;
    ph_scene at = ph_scene_of(m, s, NULL);
    double out[PH_SENSOR_MAX], x[SWITCHES];
    uint64_t side = PH_HASH_START;
    if ((force->sided & PH_SIDES_OF_FUNCTION) && ph_formula_open(&k, &at, f, n, out)) {
        int leaf = ph_program_leaf(k.p, k.room), count = ph_program_switches(k.p, k.room, x, SWITCHES);
        side = ph_hash_bytes(side, &leaf, sizeof leaf);
        for (int i = 0; i < count && i < SWITCHES; i++) {
            unsigned char positive = x[i] > 0;
            side = ph_hash_bytes(side, &positive, 1);
        }
        ph_formula_close(&k);
    }
    return side;
}

uint64_t ph_mechanism_sides(const ph_state *s, void *ctx)
{
    const ph_mechanism *m = ctx;
    uint64_t sides = PH_HASH_START;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        uint64_t side = f->sided ? f->op->side(m, s, f) : 0;
        if (f->sided)
            sides = ph_hash_bytes(sides, &side, sizeof side);
    }
    return sides;
}
