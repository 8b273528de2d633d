/* SE(3), stored as (position, quaternion); v = (U, Omega).
 *
 * With eps^2 = 0, w + eps U stands for the twist (U, w): the bracket
 *   [(U1, w1), (U2, w2)] = (w1 x U2 + U1 x w2, w1 x w2)                                              (L12)
 * is the cross product of such dual vectors. So every operator of SO(3) gives that of SE(3) by taking its
 * real and its dual part, F(w + eps U) = F0 + eps F1 (L14), and likewise for its derivative, J0 + eps J1
 * (L16). */
#include "lie/se3.h"
#include "lie/groups.h"

enum { DIM = 6 };

static void put(double *A, ph_mat3 B)
{
    A[0] = B.xx, A[1] = B.xy, A[2] = B.xz;
    A[DIM] = B.yx, A[DIM + 1] = B.yy, A[DIM + 2] = B.yz;
    A[2 * DIM] = B.zx, A[2 * DIM + 1] = B.zy, A[2 * DIM + 2] = B.zz;
}

/* [A00 A01; A10 A11] of 3x3 blocks */
static void put_blocks(double *A, ph_mat3 A00, ph_mat3 A01, ph_mat3 A10, ph_mat3 A11)
{
    put(A, A00), put(A + 3, A01), put(A + 3 * DIM, A10), put(A + 3 * DIM + 3, A11);
}

static const ph_mat3 zero3;

/* a.b, by error-free products and sums: to its last place unless nearly everything cancels.
 * Towards 2 pi the positions of exp come near 0 and the coefficients of T^-1 outgrow each other: both magnify
 * the errors of products. */
static double dot_exact(const double *a, const double *b, int n)
{
    double sum = 0, rest = 0;
    for (int i = 0; i < n; i++) {
        double t = a[i] * b[i], next = sum + t, v = next - sum;
        rest += fma(a[i], b[i], -t) + ((sum - (next - v)) + (t - v));
        sum = next;
    }
    return sum + rest;
}

static inline double dot3(double s, ph_vec3 a, ph_vec3 b)
{
    if (s <= PH_STUMPFF_SMALL)
        return ph_dot(a, b);
    return dot_exact((double[]){a.x, a.y, a.z}, (double[]){b.x, b.y, b.z}, 3);
}

/* a x b + c x d */
static inline ph_vec3 cross_sum(double s, ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d)
{
    if (s <= PH_STUMPFF_SMALL)
        return ph_add(ph_cross(a, b), ph_cross(c, d));
    return (ph_vec3){dot_exact((double[]){a.y, -a.z, c.y, -c.z}, (double[]){b.z, b.y, d.z, d.y}, 4),
                     dot_exact((double[]){a.z, -a.x, c.z, -c.x}, (double[]){b.x, b.z, d.x, d.z}, 4),
                     dot_exact((double[]){a.x, -a.y, c.x, -c.y}, (double[]){b.y, b.x, d.y, d.x}, 4)};
}

/* F1 = f tilde(U) + m (f1 W + g1 w w^T + e1 I) + g (w U^T + U w^T), m = w.U (L14) */
static ph_mat3 dual_mat(ph_form F, ph_vec3 w, ph_vec3 U, double m)
{
    double k = F.g1 * m;
    ph_vec3 a = {-(F.f * U.x + F.f1 * m * w.x), -(F.f * U.y + F.f1 * m * w.y), -(F.f * U.z + F.f1 * m * w.z)};
    ph_vec3 b = {F.g * U.x + k * w.x, F.g * U.y + k * w.y, F.g * U.z + k * w.z};
    return ph_form_sum(1, a, F.e1 * m, ph_scale(F.g, w), U, b, w);
}

static void put_form(double *A, ph_form F, ph_vec3 w, ph_vec3 U, double m)
{
    ph_mat3 F0 = ph_form_mat(F, w);
    put_blocks(A, F0, dual_mat(F, w, U, m), zero3, F0);
}

/* J0 and J1 of d(F(w + eps U) (u0 + eps u1)), s = |w|^2, m = w.U (L16) */
static inline void dual_jac(double s, ph_form F, ph_vec3 w, ph_vec3 U, ph_vec3 u0, ph_vec3 u1, ph_mat3 *J0,
                            ph_mat3 *J1)
{
    double m = dot3(s, w, U);
    ph_vec3 a0 = s <= PH_STUMPFF_SMALL ? ph_cross(w, u0) : ph_cross_exact(w, u0);
    ph_vec3 a1 = cross_sum(s, U, u0, w, u1);
    ph_vec3 b0 = ph_cross(w, a0), b1 = ph_add(ph_cross(U, a0), ph_cross(w, a1));
    double wu0 = ph_dot(w, u0), wu1 = ph_dot(U, u0) + ph_dot(w, u1);
    ph_vec3 v0 = ph_form_radial(F, w, u0, a0);
    double f2 = F.f2 * m, g2 = F.g2 * m, f1 = F.f1 * m, g1 = F.g1 * m, g = 2 * F.g;
    ph_vec3 v1 = {f2 * a0.x + F.f1 * a1.x + g2 * b0.x + F.g1 * b1.x - 2 * g1 * u0.x - g * u1.x,
                  f2 * a0.y + F.f1 * a1.y + g2 * b0.y + F.g1 * b1.y - 2 * g1 * u0.y - g * u1.y,
                  f2 * a0.z + F.f1 * a1.z + g2 * b0.z + F.g1 * b1.z - 2 * g1 * u0.z - g * u1.z};
    ph_vec3 a = {f1 * u0.x + F.f * u1.x, f1 * u0.y + F.f * u1.y, f1 * u0.z + F.f * u1.z};
    ph_vec3 b = {g1 * w.x + F.g * U.x, g1 * w.y + F.g * U.y, g1 * w.z + F.g * U.z};
    ph_vec3 gw = ph_scale(F.g, w);

    *J0 = ph_form_sum(F.f, u0, F.g * wu0, gw, u0, v0, w);
    *J1 = ph_madd(ph_form_sum(1, a, g1 * wu0 + F.g * wu1, b, u0, v1, w),
                  ph_madd(ph_outer(gw, u1), ph_outer(v0, U)));
}

void ph_se3_form_slope(ph_form F, ph_vec3 w, ph_vec3 U, ph_vec3 u0, ph_vec3 u1, ph_mat3 *J0, ph_mat3 *J1)
{
    dual_jac(ph_dot(w, w), F, w, U, u0, u1, J0, J1);
}

/* d(F u)/dx = [J0 J1; 0 J0], u = (u1, u0) (L16) */
static inline void put_jac(double *D, double s, ph_form F, const double *x, const double *u)
{
    ph_mat3 J0, J1;
    dual_jac(s, F, ph_load3(x + 3), ph_load3(x), ph_load3(u + 3), ph_load3(u), &J0, &J1);
    put_blocks(D, J0, J1, zero3, J0);
}

/* d(F^T u)/dx = [0 J0; J0 J1] with the form of F^T and u = (u0, u1) (L16) */
static inline void put_jac_transposed(double *D, double s, ph_form F, const double *x, const double *u)
{
    ph_mat3 J0, J1;
    dual_jac(s, ph_form_transpose(F), ph_load3(x + 3), ph_load3(x), ph_load3(u), ph_load3(u + 3), &J0, &J1);
    put_blocks(D, zero3, J0, J0, J1);
}

/* Position of exp: T(w)^T U = c1 U + c2 w x U + c3 m w, m = w.U (L15) */
static ph_vec3 exp_position(ph_stumpff r, ph_vec3 w, ph_vec3 U, double m)
{
    ph_vec3 a = ph_cross(w, U);
    double k = r.c3 * m;
    return (ph_vec3){r.c1 * U.x + r.c2 * a.x + k * w.x, r.c1 * U.y + r.c2 * a.y + k * w.y,
                     r.c1 * U.z + r.c2 * a.z + k * w.z};
}

static void se3_identity(int n, double *q)
{
    ph_store3(q, ph_v3(0, 0, 0));
    ph_so3_ops.identity(n, q + 3);
}

/* (x1, R1)(x2, R2) = (x1 + R1 x2, R1 R2) (L13) */
static void se3_compose(int n, const double *a, const double *b, double *ab)
{
    (void)n;
    ph_quat qa = ph_quat_load(a + 3), qb = ph_quat_load(b + 3);
    ph_store3(ab, ph_add(ph_load3(a), ph_quat_rotate(qa, ph_load3(b))));
    ph_quat_store(ab + 3, ph_quat_fix(ph_qmul(qa, qb)));
}

/* (x, R)^-1 = (-R^T x, R^T) (L13) */
static void se3_inverse(int n, const double *a, double *inv)
{
    (void)n;
    ph_quat q = ph_quat_conj(ph_quat_load(a + 3));
    ph_store3(inv, ph_scale(-1, ph_quat_rotate(q, ph_load3(a))));
    ph_quat_store(inv + 3, q);
}

static void se3_exp(int n, const double *x, double *q)
{
    (void)n;
    ph_vec3 U = ph_load3(x), w = ph_load3(x + 3);
    ph_stumpff r = ph_stumpff_of(w);
    ph_store3(q, exp_position(r, w, U, dot3(r.s, w, U)));
    ph_quat_store(q + 3, ph_so3_exp(r, w));
}

/* w = log R, U = T(w)^-T x (L15) */
static void se3_log(int n, const double *q, double *x)
{
    (void)n;
    ph_vec3 w = ph_so3_log(ph_quat_load(q + 3));
    ph_form F = ph_form_transpose(ph_form_Tinv(ph_stumpff_of(w)));
    ph_store3(x, ph_mul(ph_form_mat(F, w), ph_load3(q)));
    ph_store3(x + 3, w);
}

static void se3_T(int n, const double *x, double *T)
{
    (void)n;
    ph_vec3 U = ph_load3(x), w = ph_load3(x + 3);
    ph_stumpff r = ph_stumpff_of(w);
    put_form(T, ph_form_T(r), w, U, dot3(r.s, w, U));
}

static void se3_Tinv(int n, const double *x, double *Tinv)
{
    (void)n;
    ph_vec3 U = ph_load3(x), w = ph_load3(x + 3);
    ph_stumpff r = ph_stumpff_of(w);
    put_form(Tinv, ph_form_Tinv(r), w, U, dot3(r.s, w, U));
}

static void se3_dT(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_stumpff r = ph_stumpff_of(ph_load3(x + 3));
    put_jac(D, r.s, ph_form_T(r), x, u);
}

static void se3_dTinv(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_stumpff r = ph_stumpff_of(ph_load3(x + 3));
    put_jac(D, r.s, ph_form_Tinv(r), x, u);
}

static void se3_dTt(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_stumpff r = ph_stumpff_of(ph_load3(x + 3));
    put_jac_transposed(D, r.s, ph_form_T(r), x, u);
}

static void se3_dTinvt(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_stumpff r = ph_stumpff_of(ph_load3(x + 3));
    put_jac_transposed(D, r.s, ph_form_Tinv(r), x, u);
}

/* [W tilde(U); 0 W] (L12) */
static void se3_hat(int n, const double *x, double *H)
{
    (void)n;
    ph_mat3 W = ph_tilde(ph_load3(x + 3));
    put_blocks(H, W, ph_tilde(ph_load3(x)), zero3, W);
}

/* [R tilde(x) R; 0 R] (L12) */
static void se3_Ad(int n, const double *q, double *A)
{
    (void)n;
    ph_mat3 R = ph_qmat(ph_quat_load(q + 3));
    put_blocks(A, R, ph_mmul(ph_tilde(ph_load3(q)), R), zero3, R);
}

static void se3_move(int n, const double *q0, const double *x, double *q1, double *T, double *Tinv)
{
    (void)n;
    ph_vec3 U = ph_load3(x), w = ph_load3(x + 3);
    ph_quat q = ph_quat_load(q0 + 3);
    ph_stumpff r = ph_stumpff_of(w);
    double m = dot3(r.s, w, U);
    ph_store3(q1, ph_add(ph_load3(q0), ph_quat_rotate(q, exp_position(r, w, U, m))));
    ph_quat_store(q1 + 3, ph_quat_fix(ph_qmul(q, ph_so3_exp(r, w))));
    put_form(T, ph_form_T(r), w, U, m);
    put_form(Tinv, ph_form_Tinv(r), w, U, m);
}

const ph_group_ops ph_se3_ops = {
    .name = "se3",
    .dim = DIM,
    .size = 7,
    .rot = 3,
    .quat = 3,
    .identity = se3_identity,
    .compose = se3_compose,
    .inverse = se3_inverse,
    .exp = se3_exp,
    .log = se3_log,
    .T = se3_T,
    .Tinv = se3_Tinv,
    .dT = se3_dT,
    .dTinv = se3_dTinv,
    .dTt = se3_dTt,
    .dTinvt = se3_dTinvt,
    .hat = se3_hat,
    .Ad = se3_Ad,
    .move = se3_move,
};
