/* Ten million numbers as text and back. */
#include "number_cases.h"

static void ten_million(void **state)
{
    (void)state;
    check_numbers_at_random(3400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_million)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
