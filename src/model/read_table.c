/* Tables inside of values: section = {EA = ..., EI = {.., ..}}. */
#include "model/inside.h"

#include <lauxlib.h>
#include <string.h>

void ph_table_only(ph_reader *r, lua_State *L, const char *key, ph_word_fn words)
{
    const char *worst = NULL;
    char what[64];
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be a table in braces, not a %s", key, luaL_typename(L, -1));
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            ph_reader_fail(r, "%s has a value without a key; write name = value", key);
        const char *name = lua_tostring(L, -2);
        if (ph_word_find(name, words) < 0 && (!worst || strcmp(name, worst) < 0))
            worst = name; /* the first by name: tables have a random order */
    }
    snprintf(what, sizeof what, "%.40s has no", key);
    if (worst)
        ph_fail_word(r, what, worst, words);
}

int ph_table_optional(lua_State *L, const char *member)
{
    luaL_checkstack(L, 4, NULL);
    lua_pushstring(L, member);
    if (lua_rawget(L, -2) != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    return 0;
}

void ph_table_push(ph_reader *r, lua_State *L, const char *key, const char *member)
{
    if (!ph_table_optional(L, member))
        ph_reader_fail(r, "%s has no %s", key, member);
}

void ph_table_positive(ph_reader *r, lua_State *L, const char *key, const char *member, int n, double *x)
{
    char name[64];
    snprintf(name, sizeof name, "%s of %.40s", member, key);
    ph_table_push(r, L, key, member);
    if (n == 1 || lua_type(L, -1) == LUA_TNUMBER) {
        x[0] = ph_value_number(r, L, name);
        for (int i = 1; i < n; i++)
            x[i] = x[0];
    } else {
        ph_value_numbers(r, L, name, n, x);
    }
    for (int i = 0; i < n; i++)
        if (!(x[i] > 0))
            ph_reader_fail(r, "%s is %g; it must be above 0", name, x[i]);
    lua_pop(L, 1);
}
