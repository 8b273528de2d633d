/* Steps within which a one-sided law closes or opens are divided (RB6), others are not. */
#include "event_cases.h"
#include "run/private.h"
#include "step/touch.h"

#define CASES PH_TEST_DIR "/models/"

static ph_stats counts_of(const ph_run *run)
{
    return ph_run_summarise(run).stats;
}

/* A slider comes back from its stop with the speed that it had, whatever the stiffness: without parts it comes back with up
 * to three times that. */
static void stops_are_resolved(void **state)
{
    (void)state;
    static const char *const forms[] = {"", "method=bliedf", "formulation=index3"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int i = 0; i < 3; i++)
            for (int k = 4; k <= 10; k += 2) {
                char options[96];
                ph_error err = {0};
                snprintf(options, sizeof options, "h=%g %s", pow(10, -2 - i), forms[f]);
                ph_run *run = open_path(CASES "soft_stop.lua", options);
                ph_setting stiffness = {"k", pow(10, k)};
                assert_int_equal(ph_run_set_parameters(run, &stiffness, 1, &err), PH_OK);
                go(run, 0.8);
                check_near(sensor(run, "v"), -1,
                           f == 1 ? 2e-2
                                  : 7e-3); /* order: 8 parts in half a period; bliedf restarts in each */
                assert_true(counts_of(run).divided <= 16);
                ph_run_close(run);
            }
}

/* A touch costs what it lasts: after it steps are whole again. A step that ends before it has no stiffness to gain. */
static void only_the_touch(void **state)
{
    (void)state;
    ph_run *run = open_path(CASES "soft_stop.lua", "h=1e-2");
    ph_error err = {0};
    go(run, 0.49);
    assert_int_equal(counts_of(run).divided, 0);
    assert_int_equal(ph_touch_changes(run->sim), 0);
    go(run, 0.6);
    assert_true(counts_of(run).divided >= 1);
    check_near(counts_of(run).first_divided, 0.5, 0.0101); /* the step of the touch */
    assert_int_equal(run->sim->depth, 0);
    ph_run_close(run);
    run = open_path(CASES "soft_stop.lua", "h=1e-2 halvings=0"); /* nothing is evaluated */
    go(run, 0.49);
    (void)ph_run_step(run, &err);
    assert_int_equal(counts_of(run).divided, 0);
    ph_run_close(run);
}

/* The same as a contact by a function, with cases and with max; bitwise the same from a saved state. */
static void functions_have_sides(void **state)
{
    (void)state;
    static const char *const laws[] = {"1e8*math.max(0, x - 0.5)", "x > 0.5 and 1e8*(x - 0.5) or 0"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
            "force{ body = 'b', value = function(t, s) local x = s.b.position.x return -(%s), 0, 0 end }\n"
            "sensor{ name = 'v', custom = function(t, s) return s.b.velocity.x end }\n"
            "run{ t_end = 0.8, h = 1e-3 }",
            laws[k]);
        ph_run *run = open_text(text, "");
        assert_non_null(run->sim->sides);
        go(run, 0.8);
        check_near(sensor(run, "v"), -1, 2e-2); /* order: eight parts, and a kink in the law */
        assert_true(counts_of(run).divided >= 1);
        ph_run_close(run);
    }
}

/* A start looks ahead to find the derivative of accelerations, here beyond the stop, which is not touched yet. Motion and stop
 * keep v^2 - 2 u x. The ends are found from x and v at 0.15 s: no force acts from 0.1 s on. */
static void starts_do_not_look_into_stops(void **state)
{
    (void)state;
    static const char *const options[] = {"tol=1e-4", "tol=1e-5", "tol=1e-4 formulation=index3",
                                          "tol=1e-4 method=bliedf", "h=0.05"};
    static const double t[] = {0, 0.05, 0.1, 0.15}, u[] = {2, -8, 0, 0};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_error err = {0};
        ph_run *run = open_path(CASES "jump_before_stop.lua", options[k]);
        assert_int_equal(ph_run_set_input_table(run, 0, 4, t, u, &err), PH_OK);
        go(run, 0.15);
        double v = sensor(run, "v"), x = sensor(run, "x") - 0.05 * v;
        assert_true(v > 0);
        check_near(v * v / 2 + 8 * (x + 0.014), 0.23 * 0.23 / 2,
                   k < 4 ? 2e-4 : 2e-2); /* of 0.17 J; h: 8 parts */
        ph_run_close(run);
    }
}

/* Models without one-sided laws are not looked at; models with them whose stiffness does not change are not divided. */
static void smooth_models_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double t;
        int sides;
    } rows[] = {{"heavy_top", 0.1, 0},  {"chain", 0.05, 0},       {"governor", 0.5, -1},
                {"four_bars", 0.5, -1}, {"beam_wheel", 0.05, -1}, {"slider_crank", 0.5, -1},
                {"robot_arm", 0.5, -1}, {"quarter_car", 0.5, -1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char path[256];
        snprintf(path, sizeof path, MODELS "%s.lua", rows[k].name);
        ph_run *run = open_path(path, "");
        ph_error err = {0};
        if (rows[k].sides == 0)
            assert_null(run->sim->sides);
        double h = ph_run_options(run).h;
        while (ph_run_time(run) < rows[k].t - h / 2)
            if (ph_run_step(run, &err) != PH_OK)
                fail_msg("%s: %s", rows[k].name, err.text);
        assert_int_equal(counts_of(run).divided, 0);
        ph_run_close(run);
    }
}

/* A mass of 1 kg at 1 m/s touches a spring of 1e6 N/m at 0.5 s, for 3.14 ms: with h = 10 ms all of this is within one step. */
#define TOUCH                                                                                                \
    "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"                              \
    "force{ body = 'b', value = function(t, s) return -1e6*math.max(0, s.b.position.x - 0.5), 0, 0 end }\n"  \
    "state{ name = 'seen', initial = 0, rate = function() return 0 end }\n"                                  \
    "sensor{ name = 'v', custom = function(t, s) return s.b.velocity.x end }\n"                              \
    "event{ name = 'turn', when = function(t, s) return s.b.velocity.x end, direction = 'down', "            \
    "action = {state = {seen = 1}} }\n"                                                                      \
    "event{ name = 'off', when = function(t, s) return s.b.position.x - 0.5 end, direction = 'down', "       \
    "action = {state = {seen = 2}} }\n"                                                                      \
    "run{ t_end = 0.8, h = 1e-2 }"

/* Events are found within parts, once each, at the times of the exact motion; rows stay on the grid. */
static void events_within_parts(void **state)
{
    (void)state;
    static const char *const options[] = {"", "formulation=index3", "method=bliedf"};
    for (int k = 0; k < 3; k++) {
        ph_run *run = open_text(TOUCH, options[k]);
        int n;
        go(run, 0.8);
        ph_run_events(run, &n);
        assert_int_equal(n, 2);
        double half = 0.5 * acos(-1) * 1e-3, near = k == 2 ? 1e-4 : 3e-5;
        check_near(time_of(run, "turn", 0), 0.5 + half, near);    /* order: parts of a tenth of the touch */
        check_near(time_of(run, "off", 0), 0.5 + 2 * half, near); /* order */
        check_near(sensor(run, "v"), -1, 2e-2);                   /* order */
        assert_true(counts_of(run).divided >= 1 && counts_of(run).smallest < 1e-3);
        assert_int_equal(counts_of(run).steps, 80);
        ph_run_close(run);
    }
}

/* From states saved at events within parts, and between parts, another run has the same bits and the same events. */
static void saved_at_events_within_parts(void **state)
{
    (void)state;
    ph_run *run = open_text(TOUCH, ""), *other = open_text(TOUCH, "");
    ph_error err = {0};
    size_t size = ph_run_save_size(run);
    void *kept[2] = {malloc(size), malloc(size)}, *end = malloc(size), *again = malloc(size);
    int n, saved = 0;
    while (saved < 2) {
        assert_int_equal(ph_run_step(run, &err), PH_OK);
        ph_run_events(run, &n);
        if (n > saved)
            assert_int_equal(ph_run_save(run, kept[saved++], size), PH_OK);
    }
    assert_true(ph_run_time(run) < 0.51 - 1e-4); /* off the grid */
    go(run, 0.8);
    assert_int_equal(ph_run_save(run, end, size), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ph_run_restore(other, kept[k], size, &err), PH_OK);
        go(other, 0.8);
        assert_int_equal(ph_run_save(other, again, size), PH_OK);
        assert_memory_equal(end, again, size); /* exact */
    }
    free(kept[0]), free(kept[1]), free(end), free(again);
    ph_run_close(run), ph_run_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_are_resolved),           cmocka_unit_test(only_the_touch),
        cmocka_unit_test(functions_have_sides),         cmocka_unit_test(starts_do_not_look_into_stops),
        cmocka_unit_test(smooth_models_are_whole),      cmocka_unit_test(events_within_parts),
        cmocka_unit_test(saved_at_events_within_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
