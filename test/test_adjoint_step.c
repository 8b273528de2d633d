/* The adjoint step is the transposed one of the direct way. */
#include "sens_cases.h"

#include "sens/sens.h"

/* (W7), (W8) */
static void adjoint_equals_direct(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT};
    static const struct {
        const char *file, *param;
        double h;
    } row[] = {{"heavy_top.lua", "m", 1e-3},
               {"slider_crank.lua", "crank", 1e-3},
               {"slider_crank.lua", "speed", 1e-3},
               {"bricard.lua", "b", 1e-3},
               {"rotor.lua", "m", 1e-5},
               {"rotor.lua", "spin", 1e-5},
               {"rolling_disc.lua", "lean", 1e-3},
               {"driven_crank.lua", "turns", 1e-3}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int j = 0; j < 3; j++)
            for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
                ph_options o = tight(row[k].h);
                o.sigma = sigma[j], o.formulation = (ph_formulation)f;
                check_le(adjoint_error(row[k].file, row[k].param, &o, 100, 0), 1e-10); /* round-off */
                /* round-off, which index-3 magnifies by 1/h^2 in what forces are differentiated */
                check_le(adjoint_error(row[k].file, row[k].param, &o, 100, 1), f == PH_GGL ? 1e-10 : 1e-7);
            }
}

/* However few states are kept, and however often steps are made again: the same bits. */
static void check_memory(const char *method, const size_t bound[4])
{
    double value[4], gradient[4];
    for (int k = 0; k < 4; k++) {
        fixture r;
        ph_error err = {0};
        ph_options o = tight(1e-3);
        o.formulation = PH_GGL, o.method = method, o.order = 4;
        open_fixture(&r, "heavy_top.lua", "m", 0, &o);
        scalar f = {.r = &r, .forces = 1};
        ph_objective objective = {.final = value_of, .integral = value_of, .ctx = &f};
        if (ph_sens_gradient(r.sens, 333, &objective, bound[k], &value[k], &gradient[k], &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_true(value[k] == value[0] && gradient[k] == gradient[0]); /* exact */
        if (k == 3) {
            close_fixture(&r);
            open_fixture(&r, "heavy_top.lua", "m", 0, &o);
            assert_int_equal(ph_sens_gradient(r.sens, 333, &objective, 1000, value, gradient, &err),
                             PH_E_INPUT);
            assert_non_null(strstr(err.text, "1000 bytes"));
        }
        close_fixture(&r);
    }
}

static void memory_does_not_matter(void **state)
{
    (void)state;
#ifdef PH_ARENA_GAPS
    const size_t gaps = 6000; /* what they take of the memory, under the sanitizer alone */
#else
    const size_t gaps = 0;
#endif
    check_memory("genalpha", (const size_t[]){0, 1 << 20, 30000, 23000 + gaps});
    check_memory("bliedf", (const size_t[]){0, 1 << 20, 60000, 36500 + gaps});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_equals_direct),
        cmocka_unit_test(memory_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
