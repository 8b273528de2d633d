/* Beam elements with mass, distributed over their length.
 *
 * A section of mass Ms = [m I, -m tilde(c); m tilde(c), J] per length moves with v(xi) = N v, v = (v_a, v_b),
 * velocities in body axes. With alpha = v' - (R^T gravity, 0), so that weight is a part of inertia,
 *
 *   f = integral N^T (Ms a - hat(n)^T Ms n) L dxi,  n = N v,  a = N alpha + N' v                      (B9)
 *
 * are Hamel's equations of T = 1/2 v^T M v, M = integral N^T Ms N L dxi. Helicoidal mass: N = [I - X, X],
 * (B7), three Gauss points. Frames and their variations commute: with eta = N (eta_a, eta_b) along the beam,
 * delta n = eta' + hat(n) eta, and delta a is its rate. In physical coordinates, where velocities and
 * accelerations of the world stay as they are when a node turns,                                     (B10)
 *
 *   dn/dq = Z + hat(n) N,  Z = N' - N W
 *   da/dq = N'' + hat(a) N + hat(n) Z - (N' + Z) W - N W'
 *   da/dv = 2 N' + hat(n) N - N W - N blockdiag(tilde(Omega), 0)
 *
 * with W = blockdiag(tilde(Omega)), W' = blockdiag(tilde(Omega')), times R^T for positions of the world.
 * d(N^T f)/dq at fixed f is [-J; J] P, J = d(X^T f)/dd.
 *
 * Linear mass: M = L Ms (x) [1/3 1/6; 1/6 1/3], lumped mass: L Ms (x) [1/2 0; 0 1/2], constant; then  (B11)
 *
 *   f_i = (M v')_i - hat(v_i)^T (M v)_i - L/2 Ms (R_i^T gravity, 0)
 *
 * Weight goes to the nodes by halves in both: M (R^T gravity, 0) of the linear mass has no potential. */
#include "mech/beam.h"
#include "mech/helix.h"

#include <string.h>

#include "lie/se3.h"
#include "lie/groups.h"

/* [m I, -m tilde(c); m tilde(c), J] times length */
typedef struct section {
    double m;
    ph_vec3 moment; /* m c */
    ph_rows J;
    int centred; /* c = 0 */
} section;

/* An element in motion; body axes. */
typedef struct motion {
    ph_mat3 R[2];
    ph_twist v[2], alpha[2]; /* velocities; accelerations, with or without gravity */
    ph_vec3 wdot[2];
    section Ms;
} motion;

/* What is wanted of an element, in body axes; NULL: not. Sums start at 0. */
typedef struct terms {
    ph_twist *f;    /* 2 */
    ph_six (*M)[2]; /* 2 x 2 */
    ph_six (*C)[2]; /* df/dv, of physical velocities, turned into body axes */
    ph_six (*K)[2]; /* df/dq, likewise, without the turning of f itself */
} terms;

static void motion_of(const ph_force_site *s, ph_vec3 gravity, motion *o)
{
    const ph_kin *k[2] = {&s->a, &s->b};
    const ph_vec3 c = s->f->moment;
    o->Ms = (section){s->f->mass, c, ph_rows_from(s->f->J), c.x == 0 && c.y == 0 && c.z == 0};
    for (int i = 0; i < 2; i++) {
        o->R[i] = k[i]->R;
        o->v[i] = (ph_twist){ph_tmul(k[i]->R, k[i]->v), k[i]->w};
        o->wdot[i] = s->acc[2 * i + 1];
        ph_vec3 a = ph_tmul(k[i]->R, ph_sub(s->acc[2 * i], gravity));
        o->alpha[i] = (ph_twist){ph_sub(a, ph_cross(k[i]->w, o->v[i].u)), o->wdot[i]};
    }
}

/* Ms b */
static ph_twist weigh(const section *Ms, ph_twist b)
{
    return (ph_twist){ph_sub(ph_scale(Ms->m, b.u), ph_cross(Ms->moment, b.w)),
                      ph_add(ph_cross(Ms->moment, b.u), ph_rows_times(Ms->J, b.w))};
}

/* Ms A */
static ph_six weigh_dual(const section *Ms, const ph_dual *A)
{
    ph_six B = {.uu = ph_rows_scale(Ms->m, A->r),
                .uw = ph_rows_scale(Ms->m, A->e),
                .ww = ph_rows_mul_rows(Ms->J, A->r)};
    if (Ms->centred)
        return B;
    ph_rows c = ph_rows_tilde(Ms->moment);
    B.wu = ph_rows_mul_rows(c, A->r);
    B.uw = ph_rows_sub(B.uw, B.wu);
    B.ww = ph_rows_add(B.ww, ph_rows_mul_rows(c, A->e));
    return B;
}

static ph_six section_six(const section *Ms)
{
    ph_rows c = ph_rows_tilde(Ms->moment);
    return (ph_six){ph_rows_diag(Ms->m), ph_rows_scale(-1, c), c, Ms->J};
}

/* hat(v)^T p */
static ph_twist fold_hat(ph_twist v, ph_twist p)
{
    return (ph_twist){ph_cross(p.u, v.w), ph_add(ph_cross(p.u, v.u), ph_cross(p.w, v.w))};
}

/* s hat(v)^T Ms + bk(p), bk(p) x = hat(x)^T p; p = Ms v and s = 1: d(hat(v)^T Ms v)/dv */
static ph_six gyroscopic(const section *Ms, double s, ph_twist v, ph_twist p)
{
    ph_rows u = ph_rows_tilde(p.u), w = ph_rows_tilde(ph_scale(-s, v.w)),
            U = ph_rows_tilde(ph_scale(-s, v.u));
    ph_six G = {.uu = ph_rows_scale(Ms->m, w), .uw = u, .wu = ph_rows_add(u, ph_rows_scale(Ms->m, U))};
    G.ww = ph_rows_add(ph_rows_mul_rows(w, Ms->J), ph_rows_tilde(p.w));
    if (Ms->centred)
        return G;
    ph_rows wc = ph_rows_mul_tilde(w, Ms->moment);
    G.uw = ph_rows_sub(G.uw, wc);
    G.wu = ph_rows_add(G.wu, wc);
    G.ww = ph_rows_sub(G.ww, ph_rows_mul_tilde(U, Ms->moment));
    return G;
}

/* ---- helicoidal ---------------------------------------------------------------------------------------- */

/* d'' = T^-1(d) alpha_b - T^-1(-d) alpha_a + (d(T^-1(x) v_b)/dx at d + d(T^-1(x) v_a)/dx at -d) d' */
static ph_twist second_rate(const ph_beam_at *e, const motion *o)
{
    ph_form F = ph_form_Tinv(e->r);
    ph_twist sum = ph_twist_sub(ph_dual_apply(e->T[1], o->alpha[1]), ph_dual_apply(e->T[0], o->alpha[0]));
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        ph_mat3 J0, J1; /* [J0 J1; 0 J0] */
        ph_se3_form_slope(F, ph_scale(sign, e->d.w), ph_scale(sign, e->d.u), o->v[i].w, o->v[i].u, &J0, &J1);
        sum.u = ph_add(sum.u, ph_add(ph_mul(J0, e->rate.u), ph_mul(J1, e->rate.w)));
        sum.w = ph_add(sum.w, ph_mul(J0, e->rate.w));
    }
    return sum;
}

static void helix_of(const ph_beam_at *e, const motion *o, int order, ph_helix *h)
{
    h->d = e->d, h->d1 = e->rate;
    if (order >= 2)
        h->d2 = second_rate(e, o);
    ph_helix_fill(h, order);
}

/* One point of the beam. */
typedef struct point {
    double weight;
    ph_dual X[3];
    ph_twist n, a, p, f; /* velocity, acceleration, momentum, inertial force times weight */
} point;

static void point_of(const ph_helix *h, const motion *o, int k, int order, point *p)
{
    ph_twist dv = ph_twist_sub(o->v[1], o->v[0]), da = ph_twist_sub(o->alpha[1], o->alpha[0]);
    p->weight = ph_helix_weight[k];
    ph_helix_point(h, k, order, p->X);
    if (order < 1)
        return;
    p->n = ph_twist_add(o->v[0], ph_dual_apply(p->X[0], dv));
    p->a = ph_twist_add(o->alpha[0], ph_twist_add(ph_dual_apply(p->X[0], da), ph_dual_apply(p->X[1], dv)));
    p->p = weigh(&o->Ms, p->n);
    p->f = ph_twist_sub(weigh(&o->Ms, p->a), fold_hat(p->n, p->p));
    p->f.u = ph_scale(p->weight, p->f.u), p->f.w = ph_scale(p->weight, p->f.w);
}

/* f[0] + f[1] is the whole force of the point. */
static void add_f(const point *p, ph_twist f[2])
{
    ph_twist b = ph_dual_fold(p->X[0], p->f);
    f[0] = ph_twist_add(f[0], ph_twist_sub(p->f, b));
    f[1] = ph_twist_add(f[1], b);
}

/* Terms of N^T Ms N: M[1][1] = sum w X^T Ms X, M[0][1] = sum w Ms X for now */
static void add_M(const point *p, const motion *o, ph_six M[2][2])
{
    ph_dual wX = {ph_rows_scale(p->weight, p->X[0].r), ph_rows_scale(p->weight, p->X[0].e)};
    ph_six B = weigh_dual(&o->Ms, &wX);
    M[0][1] = ph_six_add(M[0][1], B);
    M[1][1] = ph_six_add(M[1][1], ph_dual_six(&p->X[0], &B));
}

static void finish_M(const motion *o, ph_six M[2][2])
{
    ph_six MX = M[0][1];
    M[0][1] = ph_six_sub(MX, M[1][1]);
    M[1][0] = ph_six_transpose(M[0][1]);
    M[0][0] = ph_six_sub(ph_six_sub(section_six(&o->Ms), MX), M[1][0]);
}

/* w N^T B for the columns of side j: rows of both sides */
static void add_rows(const point *p, int j, const ph_six *B, ph_six K[2][2])
{
    ph_six wB = ph_six_scale(p->weight, *B), b = ph_dual_six(&p->X[0], &wB);
    K[0][j] = ph_six_add(K[0][j], ph_six_sub(wB, b));
    K[1][j] = ph_six_add(K[1][j], b);
}

/* What C and K share. */
typedef struct shared {
    ph_six G; /* gyroscopic */
    ph_dual H, HX;
} shared;

/* dn/dv = N and da/dv (B10) */
static void add_C(const point *p, const motion *o, const shared *x, ph_six C[2][2])
{
    ph_dual X1 = ph_dual_add(p->X[1], p->X[1]);
    ph_six GX = ph_six_dual(&x->G, &p->X[0]);
    for (int j = 0; j < 2; j++) {
        ph_dual N = p->X[0], HN = x->HX;
        if (!j) {
            N = ph_dual_sub((ph_dual){.r = ph_rows_diag(1)}, N);
            HN = ph_dual_sub(x->H, HN);
        }
        ph_dual NW = ph_dual_turn(N, o->v[j].w), A = ph_dual_sub(HN, NW);
        A = j ? ph_dual_add(A, X1) : ph_dual_sub(A, X1);
        ph_six B = ph_six_sub(weigh_dual(&o->Ms, &A), j ? GX : ph_six_sub(x->G, GX));
        B.uu = ph_rows_sub(B.uu, ph_rows_scale(o->Ms.m, NW.r)); /* N blockdiag(tilde(Omega), 0) */
        if (!o->Ms.centred)
            B.wu = ph_rows_sub(B.wu, ph_rows_mul_rows(ph_rows_tilde(o->Ms.moment), NW.r));
        add_rows(p, j, &B, C);
    }
}

/* dn/dq and da/dq (B10) */
static void add_K(const point *p, const motion *o, const shared *x, ph_six K[2][2])
{
    const ph_dual *X = p->X;
    ph_dual a = ph_dual_hat(p->a), aX = ph_dual_mul(a, X[0]), HX1 = ph_dual_mul(x->H, X[1]);
    for (int j = 0; j < 2; j++) {
        ph_vec3 w = o->v[j].w;
        ph_dual XW = ph_dual_turn(X[0], w), Z, HZ, NW1, A, n_q;
        NW1 = ph_dual_turn(X[0], o->wdot[j]);
        if (j) {
            Z = ph_dual_sub(X[1], XW);
            HZ = ph_dual_sub(HX1, ph_dual_turn(x->HX, w));
            n_q = ph_dual_add(Z, x->HX);
            A = ph_dual_sub(ph_dual_add(X[2], aX), ph_dual_turn(ph_dual_add(X[1], Z), w));
        } else { /* I - X for X */
            ph_dual W = {.r = ph_rows_tilde(w)};
            Z = ph_dual_sub(ph_dual_sub(XW, X[1]), W);
            HZ = ph_dual_sub(ph_dual_turn(ph_dual_sub(x->HX, x->H), w), HX1);
            n_q = ph_dual_add(Z, ph_dual_sub(x->H, x->HX));
            NW1 = ph_dual_sub((ph_dual){.r = ph_rows_tilde(o->wdot[j])}, NW1);
            A = ph_dual_sub(ph_dual_sub(a, aX), ph_dual_add(X[2], ph_dual_turn(ph_dual_sub(Z, X[1]), w)));
        }
        A = ph_dual_sub(ph_dual_add(A, HZ), NW1);
        ph_six B = ph_six_sub(weigh_dual(&o->Ms, &A), ph_six_dual(&x->G, &n_q));
        add_rows(p, j, &B, K);
    }
}

/* [-J; J] [-Ta, Tb] */
static void fold_J(const ph_beam_at *e, const ph_six *J, ph_six K[2][2])
{
    for (int j = 0; j < 2; j++) {
        ph_six B = ph_six_dual(J, &e->T[j]);
        K[j][j] = ph_six_add(K[j][j], B);
        K[!j][j] = ph_six_sub(K[!j][j], B);
    }
}

static void helicoidal(const ph_beam_at *e, const motion *o, const terms *t)
{
    ph_helix h;
    ph_six J = {0};
    int order = t->K ? 2 : t->C || t->f ? 1 : 0;
    helix_of(e, o, order, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        point p;
        shared x;
        point_of(&h, o, k, order, &p);
        if (t->f)
            add_f(&p, t->f);
        if (t->M)
            add_M(&p, o, t->M);
        if (!t->C && !t->K)
            continue;
        x.G = gyroscopic(&o->Ms, 1, p.n, p.p);
        x.H = ph_dual_hat(p.n), x.HX = ph_dual_mul(x.H, p.X[0]);
        if (t->C)
            add_C(&p, o, &x, t->C);
        if (t->K) {
            ph_six one;
            add_K(&p, o, &x, t->K);
            ph_helix_fold_slope(&h, k, p.f, &one);
            J = ph_six_add(J, one);
        }
    }
    if (t->M)
        finish_M(o, t->M);
    if (t->K)
        fold_J(e, &J, t->K);
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

static void plain_f(const ph_force_site *s, const motion *o, ph_twist f[2])
{
    for (int i = 0; i < 2; i++) {
        ph_twist a = weighted(s->f, i, o->alpha), p = weigh(&o->Ms, weighted(s->f, i, o->v));
        a.u = ph_sub(a.u, half_weight(s, o, i));
        f[i] = ph_twist_sub(weigh(&o->Ms, a), fold_hat(o->v[i], p));
    }
}

/* By velocities: v'_j = R^T xddot - Omega x U */
static ph_six plain_C(const motion *o, double c, int j, const ph_six *G)
{
    ph_six Ms = section_six(&o->Ms);
    ph_rows W = ph_rows_tilde(ph_scale(-c, o->v[j].w)), U = ph_rows_tilde(ph_scale(c, o->v[j].u));
    ph_six A = {ph_rows_mul_rows(Ms.uu, W), ph_rows_mul_rows(Ms.uu, U), ph_rows_mul_rows(Ms.wu, W),
                ph_rows_mul_rows(Ms.wu, U)};
    return ph_six_sub(A, *G);
}

/* By turning node j: U = R^T xdot, R^T xddot and, where the row is its own, R^T gravity turn */
static ph_six plain_K(const motion *o, double c, int j, const ph_six *G, ph_vec3 own)
{
    ph_six Ms = section_six(&o->Ms);
    ph_vec3 U = o->v[j].u, w = o->v[j].w, a = ph_sub(ph_add(o->alpha[j].u, ph_cross(w, U)), own);
    ph_rows E = ph_rows_tilde(U),
            D = ph_rows_scale(c, ph_rows_sub(ph_rows_tilde(a), ph_rows_mul_tilde(ph_rows_tilde(w), U)));
    return (ph_six){.uw = ph_rows_sub(ph_rows_mul_rows(Ms.uu, D), ph_rows_mul_rows(G->uu, E)),
                    .ww = ph_rows_sub(ph_rows_mul_rows(Ms.wu, D), ph_rows_mul_rows(G->wu, E))};
}

static void plain(const ph_force_site *s, const motion *o, const terms *t)
{
    if (t->f)
        plain_f(s, o, t->f);
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        double c = share(s->f, i == j);
        if (t->M)
            t->M[i][j] = ph_six_scale(c, section_six(&o->Ms));
        if (!t->C && !t->K)
            continue;
        const ph_twist none = {0};
        ph_twist p = i == j ? weigh(&o->Ms, weighted(s->f, i, o->v)) : none;
        ph_vec3 own = i == j ? ph_scale(1 / c, half_weight(s, o, i)) : none.u;
        ph_six G = gyroscopic(&o->Ms, c, o->v[i], p);
        if (t->C)
            t->C[i][j] = plain_C(o, c, j, &G);
        if (t->K)
            t->K[i][j] = plain_K(o, c, j, &G, own);
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

/* r +=, and what is not NULL of M, C, K += */
static ph_status put_all(const ph_force_site *s, ph_vec3 *r, const ph_put *M, const ph_put *C,
                         const ph_put *K)
{
    ph_beam_at e;
    motion o;
    ph_twist f[2] = {0};
    ph_six m[2][2] = {0}, c[2][2] = {0}, k[2][2] = {0};
    terms t = {r || K ? f : NULL, M ? m : NULL, C ? c : NULL, K ? k : NULL};
    ph_status status = ph_beam_fill(s, &e);
    if (status != PH_OK)
        return status;
    open_motion(s, &o);
    if (is_helicoidal(s))
        helicoidal(&e, &o, &t);
    else
        plain(s, &o, &t);
    if (t.f)
        ph_beam_add_f(&e, f);
    if (r)
        ph_beam_put_f(s, f, r);
    if (M)
        ph_beam_put(s, m, M);
    if (C)
        ph_beam_add_C(s, &e, c), ph_beam_put(s, c, C);
    if (K)
        ph_beam_add_K(s, &e, k), ph_beam_put_K(s, f, k, K);
    return PH_OK;
}

static ph_status all(const ph_force_site *s, ph_vec3 *r, double *M, double *C, double *K)
{
    const ph_put to[3] = {{M, ph_local_pairs, 12, 0}, {C, ph_local_pairs, 12, 0}, {K, ph_local_pairs, 12, 0}};
    return put_all(s, r, M ? &to[0] : NULL, C ? &to[1] : NULL, K ? &to[2] : NULL);
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    return put_all(s, r, NULL, NULL, NULL);
}

static ph_status M(const ph_force_site *s, const ph_put *p)
{
    return put_all(s, NULL, p, NULL, NULL);
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    return put_all(s, NULL, NULL, p, NULL);
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    return put_all(s, NULL, NULL, NULL, p);
}

/* ---- energies ------------------------------------------------------------------------------------------ */

static double half_product(ph_twist a, ph_twist b)
{
    return (ph_dot(a.u, b.u) + ph_dot(a.w, b.w)) / 2;
}

static double kinetic(const ph_force_site *s)
{
    ph_beam_at e;
    motion o;
    ph_helix h;
    double T = 0;
    open_motion(s, &o);
    for (int i = 0; i < 2 && !is_helicoidal(s); i++)
        T += half_product(o.v[i], weigh(&o.Ms, weighted(s->f, i, o.v)));
    if (!is_helicoidal(s))
        return T;
    if (ph_beam_fill(s, &e) != PH_OK)
        return NAN;
    helix_of(&e, &o, 1, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        point p;
        point_of(&h, &o, k, 1, &p);
        T += p.weight * half_product(p.n, p.p);
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
        ph_store3(d, ph_scale(ph_helix_xi[k], e.d.u)), ph_store3(d + 3, ph_scale(ph_helix_xi[k], e.d.w));
        ph_se3_ops.exp(0, d, q);
        ph_mat3 R = ph_mmul(s->a.R, ph_qmat(ph_quat_load(q + 3)));
        V += ph_helix_weight[k] * height(s, ph_add(s->a.x, ph_mul(s->a.R, ph_load3(q))), R);
    }
    return V;
}

const ph_force_ops ph_force_beam_mass = {
    .g = g, .C = C, .K = K, .energy = energy, .M = M, .kinetic = kinetic, .all = all};
