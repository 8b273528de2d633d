/* Stability of methods: spectra of the step against closed forms and against each other, limits of the ball.
 * */
#include "check.h"
#include "problem/problem.h"
#include "study/stability.h"

static const double pi = 3.14159265358979323846;

static ph_options method(const char *name, const char *tableau)
{
    ph_options o = ph_default_options();
    o.method = name;
    if (tableau)
        o.tableau = tableau;
    return o;
}

/* R(mu) = sum mu^k/k! up to the order */
static double complex stability_function(int order, double complex mu)
{
    double complex sum = 1, term = 1;
    for (int k = 1; k <= order; k++) {
        term *= mu / k;
        sum += term;
    }
    return sum;
}

/* ---- linear oscillator ------------------------------------------------------------------------------- */

static void oscillator_has_the_stability_function(void **state)
{
    (void)state;
    const char *const tableau[] = {"euler", "heun", "rk4"};
    const int order[] = {1, 2, 4};
    for (int k = 0; k < 3; k++)
        for (double z = 0.1; z < 3.2; z += 0.3)
            for (double zeta = 0; zeta < 0.5; zeta += 0.17) {
                ph_options o = method("rkmk", tableau[k]);
                double complex mu = z * (-zeta + I * sqrt(1 - zeta * zeta)),
                               R = stability_function(order[k], mu);
                ph_oscillation got;
                assert_int_equal(ph_oscillator_measure(&got, &o, z, zeta, NULL), PH_OK);
                check_near(got.radius, cabs(R), 1e-12 * fmax(1, cabs(R)));     /* round-off */
                check_near(got.damping, -log(cabs(R)) / fabs(carg(R)), 1e-11); /* round-off */
                check_near(got.period, cimag(mu) / fabs(carg(R)) - 1, 1e-10);  /* round-off */
            }
}

static void oscillator_of_genalpha(void **state)
{
    (void)state;
    ph_options o = ph_default_options();
    ph_oscillation got;
    for (double rho = 0; rho <= 1;
         rho += 0.25) { /* reference: radius at infinity is rho, (31) of the same paper */
        o.rho = rho;
        assert_int_equal(ph_oscillator_measure(&got, &o, 1e5, 0, NULL), PH_OK);
        /* order: a triple eigenvalue splits like z^(-2/3) */
        check_near(got.radius, rho, 2 * pow(1e5, -2.0 / 3));
    }
    for (double z = 0.05; z < 60; z *= 3) { /* rho = 1: the trapezoidal rule, tan(arg/2) = z/2 */
        o.rho = 1;
        assert_int_equal(ph_oscillator_measure(&got, &o, z, 0, NULL), PH_OK);
        check_near(got.radius, 1, 1e-10);  /* round-off, of a double eigenvalue -1 */
        check_near(got.damping, 0, 1e-11); /* round-off */
        check_near(got.period, z / 2 / atan(z / 2) - 1, 1e-10 * (1 + z)); /* round-off */
    }
    assert_int_equal(ph_oscillator_measure(&got, &o, 0.5, 1.5, NULL), PH_OK);
    assert_true(isnan(got.damping) && isnan(got.period)); /* overdamped: no oscillation */
}

/* Multistep formulas: with E the shift of one step, sum alpha_i E^-i q = h v and the same of v, so that the
 * eigenvalues solve sum alpha_i mu^-i = +-i z. */
static void oscillator_of_multistep(void **state)
{
    (void)state;
    static const double alpha[6][7] = {{1, -1},
                                       {3.0 / 2, -2, 1.0 / 2},
                                       {11.0 / 6, -3, 3.0 / 2, -1.0 / 3},
                                       {25.0 / 12, -4, 3, -4.0 / 3, 1.0 / 4},
                                       {137.0 / 60, -5, 5, -10.0 / 3, 5.0 / 4, -1.0 / 5},
                                       {49.0 / 20, -6, 15.0 / 2, -20.0 / 3, 15.0 / 4, -6.0 / 5, 1.0 / 6}};
    ph_options o = method("bliedf", NULL);
    for (o.order = 1; o.order <= 6; o.order++)
        for (double z = 0.1; z < 5; z += 0.7) {
            ph_spectrum s;
            assert_int_equal(ph_oscillator_spectrum(&s, &o, z, 0, NULL), PH_OK);
            assert_true(s.n >= 2 && s.n <= 2 * o.order);
            double complex sum = 0;
            for (int i = o.order; i >= 0; i--)
                sum = sum / s.value[0] + alpha[o.order - 1][i];
            /* derivative: of weakly excited roots less than of the others */
            check_le(fmin(cabs(sum - I * z), cabs(sum + I * z)), 1e-7);
            double complex R =
                0; /* none is larger: the product of all roots of one sign is alpha_k/(alpha_0 - i z) */
            double product = 1;
            for (int i = 0; i < s.n; i++)
                product *= cabs(s.value[i]);
            R = alpha[o.order - 1][o.order] / (alpha[o.order - 1][0] - I * z);
            if (s.n == 2 * o.order)
                check_near(product, cabs(R) * cabs(R),
                           1e-3 * cabs(R)); /* derivative: of all, the weak ones too */
            ph_spectrum_destroy(&s);
        }
}

static void oscillator_refuses(void **state)
{
    (void)state;
    ph_options o = ph_default_options();
    ph_oscillation got;
    ph_error err = {0};
    o.rho = 1.5;
    assert_int_equal(ph_oscillator_measure(&got, &o, 1, 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "rho"));
    o = method("rkmk", "dopri5");
    o.tol = 1e-6;
    assert_int_equal(ph_oscillator_measure(&got, &o, 1, 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "adapts"));
}

/* ---- steady motions ---------------------------------------------------------------------------------- */

static double radius(const ph_system *sys, const ph_options *o, const double *q, const double *v)
{
    ph_spectrum s;
    ph_error err = {0};
    ph_status status = ph_spectrum_create(&s, sys, o, q, v, &err);
    if (status != PH_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, PH_OK);
    double r = cabs(s.value[0]);
    ph_spectrum_destroy(&s);
    return r;
}

static const double hang_q[7] = {0, 0, -1, 0.70710678118654752, -0.70710678118654752, 0, 0};
static const double hang_v[6] = {0, 0, 0, 0, 150, 0};

static void hanging_top_is_stable_where_it_should_be(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    ph_options o = ph_default_options();
    o.rho = 0.9, o.formulation = PH_INDEX3;
    for (double hw = 0.15; hw < 0.8; hw += 0.15) {
        o.h = hw / 150;
        for (int k = 0; k < 3; k++) {
            o.sigma = k == 2 ? PH_SIGMA_OPT : k;
            double r = radius(&p->sys, &o, hang_q, hang_v);
            if (k > 0 || hw < 0.5)
                check_le(r, 1.001); /* reference: stable to 0.75 at least; sigma = 0 below 0.6 */
            else
                check_le(1.01, r); /* reference: unstable from 0.6 on */
            check_le(1 - 1e-9, r); /* invariant: turning about the axis is neutral */
        }
    }
    ph_problem_destroy(p);
}

/* The state that is not loaded but seen through (q, v), eq. (V2), has the same eigenvalues. */
static void observation_agrees_with_loading(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    for (int form = PH_INDEX3; form <= PH_GGL; form++)
        for (int k = 0; k < 2; k++) {
            ph_options o = ph_default_options();
            ph_spectrum s;
            o.formulation = (ph_formulation)form, o.sigma = k, o.h = 0.75 / 150;
            assert_int_equal(ph_spectrum_observe(&s, &p->sys, &o, hang_q, hang_v, 3, 1e-8, NULL), PH_OK);
            /* derivative: differences to 1e-10, of which a double eigenvalue sees the root */
            check_near(cabs(s.value[0]), radius(&p->sys, &o, hang_q, hang_v), 2e-5);
            if (form == PH_INDEX3 &&
                k == 0) /* reference: the same by repeated squaring of the map, elsewhere */
                check_near(cabs(s.value[0]), 1.0406, 1e-4);
            ph_spectrum_destroy(&s);
        }
    ph_problem_destroy(p);
}

/* Free rotation about the axes of I = (2, 1, 1.5): axes that turn with the body serve, those that stay do
 * not. About the middle one, 1.5, the motion itself is unstable, with exp(h k Omega) per step. */
static void spin_about_principal_axes(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("free_body", NULL);
    const double q[4] = {0.5, -0.5, 0.5, 0.5}, k = sqrt((2 - 1.5) * (1.5 - 1) / (2 * 1));
    for (int axis = 0; axis < 3; axis++) {
        double v[3] = {0}, h = 0.01, w = 3;
        v[axis] = w;
        ph_options rk = method("rkmk", "rk4"), o = ph_default_options();
        rk.h = o.h = h;
        double want = axis == 2 ? exp(h * w * k) : 1;
        /* derivative: a double eigenvalue 1; of the middle axis order 4 of the method */
        check_near(radius(&p->sys, &rk, q, v), want, axis == 2 ? 1e-9 : 1e-6);
        /* order 2 of the method: (h w)^2 of a growth of h w k */
        check_near(radius(&p->sys, &o, q, v), want, axis == 2 ? 1e-5 : 1e-6);
    }
    ph_problem_destroy(p);
}

/* A symmetric body that spins beside a point on springs of different stiffness in the world: only axes that
 * stay serve. Springs of 1, 4, 9 N/m with 1 kg: nothing grows under rk4 at h = 0.1, and the damping of the
 * fastest is that of the stability function. */
static ph_status beside_M(const ph_state *s, double *out, void *ctx)
{
    const double J[3] = {2, 2, 3};
    (void)s, (void)ctx;
    for (int i = 0; i < 3; i++)
        out[4 * i] = 1, out[9 + 4 * i] = J[i];
    return PH_OK;
}

static ph_status beside_g(const ph_state *s, double *out, void *ctx)
{
    const double *w = s->v + 3;
    (void)ctx;
    for (int i = 0; i < 3; i++)
        out[i] = (i + 1) * (i + 1) * s->q[i];
    out[3] = (3 - 2) * w[1] * w[2], out[4] = (2 - 3) * w[2] * w[0], out[5] = 0;
    return PH_OK;
}

static void spin_beside_what_stays(void **state)
{
    (void)state;
    const ph_node nodes[] = {{PH_RN, 3, "point"}, {PH_SO3, 0, "wheel"}};
    const ph_place pairs[] = {{0, 0}, {1, 1}};
    ph_system sys = {
        .n_nodes = 2, .nodes = nodes, .n_pairs = 2, .pairs = pairs, .M = beside_M, .g = beside_g};
    const double q[7] = {0, 0, 0, 0.5, 0.5, 0.5, 0.5}, v[6] = {0, 0, 0, 0, 0, 7};
    ph_options o = method("rkmk", "rk4");
    ph_spectrum s;
    int found = 0;
    o.h = 0.1;
    assert_int_equal(ph_spectrum_create(&s, &sys, &o, q, v, NULL), PH_OK);
    check_near(cabs(s.value[0]), 1, 1e-5); /* derivative: a double eigenvalue 1 */
    for (int i = 0; i < s.n; i++)
        for (int k = 1; k <= 3; k++) /* derivative */
            found += cabs(s.value[i] - stability_function(4, I * k * o.h)) < 1e-8;
    assert_int_equal(found, 3);
    ph_spectrum_destroy(&s);
}

/* Methods of higher order see the steady spin as it is. */
static void hanging_top_of_other_methods(void **state)
{
    (void)state;
    static const char *const tableaux[] = {"gauss2", "radau3", "rk4"};
    ph_problem *p = ph_problem_create("heavy_top", NULL), *se3 = ph_problem_create("heavy_top_se3", NULL);
    ph_problem *one = ph_problem_create("heavy_top_r3xso3", NULL);
    const double v[6] = {0, 0, 0, 0, 150, 0};
    for (int k = 0; k < 3; k++) {
        ph_options o = method("rkmk", tableaux[k]);
        o.h = 0.1 / 150;
        double r = radius(&p->sys, &o, hang_q, v);
        check_near(r, 1, 1e-5);                                     /* derivative: a double eigenvalue 1 */
        check_near(radius(&one->sys, &o, hang_q, v), r, 1e-5);      /* derivative: the same in one node */
        check_near(radius(&se3->sys, &o, hang_q, hang_v), 1, 1e-5); /* derivative */
    }
    for (int order = 1; order <= 3; order++) {
        ph_options o = method("bliedf", NULL);
        o.order = order, o.h = 0.1 / 150;
        check_near(radius(&p->sys, &o, hang_q, v), 1, 1e-4); /* derivative; order 3 has 3e-6 of its own */
    }
    ph_problem_destroy(p);
    ph_problem_destroy(se3);
    ph_problem_destroy(one);
}

static void motions_that_are_not_steady(void **state)
{
    (void)state;
    ph_problem *top = ph_problem_create("heavy_top", NULL), *chain = ph_problem_create("chain", NULL);
    ph_options o = ph_default_options();
    ph_spectrum s;
    ph_error err = {0};
    o.h = 1e-3;
    assert_int_equal(ph_spectrum_create(&s, &top->sys, &o, top->q0, top->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "nor a steady spin"));
    assert_null(s.value);
    assert_int_equal(ph_spectrum_observe(&s, &top->sys, &o, top->q0, top->v0, 2, 1e-8, &err), PH_E_INPUT);
    ph_problem_destroy(top);
    ph_problem_destroy(chain);
    const ph_problem_def def = {.size = 20};
    chain = ph_problem_create("chain", &def);
    assert_int_equal(ph_spectrum_create(&s, &chain->sys, &o, chain->q0, chain->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "at most"));
    ph_problem_destroy(chain);
}

/* ---- ball -------------------------------------------------------------------------------------------- */

static double limit(const ph_options *o, double zeta, double amplitude, double angle)
{
    ph_ball_case c = {.zeta = zeta, .amplitude = amplitude, .angle = angle, .steps = 20000};
    double z = NAN;
    assert_int_equal(ph_ball_limit(&z, o, &c, 0, 3.2, 1e-6, NULL), PH_OK);
    return z;
}

static void ball_has_the_limits_of_runge_kutta(void **state)
{
    (void)state;
    ph_options rk4 = method("rkmk", "rk4"), heun = method("rkmk", "heun"), euler = method("rkmk", "euler");
    check_near(limit(&rk4, 0, 0.3, 0), 2.828427, 1e-4);  /* reference: 2 sqrt(2) */
    check_near(limit(&rk4, 0, 0.5, pi / 2), 2.59, 0.02); /* reference: an independent prototype */
    check_near(limit(&rk4, 0, 1, pi / 2), 2.26, 0.02);   /* reference: the same */
    check_near(limit(&heun, 0.05, 0.3, 0), 0.8, 1e-3);   /* reference: the same */
    for (double zeta = 0.05; zeta < 0.3; zeta += 0.1)    /* reference: |1 + mu|^2 = 1 - 2 zeta z + z^2 */
        check_near(limit(&euler, zeta, 0.3, 0), 2 * zeta, 5e-4);
}

/* The classical method on q'' = -2 zeta q' - q with q taken into [-pi, pi], h = z: the steps before q leaves that. */
static int steps_to_pi(double z, double zeta, double amplitude, int most)
{
    const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double q = amplitude, v = amplitude;
    for (int n = 1; n <= most; n++) {
        double dq = 0, dv = 0, kq = 0, kv = 0;
        for (int i = 0; i < 4; i++) {
            double qi = remainder(q + node[i] * z * kq, 2 * pi), vi = v + node[i] * z * kv;
            kq = vi, kv = -2 * zeta * vi - qi;
            dq += weight[i] * z * kq, dv += weight[i] * z * kv;
        }
        q += dq, v += dv;
        if (fabs(q) > pi)
            return n;
    }
    return 0;
}

/* Powers of a step grow before they decay where damping is strong, to any size for zeta = 1, where it is defective. */
static void ball_with_strong_damping(void **state)
{
    (void)state;
    ph_options rk4 = method("rkmk", "rk4"), euler = method("rkmk", "euler");
    check_near(limit(&rk4, 1, 1e-6, 0), 2.785294, 5e-5);   /* reference: R(-z) = 1 */
    check_near(limit(&rk4, 0.5, 0.01, 0), 2.622543, 5e-5); /* reference: |R(z exp(2 i pi/3))| = 1 */
    check_near(limit(&euler, 0.5, 0.01, 0), 1, 1e-4);      /* reference: |1 + mu| = 1 */
    check_near(limit(&euler, 0.7, 0.01, 0), 1.4, 1e-4);    /* reference: the same */
    double lo = 2.5, hi = 2.785, z;                        /* 0.01 rad grow to pi on the way down, and jump */
    while (hi - lo > 1e-7)
        *(steps_to_pi((lo + hi) / 2, 1, 0.01, 1000) ? &hi : &lo) = (lo + hi) / 2;
    check_near(limit(&rk4, 1, 0.01, 0), lo, 2e-6); /* reference: the width of the bisection */
    assert_int_equal(ph_oscillator_limit(&z, &rk4, 1, 2, 3, 1e-7, NULL), PH_OK);
    check_near(z, 2.785294, 1e-5); /* reference: R(-z) = 1 */
    for (z = 0.2; z < 2.7; z += 0.25)
        for (int k = 0; k <= 6; k++) {
            ph_ball_case c = {.z = z, .zeta = k * 0.25, .amplitude = 0.01, .angle = k, .steps = 2000};
            double complex mu = z * (-c.zeta + csqrt(c.zeta * c.zeta - 1)), nu = 2 * -c.zeta * z - mu;
            double R = fmax(cabs(stability_function(4, mu)), cabs(stability_function(4, nu)));
            ph_ball_result r;
            if (fabs(R - 1) < 0.02)
                continue;
            assert_int_equal(ph_ball_run(&r, &rk4, &c, NULL), PH_OK);
            assert_true((r.verdict == PH_V_BOUNDED) == (R < 1));
        }
}

static void ball_on_one_axis_is_the_oscillator(void **state)
{
    (void)state;
    ph_options o = method("rkmk", "rk4");
    for (double z = 0.3; z < 2.8; z += 0.4) {
        ph_ball_case c = {.z = z, .amplitude = 0.3, .steps = 25};
        ph_ball_result r;
        assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK);
        double R = cabs(stability_function(4, I * z));
        check_near(r.growth, R, 1e-12); /* round-off: RKMK on one axis is the classical method */
        check_near(r.radius, R, 1e-12); /* round-off */
        assert_int_equal(r.verdict, PH_V_BOUNDED);
        assert_int_equal(r.at, 25);
    }
}

static void ball_verdicts(void **state)
{
    (void)state;
    ph_options o = method("rkmk", "rk4");
    ph_ball_result r;
    ph_ball_case c = {.z = 0.1, .amplitude = 2.5, .steps = 100};
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK); /* 2.5 sqrt(2) > pi on the way out */
    assert_int_equal(r.verdict, PH_V_WRAPPED);
    c.amplitude = 2; /* 2 sqrt(2) < pi */
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK);
    assert_int_equal(r.verdict, PH_V_BOUNDED);
    c = (ph_ball_case){.z = 2.9, .amplitude = 0.1, .steps = 1000};
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK);
    assert_int_equal(r.verdict, PH_V_GROWS);
    assert_true(r.at == ceil(log(2) / (2 * log(cabs(stability_function(4, I * c.z)))))); /* exact */
    c = (ph_ball_case){.z = 2.9, .amplitude = 2, .angle = pi / 2, .steps = 1000};
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK);
    assert_int_equal(r.verdict, PH_V_FAILED);
    assert_true(r.at == 1 && strstr(r.why, "ball"));
    o = ph_default_options(); /* genalpha damps: neighbours approach each other */
    o.rho = 0.5;
    c = (ph_ball_case){.z = 1, .amplitude = 0.3, .angle = pi / 2, .steps = 200};
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_OK);
    assert_int_equal(r.verdict, PH_V_BOUNDED);
    check_le(r.distance, 2);              /* ordering */
    check_near(r.growth, r.radius, 2e-3); /* derivative: of a small amplitude */
    o.rho = 2;
    assert_int_equal(ph_ball_run(&r, &o, &c, NULL), PH_E_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_has_the_stability_function),
        cmocka_unit_test(oscillator_of_genalpha),
        cmocka_unit_test(oscillator_of_multistep),
        cmocka_unit_test(oscillator_refuses),
        cmocka_unit_test(hanging_top_is_stable_where_it_should_be),
        cmocka_unit_test(observation_agrees_with_loading),
        cmocka_unit_test(spin_about_principal_axes),
        cmocka_unit_test(spin_beside_what_stays),
        cmocka_unit_test(hanging_top_of_other_methods),
        cmocka_unit_test(motions_that_are_not_steady),
        cmocka_unit_test(ball_has_the_limits_of_runge_kutta),
        cmocka_unit_test(ball_with_strong_damping),
        cmocka_unit_test(ball_on_one_axis_is_the_oscillator),
        cmocka_unit_test(ball_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
