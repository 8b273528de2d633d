/* What the sandbox offers of Lua's libraries: a table of all functions, each with the work that a call may take.
 *
 * Functions of C run without the hook that counts instructions. Those whose work grows with their arguments are charged
 * for it before they start, or count it themselves. What is not in the table is not offered: a function that a later
 * version of Lua brings must be measured first. */
#include "model/library.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

/* ---- work of functions of Lua ------------------------------------------------------------------------------ */

/* Operations, of some nanoseconds each, for the arguments on the stack. What is allocated is charged besides. */
typedef double work_fn(lua_State *L);

static double work_values(lua_State *L)
{
    return lua_gettop(L);
}

static double length_of(lua_State *L, int i)
{
    size_t n = 0;
    if (lua_type(L, i) == LUA_TSTRING)
        lua_tolstring(L, i, &n);
    return (double)n;
}

static double work_bytes(lua_State *L)
{
    double n = 0;
    for (int i = 1; i <= lua_gettop(L); i++)
        n += 1 + length_of(L, i);
    return n;
}

/* At once: each instruction that hands on so many takes its time, and the clock is looked at every thousand. */
#define VALUES_MAX 1e5

static double limited(lua_State *L, double n)
{
    if (!(n <= VALUES_MAX))
        luaL_error(L, "too many values at once; the limit is %d", (int)VALUES_MAX);
    return n;
}

/* string.byte(s, first, last) */
static double work_byte(lua_State *L)
{
    if (lua_isnoneornil(L, 3))
        return 1;
    double n = length_of(L, 1), i = lua_tonumber(L, 2), j = lua_tonumber(L, 3);
    return limited(L, fmin(j < 0 ? n + j + 1 : j, n) - fmax(i < 0 ? n + i + 1 : i, 1) + 1);
}

/* string.rep(s, n, separator). A string that is too long is refused before it is made, with its length. */
static double work_rep(lua_State *L)
{
    double times = fmax(0, lua_tonumber(L, 2)), length = (length_of(L, 1) + length_of(L, 3)) * times;
    if (length > PH_MODEL_STRING) {
        ph_reader *r = ph_reader_of(L);
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, "a string of %.0f characters; a model file may use %.0f", length, PH_MODEL_STRING);
    }
    return fmax(length / 4, times); /* to repeat nothing takes time too */
}

#define PER_VALUE 4 /* operations to get a value of a table and to put it elsewhere */

static double places(lua_State *L, int first, int last)
{
    return PER_VALUE * fmax(0, lua_tonumber(L, last) - lua_tonumber(L, first) + 1);
}

/* table.concat(t, separator, i, j): ends at the first value that is not there */
static double work_concat(lua_State *L)
{
    double n = lua_istable(L, 1) ? PER_VALUE * (double)lua_rawlen(L, 1) : 0;
    return lua_isnoneornil(L, 4) ? n : fmax(n, fmin(places(L, 3, 4), PH_MODEL_MEMORY / sizeof(double)));
}

/* table.insert(t, i, x), table.remove(t, i): what is behind moves */
static double work_shift(lua_State *L)
{
    if (!lua_istable(L, 1) || !lua_isnumber(L, 2) || lua_gettop(L) < 2)
        return 1;
    return 1 + PER_VALUE * fmax(0, (double)lua_rawlen(L, 1) - lua_tonumber(L, 2) + 1);
}

static double work_insert(lua_State *L)
{
    return lua_gettop(L) > 2 ? work_shift(L) : 1;
}

/* table.move(a, first, last, ...) */
static double work_move(lua_State *L)
{
    return places(L, 2, 3);
}

/* table.unpack(t, i, j) */
static double work_unpack(lua_State *L)
{
    double i = lua_isnoneornil(L, 2) ? 1 : lua_tonumber(L, 2), j = !lua_isnoneornil(L, 3) ? lua_tonumber(L, 3)
                                                                   : lua_istable(L, 1)
                                                                       ? (double)lua_rawlen(L, 1)
                                                                       : 0;
    return PER_VALUE * limited(L, j - i + 1);
}

/* ---- functions of our own ------------------------------------------------------------------------------------ */

/* The name of a type, where Lua has an address, which is another one in every run. */
static int push_name(lua_State *L, int i)
{
    int type = lua_type(L, i);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA)
        return 0;
    if (luaL_getmetafield(L, i, "__name") != LUA_TSTRING)
        lua_pushstring(L, lua_typename(L, type));
    return 1;
}

static int plain_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    if (!push_name(L, 1))
        luaL_tolstring(L, 1, NULL);
    return 1;
}

#define PER_FORMAT 400 /* operations: %.99f of a large number has 400 digits */

/* string.format; upvalue: Lua's own. Tables and functions at %s are there with their names, and %p is refused. */
static int plain_format(lua_State *L)
{
    double work = work_bytes(L);
    size_t n = 0;
    const char *f = luaL_checklstring(L, 1, &n);
    luaL_checkstack(L, 4, NULL);
    for (int i = 2, top = lua_gettop(L); (f = strchr(f, '%')); f += *f != 0) {
        f += 1 + strspn(f + 1, "-+ #0123456789.");
        if (*f == 'p')
            return luaL_error(L, "%%p shows an address, which is another one in every run");
        if (*f == 's' && i <= top && push_name(L, i))
            lua_replace(L, i);
        i += *f != '%';
        work += PER_FORMAT;
    }
    ph_sandbox_charge(ph_reader_of(L), L, work);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* math.randomseed without arguments would take the time. */
static int seed(lua_State *L)
{
    if (lua_gettop(L) == 0)
        lua_pushinteger(L, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 0);
    return 0;
}

/* ---- the table ----------------------------------------------------------------------------------------------- */

static const struct row {
    const char *library, *name;
    work_fn *work; /* charged before Lua's own function runs; NULL: a call takes no longer than any other */
    lua_CFunction own; /* instead of Lua's, which is its upvalue; it charges itself */
} rows[] = {
    {"_G", "assert", NULL, NULL},
    {"_G", "error", NULL, NULL},
    {"_G", "ipairs", NULL, NULL},
    {"_G", "next", NULL, ph_ordered_next},
    {"_G", "pairs", NULL, ph_ordered_pairs},
    {"_G", "rawequal", work_bytes, NULL},
    {"_G", "rawget", work_bytes, NULL},
    {"_G", "rawlen", NULL, NULL},
    {"_G", "rawset", work_bytes, NULL},
    {"_G", "select", work_values, NULL},
    {"_G", "tonumber", work_bytes, NULL},
    {"_G", "tostring", NULL, plain_tostring},
    {"_G", "type", NULL, NULL},

    {"string", "byte", work_byte, NULL},
    {"string", "char", work_values, NULL},
    {"string", "find", NULL, ph_string_find},
    {"string", "format", NULL, plain_format},
    {"string", "gmatch", NULL, ph_string_gmatch},
    {"string", "gsub", NULL, ph_string_gsub},
    {"string", "len", NULL, NULL},
    {"string", "lower", work_bytes, NULL},
    {"string", "match", NULL, ph_string_match},
    {"string", "pack", work_bytes, NULL},
    {"string", "packsize", work_bytes, NULL},
    {"string", "rep", work_rep, NULL},
    {"string", "reverse", work_bytes, NULL},
    {"string", "sub", NULL, NULL},
    {"string", "unpack", work_bytes, NULL},
    {"string", "upper", work_bytes, NULL},

    {"table", "concat", work_concat, NULL},
    {"table", "insert", work_insert, NULL},
    {"table", "move", work_move, NULL},
    {"table", "pack", work_values, NULL},
    {"table", "remove", work_shift, NULL},
    {"table", "sort", NULL, ph_table_sort},
    {"table", "unpack", work_unpack, NULL},

    {"math", "abs", NULL, NULL},
    {"math", "acos", NULL, NULL},
    {"math", "asin", NULL, NULL},
    {"math", "atan", NULL, NULL},
    {"math", "ceil", NULL, NULL},
    {"math", "cos", NULL, NULL},
    {"math", "deg", NULL, NULL},
    {"math", "exp", NULL, NULL},
    {"math", "floor", NULL, NULL},
    {"math", "fmod", NULL, NULL},
    {"math", "log", NULL, NULL},
    {"math", "max", NULL, NULL},
    {"math", "min", NULL, NULL},
    {"math", "modf", NULL, NULL},
    {"math", "rad", NULL, NULL},
    {"math", "random", NULL, NULL},
    {"math", "randomseed", NULL, seed},
    {"math", "sin", NULL, NULL},
    {"math", "sqrt", NULL, NULL},
    {"math", "tan", NULL, NULL},
    {"math", "tointeger", NULL, NULL},
    {"math", "type", NULL, NULL},
    {"math", "ult", NULL, NULL},
};

#define N_ROWS (sizeof rows / sizeof *rows)

/* Upvalues: the function, its row. */
static int charged(lua_State *L)
{
    const struct row *row = &rows[lua_tointeger(L, lua_upvalueindex(2))];
    ph_sandbox_charge_call(ph_reader_of(L), L, row->library, row->name, row->work(L));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static const struct row *row_of(const char *library, const char *name)
{
    for (size_t k = 0; k < N_ROWS; k++)
        if (!strcmp(rows[k].library, library) && !strcmp(rows[k].name, name))
            return &rows[k];
    return NULL;
}

/* The table on top keeps the functions that have a row. */
static void remove_others(lua_State *L, const char *library)
{
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_isfunction(L, -1) && !row_of(library, lua_tostring(L, -2))) {
            lua_pushvalue(L, -2);
            lua_pushnil(L);
            lua_rawset(L, -5);
        }
}

/* Those of our own, in the table on top. */
static void replace(lua_State *L, const char *library)
{
    for (size_t k = 0; k < N_ROWS; k++)
        if (rows[k].own && !strcmp(rows[k].library, library)) {
            lua_getfield(L, -1, rows[k].name);
            lua_pushcclosure(L, rows[k].own, 1);
            lua_setfield(L, -2, rows[k].name);
        }
}

/* Lua finds the name of a function for its messages among the modules that are loaded: there the functions
 * behind the charges stay. */
static void keep_names(lua_State *L, const char *library)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, -4); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }
    lua_setfield(L, -2, library);
    lua_pop(L, 1);
}

static void charge_all(lua_State *L, const char *library)
{
    for (size_t k = 0; k < N_ROWS; k++)
        if (rows[k].work && !strcmp(rows[k].library, library)) {
            lua_getfield(L, -1, rows[k].name);
            lua_pushinteger(L, (lua_Integer)k);
            lua_pushcclosure(L, charged, 2);
            lua_setfield(L, -2, rows[k].name);
        }
}

static void open_library(lua_State *L, const char *name, lua_CFunction open)
{
    luaL_requiref(L, name, open, 1);
    remove_others(L, name);
    replace(L, name);
    keep_names(L, name);
    charge_all(L, name);
    lua_pop(L, 1);
}

/* Arithmetic makes numbers of strings. Upvalue: the function that does. */
static int charged_arithmetic(lua_State *L)
{
    ph_sandbox_charge(ph_reader_of(L), L, work_bytes(L));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static void charge_arithmetic(lua_State *L)
{
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_isfunction(L, -1)) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_pushcclosure(L, charged_arithmetic, 1);
            lua_rawset(L, -5);
        }
    lua_pop(L, 2);
}

void ph_library_open(lua_State *L)
{
    open_library(L, LUA_GNAME, luaopen_base);
    open_library(L, LUA_MATHLIBNAME, luaopen_math);
    open_library(L, LUA_STRLIBNAME, luaopen_string);
    charge_arithmetic(L);
    open_library(L, LUA_TABLIBNAME, luaopen_table);
    lua_getglobal(L, LUA_MATHLIBNAME);
    lua_getfield(L, -1, "randomseed");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
}
