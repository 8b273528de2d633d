/* The stages of implicit Runge-Kutta-Munthe-Kaas methods in index-1 form, by Newton's method.
 *
 * Unknowns are the accelerations A_i and the multipliers Lambda_i of every stage, or of one stage after
 * the other for a diagonal tableau. V follows from (K2), Theta from (K1) node by node (rk_turn.c). With
 * dV_i = h sum_j a_ij dA_j and dq_i = sum_j S_ij dA_j, (K14):
 *
 *   [ delta_ij M + h a_ij C + K S_ij            delta_ij (B^T + g_lambda) ] [ dA_j      ]   [ -r_i ]
 *   [ delta_ij B + h a_ij dc/dv + dc/dq S_ij    0                         ] [ dLambda_j ] = [ -c_i ]   (K15)
 *
 * with M, C, K, B at stage i and c, dc/dv, dc/dq from (K10)-(K12). As h shrinks, the matrix tends to that
 * of the initial values (S0), once for each stage, and it has the graph of that matrix: the stages of a
 * node are one block. Redundant rows are left out (R1): the force B^T Lambda is the same whichever multipliers are
 * taken. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "method/method_limits.h"
#include "method/rk_newton.h"
#include "step/rates.h"
#include "step/step_limits.h"

/* ---- create ------------------------------------------------------------------------------------- */

static void take(ph_rk_newton *nm, const ph_layout *lay, ph_arena *a)
{
    size_t d = sizeof(double), s = (size_t)nm->s, diagonals = 0, turning = 0;
    for (int c = 0; c < lay->C && ph_layout_leaves_out(lay); c++)
        diagonals += (size_t)lay->rows[c] * (size_t)lay->rows[c];
    for (int i = 0; i < lay->N; i++)
        if (lay->R_at[i] >= 0)
            turning += (size_t)lay->slot[i].dim * (size_t)lay->slot[i].dim;
    nm->A_size = (int)(s * s * ((size_t)lay->size_pairs + 2 * (size_t)lay->size_links + diagonals));
    nm->A = ph_arena_take(a, (size_t)nm->A_size, d);
    nm->b = ph_arena_take(a, s * (size_t)(lay->nv + lay->nl), d);
    nm->x = ph_arena_take(a, s * (size_t)(lay->nv + lay->nl), d);
    nm->S = ph_arena_take(a, s * s * turning, d);
    nm->S_at = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    nm->square = ph_arena_take(a, s * s, d);
    ph_rk_turn_take(&nm->turn, nm->s, a);
    ph_accel_take(&nm->accel, lay, a);
}

ph_status ph_rk_implicit_create(ph_rk *rk, ph_sim *sim, ph_error *err)
{
    const ph_layout *lay = &sim->lay;
    ph_arena arena = {0};
    ph_rk_newton trial = {.s = rk->tab.kind == PH_STAGES_DIAGONAL ? 1 : rk->tab.s}, *nm;
    rk->newton = NULL;
    ph_arena_take(&arena, 1, sizeof *nm);
    take(&trial, lay, &arena);
    if (!ph_arena_open(&arena, sim->opt.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the matrix of the stages");
    nm = ph_arena_take(&arena, 1, sizeof *nm); /* stands at the start of the block that it is freed with */
    *nm = (ph_rk_newton){.s = trial.s, .alloc = sim->opt.alloc, .block = arena.block};
    take(nm, lay, &arena);
    for (int i = 0, at = 0; i < lay->N; i++) {
        int n = lay->slot[i].dim, turns = lay->R_at[i] >= 0;
        nm->S_at[i] = turns ? at : -1;
        at += turns ? nm->s * nm->s * n * n : 0;
    }
    rk->newton = nm;
    ph_status s = ph_newton_analyse_stages(lay, nm->s, sim->opt.solver, sim->opt.alloc, &nm->solver);
    if (s == PH_OK)
        return s;
    ph_rk_implicit_destroy(rk);
    return ph_fail(err, s, "not enough memory for the matrix of the stages");
}

void ph_rk_implicit_destroy(ph_rk *rk)
{
    if (!rk->newton)
        return;
    ph_solver_destroy(rk->newton->solver);
    ph_free(rk->newton->alloc, rk->newton->block);
    rk->newton = NULL;
}

ph_status ph_rk_implicit_tape(ph_rk *rk, ph_sim *sim, ph_tape *t)
{
    ph_rk_newton *nm = rk->newton;
    ph_status s = t->brief ? PH_OK : ph_solver_tape(nm->solver, t);
    if (sim->opt.newton != PH_MODIFIED)
        return s;
    ph_tape_int(t, &nm->factored);
    ph_tape_int(t, &nm->choices);
    ph_tape_numbers(t, &nm->coefficient, 1);
    ph_tape_numbers(t, &nm->t, 1);
    ph_tape_numbers(t, nm->A, nm->A_size);
    if (t->mode == PH_TAPE_READ && nm->factored && s == PH_OK)
        s = ph_solver_factor(nm->solver, nm->A);
    return s;
}

/* ---- the point of a stage ----------------------------------------------------------------------- */

/* out_i = start + h sum_j a_ij x_j over coordinates [at, at + n); start may be NULL: zero */
static void combine(const ph_stages *st, int nv, int at, int n, const double *start, const double *x,
                    double *out)
{
    for (int i = st->first; i < st->end; i++)
        for (int r = at; r < at + n; r++) {
            double sum = 0;
            for (int j = 0; j < st->end; j++)
                sum += st->tab->A[i][j] * x[j * nv + r];
            out[i * nv + r] = (start ? start[r] : 0) + st->h * sum;
        }
}

static ph_status refuse_turn(ph_sim *sim, int node, double angle)
{
    char label[PH_NAME_MAX];
    ph_node_label(&sim->lay, node, label);
    if (isfinite(angle))
        snprintf(
            sim->reason, sizeof sim->reason,
            "%s turns by %.3g rad in one step, and more than %g rad cannot be told from less: the step is "
            "too large for the spin",
            label, angle, PH_TURN_LIMIT);
    else
        snprintf(sim->reason, sizeof sim->reason, "%s: the step is too large for the spin", label);
    return PH_E_STEP;
}

ph_status ph_rk_newton_kinematics(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st)
{
    const ph_layout *lay = &sim->lay;
    size_t row = (size_t)lay->nv;
    combine(st, lay->nv, 0, lay->nv, from->v, rk->A, rk->V);
    if (!isfinite(ph_small_max((st->end - st->first) * lay->nv, rk->V + (size_t)st->first * row)))
        return PH_E_NAN;
    for (int i = 0; i < lay->N; i++) {
        const ph_slot *node = &lay->slot[i];
        if (node->R_at >= 0) {
            double angle = ph_rk_turn_solve(&rk->newton->turn, st, node, lay->nv, rk->V, rk->Theta, rk->k);
            if (!(angle <= PH_TURN_LIMIT))
                return refuse_turn(sim, i, angle);
            continue;
        }
        for (int j = st->first; j < st->end; j++)
            memcpy(rk->k + (size_t)j * row + node->v_at, rk->V + (size_t)j * row + node->v_at,
                   sizeof(double) * (size_t)node->dim);
        combine(st, lay->nv, node->v_at, node->dim, NULL, rk->k, rk->Theta);
    }
    return PH_OK;
}

/* Before the first iteration the increments of rotation are those of a velocity that keeps its direction. */
static void guess_turn(const ph_layout *lay, ph_rk *rk, const ph_point *from, const ph_stages *st)
{
    combine(st, lay->nv, 0, lay->nv, from->v, rk->A, rk->V);
    for (int j = st->first; j < st->end; j++)
        memcpy(rk->k + (size_t)j * (size_t)lay->nv, rk->V + (size_t)j * (size_t)lay->nv,
               sizeof(double) * (size_t)lay->nv);
    combine(st, lay->nv, 0, lay->nv, NULL, rk->k, rk->Theta);
}

/* rk->at = stage i */
static void go_to(const ph_layout *lay, ph_rk *rk, const ph_point *from, const ph_stages *st, int i)
{
    size_t nv = (size_t)lay->nv, nl = (size_t)lay->nl, d = sizeof(double);
    rk->at.t = from->t + st->tab->c[i] * st->h;
    ph_point_shift(lay, from, 1, rk->Theta + (size_t)i * nv, &rk->at);
    memcpy(rk->at.v, rk->V + (size_t)i * nv, d * nv);
    memcpy(rk->at.vdot, rk->A + (size_t)i * nv, d * nv);
    memcpy(rk->at.lambda, rk->Lambda + (size_t)i * nl, d * nl);
}

/* ---- the matrix --------------------------------------------------------------------------------- */

/* Rows of stage i of one block of (K15), m x n for each pair of stages: here on the diagonal, h a_ij by_v
 * + by_q S_ij everywhere. */
static void put_rows(const ph_rk_newton *nm, const ph_stages *st, int i, const ph_block *b,
                     const double *here, const double *by_v, const double *by_q, double *block)
{
    int s = nm->s, m = b->m, n = b->n, width = s * n;
    double *out = block + i * m * width;
    const double *a = st->tab->A[st->first + i] + st->first;
    const double *S = nm->S_at[b->col] >= 0 ? nm->S + nm->S_at[b->col] + i * n * width : NULL;
    for (int r = 0; r < m; r++)
        for (int j = 0; j < s; j++) {
            double ha = st->h * a[j], square = S ? 0 : nm->square[i * s + j];
            for (int c = 0; c < n; c++)
                out[r * width + j * n + c] =
                    (i == j ? here[r * n + c] : 0) + ha * by_v[r * n + c] + square * by_q[r * n + c];
        }
    if (S)
        ph_small_mmul_add(m, n, width, by_q, S, out);
}

/* B^T + g_lambda on the diagonal of one block. */
static void put_columns(const ph_rk_newton *nm, int i, const ph_block *b, const double *B, const double *Gl,
                        double *block)
{
    int m = b->m, n = b->n, width = nm->s * m;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < m; c++)
            block[(i * n + r) * width + i * m + c] = B[c * n + r] + (Gl ? Gl[r * m + c] : 0);
}

/* Rows of stage i, st->first + i of the tableau. */
static void assemble(ph_rk_newton *nm, const ph_eval *ev, const ph_stages *st, int i)
{
    const ph_layout *lay = ev->lay;
    int s2 = nm->s * nm->s;
    double *BT = nm->A + s2 * lay->size_pairs, *W = BT + s2 * lay->size_links;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        put_rows(nm, st, i, b, ev->M + b->at, ev->C + b->at, ev->K + b->at, nm->A + s2 * b->at);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        put_columns(nm, i, b, ev->B + b->at, lay->friction ? ev->Gl + b->at : NULL, BT + s2 * b->at);
        put_rows(nm, st, i, b, ev->B + b->at, nm->accel.by_v + b->at, nm->accel.by_q + b->at, W + s2 * b->at);
    }
}

/* (R1) */
static void leave_out(ph_rk_newton *nm, const ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    int s = nm->s;
    double *BT = nm->A + s * s * lay->size_pairs, *W = BT + s * s * lay->size_links,
           *D = W + s * s * lay->size_links;
    ph_redundant_strike(&sim->matrix, s, BT, W);
    for (int c = 0; c < lay->C && sim->matrix.redundant; c++) {
        int n = lay->rows[c], width = s * n;
        for (int i = 0; i < width; i++)
            D[i * (width + 1)] = sim->matrix.pivot[lay->l_at[c] + i % n];
        D += width * width;
    }
}

/* S of every node (K14); without rotations it is h^2 a a. */
static ph_status linearise(ph_sim *sim, ph_rk *rk, const ph_stages *st)
{
    ph_rk_newton *nm = rk->newton;
    const ph_layout *lay = &sim->lay;
    for (int i = 0; i < nm->s; i++)
        for (int j = 0; j < nm->s; j++) {
            double sum = 0;
            for (int l = 0; l < nm->s; l++)
                sum += st->tab->A[st->first + i][st->first + l] * st->tab->A[st->first + l][st->first + j];
            nm->square[i * nm->s + j] = st->h * st->h * sum;
        }
    for (int i = 0; i < lay->N; i++)
        if (nm->S_at[i] >= 0 &&
            !ph_rk_turn_tangent(&nm->turn, st, &lay->slot[i], lay->nv, rk->V, rk->Theta, nm->S + nm->S_at[i]))
            return refuse_turn(sim, i, HUGE_VAL);
    return PH_OK;
}

/* b = -(r, c) of stage i */
static void right_hand_side(ph_sim *sim, ph_rk_newton *nm, int i)
{
    const ph_layout *lay = &sim->lay;
    int s = nm->s;
    double *c = nm->accel.c;
    ph_redundant_leave_out(&sim->matrix, c);
    for (const ph_slot *node = lay->slot, *end = node + lay->N; node < end; node++)
        for (int r = 0; r < node->dim; r++)
            nm->b[s * node->v_at + i * node->dim + r] = -sim->ev.r[node->v_at + r];
    for (int k = 0; k < lay->C; k++)
        for (int r = 0; r < lay->rows[k]; r++)
            nm->b[s * (lay->nv + lay->l_at[k]) + i * lay->rows[k] + r] = -c[lay->l_at[k] + r];
}

/* Friction goes by the multipliers of least norm at the stage. */
static ph_status least(ph_sim *sim, ph_rk *rk, const ph_state *s, int stage)
{
    double *Lambda = rk->Lambda + stage * sim->lay.nl;
    ph_status status = ph_eval_links(&sim->ev, s, sim->ev.B);
    if (status == PH_OK)
        status = ph_redundant_least(&sim->matrix, &sim->ev, Lambda);
    memcpy(rk->at.lambda, Lambda, sizeof(double) * (size_t)sim->lay.nl);
    return status;
}

ph_status ph_rk_newton_evaluate(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st,
                                int tangents)
{
    ph_rk_newton *nm = rk->newton;
    ph_eval *ev = &sim->ev;
    ph_status status = tangents ? linearise(sim, rk, st) : PH_OK;
    for (int i = 0; i < nm->s && status == PH_OK; i++) {
        go_to(&sim->lay, rk, from, st, st->first + i);
        ph_state s = ph_point_view(&rk->at, &sim->lay);
        if (ph_redundant_shares(&sim->matrix))
            status = least(sim, rk, &s, st->first + i);
        if (status == PH_OK)
            status = ph_eval_residual(ev, &s, PH_EVAL_RATE);
        if (status == PH_OK)
            status = ph_accel_rows(&nm->accel, ev, &rk->at);
        if (status != PH_OK)
            break;
        right_hand_side(sim, nm, i);
        if (!tangents)
            continue;
        status = ph_eval_tangent(ev, &s, PH_EVAL_RATE);
        if (status == PH_OK)
            status = ph_accel_tangent(&nm->accel, ev, &rk->at);
        if (status == PH_OK)
            assemble(nm, ev, st, i);
    }
    if (tangents)
        leave_out(nm, sim);
    return status;
}

/* ---- iteration ---------------------------------------------------------------------------------- */

/* Largest of the positions [0] and of the rotations [1] over the nodes. */
static void larger_parts(const ph_layout *lay, const double *x, double size[2])
{
    for (const ph_slot *node = lay->slot, *end = node + lay->N; node < end; node++) {
        size[0] = ph_small_larger(node->rot, size[0], x + node->v_at);
        size[1] = ph_small_larger(node->dim - node->rot, size[1], x + node->v_at + node->rot);
    }
}

/* Velocities that count as nothing, of positions and of rotations:
 *   loose = h (atol + rtol |A|) + 1024 eps (|q|/h + |v|), |q| not less than the size of bodies (N4), and
 *   tight = 4 eps (|v| + h |A|)                                                                    (K16)
 * with the largest |A| of all iterates: one that happens to be small makes no tolerance small. */
typedef struct tolerance {
    double h, q[2], v[2], A[2];
    double loose[2], tight[2];
} tolerance;

static tolerance begin_tolerance(const ph_sim *sim, const ph_point *from, const ph_stages *st)
{
    const ph_layout *lay = &sim->lay;
    tolerance t = {.h = fabs(st->h), .q = {sim->matrix.body, 1}};
    for (const ph_slot *node = lay->slot, *end = node + lay->N; node < end; node++)
        t.q[0] = ph_small_larger(node->rot, t.q[0], from->q + node->q_at);
    larger_parts(lay, from->v, t.v);
    larger_parts(lay, from->vdot, t.A);
    return t;
}

static void set_tolerance(tolerance *t, const ph_sim *sim, const ph_rk *rk, const ph_stages *st)
{
    const ph_options *o = &sim->opt;
    for (int i = st->first; i < st->end; i++)
        larger_parts(&sim->lay, rk->A + i * sim->lay.nv, t->A);
    for (int k = 0; k < 2; k++) {
        t->tight[k] = 4 * DBL_EPSILON * (t->v[k] + t->h * t->A[k]) + DBL_MIN;
        t->loose[k] =
            t->h * (o->atol + o->rtol * t->A[k]) + 1024 * DBL_EPSILON * (t->q[k] / t->h + t->v[k]) + DBL_MIN;
    }
}

/* dV_i = h sum_j a_ij dA_j of stage i for the increment x, to dV: nv. */
static void velocity_increment(const ph_rk_newton *nm, const ph_layout *lay, const ph_stages *st, int i,
                               double *dV)
{
    const double *a = st->tab->A[st->first + i] + st->first;
    for (const ph_slot *node = lay->slot, *end = node + lay->N; node < end; node++)
        for (int r = 0; r < node->dim; r++) {
            double sum = 0;
            for (int j = 0; j < nm->s; j++)
                sum += a[j] * nm->x[nm->s * node->v_at + j * node->dim + r];
            dV[node->v_at + r] = st->h * sum;
        }
}

/* Cut the increment where friction would jump over rest in a stage (CT8). Return 1 if it was cut. */
static int cut_increment(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st)
{
    const ph_layout *lay = &sim->lay;
    ph_rk_newton *nm = rk->newton;
    double kappa = 1, *dV = nm->b; /* done with */
    for (int i = 0; i < nm->s && lay->cut; i++) {
        go_to(lay, rk, from, st, st->first + i);
        ph_state s = ph_point_view(&rk->at, lay);
        velocity_increment(nm, lay, st, i, dV);
        kappa = fmin(kappa, lay->cut(&s, dV, lay->sys->ctx));
    }
    for (int i = 0; i < nm->s * (lay->nv + lay->nl) && kappa < 1; i++)
        nm->x[i] *= kappa;
    return kappa < 1;
}

/* A and Lambda += x; size becomes the largest h |dA|, of positions and of rotations, *share the largest increment of a
 * multiplier, relative to the largest, where friction goes by those of least norm, else 0. */
static void correct(ph_sim *sim, ph_rk *rk, const ph_stages *st, double size[2], double *share)
{
    const ph_layout *lay = &sim->lay;
    ph_rk_newton *nm = rk->newton;
    int shared = ph_redundant_shares(&sim->matrix);
    size[0] = size[1] = *share = 0;
    for (int i = 0; i < nm->s; i++) {
        double *A = rk->A + (st->first + i) * lay->nv, *Lambda = rk->Lambda + (st->first + i) * lay->nl;
        for (const ph_slot *node = lay->slot, *end = node + lay->N; node < end; node++) {
            const double *x = nm->x + nm->s * node->v_at + i * node->dim;
            for (int r = 0; r < node->dim; r++)
                A[node->v_at + r] += x[r];
            size[0] = ph_small_larger(node->rot, size[0], x);
            size[1] = ph_small_larger(node->dim - node->rot, size[1], x + node->rot);
        }
        for (int c = 0; c < lay->C; c++)
            for (int r = 0; r < lay->rows[c]; r++)
                Lambda[lay->l_at[c] + r] += nm->x[nm->s * (lay->nv + lay->l_at[c]) + i * lay->rows[c] + r];
        double most = ph_small_max(lay->nl, Lambda);
        if (shared && most > 0)
            *share = fmax(*share, ph_small_max(nm->s * lay->nl, nm->x + nm->s * lay->nv) / most);
    }
    size[0] *= fabs(st->h), size[1] *= fabs(st->h);
}

/* The increment that the next iteration would make: quadratic convergence with an exact Jacobian, else
 * linear. */
static double next_increment(int exact, double size, double rate)
{
    return exact ? size * fmax(rate * rate, PH_RK_IMPLICIT_INEXACT) : size * rate / (1 - rate);
}

/* What tells the matrix of a stage of a diagonal tableau from that of another one. */
static double coefficient(const ph_rk_newton *nm, const ph_stages *st)
{
    return st->h * (nm->s > 1 ? 1 : st->tab->A[st->first][st->first]);
}

static ph_status factor(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st)
{
    ph_rk_newton *nm = rk->newton;
    ph_status status = ph_solver_factor(nm->solver, nm->A);
    if (ph_redundant_renew(&sim->matrix, &sim->ev, nm->solver, status)) {
        status = ph_rk_newton_evaluate(sim, rk, from, st, 1);
        if (status == PH_OK)
            status = ph_solver_factor(nm->solver, nm->A);
    }
    nm->factored = status == PH_OK;
    nm->coefficient = coefficient(nm, st), nm->choices = sim->matrix.choices;
    sim->stats.jacobians++, sim->stats.factorizations++;
    return status;
}

static ph_status prepare(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st, int keep)
{
    ph_rk_newton *nm = rk->newton;
    ph_status status = ph_rk_newton_kinematics(sim, rk, from, st);
    if (status == PH_OK)
        status = ph_rk_newton_evaluate(sim, rk, from, st, !keep);
    sim->stats.residuals += nm->s;
    if (status == PH_OK && !keep)
        status = factor(sim, rk, from, st);
    return status == PH_OK ? ph_solver_solve(nm->solver, nm->b, nm->x) : status;
}

/* The stages [first, end), from what stands in A and Lambda. Iterations end when the next increment would
 * be below tight: at round-off. Where cancelling forces make more noise than that, they end when
 * increments below loose fall no more. */
static ph_status iterate(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st)
{
    ph_rk_newton *nm = rk->newton;
    ph_newton kind = sim->opt.newton;
    int kept = kind == PH_MODIFIED || (kind == PH_STEP && rk->short_steps), most = sim->opt.max_iterations;
    int exact = !kept && !ph_redundant_shares(&sim->matrix) && (!sim->lay.C || sim->lay.sys->Z);
    int keep = kind == PH_MODIFIED && nm->factored && nm->coefficient == coefficient(nm, st) &&
               nm->choices == sim->matrix.choices;
    double last = 0, last_loose = 0;
    tolerance tol = begin_tolerance(sim, from, st);
    guess_turn(&sim->lay, rk, from, st);
    int cuts = 0;
    for (int k = 1, left = most; left > 0; k++) {
        double size[2], share;
        sim->stats.iterations++, sim->step_iterations++;
        ph_status status = prepare(sim, rk, from, st, keep);
        if (status != PH_OK)
            return status;
        int cut = cut_increment(sim, rk, from, st);
        left -= !cut || ++cuts > PH_NEWTON_CUTS;
        correct(sim, rk, st, size, &share);
        set_tolerance(&tol, sim, rk, st);
        double loose = ph_larger(size[0] / tol.loose[0], size[1] / tol.loose[1]);
        double tight = ph_larger(size[0] / tol.tight[0], size[1] / tol.tight[1]);
        double rate = k > 1 ? tight / last : 1;
        if (!isfinite(tight))
            return PH_E_NAN;
        if (cut) {
            k = keep = 0; /* nothing is known of convergence from here */
            continue;
        }
        double lacking = tight * DBL_EPSILON * ph_solver_get_info(nm->solver).growth;
        int noise = loose <= 1 && ((k > 1 && rate > PH_RATE_RENEW && !keep) || left == 0);
        int small =
            tight <= 1 || (rate < PH_RATE_TRUSTED && next_increment(exact, tight, rate) + lacking <= 1);
        if ((small && share <= PH_RK_IMPLICIT_SHARED) || noise)
            return ph_rk_newton_kinematics(sim, rk, from, st);
        if (k > 1 && loose > 1e3 * last_loose && loose > 1e6)
            return PH_E_NEWTON;
        keep = kept && (k == 1 || ph_newton_keep(kind, tight, rate, left));
        last = tight, last_loose = loose;
    }
    return PH_E_NEWTON;
}

/* ---- what a caller sees ------------------------------------------------------------------------- */

/* Words for what sim.c does not know, and the residuals of the stage where the iteration ended. */
static ph_status explain(ph_sim *sim, ph_rk *rk, ph_status status)
{
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&rk->at, lay);
    char label[PH_NAME_MAX];
    int where = ph_solver_get_info(rk->newton->solver).where;
    if (status == PH_E_SINGULAR && where >= 0)
        snprintf(sim->reason, sizeof sim->reason,
                 "the matrix of the stages is singular at %s: dependent constraints, or a step too large%s",
                 where < lay->N ? ph_node_label(lay, where, label)
                                : ph_constraint_label(lay, where - lay->N, label),
                 ph_sim_solver_words(sim));
    if (status == PH_E_NEWTON && ph_eval_residual(&sim->ev, &s, sim->matrix.what) != PH_OK)
        return PH_E_CALLBACK;
    return status;
}

ph_status ph_rk_implicit_stages(ph_sim *sim, ph_rk *rk, const ph_point *from, double h)
{
    const ph_layout *lay = &sim->lay;
    const ph_tableau *tab = &rk->tab;
    size_t nv = (size_t)lay->nv, nl = (size_t)lay->nl, d = sizeof(double);
    ph_status status = PH_OK;
    ph_point_copy(&rk->at, from, lay); /* a step that fails before its first stage leaves its start there */
    if (!(fabs(from->t - rk->newton->t) <= 1e-9 * fabs(h)))
        rk->newton->factored = 0; /* the step does not follow the last one */
    rk->newton->t = from->t + h;
    for (int i = 0; i < tab->s; i++) {
        memcpy(rk->A + (size_t)i * nv, from->vdot, d * nv);
        memcpy(rk->Lambda + (size_t)i * nl, from->lambda, d * nl);
    }
    for (int first = 0; first < tab->s && status == PH_OK; first += rk->newton->s) {
        ph_stages st = {tab, h, first, first + rk->newton->s};
        if (first > 0) { /* of a diagonal tableau: as in the stage before */
            memcpy(rk->A + (size_t)first * nv, rk->A + (size_t)(first - 1) * nv, d * nv);
            memcpy(rk->Lambda + (size_t)first * nl, rk->Lambda + (size_t)(first - 1) * nl, d * nl);
        }
        status = iterate(sim, rk, from, &st);
        for (int i = st.first; i < st.end && status == PH_OK && rk->tally; i++) {
            go_to(lay, rk, from, &st, i);
            ph_rk_tally(sim, rk, i, h, &rk->at);
        }
    }
    return status == PH_OK ? status : explain(sim, rk, status);
}
