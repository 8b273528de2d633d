/* The linear system of the direct way: one correction is enough; many parameters at once. */
#include "sens_cases.h"

#include "sens/sens.h"

static ph_status nothing(const ph_state *s, const double *weight, unsigned what, double *r, double *Phi,
                         double *rate, void *ctx)
{
    (void)s, (void)weight, (void)what, (void)r, (void)Phi, (void)rate, (void)ctx;
    return PH_OK;
}

static ph_status count_second(const ph_sim *sim, void *ctx)
{
    *(int *)ctx += sim->sens->second > 0;
    return PH_OK;
}

/* One correction does where steps are smooth; how much it leaves is measured now and then by a second one. */
static void one_correction(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param, *method;
    } row[] = {{"heavy_top.lua", "m", "genalpha"},
               {"heavy_top.lua", "m", "bliedf"},
               {"slider_crank.lua", "crank", "genalpha"},
               {"spring_ball.lua", "k", "genalpha"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int f = PH_INDEX3; f <= PH_GGL; f++) {
            fixture r;
            int second = 0;
            ph_options o = ph_default_options();
            o.h = 1e-3, o.formulation = (ph_formulation)f, o.method = row[k].method, o.newton = PH_FULL;
            open_fixture(&r, row[k].file, row[k].param, 0, &o);
            assert_int_equal(ph_sim_run(r.sim, 640, count_second, &second, NULL), PH_OK);
            assert_in_range(second, 640 / 32, 640 / 8); /* ordering: 20 at least, and few more */
            close_fixture(&r);
        }
}

#define MANY 7 /* above the number that the library calls so */

/* Many parameters are solved with a factorisation of their own; and a system that tells nothing of what a
 * parameter changes gives the same as one that does. */
static void check_many(const char *file, const char *param, int f, double h, long steps, double round_off)
{
    fixture r;
    ph_sens *sens;
    ph_error err = {0};
    ph_options o = tight(h);
    o.formulation = (ph_formulation)f;
    open_fixture(&r, file, param, 0, &o);
    assert_int_equal(ph_sim_run(r.sim, steps, NULL, NULL, NULL), PH_OK);
    ph_param p[MANY];
    for (int k = 0; k < MANY; k++)
        p[k] = ph_neighbours_param(&r.near);
    p[2].loads = NULL;
    p[3].loads = nothing; /* which is not true, so it is not believed */
    ph_sim *sim;
    assert_int_equal(ph_sim_create(&sim, &r.self.sys, &o, 0, r.self.q0, r.self.v0, &err), PH_OK);
    assert_int_equal(ph_sens_create(&sens, sim, MANY, p, &err), PH_OK);
    assert_int_equal(ph_sim_run(sim, steps, NULL, NULL, NULL), PH_OK);
    int nv = ph_system_nv(&r.self.sys), nl = ph_system_nl(&r.self.sys);
    ph_derivative one = ph_sens_get(r.sens, 0);
    for (int k = 0; k < MANY; k++) {
        ph_derivative many = ph_sens_get(sens, k);
        int differenced = k == 2 || k == 3; /* positions over 2 eps, which index-3 magnifies by 1/h */
        check_le(max_diff(many.W, one.W, nv) / norm2(one.W, nv), round_off); /* round-off */
        check_le(max_diff(many.v, one.v, nv) / norm2(one.v, nv),
                 (differenced && f == PH_INDEX3 ? 100 : 1) * round_off);
        /* round-off, magnified by 1/h^2 in index-3 */
        check_le(max_diff(many.lambda, one.lambda, nl) / norm2(one.lambda, nl),
                 (f == PH_INDEX3 ? 1e5 : 10) * round_off);
    }
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    close_fixture(&r);
}

static void many_parameters(void **state)
{
    (void)state;
    for (int f = PH_INDEX3; f <= PH_GGL; f++)
        check_many("slider_crank.lua", "crank", f, 1e-3, 100, 1e-11);
    /* steps so large that eta counts, and many more pairs than links; stiffness magnifies round-off */
    check_many("../test/models/beam_params.lua", "density", PH_GGL, 2e-2, 20, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_correction),
        cmocka_unit_test(many_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
