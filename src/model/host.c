/* host(k, n, x1, x2, ...): function k of the program that reads the file, of numbers, gives n numbers.
 *
 * The program may be an interpreter with functions that no symbol can follow. They are called in each step and
 * differenced, as functions of the file are that cannot be traced. */
#include "model/trace.h"

#include <lauxlib.h>

#define NUMBERS 1024 /* in and out of one call */

static int whole(lua_State *L, int at, int most)
{
    int exact;
    lua_Integer n = lua_tointegerx(L, at, &exact);
    return exact && n >= 0 && n <= most ? (int)n : -1;
}

static int call_host(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    double x[NUMBERS], y[NUMBERS], since = ph_sandbox_now();
    char error[256] = "";
    int k = whole(L, 1, 1 << 30), n = whole(L, 2, NUMBERS), given = lua_gettop(L) - 2;
    if (r->trace && r->trace->active)
        ph_trace_refuse(r, L, "it calls a function of the program that read the model");
    r->line = ph_line_of_call(L);
    if (k < 0 || n < 0 || given > NUMBERS || !lua_checkstack(L, n))
        ph_reader_fail(r, "host(k, n, x1, ...): k and n must be whole numbers, with at most %d numbers",
                       NUMBERS);
    for (int i = 0; i < given; i++) {
        if (lua_type(L, 3 + i) != LUA_TNUMBER)
            ph_reader_fail(r, "host: argument %d is a %s, not a number", 3 + i, luaL_typename(L, 3 + i));
        x[i] = lua_tonumber(L, 3 + i);
    }
    int good = r->host.call(k, given, x, n, y, error, sizeof error, r->host.ctx);
    ph_sandbox_excuse(r, since); /* its time is not the file's */
    if (!good)
        ph_reader_fail(r, "%s", error[0] ? error : "the program that read the model cannot compute this");
    for (int i = 0; i < n; i++)
        lua_pushnumber(L, y[i]);
    return n;
}

void ph_host_open(ph_reader *r, lua_State *L)
{
    if (r->host.call)
        lua_register(L, "host", call_host);
}
