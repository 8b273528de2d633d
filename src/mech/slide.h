/* Displacements of a point of the second body along axes e of the first.
 *
 *   d = x_b + R_b s_b - x_a,  u = its rate,  n = R_a e
 *   Phi = n . d - e . s_a - f(t)
 *   B = (-n, e x R_a^T d, n, s_b x R_b^T n)
 *   d(B^T lambda)/dq, N = dn/dphi_a = -R_a tilde(e):
 *     (x_b, phi_a) = -(x_a, phi_a) = lambda N, and transposed
 *     (phi_a, phi_a) = lambda tilde(e) tilde(R_a^T d)
 *     (phi_b, phi_b) = lambda tilde(s_b) tilde(R_b^T n)
 *     (phi_b, phi_a) = lambda tilde(s_b) R_b^T N, and transposed
 *   Z = (-ndot, e x R_a^T u + (Omega_a x e) x R_a^T d, ndot, (Omega_b x s_b) x R_b^T n + s_b x R_b^T ndot) */
#ifndef PH_MECH_SLIDE_H
#define PH_MECH_SLIDE_H

#include "mech/mech.h"

typedef struct ph_slide {
    ph_vec3 e, n, d, u; /* u: rate of d */
    ph_vec3 edot, ndot; /* edot = Omega_a x e; ndot = R_a edot */
} ph_slide;

PH_FN ph_slide ph_slide_of(const ph_site *s, int k)
{
    ph_slide c = {.e = ph_column(&s->j->Ea, k)};
    ph_vec3 arm = ph_mul(s->b.R, s->j->sb), swing = ph_mul(s->b.R, ph_cross(s->b.w, s->j->sb));
    c.n = ph_mul(s->a.R, c.e);
    c.d = ph_sub(ph_add(s->b.x, arm), s->a.x);
    c.u = ph_sub(ph_add(s->b.v, swing), s->a.v);
    c.edot = ph_cross(s->a.w, c.e);
    c.ndot = ph_mul(s->a.R, c.edot);
    return c;
}

PH_FN void ph_slide_Phi(const ph_site *s, ph_real *out)
{
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_slide c = ph_slide_of(s, k);
            *out++ = ph_dot(c.n, c.d) - ph_dot(c.e, s->j->sa) - (s->j->drive == k ? s->f[0] : ph_k(0));
        }
}

PH_FN void ph_slide_B(const ph_site *s, const ph_put *p)
{
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_slide c = ph_slide_of(s, k);
            ph_put_row(p, PH_XA, row, ph_neg(c.n));
            ph_put_row(p, PH_FA, row, ph_cross(c.e, ph_tmul(s->a.R, c.d)));
            ph_put_row(p, PH_XB, row, c.n);
            ph_put_row(p, PH_FB, row, ph_cross(s->j->sb, ph_tmul(s->b.R, c.n)));
            row++;
        }
}

PH_FN void ph_slide_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_slide c = ph_slide_of(s, k);
            ph_real l = *lambda++;
            ph_mat3 N = ph_mscale(l, ph_mtilde(s->a.R, ph_neg(c.e))), Nt = ph_transpose(N);
            ph_mat3 W = ph_mmul(ph_tilde(s->j->sb), ph_mmul(ph_transpose(s->b.R), N));
            ph_add_pair(p, PH_XB, PH_FA, N), ph_add_pair(p, PH_FA, PH_XB, Nt);
            ph_add_pair(p, PH_XA, PH_FA, ph_mneg(N)), ph_add_pair(p, PH_FA, PH_XA, ph_mneg(Nt));
            ph_add_pair(p, PH_FA, PH_FA, ph_mscale(l, ph_tilde2(c.e, ph_tmul(s->a.R, c.d))));
            ph_add_pair(p, PH_FB, PH_FB, ph_mscale(l, ph_tilde2(s->j->sb, ph_tmul(s->b.R, c.n))));
            ph_add_pair(p, PH_FB, PH_FA, W), ph_add_pair(p, PH_FA, PH_FB, ph_transpose(W));
        }
}

PH_FN void ph_slide_Z(const ph_site *s, const ph_put *p)
{
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_slide c = ph_slide_of(s, k);
            ph_vec3 sb_rate = ph_cross(s->b.w, s->j->sb);
            ph_put_row(p, PH_XA, row, ph_neg(c.ndot));
            ph_put_row(p, PH_FA, row,
                       ph_add(ph_cross(c.e, ph_tmul(s->a.R, c.u)), ph_cross(c.edot, ph_tmul(s->a.R, c.d))));
            ph_put_row(p, PH_XB, row, c.ndot);
            ph_put_row(
                p, PH_FB, row,
                ph_add(ph_cross(sb_rate, ph_tmul(s->b.R, c.n)), ph_cross(s->j->sb, ph_tmul(s->b.R, c.ndot))));
            row++;
        }
}

PH_FN void ph_slide_Phi_t(const ph_site *s, ph_real *out)
{
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            *out++ = s->j->drive == k ? -s->f[1] : ph_k(0);
}

/* nddot . d + 2 ndot . u + n . R_b (Omega_b x (Omega_b x s_b)) - f'' */
PH_FN void ph_slide_convective(const ph_site *s, ph_real *out)
{
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k)) {
            ph_slide c = ph_slide_of(s, k);
            ph_vec3 nddot = ph_mul(s->a.R, ph_cross(s->a.w, c.edot));
            ph_vec3 swing = ph_mul(s->b.R, ph_cross(s->b.w, ph_cross(s->b.w, s->j->sb)));
            *out++ = ph_dot(nddot, c.d) + 2 * ph_dot(c.ndot, c.u) + ph_dot(c.n, swing) -
                     (s->j->drive == k ? s->f[2] : ph_k(0));
        }
}

#endif
