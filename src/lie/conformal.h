/* What a method that integrates the conformal rotation vector needs beyond the operations of a chart. */
#ifndef PH_LIE_CONFORMAL_H
#define PH_LIE_CONFORMAL_H

#include "polhode/base.h"

/* S(c, u) = (dT(c)/dc . u) u, so that Omegadot = T(c) cddot + S(c, cdot), and its derivatives. */
void ph_conformal_bend(ph_vec3 c, ph_vec3 u, ph_vec3 *S, ph_mat3 *S_c, ph_mat3 *S_u);

/* P = T(c)^-T G and dP/dc. */
void ph_conformal_covector(ph_vec3 c, ph_vec3 G, ph_vec3 *P, ph_mat3 *P_c);

#endif
