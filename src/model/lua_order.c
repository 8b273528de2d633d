/* table.sort, pairs and next with the same result in every run: Lua's own order of keys changes with the addresses of a
 * process, and its order of equals with the time of day. */
#include "model/library.h"

#include <lauxlib.h>
#include <string.h>

#define PER_COMPARISON 10 /* operations */

/* ---- sorting --------------------------------------------------------------------------------------------- */

/* Whether the value on top comes before that below. */
typedef int before_fn(lua_State *L);

static int less(lua_State *L)
{
    return lua_compare(L, -1, -2, LUA_OPLT);
}

/* By the function at index 2. */
static int less_by(lua_State *L)
{
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    int yes = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return yes;
}

/* to[lo], ..., to[hi - 1] = from[lo], ..., from[mid - 1] and from[mid], ..., which are sorted; of equals the former. */
static void merge(lua_State *L, int from, int to, lua_Integer lo, lua_Integer mid, lua_Integer hi,
                  before_fn *before)
{
    lua_Integer i = lo, j = mid;
    for (lua_Integer k = lo; k < hi; k++) {
        lua_rawgeti(L, from, i < mid ? i : j);
        if (i < mid && j < hi) {
            lua_rawgeti(L, from, j);
            int second = before(L);
            lua_remove(L, second ? -2 : -1);
            i += !second, j += second;
        } else {
            i += i < mid, j += i >= mid;
        }
        lua_rawseti(L, to, k);
    }
}

/* The list of n values at index list, from the bottom up, with a table at index work beside it. */
static void sort(lua_State *L, int list, int work, lua_Integer n, before_fn *before)
{
    int from = list, to = work;
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer lo = 1; lo <= n; lo += 2 * width) {
            lua_Integer mid = lo + width <= n ? lo + width : n + 1,
                        hi = mid + width <= n ? mid + width : n + 1;
            merge(L, from, to, lo, mid, hi, before);
        }
        int swap = from;
        from = to, to = swap;
    }
    for (lua_Integer k = 1; from != list && k <= n; k++) {
        lua_rawgeti(L, from, k);
        lua_rawseti(L, list, k);
    }
}

static void charge_sort(lua_State *L, const char *library, const char *name, lua_Integer n)
{
    ph_sandbox_charge_call(ph_reader_of(L), L, library, name,
                           PER_COMPARISON * (double)n * log2((double)n + 2));
}

int ph_table_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    charge_sort(L, "table", "sort", n);
    lua_newtable(L);
    luaL_checkstack(L, 8, NULL);
    sort(L, 1, 3, n, lua_isnil(L, 2) ? less : less_by);
    return 0;
}

/* ---- keys ------------------------------------------------------------------------------------------------- */

/* Numbers before strings before false and true. Tables and functions have no order but that of their addresses. */
static int rank_of(lua_State *L, int i)
{
    switch (lua_type(L, i)) {
    case LUA_TNUMBER:
        return 0;
    case LUA_TSTRING:
        return 1;
    case LUA_TBOOLEAN:
        return 2;
    default:
        return luaL_error(L, "a key is a %s, and such keys have no order; use numbers or strings",
                          luaL_typename(L, i));
    }
}

/* Byte by byte: Lua's own comparison depends on the language of the user. */
static int text_before(lua_State *L, int a, int b)
{
    size_t n, m;
    const char *x = lua_tolstring(L, a, &n), *y = lua_tolstring(L, b, &m);
    int c = memcmp(x, y, n < m ? n : m);
    return c < 0 || (c == 0 && n < m);
}

static int key_before(lua_State *L, int a, int b)
{
    int rank = rank_of(L, a), other = rank_of(L, b);
    if (rank != other)
        return rank < other;
    return rank == 0   ? lua_compare(L, a, b, LUA_OPLT)
           : rank == 1 ? text_before(L, a, b)
                       : lua_toboolean(L, a) < lua_toboolean(L, b);
}

static int key_less(lua_State *L)
{
    return key_before(L, -1, -2);
}

/* Upvalues: the table, its keys in order, how many are done. */
static int next_pair(lua_State *L)
{
    lua_Integer i = lua_tointeger(L, lua_upvalueindex(3));
    do {
        lua_settop(L, 0);
        if (lua_rawgeti(L, lua_upvalueindex(2), ++i) == LUA_TNIL)
            return 1;
        lua_pushvalue(L, -1);
    } while (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL);
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
}

int ph_ordered_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newtable(L);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_rawseti(L, 2, ++n)) {
        lua_pop(L, 1);
        rank_of(L, -1);
        lua_pushvalue(L, -1);
    }
    charge_sort(L, LUA_GNAME, "pairs", n);
    lua_newtable(L);
    sort(L, 2, 3, n, key_less);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    return 1;
}

/* next(t, key): the least key that is above, found among all of them. */
int ph_ordered_next(lua_State *L)
{
    double n = 1;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (!lua_isnil(L, 2))
        rank_of(L, 2);
    lua_pushnil(L); /* at 3: the best so far */
    for (lua_pushnil(L); lua_next(L, 1); n++) {
        lua_pop(L, 1);
        rank_of(L, 4);
        if ((lua_isnil(L, 2) || key_before(L, 2, 4)) && (lua_isnil(L, 3) || key_before(L, 4, 3)))
            lua_copy(L, 4, 3);
    }
    ph_sandbox_charge(ph_reader_of(L), L, PER_COMPARISON * n);
    lua_settop(L, 3);
    if (lua_isnil(L, 3))
        return 1;
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}
