/* Derivatives of a run by parameters that follow its steps. */
#include "run_cases.h"

/* Derivatives along with the run, and five-point differences of runs. (W10) */
static void derivatives(void **state)
{
    (void)state;
    const char *const o[] = {"rtol=1e-13", "atol=1e-13"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 2);
    int m = ph_run_find(run, PH_PARAMETERS, "m"), tip = ph_run_find(run, PH_SENSORS, "tip");
    static const int place[] = {-2, -1, 1, 2};
    double d[3], W[3], at[4][3], force[6], F[4][6], eps = 15 * 0x1p-9;
    assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, tip, 0, d), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_ROTATION, 0, 0, W), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_REACTION, 0, 0, force), PH_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"m", 15 + place[k] * eps}, 1, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
        ph_run_get(run, PH_GET_SENSOR, tip, at[k]);
        ph_run_get(run, PH_GET_REACTION, 0, F[k]);
    }
    for (int i = 0; i < 3; i++) {
        double D = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * eps);
        check_near(d[i], D, 1e-8); /* derivative: differences over 3 % of m */
    }
    for (int i = 0; i < 6; i++) {
        double D = (8 * (F[2][i] - F[1][i]) - (F[3][i] - F[0][i])) / (12 * eps);
        check_near(force[i], D, 1e-5); /* derivative: of forces of some 100 N */
    }
    assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, tip, 0, d),
                     PH_E_INPUT); /* nothing follows any more */
    ph_run_close(run);
}

/* Derivatives of initial values are known at those of the file alone. */
static void derivatives_begin_at_the_start(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    int m = ph_run_find(run, PH_PARAMETERS, "m");
    ph_error err = {0};
    steps_of(run, 5);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_E_INPUT);
    ph_state s = ph_sim_state(ph_run_sim(run));
    assert_int_equal(ph_run_start_at(run, 0, s.q, s.v, 1, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "reset it first"));
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_OK);
    ph_run_close(run);
}

/* Other parameters take the place of those that are followed, unless they are refused; none ends it at any time. */
static void following_changes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    int m = ph_run_find(run, PH_PARAMETERS, "m"), none = 99;
    double d[3], again[3];
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &none, 1, NULL), PH_E_INPUT);
    steps_of(run, 5);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, d), PH_OK);
    assert_int_equal(ph_run_save(run, bytes, size), PH_E_INPUT);
    assert_int_equal(ph_run_follow(run, NULL, 0, NULL), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, again), PH_E_INPUT);
    assert_int_equal(ph_run_save(run, bytes, size), PH_OK);
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    steps_of(run, 5);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, again), PH_OK);
    assert_memory_equal(d, again, sizeof d); /* exact */
    free(bytes);
    ph_run_close(run);
}

/* Numbers that have no derivative, and parameters that cannot be followed. */
static void derivatives_refused(void **state)
{
    (void)state;
    static const char text[] =
        "local p, q = param('p', 1), param('q', 0)\n"
        "body{ name = 'a', mass = p, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
        "if q > 0 then error('no such q') end\n"
        "sensor{ name = 'w', type = 'work' }\nsensor{ name = 'x', type = 'position', body = 'a' }\n"
        "sensor{ name = 'm', type = 'work', over_time = 'max' }\n"
        "sensor{ name = 'o', type = 'position', body = 'a', over_time = 'rms' }\n"
        "sensor{ name = 'e', type = 'position', body = 'a', over_time = 'mean' }\n"
        "run{ h = 0.01, t_end = 0.1 }";
    scratch file;
    ph_run *run = run_of(&file, text, NULL, 0);
    double x[64];
    ph_error err = {0};
    const int both[] = {0, 1};
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, x),
                     PH_E_INPUT); /* nothing is followed */
    assert_int_equal(ph_run_follow(run, both, 2, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "parameter 'q'"));
    assert_non_null(strstr(err.text, "no such q"));
    assert_int_equal(ph_run_follow(run, both, 1, NULL), PH_OK);
    static const struct {
        int what, index, k;
        ph_status status;
    } row[] = {{PH_GET_POSITION, 0, 0, PH_OK},      {PH_GET_POSITION, 0, -1, PH_E_INPUT},
               {PH_GET_POSITION, 0, 1, PH_E_INPUT}, {PH_GET_POSITION, 1, 0, PH_E_INPUT},
               {PH_GET_SENSOR, 0, 0, PH_E_INPUT},   {PH_GET_SENSOR, 1, 0, PH_OK},
               {PH_GET_SENSOR, 9, 0, PH_E_INPUT},   {PH_GET_PARAMETER, 0, 0, PH_E_INPUT},
               {PH_GET_OVER, 2, 0, PH_E_INPUT},     {PH_GET_OVER, 3, 0, PH_OK},
               {PH_GET_OVER, 4, 0, PH_OK},          {PH_GET_OVER, 1, 0, PH_E_INPUT}};
    for (int started = 0; started < 2; started++) {
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            if (ph_run_get_derivative(run, row[k].what, row[k].index, row[k].k, x) != row[k].status)
                fail_msg("row %d", (int)k);
            else if (row[k].status == PH_OK) /* round-off: nothing acts on the body, whatever its mass */
                check_near(x[0], 0, 1e-12);
        steps_of(run, 3);
    }
    assert_int_equal(ph_run_get(run, PH_GET_OVER, 4, x), PH_OK);
    check_near(x[0], 0.03, 1e-15); /* round-off: the mean of t up to 0.06 */
    ph_run_close(run);
    scratch_remove(&file);
}

/* Steps of parameters: their part of the value, or the part that was asked for. */
static void steps_of_parameters(void **state)
{
    (void)state;
    static const char text[] =
        "local p, q = param('p', 3), param('q', 0)\n"
        "body{ name = 'a', mass = p, inertia = {1, 1, 1}, velocity = {q, 0, 0} }\nrun{ h = 0.01 }";
    scratch file = scratch_create("eps.lua");
    scratch_write(&file, text, strlen(text));
    for (int k = 0; k < 2; k++) {
        ph_run *run;
        ph_run_config c = ph_run_defaults();
        c.eps = k ? 1e-3 : 0;
        assert_int_equal(ph_run_open(&run, file.path, &c, NULL), PH_OK);
        assert_true(ph_run_eps(run, 0) == (k ? 3e-3 : 3 * 0x1p-9));
        assert_true(ph_run_eps(run, 1) == (k ? 1e-3 : 0x1p-10));
        assert_true(ph_run_eps(run, -1) == 0 && ph_run_eps(run, 2) == 0);
        ph_run_close(run);
    }
    scratch_remove(&file);
}

/* With tol: what a parameter changes by moving a jump is not seen, and refused; bends may move, and jumps stay. */
static void jumps_that_move(void **state)
{
    (void)state;
    static const char text[] =
        "local T, f, B = param('T', 0.1), param('f', 1), param('B', 0.2)\n"
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
        "joint{ name = 'j', type = 'prismatic', bodies = {'ground', 'b'}, axis = {1, 0, 0} }\n"
        "actuator{ name = 'a', joint = 'j', effort = function(t, s) if t < T then return -f else return f/2 "
        "end end }\n"
        "force{ body = 'b', value = function(t) return math.max(0, t - B), 0, 0 end }\n"
        "run{ t_end = 0.3, tol = 1e-6 }";
    scratch file = scratch_create("jump.lua");
    scratch_write(&file, text, strlen(text));
    ph_run *run = open_run(file.path, NULL, 0);
    ph_error err = {0};
    const int p[] = {0, 1, 2};
    double d[3];
    assert_int_equal(ph_run_follow(run, p, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "parameter 'T' moves the time t = 0.1 s at which a function jumps"));
    assert_int_equal(ph_run_follow(run, p + 1, 2, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.3, NULL), PH_OK);
    /* order: errors of steps by tolerance */
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, d), PH_OK);
    check_near(d[0], -0.5 * 0.3 * 0.3 + 1.5 * 0.5 * 0.2 * 0.2, 1e-5);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 1, d), PH_OK);
    check_near(d[0], -0.5 * 0.1 * 0.1, 1e-5);
    ph_run_close(run);
    scratch_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_refused), cmocka_unit_test(steps_of_parameters),
        cmocka_unit_test(derivatives),         cmocka_unit_test(derivatives_begin_at_the_start),
        cmocka_unit_test(following_changes),   cmocka_unit_test(jumps_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
