/* Expressions of the model file as C: a function of its arguments x, with the results y and their derivatives g.
 *
 * The formulas are those of src/expr/ops.def, word by word. Ways through the decision tree are nested blocks, each with the
 * members that take it; derivatives are those of (P1), backwards along each way, and of drives by time, forwards. */
#include <string.h>

#include "base/curve.h"
#include "compile/compile.h"
#include "expr/expr.h"

typedef struct formulas {
    const char *value, *slope[2], *curve[3];
} formulas;

static const formulas formula[] = {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb)                                      \
    {#value, {#da, #db}, {#daa, #dab, #dbb}},
#include "expr/ops.def"
#undef PH_OP
};

static const char *const slope_name[] = {"a", "b"}, *const curve_name[] = {"aa", "ab", "bb"};

/* ---- operations that are used --------------------------------------------------------------------------- */

static void print_formula(FILE *out, const char *op, const char *what, const char *text)
{
    fprintf(out,
            "PH_FN double ph_op_%s%s_of(double a, double b, double y)\n{\n    (void)a, (void)b, (void)y;\n"
            "    return %s;\n}\nPH_EACH(ph_op_%s%s)\n\n",
            op, what, text, op, what);
}

void ph_compile_operations(ph_compiler *c, const unsigned char *used)
{
    for (int k = 0; k < PH_OPS; k++) {
        const char *name = ph_op_get(k)->name;
        char what[8];
        if (!used[k] || k == PH_OP_CURVE)
            continue;
        print_formula(c->out, name, "", formula[k].value);
        for (int i = 0; i < ph_op_get(k)->operands; i++) {
            snprintf(what, sizeof what, "_%s", slope_name[i]);
            print_formula(c->out, name, what, formula[k].slope[i]);
        }
        for (int i = 0; i < 3 && used[k] > 1; i++) {
            snprintf(what, sizeof what, "_%s", curve_name[i]);
            print_formula(c->out, name, what, formula[k].curve[i]);
        }
    }
}

void ph_compile_mark_operations(const ph_program *p, int drive, unsigned char *used)
{
    for (int i = 0; i < p->n_ops; i++)
        used[p->op[i].code] |= drive ? 3 : 1;
}

/* ---- curves ------------------------------------------------------------------------------------------------- */

static void print_points(ph_compiler *c, const char *name, int index, const double *a, int n)
{
    char text[40];
    fprintf(c->out, "PH_TABLE double ph_curve_%s_%d[%d] = {", name, index, n);
    for (int i = 0; i < n; i++)
        fprintf(c->out, "%s%s", i ? ", " : "", ph_c_number(a[i], text));
    fprintf(c->out, "};\n");
}

void ph_compile_curve(ph_compiler *c, const ph_curve_ref *r)
{
    const ph_curve *y = r->curve;
    print_points(c, "x", r->index, y->x, y->n);
    print_points(c, "y", r->index, y->y, y->n);
    if (y->slope)
        print_points(c, "slope", r->index, y->slope, y->n);
    fprintf(c->out, "PH_TABLE ph_curve ph_curve_%d = {%s, %s, %d, ph_curve_x_%d, ph_curve_y_%d, ", r->index,
            y->kind == PH_CURVE_LINEAR  ? "PH_CURVE_LINEAR"
            : y->kind == PH_CURVE_CUBIC ? "PH_CURVE_CUBIC"
                                        : "PH_CURVE_MONOTONE",
            y->outside == PH_CURVE_HOLD       ? "PH_CURVE_HOLD"
            : y->outside == PH_CURVE_ON       ? "PH_CURVE_ON"
            : y->outside == PH_CURVE_PERIODIC ? "PH_CURVE_PERIODIC"
                                              : "PH_CURVE_ERROR",
            y->n, r->index, r->index);
    fprintf(c->out, y->slope ? "ph_curve_slope_%d};\n\n" : "NULL};\n\n", r->index);
}

/* ---- one program ------------------------------------------------------------------------------------------- */

#define WAY_MAX 512 /* stretches on one way: tracing takes 256 comparisons */

typedef struct emission {
    const ph_compiler *c;
    FILE *out;
    const ph_program *p;
    int drive;              /* derivatives by time: y, y', y'' */
    int way[WAY_MAX], deep; /* stretches */
} emission;

static const char *number(const emission *e, int i, char text[48])
{
    const ph_program *p = e->p;
    char digits[40];
    int first = ph_constants_of(&e->c->open->constants, p), k = i - p->n_args;
    if (i < p->n_args)
        snprintf(text, 48, "x[%d]", i);
    else if (k < p->n_constants && e->c->open->datum[first + k] >= 0)
        snprintf(text, 48, "x[%d]", p->n_args + ph_compile_open_constants(e->c, p, k));
    else if (i < p->n_args + p->n_constants)
        snprintf(text, 48, "ph_k(%s)", ph_c_number(p->constant[i - p->n_args], digits));
    else
        snprintf(text, 48, "n%d", i);
    return text;
}

static int is_constant(const emission *e, int i)
{
    return i >= e->p->n_args && i < e->p->n_args + e->p->n_constants;
}

/* The operations that are written as C has them, and whose derivatives are known. */
static int is_simple(int code)
{
    return code == PH_OP_ADD || code == PH_OP_SUB || code == PH_OP_MUL || code == PH_OP_NEG;
}

static void print_values(const emission *e, const ph_stretch *s)
{
    char a[48], b[48];
    for (const ph_op *o = e->p->op + s->first, *end = e->p->op + s->end; o < end; o++) {
        number(e, o->a, a), number(e, o->b, b);
        if (o->code == PH_OP_CURVE) {
            fprintf(e->out, "ph_real c%d[3];\nph_curve_each(&ph_curve_%d, %s, c%d);\nph_real n%d = c%d[0];\n",
                    o->y, e->p->curve[o->curve].index, a, o->y, o->y, o->y);
            continue;
        }
        fprintf(e->out, "ph_real n%d = ", o->y);
        if (o->code == PH_OP_NEG)
            fprintf(e->out, "-%s;\n", a);
        else if (is_simple(o->code))
            fprintf(e->out, "%s %c %s;\n", a,
                    o->code == PH_OP_ADD   ? '+'
                    : o->code == PH_OP_SUB ? '-'
                                           : '*',
                    b);
        else
            fprintf(e->out, "ph_op_%s(%s, %s, ph_k(0));\n", ph_op_get(o->code)->name, a, b);
        fprintf(e->out, "(void)n%d;\n", o->y);
    }
}

/* ---- gradients --------------------------------------------------------------------------------------------- */

/* Names of the partial derivatives of the operations on the way, s<y>a and s<y>b. */
static void print_slopes(const emission *e)
{
    char a[48], b[48];
    for (int k = 0; k < e->deep; k++)
        for (int i = e->p->stretch[e->way[k]].first; i < e->p->stretch[e->way[k]].end; i++) {
            const ph_op *o = &e->p->op[i];
            if (is_simple(o->code))
                continue;
            number(e, o->a, a), number(e, o->b, b);
            for (int side = 0; side < 2; side++)
                if ((o->wants >> side & 1) && o->code == PH_OP_CURVE)
                    fprintf(e->out, "ph_real s%da = c%d[1];\n(void)s%da;\n", o->y, o->y, o->y);
                else if (o->wants >> side & 1)
                    fprintf(e->out, "ph_real s%d%s = ph_op_%s_%s(%s, %s, n%d);\n(void)s%d%s;\n", o->y,
                            slope_name[side], ph_op_get(o->code)->name, slope_name[side], a, b, o->y, o->y,
                            slope_name[side]);
        }
}

/* Adds what result r, whose adjoint is d<number>, gives its operands; there: numbers that have one. */
static void print_backwards(const emission *e, const ph_op *o, unsigned char *there)
{
    const int operand[] = {o->a, o->b};
    char text[48];
    for (int side = 0; side < 2; side++) {
        int i = operand[side];
        if (!(o->wants >> side & 1))
            continue;
        fprintf(e->out, there[i] ? "d%d += " : "ph_real d%d = ", i);
        there[i] = 1;
        if (o->code == PH_OP_ADD || (o->code == PH_OP_SUB && !side))
            fprintf(e->out, "d%d;\n", o->y);
        else if (o->code == PH_OP_NEG || o->code == PH_OP_SUB)
            fprintf(e->out, "-d%d;\n", o->y);
        else if (o->code == PH_OP_MUL)
            fprintf(e->out, "d%d * %s;\n", o->y, number(e, operand[1 - side], text));
        else
            fprintf(e->out, "ph_times(d%d, s%d%s);\n", o->y, o->y, slope_name[side]);
    }
}

static void print_gradient(const emission *e, int result, int row, const char *mask, unsigned char *there)
{
    const ph_program *p = e->p;
    memset(there, 0, (size_t)p->n_numbers);
    if (!is_constant(e, result)) {
        there[result] = 1;
        fprintf(e->out, "{\nph_real d%d = ph_k(1);\n", result);
        for (int k = e->deep - 1; k >= 0; k--) {
            const ph_stretch *s = &p->stretch[e->way[k]];
            for (int i = s->end - 1; i >= s->first; i--)
                if (there[p->op[i].y])
                    print_backwards(e, &p->op[i], there);
        }
    } else {
        fprintf(e->out, "{\n");
    }
    for (int i = 0; i < p->n_args; i++) {
        int at = row * p->n_args + i;
        if (there[i])
            fprintf(e->out,
                    *mask ? "g[%d] = ph_select(%s, ph_finite(d%d), g[%d]);\n" : "g[%d] = %sph_finite(d%d);\n",
                    at, mask, i, at);
    }
    fprintf(e->out, "}\n");
}

/* ---- derivatives by time -------------------------------------------------------------------------------------- */

/* Every number i on the way has t<i> and tt<i>, its first and second derivative. */
static void print_by_time(const emission *e)
{
    char a[48], b[48];
    for (int k = 0; k < e->deep; k++)
        for (int i = e->p->stretch[e->way[k]].first; i < e->p->stretch[e->way[k]].end; i++) {
            const ph_op *o = &e->p->op[i];
            const char *op = ph_op_get(o->code)->name;
            int wants = o->wants;
            number(e, o->a, a), number(e, o->b, b);
            fprintf(e->out, "ph_real t%d = ph_k(0), tt%d = ph_k(0);\n", o->y, o->y);
            if (o->code == PH_OP_CURVE) {
                if (wants & 1)
                    fprintf(e->out, "t%d = c%d[1] * t%d, tt%d = c%d[2] * t%d * t%d + c%d[1] * tt%d;\n", o->y,
                            o->y, o->a, o->y, o->y, o->a, o->a, o->y, o->a);
                continue;
            }
            for (int side = 0; side < 2; side++) {
                int x = side ? o->b : o->a;
                if (!(wants >> side & 1))
                    continue;
                fprintf(e->out, "{\nph_real s = ph_op_%s_%s(%s, %s, n%d);\n", op, slope_name[side], a, b,
                        o->y);
                fprintf(e->out, "t%d += ph_times(s, t%d), tt%d += ph_times(s, tt%d);\n", o->y, x, o->y, x);
                fprintf(e->out, "tt%d += ph_times(ph_op_%s_%s(%s, %s, n%d), t%d * t%d);\n}\n", o->y, op,
                        curve_name[2 * side], a, b, o->y, x, x);
            }
            if (wants == 3)
                fprintf(e->out, "tt%d += 2 * ph_times(ph_op_%s_ab(%s, %s, n%d), t%d * t%d);\n", o->y, op, a,
                        b, o->y, o->a, o->b);
            fprintf(e->out, "(void)t%d, (void)tt%d;\n", o->y, o->y);
        }
}

/* ---- ways ----------------------------------------------------------------------------------------------------- */

static void print_leaf(const emission *e, const ph_stretch *s, const char *mask, unsigned char *there)
{
    const ph_program *p = e->p;
    char text[48];
    for (int k = 0; k < p->n_out; k++) {
        number(e, p->result[s->out + k], text);
        fprintf(e->out, *mask ? "y[%d] = ph_select(%s, %s, y[%d]);\n" : "y[%d] = %s%s;\n", k, mask, text, k);
    }
    if (e->drive) {
        int i = p->result[s->out];
        print_by_time(e);
        for (int k = 1; k < 3 && !is_constant(e, i); k++)
            fprintf(e->out, *mask ? "y[%d] = ph_select(%s, %s%d, y[%d]);\n" : "y[%d] = %s%s%d;\n", k, mask,
                    k == 1 ? "t" : "tt", i, k);
        return;
    }
    print_slopes(e);
    for (int k = 0; k < p->n_out; k++)
        print_gradient(e, p->result[s->out + k], k, mask, there);
}

static const char *const relation[] = {[PH_LESS] = "<", [PH_LESS_EQUAL] = "<=", [PH_EQUAL] = "=="};

static void print_stretch(emission *e, int at, const char *mask, unsigned char *there);

/* The members of mask, "": all, that go on to one side. */
static void print_side(emission *e, int at, int yes, const char *mask, unsigned char *there)
{
    const ph_stretch *s = &e->p->stretch[at];
    char own[16];
    snprintf(own, sizeof own, "m%d", at);
    fprintf(e->out, "{\nph_mask %s = %s%s", own, mask, *mask ? " & " : "");
    fprintf(e->out, yes ? "%s_is;\n" : "ph_not(%s_is);\n", own);
    fprintf(e->out, "if (ph_any(%s)) {\n", own);
    print_stretch(e, yes ? s->yes : s->no, own, there);
    fprintf(e->out, "}\n}\n");
}

static void print_stretch(emission *e, int at, const char *mask, unsigned char *there)
{
    const ph_stretch *s = &e->p->stretch[at];
    char a[48], b[48];
    e->way[e->deep++] = at;
    print_values(e, s);
    if (s->kind == PH_TREE_BRANCH) {
        fprintf(e->out, "ph_mask m%d_is = %s %s %s;\n", at, number(e, s->a, a), relation[s->relation],
                number(e, s->b, b));
        print_side(e, at, 1, mask, there);
        print_side(e, at, 0, mask, there);
    } else if (s->kind == PH_TREE_LEAF) {
        print_leaf(e, s, mask, there);
    } else { /* the function has no value here */
        for (int k = 0; k < e->p->n_out; k++)
            fprintf(e->out, *mask ? "y[%d] = ph_select(%s, ph_k(NAN), y[%d]);\n" : "y[%d] = %sph_k(NAN);\n",
                    k, mask, k);
    }
    e->deep--;
}

ph_status ph_compile_program(ph_compiler *c, const char *name, const ph_program *p, int drive)
{
    emission e = {.c = c, .out = c->out, .p = p, .drive = drive};
    unsigned char *there = ph_alloc(c->alloc, (size_t)p->n_numbers + 1);
    if (!there || p->depth > WAY_MAX) {
        ph_free(c->alloc, there);
        return PH_E_MEMORY;
    }
    fprintf(c->out, "PH_FN void ph_%s(const ph_real *x, ph_real *y%s)\n{\n", name,
            drive ? "" : ", ph_real *g");
    fprintf(c->out, drive ? "ph_zeros(y, 3);\n" : "ph_zeros(y, %d), ph_zeros(g, %d);\n", p->n_out,
            p->n_out * p->n_args);
    for (int i = 0; i < p->n_args && drive; i++)
        fprintf(c->out, "ph_real t%d = ph_k(1), tt%d = ph_k(0);\n(void)t%d, (void)tt%d;\n", i, i, i, i);
    print_stretch(&e, 0, "", there);
    fprintf(c->out, "(void)x%s;\n}\n\n", drive ? "" : ", (void)g");
    ph_free(c->alloc, there);
    return PH_OK;
}
