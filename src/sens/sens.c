/* Sensitivities of the discrete solution, by differentiation of each step as it was solved.
 *
 * With ' for the derivative by a parameter p, W for that of q and r, Phi, rate of (E1) at the end of the
 * step:
 *
 *   R = M vdot' + C v' + (K + N) W + (B^T + g_lambda) lambda' + r_p = 0                               (W1)
 *   B W + Phi_p = 0,   B v' + Z W + rate_p = 0                                                        (W2)
 *   v' = v'_pred + gp (L dq + F B_n^T x_eta),  vdot' = vdot'_pred + eps (v' - v'_pred + gp Q dq),
 *   W = W_pred + dq                                                                                   (W3)
 *
 * where the method gives what is predicted, the values for theta' = 0 and eta' = 0. This is the linear
 * system (N2) of a Newton step with R for r, so it is solved as such: with the factorisation of the last
 * iteration, which belongs to a point nearby, until the increment is round-off (sens_solve.c). The
 * pseudo-loads are differences over neighbouring systems at the same point,
 *
 *   r_p = (8 (r(p + e) - r(p - e)) - (r(p + 2e) - r(p - 2e)))/(12 e)                                  (W4)
 *
 * for which the inner two suffice where r has no third derivative by p. The same formula differentiates the
 * starting values, with W_0 from log(q(p)^-1 q(p + k e)). In the stabilised form v'_pred needs
 *
 *   (B(q_n)^T eta)' at fixed eta = d(B^T eta)/dq W_n + B_p^T eta                                      (W5)
 *
 * References: Bruels, Eberhard (direct differentiation); Sonneville, Bruels (Lie group sensitivities). */
#include "sens/sens.h"

#include <float.h>
#include <string.h>

#include "base/difference.h"
#include "la/small.h"
#include "sens/sens_limits.h"

static const double weight[PH_NEIGHBOURS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const double inner_weight[PH_NEIGHBOURS] = {0, -0.5, 0.5, 0};
static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

ph_simplification ph_sens_simplified(const ph_sim *sim)
{
    return sim->sens ? sim->sens->simplified : PH_NOT_SIMPLIFIED;
}

/* ---- pseudo-loads ------------------------------------------------------------------------------- */

ph_status ph_sens_loads(ph_sens *sens, ph_follower *d, const ph_state *s)
{
    const ph_layout *lay = &sens->sim->lay;
    unsigned what = sens->sim->matrix.what;
    unsigned asked = (what & PH_EVAL_PHI ? PH_LOADS_PHI : 0) | (what & PH_EVAL_RATE ? PH_LOADS_RATE : 0);
    const double *w = d->weight;
    for (int i = 0; i < lay->nv + 2 * lay->nl; i++)
        sens->r_p[i] = 0;
    if (d->p.loads)
        return d->p.loads(s, w, asked, sens->r_p, sens->Phi_p, sens->rate_p, d->p.ctx) == PH_OK
                   ? PH_OK
                   : PH_E_CALLBACK;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        if (w[k] == 0)
            continue;
        ph_eval *ev = &d->at[k]->ev;
        ph_status status = ph_eval_residual(ev, s, what);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < lay->nv; i++)
            sens->r_p[i] += w[k] * ev->r[i];
        for (int i = 0; i < lay->nl && (what & PH_EVAL_PHI); i++)
            sens->Phi_p[i] += w[k] * ev->Phi[i];
        for (int i = 0; i < lay->nl && (what & PH_EVAL_RATE); i++)
            sens->rate_p[i] += w[k] * ev->rate[i];
    }
    return PH_OK;
}

ph_status ph_sens_eta_loads(ph_sens *sens, ph_follower *d)
{
    ph_sim *sim = sens->sim;
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->now, lay);
    memset(sens->y, 0, sizeof(double) * (size_t)lay->nv);
    if (d->p.loads) {
        s.lambda = sim->next.eta;
        return d->p.loads(&s, d->weight, PH_LOADS_ROWS, sens->y, NULL, NULL, d->p.ctx) == PH_OK
                   ? PH_OK
                   : PH_E_CALLBACK;
    }
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        if (d->weight[k] == 0)
            continue;
        if (ph_eval_links(&d->at[k]->ev, &s, sens->B) != PH_OK)
            return PH_E_CALLBACK;
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            for (int i = 0; i < b->m && b->holonomic; i++)
                for (int j = 0; j < b->n; j++)
                    sens->y[b->col_at + j] +=
                        d->weight[k] * sens->B[b->at + i * b->n + j] * sim->next.eta[b->row_at + i];
    }
    return PH_OK;
}

/* y += d(B^T eta)/dq W_n */
static void add_eta_stiffness(ph_sens *sens, const double *W)
{
    const ph_layout *lay = &sens->sim->lay;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                sens->y[b->row_at + i] += sens->K_eta[b->at + i * b->n + j] * W[b->col_at + j];
}

/* For few parameters and a K that has far more numbers than B, as forces between many nodes make it: a
 * difference of B^T eta is less work than two of K. */
static int differences_eta(const ph_sens *sens)
{
    return sens->n < PH_SENS_MANY && sens->sim->lay.size_pairs > 4 * sens->sim->lay.size_links;
}

/* y += d(B^T eta)/dq W_n, as such a difference */
static ph_status add_eta_difference(ph_sens *sens, const double *W)
{
    ph_sim *sim = sens->sim;
    const ph_layout *lay = &sim->lay;
    double step = PH_DIFFERENCE_SMALL / ph_larger(1, ph_small_max(lay->nv, W));
    for (int side = 0; side < 2; side++) {
        double f = side ? -0.5 / step : 0.5 / step;
        ph_point_shift(lay, &sim->now, side ? -step : step, W, &sens->moved);
        sens->moved.t = sim->now.t;
        ph_state s = ph_point_view(&sens->moved, lay);
        if (ph_eval_links(&sim->ev, &s, sens->B) != PH_OK)
            return PH_E_CALLBACK;
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            for (int i = 0; i < b->m && b->holonomic; i++)
                for (int j = 0; j < b->n; j++)
                    sens->y[b->col_at + j] +=
                        f * sens->B[b->at + i * b->n + j] * sim->next.eta[b->row_at + i];
    }
    return PH_OK;
}

ph_status ph_sens_eta_stiffness(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    ph_state s = ph_point_view(&sim->now, &sim->lay);
    s.v = s.vdot = s.lambda = sens->zero;
    ph_status status = ph_eval_stiffness(&sim->ev, &s, sim->ev.K);
    s.lambda = sim->next.eta;
    if (status == PH_OK)
        status = ph_eval_stiffness(&sim->ev, &s, sens->K_eta);
    for (int i = 0; i < sim->lay.size_pairs; i++)
        sens->K_eta[i] -= sim->ev.K[i];
    return status;
}

/* ---- starting values ---------------------------------------------------------------------------- */

int ph_sens_memory(const ph_sim *sim)
{
    int n = 0;
    while (sim->stepper->sens_past && sim->stepper->sens_past(sim, n))
        n++;
    return n;
}

int ph_sens_start_steps(const ph_sim *sim)
{
    return sim->stepper->sens_start_steps ? sim->stepper->sens_start_steps(sim) : 0;
}

/* sum += f a */
static void add_scaled(int n, double f, const double *a, double *sum)
{
    for (int i = 0; i < n; i++)
        sum[i] += f * a[i];
}

/* Derivatives of a point from the present points of the neighbours, and of what they remember (W4). */
static void difference(ph_sens *sens, ph_follower *d, const ph_point *base, ph_variation *x)
{
    const ph_layout *lay = &sens->sim->lay;
    int nv = lay->nv, memory = ph_sens_memory(sens->sim);
    ph_variation_clear(x, lay, memory);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_point *p = &d->at[k]->now;
        double f = weight[k] / d->p.eps;
        for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
            double *inverse = sens->z; /* an element needs at most one number more than its algebra */
            i->op->inverse(i->dim, base->q + i->q_at, inverse);
            i->op->compose(i->dim, inverse, p->q + i->q_at, inverse);
            i->op->log(i->dim, inverse, sens->y);
            add_scaled(i->dim, f, sens->y, x->W + i->v_at);
        }
        add_scaled(nv, f, p->v, x->v);
        add_scaled(nv, f, p->vdot, x->vdot);
        add_scaled(nv, f, p->a, x->a);
        add_scaled(lay->nl, f, p->lambda, x->lambda);
        for (int j = 0; j < memory; j++)
            add_scaled(nv, f, sens->sim->stepper->sens_past(d->at[k], j), x->memory + j * nv);
    }
}

static void swap(ph_variation *a, ph_variation *b)
{
    ph_variation c = *a;
    *a = *b, *b = c;
}

/* A step of the start of a method with a past: the neighbours make it too. */
static ph_status follow_start(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++)
        for (int k = 0; k < PH_NEIGHBOURS; k++)
            while (d->at[k]->n <= sim->n &&
                   d->at[k]->now.t < sim->next.t) { /* already there if another one failed before */
                ph_status s = ph_sim_step_part(d->at[k], NULL);
                if (s != PH_OK)
                    return s;
            }
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++) {
        difference(sens, d, &sim->next, &d->next);
        swap(&d->now, &d->next);
    }
    return PH_OK;
}

/* Neighbours to where derivatives say, beside a point. */
static void spread(const ph_sens *sens, ph_follower *d, const ph_point *from)
{
    const ph_layout *lay = &sens->sim->lay;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_point *p = &d->at[k]->now;
        double by = place[k] * d->p.eps;
        ph_point_copy(p, from, lay);
        ph_point_shift(lay, from, by, d->now.W, p);
        add_scaled(lay->nv, by, d->now.v, p->v);
    }
}

/* Derivatives of the starting values of a step without memory, from neighbours that stand there; from is the start of the
 * step. */
static ph_status restart(ph_sens *sens, ph_follower *d, const ph_point *from)
{
    ph_sim *sim = sens->sim;
    const ph_layout *lay = &sim->lay;
    size_t v = sizeof(double) * (size_t)lay->nv, l = sizeof(double) * (size_t)lay->nl;
    memset(d->next.vdot, 0, v), memset(d->next.a, 0, v), memset(d->next.lambda, 0, l);
    spread(sens, d, from);
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_point *p = &d->at[k]->now;
        double f = weight[k] / d->p.eps;
        ph_status s = sim->stepper->sens_start_as(d->at[k], sim);
        if (s != PH_OK)
            return s;
        add_scaled(lay->nv, f, p->vdot, d->next.vdot);
        add_scaled(lay->nv, f, p->a, d->next.a);
        add_scaled(lay->nl, f, p->lambda, d->next.lambda);
    }
    memcpy(d->now.vdot, d->next.vdot, v), memcpy(d->now.a, d->next.a, v);
    memcpy(d->now.lambda, d->next.lambda, l);
    return PH_OK;
}

/* The error itself has none: what it starts with is smaller than what the next step adds. */
ph_status ph_sens_restart(ph_sens *sens, const ph_point *from)
{
    ph_status s = PH_OK;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end && s == PH_OK; d++)
        if (d->at[0])
            s = restart(sens, d, from);
        else
            memcpy(d->now.a, d->now.vdot, sizeof(double) * (size_t)sens->sim->lay.nv);
    return s;
}

void ph_sens_spread(ph_sens *sens, const ph_point *from)
{
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++)
        if (d->at[0])
            spread(sens, d, from);
}

/* What a correction leaves of the first guess is measured anew after it. */
ph_status ph_sens_gather(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    sens->left = 0;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++) {
        for (int k = 0; k < PH_NEIGHBOURS && d->at[k]; k++) {
            ph_status s = ph_sim_restart_as(d->at[k], sim);
            if (s != PH_OK)
                return s;
        }
        if (d->at[0])
            difference(sens, d, &sim->now, &d->now);
        else
            memcpy(d->now.a, d->now.vdot, sizeof(double) * (size_t)sim->lay.nv);
    }
    return PH_OK;
}

/* Neighbours stand where they have started. Errors go along with velocities: the part adds nothing to them. */
ph_status ph_sens_drift(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    const ph_layout *lay = &sim->lay;
    ph_status s = PH_OK;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++)
        for (int k = 0; k < PH_NEIGHBOURS && d->at[k] && s == PH_OK; k++) {
            d->at[k]->next.t = sim->next.t;
            s = ph_sim_drift(d->at[k]);
        }
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end && s == PH_OK; d++) {
        for (int k = 0; k < PH_NEIGHBOURS && d->at[k]; k++)
            ph_point_copy(&d->at[k]->now, &d->at[k]->next, lay);
        if (d->at[0]) {
            difference(sens, d, &sim->next, &d->next);
            swap(&d->now, &d->next);
        } else {
            add_scaled(lay->nv, sim->next.t - sim->now.t, d->now.v, d->now.W);
        }
    }
    sens->from = sim->now.t, sens->to = sim->next.t;
    return s;
}

/* ---- local errors --------------------------------------------------------------------------------- */

/* l = what constraints leave of it, by the matrix of the step (N2); free: rows of rates go along with l   (VS11) */
static ph_status leave(ph_sim *sim, int free, double *l)
{
    ph_newton_matrix *nm = &sim->matrix;
    const ph_layout *lay = &sim->lay;
    double *rows = nm->b + lay->nv;
    memset(nm->b, 0, sizeof(double) * (size_t)nm->n);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, l + b->col_at, nm->b + b->row_at);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && free; b++)
        if (nm->formulation != PH_INDEX3 || !b->holonomic)
            ph_small_mul_add(b->m, b->n, sim->ev.B + b->at, l + b->col_at, rows + b->row_at);
    ph_redundant_leave_out(nm, rows);
    ph_redundant_leave_out_eta(nm, rows + lay->nl);
    ph_status s = ph_solver_solve(nm->solver, nm->b, nm->x);
    memcpy(l, nm->x, sizeof(double) * (size_t)lay->nv);
    return s;
}

ph_status ph_sens_local(ph_sens *sens, double before)
{
    ph_sim *sim = sens->sim;
    sim->stepper->sens_local(sim, before, sens->l_q, sens->l_v);
    ph_status s = leave(sim, 1, sens->l_q);
    return s == PH_OK ? leave(sim, 0, sens->l_v) : s;
}

/* ---- a step ------------------------------------------------------------------------------------- */

/* Newton's last increment, which is what the factorisation is behind: of q in units of the tolerances, and
 * of s lambda, on which stiffness depends too. */
static void note_increment(ph_sens *sens)
{
    const ph_layout *lay = &sens->sim->lay;
    sens->increment[0] = sens->sim->matrix.increment;
    sens->increment[1] = ph_small_max(lay->nl, sens->sim->matrix.x + lay->nv);
}

/* What a correction leaves of an error: 1, unknown, until second corrections have told, once in a while;
 * more if increments are larger than they were then. Factorisations that are not of the iterate before tell
 * nothing. */
static double rate_of_corrections(const ph_sens *sens, const ph_step_ops *o)
{
    const ph_sim *sim = sens->sim;
    double more = 1;
    if (!o->exact || sim->opt.newton != PH_FULL || ph_sim_paced(sim) || ph_redundant_shares(&sim->matrix) ||
        !(sens->left > 0) || sim->n - sens->measured >= PH_SENS_REMEASURE)
        return 1;
    for (int k = 0; k < 2; k++)
        more = fmax(more, sens->increment[k] * sens->per[k]);
    return fmin(1, PH_SENS_SAFE * sens->left * more);
}

static void note_rate(ph_sens *sens)
{
    sens->left = sens->second / sens->first, sens->measured = sens->sim->n;
    for (int k = 0; k < 2; k++)
        sens->per[k] = 1 / (sens->increment[k] + DBL_MIN);
}

/* For many parameters a factorisation at the end of the step is less work than first guesses; where a step has one alone,
 * that is of its first iterate and too far away. Modified Newton's method keeps its own over steps, unless other rows
 * are left out by now. */
static ph_status factor_anew(ph_sens *sens, const ph_step_ops *o, double *rate)
{
    ph_sim *sim = sens->sim;
    ph_newton kind = sim->opt.newton;
    int keeps = (sens->n < PH_SENS_MANY && kind != PH_STEP) || kind == PH_MODIFIED ||
                ph_redundant_shares(&sim->matrix);
    if (keeps && sim->matrix.factored)
        return PH_OK;
    ph_status s = ph_newton_factor(sim, o);
    if (keeps)
        return s;
    double growth = ph_solver_get_info(sim->matrix.solver).growth;
    *rate = growth > 0 ? fmin(1, DBL_EPSILON * growth) : 1;
    return s;
}

/* One parameter, from d->now to d->next; the tangents at the end of the step s are evaluated. */
static ph_status follow(ph_sens *sens, const ph_step_ops *o, double rate, const ph_state *s, ph_follower *d)
{
    ph_sim *sim = sens->sim;
    const ph_stepper *method = sim->stepper;
    int stabilised = sim->matrix.n_eta > 0;
    ph_status status = stabilised ? ph_sens_eta_loads(sens, d) : PH_OK;
    if (stabilised && status == PH_OK && differences_eta(sens))
        status = add_eta_difference(sens, d->now.W);
    else if (stabilised)
        add_eta_stiffness(sens, d->now.W);
    if (stabilised)
        ph_newton_weigh(&sim->matrix, sens->y);
    if (status == PH_OK)
        status = ph_sens_loads(sens, d, s);
    if (status == PH_OK && method->sens_load)
        status = method->sens_load(sim, d, sens->r_p);
    if (status != PH_OK)
        return status;
    ph_sens_look_onwards(sens, &d->now, &d->next);
    method->sens_predict(sim, &d->now, stabilised ? sens->y : NULL, &d->next);
    if (sens->n < PH_SENS_MANY)
        ph_sens_guess(sens, o, &d->next);
    memset(d->next.eta, 0, sizeof(double) * (size_t)sim->lay.nl);
    if (sim->matrix.redundant)
        status = ph_sens_null_loads(sens, d);
    if (status == PH_OK)
        status = ph_sens_solve(sens, o, rate, &d->next);
    method->sens_accept(sim, &d->now, &d->next);
    if (status == PH_OK && sens->of_error) {
        status = ph_sens_local(sens, ph_sens_before(sim));
        add_scaled(sim->lay.nv, 1, sens->l_q, d->next.W);
        add_scaled(sim->lay.nv, 1, sens->l_v, d->next.v);
    }
    return status == PH_OK && sim->matrix.redundant ? ph_sens_null_set(sens, &d->next) : status;
}

/* Size of the step before the one that was just made; 0: there is none. */
double ph_sens_before(ph_sim *sim)
{
    if (ph_sim_paced(sim))
        return sim->stepper->sens_started(sim) ? 0 : sim->now.t - sim->last.t;
    return sim->n_past ? sim->opt.h : 0;
}

ph_status ph_sens_follow(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    if (sim->n < ph_sens_start_steps(sim))
        return follow_start(sens);
    int stiffness = sim->matrix.n_eta > 0 && !differences_eta(sens);
    ph_status status = PH_OK;
    if (ph_sim_paced(sim) && sim->stepper->sens_started(sim))
        status = ph_sens_restart(sens, &sim->now);
    if (status == PH_OK && stiffness)
        status = ph_sens_eta_stiffness(sens);
    const ph_step_ops *o = sim->stepper->sens_ops(sim);
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    if (o->vdot)
        s.vdot = o->vdot;
    note_increment(sens);
    if (status == PH_OK && sim->matrix.redundant)
        status = ph_sens_null_begin(sens);
    if (status == PH_OK)
        status = ph_eval_linear(&sim->ev, &s, sim->matrix.what);
    double old = rate_of_corrections(sens, o), rate = old;
    if (status == PH_OK)
        status = factor_anew(sens, o, &rate);
    sens->first = sens->second = 0;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end && status == PH_OK; d++)
        status = follow(sens, o, rate, &s, d);
    if (rate == old && sens->second > 0)
        note_rate(sens);
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end && status == PH_OK; d++)
        swap(&d->now, &d->next);
    sens->from = sim->now.t, sens->to = sim->next.t;
    return status;
}

void ph_sens_turn(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    ph_point now = sim->now;
    sim->now = sim->last, sim->last = now;
    for (ph_follower *d = sens->d, *end = d + sens->n; d < end; d++)
        swap(&d->now, &d->next);
}

/* ---- choice of weights -------------------------------------------------------------------------- */

/* A point around the start, to sens->moved. */
static ph_state trial_point(ph_sens *sens, int trial)
{
    const ph_layout *lay = &sens->sim->lay;
    ph_point *p = &sens->moved;
    ph_point_copy(p, &sens->sim->now, lay);
    ph_point_stray(p, lay, trial, sens->z);
    return ph_point_view(p, lay);
}

/* 1 if the pseudo-loads are nothing beside what cancels in them, at the last trial point. */
static int vanish(const ph_sens *sens, const ph_follower *d)
{
    const ph_layout *lay = &sens->sim->lay;
    const ph_point *p = &sens->moved;
    const ph_eval *ev = &d->at[PH_NEIGHBOURS - 1]->ev;
    double force = ph_larger(ph_small_max(lay->nv, ev->r), ph_small_max(lay->nv, ev->g));
    double length = ph_larger(1, ph_small_max(lay->nq, p->q));
    double speed = ph_larger(1, ph_small_max(lay->nv, p->v)) * length, e = d->p.eps / PH_SENS_NO_DIFFERENCE;
    return ph_small_max(lay->nv, sens->r_p) * e <= force &&
           ph_small_max(lay->nl, sens->Phi_p) * e <= length &&
           ph_small_max(lay->nl, sens->rate_p) * e <= speed;
}

/* Take from the pseudo-loads what the systems of the neighbours say, evaluated before at the same point. */
static void subtract_systems(ph_sens *sens, const ph_follower *d)
{
    const ph_layout *lay = &sens->sim->lay;
    unsigned what = sens->sim->matrix.what;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_eval *ev = &d->at[k]->ev;
        double f = -weight[k] / d->p.eps;
        add_scaled(lay->nv, f, ev->r, sens->r_p);
        add_scaled(what & PH_EVAL_PHI ? lay->nl : 0, f, ev->Phi, sens->Phi_p);
        add_scaled(what & PH_EVAL_RATE ? lay->nl : 0, f, ev->rate, sens->rate_p);
    }
}

static void weigh(ph_follower *d, const double *w)
{
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        d->weight[k] = w[k] / d->p.eps;
}

/* At points around the start: whether the inner two neighbours suffice since third differences vanish, in systems that are
 * there what they are later on, and whether loads that are given are those of the systems, without which they are not used. */
static ph_status choose_weights(ph_sens *sens, ph_follower *d)
{
    static const double third[PH_NEIGHBOURS] = {-0.5, 1, -1, 0.5};
    const double *best = d->p.steady ? inner_weight : weight;
    for (int trial = 0; trial < 3; trial++) {
        ph_state s = trial_point(sens, trial);
        ph_status status = PH_OK;
        for (int k = 0; k < PH_NEIGHBOURS && status == PH_OK; k++)
            status = ph_eval_residual(&d->at[k]->ev, &s, sens->sim->matrix.what);
        if (status == PH_OK && d->p.loads) {
            weigh(d, weight);
            status = ph_sens_loads(sens, d, &s);
            subtract_systems(sens, d);
            if (!vanish(sens, d))
                d->p.loads = NULL;
        }
        weigh(d, third);
        if (status == PH_OK)
            status = ph_sens_loads(sens, d, &s);
        if (status != PH_OK)
            return status;
        if (!vanish(sens, d))
            best = weight;
    }
    weigh(d, best);
    return PH_OK;
}

/* ---- create ------------------------------------------------------------------------------------- */

void ph_variation_take(ph_variation *x, const ph_layout *lay, int memory, ph_arena *a)
{
    size_t nv = (size_t)lay->nv, nl = (size_t)lay->nl, d = sizeof(double);
    x->W = ph_arena_take(a, nv, d);
    x->v = ph_arena_take(a, nv, d);
    x->vdot = ph_arena_take(a, nv, d);
    x->a = ph_arena_take(a, nv, d);
    x->lambda = ph_arena_take(a, nl, d);
    x->eta = ph_arena_take(a, nl, d);
    x->memory = ph_arena_take(a, nv * (size_t)memory, d);
}

void ph_variation_clear(ph_variation *x, const ph_layout *lay, int memory)
{
    size_t v = sizeof(double) * (size_t)lay->nv, l = sizeof(double) * (size_t)lay->nl;
    memset(x->W, 0, v), memset(x->v, 0, v), memset(x->vdot, 0, v), memset(x->a, 0, v);
    memset(x->lambda, 0, l), memset(x->eta, 0, l);
    memset(x->memory, 0, v * (size_t)memory);
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(ph_sens *sens, const ph_layout *lay, ph_arena *a)
{
    size_t nv = (size_t)lay->nv, nl = (size_t)lay->nl, d = sizeof(double);
    int stabilised = sens->sim->matrix.n_eta > 0, memory = ph_sens_memory(sens->sim);
    int redundant = sens->sim->matrix.redundant > 0;
    ph_follower none, *x = ph_arena_take(a, (size_t)sens->n, sizeof none);
    sens->r_p = ph_arena_take(a, nv + 2 * nl, d); /* and the two after it */
    sens->Phi_p = sens->r_p ? sens->r_p + nv : NULL;
    sens->rate_p = sens->Phi_p ? sens->Phi_p + nl : NULL;
    sens->y = ph_arena_take(a, nv + 1, d); /* one more: difference() */
    sens->z = ph_arena_take(a, nv + 1, d);
    sens->zero = ph_arena_take(a, nv > nl ? nv : nl, d);
    sens->onwards = ph_arena_take(a, nv, d);
    sens->l_q = ph_arena_take(a, sens->of_error ? nv : 0, d);
    sens->l_v = ph_arena_take(a, sens->of_error ? nv : 0, d);
    sens->K_eta = ph_arena_take(a, stabilised ? (size_t)lay->size_pairs : 0, d);
    sens->B = ph_arena_take(a, stabilised ? (size_t)lay->size_links : 0, d);
    sens->lift = ph_arena_take(a, redundant ? nv : 0, d);
    sens->Z_lift = ph_arena_take(a, redundant ? (size_t)lay->size_links : 0, d);
    sens->B_p = ph_arena_take(a, redundant ? nl : 0, d);
    ph_point_take(&sens->moved, lay, a);
    for (int k = 0; k < sens->n; k++) {
        ph_variation_take(a->base ? &x[k].now : &none.now, lay, memory, a);
        ph_variation_take(a->base ? &x[k].next : &none.next, lay, memory, a);
    }
    sens->d = x;
}

static int same_layout(const ph_system *a, const ph_system *b)
{
    int same = b && a->n_nodes == b->n_nodes && a->n_constraints == b->n_constraints &&
               a->n_pairs == b->n_pairs && a->n_links == b->n_links && a->n_redundant == b->n_redundant;
    for (int i = 0; same && i < a->n_nodes; i++)
        same = a->nodes[i].group == b->nodes[i].group && a->nodes[i].n == b->nodes[i].n;
    for (int c = 0; same && c < a->n_constraints; c++)
        same = a->constraints[c].rows == b->constraints[c].rows &&
               a->constraints[c].nonholonomic == b->constraints[c].nonholonomic;
    return same;
}

static ph_status add(ph_sens *sens, ph_follower *d, ph_error *err)
{
    ph_sim *sim = sens->sim;
    if (!(d->p.eps > 0) || !isfinite(d->p.eps))
        return ph_fail(err, PH_E_INPUT, "parameter '%s': eps = %g is not a positive number", d->p.name,
                       d->p.eps);
    ph_options opt = sim->opt;
    opt.halvings = 0; /* neighbours step where sim does */
    if (opt.newton == PH_STEP)
        opt.newton = PH_FULL; /* differences see what the last increment leaves; these runs are short */
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        ph_error why = {0};
        if (!same_layout(sim->lay.sys, d->p.at[k].sys))
            return ph_fail(err, PH_E_INPUT,
                           "parameter '%s': the system has other nodes or constraints at a value near by",
                           d->p.name);
        ph_status s =
            ph_sim_create(&d->at[k], d->p.at[k].sys, &opt, sim->t0, d->p.at[k].q0, d->p.at[k].v0, &why);
        if (s == PH_OK)
            d->at[k]->base = sim;
        if (s == PH_OK && d->at[k]->stiff != sim->stiff) /* starting values must be of one kind */
            s = ph_sim_reset(d->at[k], sim->t0, d->p.at[k].q0, d->p.at[k].v0, &why);
        if (s != PH_OK)
            return ph_fail(err, s, "parameter '%s', changed by %g: %s", d->p.name, place[k] * d->p.eps,
                           why.text);
    }
    difference(sens, d, &sim->now, &d->now);
    ph_status s = choose_weights(sens, d);
    return s == PH_OK ? s : ph_fail(err, s, "parameter '%s': a callback refused", d->p.name);
}

/* What derivatives of any kind ask for. */
static ph_status refuse(const ph_sim *sim, const char *what, ph_error *err)
{
    if (!sim->stepper->sens_ops)
        return ph_fail(err, PH_E_INPUT, "%s has no %s", sim->stepper->name, what);
    if (ph_sim_paced(sim) && !sim->stepper->sens_size)
        return ph_fail(err, PH_E_INPUT, "%s has %s with steps of one size alone: give h instead of tol",
                       sim->stepper->name, what);
    if (ph_sim_paced(sim) && sim->opt.formulation == PH_INDEX3 && sim->lay.C)
        return ph_fail(
            err, PH_E_INPUT,
            "index-3 has no %s with steps that change, since its velocities are corrected then: use "
            "ggl or index2, or h instead of tol",
            what);
    if (sim->n || sim->sens)
        return ph_fail(err, PH_E_INPUT, "%s begin with the first step, once for a simulation", what);
    return PH_OK;
}

/* of_error: the one variation is the global error. */
static ph_status create(ph_sens **out, ph_sim *sim, int n, const ph_param *params, int of_error,
                        ph_error *err)
{
    ph_arena a = {0};
    const ph_allocator *alloc = sim->opt.alloc;
    ph_sens *sens = ph_alloc(alloc, sizeof *sens);
    if (!sens)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for sensitivities");
    *sens = (ph_sens){.sim = sim, .n = n, .of_error = of_error};
    take(sens, &sim->lay, &a);
    if (!ph_arena_open(&a, alloc)) {
        ph_free(alloc, sens);
        return ph_fail(err, PH_E_MEMORY, "not enough memory for sensitivities");
    }
    sens->block = a.block;
    take(sens, &sim->lay, &a);
    ph_state start = ph_point_view(&sim->now, &sim->lay);
    ph_status s = ph_eval_mass(&sim->ev, &start);
    if (s != PH_OK)
        ph_fail(err, s, "the callback M refused the initial values");
    sens->lambda_scale = 0.1 / ph_small_max(sim->lay.size_pairs, sim->ev.M);
    for (int k = 0; k < n && of_error; k++)
        ph_variation_clear(&sens->d[k].now, &sim->lay, ph_sens_memory(sim));
    for (int k = 0; k < n && s == PH_OK && !of_error; k++) {
        sens->d[k].p = params[k];
        if (!params[k].name)
            sens->d[k].p.name = "?";
        s = add(sens, &sens->d[k], err);
    }
    sim->sens = sens;
    if (s != PH_OK)
        ph_sens_destroy(sens);
    else
        *out = sens;
    return s;
}

ph_status ph_sens_create(ph_sens **out, ph_sim *sim, int n, const ph_param *params, ph_error *err)
{
    *out = NULL;
    ph_status s = refuse(sim, "sensitivities", err);
    if (s == PH_OK && n < 1)
        s = ph_fail(err, PH_E_INPUT, "no parameter is given");
    if (s == PH_OK && ph_sim_has_grid(sim))
        s = ph_fail(
            err, PH_E_INPUT,
            "sensitivities of steps by tolerance are those at their ends: leave out h, the grid of the "
            "output");
    return s == PH_OK ? create(out, sim, n, params, 0, err) : s;
}

ph_status ph_sens_create_error(ph_sens **out, ph_sim *sim, ph_error *err)
{
    *out = NULL;
    ph_status s = sim->stepper->sens_local
                      ? refuse(sim, "error bars", err)
                      : ph_fail(err, PH_E_INPUT, "%s has no error bars: genalpha has", sim->stepper->name);
    return s == PH_OK ? create(out, sim, 1, NULL, 1, err) : s;
}

void ph_sens_destroy(ph_sens *sens)
{
    if (!sens)
        return;
    const ph_allocator *alloc = sens->sim->opt.alloc;
    for (int k = 0; k < sens->n; k++)
        for (int j = 0; j < PH_NEIGHBOURS; j++)
            ph_sim_destroy(sens->d[k].at[j]);
    sens->sim->sens = NULL;
    ph_free(alloc, sens->block);
    ph_free(alloc, sens);
}

ph_status ph_sens_simplify(ph_sens *sens, ph_simplification how, ph_error *err)
{
    const ph_sim *sim = sens->sim;
    int in_coordinates = how == PH_REFERENCE_FREE || how == PH_WITHOUT_KG;
    if (!ph_simplification_word(how))
        return ph_fail(err, PH_E_INPUT, "there is no simplification %d", (int)how);
    if (sim->n)
        return ph_fail(err, PH_E_INPUT, "derivatives are simplified from the first step on, or not at all");
    if (in_coordinates && !sim->stepper->in_coordinates)
        return ph_fail(err, PH_E_INPUT,
                       "%s has no coordinates of rotations: '%s' is for residual-alpha and linear-alpha",
                       sim->stepper->name, ph_simplification_word(how));
    sens->simplified = how;
    return PH_OK;
}

/* ---- views -------------------------------------------------------------------------------------- */

ph_derivative ph_sens_get(const ph_sens *sens, int param)
{
    const ph_variation *x = &sens->d[param].now;
    return (ph_derivative){x->W, x->v, x->vdot, x->lambda, sens->sim->matrix.n_eta > 0 ? x->eta : NULL};
}

ph_status ph_sens_better(ph_sens *sens, ph_state *out)
{
    ph_sim *sim = sens->sim;
    const ph_layout *lay = &sim->lay;
    ph_point *p = &sens->moved;
    const ph_variation *end = &sens->d->now, *begin = &sens->d->next;
    double f =
        ph_sim_has_grid(sim) && sens->to > sens->from ? (sens->to - sim->now.t) / (sens->to - sens->from) : 0;
    ph_point_copy(p, &sim->now, lay);
    for (int i = 0; i < lay->nv; i++) {
        sens->z[i] = end->W[i] + (f > 0 ? f * (begin->W[i] - end->W[i]) : 0);
        p->v[i] += end->v[i] + (f > 0 ? f * (begin->v[i] - end->v[i]) : 0);
    }
    ph_point_shift(lay, &sim->now, 1, sens->z, p);
    ph_status s = ph_start_accelerations(sim, p);
    *out = ph_point_view(p, lay);
    return s;
}

ph_state ph_sens_move(ph_sens *sens, int param, double dp)
{
    const ph_layout *lay = &sens->sim->lay;
    const ph_variation *x = &sens->d[param].now;
    const ph_point *now = &sens->sim->now;
    ph_point *p = &sens->moved;
    ph_point_copy(p, now, lay);
    ph_point_shift(lay, now, dp, x->W, p);
    for (int i = 0; i < lay->nv; i++)
        p->v[i] += dp * x->v[i], p->vdot[i] += dp * x->vdot[i];
    for (int i = 0; i < lay->nl; i++)
        p->lambda[i] += dp * x->lambda[i];
    return ph_point_view(p, lay);
}
