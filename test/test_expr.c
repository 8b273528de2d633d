/* Expressions: every operation against differences, graphs, decision trees, second derivatives. */
#include "sim_cases.h"

#include "expr/graph.h"
#include "expr/ops.h"

/* ---- programs of a few nodes ---------------------------------------------------------------------------- */

static int argument(ph_expr_graph *g, int k)
{
    return ph_expr_graph_argument(g, (ph_argument){0, k, 0});
}

static int number(ph_expr_graph *g, double x)
{
    return ph_expr_graph_constant(g, x, PH_FLOAT);
}

/* A program without comparisons. */
static ph_program *program_of(ph_expr_graph *g, const int *out, int n)
{
    ph_program *p;
    ph_tree_node leaf = {.kind = PH_TREE_LEAF};
    assert_int_equal(ph_program_create(&p, g, &(ph_tree){&leaf, 1, out, n}, NULL), PH_OK);
    return p;
}

#define ROOM 100000

static double room[ROOM];

/* Central differences of order 8 (J1), of value or gradient. */
static const double weight[] = {672. / 840, -168. / 840, 32. / 840, -3. / 840};

static double value_at(const ph_program *p, const double *x)
{
    double out[4];
    ph_program_values(p, x, room, out);
    return out[0];
}

static double slope_by_difference(const ph_program *p, const double *x, int k, double step)
{
    double at[8], sum = 0;
    memcpy(at, x, sizeof(double) * (size_t)p->n_args);
    for (int i = 0; i < 4; i++) {
        at[k] = x[k] + (i + 1) * step;
        double plus = value_at(p, at);
        at[k] = x[k] - (i + 1) * step;
        sum += weight[i] * (plus - value_at(p, at)) / step;
    }
    return sum;
}

static double curve_by_difference(const ph_program *p, const double *x, int k, int l, double step)
{
    double at[8], g[8], sum = 0, out[4];
    memcpy(at, x, sizeof(double) * (size_t)p->n_args);
    for (int i = 0; i < 4; i++)
        for (int side = 1; side >= -1; side -= 2) {
            at[k] = x[k] + side * (i + 1) * step;
            ph_program_values(p, at, room, out);
            ph_program_partials(p, room, 1);
            ph_program_gradient(p, room, 0, g);
            sum += side * weight[i] * g[l] / step;
        }
    return sum;
}

/* ---- every row ------------------------------------------------------------------------------------------ */

/* Inside of where each operation has derivatives, both operands between 0.1 and 0.9 or so; no kink within the stencil. constant: 1 or 2:
 * operand a or b is one. */
static void check_op(int code, const double *x, int constant)
{
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int a = constant == 1 ? number(g, x[0]) : argument(g, 0), two = ph_op_get(code)->operands == 2;
    int b = constant == 2 ? number(g, x[1]) : argument(g, 1);
    int out = ph_expr_graph_op(g, (ph_op_code)code, a, b);
    ph_program *p = program_of(g, &out, 1);
    double gradient[2], y[1];
    const double *at = constant == 1 ? x + 1 : x;
    assert_int_equal(p->n_args, two && !constant ? 2 : 1);
    assert_int_equal(ph_program_values(p, at, room, y), PH_KNOWN);
    assert_true(y[0] == ph_op_value(code, x[0], x[1])); /* exact */
    ph_program_partials(p, room, 2);
    assert_true(ph_program_gradient(p, room, 0, gradient));
    double H[4];
    for (int k = 0; k < p->n_args; k++) {
        double d[2] = {k == 0, k == 1};
        assert_true(ph_program_curvature(p, room, &(double){1}, d, NULL, H + k * p->n_args));
    }
    for (int k = 0; k < p->n_args; k++) {
        /* derivative: of order 8 with a step of 1e-3, whose error is below 1e-9 of functions of this size */
        check_near(gradient[k], slope_by_difference(p, at, k, 1e-3), 1e-9);
        for (int l = 0; l < p->n_args; l++)
            check_near(H[k * p->n_args + l], curve_by_difference(p, at, k, l, 1e-3), 1e-9);
    }
    if (p->n_args == 2) /* round-off: second derivatives are symmetric */
        check_near(H[1], H[2], 1e-15 * (1 + fabs(H[1])));
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* (P1), (P2) */
static void every_operation_has_its_derivatives(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int code = 0; code < PH_OPS; code++)
        for (int n = 0; n < 50 && code != PH_OP_CURVE; n++) {
            double x[2] = {0.5 + 0.35 * rnd(&seed), 0.5 + 0.35 * rnd(&seed)};
            while (fabs(x[0] - x[1]) < 0.02 || fabs(x[0] / x[1] - round(x[0] / x[1])) < 0.05)
                x[1] = 0.5 + 0.35 * rnd(&seed);
            x[0] += code == PH_OP_ACOSH; /* defined from 1 on */
            for (int constant = 0; constant < (ph_op_get(code)->operands == 2 ? 3 : 1); constant++)
                check_op(code, x, constant);
        }
    assert_null(ph_op_get(PH_OPS));
    for (int code = 0; code < PH_OPS; code++)
        assert_int_equal(ph_op_find(ph_op_get(code)->name), code);
    assert_int_equal(ph_op_find("sinus"), -1);
}

/* Where formulas have several cases: the value, and the derivatives by a. */
static void every_case_of_a_formula(void **state)
{
    (void)state;
    static const struct {
        ph_op_code code;
        double a, b, y, slope, curve;
    } row[] = {
        {PH_OP_MOD, 5, 3, 2, 1, 0},
        {PH_OP_MOD, -5, 3, 1, 1, 0},
        {PH_OP_MOD, 5, -3, -1, 1, 0},
        {PH_OP_MOD, -5, -3, -2, 1, 0},
        {PH_OP_MOD, 6, -3, 0, 1, 0},
        {PH_OP_FMOD, -5, 3, -2, 1, 0},
        {PH_OP_POW, 3, 0, 1, 0, 0},
        {PH_OP_POW, 3, 1, 3, 1, 0},
        {PH_OP_POW, -3, 2, 9, -6, 2},
        {PH_OP_POW, -3, 3, -27, 27, -18},
        {PH_OP_POW, 0, 2, 0, 0, 2},
        {PH_OP_MAX, 1, 2, 2, 0, 0},
        {PH_OP_MAX, 2, 1, 2, 1, 0},
        {PH_OP_MIN, 1, 2, 1, 1, 0},
        {PH_OP_MIN, 2, 1, 1, 0, 0},
        {PH_OP_ABS, -2, 0, 2, -1, 0},
        {PH_OP_ABS, 2, 0, 2, 1, 0},
        {PH_OP_TRUNC, -1.5, 0, -1, 0, 0},
        {PH_OP_TRUNC, 1.5, 0, 1, 0, 0},
        {PH_OP_FRACTION, -1.5, 0, -.5, 1, 0},
        {PH_OP_FRACTION, 1.5, 0, .5, 1, 0},
        {PH_OP_FRACTION, 3, 0, 0, 1, 0},
        {PH_OP_SIGN, -4, 0, -1, 0, 0},
        {PH_OP_SMOOTH, -1, 0, 0, 0, 0},
        {PH_OP_SMOOTH, 2, 0, 1, 0, 0},
        {PH_OP_SMOOTH, .5, 0, .5, 1.5, 0},
        {PH_OP_SMOOTH, .25, 0, .15625, 1.125, 3},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        double y = ph_op_value(row[k].code, row[k].a, row[k].b), d[3];
        assert_true(y == row[k].y); /* exact */
        ph_op_slopes(row[k].code, 1, row[k].a, row[k].b, y, d);
        assert_true(d[0] == row[k].slope && d[1] == 0);
        ph_op_curves(row[k].code, 1, row[k].a, row[k].b, y, d);
        assert_true(d[0] == row[k].curve && d[1] == 0 && d[2] == 0);
    }
    double d[3];
    ph_op_slopes(PH_OP_POW, 2, 0, 2, 0, d); /* of 0^b by b */
    assert_true(d[0] == 0 && d[1] == 0);
    static const int none[] = {PH_OP_CURVE, PH_OPS, -1}; /* curves have values of their own */
    for (int k = 0; k < 3; k++) {
        assert_true(isnan(ph_op_value(none[k], 0.5, 0.5)));
        ph_op_slopes(none[k], 3, 0.5, 0.5, 0.5, d);
        assert_true(isnan(d[0]));
        ph_op_curves(none[k], 3, 0.5, 0.5, 0.5, d);
        assert_true(isnan(d[0]));
    }
    assert_null(ph_op_get(-1));
}

static double half(const void *curve, double x)
{
    return x > *(const double *)curve;
}

static int square(const void *curve, double x, int level, double out[3])
{
    (void)level;
    out[0] = *(const double *)curve * x * x, out[1] = *(const double *)curve * 2 * x;
    out[2] = *(const double *)curve * 2;
    return x < 10;
}

static void curves_are_nodes(void **state)
{
    (void)state;
    const double c = 3;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), s = ph_expr_graph_op(g, PH_OP_SIN, x, x);
    int out = ph_expr_graph_curve(g, &(ph_curve_ref){square, &c, 0, NULL}, s);
    assert_int_equal(ph_expr_graph_curve(g, &(ph_curve_ref){square, &c, 0, NULL}, s), out);
    ph_program *p = program_of(g, &out, 1);
    double at = 0.7, y, d, H;
    assert_int_equal(ph_program_values(p, &at, room, &y), PH_KNOWN);
    ph_program_partials(p, room, 2);
    assert_true(ph_program_gradient(p, room, 0, &d));
    assert_true(ph_program_curvature(p, room, &(double){1}, &(double){1}, NULL, &H));
    /* round-off */
    check_near(y, 3 * sin(at) * sin(at), 1e-15);
    check_near(d, 3 * sin(2 * at), 2e-15);
    check_near(H, 6 * cos(2 * at), 4e-15);
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* Curves of the argument itself, where they have a value and where they have none; their pieces. */
static void curves_end(void **state)
{
    (void)state;
    const double c[2] = {3, 5};
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), out[2] = {ph_expr_graph_curve(g, &(ph_curve_ref){square, &c[0], 0, NULL}, x),
                                      ph_expr_graph_curve(g, &(ph_curve_ref){square, &c[1], 1, half}, x)};
    ph_program *p = program_of(g, out, 2);
    double y[2], value[3], side[2];
    assert_int_equal(ph_program_values(p, &(double){2}, room, y), PH_KNOWN);
    assert_true(y[0] == 12 && y[1] == 20);
    assert_int_equal(ph_program_values(p, &(double){11}, room, y), PH_NOWHERE);
    assert_true(isnan(y[0]));
    assert_int_equal(ph_expr_graph_size(g), 3);
    for (int k = 0; k < 2; k++) {
        double at = k ? 12 : 6;
        ph_expr_graph_values(g, &at, 0, value);
        assert_true(k ? isnan(value[1]) : value[1] == 108);
        assert_int_equal(ph_program_pieces(p, 0, at, room, side, 2), 2);
        assert_true(side[0] == 0 && side[1] == 1);
    }
    assert_int_equal(ph_program_pieces(p, 0, 2, room, side, 1), 2); /* there is room for one */
    assert_int_equal(ph_program_pieces(p, 1, 2, room, side, 2), 0); /* none is of such an argument */
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* ---- graphs --------------------------------------------------------------------------------------------- */

static void equal_nodes_are_one(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), y = argument(g, 1);
    int a = ph_expr_graph_op(g, PH_OP_MUL, x, y), b = ph_expr_graph_op(g, PH_OP_MUL, x, y);
    double c;
    assert_int_equal(a, b);
    assert_int_not_equal(a, ph_expr_graph_op(g, PH_OP_MUL, y, x)); /* Lua's order is kept */
    assert_int_equal(argument(g, 1), y);
    assert_int_not_equal(number(g, 0.0), number(g, -0.0));
    int folded = ph_expr_graph_op(g, PH_OP_POW, number(g, 3), number(g, 2));
    assert_true(ph_expr_graph_is_constant(g, folded, &c) && c == 9);
    for (int k = 0; k < 1000; k++) /* the table of nodes grows */
        a = ph_expr_graph_op(g, PH_OP_ADD, a, number(g, k + 0.5));
    assert_int_equal(ph_expr_graph_op(g, PH_OP_MUL, x, y), b);
    ph_expr_graph_destroy(g);
}

/* Integers are those of Lua: no -0, errors at 0, exact up to 2^53. */
static void integers_follow_lua(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), whole = ph_expr_graph_op(g, PH_OP_CEIL, x, x),
        two = ph_expr_graph_constant(g, 2, PH_INTEGER);
    assert_int_equal(ph_expr_graph_kind(g, whole), PH_INTEGER);
    int out[] = {ph_expr_graph_op(g, PH_OP_NEG, whole, 0), ph_expr_graph_op(g, PH_OP_MUL, whole, two),
                 ph_expr_graph_op(g, PH_OP_MOD, two, whole)};
    ph_program *p = program_of(g, out, 3), *first = program_of(g, out, 2);
    double y[3];
    assert_int_equal(ph_program_values(first, &(double){-0.5}, room, y), PH_KNOWN);
    assert_true(y[0] == 0 && !signbit(y[0]) && !signbit(y[1])); /* ceil(-0.5) is the integer 0 */
    assert_int_equal(ph_program_values(p, &(double){-0.5}, room, y), PH_UNTRACED);
    assert_int_equal(ph_program_values(p, &(double){2.5}, room, y), PH_KNOWN);
    assert_true(y[0] == -3 && y[1] == 6 && y[2] == 2);
    assert_int_equal(ph_program_values(first, &(double){0x1p60}, room, y), PH_UNTRACED);
    int mixed = ph_expr_graph_op(g, PH_OP_MAX, two, x);
    assert_int_equal(ph_expr_graph_kind(g, mixed), PH_ANY);
    assert_int_equal(ph_expr_graph_kind(g, ph_expr_graph_op(g, PH_OP_ADD, mixed, x)), PH_FLOAT);
    ph_program_destroy(p), ph_program_destroy(first), ph_expr_graph_destroy(g);
}

/* Whole numbers that Lua's integers have no room for, division by 0, and what needs no check. */
static void folded_integers(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int large = ph_expr_graph_constant(g, 0x1p53, PH_INTEGER), two = ph_expr_graph_constant(g, 2, PH_INTEGER),
        none = ph_expr_graph_constant(g, 0, PH_INTEGER);
    double c, y[2];
    assert_int_equal(ph_expr_graph_op(g, PH_OP_FLOOR, two, 0), two);
    assert_int_equal(ph_expr_graph_op(g, PH_OP_CEIL, two, 0), two);
    assert_int_equal(ph_expr_graph_op(g, PH_OP_TRUNC, two, 0), two);
    assert_true(ph_expr_graph_is_constant(g, ph_expr_graph_op(g, PH_OP_IDIV, large, two), &c) && c == 0x1p52);
    assert_true(ph_expr_graph_is_constant(g, ph_expr_graph_op(g, PH_OP_MAX, large, two), &c) && c == 0x1p53);
    assert_true(ph_expr_graph_is_constant(g, ph_expr_graph_op(g, PH_OP_MOD, number(g, 5), none), &c) &&
                isnan(c));
    assert_true(ph_expr_graph_is_constant(g, ph_expr_graph_op(g, PH_OP_MOD, two, number(g, 0)), &c) &&
                isnan(c));
    assert_true(ph_expr_graph_is_constant(g, ph_expr_graph_op(g, PH_OP_MUL, none, two), &c) && c == 0 &&
                !signbit(c));
    int out[2] = {ph_expr_graph_op(g, PH_OP_MUL, large, two), ph_expr_graph_op(g, PH_OP_IDIV, two, none)};
    for (int k = 0; k < 2; k++) { /* Lua says what they are */
        ph_program *p = program_of(g, out + k, 1);
        assert_false(ph_expr_graph_is_constant(g, out[k], &c));
        assert_int_equal(ph_program_values(p, y, room, y), PH_UNTRACED);
        ph_program_destroy(p);
    }
    int x = argument(g, 0), whole = ph_expr_graph_op(g, PH_OP_FLOOR, x, 0);
    ph_program *p = program_of(g, &whole, 1);
    assert_int_equal(ph_program_values(p, &(double){INFINITY}, room, y), PH_NOWHERE);
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* Every allocation fails in turn: of a graph that grows, of its copy, of a program. */
static void without_memory(void **state)
{
    (void)state;
    const double c = 3;
    for (long at = 0, all = 0; !all; at++) {
        counter m;
        counter_open(&m, at);
        ph_expr_graph *g = ph_expr_graph_create(&m.hooks), *copy = NULL;
        ph_program *p = NULL;
        ph_status s = PH_E_MEMORY;
        int a = g ? argument(g, 0) : PH_GRAPH_MEMORY;
        if (a >= 0)
            a = ph_expr_graph_curve(g, &(ph_curve_ref){square, &c, 0, NULL}, a);
        for (int k = 0; k < 300 && a >= 0; k++) {
            int b = number(g, k + 0.25);
            a = ph_expr_graph_op(g, PH_OP_ADD, a, b < 0 ? b : ph_expr_graph_op(g, PH_OP_CEIL, b, 0));
        }
        if (a >= 0)
            copy = ph_expr_graph_copy(g);
        if (copy) {
            ph_tree_node leaf = {.kind = PH_TREE_LEAF};
            assert_int_equal(ph_expr_graph_size(copy), ph_expr_graph_size(g));
            s = ph_program_create(&p, copy, &(ph_tree){&leaf, 1, &a, 1}, &m.hooks);
        }
        all = m.asked <= at;
        assert_int_equal(s, all ? PH_OK : PH_E_MEMORY);
        assert_true(a >= 0 || a == PH_GRAPH_MEMORY);
        ph_program_destroy(p), ph_expr_graph_destroy(copy), ph_expr_graph_destroy(g);
        assert_int_equal(m.live, 0);
    }
    ph_expr_graph *g = ph_expr_graph_create(NULL), *copy = ph_expr_graph_copy(g); /* an empty one */
    assert_int_equal(ph_expr_graph_size(copy), 0);
    ph_expr_graph_destroy(copy), ph_expr_graph_destroy(g);
}

/* Each way has the operations it needs: two ways of 60000 are too many for one program, wherever they are met. */
static void programs_that_are_too_long(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    ph_program *p;
    int x = argument(g, 0), y = argument(g, 1), a = x;
    for (int k = 0; k < 60000; k++)
        a = ph_expr_graph_op(g, PH_OP_SIN, a, 0);
    const ph_tree_node by_leaves[] = {
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS, .a = x, .b = y, .no = 1, .yes = 2},
        {.kind = PH_TREE_LEAF},
        {.kind = PH_TREE_LEAF}};
    const ph_tree_node by_branch[] = {
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS, .a = x, .b = y, .no = 1, .yes = 2},
        {.kind = PH_TREE_LEAF},
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS, .a = a, .b = y, .no = 3, .yes = 3},
        {.kind = PH_TREE_UNTRACED}};
    assert_int_equal(ph_program_create(&p, g, &(ph_tree){by_leaves, 3, &a, 1}, NULL), PH_E_INPUT);
    assert_null(p);
    assert_int_equal(ph_program_create(&p, g, &(ph_tree){by_branch, 4, &a, 1}, NULL), PH_E_INPUT);
    assert_null(p);
    ph_expr_graph_destroy(g);
}

static void full_graphs_say_so(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int a = argument(g, 0), first = a;
    for (int k = 0; k < PH_GRAPH_NODES + 10 && a >= 0; k++)
        a = ph_expr_graph_op(g, PH_OP_SIN, a, a);
    assert_int_equal(a, PH_GRAPH_FULL);
    assert_int_equal(ph_expr_graph_op(g, PH_OP_ADD, a, first), PH_GRAPH_FULL);
    ph_expr_graph_destroy(g);
}

/* ---- derivatives of more -------------------------------------------------------------------------------- */

/* |x|-like formulas of several arguments: Hessian symmetric, gradient with the weights of two results. (P3) */
static void hessians_are_symmetric(void **state)
{
    (void)state;
    uint64_t seed = 11;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x[4], sum = number(g, 0.3);
    for (int k = 0; k < 4; k++) {
        x[k] = argument(g, k);
        sum = ph_expr_graph_op(g, PH_OP_ADD, sum, ph_expr_graph_op(g, PH_OP_POW, x[k], number(g, 2)));
    }
    int r = ph_expr_graph_op(g, PH_OP_SQRT, sum, 0);
    int out[2] = {ph_expr_graph_op(
                      g, PH_OP_MUL, ph_expr_graph_op(g, PH_OP_EXP, x[0], 0),
                      ph_expr_graph_op(g, PH_OP_DIV, x[1], ph_expr_graph_op(g, PH_OP_POW, r, number(g, 3)))),
                  ph_expr_graph_op(g, PH_OP_ATAN, ph_expr_graph_op(g, PH_OP_MUL, x[2], r), x[3])};
    ph_program *p = program_of(g, out, 2);
    for (int n = 0; n < 100; n++) {
        double at[4], y[2], w[2] = {rnd(&seed), rnd(&seed)}, H[16], g0[4], g1[4], gw[4];
        for (int k = 0; k < 4; k++)
            at[k] = rnd(&seed);
        assert_int_equal(ph_program_values(p, at, room, y), PH_KNOWN);
        ph_program_partials(p, room, 2);
        ph_program_gradient(p, room, 0, g0), ph_program_gradient(p, room, 1, g1);
        for (int k = 0; k < 4; k++) {
            double d[4] = {k == 0, k == 1, k == 2, k == 3};
            assert_true(ph_program_curvature(p, room, w, d, gw, H + 4 * k));
            check_near(gw[k], w[0] * g0[k] + w[1] * g1[k], 1e-14 * (1 + fabs(gw[k])) * 10); /* round-off */
        }
        for (int k = 0; k < 16; k++) /* round-off */
            check_near(H[k], H[k % 4 * 4 + k / 4], 4e-15 * (1 + norm2(H, 16)));
    }
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* max(0, -z)^1.5 where z > 0, and sqrt(max(0, -z)): a factor of 0 removes its term. */
static void zero_removes_its_term(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int z = argument(g, 0),
        m = ph_expr_graph_op(g, PH_OP_MAX, number(g, 0), ph_expr_graph_op(g, PH_OP_NEG, z, 0));
    int out[2] = {ph_expr_graph_op(g, PH_OP_POW, m, number(g, 1.5)), ph_expr_graph_op(g, PH_OP_SQRT, m, 0)};
    ph_program *p = program_of(g, out, 2);
    double y[2], d, H;
    assert_int_equal(ph_program_values(p, &(double){0.3}, room, y), PH_KNOWN);
    ph_program_partials(p, room, 2);
    for (int k = 0; k < 2; k++) {
        assert_true(ph_program_gradient(p, room, k, &d) && d == 0);
        assert_true(ph_program_curvature(p, room, (double[]){k == 0, k == 1}, &(double){1}, NULL, &H) &&
                    H == 0);
    }
    /* acos at 1 has no derivative, and says so */
    int none = ph_expr_graph_op(g, PH_OP_ACOS, z, 0);
    ph_program *q = program_of(g, &none, 1);
    assert_int_equal(ph_program_values(q, &(double){1}, room, y), PH_KNOWN);
    ph_program_partials(q, room, 1);
    assert_false(ph_program_gradient(q, room, 0, &d));
    ph_program_destroy(p), ph_program_destroy(q), ph_expr_graph_destroy(g);
}

/* ---- decision trees ------------------------------------------------------------------------------------- */

/* if x < y then sin(x y) elseif x <= 2 y then x^2 y else nobody knows */
static void only_the_way_is_evaluated(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), y = argument(g, 1), xy = ph_expr_graph_op(g, PH_OP_MUL, x, y);
    int out[2] = {ph_expr_graph_op(g, PH_OP_SIN, xy, 0),
                  ph_expr_graph_op(g, PH_OP_MUL, ph_expr_graph_op(g, PH_OP_POW, x, number(g, 2)), y)};
    int twice = ph_expr_graph_op(g, PH_OP_MUL, number(g, 2), y);
    const ph_tree_node node[] = {
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS, .a = x, .b = y, .no = 2, .yes = 1},
        {.kind = PH_TREE_LEAF, .out = 0},
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS_EQUAL, .a = x, .b = twice, .no = 4, .yes = 3},
        {.kind = PH_TREE_LEAF, .out = 1},
        {.kind = PH_TREE_UNTRACED}};
    ph_program *p;
    assert_int_equal(ph_program_create(&p, g, &(ph_tree){node, 5, out, 1}, NULL), PH_OK);
    assert_int_equal(p->untraced, 1);
    assert_int_equal(p->depth, 3);
    double f, d[2], s[4];
    assert_int_equal(ph_program_values(p, (double[]){0.3, 0.5}, room, &f), PH_KNOWN);
    assert_true(f == sin(0.3 * 0.5));
    ph_program_partials(p, room, 1);
    assert_true(ph_program_gradient(p, room, 0, d) && d[0] == 0.5 * cos(0.15) && d[1] == 0.3 * cos(0.15));
    int leaf = ph_program_leaf(p, room);
    assert_int_equal(ph_program_switches(p, room, s, 4), 1);
    check_near(s[0], -0.2, 1e-16); /* round-off */
    assert_int_equal(ph_program_values(p, (double[]){0.7, 0.5}, room, &f), PH_KNOWN);
    assert_true(f == 0.7 * 0.7 * 0.5 && ph_program_leaf(p, room) != leaf);
    assert_int_equal(ph_program_switches(p, room, NULL, 0), 2);
    ph_program_partials(p, room, 1);
    assert_true(ph_program_gradient(p, room, 0, d) && d[0] == 2 * 0.7 * 0.5 && d[1] == 0.7 * 0.7);
    assert_int_equal(ph_program_values(p, (double[]){1.7, 0.5}, room, &f), PH_UNTRACED);
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* Where a derivative is not finite, those after it are given all the same. */
static void one_infinite_slope(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int x = argument(g, 0), y = argument(g, 1);
    int out = ph_expr_graph_op(g, PH_OP_ADD, ph_expr_graph_op(g, PH_OP_SQRT, x, 0), y);
    ph_program *p = program_of(g, &out, 1);
    double f, d[2], H[2];
    assert_int_equal(ph_program_values(p, (double[]){0, 5}, room, &f), PH_KNOWN);
    ph_program_partials(p, room, 2);
    assert_false(ph_program_gradient(p, room, 0, d));
    assert_true(isinf(d[0]) && d[1] == 1);
    assert_false(
        ph_program_curvature(p, room, &(double){1}, (double[]){0, 1}, d, H)); /* H is 0, d is not finite */
    assert_true(isinf(d[0]) && H[1] == 0);
    assert_false(ph_program_curvature(p, room, &(double){1}, (double[]){1, 0}, NULL, H));
    assert_true(!isfinite(H[0]) && H[1] == 0);
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* Comparisons with an argument, as many as there is room for; equality has no sides. An end that was never looked at is as one
 * that is not known, but where there is nothing to be known. */
static void comparisons_and_ends(void **state)
{
    (void)state;
    ph_expr_graph *g = ph_expr_graph_create(NULL);
    int t = argument(g, 0), other = ph_expr_graph_argument(g, (ph_argument){7, 0, 0}), two = number(g, 2);
    int out[] = {t, ph_expr_graph_op(g, PH_OP_ABS, t, 0)};
    const ph_tree_node node[] = {
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS, .a = t, .b = two, .no = 1, .yes = 2},
        {.kind = PH_TREE_BRANCH, .relation = PH_EQUAL, .a = t, .b = two, .no = 3, .yes = 4},
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS_EQUAL, .a = t, .b = other, .no = 5, .yes = 6},
        {.kind = PH_TREE_OPEN},
        {.kind = PH_TREE_LEAF, .out = 0},
        {.kind = PH_TREE_UNTRACED, .yes = 1},
        {.kind = PH_TREE_BRANCH, .relation = PH_LESS_EQUAL, .a = t, .b = number(g, 1), .no = 4, .yes = 7},
        {.kind = PH_TREE_LEAF, .out = 1}};
    static const struct {
        double x[2], y;
        ph_answer answer;
    } row[] = {{{2, 0}, 2, PH_KNOWN},
               {{3, 0}, 0, PH_UNTRACED},
               {{1, 0}, 0, PH_UNTRACED},
               {{-1, 0}, 1, PH_KNOWN},
               {{1.5, 9}, 1.5, PH_KNOWN}};
    ph_program *p;
    double f, side[3], s[2];
    assert_int_equal(ph_program_create(&p, g, &(ph_tree){node, 8, out, 1}, NULL), PH_OK);
    assert_int_equal(p->untraced, 1);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        assert_int_equal(ph_program_values(p, row[k].x, room, &f), row[k].answer);
        if (row[k].answer == PH_KNOWN)
            assert_true(f == row[k].y); /* exact */
    }
    assert_int_equal(ph_program_pieces(p, 0, 0.5, room, side, 3), 3); /* < 2, <= 1, |t| */
    assert_true(side[0] == 1 && side[1] == 1 && side[2] == 0);
    assert_int_equal(ph_program_pieces(p, 0, -2.5, room, side, 3), 3);
    assert_true(side[0] == 1 && side[1] == 1 && side[2] == 1);
    assert_int_equal(ph_program_pieces(p, 0, 2, room, side, 3), 3);
    assert_true(side[0] == 0 && side[1] == 0 && side[2] == 0);
    side[1] = side[2] = 7;
    assert_int_equal(ph_program_pieces(p, 0, 1.5, room, side, 1), 3);
    assert_true(side[0] == 1 && side[1] == 7 && side[2] == 7);
    assert_int_equal(ph_program_values(p, (double[]){-1, 0}, room, &f), PH_KNOWN);
    s[1] = 7;
    assert_int_equal(ph_program_switches(p, room, s, 1), 4);
    assert_true(s[0] == -3 && s[1] == 7);
    assert_int_equal(ph_program_switches(p, room, NULL, 9), 4);
    ph_program_destroy(p), ph_expr_graph_destroy(g);
}

/* Every operation with kinks: how far its argument x is from the next one, and on which side of it, with b = 3 where there is a second. */
static void kinks_are_known(void **state)
{
    (void)state;
    static const struct {
        ph_op_code code;
        double x, distance, side;
    } row[] = {
        {PH_OP_MAX, 2, -1, 1},         {PH_OP_MAX, 5, 2, 0},           {PH_OP_MIN, 2, -1, 1},
        {PH_OP_MIN, 5, 2, 0},          {PH_OP_ABS, -4, -4, 1},         {PH_OP_ABS, 4, 4, 0},
        {PH_OP_SIGN, -4, -4, 1},       {PH_OP_SIGN, 4, 4, 0},          {PH_OP_SMOOTH, -1, -1, 0},
        {PH_OP_SMOOTH, 0.25, 0.25, 1}, {PH_OP_SMOOTH, 0.75, -0.25, 1}, {PH_OP_SMOOTH, 2, 1, 2},
        {PH_OP_IDIV, 6.75, 0.25, 2},   {PH_OP_IDIV, 5.25, -0.25, 1},   {PH_OP_MOD, 6.75, 0.25, 2},
        {PH_OP_FMOD, 5.25, -0.25, 1},  {PH_OP_FLOOR, 7.25, 0.25, 7},   {PH_OP_FLOOR, 6.75, -0.25, 6},
        {PH_OP_CEIL, 7.25, 0.25, 8},   {PH_OP_CEIL, 6.75, -0.25, 7},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ph_expr_graph *g = ph_expr_graph_create(NULL);
        int two = ph_op_get(row[k].code)->operands == 2;
        int out = ph_expr_graph_op(g, row[k].code, argument(g, 0), two ? number(g, 3) : 0);
        ph_program *p = program_of(g, &out, 1);
        double f, s[2], side[2];
        assert_int_equal(ph_program_values(p, &row[k].x, room, &f), PH_KNOWN);
        assert_int_equal(ph_program_switches(p, room, s, 2), 1);
        assert_true(s[0] == row[k].distance); /* exact */
        assert_true(ph_program_pieces_room(p) <= ROOM);
        assert_int_equal(ph_program_pieces(p, 0, row[k].x, room, side, 2), 1);
        assert_true(side[0] == row[k].side); /* exact */
        ph_program_destroy(p), ph_expr_graph_destroy(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_its_derivatives),
        cmocka_unit_test(every_case_of_a_formula),
        cmocka_unit_test(curves_are_nodes),
        cmocka_unit_test(curves_end),
        cmocka_unit_test(equal_nodes_are_one),
        cmocka_unit_test(integers_follow_lua),
        cmocka_unit_test(folded_integers),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(programs_that_are_too_long),
        cmocka_unit_test(full_graphs_say_so),
        cmocka_unit_test(hessians_are_symmetric),
        cmocka_unit_test(zero_removes_its_term),
        cmocka_unit_test(only_the_way_is_evaluated),
        cmocka_unit_test(one_infinite_slope),
        cmocka_unit_test(comparisons_and_ends),
        cmocka_unit_test(kinks_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
