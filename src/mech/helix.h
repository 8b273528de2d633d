/* Motion along a helix from one frame to another, and the 6 x 6 matrices that it takes.
 *
 * Frames H(xi) = H_a exp(xi d), d = log(H_a^-1 H_b), 0 <= xi <= 1, have in their own axes the velocity
 *
 *   v(xi) = v_a + X (v_b - v_a),  X = (I - exp(-xi A))(I - exp(-A))^-1 = xi I + f A + g A^2           (B7)
 *
 * with A = hat(d). With p = |w|, d = (u, w), s = p^2 and kappa = 2 xi - 1 the scalars are
 *
 *   f = (cos(kappa p/2) - cos(p/2))/(2 p sin(p/2)),  g = (kappa - sin(kappa p/2)/sin(p/2))/(2 s)      (B8) */
#ifndef PH_MECH_HELIX_H
#define PH_MECH_HELIX_H

#include "mech/mech.h"

/* ---- matrices of 3 x 3 blocks ------------------------------------------------------------------- */

/* [r e; 0 r], r + eps e with eps^2 = 0: matrices that hat(d) generates (L14) */
typedef struct ph_dual {
    ph_mat3 r, e;
} ph_dual;

/* [uu uw; wu ww] */
typedef struct ph_six {
    ph_mat3 uu, uw, wu, ww;
} ph_six;

/* (u, w) */
typedef struct ph_twist {
    ph_vec3 u, w;
} ph_twist;

static inline ph_twist ph_twist_add(ph_twist a, ph_twist b)
{
    return (ph_twist){ph_add(a.u, b.u), ph_add(a.w, b.w)};
}

static inline ph_twist ph_twist_sub(ph_twist a, ph_twist b)
{
    return (ph_twist){ph_sub(a.u, b.u), ph_sub(a.w, b.w)};
}

static inline ph_dual ph_dual_hat(ph_twist a)
{
    return (ph_dual){ph_tilde(a.w), ph_tilde(a.u)};
}

static inline ph_dual ph_dual_add(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_madd(A.r, B.r), ph_madd(A.e, B.e)};
}

static inline ph_dual ph_dual_sub(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_msub(A.r, B.r), ph_msub(A.e, B.e)};
}

static inline ph_dual ph_dual_mul(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_mmul(A.r, B.r), ph_madd(ph_mmul(A.r, B.e), ph_mmul(A.e, B.r))};
}

/* A [tilde(w) 0; 0 tilde(w)] */
static inline ph_dual ph_dual_turn(ph_dual A, ph_vec3 w)
{
    return (ph_dual){ph_mtilde(A.r, w), ph_mtilde(A.e, w)};
}

static inline ph_twist ph_dual_apply(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_add(ph_mul(A.r, b.u), ph_mul(A.e, b.w)), ph_mul(A.r, b.w)};
}

/* A^T b */
static inline ph_twist ph_dual_fold(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_tmul(A.r, b.u), ph_add(ph_tmul(A.e, b.u), ph_tmul(A.r, b.w))};
}

static inline ph_six ph_six_add(ph_six A, ph_six B)
{
    return (ph_six){ph_madd(A.uu, B.uu), ph_madd(A.uw, B.uw), ph_madd(A.wu, B.wu), ph_madd(A.ww, B.ww)};
}

static inline ph_six ph_six_sub(ph_six A, ph_six B)
{
    return (ph_six){ph_msub(A.uu, B.uu), ph_msub(A.uw, B.uw), ph_msub(A.wu, B.wu), ph_msub(A.ww, B.ww)};
}

static inline ph_six ph_six_scale(double s, ph_six A)
{
    return (ph_six){ph_mscale(s, A.uu), ph_mscale(s, A.uw), ph_mscale(s, A.wu), ph_mscale(s, A.ww)};
}

static inline ph_six ph_six_transpose(ph_six A)
{
    return (ph_six){ph_transpose(A.uu), ph_transpose(A.wu), ph_transpose(A.uw), ph_transpose(A.ww)};
}

static inline ph_twist ph_six_apply(const ph_six *A, ph_twist b)
{
    return (ph_twist){ph_add(ph_mul(A->uu, b.u), ph_mul(A->uw, b.w)),
                      ph_add(ph_mul(A->wu, b.u), ph_mul(A->ww, b.w))};
}

/* A B */
static inline ph_six ph_six_dual(const ph_six *A, const ph_dual *B)
{
    return (ph_six){ph_mmul(A->uu, B->r), ph_madd(ph_mmul(A->uu, B->e), ph_mmul(A->uw, B->r)),
                    ph_mmul(A->wu, B->r), ph_madd(ph_mmul(A->wu, B->e), ph_mmul(A->ww, B->r))};
}

/* A^T B */
static inline ph_six ph_dual_six(const ph_dual *A, const ph_six *B)
{
    ph_mat3 r = ph_transpose(A->r), e = ph_transpose(A->e);
    return (ph_six){ph_mmul(r, B->uu), ph_mmul(r, B->uw), ph_madd(ph_mmul(e, B->uu), ph_mmul(r, B->wu)),
                    ph_madd(ph_mmul(e, B->uw), ph_mmul(r, B->ww))};
}

/* ---- the helix ---------------------------------------------------------------------------------- */

#define PH_HELIX_POINTS 3 /* of Gauss-Legendre integration over xi */
extern const double ph_helix_xi[PH_HELIX_POINTS], ph_helix_weight[PH_HELIX_POINTS];

/* (B8) at one point: value, and each again 2 d/ds of the one before */
typedef struct ph_helix_scalars {
    double f[4], g[4];
} ph_helix_scalars;

void ph_helix_scalars_at(double s, ph_helix_scalars out[PH_HELIX_POINTS]);

/* One element: d and how it moves; what all points share. */
typedef struct ph_helix {
    ph_twist d, d1, d2; /* d, its rate and its acceleration */
    ph_dual S[3];       /* hat(d)^2 and its two derivatives by time */
    ph_helix_scalars at[PH_HELIX_POINTS];
} ph_helix;

/* order: derivatives by time that are wanted, 0 to 2; d1 and d2 beyond it are not read. */
void ph_helix_fill(ph_helix *h, int order);

/* X of a point and its derivatives by time, up to order. */
void ph_helix_point(const ph_helix *h, int point, int order, ph_dual X[3]);

/* d(X^T y)/dd */
void ph_helix_fold_slope(const ph_helix *h, int point, ph_twist y, ph_six *out);

#endif
