/* Inputs, states, actuators, couplings and what observes them: values of their keys, and what they need of each other. */
#include "mech/numbers.h"
#include "model/frozen.h"

#include <lauxlib.h>
#include <string.h>

static void *place(ph_reader *r, const ph_key *k, int index)
{
    return (char *)ph_store_at(r, k->kind, index) + k->at;
}

static int coordinate(ph_reader *r, lua_State *L, const char *key)
{
    const char *word = ph_value_word(r, L, key);
    int k = ph_word_find(word, ph_lock_word);
    char what[48];
    snprintf(what, sizeof what, "%.20s cannot be", key);
    if (k < 0)
        ph_fail_word(r, what, word, ph_lock_word);
    return k;
}

/* Two names or words in a list: it is on top, and each of its values once. */
static void open_pair(ph_reader *r, lua_State *L, const ph_key *k, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "a list of %s", what);
    if (ph_value_list(r, L, k->name, text) != 2)
        ph_reader_fail(r, "%s must be %s", k->name, text);
}

static void store_joints(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    open_pair(r, L, k, "the names of two joints");
    for (int i = 0; i < 2; i++) {
        lua_rawgeti(L, -1, i + 1);
        ph_value_word(r, L, i ? "joints[2]" : "joints[1]");
        ph_value_refer(r, L, k, PH_K_JOINT, index, k->at + (size_t)i * sizeof(int), k->name);
        lua_pop(L, 1);
    }
}

static void store_coordinates(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    open_pair(r, L, k, "two coordinates");
    for (int i = 0; i < 2; i++) {
        lua_rawgeti(L, -1, i + 1);
        int c = coordinate(r, L, k->name);
        ((int *)place(r, k, index))[i] = c;
        lua_pop(L, 1);
    }
}

static void store_stops(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    double x[2];
    ph_value_numbers(r, L, k->name, 2, x);
    if (!(x[0] < x[1]))
        ph_reader_fail(r, "stops are {%g, %g}; the first must be below the second", x[0], x[1]);
    memcpy(place(r, k, index), x, sizeof x);
}

static void store_effort(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    if (lua_type(L, -1) == LUA_TSTRING)
        ph_value_refer(r, L, k, PH_K_INPUT, index, offsetof(ph_actuator_def, input), k->name);
    else if (lua_type(L, -1) == LUA_TNUMBER)
        ((ph_actuator_def *)ph_store_at(r, k->kind, index))->effort = ph_value_number(r, L, k->name);
    else if (lua_isfunction(L, -1) || (r->def.frozen && lua_istable(L, -1))) {
        ph_function f = lua_istable(L, -1) ? ph_frozen_take(r, L, k->name, k->kind, index)
                                           : ph_function_take(r, L, k->kind, index);
        ((ph_actuator_def *)ph_store_at(r, k->kind, index))->f = f;
    } else
        ph_reader_fail(r, "%s must be a %s, not a %s", k->name, ph_value_text(k->value),
                       luaL_typename(L, -1));
}

static void store_start(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    double x[PH_SENSOR_MAX];
    int n = 1;
    if (lua_type(L, -1) == LUA_TTABLE) {
        n = (int)lua_rawlen(L, -1);
        if (n < 1 || n > PH_SENSOR_MAX)
            ph_reader_fail(r, "%s has %d numbers; a state has from 1 to %d", k->name, n, PH_SENSOR_MAX);
        ph_value_numbers(r, L, k->name, n, x);
    } else {
        x[0] = ph_value_number(r, L, k->name);
    }
    const double *own = ph_store_numbers(r, x, n);
    ph_state_def *d = ph_store_at(r, k->kind, index);
    d->initial = own, d->size = n;
}

/* Its kind is known once all elements are: the name waits in the list of those that refer. */
static void store_of(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    ph_value_word(r, L, k->name);
    ph_value_refer(r, L, k, PH_KINDS, index, k->at, k->name);
}

static const char *unit_text(ph_reader *r, lua_State *L, const char *key)
{
    const char *text = ph_value_word(r, L, key);
    if (lua_rawlen(L, -1) > PH_MODEL_NAME)
        ph_reader_fail(r, "%s has more than %d characters", key, PH_MODEL_NAME);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == ',' || *c == '"' || *c == 127)
            ph_reader_fail(r, "%s may have no commas, quotes and control characters", key);
    return ph_store_text(r, text, strlen(text));
}

int ph_actuate_value(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    double x;
    int c;
    const char *text;
    switch (k->value) {
    case PH_V_NUMBER:
        x = ph_value_number(r, L, k->name);
        memcpy(place(r, k, index), &x, sizeof x);
        return 1;
    case PH_V_TEXT:
        text = unit_text(r, L, k->name);
        memcpy(place(r, k, index), &text, sizeof text);
        return 1;
    case PH_V_COORDINATE:
        c = coordinate(r, L, k->name);
        memcpy(place(r, k, index), &c, sizeof c);
        return 1;
    case PH_V_COORDINATES:
        store_coordinates(r, L, k, index);
        return 1;
    case PH_V_JOINTS:
        store_joints(r, L, k, index);
        return 1;
    case PH_V_STOPS:
        store_stops(r, L, k, index);
        return 1;
    case PH_V_EFFORT:
        store_effort(r, L, k, index);
        return 1;
    case PH_V_START:
        store_start(r, L, k, index);
        return 1;
    case PH_V_OF:
        store_of(r, L, k, index);
        return 1;
    default:
        return 0;
    }
}

/* ---- what was not given ------------------------------------------------------------------------------ */

static void complete_inputs(ph_reader *r)
{
    ph_input_def *d = r->element[PH_K_INPUT].data;
    for (int i = 0; i < r->element[PH_K_INPUT].n; i++)
        d[i].unit = d[i].unit ? d[i].unit : "";
}

static void complete_states(ph_reader *r)
{
    static const double zero[1] = {0};
    ph_state_def *d = r->element[PH_K_STATE].data;
    for (int i = 0; i < r->element[PH_K_STATE].n; i++, d++) {
        d->unit = d->unit ? d->unit : "";
        if (!d->size)
            d->size = 1, d->initial = zero;
    }
    d = r->element[PH_K_STATE].data;
    for (int i = 0; i < r->element[PH_K_STATE].n; i++, d++) {
        ph_element_about(r, PH_K_STATE, i);
        ph_function_try(r, &d->rate, r->initial, d->size);
    }
}

static void complete_actuators(ph_reader *r)
{
    ph_actuator_def *d = r->element[PH_K_ACTUATOR].data;
    for (int i = 0; i < r->element[PH_K_ACTUATOR].n; i++, d++) {
        ph_element_about(r, PH_K_ACTUATOR, i);
        int stops = !isnan(d->stop[0]), effort = !isnan(d->effort) || d->input >= 0 || d->f.call;
        if (!effort && isnan(d->k) && isnan(d->d) && !stops)
            ph_reader_fail(r, "does nothing: give effort, k, d or stops");
        if (stops && !(d->stop_k > 0))
            ph_reader_fail(r, "stops need a stop_k above 0");
        if (!stops && (!isnan(d->stop_k) || !isnan(d->stop_d)))
            ph_reader_fail(r, "stop_k and stop_d belong to stops, which are missing");
        ph_numbers_close(PH_NUMBERS_ACTUATOR, d);
        if (d->f.call)
            ph_function_try(r, &d->f, r->initial, 1);
    }
}

static void complete_couplings(ph_reader *r)
{
    const ph_coupling_def *d = r->element[PH_K_COUPLING].data;
    for (int i = 0; i < r->element[PH_K_COUPLING].n; i++, d++) {
        ph_element_about(r, PH_K_COUPLING, i);
        if (d->ratio == 0)
            ph_reader_fail(r, "a ratio of 0 couples nothing");
        if (d->unit && strcmp(d->unit, "m/rad") && strcmp(d->unit, "rad/m") && strcmp(d->unit, "1"))
            ph_reader_fail(r, "unit is '%.64s'; it must be 1, m/rad or rad/m", d->unit);
    }
}

void ph_actuate_complete(ph_reader *r)
{
    complete_inputs(r);
    complete_states(r);
    complete_actuators(r);
    complete_couplings(r);
}
