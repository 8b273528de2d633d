/* What a reader gathers: growing arrays, strings, names. */
#include "model/inside.h"
#include "base/regular.h"
#include "expr/expr.h"

#include <lauxlib.h>
#include <string.h>

ph_reader *ph_reader_of(lua_State *L)
{
    void *r;
    lua_getallocf(L, &r);
    return r;
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

/* Twice as long. */
static void grow(ph_reader *r, ph_vector *v, size_t size)
{
    int capacity = v->capacity ? 2 * v->capacity : 8;
    void *data = ph_alloc(r->alloc, (size_t)capacity * size);
    if (!data)
        ph_reader_no_memory(r);
    if (v->n)
        memcpy(data, v->data, (size_t)v->n * size);
    ph_free(r->alloc, v->data);
    v->data = data;
    v->capacity = capacity;
}

void *ph_store_push(ph_reader *r, ph_vector *v, size_t size)
{
    if (v->n == v->capacity)
        grow(r, v, size);
    void *last = (char *)v->data + (size_t)v->n++ * size;
    memset(last, 0, size);
    return last;
}

static const struct {
    size_t size, name, origin;
} records[PH_KINDS] = {
#define RECORD(type)                                                                                         \
    {                                                                                                        \
        sizeof(type), offsetof(type, name), offsetof(type, origin)                                           \
    }
    [PH_K_BODY] = RECORD(ph_body_def),
    [PH_K_JOINT] = RECORD(ph_joint_def),
    [PH_K_FORCE] = RECORD(ph_force_def),
    [PH_K_SENSOR] = RECORD(ph_sensor_def),
    [PH_K_CONSTRAINT] = RECORD(ph_user_constraint_def),
    [PH_K_OBJECTIVE] = RECORD(ph_objective_def),
    [PH_K_BEAM] = RECORD(ph_beam_def),
    [PH_K_FLEXIBLE] = RECORD(ph_flexible_def),
    [PH_K_INPUT] = RECORD(ph_input_def),
    [PH_K_STATE] = RECORD(ph_state_def),
    [PH_K_ACTUATOR] = RECORD(ph_actuator_def),
    [PH_K_COUPLING] = RECORD(ph_coupling_def),
    [PH_K_EVENT] = RECORD(ph_event_def),
    [PH_K_GROUND] = RECORD(ph_ground_def),
#undef RECORD
};

void *ph_store_at(ph_reader *r, ph_kind kind, int index)
{
    return kind == PH_K_RUN ? (void *)&r->def.run
                            : (char *)r->element[kind].data + (size_t)index * records[kind].size;
}

void *ph_store_element(ph_reader *r, ph_kind kind)
{
    if (kind == PH_K_RUN)
        return &r->def;
    if (r->element[kind].n >= PH_MODEL_ELEMENTS)
        ph_reader_fail(r, "more than %d of a kind; a model cannot be larger", PH_MODEL_ELEMENTS);
    r->time_limit += PH_MODEL_EACH_S;
    void *e = ph_store_push(r, &r->element[kind], records[kind].size);
    switch (kind) {
    case PH_K_BODY:
        *(ph_body_def *)e = ph_default_body();
        break;
    case PH_K_JOINT:
        *(ph_joint_def *)e = ph_default_joint();
        break;
    case PH_K_FORCE:
        *(ph_force_def *)e = ph_default_force();
        break;
    case PH_K_SENSOR:
        *(ph_sensor_def *)e = ph_default_sensor();
        break;
    case PH_K_OBJECTIVE:
        ((ph_objective_def *)e)->sensor = -1;
        break;
    case PH_K_BEAM:
        *(ph_beam_def *)e = ph_default_beam();
        break;
    case PH_K_FLEXIBLE:
        *(ph_flexible_def *)e = ph_default_flexible();
        break;
    case PH_K_ACTUATOR:
        *(ph_actuator_def *)e = ph_default_actuator();
        break;
    case PH_K_COUPLING:
        *(ph_coupling_def *)e = ph_default_coupling();
        break;
    default:
        break;
    }
    return e;
}

ph_origin *ph_store_origin(ph_reader *r, ph_kind kind, int index)
{
    return (ph_origin *)((char *)ph_store_at(r, kind, index) + records[kind].origin);
}

const char *ph_store_name_of(ph_reader *r, ph_kind kind, int index)
{
    const char *name;
    memcpy(&name, (char *)ph_store_at(r, kind, index) + records[kind].name, sizeof name);
    return name;
}

/* ---- strings ----------------------------------------------------------------------------------------- */

#define CHUNK 65536 /* bytes: thousands of names */

struct ph_chunk {
    ph_chunk *next;
    size_t used, size;
    char text[];
};

_Static_assert(offsetof(ph_chunk, text) % _Alignof(double) == 0, "numbers are stored in chunks");

/* Room for size bytes, where numbers can stand. */
static char *room(ph_reader *r, size_t size)
{
    ph_chunk *c = r->strings;
    if (!c || c->size - c->used < size) {
        size_t whole = size > CHUNK ? size : CHUNK;
        c = ph_alloc(r->alloc, sizeof *c + whole);
        if (!c)
            ph_reader_no_memory(r);
        c->next = r->strings, c->used = 0, c->size = whole;
        r->strings = c;
    }
    char *at = c->text + c->used;
    size_t step = (size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    c->used = step < c->size - c->used ? c->used + step : c->size;
    return at;
}

const char *ph_store_text(ph_reader *r, const char *text, size_t length)
{
    char *copy = room(r, length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void *ph_store_room(ph_reader *r, size_t count, size_t size)
{
    return memset(room(r, count * size), 0, count * size);
}

double *ph_store_numbers(ph_reader *r, const double *x, int n)
{
    size_t size = (size_t)n * sizeof(double);
    double *copy = (double *)(void *)room(r, size);
    if (x)
        memcpy(copy, x, size);
    return copy;
}

const char *ph_store_path(ph_reader *r, const char *key, const char *file)
{
    char path[4096];
    const char *why;
    if (!ph_regular_name(r->def.file, file, path, sizeof path, &why) ||
        (!r->files.closed && !ph_regular_below(r->def.file, path, &why)))
        ph_reader_fail(r, "%s: '%.200s': %s", key, file, why);
    return ph_store_text(r, path, strlen(path));
}

/* ---- names ------------------------------------------------------------------------------------------- */

int ph_store_find(ph_reader *r, ph_kind kind, const char *name)
{
    lua_State *L = r->L;
    luaL_checkstack(L, 3, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.names[kind]);
    lua_pushstring(L, name);
    int index = lua_rawget(L, -2) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : -1;
    lua_pop(L, 2);
    return index;
}

static void refuse_taken(ph_reader *r, ph_kind kind, const char *name)
{
    int other = ph_store_find(r, kind, name);
    if (other < 0)
        return;
    ph_origin at = *ph_store_origin(r, kind, other);
    if (at.line)
        ph_reader_fail(r, "the name is already taken, on line %d%s%s", at.line, at.file ? " of " : "",
                       at.file ? at.file : "");
    ph_reader_fail(r, "the name is already taken");
}

/* Constraints are reported next to joints, and so share their names. */
void ph_store_name(ph_reader *r, ph_kind kind, const char *name, int index)
{
    lua_State *L = r->L;
    refuse_taken(r, kind, name);
    if (kind == PH_K_JOINT || kind == PH_K_CONSTRAINT)
        refuse_taken(r, kind == PH_K_JOINT ? PH_K_CONSTRAINT : PH_K_JOINT, name);
    luaL_checkstack(L, 3, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.names[kind]);
    lua_pushstring(L, name);
    lua_pushinteger(L, index);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

void ph_store_free(ph_reader *r)
{
    const ph_objective_def *o = r->element[PH_K_OBJECTIVE].data;
    for (int k = 0; k < r->element[PH_K_OBJECTIVE].n; k++)
        ph_free(r->alloc, o[k].t);
    const ph_flexible_def *f = r->element[PH_K_FLEXIBLE].data;
    for (int k = 0; k < r->element[PH_K_FLEXIBLE].n; k++)
        if (!r->original ||
            f[k].body != ((ph_flexible_def *)ph_store_at(r->original, PH_K_FLEXIBLE, k))->body)
            ph_reduced_free(r->alloc, f[k].body);
    for (int k = 0; k < PH_KINDS; k++)
        ph_free(r->alloc, r->element[k].data);
    for (int k = 0; k < r->fns.n; k++)
        if (((const ph_fn *)r->fns.data)[k].traced) /* else memory ended there */
            ph_program_destroy(((const ph_fn *)r->fns.data)[k].traced->program);
    ph_free(r->alloc, r->work_block);
    ph_free(r->alloc, r->params.data);
    ph_free(r->alloc, r->refs.data);
    ph_free(r->alloc, r->worlds.data);
    ph_free(r->alloc, r->fns.data);
    ph_free(r->alloc, r->source);
    ph_files_drop(&r->files);
    ph_csv_clear(&r->table);
    ph_free(r->alloc, r->parts.data);
    ph_free(r->alloc, r->curves.data);
    ph_free(r->alloc, r->initial);
    for (ph_chunk *c = r->strings, *next; c; c = next) {
        next = c->next;
        ph_free(r->alloc, c);
    }
}
