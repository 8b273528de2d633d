/* Models of mechatronics against references that do not come from this library: see the heads of their files. */
#include "check.h"

#include <time.h>

#include "polhode/polhode.h"

static ph_run *open_model(const char *name)
{
    char path[256];
    ph_error err = {0};
    ph_run *run;
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s.lua", name);
    if (ph_run_open(&run, path, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

static void finish(ph_run *run)
{
    ph_error err = {0};
    if (ph_run_until(run, ph_run_end(run), &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void sense(ph_run *run, const char *name, double *x)
{
    int k = ph_run_find(run, PH_SENSORS, name);
    assert_true(k >= 0);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, k, x), PH_OK);
}

/* The exponential of a 4 x 4 matrix, with 30 digits. */
static void dc_motor(void **state)
{
    (void)state;
    ph_run *run = open_model("dc_motor");
    double w, i;
    finish(run);
    sense(run, "speed", &w), sense(run, "current", &i);
    check_near(w, 20.0007529500, 1e-6); /* reference; order 2 with h = 1e-3 */
    check_near(i, 1.69985128664, 1e-7); /* reference */
    ph_run_close(run);
}

/* Springs and weight balance: products of exponentials and Newton's method in a program of its own. */
static void robot_arm(void **state)
{
    (void)state;
    static const double q[] = {
        0.5, -0.296941006886, 0.616881878530, 0.400998208673, -0.494415267554, 0.801800601733};
    ph_run *run = open_model("robot_arm");
    finish(run);
    for (int k = 0; k < 6; k++) {
        char name[16];
        double x;
        snprintf(name, sizeof name, "q%d", k + 1);
        sense(run, name, &x);
        check_near(x, q[k], 1e-8); /* reference: what is left of the push after 2.6 s */
    }
    ph_run_close(run);
}

/* The pose that lengths of legs come from, by geometry. */
static void stewart_platform(void **state)
{
    (void)state;
    numbers_alone();
    static const double pose[] = {0.10,          -0.05,         1.30,         0.99718881811,
                                  0.02497656909, 0.04995313818, 0.04995313818};
    ph_run *run = open_model("stewart_platform");
    double x[7];
    finish(run);
    sense(run, "position", x), sense(run, "rotation", x + 3);
    check_le(max_diff(x, pose, 7), 1e-7); /* reference: what the integrals have left to do after 8 s */
    ph_run_close(run);
}

/* The tyre carries all weight. */
static void quarter_car(void **state)
{
    (void)state;
    ph_run *run = open_model("quarter_car");
    ph_error err = {0};
    double hub[3], tyre;
    assert_int_equal(ph_run_static(run, NULL, NULL, &err), PH_OK);
    sense(run, "hub", hub), sense(run, "tyre", &tyre);
    check_near(tyre, 9.81 * 459, 1e-7);                /* reference */
    check_near(hub[2], 0.3 - 9.81 * 459 / 2e5, 1e-12); /* reference */
    ph_run_close(run);
}

/* Both torques balance; the power of the gear is that of the rotor. */
static void drive_train(void **state)
{
    (void)state;
    ph_run *run = open_model("drive_train");
    double w, torque;
    finish(run);
    sense(run, "speed", &w), sense(run, "gear_torque", &torque);
    check_near(w, 2, 1e-4);         /* reference: what is left after 60 s */
    check_near(torque, -2000, 0.1); /* reference: 1e5/50 */
    ph_run_close(run);
}

/* Efforts of driven joints, fed back as inputs to free ones, give the motion: the error falls with order 2. */
static void inverse_dynamics(void **state)
{
    (void)state;
    static const char *const arm =
        "gravity {0, 0, -9.81}\n"
        "body { name = 'a', mass = 3, inertia = {0.1, 0.3, 0.3}, position = {0.5, 0, 0} }\n"
        "body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.2}, position = {1.4, 0, 0} }\n"
        "joint { name = 'p', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = "
        "{0, 1, 0}%s }\n"
        "joint { name = 'q', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, "
        "0}%s }\n%s"
        "run { h = %.17g, t_end = 1 }\n";
    double error[3];
    for (int i = 0; i < 3; i++) {
        int n = 100 << i;
        char text[2048], path[] = "/tmp/polhode_inverse_XXXXXX";
        double *u = calloc((size_t)(3 * (n + 1)), sizeof *u), *t = u + 2 * (n + 1), x[2];
        ph_run *run;
        ph_error err = {0};
        for (int fed = 0; fed < 2; fed++) {
            snprintf(text, sizeof text, arm,
                     fed ? "" : ", drive = function(t) return 0.8*(1 - math.cos(2*t)) end",
                     fed ? "" : ", drive = function(t) return 0.5*t^3 end",
                     fed ? "input { name = 'u' } input { name = 'w' }\n"
                           "actuator { name = 'm', joint = 'p', effort = 'u' } actuator { name = 'n', joint "
                           "= 'q', effort = "
                           "'w' }\n"
                         : "sensor { name = 'e', type = 'effort', of = 'p' } sensor { name = 'f', type = "
                           "'effort', of = 'q' }\n",
                     1.0 / n);
            ph_model *model;
            if (ph_model_read_text(&model, path, text, strlen(text), NULL, 0, NULL, &err) != PH_OK ||
                ph_run_create(&run, model, NULL, &err) != PH_OK)
                fail_msg("%s", err.text);
            ph_model_free(model);
            for (int k = 0; k < 2 && fed; k++)
                assert_int_equal(ph_run_set_input_table(run, k, n + 1, t, u + k * (n + 1), &err), PH_OK);
            for (int step = 0; step <= n; step++) {
                t[step] = ph_run_time(run);
                for (int k = 0; k < 2 && !fed; k++)
                    ph_run_get(run, PH_GET_SENSOR, k, &u[k * (n + 1) + step]);
                if (step < n)
                    assert_int_equal(ph_run_step(run, &err), PH_OK);
            }
            for (int k = 0; k < 2 && fed; k++)
                ph_run_get(run, PH_GET_JOINT_POSITION, k, &x[k]);
            ph_run_close(run);
        }
        error[i] = fmax(fabs(x[0] - 0.8 * (1 - cos(2))), fabs(x[1] - 0.5));
        free(u);
    }
    check_near(log2(error[1] / error[2]), 2, 0.15); /* order */
    check_near(log2(error[0] / error[1]), 2, 0.15); /* order */
}

/* The balance of energy closes with the order of the method: what sources give, dampers take and the sum of both. */
static void balance_falls_with_order(void **state)
{
    (void)state;
    numbers_alone();
    static const struct {
        const char *model;
        double t;
    } cases[] = {{"dc_motor", 0.5},
                 {"robot_arm", 0.5},
                 {"stewart_platform", 0.5},
                 {"quarter_car", 0.5},
                 {"drive_train", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double residual[3];
        for (int i = 0; i < 3; i++) {
            char path[256], h[32];
            const char *options[] = {h};
            ph_error err = {0};
            ph_run *run;
            ph_run_config c = ph_run_defaults();
            snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s.lua", cases[k].model);
            snprintf(h, sizeof h, "h=%g", 1e-3 / (1 << i)); /* with 2e-3 the platform needs the start (RB2) */
            c.options = options, c.n_options = 1;
            if (ph_run_open(&run, path, &c, &err) != PH_OK || ph_run_until(run, cases[k].t, &err) != PH_OK)
                fail_msg("%s", err.text);
            residual[i] = ph_run_summarise(run).residual; /* the largest */
            ph_run_close(run);
        }
        for (int i = 0; i < 2; i++)
            check_le(2 - log2(residual[i] / residual[i + 1]), 0.15); /* order, or better: 4 for the motor */
    }
}

/* Two arms with a gear between them, a motor with a current that is a state, springs and dampers in joints. */
static const char *const geared =
    "gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 3, inertia = {0.1, 0.3, 0.3}, position = {0.5, 0, 0} }\n"
    "body { name = 'b', mass = 2, inertia = {0.1, 0.2, 0.2}, position = {1.4, 0, 0} }\n"
    "joint { name = 'p', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "joint { name = 'q', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, 0} }\n"
    "coupling { name = 'gear', joints = {'p', 'q'}, ratio = -1.5 }\n"
    "state { name = 'i', initial = 0.5, rate = function(t, s) return 8*math.cos(3*t) - 4*s.states.i - "
    "s.joints.p.rate end }\n"
    "actuator { name = 'm', joint = 'p', d = 1.5, effort = function(t, s) return 12*s.states.i end }\n"
    "actuator { name = 's', joint = 'q', k = 20, d = 0.3, rest = 0.2 }\n"
    "run { t_end = 0.8, h = 1e-3 }\n";

static void end_of_geared(const char *const *options, int n, double *out)
{
    ph_error err = {0};
    ph_run *run = NULL;
    ph_model *model;
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n;
    if (ph_model_read_text(&model, "geared.lua", geared, strlen(geared), NULL, 0, NULL, &err) != PH_OK ||
        ph_run_create(&run, model, &c, &err) != PH_OK || ph_run_until(run, 0.8, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_run_get(run, PH_GET_JOINT_POSITION, 0, out), ph_run_get(run, PH_GET_JOINT_RATE, 0, out + 1);
    ph_run_get(run, PH_GET_STATE, 0, out + 2);
    ph_run_close(run);
    ph_model_free(model);
}

/* One coordinate and one state beside: DOP853 of SciPy, rtol 1e-13, of the equation of Lagrange. */
static void orders(void **state)
{
    (void)state;
    static const struct {
        const char *options[3];
        int n, order;
    } cases[] = {{{"method=genalpha"}, 1, 2},
                 {{"method=bliedf", "order=2"}, 2, 2},
                 {{"method=bliedf", "order=3"}, 2, 3},
                 {{"method=bliedf", "order=4"}, 2, 4},
                 {{"method=rkmk", "tableau=rk4"}, 2, 4}};
    static const double reference[] = {0.888460598614769, -1.99203847713921, -0.359173989116075};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double error[3], x[3];
        for (int i = 0; i < 3; i++) {
            char h[32];
            const char *options[4] = {cases[k].options[0], cases[k].options[1]};
            snprintf(h, sizeof h, "h=%.17g", 0.8 / (80 << i));
            options[cases[k].n] = h;
            end_of_geared(options, cases[k].n + 1, x);
            error[i] = max_diff(x, reference, 3);
        }
        if (!(fabs(log2(error[1] / error[2]) - cases[k].order) <= 0.15))
            print_message("%s %s: %g %g %g\n", cases[k].options[0],
                          cases[k].options[1] ? cases[k].options[1] : "", error[0], error[1], error[2]);
        check_near(log2(error[1] / error[2]), cases[k].order, 0.15); /* order */
    }
}

/* Processor time of a run of two masses of a car, whose tyre is a function; asked: it stays in Lua. */
static double time_of_car(int asked)
{
    ph_error err = {0};
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    ph_setting set = {"ask", asked};
    ph_function_info info;
    c.watch = 0, c.parameters = &set, c.n_parameters = 1;
    if (ph_run_open(&run, PH_TEST_DIR "/../bench/two_mass_car.lua", &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_model_function(ph_run_model(run), 0, &info), 1);
    assert_int_equal(info.reason != NULL, asked);
    clock_t begun = clock();
    if (ph_run_until(run, 0.4, &err) != PH_OK)
        fail_msg("%s", err.text);
    double s = (double)(clock() - begun) / CLOCKS_PER_SEC;
    ph_run_close(run);
    return s;
}

static void functions_are_fast(void **state)
{
    (void)state;
    numbers_alone();
    double traced = HUGE_VAL, asked = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        traced = fmin(traced, time_of_car(0)), asked = fmin(asked, time_of_car(1));
    check_le(traced / asked, 0.2); /* ordering: five times as fast */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dc_motor),
                                       cmocka_unit_test(robot_arm),
                                       cmocka_unit_test(stewart_platform),
                                       cmocka_unit_test(quarter_car),
                                       cmocka_unit_test(drive_train),
                                       cmocka_unit_test(inverse_dynamics),
                                       cmocka_unit_test(balance_falls_with_order),
                                       cmocka_unit_test(orders),
                                       cmocka_unit_test(functions_are_fast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
