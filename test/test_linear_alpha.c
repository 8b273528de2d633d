/* The linear form of generalized-alpha: that of vector spaces where they are, and the same in other descriptions. */
#include "chart_alpha_cases.h"

/* In a vector space both are generalized-alpha, if the mass matrix is constant: also with multipliers. (C4) */
static void vector_spaces(void **state)
{
    (void)state;
    static const char *const problem[] = {"pendulum", "friction", "rheonomic"};
    for (int i = 0; i < 3; i++)
        for (int f = PH_INDEX3; f <= PH_INDEX2; f++)
            for (int k = 0; k < 2; k++) {
                ph_options a = paper(both[k], 0.01), b = paper(GEOMETRIC, 0.01);
                a.formulation = b.formulation = (ph_formulation)f;
                check_le(apart(problem[i], &a, &b, 100), 1e-10); /* round-off, over h^2 in lambda */
                if (k == 0) {
                    a.start = b.start = PH_PERTURBED;
                    check_le(apart(problem[i], &a, &b, 100), 1e-10); /* round-off */
                }
            }
}

/* One node of R^3 x SO(3), or two. (C5) */
static void descriptions_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_options o = tight(1e-3);
        o.method = both[k];
        ph_problem *p = problem_named("heavy_top"), *r = problem_named("heavy_top_r3xso3");
        ph_sim *x = sim_of(&p->sys, &o, p->q0, p->v0), *y = sim_of(&r->sys, &o, r->q0, r->v0);
        run_sim(x, 100), run_sim(y, 100);
        check_le(max_diff(ph_sim_state(x).q, ph_sim_state(y).q, 7), 1e-11);      /* round-off */
        check_le(max_diff(ph_sim_state(x).vdot, ph_sim_state(y).vdot, 6), 1e-5); /* round-off over h^2 */
        check_le(max_diff(ph_sim_state(x).lambda, ph_sim_state(y).lambda, 3), 1e-5);
        ph_sim_destroy(x), ph_sim_destroy(y);
        ph_problem_destroy(p), ph_problem_destroy(r);
    }
}

static ph_status two_kilograms(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 2;
    return PH_OK;
}

static ph_status constant_force(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = -3;
    return PH_OK;
}

/* The first guess of a step is the solution where the acceleration is constant, so that the first increment is at round-off. */
static void first_guesses_are_exact(void **state)
{
    (void)state;
    static const ph_node point = {.group = PH_RN, .n = 1, .name = "x"};
    ph_system fall = {.name = "fall",
                      .n_nodes = 1,
                      .nodes = &point,
                      .flags = PH_MASS_CONSTANT,
                      .M = two_kilograms,
                      .g = constant_force};
    const double q0 = 0, v0 = -1;
    for (int k = 0; k < 3; k++) {
        ph_options o = paper(k < 2 ? both[k] : GEOMETRIC, 0.1);
        ph_sim *sim = sim_of(&fall, &o, &q0, &v0);
        run_sim(sim, 10);
        assert_int_equal(ph_sim_stats(sim).iterations, 10);   /* exact */
        check_near(ph_sim_state(sim).q[0], -1 + 0.75, 1e-14); /* reference: v t + a t^2/2; round-off */
        ph_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_spaces),
        cmocka_unit_test(descriptions_agree),
        cmocka_unit_test(first_guesses_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
