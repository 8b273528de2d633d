/* linear-alpha and residual-alpha: orders, the numbers of Bruels and Eberhard, what they are in vector spaces,
 * and their sensitivities, exact and simplified as in the literature. */
#include "chart_alpha_cases.h"

/* The Jacobian is exact: Newton's method is quadratic. The others find the same solution. (C1), (C2), (C3) */
static void newton(void **state)
{
    (void)state;
    static const char *const problem[] = {"heavy_top", "heavy_top_so3", "rotor", "free_body"};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) {
            ph_problem *p = problem_named(problem[i]);
            ph_options o = options_for(p, PH_INDEX3);
            o.method = both[k], o.newton = PH_FULL, o.h = i < 2 ? 2e-3 : p->h;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            run_sim(sim, 50);
            ph_stats n = ph_sim_stats(sim);
            assert_true(n.worst_iterations <= 3);
            ph_sim_destroy(sim);
            ph_problem_destroy(p);
        }
        ph_options full = tight(5e-4), other = full;
        full.method = other.method = both[k];
        for (int kind = PH_SIMPLIFIED; kind <= PH_MODIFIED; kind++) {
            other.newton = (ph_newton)kind, other.max_iterations = 100, other.atol = other.rtol = 1e-11;
            check_le(apart("heavy_top", &full, &other, 50), 1e-7); /* Newton's tolerance over h^2 */
        }
    }
}

/* A state that is taken over goes on as the run it came from. */
static void restarts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = tight(1e-3);
        o.method = both[k];
        ph_sim *x = sim_of(&p->sys, &o, p->q0, p->v0), *y = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(x, 20);
        ph_state s = ph_sim_state(x);
        assert_int_equal(ph_sim_load(y, &s, NULL), PH_OK);
        run_sim(x, 20), run_sim(y, 20);
        check_le(max_diff(ph_sim_state(x).q, ph_sim_state(y).q, 7), 1e-12); /* Newton's tolerance */
        check_le(max_diff(ph_sim_state(x).v, ph_sim_state(y).v, 6), 1e-9);
        ph_sim_destroy(x), ph_sim_destroy(y);
        ph_problem_destroy(p);
    }
}

static void refusals(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_error err = {0};
        ph_sim *sim;
        ph_problem *p = problem_named("heavy_top"), *se3 = problem_named("heavy_top_se3");
        ph_options o = options_for(p, PH_GGL);
        o.method = both[k];
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "no stabilised form"));
        o.formulation = PH_INDEX3;
        assert_int_equal(ph_sim_create(&sim, &se3->sys, &o, 0, se3->q0, se3->v0, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "node 'top' is an element of SE(3)"));
        o.rho = 2;
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        ph_problem_destroy(p), ph_problem_destroy(se3);
    }
}

/* Differences of runs have errors of their own, see sens_cases.h. */
static void direct_differentiation(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param;
        int space; /* R3xSO3, or Euler parameters, whose mass matrix is not constant */
        double h;
        bar index3, index2;
    } row[] = {
        {"heavy_top.lua", "m", 0, 1e-3, {1e-9, 1e-9, 1e-5}, {1e-9, 1e-9, 1e-9}},
        /* their tangents are exact where |p| = 1, which index-2 leaves */
        {"heavy_top.lua", "m", 2, 1e-3, {1e-9, 1e-9, 1e-5}, {1e-5, 1e-5, 1e-4}},
        {"slider_crank.lua", "crank", 0, 1e-3, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-9, 1e-8}},
        {"rotor.lua", "spin", 0, 1e-5, {1e-9, 1e-9, 1e-5}, {1e-9, 1e-9, 1e-5}},
        {"rolling_disc.lua", "lean", 0, 1e-3, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
        {"driven_crank.lua", "turns", 0, 1e-3, {1e-6, 1e-6, 1e-4}, {1e-6, 1e-6, 1e-5}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int f = PH_INDEX3; f <= PH_INDEX2; f++)
            for (int k = 0; k < 2; k++) {
                fixture r;
                ph_options o = tight(row[i].h);
                o.method = both[k], o.formulation = (ph_formulation)f;
                open_fixture(&r, row[i].file, row[i].param, row[i].space, &o);
                assert_int_equal(ph_sim_run(r.sim, 100, NULL, NULL, NULL), PH_OK);
                agreement a = compare(&r, 100);
                check_agreement(&a, f == PH_INDEX3 ? row[i].index3 : row[i].index2);
                close_fixture(&r);
            }
}

static void adjoint_equals_direct(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param;
        double h;
    } row[] = {{"heavy_top.lua", "m", 1e-3},       {"slider_crank.lua", "crank", 1e-3},
               {"bricard.lua", "b", 1e-3},         {"rotor.lua", "m", 1e-5},
               {"rolling_disc.lua", "lean", 1e-3}, {"driven_crank.lua", "turns", 1e-3},
               {"dc_motor.lua", "J", 1e-3} /* ends with translations */};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 2; k++) {
            ph_options o = tight(row[i].h);
            o.method = both[k];
            check_le(adjoint_error(row[i].file, row[i].param, &o, 100, 0), 1e-9); /* round-off */
            check_le(adjoint_error(row[i].file, row[i].param, &o, 100, 1), 1e-7); /* over h^2 in forces */
        }
}

/* dx/dm of the heavy top at t = 0.1, as in the paper */
static void dx_dm(const char *method, ph_simplification simplified, double h, double *dx,
                  double *against_differences)
{
    fixture r;
    ph_options o = paper(method, h);
    long steps = lround(0.1 / h);
    open_fixture(&r, "heavy_top.lua", "m", 0, &o);
    assert_int_equal(ph_sens_simplify(r.sens, simplified, NULL), PH_OK);
    assert_int_equal(ph_sim_run(r.sim, steps, NULL, NULL, NULL), PH_OK);
    ph_state s = ph_sim_state(r.sim);
    memcpy(dx, ph_sens_get(r.sens, 0).W + s.v_at[0], 3 * sizeof *dx);
    if (against_differences)
        *against_differences = compare(&r, steps).W;
    close_fixture(&r);
}

static double part_of(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm2(d, 3) / norm2(b, 3);
}

/* P2, Tables 2 and 3 */
static void published_differences(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double bar;
    } row[] = {{GEOMETRIC, 1e-10}, {LINEAR, 1e-9}, {RESIDUAL, 1e-9}};
    for (int k = 0; k < 3; k++) {
        double dx[3], error;
        dx_dm(row[k].method, PH_NOT_SIMPLIFIED, 2e-3, dx, &error);
        check_le(error, row[k].bar); /* derivative */
    }
}

/* P2, Table 4: simplified derivatives against exact ones. The page has other digits of "without k_G" and of the
 * symmetric K, which an independent program does not confirm either. (C8) */
static void published_simplifications(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        ph_simplification simplified;
        double error[2], bar; /* at h = 2e-3 and 2e-4 */
    } row[] = {{RESIDUAL, PH_REFERENCE_FREE, {5.96e-4, 6.58e-5}, 0.05},
               {LINEAR, PH_REFERENCE_FREE, {1.05e-4, 1.01e-6}, 0.05},
               {RESIDUAL, PH_WITHOUT_KG, {7.7e-7, 6.7e-9}, 0.05},
               {GEOMETRIC, PH_SYMMETRIC_STIFFNESS, {9.95e-4, 9.77e-4}, 0.01}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int j = 0; j < 2; j++) {
            double exact[3], simple[3], h = j ? 2e-4 : 2e-3;
            dx_dm(row[k].method, PH_NOT_SIMPLIFIED, h, exact, NULL);
            dx_dm(row[k].method, row[k].simplified, h, simple, NULL);
            check_near(part_of(simple, exact) / row[k].error[j], 1, row[k].bar); /* reference */
        }
    double exact[3], simple[3];
    dx_dm(LINEAR, PH_NOT_SIMPLIFIED, 2e-3, exact, NULL);
    dx_dm(LINEAR, PH_WITHOUT_KG, 2e-3, simple, NULL);
    check_le(part_of(simple, exact), 0); /* exact: k_G = 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton),
        cmocka_unit_test(restarts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(direct_differentiation),
        cmocka_unit_test(adjoint_equals_direct),
        cmocka_unit_test(published_differences),
        cmocka_unit_test(published_simplifications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
