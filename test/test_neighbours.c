/* Neighbours of a parameter: models that are refused there say so. */
#include "sens_cases.h"

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
        l.sys.ctx = &l, l.sys.M = late_M, l.sys.g = late_g, l.sys.Phi = late_Phi, l.sys.B = late_B;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_that_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
