/* Springs and dampers along and about the world axes, between points and between rotations.
 *
 *   F = k o d + d o ddot,  o: component by component (span.h)
 *   tau = kr o psi + dr o w,  w = R_b Omega_b - R_a Omega_a,  exp(psi) = R_b R_rest^T R_a^T
 *   g = (0, -R_a^T tau, 0, R_b^T tau):  the torque on b is -tau, that on a +tau
 *   dpsi = T^-T(psi) R_b dphi_b - T^-1(psi) R_a dphi_a
 *   dw = -R_b tilde(Omega_b) dphi_b + R_a tilde(Omega_a) dphi_a
 *
 * R_rest is the rotation of b as seen from a at the initial configuration, where the bushing does not turn
 * anything. It is derived from the potential psi . (kr o psi)/2 where kr is the same about all axes, or
 * rotations are small. */
#include "mech/span.h"

#include "lie/so3.h"

static ph_vec3 times(ph_vec3 a, ph_vec3 b)
{
    return ph_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static ph_mat3 rows_times(ph_vec3 a, ph_mat3 B)
{
    return ph_mmul(ph_diag3(a.x, a.y, a.z), B);
}

static ph_vec3 psi_of(const ph_force_site *s)
{
    ph_quat reached = ph_qmul(s->b.q, ph_quat_conj(s->f->rest));
    return ph_so3_log(ph_qmul(reached, ph_quat_conj(s->a.q)));
}

static ph_vec3 torque(const ph_force_site *s, ph_vec3 psi)
{
    ph_vec3 w = ph_sub(ph_mul(s->b.R, s->b.w), ph_mul(s->a.R, s->a.w));
    return ph_add(times(s->f->def->kr3, psi), times(s->f->def->dr3, w));
}

static ph_vec3 force(const ph_force_site *s, const ph_span *c)
{
    return ph_add(times(s->f->def->k3, c->d), times(s->f->def->d3, c->rate));
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_vec3 tau = torque(s, psi_of(s));
    ph_span_arms(&s->a, &s->b, s->f->sa, s->f->sb, force(s, &c), r);
    r[PH_FA] = ph_sub(r[PH_FA], ph_tmul(s->a.R, tau));
    r[PH_FB] = ph_add(r[PH_FB], ph_tmul(s->b.R, tau));
    return PH_OK;
}

/* Rows of -R_a^T dtau and R_b^T dtau, dtau = A dphi_a + B dphi_b */
static void add_turns(const ph_force_site *s, ph_mat3 A, ph_mat3 B, const ph_put *p)
{
    ph_mat3 Rat = ph_mscale(-1, ph_transpose(s->a.R)), Rbt = ph_transpose(s->b.R);
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(Rat, A)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(Rat, B));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(Rbt, A)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(Rbt, B));
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 d = s->f->def->d3, dr = s->f->def->dr3;
    ph_span_C(&s->a, &s->b, s->f->sa, s->f->sb, ph_diag3(d.x, d.y, d.z), p);
    add_turns(s, ph_mscale(-1, rows_times(dr, s->a.R)), rows_times(dr, s->b.R), p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    const ph_force_def *f = s->f->def;
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_mat3 S = ph_diag3(f->k3.x, f->k3.y, f->k3.z), G = ph_diag3(f->d3.x, f->d3.y, f->d3.z);
    ph_span_K(&s->a, &s->b, s->f->sa, s->f->sb, force(s, &c), S, G, p);
    ph_vec3 psi = psi_of(s), tau = torque(s, psi);
    ph_mat3 Tinv = ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi);
    ph_mat3 A =
        ph_msub(rows_times(f->dr3, ph_mtilde(s->a.R, s->a.w)), rows_times(f->kr3, ph_mmul(Tinv, s->a.R)));
    ph_mat3 B = ph_msub(rows_times(f->kr3, ph_mmul(ph_transpose(Tinv), s->b.R)),
                        rows_times(f->dr3, ph_mtilde(s->b.R, s->b.w)));
    add_turns(s, A, B, p);
    ph_add_pair(p, PH_FA, PH_FA, ph_mscale(-1, ph_tilde(ph_tmul(s->a.R, tau))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde(ph_tmul(s->b.R, tau)));
    return PH_OK;
}

static double energy(const ph_force_site *s)
{
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_vec3 psi = psi_of(s);
    return (ph_dot(c.d, times(s->f->def->k3, c.d)) + ph_dot(psi, times(s->f->def->kr3, psi))) / 2;
}

const ph_force_ops ph_force_bushing = {.g = g, .C = C, .K = K, .energy = energy};
