/* Symbols: values of Lua that stand for numbers that are not known yet. Each is a node of a graph, and one object. */
#include "model/trace.h"

#include <lauxlib.h>
#include <string.h>

#define NAME "symbol"
#define TEXT "text of a symbol"
#define PI   3.141592653589793238462643383279502884

/* ---- objects ----------------------------------------------------------------------------------------- */

int ph_symbol_is(ph_reader *r, lua_State *L, int index)
{
    return r->trace && (r->trace->active || r->trace->reading) && luaL_testudata(L, index, NAME) != NULL;
}

static ph_expr_graph *graph_of(ph_reader *r)
{
    return r->trace->graph;
}

static int checked(ph_reader *r, lua_State *L, int node)
{
    if (node == PH_GRAPH_MEMORY)
        ph_reader_no_memory(r);
    if (node == PH_GRAPH_FULL)
        ph_trace_refuse(r, L, "it has more than 100000 operations");
    return node;
}

int ph_symbol_constant(ph_reader *r, lua_State *L, double x)
{
    return checked(r, L, ph_expr_graph_constant(graph_of(r), x, PH_FLOAT));
}

int ph_symbol_node(ph_reader *r, lua_State *L, int index)
{
    const int *node = luaL_testudata(L, index, NAME);
    if (node)
        return *node;
    if (lua_type(L, index) != LUA_TNUMBER)
        ph_trace_stop(r, L, "it computes with something that is not a number");
    if (lua_isinteger(L, index)) {
        double x = (double)lua_tointeger(L, index);
        if (!(fabs(x) <= 0x1p53))
            ph_trace_stop(r, L, "it computes with an integer beyond 2^53");
        return checked(r, L, ph_expr_graph_constant(graph_of(r), x, PH_INTEGER));
    }
    return ph_symbol_constant(r, L, lua_tonumber(L, index));
}

void ph_symbol_push(ph_reader *r, lua_State *L, int node)
{
    double x;
    checked(r, L, node);
    luaL_checkstack(L, 4, NULL);
    if (ph_expr_graph_is_constant(graph_of(r), node, &x)) {
        if (ph_expr_graph_kind(graph_of(r), node) == PH_INTEGER)
            lua_pushinteger(L, (lua_Integer)x);
        else
            lua_pushnumber(L, x);
        return;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->trace->symbols);
    if (lua_rawgeti(L, -1, node + 1) == LUA_TNIL) {
        lua_pop(L, 1);
        *(int *)lua_newuserdatauv(L, sizeof(int), 0) = node;
        luaL_setmetatable(L, NAME);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, node + 1);
    }
    lua_remove(L, -2);
}

/* Those of the base stay. */
void ph_symbol_forget(ph_reader *r, lua_State *L)
{
    lua_newtable(L);
    if (r->trace->base) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, r->trace->base_symbols);
        for (lua_pushnil(L); lua_next(L, -2);) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, -5);
        }
        lua_pop(L, 1);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, r->trace->symbols);
}

/* ---- values ------------------------------------------------------------------------------------------ */

double ph_symbol_value(ph_reader *r, int node)
{
    ph_trace *t = r->trace;
    int known = t->value.n;
    while (t->value.n < ph_expr_graph_size(t->graph))
        ph_store_push(r, &t->value, sizeof(double));
    ph_expr_graph_values(t->graph, &t->parameter, known, t->value.data);
    return ((const double *)t->value.data)[node];
}

#define NESTED 100

/* The value on top of the stack becomes one without symbols: tables are copied. */
static void settle(ph_reader *r, lua_State *L, int depth)
{
    if (ph_symbol_is(r, L, -1)) {
        int node = ph_symbol_node(r, L, -1);
        double x = ph_symbol_value(r, node);
        lua_pop(L, 1);
        if (ph_expr_graph_kind(graph_of(r), node) == PH_INTEGER)
            lua_pushinteger(L, (lua_Integer)x);
        else
            lua_pushnumber(L, x);
        return;
    }
    if (!lua_istable(L, -1))
        return;
    if (depth > NESTED)
        ph_trace_stop(r, L, "tables are nested too deeply");
    luaL_checkstack(L, 8, NULL);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, -3);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        settle(r, L, depth + 1);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
}

void ph_symbol_settle(ph_reader *r, lua_State *L)
{
    int n = lua_gettop(L);
    for (int i = 1; i <= n && r->trace && r->trace->reading; i++) {
        lua_pushvalue(L, i);
        settle(r, L, 0);
        lua_replace(L, i);
    }
}

void ph_symbol_vector(ph_reader *r, lua_State *L, int kind, int body, int n)
{
    static const char *const names[] = {"w", "x", "y", "z"};
    lua_createtable(L, n, n);
    for (int i = 0; i < n; i++) {
        ph_symbol_push(r, L, ph_expr_graph_argument(graph_of(r), (ph_argument){kind, body, i}));
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, names[4 - n + i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* ---- arithmetic -------------------------------------------------------------------------------------- */

/* A whole number divided by 0 is an error, whether the function needs the result or not. */
static void compare_with_zero(lua_State *L, ph_reader *r, ph_op_code code, int a, int b)
{
    const ph_expr_graph *g = graph_of(r);
    int divides = code == PH_OP_IDIV || code == PH_OP_MOD || code == PH_OP_FMOD;
    if (divides && ph_expr_graph_kind(g, a) != PH_FLOAT && ph_expr_graph_kind(g, b) != PH_FLOAT &&
        ph_trace_decide(r, L, PH_EQUAL, b, ph_symbol_constant(r, L, 0)))
        ph_trace_stop(r, L, "it divides a whole number by 0");
}

static int give(lua_State *L, ph_op_code code, int a, int b)
{
    ph_reader *r = ph_reader_of(L);
    compare_with_zero(L, r, code, a, b);
    ph_symbol_push(r, L, ph_expr_graph_op(graph_of(r), code, a, b));
    return 1;
}

/* The node of an operand. Lua converts an integer of any size to a float if the operation or the other operand is a float. */
static int operand(ph_reader *r, lua_State *L, ph_op_code code, int index)
{
    const int *other = luaL_testudata(L, 3 - index, NAME);
    int floats = code == PH_OP_DIV || code == PH_OP_POW ||
                 (other && ph_expr_graph_kind(graph_of(r), *other) == PH_FLOAT);
    if (floats && lua_isinteger(L, index) && !(fabs((double)lua_tointeger(L, index)) <= 0x1p53))
        return ph_symbol_constant(r, L, lua_tonumber(L, index));
    return ph_symbol_node(r, L, index);
}

/* Upvalue: the operation. */
static int arithmetic(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_op_code code = (ph_op_code)lua_tointeger(L, lua_upvalueindex(1));
    int a = operand(r, L, code, 1), b = code == PH_OP_NEG ? a : operand(r, L, code, 2);
    return give(L, code, a, b);
}

/* Upvalue: the relation. Both ways in turn, unless it is known on this way. */
static int compare(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    int relation = (int)lua_tointeger(L, lua_upvalueindex(1));
    int a = ph_symbol_node(r, L, 1), b = ph_symbol_node(r, L, 2);
    lua_pushboolean(L, ph_trace_decide(r, L, (ph_relation)relation, a, b));
    return 1;
}

/* Upvalue: what is done. */
static int stop(lua_State *L)
{
    ph_trace_stop(ph_reader_of(L), L, lua_tostring(L, lua_upvalueindex(1)));
}

/* A text with a symbol in it is good for messages alone. */
static int concat(lua_State *L)
{
    lua_newuserdatauv(L, 1, 0);
    luaL_setmetatable(L, TEXT);
    return 1;
}

static const struct {
    const char *event;
    int code;
} operators[] = {{"__add", PH_OP_ADD},   {"__sub", PH_OP_SUB}, {"__mul", PH_OP_MUL}, {"__div", PH_OP_DIV},
                 {"__idiv", PH_OP_IDIV}, {"__mod", PH_OP_MOD}, {"__pow", PH_OP_POW}, {"__unm", PH_OP_NEG}};

static const struct {
    const char *event;
    ph_relation relation;
} relations[] = {{"__lt", PH_LESS}, {"__le", PH_LESS_EQUAL}, {"__eq", PH_EQUAL}};

static const struct {
    const char *event, *what;
} stops[] = {{"__newindex", "it indexes a number"},
             {"__call", "it calls a number"},
             {"__len", "it takes the length of a number"},
             {"__band", "it computes with the bits of a number"},
             {"__bor", "it computes with the bits of a number"},
             {"__bxor", "it computes with the bits of a number"},
             {"__bnot", "it computes with the bits of a number"},
             {"__shl", "it computes with the bits of a number"},
             {"__shr", "it computes with the bits of a number"}};

static void push_stop(lua_State *L, const char *what)
{
    lua_pushstring(L, what);
    lua_pushcclosure(L, stop, 1);
}

/* A number can be indexed by 1, as a list of one (outlook.c). */
static int index_symbol(lua_State *L)
{
    if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) != 1)
        ph_trace_stop(ph_reader_of(L), L, "it indexes a number");
    lua_settop(L, 1);
    return 1;
}

static void make_metatable(lua_State *L)
{
    luaL_newmetatable(L, NAME);
    lua_pushcfunction(L, index_symbol);
    lua_setfield(L, -2, "__index");
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        lua_pushinteger(L, operators[k].code);
        lua_pushcclosure(L, arithmetic, 1);
        lua_setfield(L, -2, operators[k].event);
    }
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        lua_pushinteger(L, (int)relations[k].relation);
        lua_pushcclosure(L, compare, 1);
        lua_setfield(L, -2, relations[k].event);
    }
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
        push_stop(L, stops[k].what);
        lua_setfield(L, -2, stops[k].event);
    }
    lua_pushcfunction(L, concat);
    lua_setfield(L, -2, "__concat");
    luaL_newmetatable(L, TEXT);
    lua_pushcfunction(L, concat);
    lua_setfield(L, -2, "__concat");
    static const char *const uses[] = {"__index", "__len", "__lt", "__le", "__eq"};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        push_stop(L, "it works with the text of a number");
        lua_setfield(L, -2, uses[k]);
    }
    lua_pop(L, 2);
}

/* ---- functions of the libraries ----------------------------------------------------------------------- */

typedef int on_symbols(lua_State *L, ph_reader *r, int code);

static int unary(lua_State *L, ph_reader *r, int code)
{
    return give(L, (ph_op_code)code, ph_symbol_node(r, L, 1), 0);
}

static int binary(lua_State *L, ph_reader *r, int code)
{
    return give(L, (ph_op_code)code, ph_symbol_node(r, L, 1), ph_symbol_node(r, L, 2));
}

static int of_all(lua_State *L, ph_reader *r, int code)
{
    int y = ph_symbol_node(r, L, 1);
    for (int i = 2; i <= lua_gettop(L); i++)
        y = checked(r, L, ph_expr_graph_op(graph_of(r), (ph_op_code)code, y, ph_symbol_node(r, L, i)));
    ph_symbol_push(r, L, y);
    return 1;
}

static int arc(lua_State *L, ph_reader *r, int code)
{
    return give(L, (ph_op_code)code, ph_symbol_node(r, L, 1),
                lua_isnoneornil(L, 2) ? ph_symbol_constant(r, L, 1) : ph_symbol_node(r, L, 2));
}

static int logarithm(lua_State *L, ph_reader *r, int code)
{
    int x = ph_symbol_node(r, L, 1);
    if (lua_isnoneornil(L, 2))
        return give(L, (ph_op_code)code, x, 0);
    if (ph_symbol_is(r, L, 2))
        ph_trace_stop(r, L, "the base of a logarithm is not constant");
    double base = lua_tonumber(L, 2);
    if (base == 2 || base == 10)
        return give(L, base == 2 ? PH_OP_LOG2 : PH_OP_LOG10, x, 0);
    int log_x = checked(r, L, ph_expr_graph_op(graph_of(r), PH_OP_LOG, x, 0));
    return give(L, PH_OP_DIV, log_x,
                checked(r, L, ph_expr_graph_op(graph_of(r), PH_OP_LOG, ph_symbol_node(r, L, 2), 0)));
}

static int scaled(lua_State *L, ph_reader *r, int degrees)
{
    double by = degrees ? 180.0 / PI : PI / 180.0;
    return give(L, PH_OP_MUL, ph_symbol_node(r, L, 1), ph_symbol_constant(r, L, by));
}

static int parts(lua_State *L, ph_reader *r, int code)
{
    int x = ph_symbol_node(r, L, 1);
    give(L, (ph_op_code)code, x, 0);
    return 1 + give(L, PH_OP_FRACTION, x, 0);
}

static int same(lua_State *L, ph_reader *r, int code)
{
    (void)r, (void)code;
    lua_settop(L, 1);
    return 1;
}

static int integer(lua_State *L, ph_reader *r, int code)
{
    if (ph_expr_graph_kind(graph_of(r), ph_symbol_node(r, L, 1)) != PH_INTEGER)
        ph_trace_stop(r, L, "math.tointeger depends on the value of a number");
    return same(L, r, code);
}

static int kind_of_number(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    ph_number kind = ph_expr_graph_kind(graph_of(r), ph_symbol_node(r, L, 1));
    if (kind == PH_ANY)
        ph_trace_stop(r, L, "math.type depends on the value of a number");
    lua_pushstring(L, kind == PH_FLOAT ? "float" : "integer");
    return 1;
}

static int type_word(lua_State *L, ph_reader *r, int code)
{
    (void)r, (void)code;
    lua_pushliteral(L, "number");
    return 1;
}

static int equal(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    int both = ph_symbol_is(r, L, 1) && ph_symbol_is(r, L, 2);
    if (!both && (lua_type(L, 1) == LUA_TNUMBER || lua_type(L, 2) == LUA_TNUMBER))
        ph_trace_refuse(r, L, "it compares for equality with a number");
    lua_pushboolean(L,
                    both && (lua_rawequal(L, 1, 2) || ph_trace_decide(r, L, PH_EQUAL, ph_symbol_node(r, L, 1),
                                                                      ph_symbol_node(r, L, 2))));
    return 1;
}

static int text_of(lua_State *L, ph_reader *r, int code)
{
    (void)r, (void)code;
    return concat(L);
}

static int as_key(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    ph_trace_refuse(r, L, "a number that is not constant is the key of a table");
}

static int not_known(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    ph_trace_stop(r, L, "it looks at the bits of a number");
}

static const struct row {
    const char *library, *name;
    on_symbols *f;
    int code;
} rows[] = {
    {"math", "abs", unary, PH_OP_ABS},
    {"math", "acos", unary, PH_OP_ACOS},
    {"math", "asin", unary, PH_OP_ASIN},
    {"math", "atan", arc, PH_OP_ATAN},
    {"math", "ceil", unary, PH_OP_CEIL},
    {"math", "cos", unary, PH_OP_COS},
    {"math", "deg", scaled, 1},
    {"math", "exp", unary, PH_OP_EXP},
    {"math", "floor", unary, PH_OP_FLOOR},
    {"math", "fmod", binary, PH_OP_FMOD},
    {"math", "log", logarithm, PH_OP_LOG},
    {"math", "max", of_all, PH_OP_MAX},
    {"math", "min", of_all, PH_OP_MIN},
    {"math", "modf", parts, PH_OP_TRUNC},
    {"math", "rad", scaled, 0},
    {"math", "sin", unary, PH_OP_SIN},
    {"math", "sqrt", unary, PH_OP_SQRT},
    {"math", "tan", unary, PH_OP_TAN},
    {"math", "tointeger", integer, 0},
    {"math", "type", kind_of_number, 0},
    {"math", "ult", not_known, 0},
    {"_G", "type", type_word, 0},
    {"_G", "tonumber", same, 0},
    {"_G", "rawequal", equal, 0},
    {"_G", "tostring", text_of, 0},
    {"string", "format", text_of, 0},
};

/* Functions that have another meaning while a function is traced, whatever they get. */
static int random_number(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    ph_trace_refuse(r, L, "it calls math.random");
}

/* error(...) of the file: so fails the function itself, with or without symbols. */
static int own_error(lua_State *L, ph_reader *r, int code)
{
    (void)code;
    r->trace->failed = 1;
    ph_trace_stop(r, L, "it says error(...)");
}

static int own_assert(lua_State *L, ph_reader *r, int code)
{
    return lua_toboolean(L, 1) ? lua_gettop(L) : own_error(L, r, code);
}

static const struct row always[] = {{"math", "random", random_number, 0},
                                    {"math", "randomseed", random_number, 0},
                                    {"_G", "error", own_error, 0},
                                    {"_G", "assert", own_assert, 0}};

/* rawget(t, k), rawset(t, k, x): k */
static const struct row keys[] = {{"_G", "rawget", as_key, 2}, {"_G", "rawset", as_key, 2}};

static int any_symbol(lua_State *L, ph_reader *r)
{
    for (int i = 1; i <= lua_gettop(L); i++)
        if (ph_symbol_is(r, L, i) || luaL_testudata(L, i, TEXT))
            return 1;
    return 0;
}

/* Upvalues: Lua's own function, the row, and when: 0: with symbols, 1: always, 2: with a symbol as second argument. */
static int guarded(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const struct row *row = lua_touserdata(L, lua_upvalueindex(2));
    int when = (int)lua_tointeger(L, lua_upvalueindex(3)), active = r->trace->active;
    if ((active && when == 1) || ((active || r->trace->reading) &&
                                  ((when == 0 && any_symbol(L, r)) || (when == 2 && ph_symbol_is(r, L, 2)))))
        return row->f(L, r, row->code);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static void guard(lua_State *L, const struct row *row, int when)
{
    lua_getglobal(L, row->library);
    lua_getfield(L, -1, row->name);
    lua_pushlightuserdata(L, (void *)row);
    lua_pushinteger(L, when);
    lua_pushcclosure(L, guarded, 3);
    lua_setfield(L, -2, row->name);
    lua_pop(L, 1);
}

#define EACH(row, list) for (const struct row *row = list; row < list + sizeof list / sizeof *list; row++)

void ph_symbol_open(ph_reader *r, lua_State *L)
{
    make_metatable(L);
    lua_newtable(L);
    r->trace->symbols = luaL_ref(L, LUA_REGISTRYINDEX);
    EACH(row, rows)
    guard(L, row, 0);
    EACH(row, always)
    guard(L, row, 1);
    EACH(row, keys)
    guard(L, row, 2);
}
