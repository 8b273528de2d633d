/* Residuals and tangents of a system at a point.
 *
 *   r = M vdot + g + B^T lambda,   rate = B v + Phi_t                                         (E1)
 *   K = dr/dq,  C = dr/dv,  Z = d(rate)/dq                                                    (E2)
 *
 * Tangents that are not given are central differences, with all nodes of one colour perturbed at once. */
#include "step/eval.h"

#include <math.h>
#include <string.h>

#include "base/difference.h"
#include "la/small.h"
#include "step/pattern.h"
#include "step/step_limits.h"

/* ---- points ------------------------------------------------------------------------------------- */

void ph_point_take(ph_point *p, const ph_layout *lay, ph_arena *a)
{
    p->q = ph_arena_take(a, (size_t)lay->nq, sizeof(double));
    p->v = ph_arena_take(a, (size_t)lay->nv, sizeof(double));
    p->vdot = ph_arena_take(a, (size_t)lay->nv, sizeof(double));
    p->a = ph_arena_take(a, (size_t)lay->nv, sizeof(double));
    p->lambda = ph_arena_take(a, (size_t)lay->nl, sizeof(double));
    p->eta = ph_arena_take(a, (size_t)lay->nl, sizeof(double));
    p->R = ph_arena_take(a, (size_t)lay->nR, sizeof(ph_mat3));
}

void ph_point_copy(ph_point *to, const ph_point *from, const ph_layout *lay)
{
    size_t d = sizeof(double), nv = (size_t)lay->nv, nl = (size_t)lay->nl;
    to->t = from->t;
    memcpy(to->q, from->q, d * (size_t)lay->nq);
    memcpy(to->v, from->v, d * nv);
    memcpy(to->vdot, from->vdot, d * nv);
    memcpy(to->a, from->a, d * nv);
    memcpy(to->lambda, from->lambda, d * nl);
    memcpy(to->eta, from->eta, d * nl);
    memcpy(to->R, from->R, sizeof(ph_mat3) * (size_t)lay->nR);
}

void ph_point_tape(ph_point *p, const ph_layout *lay, ph_tape *t)
{
    ph_tape_numbers(t, &p->t, 1);
    ph_tape_numbers(t, p->q, lay->nq);
    ph_tape_numbers(t, p->v, lay->nv);
    ph_tape_numbers(t, p->vdot, lay->nv);
    ph_tape_numbers(t, p->a, lay->nv);
    ph_tape_numbers(t, p->lambda, lay->nl);
    ph_tape_numbers(t, p->eta, lay->nl);
    ph_tape_bytes(t, p->R, sizeof *p->R * (size_t)lay->nR);
}

static void rotation(const ph_layout *lay, ph_point *p, int i)
{
    const double *u = p->q + lay->q_at[i] + lay->slot[i].op->quat;
    p->R[lay->R_at[i]] = ph_qmat((ph_quat){u[0], u[1], u[2], u[3]});
}

void ph_point_rotations(ph_point *p, const ph_layout *lay)
{
    for (int i = 0; i < lay->N; i++)
        if (lay->R_at[i] >= 0)
            rotation(lay, p, i);
}

void ph_point_shift(const ph_layout *lay, const ph_point *from, double s, const double *x, ph_point *to)
{
    for (int i = 0; i < lay->N; i++) {
        const ph_group_ops *op = lay->slot[i].op;
        const double *q0 = from->q + lay->q_at[i], *xi = x + lay->v_at[i];
        double *q1 = to->q + lay->q_at[i];
        if (op->rot < 0) {
            for (int k = 0; k < lay->slot[i].dim; k++)
                q1[k] = q0[k] + s * xi[k];
            continue;
        }
        double y[PH_DIM_MAX], e[PH_DIM_MAX + 1];
        for (int k = 0; k < lay->slot[i].dim; k++)
            y[k] = s * xi[k];
        op->exp(lay->slot[i].dim, y, e);
        op->compose(lay->slot[i].dim, q0, e, q1);
        rotation(lay, to, i);
    }
}

void ph_point_stray(ph_point *p, const ph_layout *lay, int trial, double *shift)
{
    for (int i = 0; i < lay->nv; i++) {
        p->v[i] += trial * sin(1 + i), p->vdot[i] += trial * sin(2 + 3 * i);
        shift[i] = 0.1 * trial * sin(3 + 5 * i);
    }
    for (int i = 0; i < lay->nl; i++)
        p->lambda[i] += trial * sin(5 + 7 * i);
    ph_point_shift(lay, p, 1, shift, p);
}

/* ---- memory and colours ------------------------------------------------------------------------- */

static int needs_differences(const ph_system *sys)
{
    int constrained = sys->n_constraints > 0;
    return !sys->C || !sys->K || (constrained && (!sys->Z || !sys->convective)) ||
           ((sys->flags & PH_RHEONOMIC) && !sys->Phi_t) || ((sys->flags & PH_FORCE_LAMBDA) && !sys->g_lambda);
}

void ph_eval_take(ph_eval *ev, const ph_layout *lay, ph_arena *a)
{
    size_t d = sizeof(double), nv = (size_t)lay->nv, nl = (size_t)lay->nl;
    size_t pairs = (size_t)lay->size_pairs, links = (size_t)lay->size_links;
    ev->lay = lay;
    ev->M = ph_arena_take(a, pairs, d);
    ev->C = ph_arena_take(a, pairs, d);
    ev->K = ph_arena_take(a, pairs, d);
    ev->B = ph_arena_take(a, links, d);
    ev->Z = ph_arena_take(a, links, d);
    ev->Gl = ph_arena_take(a, links, d);
    ev->g = ph_arena_take(a, nv, d);
    ev->r = ph_arena_take(a, nv, d);
    ev->Phi = ph_arena_take(a, nl, d);
    ev->Phi_t = ph_arena_take(a, nl, d);
    ev->rate = ph_arena_take(a, nl, d);
    ev->differenced |= needs_differences(lay->sys);
    if (!ev->differenced)
        return;
    ph_point_take(&ev->probe, lay, a);
    ev->M2 = ph_arena_take(a, pairs, d);
    ev->B2 = ph_arena_take(a, links, d);
    ev->plus = ph_arena_take(a, nv + 2 * nl, d);
    ev->minus = ph_arena_take(a, nv + 2 * nl, d);
    ev->dx = ph_arena_take(a, nv + nl, d);
    ev->node_colour = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    ev->constraint_colour = ph_arena_take(a, (size_t)lay->C, sizeof(int));
    int count = lay->n_pairs + lay->n_links;
    ev->scratch =
        ph_arena_take(a, 2 * (size_t)count + ph_colour_scratch(lay->N + lay->C, lay->N + lay->C, count),
                      sizeof(int)); /* for either of the two colourings */
}

/* The columns of K and Z are nodes, their rows nodes and constraints; the columns of g_lambda are
 * constraints. */
void ph_eval_prepare(ph_eval *ev)
{
    const ph_layout *lay = ev->lay;
    if (!ev->differenced)
        return;
    int count = lay->n_pairs + lay->n_links, *row = ev->scratch, *col = row + count, *rest = col + count;
    for (int e = 0; e < lay->n_pairs; e++)
        row[e] = lay->pair[e].row, col[e] = lay->pair[e].col;
    for (int e = 0; e < lay->n_links; e++)
        row[lay->n_pairs + e] = lay->N + lay->link[e].row, col[lay->n_pairs + e] = lay->link[e].col;
    ev->node_colours = ph_colour(lay->N + lay->C, lay->N, count, row, col, ev->node_colour, rest);
    for (int e = 0; e < lay->n_links; e++)
        row[e] = lay->link[e].col, col[e] = lay->link[e].row;
    ev->constraint_colours = ph_colour(lay->N, lay->C, lay->n_links, row, col, ev->constraint_colour, rest);
}

/* ---- callbacks ---------------------------------------------------------------------------------- */

static ph_status call(ph_eval *ev, ph_callback f, const char *name, const ph_state *s, double *out)
{
    if (f(s, out, ev->lay->sys->ctx) == PH_OK)
        return PH_OK;
    ev->refused = name;
    return PH_E_CALLBACK;
}

#define CALL(name, s, out)                                                                                   \
    do {                                                                                                     \
        if (call(ev, sys->name, #name, s, out) != PH_OK)                                                     \
            return PH_E_CALLBACK;                                                                            \
    } while (0)

ph_status ph_eval_mass(ph_eval *ev, const ph_state *s)
{
    const ph_system *sys = ev->lay->sys;
    CALL(M, s, ev->M);
    return PH_OK;
}

ph_status ph_eval_links(ph_eval *ev, const ph_state *s, double *B)
{
    const ph_system *sys = ev->lay->sys;
    CALL(B, s, B);
    return PH_OK;
}

/* Phi and B of a system that has them at once. */
static ph_status positions_at_once(ph_eval *ev, const ph_state *s)
{
    const ph_system *sys = ev->lay->sys;
    if (ev->lay->positions(s, ev->Phi, ev->B, sys->ctx) == PH_OK)
        return PH_OK;
    ev->refused = "positions";
    return PH_E_CALLBACK;
}

ph_status ph_eval_positions(ph_eval *ev, const ph_state *s)
{
    const ph_system *sys = ev->lay->sys;
    if (ev->lay->positions)
        return positions_at_once(ev, s);
    CALL(B, s, ev->B);
    if (sys->Phi)
        CALL(Phi, s, ev->Phi);
    return PH_OK;
}

/* r = M vdot + g + B^T lambda */
static void balance(const ph_layout *lay, const ph_state *s, const double *M, const double *B, double *r)
{
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        if (b->has & PH_HAS_M)
            ph_small_mul_add(b->m, b->n, M + b->at, s->vdot + b->col_at, r + b->row_at);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_tmul_add(b->m, b->n, B + b->at, s->lambda + b->row_at, r + b->col_at);
}

/* rate += B v */
static void add_rate(const ph_layout *lay, const ph_state *s, const double *B, double *rate)
{
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, B + b->at, s->v + b->col_at, rate + b->row_at);
}

static ph_status rate_of_time(ph_eval *ev, const ph_state *s, double *Phi_t)
{
    const ph_system *sys = ev->lay->sys;
    if (sys->Phi_t)
        CALL(Phi_t, s, Phi_t);
    else if (sys->flags & PH_RHEONOMIC)
        return ph_eval_difference_t(ev, s, Phi_t);
    return PH_OK;
}

/* rate = Phi_t, B v is to come */
static ph_status open_rate(ph_eval *ev, const ph_state *s)
{
    if (rate_of_time(ev, s, ev->Phi_t) != PH_OK)
        return PH_E_CALLBACK;
    memcpy(ev->rate, ev->Phi_t, sizeof(double) * (size_t)ev->lay->nl);
    return PH_OK;
}

static ph_status rate_at(ph_eval *ev, const ph_state *s)
{
    ph_status status = open_rate(ev, s);
    if (status == PH_OK)
        add_rate(ev->lay, s, ev->B, ev->rate);
    return status;
}

ph_status ph_eval_block_products(ph_eval *ev, const ph_state *s, double *r, double *Phi, double *rate)
{
    const ph_system *sys = ev->lay->sys;
    if (r)
        balance(ev->lay, s, ev->M, ev->B, r);
    if (Phi)
        CALL(Phi, s, Phi);
    if (rate)
        add_rate(ev->lay, s, ev->B, rate);
    return PH_OK;
}

/* r, which has g and may be NULL, Phi and rate; products NULL: from the blocks of M and B, which are there. */
static ph_status add_products(ph_eval *ev, const ph_state *s, ph_products products, double *r, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    double *Phi = (what & PH_EVAL_PHI) && sys->Phi ? ev->Phi : NULL,
           *rate = what & PH_EVAL_RATE ? ev->rate : NULL;
    if (rate && open_rate(ev, s) != PH_OK)
        return PH_E_CALLBACK;
    if (!products)
        return ph_eval_block_products(ev, s, r, Phi, rate);
    if (products(s, r, Phi, rate, sys->ctx) == PH_OK)
        return PH_OK;
    ev->refused = "products";
    return PH_E_CALLBACK;
}

ph_status ph_eval_rate(ph_eval *ev, const ph_state *s)
{
    const ph_system *sys = ev->lay->sys;
    CALL(B, s, ev->B);
    return rate_at(ev, s);
}

ph_status ph_eval_violations(ph_eval *ev, const ph_state *s)
{
    if (ev->lay->products)
        return add_products(ev, s, ev->lay->products, NULL, PH_EVAL_PHI | PH_EVAL_RATE);
    ph_status status = ph_eval_positions(ev, s);
    return status == PH_OK ? rate_at(ev, s) : status;
}

/* M, where it changes */
static ph_status mass_of(ph_eval *ev, const ph_state *s)
{
    return ev->lay->sys->flags & PH_MASS_CONSTANT ? PH_OK : ph_eval_mass(ev, s);
}

/* What a residual has beside M and g. */
static ph_status beside_g(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    int stays = lay->products && (what & PH_EVAL_NEAR),
        at_once = lay->positions && (what & PH_EVAL_PHI) && !stays; /* with B, products are those of blocks */
    if (at_once && positions_at_once(ev, s) != PH_OK)
        return PH_E_CALLBACK;
    if (lay->C && !at_once && !stays)
        CALL(B, s, ev->B);
    memcpy(ev->r, ev->g, sizeof(double) * (size_t)lay->nv);
    return add_products(ev, s, at_once ? NULL : lay->products, ev->r, at_once ? what & ~PH_EVAL_PHI : what);
}

ph_status ph_eval_residual(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    if (mass_of(ev, s) != PH_OK)
        return PH_E_CALLBACK;
    CALL(g, s, ev->g);
    return beside_g(ev, s, what);
}

/* Z and g_lambda; K too where it is differenced, which finds Z as well. */
static ph_status beside_C_K(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    int needs_Z = (what & PH_EVAL_RATE) && ev->lay->C;
    if (needs_Z && sys->Z)
        CALL(Z, s, ev->Z);
    if (!sys->K || (needs_Z && !sys->Z)) {
        if (ph_eval_difference_q(ev, s, sys->K ? NULL : ev->K, sys->Z ? NULL : ev->Z, NULL) != PH_OK)
            return PH_E_CALLBACK;
    }
    return ev->lay->friction ? ph_eval_friction(ev, s) : PH_OK;
}

ph_status ph_eval_tangent(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    if (sys->C)
        CALL(C, s, ev->C);
    else if (ph_eval_difference_v(ev, s, ev->C) != PH_OK)
        return PH_E_CALLBACK;
    if (sys->K)
        CALL(K, s, ev->K);
    return beside_C_K(ev, s, what);
}

ph_status ph_eval_both(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    if (!ev->lay->tangents) {
        ph_status first = ph_eval_residual(ev, s, what);
        return first == PH_OK ? ph_eval_tangent(ev, s, what) : first;
    }
    if (mass_of(ev, s) != PH_OK)
        return PH_E_CALLBACK;
    if (ev->lay->tangents(s, ev->g, ev->C, ev->K, sys->ctx) != PH_OK) {
        ev->refused = "tangents";
        return PH_E_CALLBACK;
    }
    ph_status status = beside_g(ev, s, what);
    return status == PH_OK ? beside_C_K(ev, s, what) : status;
}

ph_status ph_eval_linear(ph_eval *ev, const ph_state *s, unsigned what)
{
    const ph_system *sys = ev->lay->sys;
    if (mass_of(ev, s) != PH_OK)
        return PH_E_CALLBACK;
    if (ev->lay->C)
        CALL(B, s, ev->B);
    return ph_eval_tangent(ev, s, what);
}

ph_status ph_eval_stiffness(ph_eval *ev, const ph_state *s, double *K)
{
    const ph_system *sys = ev->lay->sys;
    if (!sys->K)
        return ph_eval_difference_q(ev, s, K, NULL, NULL);
    CALL(K, s, K);
    return PH_OK;
}

ph_status ph_eval_rate_tangent(ph_eval *ev, const ph_state *s, double *Z)
{
    const ph_system *sys = ev->lay->sys;
    if (!sys->Z)
        return ph_eval_difference_q(ev, s, NULL, Z, NULL);
    CALL(Z, s, Z);
    return PH_OK;
}

ph_status ph_eval_friction(ph_eval *ev, const ph_state *s)
{
    const ph_system *sys = ev->lay->sys;
    if (!sys->g_lambda)
        return ph_eval_difference_lambda(ev, s, ev->Gl);
    CALL(g_lambda, s, ev->Gl);
    return PH_OK;
}

ph_status ph_eval_convective(ph_eval *ev, const ph_state *s, double *out)
{
    const ph_system *sys = ev->lay->sys;
    if (!ev->lay->C)
        return PH_OK;
    if (!sys->convective)
        return ph_eval_difference_motion(ev, s, out);
    CALL(convective, s, out);
    return PH_OK;
}

/* ---- differences -------------------------------------------------------------------------------- */

static double step_for(double x)
{
    return PH_DIFFERENCE * fmax(1, fabs(x));
}

/* The residuals at a point: nv of r, nl of Phi, nl of rate, one after the other. */
static ph_status residuals_at(ph_eval *ev, const ph_state *s, double *out)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    double *Phi = out + lay->nv, *rate = Phi + lay->nl;
    memset(out, 0, sizeof(double) * (size_t)(lay->nv + 2 * lay->nl));
    const double *M = ev->M;
    if (!(sys->flags & PH_MASS_CONSTANT)) {
        CALL(M, s, ev->M2);
        M = ev->M2;
    }
    CALL(g, s, out);
    if (lay->C)
        CALL(B, s, ev->B2);
    balance(lay, s, M, ev->B2, out);
    if (sys->Phi)
        CALL(Phi, s, Phi);
    if (rate_of_time(ev, s, rate) != PH_OK)
        return PH_E_CALLBACK;
    add_rate(lay, s, ev->B2, rate);
    return PH_OK;
}

/* Write column k of the blocks whose column has the colour, as (plus - minus)/(2 step). */
static void put_columns(const ph_block *b, int count, const int *colour, int c, int k, const double *plus,
                        const double *minus, const double *dx, double *out)
{
    for (const ph_block *end = b + count; b < end; b++) {
        if (colour[b->col] != c || k >= b->n)
            continue;
        double scale = 1 / (2 * dx[b->col_at + k]);
        for (int i = 0; i < b->m; i++)
            out[b->at + i * b->n + k] = (plus[b->row_at + i] - minus[b->row_at + i]) * scale;
    }
}

/* Perturbation of coordinate k of every node of a colour: step_for the number it acts on, 0 elsewhere. */
static int perturbation(const ph_eval *ev, int c, int k, const double *at, double *dx)
{
    const ph_layout *lay = ev->lay;
    int any = 0;
    memset(dx, 0, sizeof(double) * (size_t)lay->nv);
    for (int i = 0; i < lay->N; i++)
        if (ev->node_colour[i] == c && k < lay->slot[i].dim) {
            dx[lay->v_at[i] + k] = step_for(at ? at[lay->v_at[i] + k] : lay->slot[i].op->rot < 0 ? 1 : 0);
            any = 1;
        }
    return any;
}

static ph_point point_of(const ph_state *s)
{
    /* Only read: the probe is what gets written. */
    return (ph_point){s->t, (double *)s->q,      (double *)s->v, (double *)s->vdot,
                      NULL, (double *)s->lambda, NULL,           (ph_mat3 *)s->R};
}

static ph_state probe_at(ph_eval *ev, const ph_state *s)
{
    ph_state p = *s;
    memcpy(ev->probe.q, s->q, sizeof(double) * (size_t)ev->lay->nq);
    memcpy(ev->probe.R, s->R, sizeof(ph_mat3) * (size_t)ev->lay->nR);
    p.q = ev->probe.q, p.R = ev->probe.R;
    return p;
}

ph_status ph_eval_difference_q(ph_eval *ev, const ph_state *s, double *K, double *Z, double *B)
{
    const ph_layout *lay = ev->lay;
    ph_point here = point_of(s);
    ph_state probe = probe_at(ev, s);
    for (int c = 0; c < ev->node_colours; c++)
        for (int k = 0; k < lay->max_dim; k++) {
            if (!perturbation(ev, c, k, NULL, ev->dx))
                continue;
            ph_point_shift(lay, &here, 1, ev->dx, &ev->probe);
            if (residuals_at(ev, &probe, ev->plus) != PH_OK)
                return PH_E_CALLBACK;
            ph_point_shift(lay, &here, -1, ev->dx, &ev->probe);
            if (residuals_at(ev, &probe, ev->minus) != PH_OK)
                return PH_E_CALLBACK;
            int nv = lay->nv, nl = lay->nl;
            if (K)
                put_columns(lay->pair, lay->n_pairs, ev->node_colour, c, k, ev->plus, ev->minus, ev->dx, K);
            if (B)
                put_columns(lay->link, lay->n_links, ev->node_colour, c, k, ev->plus + nv, ev->minus + nv,
                            ev->dx, B);
            if (Z)
                put_columns(lay->link, lay->n_links, ev->node_colour, c, k, ev->plus + nv + nl,
                            ev->minus + nv + nl, ev->dx, Z);
        }
    return PH_OK;
}

/* Zero what other callbacks left on both sides: g need not write entries that are always zero. */
static void forget(ph_eval *ev)
{
    size_t bytes = sizeof(double) * (size_t)ev->lay->nv;
    memset(ev->plus, 0, bytes);
    memset(ev->minus, 0, bytes);
}

ph_status ph_eval_difference_v(ph_eval *ev, const ph_state *s, double *C)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    ph_state probe = *s;
    probe.v = ev->probe.v;
    forget(ev);
    for (int c = 0; c < ev->node_colours; c++)
        for (int k = 0; k < lay->max_dim; k++) {
            if (!perturbation(ev, c, k, s->v, ev->dx))
                continue;
            for (int i = 0; i < lay->nv; i++)
                ev->probe.v[i] = s->v[i] + ev->dx[i];
            CALL(g, &probe, ev->plus);
            for (int i = 0; i < lay->nv; i++)
                ev->probe.v[i] = s->v[i] - ev->dx[i];
            CALL(g, &probe, ev->minus);
            put_columns(lay->pair, lay->n_pairs, ev->node_colour, c, k, ev->plus, ev->minus, ev->dx, C);
        }
    return PH_OK;
}

ph_status ph_eval_difference_lambda(ph_eval *ev, const ph_state *s, double *Gl)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    ph_state probe = *s;
    probe.lambda = ev->probe.lambda;
    double *dx = ev->dx;
    forget(ev);
    for (int c = 0; c < ev->constraint_colours; c++)
        for (int k = 0; k < lay->max_dim; k++) {
            memset(dx, 0, sizeof(double) * (size_t)lay->nl);
            for (int j = 0; j < lay->C; j++)
                if (ev->constraint_colour[j] == c && k < lay->rows[j])
                    dx[lay->l_at[j] + k] = step_for(s->lambda[lay->l_at[j] + k]);
            for (int i = 0; i < lay->nl; i++)
                ev->probe.lambda[i] = s->lambda[i] + dx[i];
            CALL(g, &probe, ev->plus);
            for (int i = 0; i < lay->nl; i++)
                ev->probe.lambda[i] = s->lambda[i] - dx[i];
            CALL(g, &probe, ev->minus);
            for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
                if (ev->constraint_colour[b->row] != c || k >= b->m)
                    continue;
                double scale = 1 / (2 * dx[b->row_at + k]);
                for (int i = 0; i < b->n; i++)
                    Gl[b->at + i * b->m + k] = (ev->plus[b->col_at + i] - ev->minus[b->col_at + i]) * scale;
            }
        }
    return PH_OK;
}

ph_status ph_eval_difference_t(ph_eval *ev, const ph_state *s, double *Phi_t)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    ph_state probe = *s;
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    double *Phi = ev->probe.lambda;
    memset(Phi, 0, sizeof(double) * (size_t)lay->nl);
    memset(Phi_t, 0, sizeof(double) * (size_t)lay->nl);
    if (!sys->Phi)
        return PH_OK;
    for (int k = 0; k < 4; k++) {
        probe.t = s->t + at[k] * PH_EVAL_STEP_T;
        CALL(Phi, &probe, Phi);
        for (int c = 0; c < lay->C; c++)
            for (int i = lay->l_at[c]; i < lay->l_at[c] + lay->rows[c]; i++)
                Phi_t[i] += sys->constraints[c].nonholonomic ? 0 : weight[k] * Phi[i] / (12 * PH_EVAL_STEP_T);
    }
    return PH_OK;
}

/* d(rate)/dt along the motion at fixed v: both ends of a short piece of it. */
ph_status ph_eval_difference_motion(ph_eval *ev, const ph_state *s, double *convective)
{
    const ph_layout *lay = ev->lay;
    ph_point here = point_of(s);
    ph_state probe = probe_at(ev, s);
    double step =
        exp2(floor(log2(PH_DIFFERENCE / fmax(1, ph_small_max(lay->nv, s->v))))); /* t + step is exact */
    const double *rate = ev->plus + lay->nv + lay->nl, *rate_minus = ev->minus + lay->nv + lay->nl;
    ph_point_shift(lay, &here, step, s->v, &ev->probe);
    probe.t = s->t + step;
    if (residuals_at(ev, &probe, ev->plus) != PH_OK)
        return PH_E_CALLBACK;
    ph_point_shift(lay, &here, -step, s->v, &ev->probe);
    probe.t = s->t - step;
    if (residuals_at(ev, &probe, ev->minus) != PH_OK)
        return PH_E_CALLBACK;
    for (int i = 0; i < lay->nl; i++)
        convective[i] = (rate[i] - rate_minus[i]) / (2 * step);
    return PH_OK;
}

/* ---- blame -------------------------------------------------------------------------------------- */

static int infinite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 1;
    return 0;
}

int ph_eval_blame(ph_eval *ev, const ph_state *s, ph_error *err)
{
    const ph_layout *lay = ev->lay;
    const ph_system *sys = lay->sys;
    const struct {
        ph_callback f;
        const char *name;
        double *out;
        int n;
    } given[] = {
        {sys->M, "M", ev->M, lay->size_pairs},     {sys->g, "g", ev->g, lay->nv},
        {sys->Phi, "Phi", ev->Phi, lay->nl},       {sys->B, "B", ev->B, lay->size_links},
        {sys->Phi_t, "Phi_t", ev->Phi_t, lay->nl}, {sys->convective, "convective", ev->rate, lay->nl},
        {sys->C, "C", ev->C, lay->size_pairs},     {sys->K, "K", ev->K, lay->size_pairs},
        {sys->Z, "Z", ev->Z, lay->size_links},     {sys->g_lambda, "g_lambda", ev->Gl, lay->size_links}};
    if (infinite(s->q, lay->nq) || infinite(s->v, lay->nv))
        return 0; /* then the iterates ran away first */
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        if (!given[k].f || given[k].n == 0)
            continue;
        memset(given[k].out, 0, sizeof(double) * (size_t)given[k].n);
        if (given[k].f(s, given[k].out, sys->ctx) != PH_OK || !infinite(given[k].out, given[k].n))
            continue;
        ph_fail(err, PH_E_NAN, "the callback %s gave a number that is not finite at t = %.9g", given[k].name,
                s->t);
        return 1;
    }
    return 0;
}
