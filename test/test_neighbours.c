/* Neighbours of a parameter: models that are refused there say so, and steps suit what the parameter does. */
#include "sens_cases.h"

#include "polhode/polhode.h"
#include "sens/sens.h"

/* A system whose forces refuse from a time on. */
typedef struct late {
    ph_system sys;
    const ph_system *inner;
} late;

static ph_status late_g(const ph_state *s, double *out, void *ctx)
{
    const late *l = ctx;
    return s->t > 2.5e-3 ? PH_E_STOPPED : l->inner->g(s, out, l->inner->ctx);
}

static ph_status late_M(const ph_state *s, double *out, void *ctx)
{
    const late *l = ctx;
    return l->inner->M(s, out, l->inner->ctx);
}

static ph_status late_Phi(const ph_state *s, double *out, void *ctx)
{
    const late *l = ctx;
    return l->inner->Phi(s, out, l->inner->ctx);
}

static ph_status late_B(const ph_state *s, double *out, void *ctx)
{
    const late *l = ctx;
    return l->inner->B(s, out, l->inner->ctx);
}

/* What a neighbouring value of the parameter spoils has words, and the state is as before. */
static void neighbours_that_refuse(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bliedf"}; /* the second one in its start */
    for (int k = 0; k < 2; k++) {
        fixture r;
        ph_error err = {0};
        ph_options o = tight(1e-3);
        o.method = methods[k], o.order = 6, o.formulation = PH_INDEX2;
        open_fixture(&r, "heavy_top.lua", "m", 0, &o);
        ph_sens_destroy(r.sens);
        ph_param p = ph_neighbours_param(&r.near);
        late l = {.sys = *p.at[2].sys, .inner = p.at[2].sys};
        l.sys.products = NULL, l.sys.tangents = NULL, l.sys.positions = NULL, l.sys.ctx = &l,
        l.sys.M = late_M, l.sys.g = late_g, l.sys.Phi = late_Phi, l.sys.B = late_B;
        l.sys.C = l.sys.K = l.sys.Z = l.sys.Phi_t = l.sys.convective = NULL; /* differenced */
        p.at[2].sys = &l.sys, p.loads = NULL;
        assert_int_equal(ph_sens_create(&r.sens, r.sim, 1, &p, &err), PH_OK);
        ph_status s = ph_sim_run(r.sim, 5, NULL, NULL, &err);
        assert_int_equal(s, PH_E_CALLBACK);
        assert_int_equal(err.status, s);
        assert_non_null(strstr(err.text, "refused for a value near by of a parameter"));
        assert_int_equal(ph_sim_stats(r.sim).steps, 2);
        ph_sens_destroy(r.sens); /* before what it looks at */
        r.sens = NULL;
        close_fixture(&r);
    }
}

/* The same number twice: as an exponent or an angle of 20 turns, and as a factor or a small angle. */
static const char twofold[] =
    "local p, k, a, b = param('p', 6), param('k', 1), param('a', 7240), param('b', 0)\n"
    "body { name = 'top', mass = 1, inertia = {1, 2, 3}, omega = {0.3, 1, -2},\n"
    "       rotation = {axis = {1, 2, 2}, angle = a*deg + b} }\n"
    "torsion { body = 'top', k = k*10^p*1e-5, d = 0.3 }\n"
    "sensor { name = 'w', type = 'omega', body = 'top' }\n"
    "run { t_end = 0.2, h = 1e-2 }\n";

static void steps_that_suit(void **state)
{
    (void)state;
    ph_model *model;
    ph_run *run;
    ph_error err = {0};
    const char *options[] = {"atol=1e-14", "rtol=1e-14"};
    const int params[] = {0, 1, 2, 3};
    double d[4][3];
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = 2;
    if (ph_model_read_text(&model, "twofold.lua", twofold, sizeof twofold - 1, NULL, 0, NULL, &err) !=
            PH_OK ||
        ph_run_create(&run, model, &c, &err) != PH_OK || ph_run_follow(run, params, 4, &err) != PH_OK ||
        ph_run_until(run, 0.2, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 4; k++)
        assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, 0, k, d[k]), PH_OK);
    /* derivative: 2e-8 and 4e-3 with steps of 0.002 of the value */
    for (int i = 0; i < 3; i++) {
        check_near(d[0][i], log(10) * d[1][i], 1e-10 * fabs(d[0][i]));
        check_near(d[2][i], acos(-1) / 180 * d[3][i], 1e-10 * fabs(d[2][i]));
    }
    ph_run_close(run);
    ph_model_free(model);
}

static ph_run *run_of(const char *text, ph_model **model)
{
    ph_run *run = NULL;
    ph_error err = {0};
    if (ph_model_read_text(model, "test.lua", text, strlen(text), NULL, 0, NULL, &err) != PH_OK ||
        ph_run_create(&run, *model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

/* A drive w t of an angle has no effect at the start, and at the end neighbours that are 2^-9 apart have turned by 10 rad and more
 * from each other: direct and adjoint have its derivatives by formula. */
static void drives_of_many_turns(void **state)
{
    (void)state;
    static const double w[] = {3, 50, 800};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        ph_model *model;
        ph_error err = {0};
        const int p = 0;
        double x[3], W[3], J, gradient, T = 5;
        snprintf(text, sizeof text,
                 "local w = param('w', %g)\n"
                 "body { name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {0.5, 0, 0} }\n"
                 "joint { name = 'm', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0},\n"
                 "        axis = {0, 1, 0}, drive = function(t) return w*t end }\n"
                 "objective { name = 'J', final = function(s) return s.a.position.x end }\n"
                 "run { t_end = %g, h = 1e-3 }\n",
                 w[k], T);
        ph_run *run = run_of(text, &model);
        if (ph_run_follow(run, &p, 1, &err) != PH_OK || ph_run_until(run, T, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_ROTATION, 0, 0, W), PH_OK);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, x), PH_OK);
        assert_int_equal(ph_run_follow(run, NULL, 0, &err), PH_OK);
        if (ph_run_gradient(run, 0, &p, 1, 0, &J, &gradient, &err) != PH_OK)
            fail_msg("%s", err.text);
        /* derivative: (W4) over steps with an error of 1e-11 */
        check_near(W[1], T, 1e-10 * T);
        check_near(x[0], -0.5 * T * sin(w[k] * T), 1e-10 * T);
        check_near(gradient, -0.5 * T * sin(w[k] * T), 1e-10 * T);
        ph_run_close(run);
        ph_model_free(model);
    }
}

/* A force that Lua computes, and the same one as an expression, whose tangent is exact (P8). */
static void functions_without_tangents(void **state)
{
    (void)state;
    static const char text[] =
        "local w = param('w', 50)\n"
        "particle { name = 'p', mass = 1 }\nparticle { name = 'q', mass = 1 }\n"
        "force { body = 'p', value = function(t, s)\n"
        "  if s.p.position.y == 7 then return 0, 0, 0 end; return math.cos(w*t), 0, 0 end }\n"
        "force { body = 'q', value = function(t) return math.cos(w*t), 0, 0 end }\n"
        "run { t_end = 10, h = 1e-2 }\n";
    ph_model *model;
    ph_error err = {0};
    const int p = 0;
    double d[2][3];
    ph_run *run = run_of(text, &model);
    if (ph_run_follow(run, &p, 1, &err) != PH_OK || ph_run_until(run, 10, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 2; k++)
        assert_int_equal(ph_run_get_derivative(run, PH_GET_VELOCITY, k, 0, d[k]), PH_OK);
    check_near(d[0][0], d[1][0], 1e-9 * fabs(d[1][0])); /* derivative */
    ph_run_close(run);
    ph_model_free(model);
}

/* The same of objectives and sensors, where the motion itself does not depend on the parameter. */
static void readings_without_tangents(void **state)
{
    (void)state;
    static const char *const text[] = {
        "objective { name = 'U', integral = function(t, s)\n"
        "  if s.p.position.y == 7 then return 0 end; return math.cos(w*t) end }\n"
        "objective { name = 'V', integral = function(t, s) return math.cos(w*t) end }\n",
        "sensor { name = 'U', custom = function(t, s)\n"
        "  if s.p.position.y == 7 then return 0 end; return math.cos(w*t) end }\n"
        "sensor { name = 'V', custom = function(t, s) return math.cos(w*t) end }\n"};
    static const int what[] = {PH_GET_OBJECTIVE, PH_GET_SENSOR};
    for (int k = 0; k < 2; k++) {
        char all[1024];
        ph_model *model;
        ph_error err = {0};
        const int p = 0;
        double U, V;
        snprintf(all, sizeof all,
                 "local w = param('w', 50)\nparticle { name = 'p', mass = 1 }\n%s"
                 "run { t_end = 10, h = 1e-2 }\n",
                 text[k]);
        ph_run *run = run_of(all, &model);
        if (ph_run_follow(run, &p, 1, &err) != PH_OK || ph_run_until(run, 10, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(ph_run_get_derivative(run, what[k], 0, 0, &U), PH_OK);
        assert_int_equal(ph_run_get_derivative(run, what[k], 1, 0, &V), PH_OK);
        check_near(U, V, 1e-9 * fabs(V)); /* derivative */
        ph_run_close(run);
        ph_model_free(model);
    }
}

/* A stop that is met on the way, 1e-3 m wide, and neighbours that are 1e-3 m apart at first: differences of runs over 1e-7 m. */
static void stops_that_move(void **state)
{
    (void)state;
    static const char text[] =
        "local L = param('L', 0.5003)\n"
        "body { name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, velocity = {1, 0, 0} }\n"
        "joint { name = 'm', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0} }\n"
        "actuator { name = 's', joint = 'm', stops = {-1, L}, stop_k = 1e4, stop_d = 10 }\n"
        "run { t_end = 0.6, h = 1e-3, newton = 'full', rtol = 1e-13 }\n";
    ph_model *model;
    ph_error err = {0};
    const int p = 0;
    double d[3], v[2][3], eps = 1e-7;
    ph_run *run = run_of(text, &model);
    if (ph_run_follow(run, &p, 1, &err) != PH_OK || ph_run_until(run, 0.6, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_VELOCITY, 0, 0, d), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"L", 0.5003 + (k ? eps : -eps)}, 1, NULL),
                         PH_OK);
        assert_int_equal(ph_run_until(run, 0.6, NULL), PH_OK);
        ph_run_get(run, PH_GET_VELOCITY, 0, v[k]);
    }
    /* derivative: round-off of differences */
    check_near(d[0], (v[1][0] - v[0][0]) / (2 * eps), 1e-6);
    ph_run_close(run);
    ph_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_that_refuse),    cmocka_unit_test(steps_that_suit),
        cmocka_unit_test(drives_of_many_turns),      cmocka_unit_test(functions_without_tangents),
        cmocka_unit_test(readings_without_tangents), cmocka_unit_test(stops_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
