/* Components of the relative rotation of the joint frames: no spurious zero and full rank at any angle of turn.
 *
 *   p = conj(q_a C_a) o (q_b C_b) = (p0, pv),  Phi = 2 pv, the picked components
 *
 * With w_a = C_a^T Omega_a, w_b = C_b^T Omega_b, P = p0 I + tilde(pv), Q = p0 I - tilde(pv):
 *
 *   2 pvdot = P w_b - Q w_a,  2 p0dot = -pv . (w_b - w_a)
 *   B = (0, -Q C_a^T, 0, P C_b^T)
 *   d(B^T lambda)/dq, l = lambda on the picked components and 0 elsewhere, L = tilde(l):
 *     (phi_b, phi_b) =  C_b (-l pv^T + L P) C_b^T / 2     (phi_b, phi_a) = C_b (l pv^T - L Q) C_a^T / 2
 *     (phi_a, phi_a) = -C_a ( l pv^T + L Q) C_a^T / 2     (phi_a, phi_b) = C_a (l pv^T + L P) C_b^T / 2
 *   Z = (0, ((w_b - w_a) pv^T + tilde(w_b + w_a) Q) C_a^T / 2, 0, -((w_b - w_a) pv^T + tilde(w_b + w_a) P) C_b^T / 2)
 *
 * A drive f(t) about axis e of the joint frame turns the frame of the first body: C_a -> C_a exp(f e). Then
 * 2 pv = 2 sin((angle - f)/2) e, whatever the number of turns, and w_a has f' e with it. The quaternions are continuous
 * in time, so the sign of p is. */
#include "mech/mech.h"

#include "lie/so3.h"

typedef struct turn {
    double p0;
    ph_vec3 pv;
    ph_mat3 Ea;     /* of C_a, with the drive */
    ph_vec3 wa, wb; /* with the drive */
    ph_vec3 spin;   /* f' e */
    ph_mat3 P, Q;
} turn;

static ph_vec3 axis_of(int k)
{
    return ph_v3(k == 0, k == 1, k == 2);
}

static turn turn_of(const ph_site *s)
{
    const ph_joint *j = s->j;
    turn c = {.Ea = j->Ea};
    ph_quat Ca = j->Ca;
    if (j->drive >= 3) {
        ph_vec3 e = axis_of(j->drive - 3);
        double S = sin(s->f[0] / 2);
        ph_quat by = {cos(s->f[0] / 2), S * e.x, S * e.y, S * e.z};
        Ca = ph_qmul(Ca, by);
        c.Ea = ph_mmul(j->Ea, ph_qmat(by));
        c.spin = ph_scale(s->f[1], e);
    }
    ph_quat p = ph_qmul(ph_quat_conj(ph_qmul(s->a.q, Ca)), ph_qmul(s->b.q, j->Cb));
    c.p0 = p.w;
    c.pv = ph_v3(p.x, p.y, p.z);
    c.wa = ph_add(ph_tmul(c.Ea, s->a.w), c.spin);
    c.wb = ph_tmul(j->Eb, s->b.w);
    c.P = (ph_mat3){p.w, -p.z, p.y, p.z, p.w, -p.x, -p.y, p.x, p.w};
    c.Q = ph_transpose(c.P);
    return c;
}

static void put_picked(unsigned pick, ph_vec3 a, double *out)
{
    const double all[] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; k++)
        if (ph_picked(pick, k))
            *out++ = all[k];
}

static void put_rows(const ph_site *s, const ph_put *p, int slot, ph_mat3 A)
{
    const ph_vec3 all[] = {{A.xx, A.xy, A.xz}, {A.yx, A.yy, A.yz}, {A.zx, A.zy, A.zz}};
    for (int k = 0, row = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            ph_put_row(p, slot, row++, all[k]);
}

static void put_zero(const ph_site *s, const ph_put *p)
{
    put_rows(s, p, PH_XA, (ph_mat3){0});
    put_rows(s, p, PH_XB, (ph_mat3){0});
}

static void Phi(const ph_site *s, double *out)
{
    put_picked(s->pick, ph_scale(2, turn_of(s).pv), out);
}

static void B(const ph_site *s, const ph_put *p)
{
    turn c = turn_of(s);
    put_zero(s, p);
    put_rows(s, p, PH_FA, ph_mscale(-1, ph_mmul(c.Q, ph_transpose(c.Ea))));
    put_rows(s, p, PH_FB, ph_mmul(c.P, ph_transpose(s->j->Eb)));
}

/* A (M/2) B^T */
static ph_mat3 between(ph_mat3 A, ph_mat3 M, ph_mat3 B)
{
    return ph_mmul(A, ph_mmul(ph_mscale(0.5, M), ph_transpose(B)));
}

static void K(const ph_site *s, const double *lambda, const ph_put *p)
{
    turn c = turn_of(s);
    double l3[3] = {0};
    for (int k = 0; k < 3; k++)
        if (ph_picked(s->pick, k))
            l3[k] = *lambda++;
    ph_vec3 l = ph_load3(l3);
    ph_mat3 lp = ph_outer(l, c.pv), LP = ph_mmul(ph_tilde(l), c.P), LQ = ph_mmul(ph_tilde(l), c.Q);
    ph_add_pair(p, PH_FB, PH_FB, between(s->j->Eb, ph_msub(LP, lp), s->j->Eb));
    ph_add_pair(p, PH_FB, PH_FA, between(s->j->Eb, ph_msub(lp, LQ), c.Ea));
    ph_add_pair(p, PH_FA, PH_FA, between(c.Ea, ph_mscale(-1, ph_madd(lp, LQ)), c.Ea));
    ph_add_pair(p, PH_FA, PH_FB, between(c.Ea, ph_madd(lp, LP), s->j->Eb));
}

static void Z(const ph_site *s, const ph_put *p)
{
    turn c = turn_of(s);
    ph_mat3 dp = ph_outer(ph_sub(c.wb, c.wa), c.pv), W = ph_tilde(ph_add(c.wb, c.wa));
    ph_mat3 one = ph_diag3(1, 1, 1);
    put_zero(s, p);
    put_rows(s, p, PH_FA, between(one, ph_madd(dp, ph_mmul(W, c.Q)), c.Ea));
    put_rows(s, p, PH_FB, between(one, ph_mscale(-1, ph_madd(dp, ph_mmul(W, c.P))), s->j->Eb));
}

static void Phi_t(const ph_site *s, double *out)
{
    turn c = turn_of(s);
    put_picked(s->pick, ph_scale(-1, ph_mul(c.Q, c.spin)), out);
}

/* (w_b - w_a) p0dot - (w_b + w_a) x pvdot - Q w_adot, with w_adot = f'' e - f' e x C_a^T Omega_a at fixed Omega_a */
static void convective(const ph_site *s, double *out)
{
    turn c = turn_of(s);
    ph_vec3 dw = ph_sub(c.wb, c.wa), sw = ph_add(c.wb, c.wa);
    ph_vec3 pvdot = ph_scale(0.5, ph_sub(ph_mul(c.P, c.wb), ph_mul(c.Q, c.wa)));
    double p0dot = -0.5 * ph_dot(c.pv, dw);
    ph_vec3 sum = ph_sub(ph_scale(p0dot, dw), ph_cross(sw, pvdot));
    if (s->j->drive >= 3) {
        ph_vec3 wadot = ph_sub(ph_scale(s->f[2], axis_of(s->j->drive - 3)), ph_cross(c.spin, ph_sub(c.wa, c.spin)));
        sum = ph_sub(sum, ph_mul(c.Q, wadot));
    }
    put_picked(s->pick, sum, out);
}

const ph_part ph_part_turn = {
    .couples = PH_COUPLE_TURNS,
    .Phi = Phi,
    .B = B,
    .K = K,
    .Z = Z,
    .Phi_t = Phi_t,
    .convective = convective,
};
