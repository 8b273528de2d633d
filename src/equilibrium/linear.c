/* A system linearised about a state of rest or of steady motion, without its constraints.
 *
 * Increments dq of q and dv of v obey (E2), M dv' + C dv + K dq + B^T dlambda = 0, and dv = dq' + hat(v) dq.
 * Axes in which the coefficients of a steady motion are constant either turn with the nodes, y = dq, or stay
 * where they were, dq = exp(-t hat(v)) y:
 *
 *   M y'' + D y' + K' y + B^T lambda = 0,   B y' + Z' y = 0,   B y = 0 of holonomic rows          (T6)
 *   turn: D = C + M H,  K' = K + C H,  Z' = Z + B H;    stay: D = C - M H,  K' = K,  Z' = Z;   H = hat(v)
 *
 * With bases Nh of the null space of holonomic rows and Nw of that of all rows, M-orthonormal, and
 * B P = -Z' Nh:
 *
 *   y = Nh z,   y' = Nw w + P z,   z' = Nh^T M y',   w' = -Nw^T (M P z' + D y' + K' y)            (T7)
 *
 * P vanishes but for non-holonomic rows. g that depends on lambda puts a basis of the null space of
 * B + g_lambda^T in the place of Nw^T. A motion is steady if vdot = 0, and if neither Nw^T (M, D, K') Nw nor
 * the null space changes a little later, in one kind of axes. Loads that depend on time are no part of the motion: where they
 * change it a little later, they stand still; drives go on. */
#include "equilibrium/linear.h"

#include <float.h>
#include <string.h>

#include "equilibrium/equilibrium_limits.h"
#include "la/small.h"

void ph_linear_apply(const ph_layout *lay, const double *blocks, const double *x, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, blocks + b->at, x + b->col_at, out + b->row_at);
}

static void apply_links(const ph_layout *lay, const double *blocks, const double *x, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, blocks + b->at, x + b->col_at, out + b->row_at);
}

static double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Round-off of dot, if b has it */
static double dot_noise(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += fabs(a[i] * b[i]);
    return 4 * DBL_EPSILON * s;
}

static void add(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

/* out = hat(v) x, or hat(v)^T x */
static void apply_hat(const ph_linear *l, const double *x, int transposed, double *out)
{
    const ph_layout *lay = &l->sim->lay;
    memset(out, 0, sizeof(double) * (size_t)lay->nv);
    for (int i = 0; i < lay->N; i++) {
        const ph_slot *n = &lay->slot[i];
        double H[PH_DIM_MAX * PH_DIM_MAX];
        if (n->R_at < 0)
            continue;
        n->op->hat(n->dim, l->sim->now.v + n->v_at, H);
        for (int a = 0; a < n->dim; a++)
            for (int b = 0; b < n->dim; b++)
                out[n->v_at + a] += (transposed ? H[b * n->dim + a] : H[a * n->dim + b]) * x[n->v_at + b];
    }
}

/* x = exp(-tau hat(v)) x, or its transpose; tau |v| <= PH_LINEAR_ANGLE: five terms are exact */
static void turn(const ph_linear *l, double tau, int transposed, double *x)
{
    int nv = l->nv;
    memcpy(l->H[0], x, sizeof(double) * (size_t)nv);
    for (int k = 1; k <= 5; k++) {
        apply_hat(l, l->H[0], transposed, l->H[1]);
        for (int i = 0; i < nv; i++)
            l->H[0][i] = -tau / k * l->H[1][i];
        add(nv, 1, l->H[0], x);
    }
}

/* ---- the operators of (T6) at the evaluated point ----------------------------------------------- */

static void apply_D(const ph_linear *l, const double *u, double *out)
{
    const ph_eval *ev = &l->sim->ev;
    const ph_layout *lay = &l->sim->lay;
    ph_linear_apply(lay, ev->C, u, out);
    if (!(l->speed > 0))
        return;
    apply_hat(l, u, 0, l->H[0]);
    ph_linear_apply(lay, ev->M, l->H[0], l->H[1]);
    add(l->nv, l->stay ? -1 : 1, l->H[1], out);
}

static void apply_K(const ph_linear *l, const double *y, double *out)
{
    const ph_eval *ev = &l->sim->ev;
    const ph_layout *lay = &l->sim->lay;
    ph_linear_apply(lay, ev->K, y, out);
    if (!(l->speed > 0) || l->stay)
        return;
    apply_hat(l, y, 0, l->H[0]);
    ph_linear_apply(lay, ev->C, l->H[0], l->H[1]);
    add(l->nv, 1, l->H[1], out);
}

static void apply_Z(const ph_linear *l, const double *y, double *out)
{
    const ph_layout *lay = &l->sim->lay;
    apply_links(lay, l->sim->ev.Z, y, out);
    if (l->stay)
        return;
    apply_hat(l, y, 0, l->H[0]);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, l->sim->ev.B + b->at, l->H[0] + b->col_at, out + b->row_at);
}

static ph_status evaluate(ph_linear *l, const ph_point *p)
{
    ph_state s = ph_point_view(p, &l->sim->lay);
    const ph_layout *lay = &l->sim->lay;
    ph_eval *ev = &l->sim->ev;
    ph_status status = ph_eval_residual(ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status == PH_OK)
        status = ph_eval_tangent(ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    double sum = lay->friction ? ph_small_max(lay->size_links, ev->Gl) : 0;
    for (int k = 0; k < 3; k++)
        sum += ph_small_max(lay->size_pairs, (const double *[]){ev->M, ev->C, ev->K}[k]);
    for (int k = 0; k < 2; k++)
        sum += ph_small_max(lay->size_links, k ? ev->B : ev->Z);
    return status == PH_OK && !isfinite(sum) ? PH_E_NAN : status;
}

/* ---- bases -------------------------------------------------------------------------------------- */

/* Velocities of nodes of second order: those of first order, which count as no speed, come last. */
static int second_order(const ph_linear *l)
{
    const ph_layout *lay = &l->sim->lay;
    int first = lay->N - lay->sys->n_first;
    return first < lay->N ? lay->v_at[first] : lay->nv;
}

/* Rows of B, or of B + g_lambda^T, each of length 1; holonomic 1: others stay out, and nodes of first order have no
 * positions. Returns their number. */
static int list_rows(const ph_linear *l, int holonomic, int friction)
{
    const ph_layout *lay = &l->sim->lay;
    const ph_eval *ev = &l->sim->ev;
    int nv = l->nv, count = 0;
    memset(l->rows, 0, sizeof(double) * (size_t)lay->nl * (size_t)nv);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m && (b->holonomic || !holonomic); i++)
            for (int j = 0; j < b->n; j++)
                l->rows[(b->row_at + i) * nv + b->col_at + j] =
                    ev->B[b->at + i * b->n + j] + (friction ? ev->Gl[b->at + j * b->m + i] : 0);
    for (int i = 0; i < lay->nl; i++) {
        double *from = l->rows + i * nv, *to = l->rows + count * nv, size = sqrt(dot(nv, from, from));
        if (!(size > 0))
            continue;
        for (int j = 0; j < nv; j++)
            to[j] = from[j] / size;
        count++;
    }
    for (int i = second_order(l); i < nv && holonomic; i++, count++) {
        memset(l->rows + count * nv, 0, sizeof(double) * (size_t)nv);
        l->rows[count * nv + i] = 1;
    }
    return count;
}

/* Orthonormal rows of N with rows N^T = 0, by reflections, the longest remaining row first; their number. */
static int null_space(int count, int nv, double *rows, double *N)
{
    int rank = 0;
    for (; rank < count && rank < nv; rank++) {
        int best = rank;
        double most = 0;
        for (int i = rank; i < count; i++) {
            const double *r = rows + i * nv;
            double size = dot(nv - rank, r + rank, r + rank);
            if (size > most)
                most = size, best = i;
        }
        if (!(sqrt(most) > PH_LINEAR_DEPENDENT))
            break;
        double *u = rows + rank * nv, *other = rows + best * nv;
        for (int j = 0; j < nv && best != rank; j++) {
            double x = u[j];
            u[j] = other[j], other[j] = x;
        }
        u[rank] += copysign(sqrt(most), u[rank]);
        double length = sqrt(dot(nv - rank, u + rank, u + rank));
        for (int j = 0; j < nv; j++)
            u[j] = j < rank ? 0 : u[j] / length;
        for (int i = rank + 1; i < count; i++)
            add(nv, -2 * dot(nv, u, rows + i * nv), u, rows + i * nv);
    }
    for (int k = rank; k < nv; k++) {
        double *x = N + (k - rank) * nv;
        memset(x, 0, sizeof(double) * (size_t)nv);
        x[k] = 1;
        for (int j = rank - 1; j >= 0; j--)
            add(nv, -2 * dot(nv, rows + j * nv, x), rows + j * nv, x);
    }
    return nv - rank;
}

/* Gram and Schmidt, twice, in the metric of M; 0: M is not positive definite. */
static int orthonormalise(const ph_linear *l, int n, double *N)
{
    int nv = l->nv;
    for (int j = 0; j < n; j++) {
        double *x = N + j * nv;
        for (int twice = 0; twice < 2; twice++) {
            ph_linear_apply(&l->sim->lay, l->sim->ev.M, x, l->y[0]);
            for (int k = 0; k < j; k++)
                add(nv, -dot(nv, N + k * nv, l->y[0]), N + k * nv, x);
        }
        ph_linear_apply(&l->sim->lay, l->sim->ev.M, x, l->y[0]);
        double size = sqrt(dot(nv, x, l->y[0]));
        if (!(size > 0))
            return 0;
        for (int i = 0; i < nv; i++)
            x[i] /= size;
    }
    return 1;
}

static int find_bases(ph_linear *l)
{
    const ph_layout *lay = &l->sim->lay;
    l->nw = null_space(list_rows(l, 0, 0), l->nv, l->rows, l->Nw);
    l->nz = null_space(list_rows(l, 1, 0), l->nv, l->rows, l->Nh);
    int ok = orthonormalise(l, l->nw, l->Nw) && orthonormalise(l, l->nz, l->Nh);
    if (l->nz == l->nw) /* one basis, so that (T7) has one unknown */
        memcpy(l->Nh, l->Nw, sizeof(double) * (size_t)(l->nw * l->nv));
    if (lay->friction)
        ok = ok && null_space(list_rows(l, 0, 1), l->nv, l->rows, l->Nl) == l->nw;
    return ok;
}

/* ---- is it steady? ------------------------------------------------------------------------------ */

/* N^T (M, D, K') N c for a random c, tau later, to out[3 nw]; what B makes of N c, in *off. */
static ph_status probe(ph_linear *l, double tau, double *out, double *off)
{
    ph_sim *sim = l->sim;
    int nv = l->nv;
    unsigned seed = 1;
    double *u = l->y[0], *f = l->y[1];
    sim->next.t = sim->now.t + (l->frozen ? 0 : tau);
    ph_point_shift(&sim->lay, &sim->now, tau, sim->now.v, &sim->next);
    memcpy(sim->next.v, sim->now.v, sizeof(double) * (size_t)nv);
    memcpy(sim->next.lambda, sim->now.lambda, sizeof(double) * (size_t)sim->lay.nl);
    ph_status s = ph_start_accelerations(sim, &sim->next);
    if (s == PH_OK)
        s = evaluate(l, &sim->next);
    memset(u, 0, sizeof(double) * (size_t)nv);
    for (int j = 0; j < l->nw; j++) {
        seed = seed * 1664525u + 1013904223u;
        add(nv, (double)seed / 4294967296.0 - 0.5, l->Nw + j * nv, u);
    }
    l->acceleration = ph_larger(l->acceleration, ph_small_max(nv, sim->next.vdot));
    if (l->stay)
        turn(l, tau, 0, u);
    apply_links(&sim->lay, sim->ev.B, u, l->row);
    *off = ph_small_max(sim->lay.nl, l->row) /
           ph_larger(1e-300, ph_small_max(sim->lay.size_links, sim->ev.B) * ph_small_max(nv, u));
    for (int k = 0; k < 3; k++) {
        if (k == 0)
            ph_linear_apply(&sim->lay, sim->ev.M, u, f);
        else
            (k == 1 ? apply_D : apply_K)(l, u, f);
        if (l->stay)
            turn(l, tau, 1, f);
        for (int i = 0; i < l->nw; i++)
            out[k * l->nw + i] = dot(nv, l->Nw + i * nv, f);
    }
    return s;
}

/* B v + Phi_t, tau later, relative to B v: drives go on at their speed. */
static ph_status rate_later(ph_linear *l, double tau, double *rate)
{
    ph_sim *sim = l->sim;
    sim->next.t = sim->now.t + tau;
    ph_point_shift(&sim->lay, &sim->now, tau, sim->now.v, &sim->next);
    memcpy(sim->next.v, sim->now.v, sizeof(double) * (size_t)l->nv);
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_status status = ph_eval_residual(&sim->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    *rate = ph_small_max(sim->lay.nl, sim->ev.rate) /
            ph_larger(1e-300, ph_small_max(sim->lay.size_links, sim->ev.B) * l->speed);
    return status;
}

/* 1: nothing changes along the motion in the axes that stay says; 0: something does. */
static ph_status is_steady(ph_linear *l, double *two, int *steady)
{
    double tau = PH_LINEAR_ANGLE / l->speed, off[2], *later = two, *before = two + 3 * l->nw, size = 0,
           unit = 1;
    ph_status s = probe(l, tau, later, &off[0]);
    if (s == PH_OK)
        s = probe(l, -tau, before, &off[1]);
    for (int k = 0; k < 3; k++, unit /= l->speed) /* M, D/speed, K'/speed^2 have one unit */
        size = ph_larger(size, unit * ph_small_max(l->nw, later + k * l->nw));
    *steady = s == PH_OK && off[0] <= PH_LINEAR_STEADY && off[1] <= PH_LINEAR_STEADY;
    unit = 1;
    for (int k = 0; k < 3; k++, unit /= l->speed)
        for (int i = k * l->nw; i < (k + 1) * l->nw; i++)
            *steady = *steady && unit * fabs(later[i] - before[i]) <= PH_LINEAR_STEADY * size;
    for (int side = 1; side >= -1 && *steady && l->frozen && s == PH_OK; side -= 2) {
        s = rate_later(l, side * tau, &off[0]);
        *steady = off[0] <= PH_LINEAR_RESTING;
    }
    return s;
}

/* The largest rate of the system at rest [1/s], max(|D|, sqrt |K|) of (T6); 0: it has none of its own. */
static double own_rate(ph_linear *l)
{
    int nv = l->nv;
    double speed = l->speed, damping = 0, stiffness = 0;
    l->speed = 0;
    for (int j = 0; j < l->nw; j++) {
        apply_D(l, l->Nw + j * nv, l->y[0]);
        for (int i = 0; i < l->nw; i++)
            damping = ph_larger(damping, fabs(dot(nv, l->Nw + i * nv, l->y[0])));
    }
    for (int j = 0; j < l->nz; j++) {
        apply_K(l, l->Nh + j * nv, l->y[0]);
        for (int i = 0; i < l->nw; i++)
            stiffness = ph_larger(stiffness, fabs(dot(nv, l->Nw + i * nv, l->y[0])));
    }
    l->speed = speed;
    return fmax(damping, sqrt(stiffness));
}

/* Whether it is steady in some axes; else *seen is what accelerations are up to on the way. */
static ph_status find_steady(ph_linear *l, int *steady, double *seen)
{
    double now = l->acceleration; /* where nothing else changes */
    int same = 0;
    double *two = ph_alloc(l->alloc, sizeof(double) * (size_t)(6 * l->nw + 1));
    if (!two)
        return PH_E_MEMORY;
    ph_status s = PH_OK;
    *steady = 0, *seen = 0;
    for (int k = 0; k < 4 && s == PH_OK && !*steady; k++) {
        l->frozen = k / 2, l->stay = 1 - k % 2, l->acceleration = now;
        s = is_steady(l, two, &same);
        *steady = same && l->acceleration <= PH_LINEAR_RESTING * l->speed * l->speed;
        if (same && !(*seen > 0))
            *seen = l->acceleration;
    }
    ph_free(l->alloc, two);
    return s;
}

/* What is left of a motion that has come to rest is no motion: its round-off, or so little that it is neither steady nor anything
 * beside the rates of the system. */
static ph_status find_axes(ph_linear *l, ph_error *err)
{
    int steady = 0;
    double now = l->acceleration, seen, rate;
    l->stay = 1;
    if (!(l->speed > 0))
        return PH_OK;
    rate = own_rate(l);
    if (l->speed <= PH_LINEAR_STILL * rate) {
        l->speed = 0;
        return PH_OK;
    }
    ph_status s = find_steady(l, &steady, &seen);
    if (s == PH_E_MEMORY)
        return ph_fail(err, s, "not enough memory to linearise the system");
    if (s == PH_OK && steady)
        return PH_OK;
    if (l->speed <= PH_LINEAR_STEADY * rate) {
        l->speed = 0, l->stay = 1, l->frozen = 0, l->acceleration = now;
        return PH_OK;
    }
    if (s != PH_OK)
        return ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
    if (seen > 0)
        return ph_fail(err, PH_E_INPUT,
                       "the motion is not steady, so that it has no modes: accelerations are up to %.3g",
                       seen);
    return ph_fail(
        err, PH_E_INPUT,
        "the motion is not steady, so that it has no modes: linearise about a state of rest, or in another "
        "space: bodies that turn together are steady in SE3, bodies that move straight on in R3xSO3");
}

/* ---- (T7) --------------------------------------------------------------------------------------- */

static ph_status find_P(ph_linear *l)
{
    ph_status s = evaluate(l, &l->sim->now); /* after other points were looked at */
    for (int j = 0; j < l->nz && s == PH_OK && l->speed > 0 && l->nz != l->nw; j++) {
        apply_Z(l, l->Nh + j * l->nv, l->row);
        for (int i = 0; i < l->sim->lay.nl; i++)
            l->row[i] = -l->row[i];
        s = ph_start_lift(l->sim, &l->sim->now, l->row, l->P + j * l->nv);
    }
    return s;
}

/* Column of A for (y, u): z' = Nh^T M u, w' = -N^T (M P z' + D u + K' y); y NULL: 0. P has the least kinetic
 * energy, M P = B^T (..), so that its term counts with friction alone. */
static void put_column(ph_linear *l, int column, const double *y, const double *u)
{
    int nv = l->nv;
    double *f = l->y[0], *x = l->y[1], *p = l->y[2];
    const double *left = l->Nl ? l->Nl : l->Nw;
    apply_D(l, u, f);
    if (y) {
        apply_K(l, y, x);
        add(nv, 1, x, f);
    }
    ph_linear_apply(&l->sim->lay, l->sim->ev.M, u, x);
    memset(p, 0, sizeof(double) * (size_t)nv);
    for (int i = 0; i < l->nz; i++) {
        double z = dot(nv, l->Nh + i * nv, x);
        l->A[i * l->n + column] = z;
        add(nv, z, l->P + i * nv, p);
    }
    ph_linear_apply(&l->sim->lay, l->sim->ev.M, p, x);
    add(nv, 1, x, f);
    double *noise = &l->noise[column >= l->nz];
    for (int i = 0; i < l->nw; i++) {
        l->A[(l->nz + i) * l->n + column] = -dot(nv, left + i * nv, f);
        *noise = ph_larger(*noise, dot_noise(nv, left + i * nv, f));
    }
}

/* The lower rows of A by (Nl^T M Nw)^-1 */
static ph_status divide_by_mass(const ph_linear *l, ph_error *err)
{
    size_t nw = (size_t)l->nw;
    double *G = ph_alloc(l->alloc, sizeof(double) * (nw * nw + 1));
    if (!G)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to linearise the system");
    for (int j = 0; j < l->nw; j++) {
        ph_linear_apply(&l->sim->lay, l->sim->ev.M, l->Nw + j * l->nv, l->y[0]);
        for (int i = 0; i < l->nw; i++)
            G[i * l->nw + j] = dot(l->nv, l->Nl + i * l->nv, l->y[0]);
    }
    int ok = ph_small_solve(l->nw, l->n, G, l->A + l->nz * l->n);
    ph_free(l->alloc, G);
    return ok ? PH_OK : ph_fail(err, PH_E_SINGULAR, "friction leaves no unique accelerations");
}

/* z'' = A z where D leaves nothing: A = -Nw^T K Nw, symmetric to round-off if K is. 0: there is damping. */
static int assemble_second(ph_linear *l)
{
    int nv = l->nv, n = l->nw;
    double damping = 0, stiffness = 0, skew = 0;
    l->n = n;
    for (int j = 0; j < n; j++) {
        apply_D(l, l->Nw + j * nv, l->y[0]);
        apply_K(l, l->Nw + j * nv, l->y[1]);
        for (int i = 0; i < n; i++) {
            damping = ph_larger(damping, fabs(dot(nv, l->Nw + i * nv, l->y[0])));
            l->A[i * n + j] = -dot(nv, l->Nw + i * nv, l->y[1]);
            stiffness = ph_larger(stiffness, fabs(l->A[i * n + j]));
            l->noise[0] = ph_larger(l->noise[0], dot_noise(nv, l->Nw + i * nv, l->y[1]));
        }
    }
    if (!(damping <= PH_LINEAR_UNDAMPED * sqrt(stiffness))) {
        l->noise[0] = 0;
        return 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            skew = ph_larger(skew, fabs(l->A[i * n + j] - l->A[j * n + i]));
    for (int i = 0; i < n && skew <= 1e-9 * stiffness; i++)
        for (int j = 0; j < i; j++)
            l->A[i * n + j] = l->A[j * n + i] = (l->A[i * n + j] + l->A[j * n + i]) / 2;
    return 1;
}

static ph_status assemble(ph_linear *l, ph_error *err)
{
    ph_status s = find_P(l);
    if (s != PH_OK)
        return ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
    l->second = !(l->speed > 0) && l->nz == l->nw && !l->Nl && assemble_second(l);
    if (l->second)
        return PH_OK;
    l->n = l->nz + l->nw;
    for (int j = 0; j < l->nz; j++)
        put_column(l, j, l->Nh + j * l->nv, l->P + j * l->nv);
    for (int j = 0; j < l->nw; j++)
        put_column(l, l->nz + j, NULL, l->Nw + j * l->nv);
    return l->Nl ? divide_by_mass(l, err) : PH_OK;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static void take_vectors(ph_linear *l, ph_arena *a, size_t vectors)
{
    size_t nv = (size_t)l->nv, d = sizeof(double);
    l->Nh = ph_arena_take(a, vectors * nv, d);
    l->Nw = ph_arena_take(a, vectors * nv, d);
    l->row = ph_arena_take(a, (size_t)l->sim->lay.nl, d);
    for (int k = 0; k < 2; k++)
        l->H[k] = ph_arena_take(a, nv, d);
    for (int k = 0; k < 4; k++)
        l->y[k] = ph_arena_take(a, nv, d);
}

static void take(ph_linear *l, ph_arena *a)
{
    size_t nv = (size_t)l->nv, nl = (size_t)l->sim->lay.nl, d = sizeof(double);
    size_t n = 2 * nv; /* at most */
    take_vectors(l, a, nv);
    l->Nl = l->sim->lay.friction ? ph_arena_take(a, nv * nv, d) : NULL;
    l->P = ph_arena_take(a, nv * nv, d);
    l->rows = ph_arena_take(a, (nl + nv) * nv, d);
    l->A = ph_arena_take(a, n * n, d);
}

static ph_status open_sim(ph_linear *l, const ph_system *sys, double t, const double *q, const double *v,
                          ph_error *err)
{
    ph_options o = ph_default_options();
    o.h = 1e-6, o.start = PH_PLAIN, o.alloc = l->alloc; /* no step is taken */
    ph_status s = ph_sim_create(&l->sim, sys, &o, t, q, v, err);
    if (s != PH_OK)
        return s;
    l->nv = l->sim->lay.nv;
    l->speed = ph_small_max(second_order(l), l->sim->now.v);
    l->acceleration = ph_small_max(l->nv, l->sim->now.vdot);
    return PH_OK;
}

/* lowest: the number of modes that are wanted; 0: whole bases. */
static ph_status open_work(ph_linear *l, int lowest, ph_error *err)
{
    ph_arena a = {0};
    int vectors = l->nv - second_order(l) + (lowest < l->nv ? lowest : l->nv);
    if (!lowest && l->nv > PH_LINEAR_LARGEST)
        return ph_fail(err, PH_E_INPUT, "modes are found for at most %d velocities; this system has %d",
                       PH_LINEAR_LARGEST, l->nv);
    for (int pass = 0; pass < 2; pass++) {
        if (lowest)
            take_vectors(l, &a, (size_t)vectors);
        else
            take(l, &a);
        if (!pass && !ph_arena_open(&a, l->alloc))
            return ph_fail(err, PH_E_MEMORY, "not enough memory to linearise the system");
        l->block = a.block;
    }
    return PH_OK;
}

static ph_status evaluate_now(ph_linear *l, ph_error *err)
{
    ph_status s = evaluate(l, &l->sim->now);
    if (s == PH_E_CALLBACK)
        return ph_fail(err, s, "the callback %s refused the state", l->sim->ev.refused);
    return s == PH_OK ? s : ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
}

/* Nh and Nw from the modes in Nw. */
static void add_first_order(ph_linear *l, int modes)
{
    int nv = l->nv;
    l->nz = l->nw = modes;
    memcpy(l->Nh, l->Nw, sizeof(double) * (size_t)modes * (size_t)nv);
    for (int i = second_order(l); i < nv; i++, l->nw++) {
        memset(l->Nw + (size_t)l->nw * (size_t)nv, 0, sizeof(double) * (size_t)nv);
        l->Nw[(size_t)l->nw * (size_t)nv + (size_t)i] = 1;
    }
}

ph_status ph_linear_open_lowest(ph_linear *l, const ph_system *sys, double t, const double *q,
                                const double *v, int modes, const ph_allocator *alloc, ph_error *err)
{
    int found = 0;
    *l = (ph_linear){.alloc = alloc};
    ph_status s = open_sim(l, sys, t, q, v, err);
    if (s == PH_OK)
        s = open_work(l, modes, err);
    if (s == PH_OK)
        s = evaluate_now(l, err);
    if (s == PH_OK)
        s = ph_linear_find_lowest(l, second_order(l), modes, &found, err);
    if (s == PH_OK)
        add_first_order(l, found);
    else
        ph_linear_destroy(l);
    return s;
}

ph_status ph_linear_open(ph_linear *l, const ph_system *sys, double t, const double *q, const double *v,
                         const ph_allocator *alloc, ph_error *err)
{
    *l = (ph_linear){.alloc = alloc};
    ph_status s = open_sim(l, sys, t, q, v, err);
    if (s == PH_OK)
        s = open_work(l, 0, err);
    if (s == PH_OK)
        s = evaluate_now(l, err);
    if (s == PH_OK && !find_bases(l))
        s = ph_fail(err, PH_E_SINGULAR, "the mass matrix is not positive definite on what can move");
    if (s != PH_OK)
        ph_linear_destroy(l);
    return s;
}

ph_status ph_linear_follow(ph_linear *l, const double *y, double *rate)
{
    ph_status s = evaluate(l, &l->sim->now); /* a lift evaluates too */
    if (s != PH_OK)
        return s;
    apply_links(&l->sim->lay, l->sim->ev.Z, y, l->row);
    for (int i = 0; i < l->sim->lay.nl; i++)
        l->row[i] = -l->row[i];
    return ph_start_lift(l->sim, &l->sim->now, l->row, rate);
}

ph_status ph_linear_create(ph_linear *l, const ph_system *sys, double t, const double *q, const double *v,
                           const ph_allocator *alloc, ph_error *err)
{
    ph_status s = ph_linear_open(l, sys, t, q, v, alloc, err);
    if (s != PH_OK)
        return s;
    s = find_axes(l, err);
    if (s == PH_OK)
        s = assemble(l, err);
    if (s != PH_OK)
        ph_linear_destroy(l);
    return s;
}

void ph_linear_destroy(ph_linear *l)
{
    ph_sim_destroy(l->sim);
    ph_free(l->alloc, l->block);
    *l = (ph_linear){.alloc = l->alloc};
}
