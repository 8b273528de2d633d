/* From a point of one body to a point of another: what springs, bushings and distances share.
 *
 *   d = x_b + R_b s_b - x_a - R_a s_a,  D = dd/dq = (-I, R_a tilde(s_a), I, -R_b tilde(s_b))
 *   E = d(ddot)/dq = (0, R_a tilde(Omega_a x s_a), 0, -R_b tilde(Omega_b x s_b))
 *
 * A force F(d, ddot) on the second body, with minus sign, gives g = D^T F, and with S = dF/dd, G = dF/d(ddot)
 *
 *   C = D^T G D
 *   K = D^T (S D + G E) + tilde(s_b) tilde(R_b^T F) on (phi_b, phi_b) - tilde(s_a) tilde(R_a^T F) on
 *       (phi_a, phi_a) */
#ifndef PH_MECH_SPAN_H
#define PH_MECH_SPAN_H

#include "mech/mech.h"

typedef struct ph_span {
    ph_vec3 d, rate;
    ph_vec3 u;          /* d/|d|; 0 where d = 0 */
    double length, out; /* |d|, u . rate */
} ph_span;

ph_span ph_span_of(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb);
ph_mat3 ph_span_across(const ph_span *c); /* (I - u u^T)/|d|; 0 where d = 0 */

/* D^T F, as rows of a tangent too. */
void ph_span_arms(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F, ph_vec3 r[PH_SLOTS]);
/* E^T F */
void ph_span_arm_rates(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F,
                       ph_vec3 r[PH_SLOTS]);
void ph_span_C(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_mat3 G, const ph_put *p);
void ph_span_K(const ph_kin *a, const ph_kin *b, ph_vec3 sa, ph_vec3 sb, ph_vec3 F, ph_mat3 S, ph_mat3 G,
               const ph_put *p);

#endif
