/* A program of Lua is dumped, gets other lines, and is loaded again.
 *
 * Lines are the only thing that hooks are told of where a function is. The format of Lua 5.4: header, one byte, function;
 * a function: source, first and last line, three bytes, code, constants, upvalues, functions, lines, local names, names of
 * upvalues. Line of instruction pc is first + sum of differences up to pc: with differences of 1 it is first + pc + 1. */
#include "model/bytecode.h"

#include <assert.h>
#include <string.h>

/* What the header says; the bytes are Lua's own, and of no file. */
_Static_assert(LUA_VERSION_NUM == 504 && sizeof(lua_Integer) == 8 && sizeof(lua_Number) == 8,
               "the format is that of Lua 5.4");

#define HEADER 31 /* bytes; and one for the number of upvalues */

/* Bytes that are read and, a little different, written. */
typedef struct copy {
    ph_reader *r;
    const unsigned char *at, *end;
    ph_vector *out, *list;
} copy;

/* ---- bytes ------------------------------------------------------------------------------------------- */

static void put(copy *c, const void *data, size_t n)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < n; i++)
        *(unsigned char *)ph_store_push(c->r, c->out, 1) = b[i];
}

static const unsigned char *get(copy *c, size_t n)
{
    assert((size_t)(c->end - c->at) >= n);
    c->at += n;
    return c->at - n;
}

static void pass(copy *c, size_t n)
{
    put(c, get(c, n), n);
}

/* Seven bits in a byte, the highest first; the last one is marked. */
static size_t get_size(copy *c)
{
    size_t x = 0;
    unsigned char b;
    do {
        b = *get(c, 1);
        x = x << 7 | (b & 0x7f);
    } while (!(b & 0x80));
    return x;
}

static void put_size(copy *c, size_t x)
{
    unsigned char b[10];
    int n = 10;
    b[--n] = (unsigned char)((x & 0x7f) | 0x80);
    while (x >>= 7)
        b[--n] = (unsigned char)(x & 0x7f);
    put(c, b + n, (size_t)(10 - n));
}

static size_t pass_size(copy *c)
{
    size_t x = get_size(c);
    put_size(c, x);
    return x;
}

static void pass_string(copy *c)
{
    size_t n = pass_size(c);
    if (n > 1)
        pass(c, n - 1);
}

/* ---- functions --------------------------------------------------------------------------------------- */

enum { GETTABLE = 12, SETTABLE = 16, EQ = 57, EQK = 60, EQI = 61 }; /* of Lua 5.4 */

#define CONSTANTS 256 /* that an instruction can name */

static ph_instruction look(const unsigned char *code, const unsigned char *is_number)
{
    unsigned i;
    memcpy(&i, code, sizeof i);
    unsigned char op = i & 0x7f, A = i >> 7 & 0xff, B = i >> 16 & 0xff, C = i >> 24 & 0xff;
    switch (op) {
    case GETTABLE:
        return (ph_instruction){.watch = PH_WATCH_KEY, .a = C};
    case SETTABLE:
        return (ph_instruction){.watch = PH_WATCH_KEY, .a = B};
    case EQ:
        return (ph_instruction){.watch = PH_WATCH_EQUAL, .a = A, .b = B};
    case EQK:
        return (ph_instruction){.watch = is_number[B] ? PH_WATCH_NUMBER : PH_WATCH_NOTHING, .a = A};
    case EQI:
        return (ph_instruction){.watch = PH_WATCH_NUMBER, .a = A};
    default:
        return (ph_instruction){0};
    }
}

static void pass_constants(copy *c, unsigned char *is_number)
{
    size_t n = pass_size(c);
    for (size_t i = 0; i < n; i++) {
        unsigned char type = *get(c, 1);
        put(c, &type, 1);
        int numeric = (type & 0x0f) == LUA_TNUMBER;
        if (i < CONSTANTS)
            is_number[i] = (unsigned char)numeric;
        if (numeric)
            pass(c, 8);
        else if ((type & 0x0f) == LUA_TSTRING)
            pass_string(c);
    }
}

/* The lines of the file, to the list; differences of 1 instead. */
static void change_lines(copy *c, int first, int at, size_t n)
{
    ph_instruction *list = c->list->data;
    get_size(c); /* n too */
    put_size(c, n);
    const unsigned char *step = get(c, n);
    for (size_t i = 0; i < n; i++) {
        first += (signed char)step[i] == -128 ? 0 : (signed char)step[i];
        list[(size_t)at + i].line = first;
        put(c, &(unsigned char){1}, 1);
    }
    size_t absolute = get_size(c);
    put_size(c, 0);
    for (size_t k = 0; k < absolute; k++) {
        size_t pc = get_size(c);
        int line = (int)get_size(c), shift = line - list[(size_t)at + pc].line;
        for (size_t i = pc; i < n; i++) /* what follows was counted from a line that was not known */
            list[(size_t)at + i].line += shift;
    }
}

/* As deep as Lua lets functions be nested, 200. */
static void pass_function(copy *c)
{
    unsigned char is_number[CONSTANTS] = {0};
    pass_string(c); /* source */
    int first = (int)get_size(c), at = c->list->n;
    get_size(c);
    put_size(c, (size_t)at - 1);
    put_size(c, (size_t)at);
    pass(c, 3);
    size_t n = pass_size(c);
    const unsigned char *code = get(c, 4 * n);
    put(c, code, 4 * n);
    for (size_t i = 0; i < n; i++)
        ph_store_push(c->r, c->list, sizeof(ph_instruction));
    pass_constants(c, is_number);
    for (size_t i = 0; i < n; i++)
        ((ph_instruction *)c->list->data)[(size_t)at + i] = look(code + 4 * i, is_number);
    size_t upvalues = pass_size(c);
    pass(c, 3 * upvalues);
    size_t functions = pass_size(c);
    for (size_t i = 0; i < functions; i++)
        pass_function(c);
    change_lines(c, first, at, n);
    size_t locals = pass_size(c);
    for (size_t i = 0; i < locals; i++)
        pass_string(c), pass_size(c), pass_size(c);
    size_t names = pass_size(c);
    for (size_t i = 0; i < names; i++)
        pass_string(c);
}

/* ---- dump and load ----------------------------------------------------------------------------------- */

static int add(lua_State *L, const void *data, size_t size, void *to)
{
    ph_marked *m = to;
    const unsigned char *b = data;
    for (size_t i = 0; i < size; i++)
        *(unsigned char *)ph_store_push(ph_reader_of(L), &m->dumped, 1) = b[i];
    return 0;
}

static const char *give(lua_State *L, void *data, size_t *size)
{
    (void)L;
    ph_vector *v = data;
    *size = (size_t)v->n;
    v->n = 0;
    return v->data;
}

void ph_bytecode_mark(ph_reader *r, lua_State *L, ph_marked *m)
{
    if (m->list.n == 0) /* line 0 is no instruction */
        ph_store_push(r, &m->list, sizeof(ph_instruction));
    m->dumped.n = m->changed.n = 0;
    lua_dump(L, add, m, 0);
    copy c = {.r = r, .at = m->dumped.data, .out = &m->changed, .list = &m->list};
    c.end = c.at + m->dumped.n;
    pass(&c, HEADER + 1);
    pass_function(&c);
    assert(c.at == c.end);
    if (lua_load(L, give, &m->changed, "=model", "b") != LUA_OK)
        lua_error(L); /* of memory */
    lua_remove(L, -2);
}

void ph_bytecode_free(ph_reader *r, ph_marked *m)
{
    ph_free(r->alloc, m->list.data);
    ph_free(r->alloc, m->dumped.data);
    ph_free(r->alloc, m->changed.data);
    *m = (ph_marked){0};
}
