/* Libraries that are loaded when first used. */
#include "base/shared.h"

#include "check.h"

typedef struct table {
    double (*cos)(double);
    double (*sin)(double);
} table;

static const ph_symbol symbols[] = {{"sin", offsetof(table, sin)}, {"cos", offsetof(table, cos)}};
static const ph_symbol wrong[] = {{"sin", offsetof(table, sin)}, {"no_such_function", offsetof(table, cos)}};

static void fills_its_table(void **state)
{
    (void)state;
    table t = {0};
    /* the library of mathematics is linked, so somebody has loaded it */
    assert_int_equal(ph_shared_load("libm.so.6", 0, 2, symbols, &t), PH_SHARED_THERE);
    assert_true(t.sin(0.5) == sin(0.5) && t.cos(0.5) == cos(0.5)); /* exact: the same function */
}

static void says_what_is_not_there(void **state)
{
    (void)state;
    table t = {0};
    assert_int_equal(ph_shared_load("libno-such-library.so.7", 0, 2, symbols, &t), PH_SHARED_NONE);
    assert_null(t.sin);
    assert_int_equal(ph_shared_load("libm.so.6", 0, 2, wrong, &t), PH_SHARED_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_its_table),
                                       cmocka_unit_test(says_what_is_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
