/* Newton's method for one step of an implicit method (N3), (N4), (N7), (N8); its matrix is that of newton_matrix.c. */
#include "step/newton.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"
#include "step/position.h"
#include "step/rates.h"
#include "step/reaction.h"
#include "step/sim.h"
#include "step/size.h"
#include "step/step_limits.h"

/* ---- sizes --------------------------------------------------------------------------------------- */

ph_tolerance ph_step_tolerances(ph_sim *sim, double beta)
{
    const ph_layout *lay = &sim->lay;
    const double *v = sim->now.v, *vdot = sim->now.vdot;
    double h = sim->h, size = 0, speed[2] = {0, 0}, acc[2] = {0, 0}, floor[2];
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int n = i->dim, at = i->v_at, rot = i->rot;
        const double *q = sim->now.q + i->q_at;
        if (rot > 0) {
            size = PH_BY_SIZE(rot, ph_small_larger, size, q);
            speed[0] = PH_BY_SIZE(rot, ph_small_larger, speed[0], v + at);
            acc[0] = PH_BY_SIZE(rot, ph_small_larger, acc[0], vdot + at);
        }
        if (n > rot) {
            speed[1] = PH_BY_SIZE(n - rot, ph_small_larger, speed[1], v + at + rot);
            acc[1] = PH_BY_SIZE(n - rot, ph_small_larger, acc[1], vdot + at + rot);
        }
    }
    sim->largest = (ph_largest){size, speed[0], speed[1]};
    size = ph_larger(size, sim->matrix.body);
    floor[0] = 4 * DBL_EPSILON * (size + h * speed[0]) + DBL_MIN; /* not zero at rest in the origin */
    floor[1] = 4 * DBL_EPSILON * (1 + h * speed[1]);
    return (ph_tolerance){beta * h * h * (sim->opt.atol + sim->opt.rtol * acc[0]) + floor[0],
                          beta * h * h * (sim->opt.atol + sim->opt.rtol * acc[1]) + floor[1]};
}

#define REST 2e-10 /* of its size: by less a mechanism at rest moves in a step */

/* The largest residual, in units of the round-off of what cancels in it (N4) and of forces that change vdot by this part. In the methods
 * vdot is eps times a difference of velocities, so it has their round-off, eps times; velocities of a mechanism at rest have that of
 * positions, gp times. */
static double noise(const ph_sim *sim, const ph_step_ops *o, double part)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double *f = sim->matrix.b, *rows = f + lay->nv; /* done with */
    ph_size q = ph_size_positions(lay, sim->next.q, sim->matrix.body), v = ph_size_largest(lay, sim->next.v),
            a = ph_size_largest(lay, sim->next.vdot);
    for (int k = 0; k < 2; k++) {
        double w = q.of[k] / o->inv_gp;
        v.of[k] += v.of[k] <= REST * w ? w : 0;
        a.of[k] *= 1 + part / PH_NEWTON_RESIDUAL_ROUND_OFF;
        a.of[k] += v.of[k] / o->inv_eps;
    }
    for (int i = 0; i < lay->nv; i++)
        f[i] = fabs(ev->g[i]) + (o->load ? fabs(o->load[i]) : 0);
    ph_size_add_pairs(lay, ev->M, a, f);
    ph_size_add_pairs(lay, ev->C, v, f);
    ph_size_add_pairs(lay, ev->K, q, f);
    ph_size_add_reactions(lay, ev->B, sim->next.lambda, f);
    /* where rotations change by the round-off of positions over the size of bodies, what the increment of lambda makes of it */
    double turn = sim->matrix.body > 0 ? q.of[0] / sim->matrix.body : 0;
    if (ph_size_largest(lay, sim->matrix.x).of[1] <= PH_NEWTON_RESIDUAL_ROUND_OFF * turn)
        ph_size_add_turned(lay, ev->B, sim->matrix.x + lay->nv, turn / o->s, f);
    double most = ph_size_over(ph_size_largest(lay, ev->r), ph_size_largest(lay, f));
    if (sim->matrix.what & PH_EVAL_PHI) {
        ph_size_rows(lay, ev->B, q, rows);
        most = ph_larger(most, ph_size_ratio(lay->nl, ev->Phi, rows));
    }
    if (sim->matrix.what & PH_EVAL_RATE) {
        ph_size_rows(lay, ev->B, v, rows);
        for (int i = 0; i < lay->nl; i++)
            rows[i] += fabs(ev->Phi_t[i]);
        most = ph_larger(most, ph_size_ratio(lay->nl, ev->rate, rows));
    }
    return most / PH_NEWTON_RESIDUAL_ROUND_OFF;
}

/* The largest numbers of B^T y, or of the first nodes where these have enough; f: scratch for one node */
static ph_size reaction_size(const ph_layout *lay, const double *B, const double *y, ph_size enough,
                             double *f)
{
    const int *k = lay->link_of;
    ph_size s = {{0, 0}};
    for (int i = 0; i < lay->N && !(s.of[0] >= enough.of[0] && s.of[1] >= enough.of[1]); i++) {
        const int *end = lay->link_of + lay->link_end[i];
        if (k == end)
            continue;
        ph_reaction(lay, k, end, lay->slot[i].dim, B, y, f);
        ph_size_add_node(&s, &lay->slot[i], f);
        k = end;
    }
    return s;
}

/* The forces that the increment of lambda makes, times s. */
static ph_size multiplier_force(const ph_sim *sim)
{
    const ph_size all = {{HUGE_VAL, HUGE_VAL}};
    return reaction_size(&sim->lay, sim->ev.B, sim->matrix.x + sim->lay.nv, all, sim->matrix.b);
}

/* Size of the increment of lambda, as the forces that it makes, in units of what changes of q and vdot as large as
 * their tolerances make. With an exact Jacobian lambda is as good as q; otherwise it follows last. */
static double multiplier_size(const ph_sim *sim, const ph_step_ops *o)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double *f = sim->matrix.b; /* done with */
    ph_size force = multiplier_force(sim), q = ph_size_positions(lay, sim->now.q, sim->matrix.body);
    memset(f, 0, sizeof(double) * (size_t)lay->nv);
    ph_size_add_reactions(lay, ev->B, sim->next.lambda, f);
    for (int i = 0; i < lay->nv; i++)
        f[i] *= o->s * sim->opt.rtol;
    for (int k = 0; k < 2; k++)
        q.of[k] = o->s * sim->opt.atol + PH_NEWTON_RESIDUAL_ROUND_OFF * q.of[k];
    ph_size_add_pairs(lay, ev->M, q, f);
    double size = ph_size_over(force, ph_size_largest(lay, f));
    return size > PH_NEWTON_MUCH ? PH_NEWTON_MUCH : size; /* where nothing has a size yet */
}

static double drift_of(const ph_sim *sim)
{
    return sim->matrix.what & PH_EVAL_RATE ? ph_small_max(sim->lay.nl, sim->ev.rate) : 0;
}

static double drift_tolerable(const ph_sim *sim)
{
    return PH_NEWTON_DRIFT * ph_small_max(sim->lay.nv, sim->next.v);
}

/* Whether the reactions in the residual, of the first nodes that tell, are as large as those of an increment of lambda, times factor. */
static int reactions_exceed(const ph_sim *sim, ph_size force, double factor)
{
    ph_size least = {{force.of[0] * factor, force.of[1] * factor}},
            most = reaction_size(&sim->lay, sim->ev.B, sim->next.lambda, least, sim->matrix.b);
    return least.of[0] <= most.of[0] && least.of[1] <= most.of[1];
}

/* More than any number of multiplier_force: the largest of B times as many multipliers as act on a node, with room for round-off. */
static double multiplier_bound(const ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    return 2 * lay->most_rows * ph_small_max(lay->size_links, sim->ev.B) *
           ph_small_max(lay->nl, sim->matrix.x + lay->nv);
}

/* Whether the next increment of lambda would be below tolerance, after one with a Jacobian that was kept. Mostly the reactions
 * in the residual, without anything else, are large enough to tell, and mostly by so much that a bound on the others will do. */
static int multipliers_settle(ph_sim *sim, const ph_step_ops *o, double rate)
{
    double next = rate < PH_RATE_TRUSTED ? rate / (1 - rate) : 1, factor = next / (o->s * sim->opt.rtol);
    int *without = &sim->matrix.without_bound;
    if (*without == 0) {
        double bound = multiplier_bound(sim);
        if (reactions_exceed(sim, (ph_size){{bound, bound}}, factor))
            return 1;
    }
    *without = (*without + 1) % PH_NEWTON_WITHOUT;
    return reactions_exceed(sim, multiplier_force(sim), factor) || multiplier_size(sim, o) * next <= 1;
}

/* The increment that the next iteration would make, in units of the tolerance: quadratic convergence with an
 * exact Jacobian, linear otherwise. */
static double next_increment(int exact, double size, double rate)
{
    return exact ? size * rate * rate : size * rate / (1 - rate);
}

/* ---- parts of an iteration ------------------------------------------------------------------------ */

/* It is renewed above a rate, or when the iterations left would not do at the present one. */
int ph_newton_keep(ph_newton kind, double size, double rate, int left)
{
    return rate <= (kind == PH_STEP ? PH_RATE_STEP : PH_RATE_RENEW) && size * pow(rate, left) <= 1;
}

/* y += x/s */
static void add_quotients(int n, const double *x, double s, double *y)
{
    int i = 0;
    for (int wide = ph_vector_fours(n); i < wide; i += 4)
        *(ph_four *)(y + i) += *(const ph_four *)(x + i) / s;
    for (; i < n; i++)
        y[i] += x[i] / s;
}

static void add_load(ph_sim *sim, const ph_step_ops *o)
{
    for (int i = 0; o->load && i < sim->lay.nv; i++)
        sim->ev.r[i] += o->load[i];
}

/* Rates of constraints that index-3 holds by their positions are none of its residuals. */
static void leave_out_rates(ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    for (int c = 0; c < lay->C && lay->nonholonomic && sim->matrix.formulation == PH_INDEX3; c++)
        if (!lay->sys->constraints[c].nonholonomic)
            memset(sim->ev.rate + lay->l_at[c], 0, sizeof(double) * (size_t)lay->rows[c]);
}

/* With redundant rows, the multipliers of least norm at the new point. */
static ph_status least(ph_sim *sim)
{
    ph_state at = ph_point_view(&sim->next, &sim->lay);
    ph_status s = ph_eval_positions(&sim->ev, &at);
    return s == PH_OK ? ph_redundant_least(&sim->matrix, &sim->ev, sim->next.lambda) : s;
}

/* The point of the last increment. */
static ph_status finish(ph_sim *sim, const ph_step_ops *o)
{
    ph_status s = (o->settle ? o->settle : o->update)(sim);
    return s == PH_OK && sim->matrix.redundant ? least(sim) : s;
}

/* Whether rows that are left out are violated by more than this part of positions. */
static int is_violated(const ph_sim *sim, double part)
{
    return sim->matrix.redundant && ph_redundant_violation(&sim->matrix, &sim->ev, sim->next.q) > part;
}

static ph_status refuse_violated(ph_sim *sim)
{
    char words[200];
    if (sim->n == 0 &&
        ph_position_words(sim, &sim->now, sim->lay.sys->n_redundant - 1, words, sizeof words)[0])
        snprintf(sim->reason, sizeof sim->reason, "the run starts in a %s; start elsewhere", words);
    else
        snprintf(sim->reason, sizeof sim->reason,
                 "constraints that were redundant at the start no longer are: the run starts in a singular "
                 "position; start elsewhere");
    return PH_E_STEP;
}

/* ---- steps of one increment ---------------------------------------------------------------------- */

/* The size of bodies or of levers. */
static double length_of(const ph_sim *sim)
{
    double size = fmax(sim->matrix.body, sim->matrix.lever);
    return size > 0 ? size : sim->largest.x;
}

/* An increment of this part of a radian, and of this length, in tolerances. */
static double in_tolerances(const ph_sim *sim, const ph_step_ops *o, double part)
{
    return part * fmin(length_of(sim) / o->tol.x, 1 / o->tol.R);
}

/* The largest increment of lambda, times s. */
static double largest_multiplier(const ph_sim *sim)
{
    return ph_small_max(sim->lay.nl, sim->matrix.x + sim->lay.nv);
}

/* Whether increments of lambda are no larger than that, without choices that a processor would guess wrong. */
static int multipliers_are_within(const ph_sim *sim, double size)
{
    const double *x = sim->matrix.x + sim->lay.nv;
    int within = 1;
    for (int i = 0; i < sim->lay.nl; i++)
        within &= fabs(x[i]) <= size;
    return within;
}

/* (N7), after a step of two increments: how large the first, of positions and of lambda, may be for what it leaves to be round-off, of residuals or of the increments that
 * would follow. (N4) alone does not see a light body beside heavy ones: the second is to be below tolerance, too. */
static void judge_first(ph_sim *sim, const ph_step_ops *o, double first, double lambda, double second,
                        int iterations)
{
    ph_newton_matrix *nm = &sim->matrix;
    nm->enough = nm->enough_lambda = 0, nm->until = PH_NEWTON_JUDGED_SOON;
    if (iterations == 2 && second <= PH_NEWTON_SECOND) {
        double part = PH_NEWTON_LEFT_OF_FIRST * sim->opt.rtol / PH_NEWTON_SURE,
               left = noise(sim, o, part) / PH_NEWTON_SURE;
        if (left > 1)
            left = fmin(left, ph_larger(second, multiplier_size(sim, o)) / PH_NEWTON_LEFT_OF_FIRST);
        nm->enough = left > 1 ? first / left : PH_NEWTON_FARTHER * first;
        nm->enough_lambda = PH_NEWTON_FARTHER_LAMBDA * lambda;
        nm->until = left > 1 ? PH_NEWTON_JUDGED_SOON : PH_NEWTON_JUDGED;
    }
    int polynomial = nm->plain > 0;
    nm->plain = o->improve(sim);
    if (!(nm->plain <= in_tolerances(sim, o, PH_NEWTON_PLAIN)) ||
        (polynomial && (nm->enough == 0 || first > PH_NEWTON_NEAR * in_tolerances(sim, o, PH_NEWTON_SHORT))))
        nm->rest = PH_NEWTON_REST;
}

/* |B|^T |y| of the node with the links from k to end; f: scratch for it */
static ph_size reactions_at(const ph_layout *lay, const ph_slot *i, const int *k, const int *end,
                            const double *B, const double *y, double *f)
{
    ph_size s = {{0, 0}};
    memset(f, 0, sizeof(double) * (size_t)i->dim);
    for (; k < end; k++) {
        const ph_block *b = &lay->link[*k];
        for (int row = 0; row < b->m; row++)
            for (int j = 0; j < b->n; j++)
                f[j] += fabs(B[b->at + row * b->n + j] * y[b->row_at + row]);
    }
    ph_size_add_node(&s, i, f);
    return s;
}

/* |M| of a node, what couples it to others apart, times accelerations, or changes of velocity, of this size; f likewise */
static ph_size inertia_at(const ph_sim *sim, int node, ph_size a, double *f)
{
    const ph_slot *i = &sim->lay.slot[node];
    const ph_block *b = &sim->lay.pair[sim->lay.diag[node]];
    const double *M = sim->ev.M + b->at;
    ph_size s = {{0, 0}};
    memset(f, 0, sizeof(double) * (size_t)i->dim);
    for (int row = 0; row < b->m; row++)
        for (int j = 0; j < b->n; j++)
            f[row] += fabs(M[row * b->n + j]) * a.of[j >= i->rot];
    ph_size_add_node(&s, i, f);
    return s;
}

/* Whether multipliers changed by no more than this part of them: those of each constraint. */
static int multipliers_change_by(const ph_sim *sim, double part)
{
    const ph_layout *lay = &sim->lay;
    const double *x = sim->matrix.x + lay->nv, *lambda = sim->next.lambda;
    int c = 0;
    while (c < lay->C && ph_small_max(lay->rows[c], x + lay->l_at[c]) <=
                             part * ph_small_max(lay->rows[c], lambda + lay->l_at[c]))
        c++;
    return c == lay->C;
}

/* (N8): whether what B^T lambda changes by where B turns is round-off at each node, of reactions, or so little of inertia that it does not count. */
static int reactions_stay(const ph_sim *sim, const ph_step_ops *o, double turn)
{
    const ph_layout *lay = &sim->lay;
    double *f = sim->matrix.b; /* done with */
    const double round_off = PH_NEWTON_SURE * PH_NEWTON_RESIDUAL_ROUND_OFF,
                 part = PH_NEWTON_LEFT_OF_FIRST * sim->opt.rtol;
    const int *k = lay->link_of;
    for (int i = 0; i < lay->N; i++) {
        const int *end = lay->link_of + lay->link_end[i];
        ph_size change = reactions_at(lay, &lay->slot[i], k, end, sim->ev.B, sim->matrix.x + lay->nv, f),
                all = reactions_at(lay, &lay->slot[i], k, end, sim->ev.B, sim->next.lambda, f),
                vdot = {{0, 0}};
        ph_size_add_node(&vdot, &lay->slot[i], sim->next.vdot + lay->slot[i].v_at);
        ph_size inertia = inertia_at(sim, i, vdot, f);
        for (int n = 0; n < 2; n++)
            if (!(turn / o->s * change.of[n] <= round_off * all.of[n] + part * inertia.of[n]))
                return 0;
        k = end;
    }
    return 1;
}

/* An increment leaves products of what it changes: of positions among each other, which are within its bounds, and of B and lambda. Where
 * reactions jump, the second is no longer as it was when the bounds were found. */
static int first_is_enough(const ph_sim *sim, const ph_step_ops *o, double size, int small)
{
    const ph_newton_matrix *nm = &sim->matrix;
    if (!small && !(nm->until > 0 && size <= fmin(nm->enough, in_tolerances(sim, o, PH_NEWTON_SHORT))))
        return 0;
    if (size <= nm->enough && multipliers_are_within(sim, nm->enough_lambda))
        return 1;
    double turn = size / in_tolerances(sim, o, 1);
    return multipliers_change_by(sim, o->s * PH_NEWTON_SURE * PH_NEWTON_RESIDUAL_ROUND_OFF / turn) ||
           reactions_stay(sim, o, turn);
}

/* The rate at which Newton's method converges with the Jacobian of a first guess of lambda that was off by the increment: by B^T lambda it
 * has as much of a stiffness too little. */
static double rate_of_multipliers(const ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    const ph_size length = {{length_of(sim), 1}};
    const int *k = lay->link_of;
    double *f = sim->matrix.b, bound = multiplier_bound(sim) / sim->matrix.least,
           most = 0; /* b is done with */
    if (bound <= PH_NEWTON_BENDS)
        return 0;
    for (int i = 0; i < lay->N && length.of[0] > 0; i++) { /* 0 at rest in the origin */
        const int *end = lay->link_of + lay->link_end[i];
        ph_size force = reactions_at(lay, &lay->slot[i], k, end, sim->ev.B, sim->matrix.x + lay->nv, f);
        most = ph_larger(most, ph_size_over(force, inertia_at(sim, i, length, f)));
        k = end;
    }
    return most;
}

/* Whether steps that follow others of their size may end with their first increment (N7). */
static int may_be_enough(ph_sim *sim, const ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    int changes = nm->redundant && nm->n_eta > 0; /* the rows of eta, which has no past then */
    if (!o->improve || !sim->lay.smooth || sim->opt.tol > 0 || changes)
        return 0;
    if (sim->n_past == 0)
        nm->rest = 0;
    if (nm->rest > 0)
        nm->rest--, sim->n_past = 1; /* such steps go by plain guesses */
    if (sim->n_past < PH_PAST)
        nm->enough = nm->enough_lambda = nm->plain = 0, nm->until = 0;
    return sim->n_past == PH_PAST;
}

/* ---- iteration ---------------------------------------------------------------------------------- */

/* The iterations of one step: what they may do, and how far they are. */
typedef struct progress {
    int keeps, most_kept; /* a Jacobian serves several iterations, at most so many */
    int of_step;          /* it is the one of the step: lambda is as good as q while it is */
    int exact, shared; /* convergence is quadratic; multipliers are those of least norm in every iteration */
    int first;         /* one increment may be enough (N7) */
    unsigned near; /* PH_EVAL_NEAR: B serves sizes of forces alone, for which that of the Jacobian will do */
    int k, keep;   /* this iteration, since the last one that was cut; its Jacobian is that of one before */
    int all, cut;  /* iterations of this step; 1: the last increment was cut (CT8) */
    double size, rate;              /* of its increment, 1 = tolerance; over that of the last */
    double last, drift, last_drift; /* that of the last; rates of constraints, here and there */
    double x[2];                    /* sizes of the first two increments */
    double lambda;                  /* size of the first one of lambda, where it is to be judged */
    double bend;                    /* what the first increment of lambda makes the rate */
    int choices, anew;              /* of rows that are left out: before the step; within it */
} progress;

static progress begin(ph_sim *sim, const ph_step_ops *o)
{
    const ph_newton_matrix *nm = &sim->matrix;
    ph_newton kind = sim->opt.newton;
    int by_tol = sim->opt.tol > 0;
    progress p = {.shared = ph_redundant_shares(nm), .choices = nm->choices};
    p.keeps = (kind == PH_STEP || kind == PH_MODIFIED) && !o->always && !nm->fresh;
    /* by tolerance, stiff parts in large steps: what a kept Jacobian leaves of their forces is taken for an error */
    p.most_kept = kind == PH_STEP && by_tol ? PH_NEWTON_KEPT_BY_TOL : sim->opt.max_iterations;
    p.exact = o->exact && kind != PH_SIMPLIFIED && !p.keeps && !p.shared;
    p.keep = kind == PH_MODIFIED && p.keeps && nm->factored;
    p.of_step = kind == PH_STEP && p.keeps && !p.shared;
    p.first = p.of_step && may_be_enough(sim, o);
    p.near = p.of_step && !by_tol ? PH_EVAL_NEAR : 0; /* by tolerance B serves errors too */
    return p;
}

/* dv of (N1) for the increment in matrix.x, to dv: nv. */
static void velocity_increment(const ph_sim *sim, const ph_step_ops *o, double *dv)
{
    const ph_newton_matrix *nm = &sim->matrix;
    const ph_layout *lay = &sim->lay;
    const double *x_eta = nm->x + lay->nv + lay->nl;
    memset(dv, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && nm->n_eta > 0; b++)
        if (nm->eta_at[b->row] >= 0)
            ph_small_tmul_add(b->m, b->n, o->Bn + b->at, x_eta + nm->eta_at[b->row], dv + b->col_at);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *L = i->T_at >= 0 ? o->L : NULL, *F = i->T_at >= 0 ? o->F : NULL;
        double y[PH_DIM_MAX], *to = dv + i->v_at;
        memcpy(y, to, sizeof(double) * (size_t)i->dim);
        if (F)
            ph_small_mul(i->dim, F + i->T_at, y, to);
        if (L)
            ph_small_mul(i->dim, L + i->T_at, nm->x + i->v_at, y);
        else
            memcpy(y, nm->x + i->v_at, sizeof(double) * (size_t)i->dim);
        for (int k = 0; k < i->dim; k++)
            to[k] = (to[k] + y[k]) / o->inv_gp;
    }
}

/* Cut the increment where friction would jump over rest (CT8). Return 1 if it was cut. */
static int cut_increment(ph_sim *sim, const ph_step_ops *o, const ph_state *s)
{
    const ph_layout *lay = &sim->lay;
    ph_newton_matrix *nm = &sim->matrix;
    double *dv = nm->b; /* done with */
    if (!lay->cut)
        return 0;
    velocity_increment(sim, o, dv);
    double kappa = lay->cut(s, dv, lay->sys->ctx);
    for (int i = 0; i < nm->n && kappa < 1; i++)
        nm->x[i] *= kappa;
    return kappa < 1;
}

/* One increment, applied to the unknowns of the method and to lambda. */
static ph_status iterate(ph_sim *sim, const ph_step_ops *o, progress *p)
{
    ph_newton_matrix *nm = &sim->matrix;
    const ph_state s = ph_point_view(&sim->next, &sim->lay);
    sim->stats.iterations++, sim->step_iterations = ++p->all;
    ph_status status = o->update(sim);
    if (status == PH_OK && p->shared)
        status = least(sim);
    if (status == PH_OK)
        status = p->keep ? ph_eval_residual(&sim->ev, &s, nm->what | p->near)
                         : ph_eval_both(&sim->ev, &s, nm->what);
    add_load(sim, o);
    leave_out_rates(sim);
    sim->stats.residuals++;
    if (status == PH_OK && !p->keep) {
        o->linearise(sim);
        status = ph_newton_factor(sim, o);
        sim->stats.jacobians++, sim->stats.factorizations++;
    }
    if (status == PH_OK)
        status = ph_newton_increment(sim, o);
    if (status != PH_OK)
        return status;
    p->cut = cut_increment(sim, o, &s);
    p->size = o->correct(sim, nm->x);
    if (!p->exact && !p->of_step)
        p->size = ph_larger(p->size, multiplier_size(sim, o));
    p->rate = p->k > 1 ? p->size / p->last : 1, p->drift = drift_of(sim);
    p->x[p->k > 1] = p->k > 2 ? p->x[1] : p->size;
    nm->increment = p->size;
    if (!isfinite(p->size))
        return PH_E_NAN; /* lambda stays finite: the search for the culprit calls g and K with it */
    add_quotients(sim->lay.nl, nm->x + sim->lay.nv, o->s, sim->next.lambda);
    return PH_OK;
}

/* Whether the next increment would be below tolerance. */
static int is_small(ph_sim *sim, const ph_step_ops *o, const progress *p)
{
    ph_newton_matrix *nm = &sim->matrix;
    double growth = ph_solver_get_info(nm->solver).growth, lacking = p->size * DBL_EPSILON * growth;
    if (p->k > 2 && p->rate >= PH_RATE_TRUSTED && growth > PH_NEWTON_DOUBT)
        ph_solver_doubt(nm->solver, 1);
    double most = p->of_step && p->keep ? PH_NEWTON_LEFT_OF_STEP : 1;
    /* what a plain first guess would have shown: the better it is, the sooner increments are round-off */
    double fall = p->first && p->k == 2 && p->size < PH_NEWTON_ROUND_OFF
                      ? ph_larger(p->bend, p->size / ph_larger(p->last, nm->plain))
                      : p->rate;
    if (!(p->size <= most ||
          (fall < PH_RATE_TRUSTED && next_increment(p->exact, p->size, fall) + lacking <= most)))
        return 0;
    if (!p->of_step || !p->keep)
        return 1;
    return (p->drift == 0 || p->drift * (p->drift / p->last_drift) <= drift_tolerable(sim)) &&
           multipliers_settle(sim, o, fall);
}

/* The same where one increment may be enough; now and then that is judged (N7). */
static int is_enough(ph_sim *sim, const ph_step_ops *o, progress *p)
{
    ph_newton_matrix *nm = &sim->matrix;
    int small = is_small(sim, o, p);
    if (p->of_step && p->k == 1)
        small = first_is_enough(sim, o, p->size, small);
    if (p->of_step && p->k == 1 && !small)
        p->bend = rate_of_multipliers(sim);
    if (p->first && p->k == 1 && nm->until == 0)
        p->lambda = largest_multiplier(sim);
    if (!p->first || !small)
        return small;
    if (p->k > 1 && nm->until == 0)
        judge_first(sim, o, p->x[0], p->lambda, p->x[1], p->k);
    else
        nm->until -= nm->until > 0;
    return 1;
}

/* The end of the step, *done, unless rows that are left out are violated there; others are left out then, once. */
static ph_status conclude(ph_sim *sim, const ph_step_ops *o, progress *p, int *done)
{
    ph_newton_matrix *nm = &sim->matrix;
    if (nm->choices != p->choices)
        sim->n_past = 0; /* other rows have lambda and eta */
    ph_status status = finish(sim, o);
    *done = status != PH_OK || !is_violated(sim, p->anew ? 10 * PH_NEWTON_LEFT_OUT : PH_NEWTON_LEFT_OUT);
    return *done                                                     ? status
           : p->anew++ || ph_redundant_choose(nm, &sim->ev) != PH_OK ? refuse_violated(sim)
                                                                     : PH_OK;
}

static int is_hopeless(const ph_sim *sim, const progress *p)
{
    /* far from the first guess another solution might be found: see make_step of sim.c */
    int far = p->of_step && p->k == 2 && p->rate > PH_RATE_STEP && p->size > 1 && !(sim->opt.tol > 0);
    return far || (p->k > 1 && p->size > 1e3 * p->last && p->size > 1e6);
}

ph_status ph_newton_solve(ph_sim *sim, ph_step_ops *o)
{
    const ph_newton_matrix *nm = &sim->matrix;
    int left = sim->opt.max_iterations, cuts = 0;
    progress p = begin(sim, o);
    ph_solver_doubt(nm->solver, 0);
    for (p.k = 1; left > 0; p.k++) {
        int done = 0;
        ph_status status = iterate(sim, o, &p);
        left -= !p.cut || ++cuts > PH_NEWTON_CUTS;
        if (status == PH_OK && p.cut) {
            p.k = p.keep = 0; /* nothing is known of convergence from here */
            continue;
        }
        if (status == PH_OK &&
            (is_enough(sim, o, &p) || (p.k > 2 && p.rate >= PH_RATE_TRUSTED && noise(sim, o, 0) <= 1)))
            status = conclude(sim, o, &p, &done);
        if (status != PH_OK || done)
            return status;
        if (is_hopeless(sim, &p))
            return PH_E_NEWTON;
        p.keep = p.keeps && nm->factored && p.k < p.most_kept &&
                 (p.k == 1 ? p.bend <= PH_RATE_STEP : ph_newton_keep(sim->opt.newton, p.size, p.rate, left));
        p.last = p.size, p.last_drift = p.drift;
    }
    return PH_E_NEWTON;
}
