/* Errors of multipliers in the first steps against published numbers; powers of the error recursion. */
#include "check.h"
#include "study/transient.h"

static ph_mat3 matrix(double rho)
{
    double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
    return ph_transient_matrix(am, af, (gamma + 0.5) * (gamma + 0.5) / 4, gamma);
}

/* |A|_2 by the power method, independent of the closed form. */
static double norm_by_iteration(ph_mat3 A)
{
    ph_vec3 x = {0.3, -0.7, 0.5};
    double s = 0;
    for (int k = 0; k < 2000; k++) {
        x = ph_scale(1 / ph_norm(x), x);
        ph_vec3 y = ph_mul(A, x);
        s = ph_norm(y);
        x = ph_tmul(A, y);
    }
    return s;
}

static void powers_of_the_recursion(void **state)
{
    (void)state;
    const double rho[] = {0.9, 0.6}, want[] = {34.265298, 7.385792};
    const int at[] = {14, 3};
    for (int k = 0; k < 2; k++) {
        ph_mat3 T = matrix(rho[k]), A = T;
        double max = 0;
        int where = 0;
        for (int n = 1; n < 100; n++, A = ph_mmul(T, A)) {
            double norm = ph_spectral_norm(A);
            check_near(norm, norm_by_iteration(A), 1e-10 * norm); /* round-off */
            if (norm > max)
                max = norm, where = n;
        }
        check_near(max, want[k], 1e-6); /* reference: Arnold, Bruls, Cardona, 4.1, digits of BENCHMARKS */
        assert_int_equal(where, at[k]);
    }
    ph_mat3 T = matrix(0.9), shift = ph_madd(T, ph_diag3(0.9, 0.9, 0.9)),
            N = ph_mmul(shift, ph_mmul(shift, shift));
    double nil[9];
    ph_store33(nil, N);
    check_le(norm2(nil, 9), 1e-13); /* round-off: -rho is a triple eigenvalue */
}

static double largest(const char *problem, double x, const ph_options *o, int steps, int perturbed)
{
    const ph_problem_def def = {.x = x};
    ph_problem *p = ph_problem_create(problem, x > 0 ? &def : NULL);
    ph_transient_row row[201];
    double most = 0;
    assert_true(p && steps <= 200);
    assert_int_equal(ph_transient_run(row, p, o, steps, NULL), PH_OK);
    for (int k = 0; k <= steps; k++) {
        double e = perturbed ? row[k].perturbed : row[k].plain;
        most = e <= most ? most : e;
        check_near(row[k].t, k * o->h, 1e-12); /* round-off */
    }
    assert_true(isnan(row[1].predicted) == (o->formulation != PH_INDEX3));
    ph_problem_destroy(p);
    return most;
}

static void claims_of_the_paper(void **state)
{
    (void)state;
    const double plain[] = {122.43, 26.76, 58.14}, perturbed[] = {2.124, 1.351, 1.308};
    ph_options o = ph_default_options();
    o.h = 0.02, o.sigma = 0, o.formulation = PH_INDEX3;
    check_near(largest("pendulum", 0.2, &o, 100, 0), 2.476e-1, 0.002 * 2.476e-1); /* reference: 0.2 % */
    check_near(largest("pendulum", 0.2, &o, 100, 1), 3.989e-3, 0.002 * 3.989e-3); /* reference: 0.2 % */
    o.h = 1e-3;
    for (int k = 0; k < 3; k++) {
        o.sigma = k == 2 ? PH_SIGMA_OPT : k;
        check_near(largest("heavy_top", 0, &o, 100, 0), plain[k], 0.02 * plain[k]); /* reference: 2 % */
        check_near(largest("heavy_top", 0, &o, 100, 1), perturbed[k],
                   0.02 * perturbed[k]); /* reference: 2 % */
    }
    o.formulation = PH_GGL;
    check_le(largest("heavy_top", 0, &o, 50, 0), 5); /* ordering: no transient in the stabilised form */
}

static void what_has_no_transient(void **state)
{
    (void)state;
    const struct {
        const char *problem, *method, *words;
    } all[] = {{"spring_ball", "genalpha", "no constraints"}, {"heavy_top", "rkmk", "no starting values"}};
    for (int k = 0; k < 2; k++) {
        ph_problem *p = ph_problem_create(all[k].problem, NULL);
        ph_options o = ph_default_options();
        ph_transient_row row[2];
        ph_error err = {0};
        o.method = all[k].method, o.h = 1e-3;
        assert_int_equal(ph_transient_run(row, p, &o, 1, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, all[k].words));
        ph_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_the_recursion),
        cmocka_unit_test(claims_of_the_paper),
        cmocka_unit_test(what_has_no_transient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
