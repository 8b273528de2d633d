/* Derivatives of the multipliers of redundant rows, which are those of least norm.
 *
 * The equations leave the part of lambda' in the null space of B^T open. With P, the projection to it: P lambda = 0 and
 * P B = 0, so that with any z for which B z = lambda
 *
 *   P lambda' = P (d(B z)/dq W + B_p z)                                                               (W6)
 *
 * Friction depends on these multipliers, so that (W6) belongs to the equations of the step: lambda' is corrected by it
 * whenever W is, and the transposed equations have, with w = P (lambda_bar/s - (B + g_lambda^T) mu_r),
 *
 *   dq_bar += s (d(B z)/dq)^T w   before mu is solved for,   W_bar likewise and p_bar += s w B_p z after   (W14) */
#include <string.h>

#include "la/small.h"
#include "sens/sens.h"

/* rows += f B z of the system behind ev, as a difference of rates with v = z and v = 0; slope: its derivative by q,
 * which must be that of sens->sim, goes there instead. */
static ph_status add_rows(const ph_sens *sens, ph_eval *ev, double f, double *rows, double *slope)
{
    const ph_layout *lay = &sens->sim->lay;
    ph_state s = ph_point_view(&sens->sim->next, lay);
    for (int side = 0; side < 2; side++) {
        double sign = side ? -f : f;
        s.v = side ? sens->zero : sens->lift;
        ph_status status = ph_eval_residual(ev, &s, PH_EVAL_RATE);
        if (status == PH_OK && slope)
            status = ph_eval_tangent(ev, &s, PH_EVAL_RATE);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < lay->size_links && slope; i++)
            slope[i] += sign * ev->Z[i];
        for (int i = 0; i < lay->nl && !slope; i++)
            rows[i] += sign * ev->rate[i];
    }
    return PH_OK;
}

ph_status ph_sens_null_begin(ph_sens *sens)
{
    ph_sim *sim = sens->sim;
    memset(sens->Z_lift, 0, sizeof(double) * (size_t)sim->lay.size_links);
    ph_status s = ph_start_lift(sim, &sim->next, sim->next.lambda, sens->lift);
    if (s == PH_OK)
        s = add_rows(sens, &sim->ev, 1, NULL, sens->Z_lift);
    return s == PH_OK ? ph_redundant_span(&sim->matrix, &sim->ev) : s;
}

ph_status ph_sens_null_loads(ph_sens *sens, const ph_follower *d)
{
    ph_status s = PH_OK;
    memset(sens->B_p, 0, sizeof(double) * (size_t)sens->sim->lay.nl);
    for (int k = 0; k < PH_NEIGHBOURS && s == PH_OK; k++)
        if (d->weight[k] != 0)
            s = add_rows(sens, &d->at[k]->ev, d->weight[k], sens->B_p, NULL);
    return s;
}

ph_status ph_sens_null_set(ph_sens *sens, ph_variation *x)
{
    ph_newton_matrix *nm = &sens->sim->matrix;
    const ph_layout *lay = &sens->sim->lay;
    for (int i = 0; i < lay->nl; i++)
        nm->w[i] = sens->B_p[i] - x->lambda[i];
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, sens->Z_lift + b->at, x->W + b->col_at, nm->w + b->row_at);
    ph_status s = ph_redundant_null_part(nm, nm->w);
    for (int i = 0; i < lay->nl && s == PH_OK; i++)
        x->lambda[i] += nm->w[i];
    return s;
}

void ph_sens_null_back(const ph_sens *sens, double f, const double *w, double *W_bar)
{
    const ph_layout *lay = &sens->sim->lay;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                W_bar[b->col_at + j] += f * sens->Z_lift[b->at + i * b->n + j] * w[b->row_at + i];
}
