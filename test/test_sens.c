/* Sensitivities: direct differentiation against five-point differences of whole runs and published values. */
#include "check.h"

#include "study/vary.h"

/* ---- a model with one varied parameter -------------------------------------------------------------------- */

typedef struct rig {
    ph_neighbour self;
    ph_vary vary;
    ph_sim *sim;
    ph_sens *sens;
} rig;

static void open_rig(rig *r, const char *file, const char *param, int space, const ph_options *given)
{
    char path[256];
    ph_error err = {0};
    ph_options o = *given;
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s", file);
    *r = (rig){0};
    if (ph_model_read(&r->self.model, path, NULL, 0, NULL, &err) != PH_OK ||
        ph_mechanism_create(&r->self.mech, r->self.model, (ph_space_code)space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r->self.mech, &r->self.q0, &r->self.v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    r->self.sys = *ph_mechanism_system(r->self.mech);
    int *dependent = calloc((size_t)r->self.sys.n_constraints + 1, sizeof(int));
    assert_int_equal(ph_system_rank(&r->self.sys, 0, r->self.q0, dependent, &err), PH_OK);
    for (int c = 0; c < r->self.sys.n_constraints; c++)
        r->self.sys.n_redundant += dependent[c];
    free(dependent);
    ph_vary_base base = {path, NULL, 0, r->self.model, space, 0, r->self.sys.n_redundant};
    if (ph_vary_create(&r->vary, &base, param, 0, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_param p = ph_vary_param(&r->vary);
    if (ph_sim_create(&r->sim, &r->self.sys, &o, 0, r->self.q0, r->self.v0, &err) != PH_OK ||
        ph_sens_create(&r->sens, r->sim, 1, &p, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void close_rig(rig *r)
{
    ph_sens_destroy(r->sens);
    ph_sim_destroy(r->sim);
    ph_vary_destroy(&r->vary);
    ph_mechanism_destroy(r->self.mech);
    ph_model_free(r->self.model);
}

/* Five-point differences of the whole run: W, v, vdot, lambda one after the other. */
static double *difference(const rig *r, long steps)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const ph_system *sys = &r->self.sys;
    int nv = ph_system_nv(sys), nl = ph_system_nl(sys);
    double *d = calloc((size_t)(3 * nv + nl), sizeof *d);
    ph_state base = ph_sim_state(r->sim);
    ph_options o = ph_sim_options(r->sim);
    ph_error err = {0};
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        const ph_neighbour *n = &r->vary.at[k];
        ph_sim *sim;
        double f = weight[k] / r->vary.eps;
        if (ph_sim_create(&sim, &n->sys, &o, 0, n->q0, n->v0, &err) != PH_OK ||
            ph_sim_run(sim, steps, NULL, NULL, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        for (int i = 0; i < sys->n_nodes; i++) {
            const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
            int dim = ph_group_dim(sys->nodes[i].group, sys->nodes[i].n);
            double inverse[16], x[16];
            op->inverse(dim, base.q + base.q_at[i], inverse);
            op->compose(dim, inverse, s.q + s.q_at[i], inverse);
            op->log(dim, inverse, x);
            for (int j = 0; j < dim; j++)
                d[s.v_at[i] + j] += f * x[j];
        }
        for (int i = 0; i < nv; i++)
            d[nv + i] += f * s.v[i], d[2 * nv + i] += f * s.vdot[i];
        for (int i = 0; i < nl; i++)
            d[3 * nv + i] += f * s.lambda[i];
        ph_sim_destroy(sim);
    }
    return d;
}

typedef struct agreement {
    double W, v, vdot, lambda; /* largest differences, relative to the largest derivative of the kind */
} agreement;

static agreement compare(const rig *r, long steps)
{
    int nv = ph_system_nv(&r->self.sys), nl = ph_system_nl(&r->self.sys);
    double *d = difference(r, steps);
    ph_derivative x = ph_sens_get(r->sens, 0);
    agreement a = {max_diff(x.W, d, nv) / norm2(d, nv), max_diff(x.v, d + nv, nv) / norm2(d + nv, nv),
                   max_diff(x.vdot, d + 2 * nv, nv) / norm2(d + 2 * nv, nv),
                   nl ? max_diff(x.lambda, d + 3 * nv, nl) / norm2(d + 3 * nv, nl) : 0};
    free(d);
    return a;
}

static ph_options tight(double h)
{
    ph_options o = ph_default_options();
    o.h = h, o.atol = 1e-13, o.rtol = 1e-13; /* so that differences of runs see the discrete solution */
    return o;
}

/* Differences of runs have errors of their own: (W4) about 1e-10 of smooth functions, and round-off, which
 * index-3 magnifies by 1/h in v and by 1/h^2 in vdot and lambda. */
typedef struct bar {
    double W, v, rest;
} bar;

static void check_agreement(const agreement *a, bar b)
{
    check_le(a->W, b.W);         /* derivative */
    check_le(a->v, b.v);         /* derivative */
    check_le(a->vdot, b.rest);   /* derivative */
    check_le(a->lambda, b.rest); /* derivative */
}

static void heavy_top_in_every_form(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3; k++)
            for (int space = 0; space < 2; space++) {
                rig r;
                ph_options o = tight(1e-3);
                o.formulation = (ph_formulation)f, o.sigma = sigma[k];
                open_rig(&r, "heavy_top.lua", "m", space, &o);
                assert_int_equal(ph_sim_run(r.sim, 100, NULL, NULL, NULL), PH_OK);
                agreement a = compare(&r, 100);
                check_agreement(&a, f == PH_INDEX3 ? (bar){1e-9, 1e-9, 1e-5} : (bar){1e-9, 1e-9, 1e-9});
                close_rig(&r);
            }
}

/* The factorisation that is reused is exact, without T, or of an earlier step. */
static void heavy_top_with_every_newton(void **state)
{
    (void)state;
    for (int k = 0; k <= PH_MODIFIED; k++) {
        rig r;
        ph_options o = tight(1e-3);
        o.formulation = PH_GGL, o.newton = (ph_newton)k, o.max_iterations = 100;
        o.atol = o.rtol = 1e-11;
        open_rig(&r, "heavy_top.lua", "m", 0, &o);
        assert_int_equal(ph_sim_run(r.sim, 50, NULL, NULL, NULL), PH_OK);
        agreement a = compare(&r, 50);
        check_agreement(&a, (bar){1e-8, 1e-8, 1e-7});
        close_rig(&r);
    }
}

/* Lengths, masses, stiffness, initial speeds and angles; loops, redundant rows, rolling, drives. */
static void models(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param;
        double h;
        long steps;
        bar index3, ggl;
    } row[] = {
        {"slider_crank.lua", "crank", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
        {"slider_crank.lua", "rod", 1e-3, 200, {1e-7, 1e-7, 1e-4}, {1e-7, 1e-7, 1e-7}}, /* b as sqrt of it */
        {"slider_crank.lua", "speed", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-7}},
        {"bricard.lua", "b", 1e-3, 200, {1e-8, 1e-5, 0.1}, {1e-8, 1e-8, 1e-6}}, /* b hardly matters */
        {"rotor.lua", "m", 1e-5, 200, {1e-6, 1e-6, 1e-4}, {1e-6, 1e-6, 1e-4}},
        {"rotor.lua", "spin", 1e-5, 200, {1e-9, 1e-9, 1e-5}, {1e-9, 1e-9, 1e-5}},
        {"rolling_disc.lua", "r", 1e-3, 200, {1e-9, 1e-9, 1e-3}, {1e-9, 1e-9, 1e-6}},
        {"rolling_disc.lua", "lean", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-8, 1e-8}},
        {"four_bar.lua", "coupler", 1e-3, 200, {1e-7, 1e-7, 1e-5}, {1e-7, 1e-7, 1e-6}},
        {"double_pendulum.lua", "angle1", 1e-3, 200, {1e-9, 1e-8, 1e-4}, {1e-9, 1e-9, 1e-8}},
        {"driven_crank.lua", "turns", 1e-3, 200, {1e-6, 1e-6, 1e-5}, {1e-6, 1e-6, 1e-5}},
        {"spring_ball.lua", "k", 1e-2, 200, {1e-9, 1e-9, 1e-9}, {1e-9, 1e-9, 1e-9}},
        {"andrews.lua", "k", 1e-4, 100, {1e-9, 1e-8, 1e-6}, {1e-9, 1e-8, 1e-8}},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
            rig r;
            ph_options o = tight(row[k].h);
            o.formulation = (ph_formulation)f;
            open_rig(&r, row[k].file, row[k].param, 0, &o);
            assert_int_equal(ph_sim_run(r.sim, row[k].steps, NULL, NULL, NULL), PH_OK);
            agreement a = compare(&r, row[k].steps);
            check_agreement(&a, f == PH_INDEX3 ? row[k].index3 : row[k].ggl);
            close_rig(&r);
        }
}

/* All masses of Bricard's mechanism scale its multipliers, those of least norm, and nothing else. */
static void scaling_of_redundant_multipliers(void **state)
{
    (void)state;
    rig r;
    ph_options o = tight(1e-3);
    o.formulation = PH_GGL;
    open_rig(&r, "bricard.lua", "m", 0, &o);
    assert_int_equal(ph_sim_run(r.sim, 200, NULL, NULL, NULL), PH_OK);
    ph_derivative d = ph_sens_get(r.sens, 0);
    ph_state s = ph_sim_state(r.sim);
    int nl = ph_system_nl(&r.self.sys), nv = ph_system_nv(&r.self.sys);
    check_le(max_diff(d.lambda, s.lambda, nl) / norm2(s.lambda, nl), 1e-9); /* round-off: m = 1 */
    check_le(norm2(d.W, nv), 1e-9);                                         /* round-off */
    close_rig(&r);
}

/* P2: heavy top by its mass, rho = 0.8, t = 0.1; published digits of the discrete and the continuous solution. */
static void published(void **state)
{
    (void)state;
    static const double h[] = {2e-3, 1e-3, 5e-4}, error[] = {1.750e-2, 4.341e-3, 1.083e-3};
    static const double dx[] = {2.637083392647e-3, -1.579895364257e-4, 6.414088394519e-3};
    static const double W[] = {-3.202006515872e-3, 1.091382384749e-3, 6.153604936817e-3};
    static const double exact[] = {2.55360940446255e-3, -1.47245082107098e-4, 6.32928422697132e-3};
    for (int k = 0; k < 3; k++) {
        rig r;
        ph_options o = tight(h[k]);
        o.sigma = 0, o.rho = 0.8, o.start = PH_PLAIN;
        open_rig(&r, "heavy_top.lua", "m", 0, &o);
        assert_int_equal(ph_sim_run(r.sim, lround(0.1 / h[k]), NULL, NULL, NULL), PH_OK);
        ph_derivative d = ph_sens_get(r.sens, 0);
        ph_state s = ph_sim_state(r.sim);
        const double *x = d.W + s.v_at[0], *w = d.W + s.v_at[1];
        if (k == 0) {
            check_le(max_diff(x, dx, 3), 1e-9); /* reference */
            check_le(max_diff(w, W, 3), 1e-9);  /* reference */
        }
        double e[3] = {x[0] - exact[0], x[1] - exact[1], x[2] - exact[2]};
        check_near(norm2(e, 3) / norm2(exact, 3) / error[k], 1, 0.02); /* reference, 2 % */
        close_rig(&r);
    }
}

/* ---- bad input ---------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    rig r;
    ph_error err = {0};
    ph_options o = tight(1e-3);
    ph_sens *none;
    ph_vary vary;
    open_rig(&r, "heavy_top.lua", "m", 0, &o);
    ph_param p = ph_vary_param(&r.vary);
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT); /* twice */
    assert_null(none);
    ph_vary_base base = {PH_TEST_DIR "/../models/heavy_top.lua", NULL, 0, r.self.model, 0, 0, 0};
    assert_int_equal(ph_vary_create(&vary, &base, "mass", 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "'mass'"));
    close_rig(&r);
    open_rig(&r, "heavy_top.lua", "m", 0, &o);
    ph_sens_destroy(r.sens);
    r.sens = NULL;
    p = ph_vary_param(&r.vary);
    p.eps = 0;
    assert_int_equal(ph_sens_create(&none, r.sim, 1, &p, &err), PH_E_INPUT);
    assert_int_equal(ph_sens_create(&none, r.sim, 0, &p, &err), PH_E_INPUT);
    close_rig(&r);
    o.method = "genalpha-printed";
    ph_sim *sim;
    open_rig(&r, "heavy_top.lua", "m", 0,
             &(ph_options){.method = "genalpha", .h = 1e-3, .rtol = 1e-8, .max_iterations = 20});
    p = ph_vary_param(&r.vary);
    assert_int_equal(ph_sim_create(&sim, &r.self.sys, &o, 0, r.self.q0, r.self.v0, &err), PH_OK);
    assert_int_equal(ph_sens_create(&none, sim, 1, &p, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "genalpha-printed"));
    ph_sim_destroy(sim);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(heavy_top_in_every_form),
                                       cmocka_unit_test(heavy_top_with_every_newton),
                                       cmocka_unit_test(models),
                                       cmocka_unit_test(scaling_of_redundant_multipliers),
                                       cmocka_unit_test(published),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
