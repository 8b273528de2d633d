/* Springs and dampers along and about the world axes, between points and between rotations.
 *
 *   F = k o d + d o ddot,  o: component by component (span.h)
 *   tau = kr o psi + dr o w,  w = R_b Omega_b - R_a Omega_a,  exp(psi) = R_b R_rest^T R_a^T
 *   g = (0, -R_a^T tau, 0, R_b^T tau):  the torque on b is -tau, that on a +tau
 *   dpsi = T^-T(psi) R_b dphi_b - T^-1(psi) R_a dphi_a
 *   dw = -R_b tilde(Omega_b) dphi_b + R_a tilde(Omega_a) dphi_a
 *
 * R_rest is the rotation of b as seen from a at the initial configuration, where the bushing does not turn
 * anything. Where kr is the same about all axes, the torque is that of the potential psi . (kr o psi)/2. Where it is not,
 * turning a bushing there and back another way gives or takes energy:
 *   P = (kr o psi) . (psidot - w),  psidot = T^-T(psi) R_b Omega_b - T^-1(psi) R_a Omega_a               (Y6) */
#ifndef PH_MECH_BUSHING_H
#define PH_MECH_BUSHING_H

#include "lie/so3.h"
#include "mech/span.h"

PH_FN ph_vec3 ph_bushing_times(ph_vec3 a, ph_vec3 b)
{
    return ph_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

PH_FN ph_mat3 ph_bushing_rows_times(ph_vec3 a, ph_mat3 B)
{
    return ph_mmul(ph_diag3(a.x, a.y, a.z), B);
}

PH_FN ph_vec3 ph_bushing_psi_of(const ph_force_site *s)
{
    ph_quat reached = ph_qmul(s->b.q, ph_quat_conj(s->f->rest));
    return ph_so3_log(ph_qmul(reached, ph_quat_conj(s->a.q)));
}

PH_FN ph_vec3 ph_bushing_torque(const ph_force_site *s, ph_vec3 psi)
{
    ph_vec3 w = ph_sub(ph_mul(s->b.R, s->b.w), ph_mul(s->a.R, s->a.w));
    return ph_add(ph_bushing_times(s->f->def->kr3, psi), ph_bushing_times(s->f->def->dr3, w));
}

PH_FN ph_vec3 ph_bushing_force(const ph_force_site *s, const ph_span *c)
{
    return ph_add(ph_bushing_times(s->f->def->k3, c->d), ph_bushing_times(s->f->def->d3, c->rate));
}

PH_FN void ph_bushing_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_vec3 tau = ph_bushing_torque(s, ph_bushing_psi_of(s));
    ph_span_arms(&s->a, &s->b, s->f->sa, s->f->sb, ph_bushing_force(s, &c), r);
    r[PH_FA] = ph_sub(r[PH_FA], ph_tmul(s->a.R, tau));
    r[PH_FB] = ph_add(r[PH_FB], ph_tmul(s->b.R, tau));
}

/* Rows of -R_a^T dtau and R_b^T dtau, dtau = A dphi_a + B dphi_b */
PH_FN void ph_bushing_add_turns(const ph_force_site *s, ph_mat3 A, ph_mat3 B, const ph_put *p)
{
    ph_mat3 Rat = ph_mneg(ph_transpose(s->a.R)), Rbt = ph_transpose(s->b.R);
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(Rat, A)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(Rat, B));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(Rbt, A)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(Rbt, B));
}

PH_FN void ph_bushing_C(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 d = s->f->def->d3, dr = s->f->def->dr3;
    ph_span_C(&s->a, &s->b, s->f->sa, s->f->sb, ph_diag3(d.x, d.y, d.z), p);
    ph_bushing_add_turns(s, ph_mneg(ph_bushing_rows_times(dr, s->a.R)), ph_bushing_rows_times(dr, s->b.R), p);
}

PH_FN void ph_bushing_K(const ph_force_site *s, const ph_put *p)
{
    const ph_force_def *f = s->f->def;
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_mat3 S = ph_diag3(f->k3.x, f->k3.y, f->k3.z), G = ph_diag3(f->d3.x, f->d3.y, f->d3.z);
    ph_span_K(&s->a, &s->b, s->f->sa, s->f->sb, ph_bushing_force(s, &c), S, G, p);
    ph_vec3 psi = ph_bushing_psi_of(s), tau = ph_bushing_torque(s, psi);
    ph_mat3 Tinv = ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi);
    ph_mat3 A = ph_msub(ph_bushing_rows_times(f->dr3, ph_mtilde(s->a.R, s->a.w)),
                        ph_bushing_rows_times(f->kr3, ph_mmul(Tinv, s->a.R)));
    ph_mat3 B = ph_msub(ph_bushing_rows_times(f->kr3, ph_mmul(ph_transpose(Tinv), s->b.R)),
                        ph_bushing_rows_times(f->dr3, ph_mtilde(s->b.R, s->b.w)));
    ph_bushing_add_turns(s, A, B, p);
    ph_add_pair(p, PH_FA, PH_FA, ph_mneg(ph_tilde(ph_tmul(s->a.R, tau))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde(ph_tmul(s->b.R, tau)));
}

PH_FN ph_real ph_bushing_energy(const ph_force_site *s)
{
    ph_span c = ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
    ph_vec3 psi = ph_bushing_psi_of(s);
    return (ph_dot(c.d, ph_bushing_times(s->f->def->k3, c.d)) +
            ph_dot(psi, ph_bushing_times(s->f->def->kr3, psi))) /
           2;
}

/* The torque and the rate of (Y6). */
PH_FN void ph_bushing_gain(const ph_force_site *s, ph_vec3 *torque, ph_vec3 *rate)
{
    ph_vec3 psi = ph_bushing_psi_of(s), w_a = ph_mul(s->a.R, s->a.w), w_b = ph_mul(s->b.R, s->b.w);
    ph_mat3 Tinv = ph_form_mat(ph_form_Tinv(ph_stumpff_of(psi)), psi);
    ph_vec3 psidot = ph_sub(ph_tmul(Tinv, w_b), ph_mul(Tinv, w_a));
    *torque = ph_bushing_times(s->f->def->kr3, psi);
    *rate = ph_sub(psidot, ph_sub(w_b, w_a));
}

#endif
