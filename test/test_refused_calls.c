/* Whatever is done with a system, each of its callbacks in turn refuses, or gives a number that is not finite: the caller hears of it, the
 * state is as before, and the same call succeeds afterwards. */
#include "sim_cases.h"

#include "mech/mech.h"
#include "polhode/polhode.h"
#include "step/sim.h"

#define MODELS PH_TEST_DIR "/../models/"

/* ---- systems ------------------------------------------------------------------------------------------ */

typedef struct wrapped {
    ph_problem *problem;
    ph_model *model;
    ph_mechanism *mech;
    const double *q0, *v0;
    double h;
    wrap w;
    nth nth;
} wrapped;

enum {
    DIFFERENCED = 1,
    AT_ONCE = 2
}; /* tangents that are not given; products, tangents and positions that are */

static void open_wrapped(wrapped *r, const char *name, int how)
{
    ph_error err = {0};
    const ph_system *sys;
    *r = (wrapped){.nth = {.at = -1}, .h = 1e-3};
    if (strstr(name, ".lua")) {
        char path[256];
        snprintf(path, sizeof path, MODELS "%s", name);
        if (ph_model_read(&r->model, path, NULL, 0, NULL, &err) != PH_OK ||
            ph_mechanism_create(&r->mech, r->model, PH_SPACE_R3XSO3, NULL, &err) != PH_OK ||
            ph_mechanism_initial(r->mech, 1, &r->q0, &r->v0, &err) != PH_OK ||
            ph_mechanism_rank(r->mech, &err) != PH_OK)
            fail_msg("%s: %s", name, err.text);
        sys = ph_mechanism_system(r->mech);
    } else {
        int many = !strcmp(name, "chain") || !strcmp(name, "ring");
        r->problem = ph_problem_create(name, many ? &(ph_problem_def){3, 0} : NULL);
        assert_non_null(r->problem);
        sys = &r->problem->sys, r->q0 = r->problem->q0, r->v0 = r->problem->v0, r->h = r->problem->h;
    }
    wrap_open(&r->w, sys);
    r->w.nth = &r->nth;
    if (how & DIFFERENCED)
        without_tangents(&r->w.sys);
    if (how & AT_ONCE) {
        r->w.sys.products = wrap_products;
        r->w.sys.tangents = sys->C && sys->K ? wrap_tangents : NULL;
        r->w.sys.positions = sys->Phi && sys->B ? wrap_positions : NULL;
    }
}

static void close_wrapped(wrapped *r)
{
    wrap_close(&r->w);
    ph_problem_destroy(r->problem);
    ph_mechanism_destroy(r->mech);
    ph_model_free(r->model);
}

/* ---- what is done ------------------------------------------------------------------------------------- */

static void check_finite(const ph_sim *sim, const ph_system *sys)
{
    snapshot w = snap(sim, sys);
    for (int i = 0; i < w.n; i++)
        assert_true(isfinite(w.x[i]));
    free(w.x);
}

/* Steps, of which one fails and is made again. */
static ph_status make_steps(wrapped *r, ph_sim *sim, int n, ph_error *err)
{
    ph_status status = PH_OK;
    for (int k = 0; k < n; k++) {
        snapshot before = snap(sim, &r->w.sys);
        ph_status s = ph_sim_step(sim, err);
        if (s != PH_OK) {
            snapshot after = snap(sim, &r->w.sys);
            if (!same_bits(&before, &after)) /* exact */
                fail_msg("%s, call %ld, damage %d: another state after '%s': %s", sim->stepper->name,
                         r->nth.at, (int)r->nth.damage, r->w.sys.name, err->text);
            free(after.x);
            assert_int_equal(status, PH_OK); /* one call alone is damaged */
            status = s;
            assert_int_equal(ph_sim_failure(sim)->status, s);
            ph_error again = {0};
            if (ph_sim_step(sim, &again) != PH_OK)
                fail_msg("%s of %s, call %ld (%s), damage %d: the same step again: %s after %s",
                         sim->stepper->name, r->w.sys.name, r->nth.at, callback_name[r->nth.victim],
                         (int)r->nth.damage, again.text, err->text);
        }
        free(before.x);
        check_finite(sim, &r->w.sys);
    }
    return status;
}

static ph_status simulate(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    double position, velocity, omega;
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s != PH_OK)
        return s;
    check_finite(sim, &r->w.sys);
    s = make_steps(r, sim, 3, err);
    ph_status of[] = {ph_sim_violation(sim, &position, &velocity), ph_sim_fastest(sim, &omega)};
    for (int k = 0; k < 2; k++)
        if (s == PH_OK && of[k] != PH_OK)
            s = ph_fail(err, of[k], "%s", ph_status_text(of[k]));
    ph_sim_destroy(sim);
    return s;
}

/* Off the grid, as after an event, then from its first state. */
static ph_status start_again(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s != PH_OK)
        return s;
    s = make_steps(r, sim, 1, err);
    if (s == PH_OK)
        s = ph_sim_restart(sim, err);
    if (s == PH_OK)
        s = make_steps(r, sim, 1, err);
    if (s == PH_OK) {
        snapshot before = snap(sim, &r->w.sys);
        s = ph_sim_reset(sim, 0, r->q0, r->v0, err);
        snapshot after = snap(sim, &r->w.sys);
        assert_true(s == PH_OK || same_bits(&before, &after)); /* exact */
        free(before.x), free(after.x);
    }
    ph_sim_destroy(sim);
    return s;
}

/* A parameter that changes nothing. */
static ph_param nothing_changes(const wrapped *r)
{
    ph_param p = {.name = "p", .eps = 1e-3};
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        p.at[k].sys = &r->w.sys, p.at[k].q0 = r->q0, p.at[k].v0 = r->v0;
    return p;
}

static ph_status follow(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    ph_sens *sens = NULL;
    ph_param p = nothing_changes(r);
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s == PH_OK)
        s = ph_sens_create(&sens, sim, 1, &p, err);
    for (int k = 0; k < 3 && s == PH_OK; k++)
        s = ph_sim_step(sim, err);
    for (int i = 0; s == PH_OK && i < ph_system_nv(&r->w.sys); i++)
        check_near(ph_sens_get(sens, 0).W[i], 0, 1e-5); /* round-off of differences over 1e-3 */
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return s;
}

static ph_status first_number(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    wrapped *r = ctx;
    *value = s->v[0];
    if (nth_call(&r->nth, value, 1))
        return PH_E_CALLBACK;
    if (g)
        g->v[0] += 1;
    return PH_OK;
}

/* The least memory that this message asks for: checkpoints are few, and steps are made again. */
static size_t least_memory(const ph_error *err)
{
    const char *at = strstr(err->text, "it takes ");
    return at ? (size_t)strtoul(at + 9, NULL, 10) : 0;
}

static ph_status go_back(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    ph_sens *sens = NULL;
    ph_param p = nothing_changes(r);
    ph_objective of = {.final = first_number, .integral = first_number, .ctx = r};
    double value, gradient = NAN;
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s == PH_OK)
        s = ph_sens_create(&sens, sim, 1, &p, err);
    if (s == PH_OK)
        s = ph_sens_gradient(sens, 5, &of, 1, &value, &gradient, err);
    if (s != PH_OK && least_memory(err))
        s = ph_sens_gradient(sens, 5, &of, least_memory(err), &value, &gradient, err);
    if (s == PH_OK)
        if (!(fabs(gradient) <= 1e-2)) /* likewise, magnified by 1/h in index-3 */
            fail_msg("%s of %s, call %ld (%s), damage %d: a gradient of %g", o->method, r->w.sys.name,
                     r->nth.at, callback_name[r->nth.victim], (int)r->nth.damage, gradient);
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return s;
}

static ph_status find_error(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    ph_sens *sens = NULL;
    ph_state better;
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s == PH_OK)
        s = ph_sens_create_error(&sens, sim, err);
    for (int k = 0; k < 3 && s == PH_OK; k++)
        s = ph_sim_step(sim, err);
    if (s == PH_OK) {
        s = ph_sens_better(sens, &better);
        if (s != PH_OK)
            ph_fail(err, s, "%s", ph_status_text(s));
    }
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return s;
}

static ph_status find_error_back(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_sim *sim;
    ph_sens *sens = NULL;
    ph_objective of = {.final = first_number, .integral = first_number, .ctx = r};
    double value, time[4], term[4];
    ph_status s = ph_sim_create(&sim, &r->w.sys, o, 0, r->q0, r->v0, err);
    if (s == PH_OK)
        s = ph_sens_create_error(&sens, sim, err);
    if (s == PH_OK)
        s = ph_sens_error_of(sens, 4, &of, 1, &value, time, term, err);
    if (s != PH_OK && least_memory(err))
        s = ph_sens_error_of(sens, 4, &of, least_memory(err), &value, time, term, err);
    for (int k = 0; k < 4 && s == PH_OK; k++)
        assert_true(isfinite(term[k]));
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return s;
}

static ph_status rest(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_equilibrium *e;
    ph_static_options opt = ph_default_static();
    (void)o;
    ph_status s = ph_equilibrium_create(&e, &r->w.sys, &opt, 0, r->q0, err);
    assert_true((s == PH_OK) == (e != NULL));
    ph_equilibrium_destroy(e);
    return s;
}

static ph_status vibrate(wrapped *r, const ph_options *o, ph_error *err)
{
    ph_modes *m;
    (void)o;
    ph_status s = ph_modes_create(&m, &r->w.sys, 0, r->q0, r->v0, NULL, err);
    assert_true((s == PH_OK) == (m != NULL));
    ph_modes_destroy(m);
    return s;
}

static ph_status look(wrapped *r, const ph_options *o, ph_error *err)
{
    int nv = ph_system_nv(&r->w.sys), nl = ph_system_nl(&r->w.sys);
    double *x = calloc((size_t)(nv + nl + 1), sizeof *x);
    int *dependent = calloc((size_t)r->w.sys.n_constraints + 1, sizeof *dependent);
    ph_check worst;
    (void)o;
    for (int i = 0; i < nv + nl; i++)
        x[i] = sin(1 + i);
    ph_status s = ph_system_check(&r->w.sys, 0, r->q0, r->v0, x, x + nv, &worst, err);
    if (s == PH_OK)
        s = ph_system_rank(&r->w.sys, 0, r->q0, dependent, err);
    free(x), free(dependent);
    return s;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef ph_status (*action)(wrapped *r, const ph_options *o, ph_error *err);

static const struct {
    const char *name;
    ph_formulation formulation;
    const char *tableau;
    double tol;
    ph_newton newton;
} methods[] = {
    {"genalpha", PH_GGL, NULL, 0, PH_FULL},        {"genalpha", PH_INDEX3, NULL, 0, PH_MODIFIED},
    {"genalpha", PH_INDEX2, NULL, 0, PH_STEP},     {"genalpha", PH_GGL, NULL, 1e-5, PH_FULL},
    {"linear-alpha", PH_INDEX3, NULL, 0, PH_FULL}, {"residual-alpha", PH_INDEX3, NULL, 0, PH_FULL},
    {"bliedf", PH_GGL, NULL, 0, PH_FULL},          {"bliedf", PH_INDEX2, NULL, 1e-5, PH_FULL},
    {"rkmk", PH_INDEX3, "dopri5", 1e-6, PH_FULL},  {"rkmk", PH_INDEX3, "radau2", 0, PH_FULL},
    {"genalpha", PH_INDEX3, NULL, 1e-5, PH_FULL},  {"genalpha-printed", PH_INDEX3, NULL, 0, PH_FULL},
};

#define METHODS (sizeof methods / sizeof *methods)

static ph_options options_of(const wrapped *r, size_t method)
{
    ph_options o = ph_default_options();
    o.method = methods[method].name, o.formulation = methods[method].formulation;
    o.tol = methods[method].tol, o.newton = methods[method].newton;
    o.h = o.tol > 0 ? 0 : r->h, o.span = 1;
    if (methods[method].tableau)
        o.tableau = methods[method].tableau;
    return o;
}

/* Calls of an action that takes too many are left alone. */
#define MOST 50000

/* 1: it can be done at all; then each call in turn is damaged: of many only some, and not the same everywhere; PH_EVERY: more of them. */
static int damage_each(const char *name, int how, size_t method, action act, const char *what)
{
    static long offset;
    int all = getenv("PH_EVERY") != NULL;
    wrapped r;
    ph_error err = {0};
    open_wrapped(&r, name, how);
    ph_options o = options_of(&r, method);
    ph_status s = act(&r, &o, &err);
    long n = r.nth.calls < MOST ? r.nth.calls : 0, heard = 0;
    if (s != PH_OK)
        printf("%s %s: %s\n", what, name, err.text);
    for (damage d = NOT_A_NUMBER; d <= REFUSE && s == PH_OK; d++)
        for (long at = 0, by = 1 + n / (all ? 60 : 8); at < n; at += by, offset++) {
            err = (ph_error){0};
            r.nth = (nth){.at = at + offset % by, .damage = d};
            ph_status hears = act(&r, &o, &err);
            heard += hears != PH_OK;
            if (hears != PH_OK && (!err.text[0] || (d == REFUSE && hears != PH_E_CALLBACK)))
                fail_msg("%s, %s, %s (%d), call %ld, damage %d: status %d, '%s'", what, name,
                         methods[method].name, (int)method, r.nth.at, (int)d, (int)hears, err.text);
        }
    if (all && s == PH_OK && n > 0)
        assert_true(heard > 0);
    close_wrapped(&r);
    return s == PH_OK;
}

static const struct {
    const char *name;
    int how;
} systems[] = {
    {"heavy_top", 0},     {"heavy_top_se3", DIFFERENCED},
    {"heavy_top_so3", 0}, {"pendulum", AT_ONCE},
    {"friction", 0},      {"friction", DIFFERENCED},
    {"rheonomic", 0},     {"rheonomic", DIFFERENCED},
    {"skate", 0},         {"free_body", 0},
    {"spring_ball", 0},   {"ring", AT_ONCE},
    {"bricard.lua", 0},   {"double_pendulum.lua", 0},
    {"dc_motor.lua", 0},  {"chain", DIFFERENCED},
};

#define SYSTEMS (sizeof systems / sizeof *systems)

static void by_every_method(action act, const char *what, int least)
{
    int done = 0;
    for (size_t k = 0; k < SYSTEMS; k++)
        for (size_t m = 0; m < METHODS; m++)
            done += damage_each(systems[k].name, systems[k].how, m, act, what);
    assert_true(done >= least);
}

static void without_a_method(action act, const char *what, int least)
{
    int done = 0;
    for (size_t k = 0; k < SYSTEMS; k++)
        done += damage_each(systems[k].name, systems[k].how, 0, act, what);
    assert_true(done >= least);
}

static void steps(void **state)
{
    (void)state;
    by_every_method(simulate, "steps", 100);
}

static void starts(void **state)
{
    (void)state;
    by_every_method(start_again, "starts", 100);
}

static void derivatives(void **state)
{
    (void)state;
    by_every_method(follow, "derivatives", 60);
}

static void gradients(void **state)
{
    (void)state;
    by_every_method(go_back, "gradients", 60);
}

static void errors(void **state)
{
    (void)state;
    by_every_method(find_error, "errors", 30);
    by_every_method(find_error_back, "errors backwards", 30);
}

static void equilibria(void **state)
{
    (void)state;
    without_a_method(rest, "equilibria", 4);
    without_a_method(vibrate, "modes", 7);
}

static void checks(void **state)
{
    (void)state;
    without_a_method(look, "checks", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),     cmocka_unit_test(starts), cmocka_unit_test(derivatives),
        cmocka_unit_test(gradients), cmocka_unit_test(errors), cmocka_unit_test(equilibria),
        cmocka_unit_test(checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
