/* Steps ahead of a grid: it keeps the tolerance. */
#include "control_cases.h"

/* Between the ends of steps, at every point of a fine grid: dense output keeps tol, in lambda and vdot
 * too. */
static void grid_keeps_tolerance(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri5", "dopri8", "rk4", "gauss4", "gauss5"};
    ph_problem *p = problem_named("heavy_top");
    for (int k = 0; k < 5; k++) {
        ph_options o = controlled(name[k], 1e-8, 0.05 / 193);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        double q[7], v[6], vdot[6], lambda[3], position, velocity;
        for (int n = 0; n < 193; n++) {
            assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
            ph_state s = ph_sim_state(sim);
            assert_true(p->exact(p, s.t, q, v, vdot, lambda));
            check_le(error_at_end(&p->sys, q, v, &s), 1e-8);  /* invariant: tol */
            check_le(max_diff(s.vdot, vdot, 6), 1e-7 * 1000); /* of accelerations of 1000, forces of 500 */
            check_le(max_diff(s.lambda, lambda, 3), 1e-7 * 500);
            assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
            check_le(position, 1e-15 * 4); /* round-off */
            check_le(velocity, 2e-13);
        }
        assert_true(ph_sim_stats(sim).accepted < 193); /* so that most points lie between steps */
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

/* A rotation at constant speed has no error at all, and its chart ends at 2 pi. */
static void fast_spin(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    double v0[3] = {0, 0, 100}, t = 1;
    ph_options o = controlled("dopri5", 1e-9, 0);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, v0);
    run_to(sim, t);
    ph_stats st = ph_sim_stats(sim);
    assert_int_equal(st.rejected, 0);
    assert_true(st.h_most * 100 < 3.14 && st.accepted < 60);
    ph_state s = ph_sim_state(sim);
    check_near(fabs(s.q[0]), fabs(cos(50 * t)), 1e-12); /* round-off: 100 rad */
    check_near(fabs(s.q[3]), fabs(sin(50 * t)), 1e-12);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* (VS14): a mechanism whose drive leaves it no freedom has errors of accelerations and multipliers alone. Forces of its
 * bearing follow tol; without (VS14) steps of 2.5 rad give -753 N for -530 N, whatever tol is. */
static void driven_motions_are_resolved(void **state)
{
    (void)state;
    opened m;
    open_model(&m, "balanced_crank", NULL, PH_SPACE_R3XSO3);
    for (int f = PH_INDEX3; f <= PH_GGL + 1; f++)
        for (int k = 0; k < 2; k++) {
            ph_options o = ph_default_options();
            o.tol = k == 0 ? 1e-3 : 1e-5, o.h = 0;
            o.formulation = f > PH_GGL ? PH_GGL : (ph_formulation)f;
            if (f > PH_GGL)
                o.method = "bliedf";
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
            double force[6];
            run_to(sim, 2 * acos(-1) / 100);
            sensor_of(&m, sim, "force", force);
            check_near(force[0], -530,
                       530 * 20 * o.tol); /* reference: statics of the slider-crank; 8 tol are seen */
            ph_sim_destroy(sim);
        }
    open_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_keeps_tolerance),
        cmocka_unit_test(fast_spin),
        cmocka_unit_test(driven_motions_are_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
