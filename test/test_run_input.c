/* Inputs, actuators, couplings and joint coordinates of runs, against motions that are known exactly. */
#include "run_input_cases.h"

static const char *const driven = WHEEL "input { name = 'u', value = 3, hold = '%s', unit = 'N m' }\n"
                                        "actuator { name = 'motor', joint = 'axle', effort = 'u' }\n"
                                        "sensor { name = 'a', type = 'joint_acceleration', joint = 'axle' }\n"
                                        "sensor { name = 'e', type = 'effort', of = 'motor' }\n"
                                        "sensor { name = 'p', type = 'power', of = 'motor' }\n"
                                        "run { h = 0.01, t_end = 2%s }\n";

static ph_run *motor(const char *hold, const char *options)
{
    char text[2048];
    snprintf(text, sizeof text, driven, hold, options);
    return run_of(text);
}

/* u/J constant: the angle is u t^2/(2 J), over many turns; effort times rate is the power. */
static void constant(void **state)
{
    (void)state;
    ph_run *run = motor("step", "");
    go(run, 2);
    check_near(get(run, PH_GET_JOINT_POSITION, 0), 3, 1e-11); /* round-off */
    check_near(get(run, PH_GET_JOINT_RATE, 0), 3, 1e-11);     /* round-off */
    check_near(get(run, PH_GET_SENSOR, 0), 1.5, 1e-11);       /* round-off */
    check_near(get(run, PH_GET_SENSOR, 1), 3, 0);             /* exact */
    check_near(get(run, PH_GET_SENSOR, 2), 9, 1e-10);         /* round-off */
    check_near(get(run, PH_GET_EFFORT, 0), 3, 0);             /* exact */
    check_near(get(run, PH_GET_INPUT, 0), 3, 0);              /* exact */
    assert_string_equal(ph_run_unit(run, PH_GET_INPUT, 0, 0), "N m");
    assert_string_equal(ph_run_unit(run, PH_GET_EFFORT, 0, 0), "N m");
    assert_int_equal(ph_run_find(run, PH_INPUTS, "u"), 0);
    assert_int_equal(ph_run_find(run, PH_ACTUATORS, "motor"), 0);
    ph_run_close(run);
}

/* Steps between steps: the motion is exact from there on, since accelerations are found anew. */
static void jumps(void **state)
{
    (void)state;
    static const char *const methods[] = {"", ", method = 'bliedf', order = 2",
                                          ", method = 'rkmk', tableau = 'rk4'", ", formulation = 'index3'"};
    for (int k = 0; k < 4; k++) {
        ph_run *run = motor("step", methods[k]);
        go(run, 0.5);
        assert_int_equal(ph_run_set_input(run, 0, -2), PH_OK);
        check_near(get(run, PH_GET_INPUT, 0), -2, 0); /* exact */
        go(run, 1);
        double rate = 1.5 * 0.5, x = 1.5 * 0.125;                                      /* at 0.5 s */
        check_near(get(run, PH_GET_JOINT_RATE, 0), rate - 0.5, 1e-10);                 /* round-off */
        check_near(get(run, PH_GET_JOINT_POSITION, 0), x + rate * 0.5 - 0.125, 1e-10); /* round-off */
        check_near(get(run, PH_GET_SENSOR, 0), -1, 1e-9);                              /* round-off */
        ph_run_close(run);
    }
}

/* hold = linear: the value is reached at the end of the next step. */
static void ramps(void **state)
{
    (void)state;
    ph_run *run = motor("linear", "");
    go(run, 0.5);
    assert_int_equal(ph_run_set_input(run, 0, 5), PH_OK);
    check_near(get(run, PH_GET_INPUT, 0), 3, 0); /* exact */
    go(run, 0.51);
    check_near(get(run, PH_GET_INPUT, 0), 5, 1e-12); /* round-off */
    go(run, 1);
    double rate = (3 * 0.5 + 4 * 0.01 + 5 * 0.49) / 2;
    check_near(get(run, PH_GET_JOINT_RATE, 0), rate, 1e-4); /* order 2: the kink */
    ph_error err = {0};
    for (int k = 0; k < 2; k++) { /* anew, it stays as it is set, from the start on */
        if (k)
            assert_int_equal(ph_run_set_options(run, (const char *const[]){"h=5e-3"}, 1, &err), PH_OK);
        else
            assert_int_equal(ph_run_reset(run, &err), PH_OK);
        check_near(get(run, PH_GET_INPUT, 0), 5 + 2 * k, 0); /* exact */
        go(run, 0.5);
        check_near(get(run, PH_GET_JOINT_RATE, 0), (5 + 2 * k) * 0.5 / 2, 1e-10); /* round-off */
        assert_int_equal(ph_run_set_input(run, 0, 7), PH_OK);
    }
    ph_run_close(run);
}

/* The same on a grid of steps by tolerance, which have run past the point where it is set, and end where the line does. */
static void ramps_on_a_grid(void **state)
{
    (void)state;
    static const char *const methods[] = {"method=genalpha", "method=bliedf", "method=rkmk"};
    for (int k = 0; k < 6; k++) {
        ph_run *run = motor("linear", k % 2 ? ", t_end = nil" : "");
        ph_error err = {0};
        double h = 0.25, value = 3, at = 3, rate = 0;
        const char *set[] = {methods[k / 2], "tol=1e-6", "h=0.25"};
        assert_int_equal(ph_run_set_options(run, set, 3, &err), PH_OK);
        check_near(run->def.opt.span, k % 2 ? 1 : 2, 0); /* exact: s, not the time to the end of a line */
        for (int i = 0; i < 8; i++, at = value) {
            value += i % 3 ? 0 : 2 * i - 5;
            assert_int_equal(ph_run_set_input(run, 0, value), PH_OK);
            assert_int_equal(ph_run_step(run, &err), PH_OK);
            rate += h * (i ? at + value : 2 * value) / 4;
            double error = get(run, PH_GET_JOINT_RATE, 0) - rate;
            check_le(fabs(error),
                     k / 2 == 2 ? 1e-14 : 4e-6); /* round-off, where each step has one line; tolerance */
        }
        ph_run_close(run);
    }
}

/* Tables: lines are integrated with order 2, steps on the grid exactly; beyond their ends they are constant. */
static void tables(void **state)
{
    (void)state;
    static const double t[] = {0, 0.5, 1}, u[] = {0, 4, -2};
    ph_error err = {0};
    ph_run *run = motor("step", "");
    assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
    go(run, 2);
    check_near(get(run, PH_GET_JOINT_RATE, 0), (0.5 * 4 - 2) / 2, 1e-10); /* round-off */
    assert_int_equal(ph_run_reset(run, &err), PH_OK);                     /* it keeps the table, */
    check_near(get(run, PH_GET_INPUT, 0), 0, 0);                          /* exact: and begins anew with it */
    go(run, 1);
    check_near(get(run, PH_GET_JOINT_RATE, 0), 1, 1e-10); /* round-off */
    ph_run_close(run);
    run = motor("linear", "");
    assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
    go(run, 1);
    check_near(get(run, PH_GET_JOINT_RATE, 0), (1 + 0.5) / 2, 5e-4); /* order 2 */
    assert_int_equal(ph_run_set_input_table(run, 0, 0, t, u, &err), PH_E_INPUT);
    assert_int_equal(ph_run_set_input_table(run, 1, 3, t, u, &err), PH_E_INPUT);
    assert_int_equal(ph_run_set_input_table(run, 0, 2, u + 1, t, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "times of its table must increase: row 2 has -2 after 4"));
    assert_int_equal(ph_run_set_input(run, 0, NAN), PH_E_INPUT);
    assert_int_equal(ph_run_set_input(run, 7, 1), PH_E_INPUT);
    ph_run_close(run);
}

/* Steps of a table between the points of the grid: the motion is exact with constant h as well, whether they are in the middle of a
 * step of the run, beside its ends, or several in one; rows stay on the grid, and what is added up sees both sides. */
static void tables_off_the_grid(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "",
        ", method = 'bliedf', order = 2",
        ", method = 'bliedf', order = 4",
        ", method = 'rkmk', tableau = 'rk4'",
        ", method = 'rkmk', tableau = 'gauss2'",
        ", formulation = 'index3'",
        ", formulation = 'index2', newton = 'modified'",
    };
    static const double t[] = {0, 0.1037, 0.5, 0.700001, 1.0899999, 1.3312, 1.3347, 1.3389},
                        u[] = {0, 4, -2, 1, 5, -3, 7, 0.5};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        char text[2048];
        ph_error err = {0};
        long rows;
        int columns;
        snprintf(text, sizeof text, driven, "step", methods[k]);
        strcat(text, "sensor { name = 'w', type = 'joint_rate', joint = 'axle' }\n"
                     "sensor { name = 'all', type = 'effort', of = 'motor', over_time = 'integral' }\n");
        ph_run *run = run_of(text);
        assert_int_equal(ph_run_set_input_table(run, 0, 8, t, u, &err), PH_OK);
        assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 3, NULL, &err), PH_OK);
        go(run, 2);
        double rate = 0, x = 0;
        for (int i = 0; i < 8; i++) {
            double dt = (i < 7 ? t[i + 1] : 2) - t[i];
            x += rate * dt + u[i] / 4 * dt * dt, rate += u[i] / 2 * dt;
        }
        check_near(get(run, PH_GET_JOINT_RATE, 0), rate, 1e-10);  /* round-off */
        check_near(get(run, PH_GET_JOINT_POSITION, 0), x, 1e-10); /* round-off */
        check_near(get(run, PH_GET_OVER, 4), 2 * rate,
                   1e-10);                                    /* round-off: of the effort, J times the rate */
        check_near(ph_run_summarise(run).residual, 0, 1e-10); /* round-off: the balance of energy */
        check_near((double)ph_run_summarise(run).stats.steps, 200, 0); /* exact */
        const double *row = ph_run_rows(run, &rows, &columns);
        check_near((double)rows, 201, 0); /* exact */
        for (long i = 0; i < rows; i++)
            check_near(row[i * columns], 0.01 * (double)i, 1e-12); /* round-off */
        ph_run_close(run);
    }
}

/* The error of order 2 of a motion that is not exact, over a step of its table off the grid. */
static double pushed(double h, const char *options)
{
    static const double t[] = {0, 0.2345, 0.6789}, u[] = {1, -4, 3};
    char text[2048], line[200];
    ph_error err = {0};
    snprintf(line, sizeof line, "run { h = %.17g, t_end = 1, rtol = 1e-12, atol = 1e-12%s }\n", h, options);
    snprintf(text, sizeof text,
             "%sinput { name = 'u', hold = 'step' }\n"
             "actuator { name = 'motor', joint = 'axle', effort = 'u', k = 60, d = 0.5 }\n%s",
             WHEEL, line);
    ph_run *run = run_of(text);
    assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
    go(run, 1);
    double x = get(run, PH_GET_JOINT_POSITION, 0);
    ph_run_close(run);
    return x;
}

/* Steps between the points of the grid cost no order. */
static void order_off_the_grid(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double order;
    } rows[] = {{"", 2}, {", formulation = 'index3'", 2}, {", method = 'rkmk', tableau = 'rk4'", 4}};
    double exact = pushed(1e-3, ", method = 'rkmk', tableau = 'gauss6'");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double e[3];
        for (int i = 0; i < 3; i++)
            e[i] = fabs(pushed(0.02 / (1 << i), rows[k].options) - exact);
        check_near(log2(e[0] / e[1]), rows[k].order, 0.15); /* order */
        check_near(log2(e[1] / e[2]), rows[k].order, 0.15); /* order */
    }
}

/* In words, from a file; what is wrong has its sentence. */
static void words(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run = motor("linear", "");
    char text[256];
    assert_int_equal(ph_run_input_text(run, "u=2", &err), PH_OK);
    go(run, 1);
    check_near(get(run, PH_GET_JOINT_RATE, 0), 1, 1e-11); /* round-off */
    static const struct {
        const char *table, *sentence;
    } bad[] = {{"t,x\n0,1\n", "has no column 'u'"},
               {"u\n0\n", "has no column 't'"},
               {"t,u,u\n0,1,2\n", "has several columns 'u'"},
               {"t [s],u,t\n0,1,2\n", "has several columns 't'"},
               {"t,u\n0,1\n1,nan\n", "row 2 of its table is not a number, in '"},
               {"t,u\n0,1\n0,2\n", "times of its table must increase"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        scratch s = scratch_create("u.csv");
        scratch_write(&s, bad[k].table, strlen(bad[k].table));
        snprintf(text, sizeof text, "u=%s", s.path);
        assert_int_equal(ph_run_input_text(run, text, &err), PH_E_INPUT);
        if (!strstr(err.text, bad[k].sentence))
            fail_msg("'%s' without '%s'", err.text, bad[k].sentence);
        scratch_remove(&s);
    }
    assert_int_equal(ph_run_input_text(run, "v=2", &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the model has no input 'v'; there are: u"));
    assert_int_equal(ph_run_input_text(run, "u", &err), PH_E_INPUT);
    assert_int_equal(ph_run_input_text(run, "u=none.csv", &err), PH_E_INPUT);
    ph_run_close(run);
}

/* Going on from saved bytes gives the same bits, with a ramp under way. */
static void goes_on(void **state)
{
    (void)state;
    ph_run *a = motor("linear", ""), *b = motor("linear", "");
    ph_error err = {0};
    go(a, 0.5);
    ph_run_set_input(a, 0, 5);
    size_t size = ph_run_save_size(a);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(b, bytes, size, &err), PH_OK);
    go(a, 1), go(b, 1);
    assert_true(get(a, PH_GET_JOINT_POSITION, 0) == get(b, PH_GET_JOINT_POSITION, 0)); /* exact */
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* Spring and damper along a slider: x = exp(-delta t) (x0 cos + ...), against the exact solution. */
static void oscillator(void **state)
{
    (void)state;
    ph_run *run =
        run_of("body { name = 'm', mass = 2, inertia = {1, 1, 1}, velocity = {0, 0, 0.3} }\n"
               "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'm'}, axis = {0, 0, 1} }\n"
               "actuator { name = 's', joint = 'rail', k = 18, d = 0.8, rest = 0.1 }\n"
               "run { h = 1e-3, t_end = 1, method = 'rkmk', tableau = 'rk4' }\n");
    double delta = 0.2, w = sqrt(9 - delta * delta), t = 1, a = -0.1, b = (0.3 + delta * a) / w;
    go(run, t);
    check_near(get(run, PH_GET_JOINT_POSITION, 0), 0.1 + exp(-delta * t) * (a * cos(w * t) + b * sin(w * t)),
               1e-12); /* order 4 */
    ph_run_close(run);
}

/* Gears 1 : -3 over many turns: both wheels turn as one of J_a + 9 J_b; their efforts and angles. */
static void gears(void **state)
{
    (void)state;
    static const char *const methods[] = {"", ", formulation = 'index3'", ", formulation = 'index2'",
                                          ", method = 'bliedf', order = 3", ", space = 'SE3'"};
    for (int k = 0; k < 5; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 WHEEL
                 "body { name = 'b', mass = 1, inertia = {1, 1, 0.5}, position = {1, 0, 0} }\n"
                 "joint { name = 'axle_b', type = 'revolute', bodies = {'ground', 'b'}, at = {1, 0, 0}, axis "
                 "= {0, 0, 1} }\n"
                 "coupling { name = 'gear', joints = {'axle', 'axle_b'}, ratio = -3 }\n"
                 "actuator { name = 'motor', joint = 'axle', effort = 40 }\n"
                 "sensor { name = 'e', type = 'effort', of = 'gear' }\n"
                 "run { h = 0.01, t_end = 3%s }\n",
                 methods[k]);
        ph_run *run = run_of(text);
        double a = 40 / (2 + 9 * 0.5);
        go(run, 3);
        check_near(get(run, PH_GET_JOINT_POSITION, 0), a * 4.5, 1e-8);      /* round-off */
        check_near(get(run, PH_GET_JOINT_POSITION, 1), -3 * a * 4.5, 1e-8); /* round-off; 13 turns */
        check_near(get(run, PH_GET_JOINT_RATE, 1), -3 * a * 3, 1e-8);       /* round-off */
        check_near(get(run, PH_GET_SENSOR, 0), -3 * a * 0.5, 1e-6); /* round-off: J_b times acceleration */
        ph_run_close(run);
    }
}

/* Derivatives by parameters with an actuator's numbers and a table of an input, direct and adjoint. */
static void sensitivities(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run =
        run_of("local k, d, r = param('k', 18), param('d', 0.8), param('r', 0.1)\n"
               "body { name = 'm', mass = 2, inertia = {1, 1, 1}, velocity = {0, 0, 0.3} }\n"
               "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'm'}, axis = {0, 0, 1} }\n"
               "input { name = 'u' }\n"
               "actuator { name = 's', joint = 'rail', k = k, d = d, rest = r, effort = 'u' }\n"
               "sensor { name = 'x', type = 'joint_position', joint = 'rail' }\n"
               "objective { name = 'x', final = function(s) return s.sensors.x[1] end }\n"
               "run { h = 1e-2, t_end = 1 }\n");
    static const double t[] = {0, 1}, u[] = {1, 2};
    int all[] = {0, 1, 2};
    double gradient[3], value, x[2], direct;
    assert_int_equal(ph_run_set_input_table(run, 0, 2, t, u, &err), PH_OK);
    if (ph_run_gradient(run, 0, all, 3, 0, &value, gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 3; k++) {
        const double v[] = {18, 0.8, 0.1};
        const char *const names[] = {"k", "d", "r"};
        for (int side = 0; side < 2; side++) {
            ph_setting set = {names[k], v[k] * (side ? 1.0005 : 0.9995)};
            assert_int_equal(ph_run_set_parameters(run, &set, 1, &err), PH_OK);
            go(run, 1);
            x[side] = get(run, PH_GET_SENSOR, 0);
        }
        ph_setting back = {names[k], v[k]};
        assert_int_equal(ph_run_set_parameters(run, &back, 1, &err), PH_OK);
        double fd = (x[1] - x[0]) / (0.001 * v[k]);
        check_near(gradient[k], fd, 1e-7 * fmax(1, fabs(fd))); /* derivative: central differences */
        assert_int_equal(ph_run_follow(run, &k, 1, &err), PH_OK);
        go(run, 1);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, 0, 0, &direct), PH_OK);
        check_near(direct, gradient[k], 1e-9); /* derivative */
        assert_int_equal(ph_run_follow(run, NULL, 0, &err), PH_OK);
    }
    ph_run_close(run);
}

/* The run as it is said, at a value of its parameter. */
static double objective_at(ph_run *run, double l)
{
    ph_error err = {0};
    ph_setting set = {"l", l};
    assert_int_equal(ph_run_set_parameters(run, &set, 1, &err), PH_OK);
    go(run, 0.3);
    return get(run, PH_GET_OBJECTIVE, 0);
}

/* Steps of a table, at which methods start anew: derivatives that follow the run, and those of ph_run_gradient, whatever was run before,
 * are those of the run itself. The same with values that are set between steps. */
static void over_steps(void **state)
{
    (void)state;
    static const char *const methods[] = {"h = 0.01", "h = 0.01, formulation = 'index3'",
                                          "h = 0.01, formulation = 'index2'",
                                          "h = 0.01, method = 'bliedf', order = 3", "tol = 1e-6"};
    static const char arm[] =
        "local m, l = 2, param('l', 0.5)\ngravity {0, 0, -9.81}\ninput { name = 'u', hold = 'step' }\n"
        "body { name = 'arm', mass = m, inertia = {0.01, m*l^2/3, m*l^2/3}, position = {l, 0, 0} }\n"
        "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'arm'}, at = {0, 0, 0}, axis = {0, "
        "1, 0} }\n"
        "actuator { name = 'motor', joint = 'hinge', effort = 'u', d = 0.1 }\n"
        "sensor { name = 'x', type = 'position', body = 'arm' }\n"
        "sensor { name = 'most', type = 'joint_position', joint = 'hinge', over_time = 'mean' }\n"
        "objective { name = 'J', integral = function(t, s) return s.joints.hinge.position^2 end,\n"
        "            final = function(s) return s.arm.position.z end }\n"
        "run { t_end = 0.3, rtol = 1e-12, atol = 1e-12, %s }\n";
    static const double u[] = {-1, 0.5, -3}, on[] = {0, 0.1, 0.2}, off[] = {0, 0.1037, 0.200004};
    size_t n = sizeof methods / sizeof *methods;
    for (size_t i_case = 0; i_case < 2 * n; i_case++) {
        const double *t = i_case < n ? on : off;
        size_t k = i_case % n;
        char text[2048];
        snprintf(text, sizeof text, arm, methods[k]);
        ph_run *run = run_of(text);
        ph_error err = {0};
        double J, J_p, x, mean, direct, value, e = 0x1p-9;
        int l = 0, paced = k == 4;
        assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
        double f[] = {objective_at(run, 0.5 - 2 * e), objective_at(run, 0.5 - e), objective_at(run, 0.5 + e),
                      objective_at(run, 0.5 + 2 * e)};
        double D = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * e);
        J = objective_at(run, 0.5), mean = get(run, PH_GET_OVER, 1);
        for (int again = 0; again < 2; again++) { /* after a run, and after a gradient */
            assert_int_equal(ph_run_set_input_table(run, 0, 1, t, u, &err), PH_OK);
            assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK); /* the same as before */
            if (ph_run_gradient(run, 0, &l, 1, 0, &value, &J_p, &err) != PH_OK)
                fail_msg("%s: %s", methods[k], err.text);
            check_near(value, J, 0);                   /* exact: it is that run */
            check_near(J_p, D, (paced ? 1e-4 : 1e-9)); /* derivative; steps by tolerance change with l */
        }
        assert_int_equal(ph_run_gradient_of_sensor(run, 1, 0, &l, 1, 0, &value, &x, &err), PH_OK);
        check_near(value, mean, 0); /* exact */
        assert_int_equal(ph_run_objective_error(run, 0, 0, &value, &x, 0, NULL, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "across the steps of input 'u'"));
        l = 1; /* there is none */
        assert_int_equal(ph_run_gradient(run, 0, &l, 1, 0, &value, &x, &err), PH_E_INPUT);
        check_near(ph_run_time(run), 0.3, 1e-15); /* round-off: a refusal changes nothing */
        l = 0;
        assert_int_equal(ph_run_reset(run, &err), PH_OK);
        assert_int_equal(ph_run_follow(run, &l, 1, &err), PH_OK);
        for (int i = 0; i < 3 && t == on; i++) {
            assert_int_equal(ph_run_set_input(run, 0, u[i]), PH_OK);
            go(run, 0.1 * (i + 1));
        }
        if (t == off)
            go(run, 0.3);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, &direct), PH_OK);
        check_near(get(run, PH_GET_OBJECTIVE, 0), J, paced ? 1e-4 : 1e-14); /* round-off, or the tolerance */
        check_near(direct, J_p, paced ? 1e-4 : 1e-12);                      /* likewise */
        ph_run_close(run);
    }
}

/* What only the mechanism can know is wrong, with file and line. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"actuator { name = 'm', joint = 'axle', coordinate = 'x', k = 1 }",
         "actuator 'm': joint 'axle' locks its coordinate x; free: rz"},
        {"joint { name = 'c', type = 'cylindrical', bodies = {'ground', 'b'}, at = {1, 0, 0}, axis = {0, 0, "
         "1} }\n"
         "actuator { name = 'm', joint = 'c', k = 1 }",
         "actuator 'm': joint 'c' has several free coordinates, z, rz: say which one"},
        {"joint { name = 'f', type = 'fixed', bodies = {'ground', 'b'} }\nactuator { name = 'm', joint = "
         "'f', k = 1 }",
         "actuator 'm': joint 'f' has no free coordinate"},
        {"joint { name = 'd', type = 'distance', bodies = {'ground', 'b'} }\nactuator { name = 'm', joint = "
         "'d', k = 1 }",
         "actuator 'm': joint 'd' locks the length of the distance"},
        {"joint { name = 's', type = 'prismatic', bodies = {'ground', 'b'}, axis = {0, 0, 1} }\n"
         "coupling { name = 'rack', joints = {'axle', 's'}, ratio = 0.1 }",
         "coupling 'rack': couples an angle with a length: say unit = \"m/rad\", or its coordinates"},
        {"joint { name = 's', type = 'prismatic', bodies = {'ground', 'b'}, axis = {0, 0, 1} }\n"
         "coupling { name = 'rack', joints = {'axle', 's'}, ratio = 0.1, unit = 'rad/m' }",
         "coupling 'rack': its ratio is in m/rad, not in rad/m"},
        {"coupling { name = 'g', joints = {'axle', 'axle'}, ratio = 2 }",
         "coupling 'g': couples a coordinate with itself"},
        {"sensor { name = 'e', type = 'effort', of = 'axle' }", "sensor 'e': joint 'axle' is not driven"},
        {"sensor { name = 'x', type = 'joint_position', joint = 'axle', coordinate = 'ry' }",
         "sensor 'x': joint 'axle' locks its coordinate ry"},
        {"joint { name = 'ball', type = 'spherical', bodies = {'ground', 'b'}, at = {1, 0, 0} }\n"
         "actuator { name = 'm', joint = 'ball', k = 1, effort = 3 }",
         "actuator 'm': effort, rest and stops need a coordinate, rx, ry or rz"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2048];
        ph_run *run;
        ph_error err = {0};
        snprintf(text, sizeof text,
                 WHEEL "body { name = 'b', mass = 1, inertia = {1, 1, 0.5}, position = {1, 0, 0} }\n%s\n"
                       "run { h = 0.01, t_end = 1 }\n",
                 cases[k].text);
        ph_model *model = read_text(text);
        assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_E_INPUT);
        if (!strstr(err.text, cases[k].sentence) || !strstr(err.text, "model.lua:"))
            fail_msg("'%s' without '%s'", err.text, cases[k].sentence);
        ph_model_free(model);
    }
}

/* A wheel that is driven, with sums over the run and an event; what it cannot do is told where it begins anew, or in the step
 * that follows. */
static const char *const brittle =
    "gravity{0, 0, -9.81}\n"
    "body{ name = 'b', mass = 2, inertia = {0.3, 0.4, 0.2}, position = {0.5, 0, 0.1} }\n"
    "joint{ name = 'axle', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0.2} "
    "}\n"
    "input{ name = 'u', value = 1, hold = 'step' }\n"
    "actuator{ name = 'motor', joint = 'axle', effort = 'u', d = 0.1 }\n"
    "state{ name = 's', rate = function(t, s) return math.sqrt(1000 - s.inputs.u) end }\n"
    "force{ name = 'f', body = 'b', value = function(t, s)\n"
    "  if math.abs(s.b.velocity.z) > 2 then error('too fast') end return 0, 0, -s.b.velocity.z end }\n"
    "sensor{ name = 'a', type = 'joint_acceleration', joint = 'axle', over_time = 'max_abs' }\n"
    "sensor{ name = 'w', type = 'power', of = 'motor', over_time = 'rms' }\n"
    "objective{ name = 'J', integral = function(t, s) return s.joints.axle.rate^2 + s.inputs.u end }\n"
    "event{ name = 'e', when = function(t, s) return t - 0.0333 end, action = {state = {s = 0.2}} }\n"
    "run{ h = 1e-2, t_end = 1%s }\n";

static void *count_alloc(size_t size, void *ctx)
{
    ++*(int *)ctx;
    return malloc(size);
}

static void count_free(void *p, void *ctx)
{
    (void)ctx;
    free(p);
}

/* Exact: a step that fails after an input jumped leaves all as it was, with what a saved state has; and asks for no memory. Afterwards
 * the run goes on like another one, which was not asked for that step. */
static void failed_jumps(void **state)
{
    (void)state;
    static const char *const options[] = {"", ", method = 'bliedf', order = 2",
                                          ", method = 'rkmk', tableau = 'rk4'",
                                          ", formulation = 'index3', newton = 'modified'", ", tol = 1e-4"};
    static const double too_much[] = {2000, 900, 1e300}; /* the state has no rate; too fast in the step */
    for (size_t o = 0; o < sizeof options / sizeof *options; o++)
        for (int k = 0; k < 3; k++) {
            int calls = 0;
            ph_allocator alloc = {count_alloc, count_free, &calls};
            ph_run_config c = ph_run_defaults();
            c.alloc = &alloc;
            char text[2048];
            snprintf(text, sizeof text, brittle, options[o]);
            ph_error err = {0};
            ph_model *model = read_text(text);
            ph_run *run, *other;
            assert_int_equal(ph_run_create(&run, model, &c, &err), PH_OK);
            assert_int_equal(ph_run_create(&other, model, NULL, &err), PH_OK);
            ph_model_free(model);
            for (int i = 0; i < 3 + k; i++) /* the event is at 0.0333 s: the third time after it */
                assert_int_equal(ph_run_step(run, &err) | ph_run_step(other, &err), PH_OK);
            assert_int_equal(ph_run_set_input(run, 0, too_much[k]), PH_OK);
            size_t size = ph_run_save_size(run);
            unsigned char *before = malloc(2 * size), *after = before + size;
            double a[2], h[2][2], t = ph_run_time(run);
            ph_run_get(run, PH_GET_SENSOR, 0, &a[0]), ph_run_get(run, PH_GET_STEP, 0, h[0]);
            assert_int_equal(ph_run_save(run, before, size), PH_OK);
            for (int again = 0; again < 2; again++) {
                calls = 0, err = (ph_error){0};
                ph_status s = ph_run_step(run, &err);
                if (s == PH_OK)
                    fail_msg("%s, u = %g: the step succeeds", options[o], too_much[k]);
                assert_int_equal(calls, 0);
                if (strncmp(err.text, "t = ", 4) || !(atof(err.text + 4) >= t))
                    fail_msg("'%s' begins before t = %g", err.text, t);
                ph_run_get(run, PH_GET_SENSOR, 0, &a[1]), ph_run_get(run, PH_GET_STEP, 0, h[1]);
                assert_true(a[0] == a[1] && h[0][0] == h[1][0] && ph_run_time(run) == t);
                assert_int_equal(ph_run_save(run, after, size), PH_OK);
                if (memcmp(before, after, size) != 0)
                    fail_msg("%s, u = %g: another state after '%s'", options[o], too_much[k], err.text);
            }
            free(before);
            for (ph_run *r = run; r; r = r == run ? other : NULL) {
                assert_int_equal(ph_run_set_input(r, 0, 2), PH_OK);
                for (int i = 0; i < 5; i++)
                    if (ph_run_step(r, &err) != PH_OK)
                        fail_msg("%s, u = %g, then 2: %s", options[o], too_much[k], err.text);
            }
            double x[2], J[2];
            ph_run *both[] = {run, other};
            for (int i = 0; i < 2; i++) {
                ph_run_get(both[i], PH_GET_JOINT_POSITION, 0, &x[i]);
                ph_run_get(both[i], PH_GET_OBJECTIVE, 0, &J[i]);
                ph_run_close(both[i]);
            }
            assert_true(x[0] == x[1] && J[0] == J[1]);
        }
}

/* Exact: the parts of a step between jumps of a table; the one that fails leaves the state where it begins, with the accelerations
 * before its jump. */
static void failed_parts(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, brittle,
             ", method = 'rkmk', tableau = 'rk4'"); /* does not look past a jump */
    ph_run *run = run_of(text), *other = run_of(text);
    static const double t[] = {0, 0.013, 0.017}, u[] = {1, 3, 2000}, known[] = {1, 3, 3};
    ph_error err = {0};
    double a[2], at[2];
    assert_int_equal(ph_run_set_input_table(run, 0, 3, t, u, &err), PH_OK);
    assert_int_equal(ph_run_set_input_table(other, 0, 3, t, known, &err), PH_OK);
    assert_int_equal(ph_run_step(run, &err) | ph_run_step(other, &err), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_not_equal(ph_run_step(run, &err), PH_OK);
        if (ph_run_time(run) != 0.017)
            fail_msg("%.17g: %s", ph_run_time(run), err.text);
        ph_run_get(run, PH_GET_SENSOR, 0, &a[k]), ph_run_get(run, PH_GET_JOINT_RATE, 0, &at[k]);
    }
    assert_true(a[0] == a[1] && at[0] == at[1] && fabs(a[0]) < 100);
    assert_int_equal(ph_run_set_input_table(run, 0, 3, t, known, &err), PH_OK);
    assert_int_equal(ph_run_step(run, &err) | ph_run_step(other, &err), PH_OK);
    check_near(get(run, PH_GET_JOINT_RATE, 0), get(other, PH_GET_JOINT_RATE, 0),
               1e-6); /* order: other parts */
    ph_run_close(run), ph_run_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant),
        cmocka_unit_test(jumps),
        cmocka_unit_test(ramps),
        cmocka_unit_test(tables),
        cmocka_unit_test(tables_off_the_grid),
        cmocka_unit_test(order_off_the_grid),
        cmocka_unit_test(words),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(gears),
        cmocka_unit_test(refusals),
        cmocka_unit_test(oscillator),
        cmocka_unit_test(sensitivities),
        cmocka_unit_test(ramps_on_a_grid),
        cmocka_unit_test(over_steps),
        cmocka_unit_test(failed_jumps),
        cmocka_unit_test(failed_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
