/* R^n: sums, units and zeros. */
#include "check.h"
#include "lie/groups.h"

static void operations(void **state)
{
    (void)state;
    enum { N = 8 };
    const ph_group_ops *ops = ph_group_get(PH_RN);
    uint64_t seed = 3;
    double a[N], b[N], c[N], d[N], A[N * N], B[N * N], unit[N * N] = {0}, zero[N * N] = {0};
    for (int i = 0; i < N; i++)
        a[i] = rnd(&seed), b[i] = rnd(&seed), unit[N * i + i] = 1;
    ops->move(N, a, b, c, A, B);
    ops->inverse(N, b, d);
    ops->compose(N, c, d, d);
    check_le(max_diff(a, d, N), 3e-16);    /* round-off of (a + b) - b */
    check_le(max_diff(A, unit, N * N), 0); /* exact, and so all below */
    check_le(max_diff(B, unit, N * N), 0);
    ops->move(N, a, b, d, NULL, NULL);
    check_le(max_diff(c, d, N), 0);
    ops->exp(N, a, c);
    check_le(max_diff(a, c, N), 0);
    ops->log(N, a, c);
    check_le(max_diff(a, c, N), 0);
    ops->identity(N, c);
    check_le(max_diff(zero, c, N), 0);
    void (*const ones[3])(int, const double *, double *) = {ops->T, ops->Tinv, ops->Ad};
    for (int i = 0; i < 3; i++) {
        ones[i](N, a, A);
        check_le(max_diff(A, unit, N * N), 0);
    }
    void (*const zeros[4])(int, const double *, const double *, double *) = {ops->dT, ops->dTinv, ops->dTt,
                                                                             ops->dTinvt};
    for (int i = 0; i < 4; i++) {
        memcpy(A, unit, sizeof A);
        zeros[i](N, a, b, A);
        check_le(max_diff(A, zero, N * N), 0);
    }
    memcpy(A, unit, sizeof A);
    ops->hat(N, a, A);
    check_le(max_diff(A, zero, N * N), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
