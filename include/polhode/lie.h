/* Lie groups: composition, exponential map, tangent operators and their derivatives (docs/theory.md, L1-L20).
 *
 * Conventions: left-trivialised, q' = q o tilde(v). T is the left tangent operator of exp,
 *   d(exp x) = exp(x) tilde(T(x) dx),   T(x) = sum_i (-1)^i/(i+1)! hat(x)^i,   hat(a) b = [a, b].
 * Matrices are dense, row by row, dim x dim. Outputs never alias inputs unless a comment allows it. */
#ifndef POLHODE_LIE_H
#define POLHODE_LIE_H

#include "polhode/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ph_group {
#define PH_GROUP(code, ops, text) code,
#include "polhode/groups.def"
#undef PH_GROUP
    PH_GROUP_COUNT
} ph_group;

#define PH_DIM_MAX 6 /* of a group other than R^n */

/* One group. n is the dimension where it is free (R^n) and ignored elsewhere. */
typedef struct ph_group_ops {
    const char *name;
    int dim;  /* of the algebra; 0: n */
    int size; /* doubles that store an element; 0: n */
    int rot;  /* first rotational coordinate of the algebra; -1: none */
    int quat; /* where the quaternion stands in an element; -1: none */
    void (*identity)(int n, double *q);
    void (*compose)(int n, const double *a, const double *b, double *ab); /* ab may be a or b */
    void (*inverse)(int n, const double *a, double *inv);                 /* inv may be a */
    void (*exp)(int n, const double *x, double *q);
    void (*log)(int n, const double *q, double *x); /* rotation part: |w| <= pi */
    void (*T)(int n, const double *x, double *T);
    void (*Tinv)(int n, const double *x, double *Tinv);                 /* singular at |w| = 2 pi */
    void (*dT)(int n, const double *x, const double *u, double *D);     /* d(T(x) u)/dx */
    void (*dTinv)(int n, const double *x, const double *u, double *D);  /* d(T(x)^-1 u)/dx */
    void (*dTt)(int n, const double *x, const double *u, double *D);    /* d(T(x)^T u)/dx */
    void (*dTinvt)(int n, const double *x, const double *u, double *D); /* d(T(x)^-T u)/dx */
    void (*hat)(int n, const double *x, double *H);                     /* H b = [x, b] */
    void (*Ad)(int n, const double *q, double *A);                      /* q tilde(x) q^-1 = tilde(Ad x) */
    /* q1 = q0 o exp(x), T(x) and T(x)^-1 at once: the coefficients are shared. q1 may be q0; T, Tinv NULL: not needed. */
    void (*move)(int n, const double *q0, const double *x, double *q1, double *T, double *Tinv);
} ph_group_ops;

PH_API const ph_group_ops *ph_group_get(ph_group g); /* constant; NULL: there is none */
PH_API int ph_group_dim(ph_group g, int n);          /* of the algebra */
PH_API int ph_group_size(ph_group g, int n);         /* of a stored element */

/* log(R_a^T R_b) of quaternions a and b, in components of a; w may be b. */
PH_API void ph_rotation_between(const double a[4], const double b[4], double w[3]);

/* Operations of a group on many elements at once, for foreign interfaces: x and q in, a matrix or an element out. */
typedef enum ph_group_op {
    PH_EACH_COMPOSE, /* q, q -> q */
    PH_EACH_INVERSE, /* q -> q */
    PH_EACH_EXP,     /* x -> q */
    PH_EACH_LOG,     /* q -> x */
    PH_EACH_T,       /* x -> matrix */
    PH_EACH_TINV,
    PH_EACH_DT, /* x, u -> matrix */
    PH_EACH_DTINV,
    PH_EACH_DTT,
    PH_EACH_DTINVT,
    PH_EACH_HAT, /* x -> matrix */
    PH_EACH_AD,  /* q -> matrix */
    PH_EACH_COUNT
} ph_group_op;

/* Doubles of its arguments and of its result; second is 0 where there is one argument. PH_E_INPUT: no such thing. */
PH_API ph_status ph_group_sizes(ph_group g, int n, ph_group_op op, int *first, int *second, int *result);

/* The operation on count arguments that stand one after the other; out aliases none of them. b NULL where there is one
 * argument. */
PH_API ph_status ph_group_each(ph_group g, int n, ph_group_op op, long count, const double *a,
                               const double *b, double *out);

/* Coordinates of rotations, for comparison with the literature: R(c), and T(c) with Omega = T(c) cdot. */
typedef struct ph_chart_ops {
    const char *name;
    int dim;                                      /* 3 or 4 */
    int (*from_quat)(const double *q, double *c); /* 0: the chart does not reach q; c is then not set */
    void (*to_quat)(const double *c, double *q);
    void (*T)(const double *c, double *T);                   /* 3 x dim */
    void (*dT)(const double *c, const double *u, double *D); /* d(T(c) u)/dc, 3 x dim */
} ph_chart_ops;

typedef enum ph_chart {
#define PH_CHART(code, ops, text) code,
#include "polhode/charts.def"
#undef PH_CHART
    PH_CHART_COUNT
} ph_chart;

PH_API const ph_chart_ops *ph_chart_get(ph_chart c); /* constant; NULL: there is none */

#ifdef __cplusplus
}
#endif

#endif
