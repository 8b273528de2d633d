/* Error bars of runs: of bodies, joints, sensors, numbers over time and objectives, against a run that has hardly any error;
 * extrapolated numbers; what is refused. */
#include "check.h"

#include "polhode/polhode.h"

static const char text[] =
    "model 'arm'\n gravity {0, 0, -9.81}\n local m = param('m', 2)\n"
    "body { name = 'a', mass = m, inertia = {0.3, 0.2, 0.12}, position = {0.4, 0.3, 0.1}, omega = {1, -2, 3} "
    "}\n"
    "body { name = 'b', mass = 1, inertia = {0.05, 0.11, 0.08}, position = {0.9, 0.7, 0}, omega = {-3, 1, 2} "
    "}\n"
    "joint { name = 'p', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\n"
    "joint { name = 'q', type = 'spherical', bodies = {'a', 'b'}, at = {0.7, 0.5, 0.1} }\n"
    "sensor { name = 'tip', type = 'position', body = 'b', at = {0.2, 0, 0} }\n"
    "sensor { name = 'mean', type = 'velocity', body = 'b', over_time = 'rms' }\n"
    "sensor { name = 'work', type = 'work' }\n"
    "objective { name = 'J', final = function(s) return s.b.position.z end,\n"
    "            integral = function(t, s) return s.a.omega.x^2 end }\n"
    "run { t_end = 1, h = 1e-3 }\n";

static ph_run *open_run(const char *const *options, int n)
{
    ph_run_config c = ph_run_defaults();
    ph_run *run = NULL;
    ph_model *model;
    ph_error err = {0};
    c.options = options, c.n_options = n;
    if (ph_model_read_text(&model, "arm.lua", text, sizeof text - 1, NULL, 0, NULL, &err) != PH_OK ||
        ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

static void go(ph_run *run)
{
    ph_error err = {0};
    if (ph_run_until(run, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* What is compared: the number that a run gives of it. */
static const struct {
    int what, index;
} of[] = {{PH_GET_POSITION, 1}, {PH_GET_VELOCITY, 1}, {PH_GET_OMEGA, 0}, {PH_GET_ACCELERATION, 1},
          {PH_GET_REACTION, 1}, {PH_GET_SENSOR, 0},   {PH_GET_OVER, 1},  {PH_GET_OBJECTIVE, 0}};

/* order: the error that is read explains that of the number but for a part that halves with h; reference: dopri8 with tol
 * 1e-12, on a grid that is fine enough for what is integrated. */
static void errors_are_those_of_numbers(void **state)
{
    (void)state;
    static const char *const best_options[] = {"method=rkmk", "tableau=dopri8", "tol=1e-12", "h=5e-5"};
    ph_run *best = open_run(best_options, 4);
    go(best);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        double part[2];
        for (int half = 0; half < 2; half++) {
            const char *const h = half ? "h=1e-3" : "h=2e-3";
            ph_run *run = open_run(&h, 1);
            double x[6], e[6], exact[6], missed = 0, size = 0;
            assert_int_equal(ph_run_error_bars(run, 1, NULL), PH_OK);
            go(run);
            int n = ph_run_size(run, of[k].what, of[k].index);
            assert_int_equal(ph_run_get(run, of[k].what, of[k].index, x), PH_OK);
            assert_int_equal(ph_run_get_error(run, of[k].what, of[k].index, e), PH_OK);
            assert_int_equal(ph_run_get(best, of[k].what, of[k].index, exact), PH_OK);
            for (int i = 0; i < n; i++) {
                missed = fmax(missed, fabs(exact[i] - x[i] - e[i]));
                size = fmax(size, fabs(exact[i] - x[i]));
            }
            part[half] = missed / size;
            assert_int_equal(ph_run_extrapolate(run, 1), PH_OK);
            double better[6];
            assert_int_equal(ph_run_get(run, of[k].what, of[k].index, better), PH_OK);
            for (int i = 0; i < n; i++)
                check_near(better[i], x[i] + e[i], 1e-12 * (1 + fabs(x[i]))); /* round-off */
            ph_run_close(run);
        }
        if (!(part[1] <= 0.3 && part[1] <= 0.62 * part[0]))
            fail_msg("number %d of the list: error bars leave %.3g, then %.3g of the error", (int)k, part[0],
                     part[1]);
    }
    ph_run_close(best);
}

static void rotations_are_vectors(void **state)
{
    (void)state;
    ph_run *run = open_run(NULL, 0);
    double e[3], q[4], better[4];
    assert_int_equal(ph_run_error_bars(run, 1, NULL), PH_OK);
    go(run);
    assert_int_equal(ph_run_get_error(run, PH_GET_ROTATION, 0, e), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_ROTATION, 0, q), PH_OK);
    ph_run_extrapolate(run, 1);
    assert_int_equal(ph_run_get(run, PH_GET_ROTATION, 0, better), PH_OK);
    const ph_group_ops *so3 = ph_group_get(PH_SO3);
    double inverse[4], w[3];
    so3->inverse(3, q, inverse);
    so3->compose(3, inverse, better, inverse);
    so3->log(3, inverse, w);
    check_le(max_diff(w, e, 3), 1e-14); /* round-off */
    assert_true(norm2(e, 3) > 1e-6);
    ph_run_close(run);
}

/* Backwards: the same error of the objective, with the parts of the run that it comes from; with tol too. */
static void errors_of_objectives(void **state)
{
    (void)state;
    static const char *const options[] = {"h=5e-4", "tol=1e-5"};
    for (int k = 0; k < 2; k++) {
        ph_run *run = open_run(&options[k], 1);
        double along, value, error, part[7], sum = 0;
        ph_error err = {0};
        assert_int_equal(ph_run_error_bars(run, 1, NULL), PH_OK);
        go(run);
        assert_int_equal(ph_run_get_error(run, PH_GET_OBJECTIVE, 0, &along), PH_OK);
        if (ph_run_objective_error(run, 0, 0, &value, &error, 7, part, &err) != PH_OK)
            fail_msg("%s", err.text);
        /* order: both are of first order in what they leave out, and differ in second order */
        check_near(error, along, 0.02 * fabs(along) + 1e-8);
        for (int i = 0; i < 7; i++)
            sum += part[i];
        check_near(sum, error, 1e-15); /* round-off */
        assert_true(fabs(part[0]) > 1e-9 && fabs(part[6]) > 1e-9 && part[0] != part[6]);
        double seen;
        assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &seen), PH_OK);
        check_near(value, seen, 1e-12);
        ph_run_close(run);
    }
}

static void tolerance_for_an_objective(void **state)
{
    (void)state;
    static const char *const best_options[] = {"method=rkmk", "tableau=dopri8", "tol=1e-12", "h=5e-5"};
    ph_run *run = open_run(NULL, 0), *best = open_run(best_options, 4);
    double tol = 0, error, exact, value;
    ph_error err = {0};
    go(best);
    if (ph_run_tol_for(run, 0, 2e-6, &tol, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_true(tol < 1e-3 && ph_run_time(run) == 0 && ph_run_options(run).tol == tol);
    assert_int_equal(ph_run_error_bars(run, 1, NULL), PH_OK);
    go(run);
    assert_int_equal(ph_run_get_error(run, PH_GET_OBJECTIVE, 0, &error), PH_OK);
    check_le(fabs(error), 2e-6); /* invariant: what was asked for */
    assert_int_equal(ph_run_get(best, PH_GET_OBJECTIVE, 0, &exact), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &value), PH_OK);
    check_le(fabs(exact - value), 2.2e-6); /* and what it is */
    assert_int_equal(ph_run_tol_for(run, 5, 2e-6, &tol, &err), PH_E_INPUT);
    assert_int_equal(ph_run_tol_for(run, 0, 0, &tol, &err), PH_E_INPUT);
    ph_run_close(run), ph_run_close(best);
}

/* Direct and adjoint derivatives of a run with tol, of the steps that it chose. */
static void gradients_with_tol(void **state)
{
    (void)state;
    static const char *const options[] = {"tol=1e-4"};
    static const int m = 0;
    ph_run *run = open_run(options, 1);
    double along, value, gradient, grid;
    ph_error err = {0};
    assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    go(run);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, &along), PH_OK);
    if (ph_run_gradient(run, 0, &m, 1, 0, &value, &gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_near(gradient, along, 1e-7 * fabs(along)); /* derivative: Newton's method leaves 1e-8 */
    static const char *const with_grid[] = {"tol=1e-4", "h=1e-2"};
    ph_run *other = open_run(with_grid, 2);
    assert_int_equal(ph_run_gradient(other, 0, &m, 1, 0, &value, &grid, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "leave out h"));
    assert_int_equal(ph_run_follow(other, &m, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "leave out h"));
    ph_run_close(run), ph_run_close(other);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const bliedf = "method=bliedf";
    ph_run *run = open_run(&bliedf, 1), *other = open_run(NULL, 0);
    double x[6];
    ph_error err = {0};
    assert_int_equal(ph_run_error_bars(run, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "bliedf has no error bars"));
    assert_int_equal(ph_run_get_error(other, PH_GET_POSITION, 0, x), PH_E_INPUT); /* none are followed */
    assert_int_equal(ph_run_extrapolate(other, 1), PH_E_INPUT);
    assert_int_equal(ph_run_step(other, NULL), PH_OK);
    assert_int_equal(ph_run_error_bars(other, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "begin with the first step"));
    assert_int_equal(ph_run_reset(other, NULL), PH_OK);
    assert_int_equal(ph_run_error_bars(other, 1, &err), PH_OK);
    assert_int_equal(ph_run_step(other, NULL), PH_OK);
    assert_int_equal(ph_run_get_error(other, PH_GET_SENSOR, 2, x), PH_E_INPUT); /* a sum over the run */
    assert_int_equal(ph_run_get_error(other, PH_GET_PARAMETER, 0, x), PH_E_INPUT);
    size_t size = ph_run_save_size(other);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(other, bytes, size), PH_E_INPUT);
    assert_int_equal(ph_run_error_bars(other, 0, NULL), PH_OK);
    assert_int_equal(ph_run_save(other, bytes, size), PH_OK);
    free(bytes);
    ph_run_close(run), ph_run_close(other);
}

/* Extreme values between points of the run are among the errors: an oscillator with x = 0.1 sin(3 t), whose numbers less their errors are of
 * third order, as the state is. */
static void extreme_values(void **state)
{
    (void)state;
    static const char oscillator[] =
        "body { name = 'm', mass = 2, inertia = {1, 1, 1}, velocity = {0, 0, 0.3} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'm'}, axis = {0, 0, 1} }\n"
        "actuator { name = 's', joint = 'rail', k = 18 }\n"
        "sensor { name = 'max', type = 'joint_position', joint = 'rail', over_time = 'max' }\n"
        "sensor { name = 'min', type = 'joint_position', joint = 'rail', over_time = 'min' }\n"
        "sensor { name = 'abs', type = 'joint_acceleration', joint = 'rail', over_time = 'max_abs' }\n"
        "run { t_end = 1.7 }\n";
    static const char *const sizes[] = {"h=0.1", "h=0.05", "h=0.025"};
    static const double exact[] = {0.1, -0.1, 0.9};
    double left[3][3];
    ph_error err = {0};
    for (int i = 0; i < 3; i++) {
        ph_run_config c = ph_run_defaults();
        ph_model *model;
        ph_run *run;
        c.options = &sizes[i], c.n_options = 1;
        assert_int_equal(ph_model_read_text(&model, "oscillator.lua", oscillator, sizeof oscillator - 1, NULL,
                                            0, NULL, &err),
                         PH_OK);
        assert_int_equal(ph_run_create(&run, model, &c, &err), PH_OK);
        ph_model_free(model);
        assert_int_equal(ph_run_error_bars(run, 1, &err), PH_OK);
        assert_int_equal(ph_run_until(run, 1.7, &err), PH_OK);
        for (int k = 0; k < 3; k++) {
            double x, e;
            assert_int_equal(ph_run_get(run, PH_GET_OVER, k, &x), PH_OK);
            assert_int_equal(ph_run_get_error(run, PH_GET_OVER, k, &e), PH_OK);
            left[k][i] = x + e - exact[k];
        }
        ph_run_close(run);
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            check_near(log2(left[k][i] / left[k][i + 1]), 3, 0.15); /* order */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_numbers),
        cmocka_unit_test(rotations_are_vectors),
        cmocka_unit_test(errors_of_objectives),
        cmocka_unit_test(tolerance_for_an_objective),
        cmocka_unit_test(gradients_with_tol),
        cmocka_unit_test(extreme_values),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
