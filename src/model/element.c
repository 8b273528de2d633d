/* The functions of a model file: model, param, gravity, run, and one for each kind of element. */
#include "model/trace.h"

#include <lauxlib.h>
#include <string.h>

/* ---- labels and messages ----------------------------------------------------------------------------- */

/* "joint 'pivot'", "spring" */
void ph_element_label(ph_reader *r, ph_kind kind, int type, const char *name)
{
    const char *word = *ph_kind_word(kind) ? ph_kind_word(kind) : ph_type_get(kind, type)->name;
    if (name)
        snprintf(r->label, sizeof r->label, "%s '%.*s'", word, PH_MODEL_NAME, name);
    else
        snprintf(r->label, sizeof r->label, "%s", word);
}

static int type_of(ph_reader *r, ph_kind kind, int index)
{
    switch (kind) {
    case PH_K_BODY:
        return ((ph_body_def *)ph_store_at(r, kind, index))->particle;
    case PH_K_JOINT:
        return ((ph_joint_def *)ph_store_at(r, kind, index))->type;
    case PH_K_FORCE:
        return ((ph_force_def *)ph_store_at(r, kind, index))->type;
    case PH_K_SENSOR:
        return ((ph_sensor_def *)ph_store_at(r, kind, index))->type;
    default:
        return 0;
    }
}

void ph_element_mention(ph_reader *r, ph_kind kind, int index)
{
    ph_element_label(r, kind, type_of(r, kind, index), ph_store_name_of(r, kind, index));
}

void ph_element_about(ph_reader *r, ph_kind kind, int index)
{
    ph_element_mention(r, kind, index);
    ph_reader_go(r, ph_store_origin(r, kind, index));
}

/* "a revolute joint", "an energy sensor", "a body"; "run" needs no article. */
static void describe(ph_kind kind, int type, char *text, size_t size)
{
    const char *name = ph_type_get(kind, type)->name;
    const char *article = kind == PH_K_RUN || kind == PH_K_GROUND ? ""
                          : strchr("aeio", name[0])               ? "an "
                                                                  : "a ";
    snprintf(text, size, "%s%s%s%s", article, name, *ph_kind_word(kind) ? " " : "", ph_kind_word(kind));
}

/* ", "-separated, cut where there is no more room */
static void append(char *list, size_t size, const char *word)
{
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

_Noreturn void ph_fail_word(ph_reader *r, const char *what, const char *word, ph_word_fn list)
{
    char all[256] = "";
    ph_near search = {.word = word};
    for (int k = 0; list(k); k++) {
        ph_near_offer(&search, list(k));
        append(all, sizeof all, list(k));
    }
    const char *near = ph_near_word(&search);
    if (near)
        ph_reader_fail(r, "%s '%.64s'; did you mean '%s'?", what, word, near);
    ph_reader_fail(r, "%s '%.64s'; there are: %s", what, word, all);
}

static const ph_key *find_key(ph_kind kind, int type, const char *name)
{
    int n;
    const ph_key *k = ph_keys_of(kind, &n);
    for (const ph_key *end = k + n; k < end; k++)
        if (!strcmp(k->name, name) && ph_key_belongs(k, kind, type))
            return k;
    return NULL;
}

/* A key that does not exist here: which one is near, whose it is, or which there are. */
_Noreturn static void refuse_key(ph_reader *r, ph_kind kind, int type, const char *name)
{
    char where[64], all[256] = "", owners[160] = "";
    int n;
    const ph_key *k = ph_keys_of(kind, &n);
    ph_near search = {.word = name};
    describe(kind, type, where, sizeof where);
    for (const ph_key *end = k + n; k < end; k++)
        if (ph_key_belongs(k, kind, type)) {
            ph_near_offer(&search, k->name);
            append(all, sizeof all, k->name);
        }
    for (int t = 0; ph_type_get(kind, t); t++)
        if (find_key(kind, t, name))
            append(owners, sizeof owners, ph_type_get(kind, t)->name);
    const char *near = ph_near_word(&search);
    if (owners[0])
        ph_reader_fail(r, "no key '%s' in %s; it belongs to: %s", name, where, owners);
    if (near)
        ph_reader_fail(r, "no key '%.64s' in %s; did you mean '%s'?", name, where, near);
    ph_reader_fail(r, "no key '%.64s' in %s; there are: %s", name, where, all);
}

/* ---- elements ---------------------------------------------------------------------------------------- */

/* All keys must be known. The first unknown one by name is reported: tables have a random order. */
static void check_keys(ph_reader *r, lua_State *L, ph_kind kind, int type)
{
    const char *worst = NULL;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            ph_reader_fail(r, "a value without a key; write name = value");
        const char *name = lua_tostring(L, -2);
        if (!find_key(kind, type, name) && (!worst || strcmp(name, worst) < 0))
            worst = name;
    }
    if (worst)
        refuse_key(r, kind, type, worst);
}

/* The types that there are, or the one that is near what was written. */
_Noreturn static void refuse_type(ph_reader *r, ph_kind kind, const char *written)
{
    char all[256] = "";
    const ph_type *t;
    ph_near search = {.word = written ? written : ""};
    for (int k = 0; (t = ph_type_get(kind, k)); k++) {
        ph_near_offer(&search, t->name);
        append(all, sizeof all, t->name);
    }
    if (!written)
        ph_reader_fail(r, "needs a type: %s", all);
    if (ph_near_word(&search))
        ph_reader_fail(r, "no type '%.64s'; did you mean '%s'?", written, ph_near_word(&search));
    ph_reader_fail(r, "no type '%.64s'; there are: %s", written, all);
}

/* The type of joints and sensors, which decides on the other keys. */
static int read_type(ph_reader *r, lua_State *L, ph_kind kind)
{
    const ph_type *t;
    lua_pushliteral(L, "type");
    int given = lua_rawget(L, 1);
    lua_pushliteral(L, "custom");
    if (given == LUA_TNIL && kind == PH_K_SENSOR && lua_rawget(L, 1) != LUA_TNIL) {
        lua_pop(L, 2);
        return ph_type_with(PH_K_SENSOR, PH_KEY_FUNCTION);
    }
    lua_settop(L, 2);
    if (given == LUA_TNIL)
        refuse_type(r, kind, NULL);
    if (given != LUA_TSTRING)
        ph_reader_fail(r, "type must be a string, not a %s", luaL_typename(L, -1));
    const char *written = lua_tostring(L, -1);
    for (int k = 0; (t = ph_type_get(kind, k)); k++)
        if (!strcmp(t->name, written)) {
            lua_pop(L, 1);
            return k;
        }
    refuse_type(r, kind, written);
}

/* Each key in the order of their table. */
static void read_keys(ph_reader *r, lua_State *L, ph_kind kind, int type, int index)
{
    int n;
    const ph_key *k = ph_keys_of(kind, &n);
    ph_keys seen = 0;
    for (const ph_key *end = k + n; k < end; k++) {
        if (!ph_key_belongs(k, kind, type))
            continue;
        lua_pushstring(L, k->name);
        if (lua_rawget(L, 1) != LUA_TNIL) {
            if (k->bit & seen)
                ph_reader_fail(r, "%s and another key give the same thing; keep one of them", k->name);
            seen |= k->bit;
            ph_value_store(r, L, k, index);
        } else if (k->required && k->value != PH_V_TYPE) {
            ph_reader_fail(r, "%s is missing (%s)", k->name, k->text);
        }
        lua_settop(L, 1);
    }
}

static void set_type(void *element, ph_kind kind, int type)
{
    if (kind == PH_K_BODY)
        ((ph_body_def *)element)->particle = type == PH_T_PARTICLE;
    else if (kind == PH_K_JOINT)
        ((ph_joint_def *)element)->type = type;
    else if (kind == PH_K_FORCE)
        ((ph_force_def *)element)->type = type;
    else if (kind == PH_K_SENSOR)
        ((ph_sensor_def *)element)->type = type;
}

/* A force may be without a name: its kind and the first number that is free. */
static void name_force(ph_reader *r, int index)
{
    ph_force_def *f = ph_store_at(r, PH_K_FORCE, index);
    char name[PH_MODEL_NAME + 1];
    if (f->name)
        return;
    for (int k = index + 1; !f->name; k++) {
        snprintf(name, sizeof name, "%s%d", ph_type_get(PH_K_FORCE, f->type)->name, k);
        if (ph_store_find(r, PH_K_FORCE, name) < 0)
            f->name = ph_store_text(r, name, strlen(name));
    }
    ph_store_name(r, PH_K_FORCE, f->name, index);
}

/* Where we are: the line of the call, and what is called. */
void ph_element_enter(ph_reader *r, lua_State *L, const char *function)
{
    if (r->running)
        r->line = ph_line_of_call(L);
    if (function)
        snprintf(r->label, sizeof r->label, "%s", function);
    if (r->complete)
        ph_reader_fail(r, "a function of the model cannot change the model");
    ph_symbol_settle(r, L);
}

/* The same, and the name that the table gives, if it can be one. */
static void enter_element(ph_reader *r, lua_State *L, ph_kind kind, int type)
{
    ph_element_label(r, kind, type < 0 ? 0 : type, NULL);
    ph_element_enter(r, L, NULL);
    if (lua_gettop(L) != 1 || !lua_istable(L, 1))
        ph_reader_fail(r, "takes one table in braces, { key = value, ... }");
    lua_pushliteral(L, "name");
    if (lua_rawget(L, 1) == LUA_TSTRING && kind != PH_K_RUN)
        ph_element_label(r, kind, type < 0 ? 0 : type, lua_tostring(L, -1));
    lua_settop(L, 1);
}

static void refuse_second(ph_reader *r, int *first)
{
    if (*first)
        ph_reader_fail(r, "is given twice, first on line %d", *first);
    *first = r->line ? r->line : 1;
}

/* Upvalues: kind, type or -1. */
static int read_element(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_kind kind = (ph_kind)lua_tointeger(L, lua_upvalueindex(1));
    int type = (int)lua_tointeger(L, lua_upvalueindex(2));
    enter_element(r, L, kind, type);
    if (kind == PH_K_RUN || kind == PH_K_GROUND)
        refuse_second(r, kind == PH_K_RUN ? &r->run_line : &r->ground_line);
    if (type < 0)
        type = read_type(r, L, kind);
    check_keys(r, L, kind, type);
    void *element = ph_store_element(r, kind);
    int index = r->element[kind].n - 1;
    set_type(element, kind, type);
    if (kind != PH_K_RUN)
        *ph_store_origin(r, kind, index) = (ph_origin){r->line, r->part};
    read_keys(r, L, kind, type, index);
    if (kind == PH_K_FORCE)
        name_force(r, index);
    else if (kind == PH_K_BEAM)
        ph_beam_expand(r, index);
    else if (kind == PH_K_FLEXIBLE)
        ph_flexible_expand(r, index);
    r->label[0] = 0;
    return 0;
}

/* ---- model, param, gravity --------------------------------------------------------------------------- */

static int read_model(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_element_enter(r, L, "model");
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TSTRING)
        ph_reader_fail(r, "takes one string, the name of the model");
    refuse_second(r, &r->model_line);
    size_t length;
    const char *name = lua_tolstring(L, 1, &length);
    if (length == 0 || length > 2 * PH_MODEL_NAME)
        ph_reader_fail(r, "the name must have from 1 to %d characters, not %zu", 2 * PH_MODEL_NAME, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            ph_reader_fail(r, "the name has a control character");
    char text[2 * PH_MODEL_NAME + 1];
    memcpy(text, name, length + 1);
    if (ph_text_clean(text))
        ph_reader_fail(r, "the name is not valid UTF-8");
    r->def.name = ph_store_text(r, text, length);
    r->label[0] = 0;
    return 0;
}

static int read_gravity(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    double g[3];
    ph_element_enter(r, L, "gravity");
    if (lua_gettop(L) != 1)
        ph_reader_fail(r, "takes one list of 3 numbers");
    refuse_second(r, &r->gravity_line);
    ph_value_numbers(r, L, "its value", 3, g);
    r->def.gravity = ph_load3(g);
    r->label[0] = 0;
    return 0;
}

void ph_param_add(ph_reader *r, const char *name, double value)
{
    const ph_param_def *all = r->params.data;
    for (int i = 0; i < r->params.n; i++)
        if (!strcmp(all[i].name, name))
            ph_reader_fail(r, "'%s' is given twice, first on line %d", name, all[i].origin.line);
    if (r->params.n >= 10000)
        ph_reader_fail(r, "more than 10000 parameters");
    ph_param_def *p = ph_store_push(r, &r->params, sizeof *p);
    *p = (ph_param_def){name, value, {r->line, r->part}};
}

/* A parameter whose default is a whole number counts something, and stays a whole number of Lua: "p" .. n has no ".0". Large
 * ones are quantities, which do not wrap around as Lua's integers do. */
static void push_parameter(lua_State *L, double value, int counts)
{
    if (counts && fabs(value) <= PH_MODEL_COUNT && value == floor(value))
        lua_pushinteger(L, (lua_Integer)value);
    else
        lua_pushnumber(L, value);
}

/* param(name, default): the value from outside, or the default. */
static int read_param(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    ph_element_enter(r, L, "param");
    if (lua_gettop(L) != 2)
        ph_reader_fail(r, "takes a name and a default value");
    lua_pushvalue(L, 1);
    const char *name = ph_value_name(r, L, "the name");
    lua_settop(L, 2);
    snprintf(r->label, sizeof r->label, "param '%s'", name);
    int counts = lua_isinteger(L, 2);
    double value = ph_value_number(r, L, "its default");
    for (int i = 0; i < r->n_sets; i++)
        if (!strcmp(r->sets[i].name, name))
            value = ph_value_check(r, "the value set", r->sets[i].value);
    ph_param_add(r, name, value);
    if (r->trace && r->trace->reading && !strcmp(name, r->trace->symbol)) {
        r->trace->parameter = value;
        ph_symbol_push(r, L, ph_expr_graph_argument(r->trace->graph, (ph_argument){PH_ARG_PARAMETER, 0, 0}));
    } else {
        push_parameter(L, value, counts);
    }
    r->label[0] = 0;
    return 1;
}

/* ---- registration ------------------------------------------------------------------------------------ */

static void define(lua_State *L, const char *name, ph_kind kind, int type)
{
    lua_pushinteger(L, (lua_Integer)kind);
    lua_pushinteger(L, type);
    lua_pushcclosure(L, read_element, 2);
    lua_setglobal(L, name);
}

void ph_element_open(ph_reader *r, lua_State *L)
{
    for (int k = 0; k < PH_KINDS; k++) {
        lua_newtable(L);
        r->at.names[k] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    lua_pushcfunction(L, read_model);
    lua_setglobal(L, "model");
    lua_pushcfunction(L, read_param);
    lua_setglobal(L, "param");
    lua_pushcfunction(L, read_gravity);
    lua_setglobal(L, "gravity");
    for (int kind = 0; kind < PH_KINDS; kind++)
        if (*ph_kind_word((ph_kind)kind))
            define(L, ph_kind_word((ph_kind)kind), (ph_kind)kind, -1);
        else
            for (int type = 0; ph_type_get((ph_kind)kind, type); type++)
                define(L, ph_type_get((ph_kind)kind, type)->name, (ph_kind)kind, type);
}

void ph_element_call(ph_reader *r, lua_State *L, const char *function)
{
    lua_getglobal(L, function);
    lua_insert(L, -2);
    lua_call(L, 1, 0);
    r->label[0] = 0;
}
