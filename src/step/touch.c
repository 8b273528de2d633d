/* Steps within which a one-sided law closes or opens: a stop, a contact, a switch of a function.
 *
 * Such a step may converge and still be wrong: the stiffness of the law acts for the whole step, or not at all. It is too
 * large if
 *
 *   h^2 | |K_1| - |K_n| | / M > (pi/8)^2                                                             (RB6)
 *
 * with the Frobenius norms of the diagonal blocks of a node, translations and rotations apart, and its least mass or
 * moment of inertia. Turns of a body do not change the norms. The next two steps, and parts while they are held, are
 * compared even if all laws are on the same sides: a law that has closed becomes stiffer. */
#include "step/touch.h"

#include <math.h>

/* Norms of the diagonal blocks of K, two for each node. */
static void norms(const ph_sim *sim, double *to)
{
    const ph_layout *lay = &sim->lay;
    for (int i = 0; i < lay->N - lay->sys->n_first; i++) {
        const ph_block *d = &lay->pair[lay->diag[i]];
        double sum[2] = {0};
        for (int r = 0; r < d->m; r++)
            for (int c = 0; c < d->n; c++) {
                int turns = r >= lay->slot[i].rot;
                double x = sim->ev.K[d->at + r * d->n + c];
                sum[turns] += turns == (c >= lay->slot[i].rot) ? x * x : 0;
            }
        to[2 * i] = sqrt(sum[0]), to[2 * i + 1] = sqrt(sum[1]);
    }
}

/* The least diagonal element of M among translations (0) or rotations (1). */
static double least_mass(const ph_sim *sim, int i, int turns)
{
    const ph_layout *lay = &sim->lay;
    const ph_block *d = &lay->pair[lay->diag[i]];
    double least = HUGE_VAL;
    for (int r = turns ? lay->slot[i].rot : 0; r < (turns ? d->m : lay->slot[i].rot); r++)
        least = fmin(least, fabs(sim->ev.M[d->at + r * d->n + r]));
    return least;
}

int ph_touch_differs(const ph_sim *sim)
{
    if (!sim->sides)
        return 0;
    ph_state a = ph_point_view(&sim->now, &sim->lay), b = ph_point_view(&sim->next, &sim->lay);
    return sim->sides(&a, sim->sides_ctx) != sim->sides(&b, sim->sides_ctx);
}

int ph_touch_changes(ph_sim *sim)
{
    return sim->whole && ph_touch_differs(sim);
}

double ph_touch_stiffens(ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    ph_state a = ph_point_view(&sim->now, lay), b = ph_point_view(&sim->next, lay);
    double *before = sim->touch, *after = before + 2 * lay->N, h = b.t - a.t, most = 0;
    ph_status s = ph_eval_linear(&sim->ev, &a, sim->matrix.what);
    norms(sim, before);
    if (s == PH_OK)
        s = ph_eval_linear(&sim->ev, &b, sim->matrix.what);
    norms(sim, after);
    sim->matrix.factored = 0; /* the matrices are of other points now */
    for (int i = 0; i < 2 * (lay->N - lay->sys->n_first) && s == PH_OK; i++) {
        double gain = h * h * (after[i] - before[i]) / least_mass(sim, i / 2, i % 2);
        most = fabs(gain) > fabs(most) ? gain : most;
    }
    return most;
}
