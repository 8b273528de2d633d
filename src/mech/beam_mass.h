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
 * with W = blockdiag(tilde(Omega)), W' = blockdiag(tilde(Omega')), times R^T for positions of the world. In body
 * components, where v and v' stay, W = blockdiag(hat(v)), W' = blockdiag(hat(v')), and da/dv = 2 N' + hat(n) N - N W.
 * d(N^T f)/dq at fixed f is [-J; J] P, J = d(X^T f)/dd.
 *
 * Linear mass: M = L Ms (x) [1/3 1/6; 1/6 1/3], lumped mass: L Ms (x) [1/2 0; 0 1/2], constant; then  (B11)
 *
 *   f_i = (M v')_i - hat(v_i)^T (M v)_i - L/2 Ms (R_i^T gravity, 0)
 *
 * Weight goes to the nodes by halves in both: M (R^T gravity, 0) of the linear mass has no potential. In body components
 * nothing but weight depends on the place of a node. */
#ifndef PH_MECH_BEAM_MASS_H
#define PH_MECH_BEAM_MASS_H

#include "mech/beam.h"
#include "mech/helix.h"

/* [m I, -m tilde(c); m tilde(c), J] times length */
typedef struct ph_beam_mass {
    ph_real m;
    ph_vec3 moment; /* m c */
    ph_rows J;
    int centred; /* c = 0 */
} ph_beam_mass;

/* An element in motion; body axes. */
typedef struct ph_beam_motion {
    ph_mat3 R[2];
    ph_twist v[2], alpha[2]; /* velocities; accelerations, with or without gravity */
    ph_twist vdot[2];        /* without */
    ph_beam_mass Ms;
    int body_axes; /* v and vdot are what stays where nodes are moved */
} ph_beam_motion;

/* What is wanted of an element, in body axes; NULL: not. Sums start at 0. */
typedef struct ph_beam_terms {
    ph_twist *f;    /* 2 */
    ph_six (*M)[2]; /* 2 x 2 */
    ph_six (*C)[2]; /* df/dv; in physical coordinates turned into body axes, and */
    ph_six (*K)[2]; /* df/dq, without the turning of f itself */
} ph_beam_terms;

/* Mass and velocities */
PH_FN void ph_beam_velocities_of(const ph_force_site *s, ph_beam_motion *o)
{
    const ph_kin *k[2] = {&s->a, &s->b};
    const ph_vec3 c = s->f->moment;
    o->Ms =
        (ph_beam_mass){s->f->mass, c, ph_rows_from(s->f->J), ph_all((c.x == 0) & (c.y == 0) & (c.z == 0))};
    o->body_axes = s->body_axes;
    for (int i = 0; i < 2; i++) {
        o->R[i] = k[i]->R;
        o->v[i] = (ph_twist){ph_tmul(k[i]->R, k[i]->v), k[i]->w};
    }
}

PH_OUT_OF_LINE void ph_beam_motion_of(const ph_force_site *s, ph_vec3 gravity, ph_beam_motion *o)
{
    ph_beam_velocities_of(s, o);
    for (int i = 0; i < 2; i++) {
        ph_vec3 turning = ph_cross(o->v[i].w, o->v[i].u);
        o->vdot[i] = (ph_twist){ph_sub(ph_tmul(o->R[i], s->acc[2 * i]), turning), s->acc[2 * i + 1]};
        ph_vec3 a = ph_tmul(o->R[i], ph_sub(s->acc[2 * i], gravity));
        o->alpha[i] = (ph_twist){ph_sub(a, turning), o->vdot[i].w};
    }
}

/* W of (B10) of a velocity, W' of an acceleration */
PH_FN ph_dual ph_beam_W(const ph_beam_motion *o, ph_twist v)
{
    return o->body_axes ? ph_dual_hat(v) : (ph_dual){.r = ph_rows_tilde(v.w)};
}

/* A W */
PH_FN ph_dual ph_beam_mul_W(const ph_beam_motion *o, ph_dual A, ph_twist v)
{
    return o->body_axes ? ph_dual_mul(A, ph_dual_hat(v)) : ph_dual_turn(A, v.w);
}

/* Ms b */
PH_FN ph_twist ph_beam_weigh(const ph_beam_mass *Ms, ph_twist b)
{
    return (ph_twist){ph_sub(ph_scale(Ms->m, b.u), ph_cross(Ms->moment, b.w)),
                      ph_add(ph_cross(Ms->moment, b.u), ph_rows_times(Ms->J, b.w))};
}

/* Ms A */
PH_OUT_OF_LINE ph_six ph_beam_weigh_dual(const ph_beam_mass *Ms, const ph_dual *A)
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

PH_FN ph_six ph_beam_mass_six(const ph_beam_mass *Ms)
{
    ph_rows c = ph_rows_tilde(Ms->moment);
    return (ph_six){ph_rows_diag(Ms->m), ph_rows_scale(ph_k(-1), c), c, Ms->J};
}

/* hat(v)^T p */
PH_FN ph_twist ph_beam_fold_hat(ph_twist v, ph_twist p)
{
    return (ph_twist){ph_cross(p.u, v.w), ph_add(ph_cross(p.u, v.u), ph_cross(p.w, v.w))};
}

/* s hat(v)^T Ms + bk(p), bk(p) x = hat(x)^T p; p = Ms v and s = 1: d(hat(v)^T Ms v)/dv */
PH_OUT_OF_LINE ph_six ph_beam_gyroscopic(const ph_beam_mass *Ms, ph_real s, ph_twist v, ph_twist p)
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
PH_OUT_OF_LINE ph_twist ph_beam_second_rate(const ph_beam_at *e, const ph_beam_motion *o)
{
    ph_form F = ph_form_Tinv(e->r);
    ph_twist sum = ph_twist_sub(ph_dual_apply(e->T[1], o->alpha[1]), ph_dual_apply(e->T[0], o->alpha[0]));
    for (int i = 0; i < 2; i++) {
        ph_real sign = ph_k(i ? 1 : -1);
        ph_mat3 J0, J1; /* [J0 J1; 0 J0] */
        ph_se3_form_slope(F, ph_scale(sign, e->d.w), ph_scale(sign, e->d.u), o->v[i].w, o->v[i].u, &J0, &J1);
        sum.u = ph_add(sum.u, ph_add(ph_mul(J0, e->rate.u), ph_mul(J1, e->rate.w)));
        sum.w = ph_add(sum.w, ph_mul(J0, e->rate.w));
    }
    return sum;
}

PH_FN void ph_beam_helix(const ph_beam_at *e, const ph_beam_motion *o, int order, ph_helix *h)
{
    h->d = e->d, h->d1 = e->rate;
    if (order >= 2)
        h->d2 = ph_beam_second_rate(e, o);
    ph_helix_fill(h, order);
}

/* One ph_beam_point of the beam. */
typedef struct ph_beam_point {
    ph_real weight;
    ph_dual X[3];
    ph_twist n, a, p, f; /* velocity, acceleration, momentum, inertial force times weight */
} ph_beam_point;

/* N v */
PH_FN ph_twist ph_beam_velocity_at(const ph_beam_motion *o, ph_dual X)
{
    return ph_twist_add(o->v[0], ph_dual_apply(X, ph_twist_sub(o->v[1], o->v[0])));
}

PH_OUT_OF_LINE void ph_beam_point_of(const ph_helix *h, const ph_beam_motion *o, int k, int order,
                                     ph_beam_point *p)
{
    ph_twist dv = ph_twist_sub(o->v[1], o->v[0]), da = ph_twist_sub(o->alpha[1], o->alpha[0]);
    p->weight = ph_k(ph_helix_weight[k]);
    ph_helix_point(h, k, order, p->X);
    if (order < 1)
        return;
    p->n = ph_beam_velocity_at(o, p->X[0]);
    p->a = ph_twist_add(o->alpha[0], ph_twist_add(ph_dual_apply(p->X[0], da), ph_dual_apply(p->X[1], dv)));
    p->p = ph_beam_weigh(&o->Ms, p->n);
    p->f = ph_twist_sub(ph_beam_weigh(&o->Ms, p->a), ph_beam_fold_hat(p->n, p->p));
    p->f.u = ph_scale(p->weight, p->f.u), p->f.w = ph_scale(p->weight, p->f.w);
}

/* f[0] + f[1] is the whole force of the point. */
PH_FN void ph_beam_mass_add_f(const ph_beam_point *p, ph_twist f[2])
{
    ph_twist b = ph_dual_fold(p->X[0], p->f);
    f[0] = ph_twist_add(f[0], ph_twist_sub(p->f, b));
    f[1] = ph_twist_add(f[1], b);
}

/* Terms of N^T Ms N: M[1][1] = sum w X^T Ms X, M[0][1] = sum w Ms X for now */
PH_OUT_OF_LINE void ph_beam_mass_add_M(const ph_beam_point *p, const ph_beam_motion *o, ph_six M[2][2])
{
    ph_dual wX = {ph_rows_scale(p->weight, p->X[0].r), ph_rows_scale(p->weight, p->X[0].e)};
    ph_six B = ph_beam_weigh_dual(&o->Ms, &wX);
    M[0][1] = ph_six_add(M[0][1], B);
    M[1][1] = ph_six_add(M[1][1], ph_dual_six(&p->X[0], &B));
}

PH_FN void ph_beam_finish_M(const ph_beam_motion *o, ph_six M[2][2])
{
    ph_six MX = M[0][1];
    M[0][1] = ph_six_sub(MX, M[1][1]);
    M[1][0] = ph_six_transpose(M[0][1]);
    M[0][0] = ph_six_sub(ph_six_sub(ph_beam_mass_six(&o->Ms), MX), M[1][0]);
}

/* w N^T B for the columns of side j: rows of both sides */
PH_OUT_OF_LINE void ph_beam_add_rows(const ph_beam_point *p, int j, const ph_six *B, ph_six K[2][2])
{
    ph_six wB = ph_six_scale(p->weight, *B), b = ph_dual_six(&p->X[0], &wB);
    K[0][j] = ph_six_add(K[0][j], ph_six_sub(wB, b));
    K[1][j] = ph_six_add(K[1][j], b);
}

/* What C and K share. */
typedef struct ph_beam_shared {
    ph_six G; /* gyroscopic */
    ph_dual H, HX;
} ph_beam_shared;

/* dn/dv = N and da/dv (B10) */
PH_OUT_OF_LINE void ph_beam_mass_add_C(const ph_beam_point *p, const ph_beam_motion *o,
                                       const ph_beam_shared *x, ph_six C[2][2])
{
    ph_dual X1 = ph_dual_add(p->X[1], p->X[1]);
    ph_six GX = ph_six_dual(&x->G, &p->X[0]);
    for (int j = 0; j < 2; j++) {
        ph_dual N = p->X[0], HN = x->HX;
        if (!j) {
            N = ph_dual_sub((ph_dual){.r = ph_rows_diag(ph_k(1))}, N);
            HN = ph_dual_sub(x->H, HN);
        }
        ph_dual NW = ph_beam_mul_W(o, N, o->v[j]), A = ph_dual_sub(HN, NW);
        A = j ? ph_dual_add(A, X1) : ph_dual_sub(A, X1);
        ph_six B = ph_six_sub(ph_beam_weigh_dual(&o->Ms, &A), j ? GX : ph_six_sub(x->G, GX));
        if (!o->body_axes) /* N blockdiag(tilde(Omega), 0) */
            B.uu = ph_rows_sub(B.uu, ph_rows_scale(o->Ms.m, NW.r));
        if (!o->body_axes && !o->Ms.centred)
            B.wu = ph_rows_sub(B.wu, ph_rows_mul_rows(ph_rows_tilde(o->Ms.moment), NW.r));
        ph_beam_add_rows(p, j, &B, C);
    }
}

/* dn/dq and da/dq (B10) */
PH_OUT_OF_LINE void ph_beam_mass_add_K(const ph_beam_point *p, const ph_beam_motion *o,
                                       const ph_beam_shared *x, ph_six K[2][2])
{
    const ph_dual *X = p->X;
    ph_dual a = ph_dual_hat(p->a), aX = ph_dual_mul(a, X[0]), HX1 = ph_dual_mul(x->H, X[1]);
    for (int j = 0; j < 2; j++) {
        ph_twist v = o->v[j];
        ph_dual XW = ph_beam_mul_W(o, X[0], v), Z, HZ, NW1, A, n_q;
        NW1 = ph_beam_mul_W(o, X[0], o->vdot[j]);
        if (j) {
            Z = ph_dual_sub(X[1], XW);
            HZ = ph_dual_sub(HX1, ph_beam_mul_W(o, x->HX, v));
            n_q = ph_dual_add(Z, x->HX);
            A = ph_dual_sub(ph_dual_add(X[2], aX), ph_beam_mul_W(o, ph_dual_add(X[1], Z), v));
        } else { /* I - X for X */
            ph_dual W = ph_beam_W(o, v);
            Z = ph_dual_sub(ph_dual_sub(XW, X[1]), W);
            HZ = ph_dual_sub(ph_beam_mul_W(o, ph_dual_sub(x->HX, x->H), v), HX1);
            n_q = ph_dual_add(Z, ph_dual_sub(x->H, x->HX));
            NW1 = ph_dual_sub(ph_beam_W(o, o->vdot[j]), NW1);
            A = ph_dual_sub(ph_dual_sub(a, aX), ph_dual_add(X[2], ph_beam_mul_W(o, ph_dual_sub(Z, X[1]), v)));
        }
        A = ph_dual_sub(ph_dual_add(A, HZ), NW1);
        ph_six B = ph_six_sub(ph_beam_weigh_dual(&o->Ms, &A), ph_six_dual(&x->G, &n_q));
        ph_beam_add_rows(p, j, &B, K);
    }
}

/* [-J; J] [-Ta, Tb] */
PH_OUT_OF_LINE void ph_beam_fold_J(const ph_beam_at *e, const ph_six *J, ph_six K[2][2])
{
    for (int j = 0; j < 2; j++) {
        ph_six B = ph_six_dual(J, &e->T[j]);
        K[j][j] = ph_six_add(K[j][j], B);
        K[!j][j] = ph_six_sub(K[!j][j], B);
    }
}

PH_OUT_OF_LINE void ph_beam_helicoidal(const ph_beam_at *e, const ph_beam_motion *o, const ph_beam_terms *t)
{
    ph_helix h;
    ph_six J = {0};
    int order = t->K ? 2 : t->C || t->f ? 1 : 0;
    ph_beam_helix(e, o, order, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        ph_beam_point p;
        ph_beam_shared x;
        ph_beam_point_of(&h, o, k, order, &p);
        if (t->f)
            ph_beam_mass_add_f(&p, t->f);
        if (t->M)
            ph_beam_mass_add_M(&p, o, t->M);
        if (!t->C && !t->K)
            continue;
        x.G = ph_beam_gyroscopic(&o->Ms, ph_k(1), p.n, p.p);
        x.H = ph_dual_hat(p.n), x.HX = ph_dual_mul(x.H, p.X[0]);
        if (t->C)
            ph_beam_mass_add_C(&p, o, &x, t->C);
        if (t->K) {
            ph_six one;
            ph_beam_mass_add_K(&p, o, &x, t->K);
            ph_helix_fold_slope(&h, k, p.f, &one);
            J = ph_six_add(J, one);
        }
    }
    if (t->M)
        ph_beam_finish_M(o, t->M);
    if (t->K)
        ph_beam_fold_J(e, &J, t->K);
}

/* ---- linear and lumped --------------------------------------------------------------------------------- */

/* Factor of Ms in M, on and off the diagonal. */
PH_FN double ph_beam_share(const ph_force *f, int same)
{
    return f->def->mass_model == PH_LINEAR_MASS ? (same ? 1 / 3. : 1 / 6.) : (same ? 1 / 2. : 0);
}

PH_FN ph_twist ph_beam_weighted(const ph_force *f, int i, const ph_twist x[2])
{
    ph_real a = ph_k(ph_beam_share(f, i == 0)), b = ph_k(ph_beam_share(f, i == 1));
    return (ph_twist){ph_add(ph_scale(a, x[0].u), ph_scale(b, x[1].u)),
                      ph_add(ph_scale(a, x[0].w), ph_scale(b, x[1].w))};
}

/* R_i^T gravity/2 */
PH_FN ph_vec3 ph_beam_half_weight(const ph_force_site *s, const ph_beam_motion *o, int i)
{
    return ph_scale(ph_k(0.5), ph_tmul(o->R[i], s->gravity));
}

PH_FN void ph_beam_plain_f(const ph_force_site *s, const ph_beam_motion *o, ph_twist f[2])
{
    for (int i = 0; i < 2; i++) {
        ph_twist a = ph_beam_weighted(s->f, i, o->alpha),
                 p = ph_beam_weigh(&o->Ms, ph_beam_weighted(s->f, i, o->v));
        a.u = ph_sub(a.u, ph_beam_half_weight(s, o, i));
        f[i] = ph_twist_sub(ph_beam_weigh(&o->Ms, a), ph_beam_fold_hat(o->v[i], p));
    }
}

/* By velocities: v'_j = R^T xddot - Omega x U in physical coordinates */
PH_OUT_OF_LINE ph_six ph_beam_plain_C(const ph_beam_motion *o, ph_real c, int j, const ph_six *G)
{
    if (o->body_axes)
        return ph_six_scale(ph_k(-1), *G);
    ph_six Ms = ph_beam_mass_six(&o->Ms);
    ph_rows W = ph_rows_tilde(ph_scale(-c, o->v[j].w)), U = ph_rows_tilde(ph_scale(c, o->v[j].u));
    ph_six A = {ph_rows_mul_rows(Ms.uu, W), ph_rows_mul_rows(Ms.uu, U), ph_rows_mul_rows(Ms.wu, W),
                ph_rows_mul_rows(Ms.wu, U)};
    return ph_six_sub(A, *G);
}

/* By turning node j: own = R^T gravity/2, where the row is its own; U = R^T xdot and R^T xddot in physical coordinates */
PH_OUT_OF_LINE ph_six ph_beam_plain_K(const ph_beam_motion *o, ph_real c, int j, const ph_six *G, ph_vec3 own)
{
    ph_six Ms = ph_beam_mass_six(&o->Ms);
    ph_rows D = ph_rows_tilde(ph_neg(own));
    if (o->body_axes)
        return (ph_six){.uw = ph_rows_mul_rows(Ms.uu, D), .ww = ph_rows_mul_rows(Ms.wu, D)};
    ph_vec3 U = o->v[j].u, w = o->v[j].w, a = ph_add(o->alpha[j].u, ph_cross(w, U));
    ph_rows E = ph_rows_tilde(U);
    D = ph_rows_add(D,
                    ph_rows_scale(c, ph_rows_sub(ph_rows_tilde(a), ph_rows_mul_tilde(ph_rows_tilde(w), U))));
    return (ph_six){.uw = ph_rows_sub(ph_rows_mul_rows(Ms.uu, D), ph_rows_mul_rows(G->uu, E)),
                    .ww = ph_rows_sub(ph_rows_mul_rows(Ms.wu, D), ph_rows_mul_rows(G->wu, E))};
}

PH_OUT_OF_LINE void ph_beam_plain(const ph_force_site *s, const ph_beam_motion *o, const ph_beam_terms *t)
{
    if (t->f)
        ph_beam_plain_f(s, o, t->f);
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        ph_real c = ph_k(ph_beam_share(s->f, i == j));
        if (t->M)
            t->M[i][j] = ph_six_scale(c, ph_beam_mass_six(&o->Ms));
        if (!t->C && !t->K)
            continue;
        const ph_twist none = {0};
        ph_twist p = i == j ? ph_beam_weigh(&o->Ms, ph_beam_weighted(s->f, i, o->v)) : none;
        ph_vec3 own = i == j ? ph_beam_half_weight(s, o, i) : none.u;
        ph_six G = ph_beam_gyroscopic(&o->Ms, c, o->v[i], p);
        if (t->C)
            t->C[i][j] = ph_beam_plain_C(o, c, j, &G);
        if (t->K)
            t->K[i][j] = ph_beam_plain_K(o, c, j, &G, own);
    }
}

/* ---- energies ------------------------------------------------------------------------------------------ */

PH_FN int ph_beam_is_helicoidal(const ph_force_site *s)
{
    return s->f->def->mass_model == PH_HELICOIDAL_MASS;
}

/* v^T M v/2; of an element with mass. NaN where one with helicoidal mass does not turn little */
PH_OUT_OF_LINE ph_real ph_beam_kinetic(const ph_force_site *s, ph_twist d)
{
    ph_beam_motion o;
    ph_real T = ph_k(0);
    ph_beam_velocities_of(s, &o);
    for (int i = 0; i < 2 && !ph_beam_is_helicoidal(s); i++)
        T += ph_twist_dot(o.v[i], ph_beam_weigh(&o.Ms, ph_beam_weighted(s->f, i, o.v))) / 2;
    if (!ph_beam_is_helicoidal(s))
        return T;
    ph_helix h = {.d = d};
    ph_helix_fill(&h, 0);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        ph_dual X[3];
        ph_helix_point(&h, k, 0, X);
        ph_twist n = ph_beam_velocity_at(&o, X[0]);
        T += ph_helix_weight[k] * ph_twist_dot(n, ph_beam_weigh(&o.Ms, n)) / 2;
    }
    return ph_select(ph_beam_turns_little(d), T, ph_k(NAN));
}

/* -gravity . (m x + R m c), c turned by R */
PH_FN ph_real ph_beam_height(const ph_force_site *s, ph_vec3 x, ph_vec3 turned)
{
    return -ph_dot(s->gravity, ph_add(ph_scale(s->f->mass, x), turned));
}

/* That of the weight of an element with mass; of a helicoidal one at H_a exp(xi d) */
PH_OUT_OF_LINE ph_real ph_beam_weight_energy(const ph_force_site *s, ph_twist d)
{
    ph_vec3 c = s->f->moment;
    ph_real V = ph_k(0);
    if (!ph_beam_is_helicoidal(s))
        return (ph_beam_height(s, s->a.x, ph_mul(s->a.R, c)) + ph_beam_height(s, s->b.x, ph_mul(s->b.R, c))) /
               2;
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        ph_vec3 U = ph_scale(ph_k(ph_helix_xi[k]), d.u), w = ph_scale(ph_k(ph_helix_xi[k]), d.w);
        ph_stumpff r = ph_stumpff_of(w);
        ph_vec3 x = ph_se3_exp_position(r, w, U, ph_se3_dot(r.s, w, U)),
                turned = ph_quat_rotate(ph_so3_exp(r, w), c);
        V +=
            ph_helix_weight[k] * ph_beam_height(s, ph_add(s->a.x, ph_mul(s->a.R, x)), ph_mul(s->a.R, turned));
    }
    return ph_select(ph_beam_turns_little(d), V, ph_k(NAN));
}

PH_FN ph_real ph_beam_potential(const ph_force_site *s, ph_twist d)
{
    ph_real V = ph_beam_strain_energy(s->f, d);
    return s->f->def->M6 ? V + ph_beam_weight_energy(s, d) : V;
}

/* ---- the element ----------------------------------------------------------------------------------------- */

/* Weight of helicoidal mass is a part of its acceleration. */
PH_FN void ph_beam_open_motion(const ph_force_site *s, ph_beam_motion *o)
{
    ph_beam_motion_of(s, ph_beam_is_helicoidal(s) ? s->gravity : ph_zero3(), o);
}

/* What is wanted, of an element with or without mass, which ph_beam_fill has seen. */
PH_FN void ph_beam_add(const ph_force_site *s, const ph_beam_at *e, const ph_beam_terms *t)
{
    if (s->f->def->M6) {
        ph_beam_motion o;
        ph_beam_open_motion(s, &o);
        if (ph_beam_is_helicoidal(s))
            ph_beam_helicoidal(e, &o, t);
        else
            ph_beam_plain(s, &o, t);
    }
    if (t->f)
        ph_beam_add_f(e, t->f);
    if (t->C)
        ph_beam_add_C(s, e, t->C);
    if (t->K)
        ph_beam_add_K(s, e, t->K);
}

#endif
