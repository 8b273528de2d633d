/* Error control for one-step methods; equation (K7) in control.h. */
#include "method/control.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "method/method_limits.h"

void ph_control_take(ph_control *c, const ph_layout *lay, ph_arena *a)
{
    c->error = ph_arena_take(a, 2 * (size_t)lay->nv, sizeof(double));
    ph_point_take(&c->whole, lay, a);
    ph_point_take(&c->half, lay, a);
    ph_point_take(&c->begin, lay, a);
    ph_point_take(&c->ahead, lay, a);
}

void ph_control_tape(ph_control *c, const ph_layout *lay, ph_tape *t)
{
    ph_pace_tape(&c->pace, t);
    ph_point_tape(&c->half, lay, t); /* dense output may need it */
}

/* ---- one attempt -------------------------------------------------------------------------------- */

/* Stability function at infinity, 1 - b^T A^-1 1, of an implicit tableau. */
static double damping(const ph_tableau *t)
{
    double A[PH_DIM_MAX * PH_DIM_MAX] = {0}, inv[PH_DIM_MAX * PH_DIM_MAX], R = 1;
    int s = t->s;
    if (s > PH_DIM_MAX) /* none of the rows */
        return 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            A[i * s + j] = t->A[i][j];
    if (!ph_small_inverse(s, A, inv))
        return 0;
    for (int i = 0; i < s * s; i++)
        R -= t->b[i / s] * inv[i]; /* b^T A^-1 1 */
    return R;
}

/* Whether (K7) may be added to the result: not where that makes stiff parts grow, as it does for Gauss with
 * an odd number of stages, where R = -1 at infinity and (2^p R^2 - R)/(2^p - 1) > 1. */
static int extrapolates(const ph_tableau *t)
{
    double f = ldexp(1, t->order), R;
    if (t->kind == PH_STAGES_EXPLICIT)
        return 1;
    R = damping(t);
    return fabs(f * R * R - R) <= (1 + 1e-9) * (f - 1);
}

int ph_control_order(const ph_tableau *t)
{
    return t->order + (!t->embedded && extrapolates(t));
}

/* error = (q_b - q_a, v_b - v_a)/f, by the logarithm on a group */
static void difference(const ph_layout *lay, const ph_point *a, const ph_point *b, double f, double *error)
{
    double inv[PH_DIM_MAX + 1], e[PH_DIM_MAX + 1];
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *qa = a->q + i->q_at, *qb = b->q + i->q_at;
        double *x = error + i->v_at;
        if (i->T_at < 0) {
            for (int k = 0; k < i->dim; k++)
                x[k] = qb[k] - qa[k];
        } else {
            i->op->inverse(i->dim, qa, inv);
            i->op->compose(i->dim, inv, qb, e);
            i->op->log(i->dim, e, x);
        }
    }
    for (int k = 0; k < lay->nv; k++) {
        error[k] /= f;
        error[lay->nv + k] = (b->v[k] - a->v[k]) / f;
    }
}

/* Two half steps beside the whole one (K7). */
static ph_status doubled(ph_sim *sim, ph_control *c, ph_rk *rk, const ph_point *from, double h, ph_point *to)
{
    const ph_layout *lay = &sim->lay;
    double t1 = to->t, part[PH_TALLY], f = ldexp(1, rk->tab.order) - 1;
    c->half.t = from->t + 0.5 * h, c->whole.t = t1;
    ph_status s = ph_rk_step(sim, rk, from, 0.5 * h, &c->half, NULL);
    if (s != PH_OK) {
        ph_point_copy(to, &c->half, lay); /* where it failed */
        return s;
    }
    memcpy(part, rk->part, sizeof part);
    s = ph_rk_step(sim, rk, &c->half, 0.5 * h, to, NULL);
    if (s != PH_OK)
        return s;
    for (int k = 0; k < PH_TALLY; k++)
        part[k] += rk->part[k];
    s = ph_rk_step(sim, rk, from, h, &c->whole, NULL);
    if (s != PH_OK) {
        ph_point_copy(to, &c->whole, lay);
        return s;
    }
    difference(lay, &c->whole, to, f, c->error);
    int better = extrapolates(&rk->tab);
    for (int k = 0; k < PH_TALLY; k++)
        rk->part[k] = part[k] + (better ? (part[k] - rk->part[k]) / f : 0);
    if (!better)
        return PH_OK;
    ph_point_shift(lay, to, 1, c->error, to);
    for (int k = 0; k < lay->nv; k++)
        to->v[k] += c->error[lay->nv + k];
    return ph_rk_settle(sim, h, to);
}

/* The estimate that a step may have. What goes on is of one order more: its errors add up to
 * (T/h) gain h estimate, in proportion to tol. */
static double allowed(const ph_control *c, const ph_tableau *t)
{
    return c->pace.tol / (PH_CONTROL_STEPS * (t->embedded ? t->gain : PH_CONTROL_GAIN)) + PH_CONTROL_ROUND;
}

/* A one-step method under control. */
typedef struct rk_rules {
    ph_control *c;
    ph_rk *rk;
} rk_rules;

static ph_status attempt(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double h,
                         ph_point *to, double *err)
{
    const rk_rules *m = rules->method;
    ph_rk *rk = m->rk;
    double *error = m->c->error;
    ph_status s =
        rk->tab.embedded ? ph_rk_step(sim, rk, from, h, to, error) : doubled(sim, m->c, rk, from, h, to);
    *err = ph_pace_measure(sim, m->c->rest, from, error, error + sim->lay.nv) / allowed(m->c, &rk->tab);
    return s;
}

/* ---- step sizes --------------------------------------------------------------------------------- */

/* Power of h in the estimate. */
static int power(const ph_tableau *t)
{
    return 1 + (t->embedded ? t->embedded : t->order);
}

/* A first step size from the sizes of the state, of its rate, and of the rate of that over a short explicit
 * Euler step (Hairer, Norsett, Wanner, II.4). */
static double first(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double t_max)
{
    const ph_layout *lay = &sim->lay;
    const rk_rules *m = rules->method;
    ph_control *c = m->c;
    const ph_rk *rk = m->rk;
    double left = t_max - from->t, d1 = ph_pace_measure(sim, c->rest, from, from->v, from->vdot), d2;
    double h0 = fmin(d1 > 1e-5 ? 0.01 / d1 : 1e-6, fabs(left)), h = copysign(h0, left);
    ph_point *p = &c->whole;
    ph_point_shift(lay, from, h, from->v, p);
    for (int i = 0; i < lay->nv; i++)
        p->v[i] = from->v[i] + h * from->vdot[i];
    memcpy(p->lambda, from->lambda, sizeof(double) * (size_t)lay->nl);
    p->t = from->t + h;
    if (ph_start_accelerations(sim, p) != PH_OK)
        return 1e-3 * h0; /* the attempts will find out */
    for (int i = 0; i < lay->nv; i++)
        c->error[i] = p->v[i] - from->v[i], c->error[lay->nv + i] = p->vdot[i] - from->vdot[i];
    d2 = fmax(d1, ph_pace_measure(sim, c->rest, from, c->error, c->error + lay->nv) / h0);
    double h1 =
        d2 > 1e-15 ? pow(0.01 * allowed(c, &rk->tab) / d2, 1.0 / power(&rk->tab)) : fmax(1e-6, 1e-3 * h0);
    return fmin(100 * h0, h1);
}

ph_status ph_control_step(ph_sim *sim, ph_control *c, ph_rk *rk, const ph_point *from, double t_max,
                          ph_point *to)
{
    rk_rules method = {c, rk};
    ph_pace_rules rules = {.grow = PH_CONTROL_GROW,
                           .power = power(&rk->tab),
                           .safety = PH_CONTROL_SAFETY,
                           .most = HUGE_VAL,
                           .cut = 1,
                           .method = &method,
                           .first = first,
                           .attempt = attempt};
    rk->turn_max = PH_CONTROL_TURN_END;
    return ph_pace_step(sim, &c->pace, &rules, from, t_max, to);
}

static ph_status too_many(ph_sim *sim, const ph_control *c, double h)
{
    const char *why = sim->opt.tol > 0 ? ": the motion is not smooth here, or tol is out of reach"
                                       : ", since something vibrates much faster: use a smaller step, or the "
                                         "plain start";
    snprintf(sim->reason, sizeof sim->reason,
             "starting values want more than %d steps within one of h = %g%s", c->most, h, why);
    /* A run that begins so goes on so: each part would have a start of its own. What stiffens later, as a stop, is divided. */
    sim->parts_fail = sim->passed + sim->n == 0;
    return PH_E_STEP;
}

ph_status ph_control_to(ph_sim *sim, ph_control *c, ph_rk *rk, ph_point *p, double t1)
{
    const ph_stats *st = &sim->stats;
    long before = st->accepted + st->rejected;
    ph_point_copy(&c->begin, p, &sim->lay);
    memset(c->part, 0, sizeof c->part);
    while (p->t != t1) {
        ph_status s = c->most && st->accepted + st->rejected - before >= c->most
                          ? too_many(sim, c, fabs(t1 - c->begin.t))
                          : ph_control_step(sim, c, rk, p, t1, &c->ahead);
        ph_point_copy(p, s == PH_OK ? &c->ahead : &c->begin, &sim->lay);
        if (s != PH_OK)
            return s;
        for (int k = 0; k < PH_TALLY; k++)
            c->part[k] += rk->part[k];
    }
    return PH_OK;
}
