/* Eigenvalues of the step about a steady motion.
 *
 * Coordinates of a state relative to a base, with increments in the groups, q = q_base o exp(dq):
 *
 *   x = F (dq, h dv, h^2 dvdot, h^2 da)
 *
 * F turns components so that a steady motion is a fixed point. While a body turns by Q in the world,
 * R_1 = Q R_0, world components are either turned back, those in the bodies stay ("turn"), or world components stay
 * and those in the bodies turn along, by S = R_0^T R_1 of each body ("stay"). The first suits a system that
 * is symmetric about the axis of the spin as a whole, the second bodies that are symmetric about their own
 * axes. Both give the same moduli where both apply. Whether one applies is seen, not asked: the derivative of
 * the next step must be the same.
 *
 * One-step methods, by ph_sim_load and central differences:
 *
 *   x_{n+1} = X x_n, one column for each coordinate                                                     (V1)
 *
 * Increments that violate constraints do no harm: a step leads back to them, which adds eigenvalues 0; only
 * positions under index-2 drift, and there this is what the method does. Accelerations that a method computes
 * anew do none either: y_1 = S(y, f(y)) has the eigenvalues of its derivative and zeros.
 *
 * Methods with k steps of memory have a state that cannot be loaded. It is seen through W_n, the derivative
 * of (dq, h dv) after n steps by that at the start, of which more than a start is excited by letting time
 * pass:
 *
 *   H_0 = (W_{k+i+j}), H_1 = (W_{k+i+j+1}),  H_0 = U S V^T,  X = U^T H_1 V S^-1                         (V2)
 *
 * with i < k + 2, j < k + 4 and singular values below the noise left out, has the eigenvalues of all that
 * such a start excites and (q, v) show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spectrum.h"
#include "study/stability.h"
#include "study/fail.h"

#define DIFFERENCE 1e-5 /* of differences: [m], [rad] */
#define NOISE      1e-8 /* relative to the largest singular value; differences are good to 1e-10 */
#define SAME       1e-6 /* two derivatives of a steady motion, relative to the largest entry */

typedef enum frames { TURN, STAY } frames;

typedef struct map {
    const ph_system *sys;
    ph_sim *sim;
    double h;
    const int *q_at, *v_at;
    int nq, nv, nl, size;     /* of a stored state: q, v, vdot, a, lambda, eta */
    int blocks;               /* of nv coordinates */
    int p;                    /* coordinates */
    double noise;             /* of differences, relative to the largest singular value */
    int fastest;              /* node; -1: none turns */
    double *work;             /* 3 stored states and p numbers */
    double *from, *to[2], *d; /* in work */
} map;

/* ---- states ------------------------------------------------------------------------------------------ */

static void get(const map *m, double *x)
{
    ph_state s = ph_sim_state(m->sim);
    size_t d = sizeof(double), nv = (size_t)m->nv, nl = (size_t)m->nl;
    double *v = x + m->nq, *lambda = v + 3 * m->nv;
    memset(x, 0, d * (size_t)m->size);
    memcpy(x, s.q, d * (size_t)m->nq);
    memcpy(v, s.v, d * nv);
    memcpy(v + nv, s.vdot, d * nv);
    if (s.a)
        memcpy(v + 2 * nv, s.a, d * nv);
    if (nl > 0)
        memcpy(lambda, s.lambda, d * nl);
    if (s.eta)
        memcpy(lambda + nl, s.eta, d * nl);
}

static ph_status put(const map *m, const double *x, ph_error *err)
{
    const double *v = x + m->nq, *lambda = v + 3 * m->nv;
    ph_state s = {
        .q = x, .v = v, .vdot = v + m->nv, .a = v + 2 * m->nv, .lambda = lambda, .eta = lambda + m->nl};
    return ph_sim_load(m->sim, &s, err);
}

/* to = from moved by e d, d in coordinates without F */
static void move(const map *m, const double *from, double e, const double *d, double *to)
{
    const double scale[4] = {0, e / m->h, e / (m->h * m->h), e / (m->h * m->h)};
    double x[PH_SPECTRUM_MAX], g[PH_SPECTRUM_MAX + 1];
    memcpy(to, from, sizeof(double) * (size_t)m->size);
    for (int i = 0; i < m->sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(m->sys->nodes[i].group);
        int n = m->sys->nodes[i].n, dim = ph_group_dim(m->sys->nodes[i].group, n);
        for (int k = 0; k < dim; k++)
            x[k] = e * d[m->v_at[i] + k];
        op->exp(n, x, g);
        op->compose(n, from + m->q_at[i], g, to + m->q_at[i]);
    }
    for (int b = 1; b < m->blocks; b++)
        for (int k = 0; k < m->nv; k++)
            to[m->nq + (b - 1) * m->nv + k] += scale[b] * d[b * m->nv + k];
}

/* d = coordinates of b relative to a, without F, over e */
static void difference(const map *m, const double *a, const double *b, double e, double *d)
{
    const double scale[4] = {0, m->h, m->h * m->h, m->h * m->h};
    double g[PH_SPECTRUM_MAX + 1];
    for (int i = 0; i < m->sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(m->sys->nodes[i].group);
        int n = m->sys->nodes[i].n, dim = ph_group_dim(m->sys->nodes[i].group, n);
        op->inverse(n, a + m->q_at[i], g);
        op->compose(n, g, b + m->q_at[i], g);
        op->log(n, g, d + m->v_at[i]);
        for (int k = 0; k < dim; k++)
            d[m->v_at[i] + k] /= e;
    }
    for (int c = 1; c < m->blocks; c++)
        for (int k = 0; k < m->nv; k++) {
            int at = m->nq + (c - 1) * m->nv + k;
            d[c * m->nv + k] = scale[c] * (b[at] - a[at]) / e;
        }
}

/* ---- F ----------------------------------------------------------------------------------------------- */

static ph_mat3 rotation(const map *m, int node, const double *q)
{
    const double *u = q + m->q_at[node] + ph_group_get(m->sys->nodes[node].group)->quat;
    return ph_qmat((ph_quat){u[0], u[1], u[2], u[3]});
}

static void turn3(ph_mat3 A, int back, double *x)
{
    ph_store3(x, back ? ph_tmul(A, ph_load3(x)) : ph_mul(A, ph_load3(x)));
}

/* x <- F x for components at the state now, so that they are those at the state then; back: F^-1 x */
static void apply(const map *m, frames kind, const double *then, const double *now, int back, double *x)
{
    const ph_mat3 one = ph_diag3(1, 1, 1);
    ph_mat3 world = one, body = one;
    if (m->fastest < 0)
        return;
    if (kind == TURN) /* Q^T = R_0 R_1^T */
        world = ph_mmul(rotation(m, m->fastest, then), ph_transpose(rotation(m, m->fastest, now)));
    for (int i = 0; i < m->sys->n_nodes; i++) {
        const ph_node *node = &m->sys->nodes[i];
        if (kind == STAY && node->group != PH_RN)
            body = ph_mmul(ph_transpose(rotation(m, i, then)), rotation(m, i, now));
        for (int b = 0; b < m->blocks; b++) {
            double *at = x + b * m->nv + m->v_at[i];
            if (node->group == PH_R3XSO3 || (node->group == PH_RN && node->n == 3))
                turn3(world, back, at);
            if (node->group == PH_SE3 || node->group == PH_SO3)
                turn3(body, back, at);
            if (node->group == PH_SE3 || node->group == PH_R3XSO3)
                turn3(body, back, at + 3);
        }
    }
}

/* to[k] = the state moved by -e and e along coordinate j of the state then */
static void move_both(map *m, frames kind, const double *then, const double *now, int j)
{
    memset(m->d, 0, sizeof(double) * (size_t)m->p);
    m->d[j] = 1;
    apply(m, kind, then, now, 1, m->d);
    for (int k = 0; k < 2; k++)
        move(m, now, k ? DIFFERENCE : -DIFFERENCE, m->d, m->to[k]);
}

/* ---- (V1) -------------------------------------------------------------------------------------------- */

/* X, p x p: derivative of the step from now to next, in the axes of then */
static ph_status linearise(map *m, frames kind, const double *then, const double *now, const double *next,
                           double *X, ph_error *err)
{
    for (int j = 0; j < m->p; j++) {
        move_both(m, kind, then, now, j);
        for (int k = 0; k < 2; k++) {
            ph_status s = put(m, m->to[k], err);
            if (s == PH_OK)
                s = ph_sim_step(m->sim, err);
            if (s != PH_OK)
                return s;
            get(m, m->to[k]);
        }
        difference(m, m->to[0], m->to[1], 2 * DIFFERENCE, m->d);
        apply(m, kind, then, next, 0, m->d);
        for (int i = 0; i < m->p; i++)
            X[i * m->p + j] = m->d[i];
    }
    return PH_OK;
}

static int is_same(size_t n, const double *a, const double *b)
{
    double most = 0, error = 0;
    for (size_t k = 0; k < n; k++) {
        double x = fabs(a[k] - b[k]);
        most = fmax(most, fabs(a[k]));
        if (!(x <= error))
            error = x;
    }
    return error <= SAME * most;
}

static ph_status not_steady(ph_error *err)
{
    return ph_study_fail(
        err, PH_E_INPUT,
        "the motion from the initial state is neither an equilibrium nor a steady spin: the next step differs "
        "from the first one");
}

static ph_status no_memory(ph_error *err)
{
    return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the map of the step");
}

static ph_status find_values(int n, const double *X, ph_spectrum *out, ph_error *err)
{
    out->n = n, out->value = calloc((size_t)n + 1, sizeof *out->value);
    ph_status s = out->value ? ph_eigenvalues(n, X, out->value) : PH_E_MEMORY;
    if (s == PH_E_MEMORY)
        return no_memory(err);
    return s == PH_OK ? s : ph_study_fail(err, s, "the eigenvalues of the step cannot be found");
}

static ph_status by_load(map *m, ph_spectrum *out, ph_error *err)
{
    size_t pp = (size_t)m->p * (size_t)m->p;
    double *base[3], *X = calloc(2 * pp + 3 * (size_t)m->size, sizeof *X);
    ph_status s = X ? PH_OK : no_memory(err);
    for (int k = 0; k < 3 && s == PH_OK; k++) {
        base[k] = X + 2 * pp + (size_t)k * (size_t)m->size;
        if (k > 0)
            s = ph_sim_step(m->sim, err);
        get(m, base[k]);
    }
    int steady = 0;
    for (frames kind = TURN; kind <= STAY && s == PH_OK && !steady; kind++) {
        s = linearise(m, kind, base[0], base[0], base[1], X, err);
        if (s == PH_OK)
            s = linearise(m, kind, base[0], base[1], base[2], X + pp, err);
        steady = is_same(pp, X, X + pp);
    }
    if (s == PH_OK && !steady)
        s = not_steady(err);
    if (s == PH_OK)
        s = find_values(m->p, X, out, err);
    free(X);
    return s;
}

/* ---- (V2) -------------------------------------------------------------------------------------------- */

/* States of a run of n steps from q, v at x; x may lie outside the constraints and is projected. */
static ph_status record(map *m, const double *x, int n, double *states, ph_error *err)
{
    ph_status s = ph_sim_reset(m->sim, 0, x, x + m->nq, err);
    for (int k = 0; k <= n && s == PH_OK; k++) {
        if (k > 0)
            s = ph_sim_step(m->sim, err);
        get(m, states + k * m->size);
    }
    return s;
}

/* W_0 ... W_n, each p x p, of a run from base[first] on */
static ph_status observe(map *m, frames kind, const double *base, int first, int n, double *W, double *runs,
                         ph_error *err)
{
    const double *now = base + first * m->size;
    for (int j = 0; j < m->p; j++) {
        double *run[2] = {runs, runs + (n + 1) * m->size};
        move_both(m, kind, base, now, j);
        for (int k = 0; k < 2; k++) {
            ph_status s = record(m, m->to[k], n, run[k], err);
            if (s != PH_OK)
                return s;
        }
        for (int k = 0; k <= n; k++) {
            difference(m, run[0] + k * m->size, run[1] + k * m->size, 2 * DIFFERENCE, m->d);
            apply(m, kind, base, now + k * m->size, 0, m->d);
            for (int i = 0; i < m->p; i++)
                W[(k * m->p + i) * m->p + j] = m->d[i];
        }
    }
    return PH_OK;
}

/* The eigenvalues of X of (V2) from W_k, W_{k+1}, ...; rows x cols blocks. */
static ph_status realise(const map *m, const double *W, int rows, int cols, ph_spectrum *out, ph_error *err)
{
    int p = m->p, R = rows * p, C = cols * p, r = 0;
    size_t rc = (size_t)R * (size_t)C, cc = (size_t)C * (size_t)C;
    double *U = calloc(rc + 3 * cc, sizeof *U), most = 0;
    if (!U)
        return no_memory(err);
    double *V = U + rc, *H = V + cc, *X = H + cc; /* row j of U: column j of H_0 */
    for (int j = 0; j < C; j++)
        for (int i = 0; i < R; i++)
            U[j * R + i] = W[((i / p + j / p) * p + i % p) * p + j % p];
    ph_singular_rows(C, R, U, V);
    double *s = H; /* C of them, until H is needed */
    for (int j = 0; j < C; j++) {
        s[j] = 0;
        for (int i = 0; i < R; i++)
            s[j] = hypot(s[j], U[j * R + i]);
        most = fmax(most, s[j]);
    }
    for (int j = 0; j < C; j++) /* those that count to the front, as u_j/s_j and v_j */
        if (s[j] > m->noise * most) {
            for (int i = 0; i < R; i++)
                U[r * R + i] = U[j * R + i] / (s[j] * s[j]);
            memmove(V + r * C, V + j * C, sizeof(double) * (size_t)C);
            r++;
        }
    for (int a = 0; a < r; a++) /* H = (U/S)^T H_1, r x C */
        for (int j = 0; j < C; j++) {
            double sum = 0;
            for (int i = 0; i < R; i++)
                sum += U[a * R + i] * W[((i / p + j / p + 1) * p + i % p) * p + j % p];
            H[a * C + j] = sum;
        }
    for (int a = 0; a < r; a++) /* X = S^-1 U^T H_1 V, similar to that of (V2) */
        for (int b = 0; b < r; b++) {
            double sum = 0;
            for (int j = 0; j < C; j++)
                sum += H[a * C + j] * V[b * C + j];
            X[a * r + b] = sum;
        }
    ph_status status = find_values(r, X, out, err);
    free(U);
    return status;
}

static ph_status by_runs(map *m, int history, ph_spectrum *out, ph_error *err)
{
    int rows = history + 2, cols = history + 4, n = history + rows + cols;
    size_t ww = (size_t)(n + 1) * (size_t)m->p * (size_t)m->p, ss = (size_t)(n + 2) * (size_t)m->size;
    double *W = calloc(2 * ww + 3 * ss, sizeof *W), *base = W + 2 * ww;
    if (!W)
        return no_memory(err);
    get(m, m->from);
    ph_status s = record(m, m->from, n + 1, base, err);
    int steady = 0;
    for (frames kind = TURN; kind <= STAY && s == PH_OK && !steady; kind++) {
        s = observe(m, kind, base, 0, n, W, base + ss, err);
        if (s == PH_OK)
            s = observe(m, kind, base, 1, n, W + ww, base + ss, err);
        steady = is_same(ww, W, W + ww);
    }
    if (s == PH_OK && !steady)
        s = not_steady(err);
    if (s == PH_OK)
        s = realise(m, W + (size_t)history * (size_t)m->p * (size_t)m->p, rows, cols, out, err);
    free(W);
    return s;
}

/* ---- public ------------------------------------------------------------------------------------------ */

double ph_system_spin(const ph_system *sys, const double *v, int *node)
{
    double most = 0;
    int at = 0;
    if (node)
        *node = -1;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        double w = op->rot >= 0 ? ph_norm(ph_load3(v + at + op->rot)) : 0;
        if (w > most) {
            most = w;
            if (node)
                *node = i;
        }
        at += ph_group_dim(sys->nodes[i].group, sys->nodes[i].n);
    }
    return most;
}

static ph_status prepare(map *m, const ph_system *sys, const ph_options *opt, const double *q0,
                         const double *v0, int history, ph_error *err)
{
    ph_options o = *opt;
    *m = (map){.sys = sys, .h = opt->h};
    m->nq = ph_system_nq(sys), m->nv = ph_system_nv(sys), m->nl = ph_system_nl(sys);
    if (opt->tol > 0)
        return ph_study_fail(err, PH_E_INPUT,
                             "a method that adapts its steps has no spectrum: give h instead of tol");
    if (m->nv > PH_SPECTRUM_MAX)
        return ph_study_fail(err, PH_E_INPUT,
                             "the system has %d velocities; eigenvalues are for at most %d of them", m->nv,
                             PH_SPECTRUM_MAX);
    o.start = PH_PLAIN;
    o.project = 1;
    o.rtol = o.atol = 1e-13; /* the differences must not see where Newton's method stopped */
    ph_status s = ph_sim_create(&m->sim, sys, &o, 0, q0, v0, err);
    if (s != PH_OK)
        return s;
    ph_state now = ph_sim_state(m->sim);
    m->q_at = now.q_at, m->v_at = now.v_at;
    m->size = m->nq + 3 * m->nv + 2 * m->nl;
    m->blocks = history ? 2 : now.a ? 4 : 3;
    m->p = m->blocks * m->nv;
    ph_system_spin(sys, now.v, &m->fastest);
    m->work = calloc(3 * (size_t)m->size + (size_t)m->p, sizeof *m->work);
    if (!m->work)
        return no_memory(err);
    m->from = m->work, m->to[0] = m->from + m->size, m->to[1] = m->to[0] + m->size, m->d = m->to[1] + m->size;
    return PH_OK;
}

int ph_step_history(const ph_options *opt)
{
    return ph_method_reads(opt->method) & PH_READS_ORDER ? opt->order : 0;
}

ph_status ph_spectrum_observe(ph_spectrum *out, const ph_system *sys, const ph_options *opt, const double *q0,
                              const double *v0, int history, double noise, ph_error *err)
{
    map m;
    *out = (ph_spectrum){0};
    ph_status s = prepare(&m, sys, opt, q0, v0, history, err);
    m.noise = noise;
    if (s == PH_OK)
        s = history ? by_runs(&m, history, out, err) : by_load(&m, out, err);
    if (s != PH_OK)
        ph_spectrum_destroy(out);
    ph_sim_destroy(m.sim);
    free(m.work);
    return s;
}

ph_status ph_spectrum_create(ph_spectrum *out, const ph_system *sys, const ph_options *opt, const double *q0,
                             const double *v0, ph_error *err)
{
    return ph_spectrum_observe(out, sys, opt, q0, v0, ph_step_history(opt), NOISE, err);
}

void ph_spectrum_destroy(ph_spectrum *s)
{
    free(s->value);
    *s = (ph_spectrum){0};
}
