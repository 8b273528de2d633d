/* The tables of groups and charts. */
#include "check.h"
#include "lie/groups.h"

static void tables(void **state)
{
    (void)state;
    assert_null(ph_group_get(PH_GROUP_COUNT));
    assert_null(ph_chart_get(PH_CHART_COUNT));
    assert_int_equal(ph_group_dim(PH_RN, 5), 5);
    assert_int_equal(ph_group_size(PH_RN, 5), 5);
    assert_int_equal(ph_group_dim(PH_SE3, 5), 6);
    assert_int_equal(ph_group_size(PH_SE3, 5), 7);
    for (int g = 0; g < PH_GROUP_COUNT; g++) {
        const ph_group_ops *ops = ph_group_get((ph_group)g);
        assert_true(ops->dim <= PH_DIM_MAX);
        assert_int_equal(ops->size - ops->dim, ops->quat >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
