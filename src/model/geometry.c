/* Axes, rotations and inertias of model files.
 *
 * What has length one, or is orthogonal, to a few units of the last place is left alone, so that a frozen
 * model reads back bit for bit. */
#include "model/inside.h"

#include <float.h>
#include <string.h>

#include "lie/so3.h"
#include "mech/axes.h"

#define ROUND_OFF (16 * DBL_EPSILON)

/* ---- axes -------------------------------------------------------------------------------------------- */

ph_vec3 ph_value_unit(ph_reader *r, lua_State *L, const char *key)
{
    double x[3];
    ph_value_numbers(r, L, key, 3, x);
    ph_vec3 v = ph_load3(x);
    if (!(fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) >= 1 / PH_MODEL_NUMBER))
        ph_reader_fail(r, "%s has length 0", key);
    return ph_normalise(v);
}

/* ---- matrices ---------------------------------------------------------------------------------------- */

/* {{..}, {..}, {..}} */
static ph_mat3 matrix(ph_reader *r, lua_State *L, const char *key)
{
    double x[9];
    char row[64];
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 3)
        ph_reader_fail(r, "%s must be 3 rows of 3 numbers", key);
    for (int i = 0; i < 3; i++) {
        snprintf(row, sizeof row, "row %d of %.40s", i + 1, key);
        lua_rawgeti(L, -1, i + 1);
        ph_value_numbers(r, L, row, 3, x + 3 * i);
        lua_pop(L, 1);
    }
    return ph_load33(x);
}

static double largest(ph_mat3 A)
{
    double x[9], m = 0;
    ph_store33(x, A);
    for (int i = 0; i < 9; i++)
        m = fmax(m, fabs(x[i]));
    return m;
}

/* ---- rotations --------------------------------------------------------------------------------------- */

static ph_quat normalise4(ph_quat q)
{
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return fabs(n - 1) <= ROUND_OFF ? q : (ph_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

static ph_quat from_list(ph_reader *r, lua_State *L, const char *key)
{
    double x[4];
    ph_value_numbers(r, L, key, 4, x);
    double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (!(fabs(n - 1) <= PH_MODEL_UNIT))
        ph_reader_fail(r, "%s is a quaternion of length %.9g instead of 1", key, n);
    return normalise4(ph_quat_load(x));
}

/* The quaternion of a rotation matrix by its largest component (Shepperd 1978). */
ph_quat ph_rotation_of(ph_mat3 R)
{
    double w = R.xx + R.yy + R.zz;
    ph_quat q;
    if (w >= R.xx && w >= R.yy && w >= R.zz)
        q = (ph_quat){1 + w, R.zy - R.yz, R.xz - R.zx, R.yx - R.xy};
    else if (R.xx >= R.yy && R.xx >= R.zz)
        q = (ph_quat){R.zy - R.yz, 1 + R.xx - R.yy - R.zz, R.xy + R.yx, R.xz + R.zx};
    else if (R.yy >= R.zz)
        q = (ph_quat){R.xz - R.zx, R.xy + R.yx, 1 - R.xx + R.yy - R.zz, R.yz + R.zy};
    else
        q = (ph_quat){R.yx - R.xy, R.xz + R.zx, R.yz + R.zy, 1 - R.xx - R.yy + R.zz};
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

static double orthogonality(ph_mat3 R)
{
    return largest(ph_msub(ph_mmul(ph_transpose(R), R), ph_diag3(1, 1, 1)));
}

static ph_mat3 rotation_matrix(ph_reader *r, lua_State *L, const char *key)
{
    ph_mat3 R = matrix(r, L, key);
    double e = orthogonality(R);
    ph_vec3 x = ph_v3(R.xx, R.yx, R.zx), y = ph_v3(R.xy, R.yy, R.zy), z = ph_v3(R.xz, R.yz, R.zz);
    if (!(e <= PH_MODEL_UNIT))
        ph_reader_fail(r, "%s is not orthogonal: R^T R differs from 1 by %.2g", key, e);
    if (!(ph_dot(ph_cross(x, y), z) > 0))
        ph_reader_fail(r, "%s is a reflection: its determinant is -1", key);
    return R;
}

/* Leaves the value of a key of the rotation on the stack; 0: it has none, and the stack is as before. */
static int form(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    if (lua_rawget(L, -2) != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    return 0;
}

static int entries(lua_State *L)
{
    int n = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        n++;
    return n;
}

static ph_quat about_axis(ph_reader *r, lua_State *L, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "axis of %.40s", key);
    ph_vec3 n = ph_value_unit(r, L, name);
    lua_pop(L, 1);
    snprintf(name, sizeof name, "angle of %.40s", key);
    if (!form(L, "angle"))
        ph_reader_fail(r, "%s has an axis and no angle", key);
    double a = 0.5 * ph_value_number(r, L, name), s = sin(a);
    lua_pop(L, 1);
    return normalise4((ph_quat){cos(a), s * n.x, s * n.y, s * n.z});
}

ph_quat ph_value_rotation(ph_reader *r, lua_State *L, const char *key)
{
    char name[64];
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be {w, x, y, z}, {axis = , angle = }, {vector = } or {matrix = }", key);
    if (lua_rawlen(L, -1) > 0)
        return from_list(r, L, key);
    int n = entries(L);
    if (n == 2 && form(L, "axis"))
        return about_axis(r, L, key);
    if (n == 1 && form(L, "vector")) {
        double x[3];
        snprintf(name, sizeof name, "vector of %.40s", key);
        ph_value_numbers(r, L, name, 3, x);
        lua_pop(L, 1);
        ph_vec3 w = ph_load3(x);
        return normalise4(ph_so3_exp(ph_stumpff_of(w), w));
    }
    if (n == 1 && form(L, "matrix")) {
        snprintf(name, sizeof name, "matrix of %.40s", key);
        ph_quat q = ph_rotation_of(rotation_matrix(r, L, name));
        lua_pop(L, 1);
        return q;
    }
    ph_reader_fail(r, "%s must be {w, x, y, z}, {axis = , angle = }, {vector = } or {matrix = }", key);
}

/* A rotation as a matrix; one that is given as a matrix is kept where it is orthogonal. */
ph_mat3 ph_value_frame(ph_reader *r, lua_State *L, const char *key)
{
    if (lua_istable(L, -1) && lua_rawlen(L, -1) == 0 && form(L, "matrix")) {
        ph_mat3 R = rotation_matrix(r, L, key);
        lua_pop(L, 1);
        if (orthogonality(R) <= ROUND_OFF)
            return R;
    }
    return ph_qmat(ph_value_rotation(r, L, key));
}

/* ---- inertia ----------------------------------------------------------------------------------------- */

/* Eigenvalues of a symmetric matrix in ascending order: Jacobi's rotations until the rest is round-off. */
static void principal_moments(ph_mat3 J, double *moment)
{
    double A[3][3] = {{J.xx, J.xy, J.xz}, {J.yx, J.yy, J.yz}, {J.zx, J.zy, J.zz}};
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                int k = 3 - p - q;
                if (A[p][q] == 0)
                    continue;
                double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double t = copysign(1 / (fabs(theta) + hypot(theta, 1)), theta), c = 1 / hypot(t, 1),
                       s = t * c;
                double kp = A[k][p], kq = A[k][q], pq = A[p][q];
                A[p][p] -= t * pq, A[q][q] += t * pq;
                A[p][q] = A[q][p] = 0;
                A[k][p] = A[p][k] = c * kp - s * kq;
                A[k][q] = A[q][k] = s * kp + c * kq;
            }
    double a = A[0][0], b = A[1][1], c = A[2][2];
    moment[0] = fmin(a, fmin(b, c));
    moment[2] = fmax(a, fmax(b, c));
    moment[1] = fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static ph_mat3 symmetric(ph_reader *r, lua_State *L, const char *key)
{
    ph_mat3 A = matrix(r, L, key), D = ph_msub(A, ph_transpose(A));
    if (!(largest(D) <= PH_MODEL_SYMMETRY * largest(A)))
        ph_reader_fail(r, "%s is not symmetric", key);
    return ph_mscale(0.5, ph_madd(A, ph_transpose(A)));
}

static ph_mat3 inertia_matrix(ph_reader *r, lua_State *L, const char *key)
{
    double x[6];
    size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    int nested = 0;
    if (n == 3) {
        nested = lua_rawgeti(L, -1, 1) == LUA_TTABLE;
        lua_pop(L, 1);
    }
    if (nested)
        return symmetric(r, L, key);
    if (n != 3 && n != 6)
        ph_reader_fail(r, "%s must be 3 principal moments, {xx, yy, zz, xy, xz, yz} or 3 rows of 3 numbers",
                       key);
    ph_value_numbers(r, L, key, (int)n, x);
    return n == 3 ? ph_diag3(x[0], x[1], x[2])
                  : (ph_mat3){x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
}

/* Principal moments are sums of squares over the mass: each above 0, none above the sum of the others. */
ph_mat3 ph_value_inertia(ph_reader *r, lua_State *L, const char *key)
{
    double m[3];
    ph_mat3 J = inertia_matrix(r, L, key);
    principal_moments(J, m);
    if (!(m[0] > 0 && m[0] > DBL_EPSILON * m[2]))
        ph_reader_fail(r, "%s has the principal moments %g, %g, %g: all must be above 0", key, m[0], m[1],
                       m[2]);
    if (!(m[0] + m[1] >= m[2] * (1 - PH_MODEL_SYMMETRY)))
        ph_reader_fail(r, "%s has the principal moments %g, %g, %g: no body has %g + %g < %g", key, m[0],
                       m[1], m[2], m[0], m[1], m[2]);
    return J;
}
