/* What the files that build problems share: the builders of the table, and callbacks of many systems. */
#ifndef PH_PROBLEM_BUILD_H
#define PH_PROBLEM_BUILD_H

#include "problem/problem.h"

/* Fill p, whose name is set and the rest zero. 0: def makes no sense or there is no memory; p->data is then
 * NULL. */
#define PH_PROBLEM(name, build, size, x, text) int build(ph_problem *p, const ph_problem_def *def);
#include "problem/problems.def"
#undef PH_PROBLEM

/* A matrix or vector that is always zero. */
ph_status ph_callback_zero(const ph_state *s, double *out, void *ctx);

/* Block (row, col) of 3 x 3 blocks in a matrix with stride columns. */
static inline void ph_put33(double *out, int stride, int row, int col, ph_mat3 A)
{
    double *o = out + 3 * row * stride + 3 * col;
    o[0] = A.xx, o[1] = A.xy, o[2] = A.xz;
    o += stride;
    o[0] = A.yx, o[1] = A.yy, o[2] = A.yz;
    o += stride;
    o[0] = A.zx, o[1] = A.zy, o[2] = A.zz;
}

/* Gyroscopic torque Omega x J Omega and its derivative by Omega, tilde(Omega) J - tilde(J Omega), for J =
 * diag(J). */
static inline ph_vec3 ph_gyro(ph_vec3 J, ph_vec3 w)
{
    return ph_v3((J.z - J.y) * w.y * w.z, (J.x - J.z) * w.z * w.x, (J.y - J.x) * w.x * w.y);
}

static inline ph_mat3 ph_gyro_tangent(ph_vec3 J, ph_vec3 w)
{
    double a = J.z - J.y, b = J.x - J.z, c = J.y - J.x;
    return (ph_mat3){0, a * w.z, a * w.y, b * w.z, 0, b * w.x, c * w.y, c * w.x, 0};
}

#endif
