/* Flexible bodies of a few modes: their equations and their markers, in physical coordinates.
 *
 * Coordinates are x (origin of the frame, world), phi (left increment of its rotation, body) and zeta; velocities
 * v = (xdot, Omega, zetadot), n = 6 + modes numbers. Matrices are dense, n x n, row by row. */
#ifndef PH_MECH_MODAL_H
#define PH_MECH_MODAL_H

#include "fe/reduced.h"
#include "mech/mech.h"

#define PH_MODAL_MAX (6 + PH_MODES_MAX) /* coordinates of one body */

/* A body at one instant. */
typedef struct ph_modal_site {
    const ph_reduced *r;
    ph_kin k;                          /* of its frame */
    ph_vec3 a, wdot;                   /* accelerations of its frame: xddot, world, and Omegadot */
    const double *zeta, *zdot, *zddot; /* zddot and a, wdot: for K and ph_marker_acceleration alone */
    ph_vec3 gravity;                   /* m/s^2, world, times the factor of loads */
} ph_modal_site;

/* M vdot + g = ..., with elastic forces, damping and gravity in g; C = dg/dv, K = d(M vdot + g)/dq. */
void ph_modal_M(const ph_modal_site *s, double *M);
void ph_modal_g(const ph_modal_site *s, double *g);
void ph_modal_C(const ph_modal_site *s, double *C);
void ph_modal_K(const ph_modal_site *s, double *K);
double ph_modal_kinetic(const ph_modal_site *s);
double ph_modal_potential(const ph_modal_site *s); /* elastic energy and that of gravity */

/* A marker moves as a body: p, pdot, its angular velocity in its own axes, its rotation. */
void ph_marker_kin(const ph_modal_site *s, int marker, ph_kin *k);
void ph_marker_acceleration(const ph_modal_site *s, int marker, ph_vec3 *a, ph_vec3 *omega_dot);

/* (pdot, omega) = D v, V = d(D v)/dq at fixed v; both 6 x n, row by row. */
void ph_marker_chain(const ph_modal_site *s, int marker, double *D, double *V);

/* out (n x n) += d(D^T f)/dq for fixed f = (force, world; moment, axes of the marker). */
void ph_marker_fold(const ph_modal_site *s, int marker, const double f[6], double *out);

#endif
