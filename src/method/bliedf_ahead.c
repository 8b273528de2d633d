/* BLieDF with steps by tolerance, orders 2 to 4 in index-2 and stabilised form.
 *
 * With alpha_i [1/s] the weights of the derivative at t_{n+1} of the polynomial through t_{n+1}, ..., t_{n+1-k}, and
 * gamma_i = alpha_0 + ... + alpha_{i-1},
 *
 *   v1 = sum_{i=1..k} gamma_i h_{n+1-i} D_{n+1-i}  (stabilised: D_n + B(q_n)^T eta),
 *   vdot1 = sum_{i=0..k} alpha_i v_{n+1-i},   q1 = q_n o exp(h_n D_n + (h_n^2/12) [v_n, v1])         (VS12)
 *
 * is (D1), (D2) with (D3), whose Lie term frees each step of its commutator whatever the sizes of others are. The rate of
 * the error, from a divided difference of v, and half of it for v,
 *
 *   e = 2/(k+1) prod_{i=1..k} (t_{n+1} - t_{n+1-i}) v[t_{n+1}, ..., t_{n+1-k}]                        (VS13)
 *
 * goes through (VS8) and (VS9). The k - 1 first steps are those of a one-step method, near round-off. */
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "method/bliedf.h"
#include "method/method_limits.h"

/* ---- formulas ----------------------------------------------------------------------------------------- */

/* Times of the end of a step of size h, of its start, ..., relative to the end, as units of h. */
static void points_of(const ph_bliedf *m, double h, int n, double *s)
{
    s[0] = 0, s[1] = -1;
    for (int i = 2; i < n; i++)
        s[i] = s[i - 1] - m->sizes[i - 2] / h;
}

/* Value and slope at x of the polynomial that is 1 at s[j] and 0 at the others. */
static void basis(int n, const double *s, int j, double x, double *value, double *slope)
{
    *value = 1, *slope = 0;
    for (int i = 0; i < n; i++)
        if (i != j) {
            *slope = (*slope * (x - s[i]) + *value) / (s[j] - s[i]);
            *value *= (x - s[i]) / (s[j] - s[i]);
        }
}

/* Weights of (VS13). */
static void set_shares(ph_bliedf *m, const double *s)
{
    int k = m->order;
    double span = 2.0 / (k + 1);
    for (int i = 1; i <= k; i++)
        span *= -s[i];
    for (int j = 0; j <= k; j++) {
        m->share[j] = span;
        for (int i = 0; i <= k; i++)
            if (i != j)
                m->share[j] /= s[j] - s[i];
    }
}

/* All steps that a step of size h looks back at have its size. */
static int is_even(const ph_bliedf *m, double h)
{
    int even = m->past >= m->order;
    for (int i = 0; i < m->order; i++)
        even &= m->sizes[i] == h;
    return even;
}

/* (VS12) for a step of size h, h times as large, and the weights of the first guess and of the error. */
static void set_formula(ph_bliedf *m, double h)
{
    int k = m->order, points = m->past < k ? m->past + 1 : k + 1, even = is_even(m, h);
    ph_bdf_formula *f = &m->f[k];
    double s[PH_BDF_MAX + 2], unused;
    if (even && m->even == h)
        return;
    m->even = even ? h : 0;
    points_of(m, h, k + 1, s);
    for (int i = 0; i <= k; i++)
        basis(k + 1, s, i, 0, &unused, &f->alpha[i]);
    for (int i = 1; i <= k; i++) {
        f->slope[i] = f->slope[i - 1] + f->alpha[i - 1];
        f->gamma[i] = f->slope[i] * (i == 1 ? 1 : m->sizes[i - 2] / h);
    }
    set_shares(m, s);
    points_of(m, h, points + 1, s);
    for (int i = 0; i < points; i++)
        basis(points, s + 1, i, 0, &m->guess[i], &unused);
}

/* (VS13) */
static void rate_of_error(const ph_sim *sim, const ph_bliedf *m, double *e)
{
    int nv = sim->lay.nv;
    for (int c = 0; c < nv; c++)
        e[c] = m->share[0] * sim->next.v[c] + m->share[1] * sim->now.v[c];
    for (int j = 2; j <= m->order; j++)
        for (int c = 0; c < nv; c++)
            e[c] += m->share[j] * m->v[j - 2][c];
}

/* ---- steps -------------------------------------------------------------------------------------------- */

/* A step of the one-step method; its D loses the Lie term of (D3). */
static ph_status start_step(ph_sim *sim, ph_bliedf *m, double h)
{
    ph_status s = ph_bliedf_one_step(sim);
    if (s != PH_OK)
        return s;
    if (!ph_bliedf_log_step(sim)) {
        snprintf(sim->reason, sizeof sim->reason, "a body turns by more than 3 rad in a step of h = %.3g", h);
        return PH_E_STEP;
    }
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end && m->order >= 3; i++)
        if (i->T_at >= 0) {
            double H[PH_DIM_MAX * PH_DIM_MAX], z[PH_DIM_MAX], *D = m->D[m->order - 1] + i->v_at;
            i->op->hat(i->dim, sim->now.v + i->v_at, H);
            ph_small_mul(i->dim, H, sim->next.v + i->v_at, z);
            for (int c = 0; c < i->dim; c++)
                D[c] -= h / 12 * z[c];
        }
    return PH_OK;
}

static ph_status attempt(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double h,
                         ph_point *to, double *err)
{
    ph_bliedf *m = rules->method;
    sim->h = h, *err = PH_BLIEDF_AHEAD_UNSEEN;
    to->t = from->t + h;
    if (m->past < m->order - 1)
        return start_step(sim, m, h);
    set_formula(m, h);
    ph_status s = ph_bliedf_multistep(sim);
    if (s == PH_OK && sim->opt.tol > 0) {
        rate_of_error(sim, m, m->e);
        s = ph_ahead_estimate(sim, &m->steps, &m->pace, 0.5, ph_size_largest(&sim->lay, m->e), m->e,
                              ph_bliedf_factor, err);
    }
    if (s != PH_OK)
        sim->matrix.factored = 0;
    return s;
}

/* A size that would do if the motion were a vibration as fast as velocities and accelerations say. */
static double first(ph_sim *sim, const ph_pace_rules *rules, const ph_point *from, double t_max)
{
    const ph_bliedf *m = rules->method;
    double rate = ph_pace_measure(sim, 0, from, from->v, from->vdot),
           left = fmin(t_max - from->t, m->steps.span) / m->order; /* where nobody has said an end */
    if (!(rate > 1e-5))
        return fmin(left, 1e-4);
    return fmin(left, pow(fmin(1, 0.1 * m->pace.tol / fmax(1, m->steps.span * rate)), 1.0 / m->order) / rate);
}

void ph_bliedf_ahead_take(ph_bliedf *m, const ph_sim *sim, ph_arena *arena)
{
    ph_ahead_take(&m->steps, sim, arena);
    m->e = ph_arena_take(arena, (size_t)sim->lay.nv, sizeof(double));
}

ph_status ph_bliedf_ahead_prepare(ph_bliedf *m, const ph_sim *sim, ph_error *err)
{
    const ph_options *o = &sim->opt;
    ph_pace_prepare(&m->pace, o);
    m->rules = (ph_pace_rules){.grow = PH_BLIEDF_AHEAD_GROW,
                               .power = o->order,
                               .safety = PH_BLIEDF_AHEAD_SAFETY,
                               .aim = ph_pace_aim(PH_BLIEDF_AHEAD_SAFETY, o->order),
                               .cut = PH_BLIEDF_AHEAD_CUT,
                               .method = m,
                               .first = first,
                               .attempt = attempt};
    if (o->order < 2 || o->order > PH_BLIEDF_AHEAD_ORDER_MAX)
        return ph_fail(
            err, PH_E_INPUT,
            "order = %d: bliedf has steps by tolerance for the orders 2 to %d, since the exponents of "
            "higher ones are known for equal steps alone",
            o->order, PH_BLIEDF_AHEAD_ORDER_MAX);
    if (o->formulation == PH_INDEX3 && sim->lay.C)
        return ph_fail(err, PH_E_INPUT,
                       "bliedf loses an order in the multipliers of index-3 when steps change: use ggl or "
                       "index2 with tol");
    if (o->correction != PH_IN_EXP || o->start == PH_PLAIN)
        return ph_fail(err, PH_E_INPUT, "with tol, bliedf has the correction '%s' and the start '%s' alone",
                       ph_correction_word(PH_IN_EXP), ph_start_word(PH_PERTURBED));
    return PH_OK;
}

void ph_bliedf_ahead_tape(ph_bliedf *m, const ph_sim *sim, ph_tape *t)
{
    ph_ahead_tape(&m->steps, sim, t);
    ph_pace_tape(&m->pace, t);
    ph_tape_int(t, &m->past);
    ph_tape_numbers(t, m->sizes, PH_BDF_MAX);
}

static void begin(ph_sim *sim, void *method)
{
    ph_bliedf *m = method;
    (void)sim;
    m->past = 0;
    ph_pace_begin(&m->pace, m->steps.corner);
}

static ph_status controlled_step(ph_sim *sim, double t_max, void *method)
{
    ph_bliedf *m = method;
    double last = m->steps.h;
    m->rules.most = last > 0 ? PH_BLIEDF_AHEAD_GROW * last : HUGE_VAL;
    ph_status s = ph_pace_step(sim, &m->pace, &m->rules, &sim->now, t_max, &sim->next);
    if (s != PH_OK)
        return s;
    ph_bliedf_remember(sim);
    for (int j = PH_BDF_MAX - 1; j > 0; j--)
        m->sizes[j] = m->sizes[j - 1];
    m->sizes[0] = sim->h;
    m->past += m->past < m->order;
    return PH_OK;
}

static ph_status between(ph_sim *sim, const ph_point *last, const ph_point *end, ph_point *to, void *method)
{
    return ph_ahead_between(sim, &((ph_bliedf *)method)->steps, last, end, to);
}

ph_status ph_bliedf_ahead_step(ph_sim *sim)
{
    static const ph_ahead_ops ops = {begin, controlled_step, between};
    ph_bliedf *m = sim->method;
    return ph_ahead_step(sim, &m->steps, &ops, m);
}
