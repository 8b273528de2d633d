/* Runs as a program uses them: they wait for their start, are opened without a step size, tell what was said and what came
 * of it, take whole methods, give numbers of other states, flags, and derivatives of integrals. */
#include "check.h"
#include "model_file.h"

#include "polhode/polhode.h"

#define MODELS PH_TEST_DIR "/../models/"

static ph_run *open_waiting(const char *path, const char *const *options, int n, int wait)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n, c.wait = wait;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static void check_same(ph_run *a, ph_run *b)
{
    ph_state x = ph_sim_state(ph_run_sim(a)), y = ph_sim_state(ph_run_sim(b));
    const ph_system *sys = ph_run_system(a);
    /* exact */
    assert_memory_equal(x.q, y.q, sizeof(double) * (size_t)ph_system_nq(sys));
    assert_memory_equal(x.v, y.v, sizeof(double) * (size_t)ph_system_nv(sys));
    assert_memory_equal(x.vdot, y.vdot, sizeof(double) * (size_t)ph_system_nv(sys));
    assert_memory_equal(x.lambda, y.lambda, sizeof(double) * (size_t)ph_system_nl(sys));
}

/* A run that waits has its initial values and nothing that must be solved for; started or stepped it is as any other. */
static void waiting(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top", "four_bar", "rolling_disc"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        double x[3], y[3], all[64];
        snprintf(path, sizeof path, MODELS "%s.lua", names[k]);
        ph_run *now = open_waiting(path, NULL, 0, 0), *later = open_waiting(path, NULL, 0, 1),
               *stepped = open_waiting(path, NULL, 0, 1);
        assert_int_equal(ph_run_get(now, PH_GET_POSITION, 0, x), PH_OK);
        assert_int_equal(ph_run_get(later, PH_GET_POSITION, 0, y), PH_OK);
        assert_memory_equal(x, y, sizeof x);
        assert_int_equal(ph_run_get(later, PH_GET_MULTIPLIERS, 0, all), PH_OK);
        assert_true(all[0] == 0);
        assert_int_equal(ph_run_save(later, all, ph_run_save_size(later)), PH_E_INPUT);
        assert_int_equal(ph_run_start(later, NULL), PH_OK);
        assert_int_equal(ph_run_start(later, NULL), PH_OK); /* again: nothing */
        check_same(now, later);
        for (int n = 0; n < 5; n++) {
            assert_int_equal(ph_run_step(now, NULL), PH_OK);
            assert_int_equal(ph_run_step(later, NULL), PH_OK);
            assert_int_equal(ph_run_step(stepped, NULL), PH_OK);
        }
        check_same(now, later);
        check_same(now, stepped);
        assert_true(ph_run_summarise(now).residual == ph_run_summarise(stepped).residual);
        ph_run_close(now), ph_run_close(later), ph_run_close(stepped);
    }
}

static const char no_h[] = "model \"no h\"\n"
                           "body{ name = \"ball\", mass = 2, inertia = {1, 1, 1}, position = {0, 0, -1} }\n"
                           "joint{ name = \"pivot\", type = \"revolute\", axis = {0, 1, 0}, bodies = "
                           "{\"ground\", \"ball\"}, at = {0, 0, 0} }\n"
                           "gravity{0, 0, -10}\n";

/* Without a step size everything but steps. */
static void no_step_size(void **state)
{
    (void)state;
    ph_model *model = read_text(no_h);
    ph_run *run;
    ph_error err = {0};
    ph_modes *modes;
    double force[6];
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    assert_true(ph_run_options(run).h == 0 && ph_run_settings(run).opt.h == 0 && ph_run_end(run) == 0);
    assert_int_equal(ph_run_get(run, PH_GET_REACTION, 0, force), PH_OK);
    check_near(force[2], 20, 1e-12); /* round-off */
    assert_int_equal(ph_run_modes(&modes, run, &err), PH_OK);
    ph_modes_destroy(modes);
    assert_int_equal(ph_run_static(run, NULL, NULL, &err), PH_OK);
    assert_int_equal(ph_run_step(run, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no h"));
    assert_int_equal(ph_run_until(run, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no h"));
    const char *const h = "h=1e-3", *const tiny[] = {"h=1e-12", "t_end=1"};
    assert_int_equal(ph_run_set_options(run, &h, 1, &err), PH_OK);
    assert_int_equal(ph_run_step(run, &err), PH_OK);
    assert_int_equal(ph_run_set_options(run, tiny, 2, &err), PH_OK);
    assert_int_equal(ph_run_step(run, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the limit is"));
    ph_run_close(run);
    ph_model_free(model);
}

/* What was said stays as it was said; what came of it divides t_end and has numbers. */
static void said_and_resolved(void **state)
{
    (void)state;
    const char *const options[] = {"h=3e-3", "sigma=opt", "space=SE3", "every=7", "t_end=1"};
    ph_run *run = open_waiting(MODELS "heavy_top.lua", options, 5, 1);
    ph_run_def said = ph_run_settings(run), merged;
    ph_options o = ph_run_options(run);
    assert_true(said.opt.h == 3e-3 && said.opt.sigma == PH_SIGMA_OPT && said.space == PH_SPACE_SE3 &&
                said.every == 7 && said.t_end == 1);
    assert_true(o.h == 1.0 / 333 && isfinite(o.sigma));
    assert_int_equal(ph_model_settings(ph_run_model(run), options, 5, &merged, NULL), PH_OK);
    assert_true(merged.opt.h == 3e-3 && merged.space == PH_SPACE_SE3 && merged.opt.rho == said.opt.rho);
    assert_int_equal(ph_model_settings(ph_run_model(run), (const char *const[]){"rho=2"}, 1, &merged, NULL),
                     PH_E_INPUT);
    ph_run_close(run);
}

/* A method by its record, and the same by texts, are one; options told before give way, others stay. */
static void whole_methods(void **state)
{
    (void)state;
    const char *const texts[] = {"h=2e-3",      "method=bliedf", "order=3", "formulation=index3",
                                 "rtol=0.5e-9", "space=SE3",     "t_end=1"};
    ph_run *a = open_waiting(MODELS "heavy_top.lua", texts, 7, 0),
           *b = open_waiting(MODELS "heavy_top.lua", texts + 5, 2, 0);
    ph_options o = ph_run_settings(a).opt;
    char method[16] = "bliedf";
    o.method = method; /* which goes away */
    assert_int_equal(ph_run_set_options(b, (const char *const[]){"rho=0.1"}, 1, NULL), PH_OK);
    assert_int_equal(ph_run_set_method(b, &o, NULL), PH_OK);
    memset(method, 'x', sizeof method);
    assert_true(ph_run_options(b).rho == o.rho && ph_run_settings(b).space == PH_SPACE_SE3);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(ph_run_step(a, NULL), PH_OK);
        assert_int_equal(ph_run_step(b, NULL), PH_OK);
    }
    check_same(a, b);
    assert_int_equal(ph_run_set_options(b, (const char *const[]){"h=1e-3"}, 1, NULL), PH_OK);
    assert_true(ph_run_options(b).h == 1e-3 && ph_run_options(b).order == 3);
    o.method = "nothing";
    assert_int_equal(ph_run_set_method(b, &o, NULL), PH_E_INPUT);
    assert_true(ph_run_options(b).h == 1e-3);
    ph_run_close(a), ph_run_close(b);
}

/* Numbers of the present state, one by one, at once and by a state that is handed in. */
static void numbers_of_states(void **state)
{
    (void)state;
    ph_run *run = open_waiting(MODELS "four_bar.lua", NULL, 0, 0);
    static const int parts[] = {PH_GET_POSITION, PH_GET_ROTATION,     PH_GET_VELOCITY,
                                PH_GET_OMEGA,    PH_GET_ACCELERATION, PH_GET_OMEGA_DOT};
    double all[19], one[6], of[6];
    for (int k = 0; k < 20; k++)
        assert_int_equal(ph_run_step(run, NULL), PH_OK);
    ph_state s = ph_sim_state(ph_run_sim(run));
    for (int body = 0; body < ph_run_count(run, PH_BODIES); body++) {
        assert_int_equal(ph_run_size(run, PH_GET_MOTION, body), 19);
        assert_int_equal(ph_run_get(run, PH_GET_MOTION, body, all), PH_OK);
        for (int i = 0, at = 0; i < 6; i++) {
            int n = ph_run_size(run, parts[i], body);
            assert_int_equal(ph_run_get(run, parts[i], body, one), PH_OK);
            assert_int_equal(ph_run_get_of(run, &s, parts[i], body, of), PH_OK);
            assert_memory_equal(one, all + at, (size_t)n * sizeof *one);
            assert_memory_equal(one, of, (size_t)n * sizeof *one);
            assert_string_equal(ph_run_label(run, PH_GET_MOTION, body, at),
                                ph_run_label(run, parts[i], body, 0));
            assert_string_equal(ph_run_unit(run, PH_GET_MOTION, body, at + n - 1),
                                ph_run_unit(run, parts[i], body, n - 1));
            at += n;
        }
    }
    assert_int_equal(ph_run_get_of(run, &s, PH_GET_ENERGY, 0, all), PH_E_INPUT); /* not of a state alone */
    assert_int_equal(ph_run_get_of(run, &s, PH_GET_POSITION, 99, all), PH_E_INPUT);
    ph_run_close(run);
}

/* Equilibria by themselves: the run stays, and its numbers are read of the state that was found. */
static void equilibrium_beside_the_run(void **state)
{
    (void)state;
    ph_model *model = read_text(no_h);
    ph_run *run;
    ph_equilibrium *e;
    double x[3], force[6];
    assert_int_equal(ph_run_create(&run, model, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_equilibrium(&e, run, NULL, NULL), PH_OK);
    ph_state rest = ph_equilibrium_state(e);
    assert_int_equal(ph_run_get_of(run, &rest, PH_GET_POSITION, 0, x), PH_OK);
    assert_int_equal(ph_run_get_of(run, &rest, PH_GET_REACTION, 0, force), PH_OK);
    check_near(x[2], -1, 1e-9); /* round-off */
    check_near(force[2], 20, 1e-9);
    assert_true(ph_run_time(run) == 0);
    ph_equilibrium_destroy(e);
    ph_run_close(run);
    ph_model_free(model);
}

static void yes_or_no(void **state)
{
    (void)state;
    ph_run *crank = open_waiting(MODELS "driven_crank.lua", NULL, 0, 0),
           *top = open_waiting(MODELS "heavy_top.lua", NULL, 0, 0),
           *bricard = open_waiting(MODELS "bricard.lua", NULL, 0, 1);
    int driven = 0, redundant = 0;
    double x[2];
    for (int k = 0; k < ph_run_count(crank, PH_JOINTS); k++) {
        int is = ph_run_is(crank, PH_IS_DRIVEN, k);
        driven += is;
        assert_int_equal(ph_run_get(crank, PH_GET_DRIVE, k, x), is ? PH_OK : PH_E_INPUT);
        assert_true(!is || ph_run_is(crank, PH_IS_ANGLE, k));
    }
    assert_int_equal(driven, 1);
    assert_false(ph_run_is(top, PH_IS_PARTICLE, 0) || ph_run_is(top, PH_IS_MARKER, 0));
    assert_false(ph_run_is(top, PH_IS_DRIVEN, 99) || ph_run_is(top, PH_IS_DRIVEN, -1));
    assert_true(ph_run_is(top, PH_IS_VECTOR, ph_run_find(top, PH_SENSORS, "tip")));
    for (int c = 0; c < ph_run_system(bricard)->n_constraints; c++)
        redundant += ph_run_redundant(bricard, c);
    assert_int_equal(redundant, ph_run_system(bricard)->n_redundant);
    assert_true(redundant > 0);
    ph_run_close(crank), ph_run_close(top), ph_run_close(bricard);
}

/* Derivatives of objectives that are integrals follow the run; the adjoint finds the same. */
static void integrals_follow(void **state)
{
    (void)state;
    const char *const end = "t_end=0.2";
    ph_run *direct = open_waiting(MODELS "absorber.lua", &end, 1, 1),
           *adjoint = open_waiting(MODELS "absorber.lua", &end, 1, 0);
    int p[] = {ph_run_find(direct, PH_PARAMETERS, "k"), ph_run_find(direct, PH_PARAMETERS, "d")};
    assert_int_equal(ph_run_follow(direct, p, 2, NULL), PH_OK);
    assert_int_equal(ph_run_until(direct, 0.2, NULL), PH_OK);
    for (int i = 0; i < ph_run_count(direct, PH_OBJECTIVES); i++) {
        double value, g[2], x, d;
        assert_true(ph_run_is(direct, PH_IS_INTEGRAL, i));
        assert_int_equal(ph_run_gradient(adjoint, i, p, 2, 0, &value, g, NULL), PH_OK);
        assert_int_equal(ph_run_get(direct, PH_GET_OBJECTIVE, i, &x), PH_OK);
        check_near(x / value, 1, 1e-12); /* round-off of the sums */
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ph_run_get_derivative(direct, PH_GET_OBJECTIVE, i, k, &d), PH_OK);
            check_near(d / g[k], 1, 1e-7); /* derivative */
        }
    }
    ph_run_close(direct), ph_run_close(adjoint);
}

/* The step of differences is that of the configuration. */
static void steps_of_differences(void **state)
{
    (void)state;
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    c.eps = 1e-3;
    assert_int_equal(ph_run_open(&run, MODELS "heavy_top.lua", &c, NULL), PH_OK);
    int m = ph_run_find(run, PH_PARAMETERS, "m");
    check_near(ph_run_eps(run, m), 15e-3, 1e-15); /* exact but for the product */
    assert_true(ph_run_eps(run, -1) == 0);
    ph_run_close(run);
}

static void flexible_bodies(void **state)
{
    (void)state;
    ph_run *run = open_waiting(MODELS "flexible_pendulum_modal.lua", NULL, 0, 1);
    const ph_model *m = ph_run_model(run);
    ph_flexible_info f;
    ph_vec3 at;
    assert_true(ph_model_flexible(m, 0, &f));
    assert_string_equal(f.name, ph_run_name(run, PH_FLEXIBLE, 0));
    assert_true(f.modes > 0 && f.mass > 0 && f.omega[0] > 0 && f.omega[f.modes - 1] >= f.omega[0]);
    for (int k = 0; k < f.markers; k++)
        assert_non_null(ph_model_marker(m, 0, k, &at));
    assert_null(ph_model_marker(m, 0, f.markers, &at));
    assert_false(ph_model_flexible(m, ph_run_count(run, PH_FLEXIBLE), &f));
    ph_run_close(run);
}

static const char pulses[] =
    "model \"pulses\"\nlocal T = param('T', 0.25)\n"
    "body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
    "force{ body = 'a', value = function(t, s) if t > 0.4 then return 1, 0, 0 end return 0, 0, 0 end }\n"
    "run{ t_end = 1, tol = 1e-3, nonsmooth = {T, 0.75} }\n";

/* Options that were read can be set several times: the times that the run found are not among them, and the times of the file
 * follow its parameters. */
static void options_set_twice(void **state)
{
    (void)state;
    ph_model *model = read_text(pulses);
    ph_run *run;
    assert_int_equal(ph_run_create(&run, model, NULL, NULL), PH_OK);
    ph_options o = ph_run_options(run);
    assert_int_equal(o.nonsmooth.n, 2);
    for (int k = 0; k < 3; k++) {
        o.h_max = 0.1 / (k + 1);
        assert_int_equal(ph_run_set_method(run, &o, NULL), PH_OK);
        assert_int_equal(ph_sim_options(ph_run_sim(run)).nonsmooth.n, 3); /* 0.25, 0.4, 0.75 */
        assert_int_equal(ph_run_options(run).nonsmooth.n, 2);
    }
    for (int k = 0; k < 2; k++) {
        ph_setting T = {"T", 0.125 + 0.05 * k};
        assert_int_equal(ph_run_set_parameters(run, &T, 1, NULL), PH_OK);
        const double *t = ph_sim_options(ph_run_sim(run)).nonsmooth.t;
        assert_true(t[0] == T.value && t[2] == 0.75); /* exact */
    }
    o = ph_run_options(run);
    o.nonsmooth = (ph_times){0};
    assert_int_equal(ph_run_set_method(run, &o, NULL), PH_OK);
    assert_int_equal(ph_sim_options(ph_run_sim(run)).nonsmooth.n, 1);
    ph_run_close(run);
    ph_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting),
                                       cmocka_unit_test(no_step_size),
                                       cmocka_unit_test(said_and_resolved),
                                       cmocka_unit_test(whole_methods),
                                       cmocka_unit_test(options_set_twice),
                                       cmocka_unit_test(numbers_of_states),
                                       cmocka_unit_test(equilibrium_beside_the_run),
                                       cmocka_unit_test(yes_or_no),
                                       cmocka_unit_test(integrals_follow),
                                       cmocka_unit_test(steps_of_differences),
                                       cmocka_unit_test(flexible_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
