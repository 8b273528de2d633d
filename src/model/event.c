/* Events: what they do, as the file says it, and as a frozen model does.
 *
 *   action = "stop"   {release = "joint"}   {engage = "joint"}   {set = {input = value}}   {state = {name = value}}
 *
 * or a list of these. A value is a number, as many as a state has, or a function(t, s) that returns them. */
#include "model/trace.h"
#include "model/frozen.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

const char *ph_action_word(int k)
{
    static const char *const words[] = {"stop", "release", "engage", "set", "state"}; /* ph_action_code */
    return k >= 0 && k < 5 ? words[k] : NULL;
}

#define ACTIONS 64 /* of one event */

typedef struct actions {
    ph_action_def *list; /* ACTIONS of them */
    int n;
} actions;

static ph_action_def *add(ph_reader *r, actions *a, int what)
{
    if (a->n == ACTIONS)
        ph_reader_fail(r, "action has more than %d parts", ACTIONS);
    a->list[a->n] = (ph_action_def){.what = what, .index = -1};
    return &a->list[a->n++];
}

/* The value of one input or state, on top of the stack. */
static void read_assigned(ph_reader *r, lua_State *L, int index, ph_action_def *d)
{
    double x[PH_SENSOR_MAX];
    char key[PH_MODEL_NAME + 16];
    snprintf(key, sizeof key, "%s of '%s'", ph_action_word(d->what), d->name);
    lua_Integer n = lua_istable(L, -1) ? (lua_Integer)lua_rawlen(L, -1) : 1;
    if (lua_isfunction(L, -1))
        d->f = ph_function_take(r, L, PH_K_EVENT, index);
    else if (r->def.frozen && lua_istable(L, -1) && n == 0)
        d->f = ph_frozen_take(r, L, key, PH_K_EVENT, index);
    else if (!lua_istable(L, -1))
        x[0] = ph_value_number(r, L, key);
    else if (n < 1 || n > PH_SENSOR_MAX)
        ph_reader_fail(r, "%s has %d numbers; a state has from 1 to %d", key, (int)n, PH_SENSOR_MAX);
    else
        ph_value_numbers(r, L, key, (int)n, x);
    d->size = d->f.call ? 0 : (int)n;
    d->value = d->f.call ? NULL : ph_store_numbers(r, x, (int)n);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* {name = value, ...} on top of the stack. Tables have a random order: that of the names is taken. */
static void read_assignments(ph_reader *r, lua_State *L, int index, int what, actions *a)
{
    const char *name[ACTIONS];
    int n = 0;
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be a table, {name = value}, not a %s", ph_action_word(what),
                       luaL_typename(L, -1));
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            ph_reader_fail(r, "%s must be a table, {name = value}", ph_action_word(what));
        if (n == ACTIONS)
            ph_reader_fail(r, "action has more than %d parts", ACTIONS);
        name[n++] = lua_tostring(L, -2);
    }
    if (n == 0)
        ph_reader_fail(r, "%s is empty: say {name = value}", ph_action_word(what));
    qsort(name, (size_t)n, sizeof *name, by_name);
    for (int i = 0; i < n; i++) {
        ph_action_def *d = add(r, a, what);
        d->name = ph_store_text(r, name[i], strlen(name[i]));
        lua_getfield(L, -1, name[i]);
        read_assigned(r, L, index, d);
        lua_pop(L, 1);
    }
}

/* One part: a word, or a table with the actions as keys. */
static void read_part(ph_reader *r, lua_State *L, int index, actions *a)
{
    if (lua_type(L, -1) == LUA_TSTRING) {
        if (strcmp(lua_tostring(L, -1), "stop") != 0)
            ph_reader_fail(r, "action '%.64s': the only one without a table is \"stop\"",
                           lua_tostring(L, -1));
        add(r, a, PH_DO_STOP);
        return;
    }
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "an action is \"stop\" or a table such as {release = \"joint\"}, not a %s",
                       luaL_typename(L, -1));
    ph_table_only(r, L, "action", ph_action_word);
    for (int what = PH_DO_STOP; ph_action_word(what); what++) {
        if (!ph_table_optional(L, ph_action_word(what)))
            continue;
        if (what == PH_DO_STOP)
            ph_reader_fail(r, "write \"stop\" without a value");
        if (what == PH_DO_SET || what == PH_DO_STATE) {
            read_assignments(r, L, index, what, a);
        } else {
            const char *joint = ph_value_word(r, L, ph_action_word(what));
            add(r, a, what)->name = ph_store_text(r, joint, strlen(joint));
        }
        lua_pop(L, 1);
    }
}

void ph_event_value(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    actions a = {ph_store_room(r, ACTIONS, sizeof *a.list), 0};
    int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
    luaL_checkstack(L, 16, NULL);
    for (int i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, i);
        read_part(r, L, index, &a);
        lua_pop(L, 1);
    }
    if (n)
        ph_value_list(r, L, k->name, "a list of actions");
    else
        read_part(r, L, index, &a);
    if (a.n == 0)
        ph_reader_fail(r, "does nothing: action is empty");
    ph_event_def *e = ph_store_at(r, PH_K_EVENT, index);
    e->action = a.list, e->n_actions = a.n;
}

/* ---- the end of reading -------------------------------------------------------------------------------- */

/* The element that an action names. */
static int find(ph_reader *r, const ph_action_def *d, ph_kind kind)
{
    int k = ph_store_find(r, kind, d->name);
    if (k >= 0)
        return k;
    const char *action = ph_action_word(d->what), *what = kind == PH_K_JOINT   ? "joint"
                                                          : kind == PH_K_INPUT ? "input"
                                                                               : "state";
    static const struct {
        ph_kind kind;
        const char *word;
    } others[] = {{PH_K_CONSTRAINT, "constraint"}, {PH_K_COUPLING, "coupling"}, {PH_K_ACTUATOR, "actuator"},
                  {PH_K_FORCE, "force"},           {PH_K_BODY, "body"},         {PH_K_BEAM, "beam"}};
    for (size_t i = 0; i < sizeof others / sizeof *others && kind == PH_K_JOINT; i++)
        if (ph_store_find(r, others[i].kind, d->name) >= 0)
            ph_reader_fail(r, "%s = '%.64s': that is a %s; only joints can be released and engaged", action,
                           d->name, others[i].word);
    ph_near search = {.word = d->name};
    for (int i = 0; i < r->element[kind].n; i++)
        ph_near_offer(&search, ph_store_name_of(r, kind, i));
    const char *near = ph_near_word(&search);
    ph_reader_fail(r, "%s: there is no %s '%.64s'%s%s%s", action, what, d->name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void complete_assigned(ph_reader *r, ph_action_def *d)
{
    int state = d->what == PH_DO_STATE, size = 1;
    d->index = find(r, d, state ? PH_K_STATE : PH_K_INPUT);
    if (state)
        size = ((const ph_state_def *)ph_store_at(r, PH_K_STATE, d->index))->size;
    if (!d->f.call && d->size != size)
        ph_reader_fail(r, "%s of '%s' has %d numbers instead of %d", ph_action_word(d->what), d->name,
                       d->size, size);
    d->size = size;
    if (d->f.call)
        ph_function_try(r, &d->f, r->initial, size);
}

void ph_event_complete(ph_reader *r)
{
    const ph_event_def *e = r->element[PH_K_EVENT].data;
    ph_joint_def *joints = r->element[PH_K_JOINT].data;
    for (int i = 0; i < r->element[PH_K_JOINT].n; i++)
        joints[i].switched = !joints[i].active;
    for (int i = 0; i < r->element[PH_K_EVENT].n; i++, e++) {
        ph_element_about(r, PH_K_EVENT, i);
        ph_function_try(r, &e->when, r->initial, 1);
        for (ph_action_def *d = e->action, *end = d + e->n_actions; d < end; d++) {
            ph_element_about(r, PH_K_EVENT, i);
            if (d->what == PH_DO_SET || d->what == PH_DO_STATE)
                complete_assigned(r, d);
            if (d->what != PH_DO_RELEASE && d->what != PH_DO_ENGAGE)
                continue;
            d->index = find(r, d, PH_K_JOINT);
            joints[d->index].switched = 1;
        }
    }
}

void ph_event_check(ph_reader *r)
{
    const ph_event_def *e = r->element[PH_K_EVENT].data;
    for (int i = 0; i < r->element[PH_K_EVENT].n; i++, e++) {
        const ph_program *p = e->when.traced->program;
        if (!p || p->n_args > 0 || p->untraced)
            continue;
        ph_element_about(r, PH_K_EVENT, i);
        ph_reader_fail(r, "when depends neither on time nor on the state: it never changes its sign");
    }
    r->label[0] = 0, r->line = 0, r->part = NULL;
}

int ph_event_results(const ph_event_def *e, int function)
{
    for (int k = 0; k < e->n_actions; k++)
        if (e->action[k].f.call && e->action[k].f.ref == function)
            return e->action[k].size;
    return 1;
}

/* ---- frozen models -------------------------------------------------------------------------------------- */

static void put_assigned(const ph_action_def *d, FILE *to)
{
    fprintf(to, "{\"%s\": {\"%s\": ", ph_action_word(d->what), d->name);
    if (d->f.call)
        ph_frozen_put(&d->f, to);
    for (int i = 0; i < d->size && !d->f.call; i++)
        fprintf(to, "%s%.17g", i ? ", " : "[", d->value[i]);
    fputs(d->f.call ? "}}" : "]}}", to);
}

void ph_event_put(const ph_event_def *e, FILE *to)
{
    for (int k = 0; k < e->n_actions; k++) {
        const ph_action_def *d = &e->action[k];
        fputs(k ? ", " : "[", to);
        if (d->what == PH_DO_STOP)
            fputs("\"stop\"", to);
        else if (d->what == PH_DO_SET || d->what == PH_DO_STATE)
            put_assigned(d, to);
        else
            fprintf(to, "{\"%s\": \"%s\"}", ph_action_word(d->what), d->name);
    }
    fputc(']', to);
}
