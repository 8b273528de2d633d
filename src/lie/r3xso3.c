/* R^3 x SO(3), stored as (position, quaternion): every operator is block diagonal (L17). */
#include <string.h>
#include "lie/so3.h"
#include "lie/groups.h"

enum { DIM = 6 };

/* A = diag(a I, B) */
static void blocks(double *A, double a, const double *B)
{
    memset(A, 0, DIM * DIM * sizeof *A);
    for (int i = 0; i < 3; i++) {
        A[DIM * i + i] = a;
        memcpy(A + DIM * (i + 3) + 3, B + 3 * i, 3 * sizeof *A);
    }
}

static void r3xso3_identity(int n, double *q)
{
    ph_store3(q, ph_v3(0, 0, 0));
    ph_so3_ops.identity(n, q + 3);
}

static void r3xso3_compose(int n, const double *a, const double *b, double *ab)
{
    ph_store3(ab, ph_add(ph_load3(a), ph_load3(b)));
    ph_so3_ops.compose(n, a + 3, b + 3, ab + 3);
}

static void r3xso3_inverse(int n, const double *a, double *inv)
{
    ph_store3(inv, ph_scale(-1, ph_load3(a)));
    ph_so3_ops.inverse(n, a + 3, inv + 3);
}

static void r3xso3_exp(int n, const double *x, double *q)
{
    ph_store3(q, ph_load3(x));
    ph_so3_ops.exp(n, x + 3, q + 3);
}

static void r3xso3_log(int n, const double *q, double *x)
{
    ph_store3(x, ph_load3(q));
    ph_so3_ops.log(n, q + 3, x + 3);
}

static void r3xso3_T(int n, const double *x, double *T)
{
    double B[9];
    ph_so3_ops.T(n, x + 3, B);
    blocks(T, 1, B);
}

static void r3xso3_Tinv(int n, const double *x, double *Tinv)
{
    double B[9];
    ph_so3_ops.Tinv(n, x + 3, B);
    blocks(Tinv, 1, B);
}

/* Derivatives are zero but for the block of rotations. */
#define PH_OF_ROTATIONS(name)                                                                                \
    static void r3xso3_##name(int n, const double *x, const double *u, double *D)                            \
    {                                                                                                        \
        double B[9];                                                                                         \
        ph_so3_ops.name(n, x + 3, u + 3, B);                                                                 \
        blocks(D, 0, B);                                                                                     \
    }
PH_OF_ROTATIONS(dT)
PH_OF_ROTATIONS(dTinv)
PH_OF_ROTATIONS(dTt)
PH_OF_ROTATIONS(dTinvt)

static void r3xso3_hat(int n, const double *x, double *H)
{
    double B[9];
    ph_so3_ops.hat(n, x + 3, B);
    blocks(H, 0, B);
}

static void r3xso3_Ad(int n, const double *q, double *A)
{
    double B[9];
    ph_so3_ops.Ad(n, q + 3, B);
    blocks(A, 1, B);
}

static void r3xso3_move(int n, const double *q0, const double *x, double *q1, double *T, double *Tinv)
{
    double B[9], Binv[9];
    ph_store3(q1, ph_add(ph_load3(q0), ph_load3(x)));
    ph_so3_ops.move(n, q0 + 3, x + 3, q1 + 3, T ? B : NULL, Tinv ? Binv : NULL);
    if (T)
        blocks(T, 1, B);
    if (Tinv)
        blocks(Tinv, 1, Binv);
}

const ph_group_ops ph_r3xso3_ops = {
    .name = "r3xso3",
    .dim = DIM,
    .size = 7,
    .rot = 3,
    .quat = 3,
    .identity = r3xso3_identity,
    .compose = r3xso3_compose,
    .inverse = r3xso3_inverse,
    .exp = r3xso3_exp,
    .log = r3xso3_log,
    .T = r3xso3_T,
    .Tinv = r3xso3_Tinv,
    .dT = r3xso3_dT,
    .dTinv = r3xso3_dTinv,
    .dTt = r3xso3_dTt,
    .dTinvt = r3xso3_dTinvt,
    .hat = r3xso3_hat,
    .Ad = r3xso3_Ad,
    .move = r3xso3_move,
};
