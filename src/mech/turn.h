/* Components of the relative rotation of two frames: no spurious zero, and full rank at any angle.
 *
 *   p = conj(q_a C_a) o (q_b C_b) = (p0, pv),  Phi = 2 pv, the picked components
 *
 * With w_a = C_a^T Omega_a, w_b = C_b^T Omega_b, P = p0 I + tilde(pv), Q = P^T:
 *
 *   2 pvdot = P w_b - Q w_a,  2 p0dot = -pv . (w_b - w_a)
 *   B = (0, -Q C_a^T, 0, P C_b^T)
 *   d(B^T lambda)/dq, l = lambda on the picked components and 0 elsewhere,
 *   N = l pv^T + pv l^T - (l . pv) I - p0 tilde(l):
 *     (phi_b, phi_b) =  (tilde(C_b (p0 l + l x pv)) - (l . pv) I)/2     (phi_b, phi_a) = C_b N C_a^T/2
 *     (phi_a, phi_a) = -(tilde(C_a (p0 l - l x pv)) + (l . pv) I)/2     (phi_a, phi_b) = its transpose
 *   Z, d = w_b - w_a, s = w_b + w_a:
 *     Z_a =  (d pv^T - pv s^T + (s . pv) I + p0 tilde(s)) C_a^T/2
 *     Z_b = -(d pv^T + pv s^T - (s . pv) I + p0 tilde(s)) C_b^T/2
 *
 * A drive f(t) about axis e of the joint frame turns the frame of the first body: C_a -> C_a exp(f e). Then
 * 2 pv = 2 sin((angle - f)/2) e, whatever the number of turns, and w_a has f' e with it. The quaternions
 * are continuous in time, so the sign of p is. */
#ifndef PH_MECH_TURN_H
#define PH_MECH_TURN_H

#include "lie/so3.h"
#include "mech/element.h"
#ifndef PH_ELEMENT_LANES
#include "mech/mech.h"
#endif

typedef struct ph_turn {
    ph_real p0;
    ph_vec3 pv;
    ph_mat3 Ea; /* of C_a, with the drive */
} ph_turn;

PH_FN ph_vec3 ph_turn_axis_of(int k)
{
    return ph_v3(ph_k(k == 0), ph_k(k == 1), ph_k(k == 2));
}

PH_FN ph_turn ph_turn_of(const ph_site *s)
{
    const ph_joint *j = s->j;
    ph_turn c = {.Ea = j->Ea};
    ph_quat Ca = j->Ca;
    if (j->drive >= 3) {
        ph_vec3 e = ph_turn_axis_of(j->drive - 3);
        ph_real S = ph_sin(s->f[0] / 2);
        ph_quat by = {ph_cos(s->f[0] / 2), S * e.x, S * e.y, S * e.z};
        Ca = ph_qmul(Ca, by);
        c.Ea = ph_mmul(j->Ea, ph_qmat(by));
    }
    ph_quat p = ph_qmul(ph_quat_conj(ph_qmul(s->a.q, Ca)), ph_qmul(s->b.q, j->Cb));
    c.p0 = p.w;
    c.pv = ph_v3(p.x, p.y, p.z);
    return c;
}

/* tilde(a) + s I */
PH_FN ph_mat3 ph_turn_tilde_plus(ph_vec3 a, ph_real s)
{
    return (ph_mat3){s, -a.z, a.y, a.z, s, -a.x, -a.y, a.x, s};
}

PH_FN ph_mat3 ph_turn_P(const ph_turn *c)
{
    return ph_turn_tilde_plus(c->pv, c->p0);
}

PH_FN ph_mat3 ph_turn_Q(const ph_turn *c)
{
    return ph_transpose(ph_turn_P(c));
}

typedef struct ph_turn_rates {
    ph_vec3 wa, wb; /* in the joint frames, with the drive */
    ph_vec3 spin;   /* f' e */
} ph_turn_rates;

PH_FN ph_turn_rates ph_turn_rates_of(const ph_site *s, const ph_turn *c)
{
    ph_turn_rates r = {ph_tmul(c->Ea, s->a.w), ph_tmul(s->j->Eb, s->b.w), ph_zero3()};
    if (s->j->drive >= 3) {
        r.spin = ph_scale(s->f[1], ph_turn_axis_of(s->j->drive - 3));
        r.wa = ph_add(r.wa, r.spin);
    }
    return r;
}

PH_FN void ph_turn_put_picked(unsigned pick, ph_vec3 a, ph_real *out)
{
    const ph_real all[] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; k++)
        if (ph_picked(pick, k))
            *out++ = all[k];
}

PH_FN void ph_turn_put_rows(const ph_site *s, const ph_put *p, int slot, ph_mat3 A)
{
    const ph_vec3 all[] = {{A.xx, A.xy, A.xz}, {A.yx, A.yy, A.yz}, {A.zx, A.zy, A.zz}};
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            ph_put_row(p, slot, row++, all[k]);
}

PH_FN void ph_turn_put_zero(const ph_site *s, const ph_put *p)
{
    ph_turn_put_rows(s, p, PH_XA, ph_zero33());
    ph_turn_put_rows(s, p, PH_XB, ph_zero33());
}

PH_FN void ph_turn_put_Phi(const ph_site *s, const ph_turn *c, ph_real *out)
{
    ph_turn_put_picked(s->pick, ph_scale(ph_k(2), c->pv), out);
}

PH_FN void ph_turn_put_B(const ph_site *s, const ph_turn *c, const ph_put *p)
{
    ph_turn_put_zero(s, p);
    ph_turn_put_rows(s, p, PH_FA, ph_mneg(ph_mmul(ph_turn_Q(c), ph_transpose(c->Ea))));
    ph_turn_put_rows(s, p, PH_FB, ph_mmul(ph_turn_P(c), ph_transpose(s->j->Eb)));
}

PH_FN void ph_turn_Phi(const ph_site *s, ph_real *out)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_put_Phi(s, &c, out);
}

PH_FN void ph_turn_B(const ph_site *s, const ph_put *p)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_put_B(s, &c, p);
}

PH_FN void ph_turn_Phi_B(const ph_site *s, ph_real *Phi, const ph_put *p)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_put_Phi(s, &c, Phi);
    ph_turn_put_B(s, &c, p);
}

/* a b^T + sign (b a'^T - (a' . b) I), the symmetric part that K and Z share; a' = c */
PH_FN ph_mat3 ph_turn_mixed(ph_vec3 a, ph_vec3 b, double sign, ph_vec3 c)
{
    ph_mat3 A = ph_madd(ph_outer(a, b), ph_mscale(ph_k(sign), ph_outer(b, c)));
    ph_real bc = sign * ph_dot(b, c);
    A.xx -= bc, A.yy -= bc, A.zz -= bc;
    return A;
}

PH_FN void ph_turn_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    ph_turn c = ph_turn_of(s);
    ph_real l3[3] = {ph_k(0), ph_k(0), ph_k(0)};
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            l3[k] = 0.5 * *lambda++;
    ph_vec3 l = ph_load3(l3), pl = ph_scale(c.p0, l), lp = ph_cross(l, c.pv);
    ph_real dot = ph_dot(l, c.pv);
    ph_mat3 N = ph_msub(ph_turn_mixed(l, c.pv, 1, l), ph_tilde(pl));
    ph_mat3 ba = ph_mmul(s->j->Eb, ph_mmul(N, ph_transpose(c.Ea)));
    ph_add_pair(p, PH_FB, PH_FB, ph_turn_tilde_plus(ph_mul(s->j->Eb, ph_add(pl, lp)), -dot));
    ph_add_pair(p, PH_FA, PH_FA, ph_turn_tilde_plus(ph_mul(c.Ea, ph_sub(lp, pl)), -dot));
    ph_add_pair(p, PH_FB, PH_FA, ba), ph_add_pair(p, PH_FA, PH_FB, ph_transpose(ba));
}

PH_FN void ph_turn_Z(const ph_site *s, const ph_put *p)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_rates r = ph_turn_rates_of(s, &c);
    ph_vec3 d = ph_scale(ph_k(0.5), ph_sub(r.wb, r.wa)), sum = ph_scale(ph_k(0.5), ph_add(r.wb, r.wa));
    ph_mat3 W = ph_tilde(ph_scale(c.p0, sum));
    ph_turn_put_zero(s, p);
    ph_turn_put_rows(s, p, PH_FA, ph_mmul(ph_madd(ph_turn_mixed(d, c.pv, -1, sum), W), ph_transpose(c.Ea)));
    ph_turn_put_rows(s, p, PH_FB,
                     ph_mneg(ph_mmul(ph_madd(ph_turn_mixed(d, c.pv, 1, sum), W), ph_transpose(s->j->Eb))));
}

PH_FN void ph_turn_Phi_t(const ph_site *s, ph_real *out)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_put_picked(s->pick, ph_neg(ph_mul(ph_turn_Q(&c), ph_turn_rates_of(s, &c).spin)), out);
}

/* (w_b - w_a) p0dot - (w_b + w_a) x pvdot - Q w_adot, with w_adot = f'' e - f' e x C_a^T Omega_a at fixed
 * Omega_a */
PH_FN void ph_turn_convective(const ph_site *s, ph_real *out)
{
    ph_turn c = ph_turn_of(s);
    ph_turn_rates r = ph_turn_rates_of(s, &c);
    ph_vec3 dw = ph_sub(r.wb, r.wa), sw = ph_add(r.wb, r.wa);
    ph_vec3 pvdot = ph_scale(ph_k(0.5), ph_sub(ph_mul(ph_turn_P(&c), r.wb), ph_mul(ph_turn_Q(&c), r.wa)));
    ph_real p0dot = -0.5 * ph_dot(c.pv, dw);
    ph_vec3 sum = ph_sub(ph_scale(p0dot, dw), ph_cross(sw, pvdot));
    if (s->j->drive >= 3) {
        ph_vec3 fall = ph_scale(s->f[2], ph_turn_axis_of(s->j->drive - 3));
        sum = ph_sub(sum, ph_mul(ph_turn_Q(&c), ph_sub(fall, ph_cross(r.spin, ph_sub(r.wa, r.spin)))));
    }
    ph_turn_put_picked(s->pick, sum, out);
}

#endif
