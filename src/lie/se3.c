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

static void put_form(double *A, ph_form F, ph_vec3 w, ph_vec3 U, double m)
{
    ph_dual_numbers(ph_form_mat(F, w), ph_dual_mat(F, w, U, m), A);
}

/* d(F u)/dx = [J0 J1; 0 J0], u = (u1, u0) (L16) */
static void put_jac(double *D, double s, ph_form F, const double *x, const double *u)
{
    ph_mat3 J0, J1;
    ph_dual_jac(s, F, ph_load3(x + 3), ph_load3(x), ph_load3(u + 3), ph_load3(u), &J0, &J1);
    ph_dual_numbers(J0, J1, D);
}

/* d(F^T u)/dx = [0 J0; J0 J1] with the form of F^T and u = (u0, u1) (L16) */
static void put_jac_transposed(double *D, double s, ph_form F, const double *x, const double *u)
{
    ph_mat3 J0, J1;
    ph_dual_jac(s, ph_form_transpose(F), ph_load3(x + 3), ph_load3(x), ph_load3(u), ph_load3(u + 3), &J0,
                &J1);
    put_blocks(D, zero3, J0, J0, J1);
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
    ph_store3(q, ph_se3_exp_position(r, w, U, ph_se3_dot(r.s, w, U)));
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
    put_form(T, ph_form_T(r), w, U, ph_se3_dot(r.s, w, U));
}

static void se3_Tinv(int n, const double *x, double *Tinv)
{
    (void)n;
    ph_vec3 U = ph_load3(x), w = ph_load3(x + 3);
    ph_stumpff r = ph_stumpff_of(w);
    put_form(Tinv, ph_form_Tinv(r), w, U, ph_se3_dot(r.s, w, U));
}

static void se3_dT(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_mat3 J0, J1;
    ph_se3_slope(ph_load3(x), ph_load3(x + 3), ph_load3(u), ph_load3(u + 3), &J0, &J1);
    ph_dual_numbers(J0, J1, D);
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
    ph_se3_moved m = ph_se3_move(ph_load3(q0), ph_quat_load(q0 + 3), ph_load3(x), ph_load3(x + 3));
    ph_store3(q1, m.x);
    ph_quat_store(q1 + 3, m.q);
    if (T)
        ph_dual_numbers(m.T0, m.T1, T);
    if (Tinv)
        ph_dual_numbers(m.Tinv0, m.Tinv1, Tinv);
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
