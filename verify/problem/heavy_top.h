/* The heavy top in its four descriptions: data, reference, and the terms that the descriptions share. */
#ifndef PH_PROBLEM_HEAVY_TOP_H
#define PH_PROBLEM_HEAVY_TOP_H

#include "problem/build.h"
#include "problem/ode.h"

/* The centre of mass stands at X = e_y of the body, one metre from the tip. */
typedef struct ph_top {
    double m, gravity;   /* kg, m/s^2 along -z of the world */
    ph_vec3 J;           /* about the centre of mass, diagonal */
    ph_vec3 Jp;          /* about the tip: J + m diag(1, 0, 1) */
    double q0[7], v0[6]; /* layout of the description */
    ph_ode ode;          /* y = (p, Omega) */
} ph_top;

/* The motion at one time, in double; vectors of the world except Omega and Omegadot. */
typedef struct ph_top_motion {
    double p[4];
    ph_vec3 Omega, Omegadot, x, xdot, xddot, lambda;
} ph_top_motion;

/* Data, reference and run of every description; 0: def makes no sense or there is no memory. */
ph_top *ph_top_create(ph_problem *p, const ph_problem_def *def);
int ph_top_exact(const ph_problem *p, double t, ph_top_motion *out); /* 0: not to be had */

/* q = (x, p), v = (xdot, Omega) at t = 0; R = I. Energy and exact state of the descriptions with these v. */
extern const double ph_top_q0[7], ph_top_v0[6];
double ph_top_energy(const ph_state *s, const void *ctx);
ph_status ph_top_g(const ph_state *s, double *out, void *ctx); /* with v = (xdot, Omega) */
ph_status ph_top_Phi(const ph_state *s, double *out, void *ctx);
ph_status ph_top_convective(const ph_state *s, double *out, void *ctx);
ph_status ph_top_M6(const ph_state *s, double *out, void *ctx); /* of one node with blocks of six */
ph_top *ph_top_create6(ph_problem *p, const ph_problem_def *def,
                       const ph_node *node); /* all of it but the terms */
int ph_top_exact_r3xso3(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda);

/* ---- terms, for X = e_y; f = R^T lambda ---------------------------------------------------------- */

/* X x f, the torque part of B^T lambda */
static inline ph_vec3 ph_top_torque(ph_vec3 f)
{
    return ph_v3(f.z, 0, -f.x);
}

/* tilde(X) tilde(f) = f X^T - (X . f) I, its derivative by rotation */
static inline ph_mat3 ph_top_stiffness(ph_vec3 f)
{
    return (ph_mat3){-f.y, f.x, 0, 0, 0, 0, 0, f.z, -f.y};
}

/* R X */
static inline ph_vec3 ph_top_arm(ph_mat3 R)
{
    return ph_v3(R.xy, R.yy, R.zy);
}

/* -R tilde(X), the rotational block of B */
static inline ph_mat3 ph_top_B(ph_mat3 R)
{
    return (ph_mat3){R.xz, 0, -R.xx, R.yz, 0, -R.yx, R.zz, 0, -R.zx};
}

/* Omega x X */
static inline ph_vec3 ph_top_arm_rate(ph_vec3 w)
{
    return ph_v3(-w.z, 0, w.x);
}

#endif
