/* curve(x, y, {kind =, outside =}), curve("FILE.csv", {x =, y =, kind =, outside =}): tables as functions. */
#include "model/read_curve.h"
#include "model/trace.h"

#include <lauxlib.h>
#include <string.h>

#define NAME "curve"

static int points_of(ph_reader *r, lua_State *L, int index, const char *key, const double **out)
{
    if (lua_type(L, index) != LUA_TTABLE)
        ph_reader_fail(r, "%s must be a list of numbers, not a %s", key, luaL_typename(L, index));
    int n = (int)lua_rawlen(L, index);
    double *x = ph_store_numbers(r, NULL, n);
    ph_sandbox_charge(r, L, 4 * (double)n);
    lua_pushvalue(L, index);
    ph_value_numbers(r, L, key, n, x);
    lua_pop(L, 1);
    *out = x;
    return n;
}

/* The word of a member of the options at index; missing: 0. */
static int choice(ph_reader *r, lua_State *L, int index, const char *member, ph_word_fn words)
{
    char what[48];
    lua_getfield(L, index, member);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return 0;
    }
    if (lua_type(L, -1) != LUA_TSTRING)
        ph_reader_fail(r, "%s must be a string, not a %s", member, luaL_typename(L, -1));
    int k = ph_word_find(lua_tostring(L, -1), words);
    snprintf(what, sizeof what, "%s cannot be", member);
    if (k < 0)
        ph_fail_word(r, what, lua_tostring(L, -1), words);
    lua_pop(L, 1);
    return k;
}

static const char *list_option(int k)
{
    static const char *const words[] = {"kind", "outside"};
    return k >= 0 && k < 2 ? words[k] : NULL;
}

static const char *file_option(int k)
{
    static const char *const words[] = {"kind", "outside", "x", "y"};
    return k >= 0 && k < 4 ? words[k] : NULL;
}

/* The options at index, which may be missing. */
static void read_options(ph_reader *r, lua_State *L, int index, ph_word_fn known, ph_curve *c)
{
    if (lua_isnoneornil(L, index))
        return;
    if (!lua_istable(L, index))
        ph_reader_fail(r, "options must be a table, not a %s", luaL_typename(L, index));
    lua_pushvalue(L, index);
    ph_table_only(r, L, "the table of options", known);
    lua_pop(L, 1);
    c->kind = (ph_curve_kind)choice(r, L, index, "kind", ph_curve_kind_word);
    c->outside = (ph_curve_outside)choice(r, L, index, "outside", ph_curve_outside_word);
}

/* The column that a member of the options names; else the one of that number. */
static int column(ph_reader *r, lua_State *L, const char *member, int other, const ph_csv_data *d)
{
    const char *file = lua_tostring(L, 1);
    if (!lua_istable(L, 2) || lua_getfield(L, 2, member) == LUA_TNIL) {
        if (other >= d->n_columns)
            ph_reader_fail(r, "'%.200s' has no second column", file);
        return other;
    }
    if (lua_type(L, -1) != LUA_TSTRING)
        ph_reader_fail(r, "%s must be the name of a column, not a %s", member, luaL_typename(L, -1));
    int k = ph_csv_find(d, lua_tostring(L, -1));
    if (k < 0)
        ph_reader_fail(r, "'%.200s' has no column '%.64s'", file, lua_tostring(L, -1));
    if (ph_csv_twice(d, k))
        ph_reader_fail(r, "'%.200s' has several columns '%.64s'", file, lua_tostring(L, -1));
    lua_pop(L, 1);
    return k;
}

/* Two columns of a table, which the reader holds while it is read. */
static int read_file(ph_reader *r, lua_State *L, ph_curve *c)
{
    const char *file = lua_tostring(L, 1), *path = ph_store_path(r, "the file", file);
    char why[400] = "not enough memory";
    ph_csv_data *d = &r->table;
    ph_status s = ph_csv_read_kept(d, &r->files, path, PH_MODEL_FILE, why, sizeof why);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "%s", why);
    int kx = column(r, L, "x", 0, d), ky = column(r, L, "y", 1, d);
    if (d->n_rows >= PH_MODEL_ELEMENTS)
        ph_reader_fail(r, "'%.200s' has more than %d rows", file, PH_MODEL_ELEMENTS);
    int n = (int)d->n_rows;
    double *x = ph_store_numbers(r, NULL, 2 * n);
    for (int i = 0; i < n; i++) {
        const double *row = d->x + (size_t)i * (size_t)d->n_columns;
        x[i] = row[kx], x[n + i] = row[ky];
    }
    ph_csv_clear(d);
    c->x = x, c->y = x + n;
    return n;
}

static void check_points(ph_reader *r, const ph_curve *c)
{
    if (c->n < 2)
        ph_reader_fail(r, "needs at least two points, not %d", c->n);
    for (int i = 0; i < c->n; i++) {
        if (!(fabs(c->x[i]) <= PH_MODEL_NUMBER) || !(fabs(c->y[i]) <= PH_MODEL_NUMBER))
            ph_reader_fail(r, "point %d is not a number", i + 1);
        if (i && c->x[i] == c->x[i - 1])
            ph_reader_fail(r, "the abscissa %.9g is there twice, in points %d and %d", c->x[i], i, i + 1);
        if (i && !(c->x[i] > c->x[i - 1]))
            ph_reader_fail(r, "abscissae must increase; point %d is at %.9g after %.9g", i + 1, c->x[i],
                           c->x[i - 1]);
    }
    if (c->outside == PH_CURVE_PERIODIC && c->kind != PH_CURVE_LINEAR && c->y[0] != c->y[c->n - 1])
        ph_reader_fail(r, "a smooth periodic curve must end with its first value: %.9g is not %.9g",
                       c->y[c->n - 1], c->y[0]);
}

static void complete(ph_reader *r, ph_curve *c)
{
    check_points(r, c);
    if (c->kind != PH_CURVE_LINEAR) {
        double *slope = ph_store_numbers(r, NULL, c->n);
        ph_curve_slopes(c, slope, lua_newuserdatauv(r->L, 4 * (size_t)c->n * sizeof *slope, 0));
        lua_pop(r->L, 1);
        c->slope = slope;
    }
    int i = ph_curve_steep(c);
    if (i >= 0)
        ph_reader_fail(r, "it is too steep between points %d and %d, at %.9g and %.9g", i + 1, i + 2, c->x[i],
                       c->x[i + 1]);
}

/* A curve of the file, by its number among all of them. */
typedef struct curve_value {
    const ph_curve *curve;
    int index;
} curve_value;

static void push(ph_reader *r, lua_State *L, const ph_curve *c)
{
    ph_curve *own = ph_store_room(r, 1, sizeof *own);
    *own = *c;
    const ph_curve **place = ph_store_push(r, &r->curves, sizeof *place);
    *place = own;
    *(curve_value *)lua_newuserdatauv(L, sizeof(curve_value), 0) = (curve_value){own, r->curves.n - 1};
    luaL_setmetatable(L, NAME);
}

static int read_curve(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_curve c = {0};
    ph_element_enter(r, L, "curve");
    if (lua_type(L, 1) == LUA_TSTRING && lua_gettop(L) <= 2) {
        read_options(r, L, 2, file_option, &c);
        c.n = read_file(r, L, &c);
    } else if (lua_gettop(L) == 2 || lua_gettop(L) == 3) {
        read_options(r, L, 3, list_option, &c);
        c.n = points_of(r, L, 1, "x", &c.x);
        int n = points_of(r, L, 2, "y", &c.y);
        if (n != c.n)
            ph_reader_fail(r, "x has %d numbers, and y has %d", c.n, n);
    } else {
        ph_reader_fail(r, "takes two lists or the name of a file, and perhaps a table of options");
    }
    complete(r, &c);
    push(r, L, &c);
    r->label[0] = 0;
    return 1;
}

int ph_curve_node(const void *curve, double x, int level, double out[3])
{
    (void)level;
    return ph_curve_at(curve, x, out);
}

double ph_curve_piece_of(const void *curve, double x)
{
    return ph_curve_piece(curve, x);
}

/* Beyond the ends of a curve that has no value there a function fails, whether it needs the value or not. */
static void compare_with_ends(ph_reader *r, lua_State *L, const ph_curve *c, int a)
{
    int first = ph_symbol_constant(r, L, c->x[0]), last = ph_symbol_constant(r, L, c->x[c->n - 1]);
    if (ph_trace_decide(r, L, PH_LESS_EQUAL, first, a) && ph_trace_decide(r, L, PH_LESS_EQUAL, a, last))
        return;
    r->trace->failed = 1;
    ph_trace_stop(r, L, "a curve has no value");
}

/* With a symbol: a node of the expression. It refers to the curve of the reader that stays. */
static int trace(ph_reader *r, lua_State *L, int index)
{
    const ph_reader *stays = r->original ? r->original : r;
    if (index >= stays->curves.n)
        ph_trace_stop(r, L, "it makes a curve");
    ph_curve_ref ref = {ph_curve_node, ((const ph_curve *const *)stays->curves.data)[index], index,
                        ph_curve_piece_of};
    int a = ph_symbol_node(r, L, 2);
    if (((const ph_curve *)ref.curve)->outside == PH_CURVE_ERROR)
        compare_with_ends(r, L, ref.curve, a);
    ph_symbol_push(r, L, ph_expr_graph_curve(r->trace->graph, &ref, a));
    return 1;
}

static int call(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const curve_value *v = lua_touserdata(L, 1);
    const ph_curve *c = v->curve;
    double y[3];
    if (lua_gettop(L) == 2 && ph_symbol_is(r, L, 2))
        return trace(r, L, v->index);
    if (lua_gettop(L) != 2 || lua_type(L, 2) != LUA_TNUMBER)
        return luaL_error(L, "a curve takes one number");
    if (!ph_curve_at(c, lua_tonumber(L, 2), y) && c->outside == PH_CURVE_ERROR) /* others: NaN of NaN */
        return luaL_error(L, "a curve from %f to %f has no value at %f", c->x[0], c->x[c->n - 1],
                          lua_tonumber(L, 2));
    lua_pushnumber(L, y[0]);
    return 1;
}

void ph_curve_open(ph_reader *r, lua_State *L)
{
    (void)r;
    luaL_newmetatable(L, NAME);
    lua_pushcfunction(L, call);
    lua_setfield(L, -2, "__call");
    lua_pop(L, 1);
    lua_pushcfunction(L, read_curve);
    lua_setglobal(L, "curve");
}
