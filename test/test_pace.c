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

/* Errors are compared with the sizes of positions and velocities, or with 1; at rest, with the size of bodies. */
static void measures_by_definition(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "heavy_top", "dopri5", 1e-4);
    int nv = b.sim->lay.nv;
    double dq[6] = {0}, dv[6] = {0}; /* position and rotation of the body */
    assert_int_equal(nv, 6);
    for (int k = 0; k < 2; k++) {
        double x = k ? 1e-2 : 3, v = k ? 2e-2 : 5, w = k ? 1e-3 : 7, body = 0.5, rest = 0.1;
        memset(b.from.q, 0, sizeof(double) * 7), memset(b.from.v, 0, sizeof(double) * 6);
        const ph_slot *slot = b.sim->lay.slot;
        int at = slot[0].rot ? 0 : 1, turn = 1 - at;
        assert_int_equal(b.sim->lay.N, 2);
        int px = slot[at].v_at, rx = slot[turn].v_at;
        b.from.q[slot[at].q_at] = x, b.from.q[slot[turn].q_at] = 1, b.from.v[px + 1] = -v,
        b.from.v[rx + 2] = w;
        for (int still = 0; still < 3; still++) { /* 2: points, which have no size */
            int known = still == 1;
            b.sim->matrix.body = still < 2 ? body : 0;
            double X = fmax(x, known ? body : 1), V = fmax(v, known ? rest * X : 1),
                   W = fmax(w, known ? rest : 1);
            const double expected[] = {1 / X, 1, 1 / V, 1 / W};
            for (int i = 0; i < 4; i++) {
                double *d = i < 2 ? dq : dv;
                int place = i % 2 ? rx + 1 : px;
                d[place] = -1;
                check_near(ph_pace_measure(b.sim, still ? rest : 0, &b.from, dq, dv) / expected[i], 1,
                           1e-14); /* round-off */
                d[place] = 0;
            }
        }
        b.sim->largest = (ph_largest){x, v, w};
        double X = fmax(x, 1), V = fmax(v, 1), W = fmax(w, 1);
        for (int i = 0; i < 9; i++) {
            double T = exp2(i % 3 - 1), r = exp2(2 * (i / 3) - 1);
            double translations = ph_pace_measure_rate(b.sim, &b.c.pace, T, r, (ph_size){{2, 0}}),
                   rotations = ph_pace_measure_rate(b.sim, &b.c.pace, T, r, (ph_size){{0, 3}});
            check_near(translations / (2 * fmax(T / X, r / V) / 1e-4), 1, 1e-14); /* round-off */
            check_near(rotations / (3 * fmax(T, r / W) / 1e-4), 1, 1e-14);
        }
    }
    bench_close(&b);
}

/* Steps that no clock could tell apart are not made: late, that is much longer than early. */
static void late_steps_get_too_small(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    const ph_system sys = {
        .name = "tangent", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .M = one, .g = grow};
    double x = 0, from = 1e6;
    ph_options o = controlled("dopri5", 1e-8, 0);
    ph_sim *sim;
    ph_error err = {0};
    assert_int_equal(ph_sim_create(&sim, &sys, &o, from, &x, &x, &err), PH_OK);
    assert_int_equal(ph_sim_run_until(sim, from + 2, NULL, NULL, &err), PH_E_STEP);
    assert_true(ph_sim_stats(sim).h_least > DBL_EPSILON * from);
    ph_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejections_leave_no_trace),
        cmocka_unit_test(steps_get_too_small),
        cmocka_unit_test(round_off),
        cmocka_unit_test(rest),
        cmocka_unit_test(measures_by_definition),
        cmocka_unit_test(late_steps_get_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
