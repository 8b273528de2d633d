/* The adjoint of the motion, for starts that follow it to round-off.
 *
 * With c of (K10) and S = [M, B^T + g_lambda; B, 0] the derivatives of the motion by a parameter are
 *
 *   Wdot = v' - hat(v) W,   S (vdot', lambda') = -(K W + C v' + r_p, c_q W + c_v v' + c_p)            (W12)
 *
 * so that covectors mu follow, with (xi, zeta) = S^-T (mu_v, 0),
 *
 *   mu_W' = hat(v)^T mu_W + K^T xi + c_q^T zeta,   mu_v' = -mu_W + C^T xi + c_v^T zeta,
 *   p_bar = -int (xi r_p + zeta c_p) dt                                                                 (W13)
 *
 * They are integrated backwards along with the motion, by the same Runge-Kutta method. Backwards a damped motion grows:
 * over a step of n pieces by the n-th power of what one piece can bear. So the motion is made again forwards,
 *
 *   x_k from x_{k-1}, k = 1..n - 1;  then for k = n..1 (x_{k-1}, mu) backwards from (x_k, mu), x_{k-1} dropped   (OP4)
 *
 * c_p is the rate of rate_p along the motion, a central difference. */
#include "sens/motion_back.h"

#include <string.h>

#include "base/difference.h"
#include "la/small.h"

void ph_motion_back_take(ph_motion_back *m, ph_sens *sens, const ph_tableau *tab, ph_arena *a)
{
    const ph_layout *lay = &sens->sim->lay;
    size_t nv = (size_t)lay->nv, nl = (size_t)lay->nl, d = sizeof(double);
    m->sens = sens, m->tab = tab;
    ph_accel_take(&m->ac, lay, a);
    ph_point_take(&m->at, lay, a);
    ph_point_take(&m->side, lay, a);
    ph_point_take(&m->begin, lay, a);
    ph_point_take(&m->end, lay, a);
    m->rhs = ph_arena_take(a, nv + nl, d);
    m->x = ph_arena_take(a, nv + nl, d);
    m->c_p = ph_arena_take(a, nl, d);
    m->mu_W = ph_arena_take(a, nv, d);
    m->mu_v = ph_arena_take(a, nv, d);
    m->slope = ph_arena_take(a, (size_t)tab->s * 2 * nv, d);
}

/* Tangents at m->at, whose accelerations were found last, and (xi, zeta) of the right-hand side m->rhs. */
static ph_status solve(ph_motion_back *m)
{
    ph_sim *sim = m->sens->sim;
    ph_state s = ph_point_view(&m->at, &sim->lay);
    ph_status status = ph_solver_solve_transposed(sim->matrix.initial, m->rhs, m->x);
    if (status == PH_OK)
        status = ph_eval_linear(&sim->ev, &s, PH_EVAL_RATE);
    return status == PH_OK ? ph_accel_tangent(&m->ac, &sim->ev, &m->at) : status;
}

/* W += f (K^T xi + c_q^T zeta), v += f (C^T xi + c_v^T zeta) */
static void transpose(const ph_motion_back *m, double f, double *W, double *v)
{
    const ph_layout *lay = &m->sens->sim->lay;
    const ph_eval *ev = &m->sens->sim->ev;
    const double *xi = m->x, *zeta = m->x + lay->nv;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = f * xi[b->row_at + i];
                W[b->col_at + j] += ev->K[b->at + i * b->n + j] * x;
                v[b->col_at + j] += ev->C[b->at + i * b->n + j] * x;
            }
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = f * zeta[b->row_at + i];
                W[b->col_at + j] += m->ac.by_q[b->at + i * b->n + j] * x;
                v[b->col_at + j] += m->ac.by_v[b->at + i * b->n + j] * x;
            }
}

/* c_p += f rate_p a time step from m->at on the motion */
static ph_status add_rate(ph_motion_back *m, ph_follower *d, double step, double f)
{
    const ph_layout *lay = &m->sens->sim->lay;
    const ph_point *at = &m->at;
    ph_point *p = &m->side;
    p->t = at->t + step;
    ph_point_shift(lay, at, step, at->v, p);
    for (int i = 0; i < lay->nv; i++)
        p->v[i] = at->v[i] + step * at->vdot[i];
    ph_state s = ph_point_view(p, lay);
    s.vdot = at->vdot, s.lambda = at->lambda;
    ph_status status = ph_sens_loads(m->sens, d, &s);
    for (int i = 0; i < lay->nl; i++)
        m->c_p[i] += f * m->sens->rate_p[i];
    return status;
}

/* gradient += f (xi r_p + zeta c_p) for each parameter */
static ph_status add_parameters(ph_motion_back *m, double f)
{
    ph_sens *sens = m->sens;
    const ph_layout *lay = &sens->sim->lay;
    ph_state s = ph_point_view(&m->at, lay);
    double fastest = ph_larger(1, ph_small_max(lay->nv, m->at.v)),
           step = exp2(floor(log2(PH_DIFFERENCE_SMALL / fastest)));
    for (int k = 0; k < sens->n; k++) {
        double sum = 0;
        ph_status status = PH_OK;
        memset(m->c_p, 0, sizeof(double) * (size_t)lay->nl);
        if (lay->nl > 0)
            status = add_rate(m, &sens->d[k], step, 1 / (2 * step));
        if (status == PH_OK && lay->nl > 0)
            status = add_rate(m, &sens->d[k], -step, -1 / (2 * step));
        if (status == PH_OK)
            status = ph_sens_loads(sens, &sens->d[k], &s);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < lay->nv; i++)
            sum += m->x[i] * sens->r_p[i];
        for (int i = 0; i < lay->nl; i++)
            sum += m->x[lay->nv + i] * m->c_p[i];
        m->gradient[k] += f * sum;
    }
    return PH_OK;
}

/* Covectors at stage i: those at the end of the piece, and what the stages before it add. */
static void gather(ph_motion_back *m, int nv, const double *w, int stages)
{
    memcpy(m->mu_W, m->W, sizeof(double) * (size_t)nv);
    memcpy(m->mu_v, m->v, sizeof(double) * (size_t)nv);
    for (int j = 0; j < stages; j++) {
        const double *slope = m->slope + j * 2 * nv;
        for (int k = 0; w[j] != 0 && k < nv; k++) {
            m->mu_W[k] += m->h * w[j] * slope[k];
            m->mu_v[k] += m->h * w[j] * slope[nv + k];
        }
    }
}

/* (W13) at stage i; the accelerations of the point are the last that were found. */
static ph_status stage(void *ctx, int i, const ph_point *p)
{
    ph_motion_back *m = ctx;
    ph_sim *sim = m->sens->sim;
    const ph_layout *lay = &sim->lay;
    int nv = lay->nv;
    double *W = m->slope + i * 2 * nv, *v = W + nv;
    ph_point_copy(&m->at, p, lay);
    ph_status status = i == 0 ? ph_start_accelerations(sim, &m->at) : PH_OK;
    gather(m, nv, m->tab->A[i], i);
    memcpy(m->rhs, m->mu_v, sizeof(double) * (size_t)nv);
    memset(m->rhs + nv, 0, sizeof(double) * (size_t)lay->nl);
    if (status == PH_OK)
        status = solve(m);
    if (status != PH_OK)
        return status;
    memset(W, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < nv; k++)
        v[k] = -m->mu_W[k];
    for (const ph_slot *n = lay->slot, *end = n + lay->N; n < end; n++) {
        double hat[PH_DIM_MAX * PH_DIM_MAX];
        if (n->T_at < 0)
            continue;
        n->op->hat(n->dim, m->at.v + n->v_at, hat);
        ph_small_tmul_add(n->dim, n->dim, hat, m->mu_W + n->v_at, W + n->v_at);
    }
    transpose(m, 1, W, v);
    return m->tab->b[i] != 0 ? add_parameters(m, m->h * m->tab->b[i]) : PH_OK;
}

/* Points first + 1 to last of the pieces of size h that follow begin, to m->point. */
static ph_status make_points(ph_motion_back *m, ph_rk *rk, const ph_point *begin, double h, int first,
                             int last)
{
    const ph_point *at = begin;
    ph_status s = PH_OK;
    for (int k = 1; k <= last && s == PH_OK; k++) {
        ph_point *to = k > first ? &m->point[k - first - 1] : k % 2 ? &m->begin : &m->end;
        to->t = begin->t + h * k;
        s = ph_rk_step(m->sens->sim, rk, at, h, to, NULL);
        at = to;
    }
    return s;
}

/* Covectors from a point to a time -m->h before it, along the motion that ends there. */
static ph_status piece_back(ph_motion_back *m, ph_rk *rk, const ph_point *from, double *W, double *v)
{
    ph_sim *sim = m->sens->sim;
    size_t bytes = sizeof(double) * (size_t)sim->lay.nv;
    m->end.t = from->t + m->h;
    rk->stage = stage, rk->ctx = m;
    ph_status s = ph_rk_step(sim, rk, from, m->h, &m->end, NULL);
    rk->stage = NULL, rk->ctx = NULL;
    gather(m, sim->lay.nv, m->tab->b, m->tab->s);
    memcpy(W, m->mu_W, bytes), memcpy(v, m->mu_v, bytes);
    return s;
}

ph_status ph_motion_back_over(ph_motion_back *m, ph_rk *rk, const ph_point *begin, const ph_point *end,
                              int pieces, double *W, double *v, double *gradient)
{
    ph_sim *sim = m->sens->sim;
    ph_stats stats = sim->stats;
    double h = (end->t - begin->t) / pieces;
    ph_status s = PH_OK;
    m->W = W, m->v = v, m->gradient = gradient, m->h = -h;
    for (int first, last = pieces; last > 0 && s == PH_OK; last = first) { /* as many as there is room for */
        first = last > m->room ? last - m->room : 0;
        s = make_points(m, rk, begin, h, first, last < pieces ? last : pieces - 1);
        for (int k = last; k > first && s == PH_OK; k--)
            s = piece_back(m, rk, k == pieces ? end : &m->point[k - first - 1], W, v); /* (OP4) */
    }
    sim->stats = stats;
    return s;
}

ph_status ph_motion_back_forces(ph_motion_back *m, const ph_point *at, const double *vdot,
                                const double *lambda, double *W, double *v, double *gradient)
{
    ph_sim *sim = m->sens->sim;
    const ph_layout *lay = &sim->lay;
    if (ph_small_max(lay->nv, vdot) == 0 && ph_small_max(lay->nl, lambda) == 0)
        return PH_OK;
    m->gradient = gradient;
    ph_point_copy(&m->at, at, lay);
    memcpy(m->rhs, vdot, sizeof(double) * (size_t)lay->nv);
    memcpy(m->rhs + lay->nv, lambda, sizeof(double) * (size_t)lay->nl);
    ph_status status = ph_start_accelerations(sim, &m->at);
    if (status == PH_OK)
        status = solve(m);
    if (status != PH_OK)
        return status;
    transpose(m, -1, W, v);
    return add_parameters(m, -1);
}
