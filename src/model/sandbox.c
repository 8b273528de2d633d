/* Lua in a sandbox: few libraries, text only, and limits to memory and time.
 *
 * Lua code is stopped by a hook that looks at the clock every 1000 instructions. Library functions written in
 * C run without the hook; those whose work can grow without bound are guarded by an estimate of it. Nothing
 * in a model file can catch an error (no pcall, no coroutines) or run code behind the scenes (no metatables):
 * a limit that is hit ends the reading. */
#include "model/inside.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>
#include <time.h>

/* ---- memory ------------------------------------------------------------------------------------------ */

static void *refuse(ph_reader *r, ph_refusal why)
{
    lua_Debug ar;
    r->refused = why;
    r->refused_line = 0;
    for (int level = 0; r->running && !r->refused_line && lua_getstack(r->L, level, &ar); level++)
        if (lua_getinfo(r->L, "l", &ar) && ar.currentline > 0)
            r->refused_line = ar.currentline;
    return NULL;
}

/* Without an old block, old_size tells what the new one is for. */
void *ph_sandbox_alloc(void *reader, void *p, size_t old_size, size_t size)
{
    ph_reader *r = reader;
    size_t old = p ? old_size : 0;
    if (size == 0) {
        ph_free(r->alloc, p);
        r->memory -= old;
        return NULL;
    }
    if (!p && old_size == LUA_TSTRING && (double)size > PH_MODEL_STRING)
        return refuse(r, PH_STRING_REFUSED);
    if (size > old && (double)(r->memory - old) + (double)size > PH_MODEL_MEMORY)
        return refuse(r, PH_MEMORY_REFUSED);
    void *q = ph_alloc(r->alloc, size);
    if (!q && size > old)
        return refuse(r, PH_SYSTEM_REFUSED);
    r->memory = r->memory - old + size;
    if (!q)
        return p; /* to shrink never fails */
    if (p) {
        memcpy(q, p, old < size ? old : size);
        ph_free(r->alloc, p);
    }
    return q;
}

/* ---- time -------------------------------------------------------------------------------------------- */

int ph_line_of_call(lua_State *L)
{
    lua_Debug ar;
    for (int level = 1; lua_getstack(L, level, &ar); level++)
        if (lua_getinfo(L, "l", &ar) && ar.currentline > 0)
            return ar.currentline;
    return 0;
}

void ph_sandbox_start(ph_reader *r, double limit_s)
{
    r->deadline = 0;
    r->time_limit = limit_s;
}

double ph_sandbox_now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int ph_sandbox_late(ph_reader *r)
{
    double now = ph_sandbox_now();
    if (r->deadline == 0)
        r->deadline = now + r->time_limit;
    return now > r->deadline;
}

void ph_sandbox_excuse(ph_reader *r, double since)
{
    if (r->deadline != 0)
        r->deadline += ph_sandbox_now() - since;
}

void ph_sandbox_tick(ph_reader *r, lua_State *L)
{
    if (!ph_sandbox_late(r))
        return;
    int line = ph_line_of_call(L);
    r->line = line ? line : r->line;
    ph_reader_fail(r, "this takes more than %g s; is there a loop without end?", r->time_limit);
}

#define HOOK_INTERVAL 1000 /* instructions, some microseconds */

static void hook(lua_State *L, lua_Debug *ar)
{
    ph_reader *r = ph_reader_of(L);
    if (!ph_sandbox_late(r))
        return;
    lua_getinfo(L, "l", ar);
    r->line = ar->currentline > 0 ? ar->currentline : ph_line_of_call(L);
    ph_reader_fail(r, "this takes more than %g s; is there a loop without end?", r->time_limit);
}

/* ---- guarded library functions ----------------------------------------------------------------------- */

/* Pieces of a pattern that may match strings of any length. */
static int repetitions(const char *p, size_t length)
{
    int n = 0;
    for (size_t i = 0; i < length; i++) {
        if (p[i] == '%' && i + 1 < length) {
            i++;
            n += p[i] == 'b' || (p[i] >= '0' && p[i] <= '9');
        } else {
            n += p[i] == '*' || p[i] == '+' || p[i] == '-' || p[i] == '?';
        }
    }
    return n;
}

/* Characters of the longest set, "[a-z]". */
static size_t longest_set(const char *p, size_t length)
{
    size_t most = 0, since = 0;
    for (size_t i = 0, inside = 0; i < length; i++) {
        if (p[i] == '%')
            i++;
        else if (!inside && p[i] == '[')
            inside = 1, since = i;
        else if (p[i] == ']')
            inside = 0;
        if (inside && i - since > most)
            most = i - since;
    }
    return most;
}

/* A search tries every start and every way to share n characters among q repetitions, in all
 *   (n + 1) ... (n + q + 1)/(q + 1)!
 * and goes through a set for each character, four of it in the time of one operation. */
static double work_pattern(lua_State *L)
{
    size_t n = 0, length = 0;
    const char *s = lua_tolstring(L, 1, &n), *p = lua_tolstring(L, 2, &length);
    if (!s || !p)
        return 0;
    int q = repetitions(p, length);
    double ways = 1 + (double)length / 64 + (double)longest_set(p, length) / 4;
    for (int i = 1; i <= q + 1 && ways <= PH_MODEL_WORK; i++)
        ways *= ((double)n + i) / i;
    return ways;
}

static double work_length(lua_State *L)
{
    return lua_istable(L, 1) ? (double)lua_rawlen(L, 1) : 0;
}

static double work_sort(lua_State *L)
{
    double n = work_length(L);
    return 4 * n * log2(n + 2);
}

/* table.move(a, first, last, ...) */
static double work_move(lua_State *L)
{
    return fmax(0, lua_tonumber(L, 3) - lua_tonumber(L, 2));
}

/* string.rep(s, n, separator). A string that is too long is refused before it is made, with its length. */
static double work_rep(lua_State *L)
{
    size_t s = 0, separator = 0;
    lua_tolstring(L, 1, &s);
    lua_tolstring(L, 3, &separator);
    double times = fmax(0, lua_tonumber(L, 2)), length = (double)(s + separator) * times;
    if (length > PH_MODEL_STRING) {
        ph_reader *r = ph_reader_of(L);
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, "a string of %.0f characters; a model file may use %.0f", length, PH_MODEL_STRING);
    }
    return fmax(length, times); /* nothing, again and again, takes time too */
}

static const struct guard {
    const char *library, *name;
    double (*work)(lua_State *L); /* elementary operations, at most, for the arguments on the stack */
} guards[] = {
    {"string", "find", work_pattern}, {"string", "match", work_pattern}, {"string", "gmatch", work_pattern},
    {"string", "gsub", work_pattern}, {"string", "rep", work_rep},       {"table", "insert", work_length},
    {"table", "remove", work_length}, {"table", "concat", work_length},  {"table", "unpack", work_length},
    {"table", "sort", work_sort},     {"table", "move", work_move},
};

/* Upvalues: the function, its row. */
static int guarded(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const struct guard *g = &guards[lua_tointeger(L, lua_upvalueindex(2))];
    double work = g->work(L);
    if (!(work <= PH_MODEL_WORK)) {
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, "%s.%s could take too long with arguments of this size", g->library, g->name);
    }
    if (work > 1e4)
        ph_sandbox_tick(r, L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* Lua finds the name of a function for its messages among the modules that are loaded: there the functions
 * behind the guards stay. */
static void keep_names(lua_State *L, const char *library)
{
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_newtable(L);
    lua_getglobal(L, library);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -6);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, library);
    lua_pop(L, 1);
}

static void guard_all(lua_State *L)
{
    keep_names(L, "string");
    keep_names(L, "table");
    for (size_t k = 0; k < sizeof guards / sizeof *guards; k++) {
        lua_getglobal(L, guards[k].library);
        lua_getfield(L, -1, guards[k].name);
        lua_pushinteger(L, (lua_Integer)k);
        lua_pushcclosure(L, guarded, 2);
        lua_setfield(L, -2, guards[k].name);
        lua_pop(L, 1);
    }
}

/* ---- the same result in every run -------------------------------------------------------------------- */

/* Numbers before strings before the rest. */
static int key_before(lua_State *L)
{
    int a = lua_type(L, 1), b = lua_type(L, 2);
    int ra = a == LUA_TNUMBER   ? 0
             : a == LUA_TSTRING ? 1
                                : 2,
        rb = b == LUA_TNUMBER   ? 0
             : b == LUA_TSTRING ? 1
                                : 2;
    lua_pushboolean(L, ra != rb ? ra < rb : ra < 2 && lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
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

/* pairs: Lua's own order changes from run to run, and with it that of the bodies made in such a loop. */
static int sorted_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newtable(L);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_rawseti(L, 2, ++n)) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
    }
    lua_pushvalue(L, lua_upvalueindex(1)); /* table.sort, guarded */
    lua_pushvalue(L, 2);
    lua_pushcfunction(L, key_before);
    lua_call(L, 2, 0);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
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

static void make_reproducible(lua_State *L)
{
    lua_getglobal(L, "table");
    lua_getfield(L, -1, "sort");
    lua_pushcclosure(L, sorted_pairs, 1);
    lua_setglobal(L, "pairs");
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_pushcclosure(L, seed, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "randomseed");
    lua_call(L, 0, 0);
    lua_pop(L, 2);
}

/* ---- globals ----------------------------------------------------------------------------------------- */

/* What the libraries bring and a model file does not get, and what other programs would have. */
static const char *const absent[] = {"load",  "loadfile",  "dofile", "loadstring",   "collectgarbage",
                                     "pcall", "xpcall",    "print",  "setmetatable", "getmetatable",
                                     "warn",  "io",        "os",     "require",      "package",
                                     "debug", "coroutine", "utf8"};

/* __index of the globals: a name that nobody has defined is a mistake. */
static int no_global(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tostring(L, 2);
    r->line = ph_line_of_call(L);
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++)
        if (!strcmp(name, absent[k]))
            ph_reader_fail(r, "model files have no '%s'%s", name,
                           strcmp(name, "print") == 0 ? "; error(\"...\") shows a value" : "");
    ph_near search = {.word = name};
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            ph_near_offer(&search, lua_tostring(L, -2));
    const char *near = ph_near_word(&search);
    if (near)
        ph_reader_fail(r, "nothing is called '%.64s'; did you mean '%s'?", name, near);
    ph_reader_fail(r, "nothing is called '%.64s'", name);
}

void ph_sandbox_open(ph_reader *r, lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    lua_settop(L, 0);
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
        lua_pushnil(L);
        lua_setglobal(L, absent[k]);
    }
    lua_getglobal(L, "string");
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    guard_all(L);
    make_reproducible(L);
    lua_pushglobaltable(L);
    lua_newtable(L);
    lua_pushcfunction(L, no_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_settop(L, 0);
    lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_INTERVAL);
    ph_sandbox_start(r, PH_MODEL_READ_S);
}
