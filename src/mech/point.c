/* A point of each body in common, three rows in world components; lambda is the force on the second body.
 *
 *   Phi = x_a + R_a s_a - x_b - R_b s_b
 *   B = (I, -R_a tilde(s_a), -I, R_b tilde(s_b))
 *   d(B^T lambda)/dq: tilde(s_a) tilde(R_a^T lambda) on (phi_a, phi_a), minus the same of b on (phi_b, phi_b)
 *   Z = (0, -R_a tilde(Omega_a x s_a), 0, R_b tilde(Omega_b x s_b)) */
#include "mech/mech.h"

static ph_vec3 end_of(const ph_kin *k, ph_vec3 s)
{
    return ph_add(k->x, ph_mul(k->R, s));
}

static void Phi(const ph_site *s, double *out)
{
    ph_store3(out, ph_sub(end_of(&s->a, s->j->sa), end_of(&s->b, s->j->sb)));
}

static void B(const ph_site *s, const ph_put *p)
{
    ph_put_mat(p, PH_XA, 0, ph_diag3(1, 1, 1));
    ph_put_mat(p, PH_FA, 0, ph_mtilde(s->a.R, ph_scale(-1, s->j->sa)));
    ph_put_mat(p, PH_XB, 0, ph_diag3(-1, -1, -1));
    ph_put_mat(p, PH_FB, 0, ph_mtilde(s->b.R, s->j->sb));
}

static void K(const ph_site *s, const double *lambda, const ph_put *p)
{
    ph_vec3 l = ph_load3(lambda);
    ph_add_pair(p, PH_FA, PH_FA, ph_tilde2(s->j->sa, ph_tmul(s->a.R, l)));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde2(s->j->sb, ph_scale(-1, ph_tmul(s->b.R, l))));
}

static void Z(const ph_site *s, const ph_put *p)
{
    ph_put_mat(p, PH_XA, 0, (ph_mat3){0});
    ph_put_mat(p, PH_FA, 0, ph_mtilde(s->a.R, ph_cross(s->j->sa, s->a.w)));
    ph_put_mat(p, PH_XB, 0, (ph_mat3){0});
    ph_put_mat(p, PH_FB, 0, ph_mtilde(s->b.R, ph_cross(s->b.w, s->j->sb)));
}

/* R (Omega x (Omega x s)) */
static ph_vec3 swing(const ph_kin *k, ph_vec3 s)
{
    return ph_mul(k->R, ph_cross(k->w, ph_cross(k->w, s)));
}

static void convective(const ph_site *s, double *out)
{
    ph_store3(out, ph_sub(swing(&s->a, s->j->sa), swing(&s->b, s->j->sb)));
}

const ph_part ph_part_point = {
    .couples = PH_COUPLE(PH_FA, PH_FA) | PH_COUPLE(PH_FB, PH_FB),
    .Phi = Phi,
    .B = B,
    .K = K,
    .Z = Z,
    .convective = convective,
};
