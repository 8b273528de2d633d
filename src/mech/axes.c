/* Axes and frames. */
#include "mech/axes.h"

#include <float.h>
#include <math.h>

#define ROUND_OFF (16 * DBL_EPSILON) /* so that a frozen model reads back bit for bit */

/* Scaled first: squares of small components must not vanish. */
ph_vec3 ph_normalise(ph_vec3 v)
{
    double s = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(s > 0) || fabs(ph_norm(v) - 1) <= ROUND_OFF)
        return v;
    v = ph_scale(1 / s, v);
    return ph_scale(1 / ph_norm(v), v);
}

/* x is square to z and to that axis of the world which z is farthest from. */
ph_mat3 ph_frame_about(ph_vec3 z)
{
    double ax = fabs(z.x), ay = fabs(z.y), az = fabs(z.z);
    ph_vec3 e = ax <= ay && ax <= az ? ph_v3(1, 0, 0) : ay <= az ? ph_v3(0, 1, 0) : ph_v3(0, 0, 1);
    ph_vec3 y = ph_normalise(ph_cross(z, e)), x = ph_normalise(ph_cross(y, z));
    return (ph_mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

ph_mat3 ph_frame_xy(ph_vec3 x, ph_vec3 y)
{
    y = ph_sub(y, ph_scale(ph_dot(x, y), x));
    double n = ph_norm(y);
    y = n > 0 ? ph_scale(1 / n, y) : y; /* else refused later */
    ph_vec3 z = ph_cross(x, y);
    return (ph_mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* The largest of the four numbers is found first (Shepperd). */
ph_quat ph_quat_of_frame(ph_mat3 A)
{
    double w = A.xx + A.yy + A.zz, m = fmax(fmax(A.xx, A.yy), fmax(A.zz, w));
    ph_quat q;
    if (m == w)
        q = (ph_quat){1 + w, A.zy - A.yz, A.xz - A.zx, A.yx - A.xy};
    else if (m == A.xx)
        q = (ph_quat){A.zy - A.yz, 1 + A.xx - A.yy - A.zz, A.xy + A.yx, A.xz + A.zx};
    else if (m == A.yy)
        q = (ph_quat){A.xz - A.zx, A.xy + A.yx, 1 + A.yy - A.zz - A.xx, A.yz + A.zy};
    else
        q = (ph_quat){A.yx - A.xy, A.xz + A.zx, A.yz + A.zy, 1 + A.zz - A.xx - A.yy};
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

ph_quat ph_quat_z_to(ph_vec3 n)
{
    ph_quat q = n.z > -0.5 ? (ph_quat){1 + n.z, -n.y, n.x, 0} : (ph_quat){n.x, 0, 1 - n.z, n.y};
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
