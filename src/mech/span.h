/* From a point of one body to a point of another: what springs, bushings and distances share.
 *
 *   d = x_b + R_b s_b - x_a - R_a s_a,  D = dd/dq = (-I, R_a tilde(s_a), I, -R_b tilde(s_b))
 *   E = d(ddot)/dq = (0, R_a tilde(Omega_a x s_a), 0, -R_b tilde(Omega_b x s_b))
 *
 * A force F(d, ddot) on the second body, with minus sign, gives g = D^T F, and with S = dF/dd, G = dF/d(ddot)
 *
 *   C = D^T G D
 *   K = D^T (S D + G E) + tilde(s_b) tilde(R_b^T F) on (phi_b, phi_b) - tilde(s_a) tilde(R_a^T F) on
 *       (phi_a, phi_a) */
#ifndef PH_MECH_SPAN_H
#define PH_MECH_SPAN_H

#include "mech/mech.h"

typedef struct ph_span {
    ph_vec3 d, rate;
    ph_vec3 u;           /* d/|d|; 0 where d = 0 */
    ph_real length, out; /* |d|, u . rate */
} ph_span;

PH_FN ph_span ph_span_of(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb)
{
    ph_span c;
    ph_vec3 pa = ph_add(a->x, ph_mul(a->R, sa)), pb = ph_add(b->x, ph_mul(b->R, sb));
    ph_vec3 va = ph_add(a->v, ph_mul(a->R, ph_cross(a->w, sa))),
            vb = ph_add(b->v, ph_mul(b->R, ph_cross(b->w, sb)));
    c.d = ph_sub(pb, pa);
    c.rate = ph_sub(vb, va);
    c.length = ph_norm(c.d);
    c.u = ph_scale(ph_select(c.length > 0, 1 / c.length, ph_k(0)), c.d);
    c.out = ph_dot(c.u, c.rate);
    return c;
}

/* (I - u u^T)/|d|; 0 where d = 0 */
PH_FN ph_mat3 ph_span_across(const ph_span *c)
{
    return ph_mscale(ph_select(c->length > 0, 1 / c->length, ph_k(0)),
                     ph_msub(ph_one33(), ph_outer(c->u, c->u)));
}

/* D^T F, as rows of a tangent too. */
PH_FN void ph_span_arms(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F,
                        ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = ph_neg(F);
    r[PH_FA] = ph_cross(ph_tmul(a->R, F), sa);
    r[PH_XB] = F;
    r[PH_FB] = ph_cross(sb, ph_tmul(b->R, F));
}

/* E^T F */
PH_FN void ph_span_arm_rates(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F,
                             ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = r[PH_XB] = ph_zero3();
    r[PH_FA] = ph_cross(ph_tmul(a->R, F), ph_cross(a->w, sa));
    r[PH_FB] = ph_cross(ph_cross(b->w, sb), ph_tmul(b->R, F));
}

/* D */
PH_FN void ph_span_D(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_mat3 D[PH_SLOTS])
{
    D[PH_XA] = ph_mneg(ph_one33());
    D[PH_FA] = ph_mtilde(a->R, sa);
    D[PH_XB] = ph_one33();
    D[PH_FB] = ph_mtilde(b->R, ph_neg(sb));
}

PH_FN void ph_span_C(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_mat3 G, const ph_put *p)
{
    ph_mat3 D[PH_SLOTS];
    ph_span_D(a, b, sa, sb, D);
    for (int j = 0; j < PH_SLOTS; j++) {
        ph_mat3 GD = ph_mmul(G, D[j]);
        for (int i = 0; i < PH_SLOTS; i++)
            ph_add_pair(p, i, j, ph_mmul(ph_transpose(D[i]), GD));
    }
}

PH_FN void ph_span_K(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F, ph_mat3 S,
                     ph_mat3 G, const ph_put *p)
{
    ph_mat3 D[PH_SLOTS], E[PH_SLOTS];
    ph_span_D(a, b, sa, sb, D);
    ph_span_D(a, b, ph_cross(a->w, sa), ph_cross(b->w, sb), E);
    E[PH_XA] = E[PH_XB] = ph_zero33();
    for (int j = 0; j < PH_SLOTS; j++) {
        ph_mat3 dF = ph_madd(ph_mmul(S, D[j]), ph_mmul(G, E[j]));
        for (int i = 0; i < PH_SLOTS; i++)
            ph_add_pair(p, i, j, ph_mmul(ph_transpose(D[i]), dF));
    }
    ph_add_pair(p, PH_FA, PH_FA, ph_tilde2(sa, ph_neg(ph_tmul(a->R, F))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde2(sb, ph_tmul(b->R, F)));
}

#endif
