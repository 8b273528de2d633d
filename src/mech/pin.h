/* Spherical joints in physical coordinates or in those of SE(3), all at once. */
#ifndef PH_MECH_PIN_H
#define PH_MECH_PIN_H

#include "mech/mech.h"

void ph_pins_Phi(const ph_mechanism *m, const ph_state *s, double *out);
void ph_pins_B(const ph_mechanism *m, const ph_state *s, double *out);
void ph_pins_K(const ph_mechanism *m, const ph_state *s,
               double *out); /* stores the blocks (phi, phi), and (U, phi), of their bodies */
void ph_pins_Z(const ph_mechanism *m, const ph_state *s, double *out);
void ph_pins_products(const ph_mechanism *m, const ph_state *s, double *r, double *Phi,
                      double *rate); /* r += B^T lambda, Phi, rate += B v; each may be NULL */
void ph_pins_convective(const ph_mechanism *m, const ph_state *s, double *out);

#endif
