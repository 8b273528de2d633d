/* R^n with addition: exp, T and Ad are identities, brackets and derivatives vanish. */
#include <string.h>
#include "lie/groups.h"

static void copy(int n, const double *from, double *to)
{
    memmove(to, from, (size_t)n * sizeof *to);
}

static void zero_matrix(int n, double *A)
{
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
}

static void unit_matrix(int n, double *A)
{
    zero_matrix(n, A);
    for (int i = 0; i < n; i++)
        A[(size_t)i * (size_t)n + (size_t)i] = 1;
}

static void rn_identity(int n, double *q)
{
    memset(q, 0, (size_t)n * sizeof *q);
}

static void rn_compose(int n, const double *a, const double *b, double *ab)
{
    for (int i = 0; i < n; i++)
        ab[i] = a[i] + b[i];
}

static void rn_inverse(int n, const double *a, double *inv)
{
    for (int i = 0; i < n; i++)
        inv[i] = -a[i];
}

static void rn_T(int n, const double *x, double *T)
{
    (void)x;
    unit_matrix(n, T);
}

static void rn_dT(int n, const double *x, const double *u, double *D)
{
    (void)x, (void)u;
    zero_matrix(n, D);
}

static void rn_hat(int n, const double *x, double *H)
{
    (void)x;
    zero_matrix(n, H);
}

static void rn_move(int n, const double *q0, const double *x, double *q1, double *T, double *Tinv)
{
    rn_compose(n, q0, x, q1);
    if (T)
        unit_matrix(n, T);
    if (Tinv)
        unit_matrix(n, Tinv);
}

const ph_group_ops ph_rn_ops = {
    .name = "rn",
    .dim = 0,
    .size = 0,
    .rot = -1,
    .quat = -1,
    .identity = rn_identity,
    .compose = rn_compose,
    .inverse = rn_inverse,
    .exp = copy,
    .log = copy,
    .T = rn_T,
    .Tinv = rn_T,
    .dT = rn_dT,
    .dTinv = rn_dT,
    .dTt = rn_dT,
    .dTinvt = rn_dT,
    .hat = rn_hat,
    .Ad = rn_T,
    .move = rn_move,
};
