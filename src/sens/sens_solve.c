/* One step of the direct way: the linear system (W1)-(W3), its first guess and its corrections.
 *
 * The guess keeps (W3): with g = 2 vdot'_n - vdot'_{n-1}
 *
 *   vdot' = g,   v' = v'_pred + (g - vdot'_pred)/eps,   W = W_pred + s L^-1 (g - vdot'_pred)
 *
 * so that one correction with a factorisation from near by leaves round-off. */
#include <float.h>
#include <string.h>

#include "la/small.h"
#include "sens/sens.h"
#include "sens/sens_limits.h"

/* ---- the linear system -------------------------------------------------------------------------- */

/* r += K W of one block; in the simplified form with the symmetric part of the diagonal blocks */
static void add_stiffness(const ph_sens *sens, const ph_block *b, const double *W, double *r)
{
    const double *K = sens->sim->ev.K + b->at;
    if (sens->simplified != PH_SYMMETRIC_STIFFNESS || b->row != b->col) {
        ph_small_mul_add(b->m, b->n, K, W, r);
        return;
    }
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            r[i] += 0.5 * (K[i * b->n + j] + K[j * b->n + i]) * W[j];
}

/* r += M vdot' + C v' + K W of one block */
static void add_pair(const ph_sens *sens, const ph_block *b, const ph_variation *x, double *r)
{
    const ph_eval *ev = &sens->sim->ev;
    const double *vdot = x->vdot + b->col_at, *v = x->v + b->col_at, *W = x->W + b->col_at;
    if (b->m == 3 && b->n == 3 && sens->simplified != PH_SYMMETRIC_STIFFNESS) {
        double sum[3];
        ph_sums s = {0};
        ph_sums_add(&s, ev->M + b->at, ph_row_load3(vdot));
        ph_sums_add(&s, ev->C + b->at, ph_row_load3(v));
        ph_sums_add(&s, ev->K + b->at, ph_row_load3(W));
        ph_row_store3(sum, ph_sums_total(&s));
        r[0] += sum[0], r[1] += sum[1], r[2] += sum[2];
        return;
    }
    ph_small_mul_add(b->m, b->n, ev->M + b->at, vdot, r);
    ph_small_mul_add(b->m, b->n, ev->C + b->at, v, r);
    add_stiffness(sens, b, W, r);
}

/* (W1) and (W2), to the residual that Newton's method reads. */
static void residual(ph_sens *sens, const ph_step_ops *o, const ph_variation *x)
{
    ph_eval *ev = &sens->sim->ev;
    const ph_layout *lay = &sens->sim->lay;
    unsigned what = sens->sim->matrix.what;
    memcpy(ev->r, sens->r_p, sizeof(double) * (size_t)lay->nv);
    if (what & PH_EVAL_PHI)
        memcpy(ev->Phi, sens->Phi_p, sizeof(double) * (size_t)lay->nl);
    if (what & PH_EVAL_RATE)
        memcpy(ev->rate, sens->rate_p, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        add_pair(sens, b, x, ev->r + b->row_at);
        if (o->N && b->row == b->col && b->T_at >= 0)
            ph_small_mul_add(b->m, b->n, o->N + b->T_at, x->W + b->col_at, ev->r + b->row_at);
    }
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        ph_small_tmul_add(b->m, b->n, ev->B + b->at, x->lambda + b->row_at, ev->r + b->col_at);
        if (lay->friction)
            ph_small_mul_add(b->n, b->m, ev->Gl + b->at, x->lambda + b->row_at, ev->r + b->col_at);
        if ((what & PH_EVAL_PHI) && b->holonomic)
            ph_small_mul_add(b->m, b->n, ev->B + b->at, x->W + b->col_at, ev->Phi + b->row_at);
        if (what & PH_EVAL_RATE) {
            ph_small_mul_add(b->m, b->n, ev->B + b->at, x->v + b->col_at, ev->rate + b->row_at);
            ph_small_mul_add(b->m, b->n, ev->Z + b->at, x->W + b->col_at, ev->rate + b->row_at);
        }
    }
}

PH_INLINE double larger(double a, double b)
{
    return b > a ? b : a;
}

/* Sizes of increments and of the whole, and a sum that is finite if all numbers are. */
typedef struct sizes {
    double part, whole, sum;
} sizes;

/* (W3) of one node: W += dq, v += gp (L dq + F z), vdot += eps gp (L dq + F z). by: gp and eps gp. */
PH_INLINE sizes apply_node(int n, sizes s, double inv_gp, const double by[2], const double *L,
                           const double *F, const double *dq, const double *z, double *restrict W,
                           double *restrict v, double *restrict vdot)
{
    double u[PH_DIM_MAX]; /* of nodes of curved groups; those of R^n may be larger */
    if (L)
        ph_small_mul(n, L, dq, u);
    if (L && F)
        ph_small_mul_add(n, n, F, z, u);
    for (int k = 0; k < n; k++) {
        double du = L ? u[k] + (F || !z ? 0 : z[k]) : dq[k] + (z ? z[k] : 0);
        W[k] += dq[k], v[k] += by[0] * du, vdot[k] += by[1] * du;
        s.part = larger(s.part, larger(fabs(dq[k]), fabs(du)));
        s.whole = larger(s.whole, larger(fabs(W[k]), fabs(v[k] * inv_gp)));
        s.sum += W[k] + vdot[k];
    }
    return s;
}

/* What forces of the size of those that cancel would do where nothing moves. */
static double idle(const ph_sens *sens, const ph_step_ops *o, const ph_variation *x)
{
    const ph_layout *lay = &sens->sim->lay;
    double forces = ph_larger(ph_small_max(lay->nv, sens->r_p), ph_small_max(lay->nl, x->lambda));
    return o->s * forces / ph_small_max(lay->size_pairs, sens->sim->ev.M);
}

/* (W3) for the increment nm->x. x_lambda balances masses times dq; no later step needs lambda', so it may
 * have a digit less. */
static sizes apply(ph_sens *sens, const ph_step_ops *o, ph_variation *x)
{
    const ph_newton_matrix *nm = &sens->sim->matrix;
    const ph_layout *lay = &sens->sim->lay;
    const double *x_lambda = nm->x + lay->nv, *z = nm->n_eta ? sens->z : NULL;
    double by[2] = {1 / o->inv_gp, 1 / o->s}; /* gp and eps gp */
    sizes s = {0, DBL_MIN, 0};
    if (z)
        ph_newton_eta(nm, o->Bn, o->eta, nm->x, sens->z, x->eta);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int at = i->v_at, curved = i->T_at >= 0;
        const double *L = curved && o->L ? o->L + i->T_at : NULL;
        const double *F = curved && o->F && z ? o->F + i->T_at : NULL;
        s = PH_BY_SIZE(i->dim, apply_node, s, o->inv_gp, by, L, F, nm->x + at, z ? z + at : NULL, x->W + at,
                       x->v + at, x->vdot + at);
        if (curved && o->Q)
            for (int k = 0; k < i->dim; k++)
                for (int j = 0; j < i->dim; j++)
                    x->vdot[at + k] += by[1] * o->Q[i->T_at + k * i->dim + j] * nm->x[at + j];
    }
    for (int i = 0; i < lay->nl; i++) {
        x->lambda[i] += by[1] * x_lambda[i];
        s.part = larger(s.part, sens->lambda_scale * fabs(x_lambda[i]));
    }
    return s;
}

ph_status ph_sens_solve(ph_sens *sens, const ph_step_ops *o, double rate, ph_variation *x)
{
    double last = HUGE_VAL;
    int shared = ph_redundant_shares(&sens->sim->matrix);
    for (int k = 0; k < PH_SENS_SOLVE_CORRECTIONS; k++) {
        residual(sens, o, x);
        ph_status s = ph_newton_increment(sens->sim, o);
        if (s != PH_OK)
            return s;
        sizes z = apply(sens, o, x);
        if (!isfinite(z.sum))
            return PH_E_NAN;
        if (shared)
            s = ph_sens_null_set(sens, x);
        if (s != PH_OK)
            return s;
        if (!(rate * z.part <= PH_SENS_ROUND_OFF * z.whole))
            z.whole = ph_larger(z.whole, idle(sens, o, x));
        double size = z.part / z.whole;
        if (k == 0)
            sens->first = ph_larger(sens->first, size);
        if (k == 1)
            sens->second = ph_larger(sens->second, size);
        /* the next increment would be round-off, or this one is; where matrices are kept, halves are
         * progress */
        if (size * rate <= PH_SENS_ROUND_OFF ||
            (k > 0 && !shared && size * (size / last) <= 0.1 * PH_SENS_ROUND_OFF) ||
            (k > 1 && size < 1e-9 && size > 0.7 * last))
            return PH_OK;
        last = size;
    }
    return PH_E_NEWTON;
}

/* ---- first guess -------------------------------------------------------------------------------- */

/* x = L^-1 u of one node; 0: L is singular */
PH_INLINE int divide(int n, const double *L, const double *u, double *x)
{
    if (n == 3) {
        ph_store3(x, ph_mul(ph_minv(ph_load33(L)), ph_load3(u)));
        return isfinite(x[0] + x[1] + x[2]);
    }
    double A[PH_DIM_MAX * PH_DIM_MAX];
    memcpy(A, L, sizeof(double) * (size_t)(n * n));
    memcpy(x, u, sizeof(double) * (size_t)n);
    return ph_small_solve(n, 1, A, x);
}

void ph_sens_look_onwards(ph_sens *sens, const ph_variation *now, ph_variation *next)
{
    const ph_layout *lay = &sens->sim->lay;
    double slope = sens->sim->n_past > 0; /* else next may hold anything */
    for (int i = 0; i < lay->nv; i++)
        sens->onwards[i] = now->vdot[i] + (slope > 0 ? now->vdot[i] - next->vdot[i] : 0);
    for (int i = 0; i < lay->nl; i++)
        next->lambda[i] = now->lambda[i] + (slope > 0 ? now->lambda[i] - next->lambda[i] : 0);
}

/* From what is predicted for dq = 0 to what (W3) makes of vdot' as it goes on, g, for one node. */
PH_INLINE void guess_node(int n, const ph_step_ops *o, const double *L, const double *g, double *W, double *v,
                          double *vdot)
{
    double u[PH_DIM_MAX], dq[PH_DIM_MAX]; /* of nodes of curved groups; those of R^n may be larger */
    for (int k = 0; k < n && L; k++)
        u[k] = o->s * (g[k] - vdot[k]);
    if (L && !divide(n, L, u, dq))
        return;
    for (int k = 0; k < n; k++) {
        W[k] += L ? dq[k] : o->s * (g[k] - vdot[k]);
        v[k] += o->inv_eps * (g[k] - vdot[k]);
        vdot[k] = g[k];
    }
}

void ph_sens_guess(const ph_sens *sens, const ph_step_ops *o, ph_variation *x)
{
    const ph_layout *lay = &sens->sim->lay;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end && !o->Q; i++) {
        int at = i->v_at;
        PH_BY_SIZE(i->dim, guess_node, o, i->T_at >= 0 && o->L ? o->L + i->T_at : NULL, sens->onwards + at,
                   x->W + at, x->v + at, x->vdot + at);
    }
}
