/* Equations of flexible bodies: against Lagrange's equations differenced in quadruple precision from the
 * kinetic energy alone, against solids written node by node, against differences; and what they must keep. */
#include "modal_cases.h"
#include "quad.h"

/* ---- energies, as they are defined --------------------------------------------------------------- */

enum { Q_X = 0, Q_TURN = 3, Q_ZETA = 6 };

#ifndef PH_NO_QUAD

/* A motion: coordinates and velocities v = (xdot, Omega, zetadot). */
typedef struct motion {
    const instant *a;
    quad x[3], zeta[FLEX_MODES], v[FLEX_N];
    quad_quat q;
} motion;

/* f_c . w = -1/2 a^T KG_c b, twice: the rate of it where b is the rate of a */
static quad second(const ph_reduced *r, int c, const quad *a, const quad *b)
{
    quad sum = 0;
    for (int i = 0; i < r->modes && r->KG; i++)
        for (int j = 0; j < r->modes; j++)
            sum -= a[i] * b[j] * ph_reduced_KG(r, c)[i * r->modes + j];
    return sum;
}

/* 1/2 sv^T calM sv + E v . h + 1/2 h . J^-1 h, with the mean velocity E v of the body and the momentum
 * h = (Ndot_t + Omega x N_t, Ndot_r + S Omega/2) of displacements of second order (X11) */
static quad kinetic(const motion *m)
{
    const ph_reduced *r = m->a->s.r;
    int f = r->modes, n = 6 + 4 * f;
    quad_mat R = q_qmat(m->q), J = {{{0}}};
    quad sv[FLEX_CAL] = {0}, T = 0, N[3], rate[3], s[6];
    quad_vec h = {{0}}, p = {{0}};
    const quad *w = m->v + 3, *zdot = m->v + 6;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sv[i] += R.a[j][i] * m->v[j];
        sv[3 + i] = w[i];
        for (int k = 0; k < f; k++)
            sv[6 + f + 3 * k + i] = m->zeta[k] * w[i];
        N[i] = second(r, PH_KG_MOVES + i, m->zeta, m->zeta) / 2;
        rate[i] = second(r, PH_KG_MOVES + i, m->zeta, zdot);
    }
    for (int k = 0; k < f; k++)
        sv[6 + k] = zdot[k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            T += sv[i] * r->calM[i * n + j] * sv[j] / 2;
    for (int c = 0; c < 6; c++)
        s[c] = second(r, PH_KG_SPINS + c, m->zeta, m->zeta) / 2;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        h.a[i] = rate[i] + w[j] * N[k] - w[k] * N[j];
        h.a[3 + i] =
            second(r, PH_KG_TURNS + i, m->zeta, zdot) + s[i] * w[i] + (s[3 + k] * w[j] + s[3 + j] * w[k]) / 2;
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            J.a[i][j] = r->calM[i * n + j];
        for (int j = 0; j < n; j++)
            p.a[i] += r->calM[i * n + j] * sv[j]; /* J E v */
    }
    quad_vec g = q_mulv(q_inverse(J, 6), h);
    for (int i = 0; i < 6; i++)
        T += g.a[i] * (p.a[i] + h.a[i] / 2);
    return T;
}

/* 1/2 zeta^T Kf zeta - gravity . (m x + R (S0 + S_f zeta + N_t)) */
static quad potential(const motion *m)
{
    const ph_reduced *r = m->a->s.r;
    int f = r->modes, n = 6 + 4 * f;
    quad_mat R = q_qmat(m->q);
    double gravity[3];
    quad V = 0, S[3] = {r->calM[n + 5], r->calM[2 * n + 3], r->calM[4]};
    ph_store3(gravity, m->a->s.gravity);
    for (int i = 0; i < f; i++)
        for (int j = 0; j < f; j++)
            V += m->zeta[i] * r->Kf[i * f + j] * m->zeta[j] / 2;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < f; k++)
            S[i] += r->calM[i * n + 6 + k] * m->zeta[k];
        S[i] += second(r, PH_KG_MOVES + i, m->zeta, m->zeta) / 2;
    }
    for (int i = 0; i < 3; i++) {
        quad at = r->calM[0] * m->x[i];
        for (int j = 0; j < 3; j++)
            at += R.a[i][j] * S[j];
        V -= gravity[i] * at;
    }
    return V;
}

static motion motion_of(const instant *a)
{
    double q[4], x[3], v[FLEX_N], vdot[FLEX_N];
    motion m = {.a = a};
    ph_quat_store(q, a->s.k.q), ph_store3(x, a->s.k.x);
    instant_v(a, v, vdot);
    m.q = q_unit(q);
    for (int i = 0; i < 3; i++)
        m.x[i] = x[i];
    for (int i = 0; i < a->s.r->modes; i++)
        m.zeta[i] = a->zeta[i];
    for (int i = 0; i < 6 + a->s.r->modes; i++)
        m.v[i] = v[i];
    return m;
}

/* Shifted by the increment d of its coordinates. */
static motion moved(motion m, const quad *d)
{
    for (int i = 0; i < 3; i++)
        m.x[i] += d[i];
    for (int i = 0; i < m.a->s.r->modes; i++)
        m.zeta[i] += d[6 + i];
    m.q = q_qmul(m.q, q_qexp(d + 3));
    return m;
}

/* dT/dv_i; exact, since T is quadratic in v */
static quad momentum(motion m, int i)
{
    m.v[i] += 1;
    quad T = kinetic(&m);
    m.v[i] -= 2;
    return (T - kinetic(&m)) / 2;
}

/* Along the motion by the time e. */
static motion later(motion m, const double *vdot, quad e)
{
    quad d[FLEX_N] = {0};
    int n = 6 + m.a->s.r->modes;
    for (int i = 0; i < n; i++)
        d[i] = e * m.v[i];
    m = moved(m, d);
    for (int i = 0; i < n; i++)
        m.v[i] += e * vdot[i];
    return m;
}

/* d/dt dT/dv + (0, Omega x dT/dOmega, 0) - dT/dq + dV/dq + damping, for increments x, phi, zeta */
static void lagrange(const instant *a, double *r)
{
    const quad e = 1e-9; /* errors of e^2 and of 1e-34/e */
    int f = a->s.r->modes, n = 6 + f;
    double v[FLEX_N], vdot[FLEX_N];
    motion m = motion_of(a);
    instant_v(a, v, vdot);
    motion after = later(m, vdot, e), before = later(m, vdot, -e);
    for (int i = 0; i < n; i++) {
        quad up[FLEX_N] = {0}, down[FLEX_N] = {0};
        up[i] = e, down[i] = -e;
        motion plus = moved(m, up), minus = moved(m, down);
        quad sum = momentum(after, i) - momentum(before, i);
        sum -= kinetic(&plus) - potential(&plus) - kinetic(&minus) + potential(&minus);
        sum /= 2 * e;
        if (i >= Q_TURN && i < Q_ZETA) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            sum += m.v[3 + j] * momentum(m, 3 + k) - m.v[3 + k] * momentum(m, 3 + j);
        }
        for (int k = 0; k < f && i >= Q_ZETA; k++)
            sum += a->s.r->Df[(i - 6) * f + k] * m.v[6 + k];
        r[i] = (double)sum;
    }
}

/* (X15) to (X17), with and without displacements of second order (X12), (X13), (X14) */
static void equations_are_those_of_the_energy(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 16; trial++) {
        flex x;
        instant a;
        double want[FLEX_N], got[FLEX_N];
        flex_random(&x, 1 + trial % 5, &seed);
        if (trial % 4 == 3)
            x.r.KG = NULL;
        instant_random(&a, &x.r, &seed);
        lagrange(&a, want);
        instant_residual(&a, NULL, got);
        int n = 6 + x.r.modes;
        check_le(max_diff(got, want, n), 1e-13 * ph_small_max(n, want)); /* round-off: sums of some 100 */
        motion m = motion_of(&a);
        check_near(ph_modal_kinetic(&a.s), (double)kinetic(&m), 1e-13 * (double)kinetic(&m)); /* round-off */
        check_near(ph_modal_potential(&a.s), (double)potential(&m), 1e-13 * n);
    }
}

#endif

/* ---- differences ---------------------------------------------------------------------------------- */

static void energy(const instant *a, void *ctx, double *out)
{
    (void)ctx;
    out[0] = ph_modal_kinetic(&a->s), out[1] = ph_modal_potential(&a->s);
}

static void force(const instant *a, void *ctx, double *out)
{
    (void)ctx;
    ph_modal_g(&a->s, out);
}

/* (X18), (X19), (X20) */
static void tangents_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 12; trial++) {
        flex x;
        instant a;
        flex_random(&x, 1 + trial % 5, &seed);
        if (trial % 4 == 3)
            x.r.KG = NULL;
        instant_random(&a, &x.r, &seed);
        int n = 6 + x.r.modes;
        double C[FLEX_N * FLEX_N], K[FLEX_N * FLEX_N], d[FLEX_N];
        ph_modal_C(&a.s, C);
        ph_modal_K(&a.s, K);
        for (int j = 0; j < n; j++) {
            instant_difference(&a, VARY_V, j, force, NULL, n, d);
            for (int i = 0; i < n; i++)
                check_near(C[i * n + j], d[i], 1e-10); /* derivative: order 8 */
            instant_difference(&a, VARY_Q, j, instant_residual, NULL, n, d);
            for (int i = 0; i < n; i++)
                check_near(K[i * n + j], d[i], 1e-10); /* derivative: order 8 */
        }
    }
}

/* v . (M vdot + g) = d(T + V)/dt + zetadot . Df zetadot, for any accelerations */
static void power_is_balanced(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 12; trial++) {
        flex x;
        instant a;
        flex_random(&x, 1 + trial % 5, &seed);
        instant_random(&a, &x.r, &seed);
        int f = x.r.modes;
        double r[FLEX_N], v[FLEX_N], vdot[FLEX_N], d[2], power = 0;
        instant_residual(&a, NULL, r);
        instant_v(&a, v, vdot);
        instant_difference(&a, VARY_FALL, 0, energy, NULL, 2, d);
        for (int i = 0; i < 6 + f; i++)
            power += v[i] * r[i];
        for (int i = 0; i < f * f; i++)
            power -= a.zdot[i / f] * x.r.Df[i] * a.zdot[i % f];
        check_near(power, d[0] + d[1], 1e-10); /* derivative: order 8 */
    }
}

/* Gravity is -dV: at rest g is the derivative of the potential (X16). */
static void weight_is_derivative_of_potential(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 8; trial++) {
        flex x;
        instant a;
        double g[FLEX_N], d[2];
        flex_random(&x, 1 + trial % 5, &seed);
        instant_random(&a, &x.r, &seed);
        a.s.k.v = a.s.k.w = ph_v3(0, 0, 0);
        memset(a.zdot, 0, sizeof a.zdot);
        ph_modal_g(&a.s, g);
        for (int i = 0; i < 6 + x.r.modes; i++) {
            instant_difference(&a, VARY_Q, i, energy, NULL, 2, d);
            check_near(g[i], d[1], 1e-11); /* derivative: order 8 */
        }
    }
}

/* ---- solids, node by node ------------------------------------------------------------------------- */

enum { NODES = 5, S_MODES = 3 };

/* Nodes with a mass matrix Ms that is the same for x, y and z; node i moves by Psi_i zeta + w_i, w_ia =
 * -1/2 z^T H_ia z. */
typedef struct solid {
    double Ms[NODES * NODES];
    ph_vec3 X[NODES], psi[NODES][S_MODES];
    double H[NODES][3][S_MODES * S_MODES];
} solid;

static void solid_random(solid *b, uint64_t *seed)
{
    rnd_symmetric(NODES, 0.3, 2, b->Ms, seed);
    for (int i = 0; i < NODES; i++) {
        b->X[i] = rnd3(seed);
        for (int k = 0; k < S_MODES; k++)
            b->psi[i][k] = rnd3(seed);
        for (int c = 0; c < 3; c++)
            rnd_symmetric(S_MODES, 1, 0, b->H[i][c], seed);
    }
}

static double component(ph_vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

/* Column c of G at node i: (X1) */
static ph_vec3 column_of(const solid *b, int i, int c)
{
    ph_vec3 e = ph_v3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
    int k = c - 6 - S_MODES;
    if (c < 3)
        return e;
    if (c < 6)
        return ph_cross(e, b->X[i]);
    if (c < 6 + S_MODES)
        return b->psi[i][c - 6];
    e = ph_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return ph_cross(e, b->psi[i][k / 3]);
}

/* KG_c of nodal forces by (X2) */
static void work_of(const solid *b, const ph_vec3 *force, double *KG)
{
    memset(KG, 0, sizeof(double) * S_MODES * S_MODES);
    for (int i = 0; i < NODES; i++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < S_MODES * S_MODES; k++)
                KG[k] += component(force[i], c) * b->H[i][c][k];
}

/* M Phi e of columns c of G */
static void inertia_force(const solid *b, int c, ph_vec3 *force)
{
    for (int i = 0; i < NODES; i++) {
        force[i] = ph_v3(0, 0, 0);
        for (int j = 0; j < NODES; j++)
            force[i] = ph_add(force[i], ph_scale(b->Ms[i * NODES + j], column_of(b, j, c)));
    }
}

static void solid_reduce(const solid *b, flex *x)
{
    static const int first[] = {0, 1, 2, 1, 2, 0}, other[] = {0, 1, 2, 2, 0, 1};
    int n = 6 + 4 * S_MODES, f2 = S_MODES * S_MODES;
    flex_open(x, S_MODES, 0);
    for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++)
            for (int i = 0; i < NODES * NODES; i++)
                x->calM[c * n + d] +=
                    b->Ms[i] * ph_dot(column_of(b, i / NODES, c), column_of(b, i % NODES, d));
    ph_vec3 turn[3][NODES], force[NODES];
    for (int c = 0; c < 3; c++) {
        inertia_force(b, c, force);
        work_of(b, force, x->KG + (PH_KG_MOVES + c) * f2);
        inertia_force(b, 3 + c, turn[c]);
        work_of(b, turn[c], x->KG + (PH_KG_TURNS + c) * f2);
    }
    for (int c = 0; c < 6; c++) {
        for (int i = 0; i < NODES; i++) { /* -Omega x (M Phi_r0 Omega), its part with Omega_a Omega_b */
            ph_vec3 ea = column_of(b, 0, first[c]), eb = column_of(b, 0, other[c]);
            force[i] = ph_cross(turn[other[c]][i], ea);
            if (c >= 3)
                force[i] = ph_add(force[i], ph_cross(turn[first[c]][i], eb));
        }
        work_of(b, force, x->KG + (PH_KG_SPINS + c) * f2);
    }
}

/* g = L^T (Ms (x) I) (Omega x (Omega x r) + 2 Omega x udot), which holds where the mass is the same for x,
 * y, z */
static void solids_move_as_their_nodes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 10; trial++) {
        solid b;
        flex x;
        instant a;
        solid_random(&b, &seed);
        solid_reduce(&b, &x);
        x.r.KG = NULL;
        instant_random(&a, &x.r, &seed);
        a.s.gravity = ph_v3(0, 0, 0);
        ph_vec3 r[NODES], acc[NODES], up = ph_v3(0, 0, 0), down = up;
        double want[6 + S_MODES] = {0}, g[6 + S_MODES];
        for (int i = 0; i < NODES; i++) {
            ph_vec3 udot = ph_v3(0, 0, 0);
            r[i] = b.X[i];
            for (int k = 0; k < S_MODES; k++) {
                r[i] = ph_add(r[i], ph_scale(a.zeta[k], b.psi[i][k]));
                udot = ph_add(udot, ph_scale(a.zdot[k], b.psi[i][k]));
            }
            acc[i] = ph_cross(a.s.k.w, ph_add(ph_cross(a.s.k.w, r[i]), ph_scale(2, udot)));
        }
        for (int i = 0; i < NODES * NODES; i++) {
            ph_vec3 f = ph_scale(b.Ms[i], acc[i % NODES]);
            up = ph_add(up, f), down = ph_add(down, ph_cross(r[i / NODES], f));
            for (int k = 0; k < S_MODES; k++)
                want[6 + k] += ph_dot(b.psi[i / NODES][k], f);
        }
        ph_store3(want, ph_mul(a.s.k.R, up)), ph_store3(want + 3, down);
        ph_modal_g(&a.s, g);
        check_le(max_diff(g, want, 6 + S_MODES), 1e-13 * ph_small_max(6 + S_MODES, want)); /* round-off */
    }
}

/* The kinetic energy of the nodes, with w, at the motion zeta = e z, zetadot = e zdot: what the body
 * leaves out is of third order. */
static void second_order_is_complete(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int trial = 0; trial < 6; trial++) {
        solid b;
        flex x;
        instant a;
        double error[3];
        solid_random(&b, &seed);
        solid_reduce(&b, &x);
        instant_random(&a, &x.r, &seed);
        for (int n = 0; n < 3; n++) {
            double e = 0.01 / (1 << n), T = 0;
            instant at = a;
            instant_link(&at);
            ph_vec3 rdot[NODES], U = ph_tmul(at.s.k.R, at.s.k.v);
            for (int k = 0; k < S_MODES; k++)
                at.zeta[k] *= e, at.zdot[k] *= e;
            for (int i = 0; i < NODES; i++) {
                double w[3] = {0}, wdot[3] = {0};
                ph_vec3 r = b.X[i];
                rdot[i] = U;
                for (int c = 0; c < 3; c++)
                    for (int k = 0; k < S_MODES * S_MODES; k++) {
                        w[c] -= at.zeta[k / S_MODES] * b.H[i][c][k] * at.zeta[k % S_MODES] / 2;
                        wdot[c] -= at.zdot[k / S_MODES] * b.H[i][c][k] * at.zeta[k % S_MODES];
                    }
                for (int k = 0; k < S_MODES; k++) {
                    r = ph_add(r, ph_scale(at.zeta[k], b.psi[i][k]));
                    rdot[i] = ph_add(rdot[i], ph_scale(at.zdot[k], b.psi[i][k]));
                }
                r = ph_add(r, ph_load3(w)), rdot[i] = ph_add(rdot[i], ph_load3(wdot));
                rdot[i] = ph_add(rdot[i], ph_cross(at.s.k.w, r));
            }
            for (int i = 0; i < NODES * NODES; i++)
                T += b.Ms[i] * ph_dot(rdot[i / NODES], rdot[i % NODES]) / 2;
            error[n] = fabs(ph_modal_kinetic(&at.s) - T);
        }
        check_near(log2(error[0] / error[1]), 3, 0.15); /* order */
        check_near(log2(error[1] / error[2]), 3, 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef PH_NO_QUAD
        cmocka_unit_test(equations_are_those_of_the_energy),
#endif
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(power_is_balanced),
        cmocka_unit_test(weight_is_derivative_of_potential),
        cmocka_unit_test(solids_move_as_their_nodes),
        cmocka_unit_test(second_order_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
