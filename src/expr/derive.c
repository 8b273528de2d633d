/* Values and derivatives of programs: (P1) to (P3), along the way that the comparisons take. */
#include <string.h>

#include "expr/ops.h"

/* Pieces of the room. The way: how many stretches, and which. */
typedef struct room {
    double *way;
    double *x;                 /* numbers */
    double *da, *db, *adjoint; /* by the number of the result of an operation; adjoint: of every number */
    double *daa, *dab, *dbb, *dot, *adjoint_dot;
} room;

enum { ARRAYS = 9 };

size_t ph_program_room(const ph_program *p)
{
    return (size_t)p->depth + 1 + ARRAYS * (size_t)p->n_numbers;
}

static room open_room(const ph_program *p, double *at)
{
    room r = {.way = at};
    double **piece[ARRAYS] = {&r.x, &r.da, &r.db, &r.adjoint, &r.daa, &r.dab, &r.dbb, &r.dot, &r.adjoint_dot};
    at += p->depth + 1;
    for (int k = 0; k < ARRAYS; k++, at += p->n_numbers)
        *piece[k] = at;
    return r;
}

/* ---- values ------------------------------------------------------------------------------------------- */

static void curve_at(const ph_program *p, const ph_op *o, double a, int level, double out[3])
{
    const ph_curve_ref *c = &p->curve[o->curve];
    if (!c->at(c->curve, a, level, out))
        out[0] = out[1] = out[2] = NAN;
}

static ph_answer run(const ph_program *p, int first, int end, double *x)
{
    for (const ph_op *o = p->op + first, *last = p->op + end; o < last; o++) {
        double a = x[o->a], y[3];
        switch (o->code) {
        case PH_OP_ADD: /* the usual ones, without another jump */
            x[o->y] = a + x[o->b];
            break;
        case PH_OP_MUL:
            x[o->y] = a * x[o->b];
            break;
        case PH_OP_CURVE:
            curve_at(p, o, a, 0, y);
            x[o->y] = y[0];
            break;
        case PH_OP_WHOLE:
            if (fabs(a) > PH_OP_WHOLE_MAX && isfinite(a))
                return PH_UNTRACED;
            x[o->y] = a + 0.0;
            break;
        case PH_OP_DIVISOR:
            if (a == 0)
                return PH_UNTRACED;
            x[o->y] = a;
            break;
        default:
            x[o->y] = ph_op_value(o->code, a, x[o->b]);
        }
    }
    return PH_KNOWN;
}

static int holds(int relation, double a, double b)
{
    return relation == PH_LESS ? a < b : relation == PH_LESS_EQUAL ? a <= b : a == b;
}

ph_answer ph_program_values(const ph_program *p, const double *x, double *at, double *out)
{
    room r = open_room(p, at);
    memcpy(r.x, x, sizeof(double) * (size_t)p->n_args);
    memcpy(r.x + p->n_args, p->constant, sizeof(double) * (size_t)p->n_constants);
    const ph_stretch *s = p->stretch;
    for (int n = 1;; n++) {
        ph_answer answer = run(p, s->first, s->end, r.x);
        r.way[0] = n, r.way[n] = (double)(s - p->stretch);
        if (answer != PH_KNOWN)
            return answer;
        if (s->kind != PH_TREE_BRANCH)
            break;
        s = p->stretch + (holds(s->relation, r.x[s->a], r.x[s->b]) ? s->yes : s->no);
    }
    if (s->kind != PH_TREE_LEAF)
        return PH_UNTRACED;
    int finite = 1;
    for (int k = 0; k < p->n_out; k++) {
        out[k] = r.x[p->result[s->out + k]];
        finite = finite && isfinite(out[k]);
    }
    return finite ? PH_KNOWN : PH_NOWHERE;
}

int ph_program_leaf(const ph_program *p, const double *at)
{
    (void)p;
    return (int)at[(int)at[0]];
}

/* ---- derivatives -------------------------------------------------------------------------------------- */

static const ph_stretch *stretch_of(const ph_program *p, const room *r, int k)
{
    return &p->stretch[(int)r->way[k]];
}

static int way_length(const room *r)
{
    return (int)r->way[0];
}

void ph_program_partials(const ph_program *p, double *at, int order)
{
    room r = open_room(p, at);
    for (int k = 1; k <= way_length(&r); k++) {
        const ph_stretch *s = stretch_of(p, &r, k);
        for (const ph_op *o = p->op + s->first, *end = p->op + s->end; o < end; o++) {
            double a = r.x[o->a], b = r.x[o->b], y = r.x[o->y], d[3];
            int i = o->y;
            if (o->code == PH_OP_CURVE) {
                curve_at(p, o, a, order, d);
                r.da[i] = d[1], r.db[i] = 0, r.daa[i] = order > 1 ? d[2] : 0, r.dab[i] = r.dbb[i] = 0;
                continue;
            }
            ph_op_slopes(o->code, o->wants, a, b, y, d);
            r.da[i] = d[0], r.db[i] = d[1];
            if (order < 2)
                continue;
            ph_op_curves(o->code, o->wants, a, b, y, d);
            r.daa[i] = d[0], r.dab[i] = d[1], r.dbb[i] = d[2];
        }
    }
}

/* x y, where 0 times anything is 0 */
static inline double times(double x, double y)
{
    return x == 0 || y == 0 ? 0 : x * y;
}

/* Adjoints of the numbers that the way writes, and of arguments, become 0. Those of constants are never read. */
static void clear(const ph_program *p, const room *r, double *adjoint)
{
    memset(adjoint, 0, sizeof(double) * (size_t)p->n_args);
    for (int k = 1; k <= way_length(r); k++) {
        const ph_stretch *s = stretch_of(p, r, k);
        for (int i = s->first; i < s->end; i++)
            adjoint[p->op[i].y] = 0;
    }
}

static int take_finite(const ph_program *p, const double *adjoint, double *g)
{
    int finite = 1;
    for (int k = 0; k < p->n_args; k++) {
        g[k] = adjoint[k];
        finite = finite && isfinite(g[k]);
    }
    return finite;
}

/* (P1) */
static void backwards(const ph_program *p, const room *r)
{
    for (int k = way_length(r); k >= 1; k--) {
        const ph_stretch *s = stretch_of(p, r, k);
        for (const ph_op *o = p->op + s->end - 1, *first = p->op + s->first; o >= first; o--) {
            double y = r->adjoint[o->y];
            if (y == 0)
                continue;
            if (o->wants & 1)
                r->adjoint[o->a] += times(y, r->da[o->y]);
            if (o->wants & 2)
                r->adjoint[o->b] += times(y, r->db[o->y]);
        }
    }
}

int ph_program_gradient(const ph_program *p, double *at, int k, double *g)
{
    room r = open_room(p, at);
    const ph_stretch *leaf = stretch_of(p, &r, way_length(&r));
    int result = p->result[leaf->out + k];
    clear(p, &r, r.adjoint);
    r.adjoint[result] = 1;
    backwards(p, &r);
    return take_finite(p, r.adjoint, g);
}

/* (P2); constants do not move */
static void forwards(const ph_program *p, const room *r, const double *d)
{
    memset(r->dot, 0, sizeof(double) * (size_t)(p->n_args + p->n_constants));
    memcpy(r->dot, d, sizeof(double) * (size_t)p->n_args);
    for (int k = 1; k <= way_length(r); k++) {
        const ph_stretch *s = stretch_of(p, r, k);
        for (const ph_op *o = p->op + s->first, *end = p->op + s->end; o < end; o++)
            r->dot[o->y] =
                times(r->da[o->y], r->dot[o->a]) + (o->wants & 2 ? times(r->db[o->y], r->dot[o->b]) : 0);
    }
}

/* (P3) */
static void backwards_dot(const ph_program *p, const room *r)
{
    for (int k = way_length(r); k >= 1; k--) {
        const ph_stretch *s = stretch_of(p, r, k);
        for (const ph_op *o = p->op + s->end - 1, *first = p->op + s->first; o >= first; o--) {
            int i = o->y;
            double y = r->adjoint[i], y_dot = r->adjoint_dot[i];
            double a = r->dot[o->a], b = o->wants & 2 ? r->dot[o->b] : 0;
            if (o->wants & 1)
                r->adjoint_dot[o->a] +=
                    times(y_dot, r->da[i]) + times(y, times(r->daa[i], a) + times(r->dab[i], b));
            if (o->wants & 2)
                r->adjoint_dot[o->b] +=
                    times(y_dot, r->db[i]) + times(y, times(r->dab[i], a) + times(r->dbb[i], b));
        }
    }
}

int ph_program_curvature(const ph_program *p, double *at, const double *w, const double *d, double *g,
                         double *Hd)
{
    room r = open_room(p, at);
    const ph_stretch *leaf = stretch_of(p, &r, way_length(&r));
    clear(p, &r, r.adjoint);
    clear(p, &r, r.adjoint_dot);
    for (int k = 0; k < p->n_out; k++)
        r.adjoint[p->result[leaf->out + k]] = 0; /* a constant may be a result */
    for (int k = 0; k < p->n_out; k++)
        r.adjoint[p->result[leaf->out + k]] += w[k];
    backwards(p, &r);
    int finite = g ? take_finite(p, r.adjoint, g) : 1;
    forwards(p, &r, d);
    backwards_dot(p, &r);
    return take_finite(p, r.adjoint_dot, Hd) && finite;
}

/* ---- switches ----------------------------------------------------------------------------------------- */

/* Distance of a number from the next whole one, signed so that it passes 0 there. */
static double to_whole(double a)
{
    return a - round(a);
}

static double switch_of(const ph_op *o, double a, double b)
{
    switch (o->code) {
    case PH_OP_MAX:
    case PH_OP_MIN:
        return a - b;
    case PH_OP_ABS:
    case PH_OP_SIGN:
        return a;
    case PH_OP_SMOOTH:
        return a < 0.5 ? a : a - 1;
    case PH_OP_IDIV:
    case PH_OP_MOD:
    case PH_OP_FMOD:
        return to_whole(a / b);
    default:
        return to_whole(a);
    }
}

int ph_program_switches(const ph_program *p, const double *at, double *out, int most)
{
    room r = open_room(p, (double *)at); /* it is only read */
    int n = 0;
    for (int k = 1; k <= way_length(&r); k++) {
        const ph_stretch *s = stretch_of(p, &r, k);
        if (s->kind == PH_TREE_BRANCH && n++ < most && out)
            out[n - 1] = r.x[s->a] - r.x[s->b];
    }
    for (int k = 1; k <= way_length(&r); k++) {
        const ph_stretch *s = stretch_of(p, &r, k);
        for (const ph_op *o = p->op + s->first, *end = p->op + s->end; o < end; o++)
            if (ph_op_get(o->code)->kink && n++ < most && out)
                out[n - 1] = switch_of(o, r.x[o->a], r.x[o->b]);
    }
    return n;
}
