/* string.find, match, gmatch and gsub, as Lua has them, but each step of a search is counted as work: what a pattern
 * costs cannot be told from its length, and a search that nobody can stop may take days. */
#include "model/library.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

#define CAPTURES 32
#define DEPTH    200  /* calls of match within each other; Lua's own limit */
#define BATCH    4096 /* steps that are charged at once */

enum { OPEN = -1, POSITION = -2 }; /* instead of the length of a capture */

typedef struct search {
    lua_State *L;
    const char *start, *end; /* of the text */
    const char *p_end;       /* of the pattern */
    long steps;              /* not charged yet */
    int depth, level;        /* level: captures so far */
    struct {
        const char *at;
        ptrdiff_t n;
    } capture[CAPTURES];
} search;

static void charge(search *m)
{
    long steps = m->steps;
    m->steps = 0;
    ph_sandbox_charge(ph_reader_of(m->L), m->L, (double)steps);
}

static void count(search *m, size_t steps)
{
    m->steps += (long)steps;
    if (m->steps >= BATCH)
        charge(m);
}

/* ---- one character --------------------------------------------------------------------------------------- */

static const char *class_end(search *m, const char *p)
{
    const char *first = p;
    char c = *p++;
    if (c == '%') {
        if (p == m->p_end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (c != '[')
        return p;
    if (*p == '^')
        p++;
    do {
        if (p == m->p_end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == '%' && p < m->p_end)
            p++;
    } while (*p != ']');
    count(m, (size_t)(p - first) / 2);
    return p + 1;
}

static int in_class(int c, int class)
{
    static const struct {
        char letter;
        int (*is)(int);
    } classes[] = {{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph}, {'l', islower},
                   {'p', ispunct}, {'s', isspace}, {'u', isupper}, {'w', isalnum}, {'x', isxdigit}};
    int letter = tolower(class);
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (classes[k].letter == letter)
            return isupper(class) ? !classes[k].is(c) : !!classes[k].is(c);
    return class == c;
}

/* The set from p, '[', to last, ']'. */
static int in_set(search *m, int c, const char *p, const char *last)
{
    const char *first = p;
    int found = 0, negative = p[1] == '^';
    for (p += 1 + negative; p < last && !found; p++)
        if (*p == '%') {
            p++;
            found = in_class(c, (unsigned char)*p);
        } else if (p[1] == '-' && p + 2 < last) {
            p += 2;
            found = (unsigned char)p[-2] <= c && c <= (unsigned char)*p;
        } else {
            found = (unsigned char)*p == c;
        }
    count(m, (size_t)(p - first));
    return found != negative;
}

static int fits(search *m, const char *s, const char *p, const char *p_next)
{
    count(m, 1);
    if (s >= m->end)
        return 0;
    int c = (unsigned char)*s;
    switch (*p) {
    case '.':
        return 1;
    case '%':
        return in_class(c, (unsigned char)p[1]);
    case '[':
        return in_set(m, c, p, p_next - 1);
    default:
        return (unsigned char)*p == c;
    }
}

/* ---- pieces of a pattern ----------------------------------------------------------------------------------- */

static const char *match(search *m, const char *s, const char *p);

static const char *most(search *m, const char *s, const char *p, const char *p_next)
{
    ptrdiff_t n = 0;
    while (fits(m, s + n, p, p_next))
        n++;
    for (; n >= 0; n--) {
        const char *end = match(m, s + n, p_next + 1);
        if (end)
            return end;
    }
    return NULL;
}

static const char *least(search *m, const char *s, const char *p, const char *p_next)
{
    for (;; s++) {
        const char *end = match(m, s, p_next + 1);
        if (end || !fits(m, s, p, p_next))
            return end;
    }
}

static const char *balance(search *m, const char *s, const char *p)
{
    int depth = 1;
    if (p >= m->p_end - 1)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->end || *s != *p)
        return NULL;
    while (++s < m->end) {
        count(m, 1);
        if (*s == p[1]) {
            if (--depth == 0)
                return s + 1;
        } else if (*s == p[0]) {
            depth++;
        }
    }
    return NULL;
}

static const char *open_capture(search *m, const char *s, const char *p, ptrdiff_t what)
{
    if (m->level >= CAPTURES)
        luaL_error(m->L, "too many captures");
    m->capture[m->level].at = s;
    m->capture[m->level].n = what;
    m->level++;
    const char *end = match(m, s, p);
    m->level -= !end;
    return end;
}

static const char *close_capture(search *m, const char *s, const char *p)
{
    int k = m->level - 1;
    while (k >= 0 && m->capture[k].n != OPEN)
        k--;
    if (k < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[k].n = s - m->capture[k].at;
    const char *end = match(m, s, p);
    if (!end)
        m->capture[k].n = OPEN;
    return end;
}

/* %1 */
static const char *same_as_capture(search *m, const char *s, int digit)
{
    int k = digit - '1';
    if (k < 0 || k >= m->level || m->capture[k].n == OPEN)
        luaL_error(m->L, "invalid capture index %%%d", k + 1);
    size_t n = (size_t)m->capture[k].n; /* a position has a length that nothing has */
    if ((size_t)(m->end - s) < n)
        return NULL;
    count(m, n / 8);
    return memcmp(m->capture[k].at, s, n) == 0 ? s + n : NULL;
}

/* %f[set] */
static const char *frontier(search *m, const char *s, const char *p, const char **p_next)
{
    if (*p != '[')
        luaL_error(m->L, "missing '[' after '%%f' in pattern");
    *p_next = class_end(m, p);
    int before = s == m->start ? 0 : (unsigned char)s[-1], here = s < m->end ? (unsigned char)*s : 0;
    return !in_set(m, before, p, *p_next - 1) && in_set(m, here, p, *p_next - 1) ? s : NULL;
}

/* A character or class and what stands behind it. *p moves on where the rest is still to be matched; else it is NULL. */
static const char *item(search *m, const char *s, const char **p)
{
    const char *at = *p, *next = class_end(m, at), *end = NULL;
    char repeat = next < m->p_end ? *next : 0;
    int ok = fits(m, s, at, next);
    *p = NULL;
    if (repeat == '+')
        return ok ? most(m, s + 1, at, next) : NULL;
    if (repeat == '*' && ok)
        return most(m, s, at, next);
    if (repeat == '-' && ok)
        return least(m, s, at, next);
    if (repeat == '?' && ok)
        end = match(m, s + 1, next + 1);
    if (end)
        return end;
    if (repeat == '?' || repeat == '*' || repeat == '-') { /* without it */
        *p = next + 1;
        return s;
    }
    *p = next;
    return ok ? s + 1 : NULL;
}

/* The end of what the pattern from p on matches at s; NULL: it does not. */
static const char *match(search *m, const char *s, const char *p)
{
    if (m->depth-- == 0)
        luaL_error(m->L, "pattern too complex");
    while (s && p && p != m->p_end) {
        count(m, 1);
        if (*p == '(') {
            int position = p[1] == ')';
            s = open_capture(m, s, p + 1 + position, position ? POSITION : OPEN), p = NULL;
        } else if (*p == ')') {
            s = close_capture(m, s, p + 1), p = NULL;
        } else if (*p == '$' && p + 1 == m->p_end) {
            s = s == m->end ? s : NULL, p = NULL;
        } else if (*p == '%' && p[1] == 'b') {
            s = balance(m, s, p + 2), p += 4;
        } else if (*p == '%' && p[1] == 'f') {
            s = frontier(m, s, p + 2, &p);
        } else if (*p == '%' && isdigit((unsigned char)p[1])) {
            s = same_as_capture(m, s, (unsigned char)p[1]), p += 2;
        } else {
            s = item(m, s, &p);
        }
    }
    m->depth++;
    return s;
}

static search search_of(lua_State *L, const char *s, size_t n, const char *p, size_t p_n)
{
    return (search){.L = L, .start = s, .end = s + n, .p_end = p + p_n};
}

static const char *match_at(search *m, const char *s, const char *p)
{
    m->level = 0, m->depth = DEPTH;
    return match(m, s, p);
}

/* ---- captures ---------------------------------------------------------------------------------------------- */

/* One of them, or what was matched where there are none. */
static void push_capture(search *m, int k, const char *s, const char *end)
{
    if (k >= m->level && k != 0)
        luaL_error(m->L, "invalid capture index %%%d", k + 1);
    if (k >= m->level)
        lua_pushlstring(m->L, s, (size_t)(end - s));
    else if (m->capture[k].n == POSITION)
        lua_pushinteger(m->L, m->capture[k].at - m->start + 1);
    else if (m->capture[k].n == OPEN)
        luaL_error(m->L, "unfinished capture");
    else
        lua_pushlstring(m->L, m->capture[k].at, (size_t)m->capture[k].n);
}

/* How many. whole: all that was matched counts as one where there is no other. */
static int push_captures(search *m, int whole, const char *s, const char *end)
{
    int n = m->level == 0 && whole ? 1 : m->level;
    luaL_checkstack(m->L, n, "too many captures");
    for (int k = 0; k < n; k++)
        push_capture(m, k, s, end);
    return n;
}

/* ---- find and match ------------------------------------------------------------------------------------------ */

/* A place in the text, from 0; more than n: outside. */
static size_t first_place(lua_State *L, size_t n)
{
    lua_Integer i = luaL_optinteger(L, 3, 1);
    if (i < 0)
        i = i < -(lua_Integer)n ? 1 : (lua_Integer)n + i + 1;
    return i > (lua_Integer)n + 1 ? n + 1 : i > 0 ? (size_t)i - 1 : 0;
}

static int is_plain(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("^$*+?.([%-", p[i]) && p[i])
            return 0;
    return 1;
}

static const char *find_plain(search *m, const char *s, const char *p)
{
    size_t n = (size_t)(m->p_end - p);
    for (; (size_t)(m->end - s) >= n; s++) {
        const char *at = n ? memchr(s, *p, (size_t)(m->end - s) - n + 1) : s;
        count(m, 1 + n / 8 + (size_t)((at ? at : m->end) - s) / 8);
        if (!at || memcmp(at, p, n) == 0)
            return at;
        s = at;
    }
    return NULL;
}

static int search_text(lua_State *L, int find)
{
    size_t n, p_n;
    const char *s = luaL_checklstring(L, 1, &n), *p = luaL_checklstring(L, 2, &p_n), *end = NULL;
    size_t first = first_place(L, n);
    search m = search_of(L, s, n, p, p_n);
    const char *at = s + first;
    int anchor = *p == '^';
    if (first > n) {
        lua_pushnil(L);
        return 1;
    }
    if (find && (lua_toboolean(L, 4) || is_plain(p, p_n))) {
        at = find_plain(&m, at, p);
        end = at ? at + p_n : NULL;
    } else {
        for (p += anchor; !(end = match_at(&m, at, p)) && at < m.end && !anchor; at++)
            ;
    }
    charge(&m);
    if (!end) {
        lua_pushnil(L);
        return 1;
    }
    if (!find)
        return push_captures(&m, 1, at, end);
    lua_pushinteger(L, at - s + 1);
    lua_pushinteger(L, end - s);
    return push_captures(&m, 0, at, end) + 2;
}

int ph_string_find(lua_State *L)
{
    return search_text(L, 1);
}

int ph_string_match(lua_State *L)
{
    return search_text(L, 0);
}

/* Upvalues: text, pattern, where to go on, end of the last match or -1. */
static int next_match(lua_State *L)
{
    size_t n, p_n;
    const char *s = lua_tolstring(L, lua_upvalueindex(1), &n),
               *p = lua_tolstring(L, lua_upvalueindex(2), &p_n);
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(3)), last = lua_tointeger(L, lua_upvalueindex(4));
    search m = search_of(L, s, n, p, p_n);
    for (; at <= (lua_Integer)n; at++) {
        const char *end = match_at(&m, s + at, p);
        if (!end || end - s == last)
            continue;
        charge(&m);
        lua_pushinteger(L, end - s);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return push_captures(&m, 1, s + at, end);
    }
    charge(&m);
    return 0;
}

int ph_string_gmatch(lua_State *L)
{
    size_t n;
    luaL_checklstring(L, 1, &n);
    luaL_checkstring(L, 2);
    lua_Integer first = (lua_Integer)first_place(L, n);
    lua_settop(L, 2);
    lua_pushinteger(L, first);
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

/* ---- gsub --------------------------------------------------------------------------------------------------- */

/* The third argument, with its %0 to %9. */
static void add_text(search *m, luaL_Buffer *b, const char *s, const char *end)
{
    lua_State *L = m->L;
    size_t n;
    const char *text = lua_tolstring(L, 3, &n), *last = text + n;
    for (const char *c; (c = memchr(text, '%', (size_t)(last - text))); text = c + 1) {
        luaL_addlstring(b, text, (size_t)(c - text));
        c++;
        if (*c == '%') {
            luaL_addchar(b, '%');
        } else if (*c == '0') {
            luaL_addlstring(b, s, (size_t)(end - s));
        } else if (isdigit((unsigned char)*c)) {
            push_capture(m, *c - '1', s, end);
            luaL_tolstring(L, -1, NULL);
            lua_remove(L, -2);
            luaL_addvalue(b);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(b, text, (size_t)(last - text));
    count(m, 1 + n / 8);
}

static void add_value(search *m, luaL_Buffer *b, int type, const char *s, const char *end)
{
    lua_State *L = m->L;
    if (type == LUA_TNUMBER || type == LUA_TSTRING) {
        add_text(m, b, s, end);
        return;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, 1, s, end), 1);
    } else {
        push_capture(m, 0, s, end);
        lua_gettable(L, 3);
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(b, s, (size_t)(end - s)); /* as it was */
    } else if (!lua_isstring(L, -1)) {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    } else {
        luaL_addvalue(b);
    }
}

int ph_string_gsub(lua_State *L)
{
    size_t size, p_n;
    const char *s = luaL_checklstring(L, 1, &size), *p = luaL_checklstring(L, 2, &p_n), *last = NULL;
    int type = lua_type(L, 3), anchor = *p == '^';
    lua_Integer times = luaL_optinteger(L, 4, (lua_Integer)size + 1), n = 0;
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TFUNCTION && type != LUA_TTABLE)
        luaL_typeerror(L, 3, "string/function/table");
    search m = search_of(L, s, size, p, p_n);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (p += anchor; n < times;) {
        const char *end = match_at(&m, s, p);
        if (end && end != last) {
            n++;
            add_value(&m, &b, type, s, end);
            s = last = end;
        } else if (s < m.end) {
            luaL_addchar(&b, *s);
            s++;
        } else {
            break;
        }
        if (anchor)
            break;
    }
    luaL_addlstring(&b, s, (size_t)(m.end - s));
    charge(&m);
    luaL_pushresult(&b);
    lua_pushinteger(L, n);
    return 2;
}
