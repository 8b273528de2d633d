/* Functions of a model file: they stay in its Lua state, and get the time and a view of the bodies.
 *
 *   function(t, s)   s.top.position   {x, y, z}, by number and by name: p[1] or p.x
 *                    s.top.velocity, .omega, .acceleration, .omega_dot   alike
 *                    s.top.rotation   {w, x, y, z}
 *                    s.velocity, ...  of forces and torques: of the body they act on, unless a body has this name
 *                    s.t              the time, likewise
 *                    s.sensors.tip    of objectives: list of the numbers of a sensor, likewise
 *
 * s is no table: it looks into the states of the bodies, so that its cost does not grow with their number. */
#include "model/outlook.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

/* ---- the view ---------------------------------------------------------------------------------------- */

static const struct field {
    const char *name;
    size_t at; /* in ph_body_state */
    int n, depth;
    int argument; /* ph_argument_code */
    int turns;    /* a particle has none */
} fields[] = {
    {"position", offsetof(ph_body_state, x), 3, PH_SEEN_PLACE, PH_ARG_POSITION, 0},
    {"velocity", offsetof(ph_body_state, v), 3, PH_SEEN_SPEED, PH_ARG_VELOCITY, 0},
    {"rotation", offsetof(ph_body_state, q), 4, PH_SEEN_PLACE, PH_ARG_ROTATION, 1},
    {"omega", offsetof(ph_body_state, omega), 3, PH_SEEN_SPEED, PH_ARG_OMEGA, 1},
    {"acceleration", offsetof(ph_body_state, a), 3, PH_SEEN_ACCELERATION, PH_ARG_ACCELERATION, 0},
    {"omega_dot", offsetof(ph_body_state, omega_dot), 3, PH_SEEN_ACCELERATION, PH_ARG_OMEGA_DOT, 1},
};

#define N_FIELDS ((int)(sizeof fields / sizeof *fields))

static const char *field_word(int k)
{
    return k >= 0 && k < N_FIELDS ? fields[k].name : NULL;
}

size_t ph_function_offset(int kind)
{
    for (int k = 0; k < N_FIELDS; k++)
        if (fields[k].argument == kind)
            return fields[k].at;
    return SIZE_MAX;
}

/* Whether it is of a rotation. */
static int turns(int argument)
{
    for (int k = 0; k < N_FIELDS; k++)
        if (fields[k].argument == argument)
            return fields[k].turns;
    return 0;
}

static int is_tracing(const ph_reader *r)
{
    return r->trace && r->trace->active;
}

/* {x, y, z} or {w, x, y, z}, also by these names */
static void push_numbers(lua_State *L, int n, const double *x)
{
    static const char *const names[] = {"w", "x", "y", "z"};
    lua_createtable(L, n, n);
    for (int i = 0; i < n; i++) {
        lua_pushnumber(L, x[i]);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, names[4 - n + i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static _Noreturn void refuse_name(ph_reader *r, lua_State *L, ph_kind kind, const char *what,
                                  const char *name)
{
    r->line = ph_line_of_call(L);
    r->blind = 0; /* whatever sensors say, this is wrong */
    ph_near search = {.word = name};
    for (int i = 0; i < r->element[kind].n; i++)
        ph_near_offer(&search, ph_store_name_of(r, kind, i));
    if (ph_near_word(&search))
        ph_reader_fail(r, "%s '%.64s'; did you mean '%s'?", what, name, ph_near_word(&search));
    ph_reader_fail(r, "%s '%.64s'", what, name);
}

static void check_time(ph_reader *r, lua_State *L)
{
    if (r->states)
        return;
    r->line = ph_line_of_call(L);
    ph_reader_fail(r, "states are known only while a function of the model runs");
}

/* s.sensors.tip */
static int sensor_values(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int k = ph_store_find(r, PH_K_SENSOR, name);
    double x[PH_SENSOR_MAX];
    if (k < 0)
        refuse_name(r, L, PH_K_SENSOR, "there is no sensor", name);
    check_time(r, L);
    if (!r->called || r->called->kind != PH_K_OBJECTIVE)
        return ph_outlook_sensor(r, L, k);
    if (is_tracing(r)) {
        ph_trace_sensor(r, L, k);
        return 1;
    }
    int n = ((ph_sensor_def *)ph_store_at(r, PH_K_SENSOR, k))->size;
    r->blind = !r->sight;
    if (r->blind)
        memset(x, 0, sizeof x);
    else if (r->sight->sensor(r->sight, k, x) != PH_OK)
        ph_reader_leave(r);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static void push_field(ph_reader *r, lua_State *L, int body, const struct field *f)
{
    const ph_body_state ground = {.q = {1, 0, 0, 0}}, *state = &ground;
    double x[4];
    check_time(r, L);
    if (is_tracing(r) && body != PH_GROUND &&
        !(f->turns && ((const ph_body_def *)ph_store_at(r, PH_K_BODY, body))->particle)) {
        ph_symbol_vector(r, L, f->argument, body, f->n);
        return;
    }
    if (body != PH_GROUND)
        state = &r->states[body];
    if (r->sight && body != PH_GROUND && r->sight->body[body] < f->depth)
        r->sight->body[body] = (unsigned char)f->depth;
    memcpy(x, (const char *)state + f->at, (size_t)f->n * sizeof *x);
    push_numbers(L, f->n, x);
}

void ph_function_push_field(ph_reader *r, lua_State *L, int body, const char *name)
{
    push_field(r, L, body, &fields[ph_word_find(name, field_word)]);
}

/* s.body.position; the body is a userdata that holds its index. */
static int body_field(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    const int *index = lua_touserdata(L, 1);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int k = ph_word_find(name, field_word);
    if (k < 0) {
        r->line = ph_line_of_call(L);
        ph_fail_word(r, "a body has no", name, field_word);
    }
    push_field(r, L, *index, &fields[k]);
    return 1;
}

/* s.position in a function of force{} or torque{}: of the body that it acts on. 0: it is something else. */
static int own_field(ph_reader *r, lua_State *L, const char *name)
{
    int k = r->called && r->called->kind == PH_K_FORCE ? ph_word_find(name, field_word) : -1;
    if (k >= 0)
        push_field(r, L, ((ph_force_def *)ph_store_at(r, PH_K_FORCE, r->called->element))->body[1],
                   &fields[k]);
    return k >= 0;
}

/* What else of the model a name that is no body belongs to. */
static void refuse_elsewhere(ph_reader *r, lua_State *L, const char *name)
{
    static const struct {
        ph_kind kind;
        const char *one, *all;
    } other[] = {{PH_K_JOINT, "a joint", "joints"},
                 {PH_K_STATE, "a state", "states"},
                 {PH_K_INPUT, "an input", "inputs"},
                 {PH_K_SENSOR, "a sensor", "sensors"}};
    int word = !strchr(name, '-') && !isdigit((unsigned char)name[0]);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (ph_store_find(r, other[k].kind, name) >= 0) {
            r->line = ph_line_of_call(L);
            r->blind = 0;
            ph_reader_fail(r, "there is no body '%.64s'; '%.64s' is %s: s.%s%s%.64s%s", name, name,
                           other[k].one, other[k].all, word ? "." : "['", name, word ? "" : "']");
        }
}

/* s.body; upvalues: the userdata made so far, their metatable, s.sensors. */
static int state_body(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    if (lua_type(L, 2) != LUA_TSTRING)
        refuse_name(r, L, PH_K_BODY, "there is no body", "");
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const char *name = lua_tostring(L, 2);
    int index = strcmp(name, "ground") ? ph_store_find(r, PH_K_BODY, name) : PH_GROUND;
    if (index < 0 && !strcmp(name, "t")) {
        if (is_tracing(r))
            ph_symbol_push(r, L, ph_expr_graph_argument(r->trace->graph, (ph_argument){PH_ARG_TIME, 0, 0}));
        else
            lua_pushnumber(L, r->t);
        return 1;
    }
    if (index < 0 && !strcmp(name, "sensors")) {
        lua_pushvalue(L, lua_upvalueindex(3));
        return 1;
    }
    if (index < 0 && strcmp(name, "ground") != 0 && (own_field(r, L, name) || ph_outlook_push(r, L, name)))
        return 1;
    if (index < 0 && strcmp(name, "ground") != 0)
        refuse_elsewhere(r, L, name), refuse_name(r, L, PH_K_BODY, "there is no body", name);
    lua_pushvalue(L, 2);
    *(int *)lua_newuserdatauv(L, sizeof(int), 0) = index;
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_insert(L, -3);
    lua_rawset(L, lua_upvalueindex(1));
    return 1;
}

static int no_change(lua_State *L)
{
    ph_reader *r = ph_reader_of(L);
    r->line = ph_line_of_call(L);
    ph_reader_fail(r, "a function cannot change the state");
}

void ph_function_push_view(lua_State *L, const char *name)
{
    lua_newtable(L);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushcfunction(L, no_change);
    lua_setfield(L, -2, "__newindex");
}

void ph_function_open(ph_reader *r, lua_State *L)
{
    lua_newuserdatauv(L, 1, 0); /* s */
    ph_function_push_view(L, "state");
    lua_newtable(L);
    ph_function_push_view(L, "body");
    lua_pushcfunction(L, body_field);
    lua_setfield(L, -2, "__index");
    lua_newuserdatauv(L, 1, 0); /* s.sensors */
    ph_function_push_view(L, "sensors");
    lua_pushcfunction(L, sensor_values);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pushcclosure(L, state_body, 3);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    r->at.state = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

typedef struct call {
    ph_reader *r;
    const ph_fn *fn;
    int n; /* numbers that are expected; -1: any */
    double *out;
} call;

static const char *type_word(lua_State *L, int i)
{
    int named = luaL_getmetafield(L, i, "__name") == LUA_TSTRING;
    return named ? lua_tostring(L, -1) : luaL_typename(L, i);
}

/* What a function returned: numbers, or one table of them. How many. */
static int take_results(lua_State *L, const call *c, double *x)
{
    ph_reader *r = c->r;
    int n = lua_gettop(L) - 1; /* below them is the record of the call */
    if (n == 1 && lua_istable(L, 2)) {
        n = (int)lua_rawlen(L, 2);
        if (n > PH_MODEL_RESULTS)
            ph_reader_fail(r, "the function returns %d numbers; the limit is %d", n, PH_MODEL_RESULTS);
        for (int i = 1; i <= n; i++)
            lua_rawgeti(L, 2, i);
        lua_remove(L, 2);
    }
    if (n > PH_MODEL_RESULTS)
        ph_reader_fail(r, "the function returns %d values; the limit is %d", n, PH_MODEL_RESULTS);
    if (n == 0 || (c->n >= 0 && n != c->n))
        ph_reader_fail(r, "the function returns %d value%s instead of %s%d", n, n == 1 ? "" : "s",
                       c->n < 0 ? "at least " : "", c->n < 0 ? 1 : c->n);
    ph_symbol_settle(r, L);
    for (int i = 0; i < n; i++) {
        if (lua_type(L, i + 2) != LUA_TNUMBER)
            ph_reader_fail(r, "the function returns a %s instead of a number", type_word(L, i + 2));
        x[i] = ph_value_check(r, "what the function returns", lua_tonumber(L, i + 2));
    }
    return n;
}

/* Protected. Argument: call, whose n becomes the number of results. */
static int run(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    ph_reader *r = c->r;
    double x[PH_MODEL_RESULTS];
    luaL_checkstack(L, PH_MODEL_RESULTS + 8, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, c->fn->ref);
    if (!c->fn->only_state)
        lua_pushnumber(L, r->t);
    if (r->states)
        lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.state);
    lua_call(L, r->states && !c->fn->only_state ? 2 : 1, LUA_MULTRET);
    luaL_checkstack(L, PH_MODEL_RESULTS + 8, NULL);
    ph_reader_go(r, ph_store_origin(r, c->fn->kind, c->fn->element));
    c->n = take_results(L, c, x);
    if (c->out)
        memcpy(c->out, x, (size_t)c->n * sizeof *x);
    return 0;
}

/* Where a call is: what it hides of an outer one comes back at its end. */
typedef struct place {
    double t;
    const ph_body_state *states;
    const ph_fn *called;
    int running;
    ph_origin at;
} place;

static place leave_place(const ph_reader *r)
{
    return (place){r->t, r->states, r->called, r->running, {r->line, r->part}};
}

static void return_to(ph_reader *r, const place *p)
{
    r->t = p->t, r->states = p->states, r->called = p->called, r->running = p->running;
    ph_reader_go(r, &p->at);
    r->label[0] = 0;
}

/* A custom sensor may be called from within an objective. */
int ph_function_evaluate(ph_reader *r, int index, double t, const ph_body_state *bodies, int *n, double *out)
{
    const ph_fn *fn = (const ph_fn *)r->fns.data + index;
    call c = {r, fn, *n, out};
    place outer = leave_place(r);
    if (!outer.called)
        r->n_seeing = 0;
    if (fn->kind == PH_K_SENSOR && r->n_seeing < PH_SEEING_MAX)
        r->seeing[r->n_seeing++] = fn->element;
    int seeing = r->n_seeing - (fn->kind == PH_K_SENSOR);
    r->t = t;
    r->states = bodies;
    r->failed = 0;
    r->running = 1;
    r->called = fn, r->label[0] = 0;
    ph_reader_go(r, ph_store_origin(r, fn->kind, fn->element));
    int done = ph_reader_call(r, run, &c);
    return_to(r, &outer);
    r->n_seeing = seeing;
    *n = c.n;
    return done;
}

static ph_status call_alone(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    ph_reader *r = f->owner;
    ph_sight *outer = r->sight;
    atomic_fetch_add_explicit(&r->calls, 1, memory_order_relaxed);
    if (!r->states) /* else the clock of the outer call goes on */
        ph_sandbox_start(r, PH_MODEL_CALL_S, PH_MODEL_CALL_OPS);
    if (n > PH_MODEL_RESULTS) {
        ph_fail(&r->error, PH_E_CALLBACK, "%s: a function cannot give %d numbers", r->def.file, n);
        return PH_E_CALLBACK;
    }
    if (f->sight)
        r->sight = f->sight;
    int done = ph_function_evaluate(r, f->ref, t, bodies, &n, out);
    r->sight = outer;
    if (done)
        return PH_OK;
    r->error.status = PH_E_CALLBACK;
    return PH_E_CALLBACK;
}

/* A thread, by the address of something that each has of its own. */
static const void *this_thread(void)
{
    static _Thread_local char here;
    return &here;
}

static int enter(const ph_function *f)
{
    ph_reader *r = f->owner;
    const void *me = this_thread(), *other = NULL;
    return atomic_compare_exchange_strong(&r->inside, &other, me) ? 1 : other == me ? 2 : 0;
}

static void leave(const ph_function *f, int entered)
{
    ph_reader *r = f->owner;
    if (entered == 1)
        atomic_store(&r->inside, NULL);
}

/* Lua serves one thread at a time; a call within a call is that of its thread. */
static ph_status call_function(const ph_function *f, double t, const ph_body_state *bodies, int n,
                               double *out)
{
    ph_reader *r = f->owner;
    int entered = enter(f);
    if (!entered) {
        if (!atomic_exchange(&r->crowded, 1))
            ph_fail(
                &r->error, PH_E_CALLBACK,
                "%s: two threads call its functions at the same time; read the model once for each thread",
                r->def.file);
        return PH_E_CALLBACK;
    }
    ph_status s = call_alone(f, t, bodies, n, out);
    leave(f, entered);
    return s;
}

ph_function ph_function_take(ph_reader *r, lua_State *L, ph_kind kind, int index)
{
    ph_traced *traced = ph_store_room(r, 1, sizeof *traced);
    ph_fn *fn = ph_store_push(r, &r->fns, sizeof *fn);
    lua_pushvalue(L, -1);
    *fn = (ph_fn){luaL_ref(L, LUA_REGISTRYINDEX), kind, index, 0, traced};
    return (ph_function){.call = call_function,
                         .enter = enter,
                         .leave = leave,
                         .owner = r,
                         .ref = r->fns.n - 1,
                         .traced = traced,
                         .look = ph_outlook_look};
}

/* A function that gives other numbers when it is called again keeps values between its calls: a run with it cannot be
 * repeated. */
static void call_again(ph_reader *r, const ph_function *f, const ph_body_state *bodies, int n,
                       const double *before)
{
    const ph_fn *fn = (const ph_fn *)r->fns.data + f->ref;
    double x[PH_MODEL_RESULTS];
    int done = ph_function_evaluate(r, f->ref, 0, bodies, &n, x),
        same = done && !memcmp(before, x, (size_t)n * sizeof *x);
    if (!done && r->error.status == PH_E_MEMORY)
        ph_reader_leave(r);
    r->failed = 0;
    if (same || r->def.changing)
        return;
    ph_element_mention(r, fn->kind, fn->element);
    r->def.changing = ph_store_text(r, r->label, strlen(r->label));
    r->label[0] = 0;
}

/* Whether the model has what an argument of a frozen function stands for; its kind and component are known. */
static int is_there(ph_reader *r, const ph_argument *a)
{
    static const ph_kind kinds[PH_ARGUMENTS] = {[PH_ARG_JOINT_POSITION] = PH_K_JOINT,
                                                [PH_ARG_JOINT_RATE] = PH_K_JOINT,
                                                [PH_ARG_INPUT] = PH_K_INPUT,
                                                [PH_ARG_STATE] = PH_K_STATE}; /* others: PH_K_BODY */
    if (a->kind == PH_ARG_TIME)
        return 1;
    if (a->index >= r->element[kinds[a->kind]].n)
        return 0;
    const void *d = ph_store_at(r, kinds[a->kind], a->index);
    switch (kinds[a->kind]) {
    case PH_K_JOINT:
        return (int)(ph_outlook_frees(r, a->index) >> a->component & 1);
    case PH_K_STATE:
        return a->component < (((const ph_state_def *)d)->size ? ((const ph_state_def *)d)->size : 1);
    case PH_K_BODY:
        return !(turns(a->kind) && ((const ph_body_def *)d)->particle);
    default:
        return 1;
    }
}

/* It is known to work; its arguments may still be wrong. */
static int results_of_frozen(ph_reader *r, const ph_function *f, int n)
{
    const ph_program *p = f->traced->program;
    for (int i = 0; i < p->n_args; i++)
        if (p->arg[i].kind == PH_ARG_PARAMETER)
            ph_reader_fail(r, "its function reads a parameter, which frozen models have no more");
        else if (f->only_time && p->arg[i].kind != PH_ARG_TIME)
            ph_reader_fail(r, "its function reads a state, and it is a function of the time alone");
        else if (!is_there(r, &p->arg[i]))
            ph_reader_fail(r, "its function reads an element or a number that is not there: [\"%s\", %d, %d]",
                           ph_argument_get(p->arg[i].kind)->name, p->arg[i].index, p->arg[i].component);
    if (n >= 0 && p->n_out != n)
        ph_reader_fail(r, "the function returns %d values instead of %d", p->n_out, n);
    return p->n_out;
}

/* While reading, the clock goes on, and a failure is one of reading. */
int ph_function_try(ph_reader *r, const ph_function *f, const ph_body_state *bodies, int n)
{
    double x[PH_MODEL_RESULTS];
    if (r->def.frozen)
        return results_of_frozen(r, f, n);
    if (!ph_function_evaluate(r, f->ref, 0, bodies, &n, x))
        ph_reader_leave(r);
    call_again(r, f, bodies, n, x);
    return n;
}

void ph_function_try_blind(ph_reader *r, const ph_function *f, const ph_body_state *bodies)
{
    int n = 1;
    double x[PH_MODEL_RESULTS];
    if (r->def.frozen) {
        results_of_frozen(r, f, 1);
        return;
    }
    r->blind = 0, r->trying = 1;
    int done = ph_function_evaluate(r, f->ref, 0, bodies, &n, x);
    if (done && !r->blind)
        call_again(r, f, bodies, n, x);
    r->trying = 0;
    if (!done && !r->blind)
        ph_reader_leave(r);
    r->failed = 0;
    r->error = (ph_error){0};
}
