/* Cardan (Tait-Bryan) angles (a, b, c), R = Rx(a) Ry(b) Rz(c); singular at b = +-90 degrees (L19).
 *
 *              [ cos b cos c   sin c   0 ]
 *   T(a,b,c) = [-cos b sin c   cos c   0 ]
 *              [ sin b         0       1 ]
 *
 * The half sums and half differences of a and c are the arguments of (q0 +- q2, q1 +- q3), the moduli of
 * which have the product cos b; with sin b = 2 (q1 q3 + q0 q2) this loses no digits, also next to the
 * singularity. */
#include "lie/so3.h"
#include "lie/groups.h"

/* Within this of the singularity T is too near to a singular matrix to be of use. */
static const double COS_MIN = 1e-8;

static double wrapped(double a)
{
    const double pi = 3.14159265358979323846;
    return a > pi ? a - 2 * pi : a < -pi ? a + 2 * pi : a;
}

static int cardan_from_quat(const double *q, double *c)
{
    double k = q[0] < 0 ? -1 : 1; /* q and -q are one rotation; small angles are small with q0 >= 0 */
    double pc = k * (q[0] + q[2]), ps = k * (q[1] + q[3]), mc = k * (q[0] - q[2]), ms = k * (q[1] - q[3]);
    double cos_b = sqrt(pc * pc + ps * ps) * sqrt(mc * mc + ms * ms);
    if (!(cos_b >= COS_MIN))
        return 0;
    double sum = atan2(ps, pc), dif = atan2(ms, mc);
    c[0] = wrapped(sum + dif);
    c[1] = atan2(2 * (q[1] * q[3] + q[0] * q[2]), cos_b);
    c[2] = wrapped(sum - dif);
    return 1;
}

static void cardan_to_quat(const double *c, double *q)
{
    ph_quat x = {cos(c[0] / 2), sin(c[0] / 2), 0, 0}, y = {cos(c[1] / 2), 0, sin(c[1] / 2), 0},
            z = {cos(c[2] / 2), 0, 0, sin(c[2] / 2)};
    ph_quat_store(q, ph_qmul(ph_qmul(x, y), z));
}

static void cardan_T(const double *c, double *T)
{
    double cb = cos(c[1]), sb = sin(c[1]), cc = cos(c[2]), sc = sin(c[2]);
    ph_store33(T, (ph_mat3){.xx = cb * cc, .xy = sc, .yx = -cb * sc, .yy = cc, .zx = sb, .zz = 1});
}

static void cardan_dT(const double *c, const double *u, double *D)
{
    double cb = cos(c[1]), sb = sin(c[1]), cc = cos(c[2]), sc = sin(c[2]), a = u[0], b = u[1];
    ph_store33(D, (ph_mat3){.xy = -sb * cc * a,
                            .xz = -cb * sc * a + cc * b,
                            .yy = sb * sc * a,
                            .yz = -cb * cc * a - sc * b,
                            .zy = cb * a});
}

const ph_chart_ops ph_cardan_ops = {
    .name = "cardan",
    .dim = 3,
    .from_quat = cardan_from_quat,
    .to_quat = cardan_to_quat,
    .T = cardan_T,
    .dT = cardan_dT,
};
