/* The numbers of a model that its compiled source has as constants, in one order, and a sum over all that is not a number: runs
 * of one model whose sums are the same differ in these numbers alone. */
#include <math.h>
#include <string.h>

#include "base/curve.h"
#include "base/hash.h"
#include "compile/compile.h"
#include "run/private.h"

/* ---- in a row -------------------------------------------------------------------------------------------- */

/* A field of an element; its numbers are of one size. */
static void add(ph_constants *x, const double *a, int n)
{
    double size = 0;
    for (int i = 0; x->value && i < n; i++)
        size = fmax(size, fabs(a[i])); /* NaN: not given */
    for (int i = 0; x->value && i < n; i++)
        x->value[x->n + i] = isnan(a[i]) ? 0 : a[i], x->size[x->n + i] = size;
    x->n += n;
}

static void begin(ph_constants *x)
{
    if (x->value)
        x->first[x->elements] = x->n;
    x->elements++;
}

static void sum(ph_constants *x, const void *bytes, size_t size)
{
    x->shape = ph_hash_bytes(x->shape, bytes, size);
}

#define SUM(...) sum(x, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}))

/* The numbers of a record that compiled models have. */
static void numbers(ph_constants *x, ph_number_list of, const void *record)
{
    PH_EACH_NUMBER (row, of)
        if (row->use & PH_NUMBER_TEXT)
            add(x, ph_number_at(row, record), row->n);
}

static void body(ph_constants *x, const ph_body *b)
{
    begin(x);
    numbers(x, PH_NUMBERS_BODY, b);
    SUM(b->particle, b->q[0], b->v[0], b->particle ? 0 : b->q[1], b->particle ? 0 : b->v[1]);
}

static void joint(ph_constants *x, const ph_joint *j)
{
    begin(x);
    numbers(x, PH_NUMBERS_JOINT, j);
    SUM(j->def, j->body[0], j->body[1], j->rows, j->l_at, j->free, (int)j->frees, j->drive, j->nonholonomic);
    for (int i = 0; i < j->n_parts; i++) {
        SUM(j->part[i].row, (int)j->part[i].pick);
        sum(x, &j->part[i].op, sizeof j->part[i].op);
    }
}

static void force(ph_constants *x, const ph_force *f)
{
    const ph_force_def *d = f->def;
    const ph_actuator_def *a = f->actuator;
    ph_number_record r[PH_FORCE_RECORDS];
    int n = ph_force_records(f, r);
    begin(x);
    for (int i = 0; i < n; i++)
        numbers(x, r[i].of, r[i].record);
    if (d)
        SUM(d->type, d->in_body, d->f.call != NULL);
    else if (a)
        SUM(a->joint, f->coordinate, a->input, a->f.call != NULL, isnan(a->stop[0]));
    else
        SUM(f->joint->def);
    SUM(f->body[0], f->body[1], f->still, (int)f->couples);
    sum(x, &f->op, sizeof f->op);
    sum(x, f->K, sizeof f->K);
}

static void couple(ph_constants *x, const ph_couple *c)
{
    begin(x);
    numbers(x, PH_NUMBERS_COUPLE, c);
    SUM(c->of[0]->def, c->of[1]->def, c->coordinate[0], c->coordinate[1]);
}

static void curve(ph_constants *x, const ph_curve *c)
{
    size_t bytes = sizeof(double) * (size_t)c->n;
    SUM((int)c->kind, (int)c->outside, c->n);
    sum(x, c->x, bytes), sum(x, c->y, bytes);
}

static void function(ph_compiler *c, const ph_function *f, const char *name, int drive, void *ctx)
{
    ph_constants *x = ctx;
    const ph_program *p = f->traced ? f->traced->program : NULL;
    (void)c, (void)drive;
    begin(x);
    if (x->value)
        x->program[x->elements - 1] = p;
    x->shape = ph_hash_text(x->shape, name);
    if (!p)
        return;
    add(x, p->constant, p->n_constants);
    for (int i = 0; i < p->n_constants && x->value; i++) /* each is a number of its own */
        x->size[x->n - p->n_constants + i] = fabs(p->constant[i]);
    SUM(p->n_args, p->n_constants, p->n_ops, p->n_stretches, p->n_out);
    sum(x, p->arg, sizeof *p->arg * (size_t)p->n_args), sum(x, p->op, sizeof *p->op * (size_t)p->n_ops);
    sum(x, p->stretch, sizeof *p->stretch * (size_t)p->n_stretches);
    sum(x, p->result, sizeof *p->result * (size_t)p->n_results);
    for (int i = 0; i < p->n_curves; i++)
        curve(x, p->curve[i].curve);
}

/* How steps are made. */
static void method(ph_constants *x, const ph_run *run)
{
    const ph_options *o = &run->sim->opt;
    const ph_layout *lay = &run->sim->lay;
    const double all[] = {o->h,     o->sigma, o->alpha_m, o->alpha_f, o->beta,
                          o->gamma, o->atol,  o->rtol,    o->tol,     run->sim->t0};
    sum(x, all, sizeof all);
    SUM((int)o->formulation, (int)o->ggl_form, (int)o->start, (int)o->newton, o->max_iterations,
        ph_multistep_order(run->sim), (int)o->correction);
    SUM(lay->N, lay->nq, lay->nv, lay->nl, lay->size_pairs, lay->size_links, lay->friction,
        run->mech->n_turns);
    SUM(run->model->n_inputs, run->model->n_events, (int)run->def.space);
    x->shape = ph_hash_text(x->shape, run->sim->stepper->name);
}

static void all(ph_constants *x, const ph_run *run)
{
    const ph_mechanism *m = run->mech;
    ph_compiler c = {.model = run->model};
    x->n = x->elements = 0, x->shape = PH_HASH_START;
    x->kind[PH_CONSTANT_BODY] = 0;
    for (int k = 0; k < run->model->n_bodies; k++)
        body(x, &m->body[k]);
    x->kind[PH_CONSTANT_JOINT] = x->elements;
    for (int k = 0; k < m->n_joints; k++)
        joint(x, &m->joint[k]);
    x->kind[PH_CONSTANT_FORCE] = x->elements;
    for (int k = 0; k < m->n_forces; k++)
        force(x, &m->force[k]);
    x->kind[PH_CONSTANT_COUPLE] = x->elements;
    for (int k = 0; k < run->model->n_couplings; k++)
        couple(x, &m->couple[k]);
    x->kind[PH_CONSTANT_SENSOR] = x->elements;
    for (int k = 0; k < run->model->n_sensors; k++)
        begin(x), numbers(x, PH_NUMBERS_SENSOR, &run->model->sensor[k]);
    x->kind[PH_CONSTANT_FUNCTION] = x->elements;
    ph_compile_each_function(&c, function, x);
    method(x, run);
}

/* ---- of a run ------------------------------------------------------------------------------------------------ */

ph_status ph_constants_create(ph_constants *x, const ph_run *run, const ph_allocator *alloc)
{
    *x = (ph_constants){.alloc = alloc};
    all(x, run);
    size_t n = (size_t)x->n + 1, elements = (size_t)x->elements + 1;
    double *value = ph_alloc(x->alloc, 2 * n * sizeof(double));
    x->first = ph_alloc(x->alloc, elements * sizeof *x->first);
    x->program = ph_alloc(x->alloc, elements * sizeof *x->program);
    if (!value || !x->first || !x->program) {
        ph_free(x->alloc, value);
        ph_constants_destroy(x);
        return PH_E_MEMORY;
    }
    x->value = value, x->size = value + n;
    all(x, run);
    return PH_OK;
}

void ph_constants_destroy(ph_constants *x)
{
    ph_free(x->alloc, x->value);
    ph_free(x->alloc, x->first);
    ph_free(x->alloc, x->program);
    *x = (ph_constants){0};
}

int ph_constants_at(const ph_constants *x, ph_constant_kind kind, int k)
{
    return x->first[x->kind[kind] + k];
}

int ph_constants_of(const ph_constants *x, const ph_program *p)
{
    for (int k = x->kind[PH_CONSTANT_FUNCTION]; k < x->elements; k++)
        if (x->program[k] == p)
            return x->first[k];
    return -1;
}

#define ROUND_OFF 1e-15 /* of the size of a field: what rotations into frames leave */

int ph_constants_differ(const ph_constants *a, const ph_constants *b, int i)
{
    return !(fabs(a->value[i] - b->value[i]) <= ROUND_OFF * fmax(a->size[i], b->size[i]));
}
