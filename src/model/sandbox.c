/* Lua in a sandbox: few libraries, text only, and limits to memory and work.
 *
 * Work is counted, in operations of some nanoseconds: instructions of Lua by a hook, the parser by the bytes that it gets,
 * library functions by their arguments or steps (library.c), and memory by what is allocated. So a file passes or is
 * refused alike on every machine. The clock is looked at besides: some instructions take far longer than others, as
 * comparing long strings does. Nothing in a model file can catch an error (no pcall, no coroutines) or run code behind
 * the scenes (no metatables): a limit that is hit ends the reading. */
#include "model/library.h"
#include "model/image.h"

#include <lauxlib.h>
#include <string.h>
#include <time.h>

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Lua moves its stack with a call that resizes a block. It must not be asked for a line then, and the line where the hook
 * was called last has to do. */
static void *refuse(ph_reader *r, ph_refusal why, int resizes, size_t size)
{
    lua_Debug ar;
    r->refused = why, r->refused_size = size;
    r->refused_line = resizes ? r->hook_line : 0;
    for (int level = 0; !resizes && r->running && !r->refused_line && lua_getstack(r->L, level, &ar); level++)
        if (lua_getinfo(r->L, "l", &ar) && ar.currentline > 0)
            r->refused_line = ar.currentline;
    return NULL;
}

static void *take_block(ph_reader *r, size_t size)
{
    return r->image ? ph_image_alloc(r->image, size) : ph_alloc(r->alloc, size);
}

static void free_block(ph_reader *r, void *p, size_t size)
{
    if (r->image)
        ph_image_free(r->image, p, size);
    else
        ph_free(r->alloc, p);
}

#define BYTES_COPIED    16 /* in one operation */
#define BYTES_COLLECTED 4

/* Without an old block, old_size tells what the new one is for. */
void *ph_sandbox_alloc(void *reader, void *p, size_t old_size, size_t size)
{
    ph_reader *r = reader;
    size_t old = p ? old_size : 0;
    if (size == 0) {
        free_block(r, p, old);
        r->memory -= old;
        return NULL;
    }
    if (size > old && r->work_limit > 0 && r->work > r->work_limit)
        return refuse(r, PH_WORK_REFUSED, p != NULL, size);
    if (!p && old_size == LUA_TSTRING && (double)size > PH_MODEL_STRING)
        return refuse(r, PH_STRING_REFUSED, 0, size);
    if (size > old && (double)(r->memory - old) + (double)size > PH_MODEL_MEMORY) {
        r->work +=
            (double)r->memory / BYTES_COLLECTED; /* Lua now looks for what it can free, and may find little */
        return refuse(r, PH_MEMORY_REFUSED, p != NULL, size);
    }
    r->work += (double)size / BYTES_COPIED;
    void *q = take_block(r, size);
    if (!q && size > old)
        return refuse(r, PH_SYSTEM_REFUSED, p != NULL, size);
    r->memory = r->memory - old + size;
    if (size == r->refused_size) /* Lua asks again when it has collected */
        r->refused = PH_NOT_REFUSED, r->refused_size = 0;
    if (!q)
        return p; /* to shrink never fails */
    if (p) {
        memcpy(q, p, old < size ? old : size);
        free_block(r, p, old);
    }
    return q;
}

/* ---- work and time --------------------------------------------------------------------------------------- */

int ph_line_of_call(lua_State *L)
{
    lua_Debug ar;
    ph_reader *r = ph_reader_of(L);
    for (int level = 1; lua_getstack(L, level, &ar); level++)
        if (lua_getinfo(L, "Sl", &ar) && ar.currentline > 0) {
            r->part = ph_part_named(r, ar.source + 1, strlen(ar.source + 1));
            return ar.currentline;
        }
    r->part = NULL;
    return 0;
}

void ph_sandbox_start(ph_reader *r, double limit_s, double limit_work)
{
    r->since = 0;
    r->time_limit = limit_s;
    r->work = r->looked = 0;
    r->work_limit = limit_work;
}

double ph_sandbox_now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int ph_sandbox_late(ph_reader *r)
{
    double now = ph_sandbox_now();
    if (r->since == 0)
        r->since = now;
    r->looked = r->work;
    return now - r->since > r->time_limit || r->work > r->work_limit;
}

void ph_sandbox_excuse(ph_reader *r, double since)
{
    if (r->since != 0)
        r->since += ph_sandbox_now() - since;
}

#define LOOK 1e5 /* operations between two looks at the clock */

int ph_sandbox_spend(ph_reader *r, double work)
{
    r->work += work;
    return !(r->work - r->looked <= LOOK) && ph_sandbox_late(r);
}

static _Noreturn void fail_late(ph_reader *r, int line)
{
    r->line = line > 0 ? line : r->line;
    if (r->work > r->work_limit)
        ph_reader_fail(r, PH_WORK_SENTENCE, r->work_limit);
    ph_reader_fail(r, "this takes more than %g s; is there an infinite loop?", r->time_limit);
}

void ph_sandbox_charge(ph_reader *r, lua_State *L, double work)
{
    if (ph_sandbox_spend(r, work))
        fail_late(r, ph_line_of_call(L));
}

void ph_sandbox_charge_call(ph_reader *r, lua_State *L, const char *library, const char *name, double work)
{
    if (!(work <= r->work_limit)) {
        r->line = ph_line_of_call(L);
        int base = strcmp(library, LUA_GNAME) == 0;
        ph_reader_fail(r, "%s%s%s could take too long with arguments of this size", base ? "" : library,
                       base ? "" : ".", name);
    }
    ph_sandbox_charge(r, L, work);
}

void ph_sandbox_tick(ph_reader *r, lua_State *L)
{
    if (ph_sandbox_late(r))
        fail_late(r, ph_line_of_call(L));
}

#define HOOK_INTERVAL 1000 /* instructions, some microseconds */

static void hook(lua_State *L, lua_Debug *ar)
{
    ph_reader *r = ph_reader_of(L);
    r->work += HOOK_INTERVAL;
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0)
        r->hook_line = ar->currentline;
    if (!ph_sandbox_late(r))
        return;
    int line = ph_line_of_call(L); /* of who called what runs now */
    if (ar->currentline > 0) {
        line = ar->currentline;
        r->part = ph_part_named(r, ar->source + 1, strlen(ar->source + 1));
    }
    fail_late(r, line);
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
        ph_reader_fail(r, "'%.64s' is not defined; did you mean '%s'?", name, near);
    ph_reader_fail(r, "'%.64s' is not defined", name);
}

void ph_sandbox_watch(lua_State *L)
{
    lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_INTERVAL);
}

void ph_sandbox_open(ph_reader *r, lua_State *L)
{
    ph_library_open(L);
    lua_pushglobaltable(L);
    lua_newtable(L);
    lua_pushcfunction(L, no_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_settop(L, 0);
    ph_sandbox_watch(L);
    ph_sandbox_start(r, PH_MODEL_READ_S, PH_MODEL_READ_OPS);
}
