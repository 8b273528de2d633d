/* Frozen models: JSON becomes the tables that a model file would have, and goes the same way.
 *
 *   {"polhode": "0.2.0", "model": "heavy top", "gravity": [0, 0, -9.81], "params": {"m": 15},
 *    "elements": [{"element": "body", "name": "top", ...}, {"element": "joint", ...}, ...],
 *    "run": {"t_end": 1, ...}} */
#include "model/inside.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    ph_reader *r;
    lua_State *L;
    const char *at, *end;
    int line;
    const char *file; /* beside the model; NULL: the model itself */
} text;

_Noreturn static void fail(text *t, const char *sentence)
{
    if (t->file)
        ph_reader_fail(t->r, "%.200s:%d: %s", t->file, t->line, sentence);
    t->r->line = t->line;
    ph_reader_fail(t->r, "%s", sentence);
}

/* The next character that is no space; 0 at the end. */
static int peek(text *t)
{
    for (; t->at < t->end && strchr(" \t\r\n", *t->at) && *t->at; t->at++)
        t->line += *t->at == '\n';
    return t->at < t->end ? *t->at : 0;
}

static void expect(text *t, int c, const char *sentence)
{
    if (peek(t) != c)
        fail(t, sentence);
    t->at++;
}

/* After an element of a list or object: 1 if there is another. */
static int more(text *t, int closing)
{
    int c = peek(t);
    if (c != ',' && c != closing)
        fail(t, closing == ']' ? "',' or ']' expected in a list" : "',' or '}' expected in an object");
    t->at++;
    return c == ',';
}

/* ---- strings and numbers ----------------------------------------------------------------------------- */

/* Four hexadecimal digits. */
static unsigned hex4(text *t)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        int c = t->at < t->end ? *t->at++ : 0;
        const char *digits = "0123456789abcdef", *d = c ? strchr(digits, c | 0x20) : NULL;
        if (!d)
            fail(t, "\\u must be followed by four hexadecimal digits");
        code = 16 * code + (unsigned)(d - digits);
    }
    return code;
}

static void add_unicode(text *t, luaL_Buffer *b)
{
    unsigned code = hex4(t);
    if (code >= 0xd800 && code < 0xdc00) {
        if (t->end - t->at < 6 || t->at[0] != '\\' || t->at[1] != 'u')
            fail(t, "a surrogate without its other half");
        t->at += 2;
        unsigned low = hex4(t);
        if (low < 0xdc00 || low > 0xdfff)
            fail(t, "a surrogate without its other half");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0}; /* of so many bytes more */
    int more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
    char byte[4] = {(char)(first[more] | code >> 6 * more)};
    for (int i = 1; i <= more; i++)
        byte[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    luaL_addlstring(b, byte, (size_t)more + 1);
}

static void push_string(text *t)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    luaL_Buffer b;
    expect(t, '"', "a string expected");
    luaL_buffinit(t->L, &b);
    for (;;) {
        int c = t->at < t->end ? (unsigned char)*t->at++ : 0;
        if (c == '"')
            break;
        if (c < ' ')
            fail(t, "a string without its end");
        if (c != '\\') {
            luaL_addchar(&b, (char)c);
            continue;
        }
        c = t->at < t->end ? *t->at++ : 0;
        const char *escape = c ? strchr(from, c) : NULL;
        if (escape)
            luaL_addchar(&b, to[escape - from]);
        else if (c == 'u')
            add_unicode(t, &b);
        else
            fail(t, "a backslash before a character that needs none");
    }
    luaL_pushresult(&b);
}

static const char *digits(const char *c)
{
    return c + strspn(c, "0123456789");
}

/* Behind a number as JSON writes them: no sign +, no zeros before it, and digits on both sides of a point. NULL: it is none. */
static const char *behind_number(const char *c)
{
    const char *whole = c + (*c == '-'), *end = digits(whole);
    if (end == whole || (*whole == '0' && end - whole > 1))
        return NULL;
    if (*end == '.') {
        const char *part = end + 1;
        end = digits(part);
        if (end == part)
            return NULL;
    }
    if (*end == 'e' || *end == 'E') {
        const char *power = end + 1;
        power += *power == '+' || *power == '-';
        end = digits(power);
        if (end == power)
            return NULL;
    }
    return end;
}

static void push_number(text *t)
{
    char *end;
    double x = strtod(t->at, &end); /* the text ends with a 0 */
    if (end != behind_number(t->at))
        fail(t, "a value expected");
    t->at = end;
    lua_pushnumber(t->L, x);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static int literal(text *t, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(t->end - t->at) < n || strncmp(t->at, word, n) != 0)
        return 0;
    t->at += n;
    return 1;
}

static void push_value(text *t, int depth);

static void push_list(text *t, int depth)
{
    lua_newtable(t->L);
    expect(t, '[', "a list expected");
    if (peek(t) == ']') {
        t->at++;
        return;
    }
    lua_Integer n = 0;
    do {
        push_value(t, depth + 1);
        lua_rawseti(t->L, -2, ++n);
    } while (more(t, ']'));
}

_Noreturn static void fail_twice(text *t, const char *key)
{
    char sentence[100];
    snprintf(sentence, sizeof sentence, "the key '%.64s' stands there twice", key);
    fail(t, sentence);
}

static void push_object(text *t, int depth)
{
    lua_newtable(t->L);
    expect(t, '{', "an object expected");
    if (peek(t) == '}') {
        t->at++;
        return;
    }
    do {
        push_string(t);
        lua_pushvalue(t->L, -1);
        if (lua_rawget(t->L, -3) != LUA_TNIL)
            fail_twice(t, lua_tostring(t->L, -2));
        lua_pop(t->L, 1);
        expect(t, ':', "':' expected");
        push_value(t, depth + 1);
        lua_rawset(t->L, -3);
    } while (more(t, '}'));
}

static void push_value(text *t, int depth)
{
    if (depth > PH_MODEL_NESTING)
        fail(t, "something is nested too deeply");
    luaL_checkstack(t->L, 8, NULL);
    int c = peek(t);
    if (c == '{')
        push_object(t, depth);
    else if (c == '[')
        push_list(t, depth);
    else if (c == '"')
        push_string(t);
    else if (literal(t, "true"))
        lua_pushboolean(t->L, 1);
    else if (literal(t, "false"))
        lua_pushboolean(t->L, 0);
    else
        push_number(t);
}

/* ---- the model --------------------------------------------------------------------------------------- */

static const char *element_word(int k)
{
    for (int kind = 0; kind < PH_K_RUN; kind++) {
        if (*ph_kind_word((ph_kind)kind)) {
            if (k-- == 0)
                return ph_kind_word((ph_kind)kind);
            continue;
        }
        for (int type = 0; ph_type_get((ph_kind)kind, type); type++)
            if (k-- == 0)
                return ph_type_get((ph_kind)kind, type)->name;
    }
    return NULL;
}

/* {"element": "body", ...} */
static void read_element(text *t)
{
    peek(t);
    int line = t->line;
    push_object(t, 1);
    t->r->line = line;
    lua_pushliteral(t->L, "element");
    if (lua_rawget(t->L, -2) != LUA_TSTRING)
        ph_reader_fail(t->r, "an element must say which, as \"element\": \"body\"");
    const char *word = lua_tostring(t->L, -1);
    int k = ph_word_find(word, element_word);
    if (k < 0)
        ph_fail_word(t->r, "there is no element", word, element_word);
    lua_pop(t->L, 1);
    lua_pushliteral(t->L, "element");
    lua_pushnil(t->L);
    lua_rawset(t->L, -3);
    ph_element_call(t->r, t->L, element_word(k));
}

static void read_elements(text *t)
{
    expect(t, '[', "elements must be a list");
    if (peek(t) == ']') {
        t->at++;
        return;
    }
    do
        read_element(t);
    while (more(t, ']'));
}

/* {"m": 15, ...}: what they were; they can no longer be set. */
static void read_params(text *t)
{
    expect(t, '{', "params must be an object");
    if (peek(t) == '}') {
        t->at++;
        return;
    }
    do {
        t->r->line = t->line;
        push_string(t);
        const char *name = ph_value_name(t->r, t->L, "the name of a parameter");
        expect(t, ':', "':' expected");
        push_value(t, 1);
        ph_param_add(t->r, name, ph_value_number(t->r, t->L, name));
        lua_pop(t->L, 2);
    } while (more(t, '}'));
}

static const char *top_word(int k)
{
    static const char *const words[] = {"polhode", "model", "gravity", "params", "elements", "run"};
    return k >= 0 && k < 6 ? words[k] : NULL;
}

/* taken: bits of the keys so far. */
static void read_top(text *t, unsigned *taken)
{
    enum { VERSION, MODEL, GRAVITY, PARAMS, ELEMENTS, RUN };
    push_string(t);
    int line = t->line, k = ph_word_find(lua_tostring(t->L, -1), top_word);
    t->r->line = line;
    if (k < 0)
        ph_fail_word(t->r, "a frozen model has no", lua_tostring(t->L, -1), top_word);
    if (*taken >> k & 1)
        fail_twice(t, top_word(k));
    *taken |= 1u << k;
    lua_pop(t->L, 1);
    expect(t, ':', "':' expected");
    if (k == PARAMS) {
        read_params(t);
    } else if (k == ELEMENTS) {
        read_elements(t);
    } else {
        push_value(t, 1);
        t->r->line = line;
        if (k == VERSION)
            lua_pop(t->L, 1);
        else
            ph_element_call(t->r, t->L, top_word(k));
    }
}

void ph_json_run(ph_reader *r, lua_State *L)
{
    text t = {r, L, r->source, r->source + r->source_size, 1, NULL};
    if (r->n_sets > 0)
        ph_reader_fail(r, "the parameters of a frozen model cannot be set");
    r->def.frozen = 1;
    ph_sandbox_start(r, HUGE_VAL, HUGE_VAL); /* nothing repeats: the bytes of the file are its limit */
    expect(&t, '{', "a frozen model is one JSON object");
    if (peek(&t) == '}')
        fail(&t, "the model is empty");
    unsigned taken = 0;
    do
        read_top(&t, &taken);
    while (more(&t, '}'));
    if (peek(&t))
        fail(&t, "something follows the end of the model");
    if (t.at < t.end)
        fail(&t, "a character that is none");
    r->line = 0;
}

void ph_json_push(ph_reader *r, lua_State *L, const char *file, const char *source, size_t size)
{
    text t = {r, L, source, source + size, 1, file};
    push_object(&t, 0);
    if (peek(&t) || t.at < t.end)
        fail(&t, "something follows the end of the object");
}
