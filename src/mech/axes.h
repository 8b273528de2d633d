/* Axes and frames. */
#ifndef PH_MECH_AXES_H
#define PH_MECH_AXES_H

#include "polhode/vec.h"

ph_vec3 ph_normalise(ph_vec3 v);           /* what has length one to round-off is left alone */
ph_mat3 ph_frame_about(ph_vec3 z);         /* some frame with this z axis, of length one */
ph_mat3 ph_frame_xy(ph_vec3 x, ph_vec3 y); /* x of length one, y made square to it, their product */
ph_quat ph_quat_of_frame(ph_mat3 A);       /* columns are axes */
ph_quat ph_quat_z_to(ph_vec3 n);           /* the shortest turn from z to a unit vector */

#endif
