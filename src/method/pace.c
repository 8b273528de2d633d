/* Step sizes by error control; equations (K8) and (VS10) in pace.h. */
#include "method/pace.h"

#include <float.h>
#include <stdio.h>

#include "la/small.h"
#include "method/method_limits.h"
#include "step/size.h"

void ph_pace_prepare(ph_pace *p, const ph_options *o)
{
    *p = (ph_pace){.tol = o->tol,
                   .h_min = o->h_min,
                   .h_max = o->h_max,
                   .mean = o->h,
                   .random = o->tol > 0 ? 0 : o->random,
                   .seed = o->seed};
}

void ph_pace_begin(ph_pace *p, int after)
{
    p->h = p->last = p->before = 0;
    if (!after)
        p->chance = p->seed;
}

void ph_pace_tape(ph_pace *p, ph_tape *t)
{
    ph_tape_numbers(t, &p->h, 1);
    ph_tape_numbers(t, &p->last, 1);
    ph_tape_numbers(t, &p->before, 1);
    ph_tape_bytes(t, &p->chance, sizeof p->chance);
}

/* ---- errors ------------------------------------------------------------------------------------- */

ph_largest ph_pace_largest(const ph_sim *sim, const ph_point *p)
{
    ph_size v = ph_size_largest(&sim->lay, p->v);
    return (ph_largest){ph_size_positions(&sim->lay, p->q, 0).of[0], v.of[0], v.of[1]};
}

static double at_least(double least, double x)
{
    return x > least ? x : least;
}

/* What errors are compared with: sizes, or 1 if that is more; rest [1/s] above 0: in place of 1 the size of bodies, and
 * velocities of this times the size of positions. */
static ph_largest units_of(const ph_sim *sim, double rest, ph_largest s)
{
    if (!(rest > 0 && sim->matrix.body > 0)) /* points have no size */
        return (ph_largest){at_least(1, s.x), at_least(1, s.v), at_least(1, s.w)};
    double x = at_least(sim->matrix.body, s.x);
    return (ph_largest){x, at_least(rest * x, s.v), at_least(rest, s.w)};
}

static double over(double x, double size)
{
    return x == 0 ? 0 : x / size;
}

double ph_pace_measure(const ph_sim *sim, double rest, const ph_point *p, const double *dq, const double *dv)
{
    const ph_layout *lay = &sim->lay;
    ph_largest s = units_of(sim, rest, ph_pace_largest(sim, p));
    ph_size q = ph_size_largest(lay, dq), v = ph_size_largest(lay, dv);
    double x = ph_larger(over(q.of[0], s.x), q.of[1]);
    return ph_larger(x, ph_larger(over(v.of[0], s.v), over(v.of[1], s.w)));
}

double ph_pace_measure_rate(const ph_sim *sim, const ph_pace *p, double T, double r, ph_size e)
{
    ph_largest s = units_of(sim, 0, sim->largest);
    double x = T * s.v >= r * s.x ? T / s.x : r / s.v, R = T * s.w >= r ? T : r / s.w;
    return ph_larger(x * e.of[0], R * e.of[1]) / p->tol;
}

/* ---- step sizes --------------------------------------------------------------------------------- */

static double bounded_factor(const ph_pace_rules *rules, double f)
{
    return fmin(rules->grow, fmax(PH_PACE_SHRINK, f));
}

/* After a step that is not accepted, or the first one. */
static double factor_alone(const ph_pace_rules *rules, double err)
{
    return bounded_factor(rules, PH_PACE_SAFETY * pow(fmax(err, PH_PACE_QUIET), -1.0 / rules->power));
}

/* After an accepted step of size h. */
static double factor(const ph_pace *p, const ph_pace_rules *rules, double err, double h)
{
    int k = rules->power;
    err = fmax(err, PH_PACE_QUIET);
    if (!(p->last > 0))
        return factor_alone(rules, err);
    if (rules->safety > 0)
        return bounded_factor(rules, rules->safety * (pow(err, -0.7 / k) * pow(p->last, 0.4 / k)));
    double both = PH_PACE_TARGET / err * PH_PACE_TARGET / p->last,
           root = k == 2 ? sqrt(both) : pow(both, 1.0 / k);
    double f = sqrt(sqrt(root * p->before / h));
    return bounded_factor(rules, f);
}

/* After a step with an error near that at which sizes settle, if the rules have one, the next one has the same size. */
static int stays(const ph_pace_rules *rules, double err)
{
    return err * PH_PACE_STAY >= rules->aim && err < rules->aim * PH_PACE_STAY;
}

double ph_pace_aim(double safety, int power)
{
    return pow(safety, power / 0.3);
}

/* The size, with its sign, and the end of a step that may have the size h: it ends at t_max, or half way if that would
 * leave a short rest. A step that is not cut has the size h to the bit. */
static double cut(const ph_point *from, double h, double t_max, double *end)
{
    double left = t_max - from->t, size = fabs(left) < 2 * h ? 0.5 * left : copysign(h, left);
    if (fabs(left) <= 1.01 * h)
        size = left;
    *end = size == left ? t_max : from->t + size;
    return size;
}

/* No step below this [s]: its end could not be told from its start, or it is smaller than the user wants. */
static double least_step(const ph_pace *p, const ph_point *from)
{
    return fmax(p->h_min, 16 * DBL_EPSILON * fmax(1e-3, fabs(from->t)));
}

static ph_status too_small(ph_sim *sim, const ph_pace *p, double h, ph_status s)
{
    if (s != PH_OK)
        return s; /* which has its own words */
    if (h <= PH_PACE_NEARLY * p->h_min)
        snprintf(sim->reason, sizeof sim->reason,
                 "steps of h = %.3g are still too large for tol = %g, and h_min = %g allows no smaller ones",
                 h, p->tol, p->h_min);
    else
        snprintf(
            sim->reason, sizeof sim->reason,
            "steps of h = %.3g are still too large for tol = %g: the motion is not smooth here, or tol is "
            "out of reach",
            h, p->tol);
    return PH_E_STEP;
}

static void accept(ph_sim *sim, double h)
{
    ph_stats *st = &sim->stats;
    if (!st->accepted || h < st->h_least)
        st->h_least = h;
    st->h_most = at_least(st->h_most, h);
    st->h_last = h;
    st->accepted++;
}

static double fastest_turn(const ph_layout *lay, const double *v)
{
    double w = 0;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->rot < i->dim)
            w = PH_BY_SIZE(i->dim - i->rot, ph_small_larger, w, v + i->v_at + i->rot);
    return w;
}

static double bounded(const ph_sim *sim, const ph_pace *p, const ph_pace_rules *rules, const ph_point *from)
{
    double w = fastest_turn(&sim->lay, from->v), h = p->h * w > PH_PACE_TURN ? PH_PACE_TURN / w : p->h;
    h = at_least(p->h_min, h > rules->most ? rules->most : h);
    return p->h_max > 0 && h > p->h_max ? p->h_max : h;
}

/* From -1 to 1: splitmix64. */
static double chance(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

static ph_status random_step(ph_sim *sim, ph_pace *p, const ph_pace_rules *rules, const ph_point *from,
                             double t_max, ph_point *to)
{
    double err, t1, h = cut(from, p->mean * pow(p->random, chance(&p->chance)), t_max, &t1);
    to->t = t1;
    ph_status s = rules->attempt(sim, rules, from, h, to, &err);
    to->t = t1;
    if (s == PH_OK)
        accept(sim, fabs(h));
    return s;
}

ph_status ph_pace_step(ph_sim *sim, ph_pace *p, const ph_pace_rules *rules, const ph_point *from,
                       double t_max, ph_point *to)
{
    double before = 0, err_before = 0, err;
    if (p->random > 1)
        return random_step(sim, p, rules, from, t_max, to);
    if (!(p->h > 0))
        p->h = rules->first(sim, rules, from, t_max), p->last = 0;
    double h = at_least(least_step(p, from), bounded(sim, p, rules, from)), grow = rules->grow;
    for (;;) {
        double t1, size = cut(from, h, t_max, &t1), tried = fabs(size);
        sim->reason[0] = 0, to->t = t1;
        ph_status s = rules->attempt(sim, rules, from, size, to, &err);
        if (s != PH_OK)
            err = HUGE_VAL;
        int noise = tried <= 0.5 * before && err > 0.7 * err_before && err * p->tol <= PH_PACE_NOISE;
        if (err <= 1 || noise) {
            to->t = t1;
            accept(sim, tried);
            p->h = stays(rules, err) ? tried : tried * fmin(grow, factor(p, rules, err, tried));
            if (tried < rules->cut * h)
                p->h = at_least(h, p->h);
            p->last = at_least(PH_PACE_QUIET, err), p->before = tried;
            return PH_OK;
        }
        sim->stats.rejected++;
        before = tried, err_before = err, grow = 1;
        h = tried * (isfinite(err) ? factor_alone(rules, err) : PH_PACE_SHRINK);
        if (tried > PH_PACE_NEARLY * p->h_min)
            h = fmax(h, p->h_min);
        if (s == PH_E_MEMORY || !(h >= least_step(p, from)))
            return too_small(sim, p, tried, s);
    }
}
