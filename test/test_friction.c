/* Friction of joints at rest: increments of Newton's method that would jump over it, in every method that has one. */
#include "friction_cases.h"

#include "mech/friction.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* The cut increment ends nearest to rest; increments that end within the smooth range, or do not turn back, stay whole. (CT8) */
static void cuts(void **state)
{
    static const struct {
        ph_vec3 y, dy;
        double kappa;
    } x[] = {
        {{5, 0, 0}, {-20, 0, 0}, 0.25},     {{-5, 0, 0}, {20, 0, 0}, 0.25}, {{5, 0, 0}, {-5.5, 0, 0}, 1},
        {{0.9, 0, 0}, {-20, 0, 0}, 1},      {{5, 0, 0}, {20, 0, 0}, 1},     {{5, 0, 0}, {0, 0, 0}, 1},
        {{1e6, 0, 0}, {-1e12, 0, 0}, 1e-6}, {{3, 4, 0}, {-6, -8, 0}, 0.5},  {{3, 0, 0}, {-4, 2, 0}, 0.6},
        {{0, 2, 0}, {2, -1, 0}, 1},
    };
    (void)state;
    for (int k = 0; k < COUNT(x); k++)
        check_near(ph_friction_fraction(x[k].y, x[k].dy), x[k].kappa, 1e-15); /* round-off */
}

/* Where the slider rests: x = v^2/(2 mu g), up to ws and to the way of one step. (CT8) */
static ph_stats brake(const char *const *options, int n, double ws, double h, int most)
{
    double x;
    ph_error err = {0};
    ph_run *run = open_rough(ROUGH "brake.lua", h, options, n, 0);
    set_to(run, "ws", ws);
    if (ph_run_until(run, 0.6, &err) != PH_OK)
        fail_msg("%s, ws %g, h %g: %s", n ? options[0] : "as it is", ws, h, err.text);
    ph_run_get(run, PH_GET_SENSOR, 0, &x);
    check_near(x, 1 / (2 * 0.3 * 9.81), 2 * ws * 0.34 + 0.3 * 9.81 * h * h); /* reference: closed form */
    ph_stats stats = ph_sim_stats(ph_run_sim(run));
    check_le(stats.worst_iterations, most);
    ph_run_close(run);
    return stats;
}

static void check_braking(const char *const *options, int n, int most)
{
    static const double ws[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}, h[] = {1e-2, 4e-3, 1e-3, 2.5e-4};
    for (int i = 0; i < COUNT(ws) * COUNT(h); i++)
        brake(options, n, ws[i / COUNT(h)], h[i % COUNT(h)], most);
}

static void a_slider_brakes(void **state)
{
    static const char *const ways[][3] = {{"formulation=ggl"},
                                          {"formulation=index2"},
                                          {"formulation=index3"},
                                          {"newton=full"},
                                          {"newton=modified"},
                                          {"newton=simplified"},
                                          {"method=bliedf", "order=2"},
                                          {"method=bliedf", "order=4"},
                                          {"method=linear-alpha", "formulation=index3"},
                                          {"method=rkmk", "tableau=radau3"},
                                          {"method=rkmk", "tableau=radau5"}};
    (void)state;
    check_braking(NULL, 0, 11);
    for (int k = 0; k < COUNT(ways); k++)
        check_braking(ways[k], ways[k][1] ? 2 : 1, 60);
}

/* Adaptive steps find the moment of rest, as well as tol asks, in few steps whatever friction_speed is. (RB7) */
static void a_slider_brakes_by_tolerance(void **state)
{
    static const char *const ways[][3] = {{"tol=1e-4", "method=genalpha"},
                                          {"tol=1e-6", "method=genalpha"},
                                          {"tol=1e-4", "method=bliedf"},
                                          {"tol=1e-4", "method=rkmk", "tableau=radau3"}};
    static const double ws[] = {1e-3, 1e-5, 1e-8};
    (void)state;
    for (int k = 0; k < COUNT(ways) * COUNT(ws); k++) {
        const char *const *way = ways[k / COUNT(ws)];
        ph_stats stats = brake(way, way[2] ? 3 : 2, ws[k % COUNT(ws)], 1e-3, 60);
        check_le(stats.steps, 700); /* 600 are those of the output */
    }
}

/* A block that friction holds on a slope creeps, as (J5) has it, and costs one iteration for each step. */
static void a_block_rests(void **state)
{
    (void)state;
    ph_run *run = open_rough(ROUGH "slope.lua", 1e-2, NULL, 0, 0);
    ph_error err = {0};
    double x, f = 0.36397023426620234 / 0.5;
    if (ph_run_until(run, 100, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_run_get(run, PH_GET_SENSOR, 0, &x);
    check_near(x / (1e-3 * f / sqrt(1 - f * f) * 100), 1,
               2e-3); /* reference: (J5), but for the first moments */
    ph_stats n = ph_sim_stats(ph_run_sim(run));
    check_le((double)n.iterations / n.steps, 1.05);
    check_le(n.worst_iterations, 11);
    ph_run_close(run);
}

/* (CT8), several joints that come to rest in one step. */
static void chains(void **state)
{
    static const double ws[] = {1e-2, 1e-5}, h[] = {2e-2, 5e-3};
    (void)state;
    assert_int_equal(failed_chains(ws, 2, h, 2, 2), 0);
}

/* The steps of the compiled model cut their increments, too: it makes them itself. */
static void compiled_steps(void **state)
{
    (void)state;
    ph_run *run = open_rough(ROUGH "brake.lua", 4e-3, NULL, 0, 1),
           *own = open_rough(ROUGH "brake.lua", 4e-3, NULL, 0, 0);
    double x, y;
    ph_error err = {0};
    assert_true(ph_run_is_compiled(run));
    if (ph_run_until(run, 0.6, &err) != PH_OK || ph_run_until(own, 0.6, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_run_get(run, PH_GET_SENSOR, 0, &x), ph_run_get(own, PH_GET_SENSOR, 0, &y);
    assert_true(ph_run_is_compiled(run));
    check_near(x, y, 1e-9); /* round-off: Newton's tolerance over 150 steps */
    ph_run_close(run), ph_run_close(own);
}

/* Derivatives do not depend on how Newton's method came to the step: x = v^2/(2 mu g). */
static void derivatives(void **state)
{
    (void)state;
    ph_run *run = open_rough(ROUGH "brake.lua", 1e-3, NULL, 0, 0);
    int p[] = {ph_run_find(run, PH_PARAMETERS, "mu"), ph_run_find(run, PH_PARAMETERS, "v")};
    double d[2];
    ph_error err = {0};
    assert_int_equal(ph_run_follow(run, p, 2, &err), PH_OK);
    assert_int_equal(ph_run_until(run, 0.6, &err), PH_OK);
    for (int k = 0; k < 2; k++)
        ph_run_get_derivative(run, PH_GET_SENSOR, 0, k, &d[k]);
    check_near(d[0], -1 / (2 * 0.09 * 9.81), 3e-3); /* reference: closed form, to ws */
    check_near(d[1], 1 / (0.3 * 9.81), 3e-3);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts),
        cmocka_unit_test(a_slider_brakes),
        cmocka_unit_test(a_slider_brakes_by_tolerance),
        cmocka_unit_test(a_block_rests),
        cmocka_unit_test(chains),
        cmocka_unit_test(compiled_steps),
        cmocka_unit_test(derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
