/* Building a mechanism: elements from the model, places from the elements. */
#include "mech/beam_batch.h"
#include "mech/hinge_batch.h"
#include "mech/carry.h"
#include "mech/coordinate.h"
#include "mech/reach.h"

#include <string.h>

#include "step/layout.h"

typedef struct counts {
    size_t bodies, joints, forces, friction, links, user; /* user: rows of user constraints */
    size_t norms, letters; /* and the letters of their names and those of modes */
    size_t nodes, numbers; /* and the numbers of their coordinates */
    size_t carried;        /* elements that may have a marker */
    size_t constraints;
    size_t axes; /* bushings with axes of a body */
} counts;

static counts count(const ph_model *model, const ph_space *space)
{
    size_t couplings = (size_t)model->n_couplings;
    counts n = {.bodies = (size_t)model->n_bodies,
                .forces = (size_t)model->n_forces + (size_t)model->n_actuators};
    for (int k = 0; k < model->n_bodies && space->norm; k++)
        n.norms++, n.letters += sizeof PH_NORM_NAME + strlen(model->body[k].name);
    for (int k = 0; k < model->n_joints; k++) {
        n.joints += (size_t)ph_joint_count(&model->joint[k]);
        n.friction += model->joint[k].friction != 0;
    }
    n.forces += n.friction;
    n.nodes = 2 * n.bodies + (size_t)model->n_flexible + (size_t)model->n_states, n.numbers = 7 * n.bodies;
    for (int k = 0; k < model->n_forces; k++)
        n.axes += ph_force_row_of(&model->force[k])->op == &ph_force_bushing && model->force[k].in_body;
    for (int k = 0; k < model->n_states; k++)
        n.numbers += (size_t)model->state[k].size;
    for (int k = 0; k < model->n_bodies; k++) {
        const ph_body_def *d = &model->body[k];
        if (!d->flexible || d->marker)
            continue;
        n.numbers += (size_t)model->flexible[d->flexible - 1].body->modes;
        n.letters += sizeof PH_MODES_NAME + strlen(d->name);
    }
    n.carried = model->n_flexible ? n.joints + n.forces + 2 * couplings : 0;
    n.links =
        2 * PH_SIDE_NODES * (n.joints + 2 * couplings) + n.norms + n.nodes * (size_t)model->n_constraints;
    n.constraints = n.joints + n.norms + couplings + (size_t)model->n_constraints;
    for (int k = 0; k < model->n_constraints; k++)
        n.user += (size_t)model->constraint[k].rows;
    return n;
}

/* States, efforts that are functions, and loads whose functions read more than their body. */
static void take_reaches(ph_mechanism *m, const counts *n, ph_arena *a)
{
    const ph_model *model = m->model;
    size_t states = (size_t)model->n_states, most = 1;
    int efforts = 0, loads = 0;
    for (int k = 0; k < model->n_actuators; k++)
        efforts += model->actuator[k].f.call != NULL;
    for (int k = 0; k < model->n_forces; k++)
        loads += ph_reach_needed(&model->force[k]);
    most = loads ? 3 : most;
    for (int k = 0; k < model->n_states; k++)
        most = (size_t)model->state[k].size > most ? (size_t)model->state[k].size : most;
    m->own = ph_arena_take(a, states, sizeof *m->own);
    ph_reach none, *r = ph_arena_take(a, states + (size_t)(efforts + loads), sizeof *r);
    m->reach = r;
    for (int k = 0; k < model->n_states; k++)
        ph_reach_take(model, &model->state[k].rate, a->base ? r++ : &none, a);
    for (int k = 0; k < model->n_actuators; k++)
        if (model->actuator[k].f.call)
            ph_reach_take(model, &model->actuator[k].f, a->base ? r++ : &none, a);
    for (int k = 0; k < model->n_forces; k++)
        if (ph_reach_needed(&model->force[k]))
            ph_reach_take(model, &model->force[k].f, a->base ? r++ : &none, a);
    m->rows = states || efforts || loads ? ph_arena_take(a, most * n->numbers, sizeof(double)) : NULL;
}

/* Elements read angles of joints, in each step and several times. */
static int reads_angles(const ph_model *model)
{
    int reads = model->n_actuators + model->n_couplings + model->n_states;
    for (int k = 0; k < model->n_forces; k++) {
        const ph_traced *t = model->force[k].f.traced;
        for (int i = 0; t && t->program && i < t->program->n_args; i++)
            reads += t->program->arg[i].kind == PH_ARG_JOINT_POSITION ||
                     t->program->arg[i].kind == PH_ARG_JOINT_RATE;
    }
    return reads > 0;
}

static void take(ph_mechanism *m, const counts *n, ph_arena *a)
{
    size_t nodes = n->nodes, d = sizeof(double);
    m->body = ph_arena_take(a, n->bodies, sizeof *m->body);
    m->rigid = ph_arena_take(a, n->bodies, sizeof *m->rigid);
    m->general = ph_arena_take(a, n->bodies, sizeof *m->general);
    m->pinned = ph_arena_take(a, n->bodies, sizeof *m->pinned);
    m->arm = ph_arena_take(a, 2 * n->joints, sizeof *m->arm);
    m->joint = ph_arena_take(a, n->joints, sizeof *m->joint);
    m->pin = ph_arena_take(a, n->joints, sizeof *m->pin);
    m->unpinned = ph_arena_take(a, n->joints, sizeof *m->unpinned);
    m->joint_of = ph_arena_take(a, (size_t)m->model->n_joints + 1, sizeof *m->joint_of);
    m->force = ph_arena_take(a, n->forces, sizeof *m->force);
    m->friction = ph_arena_take(a, n->friction, sizeof *m->friction);
    m->hinge = ph_arena_take(a, ph_hinges_needed(m->model), sizeof *m->hinge);
    m->beam = ph_arena_take(a, ph_beams_needed(m->model), sizeof *m->beam);
    m->sections = ph_arena_take(a, ph_sections_needed(m->model), sizeof *m->sections);
    m->node = ph_arena_take(a, nodes, sizeof *m->node);
    m->constraint = ph_arena_take(a, n->constraints, sizeof *m->constraint);
    m->dependent = ph_arena_take(a, n->constraints, sizeof *m->dependent);
    m->input = ph_arena_take(a, (size_t)m->model->n_inputs, sizeof *m->input);
    take_reaches(m, n, a);
    m->axes = ph_arena_take(a, n->axes, sizeof *m->axes);
    m->couple = ph_arena_take(a, (size_t)m->model->n_couplings, sizeof *m->couple);
    m->norm = ph_arena_take(a, n->norms, sizeof *m->norm);
    m->flex = ph_arena_take(a, (size_t)m->model->n_flexible, sizeof *m->flex);
    m->carried = ph_arena_take(a, n->carried, sizeof *m->carried);
    m->names = ph_arena_take(a, n->letters, 1);
    m->link = ph_arena_take(a, n->links, sizeof *m->link);
    m->states = ph_arena_take(a, n->bodies, sizeof *m->states);
    m->turns = ph_arena_take(a, 3 * (size_t)m->model->n_joints, sizeof *m->turns);
    m->angle = reads_angles(m->model)
                   ? ph_arena_take(a, PH_ANGLES_MAX * (size_t)m->model->n_joints, sizeof *m->angle)
                   : NULL;
    m->q0 = ph_arena_take(a, n->numbers, d);
    m->v0 = ph_arena_take(a, n->numbers, d);
    if (m->model->n_objectives || m->model->n_sensors)
        m->look =
            ph_look_take(n->bodies, n->numbers, (size_t)m->model->n_joints, (size_t)m->model->n_couplings,
                         PH_ROWS_MAX * n->joints + n->norms + (size_t)m->model->n_couplings + n->user, a);
    m->room = m->model->room ? ph_arena_take(a, m->model->room, d) : NULL;
    ph_user_take(m, a);
}

static ph_status check_flexible(const ph_model *model, const ph_body_def *b, ph_error *err)
{
    const ph_reduced *r = b->flexible <= model->n_flexible ? model->flexible[b->flexible - 1].body : NULL;
    if (!r || r->modes < 1 || r->modes > PH_MODES_MAX)
        return ph_mech_fail(err, PH_E_INPUT, model, b->origin,
                            "body '%s': flexible bodies have 1 to %d modes", b->name, PH_MODES_MAX);
    if (b->marker > r->n_markers)
        return ph_mech_fail(err, PH_E_INPUT, model, b->origin, "body '%s': there is no such marker", b->name);
    return PH_OK;
}

static ph_status check_bodies(const ph_model *model, ph_error *err)
{
    if (model->n_bodies < 1)
        return ph_fail(err, PH_E_INPUT, "the model has no bodies");
    for (int k = 0; k < model->n_bodies; k++) {
        const ph_body_def *b = &model->body[k];
        ph_status s = b->flexible ? check_flexible(model, b, err) : PH_OK;
        if (s != PH_OK)
            return s;
        if (!b->flexible && (!(b->mass > 0) || !isfinite(b->mass)))
            return ph_mech_fail(err, PH_E_INPUT, model, b->origin, "body '%s': its mass is %.9g kg", b->name,
                                b->mass);
        double norm = b->R.w * b->R.w + b->R.x * b->R.x + b->R.y * b->R.y + b->R.z * b->R.z;
        if (!b->particle && !(fabs(norm - 1) <= 1e-9))
            return ph_mech_fail(err, PH_E_INPUT, model, b->origin,
                                "body '%s': its rotation is not a unit quaternion", b->name);
    }
    return PH_OK;
}

#define USER_BODIES 500 /* beyond this, constraints that are linked with everything take too much memory */

static ph_status check_types(const ph_model *model, ph_error *err)
{
    for (int k = 0; k < model->n_joints; k++)
        if (model->joint[k].type < 0 || model->joint[k].type >= PH_JOINT_COUNT)
            return ph_mech_fail(err, PH_E_INPUT, model, model->joint[k].origin,
                                "joint '%s': there is no such type", model->joint[k].name);
    for (int k = 0; k < model->n_forces; k++)
        if (model->force[k].type < 0 || model->force[k].type >= PH_FORCE_COUNT)
            return ph_mech_fail(err, PH_E_INPUT, model, model->force[k].origin,
                                "force '%s': there is no such type",
                                model->force[k].name ? model->force[k].name : "");
    return PH_OK;
}

static ph_status check_user(const ph_model *model, ph_error *err)
{
    for (int k = 0; k < model->n_constraints; k++) {
        const ph_user_constraint_def *c = &model->constraint[k];
        if (c->rows < 1 || !c->f.call)
            return ph_mech_fail(err, PH_E_INPUT, model, c->origin, "constraint '%s': has no equation",
                                c->name);
        if (model->n_bodies > USER_BODIES)
            return ph_mech_fail(err, PH_E_INPUT, model, c->origin,
                                "constraint '%s': functions as constraints are for up to %d bodies", c->name,
                                USER_BODIES);
    }
    return PH_OK;
}

/* All that the keys of its type name is there. */
static int measures(const ph_model *model, const ph_sensor_def *d)
{
    const int efforts[] = {model->n_actuators, model->n_couplings, model->n_joints};
    if (d->type < 0 || d->type >= PH_SENSOR_COUNT)
        return 0;
    ph_keys keys = ph_sensor_row_of(d)->keys;
    return (!(keys & PH_KEY_BODY) || d->body < model->n_bodies) &&
           (!(keys & PH_KEY_JOINT) || (d->joint >= 0 && d->joint < model->n_joints)) &&
           (!(keys & PH_KEY_ELEMENT) || (d->element >= 0 && d->element < model->n_forces &&
                                         ph_force_is_beam(&model->force[d->element]))) &&
           (!(keys & PH_KEY_OF) || (d->of >= 0 && d->of < efforts[d->of_kind])) &&
           (!(keys & PH_KEY_FUNCTION) || d->f.call);
}

static ph_status check_sensors(const ph_mechanism *m, ph_error *err)
{
    ph_status s = PH_OK;
    for (int k = 0; k < m->model->n_sensors && s == PH_OK; k++) {
        const ph_sensor_def *d = &m->model->sensor[k];
        if (!measures(m->model, d))
            return ph_mech_fail(err, PH_E_INPUT, m->model, d->origin, "sensor '%s': measures nothing",
                                d->name);
        const ph_sensor_ops *op = ph_sensor_row_of(d)->op;
        s = op->check ? op->check(m, d, err) : PH_OK;
    }
    return s;
}

static ph_status make_elements(ph_mechanism *m, ph_error *err)
{
    const ph_model *model = m->model;
    ph_joint *axes = m->axes;
    ph_status s = PH_OK;
    for (int k = 0; k < model->n_joints && s == PH_OK; k++) {
        m->joint_of[k] = m->n_joints;
        ph_joint *j = &m->joint[m->n_joints];
        s = ph_joint_make(model, k, j, err);
        j->turns = m->n_turns;
        for (int i = PH_ABOUT; i < PH_LENGTH; i++)
            m->n_turns += (int)(j->frees >> i & 1);
        j->angle = m->angle ? m->angle + PH_ANGLES_MAX * k : NULL;
        m->n_joints += ph_joint_count(&model->joint[k]);
        for (ph_joint *end = m->joint + m->n_joints; j < end; j++)
            j->switched = model->joint[k].switched, j->idle = j->switched && !model->joint[k].active;
        m->sys.switches |= model->joint[k].switched;
    }
    m->joint_of[model->n_joints] = m->n_joints;
    for (int k = 0; k < model->n_constraints; k++)
        m->functions |= ph_function_is_untraced(&model->constraint[k].f);
    for (int k = 0; k < model->n_forces && s == PH_OK; k++) {
        s = ph_force_make(model, k, &m->force[m->n_forces++], err);
        ph_force *f = &m->force[k];
        if (s == PH_OK && f->op == &ph_force_bushing && f->def->in_body) {
            ph_bushing_axes(f, axes);
            f->op = &ph_force_bushing_body, f->along = axes++, f->n_pairs = f->op->n_pairs;
        }
        m->functions |= ph_function_is_untraced(&model->force[k].f) && !model->force[k].f.only_time;
        m->inertia |= m->force[k].op && m->force[k].op->M;
    }
    for (int k = 0; k < m->n_joints && s == PH_OK; k++)
        if (model->joint[m->joint[k].def].friction != 0) {
            m->friction[m->n_friction++] = &m->force[m->n_forces];
            s = ph_friction_make(model, &m->joint[k], &m->force[m->n_forces++], err);
        }
    ph_reach *reach = m->reach;
    for (int k = 0; k < model->n_states; k++)
        m->own[k].reach = reach++;
    for (int k = 0; k < model->n_actuators && s == PH_OK; k++) {
        s = ph_actuator_make(m, k, &m->force[m->n_forces], err);
        if (model->actuator[k].f.call)
            m->force[m->n_forces].reach = reach++;
        m->n_forces++;
    }
    for (int k = 0; k < model->n_forces && s == PH_OK; k++)
        if (ph_reach_needed(&model->force[k]))
            m->force[k].reach = reach++;
    for (int k = 0; k < model->n_couplings && s == PH_OK; k++)
        s = ph_couple_make(m, k, &m->couple[k], err);
    for (int k = 0; k < model->n_inputs; k++)
        m->input[k] = (ph_input){.u = {model->input[k].value, model->input[k].value},
                                 .step = model->input[k].hold == PH_HOLD_STEP,
                                 .from = -HUGE_VAL,
                                 .own = 1};
    return s;
}

static ph_status fill(ph_mechanism *m, ph_error *err)
{
    ph_status s = make_elements(m, err);
    if (s == PH_OK)
        s = check_sensors(m, err);
    if (s == PH_OK)
        s = ph_mechanism_pattern(m, err);
    if (s != PH_OK)
        return s;
    m->sys.name = m->model->name;
    m->sys.nodes = m->node, m->sys.constraints = m->constraint;
    m->sys.pairs = m->pair, m->sys.pair_has = m->pair_has, m->sys.links = m->link;
    ph_mechanism_callbacks(m);
    ph_mechanism_remember(m);
    return PH_OK;
}

ph_status ph_mechanism_create(ph_mechanism **out, const ph_model *model, ph_space_code space,
                              const ph_allocator *alloc, ph_error *err)
{
    *out = NULL;
    const ph_space *sp = ph_space_get(space);
    if (!sp)
        return ph_fail(err, PH_E_INPUT, "this space is not available");
    ph_status s = check_bodies(model, err);
    if (s == PH_OK)
        s = check_types(model, err);
    if (s == PH_OK)
        s = check_user(model, err);
    if (s != PH_OK)
        return s;
    ph_mechanism *m = ph_alloc(alloc, sizeof *m);
    if (!m)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the mechanism");
    *m = (ph_mechanism){.model = model, .space = sp, .alloc = alloc, .load = 1};
    m->parameter.value = model->symbol ? model->param[model->symbol - 1].value : 0;
    atomic_flag_clear(&m->room_taken);
    ph_arena a = {0};
    counts n = count(model, sp);
    take(m, &n, &a);
    if (!ph_arena_open(&a, alloc)) {
        ph_free(alloc, m);
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the mechanism");
    }
    m->block = a.block;
    take(m, &n, &a);
    s = fill(m, err);
    if (s == PH_OK)
        *out = m;
    else
        ph_mechanism_destroy(m);
    return s;
}

void ph_mechanism_destroy(ph_mechanism *m)
{
    if (!m)
        return;
    const ph_allocator *alloc = m->alloc;
    ph_skeleton_release(m->skeleton);
    ph_free(alloc, m->pair);
    ph_free(alloc, m->pair_has);
    ph_free(alloc, m->block);
    ph_free(alloc, m);
}

ph_status ph_mechanism_skeleton(ph_mechanism *m, ph_skeleton **out, ph_error *err)
{
    ph_status s = m->skeleton ? PH_OK : ph_skeleton_create(&m->skeleton, &m->sys, m->alloc, err);
    *out = m->skeleton;
    return s;
}

void ph_mechanism_set_active(ph_mechanism *m, int joint, int active)
{
    for (int k = m->joint_of[joint]; k < m->joint_of[joint + 1]; k++)
        m->joint[k].idle = !active;
}

int ph_mechanism_active(const ph_mechanism *m, int joint)
{
    return !m->joint[m->joint_of[joint]].idle;
}

const ph_system *ph_mechanism_system(const ph_mechanism *m)
{
    return &m->sys;
}

void ph_mechanism_set_load_factor(ph_mechanism *m, double factor)
{
    m->load = factor;
    for (int k = 0; k < m->model->n_bodies; k++) /* m gravity is exact as before for a factor of 1 */
        m->body[k].weight = ph_scale(factor, ph_scale(m->body[k].m, m->model->gravity));
}

int ph_mechanism_redundant(const ph_mechanism *m, int constraint)
{
    return m->dependent[constraint];
}

void ph_mechanism_projected(const ph_mechanism *m, double *position, double *velocity)
{
    *position = m->projected[0].violation, *velocity = m->projected[1].violation;
}

const char *ph_mechanism_whose(const ph_mechanism *m, int c, const char **name, ph_origin *origin)
{
    const ph_model *model = m->model;
    int coupling = c - m->n_joints - m->n_norms, own = coupling - model->n_couplings;
    *name = m->constraint[c].name, *origin = (ph_origin){0};
    if (c < m->n_joints) {
        *origin = model->joint[m->joint[c].def].origin;
        return "joint";
    }
    if (coupling < 0)
        return "norm";
    *origin = own < 0 ? model->coupling[coupling].origin : model->constraint[own].origin;
    return own < 0 ? "coupling" : "constraint";
}

const char *ph_mechanism_assembled(const ph_mechanism *m, int velocities, char *text, size_t size)
{
    const ph_projected *p = &m->projected[velocities];
    const char *name;
    ph_origin at;
    text[0] = 0;
    if (p->violation > 0) {
        const char *what = ph_mechanism_whose(m, p->constraint, &name, &at);
        snprintf(text, size, "%s '%s': the initial %s violated it by %.3g and were moved", what, name,
                 velocities ? "velocities" : "positions", p->violation);
    }
    return text;
}
