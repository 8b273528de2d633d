/* SE(3): its operations. (L14), (L15), (L16) */
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
    ph_group group = PH_SE3;
    const struct CMUnitTest tests[] = {
        GROUP_TESTS(&group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
