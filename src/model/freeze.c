/* Freezing: the model as JSON, one element in a line, written from the table of keys that reads it. */
#include "model/frozen.h"
#include "model/keys.h"
#include "model/limits.h"
#include "polhode/model.h"

#include <string.h>

#include "base/base.h"

typedef struct ice {
    const ph_model *m;
    FILE *to;
    const char *separator; /* before the next member */
    ph_error *err;
} ice;

/* ---- values ------------------------------------------------------------------------------------------ */

/* Names and units, which have no control characters. */
static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const char *c = text; *c; c++)
        fprintf(to, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    fputc('"', to);
}

/* 17 digits give every double back. */
static void put_numbers(FILE *to, int n, const double *x)
{
    for (int i = 0; i < n; i++)
        fprintf(to, "%s%.17g", i ? ", " : "[", x[i]);
    fputc(']', to);
}

static void put_vector(FILE *to, ph_vec3 v)
{
    put_numbers(to, 3, (double[]){v.x, v.y, v.z});
}

/* 6 x 6 */
static void put_six(FILE *to, const double *A)
{
    for (int n = 0; n < 6; n++) {
        fputs(n ? ", " : "[", to);
        put_numbers(to, 6, A + 6 * n);
    }
    fputc(']', to);
}

static void put_matrix(FILE *to, ph_mat3 A)
{
    double x[9];
    ph_store33(x, A);
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "[", to);
        put_numbers(to, 3, x + 3 * i);
    }
    fputc(']', to);
}

static const char *body_name(const ph_model *m, int body)
{
    return body == PH_GROUND ? "ground" : m->body[body].name;
}

static void put_bodies(const ice *i, const int *body)
{
    fputc('[', i->to);
    put_text(i->to, body_name(i->m, body[0]));
    fputs(", ", i->to);
    put_text(i->to, body_name(i->m, body[1]));
    fputc(']', i->to);
}

static void put_lock(FILE *to, unsigned lock)
{
    const char *separator = "[";
    for (int k = 0; k < 6; k++)
        if (lock & 1u << k) {
            fputs(separator, to);
            put_text(to, ph_lock_word(k));
            separator = ", ";
        }
    fputc(']', to);
}

/* ---- members ----------------------------------------------------------------------------------------- */

typedef union member {
    const char *text;
    double x;
    int k, body[2];
    double pair[2];
    unsigned bits;
    ph_vec3 v;
    ph_quat q;
    ph_mat3 A;
    ph_function f;
    const double *numbers;
    const ph_reduced *reduced;
    ph_shape_list shapes;
    ph_times times;
} member;

static size_t member_size(ph_value v)
{
    switch (v) {
    case PH_V_NAME:
    case PH_V_METHOD:
    case PH_V_TABLEAU:
    case PH_V_FILE:
        return sizeof(const char *);
    case PH_V_STIFFNESS:
    case PH_V_DAMPING:
    case PH_V_SECTION_MASS:
        return sizeof(const double *);
    case PH_V_REDUCED:
        return sizeof(const ph_reduced *);
    case PH_V_SHAPES:
        return sizeof(ph_shape_list);
    case PH_V_TIMES:
        return sizeof(ph_times);
    case PH_V_BODIES:
    case PH_V_JOINTS:
    case PH_V_COORDINATES:
        return 2 * sizeof(int);
    case PH_V_STOPS:
        return 2 * sizeof(double);
    case PH_V_TEXT:
        return sizeof(const char *);
    case PH_V_NUMBER:
    case PH_V_POSITIVE:
    case PH_V_NOT_NEGATIVE:
    case PH_V_FRACTION:
    case PH_V_SIGMA:
        return sizeof(double);
    case PH_V_VECTOR:
    case PH_V_NOT_NEGATIVES:
    case PH_V_UNIT:
    case PH_V_WORLD:
    case PH_V_LOAD:
        return sizeof(ph_vec3);
    case PH_V_INERTIA:
    case PH_V_FRAME:
        return sizeof(ph_mat3);
    case PH_V_ROTATION:
        return sizeof(ph_quat);
    case PH_V_FUNCTION:
    case PH_V_DRIVE:
    case PH_V_FINAL:
        return sizeof(ph_function);
    default:
        return sizeof(int);
    }
}

/* Whether there is something to say. Velocities have a flag; world points are written as points of bodies. */
static int is_given(const ph_key *k, const void *record, const member *x)
{
    const ph_actuator_def *actuator = record;
    if (k->kind == PH_K_BODY && k->at == offsetof(ph_body_def, v))
        return ((const ph_body_def *)record)->has_v;
    if (k->kind == PH_K_BODY && k->at == offsetof(ph_body_def, omega))
        return ((const ph_body_def *)record)->has_omega;
    if (k->kind == PH_K_FLEXIBLE) /* its finite elements have become a reduced body */
        return k->value == PH_V_NAME || k->value == PH_V_REDUCED || k->value == PH_V_ROTATION ||
               (k->value == PH_V_VECTOR && !isnan(x->v.x)) || (k->value == PH_V_SHAPES && x->shapes.n);
    if (k->kind == PH_K_ACTUATOR && !strncmp(k->name, "stop_", 5) && isnan(actuator->stop[0]))
        return 0;
    switch (k->value) {
    case PH_V_NUMBER:
        return !isnan(x->x);
    case PH_V_TEXT:
        return x->text && x->text[0];
    case PH_V_COORDINATE:
    case PH_V_COORDINATES:
        return x->k >= 0;
    case PH_V_STOPS:
        return !isnan(x->pair[0]);
    case PH_V_EFFORT:
        return actuator->f.call || actuator->input >= 0 || actuator->effort != 0 ||
               (actuator->k == 0 && actuator->d == 0);
    case PH_V_FLAG:
        return k->kind == PH_K_JOINT ? !x->k : k->kind != PH_K_BODY || x->k;
    case PH_V_POSITIVE:
        return x->x > 0;
    case PH_V_NOT_NEGATIVE:
        return x->x >= 0;
    case PH_V_SHAPES:
        return x->shapes.n > 0;
    case PH_V_TIMES:
        return x->times.n > 0;
    case PH_V_UNIT:
        return ph_norm(x->v) > 0;
    case PH_V_STIFFNESS:
    case PH_V_DAMPING:
    case PH_V_SECTION_MASS:
        return x->numbers != NULL;
    case PH_V_FUNCTION:
    case PH_V_DRIVE:
    case PH_V_FINAL:
        return x->f.call && strcmp(k->name, "custom") != 0; /* which is f under another name */
    case PH_V_FILE:
        return x->text != NULL;
    case PH_V_SENSOR:
        return x->k >= 0;
    case PH_V_WORLD:
        return 0;
    default:
        return 1;
    }
}

/* Triangles of files as they are: a frozen model needs no other file. */
static void put_mesh(FILE *to, const ph_mesh_def *m)
{
    fputs("{\"points\": [", to);
    for (int n = 0; n < 3 * m->n_points; n++)
        fprintf(to, "%s%.9g", n ? ", " : "", m->point[n]);
    fputs("], \"triangles\": [", to);
    for (int n = 0; n < 3 * m->n_triangles; n++)
        fprintf(to, "%s%d", n ? ", " : "", m->triangle[n]);
    fputs("]}", to);
}

static void put_shape(FILE *to, const ph_shape_def *s)
{
    int n = 0;
    while (n < 3 && s->size[n] > 0)
        n++;
    fprintf(to, "{\"%s\": ", ph_shape_word(s->type));
    if (s->type == PH_SHAPE_MESH)
        put_mesh(to, &s->mesh), fprintf(to, ", \"scale\": %.17g", s->size[0]);
    else if (n == 1)
        fprintf(to, "%.17g", s->size[0]);
    else
        put_numbers(to, n, s->size);
    if (s->at.x != 0 || s->at.y != 0 || s->at.z != 0)
        fputs(", \"at\": ", to), put_vector(to, s->at);
    if (s->R.w != 1)
        fputs(", \"rotation\": ", to), put_numbers(to, 4, (double[]){s->R.w, s->R.x, s->R.y, s->R.z});
    if (s->color >= 0)
        fprintf(to, ", \"color\": \"#%06x\"", (unsigned)s->color);
    if (s->marker)
        fputs(", \"marker\": ", to), put_text(to, s->marker);
    fputc('}', to);
}

static void put_shapes(FILE *to, ph_shape_list all)
{
    for (int k = 0; k < all.n; k++) {
        fputs(k ? ", " : "[", to);
        put_shape(to, &all.shape[k]);
    }
    fputc(']', to);
}

static void put_words(FILE *to, const char *first, const char *second)
{
    fputc('[', to);
    put_text(to, first);
    fputs(", ", to);
    put_text(to, second);
    fputc(']', to);
}

/* Keys that inputs, states, actuators and couplings have; 0: it is none of theirs. */
static int put_mechatronic(const ice *i, const ph_key *k, const void *record, const member *x)
{
    const ph_actuator_def *actuator = record;
    const ph_state_def *state = record;
    const ph_sensor_def *sensor = record;
    const ph_model *m = i->m;
    switch (k->value) {
    case PH_V_TEXT:
        put_text(i->to, x->text);
        return 1;
    case PH_V_COORDINATE:
        put_text(i->to, ph_lock_word(x->k));
        return 1;
    case PH_V_COORDINATES:
        put_words(i->to, ph_lock_word(x->body[0]), ph_lock_word(x->body[1]));
        return 1;
    case PH_V_JOINTS:
        put_words(i->to, m->joint[x->body[0]].name, m->joint[x->body[1]].name);
        return 1;
    case PH_V_STOPS:
        put_numbers(i->to, 2, x->pair);
        return 1;
    case PH_V_START:
        put_numbers(i->to, state->size, state->initial);
        return 1;
    case PH_V_EFFORT:
        if (actuator->f.call)
            ph_frozen_put(&actuator->f, i->to);
        else if (actuator->input >= 0)
            put_text(i->to, m->input[actuator->input].name);
        else
            fprintf(i->to, "%.17g", actuator->effort);
        return 1;
    case PH_V_OF:
        put_text(i->to, sensor->of_kind == PH_OF_JOINT      ? m->joint[sensor->of].name
                        : sensor->of_kind == PH_OF_COUPLING ? m->coupling[sensor->of].name
                                                            : m->actuator[sensor->of].name);
        return 1;
    default:
        return 0;
    }
}

/* Names of other elements, and words. 0: the value is something else. */
static int put_name(const ice *i, const ph_key *k, const member *x)
{
    switch (k->value) {
    case PH_V_NAME:
    case PH_V_METHOD:
    case PH_V_TABLEAU:
        put_text(i->to, x->text);
        return 1;
    case PH_V_TYPE:
        put_text(i->to, ph_type_get(k->kind, x->k)->name);
        return 1;
    case PH_V_BODY:
    case PH_V_MOVING:
        put_text(i->to, body_name(i->m, x->k));
        return 1;
    case PH_V_BODIES:
        put_bodies(i, x->body);
        return 1;
    case PH_V_JOINT:
        put_text(i->to, i->m->joint[x->k].name);
        return 1;
    case PH_V_ELEMENT:
        put_text(i->to, i->m->force[x->k].name);
        return 1;
    case PH_V_WORD:
        put_text(i->to, k->words(x->k));
        return 1;
    case PH_V_FLAG:
        fputs(x->k ? "true" : "false", i->to);
        return 1;
    default:
        return 0;
    }
}

/* 0: the value is no list of numbers, nor a structure of such. */
static int put_list(const ice *i, const ph_key *k, const member *x)
{
    switch (k->value) {
    case PH_V_STIFFNESS:
    case PH_V_DAMPING:
    case PH_V_SECTION_MASS:
        put_six(i->to, x->numbers);
        return 1;
    case PH_V_INERTIA:
        put_matrix(i->to, x->A);
        return 1;
    case PH_V_FRAME:
        fputs("{\"matrix\": ", i->to);
        put_matrix(i->to, x->A);
        fputc('}', i->to);
        return 1;
    case PH_V_ROTATION:
        put_numbers(i->to, 4, (double[]){x->q.w, x->q.x, x->q.y, x->q.z});
        return 1;
    case PH_V_LOCK:
        put_lock(i->to, x->bits);
        return 1;
    case PH_V_REDUCED:
        ph_reduced_put(x->reduced, i->to);
        return 1;
    case PH_V_SHAPES:
        put_shapes(i->to, x->shapes);
        return 1;
    case PH_V_TIMES:
        put_numbers(i->to, x->times.n, x->times.t);
        return 1;
    case PH_V_VECTOR:
    case PH_V_NOT_NEGATIVES:
    case PH_V_UNIT:
    case PH_V_LOAD:
        put_vector(i->to, x->v);
        return 1;
    default:
        return 0;
    }
}

/* 0: the value is no function, nor what an event does. */
static int put_function(const ice *i, const ph_key *k, const void *record, const member *x)
{
    const ph_force_def *force = record;
    if (k->value == PH_V_ACTION)
        ph_event_put(record, i->to);
    else if (k->value == PH_V_FUNCTION || k->value == PH_V_DRIVE || k->value == PH_V_FINAL)
        ph_frozen_put(&x->f, i->to);
    else if (k->value == PH_V_LOAD && force->f.call)
        ph_frozen_put(&force->f, i->to);
    else
        return 0;
    return 1;
}

static void put_value(const ice *i, const ph_key *k, const void *record, const member *x)
{
    if (put_mechatronic(i, k, record, x) || put_function(i, k, record, x) || put_name(i, k, x) ||
        put_list(i, k, x))
        return;
    if (k->value == PH_V_COUNT || k->value == PH_V_WHOLE)
        fprintf(i->to, "%d", x->k);
    else if (k->value == PH_V_SIGMA && x->x == PH_SIGMA_OPT)
        put_text(i->to, "opt");
    else
        fprintf(i->to, "%.17g", x->x);
}

/* {"element": "body", "name": "top", ...}; without "element" where word is NULL */
static void put_record(ice *i, const char *word, ph_kind kind, int type, const void *record)
{
    const ph_key *k;
    const char *separator = "{";
    if (word) {
        fprintf(i->to, "%s\n  {\"element\": \"%s\"", i->separator, word);
        separator = ", ";
    }
    for (int n = 0; (k = ph_key_get(n)); n++) {
        member x;
        if (!ph_key_belongs(k, kind, type))
            continue;
        memset(&x, 0, sizeof x);
        memcpy(&x, (const char *)record + k->at, member_size(k->value));
        if (!is_given(k, record, &x))
            continue;
        fprintf(i->to, "%s\"%s\": ", separator, k->name);
        put_value(i, k, record, &x);
        separator = ", ";
    }
    fputc('}', i->to);
    i->separator = ",";
}

/* ---- the model --------------------------------------------------------------------------------------- */

/* What a frozen model cannot have. */
static ph_status check(const ice *i)
{
    for (int k = 0; k < i->m->n_objectives; k++) {
        const ph_objective_def *o = &i->m->objective[k];
        if (o->data)
            return ph_fail(i->err, PH_E_INPUT, "%s:%d: objective '%s': data of the file cannot be frozen",
                           i->m->file, o->origin.line, o->name);
    }
    return ph_frozen_check(i->m, i->err);
}

static void put_head(const ice *i)
{
    const ph_model *m = i->m;
    fprintf(i->to, "{\"polhode\": \"%s\",\n \"model\": ", ph_version());
    put_text(i->to, m->name);
    fputs(",\n \"gravity\": ", i->to);
    put_vector(i->to, m->gravity);
    fputs(",\n \"params\": {", i->to);
    for (int k = 0; k < m->n_params; k++)
        fprintf(i->to, "%s\"%s\": %.17g", k ? ", " : "", m->param[k].name, m->param[k].value);
    fputs("},\n \"elements\": [", i->to);
}

ph_status ph_model_freeze(const ph_model *model, FILE *to, ph_error *err)
{
    const ph_model *m = model;
    ice i = {m, to, "", err};
    ph_status s = check(&i);
    if (s != PH_OK)
        return s;
    put_head(&i);
    if (m->ground)
        put_record(&i, "ground", PH_K_GROUND, 0, m->ground);
    for (int k = 0; k < m->n_bodies; k++) {
        const ph_body_def *b = &m->body[k];
        if (b->flexible && !b->marker)
            put_record(&i, "flexible", PH_K_FLEXIBLE, 0, &m->flexible[b->flexible - 1]);
        if (b->flexible)
            continue;
        int type = b->particle ? PH_T_PARTICLE : PH_T_BODY;
        put_record(&i, ph_type_get(PH_K_BODY, type)->name, PH_K_BODY, type, b);
    }
    for (int k = 0; k < m->n_joints; k++)
        put_record(&i, "joint", PH_K_JOINT, m->joint[k].type, &m->joint[k]);
    for (int k = 0; k < m->n_forces; k++)
        put_record(&i, ph_type_get(PH_K_FORCE, m->force[k].type)->name, PH_K_FORCE, m->force[k].type,
                   &m->force[k]);
    for (int k = 0; k < m->n_inputs; k++)
        put_record(&i, "input", PH_K_INPUT, 0, &m->input[k]);
    for (int k = 0; k < m->n_states; k++)
        put_record(&i, "state", PH_K_STATE, 0, &m->state[k]);
    for (int k = 0; k < m->n_actuators; k++)
        put_record(&i, "actuator", PH_K_ACTUATOR, 0, &m->actuator[k]);
    for (int k = 0; k < m->n_couplings; k++)
        put_record(&i, "coupling", PH_K_COUPLING, 0, &m->coupling[k]);
    for (int k = 0; k < m->n_sensors; k++)
        put_record(&i, "sensor", PH_K_SENSOR, m->sensor[k].type, &m->sensor[k]);
    for (int k = 0; k < m->n_constraints; k++)
        put_record(&i, "constraint", PH_K_CONSTRAINT, 0, &m->constraint[k]);
    for (int k = 0; k < m->n_events; k++)
        put_record(&i, "event", PH_K_EVENT, 0, &m->event[k]);
    for (int k = 0; k < m->n_objectives; k++)
        put_record(&i, "objective", PH_K_OBJECTIVE, 0, &m->objective[k]);
    fputs("],\n \"run\": ", to);
    put_record(&i, NULL, PH_K_RUN, 0, &m->run);
    fputs("}\n", to);
    return ferror(to) ? ph_fail(err, PH_E_INPUT, "%s: the frozen model could not be written", m->file)
                      : PH_OK;
}
