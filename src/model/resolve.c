/* The end of reading: names become indices, points of the world become points of bodies, what was not given
 * is filled in, and functions are tried. */
#include "model/inside.h"

#include <string.h>

#include "lie/so3.h"
#include "mech/numbers.h"

/* ---- names ------------------------------------------------------------------------------------------- */

_Noreturn static void refuse_name(ph_reader *r, const ph_ref *ref)
{
    const char *what = ref->to == PH_K_BODY     ? "body"
                       : ref->to == PH_K_JOINT  ? "joint"
                       : ref->to == PH_K_SENSOR ? "sensor"
                       : ref->to == PH_K_INPUT  ? "input"
                                                : "beam element";
    ph_near search = {.word = ref->name};
    for (int i = 0; i < r->element[ref->to].n; i++)
        ph_near_offer(&search, ph_store_name_of(r, ref->to, i));
    if (ref->to == PH_K_BODY)
        ph_near_offer(&search, "ground");
    if (ph_near_word(&search))
        ph_reader_fail(r, "there is no %s '%.64s'; did you mean '%s'?", what, ref->name,
                       ph_near_word(&search));
    ph_reader_fail(r, "there is no %s '%.64s'", what, ref->name);
}

/* What an effort or power is of. */
static void resolve_of(ph_reader *r, const ph_ref *ref)
{
    static const ph_kind kinds[] = {
        [PH_OF_ACTUATOR] = PH_K_ACTUATOR, [PH_OF_COUPLING] = PH_K_COUPLING, [PH_OF_JOINT] = PH_K_JOINT};
    ph_near search = {.word = ref->name};
    ph_sensor_def *d = ph_store_at(r, ref->kind, ref->element);
    for (int k = 0; k < 3 && d->of < 0; k++) {
        d->of_kind = k, d->of = ph_store_find(r, kinds[k], ref->name);
        for (int i = 0; i < r->element[kinds[k]].n; i++)
            ph_near_offer(&search, ph_store_name_of(r, kinds[k], i));
    }
    if (d->of >= 0)
        return;
    ph_element_about(r, ref->kind, ref->element);
    const char *near = ph_near_word(&search);
    ph_reader_fail(r, "there is no actuator, coupling or joint '%.64s'%s%s%s", ref->name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void resolve_names(ph_reader *r)
{
    const ph_ref *ref = r->refs.data;
    for (int i = 0; i < r->refs.n; i++, ref++) {
        if (ref->to == PH_KINDS) {
            resolve_of(r, ref);
            continue;
        }
        int ground = ref->to == PH_K_BODY && !strcmp(ref->name, "ground");
        int index = ground ? PH_GROUND : ph_store_find(r, ref->to, ref->name);
        if (index < 0 && !ground) {
            ph_element_about(r, ref->kind, ref->element);
            refuse_name(r, ref);
        }
        if (ground && ref->kind == PH_K_FORCE && !strcmp(ref->key, "body")) {
            ph_element_about(r, ref->kind, ref->element);
            ph_reader_fail(r, "acts on 'ground', which does not move");
        }
        memcpy((char *)ph_store_at(r, ref->kind, ref->element) + ref->at, &index, sizeof index);
    }
}

static void refuse_same(ph_reader *r, ph_kind kind, int index, const int *body)
{
    if (body[0] != body[1])
        return;
    ph_element_about(r, kind, index);
    ph_reader_fail(r, "both bodies are '%s'",
                   body[0] == PH_GROUND ? "ground" : ph_store_name_of(r, PH_K_BODY, body[0]));
}

/* ---- points ------------------------------------------------------------------------------------------ */

/* Whose frame the point of an element is in: points a belong to the first body. */
static int body_of(ph_reader *r, const ph_world *w)
{
    if (w->kind == PH_K_SENSOR)
        return ((ph_sensor_def *)ph_store_at(r, w->kind, w->element))->body;
    if (w->kind == PH_K_FORCE)
        return ((ph_force_def *)ph_store_at(r, w->kind, w->element))
            ->body[w->at != offsetof(ph_force_def, at_a)];
    return ((ph_joint_def *)ph_store_at(r, w->kind, w->element))->body[w->at != offsetof(ph_joint_def, at_a)];
}

/* R^T (p - x) */
static void resolve_points(ph_reader *r)
{
    const ph_world *w = r->worlds.data;
    const ph_body_def *bodies = r->element[PH_K_BODY].data;
    for (int i = 0; i < r->worlds.n; i++, w++) {
        int b = body_of(r, w);
        void *at = (char *)ph_store_at(r, w->kind, w->element) + w->at;
        ph_vec3 p;
        if (b == PH_GROUND)
            continue;
        memcpy(&p, at, sizeof p);
        p = ph_tmul(ph_qmat(bodies[b].R), ph_sub(p, bodies[b].x));
        memcpy(at, &p, sizeof p);
    }
}

/* ---- what was not given ------------------------------------------------------------------------------ */

static int given(ph_vec3 *v)
{
    if (!isnan(v->x))
        return 1;
    *v = ph_v3(0, 0, 0);
    return 0;
}

static void complete_bodies(ph_reader *r)
{
    ph_body_def *b = r->element[PH_K_BODY].data;
    for (int i = 0; i < r->element[PH_K_BODY].n; i++, b++) {
        b->has_v = given(&b->v);
        b->has_omega = given(&b->omega);
    }
}

static void complete_joint(ph_reader *r, ph_joint_def *j)
{
    const ph_body_def *bodies = r->element[PH_K_BODY].data;
    int b = j->body[1] == PH_GROUND ? j->body[0] : j->body[1], at_given = given(&j->at);
    const ph_joint_row *row = ph_joint_row_of(j);
    const char *wrong = row->op->complete ? row->op->complete(j, bodies[b].x, at_given) : NULL;
    if (wrong)
        ph_reader_fail(r, "%s", wrong);
    if (j->friction > 0 && row->keys & PH_KEY_FRICTION_RADIUS && !(j->friction_radius > 0))
        ph_reader_fail(r, "friction needs a friction_radius above 0, its lever");
}

static void complete_joints(ph_reader *r)
{
    ph_joint_def *j = r->element[PH_K_JOINT].data;
    for (int i = 0; i < r->element[PH_K_JOINT].n; i++, j++) {
        refuse_same(r, PH_K_JOINT, i, j->body);
        ph_element_about(r, PH_K_JOINT, i);
        complete_joint(r, j);
        if (j->drive.call)
            ph_function_try(r, &j->drive, NULL, 1);
    }
}

static void complete_forces(ph_reader *r)
{
    ph_force_def *f = r->element[PH_K_FORCE].data;
    for (int i = 0; i < r->element[PH_K_FORCE].n; i++, f++) {
        ph_keys keys = ph_force_row_of(f)->keys;
        int any = ph_numbers_close(PH_NUMBERS_LAW, f);
        if (keys & PH_KEY_BODIES)
            refuse_same(r, PH_K_FORCE, i, f->body);
        ph_element_about(r, PH_K_FORCE, i);
        if (keys & PH_KEY_STIFFNESS && !any)
            ph_reader_fail(r, "neither stiffness nor damping is given (%s)",
                           keys & PH_KEY_KR3 ? "k, d, kr, dr" : "k, d");
        if (f->f.call)
            ph_function_try(r, &f->f, r->initial, 3);
    }
}

static int modes_of(ph_reader *r, int body)
{
    const ph_body_def *b = body < 0 ? NULL : ph_store_at(r, PH_K_BODY, body);
    if (!b || !b->flexible)
        ph_reader_fail(r, "'%s' is not a flexible body", b ? b->name : "ground");
    const ph_flexible_def *f = ph_store_at(r, PH_K_FLEXIBLE, b->flexible - 1);
    return f->body->modes;
}

static void complete_sensors(ph_reader *r)
{
    const ph_force_def *forces = r->element[PH_K_FORCE].data;
    ph_sensor_def *s = r->element[PH_K_SENSOR].data;
    for (int i = 0; i < r->element[PH_K_SENSOR].n; i++, s++) {
        ph_element_about(r, PH_K_SENSOR, i);
        const ph_sensor_row *row = ph_sensor_row_of(s);
        if (s->element >= 0 && !ph_force_is_beam(&forces[s->element]))
            ph_reader_fail(r, "'%s' is not a beam element", forces[s->element].name);
        if (row->keys & PH_KEY_FUNCTION && !s->f.call)
            ph_reader_fail(r, "f is missing (function(t, s) that returns numbers)");
        s->size = row->size == PH_SIZE_OF_FUNCTION ? ph_function_try(r, &s->f, r->initial, -1)
                  : row->size == PH_SIZE_OF_MODES  ? modes_of(r, s->body)
                                                   : row->size;
    }
}

static void complete_constraints(ph_reader *r)
{
    ph_user_constraint_def *c = r->element[PH_K_CONSTRAINT].data;
    for (int i = 0; i < r->element[PH_K_CONSTRAINT].n; i++, c++)
        c->rows = ph_function_try(r, &c->f, r->initial, -1);
}

/* Those that look at sensors are known only with a mechanism. */
static void try_objective(ph_reader *r, const ph_function *f)
{
    if (f->call)
        ph_function_try_blind(r, f, r->initial);
}

static void complete_objectives(ph_reader *r)
{
    ph_objective_def *o = r->element[PH_K_OBJECTIVE].data;
    for (int i = 0; i < r->element[PH_K_OBJECTIVE].n; i++, o++) {
        ph_element_about(r, PH_K_OBJECTIVE, i);
        if (!o->final.call && !o->integral.call && !o->data)
            ph_reader_fail(r, "is empty: give final, integral or data");
        if (!o->data != (o->sensor < 0))
            ph_reader_fail(r, "data and sensor belong together; one of them is missing");
        if (o->data)
            ph_data_read(r, o);
        try_objective(r, &o->final);
        ph_element_about(r, PH_K_OBJECTIVE, i);
        try_objective(r, &o->integral);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* The states that functions are tried with. */
static void open_states(ph_reader *r)
{
    int n = r->element[PH_K_BODY].n;
    const ph_body_def *b = r->element[PH_K_BODY].data;
    if (r->fns.n == 0)
        return;
    r->initial = ph_alloc(r->alloc, (size_t)n * sizeof *r->initial);
    if (!r->initial)
        ph_reader_no_memory(r);
    for (int i = 0; i < n; i++)
        r->initial[i] = (ph_body_state){.x = b[i].x, .v = b[i].v, .q = b[i].R, .omega = b[i].omega};
}

static void check_settings(ph_reader *r)
{
    const ph_param_def *p = r->params.data;
    for (int i = 0; i < r->n_sets; i++) {
        char all[256] = "";
        int found = 0;
        ph_near search = {.word = r->sets[i].name};
        for (int k = 0; k < r->params.n; k++) {
            size_t n = strlen(all);
            found = found || !strcmp(p[k].name, r->sets[i].name);
            ph_near_offer(&search, p[k].name);
            snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", p[k].name);
        }
        if (found)
            continue;
        if (r->params.n == 0)
            ph_reader_fail(r, "the model has no parameters, and so no '%.64s'", r->sets[i].name);
        if (ph_near_word(&search))
            ph_reader_fail(r, "the model has no parameter '%.64s'; did you mean '%s'?", r->sets[i].name,
                           ph_near_word(&search));
        ph_reader_fail(r, "the model has no parameter '%.64s'; there are: %s", r->sets[i].name, all);
    }
}

/* Without a name, that of the file, by the rules of names. */
static const char *stem(ph_reader *r)
{
    const char *slash = strrchr(r->def.file, '/'), *name = slash ? slash + 1 : r->def.file,
               *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char text[2 * PH_MODEL_NAME + 1];
    snprintf(text, sizeof text, "%.*s", (int)n, name);
    ph_text_clean(text);
    return ph_store_text(r, text, strlen(text));
}

static void hand_over(ph_reader *r)
{
    ph_model *m = &r->def;
    m->body = r->element[PH_K_BODY].data, m->n_bodies = r->element[PH_K_BODY].n;
    m->joint = r->element[PH_K_JOINT].data, m->n_joints = r->element[PH_K_JOINT].n;
    m->force = r->element[PH_K_FORCE].data, m->n_forces = r->element[PH_K_FORCE].n;
    m->sensor = r->element[PH_K_SENSOR].data, m->n_sensors = r->element[PH_K_SENSOR].n;
    m->constraint = r->element[PH_K_CONSTRAINT].data, m->n_constraints = r->element[PH_K_CONSTRAINT].n;
    m->objective = r->element[PH_K_OBJECTIVE].data, m->n_objectives = r->element[PH_K_OBJECTIVE].n;
    m->ground = r->element[PH_K_GROUND].data;
    m->flexible = r->element[PH_K_FLEXIBLE].data, m->n_flexible = r->element[PH_K_FLEXIBLE].n;
    m->input = r->element[PH_K_INPUT].data, m->n_inputs = r->element[PH_K_INPUT].n;
    m->state = r->element[PH_K_STATE].data, m->n_states = r->element[PH_K_STATE].n;
    m->actuator = r->element[PH_K_ACTUATOR].data, m->n_actuators = r->element[PH_K_ACTUATOR].n;
    m->coupling = r->element[PH_K_COUPLING].data, m->n_couplings = r->element[PH_K_COUPLING].n;
    m->event = r->element[PH_K_EVENT].data, m->n_events = r->element[PH_K_EVENT].n;
    m->param = r->params.data, m->n_params = r->params.n;
}

void ph_reader_resolve(ph_reader *r, lua_State *L)
{
    lua_settop(L, 0);
    r->label[0] = 0;
    r->line = 0, r->part = NULL;
    check_settings(r);
    if (r->element[PH_K_BODY].n == 0)
        ph_reader_fail(r, "the model has no body and no particle");
    resolve_names(r);
    resolve_points(r);
    complete_bodies(r);
    open_states(r);
    complete_joints(r);
    complete_forces(r);
    ph_actuate_complete(r);
    complete_sensors(r);
    complete_constraints(r);
    complete_objectives(r);
    ph_event_complete(r);
    if (!r->def.name)
        r->def.name = stem(r);
    r->label[0] = 0;
    hand_over(r);
}
