/* Gradients of scalar objectives by the discrete adjoint: the transposed steps of adjoint_step.c, from the
 * last to the first.
 *
 * A step is restored from its two points, so the way back needs no Newton iteration. The points come from
 * checkpoints: the run keeps some of its states, and the steps between two of them are made once more and
 * kept when they are needed. */
#include <string.h>

#include "la/small.h"
#include "sens/adjoint.h"
#include "sens/sens_limits.h"

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

/* Its weight in the integral is h, or half of it at the ends. */
static double weight_of(const ph_adjoint *a, long n)
{
    double h = a->sim->opt.h;
    return n == 0 || n == a->steps ? h / 2 : h;
}

/* The same of point i among the n + 1 of a part, also where steps change: half of the steps on both sides. */
static double weight_in(const ph_adjoint *a, long first, long n, long i)
{
    if (!ph_sim_paced(a->sim))
        return weight_of(a, first + i);
    double after = i < n ? a->point[i + 1].t - a->point[i].t : 0;
    return 0.5 * (after + (first + i > 0 ? a->sizes[i] : 0));
}

/* Covectors at point n of the run. */
static ph_status seed(ph_adjoint *a, long n, double weight, const ph_point *p)
{
    const ph_objective *o = a->objective;
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

/* The transposed steps go back over whole steps only. */
static ph_status check_whole(const ph_sim *sim, ph_error *err)
{
    return sim->stats.divided
               ? ph_fail(
                     err, PH_E_INPUT,
                     "t = %.9g: the adjoint does not follow steps that are divided: take direct derivatives, "
                     "or halvings = 0",
                     sim->stats.first_divided)
               : PH_OK;
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
    const ph_objective *o = a->objective;
    while (a->sim->n < n && s == PH_OK) {
        s = o->step ? o->step(a->sim, o->ctx, err) : ph_sim_step(a->sim, err);
        if (s == PH_OK)
            s = check_whole(a->sim, err);
        if (s == PH_OK)
            s = show(a, err);
    }
    return s;
}

/* One step back from point i of the part at work; where it is asked for, what the step adds to the error of the objective: covectors at
 * its end times its local errors. */
static ph_status step_back(ph_adjoint *a, long i)
{
    ph_sim *sim = a->sim;
    int nv = sim->lay.nv;
    if (!a->term)
        return ph_adjoint_step_back(a);
    const ph_point *before = i > 1 ? &a->point[i - 2] : &a->before;
    double size = ph_sim_paced(sim) ? a->sizes[i - 1] : sim->n > 0 ? sim->opt.h : 0, sum = 0;
    memcpy(a->W, a->next.W, sizeof(double) * (size_t)nv),
        memcpy(a->v, a->next.v, sizeof(double) * (size_t)nv);
    ph_status s = ph_adjoint_step_back(a);
    ph_point last = sim->last;
    sim->last = *before;
    if (s == PH_OK)
        s = ph_sens_local(a->sens, size);
    sim->last = last;
    for (int k = 0; k < nv; k++)
        sum += a->W[k] * a->sens->l_q[k] + a->v[k] * a->sens->l_v[k];
    a->term[sim->n] = sum, a->time[sim->n] = sim->next.t;
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
        if (i) /* steps without memory say afterwards where they began */
            memcpy(a->point[i - 1].a, sim->last.a, sizeof(double) * (size_t)sim->lay.nv);
        else if (a->term)
            ph_point_copy(&a->before, &sim->last, &sim->lay);
        ph_point_copy(&a->point[i], &sim->now, &sim->lay);
        save_past(a, a->past[i]);
        if (ph_sim_paced(sim))
            a->sizes[i] = sim->n_past ? *sim->stepper->sens_size(sim) : 0; /* else that of an earlier run */
    }
    ph_point now = sim->now, next = sim->next, last = sim->last;
    ph_status s = to == a->steps ? seed(a, to, weight_in(a, mark->n, n, n), &a->point[n]) : PH_OK;
    for (long i = n; i > 0 && s == PH_OK; i--) {
        sim->now = a->point[i - 1], sim->next = a->point[i];
        sim->n = mark->n + i - 1;
        load_past(a, a->past[i - 1]);
        if (ph_sim_paced(sim))
            *sim->stepper->sens_size(sim) = a->sizes[i - 1];
        if (a->objective->backwards && a->objective->backwards(sim, a->objective->ctx) != PH_OK) {
            sim->now = now, sim->next = next, sim->last = last;
            return ph_fail(err, PH_E_STOPPED, "stopped on the way back at t = %.9g", a->point[i].t);
        }
        s = step_back(a, i);
        if (s == PH_OK)
            s = seed(a, mark->n + i - 1, weight_in(a, mark->n, n, i - 1), &a->point[i - 1]);
    }
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", sim->now.t,
                s == PH_E_NAN ? "the objective or its derivatives are not finite"
                              : "a callback refused, or a "
                                "matrix is singular,");
    sim->now = now, sim->next = next, sim->last = last;
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
        s = seed(a, sim->n, weight_of(a, sim->n), &sim->now);
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
    a->back.point = a->point, a->back.room = a->n_points + 1; /* no part is at work any more */
    if (last == a->start)
        sim->stepper->sens_start_back(sim, a->begin, x->memory, a->bar);
    for (int j = last; j >= 0 && s == PH_OK; j--) {
        if (j < last || j == a->steps)
            s = seed(a, j, weight_of(a, j), &a->begin[j]);
        for (int i = 0; i < lay->nv; i++)
            x->W[i] += a->bar[j].W[i], x->v[i] += a->bar[j].v[i];
        if (j == 0 || s != PH_OK)
            break;
        ph_rk *rk = sim->stepper->sens_start_method(sim, j - 1, &pieces);
        s = ph_motion_back_forces(&a->back, &a->begin[j], x->vdot, x->lambda, x->W, x->v, a->gradient);
        if (s == PH_OK)
            s = ph_motion_back_over(&a->back, rk, &a->begin[j - 1], &a->begin[j], pieces, x->W, x->v,
                                    a->gradient);
        memset(x->vdot, 0, sizeof(double) * (size_t)lay->nv);
        memset(x->lambda, 0, sizeof(double) * (size_t)lay->nl);
    }
    memset(x->memory, 0, sizeof(double) * (size_t)(lay->nv * a->memory));
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", a->begin[0].t, "the start, or the objective, failed");
    return s;
}

/* Starting values of steps that change are known with the size of the first one: it is made once for their derivatives. */
static ph_status start_anew(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    ph_checkpoint *mark = a->mark;
    save(a, mark);
    ph_status s = ph_sim_step(sim, err);
    if (s == PH_OK && ph_sens_restart(a->sens, &sim->last) != PH_OK)
        s = ph_fail(err, PH_E_CALLBACK, "t = %.9g: the start failed for a value near by of a parameter",
                    sim->last.t);
    ph_status loaded = load(a, mark, s == PH_OK ? err : NULL);
    return s == PH_OK ? loaded : s;
}

static ph_status forwards_and_back(ph_adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    ph_checkpoint *end = &a->mark[a->n_marks + a->n_spare];
    ph_status s = a->start ? start_forwards(a, err) : start_part(a, err);
    long spacing = (a->steps - sim->n + a->n_marks - 1) / a->n_marks;
    int used = 0;
    if (s == PH_OK && ph_sim_paced(sim))
        s = start_anew(a, err);
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
    if (a->term)
        ph_point_take(&a->before, lay, arena);
    a->W = ph_arena_take(arena, a->term ? (size_t)lay->nv : 0, d);
    a->v = ph_arena_take(arena, a->term ? (size_t)lay->nv : 0, d);
    a->sizes = ph_arena_take(arena, ph_sim_paced(a->sim) ? points : 0, d);
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

/* As many points as the root of the number of steps, and as many marks; or what a bound allows, one half of
 * it for points and one for marks, since the steps that are made again grow with the logarithm of the length
 * of a part over its points. Returns the least bound that would do if it is too tight, else 0. */
static size_t plan(ph_adjoint *a, size_t memory)
{
    size_t one = bytes(a, 1, 1), slack = 4 * PH_ARENA_ALIGN;
    size_t mark = (bytes(a, 1 + PH_ADJOINT_SAMPLE, 1) - one) / PH_ADJOINT_SAMPLE + 1;
    size_t point = (bytes(a, 1, 1 + PH_ADJOINT_SAMPLE) - one) / PH_ADJOINT_SAMPLE + 1;
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

/* term NULL: no errors. */
static ph_status go_back(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                         double *value, double *gradient, double *time, double *term, ph_error *err)
{
    ph_sim *sim = sens->sim;
    ph_adjoint a = {.term = term,
                    .time = time,
                    .sens = sens,
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
    if (ph_sim_paced(sim) && sim->opt.nonsmooth.n)
        return ph_fail(err, PH_E_INPUT,
                       "the adjoint does not start anew at times of nonsmooth: give h instead of tol");
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
    sim->stats.wall_s += ph_sim_since(start);
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

ph_status ph_sens_gradient(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                           double *value, double *gradient, ph_error *err)
{
    return go_back(sens, steps, objective, memory, value, gradient, NULL, NULL, err);
}

ph_status ph_sens_error_of(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                           double *value, double *time, double *term, ph_error *err)
{
    double none;
    if (!sens->of_error)
        return ph_fail(err, PH_E_INPUT, "the error of an objective is that of error bars, not of parameters");
    return go_back(sens, steps, objective, memory, value, &none, time, term, err);
}
