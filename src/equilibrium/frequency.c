/* The fastest frequency of the system linearised about the present state, by power iteration: without damping,
 *
 *   [ M  B^T ] [ y ]   [ K x ]
 *   [ B   0  ] [ m ] = [ 0   ],   omega^2 = lim |y|/|x|                                              (F1)
 *
 * and with nodes of first order and the blocks C_1 of C in their rows and columns,
 *
 *   y' = u,   [ M  B^T ] [ u' ]     [ K y + C_1 u ]
 *             [ B   0  ] [ m  ] = - [ 0           ],   omega = lim |(y', u')|/|(y, u)|               (F2)
 *
 * Dampers and friction are in neither: an implicit step need not resolve what they do. */
#include <string.h>

#include "equilibrium/equilibrium_limits.h"
#include "la/small.h"
#include "step/sim.h"

/* The system at sim->now, and the factors of the matrix of (F1). */
static ph_status evaluate(ph_sim *sim)
{
    ph_state s = ph_point_view(&sim->now, &sim->lay);
    ph_status status = ph_eval_residual(&sim->ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status == PH_OK)
        status = ph_eval_tangent(&sim->ev, &s, PH_EVAL_PHI);
    return status == PH_OK ? ph_newton_factor_as_is(&sim->matrix, &sim->ev, 0) : status;
}

/* Numbers that are not special. */
static void scatter(int n, unsigned seed, double *x)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)seed / 4294967296.0 - 0.5;
    }
}

/* x = the acceleration part of the solution for the right-hand side (f, 0) in matrix.b */
static ph_status solve(ph_sim *sim)
{
    ph_newton_matrix *nm = &sim->matrix;
    memset(nm->b + sim->lay.nv, 0, sizeof(double) * (size_t)sim->lay.nl);
    return ph_solver_solve(nm->initial, nm->b, nm->x);
}

/* y' and u' of (F2), to y and u, divided by the larger of their sizes, which is returned in *size. */
static ph_status move_first_order(ph_sim *sim, double *y, double *u, double *size)
{
    const ph_layout *lay = &sim->lay;
    ph_newton_matrix *nm = &sim->matrix;
    int first = lay->N - lay->sys->n_first;
    memset(nm->b, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        ph_small_mul_add(b->m, b->n, sim->ev.K + b->at, y + b->col_at, nm->b + b->row_at);
        if (b->row >= first || b->col >= first)
            ph_small_mul_add(b->m, b->n, sim->ev.C + b->at, u + b->col_at, nm->b + b->row_at);
    }
    ph_status s = solve(sim);
    *size = ph_larger(ph_small_max(lay->nv, u), ph_small_max(lay->nv, nm->x));
    for (int i = 0; i<lay->nv && * size> 0; i++)
        y[i] = u[i] / *size, u[i] = -nm->x[i] / *size;
    return s;
}

static ph_status fastest_first_order(ph_sim *sim, double *omega)
{
    double log_sum = 0, size = 0;
    ph_status s = PH_OK;
    scatter(sim->lay.nv, 1, sim->next.a), scatter(sim->lay.nv, 2, sim->next.v);
    for (int k = 0; k < PH_FREQUENCY_ITERATIONS && s == PH_OK; k++) {
        s = move_first_order(sim, sim->next.a, sim->next.v, &size);
        if (!(size > 1e-300))
            return s; /* nothing changes */
        if (k >= PH_FREQUENCY_ITERATIONS / 2)
            log_sum += log(size);
    }
    *omega = exp(log_sum / (PH_FREQUENCY_ITERATIONS - PH_FREQUENCY_ITERATIONS / 2));
    return s;
}

static ph_status fastest_undamped(ph_sim *sim, double *omega)
{
    const ph_layout *lay = &sim->lay;
    ph_newton_matrix *nm = &sim->matrix;
    double *x = sim->next.a, log_sum = 0;
    ph_status s = PH_OK;
    scatter(lay->nv, 1, x);
    for (int k = 0; k < PH_FREQUENCY_ITERATIONS && s == PH_OK; k++) {
        memset(nm->b, 0, sizeof(double) * (size_t)lay->nv);
        for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
            ph_small_mul_add(b->m, b->n, sim->ev.K + b->at, x + b->col_at, nm->b + b->row_at);
        s = solve(sim);
        double size = ph_small_max(lay->nv, nm->x), last = ph_small_max(lay->nv, x);
        if (!(size > 1e-300 * last))
            return s; /* nothing restores the motion */
        if (k >= PH_FREQUENCY_ITERATIONS / 2)
            log_sum += log(size / last);
        for (int i = 0; i < lay->nv; i++)
            x[i] = nm->x[i] / size;
    }
    *omega = exp(0.5 * log_sum / (PH_FREQUENCY_ITERATIONS - PH_FREQUENCY_ITERATIONS / 2));
    return s;
}

ph_status ph_sim_fastest(ph_sim *sim, double *omega)
{
    *omega = 0;
    ph_status s = evaluate(sim);
    if (s != PH_OK)
        return s;
    return sim->lay.sys->n_first ? fastest_first_order(sim, omega) : fastest_undamped(sim, omega);
}
