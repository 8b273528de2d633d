/* Cardan angles, and where they end. */
#include "chart_kit.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

/* (L19) */
static void chart(void **state)
{
    (void)state;
    charts_of(PH_CARDAN);
    /* Not reached within 1e-8 of the singularity, reached just outside; c is not set where it is not. */
    const ph_chart_ops *ops = ph_chart_get(PH_CARDAN);
    for (int sign = -1; sign <= 1; sign += 2) {
        double q[4], c[3] = {0.3, sign * (PI / 2 - 0.9e-8), 0.4}, unset[3] = {7, 7, 7}, seven[3] = {7, 7, 7};
        ops->to_quat(c, q);
        assert_int_equal(ops->from_quat(q, unset), 0);
        check_le(max_diff(unset, seven, 3), 0); /* exact */
        c[1] = sign * (PI / 2 - 1.1e-8);
        ops->to_quat(c, q);
        assert_int_equal(ops->from_quat(q, c), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
