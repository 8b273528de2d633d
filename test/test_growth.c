/* Parts of a divided step that do not resolve the growth of the motion are divided further (RB22). */
#include "event_cases.h"
#include "run/private.h"
#include "step/growth.h"

/* The ratio of a step by hand: z' = a z has M = 1, C = -a; a spring has K, a damper C, and they never make it smaller. */
static void ratio_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        double least;
    } rows[] = {
        {"state{ name = 'z', initial = 1, rate = function(t, s) return 8*s.states.z end }", 1 - 0.1 * 8 / 2},
        {"state{ name = 'z', initial = 1, rate = function(t, s) return -800*s.states.z end }", 1},
        {"force{ body = 'p', value = function(t, s) return 40*s.position.x, 0, 0 end }", 1 - 0.01 * 40 / 4},
        {"force{ body = 'p', value = function(t, s) return 4*s.velocity.x + 1, 0, 0 end }", 1 - 0.1 * 4 / 2},
        {"force{ body = 'p', value = function(t, s) return -1e4*s.position.x, 0, 0 end }", 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[256];
        ph_error err = {0};
        snprintf(text, sizeof text,
                 "gravity{0, 0, 0}\nparticle{ name = 'p', mass = 1, position = {1, 0, 0} }\n%s\n"
                 "run{ t_end = 1, h = 0.1 }",
                 rows[k].law);
        ph_run *run = open_text(text, "");
        assert_int_equal(ph_sim_step(run->sim, &err), PH_OK);
        ph_point_copy(&run->sim->next, &run->sim->now, &run->sim->lay);
        ph_point_copy(&run->sim->now, &run->sim->last, &run->sim->lay);
        check_near(ph_growth_least(run->sim), rows[k].least, 1e-12); /* round-off */
        ph_run_close(run);
    }
}

/* Motion that becomes infinite at a known time ends there, and no part accepts a solution beyond the singularity. */
static void no_part_passes_infinity(void **state)
{
    (void)state;
    static const struct {
        const char *law, *options;
        double end;
    } rows[] = {{"state{ name = 'z', initial = 1, rate = function(t, s) return 1e3*s.states.z^3 end }",
                 "h=0.1", 5e-4},
                {"state{ name = 'z', initial = 1, rate = function(t, s) return 1e3*s.states.z^3 end }",
                 "h=0.1 formulation=index3", 5e-4},
                {"state{ name = 'z', initial = 1, rate = function(t, s) return 1e3*s.states.z^3 end }",
                 "h=0.1 method=rkmk tableau=radau3", 5e-4},
                {"state{ name = 'z', initial = 1, rate = function(t, s) return 100*s.states.z^2 end }",
                 "h=0.1", 0.01},
                {"state{ name = 'z', initial = 1, rate = function(t, s) return 100*s.states.z^2 end }",
                 "h=0.1 method=linear-alpha", 0.01},
                /* x' = sqrt(500 (x^4 - 1)): the integral of dx/x' from 1 on */
                {"force{ body = 'p', value = function(t, s) return 1e3*s.position.x^3, 0, 0 end }", "h=0.1",
                 1.3110287771 / 22.360679775},
                {"force{ body = 'p', value = function(t, s) return 1e3*s.position.x^3, 0, 0 end }", "h=0.01",
                 1.3110287771 / 22.360679775}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[256], options[96];
        ph_error err = {0};
        snprintf(text, sizeof text,
                 "gravity{0, 0, 0}\nparticle{ name = 'p', mass = 1, position = {1, 0, 0} }\n%s\n"
                 "run{ t_end = 1 }",
                 rows[k].law);
        snprintf(options, sizeof options, "%s", rows[k].options);
        ph_run *run = open_text(text, options);
        assert_int_equal(ph_run_until(run, 1, &err), PH_E_NEWTON);
        const char *last = strstr(err.text, "from t = ");
        assert_non_null(last);
        double h = ph_run_options(run).h, part = h / 512;
        check_near(atof(last + 9), rows[k].end,
                   0.12 * rows[k].end + 3 * part); /* order: steps of a sixth of the time, then parts */
        assert_true(ph_run_time(run) <= rows[k].end && ph_run_time(run) > rows[k].end - h);
        ph_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_by_hand),
        cmocka_unit_test(no_part_passes_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
