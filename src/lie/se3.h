/* Pieces of SE(3) that beams share. */
#ifndef PH_LIE_SE3_H
#define PH_LIE_SE3_H

#include "lie/so3.h"

/* J0 and J1 of d(F(w + eps U) (u0 + eps u1)) by w + eps U (L16), for F = const I + f W + g W^2 */
void ph_se3_form_slope(ph_form F, ph_vec3 w, ph_vec3 U, ph_vec3 u0, ph_vec3 u1, ph_mat3 *J0, ph_mat3 *J1);

#endif
