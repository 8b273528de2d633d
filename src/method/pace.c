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

/* Largest positions, velocities, angular velocities, and rotations, which are 1. */
typedef struct sizes {
    double x, v, w;
} sizes;

static sizes sizes_of(const ph_sim *sim, double rest, const ph_point *p)
{
    const ph_layout *lay = &sim->lay;
    double x = ph_size_positions(lay, p->q, 0).of[0];
    ph_size v = ph_size_largest(lay, p->v);
    if (!(rest > 0 && sim->matrix.body > 0)) /* points have no size */
        return (sizes){fmax(1, x), fmax(1, v.of[0]), fmax(1, v.of[1])};
    x = fmax(x, sim->matrix.body);
    return (sizes){x, fmax(v.of[0], rest * x), fmax(v.of[1], rest)};
}

static double over(double x, double size)
{
    return x == 0 ? 0 : x / size;
}

double ph_pace_measure(const ph_sim *sim, double rest, const ph_point *p, const double *dq, const double *dv)
{
    const ph_layout *lay = &sim->lay;
    sizes s = sizes_of(sim, rest, p);
    ph_size q = ph_size_largest(lay, dq), v = ph_size_largest(lay, dv);
    double x = ph_larger(over(q.of[0], s.x), q.of[1]);
    return ph_larger(x, ph_larger(over(v.of[0], s.v), over(v.of[1], s.w)));
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
    if (!rules->smooth)
        return bounded_factor(rules, PH_PACE_SAFETY * (pow(err, -0.7 / k) * pow(p->last, 0.4 / k)));
    double both = PH_PACE_TARGET / err * PH_PACE_TARGET / p->last,
           root = k == 2 ? sqrt(both) : pow(both, 1.0 / k);
    double f = sqrt(sqrt(root * p->before / h));
    return bounded_factor(rules, f);
}

/* Where a step that may have the size h ends: at t_max, or half way if that would leave a short rest. */
static double end_of(const ph_point *from, double h, double t_max)
{
    double left = t_max - from->t;
    if (fabs(left) <= 1.01 * h)
        return t_max;
    return from->t + (fabs(left) < 2 * h ? 0.5 * left : copysign(h, left));
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
    st->h_least = st->accepted ? fmin(st->h_least, h) : h;
    st->h_most = fmax(st->h_most, h);
    st->h_last = h;
    st->accepted++;
}

static double bounded(const ph_sim *sim, const ph_pace *p, const ph_pace_rules *rules, const ph_point *from)
{
    double w = ph_size_largest(&sim->lay, from->v).of[1], h = w > 0 ? fmin(p->h, PH_PACE_TURN / w) : p->h;
    h = fmin(h, rules->most);
    h = fmax(h, p->h_min);
    return p->h_max > 0 ? fmin(h, p->h_max) : h;
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
    double h = p->mean * pow(p->random, chance(&p->chance)), err, t1 = to->t = end_of(from, h, t_max);
    ph_status s = rules->attempt(sim, rules, from, t1 - from->t, to, &err);
    to->t = t1;
    if (s == PH_OK)
        accept(sim, fabs(t1 - from->t));
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
    double h = bounded(sim, p, rules, from), grow = rules->grow;
    for (;;) {
        double t1 = to->t = end_of(from, h, t_max), tried = fabs(t1 - from->t);
        sim->reason[0] = 0;
        ph_status s = rules->attempt(sim, rules, from, t1 - from->t, to, &err);
        if (s != PH_OK)
            err = HUGE_VAL;
        int noise = tried <= 0.5 * before && err > 0.7 * err_before && err * p->tol <= PH_PACE_NOISE;
        if (err <= 1 || noise) {
            to->t = t1;
            accept(sim, tried);
            p->h = fmax(tried * fmin(grow, factor(p, rules, err, tried)), tried < rules->cut * h ? h : 0);
            p->last = fmax(err, PH_PACE_QUIET), p->before = tried;
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
