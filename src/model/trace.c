/* Tracing of functions: see trace.h. */
#include "model/trace.h"

#include <assert.h>
#include <lauxlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- what cannot be traced --------------------------------------------------------------------------- */

int ph_trace_line(const ph_reader *r, int instruction)
{
    const ph_instruction *list = r->trace->marked.list.data;
    return instruction > 0 ? list[instruction].line : 0;
}

/* The first reason is told. */
static void note(ph_trace *t, const char *reason, int line)
{
    if (t->reason[0])
        return;
    snprintf(t->reason, sizeof t->reason, "%.*s", (int)sizeof t->reason - 1, reason);
    t->line = line;
}

_Noreturn void ph_trace_stop(ph_reader *r, lua_State *L, const char *reason)
{
    note(r->trace, reason, ph_trace_line(r, ph_line_of_call(L)));
    ph_reader_leave(r);
}

_Noreturn void ph_trace_refuse(ph_reader *r, lua_State *L, const char *reason)
{
    r->trace->reason[0] = 0; /* of another way */
    r->trace->refused = 1;
    ph_trace_stop(r, L, reason);
}

static int is_register(ph_reader *r, lua_State *L, lua_Debug *ar, int reg, int number)
{
    lua_getlocal(L, ar, reg + 1); /* a register of the function that is about to use it */
    int is = number ? lua_type(L, -1) == LUA_TNUMBER : ph_symbol_is(r, L, -1);
    lua_pop(L, 1);
    return is;
}

/* It is not traced because of the instruction that comes next. */
static _Noreturn void refuse_at(ph_reader *r, int instruction, const char *reason)
{
    ph_trace *t = r->trace;
    t->reason[0] = 0, t->refused = 1;
    note(t, reason, ph_trace_line(r, instruction));
    ph_reader_leave(r);
}

/* Before each instruction. Equality of a symbol and a number is false in Lua and calls nothing, and a symbol is the key
 * of nothing in any table. */
static void hook(lua_State *L, lua_Debug *ar)
{
    ph_reader *r = ph_reader_of(L);
    ph_trace *t = r->trace;
    lua_getinfo(L, "l", ar);
    int k = ar->currentline;
    if (++t->work > PH_TRACE_INSTRUCTIONS)
        refuse_at(r, k, "it takes more than 1e6 instructions");
    assert(k > 0 && k < t->marked.list.n); /* all functions of this state are marked */
    const ph_instruction *i = (const ph_instruction *)t->marked.list.data + k;
    if (i->watch == PH_WATCH_NOTHING)
        return;
    int a = is_register(r, L, ar, i->a, 0), two = i->watch == PH_WATCH_EQUAL;
    if (i->watch == PH_WATCH_KEY && a)
        refuse_at(r, k, "a number that is not constant is the key of a table");
    if ((i->watch == PH_WATCH_NUMBER && a) || (two && a && is_register(r, L, ar, i->b, 1)) ||
        (two && is_register(r, L, ar, i->b, 0) && is_register(r, L, ar, i->a, 1)))
        refuse_at(r, k, "it compares for equality with a number");
}

/* ---- a parameter as a symbol --------------------------------------------------------------------------- */

void ph_trace_read(ph_reader *r, lua_State *L)
{
    ph_trace *t = r->trace;
    if (!t || !t->symbol)
        return;
    t->graph = ph_expr_graph_create(r->alloc);
    if (!t->graph)
        ph_reader_no_memory(r);
    t->reading = 1, t->work = 0;
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
}

void ph_trace_was_read(ph_reader *r, lua_State *L)
{
    ph_trace *t = r->trace;
    if (!t || !t->symbol)
        return;
    t->reading = 0;
    t->base = t->graph, t->graph = NULL;
    t->base_symbols = t->symbols;
    lua_newtable(L);
    t->symbols = luaL_ref(L, LUA_REGISTRYINDEX);
    ph_sandbox_watch(L);
}

/* ---- what a function can reach ------------------------------------------------------------------------ */

#define REACH       1000000 /* values */
#define REACH_DEPTH 100

typedef struct reachable {
    int visited; /* table on the stack */
    int count;
} reachable;

static uint64_t mix(uint64_t hash, uint64_t x)
{
    return ph_hash_bytes(hash, &x, sizeof x);
}

static uint64_t fingerprint(lua_State *L, int at, reachable *s, int depth);

static uint64_t of_table(lua_State *L, int at, reachable *s, int depth)
{
    uint64_t sum = 0; /* whatever the order */
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        int top = lua_gettop(L);
        sum += mix(fingerprint(L, top - 1, s, depth + 1), fingerprint(L, top, s, depth + 1));
    }
    return sum;
}

static uint64_t of_function(lua_State *L, int at, reachable *s, int depth)
{
    uint64_t hash = PH_HASH_START;
    for (int k = 1; !lua_iscfunction(L, at) && lua_getupvalue(L, at, k); k++) {
        hash = mix(hash, fingerprint(L, lua_gettop(L), s, depth + 1));
        lua_pop(L, 1);
    }
    return hash;
}

/* Hash a value and all that it leads to. Objects are told apart by their addresses. */
static uint64_t fingerprint(lua_State *L, int at, reachable *s, int depth)
{
    int type = lua_type(L, at);
    uint64_t hash = mix(PH_HASH_START, (uint64_t)type);
    double x = lua_tonumber(L, at);
    size_t n = 0;
    if (s->count++ > REACH || depth > REACH_DEPTH)
        return hash;
    luaL_checkstack(L, 8, NULL);
    if (type == LUA_TBOOLEAN)
        return mix(hash, (uint64_t)lua_toboolean(L, at));
    if (type == LUA_TNUMBER)
        return mix(ph_hash_bytes(hash, &x, sizeof x), (uint64_t)lua_isinteger(L, at));
    if (type == LUA_TSTRING)
        return ph_hash_bytes(hash, lua_tolstring(L, at, &n), n);
    hash = mix(hash, (uint64_t)(uintptr_t)lua_topointer(L, at));
    if (type != LUA_TTABLE && type != LUA_TFUNCTION)
        return hash;
    lua_pushvalue(L, at);
    int known = lua_rawget(L, s->visited) != LUA_TNIL;
    lua_pop(L, 1);
    if (known)
        return hash;
    lua_pushvalue(L, at);
    lua_pushboolean(L, 1);
    lua_rawset(L, s->visited);
    return mix(hash, type == LUA_TTABLE ? of_table(L, at, s, depth) : of_function(L, at, s, depth));
}

/* Libraries do not change. */
static uint64_t reach_of(lua_State *L, int ref)
{
    static const char *const libraries[] = {"math", "string", "table"};
    int top = lua_gettop(L);
    lua_newtable(L);
    reachable s = {.visited = top + 1};
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        lua_pushglobaltable(L);
        lua_pushstring(L, libraries[k]);
        if (lua_rawget(L, -2) == LUA_TTABLE) {
            lua_pushboolean(L, 1);
            lua_rawset(L, s.visited);
        } else {
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    uint64_t hash = fingerprint(L, top + 2, &s, 0);
    lua_settop(L, top);
    return hash;
}

/* ---- comparisons -------------------------------------------------------------------------------------- */

static ph_tree_node *node_of(ph_trace *t, int k)
{
    return (ph_tree_node *)t->tree.data + k;
}

static int is_done(const ph_trace *t, int k)
{
    return ((const unsigned char *)t->done.data)[k];
}

static int add_node(ph_reader *r)
{
    ph_store_push(r, &r->trace->done, 1);
    ph_store_push(r, &r->trace->tree, sizeof(ph_tree_node));
    return r->trace->tree.n - 1;
}

static int holds(ph_relation relation, double a, double b)
{
    return relation == PH_LESS ? a < b : relation == PH_LESS_EQUAL ? a <= b : a == b;
}

int ph_trace_decide(ph_reader *r, lua_State *L, ph_relation relation, int a, int b)
{
    ph_trace *t = r->trace;
    double x, y;
    if (ph_expr_graph_is_constant(t->graph, a, &x) && ph_expr_graph_is_constant(t->graph, b, &y))
        return holds(relation, x, y);
    if (t->reading)
        return holds(relation, ph_symbol_value(r, a), ph_symbol_value(r, b));
    for (int k = 0; k < t->n_way; k++)
        if (t->way[k].relation == relation && t->way[k].a == a && t->way[k].b == b)
            return t->way[k].answer;
    if (t->n_way == PH_TRACE_COMPARISONS)
        ph_trace_refuse(r, L,
                        "it compares more than 256 times; is there a loop on a number that is not constant?");
    if (node_of(t, t->at)->kind == PH_TREE_OPEN) {
        int no = add_node(r), yes = add_node(r);
        *node_of(t, t->at) = (ph_tree_node){
            .kind = PH_TREE_BRANCH, .relation = relation, .a = a, .b = b, .no = no, .yes = yes};
    }
    const ph_tree_node *n = node_of(t, t->at);
    assert(n->kind == PH_TREE_BRANCH); /* all below a leaf is done */
    if (n->relation != relation || n->a != a || n->b != b)
        ph_trace_refuse(r, L, "it keeps values between its calls");
    int answer = !is_done(t, n->yes);
    t->way[t->n_way++] = (ph_compared){relation, a, b, answer, t->at};
    t->at = answer ? n->yes : n->no;
    return answer;
}

/* ---- one way through a function ----------------------------------------------------------------------- */

typedef struct visit {
    ph_reader *w;
    const ph_fn *fn;
    int n; /* results that are expected */
} visit;

/* Numbers, or one table of them, as nodes. */
static void take_results(lua_State *L, const visit *v)
{
    ph_reader *w = v->w;
    int n = lua_gettop(L) - 1, in_table = n == 1 && lua_istable(L, 2);
    if (in_table)
        n = (int)lua_rawlen(L, 2);
    if (n != v->n)
        ph_trace_refuse(w, L, "it does not always give the same number of values");
    node_of(w->trace, w->trace->at)->out = w->trace->out.n;
    for (int i = 1; i <= n; i++) {
        if (in_table)
            lua_rawgeti(L, 2, i);
        int node = ph_symbol_node(w, L, in_table ? -1 : i + 1);
        *(int *)ph_store_push(w, &w->trace->out, sizeof(int)) = node;
        if (in_table)
            lua_pop(L, 1);
    }
}

/* Protected. Argument: visit. */
static int walk(lua_State *L)
{
    const visit *v = lua_touserdata(L, 1);
    ph_reader *w = v->w;
    int t = ph_expr_graph_argument(w->trace->graph, (ph_argument){PH_ARG_TIME, 0, 0}), arguments = 0;
    luaL_checkstack(L, PH_MODEL_RESULTS + 8, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, v->fn->ref);
    if (!v->fn->only_state)
        ph_symbol_push(w, L, t), arguments++;
    if (w->states)
        lua_rawgeti(L, LUA_REGISTRYINDEX, w->at.state), arguments++;
    w->trace->active = 1;
    lua_call(L, arguments, LUA_MULTRET);
    take_results(L, v);
    w->trace->active = 0;
    return 0;
}

/* What Lua or the reader complains of, without file and line. */
static void note_message(ph_reader *w, const char *message)
{
    const char *text = w->failed ? w->error.text : message ? message : "it fails";
    for (const char *c = strstr(text, ": "); c && w->failed; c = strstr(text, ": "))
        text = c + 2;
    int line = 0, n = 0;
    if (!w->failed && sscanf(text, "model:%d: %n", &line, &n) == 1)
        text += n;
    if (strstr(text, "'for' "))
        text = "a loop counts with a number that is not constant";
    note(w->trace, text, ph_trace_line(w, line ? line : w->line));
}

/* Once through the function: a leaf more is known. */
static void take_way(ph_reader *w, lua_State *L, const visit *v)
{
    ph_trace *t = w->trace;
    t->at = t->n_way = t->failed = 0;
    w->n_seeing = v->fn->kind == PH_K_SENSOR;
    w->seeing[0] = v->fn->element;
    w->failed = 0, w->running = 1;
    int bottom = lua_gettop(L);
    lua_Hook kept = lua_gethook(L);
    int mask = lua_gethookmask(L), count = lua_gethookcount(L);
    ph_sandbox_start(w, PH_MODEL_CALL_S, PH_MODEL_CALL_OPS);
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
    lua_pushcfunction(L, walk);
    lua_pushlightuserdata(L, (void *)v);
    int status = lua_pcall(L, 1, 0, 0);
    lua_sethook(L, kept, mask, count);
    t->active = 0, w->running = 0;
    if (status != LUA_OK &&
        (w->error.status == PH_E_MEMORY || (status == LUA_ERRMEM && w->refused == PH_SYSTEM_REFUSED)))
        ph_reader_no_memory(w);
    if (status != LUA_OK)
        note_message(w, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL);
    lua_settop(L, bottom);
    node_of(t, t->at)->kind = status == LUA_OK ? PH_TREE_LEAF : PH_TREE_UNTRACED;
    node_of(t, t->at)->yes = status != LUA_OK && t->failed;
    ((unsigned char *)t->done.data)[t->at] = 1;
    for (int k = t->n_way - 1; k >= 0; k--) {
        const ph_tree_node *n = node_of(t, t->way[k].node);
        ((unsigned char *)t->done.data)[t->way[k].node] =
            (unsigned char)is_done(t, n->no); /* the later one */
    }
    t->n_leaves++;
    if (t->n_leaves > PH_TRACE_WAYS) {
        t->reason[0] = 0, t->refused = 1;
        note(t, "there are more than 4096 ways through it", 0);
    }
}

/* ---- a function --------------------------------------------------------------------------------------- */

/* The numbers that a function of an element gives. */
static int results_of(ph_reader *r, const ph_fn *fn)
{
    switch (fn->kind) {
    case PH_K_FORCE:
        return 3;
    case PH_K_STATE:
        return ((ph_state_def *)ph_store_at(r, fn->kind, fn->element))->size;
    case PH_K_SENSOR:
        return ((ph_sensor_def *)ph_store_at(r, fn->kind, fn->element))->size;
    case PH_K_CONSTRAINT:
        return ((ph_user_constraint_def *)ph_store_at(r, fn->kind, fn->element))->rows;
    case PH_K_EVENT:
        return ph_event_results(ph_store_at(r, fn->kind, fn->element),
                                (int)(fn - (const ph_fn *)r->fns.data));
    default:
        return 1;
    }
}

static ph_fn *fn_of(const ph_reader *r, int k)
{
    return (ph_fn *)r->fns.data + k;
}

static void begin(ph_reader *w, lua_State *L)
{
    ph_trace *t = w->trace;
    t->tree.n = t->done.n = t->out.n = 0;
    t->refused = t->sensors = t->n_leaves = t->line = 0, t->work = 0;
    t->reason[0] = 0;
    ph_expr_graph_destroy(t->graph);
    t->graph = t->base ? ph_expr_graph_copy(t->base) : ph_expr_graph_create(w->alloc);
    if (!t->graph)
        ph_reader_no_memory(w);
    ph_symbol_forget(w, L);
    add_node(w);
}

static int any_leaf(const ph_trace *t)
{
    const ph_tree_node *n = t->tree.data;
    for (int k = 0; k < t->tree.n; k++)
        if (n[k].kind == PH_TREE_LEAF)
            return 1;
    return 0;
}

/* Its program, which is the caller's; NULL: it cannot be traced, and the trace has the reason. */
static ph_program *trace_function(ph_reader *w, lua_State *L, int k)
{
    ph_trace *t = w->trace;
    const ph_fn *fn = fn_of(w, k);
    visit v = {w, fn, results_of(w, fn)};
    ph_program *p = NULL;
    begin(w, L);
    w->called = fn, w->label[0] = 0;
    w->states = fn->kind == PH_K_JOINT ? NULL : w->initial;
    do
        take_way(w, L, &v);
    while (!t->refused && !is_done(t, 0));
    w->states = NULL, w->called = NULL;
    if (t->refused || !any_leaf(t))
        return NULL;
    ph_tree tree = {t->tree.data, t->tree.n, t->out.data, v.n};
    ph_status s = ph_program_create(&p, t->graph, &tree, w->alloc);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(w);
    if (!p)
        t->reason[0] = 0, note(t, "its ways have more than 100000 operations", 0);
    return p;
}

/* ---- trust -------------------------------------------------------------------------------------------- */

#define POINTS 12

/* Uniform in [-1, 1), the same in every run. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11 << 11) / 9223372036854775808.0;
}

typedef struct comparison {
    ph_reader *r;
    int k; /* of the function */
    ph_traced *traced;
    ph_body_state *bodies; /* of all */
    double *x, *room;
    int used; /* leaves that were compared */
} comparison;

/* The numbers of bodies that arguments stand for. */
static int put_arguments(const comparison *c)
{
    const ph_program *p = c->traced->program;
    for (int i = 0; i < p->n_args; i++) {
        size_t at = ph_function_offset(p->arg[i].kind);
        if (p->arg[i].kind == PH_ARG_PARAMETER) { /* it is what the file says */
            c->x[i] = c->r->def.param[c->r->def.symbol - 1].value;
            continue;
        }
        if (p->arg[i].kind != PH_ARG_TIME && at == SIZE_MAX)
            return 0;
        if (p->arg[i].kind != PH_ARG_TIME)
            memcpy((char *)&c->bodies[p->arg[i].index] + at + sizeof(double) * (size_t)p->arg[i].component,
                   &c->x[i], sizeof(double));
    }
    return 1;
}

static double time_of(const comparison *c)
{
    const ph_program *p = c->traced->program;
    for (int i = 0; i < p->n_args; i++)
        if (p->arg[i].kind == PH_ARG_TIME)
            return c->x[i];
    return 0;
}

/* The program and the function give the same bits; 0: they do not. */
static int agrees(comparison *c)
{
    ph_reader *r = c->r;
    const ph_program *p = c->traced->program;
    const ph_fn *fn = fn_of(r, c->k);
    double direct[PH_MODEL_RESULTS], own[PH_MODEL_RESULTS];
    int n = p->n_out;
    put_arguments(c);
    ph_sandbox_start(r, PH_MODEL_CALL_S, PH_MODEL_CALL_OPS);
    int done =
        ph_function_evaluate(r, c->k, time_of(c), fn->kind == PH_K_JOINT ? NULL : c->bodies, &n, direct);
    if (!done && r->error.status == PH_E_MEMORY)
        ph_reader_leave(r);
    r->failed = 0, r->error = (ph_error){0};
    if (ph_program_values(p, c->x, c->room, own) != PH_KNOWN)
        return 1; /* Lua is asked there */
    int same = 1, large = 0;
    for (int i = 0; i < p->n_out; i++) {
        same = same && done && direct[i] == own[i];
        large |= !(fabs(own[i]) <= PH_MODEL_NUMBER); /* which is an error of the function */
    }
    if (!same)
        return !done && large;
    atomic_store(&c->traced->seen[ph_program_leaf(p, c->room)], 1);
    return 1;
}

static void initial_arguments(const comparison *c)
{
    const ph_program *p = c->traced->program;
    for (int i = 0; i < p->n_args; i++) {
        size_t at = ph_function_offset(p->arg[i].kind);
        c->x[i] = 0;
        if (at != SIZE_MAX)
            memcpy(&c->x[i],
                   (const char *)&c->r->initial[p->arg[i].index] + at +
                       sizeof(double) * (size_t)p->arg[i].component,
                   sizeof(double));
    }
}

/* At the initial state, at zero, with each argument zero, and at random points of several sizes. */
static int agrees_everywhere(comparison *c)
{
    static const double sizes[] = {1, 1, 1, 10, 1e-3, 1e3};
    const ph_program *p = c->traced->program;
    uint64_t seed = 1;
    initial_arguments(c);
    if (!put_arguments(c)) /* there is no mechanism yet to give them: in a run, then */
        return 1;
    int ok = agrees(c);
    memset(c->x, 0, sizeof(double) * (size_t)p->n_args);
    ok = ok && agrees(c);
    for (int k = -POINTS; k < p->n_args && ok; k++) {
        for (int i = 0; i < p->n_args; i++)
            c->x[i] = i == k ? 0 : sizes[(k + POINTS) % 6] * next_random(&seed);
        ok = agrees(c);
    }
    return ok;
}

/* A function that looks at sensors can be compared in runs alone. */
static int compare(ph_reader *r, int k, ph_traced *traced)
{
    size_t bodies = (size_t)r->element[PH_K_BODY].n;
    comparison c = {.r = r, .k = k, .traced = traced};
    ph_arena a = {0};
    for (int again = 0; again < 2; again++) {
        c.bodies = ph_arena_take(&a, bodies, sizeof *c.bodies);
        c.x = ph_arena_take(&a, (size_t)traced->program->n_args, sizeof(double));
        c.room = ph_arena_take(&a, ph_program_room(traced->program), sizeof(double));
        if (!again && !ph_arena_open(&a, r->alloc))
            ph_reader_no_memory(r);
    }
    r->work_block = a.block; /* freed with the reader, should memory end */
    memcpy(c.bodies, r->initial, bodies * sizeof *c.bodies);
    int ok = agrees_everywhere(&c);
    ph_free(r->alloc, r->work_block);
    r->work_block = NULL;
    return ok;
}

/* ---- all functions ------------------------------------------------------------------------------------ */

void ph_traced_complete(ph_reader *r, ph_traced *traced)
{
    const ph_program *p = traced->program;
    size_t room = ph_formula_room(p);
    traced->seen = ph_store_room(r, (size_t)p->n_stretches, sizeof *traced->seen);
    traced->body = ph_store_room(r, 2 * (size_t)p->n_args, sizeof(int));
    traced->n_bodies = ph_program_reach(&r->def, p, traced->body, &traced->depth);
    traced->untraced = p->untraced > 0;
    if (room > PH_FORMULA_SMALL && room > r->def.room)
        r->def.room = room;
}

static void keep(ph_reader *r, int k, ph_program *p, const ph_trace *t)
{
    ph_traced *traced = fn_of(r, k)->traced;
    traced->program = p;
    if (t->reason[0])
        traced->reason = ph_store_text(r, t->reason, strlen(t->reason)), traced->line = t->line;
    if (!p)
        return;
    traced->sensors = t->sensors;
    ph_traced_complete(r, traced);
}

static void drop(ph_reader *r, int k, const char *reason)
{
    ph_traced *traced = fn_of(r, k)->traced;
    ph_program_destroy(traced->program);
    traced->program = NULL;
    traced->reason = reason, traced->line = 0;
}

/* Programs of the functions of the other reader. */
typedef struct bundle {
    ph_reader *r;
    uint64_t *reach;
    int k;
    ph_program *program;
} bundle;

/* Protected, in the second state. */
static int measure(lua_State *L)
{
    bundle *b = lua_touserdata(L, 1);
    ph_reader *w = ph_reader_of(L);
    for (int k = 0; k < w->fns.n; k++)
        b->reach[k] = reach_of(L, fn_of(w, k)->ref);
    return 0;
}

static int trace_next(lua_State *L)
{
    bundle *b = lua_touserdata(L, 1);
    b->program = trace_function(ph_reader_of(L), L, b->k);
    return 0;
}

static int measure_again(lua_State *L)
{
    bundle *b = lua_touserdata(L, 1);
    ph_reader *w = ph_reader_of(L);
    for (int k = 0; k < w->fns.n; k++)
        if (reach_of(L, fn_of(w, k)->ref) != b->reach[k])
            b->reach[k] = 0;
    return 0;
}

static int same_functions(const ph_reader *r, const ph_reader *w)
{
    int same = r->fns.n == w->fns.n;
    for (int k = 0; k < r->fns.n && same; k++)
        same = fn_of(r, k)->kind == fn_of(w, k)->kind && fn_of(r, k)->element == fn_of(w, k)->element;
    return same;
}

static void refuse_all(ph_reader *r, const char *reason)
{
    for (int k = 0; k < r->fns.n; k++)
        drop(r, k, reason);
}

/* In the second state w; a failure there is one of memory. */
static void call(ph_reader *r, ph_reader *w, lua_CFunction f, bundle *b)
{
    if (!ph_reader_call(w, f, b) && w->error.status == PH_E_MEMORY)
        ph_reader_no_memory(r);
}

/* What was not known at any point was not compared, and is in runs; what has no leaf that was is not worth it. */
static void trace_each(ph_reader *r, ph_reader *w)
{
    bundle b = {.r = r, .reach = ph_store_room(r, (size_t)r->fns.n, sizeof(uint64_t))};
    call(r, w, measure, &b);
    for (b.k = 0; b.k < r->fns.n; b.k++) {
        b.program = NULL;
        call(r, w, trace_next, &b);
        keep(r, b.k, b.program, w->trace);
    }
    call(r, w, measure_again, &b);
    for (int k = 0; k < r->fns.n; k++) {
        ph_traced *traced = fn_of(r, k)->traced;
        if (traced->program && b.reach[k] == 0)
            drop(r, k, "it reads or keeps values that change from call to call");
        if (traced->program && !traced->sensors && !compare(r, k, traced))
            drop(r, k, "a direct call gives something else");
    }
}

/* The twin computes with a symbol for the parameter; where the file cannot be read so, there is no twin. */
static void read_with_symbol(ph_reader *r)
{
    int k = r->def.n_params - 1;
    while (k >= 0 && strcmp(r->def.param[k].name, r->symbol) != 0)
        k--;
    if (k >= 0 && ph_reader_twin(r, r->symbol) == PH_OK && same_functions(r, r->twin)) {
        r->def.symbol = k + 1;
        return;
    }
    const ph_trace *t = r->twin ? r->twin->trace : NULL;
    if (t && r->twin->failed)
        note_message(r->twin, NULL);
    const char *why = t && t->reason[0] ? t->reason : "the file is another one when it is read with a symbol";
    r->def.no_symbol = ph_store_text(r, why, strlen(why));
    r->def.no_symbol_line = t ? t->line : 0;
    ph_reader_free_twin(r);
}

/* Frozen models have programs and no functions of Lua. */
void ph_trace_all(ph_reader *r)
{
    if (r->fns.n == 0 || r->def.frozen)
        return;
    if (r->symbol)
        read_with_symbol(r);
    if (!r->twin && (ph_reader_twin(r, NULL) != PH_OK || !same_functions(r, r->twin)))
        refuse_all(r, "the file cannot be read again in time");
    else
        trace_each(r, r->twin);
    ph_reader_free_twin(r);
}

int ph_model_function(const ph_model *model, int k, ph_function_info *out)
{
    ph_reader *r = (ph_reader *)model; /* which is only read */
    if (k < 0 || k >= r->fns.n)
        return 0;
    const ph_fn *fn = fn_of(r, k);
    const ph_traced *t = fn->traced;
    char label[sizeof r->label];
    memcpy(label, r->label, sizeof label);
    ph_element_mention(r, fn->kind, fn->element);
    *out = (ph_function_info){.line = t->line, .somewhere = t->program != NULL};
    snprintf(out->element, sizeof out->element, "%s", r->label);
    memcpy(r->label, label, sizeof label);
    if (!t->program || t->untraced)
        out->reason = t->reason;
    if (!out->line)
        out->line = ph_store_origin(r, fn->kind, fn->element)->line;
    return 1;
}

ph_status ph_model_symbol(const ph_model *model, int parameter, ph_symbol_info *out, ph_error *err)
{
    const ph_reader *r = (const ph_reader *)model;
    ph_model *near;
    *out = (ph_symbol_info){.exact = 1};
    if (r->fns.n == 0 || model->frozen)
        return PH_OK;
    ph_status s = ph_model_near(&near, model, NULL, 0, model->param[parameter].name, r->alloc, err);
    if (s != PH_OK)
        return s;
    out->exact = near->symbol > 0, out->line = near->no_symbol_line;
    if (!out->exact)
        snprintf(out->reason, sizeof out->reason, "%s", near->no_symbol);
    ph_model_free(near);
    return PH_OK;
}
