/* clamp(x, lo, hi), sign(x), smoothstep(lo, hi, x): functions of model files beside those of math. */
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

void ph_maths_open(lua_State *L)
{
    lua_register(L, "clamp", clamp);
    lua_register(L, "sign", sign);
    lua_register(L, "smoothstep", smoothstep);
}
