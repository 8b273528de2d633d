/* A model at neighbouring values of one parameter, and how far they are: the first step is part of the value, and
 * smaller ones follow until what a model of such a parameter says is smooth over the step (W11). */
#include "run/neighbours.h"

#include <string.h>

#include "base/quotient.h"
#include "step/eval.h"

/* Five-point differences over steps of this part of the value have errors of 1e-11 of a smooth function and
 * 1e-13 of round-off; a power of 2, so that steps are exact. Angles of many turns and exponents need smaller ones. */
#define PART 0x1p-9

/* The step of a parameter with value 0. */
#define STEP_AT_ZERO 0x1p-10

/* What rounding may do to a step; differences over smaller ones are noise. */
#define ROUNDED 1e-3

/* Numbers below this part of the largest of their kind may be what cancellation has left. */
#define LEFT 1e-3

/* Errors above this tell nothing: what the neighbours say goes up and down between them. Steps get shorter until it does not, at
 * most so often. */
#define LOST    0x1p-9
#define SHORTEN 8

/* Times of the run at which a model that is not steady is tried: the start, the end and some between them. */
#define TIMES 16

/* A step to the next one, and what is left of an error of fourth order then, with room for the terms behind it. */
#define SHORTER 8
#define GAIN    0x1p-9

static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

double ph_run_eps(const ph_run *run, int parameter)
{
    if (!run->model || parameter < 0 || parameter >= run->model->n_params)
        return 0;
    double value = fabs(run->model->param[parameter].value), part = run->config.eps;
    if (part > 0)
        return part * (value != 0 ? value : 1);
    return value != 0 ? PART * value : STEP_AT_ZERO;
}

/* Stops of actuators stay, and are moved to first order. */
static void keep_stops(ph_model *near, const ph_model *m)
{
    for (int k = 0; k < near->n_actuators && near->n_actuators == m->n_actuators; k++) {
        ph_actuator_def *a = &near->actuator[k];
        const ph_actuator_def *b = &m->actuator[k];
        for (int i = 0; i < 2 && !isnan(a->stop[0]) && !isnan(b->stop[0]); i++)
            a->moved[i] = a->stop[i] - b->stop[i], a->stop[i] = b->stop[i];
    }
}

/* about: the value of the parameter itself, at which its functions have their tangents (P8) */
static ph_status build(ph_neighbour *n, const ph_run *run, const ph_setting *set, double about, ph_error *err)
{
    const ph_allocator *alloc = run->config.alloc;
    ph_status s = ph_model_near(&n->model, run->model, set, 1, set->name, alloc, err);
    if (s == PH_OK) {
        keep_stops(n->model, run->model);
        s = ph_mechanism_create(&n->mech, n->model, run->def.space, alloc, err);
    }
    if (s != PH_OK)
        return s;
    n->mech->parameter.about = about, n->mech->parameter.tangents = n->model->symbol > 0;
    n->sys = *ph_mechanism_system(n->mech);
    n->sys.n_redundant = run->sys->n_redundant;
    s = ph_mechanism_initial(n->mech, run->def.assemble, &n->q0, &n->v0, err);
    if (s == PH_OK)
        ph_mechanism_share(n->mech, run->mech);
    return s;
}

static ph_status build_all(ph_neighbours *out, const ph_run *run, ph_error *err)
{
    ph_status s = PH_OK;
    for (int k = 0; k < PH_NEIGHBOURS && s == PH_OK; k++) {
        ph_error why = {0};
        ph_setting set = {out->name, out->value + place[k] * out->eps};
        s = build(&out->at[k], run, &set, out->value, &why);
        if (s != PH_OK && run->model->frozen) /* whatever the value is */
            ph_fail(err, s, "%.400s", why.text);
        else if (s != PH_OK)
            ph_fail(err, s, "parameter '%s' = %.9g, near its value: %.400s", out->name, set.value, why.text);
    }
    return s;
}

/* ---- the step ---------------------------------------------------------------------------------------- */

/* What the neighbours say at one point, each as a list: W and v of their initial values, r, Phi and rate, and what functions
 * make of it that nothing depends on. */
enum { LISTS = 6, TOLD = LISTS - 1 };

typedef struct trial {
    ph_layout lay; /* of the run's system */
    ph_eval ev;
    ph_point at;
    double *shift; /* nv */
    double *f[PH_NEIGHBOURS];
    int size[LISTS];
} trial;

/* Hand out all arrays; called twice, see ph_arena. */
static void take(trial *t, ph_arena *a)
{
    size_t n = 0;
    for (int i = 0; i < LISTS; i++)
        n += (size_t)t->size[i];
    ph_eval_take(&t->ev, &t->lay, a);
    ph_point_take(&t->at, &t->lay, a);
    t->shift = ph_arena_take(a, (size_t)t->lay.nv, sizeof(double));
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        t->f[k] = ph_arena_take(a, n, sizeof(double));
}

/* Time k of the run, in no step with what repeats itself. */
static double time_of(const ph_run *run, int k)
{
    double golden = 0.6180339887498949 * k, part = k < 2 ? k : golden - floor(golden);
    return run->t0 + part * (run->def.t_end - run->t0);
}

/* Any point near the initial values; the arena is zero elsewhere. */
static void put_point(trial *t, const ph_run *run, double time)
{
    t->at.t = time;
    memcpy(t->at.q, run->q0, sizeof(double) * (size_t)t->lay.nq);
    memcpy(t->at.v, run->v0, sizeof(double) * (size_t)t->lay.nv);
    ph_point_rotations(&t->at, &t->lay);
    ph_point_stray(&t->at, &t->lay, 1, t->shift);
}

/* Objectives, and sensors that are functions: how many numbers, or these, 0 where one is not known; f NULL: to be counted. */
static int tell(const ph_model *m, ph_mechanism *mech, const ph_state *s, double *f)
{
    int n = 0;
    for (int i = 0; i < m->n_objectives; i++)
        for (ph_objective_part part = PH_AT_THE_END; part <= PH_ON_THE_WAY; part++, n++)
            if (f && (!ph_objective_has(m, i, part) ||
                      ph_mechanism_objective(mech, s, i, part, f + n, NULL) != PH_OK))
                f[n] = 0;
    for (int i = 0; i < m->n_sensors; i++) {
        const ph_sensor_def *d = &m->sensor[i];
        if (!d->f.call)
            continue;
        if (f && ph_mechanism_sensor(mech, s, i, f + n) != PH_OK)
            memset(f + n, 0, sizeof(double) * (size_t)d->size);
        n += d->size;
    }
    return n;
}

/* 0: it has another layout, which is refused later on, or it has no value at the point of the trial */
static int look(trial *t, const ph_run *run, ph_neighbour *n, double *f)
{
    const ph_layout *lay = &t->lay;
    ph_skeleton *skeleton;
    double inverse[PH_DIM_MAX + 1];
    if (ph_mechanism_skeleton(n->mech, &skeleton, NULL) != PH_OK)
        return 0;
    const ph_layout *own = &skeleton->lay;
    if (own->nq != lay->nq || own->nv != lay->nv || own->nl != lay->nl || own->N != lay->N ||
        own->size_pairs != lay->size_pairs || own->size_links != lay->size_links)
        return 0;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *q = n->q0 + i->q_at, *base = run->q0 + i->q_at;
        for (int k = 0; k < i->dim && i->R_at < 0; k++)
            f[i->v_at + k] = q[k] - base[k];
        if (i->R_at < 0)
            continue;
        i->op->inverse(i->dim, base, inverse);
        i->op->compose(i->dim, inverse, q, inverse);
        i->op->log(i->dim, inverse, f + i->v_at);
    }
    ph_state s = ph_point_view(&t->at, own);
    t->ev.lay = own;
    const double *from[LISTS] = {NULL, n->v0, t->ev.r, t->ev.Phi, t->ev.rate, NULL};
    int ok = ph_eval_residual(&t->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE) == PH_OK;
    for (int i = 0; i < TOLD; f += t->size[i++])
        if (from[i])
            memcpy(f, from[i], sizeof(double) * (size_t)t->size[i]);
    if (ok && tell(n->model, n->mech, &s, NULL) == t->size[TOLD])
        tell(n->model, n->mech, &s, f);
    return ok;
}

/* The error of differences over a list by what is cut off, relative to its slopes; 0: round-off is all there is. */
static double cut_of(int n, double *const f[PH_NEIGHBOURS], int first, double e)
{
    double slope = 0, size = 0, worst = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = first; i < first + n; i++) {
            double D1 = (f[2][i] - f[1][i]) / (2 * e), D2 = (f[3][i] - f[0][i]) / (4 * e);
            double third = fabs(D1 - D2) / 3, D = fabs(4 * D1 - D2) / 3;
            double cut = third > 0 ? third * (third / fmax(third, D)) : 0;
            if (pass && cut > 2 * DBL_EPSILON * size / e)
                worst = fmax(worst, cut / fmax(D, LEFT * slope));
            slope = fmax(slope, D), size = fmax(size, fmax(fabs(f[0][i]), fabs(f[3][i])));
        }
    return worst;
}

/* The same of all that the neighbours say; 0: it is not known. */
static double error_of(const ph_run *run, ph_neighbours *n)
{
    trial t = {0};
    ph_arena a = {0};
    ph_skeleton *skeleton;
    double worst = 0;
    if (ph_mechanism_skeleton(run->mech, &skeleton, NULL) != PH_OK)
        return 0;
    t.lay = skeleton->lay;
    t.size[0] = t.size[1] = t.size[2] = t.lay.nv, t.size[3] = t.size[4] = t.lay.nl;
    t.size[TOLD] = tell(run->model, run->mech, NULL, NULL);
    take(&t, &a);
    if (!ph_arena_open(&a, run->config.alloc))
        return 0;
    take(&t, &a);
    ph_eval_prepare(&t.ev);
    int times = (!n->steady || t.size[TOLD]) && run->def.t_end > run->t0 ? TIMES : 1;
    for (int j = 0; j < times; j++) {
        int known = 1;
        put_point(&t, run, time_of(run, j));
        for (int k = 0; k < PH_NEIGHBOURS && known; k++)
            known = look(&t, run, &n->at[k], t.f[k]);
        for (int i = 0, first = 0; i < LISTS && known; first += t.size[i++])
            worst = fmax(worst, cut_of(t.size[i], t.f, first, n->eps));
    }
    ph_free(run->config.alloc, a.block);
    return worst;
}

/* ---- create ------------------------------------------------------------------------------------------ */

static int can_step(const ph_neighbours *n)
{
    return fabs(n->value + n->eps - n->value - n->eps) <= ROUNDED * n->eps;
}

static void drop(ph_neighbours *n)
{
    ph_loads_destroy(n->loads);
    n->loads = NULL;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_mechanism_destroy(n->at[k].mech);
        ph_model_free(n->at[k].model);
        n->at[k] = (ph_neighbour){0};
    }
}

/* Shorter steps, as long as they make the error smaller by as much as they do of a smooth function. */
static void refine(ph_neighbours *out, const ph_run *run)
{
    double error = error_of(run, out), eps = out->eps;
    for (int k = 0; k < SHORTEN && error > PH_QUOTIENT_GOOD; k++) {
        ph_neighbours finer = {.name = out->name, .value = out->value, .steady = out->steady};
        double better = HUGE_VAL;
        finer.eps = eps /= SHORTER;
        if (can_step(&finer) && build_all(&finer, run, NULL) == PH_OK)
            better = error_of(run, &finer);
        if (better <= error * GAIN) {
            drop(out);
            *out = finer, error = better;
            continue;
        }
        drop(&finer);
        if (!(error > LOST && better < HUGE_VAL && better > LOST))
            return;
    }
}

/* 1: nothing waits for a time or a place. */
static int is_steady(const ph_model *m)
{
    const ph_function *f;
    int steady = m->n_inputs == 0;
    for (int k = 0; (f = ph_motion_function(m, k)); k++)
        steady = steady && !f->call;
    for (int k = 0; k < m->n_joints; k++)
        steady = steady && m->joint[k].friction == 0;
    for (int k = 0; k < m->n_actuators; k++)
        steady = steady && isnan(m->actuator[k].stop[0]);
    return steady;
}

ph_status ph_neighbours_create(ph_neighbours *out, const ph_run *run, int parameter, double eps,
                               ph_error *err)
{
    *out = (ph_neighbours){0};
    if (!run->model || parameter < 0 || parameter >= run->model->n_params)
        return ph_fail(err, PH_E_INPUT, "there is no parameter %d", parameter);
    const ph_param_def *p = &run->model->param[parameter];
    out->name = p->name, out->value = p->value;
    out->eps = eps > 0 ? eps : ph_run_eps(run, parameter);
    out->steady = is_steady(run->model);
    if (!can_step(out))
        return ph_fail(err, PH_E_INPUT, "parameter '%s' = %.9g does not change by so little as %.3g", p->name,
                       p->value, out->eps);
    ph_status s = build_all(out, run, err);
    if (s == PH_OK && !(eps > 0 || run->config.eps > 0))
        refine(out, run);
    const ph_mechanism *at[PH_NEIGHBOURS];
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        at[k] = out->at[k].mech;
    if (s == PH_OK)
        s = ph_loads_create(&out->loads, PH_NEIGHBOURS, at, run->config.alloc, err);
    if (s != PH_OK)
        ph_neighbours_destroy(out);
    return s;
}

void ph_neighbours_destroy(ph_neighbours *n)
{
    drop(n);
    *n = (ph_neighbours){0};
}

ph_param ph_neighbours_param(const ph_neighbours *n)
{
    ph_param p = {.name = n->name, .eps = n->eps, .steady = n->steady};
    if (n->loads)
        p.loads = ph_loads_add, p.ctx = n->loads;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        p.at[k].sys = &n->at[k].sys;
        p.at[k].q0 = n->at[k].q0, p.at[k].v0 = n->at[k].v0;
    }
    return p;
}
