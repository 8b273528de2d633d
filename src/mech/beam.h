/* Beam elements: geometrically exact, with two nodes, on SE(3).
 *
 *   h = H_a^-1 H_b,  d = log h,  eps = (d - d0)/L,  N = K eps + D epsdot                              (B1)
 *   delta d = P (eta_a, eta_b),  P = [-T^-1(-d), T^-1(d)],  epsdot = P v/L                            (B2)
 *   g = P^T N,  C = P^T (D/L) P                                                                       (B3)
 *   K = P^T (K/L + (D/L) Q_v) P + [Q_N(-d); Q_N(d)] P                                                 (B4)
 *     Q_N(d) = d(T^-T(d) N)/dd,  Q_v = d(T^-1(d) v_b)/dd (d) + d(T^-1(d) v_a)/dd (-d)
 *
 * These are for increments eta and velocities v = (U, Omega) in body components, which are the coordinates of
 * SE(3). In physical ones, with dx = R eta_u: rows and columns of u are turned by R; and since R and
 * U = R^T xdot turn,                                                                                    (B5)
 *   K += -tilde(f_u) on (u, phi) and P^T (D/L) P_u tilde(U) on phi, for each body, before that.
 *
 * K is not symmetric away from equilibrium, and must not be made so. Reference: V. Sonneville, A. Cardona,
 * O. Bruls, Geometrically exact beam finite element formulated on the special Euclidean group SE(3), 2014. */
#ifndef PH_MECH_BEAM_H
#define PH_MECH_BEAM_H

#include "lie/se3.h"
#include "mech/dual.h"
#include "mech/element.h"
#ifndef PH_ELEMENT_LANES
#include "mech/mech.h"
#endif

/* rad, of one element from end to end: well below half a turn, where log jumps to another branch */
#define PH_BEAM_TURN_MAX 2.5

enum { PH_BEAM_N = 6 };

typedef struct ph_beam_at {
    ph_twist d;    /* log of frame b as seen from a */
    ph_stumpff r;  /* of its rotation */
    ph_dual T[2];  /* T^-1(-d), T^-1(d) */
    ph_twist N;    /* section force */
    ph_twist v[2]; /* velocities of the ends, body axes, and */
    ph_twist rate; /* that of d: of elements with damping or mass */
} ph_beam_at;

/* d = log(H_a^-1 H_b): w = log R, u = B(-w) x with T^-1 = [B Z; 0 B] (L15); r: of w. Quaternions need not have
 * length one, as Euler parameters need not. */
PH_FN ph_twist ph_beam_relative(const ph_kin *a, const ph_kin *b, ph_stumpff *r)
{
    ph_vec3 x = ph_tmul(a->R, ph_sub(b->x, a->x)), w = ph_so3_log(ph_qmul(ph_quat_conj(a->q), b->q));
    *r = ph_stumpff_of(w);
    ph_vec3 wx = ph_cross(w, x);
    return (ph_twist){ph_add(x, ph_sub(ph_scale(r->d, ph_cross(w, wx)), ph_scale(ph_k(0.5), wx))), w};
}

/* T^-1 = [B Z; 0 B], B = I + W/2 + d W^2, Z = U/2 + d (U W + W U) + 2 d' (w.u) W^2, W = tilde(w), U = tilde(u)
 * (L14) */
PH_FN ph_dual ph_beam_inverse_tangent(const ph_stumpff *r, ph_twist x)
{
    ph_real m = ph_dot(x.w, x.u), d1 = r->d1 * m;
    ph_vec3 w = x.w, u = x.u, half = ph_scale(ph_k(0.5), w), Half = ph_scale(ph_k(0.5), u),
            dw = ph_scale(r->d, w);
    ph_rows ww = ph_rows_outer(dw, w), uw = ph_rows_outer(dw, u), d1ww = ph_rows_outer(ph_scale(d1, w), w);
    return (ph_dual){ph_rows_add(ph_rows_diag(1 - r->d * r->s), ph_rows_add(ww, ph_rows_tilde(half))),
                     ph_rows_add(ph_rows_add(ph_rows_diag(-2 * r->d * m - d1 * r->s), ph_rows_tilde(Half)),
                                 ph_rows_add(d1ww, ph_rows_add(uw, ph_rows_transpose(uw))))};
}

/* A x/L */
PH_FN ph_twist ph_beam_apply(const ph_real *A, ph_twist x, ph_real length)
{
    const ph_real in[PH_BEAM_N] = {x.u.x, x.u.y, x.u.z, x.w.x, x.w.y, x.w.z};
    ph_real out[PH_BEAM_N];
    for (int i = 0; i < PH_BEAM_N; i++, A += PH_BEAM_N) {
        ph_real t = A[0] * in[0];
        for (int j = 1; j < PH_BEAM_N; j++)
            t += A[j] * in[j];
        out[i] = t / length;
    }
    return (ph_twist){ph_load3(out), ph_load3(out + 3)};
}

/* d - d0 */
PH_FN ph_twist ph_beam_strain(const ph_force *f, ph_twist d)
{
    return (ph_twist){ph_sub(d.u, ph_load3(f->d0)), ph_sub(d.w, ph_load3(f->d0 + 3))};
}

/* Whether the element turns by no more than PH_BEAM_TURN_MAX, and by a number */
PH_FN ph_mask ph_beam_turns_little(ph_twist d)
{
    return ph_dot(d.w, d.w) <= PH_BEAM_TURN_MAX * PH_BEAM_TURN_MAX;
}

/* (L/2) eps^T K eps */
PH_FN ph_real ph_beam_strain_energy(const ph_force *f, ph_twist d)
{
    ph_twist strain = ph_beam_strain(f, d);
    return ph_twist_dot(strain, ph_beam_apply(f->def->K6, strain, f->length)) / 2;
}

/* (B1, B2); velocities where damping or inertia asks for them. Returns whether the element turns little. */
PH_OUT_OF_LINE ph_mask ph_beam_fill(const ph_force_site *s, ph_beam_at *e)
{
    const ph_force_def *def = s->f->def;
    e->d = ph_beam_relative(&s->a, &s->b, &e->r);
    e->T[1] = ph_beam_inverse_tangent(&e->r, e->d);
    e->T[0] = ph_dual_sub(e->T[1], ph_dual_hat(e->d)); /* T^-1(-d) = T^-1(d) - hat(d) */
    e->N = ph_beam_apply(def->K6, ph_beam_strain(s->f, e->d), s->f->length);
    if (def->D6 || def->M6) {
        e->v[0] = (ph_twist){ph_tmul(s->a.R, s->a.v), s->a.w};
        e->v[1] = (ph_twist){ph_tmul(s->b.R, s->b.v), s->b.w};
        e->rate = ph_twist_sub(ph_dual_apply(e->T[1], e->v[1]), ph_dual_apply(e->T[0], e->v[0]));
    }
    if (def->D6)
        e->N = ph_twist_add(e->N, ph_beam_apply(def->D6, e->rate, s->f->length));
    return ph_beam_turns_little(e->d);
}

/* ---- forces and tangents, body axes -------------------------------------------------------------------- */

/* f += (B3) */
PH_FN void ph_beam_add_f(const ph_beam_at *e, ph_twist f[2])
{
    f[0] = ph_twist_sub(f[0], ph_dual_fold(e->T[0], e->N));
    f[1] = ph_twist_add(f[1], ph_dual_fold(e->T[1], e->N));
}

/* A/L */
PH_FN ph_six ph_beam_section_of(const ph_real *A, ph_real length)
{
    ph_rows B[4];
    for (int k = 0; k < 4; k++) {
        const ph_real *a = A + PH_BEAM_N * 3 * (k / 2) + 3 * (k % 2);
        B[k] = ph_rows_scale(1 / length, ph_rows_of(ph_row_load3(a), ph_row_load3(a + PH_BEAM_N),
                                                    ph_row_load3(a + 2 * PH_BEAM_N)));
    }
    return (ph_six){B[0], B[1], B[2], B[3]};
}

/* out += P^T S P for a symmetric S */
PH_OUT_OF_LINE void ph_beam_add_square(const ph_beam_at *e, const ph_six *S, ph_six out[2][2])
{
    ph_six A = ph_six_dual(S, &e->T[0]), B = ph_six_dual(S, &e->T[1]), across = ph_dual_six(&e->T[0], &B);
    out[0][0] = ph_six_add(out[0][0], ph_dual_six(&e->T[0], &A));
    out[1][1] = ph_six_add(out[1][1], ph_dual_six(&e->T[1], &B));
    out[0][1] = ph_six_sub(out[0][1], across);
    out[1][0] = ph_six_sub(out[1][0], ph_six_transpose(across));
}

/* C += (B3) */
PH_FN void ph_beam_add_C(const ph_force_site *s, const ph_beam_at *e, ph_six C[2][2])
{
    if (!s->f->def->D6)
        return;
    ph_six S = ph_beam_section_of(s->f->def->D6, s->f->length);
    ph_beam_add_square(e, &S, C);
}

/* [0 J0; J0 J1] and [J0 J1; 0 J0] of (B4), at -d and at d */
PH_OUT_OF_LINE void ph_beam_slope_at(const ph_beam_at *e, int side, ph_form F, ph_vec3 u0, ph_vec3 u1,
                                     ph_rows *J0, ph_rows *J1)
{
    ph_mat3 A, B;
    ph_real sign = ph_k(side ? 1 : -1);
    ph_se3_form_slope(F, ph_scale(sign, e->d.w), ph_scale(sign, e->d.u), u0, u1, &A, &B);
    *J0 = ph_rows_from(A), *J1 = ph_rows_from(B);
}

/* P^T (D/L) d(rate)/dq: Q_v P and, with physical velocities, what turning U = R^T xdot adds (B4, B5) */
PH_OUT_OF_LINE void ph_beam_add_damped(const ph_force_site *s, const ph_beam_at *e, ph_form F, ph_six K[2][2])
{
    ph_six D = ph_beam_section_of(s->f->def->D6, s->f->length);
    ph_dual Q[2];
    for (int i = 0; i < 2; i++)
        ph_beam_slope_at(e, i, F, e->v[i].w, e->v[i].u, &Q[i].r, &Q[i].e);
    Q[0] = ph_dual_add(Q[0], Q[1]);
    for (int j = 0; j < 2; j++) {
        ph_dual slope = ph_dual_mul(Q[0], e->T[j]);
        if (!s->body_axes)
            slope.e = ph_rows_add(slope.e, ph_rows_mul_tilde(e->T[j].r, e->v[j].u));
        ph_six A = ph_six_dual(&D, &slope);
        for (int i = 0; i < 2; i++) {
            ph_six B = ph_dual_six(&e->T[i], &A);
            K[i][j] = i == j ? ph_six_add(K[i][j], B) : ph_six_sub(K[i][j], B);
        }
    }
}

/* K += (B4), without the turning of f itself, at fixed velocities in the axes that s says */
PH_OUT_OF_LINE void ph_beam_add_K(const ph_force_site *s, const ph_beam_at *e, ph_six K[2][2])
{
    ph_form F = ph_form_Tinv(e->r);
    ph_six S = ph_beam_section_of(s->f->def->K6, s->f->length);
    ph_beam_add_square(e, &S, K);
    if (s->f->def->D6)
        ph_beam_add_damped(s, e, F, K);
    for (int i = 0; i < 2; i++) {
        ph_rows J0, J1;
        ph_beam_slope_at(e, i, ph_form_transpose(F), e->N.u, e->N.w, &J0, &J1);
        for (int j = 0; j < 2; j++) {
            ph_rows A = ph_rows_mul_rows(J0, e->T[j].r),
                    B = ph_rows_add(ph_rows_mul_rows(J0, e->T[j].e), ph_rows_mul_rows(J1, e->T[j].r));
            ph_six *to = &K[i][j];
            to->uw = j ? ph_rows_add(to->uw, A) : ph_rows_sub(to->uw, A);
            to->wu = j ? ph_rows_add(to->wu, A) : ph_rows_sub(to->wu, A);
            to->ww = j ? ph_rows_add(to->ww, B) : ph_rows_sub(to->ww, B);
        }
    }
}

/* ---- from body axes to those that s says ----------------------------------------------------------------- */

/* f as terms of the slots */
PH_FN void ph_beam_put_f(const ph_force_site *s, const ph_twist f[2], ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = ph_add(r[PH_XA], s->body_axes ? f[0].u : ph_mul(s->a.R, f[0].u));
    r[PH_FA] = ph_add(r[PH_FA], f[0].w);
    r[PH_XB] = ph_add(r[PH_XB], s->body_axes ? f[1].u : ph_mul(s->b.R, f[1].u));
    r[PH_FB] = ph_add(r[PH_FB], f[1].w);
}

/* Rows and columns of u */
PH_OUT_OF_LINE void ph_beam_turn(const ph_force_site *s, ph_six A[2][2])
{
    if (s->body_axes)
        return;
    ph_rows R[2] = {ph_rows_from(s->a.R), ph_rows_from(s->b.R)};
    for (int k = 0; k < 4; k++) {
        int i = k / 2, j = k % 2;
        ph_six *B = &A[i][j];
        ph_rows Rt = ph_rows_transpose(R[j]);
        B->uu = ph_rows_mul_rows(R[i], ph_rows_mul_rows(B->uu, Rt));
        B->uw = ph_rows_mul_rows(R[i], B->uw);
        B->wu = ph_rows_mul_rows(B->wu, Rt);
    }
}

/* The same of a K, with the turning of f */
PH_FN void ph_beam_turn_K(const ph_force_site *s, const ph_twist f[2], ph_six K[2][2])
{
    for (int i = 0; i < 2 && !s->body_axes; i++)
        K[i][i].uw = ph_rows_sub(K[i][i].uw, ph_rows_tilde(f[i].u));
    ph_beam_turn(s, K);
}

#endif
