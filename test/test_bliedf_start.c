/* The start of BLieDF: exact past values, or plain ones. */
#include "bliedf_cases.h"

/* Steps of order 1, 2, ... cost the order: 2 at the end, and in index-3 an error of lambda that no h
 * cures. */
static void plain_start(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = 0; f < FORMS; f += 2) {
        ph_options o = options(4, PH_IN_EXP, forms[f], 5e-4);
        o.start = PH_PLAIN;
        errors a = run_errors(p, p->v0, &o, 0.1, 0, NULL), a_end = run_errors(p, p->v0, &o, 0.1, 0.1, NULL);
        o.h /= 2;
        errors b = run_errors(p, p->v0, &o, 0.1, 0, NULL), b_end = run_errors(p, p->v0, &o, 0.1, 0.1, NULL);
        check_order(a_end.q, b_end.q, 2, 0.1, 0); /* order */
        check_order(a_end.lambda, b_end.lambda, 2, 0.1, 0);
        check_order(a.lambda, b.lambda, f == 0 ? 0 : 1, 0.1, 0);
    }
    ph_problem_destroy(p);
}

/* The start is exact up to round-off; index-3 then perturbs v in the directions of the constraints by what
 * the formula makes of the exact motion (D9), and q stays exact. */
static void start_is_exact(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    double q[7], v[6], vdot[6], lambda[3], position, velocity;
    for (int f = 0; f < FORMS; f++)
        for (int k = 1; k <= 6; k++) {
            ph_options o = options(k, PH_IN_EXP, forms[f], 1e-3);
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            for (int n = 1; n < (forms[f] == PH_INDEX3 ? 2 * k : k); n++) {
                run_sim(sim, 1);
                ph_state s = ph_sim_state(sim);
                assert_true(p->exact(p, s.t, q, v, vdot, lambda));
                check_le(turn_gap(&p->sys, s.q, q), 1e-13); /* round-off of the start and its tolerance */
                check_le(gap(s.lambda, lambda, 3), 1e-10);
                assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
                if (n < k)
                    check_le(gap(s.v, v, 6), 1e-11);
                else
                    assert_true(velocity > 1e-9 && velocity < 1); /* C h^k */
            }
            assert_int_equal(ph_sim_stats(sim).iterations, 0);
            run_sim(sim, 1);
            assert_true(ph_sim_stats(sim).iterations > 0);
            ph_sim_destroy(sim);
        }
    ph_problem_destroy(p);
}

/* A loaded state starts again, with starting values of its own: the same to the order of the method. */
static void load_starts_again(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f += 2) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = options(4, PH_IN_EXP, forms[f], 5e-4);
        ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(a, 30), run_sim(b, 3);
        ph_state s = ph_sim_state(a);
        assert_int_equal(ph_sim_load(b, &s, NULL), PH_OK);
        snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
        assert_true(same_bits(&x, &y)); /* exact */
        free(x.x), free(y.x);
        run_sim(a, 40), run_sim(b, 40);
        x = snap(a, &p->sys), y = snap(b, &p->sys);
        check_le(distance(&x, &y), 1e-4); /* order: both are within C h^4 of the motion */
        free(x.x), free(y.x);
        ph_sim_destroy(a), ph_sim_destroy(b);
        ph_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_start),
        cmocka_unit_test(start_is_exact),
        cmocka_unit_test(load_starts_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
