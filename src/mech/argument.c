/* Functions of a model file at one instant: see argument.h. */
#include "mech/argument.h"

#include <string.h>

const ph_argument_row *ph_argument_get(int kind)
{
    static const ph_argument_row rows[PH_ARGUMENTS] = {
#define PH_ARGUMENT(code, name, ops, components) {name, &ops, components},
#include "mech/arguments.def"
#undef PH_ARGUMENT
    };
    return kind >= 0 && kind < PH_ARGUMENTS ? &rows[kind] : NULL;
}

int ph_argument_bodies(const ph_model *model, const ph_argument *a, int body[2])
{
    const ph_argument_ops *op = ph_argument_get(a->kind)->op;
    return op->bodies ? op->bodies(model, a, body) : 0;
}

/* ---- the scene ---------------------------------------------------------------------------------------- */

ph_scene ph_scene_of(const ph_mechanism *m, const ph_state *s, const ph_body_state *bodies)
{
    return (ph_scene){.m = m, .s = s, .t = s->t, .bodies = bodies};
}

static void look(const ph_scene *at, int body, ph_body_state *out)
{
    if (at->accelerations) {
        ph_mechanism_body(at->m, at->s, body, out);
        return;
    }
    ph_kin k;
    ph_kin_fill(at->m, at->s, body, &k);
    *out = (ph_body_state){.x = k.x, .v = k.v, .q = k.q, .omega = k.w};
}

const ph_body_state *ph_scene_body(ph_scene *at, int body)
{
    if (at->bodies)
        return &at->bodies[body];
    for (int k = 0; k < PH_SCENE_BODIES; k++)
        if (at->kept[k] == body + 1)
            return &at->body[k];
    int k = at->next;
    at->next = (k + 1) % PH_SCENE_BODIES;
    at->kept[k] = body + 1;
    look(at, body, &at->body[k]);
    return &at->body[k];
}

/* ---- values ------------------------------------------------------------------------------------------- */

ph_status ph_function_ask(ph_scene *at, const ph_function *f, const ph_body_state *bodies, int n, double *out)
{
    ph_scene *outer = f->look ? f->look(f, at) : NULL;
    ph_status status = f->call(f, at->t, bodies, n, out);
    if (f->look)
        f->look(f, outer);
    return status;
}

/* Lua is asked, with the states of all bodies. */
static ph_status call(ph_scene *at, const ph_function *f, int n, double *out)
{
    const ph_body_state *bodies = at->bodies;
    if (!bodies && at->m && at->s && !f->only_time) { /* drives have the time alone */
        for (int b = 0; b < at->m->model->n_bodies; b++)
            look(at, b, &at->m->states[b]);
        bodies = at->m->states;
    }
    return ph_function_ask(at, f, f->only_time ? NULL : bodies, n, out);
}

size_t ph_formula_room(const ph_program *p)
{
    return 4 * (size_t)p->n_args + ph_program_room(p);
}

static int open_room(ph_formula *k)
{
    size_t n = (size_t)k->p->n_args, all = ph_formula_room(k->p);
    k->large = all > PH_FORMULA_SMALL;
    double *room = k->small;
    if (k->large) {
        ph_mechanism *m = (ph_mechanism *)k->at->m; /* its room is not part of what is constant */
        if (!m || !m->room || atomic_flag_test_and_set(&m->room_taken)) {
            k->large = 0;
            return 0;
        }
        room = m->room;
    }
    k->x = room, k->g = room + n, k->unit = room + 2 * n, k->cross = room + 3 * n, k->room = room + 4 * n;
    return 1;
}

void ph_formula_close(ph_formula *k)
{
    if (k->large)
        atomic_flag_clear(&((ph_mechanism *)k->at->m)->room_taken);
}

#define ROUND_OFF 1e-9 /* relative, of functions that look at sensors */

static int same(const double *a, const double *b, int n, int exact)
{
    int all = 1;
    for (int i = 0; i < n; i++)
        all = all && (exact ? a[i] == b[i] : fabs(a[i] - b[i]) <= ROUND_OFF * fmax(1, fabs(a[i])));
    return all;
}

/* A leaf that is reached for the first time is compared with what Lua says. 0: they differ, and it is not trusted
 * from now on. */
static int trusted(const ph_formula *k, const ph_function *f, int n, const double *out)
{
    ph_traced *traced = f->traced;
    double x[PH_SENSOR_MAX];
    int leaf = ph_program_leaf(k->p, k->room);
    if (atomic_load_explicit(&traced->seen[leaf], memory_order_relaxed))
        return 1;
    int entered = f->enter ? f->enter(f) : 1;
    if (!entered)
        return 1; /* another thread is asked now: later, then */
    ph_status status = call(k->at, f, n, x);
    if (f->leave)
        f->leave(f, entered);
    if (status != PH_OK)
        return 0;
    int agree = same(x, out, n, !traced->sensors);
    if (agree)
        atomic_store_explicit(&traced->seen[leaf], 1, memory_order_relaxed);
    else
        atomic_store(&traced->wrong, 1);
    return agree;
}

/* The parameter is p0, and functions go along their tangents to p; 0: one has none there. */
static int follow_tangents(ph_formula *k, int n, double *out)
{
    const ph_parameter *p = &k->at->m->parameter;
    int i = 0;
    while (i < k->p->n_args && k->p->arg[i].kind != PH_ARG_PARAMETER)
        i++;
    if (i == k->p->n_args)
        return 1;
    k->x[i] = p->about;
    int known = ph_program_values(k->p, k->x, k->room, out) == PH_KNOWN;
    if (known)
        ph_program_partials(k->p, k->room, 1);
    for (int r = 0; r < n && known; r++) {
        known = ph_program_gradient(k->p, k->room, r, k->g);
        out[r] += (p->value - p->about) * k->g[i];
    }
    k->x[i] = known ? p->about : p->value;
    k->tangent = known ? i + 1 : 0, k->by = p->value - p->about;
    return known || ph_program_values(k->p, k->x, k->room, out) == PH_KNOWN;
}

int ph_formula_open(ph_formula *k, ph_scene *at, const ph_function *f, int n, double *out)
{
    k->at = at, k->large = 0, k->tangent = 0;
    if (!f->traced || !f->traced->program || atomic_load_explicit(&f->traced->wrong, memory_order_relaxed))
        return 0;
    k->p = f->traced->program;
    if (k->p->n_out != n || !open_room(k))
        return 0;
    for (int i = 0; i < k->p->n_args; i++)
        k->x[i] = ph_argument_get(k->p->arg[i].kind)->op->value(at, &k->p->arg[i]);
    int known = ph_program_values(k->p, k->x, k->room, out) == PH_KNOWN && trusted(k, f, n, out);
    if (!known || !at->m || !at->m->parameter.tangents || at->whole)
        return known;
    return follow_tangents(k, n, out);
}

ph_status ph_function_values(ph_scene *at, const ph_function *f, int n, double *out)
{
    ph_formula k;
    int known = ph_formula_open(&k, at, f, n, out);
    ph_formula_close(&k);
    return known ? PH_OK : call(at, f, n, out);
}

/* ---- derivatives -------------------------------------------------------------------------------------- */

int ph_formula_partials(ph_formula *k, int order)
{
    ph_program_partials(k->p, k->room, k->tangent ? 2 : order);
    return 1;
}

/* A tangent (P8) has the derivatives f_a + (p - p0) f_ap. */
int ph_formula_gradient(ph_formula *k, int i)
{
    if (!k->tangent)
        return ph_program_gradient(k->p, k->room, i, k->g);
    double w[PH_SENSOR_MAX] = {0};
    int n = k->p->n_args;
    memset(k->unit, 0, sizeof(double) * (size_t)n);
    k->unit[k->tangent - 1] = 1, w[i] = 1;
    int known = ph_program_curvature(k->p, k->room, w, k->unit, k->g, k->cross);
    for (int a = 0; a < n && known; a++)
        k->g[a] += k->by * k->cross[a];
    return known;
}

void ph_formula_by_body(ph_formula *k, const double *g, int body, int what, double d[6])
{
    for (int i = 0; i < k->p->n_args; i++) {
        const ph_argument *a = &k->p->arg[i];
        int of[2], n = g[i] != 0 ? ph_argument_bodies(k->at->m->model, a, of) : 0;
        for (int side = 0; side < n; side++)
            if (of[side] == body)
                ph_argument_get(a->kind)->op->slope(k->at, a, side, what, g[i], d);
    }
}

int ph_program_reach(const ph_model *model, const ph_program *p, int *body, int *depth)
{
    int n = 0;
    *depth = PH_NOT_SEEN;
    for (int i = 0; i < p->n_args; i++) {
        int deep = ph_argument_get(p->arg[i].kind)->op->depth;
        int of[2], sides = ph_argument_bodies(model, &p->arg[i], of);
        for (int side = 0; side < sides; side++) {
            int k = 0;
            while (k < n && body[k] != of[side])
                k++;
            if (k == n && of[side] >= 0)
                body[n++] = of[side];
        }
        *depth = deep > *depth ? deep : *depth;
    }
    return n;
}
