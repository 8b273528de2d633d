/* include("parts/wheel.lua"): another file below the folder of the model runs in the same sandbox, and what it returns is
 * the value. Constants of units are here too. */
#include "model/inside.h"

#include <lauxlib.h>
#include <string.h>

#define DEEPEST 16 /* files that include each other */

#define CHUNK "part" /* and a number: Lua cuts longer names in its messages */

const char *ph_part_named(const ph_reader *r, const char *name, size_t length)
{
    const char *const *part = r->parts.data;
    char own[32];
    for (int i = 0; i < r->parts.n; i++) {
        int n = snprintf(own, sizeof own, CHUNK "%d", i);
        if ((size_t)n == length && !strncmp(own, name, length))
            return part[i];
    }
    return NULL;
}

/* The number of a path among those that were included. */
static int enlist(ph_reader *r, const char *path)
{
    const char *const *part = r->parts.data;
    for (int i = 0; i < r->parts.n; i++)
        if (!strcmp(part[i], path))
            return i;
    const char **more = ph_store_push(r, &r->parts, sizeof *more);
    *more = path;
    return r->parts.n - 1;
}

/* Whether a file runs now: its path stands among those on the way, in the registry. */
static void refuse_circle(ph_reader *r, lua_State *L, int way, const char *path, const char *file)
{
    int n = (int)lua_rawlen(L, way);
    int own = !strcmp(path, r->def.file);
    for (int i = 1; i <= n && !own; i++) {
        lua_rawgeti(L, way, i);
        own = !strcmp(lua_tostring(L, -1), path);
        lua_pop(L, 1);
    }
    if (own)
        ph_reader_fail(r, "'%.200s' includes itself", file);
    if (n >= DEEPEST)
        ph_reader_fail(r, "'%.200s': more than %d files include each other", file, DEEPEST);
}

/* Upvalue: the paths on the way. */
static int include(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const char *bytes, *why;
    size_t size;
    ph_error err = {0};
    ph_element_enter(r, L, "include");
    if (lua_gettop(L) != 1)
        ph_reader_fail(r, "takes one string, the name of a file");
    const char *file = ph_value_file(r, L, "the file"), *path = ph_store_path(r, "the file", file);
    lua_pushvalue(L, lua_upvalueindex(1));
    int way = lua_gettop(L);
    refuse_circle(r, L, way, path, file);
    if (ph_files_bytes(&r->files, path, PH_MODEL_FILE, &bytes, &size, &err) != PH_OK) {
        if (err.status == PH_E_MEMORY)
            ph_reader_no_memory(r);
        why = strrchr(err.text, ':');
        ph_reader_fail(r, "cannot read '%.200s'%s", file, why ? why : "");
    }
    int number = enlist(r, path);
    lua_pushstring(L, path);
    lua_rawseti(L, way, (lua_Integer)lua_rawlen(L, way) + 1);
    r->label[0] = 0, r->part = ((const char *const *)r->parts.data)[number];
    lua_pushfstring(L, "=" CHUNK "%d", number);
    ph_reader_load(r, L, bytes, size, lua_tostring(L, -1));
    lua_call(L, 0, 1);
    lua_pushnil(L);
    lua_rawseti(L, way, (lua_Integer)lua_rawlen(L, way));
    return 1;
}

static void define(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setglobal(L, name);
}

void ph_part_open(lua_State *L)
{
    const double pi = 3.14159265358979323846;
    lua_newtable(L);
    lua_pushcclosure(L, include, 1);
    lua_setglobal(L, "include");
    define(L, "deg", pi / 180);
    define(L, "rpm", pi / 30);
    define(L, "mm", 1e-3);
    define(L, "g0", 9.80665);
}
