/* Beam elements at one instant: what elastic forces and inertia share. */
#ifndef PH_MECH_BEAM_H
#define PH_MECH_BEAM_H

#include "base/stumpff.h"
#include "mech/helix.h"

/* rad, of one element from end to end: well below half a turn, where log jumps to another branch */
#define PH_BEAM_TURN_MAX 2.5

typedef struct ph_beam_at {
    ph_twist d;    /* log of frame b as seen from a */
    ph_stumpff r;  /* of its rotation */
    ph_dual T[2];  /* T^-1(-d), T^-1(d) */
    ph_twist N;    /* section force */
    ph_twist v[2]; /* velocities of the ends, body axes, and */
    ph_twist rate; /* that of d: of elements with damping or mass */
} ph_beam_at;

/* PH_E_CALLBACK where the element turns by more than PH_BEAM_TURN_MAX, or by what is no number. */
ph_status ph_beam_fill(const ph_force_site *s, ph_beam_at *e);

/* Elastic forces and damping on both ends (B3, B4), in body axes; K, without the turning of f itself, at fixed
 * velocities in the axes that s says. All add. */
void ph_beam_add_f(const ph_beam_at *e, ph_twist f[2]);
void ph_beam_add_C(const ph_force_site *s, const ph_beam_at *e, ph_six C[2][2]);
void ph_beam_add_K(const ph_force_site *s, const ph_beam_at *e, ph_six K[2][2]);
double ph_beam_strain_energy(const ph_force_site *s);

/* From body axes to those that s says, added to their places; A and K are changed. */
void ph_beam_put_f(const ph_force_site *s, const ph_twist f[2], ph_vec3 r[PH_SLOTS]);
void ph_beam_put(const ph_force_site *s, ph_six A[2][2], const ph_put *p);
void ph_beam_put_K(const ph_force_site *s, const ph_twist f[2], ph_six K[2][2], const ph_put *p);

#endif
