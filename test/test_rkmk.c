/* Runge-Kutta-Munthe-Kaas methods: orders of every tableau, and a tableau that is not there. */
#include "rkmk_cases.h"

static void orders_without_constraints(void **state)
{
    (void)state;
    static const long ball[ROWS] = {4000, 400, 200, 100, 10}, body[ROWS] = {8000, 400, 200, 80, 0};
    ph_problem *p = problem_named("spring_ball"), *b = problem_named("free_body");
    for (int row = 0; row < ROWS; row++) {
        int order = tableau(explicit_row[row]).order;
        /* of order 8 two halvings are all that there is between large steps and round-off */
        check_order_within(p, explicit_row[row], 2, ball[row], order, order < 8 ? 0.15 : 0.5);
        if (body[row])
            check_order(b, explicit_row[row], 2, body[row], order);
    }
    ph_problem_destroy(p);
    ph_problem_destroy(b);
}

/* Constraints cost no order, in positions, velocities and multipliers. (K2), (K4) */
static void orders_heavy_top(void **state)
{
    (void)state;
    static const char *const name[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3"};
    for (int k = 0; k < 3; k++) {
        ph_problem *p = problem_named(name[k]);
        check_order(p, "heun", 0.1, 4000, 2);
        check_order(p, "rk4", 0.1, 200, 4);
        check_order(p, "dopri5", 0.1, 200, 5);
        if (k < 2) /* two halvings between large steps and round-off */
            check_order_within(p, "dopri8", 0.1, 20, 8, 0.6);
        ph_options o = rkmk("dopri8", 0.1 / 40);
        check_le(errors(p, &o, 40).q, 1e-11); /* order: 0.375 rad in a step */
        ph_problem_destroy(p);
    }
}

static void unknown_tableau(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    static const char *const bad[] = {"rk99", "", NULL};
    for (int k = 0; k < 3; k++) {
        ph_options o = rkmk(bad[k], 0.01);
        ph_sim *sim;
        ph_error err = {0};
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "dopri5"));
    }
    ph_options o = rkmk("Dormand-Prince 8", 0.01);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    assert_string_equal(ph_sim_options(sim).tableau, "dopri8");
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_without_constraints),
        cmocka_unit_test(orders_heavy_top),
        cmocka_unit_test(unknown_tableau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
