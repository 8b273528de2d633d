/* Values of keys: numbers, vectors, words, names, checked for kind, size, finiteness and sense. */
#include "model/frozen.h"

#include <limits.h>
#include <lauxlib.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------- */

double ph_value_check(ph_reader *r, const char *key, double x)
{
    if (isnan(x))
        ph_reader_fail(r, "%s is not a number (0/0, or a root or logarithm of a negative number?)", key);
    if (isinf(x))
        ph_reader_fail(r, "%s is infinite (a division by 0?)", key);
    if (!(fabs(x) <= PH_MODEL_NUMBER))
        ph_reader_fail(r, "%s = %g is larger than %g", key, x, PH_MODEL_NUMBER);
    return x;
}

double ph_value_number(ph_reader *r, lua_State *L, const char *key)
{
    if (lua_type(L, -1) != LUA_TNUMBER)
        ph_reader_fail(r, "%s must be a number, not a %s", key, luaL_typename(L, -1));
    return ph_value_check(r, key, lua_tonumber(L, -1));
}

/* Elements of a list, and nothing else in it. */
int ph_value_list(ph_reader *r, lua_State *L, const char *key, const char *what)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        ph_reader_fail(r, "%s must be %s, not a %s", key, what, luaL_typename(L, -1));
    int n = 0, length = (int)lua_rawlen(L, -1);
    luaL_checkstack(L, 4, NULL);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING)
            ph_reader_fail(r, "%s must be %s, without the key '%.64s'", key, what, lua_tostring(L, -2));
        n++;
    }
    return n == length ? n : -1; /* -1: a list with holes */
}

void ph_value_numbers(ph_reader *r, lua_State *L, const char *key, int n, double *x)
{
    char text[64];
    snprintf(text, sizeof text, "a list of %d numbers", n);
    int length = ph_value_list(r, L, key, text);
    if (length < 0)
        ph_reader_fail(r, "%s must be %s; some are missing", key, text);
    if (length != n)
        ph_reader_fail(r, "%s must be %s, not %d", key, text, length);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%.40s[%d]", key, i + 1);
        lua_rawgeti(L, -1, i + 1);
        x[i] = ph_value_number(r, L, text);
        lua_pop(L, 1);
    }
}

static ph_vec3 vector(ph_reader *r, lua_State *L, const char *key)
{
    double x[3];
    ph_value_numbers(r, L, key, 3, x);
    return ph_load3(x);
}

static double limited(ph_reader *r, lua_State *L, const ph_key *k)
{
    double x = ph_value_number(r, L, k->name);
    if (k->value == PH_V_POSITIVE && !(x > 0))
        ph_reader_fail(r, "%s is %g; it must be above 0", k->name, x);
    if (k->value == PH_V_NOT_NEGATIVE && !(x >= 0))
        ph_reader_fail(r, "%s is %g; it must not be negative", k->name, x);
    if (k->value == PH_V_FRACTION && !(x >= 0 && x <= 1))
        ph_reader_fail(r, "%s is %g; it must be from 0 to 1", k->name, x);
    return x;
}

static double sigma(ph_reader *r, lua_State *L, const char *key)
{
    if (lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "opt"))
        return PH_SIGMA_OPT;
    if (lua_type(L, -1) != LUA_TNUMBER)
        ph_reader_fail(r, "%s must be a number or \"opt\"", key);
    return ph_value_number(r, L, key);
}

static int whole(ph_reader *r, lua_State *L, const char *key, int least)
{
    double x = ph_value_number(r, L, key);
    if (!(x >= least && x <= INT_MAX) || x != floor(x))
        ph_reader_fail(r, "%s is %g; it must be a whole number from %d to %d", key, x, least, INT_MAX);
    return (int)x;
}

int ph_value_count(ph_reader *r, lua_State *L, const char *key)
{
    return whole(r, L, key, 1);
}

static ph_vec3 not_negatives(ph_reader *r, lua_State *L, const char *key)
{
    ph_vec3 x = vector(r, L, key);
    if (!(x.x >= 0 && x.y >= 0 && x.z >= 0))
        ph_reader_fail(r, "%s is {%g, %g, %g}; none may be negative", key, x.x, x.y, x.z);
    return x;
}

static ph_times times(ph_reader *r, lua_State *L, const char *key)
{
    int n = ph_value_list(r, L, key, "a list of numbers");
    if (n < 0)
        ph_reader_fail(r, "%s must be a list of numbers; some are missing", key);
    double *t = ph_store_numbers(r, NULL, n);
    ph_value_numbers(r, L, key, n, t);
    return (ph_times){n, t};
}

/* ---- words and names --------------------------------------------------------------------------------- */

const char *ph_value_word(ph_reader *r, lua_State *L, const char *key)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        ph_reader_fail(r, "%s must be a string, not a %s", key, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

static int word(ph_reader *r, lua_State *L, const ph_key *k)
{
    const char *w = ph_value_word(r, L, k->name);
    int place = k->value == PH_V_TABLEAU ? ph_tableau_find(w) : ph_word_find(w, k->words);
    if (place < 0) {
        char what[48];
        snprintf(what, sizeof what, "%s cannot be", k->name);
        ph_fail_word(r, what, w, k->words);
    }
    return place;
}

static int boolean(ph_reader *r, lua_State *L, const char *key)
{
    if (!lua_isboolean(L, -1))
        ph_reader_fail(r, "%s must be true or false, not a %s", key, luaL_typename(L, -1));
    return lua_toboolean(L, -1);
}

/* Names become columns of tables and parts of s.name: no spaces, commas, dots or quotes. Parts of beams have
 * a dot, which a frozen model repeats. */
const char *ph_value_name(ph_reader *r, lua_State *L, const char *key)
{
    static const char letters[] = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *name = ph_value_word(r, L, key);
    size_t length = lua_rawlen(L, -1);
    if (length == 0)
        ph_reader_fail(r, "%s is empty", key);
    if (length > PH_MODEL_NAME)
        ph_reader_fail(r, "%s has %zu characters; the limit is %d", key, length, PH_MODEL_NAME);
    if (strspn(name, letters + r->running) != length)
        ph_reader_fail(r, "%s '%s' may only have letters (a-z, A-Z), digits, '_' and '-'", key, name);
    return ph_store_text(r, name, length);
}

const char *ph_value_file(ph_reader *r, lua_State *L, const char *key)
{
    const char *name = ph_value_word(r, L, key);
    size_t length = lua_rawlen(L, -1);
    if (length == 0 || strlen(name) != length)
        ph_reader_fail(r, "%s is not the name of a file", key);
    return ph_store_text(r, name, length);
}

void ph_value_refer(ph_reader *r, lua_State *L, const ph_key *k, ph_kind to, int index, size_t at,
                    const char *key)
{
    const char *name = ph_store_text(r, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
    ph_ref *ref = ph_store_push(r, &r->refs, sizeof *ref);
    *ref = (ph_ref){k->kind, index, at, to, key, name};
}

/* A body, joint, sensor or beam element by its name, found once all are known; until then 0. */
static void refer(ph_reader *r, lua_State *L, const ph_key *k, int index, size_t at, const char *key)
{
    ph_kind to = k->value == PH_V_JOINT     ? PH_K_JOINT
                 : k->value == PH_V_SENSOR  ? PH_K_SENSOR
                 : k->value == PH_V_ELEMENT ? PH_K_FORCE
                                            : PH_K_BODY;
    if (lua_type(L, -1) != LUA_TSTRING)
        ph_reader_fail(r, "%s must be the %s, not a %s", key,
                       ph_value_text(to == PH_K_BODY ? PH_V_BODY : k->value), luaL_typename(L, -1));
    ph_value_refer(r, L, k, to, index, at, k->name);
}

static void refer_twice(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    int length = ph_value_list(r, L, k->name, "a list of the names of two bodies");
    if (length != 2)
        ph_reader_fail(r, "%s must name two bodies", k->name);
    for (int i = 0; i < 2; i++) {
        lua_rawgeti(L, -1, i + 1);
        refer(r, L, k, index, k->at + (size_t)i * sizeof(int), i == 0 ? "bodies[1]" : "bodies[2]");
        lua_pop(L, 1);
    }
}

static unsigned lock(ph_reader *r, lua_State *L, const char *key)
{
    unsigned bits = 0;
    int n = ph_value_list(r, L, key, "a list of coordinates");
    if (n <= 0)
        ph_reader_fail(r, "%s must be a list of some of x, y, z, rx, ry, rz", key);
    for (int i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, i);
        const char *w = ph_value_word(r, L, key);
        int place = ph_word_find(w, ph_lock_word);
        if (place < 0)
            ph_fail_word(r, "lock has no coordinate", w, ph_lock_word);
        if (bits & 1u << place)
            ph_reader_fail(r, "%s has '%s' twice", key, w);
        bits |= 1u << place;
        lua_pop(L, 1);
    }
    return bits;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static ph_function function(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    ph_function f = {0};
    if (lua_istable(L, -1) && r->def.frozen)
        f = ph_frozen_take(r, L, k->name, k->kind, index);
    else if (!lua_isfunction(L, -1))
        ph_reader_fail(r, "%s must be %s, not a %s", k->name, ph_value_text(k->value), luaL_typename(L, -1));
    else
        f = ph_function_take(r, L, k->kind, index);
    ((ph_fn *)r->fns.data)[f.ref].only_state = k->value == PH_V_FINAL;
    f.only_time = k->value == PH_V_DRIVE;
    return f;
}

/* ---- storing ----------------------------------------------------------------------------------------- */

_Static_assert(sizeof(ph_formulation) == sizeof(int) && sizeof(ph_newton) == sizeof(int) &&
                   sizeof(ph_start) == sizeof(int) && sizeof(ph_solver_kind) == sizeof(int),
               "words are stored as int");

#define STORE(type, x)                                                                                       \
    do {                                                                                                     \
        type value_ = (x);                                                                                   \
        memcpy((char *)ph_store_at(r, k->kind, index) + k->at, &value_, sizeof value_);                      \
    } while (0)

static void store_world(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    STORE(ph_vec3, vector(r, L, k->name));
    ph_world *w = ph_store_push(r, &r->worlds, sizeof *w);
    *w = (ph_world){k->kind, index, k->at};
}

/* The function on top of the stack has one parameter, or none. */
static int takes_one(lua_State *L)
{
    lua_Debug about;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">u", &about);
    return about.nparams <= 1 && !about.isvararg;
}

/* function(t, s) in place of function(s) would get the state as t, and no s. */
static void store_final(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1) && !takes_one(L))
        ph_reader_fail(r, "%s must be function(s): it gets the state at the end, whose time is s.t", k->name);
    STORE(ph_function, function(r, L, k, index));
}

static void store_load(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    if (lua_isfunction(L, -1)) {
        ph_function f = ph_function_take(r, L, k->kind, index);
        f.only_time = takes_one(L);
        ((ph_force_def *)ph_store_at(r, k->kind, index))->f = f;
    } else if (r->def.frozen && lua_istable(L, -1) && lua_rawlen(L, -1) == 0) {
        ph_function f = ph_frozen_take(r, L, k->name, k->kind, index);
        ((ph_force_def *)ph_store_at(r, k->kind, index))->f = f;
    } else {
        STORE(ph_vec3, vector(r, L, k->name));
    }
}

static void store_name(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    const char *name = ph_value_name(r, L, k->name);
    if (k->kind == PH_K_BODY && !strcmp(name, "ground"))
        ph_reader_fail(r, "a body called 'ground' always exists and cannot be defined");
    ph_store_name(r, k->kind, name, index);
    STORE(const char *, name);
}

/* Numbers, choices and words; 0: it is none of them. */
static int store_scalar(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    switch (k->value) {
    case PH_V_POSITIVE:
    case PH_V_NOT_NEGATIVE:
    case PH_V_FRACTION:
        STORE(double, limited(r, L, k));
        return 1;
    case PH_V_SIGMA:
        STORE(double, sigma(r, L, k->name));
        return 1;
    case PH_V_COUNT:
    case PH_V_WHOLE:
        STORE(int, whole(r, L, k->name, k->value == PH_V_COUNT));
        return 1;
    case PH_V_FLAG:
        STORE(int, boolean(r, L, k->name));
        return 1;
    case PH_V_WORD:
        STORE(int, word(r, L, k));
        return 1;
    case PH_V_METHOD:
    case PH_V_TABLEAU:
        STORE(const char *, k->words(word(r, L, k)));
        return 1;
    case PH_V_LOCK:
        STORE(unsigned, lock(r, L, k->name));
        return 1;
    default:
        return 0;
    }
}

/* Vectors and matrices; 0: it is none of them. */
static int store_geometry(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    switch (k->value) {
    case PH_V_VECTOR:
        STORE(ph_vec3, vector(r, L, k->name));
        return 1;
    case PH_V_NOT_NEGATIVES:
        STORE(ph_vec3, not_negatives(r, L, k->name));
        return 1;
    case PH_V_UNIT:
        STORE(ph_vec3, ph_value_unit(r, L, k->name));
        return 1;
    case PH_V_INERTIA:
        STORE(ph_mat3, ph_value_inertia(r, L, k->name));
        return 1;
    case PH_V_ROTATION:
        STORE(ph_quat, ph_value_rotation(r, L, k->name));
        return 1;
    case PH_V_FRAME:
        STORE(ph_mat3, ph_value_frame(r, L, k->name));
        return 1;
    default:
        return 0;
    }
}

/* The value on top of the stack goes to element number index. PH_V_TYPE was read before, in element.c. */
void ph_value_store(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    if (store_scalar(r, L, k, index) || store_geometry(r, L, k, index))
        return;
    switch (k->value) {
    case PH_V_NAME:
        store_name(r, L, k, index);
        break;
    case PH_V_BODY:
    case PH_V_MOVING:
    case PH_V_JOINT:
    case PH_V_SENSOR:
    case PH_V_ELEMENT:
        refer(r, L, k, index, k->at, k->name);
        break;
    case PH_V_BODIES:
        refer_twice(r, L, k, index);
        break;
    case PH_V_WORLD:
        store_world(r, L, k, index);
        break;
    case PH_V_FUNCTION:
    case PH_V_DRIVE:
        STORE(ph_function, function(r, L, k, index));
        break;
    case PH_V_FINAL:
        store_final(r, L, k, index);
        break;
    case PH_V_FILE:
        STORE(const char *, ph_value_file(r, L, k->name));
        break;
    case PH_V_LOAD:
        store_load(r, L, k, index);
        break;
    case PH_V_SHAPES:
        ph_shape_value(r, L, k, index);
        break;
    case PH_V_TIMES:
        STORE(ph_times, times(r, L, k->name));
        break;
    case PH_V_ACTION:
        ph_event_value(r, L, k, index);
        break;
    default:
        if (ph_actuate_value(r, L, k, index))
            break;
        if (k->kind == PH_K_FLEXIBLE)
            ph_flexible_value(r, L, k, index);
        else
            ph_beam_value(r, L, k, index);
    }
}
