/* The error measure against trajectories made by hand. */
#include "problem/problem.h"
#include "study/track.h"
#include "model_file.h"

/* ---- rows --------------------------------------------------------------------------------------------- */

/* log(q^-1 q o exp(d)) = d: round-off of a composition. */
static void distance_of_increment(const char *problem)
{
    ph_problem *p = ph_problem_create(problem, NULL);
    ph_probe *probe = ph_probe_create(&p->sys, NULL, 0, NULL);
    uint64_t seed = 7;
    double a[64], b[64], d[64], out[PH_MEASURES], sum = 0;
    assert_non_null(probe);
    assert_true(probe->size <= 64);
    for (int i = 0; i < probe->size; i++)
        a[i] = b[i] = rnd(&seed);
    for (int i = 0; i < probe->n_parts; i++) {
        const ph_probe_part *t = &probe->part[i];
        const ph_group_ops *op = ph_group_get(t->group);
        for (int k = 0; k < ph_group_dim(t->group, t->n); k++)
            d[k] = 0.7 * rnd(&seed), sum += d[k] * d[k];
        if (op->quat >= 0) { /* a unit quaternion */
            double *u = a + t->q + op->quat, n = norm2(u, 4);
            for (int k = 0; k < 4; k++)
                u[k] /= n;
        }
        op->exp(t->n, d, b + t->q);
        op->compose(t->n, a + t->q, b + t->q, b + t->q);
        if (op->quat >= 0) /* -q is the same rotation */
            for (int k = 0; k < 4; k++)
                b[t->q + op->quat + k] *= -1;
    }
    ph_probe_distance(probe, a, b, out);
    check_near(out[PH_OF_Q], sqrt(sum), 1e-14);
    check_le(out[PH_OF_V], 0);
    b[probe->nq] += 3, b[probe->nq + 1] -= 4;
    if (probe->nl)
        b[probe->nq + 2 * probe->nv] += 2;
    b[probe->nq + probe->nv] += 0.5;
    ph_probe_distance(probe, a, b, out);
    check_near(out[PH_OF_V], 5, 1e-14);
    check_near(out[PH_OF_VDOT], 0.5, 1e-14);
    check_near(out[PH_OF_LAMBDA], probe->nl ? 2 : 0, 1e-14);
    b[0] = NAN;
    ph_probe_distance(probe, a, b, out);
    assert_true(isnan(out[PH_OF_Q]));
    ph_probe_destroy(probe);
    ph_problem_destroy(p);
}

static void test_increments(void **unused)
{
    (void)unused;
    distance_of_increment("heavy_top");
    distance_of_increment("heavy_top_r3xso3");
    distance_of_increment("heavy_top_se3");
    distance_of_increment("free_body");
    distance_of_increment("pendulum");
}

/* ---- models ------------------------------------------------------------------------------------------- */

static const char two_bodies[] =
    "model \"two\"\n"
    "gravity {0, 0, -9.81}\n"
    "body { name = \"a\", mass = 2, inertia = {1, 2, 2.5}, position = {0.3, 0.2, 0.1},\n"
    "       rotation = {axis = {1, 2, 3}, angle = 0.8}, velocity = {1, 2, 3},\n"
    "       omega = {0.4, -0.5, 0.6} }\n"
    "particle { name = \"p\", mass = 1, position = {1, 1, 1}, velocity = {0, 1, 0} }\n"
    "sensor { name = \"turn\", type = \"rotation\", body = \"a\" }\n"
    "sensor { name = \"energy\", type = \"energy\" }\n"
    "run { h = 1e-3, t_end = 0.1 }\n";

/* The same motion in every space gives the same row: positions, rotations and velocities are physical. */
static void test_spaces(void **unused)
{
    (void)unused;
    static const int sensors[] = {0, 1};
    double row[PH_SPACE_COUNT][64], out[PH_MEASURES];
    ph_model *model = read_text(two_bodies);
    for (int space = 0; space < PH_SPACE_COUNT; space++) {
        ph_error err;
        ph_run *run;
        ph_run_config c = ph_run_defaults();
        char option[64];
        const char *const options[] = {option, "h=1e-3", "start=plain"};
        snprintf(option, sizeof option, "space=%s", ph_space_word(space));
        c.options = options, c.n_options = 3;
        assert_int_equal(ph_run_create(&run, model, &c, &err), PH_OK);
        ph_probe *probe = ph_probe_create(ph_run_system(run), run, 2, sensors);
        assert_non_null(probe);
        assert_int_equal(probe->n_parts, 3); /* R^3 and SO(3) of the body, R^3 of the particle */
        assert_int_equal(probe->nl, 0);      /* norms of Euler parameters do not count */
        ph_state s = ph_sim_state(ph_run_sim(run));
        ph_probe_read(probe, &s, row[space]);
        ph_probe_distance(probe, row[0], row[space], out);
        /* round-off of 1e-14 in transformations; accelerations come from a linear solve */
        for (int m = 0; m < probe->n_measures; m++)
            check_le(out[m], m == PH_OF_VDOT ? 1e-11 : 1e-13);
        /* velocities in the row are those of the file: world and body components */
        const double v[] = {1, 2, 3, 0.4, -0.5, 0.6, 0, 1, 0};
        check_le(max_diff(row[space] + probe->nq, v, 9), 1e-13);
        ph_probe_destroy(probe);
        ph_run_close(run);
    }
    ph_model_free(model);
}

/* A sensor that gives a rotation is compared as one: the sign of a quaternion means nothing. */
static void test_rotation_sensor(void **unused)
{
    (void)unused;
    static const int sensors[] = {0};
    ph_model *model = read_text(two_bodies);
    ph_run *run;
    ph_error err;
    double a[64] = {0}, b[64] = {0}, out[PH_MEASURES];
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    ph_probe *probe = ph_probe_create(ph_run_system(run), run, 1, sensors);
    a[3] = b[3] = a[probe->sensor_at[0]] = 1;
    b[probe->sensor_at[0]] = -cos(0.15), b[probe->sensor_at[0] + 2] = -sin(0.15);
    ph_probe_distance(probe, a, b, out);
    check_near(out[PH_OF_SENSOR], 0.3, 1e-14);
    check_near(out[PH_OF_Q], 0, 1e-14);
    ph_probe_destroy(probe);
    ph_run_close(run);
    ph_model_free(model);
}

/* ---- comparisons -------------------------------------------------------------------------------------- */

/* x(t) = t^2 on R^2 against t^2 + 0.1 (1 - t) in the first coordinate: the error at t is 0.1 (1 - t). */
static void compare(double from, long n_run, long n_track, long times, double error)
{
    ph_problem *p = ph_problem_create("pendulum", NULL);
    ph_probe *probe = ph_probe_create(&p->sys, NULL, 0, NULL);
    ph_track track;
    ph_comparison c;
    int q_at[1] = {0}, l_at[1] = {0};
    assert_true(ph_track_create(&track, n_track + 1, probe->size));
    for (long k = 0; k <= n_track; k++) {
        track.t[k] = (double)k / (double)n_track;
        track.row[k * track.size] = track.t[k] * track.t[k];
    }
    assert_true(ph_comparison_begin(&c, probe, &track, from, 1e-9));
    for (long k = 0; k <= n_run; k++) {
        double t = (double)k / (double)n_run, q[2] = {t * t + 0.1 * (1 - t), 0}, zero[2] = {0};
        ph_state s = {.t = t,
                      .q = q,
                      .v = zero,
                      .vdot = zero,
                      .lambda = zero,
                      .q_at = q_at,
                      .v_at = q_at,
                      .l_at = l_at};
        ph_comparison_see(&c, &s);
    }
    assert_int_equal(c.times, times);
    check_near(c.error[PH_OF_Q], error, 1e-15);
    check_le(c.error[PH_OF_V], 0);
    ph_comparison_end(&c);
    ph_track_clear(&track);
    ph_probe_destroy(probe);
    ph_problem_destroy(p);
}

static void test_times(void **unused)
{
    (void)unused;
    compare(0, 10, 10, 11, 0.1);
    compare(0, 10, 40, 11, 0.1);
    compare(0, 40, 10, 11, 0.1);
    compare(0, 15, 10, 6, 0.1); /* multiples of 1/5 */
    compare(0.5, 10, 20, 6, 0.05);
    compare(1, 10, 20, 1, 0);
    compare(0, 7, 10, 2, 0.1); /* only the ends */
}

/* NAN in a run is no small error, and a measure that the track does not have is none. */
static void test_not_finite(void **unused)
{
    (void)unused;
    ph_problem *p = ph_problem_create("pendulum", NULL);
    ph_probe *probe = ph_probe_create(&p->sys, NULL, 0, NULL);
    ph_track track;
    ph_comparison c;
    int at[1] = {0};
    double q[2] = {0}, bad[2] = {NAN, 0}, zero[2] = {0};
    assert_true(ph_track_create(&track, 2, probe->size));
    track.t[1] = 1, track.missing = 1u << PH_OF_LAMBDA;
    assert_true(ph_comparison_begin(&c, probe, &track, 0, 1e-9));
    ph_state s = {.t = 0, .q = q, .v = bad, .vdot = zero, .lambda = zero, .q_at = at, .v_at = at, .l_at = at};
    ph_comparison_see(&c, &s);
    s.t = 1, s.v = zero;
    ph_comparison_see(&c, &s);
    check_le(c.error[PH_OF_Q], 0);
    assert_true(isnan(c.error[PH_OF_V]));
    assert_true(isnan(c.error[PH_OF_LAMBDA]));
    ph_comparison_end(&c);
    ph_track_clear(&track);
    ph_probe_destroy(probe);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_increments), cmocka_unit_test(test_spaces),
                                       cmocka_unit_test(test_rotation_sensor), cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
