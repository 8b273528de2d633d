/* Euler parameters. */
#include "chart_kit.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

/* (L20) */
static void chart(void **state)
{
    (void)state;
    charts_of(PH_EULER);
    /* T(p) u is linear in p: its derivative is exact for any step */
    const ph_chart_ops *ops = ph_chart_get(PH_EULER);
    const double p[4] = {0.5, -0.5, 0.5, 0.5}, dp[4] = {0.25, 0.5, -1, 0.125}, u[4] = {3, -2, 1, 5};
    double T[12], Td[12], D[12], sum[4];
    for (int i = 0; i < 4; i++)
        sum[i] = p[i] + dp[i];
    ops->T(p, T), ops->T(sum, Td), ops->dT(p, u, D);
    for (int i = 0; i < 3; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < 4; j++)
            a += (Td[4 * i + j] - T[4 * i + j]) * u[j], b += D[4 * i + j] * dp[j];
        check_near(a, b, 0); /* exact: small integers over powers of two */
    }
    const double far[4] = {0, 3, 0, -4}, unit[4] = {0, 0.6, 0, -0.8};
    double q[4];
    ops->to_quat(far, q);
    check_le(max_diff(q, unit, 4), 2e-16); /* round-off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
