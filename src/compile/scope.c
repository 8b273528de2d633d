/* Refuses functions, names and options that cannot be compiled. ph_open_create refuses elements, before it builds the model many times. */
#include "compile/compile.h"

#include <string.h>

#define REFUSE(...) ph_mech_fail(err, PH_E_INPUT, c->model, __VA_ARGS__)

/* A function that was traced, all ways through it. */
static int is_traced(const ph_function *f)
{
    return !f->call || (f->traced->program && !f->traced->untraced);
}

#define CHECK(n, element, function, words)                                                                   \
    for (int k = 0; k < m->n; k++)                                                                           \
        if (!is_traced(&m->element[k].function))                                                             \
            return REFUSE(m->element[k].origin, words " cannot be compiled: %s", m->element[k].name,         \
                          m->element[k].function.traced->reason);

static ph_status functions(const ph_compiler *c, ph_error *err)
{
    const ph_model *m = c->model;
    CHECK(n_joints, joint, drive, "joint '%s': its drive")
    CHECK(n_forces, force, f, "'%s': its function")
    CHECK(n_events, event, when, "event '%s': its function")
    CHECK(n_states, state, rate, "state '%s': its rate")
    CHECK(n_actuators, actuator, f, "actuator '%s': its effort")
    CHECK(n_sensors, sensor, f, "sensor '%s': its function")
    return PH_OK;
}

/* Names of inputs and of events become fields: each must be one in C, and none is there before it. */
static ph_status check_field(const ph_compiler *c, const char *what, const char *own, ph_origin origin,
                             const char *const *before, int n, ph_error *err)
{
    char name[2][80];
    ph_compile_name(own, name[0], sizeof name[0]);
    if (ph_compile_check_name(name[0], err) != PH_OK)
        return REFUSE(origin, "%s '%s': its name is none in C", what, own);
    for (int i = 0; i < n; i++) {
        ph_compile_name(before[i], name[1], sizeof name[1]);
        if (!strcmp(name[0], name[1]))
            return REFUSE(origin, "%ss '%s' and '%s' have the same name in C", what, before[i], own);
    }
    return PH_OK;
}

static ph_status check_fields(const ph_compiler *c, ph_error *err)
{
    const ph_model *m = c->model;
    int most = m->n_inputs > m->n_events ? m->n_inputs : m->n_events;
    const char **names = ph_alloc(c->alloc, sizeof *names * ((size_t)most + 1));
    ph_status s = names ? PH_OK : ph_fail(err, PH_E_MEMORY, "not enough memory to compile the model");
    for (int k = 0; k < m->n_inputs && s == PH_OK; k++) {
        s = check_field(c, "input", m->input[k].name, m->input[k].origin, names, k, err);
        names[k] = m->input[k].name;
    }
    for (int k = 0; k < m->n_events && s == PH_OK; k++) {
        s = check_field(c, "event", m->event[k].name, m->event[k].origin, names, k, err);
        names[k] = m->event[k].name;
    }
    ph_free(c->alloc, (void *)names);
    return s;
}

static ph_status sensors(const ph_compiler *c, ph_error *err)
{
    char name[2][80];
    static const char *const own[] = {"init", "restart", "begin", "step", "real"};
    for (int k = 0; k < c->model->n_sensors; k++) {
        const ph_sensor_def *d = &c->model->sensor[k];
        ph_compile_name(d->name, name[0], sizeof name[0]);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (!strcmp(name[0], own[i]))
                return REFUSE(d->origin, "sensor '%s': a compiled model has a function of that name",
                              d->name);
        for (int i = 0; i < k; i++) {
            ph_compile_name(c->model->sensor[i].name, name[1], sizeof name[1]);
            if (!strcmp(name[0], name[1]))
                return REFUSE(d->origin, "sensors '%s' and '%s' have the same name in C",
                              c->model->sensor[i].name, d->name);
        }
    }
    return PH_OK;
}

/* Blocks of three unknowns, and what a step puts on the stack, of each member, for each of them, measured on chains. */
#define STACK_MAX (6 << 20)

static ph_status method(const ph_compiler *c, ph_error *err)
{
    const ph_options *o = &c->sim->opt;
    if (!c->mech->space->plain)
        return ph_fail(err, PH_E_INPUT, "only models in the space R3xSO3 can be compiled: --space R3xSO3");
    if (!c->sim->stepper->compiles)
        return ph_fail(err, PH_E_INPUT, "the method %s cannot be compiled, genalpha and bliedf can",
                       c->sim->stepper->name);
    if (o->newton != PH_FULL && o->newton != PH_STEP)
        return ph_fail(err, PH_E_INPUT, "newton = \"%s\" cannot be compiled: --newton full",
                       ph_newton_word((int)o->newton));
    if (o->tol > 0)
        return ph_fail(err, PH_E_INPUT, "a compiled model has steps of one size: leave tol out");
    if (c->sim->n > 0)
        return ph_fail(err, PH_E_INPUT, "a run is compiled at its initial time");
    for (int i = 0; i < c->lay->N; i++)
        if (c->sim->matrix.hub_at[i] >= 0 && ph_compile_joints_at(c->lay, i) > PH_HUB_MOST)
            return ph_fail(
                err, PH_E_INPUT,
                "body '%s' has too many joints for the form ggl of compiled models: --formulation index3",
                c->lay->sys->nodes[i].name);
    int blocks = (c->lay->nv + c->lay->nl + c->sim->matrix.n_eta) / 3,
        most = STACK_MAX / (PH_STACK_DEEP * c->config->lanes);
    if (blocks > most)
        return ph_fail(err, PH_E_INPUT,
                       "the model has %d unknowns in a step, more than the %d that can be compiled%s",
                       3 * blocks, 3 * most, c->config->lanes > 1 ? " with so many members" : "");
    return PH_OK;
}

/* Options come last: their messages give advice, which would not help if an element cannot be compiled. */
ph_status ph_compile_scope(const ph_compiler *c, ph_error *err)
{
    ph_status s = functions(c, err);
    if (s == PH_OK)
        s = check_fields(c, err);
    if (s == PH_OK)
        s = sensors(c, err);
    return s == PH_OK ? method(c, err) : s;
}
