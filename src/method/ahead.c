/* Steps by error control, ahead of the grid of the output. */
#include "method/ahead.h"

#include <float.h>
#include <string.h>

#include "base/sorted.h"
#include "la/small.h"
#include "step/guard.h"
#include "step/size.h"
#include "step/touch.h"

void ph_ahead_take(ph_ahead *a, const ph_sim *sim, ph_arena *arena)
{
    const ph_layout *lay = &sim->lay;
    a->rows = ph_arena_take(arena, 2 * (size_t)lay->nl, sizeof(double));
    a->e = ph_arena_take(arena, (size_t)lay->nv, sizeof(double));
    if (!ph_sim_has_grid(sim))
        return;
    a->lambda = ph_arena_take(arena, (size_t)lay->nl, sizeof(double));
    a->vdot = ph_arena_take(arena, (size_t)lay->nv, sizeof(double));
    ph_dense_take(&a->dense, lay, arena);
    ph_point_take(&a->now, lay, arena);
    ph_point_take(&a->last, lay, arena);
    ph_point_take(&a->next, lay, arena);
}

void ph_ahead_tape(ph_ahead *a, const ph_sim *sim, ph_tape *t)
{
    ph_tape_numbers(t, &a->span, 1);
    if (t->mode == PH_TAPE_READ && sim->opt.span > 0)
        a->span = sim->opt.span; /* a run that goes on to a later end has that of the whole */
    ph_tape_numbers(t, &a->h, 1);
    ph_tape_int(t, &a->corner);
    ph_tape_numbers(t, &a->raw, 1);
    ph_tape_numbers(t, &a->part, 1);
    ph_tape_int(t, &a->since);
    ph_tape_int(t, &a->again);
    if (!ph_sim_has_grid(sim))
        return;
    ph_point_tape(&a->now, &sim->lay, t);
    ph_point_tape(&a->last, &sim->lay, t);
    ph_dense_tape(&a->dense, &sim->lay, t);
    ph_tape_numbers(t, &a->before, 1);
    ph_tape_numbers(t, a->lambda, sim->lay.nl);
    ph_tape_numbers(t, a->vdot, sim->lay.nv);
}

static void swap(ph_point *x, ph_point *y)
{
    ph_point z = *x;
    *x = *y, *y = z;
}

static void exchange(ph_sim *sim, ph_ahead *a)
{
    swap(&sim->now, &a->now), swap(&sim->last, &a->last), swap(&sim->next, &a->next);
}

/* ---- times at which functions are not smooth -------------------------------------------------------- */

/* What counts as just before and just after t: half of the least step. */
static double instant(double t)
{
    return 8 * DBL_EPSILON * fmax(fabs(t), 1e-3);
}

/* The next of these times; HUGE_VAL: there is none. */
static double next_corner(const ph_sim *sim)
{
    const ph_times *c = &sim->opt.nonsmooth;
    if (!c->n)
        return HUGE_VAL;
    double t = sim->now.t + 2 * instant(sim->now.t);
    long k = ph_sorted_up_to(c->n, c->t, t);
    return k < c->n ? c->t[k] : HUGE_VAL;
}

ph_status ph_ahead_leave_corner(ph_sim *sim)
{
    double t = sim->now.t;
    sim->now.t += instant(t);
    ph_status s = ph_start_accelerations(sim, &sim->now);
    sim->now.t = t;
    return s;
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static ph_status own_step(ph_sim *sim, ph_ahead *a, const ph_ahead_ops *ops, void *method, double t_max)
{
    double corner = next_corner(sim), before = corner - instant(corner);
    int meets = isfinite(corner) && corner <= t_max;
    ph_status s = a->corner ? ph_ahead_leave_corner(sim) : PH_OK;
    if (a->corner || !(a->h > 0))
        a->h = 0, a->raw = 0, ops->begin(sim, method);
    if (s == PH_OK)
        s = ops->step(sim, meets ? before : t_max, method);
    if (s != PH_OK)
        return s;
    if (ph_sim_has_grid(sim)) {
        a->before = a->h > 0 ? sim->last.t : NAN;
        memcpy(a->lambda, sim->last.lambda, sizeof(double) * (size_t)sim->lay.nl);
        memcpy(a->vdot, sim->last.vdot, sizeof(double) * (size_t)sim->lay.nv);
    }
    a->corner = meets && sim->next.t == before;
    a->h = sim->h;
    if (sim->step_iterations > sim->stats.worst_iterations)
        sim->stats.worst_iterations = sim->step_iterations;
    if (sim->sens) /* with functions as they were in the step, just before a corner */
        s = ph_sens_follow(sim->sens);
    if (a->corner)
        sim->next.t = corner;
    return s;
}

typedef struct once_more {
    ph_ahead *a;
    const ph_ahead_ops *ops;
    void *method;
} once_more;

static ph_status part_of_step(ph_sim *sim, double t, void *ctx)
{
    const once_more *m = ctx;
    ph_status s = ph_guard_undo(sim);
    return s == PH_OK ? own_step(sim, m->a, m->ops, m->method, t) : s;
}

/* The same, where it may end at a change of sign: the method has come there, which is seen once the grid has. */
static ph_status guarded_step(ph_sim *sim, ph_ahead *a, const ph_ahead_ops *ops, void *method, double t_max)
{
    ph_guard *g = sim->guard;
    if (!g)
        return own_step(sim, a, ops, method, t_max);
    ph_guard_before(sim);
    ph_status s = own_step(sim, a, ops, method, t_max);
    if (s == PH_OK)
        s = ph_guard_after(sim, part_of_step, &(once_more){a, ops, method});
    if (s != PH_OK)
        ph_guard_undo(sim);
    g->pending = s == PH_OK && g->met, g->met = 0;
    return s;
}

/* Until the steps have reached t, or a change of sign. */
static ph_status run_ahead(ph_sim *sim, ph_ahead *a, const ph_ahead_ops *ops, void *method, double t)
{
    double t_max = fmax(sim->t_stop, t);
    ph_status s = PH_OK;
    while (sim->now.t < t && !(sim->guard && sim->guard->pending)) {
        if (sim->pass)
            sim->pass(sim->pass_ctx);
        s = guarded_step(sim, a, ops, method, t_max);
        if (s != PH_OK)
            return s;
        ph_point free = sim->last;
        sim->last = sim->now, sim->now = sim->next, sim->next = free;
        a->dense.n = 0;
    }
    return s;
}

/* What the method has come to is seen now. */
static void meet(ph_sim *sim)
{
    if (!sim->guard || !sim->guard->pending)
        return;
    sim->guard->met = 1, sim->guard->pending = 0;
}

ph_status ph_ahead_step(ph_sim *sim, ph_ahead *a, const ph_ahead_ops *ops, void *method)
{
    double t = sim->next.t, span = sim->t_stop - sim->now.t;
    int grid = ph_sim_has_grid(sim);
    if (!sim->n_past && grid && sim->guard && a->now.t > sim->now.t) {
        ph_status s = ph_guard_begin(sim); /* signs are those of steps that are no more */
        if (s != PH_OK)
            return s;
    }
    if (!sim->n_past) {
        a->h = 0, a->corner = sim->after;
        a->span = sim->opt.span > 0 ? sim->opt.span : isfinite(span) && span > 0 ? span : 1;
        if (grid)
            ph_point_copy(&a->now, &sim->now, &sim->lay);
    }
    if (!grid) {
        int anew = a->corner || !(a->h > 0); /* which changes accelerations at the start of the step */
        if (anew)
            ph_point_copy(&sim->kept, &sim->now, &sim->lay);
        ph_status s = guarded_step(sim, a, ops, method, sim->t_stop);
        if (s != PH_OK && anew)
            ph_point_copy(&sim->now, &sim->kept, &sim->lay);
        meet(sim);
        return s;
    }
    exchange(sim, a);
    ph_status s = run_ahead(sim, a, ops, method, t);
    exchange(sim, a);
    if (s != PH_OK) {
        swap(&sim->next, &a->next); /* where it failed */
        return s;
    }
    sim->within = a->now.t > t ? a->now.t - a->last.t : 0;
    if (sim->within > 0)
        return ops->between(sim, &a->last, &a->now, &sim->next, method);
    meet(sim);
    ph_point_copy(&sim->next, &a->now, &sim->lay);
    return PH_OK;
}

/* ---- what methods with a matrix of the step share ------------------------------------------------------- */

ph_status ph_ahead_filter(ph_sim *sim, double *e)
{
    ph_newton_matrix *nm = &sim->matrix;
    const ph_layout *lay = &sim->lay;
    memset(nm->b, 0, sizeof(double) * (size_t)nm->n);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, e + b->col_at, nm->b + b->row_at);
    ph_status s = ph_solver_solve(nm->solver, nm->b, nm->x);
    memcpy(e, nm->x, sizeof(double) * (size_t)lay->nv);
    return s;
}

/* Round-off of positions over h is a velocity in index-3, and this many times it is no error. */
#define ROUND (64 * DBL_EPSILON)

/* What the filter removes, since constraints forbid it, is an error of accelerations and multipliers, and of velocities in
 * index-3: r |B e| relative to what cancels in B v. Without it driven mechanisms, which have no other error, would take
 * steps of any size. Unresolved vibrations do not ring in B e, the change of the convective terms.            (VS14) */
static double forbidden(const ph_sim *sim, const ph_ahead *a, double r, const double *e)
{
    const ph_layout *lay = &sim->lay;
    double *rows = a->rows, *sizes = rows + lay->nl, tol = sim->opt.tol, round = ROUND / (sim->h * tol);
    ph_size v = {
        {fmax(1, sim->largest.v) + round * fmax(1, sim->largest.x), fmax(1, sim->largest.w) + round}};
    memset(rows, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.B + b->at, e + b->col_at, rows + b->row_at);
    ph_size_rows(lay, sim->ev.B, v, sizes);
    return r * ph_size_ratio(lay->nl, rows, sizes) / tol;
}

/* An error is filtered again when it has changed by this factor, could be too large, or after some steps: twice as many as
 * before if the filter leaves the same part of it. */
#define LIKE  1.25
#define SAFE  0.8
#define FEW   4
#define MANY  64
#define STILL 0.1

static ph_status filter_twice(ph_sim *sim, double *e)
{
    ph_status s = ph_ahead_filter(sim, e);
    return s == PH_OK ? ph_ahead_filter(sim, e) : s;
}

/* A contact that closes within the step is a stiff spring at its end, which need not be resolved, and no spring at its start, and
 * the reverse holds for one that opens. The larger error counts.                                                      (RB7) */
static ph_status filter_at_start(ph_sim *sim, ph_ahead *a, const ph_pace *pace, double r,
                                 ph_ahead_factor_fn factor, double *err)
{
    ph_status s = factor(sim, sim->h);
    if (s == PH_OK)
        s = filter_twice(sim, a->e);
    if (s == PH_OK)
        *err = ph_larger(*err, ph_pace_measure_rate(sim, pace, a->span, r, ph_size_largest(&sim->lay, a->e)));
    sim->matrix.factored = 0, a->raw = 0;
    return s;
}

ph_status ph_ahead_estimate(ph_sim *sim, ph_ahead *a, const ph_pace *pace, double r, ph_size size, double *e,
                            ph_ahead_factor_fn factor, double *err)
{
    double raw = ph_pace_measure_rate(sim, pace, a->span, r, size);
    int hides =
        !(raw <= 1) &&
        (sim->untraced || ph_touch_differs(sim)); /* the filter can hide an error of more than tol only */
    *err = raw * a->part;
    if (!hides && raw <= LIKE * a->raw && a->raw <= LIKE * raw && *err <= SAFE && a->since < a->again) {
        a->since++;
        return PH_OK;
    }
    if (hides)
        memcpy(a->e, e, sizeof(double) * (size_t)sim->lay.nv);
    double part = a->part, held = forbidden(sim, a, r, e);
    ph_status s = filter_twice(sim, e);
    if (s != PH_OK)
        return s;
    *err = ph_pace_measure_rate(sim, pace, a->span, r, ph_size_largest(&sim->lay, e));
    *err = ph_larger(*err, held);
    if (hides && *err <= 1)
        return filter_at_start(sim, a, pace, r, factor, err);
    a->part = raw > 0 ? *err / raw : 0;
    a->again = a->raw > 0 && fabs(a->part - part) <= STILL * part ? 2 * a->again : FEW;
    a->again = a->again < MANY ? a->again : MANY;
    a->raw = raw, a->since = 0;
    return PH_OK;
}

/* Numbers at a part s of the step: the parabola through both ends and the start of the step before, b steps long, if that
 * goes on smoothly; NaN: it does not. */
static void between_numbers(int n, double s, double b, const double *before, const double *last,
                            const double *end, double *to)
{
    for (int i = 0; i < n; i++) {
        double rise = end[i] - last[i];
        to[i] = last[i] + s * rise;
        if (!isnan(b))
            to[i] += s * (s - 1) / (1 + b) * (rise - (last[i] - before[i]) / b);
    }
}

/* The cubic through velocities and accelerations at both ends. */
static void between_velocities(int n, double s, double h, const ph_point *last, const ph_point *end,
                               double *v)
{
    double f1 = s * s * (3 - 2 * s), g0 = h * s * (1 - s) * (1 - s), g1 = h * s * s * (s - 1);
    for (int i = 0; i < n; i++)
        v[i] = last->v[i] + f1 * (end->v[i] - last->v[i]) + g0 * last->vdot[i] + g1 * end->vdot[i];
}

ph_status ph_ahead_between(ph_sim *sim, ph_ahead *a, const ph_point *last, const ph_point *end, ph_point *to)
{
    const ph_point *p[] = {last, end};
    double h = end->t - last->t, s = (to->t - last->t) / h, b = (last->t - a->before) / h;
    if (!a->dense.n)
        ph_dense_fit(&a->dense, &sim->lay, 2, p);
    ph_dense_at(&a->dense, &sim->lay, last, to);
    between_velocities(sim->lay.nv, s, h, last, end, to->v);
    between_numbers(sim->lay.nv, s, b, a->vdot, last->vdot, end->vdot, to->vdot);
    between_numbers(sim->lay.nl, s, b, a->lambda, last->lambda, end->lambda, to->lambda);
    for (int i = 0; i < sim->lay.nv; i++)
        to->a[i] = last->a[i] + s * (end->a[i] - last->a[i]);
    memcpy(to->eta, end->eta, sizeof(double) * (size_t)sim->lay.nl);
    return ph_start_project(sim, to, sim->opt.formulation != PH_INDEX2);
}
