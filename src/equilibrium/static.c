/* Equilibria by load steps.
 *
 *   r = g(q, 0, t; f) + B^T lambda = 0,   Phi(q, t) = 0,   f = 0 ... 1                            (T1)
 *
 * by Newton's method with the exact tangent K = dr/dq, rows scaled by s = 1/kappa, kappa = max |K_ij|/M_ii:
 *
 *   [ s K  B^T + g_lambda ] [ dq        ]   [ -s r ]
 *   [ B    0              ] [ s dlambda ] = [ -Phi ]                                               (T2)
 *
 * f stands for what the load function does; redundant rows are left out (R1). A load step that does not converge,
 * or that turns a node too far, is halved. The first multipliers balance the forces as well as they can:
 *
 *   [ M  B^T ] [ a      ]   [ -g ]
 *   [ B  0   ] [ lambda ] = [ 0  ]                                                                 (T3)
 *
 * A mechanism that loads alone hold has no stiffness before it is loaded, and what it comes to may be far
 * away. Where load steps do not arrive, a strongly damped motion under full load, mu M q' = -r, does:
 * implicit steps
 *
 *   (T2) with K + mu M for K,   mu as small as 0.3 rad at once let it be                       (T4)
 *
 * that must go downhill, a^T M dq > 0, and that Newton's method ends. A free motion x of the equilibrium is
 * found by inverse iteration, which magnifies it by 1/delta:
 *
 *   (K + delta M) x_{k+1} + B^T m = M x_k,   B x_{k+1} = 0,   delta = 1e-13 kappa                  (T5) */
#include <stdio.h>
#include <string.h>

#include "equilibrium/static.h"

#include "base/words.h"
#include "equilibrium/equilibrium_limits.h"
#include "la/small.h"
#include "polhode/equilibrium.h"
#include "step/newton.h"

struct ph_equilibrium {
    ph_system sys; /* a copy: its callbacks and their ctx are the caller's */
    ph_static_options opt;
    ph_layout lay;
    ph_eval ev;
    ph_point now, kept; /* at work; the last one that is an equilibrium, or the start */
    ph_newton_matrix nm;
    double *a;    /* nv: accelerations of (T3), or a free motion */
    double scale; /* s of (T2) */
    double size;  /* of positions, at least 1 */
    double first; /* |a| of the start under full load */
    int refused;  /* a callback refused what the last load step came to */
    /* What callbacks remember of the motion, in bytes: before the search, at kept, and at the equilibrium. */
    unsigned char *memory_before, *memory_kept, *memory_found;
    ph_static_stats stats;
    const ph_allocator *alloc;
    void *block;
};

ph_static_options ph_default_static(void)
{
    return (ph_static_options){.steps = 1, .iterations = 20, .relaxations = 400, .tol = 1e-11, .turn = 1};
}

/* ---- what callbacks remember --------------------------------------------------------------------------- */

/* now is where the motion has come to. */
static void follow(ph_equilibrium *e)
{
    const ph_memory *m = e->sys.memory;
    ph_state s = ph_point_view(&e->now, &e->lay);
    if (m)
        m->follow(&s, m->ctx);
}

static void remember(const ph_equilibrium *e, unsigned char *to)
{
    if (e->sys.memory)
        e->sys.memory->keep(to, e->sys.memory->ctx);
}

static void recall(const ph_equilibrium *e, const unsigned char *from)
{
    if (e->sys.memory)
        e->sys.memory->take_back(from, e->sys.memory->ctx);
}

static void keep_now(ph_equilibrium *e)
{
    ph_point_copy(&e->kept, &e->now, &e->lay);
    remember(e, e->memory_kept);
}

static void return_to_kept(ph_equilibrium *e)
{
    ph_point_copy(&e->now, &e->kept, &e->lay);
    recall(e, e->memory_kept);
}

/* ---- values -------------------------------------------------------------------------------------- */

static ph_status evaluate(ph_equilibrium *e)
{
    const ph_layout *lay = &e->lay;
    ph_state s = ph_point_view(&e->now, lay);
    ph_status status = ph_eval_residual(&e->ev, &s, PH_EVAL_PHI);
    for (int c = 0; c < lay->C; c++) /* rows that only rates have */
        for (int i = 0; i < lay->rows[c] && lay->sys->constraints[c].nonholonomic; i++)
            e->ev.Phi[lay->l_at[c] + i] = 0;
    if (status == PH_OK &&
        !(isfinite(ph_small_max(lay->nv, e->ev.r)) && isfinite(ph_small_max(lay->nl, e->ev.Phi))))
        return PH_E_NAN;
    return status == PH_OK ? ph_eval_tangent(&e->ev, &s, PH_EVAL_PHI) : status;
}

/* (T2) with K + mu M */
static ph_status factor(ph_equilibrium *e, double mu)
{
    double kappa = ph_larger(ph_newton_stiffness(&e->lay, &e->ev), mu);
    e->scale = kappa > 0 ? 1 / kappa : 1;
    return ph_newton_factor_stiffness(&e->nm, &e->ev, e->scale, mu);
}

/* x = A^-1 b */
static ph_status solve(ph_equilibrium *e)
{
    ph_newton_matrix *nm = &e->nm;
    ph_redundant_leave_out(nm, nm->b + e->lay.nv);
    return ph_solver_solve(nm->solver, nm->b, nm->x);
}

static ph_status increment(ph_equilibrium *e, double mu)
{
    const ph_layout *lay = &e->lay;
    ph_status s = factor(e, mu);
    if (s != PH_OK)
        return s;
    for (int i = 0; i < lay->nv; i++)
        e->nm.b[i] = -e->scale * e->ev.r[i];
    for (int i = 0; i < lay->nl; i++)
        e->nm.b[lay->nv + i] = -e->ev.Phi[i];
    s = solve(e);
    return s == PH_OK && !isfinite(ph_small_max(lay->nv + lay->nl, e->nm.x)) ? PH_E_NAN : s;
}

/* Largest rotation [rad] and largest other increment, relative to positions. */
static void measure(const ph_equilibrium *e, const double *x, double *turn, double *shift)
{
    *turn = *shift = 0;
    for (int i = 0; i < e->lay.N; i++) {
        const ph_slot *n = &e->lay.slot[i];
        *shift = ph_small_larger(n->rot, *shift, x + n->v_at);
        *turn = ph_small_larger(n->dim - n->rot, *turn, x + n->v_at + n->rot);
    }
    *shift /= e->size;
}

static ph_status apply(ph_equilibrium *e)
{
    ph_point_shift(&e->lay, &e->now, 1, e->nm.x, &e->now);
    follow(e);
    for (int i = 0; i < e->lay.nl; i++)
        e->now.lambda[i] += e->nm.x[e->lay.nv + i] / e->scale;
    return ph_redundant_least(&e->nm, &e->ev, e->now.lambda);
}

/* x of the matrix of (T3) at the evaluated point for the right-hand side (-g, 0) or (0, -Phi). */
static ph_status solve_mass(ph_equilibrium *e, const double *g, const double *Phi)
{
    int nv = e->lay.nv, nl = e->lay.nl;
    ph_newton_matrix *nm = &e->nm;
    ph_status s = ph_newton_factor_initial(nm, &e->ev, 0);
    if (s != PH_OK)
        return s;
    for (int i = 0; i < nv + nl; i++)
        nm->b[i] = i < nv ? (g ? -g[i] : 0) : (Phi ? -Phi[i - nv] : 0);
    ph_redundant_leave_out(nm, nm->b + nv);
    return ph_solver_solve(nm->initial, nm->b, nm->x);
}

/* (T3) at the evaluated point, to a and lambda; r is evaluated again with it. */
static ph_status balance(ph_equilibrium *e)
{
    int nv = e->lay.nv, nl = e->lay.nl;
    ph_newton_matrix *nm = &e->nm;
    ph_status s = solve_mass(e, e->ev.g, NULL);
    if (s != PH_OK)
        return s;
    memcpy(e->a, nm->x, sizeof(double) * (size_t)nv);
    memcpy(e->now.lambda, nm->x + nv, sizeof(double) * (size_t)nl);
    s = ph_redundant_least(nm, &e->ev, e->now.lambda);
    return s == PH_OK ? evaluate(e) : s;
}

/* y^T A x for the blocks A of pairs */
static double form(const ph_equilibrium *e, const double *A, const double *y, const double *x)
{
    double sum = 0;
    for (const ph_block *b = e->lay.pair, *end = b + e->lay.n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                sum += y[b->row_at + i] * A[b->at + i * b->n + j] * x[b->col_at + j];
    return sum;
}

/* y^T M x */
static double product(const ph_equilibrium *e, const double *y, const double *x)
{
    return form(e, e->ev.M, y, x);
}

/* ---- load steps ---------------------------------------------------------------------------------- */

static ph_status set_load(ph_equilibrium *e, double factor)
{
    return e->opt.load ? e->opt.load(factor, e->opt.ctx) : PH_OK;
}

/* What an increment leads to may be refused where a smaller one is not. */
static ph_status evaluate_ahead(ph_equilibrium *e)
{
    ph_status s = evaluate(e);
    e->refused = s == PH_E_CALLBACK;
    return e->refused ? PH_E_STEP : s;
}

/* From now on; guess 1: the multipliers are not known, and the first increment must go downhill, away from
 * equilibria that nothing would stay at. */
static ph_status newton(ph_equilibrium *e, int guess)
{
    double turn, shift, last = HUGE_VAL;
    for (int k = 0; k < e->opt.iterations; k++) {
        ph_status s = k ? evaluate_ahead(e) : evaluate(e);
        if (s == PH_OK && guess && k == 0)
            s = balance(e);
        if (s == PH_OK)
            s = increment(e, 0);
        if (s != PH_OK)
            return s;
        e->stats.iterations++;
        measure(e, e->nm.x, &turn, &shift);
        double a = guess && k == 0 ? product(e, e->a, e->nm.x) : 0, b = product(e, e->nm.x, e->nm.x);
        if (a < 0 && a * a > 1e-20 * b * product(e, e->a, e->a) && b > e->opt.tol * e->opt.tol)
            return PH_E_STEP;
        if (!(turn <= e->opt.turn && shift <= e->opt.turn))
            return PH_E_STEP;
        s = apply(e);
        if (s != PH_OK)
            return s;
        double now = fmax(turn, shift);
        if (now <= e->opt.tol || (now <= sqrt(e->opt.tol) && now >= last / 2)) /* or round-off stops it */
            return evaluate_ahead(e);
        last = now;
    }
    return PH_E_NEWTON;
}

static ph_status load_steps(ph_equilibrium *e)
{
    double f = 0, first = e->opt.load ? 1.0 / e->opt.steps : 1, df = first;
    ph_status s = PH_OK;
    while (f < 1) {
        double next = f + df > 1 - 1e-9 ? 1 : f + df;
        int before = e->stats.iterations;
        s = set_load(e, next);
        if (s == PH_OK)
            s = newton(e, f == 0);
        if (s == PH_OK) {
            f = next;
            e->stats.load_steps++;
            keep_now(e);
            if (e->stats.iterations - before <= PH_STATIC_QUICK && df < first)
                df *= 2;
            continue;
        }
        return_to_kept(e);
        df /= 2;
        if (s == PH_E_CALLBACK || s == PH_E_MEMORY || !e->opt.load || df < PH_STATIC_STEP_LEAST * first)
            return s;
        e->stats.cuts++;
    }
    return s;
}

/* ---- relaxation ---------------------------------------------------------------------------------- */

/* mu with which the motion of (T3) is short enough. */
static double first_mu(const ph_equilibrium *e)
{
    double turn, shift;
    measure(e, e->a, &turn, &shift);
    return fmax(turn, shift) / PH_STATIC_TURN_AT_ONCE;
}

/* Back to Phi = 0, and (T3) there: corrections could not be told from what goes downhill. */
static ph_status settle(ph_equilibrium *e)
{
    ph_status s = evaluate(e);
    for (int k = 0; k < 20 && s == PH_OK && !(ph_small_max(e->lay.nl, e->ev.Phi) <= 1e-12 * e->size); k++) {
        s = solve_mass(e, NULL, e->ev.Phi);
        if (s == PH_OK) {
            ph_point_shift(&e->lay, &e->now, 1, e->nm.x, &e->now);
            follow(e);
            s = evaluate(e);
        }
    }
    return s == PH_OK ? balance(e) : s;
}

/* One step of (T4); mu grows until it is short, goes downhill and ends where Phi = 0. */
static ph_status relax_once(ph_equilibrium *e, double *mu)
{
    double turn, shift;
    for (int tries = 0; tries < 40; tries++, *mu *= 4) {
        ph_status s = increment(e, *mu);
        if (s == PH_E_SINGULAR)
            continue;
        if (s != PH_OK)
            return s;
        e->stats.iterations++;
        measure(e, e->nm.x, &turn, &shift);
        if (!(turn <= PH_STATIC_TURN_AT_ONCE && shift <= PH_STATIC_TURN_AT_ONCE &&
              product(e, e->a, e->nm.x) >= 0))
            continue;
        keep_now(e);
        s = apply(e);
        if (s == PH_OK)
            s = settle(e);
        if (s == PH_OK && ph_small_max(e->lay.nl, e->ev.Phi) <= PH_STATIC_SETTLED * e->size) {
            *mu *= fmin(0.5,
                        fmax(0.1, fmax(turn, shift) / PH_STATIC_TURN_AT_ONCE)); /* short ones may be longer */
            return PH_OK;
        }
        return_to_kept(e);
        s = evaluate(e);
        if (s == PH_OK)
            s = balance(e);
        if (s != PH_OK)
            return s;
    }
    return PH_E_NEWTON;
}

static ph_status try_newton(ph_equilibrium *e, int guess)
{
    keep_now(e);
    ph_status s = newton(e, guess);
    if (s != PH_OK)
        return_to_kept(e);
    return s;
}

static ph_status relax(ph_equilibrium *e)
{
    ph_status s = set_load(e, 1);
    if (s == PH_OK)
        s = evaluate(e);
    if (s == PH_OK)
        s = balance(e);
    double mu = first_mu(e), last = e->first = sqrt(product(e, e->a, e->a));
    for (int k = 0; k < e->opt.relaxations && s == PH_OK && last > PH_STATIC_AT_REST * e->first; k++) {
        s = relax_once(e, &mu);
        if (s != PH_OK)
            return s;
        e->stats.relaxed++;
        double now = sqrt(product(e, e->a, e->a));
        if (!(ph_small_max(e->lay.nq, e->now.q) <= PH_STATIC_FAR * e->size))
            return PH_E_NEWTON;
        if (now <= 0.5 * last && try_newton(e, !(now <= PH_STATIC_CLOSE * e->first)) == PH_OK) {
            e->stats.load_steps++;
            return PH_OK;
        }
        s = evaluate(e);
        if (s == PH_OK)
            s = balance(e);
        last = now;
    }
    return s == PH_OK ? PH_E_NEWTON : s;
}

/* ---- free motions -------------------------------------------------------------------------------- */

/* Solve the matrix of (T2) for the right-hand side (s M y, 0), to nm.x. */
static ph_status solve_momentum(ph_equilibrium *e, const double *y)
{
    const ph_layout *lay = &e->lay;
    memset(e->nm.b, 0, sizeof(double) * (size_t)(lay->nv + lay->nl));
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, e->ev.M + b->at, y + b->col_at, e->nm.b + b->row_at);
    for (int i = 0; i < lay->nv; i++)
        e->nm.b[i] *= e->scale;
    return solve(e);
}

/* Passes of (T5), the last x in a; growth: of the last pass. */
static ph_status iterate_free(ph_equilibrium *e, double delta, double *growth)
{
    const ph_layout *lay = &e->lay;
    unsigned seed = 1;
    ph_status s = factor(e, delta);
    for (int i = 0; i < lay->nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        e->a[i] = (double)seed / 4294967296.0 - 0.5;
    }
    for (int k = 0; k < PH_STATIC_FREE_PASSES && s == PH_OK; k++) {
        double before = sqrt(product(e, e->a, e->a));
        s = solve_momentum(e, e->a);
        *growth = sqrt(product(e, e->nm.x, e->nm.x)) / before;
        double size = ph_small_max(lay->nv, e->nm.x);
        for (int i = 0; i < lay->nv; i++)
            e->a[i] = size > 0 ? e->nm.x[i] / size : 0;
        if (!(size > 0)) /* nothing can move at all */
            break;
    }
    return s;
}

/* is_free 1: there is a free motion, now in a. A larger delta where solvers take (T5) as singular. */
static ph_status find_free(ph_equilibrium *e, int *is_free)
{
    double kappa = ph_newton_stiffness(&e->lay, &e->ev), delta = kappa > 0 ? PH_STATIC_FREE * kappa : 1,
           growth = 0;
    ph_status s = iterate_free(e, delta, &growth);
    for (int k = 0; k < 3 && s == PH_E_SINGULAR; k++) {
        delta *= 30;
        s = iterate_free(e, delta, &growth);
    }
    *is_free = growth >= PH_STATIC_FREE_GROWTH / delta;
    return s;
}

/* "'crank', 'rod'": those from first to end of the nodes of the free motion in a, each name once, six at most. How many. */
static int name_free(const ph_equilibrium *e, int first, int end, char *text, size_t size)
{
    const ph_layout *lay = &e->lay;
    int named = 0;
    size_t at = 0;
    text[0] = 0;
    for (int i = first; i < end && named < 6; i++) {
        const char *name = lay->sys->nodes[i].name;
        char own[PH_NAME_MAX];
        if (!(ph_small_max(lay->slot[i].dim, e->a + lay->v_at[i]) > 1e-3))
            continue;
        if (name)
            snprintf(own, sizeof own, "'%.60s'", name);
        else
            ph_node_label(lay, i, own);
        if (strstr(text, own) || at + strlen(own) + 3 > size)
            continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s", named++ ? ", " : "", own);
    }
    return named;
}

/* The accelerations that g would give nodes without joints, as |a| is measured. */
static double load_size(const ph_equilibrium *e)
{
    double sum = 0;
    for (int i = 0; i < e->lay.N; i++) {
        const ph_block *b = &e->lay.pair[e->lay.diag[i]];
        for (int k = 0; k < b->n; k++)
            sum += pow(e->ev.g[e->lay.v_at[i] + k], 2) / e->ev.M[b->at + k * (b->n + 1)];
    }
    return sqrt(sum);
}

/* After a failure, or at the equilibrium: an error that names what nothing holds, if there is any. */
static ph_status refuse_free(ph_equilibrium *e, ph_status otherwise, ph_error *err)
{
    int is_free = 0;
    char names[300];
    if (otherwise == PH_E_CALLBACK || otherwise == PH_E_NAN || otherwise == PH_E_MEMORY)
        return otherwise;
    ph_status s = evaluate(e);
    if (s == PH_OK)
        s = balance(e);
    int at_rest = otherwise == PH_OK ||
                  sqrt(product(e, e->a, e->a)) <= 10 * PH_STATIC_AT_REST * fmax(e->first, load_size(e));
    if (s == PH_OK)
        s = find_free(e, &is_free);
    if (s != PH_OK || !is_free)
        return otherwise;
    int N = e->lay.N, bodies = N - e->lay.sys->n_first;
    int n = name_free(e, 0, bodies, names, sizeof names);
    if (n) {
        static const char *const why[2][2] = {
            {"it moves without resistance under its loads",
             "it can move without resistance, and its equilibrium is one of many"},
            {"they move without resistance under their loads",
             "they can move without resistance, and their equilibrium is one of many"}};
        return ph_fail(err, PH_E_SINGULAR, "nothing keeps %s %s from moving: %s",
                       ph_plural(n, "body", "bodies"), names, why[n > 1][at_rest]);
    }
    name_free(e, bodies, N, names, sizeof names);
    return ph_fail(err, PH_E_SINGULAR, "state %s has no equilibrium of its own: %s", names,
                   at_rest ? "it rests at any value" : "no value of it makes its rate 0");
}

static ph_status explain(ph_equilibrium *e, ph_status s, ph_error *err)
{
    ph_state at = ph_point_view(&e->kept, &e->lay);
    switch (s) {
    case PH_E_CALLBACK:
        return ph_fail(err, s, "the callback %s refused a configuration",
                       e->ev.refused ? e->ev.refused : "load");
    case PH_E_NAN:
        if (ph_eval_blame(&e->ev, &at, err))
            return s;
        return ph_fail(err, s, "the search for an equilibrium met numbers that are not finite");
    case PH_E_MEMORY:
        return ph_fail(err, s, "not enough memory for the second linear solver");
    case PH_E_INPUT:
        return ph_fail(err, s, PH_REDUNDANT_WORDS, e->lay.sys->n_redundant);
    case PH_E_SINGULAR:
        return ph_fail(err, s, "the constraints depend on each other, or a mass matrix is singular");
    default:
        return ph_fail(
            err, PH_E_NEWTON,
            "no equilibrium was found: %d iterations, %d load steps halved, %d steps of relaxation",
            e->stats.iterations, e->stats.cuts, e->stats.relaxed);
    }
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void take(ph_equilibrium *e, ph_arena *a)
{
    ph_layout_take(&e->lay, a);
    ph_eval_take(&e->ev, &e->lay, a);
    ph_point_take(&e->now, &e->lay, a);
    ph_point_take(&e->kept, &e->lay, a);
    e->a = ph_arena_take(a, (size_t)e->lay.nv, sizeof(double));
    size_t size = e->sys.memory ? e->sys.memory->size : 0;
    e->memory_before = ph_arena_take(a, size, 1);
    e->memory_kept = ph_arena_take(a, size, 1);
    e->memory_found = ph_arena_take(a, size, 1);
}

static ph_status open_work(ph_equilibrium *e, ph_error *err)
{
    ph_arena a = {0};
    ph_status s = ph_layout_measure(&e->lay, &e->sys, err);
    if (s != PH_OK)
        return s;
    take(e, &a);
    if (!ph_arena_open(&a, e->alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    e->block = a.block;
    take(e, &a);
    s = ph_layout_fill(&e->lay, err);
    if (s != PH_OK)
        return s;
    ph_eval_prepare(&e->ev);
    return ph_newton_create(&e->nm, &e->lay, 1, PH_INDEX3, e->opt.solver, e->alloc, err);
}

static ph_status start(ph_equilibrium *e, double t, const double *q0)
{
    e->now.t = t;
    memcpy(e->now.q, q0, sizeof(double) * (size_t)e->lay.nq);
    ph_point_rotations(&e->now, &e->lay);
    remember(e, e->memory_before);
    follow(e);
    keep_now(e);
    e->size = fmax(1, ph_small_max(e->lay.nq, q0));
    ph_state s = ph_point_view(&e->now, &e->lay);
    ph_status status = set_load(e, 1);
    if (status == PH_OK)
        status = ph_eval_mass(&e->ev, &s);
    if (status == PH_OK)
        status = evaluate(e);
    return status == PH_OK ? ph_redundant_choose(&e->nm, &e->ev) : status;
}

static ph_status find(ph_equilibrium *e, ph_error *err)
{
    ph_error own = {0};
    ph_status s = load_steps(e);
    if (s != PH_OK && s != PH_E_CALLBACK && s != PH_E_MEMORY)
        s = relax(e);
    set_load(e, 1);
    ph_status held = refuse_free(e, s, &own);
    if (held == PH_OK)
        return PH_OK;
    if (e->refused && (held == PH_E_STEP || held == PH_E_NEWTON))
        held = PH_E_CALLBACK;
    return own.text[0] ? ph_fail(err, held, "%s", own.text) : explain(e, held, err);
}

ph_status ph_equilibrium_create(ph_equilibrium **out, const ph_system *sys, const ph_static_options *opt,
                                double t, const double *q0, ph_error *err)
{
    *out = NULL;
    if (opt->steps < 1 || opt->iterations < 1 || opt->relaxations < 0 || !(opt->tol > 0) || !(opt->turn > 0))
        return ph_fail(err, PH_E_INPUT, "steps, iterations, tol and turn of an equilibrium must be above 0");
    ph_equilibrium *e = ph_alloc(opt->alloc, sizeof *e);
    if (!e)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    *e = (ph_equilibrium){.sys = *sys, .opt = *opt, .alloc = opt->alloc};
    ph_status s = open_work(e, err);
    if (s == PH_OK)
        s = ph_layout_check(&e->lay, t, q0, NULL, err);
    if (s == PH_OK) {
        s = start(e, t, q0);
        s = s == PH_OK ? find(e, err) : explain(e, s, err);
        remember(e, e->memory_found);
        recall(e, e->memory_before);
    }
    if (s == PH_OK)
        *out = e;
    else
        ph_equilibrium_destroy(e);
    return s;
}

void ph_equilibrium_destroy(ph_equilibrium *e)
{
    if (!e)
        return;
    const ph_allocator *alloc = e->alloc;
    ph_newton_destroy(&e->nm);
    ph_free(alloc, e->block);
    ph_free(alloc, e);
}

void ph_equilibrium_release_first(ph_equilibrium *e)
{
    const ph_layout *lay = &e->lay;
    for (int i = lay->N - e->sys.n_first; i < lay->N; i++)
        for (int k = 0; k < lay->slot[i].dim; k++) {
            e->now.v[lay->v_at[i] + k] = e->now.q[lay->q_at[i] + k];
            e->now.q[lay->q_at[i] + k] = 0;
        }
}

ph_state ph_equilibrium_state(const ph_equilibrium *e)
{
    return ph_point_view(&e->now, &e->lay);
}

const void *ph_equilibrium_memory(const ph_equilibrium *e)
{
    return e->sys.memory ? e->memory_found : NULL;
}

ph_static_stats ph_equilibrium_stats(const ph_equilibrium *e)
{
    return e->stats;
}

/* ---- for rest.c ------------------------------------------------------------------------------------ */

void ph_equilibrium_set_rest(ph_equilibrium *e, const ph_rest *rest)
{
    e->stats.rest = *rest;
}

void ph_equilibrium_set_left(ph_equilibrium *e, int left)
{
    e->stats.left = left;
}

void ph_equilibrium_moved(ph_equilibrium *e, double s, const double *x, double *q)
{
    ph_point_shift(&e->lay, &e->now, s, x, &e->kept);
    memcpy(q, e->kept.q, sizeof(double) * (size_t)e->lay.nq);
}

ph_status ph_equilibrium_evaluate(ph_equilibrium *e, double *kappa)
{
    ph_status s = evaluate(e);
    *kappa = ph_newton_stiffness(&e->lay, &e->ev);
    return s;
}

ph_status ph_equilibrium_shift(ph_equilibrium *e, double mu)
{
    return factor(e, mu);
}

ph_status ph_equilibrium_invert(ph_equilibrium *e, const double *y, double *x)
{
    ph_status s = solve_momentum(e, y);
    memcpy(x, e->nm.x, sizeof(double) * (size_t)e->lay.nv);
    return s;
}

double ph_equilibrium_product(const ph_equilibrium *e, const double *y, const double *x)
{
    return product(e, y, x);
}

double ph_equilibrium_damping(const ph_equilibrium *e, const double *x)
{
    return form(e, e->ev.C, x, x);
}

const ph_layout *ph_equilibrium_layout(const ph_equilibrium *e)
{
    return &e->lay;
}

const ph_allocator *ph_equilibrium_alloc(const ph_equilibrium *e)
{
    return e->alloc;
}
