/* Observed orders of errors that are known. */
#include "study/observed_order.h"
#include "check.h"

static ph_order_row row(double h, double C, double p, double r)
{
    return (ph_order_row){h, C * (pow(h, p) - (r > 0 ? pow(r, p) : 0)), r};
}

/* round-off: logarithms of numbers around 1e-8 */
static void test_exact(void **unused)
{
    (void)unused;
    static const double orders[] = {0.5, 1, 2, 3.7, 6};
    for (int i = 0; i < 5; i++) {
        ph_order_row rows[4];
        double C;
        for (int k = 0; k < 4; k++)
            rows[k] = row(0.013 / (k + 1), 77.7, orders[i], 0);
        check_near(ph_order_of_two(rows[0], rows[1]), orders[i], 1e-12);
        check_near(ph_order_of_two(rows[3], rows[1]), orders[i], 1e-12);
        check_near(ph_order_fit(4, rows, orders[i], &C), orders[i], 1e-12);
        check_near(C / 77.7, 1, 1e-10);
    }
}

/* Against finer runs of the same method: the plain formula is 0.07 off for p = 2 and r = h/4; ours is not. */
static void test_finest(void **unused)
{
    (void)unused;
    static const double orders[] = {0.5, 1, 2, 3.7, 6};
    for (int i = 0; i < 5; i++) {
        ph_order_row rows[3];
        double C, p = orders[i];
        for (int k = 0; k < 3; k++)
            rows[k] = row(0.02 / (1 << k), 5.5, p, 0.02 / 16);
        rows[0].r = 0.0011, rows[0].e = row(0.02, 5.5, p, 0.0011).e; /* another reference */
        check_near(ph_order_of_two(rows[1], rows[2]), p, 1e-11);
        check_near(ph_order_of_two(rows[2], rows[0]), p, 1e-11);
        check_near(ph_order_true_error(rows[2], p) / (5.5 * pow(rows[2].h, p)), 1, 1e-12);
        check_near(ph_order_fit(3, rows, p, &C), p, 1e-11);
        check_near(C / 5.5, 1, 1e-9);
    }
    ph_order_row a = row(0.01, 1, 2, 0.00125), b = row(0.005, 1, 2, 0.00125);
    assert_true(fabs(log(a.e / b.e) / log(2) - 2) > 0.06);
    /* errors that stay the same are explained by no positive order: the plain formula says 0 */
    b.e = a.e;
    check_near(ph_order_of_two(a, b), 0, 0);
}

static void test_nothing(void **unused)
{
    (void)unused;
    ph_order_row good = {0.1, 1e-3, 0},
                 bad[] = {{0.05, NAN, 0}, {0.05, 0, 0},       {0.05, HUGE_VAL, 0}, {0.1, 1e-4, 0},
                          {0, 1e-4, 0},   {0.05, 1e-4, 0.05}, {0.05, 1e-4, 1}};
    double C;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(isnan(ph_order_of_two(good, bad[i])));
        ph_order_row two[] = {good, bad[i]};
        assert_true(isnan(ph_order_fit(2, two, 2, &C)));
    }
    /* a reference for one of two rows alone, and more than any order explains: the plain formula, whichever is first */
    ph_order_row a = row(0.01, 1, 2, 0), b = row(0.005, 1, 2, 0.00125);
    for (int k = 0; k < 2; k++, b.e = 1e-200) {
        check_near(ph_order_of_two(a, b), log(a.e / b.e) / log(2), 1e-9);
        check_near(ph_order_of_two(b, a), log(a.e / b.e) / log(2), 1e-9);
    }
    /* a row that failed does not spoil the fit of the others */
    ph_order_row three[] = {good, bad[0], {0.05, 2.5e-4, 0}};
    check_near(ph_order_fit(3, three, 2, &C), 2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_finest),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
