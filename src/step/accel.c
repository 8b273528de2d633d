/* The constraints on accelerations and their tangents.
 *
 *   c = d(B v + Phi_t)/dt = B vdot + convective(q, v, t)                                           (K10)
 *   dc/dv = Z + Bdot,   Bdot = Z + B hat(v) of holonomic rows                                      (K11)
 *   dc/dq = dZ/dt - Z hat(v), with dZ/dt along the motion: qdot = q o tilde(v), vdot               (K12)
 *
 * Let D_a be the derivative along the left increment a: D_a D_b - D_b D_a = D_[a,b]. Then Z w = D_w (B v +
 * Phi_t), Bdot w = (D_v + d/dt) D_w Phi = D_w (D_v + d/dt) Phi + D_[v,w] Phi, and, with the derivative of
 * c being that of a derivative along the motion, D_w d/dt = d/dt D_w + D_[w,v]. Z is affine in v, so dZ/dt
 * has d(B vdot)/dq in it: one central difference of the callback Z serves both, exact to about 1e-10. Bdot
 * of non-holonomic rows, where B is no derivative of Phi, is a central difference of B over the same piece
 * of the motion. */
#include "step/accel.h"

#include <math.h>
#include <string.h>

#include "base/difference.h"
#include "la/small.h"
#include "step/step_limits.h"

void ph_accel_take(ph_accel *ac, const ph_layout *lay, ph_arena *a)
{
    size_t links = (size_t)lay->size_links, d = sizeof(double);
    ac->c = ph_arena_take(a, (size_t)lay->nl, d);
    ac->by_q = ph_arena_take(a, links, d);
    ac->by_v = ph_arena_take(a, links, d);
    for (int side = 0; side < 2; side++) {
        ac->Z[side] = ph_arena_take(a, links, d);
        ac->B[side] = ph_arena_take(a, links, d);
    }
    ph_point_take(&ac->end, lay, a);
    ac->nonholonomic = 0;
    for (int c = 0; c < lay->C; c++)
        ac->nonholonomic |= lay->sys->constraints[c].nonholonomic;
}

ph_status ph_accel_rows(ph_accel *ac, ph_eval *ev, const ph_point *p)
{
    const ph_layout *lay = ev->lay;
    ph_state s = ph_point_view(p, lay);
    memset(ac->c, 0, sizeof(double) * (size_t)lay->nl); /* what the callback never writes is zero */
    ph_status status = ph_eval_convective(ev, &s, ac->c);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && status == PH_OK; b++)
        ph_small_mul_add(b->m, b->n, ev->B + b->at, p->vdot + b->col_at, ac->c + b->row_at);
    return status;
}

/* Z, and B where some rows are non-holonomic, a little later or earlier on the motion. */
static ph_status look(ph_accel *ac, ph_eval *ev, const ph_point *p, double step, int side)
{
    const ph_layout *lay = ev->lay;
    ph_point *end = &ac->end;
    end->t = p->t + step;
    ph_point_shift(lay, p, step, p->v, end);
    for (int i = 0; i < lay->nv; i++)
        end->v[i] = p->v[i] + step * p->vdot[i];
    ph_state s = ph_point_view(end, lay);
    s.vdot = p->vdot, s.lambda = p->lambda;
    ph_status status = ph_eval_rate_tangent(ev, &s, ac->Z[side]);
    if (status == PH_OK && ac->nonholonomic)
        status = ph_eval_links(ev, &s, ac->B[side]);
    return status;
}

ph_status ph_accel_tangent(ph_accel *ac, ph_eval *ev, const ph_point *p)
{
    const ph_layout *lay = ev->lay;
    double longest = lay->sys->Z ? PH_DIFFERENCE : PH_ACCEL_STEP_DIFFERENCED;
    if (!lay->C)
        return PH_OK;
    double step = exp2(floor(log2(longest / fmax(1, ph_small_max(lay->nv, p->v))))); /* t + step is exact */
    ph_status status = look(ac, ev, p, step, 0);
    if (status == PH_OK)
        status = look(ac, ev, p, -step, 1);
    if (status != PH_OK)
        return status;
    for (const ph_block *b = lay->link, *last = b + lay->n_links; b < last; b++) {
        const ph_slot *node = &lay->slot[b->col];
        const double *B = ev->B + b->at, *Z = ev->Z + b->at;
        double *by_q = ac->by_q + b->at, *by_v = ac->by_v + b->at, hat[PH_DIM_MAX * PH_DIM_MAX];
        for (int k = 0; k < b->m * b->n; k++) {
            by_q[k] = (ac->Z[0][b->at + k] - ac->Z[1][b->at + k]) / (2 * step);
            by_v[k] =
                b->holonomic ? 2 * Z[k] : Z[k] + (ac->B[0][b->at + k] - ac->B[1][b->at + k]) / (2 * step);
        }
        if (node->R_at < 0)
            continue;
        node->op->hat(node->dim, p->v + b->col_at, hat);
        if (b->holonomic)
            ph_small_mmul_add(b->m, b->n, b->n, B, hat, by_v);
        for (int k = 0; k < b->n * b->n; k++)
            hat[k] = -hat[k];
        ph_small_mmul_add(b->m, b->n, b->n, Z, hat, by_q);
    }
    return PH_OK;
}
