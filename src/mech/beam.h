/* Beam elements at one instant: what elastic forces and inertia share. */
#ifndef PH_MECH_BEAM_H
#define PH_MECH_BEAM_H

#include "mech/mech.h"

/* rad, of one element from end to end: well below half a turn, where log jumps to another branch */
#define PH_BEAM_TURN_MAX 2.5

typedef struct ph_beam_at {
    double d[6];
    double Ta[36], Tb[36]; /* T^-1(-d), T^-1(d) */
    double P[72];          /* 6 x 12, in physical coordinates (B2, B5) */
    double rate[6];        /* of d */
    double N[6];           /* section force */
} ph_beam_at;

/* PH_E_CALLBACK where the element turns by more than PH_BEAM_TURN_MAX, or by what is no number. */
ph_status ph_beam_fill(const ph_force_site *s, ph_beam_at *e);

/* Elastic forces and damping (B3, B4): r[slot] +=, out (12 x 12, physical coordinates) +=. */
void ph_beam_add_g(const ph_beam_at *e, ph_vec3 r[PH_SLOTS]);
void ph_beam_add_C(const ph_force_site *s, const ph_beam_at *e, double *out);
void ph_beam_add_K(const ph_force_site *s, const ph_beam_at *e, double *out);
double ph_beam_strain_energy(const ph_force_site *s);

/* Blocks of a 12 x 12 matrix to their places. */
void ph_beam_put(const double *A, const ph_put *p);

#endif
