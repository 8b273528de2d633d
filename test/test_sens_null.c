/* Derivatives of the multipliers of redundant rows. */
#include "sens_cases.h"

#include "sens/sens.h"

/* All masses of Bricard's mechanism scale its multipliers, those of least norm, and nothing else. */
static void scaling_of_redundant_multipliers(void **state)
{
    (void)state;
    fixture r;
    ph_options o = tight(1e-3);
    o.formulation = PH_GGL;
    open_fixture(&r, "bricard.lua", "m", 0, &o);
    assert_int_equal(ph_sim_run(r.sim, 200, NULL, NULL, NULL), PH_OK);
    ph_derivative d = ph_sens_get(r.sens, 0);
    ph_state s = ph_sim_state(r.sim);
    int nl = ph_system_nl(&r.self.sys), nv = ph_system_nv(&r.self.sys);
    check_le(max_diff(d.lambda, s.lambda, nl) / norm2(s.lambda, nl), 1e-9); /* round-off: m = 1 */
    check_le(norm2(d.W, nv), 1e-9);                                         /* round-off */
    close_fixture(&r);
}

/* Friction of redundant hinges depends on multipliers of least norm, whose null space moves: (W6) within the step,
 * (W14) on the way back. */
static void rough_loops(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param, *method;
    } row[] = {{"rough_loop.lua", "crank", "genalpha"},
               {"rough_loop.lua", "friction", "genalpha"},
               {"rough_loop.lua", "rocker", "bliedf"},
               {"rough_bricard.lua", "tilt", "genalpha"},
               {"rough_bricard.lua", "tilt", "bliedf"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
            fixture r;
            char file[64];
            ph_options o = tight(1e-3);
            o.formulation = (ph_formulation)f, o.method = row[k].method;
            snprintf(file, sizeof file, "../test/models/%s", row[k].file);
            open_fixture(&r, file, row[k].param, 0, &o);
            assert_true(r.self.sys.n_redundant > 0);
            assert_int_equal(ph_sim_run(r.sim, 100, NULL, NULL, NULL), PH_OK);
            agreement a = compare(&r, 100);
            check_agreement(&a, f == PH_GGL ? (bar){1e-9, 1e-9, 1e-8} : (bar){1e-9, 1e-7, 1e-3});
            close_fixture(&r);
            check_le(adjoint_error(file, row[k].param, &o, 100, 0), 1e-10); /* round-off */
            check_le(adjoint_error(file, row[k].param, &o, 100, 1), f == PH_GGL ? 1e-10 : 1e-7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_of_redundant_multipliers),
        cmocka_unit_test(rough_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
