/* BLieDF: backward differentiation formulas of order k = 1 ... 6 on a Lie group, in index-3, index-2 and
 * stabilised index-2 form.
 *
 * With alpha_i of BDF-k and gamma_i = alpha_0 + ... + alpha_{i-1}, unknowns of a step are v1, lambda and, in
 * the stabilised form, eta:
 *
 *   vdot1 = (1/h) sum_{i=0..k} alpha_i v_{n+1-i}
 *         = (1/h) sum_{i=1..k} gamma_i (v_{n+2-i} - v_{n+1-i})                                 (D1)
 *   gamma_1 (D_n + B(q_n)^T eta) + sum_{i=2..k} gamma_i D_{n+1-i} = v1 + c(v1),
 *   q1 = q_n o exp(x),   x = h D_n + p(v1)                                                     (D2)
 *
 *   exponent:   p = h^2/12 [v_n, v1]  + h^2 E(1/120) at t_n + h/2,   c = 0                     (D3)
 *   implicit:   c = h^2/12 [v1, vdot1] + h E(-1/180) at t_{n+1},     p = 0                     (D4)
 *   lagged:     c = h^2/12 [v_n, (3 v_n - 4 v_{n-1} + v_{n-2})/(2h)], p = 0                    (D5)
 *   none:       c = p = 0                                                                      (D6)
 *   extrapolated: c = h^2/12 [v*, a*], p = 0, explicit, at most order 4 where lagged has 3,
 *               v* = 2 v_n - v_{n-1}, a* = (5 v_n - 8 v_{n-1} + 3 v_{n-2})/(2h)                (D12)
 *
 * The terms of (D3)-(D5) and (D12) are there from k = 3 on, E from k = 5 on. E is the fourth-order part (D7)
 * of the Magnus series (magnus.h), with v and its derivatives of the polynomial through v1, v_n, ...,
 * v_{n+2-k}.
 *
 * Derivatives for Newton's method, with gp = alpha_0/h and z the Lie term p or c:
 *
 *   dq = T(x) dx,   dx = (1/gp) J dv1 - h B(q_n)^T deta,   J = I + gp dp/dv1 + dc/dv1,
 *   dv1 = gp (J^-1 T^-1 dq + J^-1 B(q_n)^T h deta),   dvdot1 = gp dv1                          (D8)
 *
 * Sensitivities: (W9) of docs/theory.md; the past is part of the variation, the start is differenced.
 *
 * Start: bliedf_start.c.
 *
 * Reference: V. Wieloch, M. Arnold: BDF integrators for constrained mechanical systems on Lie groups. */
#include "method/bliedf.h"

#include <float.h>
#include <string.h>

#include "la/small.h"
#include "method/magnus.h"
#include "method/method_limits.h"
#include "step/increment.h"
#include "step/size.h"

/* ---- formulas ----------------------------------------------------------------------------------- */

void ph_bliedf_weights(int points, double s, double w[4][PH_BDF_MAX + 1])
{
    for (int j = 0; j < points; j++) {
        double c[4] = {1, 0, 0, 0}; /* Taylor coefficients at s of prod_i (x + i)/(i - j) */
        for (int i = 0; i < points; i++)
            for (int d = 3; d >= 0 && i != j; d--)
                c[d] = (c[d] * (s + i) + (d ? c[d - 1] : 0)) / (i - j);
        w[0][j] = c[0], w[1][j] = c[1], w[2][j] = 2 * c[2], w[3][j] = 6 * c[3];
    }
}

static ph_bdf_formula formula_of(int k, ph_correction correction)
{
    ph_bdf_formula f = {0};
    double w[4][PH_BDF_MAX + 1];
    ph_bliedf_weights(k + 1, 0, w);
    memcpy(f.alpha, w[1], sizeof(double) * (size_t)(k + 1));
    for (int i = 1; i <= k; i++)
        f.slope[i] = f.gamma[i] = f.gamma[i - 1] + f.alpha[i - 1];
    ph_bliedf_weights(k, correction == PH_IN_EXP ? -0.5 : 0, f.w);
    return f;
}

/* ---- the record --------------------------------------------------------------------------------- */

static ph_bliedf *of(ph_sim *sim)
{
    return sim->method;
}

/* Also while sizes are added up, before the order is checked. */
static int order_of(const ph_sim *sim)
{
    return sim->opt.order < 1 ? 1 : sim->opt.order > PH_BDF_MAX ? PH_BDF_MAX : sim->opt.order;
}

/* Steps of the one-step method: k - 1 for the past that (D2) needs, in index-3 k more for (D9). */
static int start_steps(const ph_sim *sim)
{
    int k = order_of(sim);
    if (sim->opt.start == PH_PLAIN)
        return 0;
    return sim->opt.formulation == PH_INDEX3 && sim->lay.C > 0 ? 2 * k - 1 : k - 1;
}

/* Steps by tolerance go on from a start that need not be better than they are: stiff parts must not make it slow. */
static const char *start_tableau(const ph_sim *sim)
{
    return sim->opt.tol > 0 ? "radau3" : "dopri8";
}

static double start_tol(const ph_sim *sim)
{
    return fmax(PH_BLIEDF_START_TOL, PH_BLIEDF_START_PART * sim->opt.tol);
}

static void take(ph_sim *sim, ph_arena *a)
{
    ph_bliedf none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv, nT = (size_t)sim->lay.nT;
    int k = order_of(sim), stabilised = sim->opt.formulation == PH_GGL;
    for (int i = 0; i < k; i++) {
        m->v[i] = ph_arena_take(a, nv, d);
        m->D[i] = ph_arena_take(a, nv, d);
    }
    for (int i = 0; i < 4; i++)
        m->G[i] = ph_arena_take(a, k >= 5 ? nv : 0, d);
    m->c = ph_arena_take(a, nv, d);
    m->S = ph_arena_take(a, nv, d);
    m->x = ph_arena_take(a, nv, d);
    m->H = ph_arena_take(a, nT, d);
    m->T = ph_arena_take(a, nT, d);
    m->Tinv = ph_arena_take(a, nT, d);
    m->L = ph_arena_take(a, nT, d);
    m->F = ph_arena_take(a, nT, d);
    m->A = ph_arena_take(a, nT, d);
    for (int j = 0; j <= k; j++)
        m->Z[j] = ph_arena_take(a, nT, d);
    m->y = ph_arena_take(a, stabilised ? nv : 0, d);
    m->dy = ph_arena_take(a, stabilised ? nv : 0, d);
    m->Bn = ph_arena_take(a, stabilised ? (size_t)sim->lay.size_links : 0, d);
    if (start_steps(sim) > 0 && ph_tableau_get(start_tableau(sim), &m->rk.tab, NULL) == PH_OK) {
        ph_rk_take(&m->rk, &sim->lay, a);
        ph_control_take(&m->control, &sim->lay, a);
        m->exact = ph_arena_take(a, nv, d);
    }
    if (ph_sim_paced(sim))
        ph_bliedf_ahead_take(m, sim, a);
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    ph_bliedf *m = of(sim);
    if (sim->opt.order < 1 || sim->opt.order > PH_BDF_MAX)
        return ph_fail(err, PH_E_INPUT, "order = %d: bliedf has the orders 1 to %d; BDF above are unstable",
                       sim->opt.order, PH_BDF_MAX);
    m->order = sim->opt.order;
    for (int k = 1; k <= m->order; k++)
        m->f[k] = formula_of(k, sim->opt.correction);
    m->ops.exact = 1;
    m->control.pace.tol = start_tol(sim);
    m->control.most = sim->opt.tol > 0 ? PH_BLIEDF_START_STEPS_BY_TOL : PH_BLIEDF_START_STEPS;
    m->control.rest = sim->h > 0 ? PH_SIZE_REST / sim->h : 0;
    m->start_steps = start_steps(sim);
    ph_status s = ph_sim_paced(sim) ? ph_bliedf_ahead_prepare(m, sim, err) : PH_OK;
    m->rk.short_steps = 1;
    return s == PH_OK && m->start_steps > 0 ? ph_rk_prepare(&m->rk, sim, err) : s;
}

static void release(ph_sim *sim)
{
    if (of(sim)->start_steps > 0)
        ph_rk_release(&of(sim)->rk);
}

void ph_bliedf_set_order(ph_sim *sim, int k)
{
    ph_bliedf *m = of(sim);
    ph_correction where = sim->opt.correction;
    m->k = k;
    m->in_exp = k >= 3 && where == PH_IN_EXP, m->in_velocity = k >= 3 && where == PH_IN_VELOCITY;
    m->ahead = where == PH_EXTRAPOLATED;
    m->fourth = k >= 5 && (m->in_exp || m->in_velocity);
    m->gp = m->f[k].alpha[0] / sim->h;
    m->ops.inv_eps = m->ops.inv_gp = 1 / m->gp, m->ops.s = m->ops.inv_gp * m->ops.inv_gp;
    m->ops.eta = 1 / sim->h;
}

/* ---- the Lie term ------------------------------------------------------------------------------- */

/* The part of E in z = p or c of one node, to z, and its derivative by v1, to dz unless NULL; added. */
static void add_fourth(int n, const ph_bliedf *m, const ph_slot *i, double h, const double *v1, double *z,
                       double *dz)
{
    double V[4][PH_DIM_MAX], w[4], E[PH_DIM_MAX], dE[PH_DIM_MAX * PH_DIM_MAX];
    double scale = m->in_exp ? h * h : h, c = m->in_exp ? PH_MAGNUS_MIDDLE : PH_MAGNUS_DENSITY;
    for (int d = 0; d < 4; d++) {
        w[d] = m->f[m->k].w[d][0];
        for (int e = 0; e < n; e++)
            V[d][e] = w[d] * v1[e] + m->G[d][i->v_at + e];
    }
    ph_magnus_fourth(n, i->op, h, c, V, w, E, dz ? dE : NULL);
    for (int e = 0; e < n; e++)
        z[e] += scale * E[e];
    for (int e = 0; dz && e < n * n; e++)
        dz[e] += scale * dE[e];
}

/* z = p or c of one node. */
PH_INLINE void lie_term(int n, const ph_bliedf *m, const ph_slot *i, double h, const double *v1, double *z)
{
    ph_small_mul(n, m->H + i->T_at, v1, z);
    if (m->fourth)
        add_fourth(n, m, i, h, v1, z, NULL);
}

void ph_bliedf_lie_term(const ph_bliedf *m, const ph_slot *i, double h, const double *v1, double *z)
{
    lie_term(i->dim, m, i, h, v1, z);
}

/* J^-1 of one node to F, from dz/dv1. */
PH_INLINE void invert_J(int n, const ph_bliedf *m, const double *dz, double *F)
{
    double J[PH_DIM_MAX * PH_DIM_MAX], g = m->in_exp ? m->gp : 1;
    for (int e = 0; e < n * n; e++)
        J[e] = g * dz[e];
    for (int e = 0; e < n; e++)
        J[e * (n + 1)] += 1;
    if (n == 3)
        ph_store33(F, ph_minv(ph_load33(J)));
    else if (!ph_small_inverse(n, J, F))
        memset(F, 0xff, sizeof(double) * (size_t)(n * n)); /* NaN: the iteration fails */
}

/* ---- one step ----------------------------------------------------------------------------------- */

/* (D1), (D2) for a node of a vector space. */
PH_INLINE void update_flat(int n, const ph_bliedf *m, double h, int at, const double *v0, const double *y,
                           const double *q0, ph_point *next, double *q1)
{
    double *D = m->D[m->order - 1], inv = 1 / m->f[m->k].gamma[1];
    for (int e = at; e < at + n; e++) {
        double v = next->v[e];
        next->vdot[e] = m->gp * (v - v0[e]) + m->c[e];
        D[e] = inv * (v - m->S[e]) - (y ? y[e] : 0);
        m->x[e] = h * D[e];
        q1[e - at] = q0[e - at] + m->x[e];
    }
}

/* (D1), (D2) for a node of a curved group. */
PH_INLINE void update_curved(int n, const ph_bliedf *m, double h, const ph_slot *i, const double *v0,
                             const double *y, const double *q0, ph_point *next, double *q1)
{
    int at = i->v_at, lie = m->in_exp || m->in_velocity;
    double *D = m->D[m->order - 1] + at, inv = 1 / m->f[m->k].gamma[1], z[PH_DIM_MAX];
    const double *v1 = next->v + at;
    for (int e = 0; e < n; e++)
        z[e] = 0;
    if (lie)
        lie_term(n, m, i, h, v1, z);
    for (int e = 0; e < n; e++) {
        double v = v1[e];
        next->vdot[at + e] = m->gp * (v - v0[at + e]) + m->c[at + e];
        D[e] = inv * (v + (m->in_exp ? 0 : z[e]) - m->S[at + e]) - (y ? y[at + e] : 0);
        m->x[at + e] = h * D[e] + (m->in_exp ? z[e] : 0);
    }
    i->op->move(n, q0, m->x + at, q1, m->T + i->T_at, m->Tinv + i->T_at);
    q1 += i->op->quat;
    next->R[i->R_at] = ph_qmat((ph_quat){q1[0], q1[1], q1[2], q1[3]});
}

/* The point of the present v1 and eta. */
static ph_status update(ph_sim *sim)
{
    const ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const double *v0 = sim->now.v, *y = sim->matrix.n_eta > 0 ? m->y : NULL;
    double h = sim->h;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *q0 = sim->now.q + i->q_at;
        double *q1 = sim->next.q + i->q_at;
        if (i->T_at < 0)
            PH_BY_SIZE(i->dim, update_flat, m, h, i->v_at, v0, y, q0, &sim->next, q1);
        else
            PH_BY_SIZE(i->dim, update_curved, m, h, i, v0, y, q0, &sim->next, q1);
    }
    return PH_OK;
}

/* L = J^-1 T^-1 and F = J^-1 of one node, from (D8); without E, F is constant in a step. */
PH_INLINE void linearise_node(int n, const ph_bliedf *m, double h, const ph_slot *i, const double *v1)
{
    if (m->fourth) {
        double z[PH_DIM_MAX] = {0}, dz[PH_DIM_MAX * PH_DIM_MAX];
        memcpy(dz, m->H + i->T_at, sizeof(double) * (size_t)(n * n));
        add_fourth(n, m, i, h, v1, z, dz);
        invert_J(n, m, dz, m->F + i->T_at);
    }
    ph_small_mmul(n, n, n, m->F + i->T_at, m->Tinv + i->T_at, m->L + i->T_at);
}

static void linearise_exactly(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    m->ops.L = m->Tinv, m->ops.F = NULL;
    if (!m->in_exp && !m->in_velocity)
        return;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->T_at >= 0)
            PH_BY_SIZE(i->dim, linearise_node, m, sim->h, i, sim->next.v + i->v_at);
    m->ops.L = m->L, m->ops.F = m->F;
}

static void linearise(ph_sim *sim)
{
    of(sim)->ops.L = of(sim)->ops.F = NULL;
    if (sim->opt.newton != PH_SIMPLIFIED)
        linearise_exactly(sim);
}

/* y += B_n^T deta, x_eta = h deta. */
static void correct_eta(ph_sim *sim, const double *x)
{
    ph_bliedf *m = of(sim);
    ph_newton_eta(&sim->matrix, m->Bn, m->ops.eta, x, m->dy, sim->next.eta);
    for (int e = 0; e < sim->lay.nv; e++)
        m->y[e] += m->ops.eta * m->dy[e];
}

/* v1 += gp (L dq + F dy); L and F NULL: identity, dy NULL: zero. */
PH_INLINE void add_velocity(int n, double gp, const double *L, const double *F, const double *dq,
                            const double *dy, double *v1)
{
    double u[PH_DIM_MAX];
    if (!L) { /* also nodes of R^n that are larger */
        for (int e = 0; e < n; e++)
            v1[e] += gp * (dq[e] + (dy ? dy[e] : 0));
        return;
    }
    ph_small_mul(n, L, dq, u);
    if (dy && F)
        ph_small_mul_add(n, n, F, dy, u);
    for (int e = 0; e < n; e++)
        v1[e] += gp * (u[e] + (dy && !F ? dy[e] : 0));
}

/* The increment of v1 from that of q and eta; its size in units of the tolerances, NaN if any number is. */
static double correct(ph_sim *sim, const double *x)
{
    ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    int stabilised = sim->matrix.n_eta > 0;
    ph_increment size = {0};
    if (stabilised)
        correct_eta(sim, x);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int n = i->dim, at = i->v_at, curved = i->T_at >= 0;
        const double *L = curved && m->ops.L ? m->ops.L + i->T_at : NULL;
        const double *F = curved && m->ops.F ? m->ops.F + i->T_at : NULL;
        const double *dy = stabilised ? m->dy + at : NULL;
        PH_BY_SIZE(n, add_velocity, m->gp, L, F, x + at, dy, sim->next.v + at);
        ph_increment_add(&size, i, x + at, m->x + at);
        if (stabilised)
            ph_increment_add_eta(&size, i, dy);
    }
    return ph_increment_size(&size, m->ops.tol);
}

/* The sums over the past for n numbers from at on, and v1 extrapolated by the weights p of points values. */
PH_INLINE void sum_past(int n, const ph_bliedf *m, double h, int at, int points, const double *p,
                        const double *v, double *v1)
{
    const double *gamma = m->f[m->k].gamma + 2, *slope = m->f[m->k].slope + 2;
    double inv_h = 1 / h;
    for (int e = at; e < at + n; e++) {
        double c = 0, S = 0, guess = p[0] * v[e], younger = v[e];
        for (int j = 0; j < m->k - 1; j++) {
            c += slope[j] * (younger - m->v[j][e]), S += gamma[j] * m->D[j][e];
            younger = m->v[j][e];
        }
        for (int j = 0; j < points - 1; j++)
            guess += p[j + 1] * m->v[j][e];
        m->c[e] = inv_h * c, m->S[e] = S, v1[e] = guess;
    }
}

/* Weights of v_n, v_{n-1}, v_{n-2} in b and a of (D5) and (D12), c = h/24 [b, a]. */
static const double lagged_b[3] = {1, 0, 0}, lagged_a[3] = {0, -4, 1};
static const double extrapolated_b[3] = {2, -1, 0}, extrapolated_a[3] = {5, -8, 3};

/* h/24 b and a of one node. */
PH_INLINE void explicit_pair(int n, const ph_bliedf *m, double h, int at, const double *v, double *b,
                             double *a)
{
    const double *w = m->ahead ? extrapolated_b : lagged_b, *u = m->ahead ? extrapolated_a : lagged_a;
    for (int e = 0; e < n; e++) {
        double v0 = v[at + e], v1 = m->v[0][at + e], v2 = m->v[1][at + e];
        b[e] = h / 24 * (w[0] * v0 + w[1] * v1), a[e] = u[0] * v0 + u[1] * v1 + u[2] * v2;
    }
}

/* The Lie terms of a step, as far as they do not depend on v1. */
PH_INLINE void prepare_lie(int n, const ph_bliedf *m, double h, const ph_slot *i, const double *v)
{
    int at = i->v_at;
    double b[PH_DIM_MAX], *H = m->H + i->T_at, f = h * h / 12;
    if (!m->in_exp && !m->in_velocity) { /* (D5), (D12) */
        double a[PH_DIM_MAX], c[PH_DIM_MAX];
        explicit_pair(n, m, h, at, v, b, a);
        i->op->hat(n, b, H);
        ph_small_mul(n, H, a, c);
        for (int e = 0; e < n; e++)
            m->S[at + e] -= c[e];
        return;
    }
    for (int e = 0; e < n; e++) /* [b, v1] of (D3) and of (D4) */
        b[e] = f * (m->in_exp ? v[at + e] : m->gp * v[at + e] - m->c[at + e]);
    i->op->hat(n, b, H);
    if (!m->fourth)
        invert_J(n, m, H, m->F + i->T_at);
    for (int d = 0; d < 4 && m->fourth; d++)
        for (int e = at; e < at + n; e++) {
            const double *w = m->f[m->k].w[d];
            m->G[d][e] = w[1] * v[e];
            for (int j = 2; j < m->k; j++)
                m->G[d][e] += w[j] * m->v[j - 2][e];
        }
}

void ph_bliedf_look_back(ph_sim *sim, int points, double *v1)
{
    ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const double *v = sim->now.v;
    double h = sim->h, p[PH_BDF_MAX + 1] = {points};
    for (int j = 1; j < points; j++) /* (-1)^j (points over j + 1) */
        p[j] = -p[j - 1] * (points - j) / (j + 1);
    if (ph_sim_paced(sim))
        memcpy(p, m->guess, sizeof p);
    int lie = m->k >= 3 && sim->opt.correction != PH_WITHOUT;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        PH_BY_SIZE(i->dim, sum_past, m, h, i->v_at, points, p, v, v1);
        if (lie && i->T_at >= 0)
            PH_BY_SIZE(i->dim, prepare_lie, m, h, i, v);
    }
}

static void predict(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double h = sim->h, *v1 = sim->next.v;
    const ph_point *last = sim->n_past ? &sim->last : &sim->now;
    long past = ph_bliedf_past(sim);
    ph_bliedf_look_back(sim, past < m->k ? (int)past + 1 : m->k + 1, v1);
    for (int e = 0; e < lay->nv && past == 0; e++)
        v1[e] += h * sim->now.vdot[e];
    m->ops.tol = ph_step_tolerances(sim, m->ops.s / (h * h));
    double om = ph_sim_paced(sim) ? h / m->sizes[0] : 1;
    for (int i = 0; i < lay->nl; i++)
        sim->next.lambda[i] = om == 1 ? 2 * sim->now.lambda[i] - last->lambda[i]
                                      : sim->now.lambda[i] + om * (sim->now.lambda[i] - last->lambda[i]);
}

/* v_n and D_n become the youngest of the past. */
void ph_bliedf_remember(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    int last = m->order - 1;
    double *v = m->v[last], *D = m->D[last];
    for (int j = last; j > 0; j--)
        m->v[j] = m->v[j - 1], m->D[j] = m->D[j - 1];
    m->v[0] = v, m->D[0] = D;
    memcpy(v, sim->now.v, sizeof(double) * (size_t)sim->lay.nv);
}

/* Order of the step from sim->now; lower than the option while there is no past. */
static int order_now(const ph_sim *sim)
{
    int k = ((const ph_bliedf *)sim->method)->order;
    long past = ph_bliedf_past(sim);
    return past < k ? (int)past + 1 : k;
}

ph_status ph_bliedf_multistep(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    const ph_layout *lay = &sim->lay;
    ph_bliedf_set_order(sim, order_now(sim));
    predict(sim);
    if (sim->matrix.n_eta > 0) {
        if (ph_newton_links(sim, m->Bn) != PH_OK)
            return PH_E_CALLBACK;
        memset(m->y, 0, sizeof(double) * (size_t)lay->nv);
        memset(sim->next.eta, 0, sizeof(double) * (size_t)lay->nl);
        m->ops.Bn = m->Bn;
    }
    m->ops.update = update, m->ops.linearise = linearise, m->ops.correct = correct;
    return ph_newton_solve(sim, &m->ops);
}

ph_status ph_bliedf_factor(ph_sim *sim, double h)
{
    ph_bliedf *m = of(sim);
    ph_state now = ph_point_view(&sim->now, &sim->lay);
    (void)h;
    m->ops.L = m->ops.F = NULL;
    ph_status s = ph_eval_residual(&sim->ev, &now, sim->matrix.what);
    if (s == PH_OK)
        s = ph_eval_tangent(&sim->ev, &now, sim->matrix.what);
    return s == PH_OK ? ph_newton_factor(sim, &m->ops) : s;
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

/* The past: order velocities, order - 1 increments D. */
static double *sens_past(const ph_sim *sim, int j)
{
    const ph_bliedf *m = sim->method;
    int k = m->order;
    return j < k ? m->v[j] : j < 2 * k - 1 ? m->D[j - k] : NULL;
}

static ph_status tape(ph_sim *sim, ph_tape *t)
{
    ph_bliedf *m = of(sim);
    for (int j = 0; j < m->order; j++) {
        ph_tape_numbers(t, m->v[j], sim->lay.nv);
        ph_tape_numbers(t, m->D[j], sim->lay.nv);
    }
    ph_tape_numbers(t, m->exact, m->start_steps > 0 ? sim->lay.nv : 0);
    ph_tape_bytes(t, m->pieces, sizeof m->pieces);
    if (ph_sim_paced(sim))
        ph_bliedf_ahead_tape(m, sim, t);
    if (sim->opt.newton != PH_MODIFIED)
        return PH_OK;
    int lie = m->ops.F != NULL; /* L and F go with the matrix that is kept */
    ph_tape_int(t, &lie);
    ph_tape_numbers(t, m->L, sim->lay.nT);
    ph_tape_numbers(t, m->F, sim->lay.nT);
    if (t->mode == PH_TAPE_READ)
        m->ops.L = lie ? m->L : m->Tinv, m->ops.F = lie ? m->F : NULL;
    return PH_OK;
}

/* The velocities u_0 = v1, u_1 = v_n, ... of the present step, or their variations. */
static void velocities(const ph_bliedf *m, int nv, const double *v1, const double *v, double *const *past,
                       double *memory, const double *u[PH_BDF_MAX + 1])
{
    u[0] = v1, u[1] = v;
    for (int j = 2; j <= m->k; j++)
        u[j] = past ? past[j - 2] : memory + (j - 2) * nv;
}

/* The second-order part of z is f [sum b_j u_j, sum a_j u_j], (D3) to (D5), (D12); its f. */
static double bracket(const ph_bliedf *m, double h, double b[PH_BDF_MAX + 1], double a[PH_BDF_MAX + 1])
{
    memset(b, 0, sizeof(double) * (PH_BDF_MAX + 1));
    memset(a, 0, sizeof(double) * (PH_BDF_MAX + 1));
    if (m->in_exp) {
        b[1] = a[0] = 1;
        return h * h / 12;
    }
    if (m->in_velocity) {
        b[0] = 1;
        memcpy(a, m->f[m->k].alpha, sizeof(double) * (size_t)(m->k + 1));
        return h / 12;
    }
    memcpy(b + 1, m->ahead ? extrapolated_b : lagged_b, sizeof lagged_b);
    memcpy(a + 1, m->ahead ? extrapolated_a : lagged_a, sizeof lagged_a);
    return h / 24;
}

/* Z_j of one node:  d(f [b, a]) = f sum (a_j hat(b) - b_j hat(a)) du_j, and that of E. */
PH_INLINE void lie_maps(int n, const ph_bliedf *m, const ph_slot *i, double h,
                        const double *const u[PH_BDF_MAX + 1])
{
    enum { NN = PH_DIM_MAX * PH_DIM_MAX };
    double b_w[PH_BDF_MAX + 1], a_w[PH_BDF_MAX + 1], b[PH_DIM_MAX] = {0}, a[PH_DIM_MAX] = {0}, B[NN], A[NN];
    double f = bracket(m, h, b_w, a_w), V[4][PH_DIM_MAX] = {{0}}, E[PH_DIM_MAX], dE[NN];
    double scale = m->in_exp ? h * h : h, c = m->in_exp ? PH_MAGNUS_MIDDLE : PH_MAGNUS_DENSITY;
    for (int j = 0; j <= m->k; j++)
        for (int e = 0; e < n; e++) {
            double v = u[j][i->v_at + e];
            b[e] += b_w[j] * v, a[e] += a_w[j] * v;
            for (int d = 0; d < 4 && m->fourth && j < m->k; d++)
                V[d][e] += m->f[m->k].w[d][j] * v;
        }
    i->op->hat(n, b, B);
    i->op->hat(n, a, A);
    for (int j = 0; j <= m->k; j++) {
        double *Z = m->Z[j] + i->T_at, w[4];
        for (int e = 0; e < n * n; e++)
            Z[e] = f * (a_w[j] * B[e] - b_w[j] * A[e]);
        if (!m->fourth || j == m->k)
            continue;
        for (int d = 0; d < 4; d++)
            w[d] = m->f[m->k].w[d][j];
        ph_magnus_fourth(n, i->op, h, c, V, w, E, dE);
        for (int e = 0; e < n * n; e++)
            Z[e] += scale * dE[e];
    }
}

/* 1 if z depends on the velocities in the present step. */
static int has_lie_term(const ph_sim *sim)
{
    return ((const ph_bliedf *)sim->method)->k >= 3 && sim->opt.correction != PH_WITHOUT;
}

/* A = Ad(exp(-x)) = I - hat(x) T(x) */
PH_INLINE void adjoint_map(int n, const ph_bliedf *m, const ph_slot *i)
{
    double H[PH_DIM_MAX * PH_DIM_MAX], *A = m->A + i->T_at;
    i->op->hat(n, m->x + i->v_at, H);
    ph_small_mmul(n, n, n, H, m->T + i->T_at, A);
    for (int k = 0; k < n * n; k++)
        A[k] = (k % (n + 1) == 0) - A[k];
}

static const ph_step_ops *sens_ops(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    const double *u[PH_BDF_MAX + 1];
    velocities(m, sim->lay.nv, sim->next.v, sim->now.v, m->v, NULL, u);
    linearise_exactly(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        if (i->T_at < 0)
            continue;
        PH_BY_SIZE(i->dim, adjoint_map, m, i);
        if (has_lie_term(sim))
            PH_BY_SIZE(i->dim, lie_maps, m, i, sim->h, u);
    }
    return &m->ops;
}

/* sum += f Z_j u_j' of one node, from j = first on. */
PH_INLINE void add_lie_variation(int n, const ph_bliedf *m, const ph_slot *i, int first, double f,
                                 const double *const u[PH_BDF_MAX + 1], double *sum)
{
    double y[PH_DIM_MAX];
    for (int e = 0; e < n; e++)
        y[e] = 0;
    for (int j = first; j <= m->k; j++)
        ph_small_mul_add(n, n, m->Z[j] + i->T_at, u[j] + i->v_at, y);
    for (int e = 0; e < n; e++)
        sum[e] += f * y[e];
}

/* (W9) with x' = 0:
 *   v'_pred = F (sum_{i=2..k} gamma_i D'_{n+1-i} + gamma_1 y - part sum_{j>0} Z_j u_j'),  W_pred = A W_n,
 *   vdot'_pred = gp v'_pred + (1/h) sum_{j>0} alpha_j u_j',  part = 1 for z = c, gp for z = p */
static void sens_predict(ph_sim *sim, const ph_variation *now, const double *y, ph_variation *next)
{
    const ph_bliedf *m = of(sim);
    const ph_bdf_formula *f = &m->f[m->k];
    int nv = sim->lay.nv, lie = has_lie_term(sim);
    const double *u[PH_BDF_MAX + 1], *D = now->memory + m->order * nv;
    double inv_h = 1 / sim->h;
    velocities(m, nv, NULL, now->v, NULL, now->memory, u);
    for (int e = 0; e < nv; e++) {
        double S = y ? f->gamma[1] * y[e] : 0, c = 0;
        for (int j = 1; j <= m->k; j++) {
            S += j > 1 ? f->gamma[j] * D[(j - 2) * nv + e] : 0;
            c += f->alpha[j] * u[j][e];
        }
        next->v[e] = S, next->vdot[e] = inv_h * c;
    }
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        double *v = next->v + i->v_at, g[PH_DIM_MAX];
        if (i->T_at < 0) {
            memcpy(next->W + i->v_at, now->W + i->v_at, sizeof(double) * (size_t)i->dim);
            continue;
        }
        ph_small_mul(i->dim, m->A + i->T_at, now->W + i->v_at, next->W + i->v_at);
        if (lie)
            PH_BY_SIZE(i->dim, add_lie_variation, m, i, 1, m->in_exp ? -m->gp : -1, u, v);
        if (!m->ops.F)
            continue;
        memcpy(g, v, sizeof(double) * (size_t)i->dim);
        ph_small_mul(i->dim, m->F + i->T_at, g, v);
    }
    for (int e = 0; e < nv; e++)
        next->vdot[e] += m->gp * next->v[e];
}

/* D'_n = (T^-1 (W1 - A W_n) - [z = p] sum Z_j u_j')/h */
static void sens_accept(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    const ph_bliedf *m = of(sim);
    int nv = sim->lay.nv, k = m->order;
    size_t size = sizeof(double) * (size_t)nv;
    const double *u[PH_BDF_MAX + 1];
    double inv_h = 1 / sim->h, *D = next->memory + k * nv;
    memcpy(next->memory, now->v, size);
    memcpy(next->memory + nv, now->memory, size * (size_t)(k - 1));
    if (k == 1)
        return;
    memcpy(D + nv, now->memory + k * nv, size * (size_t)(k - 2));
    velocities(m, nv, next->v, now->v, NULL, now->memory, u);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        const double *W = now->W + i->v_at, *W1 = next->W + i->v_at;
        double *d = D + i->v_at, x[PH_DIM_MAX], AW[PH_DIM_MAX];
        for (int e = 0; e < i->dim && i->T_at < 0; e++)
            d[e] = inv_h * (W1[e] - W[e]);
        if (i->T_at < 0)
            continue;
        ph_small_mul(i->dim, m->A + i->T_at, W, AW);
        for (int e = 0; e < i->dim; e++)
            x[e] = inv_h * (W1[e] - AW[e]);
        ph_small_mul(i->dim, m->Tinv + i->T_at, x, d);
        if (m->in_exp)
            PH_BY_SIZE(i->dim, add_lie_variation, m, i, 0, -inv_h, u, d);
    }
}

/* All that a step left behind, from its two points and the past. */
static ph_status sens_restore(ph_sim *sim)
{
    ph_bliedf *m = of(sim);
    ph_bliedf_set_order(sim, order_now(sim));
    ph_bliedf_look_back(sim, 1, m->x);
    if (sim->matrix.n_eta > 0) {
        if (ph_newton_links(sim, m->Bn) != PH_OK)
            return PH_E_CALLBACK;
        ph_newton_pull(&sim->matrix, m->Bn, sim->next.eta, m->y);
        m->ops.Bn = m->Bn;
    }
    return update(sim);
}

/* Where the covectors of u_0, u_1, ... stand. */
static void velocities_back(const ph_bliedf *m, int nv, double *v1, ph_variation *now,
                            double *u[PH_BDF_MAX + 1])
{
    u[0] = v1, u[1] = now->v;
    for (int j = 2; j <= m->k; j++)
        u[j] = now->memory + (j - 2) * nv;
}

/* u_j += f Z_j^T g of one node, from j = first on. */
static void add_lie_covector(int n, const ph_bliedf *m, const ph_slot *i, int first, double f,
                             const double *g, double *const u[PH_BDF_MAX + 1])
{
    for (int j = first; j <= m->k; j++)
        for (int e = 0; e < n; e++)
            for (int k = 0; k < n; k++)
                u[j][i->v_at + k] += f * m->Z[j][i->T_at + e * n + k] * g[e];
}

static void add_vector(int n, const double *a, double *sum)
{
    for (int e = 0; e < n; e++)
        sum[e] += a[e];
}

static void sens_accept_back(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    const ph_bliedf *m = of(sim);
    int nv = sim->lay.nv, k = m->order;
    const double *D = next->memory + k * nv;
    double *u[PH_BDF_MAX + 1], inv_h = 1 / sim->h;
    add_vector(nv, next->memory, now->v);
    add_vector((k - 1) * nv, next->memory + nv, now->memory);
    if (k == 1)
        return;
    add_vector((k - 2) * nv, D + nv, now->memory + k * nv);
    velocities_back(m, nv, next->v, now, u);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        const double *d = D + i->v_at;
        double *W = now->W + i->v_at, *W1 = next->W + i->v_at, x[PH_DIM_MAX] = {0}, minus[PH_DIM_MAX];
        for (int e = 0; e < i->dim && i->T_at < 0; e++)
            W1[e] += inv_h * d[e], W[e] -= inv_h * d[e];
        if (i->T_at < 0)
            continue;
        ph_small_tmul_add(i->dim, i->dim, m->Tinv + i->T_at, d, x);
        for (int e = 0; e < i->dim; e++)
            W1[e] += inv_h * x[e], minus[e] = -inv_h * x[e];
        ph_small_tmul_add(i->dim, i->dim, m->A + i->T_at, minus, W);
        if (m->in_exp)
            add_lie_covector(i->dim, m, i, 0, -inv_h, d, u);
    }
}

static void sens_predict_back(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now)
{
    const ph_bliedf *m = of(sim);
    const ph_bdf_formula *f = &m->f[m->k];
    int nv = sim->lay.nv, lie = has_lie_term(sim);
    double *u[PH_BDF_MAX + 1], *D = now->memory + m->order * nv, inv_h = 1 / sim->h;
    velocities_back(m, nv, NULL, now, u);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int n = i->dim, at = i->v_at;
        double g[PH_DIM_MAX] = {0}, v[PH_DIM_MAX];
        for (int e = at; e < at + n && i->T_at < 0; e++) /* of g, to y_bar for the time being */
            y_bar[e] = next->v[e] + m->gp * next->vdot[e], now->W[e] += next->W[e];
        if (i->T_at < 0)
            continue;
        for (int e = 0; e < n; e++)
            v[e] = next->v[at + e] + m->gp * next->vdot[at + e];
        if (m->ops.F)
            ph_small_tmul_add(n, n, m->F + i->T_at, v, g);
        memcpy(y_bar + at, m->ops.F ? g : v, sizeof(double) * (size_t)n);
        if (lie)
            add_lie_covector(n, m, i, 1, m->in_exp ? -m->gp : -1, y_bar + at, u);
        ph_small_tmul_add(n, n, m->A + i->T_at, next->W + at, now->W + at);
    }
    for (int e = 0; e < nv; e++) {
        for (int j = 1; j <= m->k; j++) {
            u[j][e] += inv_h * f->alpha[j] * next->vdot[e];
            if (j > 1)
                D[(j - 2) * nv + e] += f->gamma[j] * y_bar[e];
        }
        y_bar[e] *= f->gamma[1];
    }
}

/* The past is that of the steps since t0. */
static ph_status step(ph_sim *sim)
{
    if (ph_sim_paced(sim))
        return ph_bliedf_ahead_step(sim);
    return sim->n < of(sim)->start_steps ? ph_bliedf_start_step(sim) : ph_bliedf_multistep(sim);
}

/* Steps by tolerance are remembered where they are accepted, which the points of a grid are not. */
static void accept(ph_sim *sim)
{
    if (!ph_sim_paced(sim))
        ph_bliedf_remember(sim);
}

static ph_status start(ph_sim *sim)
{
    (void)sim;
    return PH_OK;
}

const ph_stepper ph_bliedf_stepper = {
    .name = "bliedf",
    .compiles = 1,
    .text = "backward differentiation formulas of order 1 to 6 on Lie groups",
    .cite =
        "V. Wieloch, M. Arnold: BDF integrators for constrained mechanical systems on Lie groups, Journal "
        "of Computational and Applied Mathematics 387 (2021) 112517",
    .reads = PH_READS_ORDER | PH_READS_FORMULATION | PH_READS_NEWTON | PH_READS_START | PH_READS_TOL,
    .size = sizeof(ph_bliedf),
    .prepare = prepare,
    .take = take,
    .start = start,
    .step = step,
    .accept = accept,
    .tape = tape,
    .sens_ops = sens_ops,
    .sens_predict = sens_predict,
    .sens_accept = sens_accept,
    .sens_past = sens_past,
    .sens_start_steps = start_steps,
    .sens_start_method = ph_bliedf_start_method,
    .sens_start_back = ph_bliedf_start_back,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back,
    .sens_predict_back = sens_predict_back,
    .release = release,
};
