/* One step of the adjoint: the transposed step of sens.c.
 *
 * With bars for covectors, the derivatives of the objective by what stands at a point, (W3) gives those of the
 * increments of (N2), u being that of dv,
 *
 *   u = v_bar + eps vdot_bar,   dq_bar = W_bar + gp (L^T u + eps Q^T vdot_bar),
 *   x_eta_bar = gp B_n F^T u                                                                          (W7)
 *
 * and with mu = A^-T (dq_bar, lambda_bar/s, x_eta_bar) those of what is predicted and of the parameter:
 *
 *   W_bar -= s (K + N)^T mu_r + B^T mu_Phi + Z^T mu_rate/gp,   v_bar -= s C^T mu_r + B^T mu_rate/gp,
 *   vdot_bar -= s M^T mu_r,   p_bar -= s mu_r r_p + mu_Phi Phi_p + mu_rate rate_p/gp                  (W8)
 *
 * With redundant rows there is more, (W14) of sens_null.c. The method transposes its own prediction. */
#include <string.h>

#include "la/small.h"
#include "sens/adjoint.h"
#include "sens/sens_limits.h"

/* dq += Q^T (gp eps vdot_bar - M^T mu_r), the part of Q in the residual */
static void transpose_bend(ph_adjoint *a, const ph_step_ops *o, const ph_variation *next, double *dq)
{
    const ph_layout *lay = &a->sim->lay;
    double *x = a->sens->y;
    for (int i = 0; i < lay->nv; i++)
        x[i] = next->vdot[i] / (o->inv_gp * o->inv_eps);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                x[b->col_at + j] -= a->sim->ev.M[b->at + i * b->n + j] * a->mu[b->row_at + i];
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->T_at >= 0)
            ph_small_tmul_add(i->dim, i->dim, o->Q + i->T_at, x + i->v_at, dq + i->v_at);
}

/* x -= s N^T mu_r */
static void transpose_N(const ph_adjoint *a, const ph_step_ops *o, double *x)
{
    const ph_layout *lay = &a->sim->lay;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        for (int k = 0; k < i->dim * i->dim && i->T_at >= 0; k++)
            x[i->v_at + k % i->dim] -= o->s * o->N[i->T_at + k] * a->mu[i->v_at + k / i->dim];
}

/* b = (W7) - A^T mu, with A as the blocks at the evaluated point give it */
static void transposed_residual(ph_adjoint *a, const ph_step_ops *o, const ph_variation *next)
{
    const ph_sim *sim = a->sim;
    const ph_layout *lay = &sim->lay;
    const ph_newton_matrix *nm = &sim->matrix;
    const ph_eval *ev = &sim->ev;
    const double *mu_r = a->mu, *mu_l = mu_r + lay->nv, *mu_e = mu_l + lay->nl;
    double *u = a->sens->z, *dq = a->rhs, *dl = dq + lay->nv, *de = dl + lay->nl;
    double gp = 1 / o->inv_gp, eps = 1 / o->inv_eps;
    memcpy(dq, next->W, sizeof(double) * (size_t)lay->nv);
    for (int i = 0; i < lay->nv; i++)
        u[i] = gp * (next->v[i] + eps * next->vdot[i]);
    for (int i = 0; i < lay->nl; i++)
        dl[i] = next->lambda[i] / o->s;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = mu_r[b->row_at + i];
                int at = b->at + i * b->n + j;
                u[b->col_at + j] -= (ev->M[at] + o->inv_eps * ev->C[at]) * x;
                dq[b->col_at + j] -= o->s * ev->K[at] * x;
            }
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        int by_position = nm->formulation == PH_INDEX3 && b->holonomic, eta = nm->eta_at[b->row];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                int at = b->at + i * b->n + j;
                double B = ev->B[at], x = mu_l[b->row_at + i];
                dl[b->row_at + i] -=
                    (B + (lay->friction ? ev->Gl[b->at + j * b->m + i] : 0)) * mu_r[b->col_at + j];
                *(by_position ? &dq[b->col_at + j] : &u[b->col_at + j]) -= B * x;
                if (!by_position)
                    dq[b->col_at + j] -= o->inv_gp * ev->Z[at] * x;
                if (eta >= 0)
                    dq[b->col_at + j] -= B * mu_e[eta + i];
            }
    }
    if (o->Q)
        transpose_bend(a, o, next, dq);
    if (o->N)
        transpose_N(a, o, dq);
    memset(de, 0, sizeof(double) * (size_t)nm->n_eta);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        double x[PH_DIM_MAX];
        if (i->T_at >= 0 && o->L)
            ph_small_tmul_add(i->dim, i->dim, o->L + i->T_at, u + i->v_at, dq + i->v_at);
        for (int k = 0; k < i->dim && (i->T_at < 0 || !o->L); k++)
            dq[i->v_at + k] += u[i->v_at + k];
        if (i->T_at < 0 || !o->F)
            continue;
        memset(x, 0, sizeof x);
        ph_small_tmul_add(i->dim, i->dim, o->F + i->T_at, u + i->v_at, x);
        memcpy(u + i->v_at, x, sizeof(double) * (size_t)i->dim);
    }
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (nm->eta_at[b->row] >= 0)
            ph_small_mul_add(b->m, b->n, o->Bn + b->at, u + b->col_at, de + nm->eta_at[b->row]);
}

/* (W14): what the rows of lambda have in the null space, to a->w, and what it adds to those of q. */
static ph_status move_null_part(ph_adjoint *a, const ph_step_ops *o)
{
    const ph_layout *lay = &a->sim->lay;
    double *dl = a->rhs + lay->nv;
    memcpy(a->w, dl, sizeof(double) * (size_t)lay->nl);
    ph_status s = ph_redundant_null_part(&a->sim->matrix, a->w);
    for (int i = 0; i < lay->nl; i++)
        dl[i] -= a->w[i];
    ph_sens_null_back(a->sens, o->s, a->w, a->rhs);
    return s;
}

/* mu of (W8), w of (W14) */
static ph_status solve(ph_adjoint *a, const ph_step_ops *o, const ph_variation *next)
{
    ph_newton_matrix *nm = &a->sim->matrix;
    const ph_layout *lay = &a->sim->lay;
    double last = HUGE_VAL, slow = ph_redundant_shares(nm) ? 0.7 : 0.3;
    memset(a->mu, 0, sizeof(double) * (size_t)nm->n);
    for (int k = 0; k < PH_ADJOINT_STEP_CORRECTIONS; k++) {
        transposed_residual(a, o, next);
        ph_status s = nm->redundant ? move_null_part(a, o) : PH_OK;
        ph_redundant_leave_out(nm, a->rhs + lay->nv);
        ph_redundant_leave_out_eta(nm, a->rhs + lay->nv + lay->nl);
        if (s == PH_OK)
            s = ph_solver_solve_transposed(nm->solver, a->rhs, nm->x);
        if (s != PH_OK)
            return s;
        double size = ph_small_max(nm->n, nm->x);
        for (int i = 0; i < nm->n; i++)
            a->mu[i] += nm->x[i];
        if (!isfinite(size))
            return PH_E_NAN;
        if (size <= PH_ADJOINT_STEP_ROUND_OFF * ph_small_max(nm->n, a->mu) || size > slow * last)
            break;
        last = size;
    }
    return PH_OK;
}

/* (W8) but for the parameters */
static void transpose_loads(ph_adjoint *a, const ph_step_ops *o, ph_variation *next)
{
    const ph_layout *lay = &a->sim->lay;
    const ph_newton_matrix *nm = &a->sim->matrix;
    const ph_eval *ev = &a->sim->ev;
    const double *mu_r = a->mu, *mu_l = mu_r + lay->nv, *mu_e = mu_l + lay->nl;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = o->s * mu_r[b->row_at + i];
                int at = b->at + i * b->n + j;
                next->W[b->col_at + j] -= ev->K[at] * x;
                next->v[b->col_at + j] -= ev->C[at] * x;
                next->vdot[b->col_at + j] -= ev->M[at] * x;
            }
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        int by_position = nm->formulation == PH_INDEX3 && b->holonomic, eta = nm->eta_at[b->row];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                int at = b->at + i * b->n + j;
                double x = mu_l[b->row_at + i] * (by_position ? 1 : o->inv_gp);
                *(by_position ? &next->W[b->col_at + j] : &next->v[b->col_at + j]) -= ev->B[at] * x;
                if (!by_position)
                    next->W[b->col_at + j] -= ev->Z[at] * x;
                if (eta >= 0)
                    next->W[b->col_at + j] -= ev->B[at] * mu_e[eta + i];
            }
    }
    if (nm->redundant)
        ph_sens_null_back(a->sens, o->s, a->w, next->W);
}

/* The covector of the method's load is -s mu_r. */
static void transpose_load(ph_adjoint *a, const ph_step_ops *o)
{
    double *bar = a->rhs;
    if (o->N)
        transpose_N(a, o, a->next.W);
    for (int i = 0; i < a->sim->lay.nv; i++)
        bar[i] = -o->s * a->mu[i];
    if (a->sim->stepper->sens_load_back)
        a->sim->stepper->sens_load_back(a->sim, bar, &a->now);
}

/* p_bar of (W8) for one parameter, whose pseudo-loads stand in sens */
static double transpose_parameter(const ph_adjoint *a, const ph_step_ops *o)
{
    const ph_sens *sens = a->sens;
    const ph_layout *lay = &a->sim->lay;
    const ph_newton_matrix *nm = &a->sim->matrix;
    const double *mu_r = a->mu, *mu_l = mu_r + lay->nv, *mu_e = mu_l + lay->nl;
    double sum = 0;
    for (int i = 0; i < lay->nv; i++)
        sum += o->s * mu_r[i] * sens->r_p[i];
    for (int c = 0; c < lay->C; c++) {
        int at = lay->l_at[c], eta = nm->eta_at[c];
        int by_position = nm->formulation == PH_INDEX3 && !lay->sys->constraints[c].nonholonomic;
        for (int i = 0; i < lay->rows[c]; i++) {
            sum += mu_l[at + i] * (by_position ? sens->Phi_p[at + i] : o->inv_gp * sens->rate_p[at + i]);
            if (eta >= 0)
                sum += mu_e[eta + i] * sens->Phi_p[at + i];
        }
    }
    for (int i = 0; i < lay->nl && nm->redundant; i++)
        sum -= o->s * a->w[i] * sens->B_p[i];
    return -sum;
}

/* The arrays of the method; the point itself keeps its bits. */
static ph_status restore(ph_adjoint *a)
{
    ph_sim *sim = a->sim;
    ph_point next = sim->next;
    ph_point_copy(&a->scratch, &next, &sim->lay);
    sim->next = a->scratch;
    ph_status s = sim->stepper->sens_restore(sim);
    sim->next = next;
    return s;
}

ph_status ph_adjoint_step_back(ph_adjoint *a)
{
    ph_sim *sim = a->sim;
    ph_sens *sens = a->sens;
    const ph_layout *lay = &sim->lay;
    const ph_stepper *method = sim->stepper;
    int stabilised = sim->matrix.n_eta > 0;
    ph_state s = ph_point_view(&sim->next, lay);
    ph_status status = restore(a);
    if (status == PH_OK && stabilised)
        status = ph_sens_eta_stiffness(sens);
    if (status == PH_OK && sim->matrix.redundant)
        status = ph_sens_null_begin(sens);
    if (status != PH_OK)
        return status;
    const ph_step_ops *o = method->sens_ops(sim);
    if (o->vdot)
        s.vdot = o->vdot;
    status = ph_eval_linear(&sim->ev, &s, sim->matrix.what);
    if (status == PH_OK)
        status = ph_newton_factor(sim, o);
    ph_variation_clear(&a->now, lay, a->memory);
    method->sens_accept_back(sim, &a->next, &a->now);
    if (status == PH_OK)
        status = solve(a, o, &a->next);
    if (status != PH_OK)
        return status;
    transpose_loads(a, o, &a->next);
    transpose_load(a, o);
    method->sens_predict_back(sim, &a->next, a->y_bar, &a->now);
    if (stabilised)
        ph_newton_weigh(&sim->matrix, a->y_bar);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end && stabilised; b++)
        ph_small_tmul_add(b->m, b->n, sens->K_eta + b->at, a->y_bar + b->row_at, a->now.W + b->col_at);
    for (int k = 0; k < sens->n && status == PH_OK; k++) {
        status = ph_sens_loads(sens, &sens->d[k], &s);
        if (status == PH_OK && sim->matrix.redundant)
            status = ph_sens_null_loads(sens, &sens->d[k]);
        a->gradient[k] += transpose_parameter(a, o);
        if (method->sens_explicit)
            a->gradient[k] += method->sens_explicit(sim, &sens->d[k]);
        if (status == PH_OK && stabilised)
            status = ph_sens_eta_loads(sens, &sens->d[k]);
        for (int i = 0; i < lay->nv && stabilised; i++)
            a->gradient[k] += a->y_bar[i] * sens->y[i];
    }
    ph_variation keep = a->now;
    a->now = a->next, a->next = keep;
    return status;
}
