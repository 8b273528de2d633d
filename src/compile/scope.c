/* What cannot be compiled, each with its name. */
#include "compile/compile.h"

#include <string.h>

#define REFUSE(...) ph_mech_fail(err, PH_E_INPUT, c->model, __VA_ARGS__)

static ph_status bodies(const ph_compiler *c, ph_error *err)
{
    const ph_model *m = c->model;
    if (m->n_flexible)
        return REFUSE(m->flexible[0].origin, "the flexible body '%s' cannot be compiled",
                      m->flexible[0].name);
    for (int k = 0; k < m->n_bodies; k++)
        if (m->body[k].bare)
            return REFUSE(m->body[k].origin, "body '%s': a beam whose mass is not lumped cannot be compiled",
                          m->body[k].name);
    return PH_OK;
}

/* A function that was traced, all ways through it. */
static int is_traced(const ph_function *f)
{
    return !f->call || (f->traced->program && !f->traced->untraced);
}

static ph_status elements(const ph_compiler *c, ph_error *err)
{
    const ph_model *m = c->model;
    for (int k = 0; k < m->n_joints; k++)
        if (!is_traced(&m->joint[k].drive))
            return REFUSE(m->joint[k].origin, "joint '%s': its drive cannot be compiled: %s",
                          m->joint[k].name, m->joint[k].drive.traced->reason);
    for (int k = 0; k < c->mech->n_forces; k++) {
        const ph_force *f = &c->mech->force[k];
        const ph_force_def *d = f->def;
        if (d && !is_traced(&d->f))
            return REFUSE(d->origin, "'%s': its function cannot be compiled: %s", d->name,
                          d->f.traced->reason);
        if (d && ph_force_is_beam(d))
            return REFUSE(d->origin, "'%s': beams cannot be compiled", d->name);
        if (f->op == &ph_force_bushing_body)
            return REFUSE(d->origin, "bushing '%s': axes of a body cannot be compiled", d->name);
    }
    for (int k = 0; k < m->n_constraints; k++)
        return REFUSE(m->constraint[k].origin, "constraint '%s' is a function, which cannot be compiled",
                      m->constraint[k].name);
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

static ph_status controls(const ph_compiler *c, ph_error *err)
{
    const ph_model *m = c->model;
    for (int k = 0; k < m->n_events; k++)
        if (!is_traced(&m->event[k].when))
            return REFUSE(m->event[k].origin, "event '%s': its function cannot be compiled: %s",
                          m->event[k].name, m->event[k].when.traced->reason);
    for (int k = 0; k < m->n_joints; k++)
        if (m->joint[k].switched)
            return REFUSE(m->joint[k].origin,
                          "joint '%s': a joint that events release or engage cannot be compiled",
                          m->joint[k].name);
    for (int k = 0; k < m->n_states; k++)
        if (!is_traced(&m->state[k].rate))
            return REFUSE(m->state[k].origin, "state '%s': its rate cannot be compiled: %s", m->state[k].name,
                          m->state[k].rate.traced->reason);
    for (int k = 0; k < m->n_actuators; k++)
        if (!is_traced(&m->actuator[k].f))
            return REFUSE(m->actuator[k].origin, "actuator '%s': its effort cannot be compiled: %s",
                          m->actuator[k].name, m->actuator[k].f.traced->reason);
    return check_fields(c, err);
}

static ph_status sensors(const ph_compiler *c, ph_error *err)
{
    char name[2][80];
    static const char *const own[] = {"init", "restart", "begin", "step", "real"};
    for (int k = 0; k < c->model->n_sensors; k++) {
        const ph_sensor_def *d = &c->model->sensor[k];
        if (!is_traced(&d->f))
            return REFUSE(d->origin, "sensor '%s': its function cannot be compiled: %s", d->name,
                          d->f.traced->reason);
        if (ph_sensor_row_of(d)->op->form == PH_FORM_NONE)
            return REFUSE(d->origin, "sensor '%s': a sensor of this type cannot be compiled", d->name);
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
    if (strcmp(c->sim->stepper->name, "genalpha") && !ph_sim_is_multistep(c->sim))
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

/* Last what options decide: none is advised where it would not help. */
ph_status ph_compile_scope(const ph_compiler *c, ph_error *err)
{
    ph_status s = bodies(c, err);
    if (s == PH_OK)
        s = elements(c, err);
    if (s == PH_OK)
        s = controls(c, err);
    if (s == PH_OK)
        s = sensors(c, err);
    return s == PH_OK ? method(c, err) : s;
}
