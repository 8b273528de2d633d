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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_are_resolved),
        cmocka_unit_test(only_the_touch),
        cmocka_unit_test(functions_have_sides),
        cmocka_unit_test(smooth_models_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
