/* Convergence studies: variants, references, errors that were measured independently. */
#include "study/cases.h"
#include "polhode/model.h"
#include "study/observed_order.h"
#include "check.h"

/* ---- variants ----------------------------------------------------------------------------------------- */

static void test_variants(void **unused)
{
    (void)unused;
    static ph_variant v[PH_VARIANTS_MAX];
    ph_options base = ph_default_options();
    ph_lists l = {.sigma = {3, {0, 1, PH_SIGMA_OPT}}, .formulation = {2, {PH_INDEX3, PH_GGL}}};
    assert_int_equal(ph_variants_list(&base, &l, v), 6);
    assert_string_equal(v[0].label, "index3, sigma 0");
    assert_string_equal(v[5].label, "ggl, sigma opt");
    assert_true(v[5].opt.sigma == PH_SIGMA_OPT && v[5].opt.formulation == PH_GGL);
    assert_true(v[4].opt.sigma == 1 && v[4].opt.rho == base.rho);
    /* orders are not read by genalpha: they make no further variants */
    ph_lists orders = {.order = {3, {2, 3, 4}}, .rho = {1, {0.5}}};
    assert_int_equal(ph_variants_list(&base, &orders, v), 1);
    assert_string_equal(v[0].label, "genalpha");
    assert_true(v[0].opt.rho == 0.5 && v[0].opt.order == base.order);
    /* sigma means nothing in the coordinates of a chart */
    ph_lists spaces = {.sigma = {2, {0, 1}}, .space = {2, {PH_SPACE_R3XSO3, PH_SPACE_EULER}}};
    assert_int_equal(ph_variants_list(&base, &spaces, v), 3);
    assert_string_equal(v[1].label, "R3xSO3, sigma 1");
    assert_string_equal(v[2].label, "euler");
    assert_true(v[0].space == PH_SPACE_R3XSO3 && v[2].space == PH_SPACE_EULER);
    /* Newton's method means nothing to explicit stages, and tableaux to none but rkmk */
    ph_lists stages = {.method = {2, {"rkmk", "genalpha"}},
                       .tableau = {2, {"dopri5", "gauss2"}},
                       .newton = {2, {PH_STEP, PH_FULL}}};
    static const char *const labels[] = {"rkmk, dopri5", "rkmk, gauss2, newton step",
                                         "rkmk, gauss2, newton full", "genalpha, newton step",
                                         "genalpha, newton full"};
    assert_int_equal(ph_variants_list(&base, &stages, v), 5);
    for (int k = 0; k < 5; k++)
        assert_string_equal(v[k].label, labels[k]);
    ph_lists none = {0};
    assert_int_equal(ph_variants_list(&base, &none, v), 1);
    assert_int_equal(v[0].space, -1);
    ph_lists many = {.sigma = {PH_LIST_MAX, {0}}, .rho = {PH_LIST_MAX, {0}}};
    assert_int_equal(ph_variants_list(&base, &many, v), -1);
}

/* ---- references --------------------------------------------------------------------------------------- */

/* exact: the states of a reference are what the problem says, in the layout of a simulation */
static void test_reference(void **unused)
{
    (void)unused;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    ph_reference *r;
    ph_error err;
    ph_sim *sim;
    ph_options o = ph_default_options();
    o.h = 1e-3;
    assert_ptr_equal(ph_reference_provider_of(p), &ph_reference_of_problem);
    assert_int_equal(ph_reference_create(&r, p, 0.01, 4, &err), PH_OK);
    assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_OK);
    ph_state s = ph_sim_state(sim), a = ph_reference_state(r, 0);
    assert_int_equal(ph_reference_points(r), 4);
    check_le(max_diff(a.q, s.q, ph_system_nq(&p->sys)), 0);
    check_le(max_diff(&a.R[a.R_at[1]].xx, &s.R[s.R_at[1]].xx, 9), 0);
    assert_int_equal(a.R_at[0], s.R_at[0]);
    for (int i = 0; i < 2; i++)
        assert_true(a.q_at[i] == s.q_at[i] && a.v_at[i] == s.v_at[i]);
    double q[7], v[6], vdot[6], lambda[3];
    assert_true(p->exact(p, 0.0075, q, v, vdot, lambda));
    a = ph_reference_state(r, 3);
    assert_true(a.t == 0.0075);
    check_le(max_diff(a.q, q, 7), 1e-14); /* round-off: the path to t differs */
    check_le(max_diff(a.lambda, lambda, 3), 1e-9);
    ph_sim_destroy(sim);
    ph_reference_destroy(r);
    assert_int_equal(ph_reference_create(&r, p, 1, 0, &err), PH_E_INPUT);
    ph_problem_destroy(p);
    p = ph_problem_create("chain", NULL);
    assert_ptr_equal(ph_reference_provider_of(p), &ph_reference_solver);
    assert_int_equal(ph_reference_create(&r, p, 0, 10, &err), PH_E_INPUT);
    assert_null(r);
    ph_problem_destroy(p);
}

/* ---- studies ------------------------------------------------------------------------------------------ */

typedef struct study {
    ph_problem *p;
    ph_run *run;
    ph_probe *probe;
    ph_variant variants[PH_VARIANTS_MAX];
    ph_cases_def def;
    ph_case cases[64];
} study;

static study *study_open(const char *problem, const ph_lists *lists, int n_h, const long *steps, double t_end)
{
    study *s = calloc(1, sizeof *s);
    ph_options base = ph_default_options();
    base.rho = 0.9;
    s->p = ph_problem_create(problem, NULL);
    char end[64];
    const char *const option = end;
    ph_run_config c = ph_run_defaults();
    snprintf(end, sizeof end, "t_end=%.17g", t_end);
    c.options = &option, c.n_options = 1, c.watch = 0, c.wait = 1;
    assert_int_equal(ph_run_create_system(&s->run, &s->p->sys, 0, s->p->q0, s->p->v0, &c, NULL), PH_OK);
    s->probe = ph_probe_create(&s->p->sys, NULL, 0, NULL);
    s->def = (ph_cases_def){
        .p = s->p, .run = s->run, .probe = s->probe, .n_h = n_h, .steps = steps, .t_end = t_end};
    s->def.n_variants = ph_variants_list(&base, lists, s->variants);
    s->def.variants = s->variants;
    return s;
}

static void study_close(study *s)
{
    ph_probe_destroy(s->probe);
    ph_run_close(s->run);
    ph_problem_destroy(s->p);
    free(s);
}

/* reference: errors of an independent double-precision prototype on [0.5, 1], h = 1e-3, rho = 0.9, +-5 % */
static void test_heavy_top(void **unused)
{
    (void)unused;
    static const double expected[6][3] = {{1.280e-2, 1.220e-1, 8.72}, {5.08e-3, 4.73e-2, 3.12},
                                          {7.64e-3, 7.24e-2, 5.12},   {8.38e-3, 3.42e-2, 4.22},
                                          {2.67e-3, 2.00e-2, 0.377},  {4.19e-3, 1.99e-2, 1.21}};
    static const int measures[] = {PH_OF_Q, PH_OF_V, PH_OF_LAMBDA};
    static const long steps[] = {1000, 2000, 4000};
    ph_lists l = {.sigma = {3, {0, 1, PH_SIGMA_OPT}}, .formulation = {2, {PH_INDEX3, PH_GGL}}};
    study *s = study_open("heavy_top_r3xso3", &l, 3, steps, 1);
    ph_error err;
    s->def.from = 0.5;
    assert_int_equal(ph_cases_run(&s->def, s->cases, NULL, &err), PH_OK);
    for (int v = 0; v < 6; v++)
        for (int i = 0; i < 3; i++) {
            const ph_case *rows = s->cases + 3 * v;
            assert_int_equal(rows[0].status, PH_OK);
            assert_int_equal(rows[0].times, 501);
            check_le(fabs(rows[0].error[measures[i]] / expected[v][i] - 1), 0.05);
            ph_observed o = ph_cases_order(3, rows, measures[i]);
            /* order over two halvings */
            check_near(o.order, 2, 0.15);
            check_near(o.fit, 2, 0.15);
            check_le(fabs(o.constant * rows[2].h * rows[2].h / rows[2].error[measures[i]] - 1), 1e-12);
        }
    study_close(s);
}

static int same_errors(const ph_case *a, const ph_case *b, int n)
{
    int same = 1;
    for (int k = 0; k < n; k++)
        same &= memcmp(a[k].error, b[k].error, sizeof a[k].error) == 0 && a[k].times == b[k].times;
    return same;
}

/* Any number of processes gives the same bits. Against finest runs the orders are those against the exact
 * solution: the errors are C (h^2 - r^2) to leading order, and this is accounted for. */
static void test_finest(void **unused)
{
    (void)unused;
    static const long steps[] = {150, 200, 400}; /* 150 divides none: it has its own reference */
    ph_lists l = {.sigma = {2, {0, 1}}};
    study *s = study_open("spring_ball", &l, 3, steps, 2);
    ph_case exact[6];
    ph_error err;
    assert_int_equal(ph_cases_run(&s->def, exact, NULL, &err), PH_OK);
    s->def.against = PH_AGAINST_FINEST, s->def.jobs = 1;
    assert_int_equal(ph_cases_run(&s->def, s->cases, NULL, &err), PH_OK);
    for (int k = 0; k < 6; k++) {
        const ph_case *c = &s->cases[k];
        assert_int_equal(c->times, steps[k % 3] + 1);
        check_near(c->h_reference, k % 3 ? 2.0 / 1600 : 2.0 / 1650, 1e-15);
        for (int m = PH_OF_Q; m <= PH_OF_V; m++) {
            ph_order_row row = {c->h, c->error[m], c->h_reference};
            /* order: what is left of the error after its leading term, h^2 relative */
            check_le(fabs(ph_order_true_error(row, 2) / exact[k].error[m] - 1), 0.01);
            double p = ph_cases_order(3, s->cases + k / 3 * 3, m).order;
            check_near(p, ph_cases_order(3, exact + k / 3 * 3, m).order, 0.01);
        }
        assert_true(isnan(c->error[PH_OF_LAMBDA])); /* no constraints */
    }
    ph_case again[6];
    s->def.jobs = 3;
    assert_int_equal(ph_cases_run(&s->def, again, NULL, &err), PH_OK);
    assert_true(same_errors(s->cases, again, 6));
    study_close(s);
}

/* A run that fails says so and leaves the others alone. */
static void test_failures(void **unused)
{
    (void)unused;
    static const long steps[] = {2, 1000};
    ph_lists l = {0};
    study *s = study_open("heavy_top", &l, 2, steps, 1);
    ph_error err;
    s->variants[0].opt.max_iterations = 6;
    assert_int_equal(ph_cases_run(&s->def, s->cases, NULL, &err), PH_OK);
    assert_int_not_equal(s->cases[0].status, PH_OK);
    assert_true(s->cases[0].why[0] != 0 && isnan(s->cases[0].error[PH_OF_Q]));
    assert_int_equal(s->cases[1].status, PH_OK);
    assert_true(isnan(ph_cases_order(2, s->cases, PH_OF_Q).order));
    assert_true(ph_order_missed(NAN, 2) && ph_order_missed(2.16, 2) && !ph_order_missed(1.86, 2));
    study_close(s);
}

/* Times are positive, and counts are those of one run. */
static void test_timed(void **unused)
{
    (void)unused;
    static const long steps[] = {100, 200};
    ph_lists l = {0};
    study *s = study_open("heavy_top", &l, 2, steps, 0.1);
    ph_error err;
    s->def.timed = 1, s->def.repeats = 5;
    assert_int_equal(ph_cases_run(&s->def, s->cases, NULL, &err), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_true(s->cases[k].cpu_s > 0 && s->cases[k].cpu_s < 10);
        assert_int_equal(s->cases[k].repeats, 5);
        assert_int_equal(s->cases[k].stats.steps, steps[k]);
        assert_true(s->cases[k].stats.iterations >= steps[k] && s->cases[k].stats.residuals >= steps[k]);
    }
    study_close(s);
}

/* Steps by tolerance are timed without the grid of the comparison, and steps and counts are of what is timed: explicit stages evaluate
 * residuals once each, and nothing between the ends of steps. */
static void test_timed_by_tolerance(void **unused)
{
    (void)unused;
    static const double tol[] = {1e-3, 1e-4};
    ph_lists l = {.method = {1, {"rkmk"}}, .tableau = {1, {"dopri5"}}};
    study *s = study_open("heavy_top", &l, 0, NULL, 0.1);
    ph_error err;
    s->def.n_tol = 2, s->def.tol = tol, s->def.timed = 1, s->def.repeats = 1;
    assert_int_equal(ph_variants_add_tol(s->variants, 1, 1), 1);
    assert_int_equal(ph_cases_run(&s->def, s->cases, NULL, &err), PH_OK);
    for (int k = 0; k < 2; k++) {
        const ph_case *c = &s->cases[k];
        assert_true(c->cpu_s > 0 && c->steps == c->stats.accepted && c->steps > 3);
        assert_int_equal(c->stats.residuals, 6 * (c->stats.accepted + c->stats.rejected));
    }
    study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),          cmocka_unit_test(test_reference),
        cmocka_unit_test(test_heavy_top),         cmocka_unit_test(test_finest),
        cmocka_unit_test(test_failures),          cmocka_unit_test(test_timed),
        cmocka_unit_test(test_timed_by_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
