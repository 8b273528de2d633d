/* Gradients of objectives by the adjoint. */
#include "run_cases.h"

/* The adjoint, and five-point differences of the value that a run comes to. */
static void gradients(void **state)
{
    (void)state;
    static const char text[] =
        "local k, d = param('k', 30), param('d', 0.4)\ngravity{0, 0, -9.81}\n"
        "body{ name = 'b', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {1, 0, 0} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
        "spring{ bodies = {'ground', 'b'}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = k, d = d, length = 1 }\n"
        "objective{ name = 'J', final = function(s) return s.b.position.z^2 end,\n"
        "           integral = function(t, s) return s.b.velocity.x^2 + k*1e-3 end }\n"
        "run{ t_end = 0.5, h = 0.01, rtol = 1e-12, atol = 1e-12 }";
    scratch s = scratch_create("goal.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    int p[] = {ph_run_find(run, PH_PARAMETERS, "k"), ph_run_find(run, PH_PARAMETERS, "d")};
    static const int place[] = {-2, -1, 1, 2};
    const char *const name[] = {"k", "d"};
    const double value[] = {30, 0.4};
    double J, gradient[2], end;
    ph_error err = {0};
    if (ph_run_gradient(run, 0, p, 2, 0, &J, gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_near(ph_run_time(run), 0.5, 1e-12);
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &end), PH_OK);
    check_near(end, J, 1e-12); /* round-off: the same sum, forwards */
    for (int i = 0; i < 2; i++) {
        double at[4], eps = value[i] * 0x1p-7;
        for (int k = 0; k < 4; k++) {
            assert_int_equal(
                ph_run_set_parameters(run, &(ph_setting){name[i], value[i] + place[k] * eps}, 1, NULL),
                PH_OK);
            assert_int_equal(ph_run_until(run, 0.5, NULL), PH_OK);
            assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &at[k]), PH_OK);
        }
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){name[i], value[i]}, 1, NULL), PH_OK);
        double D = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * eps);
        check_near(gradient[i], D, 1e-8 * fmax(1, fabs(D))); /* derivative */
    }
    ph_run_close(run);
    scratch_remove(&s);
}

/* The start of BLieDF with a damper that takes 30 pieces of a step: e^-80 forwards, e^80 backwards. (OP4) */
static void damped_start(void **state)
{
    (void)state;
    static const char text[] =
        "local d, J = param('d', 8), param('J', 1.5e-3)\n"
        "body{ name = 'w', mass = 1, inertia = {1e-3, J, 1e-3}, omega = {0, 3, 0} }\n"
        "body{ name = 'p', mass = 0.5, inertia = {2e-3, 2e-3, 1e-3}, position = {0.3, 0, 0}, omega = {0, 1, "
        "0} }\n"
        "joint{ name = 'a', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
        "joint{ name = 'b', type = 'revolute', bodies = {'w', 'p'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
        "actuator{ name = 'm', joint = 'b', k = 30, d = d }\n"
        "actuator{ name = 'n', joint = 'a', k = 50 }\n"
        "objective{ name = 'J', final = function(s) return 10*s.w.omega.y + s.joints.b.position end,\n"
        "           integral = function(t, s) return 40*s.p.omega.y^2 end }\n"
        "run{ t_end = 0.2, h = 0.01, rtol = 1e-12, assemble = true, method = 'bliedf' }";
    for (int order = 2; order <= 6; order++) {
        char option[24];
        snprintf(option, sizeof option, "order=%d", order);
        const char *const options[] = {option};
        scratch s;
        ph_run *run = run_of(&s, text, options, 1);
        const int p[2] = {ph_run_find(run, PH_PARAMETERS, "d"), ph_run_find(run, PH_PARAMETERS, "J")};
        double J, gradient[2], direct;
        ph_error err = {0};
        if (ph_run_gradient(run, 0, p, 2, 0, &J, gradient, &err) != PH_OK)
            fail_msg("order %d: %s", order, err.text);
        assert_int_equal(ph_run_reset(run, NULL), PH_OK);
        assert_int_equal(ph_run_follow(run, p, 2, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, k, &direct), PH_OK);
            if (!(fabs(gradient[k] - direct) <=
                  1e-7 * fabs(direct))) /* derivative: of the motion, of its start */
                fail_msg("order %d, %d: %.12g for %.12g", order, k, gradient[k], direct);
        }
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* After a gradient the run is at its end, with angles counted up to there, and goes on. */
static void gradient_and_on(void **state)
{
    (void)state;
    static const char text[] =
        "local w = param('w', 40)\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, w} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
        "torque{ body = 'b', value = function(t, s) return {0, 0, 100*math.cos(7*t)} end }\n"
        "sensor{ name = 'a', type = 'angle', joint = 'j' }\n"
        "objective{ name = 'J', integral = function(t, s) return s.sensors.a[1]^2 end }\n"
        "run{ t_end = 2, h = 0.01 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0), *twin = open_run(s.path, NULL, 0);
    int w = 0, none = 1;
    double J, gradient, angle[2], value;
    assert_int_equal(ph_run_until(twin, 2, NULL), PH_OK);
    steps_of(run, 5);
    snapshot before = snap_run(run);
    assert_int_equal(ph_run_gradient(run, 0, &none, 1, 0, &J, &gradient, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_gradient(run, 0, NULL, 0, 0, &J, &gradient, NULL), PH_E_INPUT);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact: a refusal changes nothing */
    free(before.x), free(after.x);
    assert_int_equal(ph_run_gradient(run, 0, &w, 1, 0, &J, &gradient, NULL), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle[0]), PH_OK);
        assert_int_equal(ph_run_get(twin, PH_GET_JOINT_POSITION, 0, &angle[1]), PH_OK);
        assert_true(angle[0] == angle[1] && angle[0] > 60); /* exact */
        steps_of(run, 1), steps_of(twin, 1);
    }
    check_same(run, twin, "after a gradient");
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &value), PH_OK);
    assert_int_equal(ph_run_get(twin, PH_GET_OBJECTIVE, 0, &J), PH_OK);
    assert_true(value == J); /* exact */
    ph_run_close(run), ph_run_close(twin);
    scratch_remove(&s);
}

/* What ends the way forwards is what the caller hears. */
static void gradients_that_end(void **state)
{
    (void)state;
    static const char text[] =
        "local k = param('k', 225)\nbody{ name = 'b', mass = 1, inertia = {1, 2, 3}, position = {2, 0, 0} }\n"
        "spring{ bodies = {'ground', 'b'}, k = k, length = 1 }\n" /* order 4 grows with 1.5 rad in a step */
        "objective{ name = 'J', final = function(s) return s.b.position.x end }\n"
        "run{ t_end = 40, h = 0.1, method = 'bliedf', order = 4 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0);
    int k = 0;
    double J, gradient;
    ph_error err = {0};
    seen see_some = {.steps = 36, .stop_at = -1};
    assert_int_equal(ph_run_gradient(run, 0, &k, 1, 0, &J, &gradient, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "the solution explodes"));
    assert_int_equal(ph_run_failure(run).status, PH_E_STEP);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"k", 1}, 1, NULL), PH_OK);
    ph_run_observe(run, see, &see_some);
    assert_int_equal(ph_run_gradient(run, 0, &k, 1, 0, &J, &gradient, &err), PH_E_STOPPED);
    assert_string_equal(err.text, "stopped at t = 0.4");
    ph_run_close(run);
    scratch_remove(&s);
}

/* What has no gradient says why, and the run stays as it is. */
static void refusals(void **state)
{
    (void)state;
#define BODY                                                                                                 \
    "local k = param('k', 1)\nbody{ name = 'b', mass = k, inertia = {1, 1, 1}, velocity = {1, 0, 0} "        \
    "}\ninput{ name = 'u' }\n"
#define GOAL   "objective{ name = 'J', final = function(s) return s.b.position.x end }\n"
#define WORK   "sensor{ name = 'w', type = 'work' }\nsensor{ name = 'x', type = 'position', body = 'b' }\n"
#define COUNTS "local n = 0\nsensor{ name = 'c', type = 'custom', f = function(t) n = n + 1 return n end }\n"
    enum { OBJECTIVE, SENSOR, ERROR };
    static const struct {
        const char *text, *says;
        int of, index, number, set; /* set 1: an input between steps */
    } rows[] = {
        {BODY GOAL "run{ t_end = 1, h = 0.1 }", "there is no objective 1", OBJECTIVE, 1, 0, 0},
        {BODY GOAL "run{ t_end = 1, h = 0.1 }", "there is no objective -1", ERROR, -1, 0, 0},
        {BODY WORK "run{ t_end = 1, h = 0.1 }", "there is no number 0 of a sensor -1", SENSOR, -1, 0, 0},
        {BODY WORK "run{ t_end = 1, h = 0.1 }", "there is no number 0 of a sensor 2", SENSOR, 2, 0, 0},
        {BODY WORK "run{ t_end = 1, h = 0.1 }", "there is no number -1 of a sensor 1", SENSOR, 1, -1, 0},
        {BODY WORK "run{ t_end = 1, h = 0.1 }", "there is no number 3 of a sensor 1", SENSOR, 1, 3, 0},
        {BODY WORK "run{ t_end = 1, h = 0.1 }", "sensor 'w' is a sum over the run", SENSOR, 0, 0, 0},
        {BODY GOAL COUNTS "run{ t_end = 1, h = 0.1 }", "sensor 'c': its function keeps values", OBJECTIVE, 0,
         0, 0},
        {BODY GOAL "run{ t_end = 1, h = 0.1 }", "input 'u' was set between steps", OBJECTIVE, 0, 0, 1},
        {BODY GOAL "run{ t_end = 1 }", "the model says no h", ERROR, 0, 0, 0},
        {BODY GOAL "run{ t_end = 1, h = 0.1, tol = 1e-6 }", "leave out h, the grid", OBJECTIVE, 0, 0, 0},
        {BODY GOAL "run{ h = 0.1 }", "a gradient is that of a run to t_end", OBJECTIVE, 0, 0, 0},
        {BODY GOAL "run{ t_end = 1, h = 0.1, method = 'rkmk' }", "rkmk has no sensitivities", OBJECTIVE, 0, 0,
         0},
        {BODY GOAL "event{ name = 'e', when = function(t) return t - 0.5 end, action = 'stop' }\n"
                   "run{ t_end = 1, h = 0.1 }",
         "event 'e' has no exact derivatives", OBJECTIVE, 0, 0, 0},
        {BODY GOAL "event{ name = 'e', when = function(t) return t - 0.5 end, action = 'stop' }\n"
                   "run{ t_end = 1, h = 0.1 }",
         "event 'e': error bars do not go across events", ERROR, 0, 0, 0},
        {BODY GOAL "objective{ name = 'A', final = function(s) return s.b.acceleration.x end }\n"
                   "force{ body = 'b', value = {1, 0, 0} }\n"
                   "run{ t_end = 1, h = 0.1 }",
         "objective 'A' depends on accelerations or reactions", ERROR, 1, 0, 0},
        {BODY GOAL "force{ body = 'b', value = function(t, s) if t > 0.5 then error('enough') end return {0, "
                   "0, 0} end }\n"
                   "run{ t_end = 1, tol = 1e-6 }",
         "enough", OBJECTIVE, 0, 0, 0},
        {BODY "objective{ name = 'J', final = function(s) if k > 1 and s.b.position.x > 0.5 then error('too "
              "much') end return "
              "s.b.position.x end }\n"
              "run{ t_end = 1, h = 0.1 }",
         "t = 1: ", OBJECTIVE, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        scratch s;
        ph_run *run = run_of(&s, rows[k].text, NULL, 0);
        double J, x;
        int p = 0;
        ph_error err = {0};
        if (rows[k].set)
            assert_int_equal(ph_run_set_input(run, 0, 2), PH_OK);
        ph_status status =
            rows[k].of == SENSOR
                ? ph_run_gradient_of_sensor(run, rows[k].index, rows[k].number, &p, 1, 0, &J, &x, &err)
            : rows[k].of == ERROR ? ph_run_objective_error(run, rows[k].index, 0, &J, &x, 0, NULL, &err)
                                  : ph_run_gradient(run, rows[k].index, &p, 1, 0, &J, &x, &err);
        if (status == PH_OK || !strstr(err.text, rows[k].says))
            fail_msg("row %d: status %d, '%s' has no '%s'", (int)k, (int)status, err.text, rows[k].says);
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* Across steps of an input derivatives follow the run: what stops that is told as well. */
static void fails_across_steps(void **state)
{
    (void)state;
    static const char *const objectives[] = {"if s.b.position.x > 0.5 then error('too far') end",
                                             "if k > 1 and s.b.position.x > 0.5 then error('too far') end"};
    static const double t[] = {0, 0.5}, u[] = {1, 2};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        scratch s;
        snprintf(text, sizeof text,
                 "local k = param('k', 1)\nparticle{ name = 'b', mass = k, velocity = {1, 0, 0} }\n"
                 "input{ name = 'u', hold = 'step' }\nforce{ body = 'b', value = function(t, s) return "
                 "s.inputs.u, 0, 0 "
                 "end }\nobjective{ name = 'J', final = function(s) %s return s.b.position.x end }\n"
                 "run{ t_end = 1, h = 0.1 }",
                 i < 2 ? objectives[i] : "");
        ph_run *run = run_of(&s, text, NULL, 0);
        double J, gradient;
        ph_error err = {0};
        assert_int_equal(ph_run_set_input_table(run, 0, 2, t, u, &err), PH_OK);
        if (i == 2)
            ph_run_stop(run);
        ph_status status = ph_run_gradient(run, 0, &(int){0}, 1, 0, &J, &gradient, &err);
        assert_int_equal(status, i < 2 ? PH_E_CALLBACK : PH_E_STOPPED);
        if (!strstr(err.text, i == 0 ? "too far" : i == 1 ? "t = 1: " : "stopped at t = 0"))
            fail_msg("%d: %s", i, err.text);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, &J),
                         PH_E_INPUT); /* it has let go */
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* A system of one's own has neither objectives nor sensors. */
static void of_a_system(void **state)
{
    (void)state;
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    const char *h = "h=1e-3";
    double J, x;
    int p = 0;
    c.options = &h, c.n_options = 1;
    ph_problem *of = problem_named("heavy_top");
    assert_int_equal(ph_run_create_system(&run, &of->sys, 0, of->q0, of->v0, &c, NULL), PH_OK);
    assert_int_equal(ph_run_gradient(run, 0, &p, 1, 0, &J, &x, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_gradient_of_sensor(run, 0, 0, &p, 1, 0, &J, &x, NULL), PH_E_INPUT);
    ph_run_close(run);
    ph_problem_destroy(of);
}

/* An objective without an integral: all of its error is that of the steps; in parts or not, the sum is the same. */
static void error_of_an_end(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
        "spring{ bodies = {'ground', 'b'}, at_b = {0, 0, 0}, k = 30, length = 0 }\n"
        "objective{ name = 'J', final = function(s) return s.b.position.x end }\nrun{ t_end = 1, h = 0.01 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0);
    double J, whole, sum, part[5], exact = cos(sqrt(30));
    assert_int_equal(ph_run_objective_error(run, 0, 0, &J, &whole, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_objective_error(run, 0, 0, &J, &sum, 5, part, NULL), PH_OK);
    check_near(whole, sum, 1e-12 * fabs(sum));                       /* round-off */
    check_near(fabs(whole), fabs(J - exact), 0.1 * fabs(J - exact)); /* order: what it leaves out is h^3 */
    check_near(part[0] + part[1] + part[2] + part[3] + part[4], sum, 1e-12); /* round-off */
    ph_run_close(run);
    scratch_remove(&s);
}

/* A tolerance for an objective that cannot be. */
static void tolerances_refused(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
        "objective{ name = 'J', final = function(s)\n"
        "  if s.a.position.x > 0.05 then error('far') end return s.a.position.x end }\n";
    scratch file;
    double tol;
    ph_error err = {0};
    ph_run *run = run_of(&file, text, NULL, 0);
    assert_int_equal(ph_run_tol_for(run, 0, 1e-3, &tol, &err), PH_E_INPUT);
    assert_string_equal(err.text, "an error above 0 and a time t_end are needed");
    ph_run_close(run);
    const char *const end = "t_end=0.1";
    run = open_run(file.path, &end, 1);
    assert_int_equal(ph_run_tol_for(run, -1, 1e-3, &tol, &err), PH_E_INPUT);
    assert_int_equal(ph_run_tol_for(run, 1, 1e-3, &tol, &err), PH_E_INPUT);
    assert_string_equal(err.text, "there is no objective 1");
    assert_int_equal(ph_run_tol_for(run, 0, 0, &tol, &err), PH_E_INPUT);
    assert_int_equal(ph_run_tol_for(run, 0, NAN, &tol, &err), PH_E_INPUT);
    assert_int_equal(ph_run_tol_for(run, 0, 1e-3, &tol, &err), PH_E_CALLBACK);
    assert_non_null(strstr(err.text, "objective 'J' has no error: its function fails"));
    ph_run_close(run);
    scratch_remove(&file);
    ph_problem *p = problem_named("heavy_top");
    ph_run_config c = ph_run_defaults();
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, NULL), PH_OK);
    assert_int_equal(ph_run_tol_for(run, 0, 1e-3, &tol, &err), PH_E_INPUT);
    ph_run_close(run);
    ph_problem_destroy(p);
}

/* The integral of a squared distance from data by the trapezoidal rule of ten steps; beyond the data nothing counts. A body with
 * x = w t, so that J is c w^2 and dJ/dw = 2 J/w; a function may be added to it. Quaternions of either sign are the same. */
static void distances_from_data(void **state)
{
    (void)state;
#define FREE                                                                                                 \
    "local w = param('w', 2)\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {w, 0, 0} }\n"
#define PLACE FREE "sensor{ name = 's', type = 'position', body = 'b' }\n"
#define TURN  FREE "sensor{ name = 's', type = 'rotation', body = 'b' }\n"
#define END   "run{ t_end = 0.1, h = 0.01 }"
    static const struct {
        const char *text, *data;
        double until, each,
            more; /* x^2 counts up to there, a constant all the time, and what a function adds */
    } row[] = {
        {PLACE "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END,
         "0,0,0,0\n0.05,0,0,0\n0.1,0,0,0\n", 1, 0, 0},
        {PLACE "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END, "0,0,0,0\n0.05,0,0,0\n", 0.05,
         0, 0},
        {PLACE "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END,
         "-1,0,0,0\n0,0,0,0\n1,0,0,0\n2,0,0,0\n3,0,0,0\n", 1, 0, 0},
        {PLACE "objective{ name = 'J', data = 'd.csv', sensor = 's', integral = function(t, s) return "
               "3*s.b.position.x^2 end }\n" END,
         "0,0,0,0\n1,0,0,0\n", 1, 0, 3},
        {TURN "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END, "0,1,0,0,0\n1,1,0,0,0\n", 0, 0,
         0},
        {TURN "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END, "0,-1,0,0,0\n1,-1,0,0,0\n", 0, 0,
         0},
        {TURN "objective{ name = 'J', data = 'd.csv', sensor = 's' }\n" END,
         "0,-0.8,0.6,0,0\n1,-0.8,0.6,0,0\n", 0, 0.4, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int turns = strstr(row[k].text, "rotation") != NULL;
        scratch s = scratch_create("model.lua");
        char path[300];
        scratch_write(&s, row[k].text, strlen(row[k].text));
        snprintf(path, sizeof path, "%.*sd.csv", (int)(strrchr(s.path, '/') + 1 - s.path), s.path);
        FILE *f = fopen(path, "w");
        fprintf(f, "%s%s", turns ? "t,s.1,s.2,s.3,s.4\n" : "t,s.1,s.2,s.3\n", row[k].data);
        fclose(f);
        ph_run *run = open_run(s.path, NULL, 0);
        double J, slope, sum = 0;
        ph_error err = {0};
        if (ph_run_gradient(run, 0, &(int){0}, 1, 0, &J, &slope, &err) != PH_OK)
            fail_msg("%s", err.text);
        for (int i = 0; i <= 10; i++) {
            double t = 0.01 * i, x = 2 * t;
            sum += (i % 10 ? 0.01 : 0.005) *
                   ((t < row[k].until + 1e-9 ? x * x : 0) + row[k].more * x * x + row[k].each);
        }
        check_near(J, sum, 1e-14);                                         /* round-off */
        check_near(slope, row[k].each > 0 || turns ? 0 : 2 * J / 2, 1e-8); /* derivative */
        ph_run_close(run);
        remove(path);
        scratch_remove(&s);
    }
}

/* ---- steps by tolerance, and angles over turns ------------------------------------------------------------ */

/* Bodies that turn forth and back by more than a turn, against springs of the counted angle. */
static const char swing[] =
    "local k, w = param('k', 5), param('w', 20)\ngravity{ 0, 0, -9.81 }\n"
    "body{ name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {0.1, 0, 0.05}, omega = {0, 0, w},\n"
    "      velocity = {0, 0.1*w, 0.4} }\n"
    "body{ name = 'b', mass = 0.3, inertia = {0.02, 0.01, 0.03}, position = {0.5, 0, 0.1}, omega = {3, 0, "
    "w},\n"
    "      velocity = {0, 0.5*w, 0.4} }\n"
    "joint{ name = 'j', type = 'cylindrical', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
    "joint{ name = 'i', type = 'universal', bodies = {'a', 'b'}, at = {0.4, 0, 0.1}, axis_a = {1, 0, 0},\n"
    "       axis_b = {0, 1, 0} }\n"
    "actuator{ name = 's', joint = 'j', coordinate = 'rz', k = k, d = 0.02 }\n"
    "actuator{ name = 'z', joint = 'j', coordinate = 'z', k = 300, d = 1 }\n"
    "actuator{ name = 'm', joint = 'i', coordinate = 'rx',\n"
    "          effort = function(t, s) return -0.3*s.joints.i.position[1] - 0.03*s.joints.i.rate[1] end }\n"
    "actuator{ name = 'n', joint = 'i', coordinate = 'ry', k = 3, d = 0.01 }\n"
    "sensor{ name = 'l', type = 'joint_position', joint = 'j', coordinate = 'rz', over_time = 'min' }\n"
    "sensor{ name = 'u', type = 'joint_position', joint = 'j', coordinate = 'rz', over_time = 'max' }\n"
    "objective{ name = 'J', integral = function(t, s) return s.joints.j.position[2]^2 end,\n"
    "           final = function(s) return s.joints.j.position[2] + s.joints.i.position[1] end }\n"
    "run{ t_end = 2, tol = %s, %s }";

/* The adjoint makes the steps of the run, with any memory, and has the derivatives that follow them. */
static void turns_by_tolerance(void **state)
{
    static const struct {
        const char *tol, *more;
        size_t memory;
    } rows[] = {{"1e-3", "formulation = 'ggl'", 0},
                {"1e-3", "formulation = 'index2'", 0},
                {"1e-3", "space = 'SE3'", 0},
                {"1e-2", "rho = 0.6", 0},
                {"1e-3", "h_max = 1e-3", 150000}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4000];
        scratch s;
        ph_error err = {0};
        double J, gradient[2], end, value, slope, least[2], most[2];
        snprintf(text, sizeof text, swing, rows[i].tol, rows[i].more);
        ph_run *run = run_of(&s, text, NULL, 0), *twin = open_run(s.path, NULL, 0);
        if (ph_run_gradient(run, 0, (int[]){0, 1}, 2, rows[i].memory, &J, gradient, &err) != PH_OK)
            fail_msg("%s: %s", rows[i].more, err.text);
        assert_int_equal(ph_run_follow(twin, (int[]){0, 1}, 2, &err), PH_OK);
        assert_int_equal(ph_run_until(twin, 2, &err), PH_OK);
        assert_true(ph_sim_stats(ph_run_sim(run)).steps == ph_sim_stats(ph_run_sim(twin)).steps);
        assert_true(ph_run_time(run) == 2); /* exact */
        assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &end), PH_OK);
        assert_int_equal(ph_run_get(twin, PH_GET_OBJECTIVE, 0, &value), PH_OK);
        assert_true(end == value);           /* exact: the same steps */
        check_near(J, value, 1e-12 * value); /* round-off: the same sum, in another order */
        assert_int_equal(ph_run_get(run, PH_GET_OVER, 0, least), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_OVER, 1, most), PH_OK);
        assert_true(least[0] < -4 && most[0] > 4); /* ordering: half turns are passed in both directions */
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ph_run_get_derivative(twin, PH_GET_OBJECTIVE, 0, k, &slope), PH_OK);
            check_near(gradient[k], slope, 1e-10 * fabs(slope)); /* round-off */
        }
        ph_run_close(run), ph_run_close(twin);
        scratch_remove(&s);
    }
}

typedef struct spring_of_program {
    ph_run *run;
    int starts;          /* of ways that the observer saw */
    long calls, stop_at; /* -1: never */
    double k[2];         /* before the first start, and from then on */
} spring_of_program;

static int pull(int k, int n_x, const double *x, int n_y, double *y, char *error, size_t size, void *ctx)
{
    spring_of_program *p = ctx;
    (void)k, (void)n_x, (void)n_y, (void)error, (void)size;
    if (++p->calls == p->stop_at)
        ph_run_stop(p->run);
    y[0] = -p->k[p->starts > 0] * x[0], y[1] = y[2] = 0;
    return 1;
}

static ph_status count_starts(ph_run *run, int why, void *ctx)
{
    spring_of_program *p = ctx;
    (void)run;
    p->starts += why == PH_ON_START;
    return PH_OK;
}

/* The steps of a gradient are those that were counted before; where a function of the program makes others of them, fewer or more, the
 * gradient ends with words. A stop is heard while they are counted. */
static void another_way(void **state)
{
    static const char text[] =
        "local m = param('m', 1)\nbody{ name = 'b', mass = m, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
        "force{ body = 'b', value = function(t, s) return host(0, 3, s.position.x) end }\n"
        "objective{ name = 'J', final = function(s) return s.b.position.x end }\nrun{ t_end = 1, tol = 1e-4 "
        "}";
    static const struct {
        double k[2];
        long stop_at;
        ph_status status;
        const char *says;
    } rows[] = {{{30, 30}, -1, PH_OK, ""},
                {{30, 3}, -1, PH_E_INPUT, "goes another way"},
                {{3, 30}, -1, PH_E_INPUT, "goes another way"},
                {{30, 30}, 200, PH_E_STOPPED, "stopped at t = 0."}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ph_run_config c = ph_run_defaults();
        spring_of_program p = {.k = {rows[i].k[0], rows[i].k[1]}};
        ph_model *m;
        ph_error err = {0};
        double J, gradient;
        c.watch = 0; /* a spring that changes has energies to explain */
        if (ph_model_read_hosted(&m, "b.lua", text, strlen(text), NULL, 0, (ph_host){pull, &p}, NULL, &err) !=
                PH_OK ||
            ph_run_create(&p.run, m, &c, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_model_free(m);
        ph_run_observe(p.run, count_starts, &p);
        p.calls = 0, p.stop_at = rows[i].stop_at;
        ph_status status = ph_run_gradient(p.run, 0, &(int){0}, 1, 0, &J, &gradient, &err);
        if (status != rows[i].status)
            fail_msg("%s: %s", rows[i].says, err.text);
        assert_non_null(strstr(err.text, rows[i].says));
        ph_run_close(p.run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_from_data), cmocka_unit_test(tolerances_refused),
        cmocka_unit_test(fails_across_steps),  cmocka_unit_test(damped_start),
        cmocka_unit_test(gradients),           cmocka_unit_test(gradient_and_on),
        cmocka_unit_test(gradients_that_end),  cmocka_unit_test(refusals),
        cmocka_unit_test(of_a_system),         cmocka_unit_test(error_of_an_end),
        cmocka_unit_test(turns_by_tolerance),  cmocka_unit_test(another_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
