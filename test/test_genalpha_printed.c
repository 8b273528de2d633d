/* The algorithms as printed: in vector spaces they are generalized-alpha, on groups they are of second order with another
 * error. */
#include "forms.h"
#include "sim_cases.h"

static ph_options printed(ph_formulation f, double sigma, double h)
{
    ph_options o = ph_default_options();
    o.method = "genalpha-printed", o.formulation = f, o.sigma = sigma, o.h = h, o.newton = PH_FULL;
    o.atol = 1e-13, o.rtol = 1e-12;
    return o;
}

static snapshot end_of(const ph_problem *p, const ph_options *o, long steps)
{
    ph_sim *sim = sim_of(&p->sys, o, p->q0, p->v0);
    run_sim(sim, steps);
    snapshot x = snap(sim, &p->sys);
    ph_sim_destroy(sim);
    return x;
}

/* hat is 0 in R^n: what is missing in the printed equations is 0 too. */
static void vector_spaces(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    for (int f = 0; f < FORMS; f++) {
        if (forms[f] == PH_INDEX2)
            continue; /* none is printed */
        ph_options o = printed(forms[f], 1, 0.01);
        snapshot a = end_of(p, &o, 50);
        o.method = "genalpha";
        snapshot b = end_of(p, &o, 50);
        check_le(distance(&a, &b), 1e-9); /* round-off, and Newton's tolerance over h^2 in multipliers */
        free(a.x), free(b.x);
    }
    ph_problem_destroy(p);
}

static double error_of(const ph_problem *p, const char *method, double sigma, double h)
{
    ph_options o = printed(PH_INDEX3, sigma, h);
    double q[8], v[6], vdot[6];
    o.method = method;
    snapshot x = end_of(p, &o, lround(0.2 / h));
    assert_true(p->exact(p, 0.2, q, v, vdot, NULL));
    double e = max_diff(snap_q(&x), q, 7);
    free(x.x);
    return e;
}

/* sigma of (Q0), whose error the printed algorithms have; Chung and Hulbert's numbers for rho */
static double sigma_printed(double sigma, double rho)
{
    double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1), gamma = 0.5 + alpha_f - alpha_m;
    double beta = (gamma + 0.5) * (gamma + 0.5) / 4;
    return sigma * (2 + (4 * beta - 2 * gamma) * (1 - alpha_f) / (1 - alpha_m));
}

/* On R^3 x SO(3) of second order, with the error of another sigma (Q0). */
static void groups(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top_r3xso3");
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = error_of(p, "genalpha-printed", 1, 1e-3 / (1 << k));
    for (int k = 0; k < 2; k++)
        check_near(log2(e[k] / e[k + 1]), 2, 0.15); /* order */
    double other = sigma_printed(1, ph_default_options().rho);
    double same = error_of(p, "genalpha", 1, 2.5e-4), effective = error_of(p, "genalpha", other, 2.5e-4);
    check_near(e[2] / effective, 1, 0.05); /* ordering: terms of higher order */
    assert_true(fabs(e[2] / same - 1) > 0.2);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector_spaces), cmocka_unit_test(groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
