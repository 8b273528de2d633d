/* Constant steps that fail are divided (RB5): when, into which parts, at which order, and with which derivatives. */
#include "event_cases.h"
#include "run/private.h"
#include "sens/sens.h"

#define CASES PH_TEST_DIR "/models/"

/* Every step `every` begins in parts of 2^-3 of its size, as after a failure; parts grow from there. */
static void go_divided(ph_run *run, double t, long every)
{
    ph_error err = {0};
    for (long k = 1; ph_run_time(run) < t - 1e-9; k++) {
        if (k % every == 0)
            run->sim->depth = 4;
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
    }
}

typedef struct ends {
    double q[3], v[3], lambda[3];
} ends;

static ends ends_of(ph_run *run)
{
    ends e;
    double reaction[PH_SENSOR_MAX];
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "x"), e.q), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "v"), e.v), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "force"), reaction), PH_OK);
    memcpy(e.lambda, reaction, sizeof e.lambda);
    return e;
}

/* Parts restart, and restarts keep the order of the method, in q, v and lambda. */
static void order_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int order, every;
    } rows[] = {{"formulation=ggl", 2, 7},           {"formulation=index2", 2, 7},
                {"formulation=index3", 2, 7},        {"formulation=ggl", 2, 2},
                {"method=bliedf order=2", 2, 7},     {"method=bliedf", 3, 7},
                {"method=rkmk tableau=radau2", 3, 7}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ends e[4];
        for (int i = 0; i < 4; i++) {
            char options[160];
            snprintf(options, sizeof options, "%s h=%g t_end=0.8", rows[k].options, 4e-3 / (1 << i));
            ph_run *run = open_path(CASES "sprung_arm.lua", options);
            go_divided(run, 0.8, rows[k].every);
            e[i] = ends_of(run);
            ph_run_close(run);
        }
        for (int i = 0; i + 2 < 4; i++) {
            const double *a[] = {e[i].q, e[i].v, e[i].lambda};
            const double *b[] = {e[i + 1].q, e[i + 1].v, e[i + 1].lambda};
            const double *c[] = {e[i + 2].q, e[i + 2].v, e[i + 2].lambda};
            for (int j = 0; j < 3; j++) {
                double order = log2(max_diff(a[j], b[j], 3) / max_diff(b[j], c[j], 3));
                check_near(order, rows[k].order, 0.15); /* order */
            }
        }
    }
}

static ph_stats counts_of(const ph_run *run)
{
    return ph_run_summarise(run).stats;
}

/* Runs that would end go on, with all methods; what they count, and their grid. */
static void failed_steps_are_divided(void **state)
{
    (void)state;
    static const char *const options[] = {"h=1e-3",
                                          "h=2e-3 formulation=index3",
                                          "h=1e-3 formulation=index2",
                                          "h=1e-3 method=bliedf",
                                          "h=2e-3 method=bliedf order=2",
                                          "h=2e-3 method=rkmk tableau=radau3",
                                          "h=1e-3 method=linear-alpha",
                                          "h=1e-3 newton=full"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        char never[160];
        ph_error err = {0};
        snprintf(never, sizeof never, "%s halvings=0", options[k]);
        ph_run *run = open_path(CASES "marbles.lua", never);
        assert_int_equal(ph_run_until(run, 0.4, &err), PH_E_NEWTON);
        assert_null(strstr(err.text, "also with"));
        double failed = ph_run_time(run);
        assert_int_equal(counts_of(run).divided, 0);
        ph_run_close(run);
        run = open_path(CASES "marbles.lua", options[k]);
        go(run, 0.4);
        ph_stats st = counts_of(run);
        double h = ph_run_options(run).h;
        assert_true(st.divided > 0 && st.divided < st.steps / 5);
        assert_int_equal(st.steps, lround(0.4 / h));
        assert_true(st.smallest >= h / 512 && st.smallest <= h / 2);
        assert_true(st.first_divided <= failed + 1e-12); /* round-off; earlier if a contact closes (RB6) */
        ph_run_close(run);
    }
}

/* The same bits again, and from a state that was saved at any point: on the grid, and between two parts. */
static void saved_between_parts(void **state)
{
    (void)state;
    static const char *const options[] = {"h=1e-3", "h=1e-3 method=bliedf", "h=1e-3 newton=modified"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_run *run = open_path(CASES "marbles.lua", options[k]);
        ph_run *other = open_path(CASES "marbles.lua", options[k]);
        ph_error err = {0};
        go(run, 0.1);
        while (!run->sim->depth) /* until a step was divided, after its first part */
            assert_int_equal(ph_sim_step_part(run->sim, &err), PH_OK);
        size_t size = ph_sim_save_size(run->sim);
        void *kept = malloc(size);
        assert_int_equal(ph_sim_save(run->sim, kept, size), PH_OK);
        assert_int_equal(ph_sim_run_until(run->sim, 0.2, NULL, NULL, &err), PH_OK);
        go(other, 0.02);
        assert_int_equal(ph_sim_restore(other->sim, kept, size, &err), PH_OK);
        assert_int_equal(ph_sim_run_until(other->sim, 0.2, NULL, NULL, &err), PH_OK);
        ph_state a = ph_sim_state(run->sim), b = ph_sim_state(other->sim);
        size_t nq = (size_t)ph_system_nq(run->sys), nv = (size_t)ph_system_nv(run->sys);
        assert_memory_equal(a.q, b.q, sizeof(double) * nq);
        assert_memory_equal(a.v, b.v, sizeof(double) * nv);
        ph_stats x = ph_sim_stats(run->sim), y = ph_sim_stats(other->sim);
        assert_int_equal(x.divided, y.divided);
        assert_true(x.smallest == y.smallest && x.first_divided == y.first_divided);
        ph_run *third = open_path(CASES "marbles.lua", options[k]);
        go(third, 0.2);
        b = ph_sim_state(third->sim);
        assert_memory_equal(a.q, b.q, sizeof(double) * nq);
        assert_memory_equal(a.v, b.v, sizeof(double) * nv);
        free(kept);
        ph_run_close(run), ph_run_close(other), ph_run_close(third);
    }
}

/* A drive pulls two links of 0.4 m until they are stretched, at 0.0714616021 s: no part goes beyond. */
static void no_solution(void **state)
{
    (void)state;
    static const char text[] =
        "local l, a = 0.4, 0.3\n"
        "local x, z, J = l*math.cos(a), l*math.sin(a), {1e-3, 0.013, 0.013}\n"
        "body{ name = 'upper', mass = 1, inertia = J, position = {x/2, 0, z/2} }\n"
        "body{ name = 'lower', mass = 1, inertia = J, position = {1.5*x, 0, z/2} }\n"
        "body{ name = 'ram', mass = 5, inertia = {1, 1, 1}, position = {2*x, 0, 0} }\n"
        "joint{ type = 'revolute', name = 'j0', bodies = {'ground', 'upper'}, at = {0, 0, 0}, axis = {0, 1, "
        "0} }\n"
        "joint{ type = 'revolute', name = 'j1', bodies = {'upper', 'lower'}, at = {x, 0, z}, axis = {0, 1, "
        "0} }\n"
        "joint{ type = 'spherical', name = 'j2', bodies = {'lower', 'ram'}, at = {2*x, 0, 0} }\n"
        "joint{ type = 'prismatic', name = 'j3', bodies = {'ground', 'ram'}, at = {0, 0, 0}, axis = {1, 0, "
        "0}, drive = "
        "function(t) return t/2 end }\n"
        "run{ t_end = 1 }";
    double end = 2 * (0.8 - 0.8 * cos(0.3));
    static const double h[] = {1e-2, 1e-3, 1e-4};
    for (int k = 0; k < 3; k++) {
        char options[64];
        ph_error err = {0};
        snprintf(options, sizeof options, "h=%g", h[k]);
        ph_run *run = open_text(text, options);
        ph_status s = ph_run_until(run, 1, &err);
        assert_true(s == PH_E_NEWTON || s == PH_E_SINGULAR);
        ph_run_trouble f = ph_run_failure(run);
        double last = atof(strstr(err.text, "from t = ") + 9);
        check_near(last, end, h[k] / 256); /* two of the smallest parts, and nine digits */
        assert_true(ph_run_time(run) <= end && ph_run_time(run) > end - h[k]); /* the state before the step */
        check_near(f.h, h[k], 1e-6 * h[k]);           /* the step is rounded to divide t_end */
        assert_true(f.t >= end && f.t <= end + h[k]); /* the undivided step ends on the grid */
        assert_non_null(strstr(err.text, "; also with steps of 1.95e-0"));
        assert_null(strstr(err.text, "use a smaller step"));
        assert_non_null(strstr(err.text, "tol = 1e-4"));
        assert_int_equal(counts_of(run).steps, (int)(end / h[k]));
        ph_run_close(run);
    }
}

/* The arm with every 7th step divided: derivatives that follow it, and the gradient, are those of differences. */
static double height_of(const char *options, double k, long every)
{
    char all[160];
    snprintf(all, sizeof all, "%s", options);
    ph_run *run = open_path(CASES "sprung_arm.lua", all);
    ph_error err = {0};
    double value, q[3];
    ph_setting stiffness = {"k", k};
    if (ph_run_set_parameters(run, &stiffness, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    go_divided(run, 0.4, every);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "x"), q), PH_OK);
    value = q[2];
    ph_run_close(run);
    return value;
}

static void derivatives_follow_parts(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        long every;
    } rows[] = {
        {"h=1e-3", 7},
        {"h=1e-3", 2},
        {"h=1e-3 formulation=index3", 7},
        {"h=1e-3 formulation=index2", 7}, /* every 2nd: runs nearby project other drifts than this one */
        {"h=1e-3 start=plain newton=full", 2},
        {"h=1e-3 method=bliedf", 2}};
    static const double w[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *options = rows[k].options;
        ph_run *run = open_path(CASES "sprung_arm.lua", options);
        ph_error err = {0};
        double d[3], by_differences = 0;
        int stiffness = ph_run_find(run, PH_PARAMETERS, "k");
        assert_int_equal(ph_run_follow(run, &stiffness, 1, &err), PH_OK);
        go_divided(run, 0.4, rows[k].every);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "x"), 0, d),
                         PH_OK);
        ph_run_close(run);
        for (int i = 0; i < 4; i++)
            by_differences +=
                w[i] * height_of(options, 50 + 0.2 * (i < 2 ? i - 2 : i - 1), rows[k].every) / 0.2;
        check_le(fabs(d[2] / by_differences - 1), 1e-9); /* derivative: (0.2/50)^4, round-off of 1e-12 */
    }
}

/* Contacts that are divided on the way: the gradient is that of derivatives that follow the steps, and the observer sees each
 * point once. */
static ph_status count_points(ph_run *run, int why, void *ctx)
{
    (void)run, (void)why;
    ++*(long *)ctx;
    return PH_OK;
}

static void gradients_of_divided_runs(void **state)
{
    (void)state;
    static const char *const options[] = {"h=1e-3 t_end=0.15", "h=1e-3 t_end=0.15 method=bliedf"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_run *run = open_path(CASES "marbles.lua", options[k]);
        ph_error err = {0};
        double value, gradient, followed;
        long points = 0;
        int stiffness = ph_run_find(run, PH_PARAMETERS, "k"),
            objective = ph_run_find(run, PH_OBJECTIVES, "place");
        ph_run_observe(run, count_points, &points);
        if (ph_run_gradient(run, objective, &stiffness, 1, 0, &value, &gradient, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_true(counts_of(run).divided > 0);
        assert_int_equal(points, 151);
        ph_run_observe(run, NULL, NULL);
        assert_int_equal(ph_run_reset(run, &err), PH_OK);
        assert_int_equal(ph_run_follow(run, &stiffness, 1, &err), PH_OK);
        go(run, 0.15);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, objective, 0, &followed), PH_OK);
        assert_true(gradient != 0);
        check_le(fabs(gradient / followed - 1), 1e-8); /* derivative: steps follow each other as before */
        ph_run_close(run);
    }
}

/* Integrals, statistics over time and events see the parts; rows and the observer see the grid. */
static void what_others_see(void **state)
{
    (void)state;
    ph_run *run = open_path(CASES "sprung_arm.lua", "h=1e-2 t_end=0.4");
    ph_run *fine = open_path(CASES "sprung_arm.lua", "h=1e-4 t_end=0.4");
    ph_error err = {0};
    double t, v[2];
    long points = 0;
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "x"), NULL, &err), PH_OK);
    ph_run_observe(run, count_points, &points);
    for (int k = 1; k <= 40; k++) {
        run->sim->depth = k % 5 ? 0 : 4;
        go(run, 0.01 * k);
    }
    long rows;
    int columns;
    const double *row = ph_run_rows(run, &rows, &columns);
    assert_int_equal(rows, 41);
    assert_int_equal(points, 41);
    for (int k = 0; k < 41; k++)
        check_near(row[k * columns], 0.01 * k, 1e-12); /* round-off */
    t = ph_run_time(run);
    check_near(t, 0.4, 1e-12); /* round-off */
    assert_int_equal(counts_of(run).divided, 8);
    go(fine, 0.4);
    int objective = ph_run_find(run, PH_OBJECTIVES, "swing");
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, objective, &v[0]), PH_OK);
    assert_int_equal(ph_run_get(fine, PH_GET_OBJECTIVE, objective, &v[1]), PH_OK);
    check_near(v[0], v[1],
               5e-4 * fabs(v[1])); /* order: the trapezoidal rule with h = 1e-2, uneven parts among them */
    ph_run_close(run), ph_run_close(fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(failed_steps_are_divided),
        cmocka_unit_test(saved_between_parts),
        cmocka_unit_test(no_solution),
        cmocka_unit_test(derivatives_follow_parts),
        cmocka_unit_test(gradients_of_divided_runs),
        cmocka_unit_test(what_others_see),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
