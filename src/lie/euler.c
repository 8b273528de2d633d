/* Euler parameters p = (p0, e), |p| = 1: Omega = 2 G(p) pdot, G(p) = [-e, p0 I - tilde(e)] (L20). */
#include "lie/so3.h"
#include "lie/groups.h"

/* 2 (-e, p0 I - tilde(e)) */
static void two_G(double p0, ph_vec3 e, double *G)
{
    double x = 2 * e.x, y = 2 * e.y, z = 2 * e.z, w = 2 * p0;
    G[0] = -x, G[1] = w, G[2] = z, G[3] = -y;
    G[4] = -y, G[5] = -z, G[6] = w, G[7] = x;
    G[8] = -z, G[9] = y, G[10] = -x, G[11] = w;
}

static int euler_from_quat(const double *q, double *c)
{
    ph_quat_store(c, ph_quat_load(q));
    return 1;
}

/* p/|p|: a p that has left the unit sphere stands for the rotation below it */
static void euler_to_quat(const double *c, double *q)
{
    double k = 1 / sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    ph_quat_store(q, (ph_quat){k * c[0], k * c[1], k * c[2], k * c[3]});
}

static void euler_T(const double *c, double *T)
{
    two_G(c[0], ph_load3(c + 1), T);
}

/* G(p) u is the vector part of conj(p) u, so that G(p) u = -G(u) p */
static void euler_dT(const double *c, const double *u, double *D)
{
    (void)c;
    two_G(-u[0], ph_scale(-1, ph_load3(u + 1)), D);
}

const ph_chart_ops ph_euler_ops = {
    .name = "euler",
    .dim = 4,
    .from_quat = euler_from_quat,
    .to_quat = euler_to_quat,
    .T = euler_T,
    .dT = euler_dT,
};
