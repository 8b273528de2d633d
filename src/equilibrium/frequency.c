/* The fastest frequency of the undamped system linearised about the present state: power iteration.
 *
 *   [ M  B^T ] [ y ]   [ K x ]
 *   [ B   0  ] [ m ] = [ 0   ],   omega^2 = lim |y|/|x|                                              (F1) */
#include <string.h>

#include "equilibrium/equilibrium_limits.h"
#include "la/small.h"
#include "step/sim.h"

ph_status ph_sim_fastest(ph_sim *sim, double *omega)
{
    const ph_layout *lay = &sim->lay;
    ph_newton_matrix *nm = &sim->matrix;
    ph_eval *ev = &sim->ev;
    ph_state s = ph_point_view(&sim->now, lay);
    double *x = sim->next.a, log_sum = 0;
    unsigned seed = 1;
    ph_status status = ph_eval_residual(ev, &s, PH_EVAL_PHI | PH_EVAL_RATE);
    if (status == PH_OK)
        status = ph_eval_tangent(ev, &s, PH_EVAL_PHI);
    if (status == PH_OK)
        status = ph_newton_factor_as_is(nm, ev, 0);
    *omega = 0;
    for (int i = 0; i < lay->nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)seed / 4294967296.0 - 0.5;
    }
    for (int k = 0; k < PH_FREQUENCY_ITERATIONS && status == PH_OK; k++) {
        memset(nm->b, 0, sizeof(double) * (size_t)(lay->nv + lay->nl));
        for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
            ph_small_mul_add(b->m, b->n, ev->K + b->at, x + b->col_at, nm->b + b->row_at);
        status = ph_solver_solve(nm->initial, nm->b, nm->x);
        double size = ph_small_max(lay->nv, nm->x), last = ph_small_max(lay->nv, x);
        if (!(size > 1e-300 * last))
            return status; /* nothing restores the motion */
        if (k >= PH_FREQUENCY_ITERATIONS / 2)
            log_sum += log(size / last);
        for (int i = 0; i < lay->nv; i++)
            x[i] = nm->x[i] / size;
    }
    *omega = exp(0.5 * log_sum / (PH_FREQUENCY_ITERATIONS - PH_FREQUENCY_ITERATIONS / 2));
    return status;
}
