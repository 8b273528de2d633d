/* Error bars (VS11) and derivatives of runs whose steps change: the error that one run predicts against that which it has,
 * states less their error, which are of third order, and derivatives against differences of runs with the same steps. */
#include "ahead_cases.h"
#include "sens_cases.h"

/* ---- error bars ----------------------------------------------------------------------------------------- */

/* What a run at its end has of errors, |log| of rotations and positions together. */
typedef struct found {
    double error;  /* exact less numerical */
    double missed; /* what the bars leave of it */
    double missed_v, error_v, missed_lambda, error_lambda;
} found;

static double norm_of_log(const ph_system *sys, const double *q, const ph_state *s)
{
    double sum = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n, dim = ph_group_dim(sys->nodes[i].group, n);
        double e[8], x[8];
        op->inverse(n, s->q + s->q_at[i], e);
        op->compose(n, e, q + s->q_at[i], e);
        op->log(n, e, x);
        for (int k = 0; k < dim; k++)
            sum += x[k] * x[k];
    }
    return sqrt(sum);
}

static found look(const ph_system *sys, ph_sim *sim, ph_sens *sens, double t_end, reference_fn f, void *ctx)
{
    double q[64], v[64], lambda[64];
    ph_error err = {0};
    int nv = ph_system_nv(sys), nl = ph_system_nl(sys);
    if (ph_sim_run_until(sim, t_end, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_sim_state(sim), better;
    assert_int_equal(ph_sens_better(sens, &better), PH_OK);
    f(ctx, s.t, q, v, lambda);
    return (found){norm_of_log(sys, q, &s),
                   norm_of_log(sys, q, &better),
                   sqrt(distance_squared(v, better.v, nv)),
                   sqrt(distance_squared(v, s.v, nv)),
                   sqrt(distance_squared(lambda, better.lambda, nl)),
                   sqrt(distance_squared(lambda, s.lambda, nl))};
}

static ph_options alpha(ph_formulation f, double rho, double sigma)
{
    ph_options o = ph_default_options();
    o.formulation = f, o.rho = rho, o.sigma = sigma;
    return o;
}

static found top_with(const ph_problem *p, ph_options o, double t_end)
{
    ph_sens *sens;
    ph_error err = {0};
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    if (ph_sens_create_error(&sens, sim, &err) != PH_OK)
        fail_msg("%s", err.text);
    found x = look(&p->sys, sim, sens, t_end, exact_state, (void *)p);
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return x;
}

/* order: what is missed is of third order, so that its part of the error halves with h. */
static void check_halves(const char *what, found coarse, found fine, double part)
{
    double was = coarse.missed / coarse.error, is = fine.missed / fine.error;
    double order = log2(coarse.missed / fine.missed), order_v = log2(coarse.missed_v / fine.missed_v);
    if (!(is <= 0.6 * was && is <= part && order >= 2.75 && order_v >= 2.7 &&
          fine.missed_v <= part * fine.error_v))
        fail_msg("%s: missed %.3g, then %.3g of the error; orders %.3g %.3g", what, was, is, order, order_v);
}

static void top_is_asymptotically_exact(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    static const struct {
        double rho, sigma;
    } of[] = {{0.9, 1}, {0.6, 0}, {0.9, PH_SIGMA_OPT}};
    for (int k = 0; k < 3; k++) {
        ph_options o = alpha(PH_GGL, of[k].rho, of[k].sigma);
        o.h = 5e-4;
        found coarse = top_with(p, o, 0.5);
        o.h /= 2;
        found fine = top_with(p, o, 0.5);
        check_halves("top", coarse, fine, 0.12);
        /* order: multipliers are found anew */
        check_near(log2(coarse.missed_lambda / fine.missed_lambda), 3, 0.25);
    }
    ph_problem_destroy(p);
}

/* Steps of random sizes, and by tolerance, where tol/4 halves h; on a grid the error stands between the ends of steps. */
static void changing_steps_are_too(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = PH_INDEX2; f <= PH_GGL; f++) {
        ph_options o = alpha((ph_formulation)f, 0.9, 1);
        found x[2];
        o.random = 2, o.seed = 3;
        for (int k = 0; k < 2; k++)
            o.h = 5e-4 / (1 << k), x[k] = top_with(p, o, 0.5);
        check_halves("random steps", x[0], x[1], 0.07);
        o.random = 0, o.span = 0.5;
        for (int grid = 0; grid < 2; grid++) {
            o.h = grid ? 0.5 / 777 : 0;
            for (int k = 0; k < 2; k++)
                o.tol = 1e-4 / (1 << 2 * k), x[k] = top_with(p, o, grid ? 0.5 * 500 / 777 : 0.5);
            check_halves("tolerance", x[0], x[1], 0.09);
        }
    }
    ph_problem_destroy(p);
}

/* Index-3 lacks a part of its velocities: an estimate, of the right size. */
static void index3_is_an_estimate(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = alpha(PH_INDEX3, 0.9, 1);
    o.h = 5e-4;
    found x = top_with(p, o, 0.5);
    check_le(x.missed, 0.6 * x.error); /* ordering */
    ph_problem_destroy(p);
}

/* Bodies on each other, against a motion of reference. */
static void two_bodies_are_too(void **state)
{
    (void)state;
    opened m;
    found x[2];
    open_text(&m, two_bodies);
    for (int k = 0; k < 2; k++) {
        ph_options o = alpha(PH_GGL, 0.9, 1);
        ph_error err = {0};
        ph_sens *sens;
        o.h = 1e-3 / (1 << k);
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0), *best = best_of(&m);
        if (ph_sens_create_error(&sens, sim, &err) != PH_OK)
            fail_msg("%s", err.text);
        x[k] = look(&m.sys, sim, sens, 1, best_state, best);
        ph_sens_destroy(sens), ph_sim_destroy(sim), ph_sim_destroy(best);
    }
    check_halves("two bodies", x[0], x[1], 0.08);
    open_close(&m);
}

/* A run with error bars has the same bits as one without. */
static void runs_stay_as_they_are(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int k = 0; k < 3; k++) {
        ph_options o = alpha(PH_GGL, 0.9, 1);
        snapshot end[2];
        o.h = k < 2 ? 1e-3 : 0, o.tol = k > 0 ? 1e-3 : 0, o.span = 0.1;
        for (int bars = 0; bars < 2; bars++) {
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            ph_sens *sens = NULL;
            ph_state better;
            if (bars)
                assert_int_equal(ph_sens_create_error(&sens, sim, NULL), PH_OK);
            for (int n = 0; n < 20; n++) {
                assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
                if (bars)
                    assert_int_equal(ph_sens_better(sens, &better), PH_OK);
            }
            end[bars] = snap(sim, &p->sys);
            ph_sens_destroy(sens), ph_sim_destroy(sim);
        }
        assert_true(same_bits(&end[0], &end[1])); /* exact */
        free(end[0].x), free(end[1].x);
    }
    ph_problem_destroy(p);
}

static void refused(const ph_options *o, const char *words)
{
    ph_problem *p = problem_named("heavy_top");
    ph_sim *sim = sim_of(&p->sys, o, p->q0, p->v0);
    ph_sens *sens;
    ph_error err = {0};
    assert_int_equal(ph_sens_create_error(&sens, sim, &err), PH_E_INPUT);
    assert_null(sens);
    assert_non_null(strstr(err.text, words));
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

static void refusals(void **state)
{
    (void)state;
    ph_options o = alpha(PH_GGL, 0.9, 1);
    o.h = 1e-3, o.method = "bliedf";
    refused(&o, "bliedf has no error bars");
    o.tol = 1e-3;
    refused(&o, "bliedf has no error bars");
    o.method = "rkmk";
    refused(&o, "rkmk has no error bars");
    o.method = "genalpha", o.formulation = PH_INDEX3;
    refused(&o, "index-3 has no error bars with steps that change");
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

/* Random sizes do not depend on the solution: differences of runs have the same steps. */
static void derivatives_with_changing_steps(void **state)
{
    (void)state;
    static const struct {
        const char *file, *param;
        double h;
    } of[] = {{"heavy_top.lua", "m", 1e-3}, {"slider_crank.lua", "crank", 1e-3}};
    for (int k = 0; k < 2; k++)
        for (int f = PH_INDEX2; f <= PH_GGL; f++) {
            fixture r;
            ph_options o = tight(of[k].h);
            o.formulation = (ph_formulation)f, o.rho = 0.6, o.random = 2, o.seed = 5;
            open_fixture(&r, of[k].file, of[k].param, PH_SPACE_R3XSO3, &o);
            assert_int_equal(ph_sim_run(r.sim, 60, NULL, NULL, NULL), PH_OK);
            agreement a = compare(&r, 60);
            check_agreement(&a, (bar){1e-8, 1e-8, 1e-6}); /* derivative */
            close_fixture(&r);
        }
}

/* ---- backwards ----------------------------------------------------------------------------------------------- */

/* The height of the top, and a part of its angular velocity. */
static ph_status height(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    (void)ctx;
    *value = s->q[2] + 0.1 * s->v[4];
    if (g)
        g->W[2] += 1, g->v[4] += 0.1;
    return PH_OK;
}

static ph_status squared(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    (void)ctx;
    *value = s->q[0] * s->q[0] + s->v[3] * s->v[3];
    if (g)
        g->W[0] += 2 * s->q[0], g->v[3] += 2 * s->v[3];
    return PH_OK;
}

static ph_status count(const ph_sim *sim, void *ctx)
{
    *(long *)ctx = ph_sim_stats(sim).steps;
    return PH_OK;
}

static long steps_to(const ph_system *sys, const ph_options *o, const double *q0, const double *v0,
                     double t_end)
{
    ph_sim *sim = sim_of(sys, o, q0, v0);
    long n = 0;
    assert_int_equal(ph_sim_run_until(sim, t_end, count, &n, NULL), PH_OK);
    ph_sim_destroy(sim);
    return n;
}

/* The sum over the steps is the error along with them, whatever the steps are, and with little memory too. */
static void backwards_is_the_same(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    const ph_objective of = {.final = height};
    for (int k = 0; k < 4; k++) {
        ph_options o = alpha(k == 3 ? PH_INDEX2 : PH_GGL, 0.8, 1);
        ph_error err = {0};
        ph_sens *sens;
        o.h = 1e-3, o.newton = PH_FULL, o.rtol = 1e-13; /* what Newton's method leaves is no error here */
        if (k == 1)
            o.random = 2, o.seed = 4;
        else if (k >= 2)
            o.h = 0, o.tol = 1e-3, o.span = 0.2;
        long n = steps_to(&p->sys, &o, p->q0, p->v0, 0.2);
        double *time = calloc(2 * (size_t)n, sizeof *time), *term = time + n, value, sum = 0, along;
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        assert_int_equal(ph_sens_create_error(&sens, sim, NULL), PH_OK);
        assert_int_equal(ph_sim_run_until(sim, 0.2, NULL, NULL, NULL), PH_OK);
        ph_derivative d = ph_sens_get(sens, 0);
        along = d.W[2] + 0.1 * d.v[4];
        ph_sens_destroy(sens), ph_sim_destroy(sim);
        for (int tight = 0; tight < 2; tight++) {
            sim = sim_of(&p->sys, &o, p->q0, p->v0);
            assert_int_equal(ph_sens_create_error(&sens, sim, NULL), PH_OK);
            sim->t_stop = 0.2;
            if (ph_sens_error_of(sens, n, &of, tight ? 60000 : 0, &value, time, term, &err) != PH_OK)
                fail_msg("%s", err.text);
            sum = 0;
            for (long i = 0; i < n; i++)
                sum += term[i];
            check_near(sum, along, 1e-8 * fabs(along)); /* derivative: projections are not corrected */
            check_near(time[n - 1], 0.2, 1e-12);
            ph_sens_destroy(sens), ph_sim_destroy(sim);
        }
        free(time);
    }
    ph_problem_destroy(p);
}

/* Gradients with steps that change are the derivatives along with them; the integral has half of the steps on both sides of a
 * point as its weight. */
static void gradients_with_changing_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        fixture r;
        ph_options o = tight(1e-3);
        ph_objective of = {.final = k % 2 ? height : NULL, .integral = k % 2 ? NULL : squared};
        ph_error err = {0};
        double value, gradient, J = 0, dJ = 0, last = 0, dlast = 0, t = 0;
        o.formulation = k < 2 ? PH_GGL : PH_INDEX2, o.rho = 0.6, o.random = 2, o.seed = 8;
        open_fixture(&r, "heavy_top.lua", "m", PH_SPACE_R3XSO3, &o);
        for (int n = 0; n <= 50; n++) {
            if (n)
                assert_int_equal(ph_sim_step(r.sim, NULL), PH_OK);
            ph_state s = ph_sim_state(r.sim);
            ph_derivative d = ph_sens_get(r.sens, 0);
            double x = s.q[0] * s.q[0] + s.v[3] * s.v[3], dx = 2 * s.q[0] * d.W[0] + 2 * s.v[3] * d.v[3];
            J += n ? 0.5 * (s.t - t) * (x + last) : 0, dJ += n ? 0.5 * (s.t - t) * (dx + dlast) : 0;
            last = x, dlast = dx, t = s.t;
            if (k % 2)
                J = s.q[2] + 0.1 * s.v[4], dJ = d.W[2] + 0.1 * d.v[4];
        }
        close_fixture(&r);
        open_fixture(&r, "heavy_top.lua", "m", PH_SPACE_R3XSO3, &o);
        if (ph_sens_gradient(r.sens, 50, &of, 0, &value, &gradient, &err) != PH_OK)
            fail_msg("%s", err.text);
        check_near(value, J, 1e-12 * fabs(J));             /* round-off */
        check_near(gradient, dJ, 1e-9 * fabs(dJ) + 1e-13); /* derivative */
        close_fixture(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_is_asymptotically_exact),     cmocka_unit_test(changing_steps_are_too),
        cmocka_unit_test(index3_is_an_estimate),           cmocka_unit_test(two_bodies_are_too),
        cmocka_unit_test(runs_stay_as_they_are),           cmocka_unit_test(refusals),
        cmocka_unit_test(derivatives_with_changing_steps), cmocka_unit_test(backwards_is_the_same),
        cmocka_unit_test(gradients_with_changing_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
