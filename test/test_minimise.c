/* The search between bounds: a valley, a corner, tolerances, failures. */
#include "check.h"

#include "study/minimise.h"

static int calls;

/* Rosenbrock's valley, (1 - x)^2 + 100 (y - x^2)^2, with y in units of 1/1000 */
static ph_status valley(const double *x, double *value, double *g, void *ctx)
{
    double a = 1 - x[0], b = 1e-3 * x[1] - x[0] * x[0];
    (void)ctx;
    calls++;
    *value = a * a + 100 * b * b;
    g[0] = -2 * a - 400 * x[0] * b, g[1] = 0.2 * b;
    return PH_OK;
}

static ph_status refuse(const double *x, double *value, double *g, void *ctx)
{
    valley(x, value, g, ctx);
    return x[0] < 0 ? PH_OK : PH_E_NEWTON;
}

static ph_minimise_def def_of(ph_gradient_fn f, const double *lower, const double *upper)
{
    return (ph_minimise_def){
        .n = 2, .lower = lower, .upper = upper, .tolerance = 1e-9, .evaluations = 500, .f = f};
}

static void optima(void **state)
{
    (void)state;
    const double lower[] = {-2, -1000}, upper[] = {2, 3000}, half[] = {0.5, 3000};
    double x[] = {-1.2, 1000}, y[] = {-1.2, 1000}, value;
    const char *why;
    if (ph_minimise_missing())
        skip();
    ph_minimise_def d = def_of(valley, lower, upper);
    assert_int_equal(ph_minimise(&d, x, &value, &why), PH_OK);
    assert_non_null(strstr(why, "converged"));
    check_near(x[0], 1, 1e-6);       /* order: the root of the tolerance of the value */
    check_near(x[1], 1000, 1e-3);    /* order */
    check_le(value, 1e-12);          /* order */
    d = def_of(valley, lower, half); /* the best of x <= 1/2 lies on the bound, with y = x^2 */
    assert_int_equal(ph_minimise(&d, y, &value, &why), PH_OK);
    check_near(y[0], 0.5, 1e-12);  /* round-off: bounds are met */
    check_near(y[1], 250, 1e-3);   /* order */
    check_near(value, 0.25, 1e-9); /* order */
    d.evaluations = 3, calls = 0;
    assert_int_equal(ph_minimise(&d, y, &value, &why), PH_OK);
    assert_true(calls <= 3);
}

static void failures(void **state)
{
    (void)state;
    const double lower[] = {-2, -1000}, upper[] = {2, 3000};
    double x[] = {-1.2, 1000}, value;
    const char *why;
    if (ph_minimise_missing())
        skip();
    ph_minimise_def d = def_of(refuse, lower, upper);
    assert_int_equal(ph_minimise(&d, x, &value, &why), PH_E_NEWTON);
    assert_true(x[0] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(optima), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
