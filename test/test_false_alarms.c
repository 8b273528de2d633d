/* Random load histories: the watch of the energy ends no run that is right. PH_HISTORIES: how many for each row. */
#include "model_file.h"

#include "polhode/polhode.h"

#define H      0.01 /* s, of the steps */
#define T_END  2.0
#define POINTS 3000 /* of a table, at most */

static const char *const cart =
    "body { name = 'cart', mass = 1, inertia = {.1, .1, .1} }\n"
    "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'cart'}, axis = {1, 0, 0} }\n"
    "input { name = 'u1' }\nactuator { name = 'm1', joint = 'rail', effort = 'u1' }\n";

static const char *const arm =
    "body { name = 'upper', mass = 1, inertia = {.01, .1, .1}, position = {.5, 0, 0} }\n"
    "body { name = 'lower', mass = .6, inertia = {.01, .06, .06}, position = {1.3, 0, .2} }\n"
    "joint { name = 'j1', type = 'revolute', bodies = {'ground', 'upper'}, at = {0, 0, 0}, axis = {0, 1, 0} "
    "}\n"
    "joint { name = 'j2', type = 'revolute', bodies = {'upper', 'lower'}, at = {1, 0, 0}, axis = {0, 1, 0} "
    "}\n"
    "input { name = 'u1' }\nactuator { name = 'm1', joint = 'j1', effort = 'u1' }\n"
    "input { name = 'u2' }\nactuator { name = 'm2', joint = 'j2', effort = 'u2' }\n"
    "force { body = 'lower', at = {.4, 0, 0}, value = function(t) return 0, 0, .1 * math.sin(5 * t) end }\n";

/* splitmix64, in (-1, 1) */
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

static ph_run *run_of(const char *elements, const char *method)
{
    char text[4096];
    ph_run *run;
    ph_error err = {0};
    snprintf(text, sizeof text, "model 'loaded'\n%srun { h = %g, t_end = %g%s }\n", elements, H, T_END,
             method);
    ph_model *model = read_text(text);
    if (ph_run_create(&run, model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

/* A table of random values, `gap` apart but for a random first point, goes to each input. */
static void load(ph_run *run, double gap, uint64_t *seed)
{
    static double t[POINTS], u[POINTS];
    ph_error err = {0};
    int n = (int)(T_END / gap) + 3;
    assert_true(n <= POINTS);
    for (int input = 0; input < ph_run_count(run, PH_INPUTS); input++) {
        double first = -gap * fabs(draw(seed));
        for (int k = 0; k < n; k++)
            t[k] = first + k * gap, u[k] = draw(seed);
        if (ph_run_set_input_table(run, input, n, t, u, &err) != PH_OK)
            fail_msg("%s", err.text);
    }
}

/* Histories that end with an explosion. */
static int alarms(const char *elements, const char *method, double gap, int histories, uint64_t *seed)
{
    ph_run *run = run_of(elements, method);
    ph_error err = {0};
    int n = 0;
    for (int k = 0; k < histories; k++) {
        load(run, gap, seed);
        assert_int_equal(ph_run_reset(run, &err), PH_OK);
        if (ph_run_until(run, T_END, &err) == PH_OK)
            continue;
        if (!ph_run_failure(run).explodes)
            fail_msg("%s", err.text);
        n++;
    }
    ph_run_close(run);
    return n;
}

typedef struct method_row {
    const char *method;
    int always; /* no alarm, however fine the table is */
} method_row;

static const method_row methods[] = {{"", 1},
                                     {", rho = 0", 1},
                                     {", formulation = 'index3'", 1},
                                     {", tol = 1e-3", 1},
                                     {", method = 'bliedf', order = 2", 0},
                                     {", method = 'bliedf'", 0},
                                     {", method = 'rkmk', tableau = 'rk4'", 0},
                                     {", method = 'rkmk'", 0}};

#define METHODS (int)(sizeof methods / sizeof *methods)

/* Histories of each row: 10^4 histories that steps resolve take 313. */
static int histories(void)
{
    const char *n = getenv("PH_HISTORIES");
    return n ? atoi(n) : 6;
}

/* Tables with four steps or more between their points. */
static void resolved(void **state)
{
    (void)state;
    static const double gap[] = {0.04, 0.2};
    uint64_t seed = 1;
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(alarms(i < 2 ? cart : arm, methods[k].method, gap[i % 2], histories(), &seed),
                             0);
}

/* Tables with several points in a step: no method sees all of their work. Less than 1 % of alarms. */
static void finer_than_steps(void **state)
{
    (void)state;
    static const double gap[] = {1e-3, 3e-3, 6e-3};
    uint64_t seed = 2;
    for (int k = 0; k < METHODS; k++) {
        int n = 0, all = 0;
        for (int i = 0; i < 6; i++, all += histories())
            n += alarms(i < 3 ? cart : arm, methods[k].method, gap[i % 3], histories(), &seed);
        print_message("finer than steps%s: %d alarms in %d\n", methods[k].method, n, all);
        assert_true(n <= (methods[k].always ? 0 : all >= 300 ? all / 100 : 1));
    }
}

/* A force that changes its sign within the first step: x = a t^2/2 + 4 t^3. */
static void sign_changes_at_once(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        char text[1024];
        double a = -0.13 - 0.01 * k;
        snprintf(
            text, sizeof text,
            "body { name = 'cart', mass = 1, inertia = {.1, .1, .1} }\n"
            "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'cart'}, axis = {1, 0, 0} }\n"
            "actuator { name = 'm', joint = 'rail', effort = function(t) return %.17g + 24*t end }\n",
            a);
        ph_run *run = run_of(text, "");
        ph_error err = {0};
        double x;
        if (ph_run_until(run, T_END, &err) != PH_OK)
            fail_msg("a = %g: %s", a, err.text);
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &x), PH_OK);
        check_near(x, a * T_END * T_END / 2 + 4 * T_END * T_END * T_END, 1e-3); /* order 2 */
        check_le(ph_run_summarise(run).residual, 1e-10); /* round-off: (RB3) is what the rule does */
        ph_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sign_changes_at_once), cmocka_unit_test(resolved),
                                       cmocka_unit_test(finer_than_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
