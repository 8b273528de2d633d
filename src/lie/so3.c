/* SO(3), stored as a unit quaternion: exp (L6), T and T^-1 (L7), their derivatives (L9), log (L10). */
#include "lie/so3.h"
#include "lie/groups.h"

static void so3_identity(int n, double *q)
{
    (void)n;
    ph_quat_store(q, (ph_quat){1, 0, 0, 0});
}

static void so3_compose(int n, const double *a, const double *b, double *ab)
{
    (void)n;
    ph_quat_store(ab, ph_quat_fix(ph_qmul(ph_quat_load(a), ph_quat_load(b))));
}

static void so3_inverse(int n, const double *a, double *inv)
{
    (void)n;
    ph_quat_store(inv, ph_quat_conj(ph_quat_load(a)));
}

static void so3_exp(int n, const double *x, double *q)
{
    (void)n;
    ph_vec3 w = ph_load3(x);
    ph_quat_store(q, ph_so3_exp(ph_stumpff_of(w), w));
}

static void so3_log(int n, const double *q, double *x)
{
    (void)n;
    ph_store3(x, ph_so3_log(ph_quat_load(q)));
}

static void so3_T(int n, const double *x, double *T)
{
    (void)n;
    ph_vec3 w = ph_load3(x);
    ph_store33(T, ph_form_mat(ph_form_T(ph_stumpff_of(w)), w));
}

static void so3_Tinv(int n, const double *x, double *Tinv)
{
    (void)n;
    ph_vec3 w = ph_load3(x);
    ph_store33(Tinv, ph_form_mat(ph_form_Tinv(ph_stumpff_of(w)), w));
}

static void so3_dT(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_store33(D, ph_so3_dT(ph_load3(x), ph_load3(u)));
}

static void so3_dTt(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_vec3 w = ph_load3(x), b = ph_load3(u);
    ph_store33(D, ph_form_jac(ph_form_transpose(ph_form_T(ph_stumpff_of(w))), w, b, ph_cross(w, b)));
}

/* Towards 2 pi, d1 outgrows d and magnifies the error of w x u. */
static inline ph_vec3 cross_for_inverse(double s, ph_vec3 w, ph_vec3 u)
{
    return s <= PH_STUMPFF_SMALL ? ph_cross(w, u) : ph_cross_exact(w, u);
}

static void so3_dTinv(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_vec3 w = ph_load3(x), b = ph_load3(u);
    ph_stumpff r = ph_stumpff_of(w);
    ph_store33(D, ph_form_jac(ph_form_Tinv(r), w, b, cross_for_inverse(r.s, w, b)));
}

static void so3_dTinvt(int n, const double *x, const double *u, double *D)
{
    (void)n;
    ph_vec3 w = ph_load3(x), b = ph_load3(u);
    ph_stumpff r = ph_stumpff_of(w);
    ph_store33(D, ph_form_jac(ph_form_transpose(ph_form_Tinv(r)), w, b, cross_for_inverse(r.s, w, b)));
}

static void so3_hat(int n, const double *x, double *H)
{
    (void)n;
    ph_store33(H, ph_tilde(ph_load3(x)));
}

static void so3_Ad(int n, const double *q, double *A)
{
    (void)n;
    ph_store33(A, ph_qmat(ph_quat_load(q)));
}

static void so3_move(int n, const double *q0, const double *x, double *q1, double *T, double *Tinv)
{
    (void)n;
    ph_so3_moved m = ph_so3_move(ph_quat_load(q0), ph_load3(x));
    ph_quat_store(q1, m.q);
    if (T)
        ph_store33(T, m.T);
    if (Tinv)
        ph_store33(Tinv, m.Tinv);
}

const ph_group_ops ph_so3_ops = {
    .name = "so3",
    .dim = 3,
    .size = 4,
    .rot = 0,
    .quat = 0,
    .identity = so3_identity,
    .compose = so3_compose,
    .inverse = so3_inverse,
    .exp = so3_exp,
    .log = so3_log,
    .T = so3_T,
    .Tinv = so3_Tinv,
    .dT = so3_dT,
    .dTinv = so3_dTinv,
    .dTt = so3_dTt,
    .dTinvt = so3_dTinvt,
    .hat = so3_hat,
    .Ad = so3_Ad,
    .move = so3_move,
};

void ph_rotation_between(const double a[4], const double b[4], double w[3])
{
    double inv[4], q[4];
    ph_so3_ops.inverse(3, a, inv);
    ph_so3_ops.compose(3, inv, b, q);
    ph_so3_ops.log(3, q, w);
}
