/* Rotations in long double, for references: p is a unit quaternion, scalar first, R(p) its matrix. */
#ifndef PH_PROBLEM_ROTATE_H
#define PH_PROBLEM_ROTATE_H

#include <math.h>

/* c = a x b */
static inline void ph_crossl(const long double *a, const long double *b, long double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* pdot = p o (0, w) / 2 */
static inline void ph_quat_ratel(const long double *p, const long double *w, long double *pdot)
{
    pdot[0] = (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]) / 2;
    pdot[1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
    pdot[2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
    pdot[3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
}

/* b = a + 2 sign p_0 (e x a) + 2 e x (e x a), e = (p_1, p_2, p_3): R a for sign = 1, R^T a for sign = -1 */
static inline void ph_rotatel(const long double *p, int sign, const long double *a, long double *b)
{
    long double ea[3], eea[3];
    ph_crossl(p + 1, a, ea);
    ph_crossl(p + 1, ea, eea);
    for (int i = 0; i < 3; i++)
        b[i] = a[i] + 2 * (sign * p[0] * ea[i] + eea[i]);
}

/* q = p/|p| in double */
static inline void ph_quat_store(const long double *p, double *q)
{
    long double n = sqrtl(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++)
        q[i] = (double)(p[i] / n);
}

#endif
