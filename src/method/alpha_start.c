/* Starting values of the generalized-alpha family.
 *
 *   a_0 = vdot_0 + d,  d = (alpha_m - alpha_f) h vddot_0                                              (S2)
 * and for index-3  v_0 += d_v,  M d_v + B^T m = 0,  B d_v = B l/h,
 *   l = C_q h^3 vddot_0 + h^3/4 (1/3 - sigma beta/gamma) [v_0, vdot_0]                                (S3)
 *
 * A step that does not resolve a stiff spring or damper must not start with its derivatives: each start would multiply
 * an error by a multiple of h times the rate of decay. With F e the solution for (M e, 0, 0) of the matrix (N2) of a step
 * that has not left the start, and lift(r) = z with M z + B^T m = 0, B z = r,
 *
 *   y = F F vddot_0,  y += lift(B (vddot_0 - y))                                                      (RB1)
 *   x = F vdot_0 + w,  w = F vdot_0 - F F vdot_0,  x += lift(B (vdot_0 - x)),
 *   a_0 = x + (alpha_m - alpha_f) h y                                                                 (RB2)
 *
 * which takes four solutions, a = F vdot_0 + w + F F d, and one lift, a_0 = a + lift(B (vdot_0 + d - a)). The lift
 * leaves B vddot_0 and so (S3) as they are. M x is the force at
 *
 *   q_0 o exp(s w),  v_0 + w/eps                                                                      (RB32)
 *
 * where the motion that the step does not resolve has ended: there the efforts of the start do the work of the step.
 * (S2) is not enough where a node has
 *
 *   max((tr X)^2, |tr X^2|) > PH_ALPHA_START_STIFF^2,  X = M_ii^-1 (C/eps + s K)_ii                   (RB8)
 *
 * which no choice of units or of frames changes; 1/eps and s of (N1) are about h/2 and h^2/4 for rho = 1, 3 h/4 and h^2/2
 * for rho = 0. */
#include "method/alpha_start.h"

#include <string.h>

#include "la/small.h"
#include "method/ahead.h"
#include "method/alpha_ahead.h"
#include "method/method_limits.h"

/* The system and its tangents at sim->now, of which most starts need no more. */
static ph_status evaluate(ph_sim *sim)
{
    ph_state now = ph_point_view(&sim->now, &sim->lay);
    return ph_eval_both(&sim->ev, &now, sim->matrix.what);
}

/* The matrix of a step that has not left sim->now: there L = F = I. */
static ph_status factor(ph_sim *sim, ph_step_ops *o, double *Bn)
{
    ph_status s = sim->matrix.n_eta > 0 ? ph_newton_links(sim, Bn) : PH_OK;
    o->L = o->F = o->Q = o->N = NULL, o->Bn = Bn;
    return s == PH_OK ? ph_newton_factor(sim, o) : s;
}

ph_status ph_alpha_factor(ph_sim *sim, ph_alpha_ops_fn ops, double h)
{
    double *Bn;
    ph_step_ops *o = ops(sim, h, &Bn);
    ph_status s = evaluate(sim);
    return s == PH_OK ? factor(sim, o, Bn) : s;
}

/* X of (RB8), n x n. In vector spaces M_ii counts as diagonal, which it is for points, modes and states. */
static void relative_stiffness(int n, int curved, const double *M, const double *C, const double *K,
                               const ph_step_ops *o, double *X)
{
    double A[PH_DIM_MAX * PH_DIM_MAX];
    for (int k = 0; k < n * n; k++)
        X[k] = o->inv_eps * C[k] + o->s * K[k];
    if (curved && n == 3) {
        ph_store33(X, ph_mmul(ph_minv(ph_load33(M)), ph_load33(X)));
        return;
    }
    if (curved) {
        memcpy(A, M, sizeof(double) * (size_t)(n * n));
        ph_small_solve(n, n, A, X);
        return;
    }
    for (int k = 0; k < n * n; k++)
        X[k] /= M[k / n * (n + 1)];
}

/* Return 1 if (RB8) holds for the evaluated tangents. */
static int is_stiff(const ph_sim *sim, const ph_step_ops *o)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double most = 0, *X = sim->matrix.work;
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        int n = b->n;
        double once = 0, twice = 0;
        relative_stiffness(n, lay->slot[i].T_at >= 0, ev->M + b->at, ev->C + b->at, ev->K + b->at, o, X);
        for (int j = 0; j < n; j++) {
            once += X[j * (n + 1)];
            for (int k = 0; k < n; k++)
                twice += X[j * n + k] * X[k * n + j];
        }
        most = ph_larger(ph_larger(most, once * once), fabs(twice));
    }
    return isfinite(most) && most > PH_ALPHA_START_STIFF * PH_ALPHA_START_STIFF;
}

/* a += lift(B (from - a)). ph_start_prepare_lift was called at sim->now. z: nv numbers of scratch. */
static ph_status give_back(ph_sim *sim, const double *from, double *a, double *z)
{
    const ph_layout *lay = &sim->lay;
    double *rows = sim->matrix.convective;
    if (!lay->C)
        return PH_OK;
    for (int i = 0; i < lay->nv; i++)
        z[i] = from[i] - a[i];
    memset(rows, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.B + b->at, z + b->col_at, rows + b->row_at);
    ph_status s = ph_start_lift_rows(sim, rows, z);
    for (int i = 0; i < lay->nv && s == PH_OK; i++)
        a[i] += z[i];
    return s;
}

/* (RB32) and x without its lift, to sim->relaxed, before (S3) moves v_0. w: nv numbers of scratch. */
static ph_status relax(ph_sim *sim, const ph_step_ops *o, double *w)
{
    const ph_layout *lay = &sim->lay;
    ph_point *to = &sim->relaxed;
    size_t bytes = sizeof(double) * (size_t)lay->nv;
    memcpy(to->vdot, sim->now.vdot, bytes);
    ph_status s = ph_ahead_filter(sim, to->vdot);
    memcpy(w, to->vdot, bytes);
    if (s == PH_OK)
        s = ph_ahead_filter(sim, w);
    for (int i = 0; i < lay->nv; i++) {
        w[i] = to->vdot[i] - w[i];
        to->v[i] = sim->now.v[i] + o->inv_eps * w[i], to->vdot[i] += w[i];
    }
    ph_point_shift(lay, &sim->now, o->s, w, to);
    memcpy(to->lambda, sim->now.lambda, sizeof(double) * (size_t)lay->nl);
    to->t = sim->now.t;
    return s;
}

/* (RB2) from vdot_0 + d in sim->now.a, after relax. The matrix of the step is factored, ph_start_prepare_lift was called.
 * a and z: nv numbers of scratch. */
static ph_status damp(ph_sim *sim, double *a, double *z)
{
    int nv = sim->lay.nv;
    double *raw = sim->now.a, *x = sim->relaxed.vdot;
    ph_status s = PH_OK;
    for (int i = 0; i < nv; i++)
        a[i] = raw[i] - sim->now.vdot[i];
    for (int k = 0; k < 2 && s == PH_OK; k++)
        s = ph_ahead_filter(sim, a);
    for (int i = 0; i < nv; i++)
        a[i] += x[i];
    if (s == PH_OK)
        s = give_back(sim, raw, a, z);
    memcpy(raw, a, sizeof(double) * (size_t)nv);
    return s == PH_OK ? give_back(sim, sim->now.vdot, x, z) : s;
}

/* (S3); l: nv numbers of scratch. */
static ph_status perturb(ph_sim *sim, const ph_alpha_start_rules *x, const double *vddot, double *l)
{
    const ph_layout *lay = &sim->lay;
    const ph_alpha *p = x->p;
    double h = sim->h, c_q = ph_alpha_C_q(p) * h * h;
    for (int i = 0; i < lay->nv; i++)
        l[i] = c_q * vddot[i];
    if (!x->third)
        ph_alpha_add_bracket(lay, h * h * ph_alpha_lie(p), sim->now.v, sim->now.vdot, l);
    return ph_start_perturb(sim, l);
}

ph_status ph_alpha_start(ph_sim *sim, const ph_alpha_start_rules *x, int after, double *vddot,
                         double *scratch)
{
    const ph_layout *lay = &sim->lay;
    double *Bn, d = (x->p->alpha_m - x->p->alpha_f) * sim->h;
    int by_position = sim->opt.formulation == PH_INDEX3 && lay->C;
    memcpy(sim->now.a, sim->now.vdot, sizeof(double) * (size_t)lay->nv);
    sim->stiff = 0;
    if (sim->opt.start == PH_PLAIN)
        return PH_OK;
    ph_step_ops *o = x->ops(sim, sim->h, &Bn);
    /* If tangents or a factorisation fail, the step fails, too, and reports the reason. */
    if (evaluate(sim) == PH_OK && (sim->base ? sim->base->stiff : is_stiff(sim, o)))
        sim->stiff = factor(sim, o, Bn) == PH_OK && relax(sim, o, scratch) == PH_OK;
    ph_status s = ph_start_jerk(sim, sim->h, after, vddot);
    if (s == PH_OK && x->third)
        x->third(sim, vddot);
    for (int i = 0; i < lay->nv && s == PH_OK; i++)
        sim->now.a[i] += d * vddot[i];
    if (s == PH_OK && by_position)
        s = perturb(sim, x, vddot, scratch);
    else if (s == PH_OK && sim->stiff)
        s = ph_start_prepare_lift(sim, &sim->now);
    return s == PH_OK && sim->stiff ? damp(sim, vddot, scratch) : s;
}
