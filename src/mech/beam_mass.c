/* Beam elements with mass, distributed over their length.
 *
 * A section of mass Ms = [m I, -m tilde(c); m tilde(c), J] per length moves with v(xi) = N v, v = (v_a, v_b), velocities
 * in body axes. With alpha = v' - (R^T gravity, 0), so that weight is a part of inertia,
 *
 *   f = integral N^T (Ms a - hat(n)^T Ms n) L dxi,  n = N v,  a = N alpha + N' v                         (B9)
 *
 * are Hamel's equations of T = 1/2 v^T M v, M = integral N^T Ms N L dxi. Helicoidal mass: N = [I - X, X] (B7), three
 * Gauss points. Frames and their variations commute: with eta = N (eta_a, eta_b) along the beam,
 * delta n = eta' + hat(n) eta, and delta a is its rate. In physical coordinates, where velocities and accelerations of
 * the world stay as they are when a node turns,                                                        (B10)
 *
 *   dn/dq = Z + hat(n) N,  Z = N' - N W
 *   da/dq = N'' + hat(a) N + hat(n) Z - (N' + Z) W - N W',  W = blockdiag(tilde(Omega)), W' = blockdiag(tilde(Omega'))
 *   da/dv = 2 N' + hat(n) N - N W - N blockdiag(tilde(Omega), 0)
 *
 * times R^T for positions of the world. d(N^T f)/dq at fixed f is [-J; J] P, J = d(X^T f)/dd.
 *
 * Linear mass: M = L Ms (x) [1/3 1/6; 1/6 1/3], lumped mass: L Ms (x) [1/2 0; 0 1/2], constant; then      (B11)
 *
 *   f_i = (M v')_i - hat(v_i)^T (M v)_i - L/2 Ms (R_i^T gravity, 0)
 *
 * Weight goes to the nodes by halves in both: M (R^T gravity, 0) of the linear mass has no potential. */
#include "mech/beam.h"
#include "mech/helix.h"

#include <string.h>

#include "lie/so3.h"
#include "lie/groups.h"

enum { N12 = 12 };

/* An element in motion; body axes. */
typedef struct motion {
    ph_mat3 R[2];
    ph_twist v[2], alpha[2]; /* velocities; accelerations, with or without gravity */
    ph_vec3 wdot[2];
    ph_six Ms; /* times length */
} motion;

static ph_six section_mass(const ph_force *f)
{
    ph_mat3 c = ph_tilde(f->moment);
    return (ph_six){ph_diag3(f->mass, f->mass, f->mass), ph_mscale(-1, c), c, f->J};
}

static void motion_of(const ph_force_site *s, ph_vec3 gravity, motion *o)
{
    const ph_kin *k[2] = {&s->a, &s->b};
    o->Ms = section_mass(s->f);
    for (int i = 0; i < 2; i++) {
        o->R[i] = k[i]->R;
        o->v[i] = (ph_twist){ph_tmul(k[i]->R, k[i]->v), k[i]->w};
        o->wdot[i] = s->acc[2 * i + 1];
        ph_vec3 a = ph_tmul(k[i]->R, ph_sub(s->acc[2 * i], gravity));
        o->alpha[i] = (ph_twist){ph_sub(a, ph_cross(k[i]->w, o->v[i].u)), o->wdot[i]};
    }
}

/* hat(v)^T p */
static ph_twist fold_hat(ph_twist v, ph_twist p)
{
    return (ph_twist){ph_cross(p.u, v.w), ph_add(ph_cross(p.u, v.u), ph_cross(p.w, v.w))};
}

/* d(hat(v)^T Ms v)/dv = hat(v)^T Ms + bk(Ms v), bk(p) x = hat(x)^T p */
static ph_six gyroscopic(const ph_six *Ms, ph_twist v)
{
    ph_twist p = ph_six_apply(Ms, v);
    ph_dual H = ph_dual_hat(v);
    ph_six G = ph_dual_six(&H, Ms);
    G.uw = ph_madd(G.uw, ph_tilde(p.u));
    G.wu = ph_madd(G.wu, ph_tilde(p.u));
    G.ww = ph_madd(G.ww, ph_tilde(p.w));
    return G;
}

/* out (12 x 12) += S A S^T of the blocks of rows i and columns j, S = diag(R, I) */
static void put_turned(const motion *o, int i, int j, const ph_six *A, double *out)
{
    ph_mat3 Rj = ph_transpose(o->R[j]);
    const ph_mat3 B[4] = {ph_mmul(o->R[i], ph_mmul(A->uu, Rj)), ph_mmul(o->R[i], A->uw), ph_mmul(A->wu, Rj),
                          A->ww};
    for (int k = 0; k < 4; k++) {
        double *at = out + N12 * (6 * i + k / 2 * 3) + 6 * j + k % 2 * 3, x[9];
        ph_store33(x, B[k]);
        for (int n = 0; n < 9; n++)
            at[N12 * (n / 3) + n % 3] += x[n];
    }
}

/* Turning of forces f_u with their nodes: -R tilde(f_u) on (x, phi) */
static void put_turning(const motion *o, const ph_twist f[2], double *out)
{
    for (int i = 0; i < 2; i++) {
        ph_six A = {.uw = ph_tilde(ph_scale(-1, f[i].u))};
        put_turned(o, i, i, &A, out);
    }
}

static void add_forces(const motion *o, const ph_twist f[2], ph_vec3 r[PH_SLOTS])
{
    for (int i = 0; i < 2; i++) {
        r[2 * i] = ph_add(r[2 * i], ph_mul(o->R[i], f[i].u));
        r[2 * i + 1] = ph_add(r[2 * i + 1], f[i].w);
    }
}

/* ---- helicoidal ---------------------------------------------------------------------------------------- */

static ph_twist load(const double *x)
{
    return (ph_twist){ph_load3(x), ph_load3(x + 3)};
}

static ph_dual load_dual(const double *A) /* 6 x 6, [r e; 0 r] */
{
    return (ph_dual){{A[0], A[1], A[2], A[6], A[7], A[8], A[12], A[13], A[14]},
                     {A[3], A[4], A[5], A[9], A[10], A[11], A[15], A[16], A[17]}};
}

/* d'' = T^-1(d) alpha_b - T^-1(-d) alpha_a + (d(T^-1(x) v_b)/dx at d + d(T^-1(x) v_a)/dx at -d) d' */
static ph_twist second_rate(const ph_beam_at *e, const motion *o)
{
    const ph_group_ops *se3 = &ph_se3_ops;
    double minus[6], v[2][6], Q[36];
    ph_twist rate = load(e->rate), sum = ph_twist_sub(ph_dual_apply(load_dual(e->Tb), o->alpha[1]),
                                                      ph_dual_apply(load_dual(e->Ta), o->alpha[0]));
    for (int i = 0; i < 6; i++)
        minus[i] = -e->d[i];
    for (int i = 0; i < 2; i++) {
        ph_store3(v[i], o->v[i].u), ph_store3(v[i] + 3, o->v[i].w);
        se3->dTinv(0, i ? e->d : minus, v[i], Q);
        sum = ph_twist_add(sum, ph_dual_apply(load_dual(Q), rate)); /* [J0 J1; 0 J0] */
    }
    return sum;
}

static void helix_of(const ph_beam_at *e, const motion *o, int order, ph_helix *h)
{
    h->d = load(e->d), h->d1 = load(e->rate);
    if (order >= 2)
        h->d2 = second_rate(e, o);
    ph_helix_fill(h, order);
}

/* One point of the beam. */
typedef struct point {
    double weight;
    ph_dual X[3], N[2]; /* N = [I - X, X] */
    ph_twist n, a, f;   /* velocity, acceleration, inertial force */
} point;

static void point_of(const ph_helix *h, const motion *o, int k, int order, point *p)
{
    ph_twist dv = ph_twist_sub(o->v[1], o->v[0]), da = ph_twist_sub(o->alpha[1], o->alpha[0]);
    p->weight = ph_helix_weight[k];
    ph_helix_point(h, k, order, p->X);
    p->N[0] = ph_dual_sub((ph_dual){.r = ph_diag3(1, 1, 1)}, p->X[0]), p->N[1] = p->X[0];
    p->n = ph_twist_add(o->v[0], ph_dual_apply(p->X[0], dv));
    p->a = ph_twist_add(o->alpha[0], ph_twist_add(ph_dual_apply(p->X[0], da), ph_dual_apply(p->X[1], dv)));
    ph_twist P = ph_six_apply(&o->Ms, p->n);
    p->f = ph_twist_sub(ph_six_apply(&o->Ms, p->a), fold_hat(p->n, P));
    p->f.u = ph_scale(p->weight, p->f.u), p->f.w = ph_scale(p->weight, p->f.w);
}

/* f[0] + f[1] is the whole force of the point. */
static void add_point(const point *p, ph_twist f[2])
{
    ph_twist b = ph_dual_fold(p->X[0], p->f);
    f[0] = ph_twist_add(f[0], ph_twist_sub(p->f, b));
    f[1] = ph_twist_add(f[1], b);
}

/* N^T B for the columns of side j: rows of both sides */
static void add_rows(const point *p, int j, const ph_six *B, ph_six K[2][2])
{
    ph_six b = ph_dual_six(&p->X[0], B);
    K[0][j] = ph_six_add(K[0][j], ph_six_sub(*B, b));
    K[1][j] = ph_six_add(K[1][j], b);
}

static void helix_g(const ph_beam_at *e, const motion *o, ph_twist f[2])
{
    ph_helix h;
    helix_of(e, o, 1, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        point p;
        point_of(&h, o, k, 1, &p);
        add_point(&p, f);
    }
}

/* N^T Ms N by Y = sum w X and Z = sum w X^T Ms X */
static void helix_M(const ph_beam_at *e, const motion *o, ph_six M[2][2])
{
    ph_helix h;
    ph_dual X[3], Y = {0};
    ph_six Z = {0};
    helix_of(e, o, 0, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        double w = ph_helix_weight[k];
        ph_helix_point(&h, k, 0, X);
        ph_dual wX = {ph_mscale(w, X[0].r), ph_mscale(w, X[0].e)};
        ph_six B = ph_six_dual(&o->Ms, &wX);
        Y = ph_dual_add(Y, wX);
        Z = ph_six_add(Z, ph_dual_six(&X[0], &B));
    }
    ph_six MY = ph_six_dual(&o->Ms, &Y), rest = ph_six_sub(MY, Z);
    M[1][1] = Z;
    M[0][1] = rest, M[1][0] = ph_six_transpose(rest);
    M[0][0] = ph_six_sub(ph_six_sub(o->Ms, MY), ph_six_transpose(rest));
}

/* dn/dv = N, da/dv (B10) */
static void helix_C(const ph_beam_at *e, const motion *o, ph_six C[2][2])
{
    ph_helix h;
    helix_of(e, o, 1, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        point p;
        point_of(&h, o, k, 1, &p);
        ph_six G = gyroscopic(&o->Ms, p.n);
        ph_dual H = ph_dual_hat(p.n), X1 = ph_dual_add(p.X[1], p.X[1]);
        for (int j = 0; j < 2; j++) {
            ph_dual A = ph_dual_sub(ph_dual_mul(H, p.N[j]), ph_dual_turn(p.N[j], o->v[j].w));
            A = j ? ph_dual_add(A, X1) : ph_dual_sub(A, X1);
            ph_six B = ph_six_sub(ph_six_dual(&o->Ms, &A), ph_six_dual(&G, &p.N[j]));
            ph_mat3 more = ph_mtilde(p.N[j].r, o->v[j].w); /* N blockdiag(tilde(Omega), 0) */
            B.uu = ph_msub(B.uu, ph_mmul(o->Ms.uu, more));
            B.wu = ph_msub(B.wu, ph_mmul(o->Ms.wu, more));
            B = ph_six_scale(p.weight, B);
            add_rows(&p, j, &B, C);
        }
    }
}

/* dn/dq and da/dq of side j (B10) */
static void slopes(const point *p, const motion *o, int j, ph_dual *n_q, ph_dual *a_q)
{
    ph_dual H = ph_dual_hat(p->n), N1 = p->X[1], N2 = p->X[2];
    if (!j) {
        const ph_dual none = {0};
        N1 = ph_dual_sub(none, N1), N2 = ph_dual_sub(none, N2);
    }
    ph_dual Z = ph_dual_sub(N1, ph_dual_turn(p->N[j], o->v[j].w));
    *n_q = ph_dual_add(Z, ph_dual_mul(H, p->N[j]));
    ph_dual A = ph_dual_add(N2, ph_dual_mul(ph_dual_hat(p->a), p->N[j]));
    A = ph_dual_add(A, ph_dual_mul(H, Z));
    A = ph_dual_sub(A, ph_dual_turn(ph_dual_add(N1, Z), o->v[j].w));
    *a_q = ph_dual_sub(A, ph_dual_turn(p->N[j], o->wdot[j]));
}

static void helix_K(const ph_beam_at *e, const motion *o, ph_twist f[2], ph_six K[2][2])
{
    ph_helix h;
    ph_dual P[2] = {load_dual(e->Ta), load_dual(e->Tb)}; /* of P: -T^-1(-d), T^-1(d) */
    ph_six J = {0};
    helix_of(e, o, 2, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        point p;
        ph_six one;
        point_of(&h, o, k, 2, &p);
        add_point(&p, f);
        ph_helix_fold_slope(&h, k, p.f, &one);
        J = ph_six_add(J, one);
        ph_six G = gyroscopic(&o->Ms, p.n);
        for (int j = 0; j < 2; j++) {
            ph_dual n_q, a_q;
            slopes(&p, o, j, &n_q, &a_q);
            ph_six B = ph_six_scale(p.weight, ph_six_sub(ph_six_dual(&o->Ms, &a_q), ph_six_dual(&G, &n_q)));
            add_rows(&p, j, &B, K);
        }
    }
    for (int j = 0; j < 2; j++) { /* [-J; J] [-Ta, Tb] */
        ph_six B = ph_six_dual(&J, &P[j]);
        K[j][j] = ph_six_add(K[j][j], B);
        K[!j][j] = ph_six_sub(K[!j][j], B);
    }
}

/* ---- linear and lumped --------------------------------------------------------------------------------- */

/* Factor of Ms in M, on and off the diagonal. */
static double share(const ph_force *f, int same)
{
    return f->def->mass_model == PH_LINEAR_MASS ? (same ? 1 / 3. : 1 / 6.) : (same ? 1 / 2. : 0);
}

static ph_twist weighted(const ph_force *f, int i, const ph_twist x[2])
{
    double a = share(f, i == 0), b = share(f, i == 1);
    return (ph_twist){ph_add(ph_scale(a, x[0].u), ph_scale(b, x[1].u)),
                      ph_add(ph_scale(a, x[0].w), ph_scale(b, x[1].w))};
}

/* R_i^T gravity/2 */
static ph_vec3 half_weight(const ph_force_site *s, const motion *o, int i)
{
    return ph_scale(0.5, ph_tmul(o->R[i], s->gravity));
}

static void plain_g(const ph_force_site *s, const motion *o, ph_twist f[2])
{
    for (int i = 0; i < 2; i++) {
        ph_twist a = weighted(s->f, i, o->alpha), p = ph_six_apply(&o->Ms, weighted(s->f, i, o->v));
        a.u = ph_sub(a.u, half_weight(s, o, i));
        f[i] = ph_twist_sub(ph_six_apply(&o->Ms, a), fold_hat(o->v[i], p));
    }
}

static void plain_M(const ph_force_site *s, const motion *o, ph_six M[2][2])
{
    for (int k = 0; k < 4; k++)
        M[k / 2][k % 2] = ph_six_scale(share(s->f, k / 2 == k % 2), o->Ms);
}

/* hat(v_i)^T M_ij + bk((M v)_i) */
static ph_six plain_gyroscopic(const ph_force_site *s, const motion *o, int i, int j)
{
    ph_dual H = ph_dual_hat(o->v[i]);
    ph_six G = ph_six_scale(share(s->f, i == j), ph_dual_six(&H, &o->Ms));
    if (i != j)
        return G;
    ph_twist p = ph_six_apply(&o->Ms, weighted(s->f, i, o->v));
    G.uw = ph_madd(G.uw, ph_tilde(p.u)), G.wu = ph_madd(G.wu, ph_tilde(p.u));
    G.ww = ph_madd(G.ww, ph_tilde(p.w));
    return G;
}

/* M_ij d(v'_j)/dv - ...; v'_j = R^T xddot - Omega x U */
static void plain_C(const ph_force_site *s, const motion *o, ph_six C[2][2])
{
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        double c = share(s->f, i == j);
        ph_mat3 W = ph_tilde(ph_scale(-c, o->v[j].w)), U = ph_tilde(ph_scale(c, o->v[j].u));
        ph_six A = {ph_mmul(o->Ms.uu, W), ph_mmul(o->Ms.uu, U), ph_mmul(o->Ms.wu, W), ph_mmul(o->Ms.wu, U)};
        C[i][j] = ph_six_sub(A, plain_gyroscopic(s, o, i, j));
    }
}

/* By turning node j: U_j = R^T xdot, R^T xddot and R^T gravity turn */
static void plain_K(const ph_force_site *s, const motion *o, ph_twist f[2], ph_six K[2][2])
{
    plain_g(s, o, f);
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        ph_vec3 U = o->v[j].u, w = o->v[j].w,
                a = ph_scale(share(s->f, i == j), ph_add(o->alpha[j].u, ph_cross(w, U)));
        if (i == j)
            a = ph_sub(a, half_weight(s, o, i));
        ph_mat3 D = ph_msub(ph_tilde(a), ph_mscale(share(s->f, i == j), ph_mtilde(ph_tilde(w), U)));
        ph_six G = plain_gyroscopic(s, o, i, j);
        ph_mat3 E = ph_tilde(U);
        K[i][j] = (ph_six){.uw = ph_msub(ph_mmul(o->Ms.uu, D), ph_mmul(G.uu, E)),
                           .ww = ph_msub(ph_mmul(o->Ms.wu, D), ph_mmul(G.wu, E))};
    }
}

/* ---- the element --------------------------------------------------------------------------------------- */

static int is_helicoidal(const ph_force_site *s)
{
    return s->f->def->mass_model == PH_HELICOIDAL_MASS;
}

/* Weight of helicoidal mass is a part of its acceleration. */
static void open_motion(const ph_force_site *s, motion *o)
{
    motion_of(s, is_helicoidal(s) ? s->gravity : ph_v3(0, 0, 0), o);
}

static void put_blocks(const motion *o, ph_six A[2][2], double *out)
{
    for (int k = 0; k < 4; k++)
        put_turned(o, k / 2, k % 2, &A[k / 2][k % 2], out);
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_beam_at e;
    motion o;
    ph_twist f[2] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    open_motion(s, &o);
    if (is_helicoidal(s))
        helix_g(&e, &o, f);
    else
        plain_g(s, &o, f);
    ph_beam_add_g(&e, r);
    add_forces(&o, f, r);
    return PH_OK;
}

static ph_status M(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    motion o;
    ph_six A[2][2];
    double out[N12 * N12] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    open_motion(s, &o);
    if (is_helicoidal(s))
        helix_M(&e, &o, A);
    else
        plain_M(s, &o, A);
    put_blocks(&o, A, out);
    ph_beam_put(out, p);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    motion o;
    ph_six A[2][2] = {0};
    double out[N12 * N12] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    open_motion(s, &o);
    if (is_helicoidal(s))
        helix_C(&e, &o, A);
    else
        plain_C(s, &o, A);
    put_blocks(&o, A, out);
    ph_beam_add_C(s, &e, out);
    ph_beam_put(out, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_beam_at e;
    motion o;
    ph_six A[2][2] = {0};
    ph_twist f[2] = {0};
    double out[N12 * N12] = {0};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    open_motion(s, &o);
    if (is_helicoidal(s))
        helix_K(&e, &o, f, A);
    else
        plain_K(s, &o, f, A);
    put_blocks(&o, A, out);
    put_turning(&o, f, out);
    ph_beam_add_K(s, &e, out);
    ph_beam_put(out, p);
    return PH_OK;
}

/* ---- energies ------------------------------------------------------------------------------------------ */

static double kinetic(const ph_force_site *s)
{
    ph_beam_at e;
    motion o;
    double T = 0;
    if (ph_beam_fill(s, &e) != PH_OK)
        return NAN;
    open_motion(s, &o);
    ph_helix h;
    helix_of(&e, &o, 1, &h);
    for (int k = 0; k < PH_HELIX_POINTS && is_helicoidal(s); k++) {
        point p;
        point_of(&h, &o, k, 1, &p);
        ph_twist m = ph_six_apply(&o.Ms, p.n);
        T += p.weight * (ph_dot(p.n.u, m.u) + ph_dot(p.n.w, m.w)) / 2;
    }
    for (int i = 0; i < 2 && !is_helicoidal(s); i++) {
        ph_twist m = ph_six_apply(&o.Ms, weighted(s->f, i, o.v));
        T += (ph_dot(o.v[i].u, m.u) + ph_dot(o.v[i].w, m.w)) / 2;
    }
    return T;
}

/* -gravity . (m x + R m c) */
static double height(const ph_force_site *s, ph_vec3 x, ph_mat3 R)
{
    return -ph_dot(s->gravity, ph_add(ph_scale(s->f->mass, x), ph_mul(R, s->f->moment)));
}

static double energy(const ph_force_site *s)
{
    double V = ph_beam_strain_energy(s);
    if (!is_helicoidal(s))
        return V + (height(s, s->a.x, s->a.R) + height(s, s->b.x, s->b.R)) / 2;
    ph_beam_at e;
    if (ph_beam_fill(s, &e) != PH_OK)
        return NAN;
    for (int k = 0; k < PH_HELIX_POINTS; k++) { /* H_a exp(xi d) */
        double d[6], q[7];
        for (int i = 0; i < 6; i++)
            d[i] = ph_helix_xi[k] * e.d[i];
        ph_se3_ops.exp(0, d, q);
        ph_mat3 R = ph_mmul(s->a.R, ph_qmat(ph_quat_load(q + 3)));
        V += ph_helix_weight[k] * height(s, ph_add(s->a.x, ph_mul(s->a.R, ph_load3(q))), R);
    }
    return V;
}

const ph_force_ops ph_force_beam_mass = {
    .g = g, .C = C, .K = K, .energy = energy, .M = M, .kinetic = kinetic};
