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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_that_refuse),
        cmocka_unit_test(steps_that_suit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
