/* Generalized-alpha with steps by tolerance.
 *
 * With Da = alpha_m - alpha_f, what the method remembers depends on h: a_n = vdot + Da h vddot (VS1) and, in index-3,
 * B v_n + Phi_t = O(h^2) (VS2). Before a step of size h' = om h after one of size h,
 *
 *   a_n <- a_n + Da (om - 1)(vdot_n - vdot_{n-1})                                                     (VS3)
 *   v_n <- v_n + (om^2 - 1) d,  M d + B^T m = 0,  B d = B v_n + Phi_t on holonomic rows; index-3      (VS4)
 *
 * and without a step before, or after a time at which functions are not smooth, (S2) and (S3) for h'. The rate of the
 * error, with means of both ends of the step in the bracket,
 *
 *   e = (C_q + C_v) h'^2/(h' + h) (vdot_{n+1} - vdot_{n-1}) + h'^2/4 (1/3 - sigma beta/gamma) [v, vdot]  (VS7)
 *   C_q = (1 - 6 beta - 3 Da)/6,  C_v = -1/12 + Da^2/2 - Da/2 (alpha_m + alpha_f - 1)           (VS5), (VS6)
 *
 * goes through the matrix of the step, which removes what the constraints forbid and damps what the step does not
 * resolve, and is measured over the time T of the run:
 *
 *   (N2) (ef, ., .) = (M e, 0, 0), twice                                                              (VS8)
 *   err = max(T |ef_x|/max(1, |x|), T |ef_R|, r |ef_x|/max(1, |v|), r |ef_R|/max(1, |Omega|))/tol,
 *   r = C_v/(C_q + C_v)                                                                               (VS9)
 */
#include "method/alpha_ahead.h"

#include <string.h>

#include "la/small.h"
#include "method/method_limits.h"

static ph_alpha_ahead *of(const ph_pace_rules *rules)
{
    return rules->method;
}

double ph_alpha_C_v(const ph_alpha *p)
{
    double Da = p->alpha_m - p->alpha_f;
    return -1.0 / 12 + Da * Da / 2 - Da / 2 * (p->alpha_m + p->alpha_f - 1);
}

double ph_alpha_lie(const ph_alpha *p)
{
    return (1.0 / 3 - p->sigma * p->beta / p->gamma) / 4;
}

/* ---- the start of a step ------------------------------------------------------------------------------ */

/* (VS3), (VS4) with d */
static void rescale(const ph_sim *sim, ph_alpha_ahead *x, double om)
{
    double Da = x->p->alpha_m - x->p->alpha_f, s = Da * (om - 1), f = om * om - 1;
    const ph_point *now = &sim->now, *last = &sim->last;
    int index3 = sim->opt.formulation == PH_INDEX3;
    for (int i = 0; i < sim->lay.nv; i++) {
        x->a[i] = now->a[i] + s * (now->vdot[i] - last->vdot[i]);
        x->v[i] = now->v[i] + (index3 ? f * x->d[i] : 0);
    }
}

/* Starting values, to x->v, x->a and x->vdot; the state stays as it is. The accelerations of a stiff start are damped,
 * since raw ones ring in (G4) and (VS3) adds that to a. */
static ph_status start_anew(ph_sim *sim, ph_alpha_ahead *x)
{
    size_t bytes = sizeof(double) * (size_t)sim->lay.nv;
    double *v = sim->now.v, *a = sim->now.a;
    memcpy(x->v, v, bytes), memcpy(x->a, a, bytes);
    ph_status s = ph_alpha_start(sim, &x->starts, x->ahead.corner, x->e, x->l);
    for (int i = 0; i < sim->lay.nv; i++) {
        double v0 = x->v[i], a0 = x->a[i];
        x->v[i] = v[i], x->a[i] = a[i];
        v[i] = v0, a[i] = a0;
    }
    memcpy(x->vdot, sim->stiff ? sim->relaxed.vdot : sim->now.vdot, bytes);
    return s;
}

/* B v + Phi_t at a point, 0 in rows that are not holonomic. */
static ph_status find_rate(ph_sim *sim, ph_point *p, double *rows)
{
    const ph_layout *lay = &sim->lay;
    ph_state at = ph_point_view(p, lay);
    ph_status s = ph_eval_rate(&sim->ev, &at);
    for (int c = 0; c < lay->C && s == PH_OK; c++)
        for (int i = lay->l_at[c]; i < lay->l_at[c] + lay->rows[c]; i++)
            rows[i] = lay->sys->constraints[c].nonholonomic ? 0 : sim->ev.rate[i];
    return s;
}

/* d of (VS4) at a point, with a matrix of its own. */
static ph_status lift_d(ph_sim *sim, ph_alpha_ahead *x, ph_point *p)
{
    ph_status s = find_rate(sim, p, sim->matrix.convective);
    if (s == PH_OK)
        s = ph_start_lift(sim, p, sim->matrix.convective, x->d);
    x->has_d = s == PH_OK && isfinite(ph_small_max(sim->lay.nv, x->d));
    return s;
}

/* The same at the end of a step: one solution with its matrix, unless that is an old one. */
static ph_status find_d(ph_sim *sim, ph_alpha_ahead *x)
{
    ph_newton_matrix *nm = &sim->matrix;
    double *rows = nm->b + sim->lay.nv;
    if (sim->opt.newton == PH_MODIFIED || !sim->matrix.factored)
        return lift_d(sim, x, &sim->next);
    ph_status s = find_rate(sim, &sim->next, rows);
    if (s != PH_OK)
        return s;
    memset(nm->b, 0, sizeof(double) * (size_t)sim->lay.nv);
    ph_redundant_leave_out(nm, rows);
    s = ph_solver_solve(nm->solver, nm->b, nm->x);
    memcpy(x->d, nm->x, sizeof(double) * (size_t)sim->lay.nv);
    x->has_d = isfinite(ph_small_max(sim->lay.nv, x->d)); /* 0: the next step finds it */
    return s;
}

static int needs_d(const ph_sim *sim)
{
    return sim->opt.formulation == PH_INDEX3 && sim->lay.C;
}

/* (VS3), (VS4). A step that ends at a given time has another size than the one before foresaw. */
static ph_status correct(ph_sim *sim, ph_alpha_ahead *x, double om)
{
    ph_status s = needs_d(sim) && !x->has_d ? lift_d(sim, x, &sim->now) : PH_OK;
    if (s == PH_OK)
        rescale(sim, x, om);
    return s;
}

/* ---- the estimate --------------------------------------------------------------------------------------- */

/* The bracket of (VS7) of one node, times factor. On SO(3) it is a cross product. */
PH_INLINE void add_bracket(int n, const ph_slot *i, double factor, const ph_point *now, const ph_point *next,
                           double *e)
{
    if (n == 3) {
        int at = i->v_at;
        ph_vec3 w = ph_scale(factor / 4, ph_add(ph_load3(now->v + at), ph_load3(next->v + at))),
                wdot = ph_add(ph_load3(now->vdot + at), ph_load3(next->vdot + at));
        ph_store3(e, ph_add(ph_load3(e), ph_cross(w, wdot)));
        return;
    }
    double H[PH_DIM_MAX * PH_DIM_MAX], v[PH_DIM_MAX], vdot[PH_DIM_MAX];
    for (int k = 0, at = i->v_at; k < n; k++, at++)
        v[k] = factor / 4 * (now->v[at] + next->v[at]), vdot[k] = now->vdot[at] + next->vdot[at];
    i->op->hat(n, v, H);
    ph_small_mul_add(n, n, H, vdot, e);
}

/* (VS7) and its largest parts; without a step before, over this one alone. */
static ph_size rate_of_error(const ph_sim *sim, const ph_alpha_ahead *x, double h, double *e)
{
    const ph_layout *lay = &sim->lay;
    const double *to = sim->next.vdot, *from = x->ahead.h > 0 ? sim->last.vdot : sim->now.vdot;
    double c = (x->C_q + x->C_v) * h * h / (h + x->ahead.h);
    ph_size size = {{0, 0}};
    for (int i = 0; i < lay->nv; i++)
        e[i] = c * (to[i] - from[i]);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        if (i->T_at >= 0 && x->lie != 0)
            PH_BY_SIZE(i->dim, add_bracket, i, h * h * x->lie, &sim->now, &sim->next, e + i->v_at);
        ph_size_add_node(&size, i, e + i->v_at);
    }
    return size;
}

/* A step of another size than the one before, or the first one. */
static ph_status changed_step(ph_sim *sim, ph_alpha_ahead *x, const ph_point *from, double h, ph_point *to)
{
    ph_point start = *from;
    double om = x->ahead.h > 0 ? h / x->ahead.h : 0;
    start.v = x->v, start.a = x->a;
    x->om = om;
    ph_status s = om > 0 ? correct(sim, x, om) : start_anew(sim, x);
    if (!(om > 0))
        start.vdot = x->vdot;
    to->t = from->t + h; /* starting values have been there */
    return s == PH_OK ? x->solve(sim, h, &start, om) : s;
}

static ph_status attempt(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double h,
                         ph_point *to, double *err)
{
    ph_alpha_ahead *x = of(rules);
    ph_status s = PH_OK;
    sim->h = h, x->corner = x->ahead.corner;
    if (h == x->ahead.h) {
        x->om = 1;
        s = x->solve(sim, h, from, 1);
    } else
        s = changed_step(sim, x, from, h, to);
    if (s == PH_OK && sim->opt.tol > 0) {
        ph_size size = rate_of_error(sim, x, h, x->e);
        s = ph_ahead_estimate(sim, &x->ahead, &x->pace, x->r, size, x->e, x->factor, err);
    } else
        *err = 0;
    if (s != PH_OK)
        sim->matrix.factored = 0;
    return s;
}

/* Half of what (VS9) allows, with vddot of (S1). */
static double first(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double t_max)
{
    ph_alpha_ahead *x = of(rules);
    const ph_layout *lay = &sim->lay;
    double left = t_max - from->t, d1 = ph_pace_measure(sim, 0, from, from->v, from->vdot), *rate = x->v;
    double h0 = fmin(d1 > 1e-5 ? 0.01 / d1 : 1e-6, left), h = fmin(100 * h0, left);
    if (x->pace.h_max > 0)
        h0 = fmin(h0, x->pace.h_max), h = fmin(h, x->pace.h_max);
    if (ph_start_jerk(sim, h0, x->ahead.corner, rate) != PH_OK)
        return 1e-3 * h0; /* the attempts will find out */
    for (int i = 0; i < lay->nv; i++)
        rate[i] *= x->C_q + x->C_v;
    sim->largest = ph_pace_largest(sim, from);
    ph_alpha_add_bracket(lay, x->lie, from->v, from->vdot, rate);
    for (int k = 0; k < PH_ALPHA_AHEAD_FIRST_GUESSES; k++) {
        for (int i = 0; i < lay->nv; i++)
            x->e[i] = h * h * rate[i];
        sim->h = h;
        if (x->factor(sim, h) != PH_OK || ph_ahead_filter(sim, x->e) != PH_OK)
            return 1e-3 * h0;
        ph_size size = ph_size_largest(lay, x->e);
        double err = 4 * ph_pace_measure_rate(sim, &x->pace, x->ahead.span, x->r, size);
        if (err <= 1)
            break;
        h *= fmax(0.2, fmin(0.9, 1 / sqrt(err)));
    }
    return h;
}

/* ---- create ---------------------------------------------------------------------------------------------- */

void ph_alpha_ahead_take(ph_alpha_ahead *x, const ph_sim *sim, ph_arena *arena)
{
    size_t nv = (size_t)sim->lay.nv, d = sizeof(double);
    ph_ahead_take(&x->ahead, sim, arena);
    x->v = ph_arena_take(arena, nv, d);
    x->a = ph_arena_take(arena, nv, d);
    x->vdot = ph_arena_take(arena, nv, d);
    x->d = ph_arena_take(arena, nv, d);
    x->e = ph_arena_take(arena, nv, d);
    x->l = ph_arena_take(arena, nv, d);
    x->z = ph_arena_take(arena, nv, d);
}

ph_status ph_alpha_ahead_prepare(ph_alpha_ahead *x, const ph_sim *sim, const ph_alpha *p,
                                 ph_alpha_step_fn solve, ph_alpha_ops_fn ops, ph_ahead_factor_fn factor,
                                 ph_error *err)
{
    if (!ph_alpha_is_second_order(p))
        return ph_fail(err, PH_E_INPUT,
                       "gamma = %g is not 1/2 + alpha_f - alpha_m: the method is of first order and has no "
                       "error control: give h instead of tol",
                       p->gamma);
    x->p = p, x->solve = solve, x->factor = factor;
    x->starts = (ph_alpha_start_rules){.p = p, .ops = ops};
    x->rules = (ph_pace_rules){.grow = PH_ALPHA_AHEAD_GROW,
                               .power = PH_ALPHA_AHEAD_POWER,
                               .aim = PH_PACE_TARGET,
                               .cut = PH_ALPHA_AHEAD_CUT,
                               .method = x,
                               .first = first,
                               .attempt = attempt};
    ph_pace_prepare(&x->pace, &sim->opt);
    x->C_q = ph_alpha_C_q(p);
    x->C_v = ph_alpha_C_v(p);
    x->lie = ph_alpha_lie(p);
    x->r = x->C_q + x->C_v != 0 ? fabs(x->C_v / (x->C_q + x->C_v)) : 1;
    return PH_OK;
}

void ph_alpha_ahead_tape(ph_alpha_ahead *x, const ph_sim *sim, ph_tape *t)
{
    ph_ahead_tape(&x->ahead, sim, t);
    ph_pace_tape(&x->pace, t);
    ph_tape_numbers(t, x->d, sim->lay.nv);
    ph_tape_int(t, &x->has_d);
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

static void begin(ph_sim *sim, void *method)
{
    ph_alpha_ahead *x = method;
    (void)sim;
    ph_pace_begin(&x->pace, x->ahead.corner);
}

static void keep_start(ph_sim *sim, const ph_alpha_ahead *x)
{
    memcpy(sim->now.a, x->a, sizeof(double) * (size_t)sim->lay.nv);
    memcpy(sim->now.vdot, x->vdot, sizeof(double) * (size_t)sim->lay.nv);
}

static ph_status controlled_step(ph_sim *sim, double t_max, void *method)
{
    ph_alpha_ahead *x = method;
    x->rules.most = x->ahead.h > 0 ? PH_ALPHA_AHEAD_GROW * x->ahead.h : HUGE_VAL;
    ph_status s = ph_pace_step(sim, &x->pace, &x->rules, &sim->now, t_max, &sim->next);
    if (s == PH_OK && !(x->om > 0)) /* where the step began, for those who repeat it */
        keep_start(sim, x);
    x->has_d = 0;
    return s == PH_OK && needs_d(sim) && x->pace.h != sim->h ? find_d(sim, x) : s;
}

static ph_status between(ph_sim *sim, const ph_point *last, const ph_point *end, ph_point *to, void *method)
{
    return ph_ahead_between(sim, &((ph_alpha_ahead *)method)->ahead, last, end, to);
}

ph_status ph_alpha_ahead_step(ph_sim *sim, ph_alpha_ahead *x)
{
    static const ph_ahead_ops ops = {begin, controlled_step, between};
    return ph_ahead_step(sim, &x->ahead, &ops, x);
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

static double share(const ph_alpha_ahead *x)
{
    return x->om > 0 ? (x->p->alpha_m - x->p->alpha_f) * (x->om - 1) : 0;
}

void ph_alpha_ahead_vary(const ph_sim *sim, const ph_alpha_ahead *x, const ph_variation *now, double *z)
{
    double s = share(x);
    for (int i = 0; i < sim->lay.nv; i++)
        z[i] = now->a[i] + (s != 0 ? s * (now->vdot[i] - now->memory[i]) : 0);
}

void ph_alpha_ahead_vary_back(const ph_sim *sim, const ph_alpha_ahead *x, const double *a_bar,
                              ph_variation *now)
{
    double s = share(x);
    for (int i = 0; i < sim->lay.nv; i++) {
        now->a[i] += a_bar[i];
        now->vdot[i] += s * a_bar[i];
        now->memory[i] -= s * a_bar[i];
    }
}

ph_status ph_alpha_ahead_start_as(ph_sim *sim, ph_alpha_ahead *x, const ph_alpha_ahead *of, double h)
{
    sim->h = h, x->ahead.corner = of->corner;
    ph_status s = of->corner ? ph_ahead_leave_corner(sim) : ph_start_accelerations(sim, &sim->now);
    if (s == PH_OK)
        s = start_anew(sim, x);
    keep_start(sim, x);
    return s;
}

ph_point ph_alpha_ahead_restore(ph_sim *sim, ph_alpha_ahead *x, double h, double before)
{
    ph_point from = sim->now;
    sim->h = h, x->om = before > 0 ? h / before : 0;
    if (x->om > 0) {
        rescale(sim, x, x->om);
        from.v = x->v, from.a = x->a;
    }
    return from;
}
