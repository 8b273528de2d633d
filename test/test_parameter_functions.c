/* Derivatives by parameters of models whose functions depend on them (P8), against differences of runs. */
#include "model_file.h"

#include "polhode/polhode.h"
#include "run/neighbours.h"

static const char *const tight[] = {"atol=1e-14", "rtol=1e-14"};

static ph_run *open_run(const ph_model *model, const ph_setting *set)
{
    ph_error err = {0};
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    c.options = tight, c.n_options = 2, c.parameters = set, c.n_parameters = set != NULL;
    if (ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

static void go(ph_run *run, double t)
{
    ph_error err = {0};
    if (ph_run_until(run, t, &err) != PH_OK)
        fail_msg("%s", err.text);
}

#define NUMBERS 400
#define VECTORS 60

/* Vectors that a run has at its end: of bodies, sensors, objectives. derivative: by this parameter; -1: themselves. */
static int look(ph_run *run, int derivative, double *out, int *end)
{
    static const struct {
        int what, kind;
    } all[] = {{PH_GET_POSITION, PH_BODIES},
               {PH_GET_VELOCITY, PH_BODIES},
               {PH_GET_SENSOR, PH_SENSORS},
               {PH_GET_OVER, PH_SENSORS},
               {PH_GET_OBJECTIVE, PH_OBJECTIVES}};
    int n = 0, at = 0;
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
        for (int i = 0; i < ph_run_count(run, all[a].kind); i++) {
            if (!ph_run_size(run, all[a].what, i))
                continue;
            ph_status s = derivative < 0 ? ph_run_get(run, all[a].what, i, out + at)
                                         : ph_run_get_derivative(run, all[a].what, i, derivative, out + at);
            assert_int_equal(s, PH_OK);
            at += ph_run_size(run, all[a].what, i);
            end[n++] = at;
        }
    assert_true(at <= NUMBERS && n <= VECTORS);
    return n;
}

/* The largest error of derivatives by a parameter, vector by vector, beside five-point differences of runs over steps e.
 * What their round-off leaves does not count. */
static double gap_to_differences(const ph_model *model, ph_run *run, int k, const char *name, double value,
                                 double e, double t)
{
    static const int place[] = {-2, -1, 1, 2};
    static const double weight[] = {1, -8, 8, -1};
    double x[NUMBERS], d[NUMBERS] = {0}, exact[NUMBERS], size[NUMBERS] = {0}, worst = 0;
    int end[VECTORS], n = look(run, k, exact, end);
    for (int j = 0; j < 4; j++) {
        ph_setting set = {name, value + place[j] * e};
        ph_run *other = open_run(model, &set);
        go(other, t);
        look(other, -1, x, end);
        for (int i = 0; i < end[n - 1]; i++)
            d[i] += weight[j] * x[i] / (12 * e), size[i] = fmax(size[i], fabs(x[i] / e));
        ph_run_close(other);
    }
    for (int v = 0, i = 0; v < n; v++) {
        double gap = 0, most = 0, noise = 0;
        for (; i < end[v]; i++) {
            gap = isnan(exact[i]) ? NAN : fmax(gap, fabs(exact[i] - d[i]));
            most = fmax(most, fabs(d[i])), noise = fmax(noise, 4e-14 * size[i]);
        }
        if (!(gap <= noise + 1e-15))
            worst = isnan(gap) ? NAN : fmax(worst, gap / most);
    }
    return worst;
}

/* The road is smooth but for its second derivative at five points, which no step meets for this speed. */
#define SPEED 9.6231

static const struct {
    const char *name;
    double value, part; /* of the value: the step of differences */
} car[] = {{"ks", 5.6e4, 1e-3}, {"ds", 4.5e3, 1e-3}, {"kt", 2e5, 1e-3},
           {"dt", 300, 1e-2},   {"v", SPEED, 5e-5},  {"bump", 0.05, 1e-3}};
#define CAR (int)(sizeof car / sizeof *car)

static ph_model *read_car(void)
{
    ph_model *model;
    ph_error err = {0};
    ph_setting set = {"v", SPEED};
    if (ph_model_read(&model, PH_TEST_DIR "/models/quarter_car_comfort.lua", &set, 1, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return model;
}

/* Until the wheel is over the bump. */
#define CAR_END 0.8

static void quarter_car_by_every_parameter(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *model = read_car();
    ph_run *run = open_run(model, NULL);
    int param[CAR], objective = ph_run_find(run, PH_OBJECTIVES, "comfort");
    double direct[CAR], adjoint[CAR], value, J;
    for (int k = 0; k < CAR; k++)
        param[k] = ph_run_find(run, PH_PARAMETERS, car[k].name);
    if (ph_run_follow(run, param, CAR, &err) != PH_OK)
        fail_msg("%s", err.text);
    go(run, CAR_END);
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, objective, &value), PH_OK);
    for (int k = 0; k < CAR; k++) {
        double e = car[k].part * car[k].value;
        double worst = gap_to_differences(model, run, k, car[k].name, car[k].value, e, CAR_END);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, objective, k, &direct[k]), PH_OK);
        if (!(worst <= 1e-9))
            print_message("by %s\n", car[k].name);
        check_le(worst, 1e-9); /* derivative: what differences of runs can show */
    }
    if (ph_run_gradient(run, objective, param, CAR, 0, &J, adjoint, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_near(J, value, 1e-13 * fabs(value)); /* round-off */
    for (int k = 0; k < CAR; k++)
        check_near(adjoint[k], direct[k],
                   1e-10 * fabs(direct[k])); /* derivative: the same discrete solution */
    ph_run_close(run);
    ph_model_free(model);
}

/* Everything that a function can be, with parameters inside of curves, powers, branches and sums of the file; k stands still
 * in a curve and a loop. */
static const char *const web =
    "gravity {0, 0, -9.81}\n"
    "local p, k = param('p', 0.8), param('k', 2.0)\n"
    "%s\n"
    "local q, w = 3*p^2 - math.sqrt(p), {p, 2*p}\n"
    "local function half(x) return x/2 end\n"
    "local c = curve({0, 1, 2, 3}, {0, 1, 1.5*k, 0.2}, {kind = 'monotone', outside = 'linear'})\n"
    "body { name = 'a', mass = 2, inertia = {1, 1.2, 0.9}, position = {0, 0, -0.5} }\n"
    "body { name = 'b', mass = 1 + 0.1*p, inertia = {0.5, 0.6, 0.7}, position = {1, 0.1, -0.2}, omega = "
    "{0.3, -0.2, "
    "p} }\n"
    "particle { name = 'c', mass = 1.5, position = {0.3, 1, 0.2} }\n"
    "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "joint { name = 'ball', type = 'spherical', bodies = {'ground', 'b'}, at = {1, 0.1, 0.2} }\n"
    "joint { name = 'slide', type = 'prismatic', bodies = {'ground', 'd'}, axis = {1, 0, 0},\n"
    "        drive = function(t) return p*math.sin(k*t)/4 + (p - 0.8)*t^2 end }\n"
    "body { name = 'd', mass = 1, inertia = {1, 1, 1}, position = {0, 2, 0} }\n"
    "input { name = 'u', value = 0.4 }\n"
    "state { name = 'x', initial = {0.2, p}, rate = function(t, s)\n"
    "  return -q*s.states.x[1] + s.joints.pin.rate, c(w[1]*t + s.states.x[1]^2) - half(s.states.x[2])*k end "
    "}\n"
    "actuator { name = 'm', joint = 'pin', d = 0.1*k, effort = function(t, s)\n"
    "  if t < 0.3 then return p*s.states.x[2] end return k*p*s.inputs.u - p^2*s.joints.pin.position end }\n"
    "force { name = 'f', body = 'b', at = {0, 0, 0.1}, value = function(t, s)\n"
    "  return math.max(0, p - t)*w[2], c(p*t), -k*s.b.velocity.z*math.abs(p) end }\n"
    "torque { name = 't', body = 'b', value = function(t, s) return 0, p^k, math.exp(-p*t)*s.states.x[1] end "
    "}\n"
    "constraint { name = 'g', f = function(t, s) return (s.c.position.x - 0.3)*p + (s.c.position.y - "
    "1)*k*p^2 "
    "end }\n"
    "sensor { name = 'e', type = 'effort', of = 'm' }\n"
    "sensor { name = 'n', type = 'power', of = 'm', over_time = 'integral' }\n"
    "sensor { name = 'r', type = 'reaction', joint = 'ball', over_time = 'max_abs' }\n"
    "sensor { name = 's', custom = function(t, s) return p*s.a.position.x, q*s.sensors.i end, over_time = "
    "'rms' }\n"
    "sensor { name = 'i', type = 'joint_position', joint = 'pin', over_time = 'min' }\n"
    "sensor { name = 'j', type = 'joint_acceleration', joint = 'pin', over_time = 'max' }\n"
    "sensor { name = 'v', type = 'energy', over_time = 'mean' }\n"
    "objective { name = 'J', final = function(s) return p*s.b.position.x^2 + s.sensors.i[1]*s.sensors.e[1] "
    "end,\n"
    "            integral = function(t, s) return c(p*t)*s.a.velocity.x + k*s.sensors.r[3]*1e-2 end }\n"
    "run { h = 0.0104, t_end = 0.52 }\n";

static ph_model *web_with(const char *line)
{
    static char text[8192];
    snprintf(text, sizeof text, web, line);
    return read_text(text);
}

#define WEB_END 0.52

static void web_by_both(const char *line)
{
    static const struct {
        const char *name;
        double value;
    } by[] = {{"p", 0.8}, {"k", 2}};
    ph_error err = {0};
    ph_model *model = web_with(line);
    ph_run *run = open_run(model, NULL);
    int param[] = {ph_run_find(run, PH_PARAMETERS, "p"), ph_run_find(run, PH_PARAMETERS, "k")};
    double direct[40][2], value, gradient[2], x[6];
    int n = 0;
    if (ph_run_follow(run, param, 2, &err) != PH_OK)
        fail_msg("%s", err.text);
    go(run, WEB_END);
    for (int k = 0; k < 2; k++) {
        double worst =
            gap_to_differences(model, run, k, by[k].name, by[k].value, 2e-4 * by[k].value, WEB_END);
        if (!(worst <= 1e-8))
            print_message("by %s, %s\n", by[k].name, line);
        check_le(worst, 1e-8); /* derivative: differences of runs whose round-off is that of 1e-4 */
        n = 0;
        for (int i = 0; i < ph_run_count(run, PH_SENSORS); i++) {
            int what = ph_run_size(run, PH_GET_OVER, i) ? PH_GET_OVER : PH_GET_SENSOR;
            assert_int_equal(ph_run_get_derivative(run, what, i, k, x), PH_OK);
            for (int j = 0; j < ph_run_size(run, what, i); j++)
                direct[n++][k] = x[j];
        }
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, k, &direct[n][k]), PH_OK);
    }
    n = 0;
    for (int i = 0; i <= ph_run_count(run, PH_SENSORS); i++) {
        int objective = i == ph_run_count(run, PH_SENSORS),
            size = objective ? 1 : ph_run_size(run, PH_GET_SENSOR, i);
        for (int j = 0; j < size; j++, n++) {
            ph_status s = objective
                              ? ph_run_gradient(run, 0, param, 2, 0, &value, gradient, &err)
                              : ph_run_gradient_of_sensor(run, i, j, param, 2, 0, &value, gradient, &err);
            if (s != PH_OK)
                fail_msg("%s", err.text);
            for (int k = 0; k < 2; k++) {
                double tol =
                    1e-10 * (fabs(direct[n][k]) + 1e-2); /* derivative: both difference some sensors */
                if (!(fabs(gradient[k] - direct[n][k]) <= tol))
                    print_message("number %d by %s, %s\n", n, by[k].name, line);
                check_near(gradient[k], direct[n][k], tol);
            }
        }
    }
    ph_run_close(run);
    ph_model_free(model);
}

/* Functions as expressions of the parameter, and files that cannot be read so. */
static void functions_of_parameters(void **state)
{
    (void)state;
    web_by_both("");
    web_by_both("for i = 1, p do k = k end for i = 1, k do p = p end");
}

/* What a file may do with a parameter that is a symbol, and what the model then says. */
static void symbols(void **state)
{
    (void)state;
    static const struct {
        const char *line, *why; /* NULL: it is one */
    } cases[] = {
        {"", NULL},
        {"if p > 0.5 then k = 2 else k = 3 end", NULL},
        {"local m = math.max(p, 0) + math.floor(k) + #{p}", NULL},
        {"assert(type(p) == 'number' and math.type(p) == 'float')", NULL},
        {"if p == 0.8 then k = 2*k end", "it compares for equality with a number"},
        {"local list = {[1] = 2} local x = list[p + 0.2]", "the key of a table"},
        {"for i = 1, p do k = k end", "a loop counts"},
        {"if tonumber('10', 10*p) == '10' then sensor { name = 'z', custom = function(t) return t end } end",
         "the file is another one when it is read with a symbol"},
        {"local n = math.floor(10*p) if n == n and p <= 1 then k = 2 end", NULL},
        {"body { name = 'z' .. math.floor(10*p), mass = 1, inertia = {1, 1, 1} }", "name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ph_error err = {0};
        ph_model *model = web_with(cases[i].line), *near;
        assert_int_equal(ph_model_near(&near, model, NULL, 0, "p", NULL, &err), PH_OK);
        assert_int_equal(near->symbol, cases[i].why ? 0 : 1 + ph_model_find(near, PH_PARAMETERS, "p"));
        if (cases[i].why && !strstr(near->no_symbol, cases[i].why))
            fail_msg("%s: %s", cases[i].line, near->no_symbol);
        ph_model_free(near);
        ph_model_free(model);
    }
    ph_error err = {0};
    ph_model *model = web_with(""), *near;
    assert_int_equal(ph_model_near(&near, model, NULL, 0, "nothing", NULL, &err), PH_OK);
    assert_int_equal(near->symbol, 0);
    ph_model_free(near), ph_model_free(model);
    model = read_text("body { name = 'a', mass = 1, inertia = {1, 1, 1} }");
    assert_int_equal(ph_model_near(&near, model, NULL, 0, "p", NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the model has no parameters"));
    ph_model_free(model);
}

/* A spring along an angle that has turned a dozen times, and efforts that read it: the way back begins at checkpoints that are
 * turns away from each other. */
static void turns_on_the_way_back(void **state)
{
    (void)state;
    static const char *const text =
        "local k = param('k', 0.02)\n"
        "body { name = 'w', mass = 1, inertia = {0.1, 0.1, 0.1}, omega = {0, 0, 40} }\n"
        "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis = {0, 0, "
        "1} }\n"
        "actuator { name = 'spring', joint = 'axle', k = k, d = 0.001,\n"
        "           effort = function(t, s) return -0.01*math.sin(0.1*s.joints.axle.position) end }\n"
        "sensor { name = 'x', type = 'joint_position', joint = 'axle' }\n"
        "objective { name = 'J', final = function(s) return s.w.omega.z end }\n"
        "objective { name = 'I', integral = function(t, s) return s.sensors.x[1] end }\n"
        "run { t_end = 4, h = 4e-3 }\n";
    static const size_t memory[] = {0, 60000};
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run = open_run(model, NULL);
    int k = 0;
    double direct[2], gradient, value, x;
    if (ph_run_follow(run, &k, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    go(run, 4);
    ph_run_get(run, PH_GET_SENSOR, 0, &x);
    assert_true(x > 12 * 6.3);
    for (int j = 0; j < 2; j++)
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, j, 0, &direct[j]), PH_OK);
    for (int m = 0; m < 2; m++)
        for (int j = 0; j < 2; j++) {
            if (ph_run_gradient(run, j, &k, 1, memory[m], &value, &gradient, &err) != PH_OK)
                fail_msg("%s", err.text);
            check_near(gradient, direct[j], 1e-10 * fabs(direct[j])); /* derivative: of the same steps */
            double now;
            ph_run_get(run, PH_GET_SENSOR, 0, &now);
            check_near(now, x, 1e-12 * x); /* round-off: the run ends as it does by itself */
        }
    ph_run_close(run);
    ph_model_free(model);
}

/* What sensors come to over steps that change their size: backwards as forwards, and near differences of other runs. */
static void over_time_by_tolerance(void **state)
{
    (void)state;
    static const char *const text =
        "local k = param('k', 30)\n"
        "gravity {0, 0, -9.81}\n"
        "body { name = 'w', mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }\n"
        "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis = {0, -1, "
        "0} }\n"
        "actuator { name = 'spring', joint = 'axle', k = k, d = 0.1,\n"
        "           effort = function(t, s) return 5*math.sin(0.1*k*t) end }\n"
        "for _, kind in ipairs({'max', 'min', 'max_abs', 'rms', 'mean', 'integral'}) do\n"
        "  sensor { name = kind, type = 'joint_rate', joint = 'axle', over_time = kind }\n"
        "end\n"
        "run { t_end = 1 }\n";
    static const char *const options[] = {"tol=1e-7", "atol=1e-14", "rtol=1e-14"};
    ph_model *model = read_text(text);
    ph_error err = {0};
    ph_run *run, *near[2];
    ph_run_config c = ph_run_defaults();
    int k = 0;
    double e = 1e-3, direct[6], gradient, value, x[2];
    c.options = options, c.n_options = 3;
    assert_int_equal(ph_run_create(&run, model, &c, &err), PH_OK);
    if (ph_run_follow(run, &k, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    go(run, 1);
    for (int side = 0; side < 2; side++) {
        ph_setting set = {"k", 30 + (side ? e : -e)};
        c.parameters = &set, c.n_parameters = 1;
        assert_int_equal(ph_run_create(&near[side], model, &c, &err), PH_OK);
        go(near[side], 1);
    }
    for (int n = 0; n < 6; n++)
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OVER, n, 0, &direct[n]), PH_OK);
    for (int n = 0; n < 6; n++) {
        if (ph_run_gradient_of_sensor(run, n, 0, &k, 1, 0, &value, &gradient, &err) != PH_OK)
            fail_msg("%s", err.text);
        check_near(gradient, direct[n], 1e-12); /* round-off: derivatives of the same steps */
        for (int side = 0; side < 2; side++)
            assert_int_equal(ph_run_get(near[side], PH_GET_OVER, n, &x[side]), PH_OK);
        /* derivative: other runs have other steps, and points near extreme values move with them */
        check_near(direct[n], (x[1] - x[0]) / (2 * e), n < 3 ? 1e-4 : 1e-6);
    }
    ph_run_close(run), ph_run_close(near[0]), ph_run_close(near[1]);
    ph_model_free(model);
}

/* The value of an input is a number of the model until it is set from outside. */
static void values_of_inputs(void **state)
{
    (void)state;
    static const char *const text = "input { name = 'u', value = 2*param('p', 0.7) }\n"
                                    "body { name = 'w', mass = 1, inertia = {0.1, 0.1, 0.1} }\n"
                                    "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'w'}, at "
                                    "= {0, 0, 0}, axis = {0, 0, 1} }\n"
                                    "actuator { name = 'a', joint = 'axle', effort = 'u', d = 0.1 }\n"
                                    "actuator { name = 'b', joint = 'axle', effort = function(t, s) return "
                                    "-s.inputs.u^2*s.joints.axle.rate end }\n"
                                    "sensor { name = 'x', type = 'joint_position', joint = 'axle' }\n"
                                    "sensor { name = 'u', custom = function(t, s) return s.inputs.u end }\n"
                                    "run { t_end = 0.5, h = 5e-3 }\n";
    ph_model *model = read_text(text);
    for (int set = 0; set < 2; set++) {
        ph_error err = {0};
        ph_run *run = open_run(model, NULL);
        int p = 0;
        double x, u, value, gradient;
        if (set)
            assert_int_equal(ph_run_set_input_table(run, 0, 1, (double[]){0}, (double[]){1.4}, &err), PH_OK);
        if (ph_run_follow(run, &p, 1, &err) != PH_OK)
            fail_msg("%s", err.text);
        go(run, 0.5);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, 0, 0, &x), PH_OK);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, 1, 0, &u), PH_OK);
        if (!set)
            check_le(gap_to_differences(model, run, 0, "p", 0.7, 7e-4, 0.5), 1e-9); /* derivative */
        if (ph_run_gradient_of_sensor(run, 0, 0, &p, 1, 0, &value, &gradient, &err) != PH_OK)
            fail_msg("%s", err.text);
        check_near(u, set ? 0 : 2, 1e-11); /* derivative */
        check_near(gradient, x, 1e-11);    /* derivative: the same steps */
        assert_true(set ? fabs(x) < 1e-12 : fabs(x) > 0.01);
        ph_run_close(run);
    }
    ph_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quarter_car_by_every_parameter),
                                       cmocka_unit_test(functions_of_parameters),
                                       cmocka_unit_test(symbols),
                                       cmocka_unit_test(turns_on_the_way_back),
                                       cmocka_unit_test(over_time_by_tolerance),
                                       cmocka_unit_test(values_of_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
