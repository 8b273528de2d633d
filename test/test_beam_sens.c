/* Derivatives of the motion of beams by stiffness, mass and length, in each mass model: direct against
 * differences of whole runs, adjoint against direct. */
#include "sens_cases.h"

static const char file[] = "../test/models/soft_beams.lua";
static const char *const params[] = {"EA", "EI", "rhoA", "L"};

static void direct_is_that_of_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int form = PH_INDEX3; form <= PH_GGL; form += PH_GGL - PH_INDEX3)
            for (int space = PH_SPACE_R3XSO3; space <= PH_SPACE_SE3; space++) {
                fixture r;
                ph_options o = tight(1e-3);
                o.formulation = (ph_formulation)form;
                open_fixture(&r, file, params[k], space, &o);
                assert_int_equal(ph_sim_run(r.sim, 100, NULL, NULL, NULL), PH_OK);
                agreement a = compare(&r, 100);
                /* derivative; round-off, which index-3 magnifies by 1/h and 1/h^2 */
                bar index3 = {1e-7, 1e-7, 1e-4}, ggl = {1e-7, 1e-7, 1e-6};
                check_agreement(&a, form == PH_GGL ? ggl : index3);
                close_fixture(&r);
            }
}

static void adjoint_is_that_of_direct(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int form = PH_INDEX3; form <= PH_GGL; form += PH_GGL - PH_INDEX3) {
            ph_options o = tight(1e-3);
            o.formulation = (ph_formulation)form;
            check_le(adjoint_error(file, params[k], &o, 60, 0), 1e-9); /* round-off */
            check_le(adjoint_error(file, params[k], &o, 60, 1),
                     form == PH_GGL ? 1e-9 : 1e-7); /* round-off, magnified by 1/h^2 */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(direct_is_that_of_differences),
                                       cmocka_unit_test(adjoint_is_that_of_direct)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
