/* Gyroscopic terms of a rigid body: J Omegadot + Omega x J Omega = ..., and m (Udot + Omega x U) = R^T weight + ... in body axes. */
#ifndef PH_MECH_RIGID_BODY_H
#define PH_MECH_RIGID_BODY_H

#include "polhode/vec.h"

PH_FN ph_vec3 ph_rigid_g(ph_mat3 J, ph_vec3 w)
{
    return ph_cross(w, ph_mul(J, w));
}

/* tilde(Omega) J - tilde(J Omega) */
PH_FN ph_mat3 ph_rigid_C(ph_mat3 J, ph_vec3 w)
{
    ph_vec3 Jw = ph_mul(J, w);
    ph_mat3 A = ph_mtilde(J, w); /* J tilde(w) = -(tilde(w) J)^T */
    return (ph_mat3){-A.xx,        -A.yx + Jw.z, -A.zx - Jw.y, -A.xy - Jw.z, -A.yy,
                     -A.zy + Jw.x, -A.xz + Jw.y, -A.yz - Jw.x, -A.zz};
}

/* The same of principal axes, d = (J_z - J_y, J_x - J_z, J_y - J_x). */
PH_FN ph_vec3 ph_principal_g(ph_vec3 d, ph_vec3 w)
{
    return ph_v3(d.x * w.y * w.z, d.y * w.z * w.x, d.z * w.x * w.y);
}

PH_FN ph_mat3 ph_principal_C(ph_vec3 d, ph_vec3 w)
{
    ph_real o = ph_k(0);
    return (ph_mat3){o, d.x * w.z, d.x * w.y, d.y * w.z, o, d.y * w.x, d.z * w.y, d.z * w.x, o};
}

/* Force of inertia and weight in body axes, given R^T weight, and its derivatives by U, by Omega and by phi. */
PH_FN ph_vec3 ph_moving_g(ph_real m, ph_vec3 U, ph_vec3 w, ph_vec3 weight)
{
    return ph_sub(ph_scale(m, ph_cross(w, U)), weight);
}

PH_FN ph_mat3 ph_moving_C_U(ph_real m, ph_vec3 w)
{
    return ph_tilde(ph_scale(m, w));
}

PH_FN ph_mat3 ph_moving_C_w(ph_real m, ph_vec3 U)
{
    return ph_tilde(ph_scale(-m, U));
}

PH_FN ph_mat3 ph_moving_K(ph_vec3 weight)
{
    return ph_tilde(ph_scale(ph_k(-1), weight));
}

#endif
