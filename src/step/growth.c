/* Parts of a step that failed must resolve motion that grows.
 *
 * If the motion grows by more than a factor in a step, the equations of an implicit step have other solutions, beyond a
 * singularity of their matrix, and Newton's method may find one of them: after z' = k z^3 has become infinite, z goes on from
 * the other side. The matrix is regular from size 0 of the step up to its size if
 *
 *   d^T (M + h/2 C + h^2/4 K) d > d^T M d / 2,   d = v_1 - v_n                                       (RB22)
 *
 * with the tangents at both ends. Stiff springs and dampers make the left side larger; only growth that the step does not
 * resolve makes it smaller. States of first order, whose units differ, are compared separately. */
#include "step/growth.h"

#include <math.h>
#include <string.h>

/* Add x^T (M + h/2 C + h^2/4 K) y of a block to form, and x^T M y to mass. */
static void add_block(const ph_eval *ev, const ph_block *b, double h, const double *d, double *form,
                      double *mass)
{
    for (int r = 0; r < b->m; r++)
        for (int c = 0; c < b->n; c++) {
            int at = b->at + r * b->n + c;
            double xy = d[b->row_at + r] * d[b->col_at + c], m = b->has ? ev->M[at] : 0;
            *mass += xy * m;
            *form += xy * (m + (b->has ? h / 2 * ev->C[at] : 0) + h * h / 4 * ev->K[at]);
        }
}

/* The same for all blocks at one end: the ratio of the two, the lesser one of mechanics and states. */
static double ratio(const ph_sim *sim, double h, const double *d)
{
    const ph_layout *lay = &sim->lay;
    double form[2] = {0}, mass[2] = {0}, least = 1;
    int first = lay->N - lay->sys->n_first;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        if ((b->row < first) == (b->col < first))
            add_block(&sim->ev, b, h, d, &form[b->row >= first], &mass[b->row >= first]);
    for (int k = 0; k < 2; k++)
        if (mass[k] > 0)
            least = fmin(least, form[k] / mass[k]);
    return least;
}

double ph_growth_least(ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    const ph_point *end[] = {&sim->now, &sim->next};
    double *d = sim->matrix.x, least = 1;
    for (int k = 0; k < 2; k++) {
        ph_state at = ph_point_view(end[k], lay);
        if (ph_eval_linear(&sim->ev, &at, sim->matrix.what) != PH_OK)
            return 1; /* the next step reports the reason */
        for (int i = 0; i < lay->nv; i++)
            d[i] = sim->next.v[i] - sim->now.v[i];
        least = fmin(least, ratio(sim, sim->next.t - sim->now.t, d));
    }
    sim->matrix.factored = 0; /* the matrices are of other points now */
    return least;
}
