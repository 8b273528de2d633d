/* Functions that model files have in addition to Lua's: clamp(x, lo, hi), sign(x), smoothstep(lo, hi, x), and more of math. */
#include "model/trace.h"

#include <lauxlib.h>

#include "expr/ops.h"

/* One operation on what stands at places a and b of the stack, numbers or symbols; to the top. */
static void apply(lua_State *L, ph_op_code code, int a, int b)
{
    ph_reader *r = ph_reader_of(L);
    if (ph_symbol_is(r, L, a) || ph_symbol_is(r, L, b))
        ph_symbol_push(
            r, L, ph_expr_graph_op(r->trace->graph, code, ph_symbol_node(r, L, a), ph_symbol_node(r, L, b)));
    else
        lua_pushnumber(L, ph_op_value((int)code, lua_tonumber(L, a), lua_tonumber(L, b)));
}

static void check_numbers(lua_State *L, const char *name, int n)
{
    ph_reader *r = ph_reader_of(L);
    for (int i = 1; i <= n; i++)
        if (lua_type(L, i) != LUA_TNUMBER && !ph_symbol_is(r, L, i))
            luaL_error(L, "%s takes %d number%s", name, n, n == 1 ? "" : "s");
    for (int i = 1; i <= n; i++)
        if (lua_isinteger(L, i)) { /* one kind of numbers is enough here */
            lua_pushnumber(L, lua_tonumber(L, i));
            lua_replace(L, i);
        }
    lua_settop(L, n);
}

/* min(max(x, lo), hi) */
static int clamp(lua_State *L)
{
    check_numbers(L, "clamp(x, lo, hi)", 3);
    apply(L, PH_OP_MAX, 1, 2);
    apply(L, PH_OP_MIN, 4, 3);
    return 1;
}

/* -1, 0 or 1 */
static int sign(lua_State *L)
{
    check_numbers(L, "sign(x)", 1);
    apply(L, PH_OP_SIGN, 1, 1);
    return 1;
}

/* 0 up to lo, 1 from hi on, u^2 (3 - 2 u) between, u = (x - lo)/(hi - lo) */
static int smoothstep(lua_State *L)
{
    check_numbers(L, "smoothstep(lo, hi, x)", 3);
    apply(L, PH_OP_SUB, 3, 1);
    apply(L, PH_OP_SUB, 2, 1);
    apply(L, PH_OP_DIV, 4, 5);
    apply(L, PH_OP_SMOOTH, 6, 6);
    return 1;
}

static const struct function {
    const char *name, *call;
    ph_op_code code;
    int n;
} functions[] = {
    {"sinh", "math.sinh(x)", PH_OP_SINH, 1},      {"cosh", "math.cosh(x)", PH_OP_COSH, 1},
    {"tanh", "math.tanh(x)", PH_OP_TANH, 1},      {"asinh", "math.asinh(x)", PH_OP_ASINH, 1},
    {"acosh", "math.acosh(x)", PH_OP_ACOSH, 1},   {"atanh", "math.atanh(x)", PH_OP_ATANH, 1},
    {"atan2", "math.atan2(y, x)", PH_OP_ATAN, 2}, {"hypot", "math.hypot(x, y)", PH_OP_HYPOT, 2},
    {"log10", "math.log10(x)", PH_OP_LOG10, 1},   {"cbrt", "math.cbrt(x)", PH_OP_CBRT, 1},
};

/* Upvalue: the place in the table. */
static int call(lua_State *L)
{
    const struct function *f = &functions[lua_tointeger(L, lua_upvalueindex(1))];
    check_numbers(L, f->call, f->n);
    apply(L, f->code, 1, f->n);
    return 1;
}

void ph_maths_open(lua_State *L)
{
    lua_register(L, "clamp", clamp);
    lua_register(L, "sign", sign);
    lua_register(L, "smoothstep", smoothstep);
    lua_getglobal(L, "math");
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        lua_pushinteger(L, (lua_Integer)k);
        lua_pushcclosure(L, call, 1);
        lua_setfield(L, -2, functions[k].name);
    }
    lua_pop(L, 1);
}
