/* One step of a Runge-Kutta-Munthe-Kaas method: explicit stages, the end of the step, the error estimate of
 * an embedded pair; equations (K1)-(K4) in rk.h.
 *
 *   error of Theta = h sum_j e_j k_j,  error of v = h sum_j e_j A_j,  e = b - second weights             (K6)
 *
 * Where the last row of an explicit A is b, the last stage is the end of the step: its acceleration is that
 * of (K4), and it is not evaluated twice.
 *
 * Reference: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds. */
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "method/method_limits.h"
#include "method/rk.h"

void ph_rk_take(ph_rk *rk, const ph_layout *lay, ph_arena *a)
{
    size_t d = sizeof(double), nv = (size_t)lay->nv, s = (size_t)rk->tab.s;
    size_t rows = rk->tab.kind == PH_STAGES_EXPLICIT ? 1 : s;
    size_t multipliers = rk->tab.kind == PH_STAGES_EXPLICIT ? 0 : s * (size_t)lay->nl;
    rk->k = ph_arena_take(a, s * nv, d);
    rk->A = ph_arena_take(a, s * nv, d);
    rk->Theta = ph_arena_take(a, rows * nv, d);
    rk->V = ph_arena_take(a, rows * nv, d);
    rk->Lambda = ph_arena_take(a, multipliers, d);
    ph_point_take(&rk->at, lay, a);
}

ph_status ph_rk_prepare(ph_rk *rk, ph_sim *sim, ph_error *err)
{
    return rk->tab.kind == PH_STAGES_EXPLICIT ? PH_OK : ph_rk_implicit_create(rk, sim, err);
}

void ph_rk_release(ph_rk *rk)
{
    ph_rk_implicit_destroy(rk);
}

ph_status ph_rk_tape(ph_rk *rk, ph_sim *sim, ph_tape *t)
{
    return rk->newton ? ph_rk_implicit_tape(rk, sim, t) : PH_OK;
}

/* The last stage is the end of the step. */
static int ends_with_stage(const ph_tableau *t)
{
    for (int j = 0; j < t->s; j++)
        if (t->A[t->s - 1][j] != t->b[j])
            return 0;
    return t->kind == PH_STAGES_EXPLICIT && t->s > 1;
}

/* out = h sum_j w_j x_j over m rows of n numbers */
static void weigh(int m, int n, double h, const double *w, const double *x, double *out)
{
    double hw = h * w[0];
    for (int i = 0; i < n; i++)
        out[i] = hw * x[i];
    for (int j = 1; j < m; j++) {
        hw = h * w[j];
        x += n;
        for (int i = 0; w[j] != 0 && i < n; i++)
            out[i] += hw * x[i];
    }
}

PH_INLINE void move_node(int n, const ph_slot *i, const double *q0, const double *Theta, const double *v,
                         ph_point *to, double *k)
{
    double Tinv[PH_DIM_MAX * PH_DIM_MAX], *q1 = to->q + i->q_at;
    i->op->move(n, q0, Theta, q1, NULL, Tinv);
    q1 += i->op->quat;
    to->R[i->R_at] = ph_qmat((ph_quat){q1[0], q1[1], q1[2], q1[3]});
    ph_small_mul(n, Tinv, v, k);
}

static ph_status too_far(ph_sim *sim, const ph_slot *i, double turn, double most, double h)
{
    char label[PH_NAME_MAX];
    ph_node_label(&sim->lay, (int)(i - sim->lay.slot), label);
    snprintf(
        sim->reason, sizeof sim->reason,
        "%s turns by %.3g rad in one step of h = %.3g, and more than %g rad cannot be told from less: use "
        "a smaller step",
        label, turn, h, most);
    return PH_E_STEP;
}

/* q = q_n o exp(Theta) to to->q and to->R, and the slope k = T(Theta)^-1 v of v = to->v. */
static ph_status move(ph_sim *sim, const ph_rk *rk, const ph_point *from, double h, const double *Theta,
                      ph_point *to, double *k)
{
    const ph_layout *lay = &sim->lay;
    double most = rk->turn_max > 0 ? rk->turn_max : PH_RK_TURN_MAX;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *q0 = from->q + i->q_at, *x = Theta + i->v_at, *v = to->v + i->v_at;
        if (i->T_at < 0) {
            for (int m = 0; m < i->dim; m++)
                to->q[i->q_at + m] = q0[m] + x[m], k[i->v_at + m] = v[m];
            continue;
        }
        double turn2 = ph_dot(ph_load3(x + i->rot), ph_load3(x + i->rot));
        if (!(turn2 <= most * most))
            return isfinite(turn2) ? too_far(sim, i, sqrt(turn2), most, h) : PH_E_NAN;
        PH_BY_SIZE(i->dim, move_node, i, q0, x, v, to, k + i->v_at);
    }
    return PH_OK;
}

/* x += h b_i f(stage i)                                                                               (RB20) */
void ph_rk_tally(const ph_sim *sim, ph_rk *rk, int i, double h, const ph_point *at)
{
    double f[PH_TALLY];
    if (!rk->tally || rk->tab.b[i] == 0)
        return;
    ph_state s = ph_point_view(at, &sim->lay);
    if (i == 0 && rk->tab.kind == PH_STAGES_EXPLICIT && at->t <= rk->tally->t)
        memcpy(f, rk->tally->first, sizeof f);
    else
        rk->tally->rates(rk->tally->ctx, &s, f);
    for (int k = 0; k < PH_TALLY; k++)
        rk->part[k] += h * rk->tab.b[i] * f[k];
}

void ph_rk_end_tally(const ph_sim *sim, ph_rk *rk, const double part[PH_TALLY], ph_status s)
{
    rk->tally = NULL;
    if (!sim->tally)
        return;
    memcpy(sim->tally->part, part, sizeof sim->tally->part);
    sim->tally->known = s == PH_OK;
}

/* Stages 1 to last - 1 of (K1)-(K3); the first one is the start of the step. */
static ph_status explicit_stages(ph_sim *sim, ph_rk *rk, const ph_point *from, double h, int last)
{
    const ph_tableau *t = &rk->tab;
    int nv = sim->lay.nv;
    size_t bytes = sizeof(double) * (size_t)nv;
    ph_point at = rk->at;
    ph_status s = PH_OK;
    memcpy(rk->k, from->v, bytes);
    memcpy(rk->A, from->vdot, bytes);
    memcpy(at.lambda, from->lambda, sizeof(double) * (size_t)sim->lay.nl);
    ph_rk_tally(sim, rk, 0, h, from);
    if (rk->stage)
        s = rk->stage(rk->ctx, 0, from);
    for (int i = 1; i < last && s == PH_OK; i++) {
        weigh(i, nv, h, t->A[i], rk->k, rk->Theta);
        weigh(i, nv, h, t->A[i], rk->A, at.v);
        for (int m = 0; m < nv; m++)
            at.v[m] += from->v[m];
        at.t = rk->at.t = from->t + t->c[i] * h;
        s = move(sim, rk, from, h, rk->Theta, &at, rk->k + i * nv);
        at.vdot = rk->A + i * nv;
        if (s == PH_OK)
            s = ph_start_accelerations(sim, &at);
        if (s == PH_OK)
            ph_rk_tally(sim, rk, i, h, &at);
        if (s == PH_OK && rk->stage)
            s = rk->stage(rk->ctx, i, &at);
        sim->stats.residuals++;
    }
    return s;
}

/* Why a step failed, unless that was said already. */
static ph_status give_up(ph_sim *sim, ph_status s, double h)
{
    if (s == PH_E_NAN && !sim->reason[0])
        snprintf(sim->reason, sizeof sim->reason,
                 "the numbers of a step of h = %.3g grew beyond all bounds: use a smaller step", h);
    if (s == PH_E_NEWTON && !sim->reason[0])
        snprintf(sim->reason, sizeof sim->reason,
                 "no multipliers balance the forces of friction in a step of h = %.3g", h);
    return s;
}

ph_status ph_rk_settle(ph_sim *sim, double h, ph_point *p)
{
    int projected;
    ph_status s = ph_start_settle(sim, p, &projected);
    sim->stats.residuals++;
    if (s == PH_E_NEWTON && !projected)
        snprintf(sim->reason, sizeof sim->reason,
                 "no positions near those of a step of h = %.3g satisfy the constraints: use a smaller step",
                 h);
    if (s == PH_OK &&
        (!isfinite(ph_small_max(sim->lay.nq, p->q)) || !isfinite(ph_small_max(sim->lay.nv, p->v))))
        s = PH_E_NAN;
    return s;
}

/* (K4); the slope at the end, before it is projected, goes to k. */
static ph_status finish(ph_sim *sim, ph_rk *rk, const ph_point *from, double h, ph_point *to, double *k)
{
    const ph_tableau *t = &rk->tab;
    int nv = sim->lay.nv;
    weigh(t->s, nv, h, t->b, rk->k, rk->Theta);
    weigh(t->s, nv, h, t->b, rk->A, to->v);
    for (int i = 0; i < nv; i++)
        to->v[i] += from->v[i];
    memcpy(to->lambda, rk->at.lambda, sizeof(double) * (size_t)sim->lay.nl);
    ph_status s = move(sim, rk, from, h, rk->Theta, to, k);
    return s == PH_OK ? ph_rk_settle(sim, h, to) : s;
}

ph_status ph_rk_step(ph_sim *sim, ph_rk *rk, const ph_point *from, double h, ph_point *to, double *error)
{
    const ph_tableau *t = &rk->tab;
    int nv = sim->lay.nv, ends = ends_with_stage(t), last = t->s - ends;
    memset(rk->part, 0, sizeof rk->part);
    ph_status s =
        rk->newton ? ph_rk_implicit_stages(sim, rk, from, h) : explicit_stages(sim, rk, from, h, last);
    if (s != PH_OK) { /* the culprit is searched for where the stage was */
        double t1 = to->t;
        ph_point_copy(to, &rk->at, &sim->lay);
        to->t = s == PH_E_STEP ? t1 : rk->at.t;
        return rk->newton ? s : give_up(sim, s, h);
    }
    s = finish(sim, rk, from, h, to, ends ? rk->k + last * nv : rk->V);
    if (s != PH_OK)
        return give_up(sim, s, h);
    if (!error)
        return PH_OK;
    if (ends)
        memcpy(rk->A + last * nv, to->vdot, sizeof(double) * (size_t)nv);
    weigh(t->s, nv, h, t->e, rk->k, error);
    weigh(t->s, nv, h, t->e, rk->A, error + nv);
    return PH_OK;
}
