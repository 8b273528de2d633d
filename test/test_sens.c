/* Sensitivities: direct differentiation against five-point differences of whole runs and published values. */
#include "sens_cases.h"

#include "sens/sens.h"

/* (W1), (W2), (W3), (W5) */
static void heavy_top_in_every_form(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3; k++)
            for (int space = 0; space < 2; space++) {
                fixture r;
                ph_options o = tight(1e-3);
                o.formulation = (ph_formulation)f, o.sigma = sigma[k];
                open_fixture(&r, "heavy_top.lua", "m", space, &o);
                assert_int_equal(ph_sim_run(r.sim, 100, NULL, NULL, NULL), PH_OK);
                agreement a = compare(&r, 100);
                check_agreement(&a, f == PH_INDEX3 ? (bar){1e-9, 1e-9, 1e-5} : (bar){1e-9, 1e-9, 1e-9});
                close_fixture(&r);
            }
}

/* (W2) with the multiplier of the stabilised form inside and outside of P, whatever sigma is */
static void heavy_top_stabilised_both_ways(void **state)
{
    (void)state;
    for (int form = PH_GGL_INSIDE; form <= PH_GGL_OUTSIDE; form++)
        for (int sigma = 0; sigma < 2; sigma++) {
            fixture r;
            ph_options o = tight(1e-3);
            o.formulation = PH_GGL, o.ggl_form = (ph_ggl_form)form, o.sigma = sigma;
            open_fixture(&r, "heavy_top.lua", "m", 0, &o);
            assert_int_equal(ph_sim_run(r.sim, 50, NULL, NULL, NULL), PH_OK);
            agreement a = compare(&r, 50);
            check_agreement(&a, (bar){1e-9, 1e-9, 1e-9});
            close_fixture(&r);
        }
}

/* The factorisation that is reused is exact, without T, or of an earlier step. */
static void heavy_top_with_every_newton(void **state)
{
    (void)state;
    for (int k = 0; k <= PH_MODIFIED; k++) {
        fixture r;
        ph_options o = tight(1e-3);
        o.formulation = PH_GGL, o.newton = (ph_newton)k, o.max_iterations = 100;
        o.atol = o.rtol = 1e-11;
        open_fixture(&r, "heavy_top.lua", "m", 0, &o);
        assert_int_equal(ph_sim_run(r.sim, 50, NULL, NULL, NULL), PH_OK);
        agreement a = compare(&r, 50);
        check_agreement(&a, (bar){1e-8, 1e-8, 1e-7});
        close_fixture(&r);
    }
}

/* Lengths, masses, stiffness, initial speeds and angles; loops, redundant rows, rolling, drives. */
static void models(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param;
        double h;
        long steps;
        bar index3, ggl;
    } row[] = {
        {"slider_crank.lua", "crank", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
        {"slider_crank.lua", "rod", 1e-3, 200, {1e-7, 1e-7, 1e-4}, {1e-7, 1e-7, 1e-7}}, /* b as sqrt of it */
        {"slider_crank.lua", "speed", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-7}},
        {"bricard.lua", "b", 1e-3, 200, {1e-8, 1e-5, 0.1}, {1e-8, 1e-8, 1e-6}}, /* b hardly matters */
        {"rotor.lua", "m", 1e-5, 200, {1e-6, 1e-6, 1e-4}, {1e-6, 1e-6, 1e-4}},
        {"rotor.lua", "spin", 1e-5, 200, {1e-9, 1e-9, 1e-5}, {1e-9, 1e-9, 1e-5}},
        {"rolling_disc.lua", "r", 1e-3, 200, {1e-9, 1e-9, 1e-3}, {1e-9, 1e-9, 1e-6}},
        {"rolling_disc.lua", "lean", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
        {"four_bar.lua", "coupler", 1e-3, 200, {1e-7, 1e-7, 1e-5}, {1e-7, 1e-7, 1e-6}},
        {"double_pendulum.lua", "angle1", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-9, 1e-8}},
        {"driven_crank.lua", "turns", 1e-3, 200, {1e-6, 1e-6, 1e-5}, {1e-6, 1e-6, 1e-5}},
        {"spring_ball.lua", "k", 1e-2, 200, {1e-9, 1e-9, 1e-9}, {1e-9, 1e-9, 1e-9}},
        {"andrews.lua", "k", 1e-4, 100, {1e-9, 1e-8, 1e-6}, {1e-9, 1e-8, 1e-8}},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
            fixture r;
            ph_options o = tight(row[k].h);
            o.formulation = (ph_formulation)f;
            open_fixture(&r, row[k].file, row[k].param, 0, &o);
            assert_int_equal(ph_sim_run(r.sim, row[k].steps, NULL, NULL, NULL), PH_OK);
            agreement a = compare(&r, row[k].steps);
            check_agreement(&a, f == PH_INDEX3 ? row[k].index3 : row[k].ggl);
            close_fixture(&r);
        }
}

/* P2: heavy top by its mass, rho = 0.8, t = 0.1; published digits of the discrete and the continuous solution. */
static void published(void **state)
{
    (void)state;
    static const double h[] = {2e-3, 1e-3, 5e-4}, error[] = {1.750e-2, 4.341e-3, 1.083e-3};
    static const double dx[] = {2.637083392647e-3, -1.579895364257e-4, 6.414088394519e-3};
    static const double W[] = {-3.202006515872e-3, 1.091382384749e-3, 6.153604936817e-3};
    static const double exact[] = {2.55360940446255e-3, -1.47245082107098e-4, 6.32928422697132e-3};
    for (int k = 0; k < 3; k++) {
        fixture r;
        ph_options o = tight(h[k]);
        o.sigma = 0, o.rho = 0.8, o.start = PH_PLAIN;
        open_fixture(&r, "heavy_top.lua", "m", 0, &o);
        assert_int_equal(ph_sim_run(r.sim, lround(0.1 / h[k]), NULL, NULL, NULL), PH_OK);
        ph_derivative d = ph_sens_get(r.sens, 0);
        ph_state s = ph_sim_state(r.sim);
        const double *x = d.W + s.v_at[0], *w = d.W + s.v_at[1];
        if (k == 0) {
            check_le(max_diff(x, dx, 3), 1e-9); /* reference */
            check_le(max_diff(w, W, 3), 1e-9);  /* reference */
        }
        double e[3] = {x[0] - exact[0], x[1] - exact[1], x[2] - exact[2]};
        check_near(norm2(e, 3) / norm2(exact, 3) / error[k], 1, 0.02); /* reference, 2 % */
        close_fixture(&r);
    }
}

static ph_options multistep(int k, ph_correction c, ph_formulation f, double h)
{
    ph_options o = tight(h);
    o.method = "bliedf", o.order = k, o.correction = c, o.formulation = f;
    return o;
}

static agreement direct_error(const char *file, const char *param, int space, const ph_options *o, long steps)
{
    fixture r;
    open_fixture(&r, file, param, space, o);
    assert_int_equal(ph_sim_run(r.sim, steps, NULL, NULL, NULL), PH_OK);
    agreement a = compare(&r, steps);
    close_fixture(&r);
    return a;
}

/* Every order, form and place of the commutator, which is large here: 0.15 rad a step. (W9) */
static void multistep_heavy_top(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++)
        for (int c = PH_IN_EXP; c <= PH_WITHOUT; c++)
            for (int f = PH_INDEX3; f <= PH_GGL; f++)
                for (int space = 0; space < 2; space++) {
                    ph_options o = multistep(k, (ph_correction)c, (ph_formulation)f, 1e-3);
                    agreement a = direct_error("heavy_top.lua", "m", space, &o, 60);
                    check_agreement(&a, f == PH_INDEX3 ? (bar){1e-9, 1e-9, 1e-5} : (bar){1e-9, 1e-9, 1e-9});
                }
}

static const struct {
    const char *file, *param;
    double h;
    int k;
    bar index3, ggl;
} past_row[] = {{"slider_crank.lua", "crank", 1e-3, 2, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
                {"slider_crank.lua", "speed", 1e-3, 4, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-7}},
                {"rotor.lua", "m", 1e-5, 3, {1e-6, 1e-6, 1e-4}, {1e-6, 1e-6, 1e-4}},
                {"rotor.lua", "spin", 1e-5, 5, {1e-9, 1e-9, 1e-5}, {1e-9, 1e-9, 1e-5}},
                {"bricard.lua", "b", 1e-3, 3, {1e-8, 1e-5, 0.1}, {1e-8, 1e-8, 1e-6}}};

static void multistep_models(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof past_row / sizeof *past_row; r++)
        for (int c = PH_IN_EXP; c <= PH_IN_VELOCITY; c++)
            for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
                ph_options o = multistep(past_row[r].k, (ph_correction)c, (ph_formulation)f, past_row[r].h);
                agreement a = direct_error(past_row[r].file, past_row[r].param, 0, &o, 100);
                check_agreement(&a, f == PH_INDEX3 ? past_row[r].index3 : past_row[r].ggl);
            }
}

/* Steps of order 1, 2, ... at the start, which no neighbour makes; and matrices that are not exact. */
static void multistep_plain_start(void **state)
{
    (void)state;
    for (int newton = 0; newton <= PH_MODIFIED; newton++) {
        ph_options o = multistep(4, PH_IN_EXP, PH_GGL, 1e-3);
        o.start = PH_PLAIN, o.newton = (ph_newton)newton, o.max_iterations = 100;
        o.atol = o.rtol = 1e-11;
        agreement a = direct_error("heavy_top.lua", "m", 0, &o, 50);
        check_agreement(&a, (bar){1e-8, 1e-8, 1e-7});
    }
}

static void multistep_adjoint(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++)
        for (int c = PH_IN_EXP; c <= PH_WITHOUT; c++)
            for (int f = PH_INDEX3; f <= PH_GGL; f++) {
                ph_options o = multistep(k, (ph_correction)c, (ph_formulation)f, 1e-3);
                check_le(adjoint_error("heavy_top.lua", "m", &o, 60, 0), 1e-10); /* round-off */
                if (f != PH_INDEX3)
                    check_le(adjoint_error("heavy_top.lua", "m", &o, 60, 1), 1e-10); /* round-off */
                /* round-off: a run within the start, one that ends with it, and one step more */
                for (long steps = 1; steps < 2 * k + 1; steps += k)
                    check_le(adjoint_error("heavy_top.lua", "m", &o, steps, 0), 1e-10);
                o.start = PH_PLAIN;
                check_le(adjoint_error("heavy_top.lua", "m", &o, 30, 0), 1e-10);
            }
    for (size_t r = 0; r < sizeof past_row / sizeof *past_row; r++)
        for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
            ph_options o = multistep(past_row[r].k, PH_IN_EXP, (ph_formulation)f, past_row[r].h);
            /* round-off; of the rotor that of its start, since the objective is 3e6 times its derivative */
            int small = !strcmp(past_row[r].file, "rotor.lua") && !strcmp(past_row[r].param, "m");
            check_le(adjoint_error(past_row[r].file, past_row[r].param, &o, 100, 0), small ? 1e-6 : 1e-10);
        }
}

static void refusals(void **state)
{
    (void)state;
    fixture r;
    ph_error err = {0};
    ph_options o = tight(1e-3);
    ph_sens *none;
    ph_neighbours near;
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    ph_param p = ph_neighbours_param(&r.near);
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT); /* twice */
    assert_null(none);
    assert_int_equal(ph_neighbours_create(&near, r.run, -1, 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no parameter"));
    assert_int_equal(ph_neighbours_create(&near, r.run, 0, 1e-30, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "does not change by so little"));
    close_fixture(&r);
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    ph_sens_destroy(r.sens);
    r.sens = NULL;
    p = ph_neighbours_param(&r.near);
    p.eps = 0, p.name = NULL;
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "parameter '?': eps = 0"));
    p.eps = INFINITY;
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT);
    for (int k = 0; k < 5; k++) { /* one more of each list */
        ph_system other = *p.at[1].sys;
        int *count[] = {&other.n_nodes, &other.n_constraints, &other.n_pairs, &other.n_links,
                        &other.n_redundant};
        p = ph_neighbours_param(&r.near);
        (*count[k])++;
        p.at[1].sys = &other;
        assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "the system has other nodes or constraints at a value near by"));
    }
    p = ph_neighbours_param(&r.near);
    p.at[2].sys = NULL;
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "'m'"));
    assert_int_equal(ph_sens_create(&none, r.sim, 0, &p, &err), PH_E_INPUT);
    close_fixture(&r);
    o.method = "genalpha-printed";
    ph_sim *sim;
    open_fixture(&r, "heavy_top.lua", "m", 0,
                 &(ph_options){.method = "genalpha", .h = 1e-3, .rtol = 1e-8, .max_iterations = 20});
    p = ph_neighbours_param(&r.near);
    assert_int_equal(ph_sim_create(&sim, &r.self.sys, &o, 0, r.self.q0, r.self.v0, &err), PH_OK);
    assert_int_equal(ph_sens_create(&none, sim, 1, &p, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "genalpha-printed"));
    ph_sim_destroy(sim);
    close_fixture(&r);
}

/* Gradients of nothing, of no steps, of a run that is under way; errors that are not those of error bars. */
static void gradients_refused(void **state)
{
    (void)state;
    static const double corner = 1e-3;
    fixture r;
    ph_error err = {0};
    double value, gradient, time[3], term[3];
    ph_options o = tight(1e-3);
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    scalar f = {.r = &r};
    ph_objective none = {.ctx = &f}, final = {.final = value_of, .ctx = &f};
    assert_int_equal(ph_sens_gradient(r.sens, 3, &none, 0, &value, &gradient, &err), PH_E_INPUT);
    assert_string_equal(err.text, "the objective has neither a final value nor an integral");
    assert_int_equal(ph_sens_gradient(r.sens, 0, &final, 0, &value, &gradient, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a gradient is that of a run of at least one step, from its start");
    ph_sim *plain;
    assert_int_equal(ph_sim_create(&plain, &r.self.sys, &o, 0, r.self.q0, r.self.v0, &err), PH_OK);
    size_t size = ph_sim_save_size(plain);
    void *saved = malloc(size);
    assert_int_equal(ph_sim_save(r.sim, saved, size), PH_E_INPUT);
    assert_int_equal(ph_sim_save(plain, saved, size), PH_OK);
    ph_sim_destroy(plain);
    assert_int_equal(ph_sim_restore(r.sim, saved, size, &err), PH_E_INPUT);
    assert_string_equal(err.text, "derivatives follow this simulation, and a saved state has none");
    free(saved);
    assert_int_equal(ph_sens_error_of(r.sens, 3, &final, 0, &value, time, term, &err), PH_E_INPUT);
    assert_string_equal(err.text, "the error of an objective is that of error bars, not of parameters");
    assert_int_equal(ph_sim_run(r.sim, 1, NULL, NULL, &err), PH_OK);
    assert_int_equal(ph_sens_gradient(r.sens, 3, &final, 0, &value, &gradient, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a gradient is that of a run of at least one step, from its start");
    close_fixture(&r);
    o.formulation = PH_GGL, o.h = 0, o.tol = 1e-4, o.nonsmooth.n = 1, o.nonsmooth.t = &corner;
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    assert_int_equal(ph_sens_gradient(r.sens, 3, &final, 0, &value, &gradient, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the adjoint does not start anew at times of nonsmooth"));
    close_fixture(&r);
}

/* Simplified derivatives: of methods that have something to simplify, from the first step on, forwards. */
static void simplifications(void **state)
{
    (void)state;
    fixture r;
    ph_error err = {0};
    double value, gradient;
    ph_options o = tight(1e-3);
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    assert_int_equal(ph_sens_simplify(r.sens, PH_REFERENCE_FREE, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "genalpha has no coordinates of rotations: 'reference-free'"));
    assert_int_equal(ph_sens_simplify(r.sens, (ph_simplification)9, &err), PH_E_INPUT);
    assert_int_equal(ph_sens_simplify(r.sens, PH_SYMMETRIC_STIFFNESS, &err), PH_OK);
    scalar f = {.r = &r};
    ph_objective objective = {.final = value_of, .ctx = &f};
    assert_int_equal(ph_sens_gradient(r.sens, 3, &objective, 0, &value, &gradient, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the adjoint is exact: 'symmetric-k'"));
    assert_int_equal(ph_sim_run(r.sim, 1, NULL, NULL, &err), PH_OK);
    assert_int_equal(ph_sens_simplify(r.sens, PH_NOT_SIMPLIFIED, &err), PH_E_INPUT);
    close_fixture(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_in_every_form),
        cmocka_unit_test(heavy_top_with_every_newton),
        cmocka_unit_test(heavy_top_stabilised_both_ways),
        cmocka_unit_test(models),
        cmocka_unit_test(published),
        cmocka_unit_test(multistep_heavy_top),
        cmocka_unit_test(multistep_models),
        cmocka_unit_test(multistep_plain_start),
        cmocka_unit_test(multistep_adjoint),
        cmocka_unit_test(refusals),
        cmocka_unit_test(gradients_refused),
        cmocka_unit_test(simplifications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
