/* A flexible body reduced to a few modes: everything that a run needs of its finite elements.
 *
 * In the frame of the body node i stands at X_i + Psi_i zeta + w_i(zeta) and is turned by exp(tilde(Th_i
 * zeta)). With velocities c = Phi_t U + Phi_r Omega + Psi zetadot of the nodes, Phi_r0 of the undeformed body
 * and Phi_rk of mode k,
 *
 *   G = [Phi_t | Phi_r0 | Psi | Phi_r1 ... Phi_rn],  calM = G^T M G,  Kf = Psi^T K Psi                (X1)
 *
 * but for Phi_t^T M Phi_rk, which (X9) makes what it is of solids; rotations of Phi_rk are those of (X26).
 *
 * Displacements of second order w (the foreshortening of a bent beam) matter where a load works on them. Load
 * case c, of nodal forces f_c, has the stress stiffness KG_c, and
 *
 *   f_c . w(zeta) = -1/2 zeta^T KG_c zeta                                                             (X2)
 *
 * Cases, in this order: forces of unit accelerations, M Phi_t e_x, ..., and M Phi_r0 e_x, ...; centrifugal
 * forces of Omega_x^2, Omega_y^2, Omega_z^2, Omega_y Omega_z, Omega_z Omega_x, Omega_x Omega_y, which sum up
 * to -Omega x (M Phi_r0 Omega)_i at node i; and for each marker unit forces along x, y, z of the body. */
#ifndef PH_FE_REDUCED_H
#define PH_FE_REDUCED_H

#include <stdio.h>

#include "polhode/base.h"

#define PH_MODES_MAX      60    /* of one body */
#define PH_REDUCED_NUMBER 1e100 /* the largest: squares and products of numbers must not overflow */

enum { PH_KG_MOVES = 0, PH_KG_TURNS = 3, PH_KG_SPINS = 6, PH_KG_MARKERS = 12 }; /* first case of each kind */

/* A node, or the mean of several, where joints, forces and sensors can be. */
typedef struct ph_marker {
    char *name;        /* as users call it: "tip", "12" */
    ph_vec3 X;         /* m, in the frame of the body */
    const double *Psi; /* 3 x modes: displacement, row by row */
    const double *Th;  /* 3 x modes: rotation */
} ph_marker;

typedef struct ph_reduced {
    int modes;
    int n_markers;
    ph_marker *marker;
    double *calM;  /* (6 + 4 modes)^2: U, Omega, zetadot, zeta_1 Omega, ... */
    double *Kf;    /* modes^2 */
    double *Df;    /* modes^2: damping */
    double *KG;    /* (12 + 3 markers) matrices of modes^2, symmetric; NULL: w = 0 */
    double *omega; /* modes: their frequencies, rad/s, for people */
} ph_reduced;

static inline const double *ph_reduced_KG(const ph_reduced *r, int c)
{
    return r->KG + (size_t)c * (size_t)r->modes * (size_t)r->modes;
}

/* Memory of all its parts at once, zeroed, markers without names; kg: with KG. NULL: there is none. */
ph_reduced *ph_reduced_create(const ph_allocator *alloc, int modes, int n_markers, int kg);
void ph_reduced_free(const ph_allocator *alloc, ph_reduced *r); /* accepts NULL */

/* Whether it can be the body of a model: finite, symmetric, inertia positive definite, stiffness and damping
 * not negative. PH_E_INPUT with a sentence otherwise. */
ph_status ph_reduced_check(const ph_reduced *r, const ph_allocator *alloc, ph_error *err);

/* As JSON, numbers with 17 digits, which give every double back: {"modes": 2, "omega": [..], "calM": [..],
 * "Kf": [..], "Df": [..], "KG": [[..], ..], "markers": [{"name": "tip", "X": [..], "Psi": [..], "Th": [..]},
 * ..]}; matrices row by row; without "KG" where there is none. */
PH_API void ph_reduced_put(const ph_reduced *r, FILE *to);

#define PH_MARKER_NAME 64 /* bytes that a marker has for its name */

/* What the undeformed body is: mass, centre of mass and moments of inertia about the origin of the frame. */
PH_API double ph_reduced_mass(const ph_reduced *r);
PH_API ph_vec3 ph_reduced_centre(const ph_reduced *r);
PH_API ph_mat3 ph_reduced_inertia(const ph_reduced *r);

#endif
