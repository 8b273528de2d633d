/* What functions of a model file see beside bodies:
 *
 *   s.joints.elbow.position, .rate   a number, or a list where several coordinates are free, in the order x y z rx ry rz
 *   s.inputs.u                       a number
 *   s.states.i                       a number, or a list
 *
 * They are numbers of the mechanism that calls. While a function is tried there is none: joints are where they are initially
 * and at rest, inputs and states have their first values. */
#include "model/outlook.h"

#include <lauxlib.h>
#include <string.h>

#include "mech/coordinate.h"

typedef enum kind { JOINTS, INPUTS, STATES, KINDS } kind;

static const struct {
    const char *name;
    ph_kind of;
    const char *one;
} kinds[KINDS] = {[JOINTS] = {"joints", PH_K_JOINT, "joint"},
                  [INPUTS] = {"inputs", PH_K_INPUT, "input"},
                  [STATES] = {"states", PH_K_STATE, "state"}};

/* One number: a symbol while tracing, else as the scene has it, else other. */
static void push(ph_reader *r, lua_State *L, int argument, int index, int component, double other)
{
    ph_argument a = {argument, index, component};
    if (r->trace && r->trace->active)
        ph_symbol_push(r, L, ph_expr_graph_argument(r->trace->graph, a));
    else
        lua_pushnumber(L, r->scene ? ph_argument_get(argument)->op->value(r->scene, &a) : other);
}

static _Noreturn void refuse(ph_reader *r, lua_State *L, kind k, const char *name)
{
    ph_near search = {.word = name};
    r->line = ph_line_of_call(L);
    r->blind = 0;
    for (int i = 0; i < r->element[kinds[k].of].n; i++)
        ph_near_offer(&search, ph_store_name_of(r, kinds[k].of, i));
    const char *near = ph_near_word(&search);
    ph_reader_fail(r, "there is no %s '%.64s'%s%s%s", kinds[k].one, name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

static void check_time(ph_reader *r, lua_State *L)
{
    if (r->states)
        return;
    r->line = ph_line_of_call(L);
    ph_reader_fail(r, "states are known only while a function of the model runs");
}

/* ---- joints ------------------------------------------------------------------------------------------ */

static const char *part_word(int k)
{
    static const char *const words[] = {"position", "rate"};
    return k >= 0 && k < 2 ? words[k] : NULL;
}

static int is_particle(ph_reader *r, int body)
{
    return body >= 0 && ((const ph_body_def *)ph_store_at(r, PH_K_BODY, body))->particle;
}

unsigned ph_outlook_frees(ph_reader *r, int joint)
{
    const ph_joint_def *j = ph_store_at(r, PH_K_JOINT, joint);
    return ph_joint_def_frees(j, is_particle(r, j->body[0]) || is_particle(r, j->body[1]));
}

/* The distance of points in the initial configuration. */
static double initial_length(ph_reader *r, const ph_joint_def *j)
{
    ph_vec3 p[2];
    for (int side = 0; side < 2; side++) {
        const ph_body_def *b = j->body[side] < 0 ? NULL : ph_store_at(r, PH_K_BODY, j->body[side]);
        ph_vec3 at = side ? j->at_b : j->at_a;
        p[side] = b ? ph_add(b->x, ph_mul(ph_qmat(b->R), at)) : at;
    }
    return ph_norm(ph_sub(p[1], p[0]));
}

/* s.joints.NAME.position; the joint is a userdata that holds its index. */
static int joint_field(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    int index = *(const int *)lua_touserdata(L, 1);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int rate = ph_word_find(name, part_word);
    check_time(r, L);
    if (rate < 0) {
        r->line = ph_line_of_call(L);
        ph_fail_word(r, "a joint has no", name, part_word);
    }
    const ph_joint_def *j = ph_store_at(r, PH_K_JOINT, index);
    unsigned frees = ph_outlook_frees(r, index);
    int n = 0;
    for (int k = 0; k < PH_COORDINATES; k++)
        n += (int)(frees >> k & 1);
    if (n == 0) {
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, "joint '%s' has no free coordinate", j->name);
    }
    int depth = rate ? PH_SEEN_SPEED : PH_SEEN_PLACE;
    for (int side = 0; side < 2 && r->sight; side++)
        if (j->body[side] >= 0 && r->sight->body[j->body[side]] < depth)
            r->sight->body[j->body[side]] = (unsigned char)depth;
    if (n > 1)
        lua_createtable(L, n, 0);
    for (int k = 0, i = 1; k < PH_COORDINATES; k++) {
        if (!(frees >> k & 1))
            continue;
        push(r, L, rate ? PH_ARG_JOINT_RATE : PH_ARG_JOINT_POSITION, index, k,
             !rate && k == PH_LENGTH ? initial_length(r, j) : 0);
        if (n > 1)
            lua_rawseti(L, -2, i++);
    }
    return 1;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void push_state(ph_reader *r, lua_State *L, int index)
{
    const ph_state_def *d = ph_store_at(r, PH_K_STATE, index);
    int n = d->size ? d->size : 1;
    if (n > 1)
        lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        push(r, L, PH_ARG_STATE, index, i, d->initial ? d->initial[i] : 0);
        if (n > 1)
            lua_rawseti(L, -2, i + 1);
    }
}

/* s.joints.NAME, s.inputs.NAME, s.states.NAME; upvalues: the kind, the metatable of joints. */
static int member(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    kind k = (kind)lua_tointeger(L, lua_upvalueindex(1));
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int index = ph_store_find(r, kinds[k].of, name);
    if (index < 0)
        refuse(r, L, k, name);
    check_time(r, L);
    if (k == JOINTS) {
        *(int *)lua_newuserdatauv(L, sizeof(int), 0) = index;
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_setmetatable(L, -2);
    } else if (k == STATES) {
        push_state(r, L, index);
    } else {
        push(r, L, PH_ARG_INPUT, index, 0, ((const ph_input_def *)ph_store_at(r, PH_K_INPUT, index))->value);
    }
    return 1;
}

/* ---- sensors ----------------------------------------------------------------------------------------- */

/* Vectors are tables of three numbers or symbols at absolute places of the stack; each of these pushes one more. */
static void term(lua_State *L, int a, int i, int b, int j, int op)
{
    lua_rawgeti(L, a, i);
    lua_rawgeti(L, b, j);
    lua_arith(L, op);
}

static int cross(lua_State *L, int a, int b)
{
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3 + 1, k = (i + 2) % 3 + 1;
        term(L, a, j, b, k, LUA_OPMUL);
        term(L, a, k, b, j, LUA_OPMUL);
        lua_arith(L, LUA_OPSUB);
        lua_rawseti(L, -2, i + 1);
    }
    return lua_gettop(L);
}

static int sum(lua_State *L, int a, int b)
{
    lua_createtable(L, 3, 0);
    for (int i = 1; i <= 3; i++) {
        term(L, a, i, b, i, LUA_OPADD);
        lua_rawseti(L, -2, i);
    }
    return lua_gettop(L);
}

/* f a, f on top of the stack, which it takes */
static int product(lua_State *L, int a)
{
    int f = lua_gettop(L);
    lua_createtable(L, 3, 0);
    for (int i = 1; i <= 3; i++) {
        lua_pushvalue(L, f);
        lua_rawgeti(L, a, i);
        lua_arith(L, LUA_OPMUL);
        lua_rawseti(L, -2, i);
    }
    lua_remove(L, f);
    return f;
}

/* R(q) a = a + 2 (q0 (v x a) + v x (v x a)) */
static int turned(lua_State *L, int q, int a)
{
    lua_createtable(L, 3, 0);
    int v = lua_gettop(L);
    for (int i = 1; i <= 3; i++) {
        lua_rawgeti(L, q, i + 1);
        lua_rawseti(L, v, i);
    }
    int va = cross(L, v, a), vva = cross(L, v, va);
    lua_rawgeti(L, q, 1);
    int both = sum(L, product(L, va), vva);
    lua_pushnumber(L, 2);
    return sum(L, a, product(L, both));
}

static int push_vec(lua_State *L, ph_vec3 a)
{
    const double x[] = {a.x, a.y, a.z};
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; i++) {
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return lua_gettop(L);
}

static int field(ph_reader *r, lua_State *L, int body, const char *name)
{
    ph_function_push_field(r, L, body, name);
    return lua_gettop(L);
}

static void push_point(ph_reader *r, lua_State *L, const ph_sensor_def *d)
{
    int q = field(r, L, d->body, "rotation"), at = push_vec(L, d->at);
    if (ph_sensor_row_of(d)->op->argument == PH_ARG_POSITION)
        sum(L, field(r, L, d->body, "position"), turned(L, q, at));
    else
        sum(L, field(r, L, d->body, "velocity"), turned(L, q, cross(L, field(r, L, d->body, "omega"), at)));
}

static void push_coordinate(ph_reader *r, lua_State *L, const ph_sensor_def *d)
{
    const ph_joint_def *j = ph_store_at(r, PH_K_JOINT, d->joint);
    unsigned frees = ph_outlook_frees(r, d->joint);
    const ph_sensor_row *row = ph_sensor_row_of(d);
    int k = d->coordinate, rate = row->op->argument == PH_ARG_JOINT_RATE;
    if (k < 0) /* angle and rate: the rotation of a cylindrical joint */
        for (int i = 0; i < PH_COORDINATES && (k < 0 || !(row->keys & PH_KEY_COORDINATE)); i++)
            k = frees >> i & 1 ? i : k;
    if (k < 0) {
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, "sensor '%s': joint '%s' has no free coordinate", d->name, j->name);
    }
    push(r, L, rate ? PH_ARG_JOINT_RATE : PH_ARG_JOINT_POSITION, d->joint, k,
         !rate && k == PH_LENGTH ? initial_length(r, j) : 0);
}

/* The function of another sensor, called with the same t and s. */
static int push_custom(ph_reader *r, lua_State *L, int sensor, const ph_sensor_def *d)
{
    int top = lua_gettop(L);
    for (int i = 0; i < r->n_seeing; i++)
        if (r->seeing[i] == sensor) {
            r->line = ph_line_of_call(L);
            ph_reader_fail(r, "sensor '%s' depends on itself", d->name);
        }
    if (r->n_seeing == PH_SEEING_MAX)
        ph_reader_fail(r, "more than %d sensors look at each other", PH_SEEING_MAX);
    r->seeing[r->n_seeing++] = sensor;
    lua_rawgeti(L, LUA_REGISTRYINDEX, ((const ph_fn *)r->fns.data)[d->f.ref].ref);
    if (r->trace && r->trace->active)
        ph_symbol_push(r, L, ph_expr_graph_argument(r->trace->graph, (ph_argument){PH_ARG_TIME, 0, 0}));
    else
        lua_pushnumber(L, r->t);
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.state);
    lua_call(L, 2, LUA_MULTRET);
    r->n_seeing--;
    int n = lua_gettop(L) - top;
    if (n == 1)
        return 1;
    lua_createtable(L, n, 0);
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, top + i);
        lua_rawseti(L, -2, i);
    }
    return 1;
}

/* Why functions cannot read a sensor: its name and type. */
#define NOT_YET                                                                                              \
    "sensor '%s': %s is not known before accelerations are; functions see positions and velocities"
#define NOT_SEEN "sensor '%s': functions cannot read the type %s; they see bodies, joints, inputs and states"

int ph_outlook_sensor(ph_reader *r, lua_State *L, int sensor)
{
    const ph_sensor_def *d = ph_store_at(r, PH_K_SENSOR, sensor);
    luaL_checkstack(L, 64, NULL);
    const ph_sensor_row *row = ph_sensor_row_of(d);
    if (row->keys & PH_KEY_FUNCTION)
        return push_custom(r, L, sensor, d);
    int late = row->op->depth > PH_SEEN_SPEED || row->op->multipliers;
    if (late || !row->op->argument) {
        r->line = ph_line_of_call(L);
        ph_reader_fail(r, late ? NOT_YET : NOT_SEEN, d->name, ph_type_get(PH_K_SENSOR, d->type)->name);
    }
    if (row->keys & PH_KEY_JOINT)
        push_coordinate(r, L, d);
    else if (row->keys & PH_KEY_AT)
        push_point(r, L, d);
    else
        field(r, L, d->body, ph_argument_get(row->op->argument)->name);
    return 1;
}

/* A number of one sensor can be indexed by 1, as lists of several are. */
static int index_number(lua_State *L)
{
    if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) != 1)
        return luaL_error(L, "attempt to index a number value");
    lua_settop(L, 1);
    return 1;
}

int ph_outlook_push(ph_reader *r, lua_State *L, const char *name)
{
    for (int k = 0; k < KINDS; k++)
        if (!strcmp(name, kinds[k].name)) {
            lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.outlook);
            lua_rawgeti(L, -1, k + 1);
            lua_remove(L, -2);
            return 1;
        }
    return 0;
}

void ph_outlook_open(ph_reader *r, lua_State *L)
{
    lua_createtable(L, KINDS, 0);
    for (int k = 0; k < KINDS; k++) {
        lua_newuserdatauv(L, 1, 0);
        ph_function_push_view(L, kinds[k].name);
        lua_pushinteger(L, k);
        ph_function_push_view(L, kinds[k].one);
        lua_pushcfunction(L, joint_field);
        lua_setfield(L, -2, "__index");
        lua_pushcclosure(L, member, 2);
        lua_setfield(L, -2, "__index");
        lua_setmetatable(L, -2);
        lua_rawseti(L, -2, k + 1);
    }
    r->at.outlook = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushnumber(L, 0);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, index_number);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

ph_scene *ph_outlook_look(const ph_function *f, ph_scene *at)
{
    ph_reader *r = f->owner;
    ph_scene *before = r->scene;
    r->scene = at;
    return before;
}
