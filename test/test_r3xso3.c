/* R^3 x SO(3): its operations. (L17) */
#include "group_kit.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

int main(void)
{
    ph_group group = PH_R3XSO3;
    const struct CMUnitTest tests[] = {
        GROUP_TESTS(&group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
