/* The start of BLieDF: the past that its first steps need.
 *
 * It is k - 1 steps of a one-step method near round-off. In index-3 k more, whose velocities become
 *
 *   v += d,  M d + B^T m = 0,  B d = B (v* - v),  v* what (D2) makes of the exact motion       (D9) */
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "method/bliedf.h"
#include "method/magnus.h"

/* D_n = log(q_n^-1 o q1)/h, for the time being with the Lie term of (D3). 0: a turn is too large for log. */
int ph_bliedf_log_step(ph_sim *sim)
{
    const ph_bliedf *m = sim->method;
    double h = sim->h, e[PH_DIM_MAX + 1];
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        const double *q0 = sim->now.q + i->q_at, *q1 = sim->next.q + i->q_at;
        double *D = m->D[m->order - 1] + i->v_at;
        if (i->T_at < 0) {
            for (int k = 0; k < i->dim; k++)
                D[k] = (q1[k] - q0[k]) / h;
            continue;
        }
        if (!(h * ph_norm(ph_load3(sim->next.v + i->v_at + i->rot)) < 3))
            return 0;
        i->op->inverse(i->dim, q0, e);
        i->op->compose(i->dim, e, q1, e);
        i->op->log(i->dim, e, D);
        for (int k = 0; k < i->dim; k++)
            D[k] /= h;
    }
    return 1;
}

/* Take the Lie term of (D3) from D of one node, for the step from point j + 1 to point j before the last; u
 * are the velocities of the points, last one first, w the weights at the middle of the step. */
static void take_lie_term(int n, const ph_bliedf *m, const ph_slot *i, double h, int j,
                          const double *const *u, double w[4][PH_BDF_MAX + 1], double *D)
{
    int at = i->v_at;
    double H[PH_DIM_MAX * PH_DIM_MAX], z[PH_DIM_MAX], E[PH_DIM_MAX] = {0}, V[4][PH_DIM_MAX] = {{0}};
    i->op->hat(n, u[j + 1] + at, H);
    ph_small_mul(n, H, u[j] + at, z);
    for (int d = 0; d < 4 && m->fourth; d++)
        for (int p = 0; p < m->k; p++)
            for (int e = 0; e < n; e++)
                V[d][e] += w[d][p] * u[p][at + e];
    if (m->fourth)
        ph_magnus_fourth(n, i->op, h, PH_MAGNUS_MIDDLE, V, NULL, E, NULL);
    for (int e = 0; e < n; e++)
        D[at + e] -= h / 12 * z[e] + h * E[e];
}

/* All D of the start lose the Lie term of (D3), when the velocities of all its points are there. */
static void take_lie_terms(ph_sim *sim)
{
    ph_bliedf *m = sim->method;
    int k = m->order;
    double w[4][PH_BDF_MAX + 1];
    const double *u[PH_BDF_MAX + 1] = {sim->next.v, sim->now.v};
    ph_bliedf_set_order(sim, k);
    for (int j = 2; j < k; j++)
        u[j] = m->v[j - 2];
    for (int j = 0; j < k - 1 && m->in_exp; j++) {
        ph_bliedf_weights(k, -j - 0.5, w);
        for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
            if (i->T_at >= 0)
                take_lie_term(i->dim, m, i, sim->h, j, u, w, j ? m->D[j - 1] : m->D[k - 1]);
    }
}

/* Index-3: the velocity that (D2) gives for the exact q, to v of the new point, in the directions of the
 * constraints (D9). D_n loses the Lie term of (D3). */
static ph_status perturb(ph_sim *sim)
{
    ph_bliedf *m = sim->method;
    double h = sim->h, *D = m->D[m->order - 1], *v = sim->next.v, *l = m->x;
    ph_bliedf_set_order(sim, m->order);
    ph_bliedf_look_back(sim, 1, l);
    for (int e = 0; e < sim->lay.nv; e++)
        l[e] = m->f[m->k].gamma[1] * D[e] + m->S[e] - v[e];
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        double z[PH_DIM_MAX] = {0}, part = m->in_exp ? m->gp : 1;
        if (i->T_at < 0 || !(m->in_exp || m->in_velocity))
            continue;
        ph_bliedf_lie_term(m, i, h, v + i->v_at, z);
        for (int e = 0; e < i->dim; e++) {
            l[i->v_at + e] -= part * z[e];
            D[i->v_at + e] -= m->in_exp ? z[e] / h : 0;
        }
    }
    memcpy(m->c, v, sizeof(double) * (size_t)sim->lay.nv);
    ph_point now = sim->now;
    sim->now = sim->next;
    ph_status s = ph_start_perturb(sim, l);
    sim->now = now;
    if (s == PH_OK)
        memcpy(m->exact, m->c, sizeof(double) * (size_t)sim->lay.nv);
    return s;
}

/* The point at the end of the step, by the one-step method. */
ph_status ph_bliedf_one_step(ph_sim *sim)
{
    ph_bliedf *m = sim->method;
    double t1 = sim->next.t;
    ph_point_copy(&sim->next, &sim->now, &sim->lay);
    if (ph_bliedf_past(sim) >= m->order)
        memcpy(sim->next.v, m->exact, sizeof(double) * (size_t)sim->lay.nv);
    if (sim->matrix.n_eta > 0)
        memset(sim->next.eta, 0, sizeof(double) * (size_t)sim->lay.nl);
    sim->step_iterations = 0;
    m->control.pace.h = sim->h,
    m->control.pace.last = 0;    /* often one step will do; and no memory of a failure */
    ph_stats stats = sim->stats; /* which count steps of this method alone */
    m->rk.tally = sim->tally;
    ph_status s = ph_control_to(sim, &m->control, &m->rk, &sim->next, t1);
    ph_rk_end_tally(sim, &m->rk, m->control.part, s);
    m->pieces[ph_bliedf_past(sim)] = (int)(sim->stats.accepted - stats.accepted);
    sim->stats = stats;
    if (s != PH_OK)
        ph_point_copy(&sim->next, &m->control.ahead, &sim->lay); /* where the culprit is searched for */
    return s;
}

ph_status ph_bliedf_start_step(ph_sim *sim)
{
    int k = ((ph_bliedf *)sim->method)->order;
    ph_status s = ph_bliedf_one_step(sim);
    if (s != PH_OK)
        return s;
    if (!ph_bliedf_log_step(sim)) {
        snprintf(sim->reason, sizeof sim->reason,
                 "a body turns by more than 3 rad in one step of h = %g: use a smaller step", sim->h);
        return PH_E_STEP;
    }
    if (sim->n == k - 2)
        take_lie_terms(sim);
    return sim->n >= k - 1 ? perturb(sim) : PH_OK;
}

/* ---- sensitivities -------------------------------------------------------------------------------- */

/* Perturbed velocities (D9) are not those of the motion. */
ph_rk *ph_bliedf_start_method(ph_sim *sim, int step, int *pieces)
{
    ph_bliedf *m = sim->method;
    *pieces = m->pieces[step];
    return m->start_steps == m->order - 1 ? &m->rk : NULL;
}

/* What the Lie term of take_lie_term makes of the covector d of D, for the step to point u[j]:
 *   D' = ... + h/12 (hat(u_j) u'_{j+1} - hat(u_{j+1}) u'_j) - h sum_p dE/du_p u'_p */
static void lie_term_back(int n, const ph_bliedf *m, const ph_slot *i, double h, int j,
                          const double *const *u, double w[4][PH_BDF_MAX + 1], const double *d,
                          double *const *u_bar)
{
    double H[PH_DIM_MAX * PH_DIM_MAX], x[PH_DIM_MAX], V[4][PH_DIM_MAX] = {{0}};
    int at = i->v_at;
    for (int side = 0; side < 2; side++) {
        for (int e = 0; e < n; e++)
            x[e] = (side ? -h : h) / 12 * d[e];
        i->op->hat(n, u[j + side] + at, H);
        ph_small_tmul_add(n, n, H, x, u_bar[j + 1 - side] + at);
    }
    for (int q = 0; q < 4 && m->fourth; q++)
        for (int p = 0; p < m->k; p++)
            for (int e = 0; e < n; e++)
                V[q][e] += w[q][p] * u[p][at + e];
    for (int e = 0; e < n; e++)
        x[e] = -h * d[e];
    for (int p = 0; p < m->k && m->fourth; p++) {
        const double by[4] = {w[0][p], w[1][p], w[2][p], w[3][p]};
        double E[PH_DIM_MAX];
        ph_magnus_fourth(n, i->op, h, PH_MAGNUS_MIDDLE, V, by, E, H);
        ph_small_tmul_add(n, n, H, x, u_bar[p] + at);
    }
}

/* log(q_n^-1 o q1)/h: x' = T^-1(x) (W1 - Ad(exp(-x)) W_n), Ad(exp(-x)) = I - hat(x) T(x) */
static void log_step_back(const ph_slot *i, double h, const double *q0, const double *q1, const double *d,
                          double *W0, double *W1)
{
    int n = i->dim;
    double e[PH_DIM_MAX + 1], x[PH_DIM_MAX], A[PH_DIM_MAX * PH_DIM_MAX], B[PH_DIM_MAX * PH_DIM_MAX];
    double y[PH_DIM_MAX] = {0}, z[PH_DIM_MAX] = {0};
    if (i->T_at < 0) {
        for (int k = 0; k < n; k++)
            W1[k] += d[k] / h, W0[k] -= d[k] / h;
        return;
    }
    i->op->inverse(n, q0, e);
    i->op->compose(n, e, q1, e);
    i->op->log(n, e, x);
    i->op->Tinv(n, x, A);
    ph_small_tmul_add(n, n, A, d, y);
    i->op->hat(n, x, A);
    ph_small_tmul_add(n, n, A, y, z);
    for (int k = 0; k < n; k++)
        W1[k] += y[k] / h, W0[k] -= y[k] / h, z[k] /= h;
    i->op->T(n, x, B);
    ph_small_tmul_add(n, n, B, z, W0);
}

void ph_bliedf_start_back(ph_sim *sim, const ph_point *at, const double *memory, ph_variation *bar)
{
    ph_bliedf *m = sim->method;
    int k = m->order, nv = sim->lay.nv;
    double w[4][PH_BDF_MAX + 1], *u_bar[PH_BDF_MAX + 1];
    const double *u[PH_BDF_MAX + 1];
    ph_bliedf_set_order(sim, k);
    for (int p = 0; p < k; p++)
        u[p] = at[k - 1 - p].v, u_bar[p] = bar[k - 1 - p].v;
    for (int j = 0; j < k - 1; j++) {
        const double *D = memory + (k + j) * nv;
        for (int e = 0; e < nv; e++)
            u_bar[j + 1][e] += memory[j * nv + e];
        ph_bliedf_weights(k, -j - 0.5, w);
        for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
            log_step_back(i, sim->h, at[k - 2 - j].q + i->q_at, at[k - 1 - j].q + i->q_at, D + i->v_at,
                          bar[k - 2 - j].W + i->v_at, bar[k - 1 - j].W + i->v_at);
            if (i->T_at >= 0 && m->in_exp)
                lie_term_back(i->dim, m, i, sim->h, j, u, w, D + i->v_at, u_bar);
        }
    }
}
