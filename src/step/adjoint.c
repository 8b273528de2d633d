/* Gradients of scalar objectives by the discrete adjoint: the transposed steps of sens.c, from the last to the
 * first.
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
 * The method transposes its own prediction. A step is restored from its two points, so the way back needs no
 * Newton iteration. The points come from checkpoints: the run keeps some of its states, and the steps between
 * two of them are made once more and kept when they are needed. */
#include <string.h>

#include "la/small.h"
#include "step/motion_back.h"
#include "step/sim.h"

/* A state from which the run goes on to the bit: the point, the one before, from which the first guess is
 * extrapolated, and what the method remembers. */
typedef struct checkpoint {
    long n;
    int has_last;
    ph_point now, last;
    double *past; /* of the method */
} checkpoint;

typedef struct adjoint {
    ph_sens *sens;
    ph_sim *sim;
    const ph_objective *objective;
    long steps;
    int n_marks, n_spare, n_points;
    int memory;       /* vectors that the method remembers */
    checkpoint *mark; /* n_marks of the run, n_spare of parts of it, and one of its end */
    ph_point *point;  /* n_points + 1: of the part at work */
    double **past;    /* likewise: what the method remembers there */
    ph_point scratch;
    int start;           /* steps of a start that is the motion; 0: there are none, or they are differenced */
    ph_point *begin;     /* start + 1: its points */
    ph_variation *bar;   /* likewise: covectors there, of what the method remembers */
    ph_motion_back back; /* with them */
    ph_variation now, next; /* covectors */
    double *mu, *rhs;       /* n of (N2) */
    double *y_bar;          /* nv */
    double *by_p;           /* for each parameter */
    double value, *gradient;
    void *block;
} adjoint;

/* ---- transposed step ---------------------------------------------------------------------------- */

/* dq += Q^T (gp eps vdot_bar - M^T mu_r), the part of Q in the residual */
static void transpose_bend(adjoint *a, const ph_step_ops *o, const ph_variation *next, double *dq)
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
static void transpose_N(const adjoint *a, const ph_step_ops *o, double *x)
{
    const ph_layout *lay = &a->sim->lay;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        for (int k = 0; k < i->dim * i->dim && i->T_at >= 0; k++)
            x[i->v_at + k % i->dim] -= o->s * o->N[i->T_at + k] * a->mu[i->v_at + k / i->dim];
}

/* b = (W7) - A^T mu, with A as the blocks at the evaluated point give it */
static void transposed_residual(adjoint *a, const ph_step_ops *o, const ph_variation *next)
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

/* The factorisation is exact but for its round-off and, with redundant rows, their regularisation. */
#define CORRECTIONS 10
#define ROUND_OFF   1e-15

/* mu of (W8) */
static ph_status solve(adjoint *a, const ph_step_ops *o, const ph_variation *next)
{
    ph_newton_matrix *nm = &a->sim->matrix;
    const ph_layout *lay = &a->sim->lay;
    double last = HUGE_VAL;
    memset(a->mu, 0, sizeof(double) * (size_t)nm->n);
    for (int k = 0; k < CORRECTIONS; k++) {
        transposed_residual(a, o, next);
        ph_redundant_project(nm, nm->null, a->rhs + lay->nv);
        ph_redundant_project_eta(nm, nm->null_n, a->rhs + lay->nv + lay->nl);
        ph_status s = ph_solver_solve_transposed(nm->solver, a->rhs, nm->x);
        if (s != PH_OK)
            return s;
        ph_redundant_project(nm, nm->null, nm->x + lay->nv);
        ph_redundant_project_eta(nm, nm->null, nm->x + lay->nv + lay->nl);
        double size = ph_small_max(nm->n, nm->x);
        for (int i = 0; i < nm->n; i++)
            a->mu[i] += nm->x[i];
        if (!isfinite(size))
            return PH_E_NAN;
        if (size <= ROUND_OFF * ph_small_max(nm->n, a->mu) || size > 0.3 * last)
            break;
        last = size;
    }
    return PH_OK;
}

/* (W8) but for the parameters */
static void transpose_loads(adjoint *a, const ph_step_ops *o, ph_variation *next)
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
}

/* The covector of the method's load is -s mu_r. */
static void transpose_load(adjoint *a, const ph_step_ops *o)
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
static double transpose_parameter(const adjoint *a, const ph_step_ops *o)
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
    return -sum;
}

/* Null spaces of redundant rows: at sim->now. */
static ph_status begin_null_space(ph_sim *sim)
{
    ph_newton_matrix *nm = &sim->matrix;
    ph_start_again(sim);
    memcpy(nm->null_n, nm->null, sizeof(double) * (size_t)nm->redundant * (size_t)nm->lay->nl);
    return PH_OK;
}

/* (W6) transposed, for what lambda_bar has in the null space. */
static ph_status transpose_null_part(adjoint *a)
{
    ph_sim *sim = a->sim;
    ph_sens *sens = a->sens;
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->next, lay);
    double *n = a->rhs;
    memcpy(n, a->next.lambda, sizeof(double) * (size_t)lay->nl);
    ph_redundant_project(&sim->matrix, sim->matrix.null, n);
    for (int i = 0; i < lay->nl; i++)
        n[i] = a->next.lambda[i] - n[i];
    ph_status status = ph_start_lift(sim, &sim->next, sim->next.lambda, sens->z);
    for (int side = 0; side < 2; side++) {
        double sign = side ? -1 : 1;
        s.v = side ? sens->zero : sens->z;
        if (status == PH_OK)
            status = ph_eval_residual(&sim->ev, &s, PH_EVAL_RATE);
        if (status == PH_OK)
            status = ph_eval_tangent(&sim->ev, &s, PH_EVAL_RATE);
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && status == PH_OK; b++)
            for (int i = 0; i < b->m; i++)
                for (int j = 0; j < b->n; j++)
                    a->next.W[b->col_at + j] += sign * sim->ev.Z[b->at + i * b->n + j] * n[b->row_at + i];
        for (int k = 0; k < sens->n * PH_NEIGHBOURS && status == PH_OK; k++) {
            const ph_follower *d = &sens->d[k / PH_NEIGHBOURS];
            ph_eval *ev = &d->at[k % PH_NEIGHBOURS]->ev;
            double f = sign * d->weight[k % PH_NEIGHBOURS];
            if (f != 0)
                status = ph_eval_residual(ev, &s, PH_EVAL_RATE);
            for (int i = 0; i < lay->nl && f != 0; i++)
                a->gradient[k / PH_NEIGHBOURS] += f * n[i] * ev->rate[i];
        }
    }
    return status;
}

/* At sim->next, evaluated. Then (W6), and the evaluation is made anew. */
static ph_status follow_null_space(adjoint *a, const ph_state *s)
{
    ph_sim *sim = a->sim;
    ph_status status = ph_newton_factor_initial(&sim->matrix, &sim->ev, 0);
    if (status == PH_OK)
        status = ph_redundant_follow(&sim->matrix);
    if (status == PH_OK && ph_small_max(sim->lay.nl, a->next.lambda) > 0) {
        status = transpose_null_part(a);
        if (status == PH_OK)
            status = ph_eval_residual(&sim->ev, s, sim->matrix.what);
        if (status == PH_OK)
            status = ph_eval_tangent(&sim->ev, s, sim->matrix.what);
    }
    return status;
}

/* The arrays of the method; the point itself keeps its bits. */
static ph_status restore(adjoint *a)
{
    ph_sim *sim = a->sim;
    ph_point next = sim->next;
    ph_point_copy(&a->scratch, &next, &sim->lay);
    sim->next = a->scratch;
    ph_status s = sim->stepper->sens_restore(sim);
    sim->next = next;
    return s;
}

/* From covectors at sim->next to those at sim->now. */
static ph_status step_back(adjoint *a)
{
    ph_sim *sim = a->sim;
    ph_sens *sens = a->sens;
    const ph_layout *lay = &sim->lay;
    const ph_stepper *method = sim->stepper;
    int stabilised = sim->matrix.n_eta > 0;
    ph_state s = ph_point_view(&sim->next, lay);
    ph_status status = restore(a);
    if (status == PH_OK && sim->matrix.redundant)
        status = begin_null_space(sim);
    if (status == PH_OK && stabilised)
        status = ph_sens_eta_stiffness(sens);
    if (status != PH_OK)
        return status;
    const ph_step_ops *o = method->sens_ops(sim);
    if (o->vdot)
        s.vdot = o->vdot;
    status = ph_eval_linear(&sim->ev, &s, sim->matrix.what);
    if (status == PH_OK && sim->matrix.redundant)
        status = follow_null_space(a, &s);
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
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end && stabilised; b++)
        ph_small_tmul_add(b->m, b->n, sens->K_eta + b->at, a->y_bar + b->row_at, a->now.W + b->col_at);
    for (int k = 0; k < sens->n && status == PH_OK; k++) {
        status = ph_sens_loads(sens, &sens->d[k], &s);
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

/* ---- the objective ------------------------------------------------------------------------------ */

/* Add weight f(point) to the value, and its derivatives to the covectors there. */
static ph_status seed_with(adjoint *a, ph_scalar_fn f, double weight, const ph_point *p)
{
    const ph_layout *lay = &a->sim->lay;
    ph_state s = ph_point_view(p, lay);
    ph_variation *x = &a->now; /* scratch between steps */
    double value = 0, *by_p = a->by_p;
    ph_variation_clear(x, lay, a->memory);
    memset(by_p, 0, sizeof(double) * (size_t)a->sens->n);
    ph_covector g = {x->W, x->v, x->vdot, x->lambda, by_p};
    ph_status status = f(&s, &value, &g, a->objective->ctx);
    if (status != PH_OK)
        return status;
    if (!isfinite(value))
        return PH_E_NAN;
    a->value += weight * value;
    for (int i = 0; i < lay->nv; i++) {
        a->next.W[i] += weight * x->W[i];
        a->next.v[i] += weight * x->v[i];
        a->next.vdot[i] += weight * x->vdot[i];
    }
    for (int i = 0; i < lay->nl; i++)
        a->next.lambda[i] += weight * x->lambda[i];
    for (int k = 0; k < a->sens->n; k++)
        a->gradient[k] += weight * by_p[k];
    return PH_OK;
}

/* Covectors at point n of the run, whose weight in the integral is h, or half of it at the ends. */
static ph_status seed(adjoint *a, long n, const ph_point *p)
{
    const ph_objective *o = a->objective;
    double h = a->sim->opt.h, weight = n == 0 || n == a->steps ? h / 2 : h;
    ph_status s = o->final && n == a->steps ? seed_with(a, o->final, 1, p) : PH_OK;
    return s == PH_OK && o->integral ? seed_with(a, o->integral, weight, p) : s;
}

/* ---- forwards and backwards --------------------------------------------------------------------- */

/* What the method remembers, to past; load: from past. */
static void save_past(const adjoint *a, double *past)
{
    size_t nv = (size_t)a->sim->lay.nv;
    for (int j = 0; j < a->memory; j++)
        memcpy(past + (size_t)j * nv, a->sim->stepper->sens_past(a->sim, j), sizeof(double) * nv);
}

static void load_past(const adjoint *a, const double *past)
{
    size_t nv = (size_t)a->sim->lay.nv;
    for (int j = 0; j < a->memory; j++)
        memcpy(a->sim->stepper->sens_past(a->sim, j), past + (size_t)j * nv, sizeof(double) * nv);
}

static void save(const adjoint *a, checkpoint *c)
{
    const ph_sim *sim = a->sim;
    c->n = sim->n, c->has_last = sim->has_last;
    ph_point_copy(&c->now, &sim->now, &sim->lay);
    ph_point_copy(&c->last, &sim->next, &sim->lay);
    save_past(a, c->past);
}

static void load(const adjoint *a, const checkpoint *c)
{
    ph_sim *sim = a->sim;
    sim->n = c->n, sim->has_last = c->has_last;
    ph_point_copy(&sim->now, &c->now, &sim->lay);
    ph_point_copy(&sim->next, &c->last, &sim->lay);
    load_past(a, c->past);
    sim->matrix.factored = 0;
    if (sim->matrix.redundant)
        ph_start_again(sim);
}

static ph_status step_to(ph_sim *sim, long n, ph_error *err)
{
    ph_status s = PH_OK;
    while (sim->n < n && s == PH_OK)
        s = ph_sim_step(sim, err);
    return s;
}

/* As ph_sim_run calls it. */
static ph_status show(const adjoint *a, ph_error *err)
{
    const ph_objective *o = a->objective;
    if (!o->forwards || o->forwards(a->sim, o->ctx) == PH_OK)
        return PH_OK;
    return ph_fail(err, PH_E_STOPPED, "stopped by the output callback at t = %.9g", a->sim->now.t);
}

static ph_status go_forwards(const adjoint *a, long n, ph_error *err)
{
    ph_status s = PH_OK;
    while (a->sim->n < n && s == PH_OK) {
        s = ph_sim_step(a->sim, err);
        if (s == PH_OK)
            s = show(a, err);
    }
    return s;
}

/* Back from step `to` to that of a mark, with all points between in memory. */
static ph_status short_part_back(adjoint *a, const checkpoint *mark, long to, ph_error *err)
{
    ph_sim *sim = a->sim;
    long n = to - mark->n;
    load(a, mark);
    for (long i = 0; i <= n; i++) {
        ph_status s = i ? ph_sim_step(sim, err) : PH_OK;
        if (s != PH_OK)
            return s;
        ph_point_copy(&a->point[i], &sim->now, &sim->lay);
        save_past(a, a->past[i]);
    }
    ph_point now = sim->now, next = sim->next;
    ph_status s = to == a->steps ? seed(a, to, &a->point[n]) : PH_OK;
    for (long i = n; i > 0 && s == PH_OK; i--) {
        sim->now = a->point[i - 1], sim->next = a->point[i];
        sim->n = mark->n + i - 1;
        load_past(a, a->past[i - 1]);
        s = step_back(a);
        if (s == PH_OK)
            s = seed(a, mark->n + i - 1, &a->point[i - 1]);
    }
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", sim->now.t,
                s == PH_E_NAN ? "the objective or its derivatives are not finite"
                              : "a callback refused, or a "
                                "matrix is singular,");
    sim->now = now, sim->next = next;
    return s;
}

/* The same where they may be too many: in halves, from a spare mark in the middle. */
static ph_status part_back(adjoint *a, int mark, long to, int spare, ph_error *err)
{
    checkpoint *c = &a->mark[mark];
    if (to - c->n <= a->n_points)
        return short_part_back(a, c, to, err);
    long middle = c->n + (to - c->n) / 2;
    load(a, c);
    ph_status s = step_to(a->sim, middle, err);
    if (s != PH_OK)
        return s;
    save(a, &a->mark[spare]);
    s = part_back(a, spare, to, spare + 1, err);
    return s == PH_OK ? part_back(a, mark, middle, spare, err) : s;
}

/* What the covectors of a->next contribute by the derivatives that sens has of the point. */
static void contract(adjoint *a)
{
    const ph_layout *lay = &a->sim->lay;
    const ph_variation *g = &a->next;
    for (int k = 0; k < a->sens->n; k++) {
        const ph_variation *x = &a->sens->d[k].now;
        double sum = 0;
        for (int i = 0; i < lay->nv; i++)
            sum += g->W[i] * x->W[i] + g->v[i] * x->v[i] + g->vdot[i] * x->vdot[i] + g->a[i] * x->a[i];
        for (int i = 0; i < lay->nv * a->memory; i++)
            sum += g->memory[i] * x->memory[i];
        for (int i = 0; i < lay->nl; i++)
            sum += g->lambda[i] * x->lambda[i];
        a->gradient[k] += sum;
    }
    ph_variation_clear(&a->next, lay, a->memory);
}

/* Steps of the start that have no transpose: with derivatives forwards, which the objective meets at once. */
static ph_status start_part(adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    long first = ph_sens_start_steps(sim);
    ph_status s = show(a, err);
    sim->sens = a->sens;
    while (s == PH_OK && (sim->n < first || sim->n == a->steps)) {
        s = seed(a, sim->n, &sim->now);
        if (s != PH_OK)
            ph_fail(err, s, "t = %.9g: the objective refused, or its derivatives are not finite", sim->now.t);
        contract(a);
        if (sim->n == a->steps)
            break;
        s = s == PH_OK ? go_forwards(a, sim->n + 1, err) : s;
    }
    sim->sens = NULL; /* from here on the way there is without derivatives */
    return s;
}

/* The start forwards, without derivatives; its points are kept. */
static ph_status start_forwards(adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    long last = a->start < a->steps ? a->start : a->steps;
    ph_status s = show(a, err);
    sim->sens = NULL;
    ph_point_copy(&a->begin[0], &sim->now, &sim->lay);
    while (s == PH_OK && sim->n < last) {
        s = go_forwards(a, sim->n + 1, err);
        ph_point_copy(&a->begin[sim->n], &sim->now, &sim->lay);
    }
    return s;
}

/* And backwards, from the covectors of its last point and of what the method remembers there: (W13). */
static ph_status start_backwards(adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    const ph_layout *lay = &sim->lay;
    ph_variation *x = &a->next;
    int last = a->start < a->steps ? a->start : (int)a->steps, pieces;
    ph_status s = PH_OK;
    for (int j = 0; j <= last; j++)
        ph_variation_clear(&a->bar[j], lay, 0);
    if (last == a->start)
        sim->stepper->sens_start_back(sim, a->begin, x->memory, a->bar);
    for (int j = last; j >= 0 && s == PH_OK; j--) {
        if (j < last || j == a->steps)
            s = seed(a, j, &a->begin[j]);
        for (int i = 0; i < lay->nv; i++)
            x->W[i] += a->bar[j].W[i], x->v[i] += a->bar[j].v[i];
        if (j == 0 || s != PH_OK)
            break;
        ph_rk *rk = sim->stepper->sens_start_method(sim, j - 1, &pieces);
        s = ph_motion_back_forces(&a->back, &a->begin[j], x->vdot, x->lambda, x->W, x->v, a->gradient);
        if (s == PH_OK)
            s = ph_motion_back_over(&a->back, rk, &a->begin[j], sim->opt.h, pieces, x->W, x->v, a->gradient);
        memset(x->vdot, 0, sizeof(double) * (size_t)lay->nv);
        memset(x->lambda, 0, sizeof(double) * (size_t)lay->nl);
    }
    memset(x->memory, 0, sizeof(double) * (size_t)(lay->nv * a->memory));
    if (s != PH_OK)
        ph_fail(err, s, "t = %.9g: %s on the way back", a->begin[0].t, "the start, or the objective, failed");
    return s;
}

static ph_status forwards_and_back(adjoint *a, ph_error *err)
{
    ph_sim *sim = a->sim;
    checkpoint *end = &a->mark[a->n_marks + a->n_spare];
    ph_status s = a->start ? start_forwards(a, err) : start_part(a, err);
    long spacing = (a->steps - sim->n + a->n_marks - 1) / a->n_marks;
    int used = 0;
    while (s == PH_OK && sim->n < a->steps) {
        save(a, &a->mark[used++]);
        s = go_forwards(a, sim->n + spacing < a->steps ? sim->n + spacing : a->steps, err);
    }
    if (s != PH_OK)
        return s;
    save(a, end);
    ph_stats stats = sim->stats;
    for (int k = used - 1; k >= 0 && s == PH_OK; k--)
        s = part_back(a, k, k == used - 1 ? a->steps : a->mark[k + 1].n, a->n_marks, err);
    if (s == PH_OK && a->start)
        s = start_backwards(a, err);
    load(a, end);
    sim->stats = stats;
    return s;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static int ceil_sqrt(long n)
{
    int r = (int)sqrt((double)n);
    while ((long)r * r < n)
        r++;
    return r;
}

/* Of a start that is the motion. */
static void take_start(adjoint *a, ph_arena *arena)
{
    const ph_layout *lay = &a->sim->lay;
    size_t points = (size_t)a->start + 1;
    int pieces;
    ph_point nowhere, *begin = ph_arena_take(arena, points, sizeof nowhere);
    ph_variation none, *bar = ph_arena_take(arena, points, sizeof none);
    for (size_t k = 0; k < points; k++) {
        ph_point_take(arena->base ? &begin[k] : &nowhere, lay, arena);
        ph_variation_take(arena->base ? &bar[k] : &none, lay, 0, arena);
    }
    a->begin = begin, a->bar = bar;
    ph_motion_back_take(&a->back, a->sens, &a->sim->stepper->sens_start_method(a->sim, 0, &pieces)->tab,
                        arena);
}

/* Steps of the start, if it is the motion. */
static int start_of(ph_sim *sim)
{
    int pieces;
    const ph_stepper *method = sim->stepper;
    if (!method->sens_start_method || sim->matrix.redundant || !method->sens_start_method(sim, 0, &pieces))
        return 0;
    return ph_sens_start_steps(sim);
}

/* Hand out all arrays; called twice, see ph_arena. */
static void take(adjoint *a, ph_arena *arena)
{
    const ph_layout *lay = &a->sim->lay;
    size_t d = sizeof(double), marks = (size_t)(a->n_marks + a->n_spare + 1),
           points = (size_t)a->n_points + 1;
    checkpoint none, *mark = ph_arena_take(arena, marks, sizeof none);
    ph_point nowhere, *point = ph_arena_take(arena, points, sizeof nowhere);
    double *nothing, **past = ph_arena_take(arena, points, sizeof nothing);
    size_t size = (size_t)(a->memory * lay->nv);
    for (size_t k = 0; k < marks; k++) {
        ph_point_take(arena->base ? &mark[k].now : &none.now, lay, arena);
        ph_point_take(arena->base ? &mark[k].last : &none.last, lay, arena);
        *(arena->base ? &mark[k].past : &nothing) = ph_arena_take(arena, size, d);
    }
    for (size_t k = 0; k < points; k++) {
        ph_point_take(arena->base ? &point[k] : &nowhere, lay, arena);
        *(arena->base ? &past[k] : &nothing) = ph_arena_take(arena, size, d);
    }
    ph_point_take(&a->scratch, lay, arena);
    ph_variation_take(&a->now, lay, a->memory, arena);
    ph_variation_take(&a->next, lay, a->memory, arena);
    a->mark = mark, a->point = point, a->past = past;
    a->mu = ph_arena_take(arena, (size_t)a->sim->matrix.n, d);
    a->rhs = ph_arena_take(arena, (size_t)a->sim->matrix.n, d);
    a->y_bar = ph_arena_take(arena, (size_t)lay->nv, d);
    a->by_p = ph_arena_take(arena, (size_t)a->sens->n, d);
    if (a->start)
        take_start(a, arena);
}

/* Bytes of all arrays with so many marks and points. */
static size_t bytes(const adjoint *a, int marks, int points)
{
    adjoint trial = *a;
    ph_arena arena = {0};
    trial.n_marks = marks, trial.n_spare = 0, trial.n_points = points;
    take(&trial, &arena);
    return arena.used + PH_ARENA_ALIGN;
}

/* Spare marks for parts that are halved until their points are there. */
static int spare_marks(long part, int points)
{
    int n = 1;
    for (; part > points; part = (part + 1) / 2)
        n++;
    return n;
}

/* What many cost, of which each takes no more than its part and a piece of the arena less than a line more. */
#define SAMPLE 64

/* As many points as the root of the number of steps, and as many marks; or what a bound allows, one half of it for
 * points and one for marks, since the steps that are made again grow with the logarithm of the length of a part over
 * its points. Returns the least bound that would do if it is too tight, else 0. */
static size_t plan(adjoint *a, size_t memory)
{
    size_t one = bytes(a, 1, 1), slack = 4 * PH_ARENA_ALIGN;
    size_t mark = (bytes(a, 1 + SAMPLE, 1) - one) / SAMPLE + 1;
    size_t point = (bytes(a, 1, 1 + SAMPLE) - one) / SAMPLE + 1;
    size_t root = (size_t)ceil_sqrt(a->steps), least = one + slack + mark * (size_t)spare_marks(a->steps, 1);
    a->n_marks = a->n_points = (int)root;
    a->n_spare = 0;
    if (!memory || one + slack + (root - 1) * (mark + point) <= memory)
        return 0;
    if (least > memory)
        return least;
    size_t points = 1 + (memory - least) / (2 * point);
    size_t marks = 1 + (memory - one - slack - (points - 1) * point) / mark; /* spare ones among them */
    a->n_points = (int)points, a->n_marks = 1;
    for (int k = 0; k < 2; k++) { /* parts get shorter as marks get more */
        a->n_spare = spare_marks((a->steps + a->n_marks - 1) / a->n_marks, a->n_points);
        a->n_marks = (int)marks - a->n_spare;
    }
    return 0;
}

ph_status ph_sens_gradient(ph_sens *sens, long steps, const ph_objective *objective, size_t memory,
                           double *value, double *gradient, ph_error *err)
{
    ph_sim *sim = sens->sim;
    adjoint a = {.sens = sens,
                 .sim = sim,
                 .objective = objective,
                 .steps = steps,
                 .gradient = gradient,
                 .memory = ph_sens_memory(sim),
                 .start = start_of(sim)};
    ph_arena arena = {0};
    if (steps < 1 || sim->n)
        return ph_fail(err, PH_E_INPUT, "a gradient is that of a run of at least one step, from its start");
    if (!objective->final && !objective->integral)
        return ph_fail(err, PH_E_INPUT, "the objective has neither a final value nor an integral");
    if (!sim->stepper->sens_restore)
        return ph_fail(err, PH_E_INPUT, "%s has no adjoint", sim->stepper->name);
    size_t least = plan(&a, memory);
    if (least)
        return ph_fail(err, PH_E_INPUT, "a bound of %zu bytes is too tight: it takes %zu at least", memory,
                       least);
    take(&a, &arena);
    if (!ph_arena_open(&arena, sim->opt.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for checkpoints; give a bound");
    take(&a, &arena);
    memset(gradient, 0, sizeof(double) * (size_t)sens->n);
    double start = ph_sim_clock();
    ph_status s = forwards_and_back(&a, err);
    sim->stats.wall_s += ph_sim_clock() - start;
    sim->sens = sens;
    if (s == PH_OK)
        contract(&a);
    *value = a.value;
    ph_free(sim->opt.alloc, arena.block);
    return s;
}
