/* Steps that end where functions of the state change their sign (EV1). */
#include "step/guard.h"

#include "method/dense_output.h"

#include <float.h>
#include <string.h>

/* Where a step is looked at, in parts of it. The first shows where a function goes that is 0 at the start. */
static const double looks[] = {0x1p-20, 0.125, 0.375, 0.625, 0.875, 1};
#define LOOKS ((int)(sizeof looks / sizeof *looks))

#define AGAIN 20    /* times that a step is made again, at most */
#define SAME  1e-10 /* of a step: changes that close are one moment */

/* ---- memory ------------------------------------------------------------------------------------------- */

static void take(ph_guard *g, const ph_layout *lay, size_t tape, ph_arena *a)
{
    size_t n = (size_t)g->n, d = sizeof(double);
    g->way = ph_arena_take(a, n, sizeof *g->way);
    g->rests = ph_arena_take(a, n, 1);
    g->sign = ph_arena_take(a, n, sizeof *g->sign);
    g->rest = ph_arena_take(a, n, d);
    g->hit = ph_arena_take(a, n, 1);
    g->g = ph_arena_take(a, n, d);
    g->look = ph_arena_take(a, LOOKS * n, d);
    g->end = ph_arena_take(a, n, sizeof *g->end);
    g->before = ph_arena_take(a, n, sizeof *g->before);
    g->root = ph_arena_take(a, n, d);
    ph_dense none, *dense = ph_arena_take(a, 1, sizeof *dense);
    g->dense = dense;
    ph_dense_take(a->base ? dense : &none, lay, a);
    ph_point_take(&g->at, lay, a);
    g->tape = ph_arena_take(a, tape, 1);
}

ph_status ph_guard_create(ph_guard **out, ph_sim *sim, int n, const ph_allocator *alloc)
{
    ph_arena a = {0};
    ph_tape count = {.mode = PH_TAPE_COUNT, .brief = 1};
    ph_guard *g = *out = ph_alloc(alloc, sizeof *g);
    if (!g)
        return PH_E_MEMORY;
    *g = (ph_guard){.n = n, .alloc = alloc};
    ph_sim_tape(sim, &count);
    take(g, &sim->lay, count.used, &a);
    if (!ph_arena_open(&a, alloc)) {
        ph_free(alloc, g);
        *out = NULL;
        return PH_E_MEMORY;
    }
    g->block = a.block;
    take(g, &sim->lay, count.used, &a);
    return PH_OK;
}

void ph_guard_destroy(ph_guard *g)
{
    if (!g)
        return;
    ph_free(g->alloc, g->block);
    ph_free(g->alloc, g);
}

void ph_guard_tape(ph_guard *g, ph_tape *t)
{
    size_t n = (size_t)g->n;
    ph_tape_bytes(t, g->rests, n);
    ph_tape_bytes(t, g->sign, n * sizeof *g->sign);
    ph_tape_numbers(t, g->rest, g->n);
    ph_tape_bytes(t, g->hit, n);
    ph_tape_int(t, &g->pending);
}

void ph_guard_before(ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_WRITE, .brief = 1, .at = sim->guard->tape};
    sim->guard->met = 0;
    ph_sim_tape(sim, &t);
}

ph_status ph_guard_undo(ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_READ, .brief = 1, .at = sim->guard->tape};
    return ph_sim_tape(sim, &t);
}

/* ---- signs ---------------------------------------------------------------------------------------------- */

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

ph_status ph_guard_begin(ph_sim *sim)
{
    ph_guard *g = sim->guard;
    ph_state s = ph_sim_state(sim);
    ph_status status = g->values(&s, g->g, g->ctx);
    for (int k = 0; k < g->n && status == PH_OK; k++)
        g->sign[k] = sign_of(g->g[k]), g->rest[k] = 0;
    g->met = g->pending = 0;
    return status;
}

/* Velocities by the cubic through those of the ends and their derivatives. Those of the polynomial of q are made wrong by
 * C_q h^3 vddot of (G9), which q has more than their integral: by as much as the motion itself bends, near the ends. */
static void smooth_velocities(const ph_sim *sim, ph_point *at)
{
    const ph_point *a = &sim->now, *b = &sim->next;
    double h = b->t - a->t, s = (at->t - a->t) / h, r = 1 - s;
    for (int i = 0; i < sim->lay.nv; i++) {
        double rise = b->v[i] - a->v[i], p = h * a->vdot[i] - rise, q = rise - h * b->vdot[i];
        at->v[i] = a->v[i] + s * rise + s * r * (r * p + s * q);
        at->vdot[i] = (rise + (r - s) * (r * p + s * q) + s * r * (q - p)) / h;
    }
}

/* The functions at t, on the polynomial. Multipliers do not matter to them. */
static ph_status values_at(ph_sim *sim, double t)
{
    ph_guard *g = sim->guard;
    g->at.t = t;
    if (t == sim->next.t) {
        ph_state end = ph_point_view(&sim->next, &sim->lay);
        return g->values(&end, g->g, g->ctx);
    }
    ph_dense_at(g->dense, &sim->lay, &sim->now, &g->at);
    smooth_velocities(sim, &g->at);
    memcpy(g->at.lambda, sim->next.lambda, sizeof(double) * (size_t)sim->lay.nl);
    ph_state s = ph_point_view(&g->at, &sim->lay);
    return g->values(&s, g->g, g->ctx);
}

static int counts(const ph_guard *g, int k, int before, int now)
{
    return !g->rests[k] && before && now != before && (g->way[k] == PH_WAY_BOTH || (int)g->way[k] == -before);
}

/* The change of function k between two times, by the rule of false position that halves what stays too long. */
static ph_status find_root(ph_sim *sim, int k, double a, double ga, double b, double gb)
{
    ph_guard *g = sim->guard;
    int side = 0;
    for (int i = 0; i < 100 && b - a > 2 * DBL_EPSILON * fmax(fabs(a), fabs(b)); i++) {
        double t = i % 8 == 7 || ga == gb ? (a + b) / 2 : a + (b - a) * ga / (ga - gb);
        if (!(t > a && t < b))
            t = (a + b) / 2;
        if (!(t > a && t < b))
            break;
        ph_status s = values_at(sim, t);
        if (s != PH_OK)
            return s;
        double x = g->g[k];
        if (sign_of(x) == sign_of(ga) && x != 0) {
            a = t, ga = x, gb = side == 1 ? gb / 2 : gb, side = 1;
        } else {
            b = t, gb = x, ga = side == -1 ? ga / 2 : ga, side = -1;
            if (x == 0)
                break;
        }
    }
    g->root[k] = b;
    return PH_OK;
}

/* What a function did up to a look: its sign, and whether a change counts. */
static int follow(const ph_guard *g, int k, int *sign, double x)
{
    int now = !*sign && fabs(x) <= g->rest[k] ? 0 : sign_of(x), change = counts(g, k, *sign, now);
    if (now || change)
        *sign = now;
    return change;
}

static double time_of(const ph_sim *sim, int look)
{
    return look == LOOKS - 1 ? sim->next.t : sim->now.t + looks[look] * (sim->next.t - sim->now.t);
}

/* The first change of function k within the step, unless another one is earlier. */
static ph_status find_change(ph_sim *sim, int k, double earlier)
{
    ph_guard *g = sim->guard;
    double before = sim->now.t, last = g->sign[k];
    g->end[k] = g->sign[k], g->root[k] = HUGE_VAL;
    for (int i = 0; i < LOOKS && !g->rests[k] && before <= earlier; i++) {
        double t = time_of(sim, i), x = g->look[i * g->n + k];
        g->before[k] = g->end[k];
        if (follow(g, k, &g->end[k], x))
            return find_root(sim, k, before, last, t, x);
        before = t, last = x;
    }
    return PH_OK;
}

/* The times at which functions change within the step; the first of them. */
static ph_status find_roots(ph_sim *sim, double *first)
{
    ph_guard *g = sim->guard;
    const ph_point *ends[] = {&sim->now, &sim->next};
    ph_status s = PH_OK;
    ph_dense_fit(g->dense, &sim->lay, 2, ends);
    *first = HUGE_VAL;
    for (int i = 0; i < LOOKS && s == PH_OK; i++) {
        s = values_at(sim, time_of(sim, i));
        memcpy(g->look + i * g->n, g->g, sizeof(double) * (size_t)g->n);
    }
    for (int k = 0; k < g->n && s == PH_OK; k++) {
        s = find_change(sim, k, *first);
        *first = fmin(*first, g->root[k]);
    }
    return s;
}

double ph_guard_nothing(const ph_guard *g, int k)
{
    double most = 0;
    for (int i = 0; i < LOOKS; i++)
        most = fmax(most, fabs(g->look[i * g->n + k]));
    return 1e-9 * most;
}

/* ---- the step ------------------------------------------------------------------------------------------- */

/* Functions that change at t. */
static void mark(ph_guard *g, double t, double h)
{
    for (int k = 0; k < g->n; k++)
        g->hit[k] = g->root[k] <= t + SAME * h;
}

/* g' of the function that changes first, at t. */
static ph_status slope_at(ph_sim *sim, int k, double t, double *slope)
{
    ph_guard *g = sim->guard;
    double h = sim->next.t - sim->now.t, d = 1e-4 * h, a = fmax(sim->now.t, t - d),
           b = fmin(sim->next.t, t + d);
    ph_status s = values_at(sim, a);
    double ga = g->g[k];
    if (s == PH_OK)
        s = values_at(sim, b);
    *slope = (g->g[k] - ga) / (b - a);
    return s;
}

static int first_of(const ph_guard *g, double t)
{
    for (int k = 0; k < g->n; k++)
        if (g->root[k] == t)
            return k;
    return 0;
}

/* The step is made again to t, until that stands still (EV1). The polynomial is as good as the method is, its slopes less:
 * those of the steps that were made replace them. A time outside of what is known to hold the change is halved back. */
static ph_status settle(ph_sim *sim, double t, ph_again_fn again, void *ctx)
{
    ph_guard *g = sim->guard;
    int k = first_of(g, t);
    double low = sim->now.t, high = sim->next.t, h = high - low, slope, last_t = 0, last = 0;
    ph_status s = slope_at(sim, k, t, &slope);
    for (int i = 0; i < AGAIN && s == PH_OK; i++) {
        s = again(sim, t, ctx);
        if (s != PH_OK || sim->next.t != t)
            return s;
        ph_state at = ph_point_view(&sim->next, &sim->lay);
        s = g->values(&at, g->g, g->ctx);
        double x = g->g[k], least = 1e-13 * h + 2 * DBL_EPSILON * fabs(t);
        if (i > 0 && x != last)
            slope = (x - last) / (t - last_t);
        double by = -x / slope;
        *(sign_of(x) == g->before[k] ? &low : &high) = t;
        if (x == 0 || !(fabs(by) > least) || high - low <= least)
            break;
        last = x, last_t = t, t += by;
        if (!(t > low && t < high))
            t = (low + high) / 2;
    }
    g->met = 1;
    return s;
}

/* Signs at the end of a step that ends at a change; those of what changed are not known. */
static ph_status end_there(ph_sim *sim)
{
    ph_guard *g = sim->guard;
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_status status = g->values(&s, g->g, g->ctx);
    for (int k = 0; k < g->n && status == PH_OK; k++)
        if (g->hit[k])
            g->sign[k] = 0;
        else if (g->g[k] != 0)
            g->sign[k] = sign_of(g->g[k]);
    return status;
}

/* The first change, HUGE_VAL: there is none, and signs are those at the end. */
static ph_status look_for_change(ph_sim *sim, double *t)
{
    ph_guard *g = sim->guard;
    ph_status s = find_roots(sim, t);
    if (s == PH_OK && *t == HUGE_VAL)
        memcpy(g->sign, g->end, sizeof *g->sign * (size_t)g->n);
    return s;
}

ph_status ph_guard_pass(ph_sim *sim, int *met)
{
    double t;
    ph_status s = look_for_change(sim, &t);
    sim->guard->met = 0;
    *met = t < HUGE_VAL;
    return s;
}

ph_status ph_guard_after(ph_sim *sim, ph_again_fn again, void *ctx)
{
    ph_guard *g = sim->guard;
    for (;;) {
        double t, h = sim->next.t - sim->now.t;
        ph_status s = look_for_change(sim, &t);
        if (s != PH_OK || t == HUGE_VAL)
            return s;
        mark(g, t, h);
        g->size = h;
        g->met = t >= sim->next.t - SAME * h; /* at its end */
        if (!g->met)
            s = settle(sim, t, again, ctx);
        if (s != PH_OK || g->met)
            return s == PH_OK ? end_there(sim) : s;
    }
}
