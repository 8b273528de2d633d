/* A gradient over a million steps within 100 kB. */
#include "long_run.h"

static void a_million_steps(void **state)
{
    (void)state;
    check_long_run("genalpha", PH_INDEX3, 1000000, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
