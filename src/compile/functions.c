/* Functions of the model file in a compiled model: their arguments at one point, and where their derivatives go (P4, P7).
 *
 * A function NAME is called with the numbers x_NAME and gives y_NAME and g_NAME, derivatives by its arguments. */
#include <string.h>

#include "compile/compile.h"
#include "mech/argument.h"
#include "mech/coordinate.h"

/* ---- which there are ---------------------------------------------------------------------------------- */

void ph_compile_each_function(ph_compiler *c, ph_function_fn with, void *ctx)
{
    const ph_model *m = c->model;
    char name[32];
    const struct {
        const char *kind;
        int n;
    } all[] = {{"drive", m->n_joints}, {"load", m->n_forces},    {"effort", m->n_actuators},
               {"rate", m->n_states},  {"sensor", m->n_sensors}, {"when", m->n_events}};
    for (int kind = 0; kind < 6; kind++)
        for (int k = 0; k < all[kind].n; k++) {
            const ph_function *f[] = {
                kind == 0 ? &m->joint[k].drive : NULL, kind == 1 ? &m->force[k].f : NULL,
                kind == 2 ? &m->actuator[k].f : NULL,  kind == 3 ? &m->state[k].rate : NULL,
                kind == 4 ? &m->sensor[k].f : NULL,    kind == 5 ? &m->event[k].when : NULL};
            snprintf(name, sizeof name, "%s_%d", all[kind].kind, k);
            if (f[kind]->call)
                with(c, f[kind], name, kind == 0, ctx);
        }
}

static void mark(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    (void)c, (void)name;
    ph_compile_mark_operations(f->traced->program, drive, ctx);
}

static void print_curves(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    const ph_program *p = f->traced->program;
    unsigned char *done = ctx;
    (void)name, (void)drive;
    for (int i = 0; i < p->n_ops; i++)
        if (p->op[i].code == PH_OP_CURVE && !done[p->curve[p->op[i].curve].index]) {
            done[p->curve[p->op[i].curve].index] = 1;
            ph_compile_curve(c, &p->curve[p->op[i].curve]);
        }
}

static void print_program(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    ph_status *s = ctx;
    if (*s == PH_OK)
        *s = ph_compile_program(c, name, f->traced->program, drive);
}

#define CURVES_MAX 4096

static void find_last_curve(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    const ph_program *p = f->traced->program;
    int *last = ctx;
    (void)c, (void)name, (void)drive;
    for (int i = 0; i < p->n_curves; i++)
        *last = p->curve[i].index > *last ? p->curve[i].index : *last;
}

ph_status ph_compile_functions(ph_compiler *c)
{
    unsigned char used[PH_OPS] = {0};
    ph_status s = PH_OK;
    int last = 0;
    ph_compile_each_function(c, mark, used);
    ph_compile_operations(c, used);
    ph_compile_each_function(c, find_last_curve, &last);
    unsigned char *done = ph_alloc(c->alloc, (size_t)last + 1);
    if (!done)
        return PH_E_MEMORY;
    memset(done, 0, (size_t)last + 1);
    ph_compile_each_function(c, print_curves, done);
    ph_free(c->alloc, done);
    ph_compile_each_function(c, print_program, &s);
    return s;
}

static void count_coordinates(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    const ph_program *p = f->traced->program;
    (void)c, (void)name, (void)drive;
    for (int i = 0; i < p->n_args; i++)
        *(int *)ctx += p->arg[i].kind == PH_ARG_JOINT_POSITION || p->arg[i].kind == PH_ARG_JOINT_RATE;
}

#define COORDINATES_INLINE 3 /* above, calls are cheaper than the time of the compiler */

int ph_compile_many_coordinates(ph_compiler *c)
{
    int n = c->model->n_actuators + 2 * c->model->n_couplings;
    ph_compile_each_function(c, count_coordinates, &n);
    return n > COORDINATES_INLINE;
}

/* ---- arguments ------------------------------------------------------------------------------------------ */

static const ph_joint *joint_of(const ph_compiler *c, const ph_argument *a)
{
    return &c->mech->joint[c->mech->joint_of[a->index]];
}

static int is_of_joint(const ph_argument *a)
{
    return a->kind == PH_ARG_JOINT_POSITION || a->kind == PH_ARG_JOINT_RATE;
}

static void print_argument(ph_compiler *c, const char *name, int i, const ph_argument *a, const char *of)
{
    static const char *const vector[] = {
        [PH_ARG_POSITION] = "x", [PH_ARG_VELOCITY] = "v", [PH_ARG_OMEGA] = "w"};
    const ph_body *b =
        a->kind == PH_ARG_ACCELERATION || a->kind == PH_ARG_OMEGA_DOT ? &c->mech->body[a->index] : NULL;
    FILE *out = c->out;
    switch (a->kind) {
    case PH_ARG_TIME:
        fprintf(out, "%st", of);
        break;
    case PH_ARG_ROTATION:
        fprintf(out, "body_%d.q.%c", a->index, "wxyz"[a->component]);
        break;
    case PH_ARG_INPUT:
        fprintf(out, "ph_input(s, %d)", a->index);
        break;
    case PH_ARG_STATE:
        fprintf(out, "%sv[%d]", of, c->mech->own[a->index].v + a->component);
        break;
    case PH_ARG_ACCELERATION:
        fprintf(out, "%svdot[%d]", of, b->v[0] + a->component);
        break;
    case PH_ARG_OMEGA_DOT:
        if (b->particle)
            fprintf(out, "ph_k(0)");
        else
            fprintf(out, "%svdot[%d]", of, b->v[1] + a->component);
        break;
    case PH_ARG_JOINT_POSITION:
        ph_compile_angle(c, joint_of(c, a), a->component, of, "&site_%s_%d", name, i);
        break;
    case PH_ARG_JOINT_RATE:
        fprintf(out, "ph_along_rate(&site_%s_%d, %d)", name, i, a->component);
        break;
    default:
        fprintf(out, "body_%d.%s.%c", a->index, vector[a->kind], "xyz"[a->component]);
    }
}

void ph_compile_call(ph_compiler *c, const char *name, const ph_function *f, const char *of)
{
    const ph_program *p = f->traced->program;
    FILE *out = c->out;
    int n = p->n_args;
    for (int i = 0; i < n; i++)
        if (is_of_joint(&p->arg[i])) {
            const ph_joint *j = joint_of(c, &p->arg[i]);
            fprintf(out, "        ph_site site_%s_%d = {.j = &joint_%d, ", name, i,
                    (int)(j - c->mech->joint));
            ph_compile_side(c, "a", j->body[0]), ph_compile_side(c, "b", j->body[1]);
            fprintf(out, ".pick = 0};\n");
        }
    fprintf(out, "        ph_real x_%s[%d], y_%s[%d], g_%s[%d];\n", name,
            n + ph_compile_open_constants(c, p, p->n_constants) + 1, name, p->n_out, name, n * p->n_out + 1);
    for (int i = 0; i < n; i++) {
        fprintf(out, "        x_%s[%d] = ", name, i);
        print_argument(c, name, i, &p->arg[i], of);
        fprintf(out, ";\n");
    }
    char to[48];
    snprintf(to, sizeof to, "x_%s", name);
    ph_compile_hand_over(c, to, p);
    fprintf(out, "        ph_%s(x_%s, y_%s, g_%s);\n        (void)g_%s;\n", name, name, name, name, name);
}

/* Kinematics of the bodies that functions of sensors read, where nothing else has them. */
void ph_compile_function_bodies(ph_compiler *c, const ph_function *f, const char *of)
{
    const ph_traced *t = f->traced;
    for (int k = 0; k < t->n_bodies; k++) {
        fprintf(c->out, "    ph_kin body_%d = ", t->body[k]);
        ph_compile_kinematics(c, of, t->body[k]);
        fprintf(c->out, ";\n    (void)body_%d;\n", t->body[k]);
    }
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

static const ph_block *pair_of(const ph_compiler *c, int row, int col)
{
    for (const ph_block *b = c->lay->pair, *end = b + c->lay->n_pairs; b < end; b++)
        if (b->row == row && b->col == col)
            return b;
    return NULL;
}

/* A row of an element: a ph_vec3 of a node, or number unit of a node that is a state, times sign. And a column. */
typedef struct entry {
    int node, unit; /* unit -1: vector */
    const char *vector;
} entry;

static void mark_entries(ph_entry *e, const ph_block *b, const entry *row, const entry *col)
{
    for (int i = 0; i < b->m; i++)
        for (int j = 0; j < b->n; j++)
            if ((row->unit < 0 || row->unit == i) && (col->unit < 0 || col->unit == j))
                e[b->at + i * b->n + j].changes = 1;
}

static void add_entries(ph_compiler *c, int place, const char *w, const entry *row, const entry *col)
{
    const ph_block *b = pair_of(c, row->node, col->node);
    const char *to = place ? "K" : "C";
    FILE *out = c->out;
    if (!b)
        return;
    if (c->marking)
        mark_entries(place ? c->K : c->C, b, row, col);
    else if (row->unit < 0 && col->unit < 0)
        fprintf(out, "        ph_add_columns(%s + %d, %s, %s, %s);\n", to, b->at, w, row->vector,
                col->vector);
    else if (row->unit < 0)
        fprintf(out, "        ph_add_column(%s + %d, %d, %s, %s);\n", to, b->at + col->unit, b->n, w,
                row->vector);
    else if (col->unit >= 0)
        fprintf(out, "        %s[%d] += %s;\n", to, b->at + row->unit * b->n + col->unit, w);
    else
        fprintf(out, "        ph_add3(%s + %d, ph_scale(%s, %s));\n", to, b->at + row->unit * b->n, w,
                col->vector);
}

/* Both bodies of a joint: rows b, or z. */
static void add_joint(ph_compiler *c, const ph_argument *a, const char *name, int i, int place,
                      const char *which, const char *w, const entry *row)
{
    const ph_joint *j = joint_of(c, a);
    for (int slot = 0; slot < PH_SLOTS; slot++) {
        char vector[64];
        int body = j->body[slot / 2];
        entry col = {body < 0 ? -1 : c->mech->body[body].node[slot % 2], -1, vector};
        snprintf(vector, sizeof vector, "%s_%s_%d[%d]", which, name, i, slot);
        if (col.node >= 0)
            add_entries(c, place, w, row, &col);
    }
}

static void add_argument(ph_compiler *c, const ph_argument *a, const char *name, int i, const char *w,
                         const entry *row)
{
    const ph_body *b = is_of_joint(a) || a->kind == PH_ARG_TIME ? NULL : &c->mech->body[a->index];
    char vector[64];
    entry col = {.unit = a->component, .vector = vector};
    switch (a->kind) {
    case PH_ARG_POSITION:
    case PH_ARG_VELOCITY:
        col.node = b->node[0];
        add_entries(c, a->kind == PH_ARG_POSITION, w, row, &col);
        break;
    case PH_ARG_ROTATION:
        snprintf(vector, sizeof vector, "ph_quat_slope(body_%d.q, %d)", a->index, a->component);
        col.node = b->node[1], col.unit = -1;
        if (!b->particle)
            add_entries(c, 1, w, row, &col);
        break;
    case PH_ARG_OMEGA:
        col.node = b->node[1];
        if (!b->particle)
            add_entries(c, 0, w, row, &col);
        break;
    case PH_ARG_STATE:
        col.node = c->mech->own[a->index].node;
        add_entries(c, 0, w, row, &col);
        break;
    case PH_ARG_JOINT_POSITION:
        add_joint(c, a, name, i, 1, "b", w, row);
        break;
    case PH_ARG_JOINT_RATE:
        add_joint(c, a, name, i, 1, "z", w, row);
        add_joint(c, a, name, i, 0, "b", w, row);
        break;
    default:
        break;
    }
}

void ph_compile_slopes(ph_compiler *c, const char *name, const ph_function *f)
{
    const ph_program *p = f->traced->program;
    for (int i = 0; i < p->n_args; i++)
        if (is_of_joint(&p->arg[i])) {
            int rate = p->arg[i].kind == PH_ARG_JOINT_RATE, k = p->arg[i].component;
            fprintf(c->out,
                    "        ph_vec3 b_%s_%d[PH_SLOTS];\n        ph_along_row(&site_%s_%d, %d, b_%s_%d);\n",
                    name, i, name, i, k, name, i);
            if (rate)
                fprintf(c->out,
                        "        ph_vec3 z_%s_%d[PH_SLOTS];\n        ph_along_z(&site_%s_%d, %d, z_%s_%d);\n",
                        name, i, name, i, k, name, i);
        }
}

void ph_compile_tangent(ph_compiler *c, const char *name, const ph_function *f, int result, const char *sign,
                        int node, const char *vector, int unit)
{
    const ph_program *p = f->traced->program;
    entry row = {node, unit, vector};
    char w[64];
    for (int i = 0; i < p->n_args; i++) {
        snprintf(w, sizeof w, "%sg_%s[%d]", sign, name, result * p->n_args + i);
        add_argument(c, &p->arg[i], name, i, w, &row);
    }
}
