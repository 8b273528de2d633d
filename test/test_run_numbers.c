/* Names and numbers of a run, by index; turns. */
#include "run_cases.h"

static void numbers(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    double x[6], v[3], q[4], tip[3], energy[5], step[2], lambda[3];
    int top = ph_run_find(run, PH_BODIES, "top"), pivot = ph_run_find(run, PH_JOINTS, "pivot");
    assert_true(top == 0 && pivot == 0 && ph_run_find(run, PH_BODIES, "nobody") == -1);
    assert_string_equal(ph_run_name(run, PH_BODIES, 0), "top");
    assert_null(ph_run_name(run, PH_BODIES, 1));
    assert_string_equal(ph_run_label(run, PH_GET_ROTATION, top, 1), "qx");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 2), "N");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 3), "N m");
    steps_of(run, 10);
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, top, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, top, v), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_ROTATION, top, q), PH_OK);
    check_near(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1, 1e-14);               /* invariant: the arm */
    check_near(x[0] * v[0] + x[1] * v[1] + x[2] * v[2], 0, 1e-12);               /* invariant */
    check_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14); /* invariant */
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), tip), PH_OK);
    check_near(tip[1], 2 * x[1], 1e-14); /* round-off: the tip is twice as far as the centre of mass */
    assert_int_equal(ph_run_get(run, PH_GET_REACTION, pivot, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_MULTIPLIERS, pivot, lambda), PH_OK);
    check_near(hypot(hypot(x[0], x[1]), x[2]), hypot(hypot(lambda[0], lambda[1]), lambda[2]),
               1e-9); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, energy), PH_OK);
    ph_run_summary s = ph_run_summarise(run);
    check_near(energy[0] + energy[1], s.energy, 1e-12 * fabs(s.energy)); /* round-off */
    assert_true(fabs(energy[4]) <= s.residual && s.stats.steps == 10);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, step), PH_OK);
    check_near(step[0], ph_run_options(run).h, 1e-15); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, 1, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, PH_GET_INPUT, 0, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, 99, 0, x), PH_E_INPUT);
    ph_run_close(run);
}

/* An angle over many turns, against the one of a constant rate. */
static void turns(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 40} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, "
        "axis = {0, 0, 1} }\nrun{ t_end = 2, h = 0.01 }";
    scratch s = scratch_create("turns.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    double angle, rate;
    assert_int_equal(ph_run_until(run, 2, NULL), PH_OK);
    assert_int_equal(ph_run_size(run, PH_GET_JOINT_POSITION, 0), 1);
    assert_string_equal(ph_run_unit(run, PH_GET_JOINT_POSITION, 0, 0), "rad");
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_RATE, 0, &rate), PH_OK);
    check_near(angle, 80, 1e-9), check_near(rate, 40, 1e-10); /* round-off of 200 steps */
    ph_run_close(run);
    scratch_remove(&s);
}

/* A torsional spring swings by more than half a turn each way, slowly and fast: its torque needs the turns, which are not counted in
 * every step. */
static void turns_to_and_fro(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 5} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
        "actuator{ name = 'spring', joint = 'j', k = 1 }\nrun{ t_end = 20, h = 0.02, method = 'rkmk', "
        "tableau = 'rk4' }";
    scratch s = scratch_create("swing.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    double angle;
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(ph_run_until(run, k, NULL), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle), PH_OK);
        check_near(angle, 5 * sin(k), 2e-7); /* order 4: h^4/120 t */
    }
    ph_run_close(run);
    scratch_remove(&s);
}

/* What is not there has no name, no size, no unit and no number; a system of one's own has nothing of a model. */
static void not_there(void **state)
{
    (void)state;
    static const char text[] = "body{ name = 'a', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} "
                               "}\nparticle{ name = 'b', mass = 1 }\n"
                               "joint{ name = 'turn', type = 'revolute', bodies = {'ground', 'a'}, at = {0, "
                               "0, 0}, axis = {0, 0, 1},\n"
                               "       drive = function(t) return t end }\n"
                               "joint{ name = 'shift', type = 'distance', bodies = {'a', 'b'}, drive = "
                               "function(t) return 1 + t end }\n"
                               "sensor{ name = 'v', type = 'velocity', body = 'a' }\n"
                               "objective{ name = 'J', final = function(s) return s.a.position.x end }\n"
                               "objective{ name = 'I', integral = function(t, s) return s.a.position.x end "
                               "}\nrun{ h = 0.01, t_end = 1 }";
    static const struct {
        int flag, first, second; /* of indices 0 and 1 */
    } is[] = {{PH_IS_PARTICLE, 0, 1},    {PH_IS_MARKER, 0, 0},    {PH_IS_DRIVEN, 1, 1},
              {PH_IS_ANGLE, 1, 0},       {PH_IS_INTEGRAL, 0, 1},  {PH_IS_VECTOR, 1, 0},
              {PH_IS_OF_FUNCTION, 0, 0}, {PH_IS_QUATERNION, 0, 0}};
    scratch file;
    ph_run *run = run_of(&file, text, NULL, 0), *own;
    double x[64];
    for (int list = PH_INPUTS; list <= PH_CONSTRAINTS; list++) {
        assert_null(ph_run_name(run, list, -1));
        assert_null(ph_run_name(run, list, ph_run_count(run, list)));
    }
    for (int k = -1; k < 4; k += 4) {
        assert_null(ph_run_label(run, PH_GET_POSITION, 0, k));
        assert_null(ph_run_unit(run, PH_GET_POSITION, 0, k));
    }
    assert_string_equal(ph_run_unit(run, PH_GET_DRIVE, 0, 0), "rad");
    assert_string_equal(ph_run_unit(run, PH_GET_DRIVE, 0, 1), "rad/s");
    assert_string_equal(ph_run_unit(run, PH_GET_DRIVE, 1, 0), "m");
    assert_string_equal(ph_run_unit(run, PH_GET_DRIVE, 1, 1), "m/s");
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        assert_int_equal(ph_run_is(run, is[k].flag, 0), is[k].first);
        assert_int_equal(ph_run_is(run, is[k].flag, 1), is[k].second);
        assert_int_equal(ph_run_is(run, is[k].flag, -1), 0);
        assert_int_equal(ph_run_is(run, is[k].flag, 9), 0);
    }
    assert_int_equal(ph_run_redundant(run, -1), 0);
    assert_int_equal(ph_run_redundant(run, 99), 0);
    ph_state s = ph_run_state(run);
    s.eta = NULL;
    assert_int_equal(ph_run_get_of(run, &s, PH_GET_ETA, 0, x), PH_E_INPUT);
    assert_int_equal(ph_run_get_of(run, &s, PH_GET_OBJECTIVE, 0, x), PH_E_INPUT);
    assert_int_equal(ph_run_get_of(run, &s, PH_GET_POSITION, 9, x), PH_E_INPUT);
    ph_run_close(run);
    scratch_remove(&file);
    ph_problem *p = problem_named("heavy_top");
    ph_run_config c = ph_run_defaults();
    const char *h = "h=1e-3";
    ph_error err = {0};
    c.options = &h, c.n_options = 1;
    assert_int_equal(ph_run_create_system(&own, &p->sys, 0, NULL, p->v0, &c, &err), PH_E_INPUT);
    assert_string_equal(err.text, "initial values must be given");
    assert_null(own);
    assert_int_equal(ph_run_create_system(&own, &p->sys, 0, p->q0, NULL, &c, &err), PH_E_INPUT);
    assert_int_equal(ph_run_create_system(&own, &p->sys, 0, p->q0, p->v0, &c, &err), PH_OK);
    assert_int_equal(ph_run_is(own, PH_IS_PARTICLE, 0), 0);
    assert_int_equal(ph_run_redundant(own, 0), 0);
    assert_int_equal(ph_run_size(own, PH_GET_SENSOR, 0), 0);
    assert_int_equal(ph_run_size(own, PH_GET_MULTIPLIERS, 0), 3);
    assert_int_equal(ph_run_size(own, PH_GET_MULTIPLIERS, -1), 0);
    assert_int_equal(ph_run_set_input(own, 0, 1), PH_E_INPUT);
    assert_true(ph_run_eps(own, 0) == 0);
    char words[64];
    assert_string_equal(ph_run_event_action(own, 0, words, sizeof words), "");
    assert_int_equal(ph_run_set_active(own, 0, 1, &err), PH_E_INPUT);
    assert_string_equal(err.text, "there is no joint 0");
    s = ph_run_state(own);
    ph_run_count_turns(own, &s), ph_run_count_turns(own, NULL);
    steps_of(own, 1);
    ph_run_close(own);
    ph_problem_destroy(p);
}

/* Exact: each number has a label of its own among its neighbours, and those of eta are those of the multipliers. */
static void labels_of(ph_run *run)
{
    int etas = 0;
    for (int what = 0; what <= PH_GET_FASTEST; what++)
        for (int index = 0; index < 8; index++) {
            int n = ph_run_size(run, what, index);
            for (int k = 0; k < n; k++) {
                const char *label = ph_run_label(run, what, index, k);
                assert_non_null(label);
                assert_non_null(ph_run_unit(run, what, index, k));
                for (int i = 0; i < k; i++)
                    assert_string_not_equal(label, ph_run_label(run, what, index, i));
                if (what == PH_GET_ETA)
                    assert_string_equal(label, ph_run_label(run, PH_GET_MULTIPLIERS, index, k)), etas++;
            }
            assert_null(ph_run_label(run, what, index, n));
        }
    assert_true(etas > 0);
}

static void labels(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1} }\nparticle{ name = 'p', mass = 1, position = {1, "
        "0, "
        "0} }\n"
        "joint{ name = 'l', type = 'generic', bodies = {'ground', 'b'}, at = {0, 0, 0}, lock = {'x', 'rx', "
        "'ry', 'rz'} }\n"
        "joint{ name = 'f', type = 'fixed', bodies = {'ground', 'b'}, at = {0, 0, 0}, active = false }\n"
        "constraint{ name = 'c', f = function(t, s) return s.p.position.x - 1, s.p.position.y end }\n"
        "state{ name = 'i', initial = {0, 1}, rate = function(t, s) return 1, 2 end }\n"
        "input{ name = 'u' }\nrun{ t_end = 1, h = 0.01 }";
    scratch s;
    ph_run *run[] = {run_of(&s, text, NULL, 0), open_run(MODELS "heavy_top.lua", NULL, 0),
                     open_run(MODELS "driven_crank.lua", NULL, 0)};
    assert_string_equal(ph_run_label(run[0], PH_GET_JOINT_POSITION, 0, 1), "z");
    assert_string_equal(ph_run_label(run[1], PH_GET_ETA, 0, 2), "3");
    for (size_t k = 0; k < sizeof run / sizeof *run; k++)
        labels_of(run[k]), ph_run_close(run[k]);
    scratch_remove(&s);
}

/* What was moved to make the initial values consistent is named by what it is. */
static void assembled(void **state)
{
    (void)state;
#define SHAFTS                                                                                               \
    "body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1} }\n" \
    "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"   \
    "joint{ name = 'k', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
    static const struct {
        const char *text, *positions, *velocities;
    } row[] = {
        {"body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
         "constraint{ name = 'c', f = function(t, s) return s.a.position.x - 0.5 end }\nrun{ h = 0.01, "
         "assemble = true }",
         "constraint 'c': the initial positions violated it by 0.5 and were moved", ""},
        {SHAFTS "coupling{ name = 'g', joints = {'j', 'k'}, ratio = 2, offset = 0.25 }\nrun{ h = 0.01, "
                "assemble = true }",
         "coupling 'g': the initial positions violated it by 0.25 and were moved", ""},
        {"body{ name = 'a', mass = 1, inertia = {1, 1, 1}, velocity = {0, 0, 3} }\n"
         "joint{ name = 'j', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\nrun{ h = 0.01, "
         "assemble = true }",
         "", "joint 'j': the initial velocities violated it by 3 and were moved"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        scratch file;
        ph_run *run = run_of(&file, row[k].text, NULL, 0);
        char text[200];
        assert_string_equal(ph_run_assembled(run, 0, text, sizeof text), row[k].positions);
        assert_string_equal(ph_run_assembled(run, 1, text, sizeof text), row[k].velocities);
        ph_run_close(run);
        scratch_remove(&file);
    }
}

/* The fastest of all bodies, whatever the space: rigid ones, with and without principal axes, particles, markers of a flexible body. */
static void fastest(void **state)
{
    (void)state;
    static const char *const row[][2] = {
        {MODELS "slider_crank.lua", "space=R3xSO3"}, {MODELS "slider_crank.lua", "space=SE3"},
        {MODELS "slider_crank.lua", "space=euler"},  {MODELS "trebuchet.lua", "space=SE3"},
        {MODELS "bicycle.lua", "space=R3xSO3"},      {MODELS "flexible_pendulum_modal.lua", "space=R3xSO3"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const char *options[] = {row[k][1]};
        ph_run *run = open_run(row[k][0], options, 1);
        double most[2] = {0, 0}, got[2];
        steps_of(run, 20);
        for (int i = 0; i < ph_run_count(run, PH_BODIES); i++)
            for (int turn = 0; turn < 2; turn++) {
                double v[3];
                if (ph_run_get(run, turn ? PH_GET_OMEGA : PH_GET_VELOCITY, i, v) == PH_OK)
                    most[turn] = fmax(most[turn], ph_norm(ph_load3(v)));
            }
        assert_true(most[0] > 0);
        assert_int_equal(ph_run_get(run, PH_GET_FASTEST, 0, got), PH_OK);
        check_near(got[0], most[0], 1e-14 * most[0]); /* round-off */
        check_near(got[1], most[1], 1e-14 * most[1]);
        ph_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembled),        cmocka_unit_test(fastest), cmocka_unit_test(not_there),
        cmocka_unit_test(numbers),          cmocka_unit_test(labels),  cmocka_unit_test(turns),
        cmocka_unit_test(turns_to_and_fro),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
