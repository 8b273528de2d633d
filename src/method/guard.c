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
#define MUCH  1e3   /* times the resolution found last: more than 0 whatever it is now */

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
    g->start = ph_arena_take(a, n, d);
    g->resolution = ph_arena_take(a, n, d);
    g->timed = ph_arena_take(a, n, 1);
    g->spacing = ph_arena_take(a, n, d);
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
    ph_tape count = {.mode = PH_TAPE_COUNT, .brief = 2};
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
    ph_tape_numbers(t, g->resolution, g->n);
    ph_tape_bytes(t, g->hit, n);
    ph_tape_int(t, &g->pending);
}

void ph_guard_before(ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_WRITE, .brief = 2, .at = sim->guard->tape};
    sim->guard->met = 0;
    ph_sim_tape(sim, &t);
}

ph_status ph_guard_undo(ph_sim *sim)
{
    ph_tape t = {.mode = PH_TAPE_READ, .brief = 2, .at = sim->guard->tape};
    return ph_sim_tape(sim, &t);
}

/* ---- signs ---------------------------------------------------------------------------------------------- */

ph_status ph_guard_values(const ph_guard *g, const ph_state *s, double *x)
{
    ph_status status = PH_OK;
    for (int k = 0; k < g->n && status == PH_OK; k++)
        x[k] = 0, status = g->rests[k] ? PH_OK : g->value(s, k, &x[k], g->ctx);
    return status;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* Uniform in [-1, -1/2) and [1/2, 1), the same in every run. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double x = (double)(int64_t)(*state >> 11 << 11) / 9223372036854775808.0;
    return x < 0 ? (x - 1) / 2 : (x + 1) / 2;
}

/* A point beside the present one (EV3). States of the model, the last nodes, have sizes of their own. */
static void displace(const ph_sim *sim, ph_tolerance tol, uint64_t *seed, ph_point *to)
{
    const ph_layout *lay = &sim->lay;
    const ph_point *at = &sim->now;
    double x[PH_DIM_MAX];
    to->t = at->t + 4 * DBL_EPSILON * at->t * next_random(seed);
    memcpy(to->lambda, at->lambda, sizeof(double) * (size_t)lay->nl);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int own = end - i <= lay->sys->n_first;
        for (int k = 0; k < i->dim; k++) {
            double v = at->v[i->v_at + k], vdot = at->vdot[i->v_at + k], h = sim->h;
            double by = own ? 0 : k < i->rot ? tol.x : tol.R, rate = own || !(h > 0) ? 0 : by / h;
            to->v[i->v_at + k] = v + (2 * rate + 4 * DBL_EPSILON * fabs(v)) * next_random(seed);
            to->vdot[i->v_at + k] =
                vdot + (rate > 0 ? 4 * rate / h : 4 * DBL_EPSILON * fabs(vdot)) * next_random(seed);
            double move = (own ? 4 * DBL_EPSILON * fabs(at->q[i->q_at + k]) : by) * next_random(seed);
            if (i->T_at < 0)
                to->q[i->q_at + k] = at->q[i->q_at + k] + move;
            else
                x[k] = move;
        }
        if (i->T_at >= 0)
            i->op->move(i->dim, at->q + i->q_at, x, to->q + i->q_at, NULL, NULL);
    }
    ph_point_rotations(to, lay);
}

/* Functions that fail beside the present state tell nothing of it. */
ph_status ph_guard_resolve(ph_sim *sim)
{
    enum { DIRECTIONS = 3 };
    ph_guard *g = sim->guard;
    ph_largest kept = sim->largest;
    ph_state s = ph_point_view(&sim->now, &sim->lay);
    uint64_t seed = 1;
    memset(g->resolution, 0, sizeof(double) * (size_t)g->n);
    ph_tolerance tol = ph_step_tolerances(sim, 1);
    sim->largest = kept;
    g->resolved = 1;
    ph_status status = ph_guard_values(g, &s, g->start);
    for (int d = 0; d < DIRECTIONS && status == PH_OK; d++) {
        displace(sim, tol, &seed, &g->at);
        s = ph_point_view(&g->at, &sim->lay);
        if (ph_guard_values(g, &s, g->g) != PH_OK)
            sim->reason[0] = 0;
        else
            for (int k = 0; k < g->n; k++)
                g->resolution[k] = fmax(g->resolution[k], 8 * fabs(g->g[k] - g->start[k]));
    }
    memcpy(g->g, g->start, sizeof(double) * (size_t)g->n);
    return status;
}

ph_status ph_guard_begin(ph_sim *sim)
{
    ph_guard *g = sim->guard;
    ph_status status = ph_guard_resolve(sim);
    for (int k = 0; k < g->n && status == PH_OK; k++) {
        g->sign[k] = fabs(g->start[k]) <= g->resolution[k] ? 0 : sign_of(g->start[k]);
        g->rest[k] = g->resolution[k];
    }
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

/* The state at t, on the polynomial. Multipliers do not matter to functions. */
static ph_state state_at(ph_sim *sim, double t)
{
    ph_guard *g = sim->guard;
    if (t == sim->next.t)
        return ph_point_view(&sim->next, &sim->lay);
    g->at.t = t;
    ph_dense_at(g->dense, &sim->lay, &sim->now, &g->at);
    smooth_velocities(sim, &g->at);
    memcpy(g->at.lambda, sim->next.lambda, sizeof(double) * (size_t)sim->lay.nl);
    return ph_point_view(&g->at, &sim->lay);
}

static ph_status values_at(ph_sim *sim, double t)
{
    ph_guard *g = sim->guard;
    ph_state s = state_at(sim, t);
    return ph_guard_values(g, &s, g->g);
}

static ph_status value_at(ph_sim *sim, int k, double t, double *x)
{
    ph_guard *g = sim->guard;
    ph_state s = g->timed[k] ? ph_point_view(&sim->next, &sim->lay) : state_at(sim, t);
    s.t = t;
    return g->value(&s, k, x, g->ctx);
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
        double x;
        ph_status s = value_at(sim, k, t, &x);
        if (s != PH_OK)
            return s;
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

/* On one side of a change at least a function is more than 0 (EV3); much more than it was last, and that need not be found anew. */
static int is_clear(ph_sim *sim, int k, double before, double last, double x)
{
    ph_guard *g = sim->guard;
    int inside = before > sim->now.t;
    double most = fmax(inside ? fabs(last) : 0, fabs(x));
    if (most > MUCH * g->resolution[k] || (!g->resolved && ph_guard_resolve(sim) != PH_OK))
        return 1;
    return fmax(most, inside ? 0 : fabs(g->start[k])) > g->resolution[k];
}

typedef struct sample {
    double t, x;
} sample;

/* Time of the vertex of the parabola through three samples, if it is on the other side of 0 than the last two; else NaN. The first one
 * may be 0 but for round-off. */
static double vertex_of(const sample s[3])
{
    int sign = sign_of(s[1].x);
    double left = (s[1].x - s[0].x) / (s[1].t - s[0].t), right = (s[2].x - s[1].x) / (s[2].t - s[1].t),
           bend = (right - left) / (s[2].t - s[0].t), slope = left + bend * (s[1].t - s[0].t);
    if (!sign || sign_of(s[2].x) != sign || !(bend * sign > 0))
        return NAN;
    double by = -slope / (2 * bend), t = s[1].t + by;
    return t > s[0].t && t < s[2].t && (s[1].x + slope * by / 2) * sign < 0 ? t : NAN;
}

static void insert(sample *s, int *n, sample x)
{
    int i = (*n)++;
    for (; s[i - 1].t > x.t; i--)
        s[i] = s[i - 1];
    s[i] = x;
}

/* Values of function k at a few times within the step, ascending. */
static ph_status take_samples(ph_sim *sim, int k, sample *s, int *n)
{
    const ph_guard *g = sim->guard;
    ph_status status = PH_OK;
    double last = NAN;
    *n = 0;
    for (int i = 0; i < LOOKS; i++)
        s[(*n)++] = (sample){time_of(sim, i), g->look[i * g->n + k]};
    for (int i = 0; i + 2 < LOOKS && status == PH_OK; i++) {
        sample three[3], x;
        for (int j = 0; j < 3; j++)
            three[j] = (sample){time_of(sim, i + j), g->look[(i + j) * g->n + k]};
        x.t = vertex_of(three);
        if (isnan(x.t) || x.t == three[1].t || x.t == last)
            continue;
        status = value_at(sim, k, last = x.t, &x.x);
        insert(s, n, x);
    }
    return status;
}

/* Follows function k from *last to a sample, also at points in between that are spacing apart, and moves *last there, unless round-off
 * hides a change. *found 1: it changes its sign there, at g->root[k]. */
static ph_status follow_to(ph_sim *sim, int k, sample to, sample *last, int *found)
{
    ph_guard *g = sim->guard;
    double from = last->t, parts = g->spacing[k] > 0 ? ceil((to.t - from) / g->spacing[k]) : 1;
    for (double j = 1; j <= parts; j++) {
        sample x = to;
        ph_status s = PH_OK;
        if (j < parts)
            x.t = from + (to.t - from) * (j / parts), s = value_at(sim, k, x.t, &x.x);
        if (s != PH_OK)
            return s;
        g->before[k] = g->end[k];
        int change = follow(g, k, &g->end[k], x.x);
        *found = change && is_clear(sim, k, last->t, last->x, x.x);
        if (*found)
            return find_root(sim, k, last->t, last->x, x.t, x.x);
        if (change)
            g->end[k] = g->before[k];
        else
            *last = x;
    }
    return PH_OK;
}

/* The first change of function k within the step, unless another one is earlier. */
static ph_status find_change(ph_sim *sim, int k, double earlier)
{
    ph_guard *g = sim->guard;
    sample samples[2 * LOOKS], last = {sim->now.t, g->sign[k]};
    int n = 0, found = 0;
    g->end[k] = g->sign[k], g->root[k] = HUGE_VAL;
    ph_status s = g->rests[k] ? PH_OK : take_samples(sim, k, samples, &n);
    for (int i = 0; i < n && s == PH_OK && !found && last.t <= earlier; i++)
        s = follow_to(sim, k, samples[i], &last, &found);
    return s;
}

/* The times at which functions change within the step; the first of them. */
static ph_status find_roots(ph_sim *sim, double *first)
{
    ph_guard *g = sim->guard;
    const ph_point *ends[] = {&sim->now, &sim->next};
    ph_status s = PH_OK;
    ph_dense_fit(g->dense, &sim->lay, 2, ends);
    *first = HUGE_VAL;
    g->resolved = 0;
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
        if (g->timed[k]) /* its time does not depend on the step */
            break;
        ph_state at = ph_point_view(&sim->next, &sim->lay);
        s = ph_guard_values(g, &at, g->g);
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
    ph_status status = ph_guard_values(g, &s, g->g);
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
