/* Differences whose steps find themselves: functions of any scale, and none that is far worse than it says. */
#include "check.h"

#include "base/slope.h"

typedef double (*function)(double x, double scale);

static double power(double x, double scale)
{
    return pow(x / scale, 3) + 2 * x / scale;
}

static double wave(double x, double scale)
{
    return sin(x / scale);
}

static double root(double x, double scale)
{
    return sqrt(x * x + scale * scale);
}

static double derive(function f, double x, double scale, int *tries)
{
    ph_slope best = {0, HUGE_VAL};
    double e = 0x1p-9;
    for (*tries = 1; *tries <= PH_SLOPE_TRIES; ++*tries, e /= 8) {
        double at[] = {f(x - 2 * e, scale), f(x - e, scale), f(x + e, scale), f(x + 2 * e, scale)};
        if (ph_slope_try(&best, at, e))
            break;
    }
    return best.value;
}

static void all_scales(void **state)
{
    (void)state;
    int tries;
    for (double scale = 10; scale > 1e-5; scale /= 10)
        for (double part = 0.3; part < 2; part += 0.7) {
            double x = part * scale;
            /* derivative: 1e-11 of cutting, and round-off over the smallest step that is needed */
            check_near(scale * derive(power, x, scale, &tries), 3 * part * part + 2, 1e-8);
            check_near(scale * derive(wave, x, scale, &tries), cos(part), 1e-8);
            check_near(derive(root, x, scale, &tries), part / sqrt(part * part + 1), 1e-8);
        }
}

/* The first step does for what is smooth at the scale of 1. */
static void cheap(void **state)
{
    (void)state;
    int tries;
    check_near(derive(wave, 0.4, 1, &tries), cos(0.4), 1e-11); /* derivative */
    assert_int_equal(tries, 1);
    check_near(derive(power, 0, 1, &tries), 2, 1e-11); /* derivative */
    assert_int_equal(tries, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_scales), cmocka_unit_test(cheap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
