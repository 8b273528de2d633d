/* Gradients of scalar objectives by the discrete adjoint: the transposed steps of adjoint_step.c, from the
 * last to the first.
 *
 * A step is restored from its two points, so the way back needs no Newton iteration. The points come from
 * checkpoints: the run keeps some of its states, and the steps between two of them are made once more and
 * kept when they are needed. */
#include <string.h>

#include "la/small.h"
#include "sens/adjoint.h"

/* ---- the objective ------------------------------------------------------------------------------ */

/* Add weight f(point) to the value, and its derivatives to the covectors there. */
static ph_status seed_with(ph_adjoint *a, ph_scalar_fn f, double weight, const ph_point *p)
{
    const ph_layout *lay = &a->sim->lay;
    ph_state s = ph_point_view(p, lay);
    ph_variation *x = &a->now; /* scratch between steps */
    double value = 0, *by_p = a->by_p;
    ph_variation_clear(x, lay, a->memory);
    memset(by_p, 0, sizeof(double) * (size_t)a->sens->n);
    ph_covector g = {x->W, x->v, x->vdot, x->lambda, by_p};
    ph_status status = f(&s, &value, &g, a->objective->ctx);
    if (status != PH_OK)
        return PH_E_CALLBACK;
    if (!isfinite(value + ph_small_max(lay->nv, x->W) + ph_small_max(lay->nv, x->v) +
                  ph_small_max(lay->nv, x->vdot) + ph_small_max(lay->nl, x->lambda) +
                  ph_small_max(a->sens->n, by_p)))
        return PH_E_NAN;
    a->value += weight * value;
    for (int i = 0; i < lay->nv; i++) {
        a->next.W[i] += weight * x->W[i];
        a->next.v[i] += weight * x->v[i];
        a->next.vdot[i] += weight * x->vdot[i];
    }
    for (int i = 0; i < lay->nl; i++)
        a->next.lambda[i] += weight * x->lambda[i];
    for (int k = 0; k < a->sens->n; k++)
        a->gradient[k] += weight * by_p[k];
    return PH_OK;
}

/* Covectors at point n of the run, whose weight in the integral is h, or half of it at the ends. */
static ph_status seed(ph_adjoint *a, long n, const ph_point *p)
{
    const ph_objective *o = a->objective;
    double h = a->sim->opt.h, weight = n == 0 || n == a->steps ? h / 2 : h;
    ph_status s = o->final && n == a->steps ? seed_with(a, o->final, 1, p) : PH_OK;
    return s == PH_OK && o->integral ? seed_with(a, o->integral, weight, p) : s;
}

/* ---- forwards and backwards --------------------------------------------------------------------- */

/* What the method remembers, to past; load: from past. */
static void save_past(const ph_adjoint *a, double *past)
{
    size_t nv = (size_t)a->sim->lay.nv;
    for (int j = 0; j < a->memory; j++)
        memcpy(past + (size_t)j * nv, a->sim->stepper->sens_past(a->sim, j), sizeof(double) * nv);
}

static void load_past(const ph_adjoint *a, const double *past)
{
    size_t nv = (size_t)a->sim->lay.nv;
    for (int j = 0; j < a->memory; j++)
        memcpy(a->sim->stepper->sens_past(a->sim, j), past + (size_t)j * nv, sizeof(double) * nv);
}

static void save(const ph_adjoint *a, ph_checkpoint *c)
{
    ph_tape t = {.mode = PH_TAPE_WRITE, .at = c->bytes, .brief = 1};
    c->n = a->sim->n;
    ph_sim_tape(a->sim, &t);
    if (a->objective->kept)
        a->objective->keep(c->bytes + a->taped, a->objective->ctx);
}

static ph_status load(const ph_adjoint *a, const ph_checkpoint *c, ph_error *err)
{
    ph_tape t = {.mode = PH_TAPE_READ, .at = c->bytes, .brief = 1};
    ph_status s = ph_sim_tape(a->sim, &t);
    if (a->objective->kept)
        a->objective->take_back(c->bytes + a->taped, a->objective->ctx);
    return s == PH_OK ? s
                      : ph_fail(err, s, "t = %.9g: the matrix of a checkpoint is singular", a->sim->now.t);
}

/* A step that was made before. */
static ph_status step_again(const ph_adjoint *a, ph_error *err)
{
    const ph_objective *o = a->objective;
    ph_status s = ph_sim_step(a->sim, err);
    return s == PH_OK && o->again ? o->again(a->sim, o->ctx) : s;
}

static ph_status step_to(const ph_adjoint *a, long n, ph_error *err)
{
    ph_status s = PH_OK;
    while (a->sim->n < n && s == PH_OK)
        s = step_again(a, err);
    return s;
}

/* As ph_sim_run calls it. */
static ph_status show(const ph_adjoint *a, ph_error *err)
{
    const ph_objective *o = a->objective;
    if (!o->forwards || o->forwards(a->sim, o->ctx) == PH_OK)
        return PH_OK;
    return ph_fail(err, PH_E_STOPPED, "stopped by the output callback at t = %.9g", a->sim->now.t);
}

static ph_status go_forwards(const ph_adjoint *a, long n, ph_error *err)
{
    ph_status s = PH_OK;
    while (a->sim->n < n && s == PH_OK) {
        s = ph_sim_step(a->sim, err);
        if (s == PH_OK)
            s = show(a, err);
    }
    return s;
}

/* Back from step `to` to that of a mark, with all points between in memory. */
static ph_status short_part_back(ph_adjoint *a, const ph_checkpoint *mark, long to, ph_error *err)
{
    ph_sim *sim = a->sim;
    long n = to - mark->n;
    for (long i = 0; i <= n; i++) {
        ph_status s = i ? step_again(a, err) : load(a, mark, err);
        if (s != PH_OK)
            return s;
        ph_point_copy(&a->point[i], &sim->now, &sim->lay);
        save_past(a, a->past[i]);
    }
    ph_point now = sim->now, next = sim->next;
    ph_status s = to == a->steps ? seed(a, to, &a->point[n]) : PH_OK;
    for (long i = n; i > 0 && s == PH_OK; i--) {
        sim->now = a->point[i - 1], sim->next = a->point[i];
        sim->n = mark->n + i - 1;
        load_past(a, a->past[i - 1]);
        if (a->objective->backwards && a->objective->backwards(sim, a->objective->ctx) != PH_OK) {
            sim->now = now, sim->next = next;
            return ph_fail(err, PH_E_STOPPED, "stopped on the way back at t = %.9g", a->point[i].t);
        }
        s = ph_adjoint_step_back(a);
        if (s == PH_OK)
            s = seed(a, mark->n + i - 1, &a->point[i - 1]);
    }
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", sim->now.t,
                s == PH_E_NAN ? "the objective or its derivatives are not finite"
                              : "a callback refused, or a "
                                "matrix is singular,");
    sim->now = now, sim->next = next;
    return s;
}

/* The same where they may be too many: in halves, from a spare mark in the middle. */
static ph_status part_back(ph_adjoint *a, int mark, long to, int spare, ph_error *err)
{
    ph_checkpoint *c = &a->mark[mark];
    if (to - c->n <= a->n_points)
        return short_part_back(a, c, to, err);
    long middle = c->n + (to - c->n) / 2;
    ph_status s = load(a, c, err);
    if (s == PH_OK)
        s = step_to(a, middle, err);
    if (s != PH_OK)
        return s;
    save(a, &a->mark[spare]);
    s = part_back(a, spare, to, spare + 1, err);
    return s == PH_OK ? part_back(a, mark, middle, spare, err) : s;
}

/* What the covectors of a->next contribute by the derivatives that sens has of the point. */
static void contract(ph_adjoint *a)
{
    const ph_layout *lay = &a->sim->lay;
    const ph_variation *g = &a->next;
    for (int k = 0; k < a->sens->n; k++) {
        const ph_variation *x = &a->sens->d[k].now;
        double sum = 0;
        for (int i = 0; i < lay->nv; i++)
            sum += g->W[i] * x->W[i] + g->v[i] * x->v[i] + g->vdot[i] * x->vdot[i] + g->a[i] * x->a[i];
        for (int i = 0; i < lay->nv * a->memory; i++)
            sum += g->memory[i] * x->memory[i];
        for (int i = 0; i < lay->nl; i++)
            sum += g->lambda[i] * x->lambda[i];
        a->gradient[k] += sum;
    }
    ph_variation_clear(&a->next, lay, a->memory);
}

/* Steps of the start that have no transpose: with derivatives forwards, which the objective meets at once. */
static ph_status start_part(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    long first = ph_sens_start_steps(sim);
    ph_status s = show(a, err);
    sim->sens = a->sens;
    while (s == PH_OK && (sim->n < first || sim->n == a->steps)) {
        s = seed(a, sim->n, &sim->now);
        if (s != PH_OK)
            ph_fail(err, s, "t = %.9g: the objective refused, or its derivatives are not finite", sim->now.t);
        contract(a);
        if (sim->n == a->steps)
            break;
        s = s == PH_OK ? go_forwards(a, sim->n + 1, err) : s;
    }
    sim->sens = NULL; /* from here on the way there is without derivatives */
    return s;
}

/* The start forwards, without derivatives; its points are kept. */
static ph_status start_forwards(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    long last = a->start < a->steps ? a->start : a->steps;
    ph_status s = show(a, err);
    sim->sens = NULL;
    ph_point_copy(&a->begin[0], &sim->now, &sim->lay);
    while (s == PH_OK && sim->n < last) {
        s = go_forwards(a, sim->n + 1, err);
        ph_point_copy(&a->begin[sim->n], &sim->now, &sim->lay);
    }
    return s;
}

/* And backwards, from the covectors of its last point and of what the method remembers there: (W13). */
static ph_status start_backwards(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    const ph_layout *lay = &sim->lay;
    ph_variation *x = &a->next;
    int last = a->start < a->steps ? a->start : (int)a->steps, pieces;
    ph_status s = PH_OK;
    for (int j = 0; j <= last; j++)
        ph_variation_clear(&a->bar[j], lay, 0);
    if (last == a->start)
        sim->stepper->sens_start_back(sim, a->begin, x->memory, a->bar);
    for (int j = last; j >= 0 && s == PH_OK; j--) {
        if (j < last || j == a->steps)
            s = seed(a, j, &a->begin[j]);
        for (int i = 0; i < lay->nv; i++)
            x->W[i] += a->bar[j].W[i], x->v[i] += a->bar[j].v[i];
        if (j == 0 || s != PH_OK)
            break;
        ph_rk *rk = sim->stepper->sens_start_method(sim, j - 1, &pieces);
        s = ph_motion_back_forces(&a->back, &a->begin[j], x->vdot, x->lambda, x->W, x->v, a->gradient);
        if (s == PH_OK)
            s = ph_motion_back_over(&a->back, rk, &a->begin[j], sim->opt.h, pieces, x->W, x->v, a->gradient);
        memset(x->vdot, 0, sizeof(double) * (size_t)lay->nv);
        memset(x->lambda, 0, sizeof(double) * (size_t)lay->nl);
    }
    memset(x->memory, 0, sizeof(double) * (size_t)(lay->nv * a->memory));
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", a->begin[0].t, "the start, or the objective, failed");
    return s;
}

static ph_status forwards_and_back(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    ph_checkpoint *end = &a->mark[a->n_marks + a->n_spare];
    ph_status s = a->start ? start_forwards(a, err) : start_part(a, err);
    long spacing = (a->steps - sim->n + a->n_marks - 1) / a->n_marks;
    int used = 0;
    while (s == PH_OK && sim->n < a->steps) {
        save(a, &a->mark[used++]);
        s = go_forwards(a, sim->n + spacing < a->steps ? sim->n + spacing : a->steps, err);
    }
    if (s != PH_OK)
        return s;
    save(a, end);
    ph_stats stats = sim->stats;
    for (int k = used - 1; k >= 0 && s == PH_OK; k--)
        s = part_back(a, k, k == used - 1 ? a->steps : a->mark[k + 1].n, a->n_marks, err);
    if (s == PH_OK && a->start)
        s = start_backwards(a, err);
    ph_status loaded = load(a, end, s == PH_OK ? err : NULL);
    sim->stats = stats;
    return s == PH_OK ? loaded : s;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static int ceil_sqrt(long n)
{
    int r = (int)sqrt((double)n);
    while ((long)r * r < n)
        r++;
    return r;
}

/* For a start that is the motion. */
static void take_start(ph_adjoint *a, ph_arena *arena)
{
    const ph_layout *lay = &a->sim->lay;
    size_t points = (size_t)a->start + 1;
    int pieces;
    ph_point nowhere, *begin = ph_arena_take(arena, points, sizeof nowhere);
    ph_variation none, *bar = ph_arena_take(arena, points, sizeof none);
    for (size_t k = 0; k < points; k++) {
        ph_point_take(arena->base ? &begin[k] : &nowhere, lay, arena);
        ph_variation_take(arena->base ? &bar[k] : &none, lay, 0, arena);
    }
    a->begin = begin, a->bar = bar;
    ph_motion_back_take(&a->back, a->sens, &a->sim->stepper->sens_start_method(a->sim, 0, &pieces)->tab,
                        arena);
}

/* Steps of the start, if it is the motion. */
static int start_of(ph_sim *sim)
{
    int pieces;
    const ph_stepper *method = sim->stepper;
    if (!method->sens_start_method || sim->matrix.redundant || !method->sens_start_method(sim, 0, &pieces))
        return 0;
    return ph_sens_start_steps(sim);
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(ph_adjoint *a, ph_arena *arena)
{
    const ph_layout *lay = &a->sim->lay;
    size_t d = sizeof(double), marks = (size_t)(a->n_marks + a->n_spare + 1),
           points = (size_t)a->n_points + 1;
    ph_checkpoint none, *mark = ph_arena_take(arena, marks, sizeof none);
    ph_point nowhere, *point = ph_arena_take(arena, points, sizeof nowhere);
    double *nothing, **past = ph_arena_take(arena, points, sizeof nothing);
    size_t size = (size_t)(a->memory * lay->nv);
    ph_tape count = {.brief = 1};
    ph_sim_tape(a->sim, &count);
    a->taped = count.used;
    for (size_t k = 0; k < marks; k++)
        (arena->base ? &mark[k] : &none)->bytes =
            ph_arena_take(arena, a->taped + (a->objective ? a->objective->kept : 0), 1);
    for (size_t k = 0; k < points; k++) {
        ph_point_take(arena->base ? &point[k] : &nowhere, lay, arena);
        *(arena->base ? &past[k] : &nothing) = ph_arena_take(arena, size, d);
    }
    ph_point_take(&a->scratch, lay, arena);
    ph_variation_take(&a->now, lay, a->memory, arena);
    ph_variation_take(&a->next, lay, a->memory, arena);
    a->mark = mark, a->point = point, a->past = past;
    a->mu = ph_arena_take(arena, (size_t)a->sim->matrix.n, d);
    a->rhs = ph_arena_take(arena, (size_t)a->sim->matrix.n, d);
    a->w = ph_arena_take(arena, a->sim->matrix.redundant ? (size_t)lay->nl : 0, d);
    a->y_bar = ph_arena_take(arena, (size_t)lay->nv, d);
    a->by_p = ph_arena_take(arena, (size_t)a->sens->n, d);
    if (a->start)
        take_start(a, arena);
}

/* Bytes of all arrays with so many marks and points. */
static size_t bytes(const ph_adjoint *a, int marks, int points)
{
    ph_adjoint trial = *a;
    ph_arena arena = {0};
    trial.n_marks = marks, trial.n_spare = 0, trial.n_points = points;
    take(&trial, &arena);
    return arena.used + PH_ARENA_ALIGN;
}

/* Spare marks for parts that are halved until their points are there. */
static int spare_marks(long part, int points)
{
    int n = 1;
    for (; part > points; part = (part + 1) / 2)
        n++;
    return n;
}

/* As many tell what one takes: pieces of the arena are rounded up to lines. */
#define SAMPLE 64

/* As many points as the root of the number of steps, and as many marks; or what a bound allows, one half of
 * it for points and one for marks, since the steps that are made again grow with the logarithm of the length
 * of a part over its points. Returns the least bound that would do if it is too tight, else 0. */
static size_t plan(ph_adjoint *a, size_t memory)
{
    size_t one = bytes(a, 1, 1), slack = 4 * PH_ARENA_ALIGN;
    size_t mark = (bytes(a, 1 + SAMPLE, 1) - one) / SAMPLE + 1;
    size_t point = (bytes(a, 1, 1 + SAMPLE) - one) / SAMPLE + 1;
    size_t root = (size_t)ceil_sqrt(a->steps), least = one + slack + mark * (size_t)spare_marks(a->steps, 1);
    a->n_marks = a->n_points = (int)root;
    a->n_spare = 0;
    if (!memory || one + slack + (root - 1) * (mark + point) <= memory)
        return 0;
    if (least > memory)
        return least;
    size_t points = 1 + (memory - least) / (2 * point);
    size_t marks = 1 + (memory - one - slack - (points - 1) * point) / mark; /* spare ones among them */
    a->n_points = (int)points, a->n_marks = 1;
    for (int k = 0; k < 2; k++) { /* parts get shorter as marks get more */
        a->n_spare = spare_marks((a->steps + a->n_marks - 1) / a->n_marks, a->n_points);
        a->n_marks = (int)marks - a->n_spare;
    }
    return 0;
}

ph_status ph_sens_gradient(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                           double *value, double *gradient, ph_error *err)
{
    ph_sim *sim = sens->sim;
    ph_adjoint a = {.sens = sens,
                    .sim = sim,
                    .objective = objective,
                    .steps = steps,
                    .gradient = gradient,
                    .memory = ph_sens_memory(sim),
                    .start = start_of(sim)};
    ph_arena arena = {0};
    if (steps < 1 || sim->n)
        return ph_fail(err, PH_E_INPUT, "a gradient is that of a run of at least one step, from its start");
    if (!objective->final && !objective->integral)
        return ph_fail(err, PH_E_INPUT, "the objective has neither a final value nor an integral");
    if (!sim->stepper->sens_restore)
        return ph_fail(err, PH_E_INPUT, "%s has no adjoint", sim->stepper->name);
    if (sens->simplified)
        return ph_fail(err, PH_E_INPUT, "the adjoint is exact: '%s' is for derivatives that follow the steps",
                       ph_simplification_word(sens->simplified));
    size_t least = plan(&a, memory);
    if (least)
        return ph_fail(err, PH_E_INPUT, "a bound of %zu bytes is too tight: it takes %zu at least", memory,
                       least);
    take(&a, &arena);
    if (!ph_arena_open(&arena, sim->opt.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for checkpoints; give a bound");
    take(&a, &arena);
    memset(gradient, 0, sizeof(double) * (size_t)sens->n);
    double start = ph_sim_clock();
    ph_status s = forwards_and_back(&a, err);
    sim->stats.wall_s += ph_sim_clock() - start;
    sim->sens = sens;
    if (s == PH_OK)
        contract(&a);
    for (int k = 0; k < sens->n && s == PH_OK; k++)
        if (!isfinite(gradient[k]))
            s = ph_fail(err, PH_E_NAN, "the derivative by parameter '%s' is not finite", sens->d[k].p.name);
    *value = a.value;
    ph_free(sim->opt.alloc, arena.block);
    return s;
}
