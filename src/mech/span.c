/* From a point of one body to a point of another. */
#include "mech/span.h"

ph_span ph_span_of(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb)
{
    ph_span c;
    ph_vec3 pa = ph_add(a->x, ph_mul(a->R, sa)), pb = ph_add(b->x, ph_mul(b->R, sb));
    ph_vec3 va = ph_add(a->v, ph_mul(a->R, ph_cross(a->w, sa))),
            vb = ph_add(b->v, ph_mul(b->R, ph_cross(b->w, sb)));
    c.d = ph_sub(pb, pa);
    c.rate = ph_sub(vb, va);
    c.length = ph_norm(c.d);
    c.u = ph_scale(c.length > 0 ? 1 / c.length : 0, c.d);
    c.out = ph_dot(c.u, c.rate);
    return c;
}

ph_mat3 ph_span_across(const ph_span *c)
{
    if (!(c->length > 0))
        return (ph_mat3){0};
    return ph_mscale(1 / c->length, ph_msub(ph_diag3(1, 1, 1), ph_outer(c->u, c->u)));
}

void ph_span_arms(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F, ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = ph_scale(-1, F);
    r[PH_FA] = ph_cross(ph_tmul(a->R, F), sa);
    r[PH_XB] = F;
    r[PH_FB] = ph_cross(sb, ph_tmul(b->R, F));
}

void ph_span_arm_rates(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F,
                       ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = r[PH_XB] = ph_v3(0, 0, 0);
    r[PH_FA] = ph_cross(ph_tmul(a->R, F), ph_cross(a->w, sa));
    r[PH_FB] = ph_cross(ph_cross(b->w, sb), ph_tmul(b->R, F));
}

static void arms(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_mat3 D[PH_SLOTS])
{
    D[PH_XA] = ph_diag3(-1, -1, -1);
    D[PH_FA] = ph_mtilde(a->R, sa);
    D[PH_XB] = ph_diag3(1, 1, 1);
    D[PH_FB] = ph_mtilde(b->R, ph_scale(-1, sb));
}

void ph_span_C(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_mat3 G, const ph_put *p)
{
    ph_mat3 D[PH_SLOTS];
    arms(a, b, sa, sb, D);
    for (int j = 0; j < PH_SLOTS; j++) {
        ph_mat3 GD = ph_mmul(G, D[j]);
        for (int i = 0; i < PH_SLOTS; i++)
            ph_add_pair(p, i, j, ph_mmul(ph_transpose(D[i]), GD));
    }
}

void ph_span_K(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F, ph_mat3 S, ph_mat3 G,
               const ph_put *p)
{
    ph_mat3 D[PH_SLOTS], E[PH_SLOTS];
    arms(a, b, sa, sb, D);
    arms(a, b, ph_cross(a->w, sa), ph_cross(b->w, sb), E);
    E[PH_XA] = E[PH_XB] = (ph_mat3){0};
    for (int j = 0; j < PH_SLOTS; j++) {
        ph_mat3 dF = ph_madd(ph_mmul(S, D[j]), ph_mmul(G, E[j]));
        for (int i = 0; i < PH_SLOTS; i++)
            ph_add_pair(p, i, j, ph_mmul(ph_transpose(D[i]), dF));
    }
    ph_add_pair(p, PH_FA, PH_FA, ph_tilde2(sa, ph_scale(-1, ph_tmul(a->R, F))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde2(sb, ph_tmul(b->R, F)));
}
