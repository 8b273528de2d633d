/* Libraries that are loaded when first used. */
#include "base/shared.h"

#include "check.h"

#define NAMES(X) X(cos) X(sin)

typedef struct table {
    NAMES(PH_CALL_MEMBER)
} table;

static const char *const names[] = {NAMES(PH_CALL_NAME) NULL};
static const char *const wrong[] = {"cos", "no_such_function", NULL};

static void fills_its_table(void **state)
{
    (void)state;
    table t = {0};
    /* the library of mathematics is linked, so somebody has loaded it */
    assert_int_equal(ph_shared_load("libm.so.6", 0, names, &t), PH_SHARED_THERE);
    assert_true(t.sin(0.5) == sin(0.5) && t.cos(0.5) == cos(0.5)); /* exact: the same function */
}

static void says_what_is_not_there(void **state)
{
    (void)state;
    table t = {0};
    assert_int_equal(ph_shared_load("libno-such-library.so.7", 0, names, &t), PH_SHARED_NONE);
    assert_null(t.sin);
    assert_int_equal(ph_shared_load("libm.so.6", 0, wrong, &t), PH_SHARED_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_its_table),
                                       cmocka_unit_test(says_what_is_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
