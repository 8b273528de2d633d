/* Step sizes by error control: rejected steps leave no trace, and sizes that get too small end a run. */
#include "control_cases.h"

/* A step after rejections is the one that the accepted size gives at once, to the bit. */
static void rejections_leave_no_trace(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri5", "dopri8", "rk4"};
    for (int k = 0; k < 3; k++) {
        bench b;
        bench_open(&b, "heavy_top", name[k], 1e-9);
        b.c.pace.h = 0.5; /* 75 rad: cut by the turn, then by the error */
        assert_int_equal(ph_control_step(b.sim, &b.c, &b.rk, &b.from, 1, &b.to), PH_OK);
        long rejected = b.sim->stats.rejected;
        assert_true(rejected > 0);
        assert_int_equal(b.sim->reason[0], 0);
        b.c.pace.h = b.to.t - b.from.t, b.c.pace.last = 0;
        assert_int_equal(ph_control_step(b.sim, &b.c, &b.rk, &b.from, 1, &b.other), PH_OK);
        assert_int_equal(b.sim->stats.rejected, rejected);
        assert_true(b.to.t == b.other.t && point_distance(&b, &b.to, &b.other) == 0); /* exact */
        assert_int_equal(b.sim->stats.accepted, 2);
        bench_close(&b);
    }
}

/* There and back again, with a tolerance near round-off; a tolerance below it ends, too. */
static void round_off(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri8", "rk4", "gauss6", "radau3"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) {
            bench b;
            bench_open(&b, "heavy_top", name[k], i == 0 ? 1e-13 : 1e-17);
            assert_int_equal(ph_control_to(b.sim, &b.c, &b.rk, &b.from, 0.004), PH_OK);
            double q[7], v[6], vdot[6], lambda[3];
            assert_true(b.from.t == 0.004);
            assert_true(b.p->exact(b.p, 0.004, q, v, vdot, lambda));
            check_le(max_diff(b.from.q, q, 7), 1e-14);          /* round-off of some dozen steps */
            check_le(max_diff(b.from.v, v, 6), 1e-14 * 150);    /* velocities of 150 */
            check_le(max_diff(b.from.lambda, lambda, 3), 1e-9); /* forces of 500, accelerations of 1e5 */
            assert_true(b.sim->stats.rejected < 20);
            b.c.pace.h = 0;
            assert_int_equal(ph_control_to(b.sim, &b.c, &b.rk, &b.from, 0), PH_OK);
            check_le(point_distance(&b, &b.from, &b.sim->now), 1e-14 * 150);
            bench_close(&b);
        }
}

/* vdot = 1 + v^2: v = tan t grows beyond all bounds at pi/2. */
static ph_status one(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status grow(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -1 - s->v[0] * s->v[0];
    return PH_OK;
}

static void steps_get_too_small(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    const ph_system sys = {
        .name = "tangent", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .M = one, .g = grow};
    for (int grid = 0; grid < 2; grid++) {
        double x = 0;
        ph_options o = controlled("dopri5", 1e-8, grid ? 0.25 : 0);
        ph_sim *sim = sim_of(&sys, &o, &x, &x);
        ph_error err = {0};
        assert_int_equal(ph_sim_run_until(sim, 2, NULL, NULL, &err), PH_E_STEP);
        if (!strstr(err.text, "too large for tol") && !strstr(err.text, "beyond all bounds"))
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        assert_true(s.t < 1.5708 && isfinite(s.v[0]) && s.v[0] > 10);
        if (grid)
            check_near(s.t, 1.5, 1e-15); /* exact: the last point of the grid */
        ph_sim_destroy(sim);
    }
}

static ph_status nothing(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 0;
    return PH_OK;
}

/* Where nothing happens, errors are 0, and steps grow to the whole run. */
static void rest(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    const ph_system sys = {
        .name = "rest", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .M = one, .g = nothing};
    static const char *const method[] = {"rkmk", "genalpha", "bliedf"};
    for (int k = 0; k < 3; k++) {
        double x = 0;
        ph_options o = controlled("dopri5", 1e-8, 0);
        o.method = method[k];
        ph_sim *sim = sim_of(&sys, &o, &x, &x);
        ph_error err = {0};
        assert_int_equal(ph_sim_run_until(sim, 1, NULL, NULL, &err), PH_OK);
        assert_true(ph_sim_stats(sim).accepted < 100);
        ph_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejections_leave_no_trace),
        cmocka_unit_test(steps_get_too_small),
        cmocka_unit_test(round_off),
        cmocka_unit_test(rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
