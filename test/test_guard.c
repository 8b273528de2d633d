/* Steps that end where functions of the state change their sign: where that is found, and in which order. */
#include "event_cases.h"

/* Several in one step, in their order; those at the same time in the order of the file; the grid goes on as before. */
static void several_in_one_step(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
        "input{ name = 'n', value = 0, hold = 'step' }\n"
        "local function at(x) return function(t, s) return s.b.position.x - x end end\n"
        "local function plus(t, s) return 10*s.inputs.n + 1 end\n"
        "event{ name = 'late', when = at(0.237), action = {set = {n = function(t, s) return 10*s.inputs.n + "
        "3 end}} }\n"
        "event{ name = 'one', when = at(0.231), action = {set = {n = function(t, s) return 10*s.inputs.n + 1 "
        "end}} }\n"
        "event{ name = 'two', when = at(0.231), action = {set = {n = function(t, s) return 10*s.inputs.n + 2 "
        "end}} }\n"
        "event{ name = 'grid', when = function(t, s) return t - 0.3 end, direction = 'up', action = {set = "
        "{n = 5}} }\n"
        "event{ name = 'down', when = at(0.5), direction = 'down', action = 'stop' }\n"
        "sensor{ name = 'n', custom = function(t, s) return s.inputs.n end }\n"
        "run{ t_end = 1, h = 0.1 }";
    for (int k = 0; k < 2; k++) {
        ph_run *run = open_text(text, k ? "tol=1e-6 h=0.1" : "");
        ph_error err = {0};
        double t[16];
        int steps = 0, events;
        for (; ph_run_time(run) < 1 - 1e-9; t[steps++] = ph_run_time(run))
            assert_int_equal(ph_run_step(run, &err), PH_OK);
        static const double expected[] = {0.1, 0.2, 0.231, 0.237, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
        assert_int_equal(steps, 12);
        for (int i = 0; i < 12; i++)
            check_near(t[i], expected[i], 1e-13); /* round-off */
        const ph_run_event *e = ph_run_events(run, &events);
        assert_int_equal(events, 4);
        static const int order[] = {1, 2, 0, 3}; /* one, two, late, grid */
        for (int i = 0; i < 4; i++)
            assert_int_equal(e[i].event, order[i]);
        assert_true(sensor(run, "n") == 5);
        assert_int_equal(ph_run_summarise(run).stats.steps, 10);
        ph_run_close(run);
    }
}

/* The function is 0 at the point of the method where the event is, not on the polynomial alone (EV1). */
static void located_by_steps(void **state)
{
    (void)state;
    static const char *const options[] = {"formulation=ggl h=0.02",
                                          "formulation=index2 h=0.02",
                                          "method=bliedf h=0.02",
                                          "method=rkmk tableau=rk4 h=0.02",
                                          "tol=1e-2",
                                          "method=rkmk tol=1e-3"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_run *run = open_path(MODELS "trebuchet.lua", options[k]);
        ph_error err = {0};
        double v[3];
        while (ph_run_event_count(run) < 2)
            assert_int_equal(ph_run_step(run, &err), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, ph_run_find(run, PH_BODIES, "stone"), v), PH_OK);
        check_near(v[0], v[2], 1e-9); /* round-off: 1e-13 of a step times 1e3 m/s^2, and of 35 m/s */
        ph_run_close(run);
    }
}

/* A function that changes its sign twice within a step is seen. */
static void twice_within_a_step(void **state)
{
    (void)state;
    ph_run *run = open_text("body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {0, 0, 1} }\n"
                            "gravity {0, 0, -10}\n"
                            "event{ name = 'e', when = function(t, s) return s.b.position.z - 0.0499 end, "
                            "action = {set = {u = 0}} }\n"
                            "input{ name = 'u' }\nrun{ t_end = 0.2, h = 0.05 }",
                            "");
    go(run, 0.2);
    /* reference: formula; round-off, of a difference of numbers whose slope is 0.05 m/s */
    check_near(time_of(run, "e", 0), 0.1 - sqrt(0.01 - 0.00998), 1e-11);
    check_near(time_of(run, "e", 1), 0.1 + sqrt(0.01 - 0.00998), 1e-11);
    assert_int_equal(ph_run_event_count(run), 2);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_in_one_step),
        cmocka_unit_test(located_by_steps),
        cmocka_unit_test(twice_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
