/* Functions in frozen models: their programs as JSON, which become programs again.
 *
 *   {"outputs": 1, "arguments": [["position", 0, 2], ...], "constants": [...], "operations": [["mul", 3, 0, 1], ...],
 *    "ways": [[first, end, kind, relation, a, b, no, yes, out], ...], "results": [...], "curves": [{"x": [...], ...}]}
 *
 * Numbers are numbered: arguments, constants, results of operations. An argument has a kind, the index of its element and a
 * component (arguments.def). Indices are those of the model, whose order a frozen model keeps. */
#include "model/frozen.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "mech/argument.h"
#include "model/read_curve.h"
#include "model/trace.h"

ph_status ph_frozen_check(const ph_model *m, ph_error *err)
{
    ph_reader *r = (ph_reader *)m; /* which is only read */
    ph_function_info f;
    for (int k = 0; ph_model_function(m, k, &f); k++) {
        const ph_fn *fn = (const ph_fn *)r->fns.data + k;
        const ph_origin *at = ph_store_origin(r, fn->kind, fn->element);
        if (f.reason)
            return ph_fail(err, PH_E_INPUT, "%.100s:%d: %s: a function of the file cannot be frozen: %s",
                           at->file ? at->file : m->file, at->line, f.element, f.reason);
    }
    return PH_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static void put_number(FILE *to, double x)
{
    if (isfinite(x))
        fprintf(to, "%.17g", x);
    else
        fprintf(to, "\"%s\"", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void put_numbers(FILE *to, const char *name, const double *x, int n)
{
    fprintf(to, ", \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "", to);
        put_number(to, x[i]);
    }
    fputc(']', to);
}

static void put_curve(FILE *to, const ph_curve *c)
{
    fprintf(to, "{\"kind\": \"%s\", \"outside\": \"%s\"", ph_curve_kind_word((int)c->kind),
            ph_curve_outside_word((int)c->outside));
    put_numbers(to, "x", c->x, c->n);
    put_numbers(to, "y", c->y, c->n);
    if (c->slope)
        put_numbers(to, "slope", c->slope, c->n);
    fputc('}', to);
}

void ph_frozen_put(const ph_function *f, FILE *to)
{
    const ph_program *p = f->traced->program;
    fprintf(to, "{\"outputs\": %d, \"arguments\": [", p->n_out);
    for (int i = 0; i < p->n_args; i++)
        fprintf(to, "%s[\"%s\", %d, %d]", i ? ", " : "", ph_argument_get(p->arg[i].kind)->name,
                p->arg[i].index, p->arg[i].component);
    fputc(']', to);
    put_numbers(to, "constants", p->constant, p->n_constants);
    fputs(", \"operations\": [", to);
    for (int i = 0; i < p->n_ops; i++)
        fprintf(to, "%s[\"%s\", %d, %d, %d]", i ? ", " : "", ph_op_get(p->op[i].code)->name, p->op[i].y,
                p->op[i].a, p->op[i].code == PH_OP_CURVE ? p->op[i].curve : p->op[i].b);
    fputs("], \"ways\": [", to);
    for (int i = 0; i < p->n_stretches; i++) {
        const ph_stretch *s = &p->stretch[i];
        fprintf(to, "%s[%d, %d, %d, %d, %d, %d, %d, %d, %d]", i ? ", " : "", s->first, s->end, s->kind,
                s->relation, s->a, s->b, s->no, s->yes, s->out);
    }
    fputs("], \"results\": [", to);
    for (int i = 0; i < p->n_results; i++)
        fprintf(to, "%s%d", i ? ", " : "", p->result[i]);
    fputs("], \"curves\": [", to);
    for (int i = 0; i < p->n_curves; i++) {
        fputs(i ? ", " : "", to);
        put_curve(to, p->curve[i].curve);
    }
    fputs("]}", to);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static _Noreturn void bad(ph_reader *r, const char *key)
{
    ph_reader_fail(r, "%s is not a function of a frozen model", key);
}

static const char *word(int k)
{
    static const char *const words[] = {"outputs", "arguments", "constants", "operations",
                                        "ways",    "results",   "curves"};
    return k >= 0 && k < 7 ? words[k] : NULL;
}

/* The list of a member, on top of the stack; its length. */
static int open_list(ph_reader *r, lua_State *L, const char *key, const char *member)
{
    lua_getfield(L, -1, member);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > 10 * PH_GRAPH_NODES)
        bad(r, key);
    return (int)lua_rawlen(L, -1);
}

/* Number i of the list on top, a whole one from low to below high. */
static int whole(ph_reader *r, lua_State *L, const char *key, int i, int low, int high)
{
    lua_rawgeti(L, -1, i);
    double x = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    lua_pop(L, 1);
    if (!(x >= low && x < high) || x != floor(x))
        bad(r, key);
    return (int)x;
}

static double number(ph_reader *r, lua_State *L, const char *key, int i)
{
    lua_rawgeti(L, -1, i);
    int type = lua_type(L, -1);
    if (type != LUA_TNUMBER && type != LUA_TSTRING)
        bad(r, key);
    double x =
        type == LUA_TNUMBER ? lua_tonumber(L, -1) : strtod(lua_tostring(L, -1), NULL); /* "inf", "nan" */
    lua_pop(L, 1);
    return x;
}

/* Row i of the list on top: its word; the row stays on top. */
static const char *open_row(ph_reader *r, lua_State *L, const char *key, int i, int length, int named)
{
    lua_rawgeti(L, -1, i);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != (size_t)length)
        bad(r, key);
    if (!named)
        return NULL;
    lua_rawgeti(L, -1, 1);
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    lua_pop(L, 1); /* it is in the row */
    return text;
}

static void take_arguments(ph_reader *r, lua_State *L, const char *key, ph_program *p)
{
    open_list(r, L, key, "arguments");
    for (int i = 0; i < p->n_args; i++) {
        const char *name = open_row(r, L, key, i + 1, 3, 1);
        int kind = 0;
        while (kind < PH_ARGUMENTS && strcmp(ph_argument_get(kind)->name, name) != 0)
            kind++;
        if (kind == PH_ARGUMENTS)
            bad(r, key);
        p->arg[i] = (ph_argument){kind, whole(r, L, key, 2, 0, PH_MODEL_ELEMENTS),
                                  whole(r, L, key, 3, 0, ph_argument_get(kind)->components)};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void take_operations(ph_reader *r, lua_State *L, const char *key, ph_program *p)
{
    int first = p->n_args + p->n_constants;
    open_list(r, L, key, "operations");
    for (int i = 0; i < p->n_ops; i++) {
        ph_op *o = &p->op[i];
        o->code = ph_op_find(open_row(r, L, key, i + 1, 4, 1));
        if (o->code < 0)
            bad(r, key);
        o->y = whole(r, L, key, 2, first, p->n_numbers);
        o->a = whole(r, L, key, 3, 0, o->y);
        o->b = o->code == PH_OP_CURVE ? o->a : whole(r, L, key, 4, 0, o->y);
        o->curve = o->code == PH_OP_CURVE ? whole(r, L, key, 4, 0, p->n_curves) : 0;
        o->wants = (o->a < p->n_args || o->a >= first) +
                   2 * (ph_op_get(o->code)->operands == 2 && (o->b < p->n_args || o->b >= first));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Children follow their parents: a way ends. depth: room for as many. */
static void take_ways(ph_reader *r, lua_State *L, const char *key, ph_program *p, int *depth)
{
    open_list(r, L, key, "ways");
    memset(depth, 0, sizeof(int) * (size_t)p->n_stretches);
    depth[0] = 1;
    for (int i = 0; i < p->n_stretches; i++) {
        ph_stretch *s = &p->stretch[i];
        open_row(r, L, key, i + 1, 9, 0);
        s->first = whole(r, L, key, 1, 0, p->n_ops + 1), s->end = whole(r, L, key, 2, s->first, p->n_ops + 1);
        s->kind = whole(r, L, key, 3, PH_TREE_BRANCH, PH_TREE_UNTRACED + 1);
        s->relation = whole(r, L, key, 4, 0, PH_RELATIONS);
        s->a = whole(r, L, key, 5, 0, p->n_numbers + 1), s->b = whole(r, L, key, 6, 0, p->n_numbers + 1);
        int branch = s->kind == PH_TREE_BRANCH;
        s->no = whole(r, L, key, 7, branch ? i + 1 : 0, p->n_stretches);
        s->yes = whole(r, L, key, 8, branch ? i + 1 : 0, branch ? p->n_stretches : 2);
        s->out = whole(r, L, key, 9, 0, p->n_results + 1);
        if ((branch && (s->a >= p->n_numbers || s->b >= p->n_numbers)) ||
            (s->kind == PH_TREE_LEAF && s->out + p->n_out > p->n_results) ||
            (s->kind == PH_TREE_UNTRACED && !s->yes))
            bad(r, key);
        if (branch)
            depth[s->no] = depth[s->yes] = depth[i] + 1;
        p->depth = depth[i] > p->depth ? depth[i] : p->depth;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static const double *take_points(ph_reader *r, lua_State *L, const char *key, const char *member, int n)
{
    if (open_list(r, L, key, member) != n)
        bad(r, key);
    double *x = ph_store_numbers(r, NULL, n);
    for (int i = 0; i < n; i++)
        x[i] = number(r, L, key, i + 1);
    lua_pop(L, 1);
    return x;
}

static int choice(ph_reader *r, lua_State *L, const char *key, const char *member, const char *(*words)(int))
{
    lua_getfield(L, -1, member);
    int k = lua_type(L, -1) == LUA_TSTRING ? ph_word_find(lua_tostring(L, -1), words) : -1;
    if (k < 0)
        bad(r, key);
    lua_pop(L, 1);
    return k;
}

static void take_curves(ph_reader *r, lua_State *L, const char *key, ph_program *p)
{
    open_list(r, L, key, "curves");
    for (int i = 0; i < p->n_curves; i++) {
        ph_curve *c = ph_store_room(r, 1, sizeof *c);
        lua_rawgeti(L, -1, i + 1);
        if (!lua_istable(L, -1))
            bad(r, key);
        c->kind = (ph_curve_kind)choice(r, L, key, "kind", ph_curve_kind_word);
        c->outside = (ph_curve_outside)choice(r, L, key, "outside", ph_curve_outside_word);
        c->n = open_list(r, L, key, "x");
        lua_pop(L, 1);
        if (c->n < 2)
            bad(r, key);
        c->x = take_points(r, L, key, "x", c->n), c->y = take_points(r, L, key, "y", c->n);
        if (c->kind != PH_CURVE_LINEAR)
            c->slope = take_points(r, L, key, "slope", c->n);
        if (ph_curve_steep(c) >= 0)
            bad(r, key);
        p->curve[i] = (ph_curve_ref){ph_curve_node, c, i, ph_curve_piece_of};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int length_of(ph_reader *r, lua_State *L, const char *key, const char *member)
{
    int n = open_list(r, L, key, member);
    lua_pop(L, 1);
    return n;
}

static void take_program(ph_reader *r, lua_State *L, const char *key, ph_traced *traced)
{
    ph_program n = {.n_args = length_of(r, L, key, "arguments"),
                    .n_constants = length_of(r, L, key, "constants"),
                    .n_ops = length_of(r, L, key, "operations"),
                    .n_stretches = length_of(r, L, key, "ways"),
                    .n_results = length_of(r, L, key, "results"),
                    .n_curves = length_of(r, L, key, "curves")};
    lua_getfield(L, -1, "outputs");
    double outputs = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    lua_pop(L, 1);
    if (!(outputs >= 1 && outputs <= PH_MODEL_RESULTS) || n.n_stretches < 1)
        bad(r, key);
    n.n_out = (int)outputs, n.n_numbers = n.n_args + n.n_constants + n.n_ops;
    if (ph_program_make(&traced->program, &n, r->alloc) != PH_OK)
        ph_reader_no_memory(r);
    ph_program *p = traced->program;
    take_arguments(r, L, key, p);
    open_list(r, L, key, "constants");
    for (int i = 0; i < p->n_constants; i++)
        p->constant[i] = number(r, L, key, i + 1);
    lua_pop(L, 1);
    take_curves(r, L, key, p);
    take_operations(r, L, key, p);
    open_list(r, L, key, "results");
    for (int i = 0; i < p->n_results; i++)
        p->result[i] = whole(r, L, key, i + 1, 0, p->n_numbers);
    lua_pop(L, 1);
    take_ways(r, L, key, p, ph_store_room(r, (size_t)p->n_stretches, sizeof(int)));
}

/* Where a function that was frozen has no value, its model had none. */
static ph_status no_value(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    ph_reader *r = f->owner;
    const ph_fn *fn = (const ph_fn *)r->fns.data + f->ref;
    (void)bodies, (void)n, (void)out;
    const char *name = ph_store_name_of(r, fn->kind, fn->element);
    ph_fail(&r->error, PH_E_CALLBACK, "%s: '%s': its function has no value at t = %.9g s", r->def.file,
            name ? name : "", t);
    return PH_E_CALLBACK;
}

ph_function ph_frozen_take(ph_reader *r, lua_State *L, const char *key, ph_kind kind, int index)
{
    ph_table_only(r, L, key, word);
    ph_traced *traced = ph_store_room(r, 1, sizeof *traced);
    ph_fn *fn = ph_store_push(r, &r->fns, sizeof *fn);
    *fn = (ph_fn){LUA_NOREF, kind, index, 0, traced};
    int ref = r->fns.n - 1;
    take_program(r, L, key, traced);
    return (ph_function){.call = no_value, .owner = r, .ref = ref, .traced = traced};
}
