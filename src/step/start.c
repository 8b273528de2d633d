/* Consistent initial values: positions and velocities that satisfy the constraints, then accelerations and
 * multipliers.
 *
 *   [ M  B^T ] [ vdot   ]   [ -g          ]
 *   [ B   0  ] [ lambda ] = [ -convective ]                                                          (S0)
 *   vddot_0 = (vdot(t_0 + h) - vdot(t_0 - h))/(2h),  q(t_0 +- h) = q_0 o exp(+-h v_0 + h^2 vdot_0/2)  (S1)
 *   or (4 vdot(t_0 + h/2) - 3 vdot_0 - vdot(t_0 + h))/h
 *
 * The same matrix projects: dq with M dq + B^T m = 0, B dq = -Phi, and likewise dv (least kinetic energy). */
#include <float.h>
#include <string.h>

#include "la/small.h"
#include "step/sim.h"
#include "step/size.h"
#include "step/step_limits.h"
#include "step/touch.h"

static ph_status evaluate(ph_sim *sim, ph_point *p)
{
    ph_state s = ph_point_view(p, &sim->lay);
    ph_status status = ph_eval_residual(&sim->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status == PH_OK && sim->lay.friction)
        status = ph_eval_friction(&sim->ev, &s);
    return status;
}

static ph_status solve_once(ph_sim *sim, const double *b_v, double sign, const double *b_l, double *x)
{
    ph_newton_matrix *nm = &sim->matrix;
    int nv = sim->lay.nv, nl = sim->lay.nl;
    for (int i = 0; i < nv; i++)
        nm->b[i] = b_v ? sign * b_v[i] : 0;
    for (int i = 0; i < nl; i++)
        nm->b[nv + i] = sign * b_l[i];
    ph_redundant_leave_out(nm, nm->b + nv);
    return ph_solver_solve(nm->initial, nm->b, x);
}

/* x = sign [M B^T; B 0]^-1 (b_v, b_l), factored before; b_v NULL: zero, for a projection, which no force
 * takes part in. */
static ph_status solve_again(ph_sim *sim, const double *b_v, double sign, const double *b_l, double *x)
{
    ph_newton_matrix *nm = &sim->matrix;
    ph_status s = solve_once(sim, b_v, sign, b_l, x);
    if (s != PH_E_SINGULAR || !ph_redundant_renew(nm, &sim->ev, nm->initial, s))
        return s;
    s = ph_newton_factor_initial(nm, &sim->ev, b_v && sim->lay.friction);
    return s == PH_OK ? solve_once(sim, b_v, sign, b_l, x) : s;
}

/* A projection, with the matrix of the evaluated point. */
static ph_status solve(ph_sim *sim, double sign, const double *b_l, double *x)
{
    ph_status s = ph_newton_factor_initial(&sim->matrix, &sim->ev, 0);
    return s == PH_OK ? solve_again(sim, NULL, sign, b_l, x) : s;
}

ph_status ph_start_perturb(ph_sim *sim, const double *l)
{
    const ph_layout *lay = &sim->lay;
    double *rows = sim->matrix.convective, *x = sim->matrix.x;
    ph_status s = evaluate(sim, &sim->now);
    if (s != PH_OK)
        return s;
    memset(rows, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (!lay->sys->constraints[b->row].nonholonomic)
            ph_small_mul_add(b->m, b->n, sim->ev.B + b->at, l + b->col_at, rows + b->row_at);
    s = solve(sim, 1, rows, x);
    for (int i = 0; s == PH_OK && i < lay->nv; i++)
        sim->now.v[i] += x[i];
    return s;
}

ph_status ph_start_prepare_lift(ph_sim *sim, ph_point *p)
{
    ph_status s = evaluate(sim, p);
    return s == PH_OK ? ph_newton_factor_initial(&sim->matrix, &sim->ev, 0) : s;
}

ph_status ph_start_lift_rows(ph_sim *sim, const double *rows, double *z)
{
    ph_status s = solve_again(sim, NULL, 1, rows, sim->matrix.x);
    if (s == PH_OK)
        memcpy(z, sim->matrix.x, sizeof(double) * (size_t)sim->lay.nv);
    return s;
}

ph_status ph_start_lift(ph_sim *sim, ph_point *p, const double *rows, double *z)
{
    ph_status s = ph_start_prepare_lift(sim, p);
    return s == PH_OK ? ph_start_lift_rows(sim, rows, z) : s;
}

ph_status ph_start_respond(ph_sim *sim, ph_point *p, const double *f, const double *rows, double *x)
{
    int n = sim->lay.nv + sim->lay.nl;
    ph_status s = evaluate(sim, p);
    if (s == PH_OK)
        s = ph_newton_factor_initial(&sim->matrix, &sim->ev, sim->lay.friction);
    if (s == PH_OK)
        s = solve_again(sim, f, 1, rows, sim->matrix.x);
    if (s == PH_OK)
        memcpy(x, sim->matrix.x, sizeof(double) * (size_t)n);
    return s;
}

/* The reactions of an increment of lambda, relative to all forces at the evaluated point. */
static double reactions_of(ph_sim *sim, const double *increment, const double *lambda)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double *f = sim->matrix.b; /* done with */
    memset(f, 0, sizeof(double) * (size_t)lay->nv);
    ph_size_add_reactions(lay, ev->B, increment, f);
    ph_size change = ph_size_largest(lay, f);
    for (int i = 0; i < lay->nv; i++)
        f[i] = fabs(ev->g[i]);
    ph_size_add_reactions(lay, ev->B, lambda, f);
    return ph_size_over(change, ph_size_largest(lay, f));
}

/* factored 1: the matrix is that of this q, without friction. */
static ph_status accelerations(ph_sim *sim, ph_point *p, int factored)
{
    ph_eval *ev = &sim->ev;
    const ph_layout *lay = &sim->lay;
    double *x = sim->matrix.x, *convective = sim->matrix.convective, last = HUGE_VAL;
    for (int k = 0; k < PH_START_PROJECTIONS; k++) {
        memset(p->vdot, 0, sizeof(double) * (size_t)lay->nv);
        ph_status status = evaluate(sim, p);
        ph_state s = ph_point_view(p, lay);
        memset(convective, 0, sizeof(double) * (size_t)lay->nl);
        if (status == PH_OK)
            status = ph_eval_convective(ev, &s, convective);
        if (status == PH_OK && !(factored && !lay->friction))
            status = ph_newton_factor_initial(&sim->matrix, ev, lay->friction);
        if (status == PH_OK)
            status = solve_again(sim, ev->r, -1, convective, x);
        if (status != PH_OK)
            return status;
        memcpy(p->vdot, x, sizeof(double) * (size_t)lay->nv);
        if (!isfinite(ph_small_max(lay->nv, p->vdot)) || !isfinite(ph_small_max(lay->nl, x + lay->nv)))
            return PH_E_NAN; /* lambda stays finite: the search for the culprit calls g with it */
        for (int i = 0; i < lay->nl; i++)
            p->lambda[i] += x[lay->nv + i];
        status = ph_redundant_least(&sim->matrix, ev, p->lambda);
        if (status != PH_OK || !lay->friction)
            return status;
        double change = reactions_of(sim, x + lay->nv, p->lambda);
        if (change <= 1e-14 || (change <= PH_START_STILL && change >= 0.5 * last))
            return PH_OK;
        last = change;
    }
    return PH_E_NEWTON;
}

ph_status ph_start_accelerations(ph_sim *sim, ph_point *p)
{
    return accelerations(sim, p, 0);
}

/* vdot a time step away along the motion (S1), to sim->next. */
static ph_status look_along(ph_sim *sim, double step)
{
    const ph_layout *lay = &sim->lay;
    const ph_point *now = &sim->now;
    ph_point *p = &sim->next;
    double *x = p->a;
    for (int i = 0; i < lay->nv; i++) {
        x[i] = step * now->v[i] + 0.5 * step * step * now->vdot[i];
        p->v[i] = now->v[i] + step * now->vdot[i];
    }
    p->t = now->t + step;
    memcpy(p->lambda, now->lambda, sizeof(double) * (size_t)lay->nl);
    ph_point_shift(lay, now, 1, x, p);
    return ph_start_accelerations(sim, p);
}

/* Look *h ahead, or less if a law changes its side on the way: a stop that closes later has no part in vddot_0. A state that
 * is at a switch keeps *h, and so does the start of a run, whose first steps are chosen with it. */
static ph_status look_ahead(ph_sim *sim, double *h)
{
    double part = *h;
    ph_status s = look_along(sim, part);
    int looks = sim->passed + sim->n > 0 ? PH_START_LOOKS : 0;
    for (int k = 0; k < looks && s == PH_OK && ph_touch_differs(sim); k++)
        part *= 0.25, s = look_along(sim, part);
    if (part < *h && (s != PH_OK || ph_touch_differs(sim)))
        return look_along(sim, *h);
    *h = part;
    return s;
}

ph_status ph_start_jerk(ph_sim *sim, double h, int after, double *vddot)
{
    const double *now = sim->now.vdot, *there = sim->next.vdot;
    int nv = sim->lay.nv;
    ph_status s = look_ahead(sim, &h);
    after |= (sim->lay.sys->flags & PH_FROM_START) != 0;
    for (int i = 0; i < nv && s == PH_OK; i++)
        vddot[i] = there[i];
    if (s == PH_OK && !after) { /* functions of time may begin with the run */
        ph_status before = look_along(sim, -h);
        after = before != PH_OK || !isfinite(ph_small_max(nv, there)) || ph_touch_differs(sim);
        s = before == PH_E_MEMORY ? before : PH_OK;
    }
    if (s == PH_OK && after)
        s = look_along(sim, 0.5 * h);
    for (int i = 0; i < nv && s == PH_OK; i++)
        vddot[i] = after ? (4 * there[i] - 3 * now[i] - vddot[i]) / h : (vddot[i] - there[i]) / (2 * h);
    return s;
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* 1 if the n x n matrix A is symmetric to round-off and positive definite; W is n x n scratch. */
static int is_spd(int n, const double *A, double *W)
{
    double size = ph_small_max(n * n, A);
    memcpy(W, A, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++)
            if (!(fabs(A[i * n + k] - A[k * n + i]) <= 1e-10 * size))
                return 0;
        if (!(W[k * n + k] > DBL_EPSILON * n * fabs(A[k * n + k])))
            return 0;
        for (int i = k + 1; i < n; i++) {
            double f = W[i * n + k] / W[k * n + k];
            for (int j = k + 1; j <= i; j++)
                W[i * n + j] -= f * W[j * n + k];
        }
    }
    return 1;
}

static ph_status check_mass(ph_sim *sim, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->now, lay);
    char label[PH_NAME_MAX];
    sim->matrix.mass_factored = 0;
    if (ph_eval_mass(&sim->ev, &s) != PH_OK)
        return ph_fail(err, PH_E_CALLBACK, "the callback M refused the initial values");
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        if (is_spd(b->m, sim->ev.M + b->at, sim->matrix.work))
            continue;
        if (!isfinite(ph_small_max(b->m * b->n, sim->ev.M + b->at)))
            return ph_fail(err, PH_E_NAN, "the callback M gave a number that is not finite at t = %.9g", s.t);
        return ph_fail(err, PH_E_INPUT, "%s: its mass matrix is not positive definite and symmetric",
                       ph_node_label(lay, i, label));
    }
    return PH_OK;
}

/* For Phi (level 0) or the rate (level 1) at the evaluated point: the size of the numbers that cancel in each row.
 * slow: with velocities that move a body by this part of its size in one step. */
static double *row_sizes(ph_sim *sim, const ph_point *p, int level, double slow)
{
    const ph_layout *lay = &sim->lay;
    double *size = sim->matrix.b; /* of a solution to come */
    ph_size x = ph_size_positions(lay, p->q, sim->matrix.body), v = ph_size_largest(lay, p->v);
    double h = sim->h > 0          ? sim->h
               : sim->opt.span > 0 ? sim->opt.span
                                   : 1; /* steps by tolerance are not yet known */
    for (int k = 0; k < 2; k++)
        v.of[k] += slow / h * x.of[k];
    ph_size_rows(lay, sim->ev.B, level ? v : x, size);
    for (int i = 0; i < lay->nl && level; i++)
        size[i] += fabs(sim->ev.Phi_t[i]);
    return size;
}

/* The constraint with the largest violation relative to the numbers that cancel in it, and that violation. */
static int worst_row(const ph_layout *lay, const double *rows, const double *size, int nonholonomic_too,
                     double *worst)
{
    int at = -1;
    *worst = 0;
    for (int c = 0; c < lay->C; c++) {
        if (lay->sys->constraints[c].nonholonomic && !nonholonomic_too)
            continue;
        double x = ph_size_ratio(lay->rows[c], rows + lay->l_at[c], size + lay->l_at[c]);
        if (ph_larger(*worst, x) != *worst && !isnan(*worst))
            *worst = x, at = c;
    }
    return at;
}

/* Move q (level 0) or v (level 1) of p until the constraints hold. The matrix is kept while violations fall fast: mostly
 * that of the first point will do. */
static ph_status project(ph_sim *sim, ph_point *p, int level)
{
    const ph_layout *lay = &sim->lay;
    double *x = sim->matrix.x, last = HUGE_VAL;
    int factored = 0;
    for (int k = 0; k < PH_START_PROJECTIONS; k++) {
        ph_status s = evaluate(sim, p);
        if (s != PH_OK)
            return s;
        double *rows = level ? sim->ev.rate : sim->ev.Phi, size;
        for (int c = 0; c < lay->C && !level; c++)
            for (int i = 0; i < lay->rows[c] && lay->sys->constraints[c].nonholonomic; i++)
                rows[lay->l_at[c] + i] = 0;
        size = ph_size_ratio(lay->nl, rows, row_sizes(sim, p, level, 0));
        if (size <= 4 * DBL_EPSILON || (size <= 1e-13 && size >= 0.5 * last))
            return PH_OK;
        if (k > 2 && size >= 0.5 * last) /* rows that are left out may no longer be implied */
            ph_redundant_renew(&sim->matrix, &sim->ev, sim->matrix.initial, PH_E_SINGULAR);
        factored = factored && size <= PH_START_KEEP * last;
        s = factored ? solve_again(sim, NULL, -1, rows, x) : solve(sim, -1, rows, x);
        factored = 1;
        if (s != PH_OK)
            return s;
        if (!isfinite(ph_small_max(lay->nv, x)))
            return PH_E_NAN;
        if (level)
            for (int i = 0; i < lay->nv; i++)
                p->v[i] += x[i];
        else
            ph_point_shift(lay, p, 1, x, p);
        last = size;
    }
    return PH_E_NEWTON;
}

/* v of p, whose rate was evaluated and is linear in v. */
static ph_status project_velocities(ph_sim *sim, ph_point *p)
{
    double *x = sim->matrix.x;
    ph_status s = ph_newton_factor_initial(&sim->matrix, &sim->ev, 0);
    if (s == PH_OK)
        s = solve_again(sim, NULL, -1, sim->ev.rate, x);
    if (s == PH_OK && !isfinite(ph_small_max(sim->lay.nv, x)))
        s = PH_E_NAN;
    for (int i = 0; s == PH_OK && i < sim->lay.nv; i++)
        p->v[i] += x[i];
    return s;
}

ph_status ph_start_project(ph_sim *sim, ph_point *p, int positions)
{
    if (!sim->lay.C)
        return PH_OK;
    ph_status s = positions ? project(sim, p, 0) : evaluate(sim, p);
    return s == PH_OK ? project_velocities(sim, p) : s; /* the rate was evaluated with the last Phi */
}

ph_status ph_start_settle(ph_sim *sim, ph_point *p, int *projected)
{
    ph_status s = ph_start_project(sim, p, 1);
    *projected = s == PH_OK;
    return s == PH_OK ? accelerations(sim, p, sim->lay.C > 0) : s;
}

/* Positions (level 0), then velocities (level 1). */
static ph_status make_consistent(ph_sim *sim, int level, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    const char *what = level ? "velocities" : "positions";
    double worst, *rows = level ? sim->ev.rate : sim->ev.Phi;
    ph_status s = evaluate(sim, &sim->now);
    if (s != PH_OK)
        return s;
    int c = worst_row(lay, rows, row_sizes(sim, &sim->now, level, PH_SIZE_REST), level, &worst);
    char label[PH_NAME_MAX];
    int needs = sim->project_as < 0 ? !(worst <= PH_START_CONSISTENT) : sim->project_as >> level & 1;
    if (c < 0 || !needs)
        return PH_OK;
    sim->projected |= 1 << level;
    double violation = ph_small_max(lay->rows[c], rows + lay->l_at[c]);
    if (!isfinite(violation))
        return PH_E_NAN;
    if (!sim->opt.project)
        return ph_fail(err, PH_E_INCONSISTENT, "%s: the initial %s violate it by %.3g",
                       ph_constraint_label(lay, c, label), what, violation);
    s = project(sim, &sim->now, level);
    if (s == PH_E_NEWTON)
        return ph_fail(err, PH_E_INCONSISTENT, "%s: no %s near the initial ones satisfy it",
                       ph_constraint_label(lay, c, label), what);
    return s;
}

/* A status from the depths as a sentence about the initial values. */
static ph_status explain(ph_sim *sim, ph_status s, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    ph_state at = ph_point_view(&sim->now, lay);
    char label[PH_NAME_MAX];
    int where = ph_solver_get_info(sim->matrix.initial).where;
    switch (s) {
    case PH_E_SINGULAR:
        if (ph_eval_blame(&sim->ev, &at, err))
            return PH_E_NAN;
        if (where >= lay->N)
            return ph_fail(err, s,
                           "%s: at the initial configuration its rows vanish or repeat other constraints%s",
                           ph_constraint_label(lay, where - lay->N, label), ph_sim_solver_words(sim));
        if (where >= 0 && sim->matrix.started)
            return ph_fail(
                err, s,
                "%s: with accelerations of %.3g a step of h = %g goes where its equations have no solution: "
                "are its forces right?",
                ph_node_label(lay, where, label), ph_small_max(lay->nv, sim->now.vdot), sim->h);
        if (where >= 0)
            return ph_fail(
                err, s,
                "%s: masses coupled to it, or coefficients of its constraints, are too different in size%s",
                ph_node_label(lay, where, label), ph_sim_solver_words(sim));
        return ph_fail(err, s, "the constraints depend on each other at the initial configuration%s",
                       ph_sim_solver_words(sim));
    case PH_E_CALLBACK:
        return ph_fail(err, s, "the callback %s refused the initial values", sim->ev.refused);
    case PH_E_NAN:
        if (ph_eval_blame(&sim->ev, &at, err))
            return PH_E_NAN;
        return ph_fail(err, s, "the initial values lead to numbers that are not finite");
    case PH_E_NEWTON:
        return ph_fail(err, s, "no multipliers balance the forces at the initial values");
    case PH_E_MEMORY:
        return ph_fail(err, s, "not enough memory for the second linear solver");
    default:
        return s;
    }
}

/* A row of B that is zero, as those of constraints that are switched off are. */
static int is_zero(const ph_sim *sim, int c, int i)
{
    const ph_layout *lay = &sim->lay;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (b->row == c && ph_small_max(b->n, sim->ev.B + b->at + i * b->n) != 0)
            return 0;
    return 1;
}

/* 1 in *mixed if rows of a non-holonomic constraint take part in the null space, beside those that are zero. */
static ph_status mixes_levels(ph_sim *sim, int *mixed)
{
    const ph_layout *lay = &sim->lay;
    double *x = sim->matrix.w;
    ph_status s = ph_redundant_span(&sim->matrix, &sim->ev);
    *mixed = 0;
    for (int c = 0; c < lay->C; c++)
        for (int i = 0; i < lay->rows[c] && lay->sys->constraints[c].nonholonomic && s == PH_OK; i++) {
            memset(x, 0, sizeof(double) * (size_t)lay->nl);
            x[lay->l_at[c] + i] = 1;
            s = ph_redundant_null_part(&sim->matrix, x);
            *mixed |= ph_small_max(lay->nl, x) > 1e-6 && !is_zero(sim, c, i);
        }
    return s;
}

static ph_status start_redundant(ph_sim *sim, ph_error *err)
{
    int mixed = 0;
    ph_status s = ph_redundant_choose(&sim->matrix, &sim->ev);
    if (s == PH_E_INPUT)
        return ph_fail(err, s, PH_REDUNDANT_WORDS, sim->lay.sys->n_redundant);
    if (s == PH_OK)
        s = mixes_levels(sim, &mixed);
    if (mixed)
        return ph_fail(err, PH_E_INPUT, "a non-holonomic constraint repeats what holonomic ones imply");
    return s;
}

void ph_start_again(ph_sim *sim)
{
    ph_state now = ph_point_view(&sim->now, &sim->lay);
    ph_eval_mass(&sim->ev, &now);
    sim->matrix.mass_factored = 0;
    sim->matrix.factored = 0;
}

ph_status ph_start_consistent(ph_sim *sim, ph_error *err)
{
    ph_error own = {0};
    ph_status s = check_mass(sim, err);
    sim->projected = 0;
    if (s != PH_OK)
        return s;
    sim->matrix.body = ph_size_bodies(&sim->lay, sim->ev.M);
    if (sim->lay.C) {
        s = evaluate(sim, &sim->now);
        if (s == PH_OK)
            ph_newton_set_units(&sim->matrix, sim->ev.B, sim->opt.ggl_length);
        sim->matrix.least =
            ph_size_least_inertia(&sim->lay, sim->ev.M, fmax(sim->matrix.body, sim->matrix.lever));
    }
    if (s == PH_OK && sim->matrix.redundant)
        s = start_redundant(sim, &own);
    for (int level = 0; level < 2 && s == PH_OK && sim->lay.C; level++)
        s = make_consistent(sim, level, &own);
    if (s == PH_OK) {
        memset(sim->now.lambda, 0, sizeof(double) * (size_t)sim->lay.nl);
        s = ph_start_accelerations(sim, &sim->now);
    }
    sim->matrix.started = s == PH_OK;
    if (s == PH_OK)
        s = sim->stepper->start(sim);
    if (s == PH_OK)
        return s;
    if (own.text[0])
        return ph_fail(err, s, "%s", own.text);
    return explain(sim, s, err);
}
