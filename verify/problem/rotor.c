/* A high-speed rotor: one rigid body on R^3 and SO(3), held by two spring-dampers, bent by a constant torque.
 *
 * Bearing i acts at the body point l_i along the world axes that S_i (diagonal, 0 or 1) selects, unstressed
 * at t = 0:
 *
 *   F_i = -S_i (k (x + R l_i - l_i) + d (xdot + R (Omega x l_i)))
 *   m xddot = sum F_i,  J Omegadot + Omega x J Omega = sum l_i x R^T F_i + R^T tau
 *   dF_i = -S_i (k dx + d dxdot) + S_i R (k tilde(l_i) + d tilde(Omega x l_i)) dq + S_i R d tilde(l_i) dOmega
 *
 * S_L = diag(1, 1, 1), S_R = diag(0, 1, 1). Data: Holzinger, Arnold, Gerstmayr, sigma-modified Lie group
 * generalized-alpha methods, section 7.2, with the mass printed there; J and d belong to 1.2330751165 kg.
 *
 * Reference: the same equations for (x, xdot, p, Omega) with pdot = p o Omega / 2. */
#include "problem/build.h"
#include "problem/ode.h"
#include "problem/rotate.h"

#include <stdlib.h>

typedef struct rotor {
    double m, k, d;
    ph_vec3 J, tau;
    struct {
        ph_vec3 l, S;
    } bearing[2];
    double q0[7], v0[6];
    ph_ode ode; /* y = (x, xdot, p, Omega) */
} rotor;

/* diag(S) a, diag(S) A */
static ph_vec3 pick(ph_vec3 S, ph_vec3 a)
{
    return ph_v3(S.x * a.x, S.y * a.y, S.z * a.z);
}

static ph_mat3 pick_rows(ph_vec3 S, ph_mat3 A)
{
    return (ph_mat3){S.x * A.xx, S.x * A.xy, S.x * A.xz, S.y * A.yx, S.y * A.yy,
                     S.y * A.yz, S.z * A.zx, S.z * A.zy, S.z * A.zz};
}

/* xdot + R (Omega x l) */
static ph_vec3 point_rate(const ph_state *s, ph_vec3 l)
{
    return ph_add(ph_load3(s->v), ph_mul(s->R[0], ph_cross(ph_load3(s->v + 3), l)));
}

/* S (x + R l - l) */
static ph_vec3 stretch(const rotor *c, const ph_state *s, int i)
{
    ph_vec3 l = c->bearing[i].l;
    return pick(c->bearing[i].S, ph_sub(ph_add(ph_load3(s->q), ph_mul(s->R[0], l)), l));
}

static ph_vec3 force(const rotor *c, const ph_state *s, int i)
{
    ph_vec3 rate = pick(c->bearing[i].S, point_rate(s, c->bearing[i].l));
    return ph_scale(-1, ph_add(ph_scale(c->k, stretch(c, s, i)), ph_scale(c->d, rate)));
}

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const rotor *c = ctx;
    (void)s;
    ph_store33(out, ph_diag3(c->m, c->m, c->m));
    ph_store33(out + 27, ph_diag3(c->J.x, c->J.y, c->J.z));
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const rotor *c = ctx;
    ph_vec3 gx = {0, 0, 0}, gR = ph_sub(ph_gyro(c->J, ph_load3(s->v + 3)), ph_tmul(s->R[0], c->tau));
    for (int i = 0; i < 2; i++) {
        ph_vec3 F = force(c, s, i);
        gx = ph_sub(gx, F);
        gR = ph_sub(gR, ph_cross(c->bearing[i].l, ph_tmul(s->R[0], F)));
    }
    ph_store3(out, gx);
    ph_store3(out + 3, gR);
    return PH_OK;
}

/* What C and K share, for dF = -S a (dx or dxdot) + S R A (dq or dOmega): the blocks of
 * g_x = -sum F and of -sum l x R^T F at fixed R^T */
static void bearing_blocks(ph_mat3 R, ph_vec3 l, ph_vec3 S, double a, ph_mat3 A, ph_mat3 *block)
{
    ph_mat3 SRA = pick_rows(S, ph_mmul(R, A)), Rl = ph_mtilde(R, l); /* tilde(l) R^T = -(R tilde(l))^T */
    block[0] = ph_madd(block[0], ph_diag3(a * S.x, a * S.y, a * S.z));
    block[1] = ph_msub(block[1], SRA);
    block[2] = ph_msub(block[2], ph_mscale(a, ph_transpose(pick_rows(S, Rl))));
    block[3] = ph_madd(block[3], ph_mmul(ph_transpose(Rl), SRA));
}

static void store_blocks(const ph_mat3 *block, double *out)
{
    for (int i = 0; i < 4; i++)
        ph_store33(out + 9 * i, block[i]);
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const rotor *c = ctx;
    ph_mat3 O = ph_diag3(0, 0, 0), block[4] = {O, O, O, ph_gyro_tangent(c->J, ph_load3(s->v + 3))};
    for (int i = 0; i < 2; i++) {
        ph_vec3 l = c->bearing[i].l;
        bearing_blocks(s->R[0], l, c->bearing[i].S, c->d, ph_tilde(ph_scale(c->d, l)), block);
    }
    store_blocks(block, out);
    return PH_OK;
}

/* d(R^T F) = R^T dF + tilde(R^T F) dq */
static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const rotor *c = ctx;
    ph_vec3 w = ph_load3(s->v + 3);
    ph_mat3 O = ph_diag3(0, 0, 0), block[4] = {O, O, O, ph_tilde(ph_scale(-1, ph_tmul(s->R[0], c->tau)))};
    for (int i = 0; i < 2; i++) {
        ph_vec3 l = c->bearing[i].l, a = ph_add(ph_scale(c->k, l), ph_scale(c->d, ph_cross(w, l)));
        ph_vec3 f = ph_tmul(s->R[0], force(c, s, i));
        bearing_blocks(s->R[0], l, c->bearing[i].S, c->k, ph_tilde(a), block);
        block[3] = ph_msub(block[3], ph_mmul(ph_tilde(l), ph_tilde(f)));
    }
    store_blocks(block, out);
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const rotor *c = ctx;
    ph_vec3 u = ph_load3(s->v), w = ph_load3(s->v + 3);
    double E = c->m * ph_dot(u, u) + c->J.x * w.x * w.x + c->J.y * w.y * w.y + c->J.z * w.z * w.z;
    for (int i = 0; i < 2; i++) {
        ph_vec3 a = stretch(c, s, i);
        E += c->k * ph_dot(a, a);
    }
    return E / 2;
}

static double power(const ph_state *s, const void *ctx)
{
    const rotor *c = ctx;
    double P = ph_dot(ph_tmul(s->R[0], c->tau), ph_load3(s->v + 3));
    for (int i = 0; i < 2; i++) {
        ph_vec3 a = pick(c->bearing[i].S, point_rate(s, c->bearing[i].l));
        P -= c->d * ph_dot(a, a);
    }
    return P;
}

/* ---- reference -------------------------------------------------------------------------------- */

static void whirl(long double t, const long double *y, long double *dy, const void *ctx)
{
    const rotor *c = ctx;
    const long double *x = y, *u = y + 3, *p = y + 6, *w = y + 10, Jx = c->J.x, Jy = c->J.y, Jz = c->J.z;
    const long double tau[3] = {c->tau.x, c->tau.y, c->tau.z};
    long double torque[3], sum[3] = {0, 0, 0};
    (void)t;
    ph_rotatel(p, -1, tau, torque);
    for (int i = 0; i < 2; i++) {
        const long double l[3] = {c->bearing[i].l.x, c->bearing[i].l.y, c->bearing[i].l.z};
        const long double S[3] = {c->bearing[i].S.x, c->bearing[i].S.y, c->bearing[i].S.z};
        long double Rl[3], wl[3], Rwl[3], F[3], f[3], lf[3];
        ph_rotatel(p, 1, l, Rl);
        ph_crossl(w, l, wl);
        ph_rotatel(p, 1, wl, Rwl);
        for (int j = 0; j < 3; j++) {
            F[j] = -S[j] * (c->k * (x[j] + Rl[j] - l[j]) + c->d * (u[j] + Rwl[j]));
            sum[j] += F[j];
        }
        ph_rotatel(p, -1, F, f);
        ph_crossl(l, f, lf);
        for (int j = 0; j < 3; j++)
            torque[j] += lf[j];
    }
    for (int j = 0; j < 3; j++) {
        dy[j] = u[j];
        dy[3 + j] = sum[j] / c->m;
    }
    ph_quat_ratel(p, w, dy + 6);
    dy[10] = ((Jy - Jz) * w[1] * w[2] + torque[0]) / Jx;
    dy[11] = ((Jz - Jx) * w[2] * w[0] + torque[1]) / Jy;
    dy[12] = ((Jx - Jy) * w[0] * w[1] + torque[2]) / Jz;
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    rotor *c = p->data;
    const long double *y = c->ode.y;
    long double dy[PH_ODE_MAX];
    (void)lambda;
    if (!ph_ode_move(&c->ode, t))
        return 0;
    whirl(t, y, dy, c);
    for (int i = 0; i < 3; i++) {
        q[i] = (double)y[i];
        v[i] = (double)y[3 + i], v[3 + i] = (double)y[10 + i];
        vdot[i] = (double)dy[3 + i], vdot[3 + i] = (double)dy[10 + i];
    }
    ph_quat_store(y + 6, q + 3);
    return 1;
}

/* ---- building --------------------------------------------------------------------------------- */

int ph_build_rotor(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_RN, 3, "rotor position"}, {PH_SO3, 0, "rotor attitude"}};
    static const ph_place pairs[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    if (!isfinite(def->x))
        return 0;
    rotor *c = calloc(1, sizeof *c);
    if (!c)
        return 0;
    *c = (rotor){.m = 1.223, .k = 4000, .d = 5.165093, .J = {0.001541, 0.000812, 0.000812}};
    c->tau.z = 0.01 * c->m * 9.81;
    c->bearing[0].l = ph_v3(-0.11, 0, 0), c->bearing[0].S = ph_v3(1, 1, 1);
    c->bearing[1].l = ph_v3(0.09, 0, 0), c->bearing[1].S = ph_v3(0, 1, 1);
    c->q0[3] = 1;
    c->v0[3] = def->x;
    c->ode = (ph_ode){.n = 13, .f = whirl, .ctx = c};
    c->ode.y0[6] = 1;
    c->ode.y0[10] = def->x;
    /* displacements are of the order of 1e-4 m, transverse angular velocities of 1e-2 rad/s */
    for (int i = 0; i < 13; i++)
        c->ode.size[i] = i < 3 ? 1e-3L : i < 6 ? 1e-2L : 1;
    ph_ode_start(&c->ode, 1e-4L);
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->t_end = 0.1;
    p->h = 2.5e-5;
    p->sys.n_nodes = 2, p->sys.nodes = nodes;
    p->sys.n_pairs = 4, p->sys.pairs = pairs;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    p->sys.M = M, p->sys.g = g, p->sys.C = C, p->sys.K = K;
    p->energy = energy;
    p->power = power;
    p->exact = exact;
    return 1;
}
