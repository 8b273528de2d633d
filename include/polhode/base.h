/* Status codes, error record, allocator, and 3-vectors, 3x3 matrices and quaternions by value. */
#ifndef POLHODE_BASE_H
#define POLHODE_BASE_H

#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PH_VERSION "0.1.0"

#if defined(__GNUC__)
#define PH_API __attribute__((visibility("default")))
#else
#define PH_API
#endif

/* Every status, the word that JSON output uses, and the state it leaves behind. */
#define PH_STATUS_LIST(X)                                                                                    \
    X(PH_OK, "ok", "done")                                                                                   \
    X(PH_E_INPUT, "bad_input", "an argument makes no sense; nothing was changed")                            \
    X(PH_E_MEMORY, "out_of_memory", "an allocation failed; nothing was changed and nothing is leaked")       \
    X(PH_E_INCONSISTENT, "inconsistent", "initial values violate the constraints; nothing was changed")      \
    X(PH_E_SINGULAR, "singular", "a matrix is singular; the state is as before the call")                    \
    X(PH_E_NEWTON, "newton_failed", "Newton did not converge; the state is as before the call")              \
    X(PH_E_STEP, "step_failed", "the step is too large, or none is small enough; the state is as before")    \
    X(PH_E_NAN, "not_finite", "a callback gave NaN or infinity; the state is as before the call")            \
    X(PH_E_CALLBACK, "callback_failed", "a callback refused; the state is as before the call")               \
    X(PH_E_STOPPED, "stopped", "the output callback asked to stop; the state is that of the last step")

#define PH_STATUS_ENUM(code, word, text) code,
typedef enum ph_status { PH_STATUS_LIST(PH_STATUS_ENUM) PH_STATUS_COUNT } ph_status;
#undef PH_STATUS_ENUM

PH_API const char *ph_status_word(ph_status s); /* "newton_failed" */
PH_API const char *ph_status_text(ph_status s); /* what it means and the state it leaves */
PH_API const char *ph_version(void);

/* What went wrong, in the user's words. Functions that take a ph_error accept NULL. */
typedef struct ph_error {
    ph_status status;
    char text[512];
} ph_error;

/* Where memory comes from. Only create functions allocate; NULL means malloc and free. */
typedef struct ph_allocator {
    void *(*alloc)(size_t size, void *ctx); /* returns NULL when there is none */
    void (*free)(void *p, void *ctx);       /* accepts NULL */
    void *ctx;
} ph_allocator;

/* Told of what a user may want to know but that is no error, such as a differenced tangent. */
typedef void (*ph_log_fn)(const char *text, void *ctx);

/* Which linear solver to use; PH_AUTO chooses by structure. */
typedef enum ph_solver_kind {
#define PH_SOLVER(code, ops, name, text) code,
#include "polhode/solvers.def"
#undef PH_SOLVER
    PH_SOLVER_COUNT
} ph_solver_kind;

/* ---- 3-vectors, 3x3 matrices, quaternions ------------------------------------------------------- */

typedef struct ph_vec3 {
    double x, y, z;
} ph_vec3;

typedef struct ph_mat3 { /* row by row */
    double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} ph_mat3;

typedef struct ph_quat { /* unit, scalar first, body to world */
    double w, x, y, z;
} ph_quat;

static inline ph_vec3 ph_v3(double x, double y, double z)
{
    ph_vec3 c = {x, y, z};
    return c;
}

static inline ph_vec3 ph_load3(const double *p)
{
    ph_vec3 c = {p[0], p[1], p[2]};
    return c;
}

static inline void ph_store3(double *p, ph_vec3 a)
{
    p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

static inline ph_vec3 ph_add(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.x + b.x, a.y + b.y, a.z + b.z};
    return c;
}

static inline ph_vec3 ph_sub(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c;
}

static inline ph_vec3 ph_scale(double s, ph_vec3 a)
{
    ph_vec3 c = {s * a.x, s * a.y, s * a.z};
    return c;
}

static inline double ph_dot(ph_vec3 a, ph_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ph_vec3 ph_cross(ph_vec3 a, ph_vec3 b)
{
    ph_vec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

static inline double ph_norm(ph_vec3 a)
{
    return sqrt(ph_dot(a, a));
}

static inline ph_mat3 ph_load33(const double *p)
{
    ph_mat3 C = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
    return C;
}

static inline void ph_store33(double *p, ph_mat3 A)
{
    p[0] = A.xx, p[1] = A.xy, p[2] = A.xz, p[3] = A.yx, p[4] = A.yy, p[5] = A.yz, p[6] = A.zx, p[7] = A.zy,
    p[8] = A.zz;
}

static inline ph_mat3 ph_diag3(double a, double b, double c)
{
    ph_mat3 C = {a, 0, 0, 0, b, 0, 0, 0, c};
    return C;
}

/* tilde(a) b = a x b */
static inline ph_mat3 ph_tilde(ph_vec3 a)
{
    ph_mat3 C = {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0};
    return C;
}

static inline ph_mat3 ph_outer(ph_vec3 a, ph_vec3 b)
{
    ph_mat3 C = {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                 a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
    return C;
}

static inline ph_mat3 ph_transpose(ph_mat3 A)
{
    ph_mat3 C = {A.xx, A.yx, A.zx, A.xy, A.yy, A.zy, A.xz, A.yz, A.zz};
    return C;
}

static inline ph_mat3 ph_madd(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yx + B.yx, A.yy + B.yy,
                 A.yz + B.yz, A.zx + B.zx, A.zy + B.zy, A.zz + B.zz};
    return C;
}

static inline ph_mat3 ph_msub(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx - B.xx, A.xy - B.xy, A.xz - B.xz, A.yx - B.yx, A.yy - B.yy,
                 A.yz - B.yz, A.zx - B.zx, A.zy - B.zy, A.zz - B.zz};
    return C;
}

static inline ph_mat3 ph_mscale(double s, ph_mat3 A)
{
    ph_mat3 C = {s * A.xx, s * A.xy, s * A.xz, s * A.yx, s * A.yy, s * A.yz, s * A.zx, s * A.zy, s * A.zz};
    return C;
}

/* A b */
static inline ph_vec3 ph_mul(ph_mat3 A, ph_vec3 b)
{
    ph_vec3 c = {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.yx * b.x + A.yy * b.y + A.yz * b.z,
                 A.zx * b.x + A.zy * b.y + A.zz * b.z};
    return c;
}

/* A^T b */
static inline ph_vec3 ph_tmul(ph_mat3 A, ph_vec3 b)
{
    ph_vec3 c = {A.xx * b.x + A.yx * b.y + A.zx * b.z, A.xy * b.x + A.yy * b.y + A.zy * b.z,
                 A.xz * b.x + A.yz * b.y + A.zz * b.z};
    return c;
}

/* A B */
static inline ph_mat3 ph_mmul(ph_mat3 A, ph_mat3 B)
{
    ph_mat3 C = {A.xx * B.xx + A.xy * B.yx + A.xz * B.zx, A.xx * B.xy + A.xy * B.yy + A.xz * B.zy,
                 A.xx * B.xz + A.xy * B.yz + A.xz * B.zz, A.yx * B.xx + A.yy * B.yx + A.yz * B.zx,
                 A.yx * B.xy + A.yy * B.yy + A.yz * B.zy, A.yx * B.xz + A.yy * B.yz + A.yz * B.zz,
                 A.zx * B.xx + A.zy * B.yx + A.zz * B.zx, A.zx * B.xy + A.zy * B.yy + A.zz * B.zy,
                 A.zx * B.xz + A.zy * B.yz + A.zz * B.zz};
    return C;
}

/* A tilde(b) */
static inline ph_mat3 ph_mtilde(ph_mat3 A, ph_vec3 b)
{
    ph_mat3 C = {A.xy * b.z - A.xz * b.y, A.xz * b.x - A.xx * b.z, A.xx * b.y - A.xy * b.x,
                 A.yy * b.z - A.yz * b.y, A.yz * b.x - A.yx * b.z, A.yx * b.y - A.yy * b.x,
                 A.zy * b.z - A.zz * b.y, A.zz * b.x - A.zx * b.z, A.zx * b.y - A.zy * b.x};
    return C;
}

/* Inverse by the adjugate; the caller knows that A is well conditioned. */
static inline ph_mat3 ph_minv(ph_mat3 A)
{
    double a = A.yy * A.zz - A.yz * A.zy, b = A.yz * A.zx - A.yx * A.zz, c = A.yx * A.zy - A.yy * A.zx;
    double s = 1 / (A.xx * a + A.xy * b + A.xz * c);
    ph_mat3 C = {s * a, s * (A.xz * A.zy - A.xy * A.zz), s * (A.xy * A.yz - A.xz * A.yy),
                 s * b, s * (A.xx * A.zz - A.xz * A.zx), s * (A.xz * A.yx - A.xx * A.yz),
                 s * c, s * (A.xy * A.zx - A.xx * A.zy), s * (A.xx * A.yy - A.xy * A.yx)};
    return C;
}

static inline ph_quat ph_qmul(ph_quat a, ph_quat b)
{
    ph_quat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return c;
}

/* Rotation matrix of a unit quaternion. */
static inline ph_mat3 ph_qmat(ph_quat q)
{
    double x2 = 2 * q.x, y2 = 2 * q.y, z2 = 2 * q.z;
    double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    double xx = q.x * x2, xy = q.x * y2, xz = q.x * z2, yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
    ph_mat3 C = {1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                 yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
    return C;
}

#ifdef __cplusplus
}
#endif

#endif
