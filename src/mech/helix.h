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

#include "la/rows.h"
#include "mech/mech.h"

/* ---- matrices of 3 x 3 blocks ------------------------------------------------------------------- */

PH_INLINE ph_rows ph_rows_from(ph_mat3 A)
{
    double x[9];
    ph_store33(x, A);
    return ph_rows_load(x);
}

PH_INLINE ph_mat3 ph_rows_to(ph_rows A)
{
    double x[9];
    ph_rows_store(x, A);
    return ph_load33(x);
}

PH_INLINE ph_rows ph_rows_tilde(ph_vec3 a)
{
    return ph_rows_of(ph_row_of(0, -a.z, a.y), ph_row_of(a.z, 0, -a.x), ph_row_of(-a.y, a.x, 0));
}

PH_INLINE ph_rows ph_rows_diag(double a)
{
    return ph_rows_of(ph_row_of(a, 0, 0), ph_row_of(0, a, 0), ph_row_of(0, 0, a));
}

/* a b^T */
PH_INLINE ph_rows ph_rows_outer(ph_vec3 a, ph_vec3 b)
{
    return ph_rows_of(ph_row_of(a.x * b.x, a.x * b.y, a.x * b.z), ph_row_of(a.y * b.x, a.y * b.y, a.y * b.z),
                      ph_row_of(a.z * b.x, a.z * b.y, a.z * b.z));
}

PH_INLINE ph_rows ph_rows_mul_tilde(ph_rows A, ph_vec3 b)
{
    return ph_rows_mul_rows(A, ph_rows_tilde(b));
}

PH_INLINE ph_vec3 ph_rows_times(ph_rows A, ph_vec3 b)
{
    return ph_mul(ph_rows_to(A), b);
}

/* A^T b */
PH_INLINE ph_vec3 ph_rows_times_t(ph_rows A, ph_vec3 b)
{
    return ph_tmul(ph_rows_to(A), b);
}

/* [r e; 0 r], r + eps e with eps^2 = 0: matrices that hat(d) generates (L14) */
typedef struct ph_dual {
    ph_rows r, e;
} ph_dual;

/* [uu uw; wu ww] */
typedef struct ph_six {
    ph_rows uu, uw, wu, ww;
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
    return (ph_dual){ph_rows_tilde(a.w), ph_rows_tilde(a.u)};
}

static inline ph_dual ph_dual_add(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_add(A.r, B.r), ph_rows_add(A.e, B.e)};
}

static inline ph_dual ph_dual_sub(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_sub(A.r, B.r), ph_rows_sub(A.e, B.e)};
}

static inline ph_dual ph_dual_mul(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_mul_rows(A.r, B.r),
                     ph_rows_add(ph_rows_mul_rows(A.r, B.e), ph_rows_mul_rows(A.e, B.r))};
}

/* A [tilde(w) 0; 0 tilde(w)] */
static inline ph_dual ph_dual_turn(ph_dual A, ph_vec3 w)
{
    return (ph_dual){ph_rows_mul_tilde(A.r, w), ph_rows_mul_tilde(A.e, w)};
}

static inline ph_twist ph_dual_apply(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_add(ph_rows_times(A.r, b.u), ph_rows_times(A.e, b.w)), ph_rows_times(A.r, b.w)};
}

/* A^T b */
static inline ph_twist ph_dual_fold(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_rows_times_t(A.r, b.u),
                      ph_add(ph_rows_times_t(A.e, b.u), ph_rows_times_t(A.r, b.w))};
}

static inline ph_six ph_six_add(ph_six A, ph_six B)
{
    return (ph_six){ph_rows_add(A.uu, B.uu), ph_rows_add(A.uw, B.uw), ph_rows_add(A.wu, B.wu),
                    ph_rows_add(A.ww, B.ww)};
}

static inline ph_six ph_six_sub(ph_six A, ph_six B)
{
    return (ph_six){ph_rows_sub(A.uu, B.uu), ph_rows_sub(A.uw, B.uw), ph_rows_sub(A.wu, B.wu),
                    ph_rows_sub(A.ww, B.ww)};
}

static inline ph_six ph_six_scale(double s, ph_six A)
{
    return (ph_six){ph_rows_scale(s, A.uu), ph_rows_scale(s, A.uw), ph_rows_scale(s, A.wu),
                    ph_rows_scale(s, A.ww)};
}

static inline ph_six ph_six_transpose(ph_six A)
{
    return (ph_six){ph_rows_transpose(A.uu), ph_rows_transpose(A.wu), ph_rows_transpose(A.uw),
                    ph_rows_transpose(A.ww)};
}

/* A B */
static inline ph_six ph_six_dual(const ph_six *A, const ph_dual *B)
{
    return (ph_six){ph_rows_mul_rows(A->uu, B->r),
                    ph_rows_add(ph_rows_mul_rows(A->uu, B->e), ph_rows_mul_rows(A->uw, B->r)),
                    ph_rows_mul_rows(A->wu, B->r),
                    ph_rows_add(ph_rows_mul_rows(A->wu, B->e), ph_rows_mul_rows(A->ww, B->r))};
}

/* A^T B */
static inline ph_six ph_dual_six(const ph_dual *A, const ph_six *B)
{
    ph_rows r = ph_rows_transpose(A->r), e = ph_rows_transpose(A->e);
    return (ph_six){ph_rows_mul_rows(r, B->uu), ph_rows_mul_rows(r, B->uw),
                    ph_rows_add(ph_rows_mul_rows(e, B->uu), ph_rows_mul_rows(r, B->wu)),
                    ph_rows_add(ph_rows_mul_rows(e, B->uw), ph_rows_mul_rows(r, B->ww))};
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
