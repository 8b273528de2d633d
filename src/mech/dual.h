/* Matrices of 3 x 3 blocks that motions of frames take: dual ones, which hat of a twist generates, and full ones of 6 x 6. */
#ifndef PH_MECH_DUAL_H
#define PH_MECH_DUAL_H

#include "la/rows.h"

#ifndef PH_OUT_OF_LINE /* of a function that is long where ph_real is a vector */
#define PH_OUT_OF_LINE PH_FN
#endif

PH_FN ph_rows ph_rows_from(ph_mat3 A)
{
    ph_real x[9];
    ph_store33(x, A);
    return ph_rows_load(x);
}

PH_FN ph_mat3 ph_rows_to(ph_rows A)
{
    ph_real x[9];
    ph_rows_store(x, A);
    return ph_load33(x);
}

PH_FN ph_rows ph_rows_tilde(ph_vec3 a)
{
    return ph_rows_of(ph_row_of(ph_k(0), -a.z, a.y), ph_row_of(a.z, ph_k(0), -a.x),
                      ph_row_of(-a.y, a.x, ph_k(0)));
}

PH_FN ph_rows ph_rows_diag(ph_real a)
{
    return ph_rows_of(ph_row_of(a, ph_k(0), ph_k(0)), ph_row_of(ph_k(0), a, ph_k(0)),
                      ph_row_of(ph_k(0), ph_k(0), a));
}

/* a b^T */
PH_FN ph_rows ph_rows_outer(ph_vec3 a, ph_vec3 b)
{
    return ph_rows_of(ph_row_of(a.x * b.x, a.x * b.y, a.x * b.z), ph_row_of(a.y * b.x, a.y * b.y, a.y * b.z),
                      ph_row_of(a.z * b.x, a.z * b.y, a.z * b.z));
}

PH_FN ph_rows ph_rows_mul_tilde(ph_rows A, ph_vec3 b)
{
    return ph_rows_mul_rows(A, ph_rows_tilde(b));
}

PH_FN ph_vec3 ph_rows_times(ph_rows A, ph_vec3 b)
{
    return ph_mul(ph_rows_to(A), b);
}

/* A^T b */
PH_FN ph_vec3 ph_rows_times_t(ph_rows A, ph_vec3 b)
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

PH_FN ph_twist ph_twist_add(ph_twist a, ph_twist b)
{
    return (ph_twist){ph_add(a.u, b.u), ph_add(a.w, b.w)};
}

PH_FN ph_twist ph_twist_sub(ph_twist a, ph_twist b)
{
    return (ph_twist){ph_sub(a.u, b.u), ph_sub(a.w, b.w)};
}

PH_FN ph_real ph_twist_dot(ph_twist a, ph_twist b)
{
    return ph_dot(a.u, b.u) + ph_dot(a.w, b.w);
}

PH_FN ph_dual ph_dual_hat(ph_twist a)
{
    return (ph_dual){ph_rows_tilde(a.w), ph_rows_tilde(a.u)};
}

PH_FN ph_dual ph_dual_add(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_add(A.r, B.r), ph_rows_add(A.e, B.e)};
}

PH_FN ph_dual ph_dual_sub(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_sub(A.r, B.r), ph_rows_sub(A.e, B.e)};
}

PH_OUT_OF_LINE ph_dual ph_dual_mul(ph_dual A, ph_dual B)
{
    return (ph_dual){ph_rows_mul_rows(A.r, B.r),
                     ph_rows_add(ph_rows_mul_rows(A.r, B.e), ph_rows_mul_rows(A.e, B.r))};
}

/* A [tilde(w) 0; 0 tilde(w)] */
PH_FN ph_dual ph_dual_turn(ph_dual A, ph_vec3 w)
{
    return (ph_dual){ph_rows_mul_tilde(A.r, w), ph_rows_mul_tilde(A.e, w)};
}

PH_FN ph_twist ph_dual_apply(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_add(ph_rows_times(A.r, b.u), ph_rows_times(A.e, b.w)), ph_rows_times(A.r, b.w)};
}

/* A^T b */
PH_FN ph_twist ph_dual_fold(ph_dual A, ph_twist b)
{
    return (ph_twist){ph_rows_times_t(A.r, b.u),
                      ph_add(ph_rows_times_t(A.e, b.u), ph_rows_times_t(A.r, b.w))};
}

PH_FN ph_six ph_six_add(ph_six A, ph_six B)
{
    return (ph_six){ph_rows_add(A.uu, B.uu), ph_rows_add(A.uw, B.uw), ph_rows_add(A.wu, B.wu),
                    ph_rows_add(A.ww, B.ww)};
}

PH_FN ph_six ph_six_sub(ph_six A, ph_six B)
{
    return (ph_six){ph_rows_sub(A.uu, B.uu), ph_rows_sub(A.uw, B.uw), ph_rows_sub(A.wu, B.wu),
                    ph_rows_sub(A.ww, B.ww)};
}

PH_FN ph_six ph_six_scale(ph_real s, ph_six A)
{
    return (ph_six){ph_rows_scale(s, A.uu), ph_rows_scale(s, A.uw), ph_rows_scale(s, A.wu),
                    ph_rows_scale(s, A.ww)};
}

PH_FN ph_six ph_six_transpose(ph_six A)
{
    return (ph_six){ph_rows_transpose(A.uu), ph_rows_transpose(A.wu), ph_rows_transpose(A.uw),
                    ph_rows_transpose(A.ww)};
}

/* A B */
PH_OUT_OF_LINE ph_six ph_six_dual(const ph_six *A, const ph_dual *B)
{
    return (ph_six){ph_rows_mul_rows(A->uu, B->r),
                    ph_rows_add(ph_rows_mul_rows(A->uu, B->e), ph_rows_mul_rows(A->uw, B->r)),
                    ph_rows_mul_rows(A->wu, B->r),
                    ph_rows_add(ph_rows_mul_rows(A->wu, B->e), ph_rows_mul_rows(A->ww, B->r))};
}

/* A^T B */
PH_OUT_OF_LINE ph_six ph_dual_six(const ph_dual *A, const ph_six *B)
{
    ph_rows r = ph_rows_transpose(A->r), e = ph_rows_transpose(A->e);
    return (ph_six){ph_rows_mul_rows(r, B->uu), ph_rows_mul_rows(r, B->uw),
                    ph_rows_add(ph_rows_mul_rows(e, B->uu), ph_rows_mul_rows(r, B->wu)),
                    ph_rows_add(ph_rows_mul_rows(e, B->uw), ph_rows_mul_rows(r, B->ww))};
}

#endif
