/* Differences whose steps find themselves: functions of any scale, and none that is far worse than it says. */
#include "check.h"

#include "base/quotient.h"

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
    ph_quotient best = PH_QUOTIENT_NONE;
    double e = 0x1p-9;
    for (*tries = 1; *tries <= PH_QUOTIENT_TRIES; ++*tries, e /= 8) {
        double at[] = {f(x - 2 * e, scale), f(x - e, scale), f(x + e, scale), f(x + 2 * e, scale)};
        if (ph_quotient_try(&best, at, e))
            break;
    }
    return best.value;
}

/* (W11) */
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

/* What cancellation leaves of 0: no chance makes a derivative of it. */
static void noise(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 1000; n++) {
        ph_quotient best = PH_QUOTIENT_NONE;
        double e = 0x1p-9;
        for (int tries = 1; tries <= PH_QUOTIENT_TRIES; tries++, e /= 8) {
            double at[4];
            for (int k = 0; k < 4; k++)
                at[k] = n % 2 ? 1e-13 * rnd(&seed)
                              : 0x1p-45 * round(2 * rnd(&seed)); /* units in the last place */
            if (ph_quotient_try(&best, at, e))
                break;
        }
        /* round-off: 5e-11 at the first step; 2e-4 at the last, which chance alone would take */
        check_le(fabs(best.value), 1e-6);
    }
}

/* A kink beside the point. (A weak one, of less than 1e-4 of the slope, or one that is nearer, looks like a smooth function.) */
static double bent(double x, double scale)
{
    return 3 * x + scale * fmax(0, x - 1);
}

static void kinks(void **state)
{
    (void)state;
    int tries;
    for (double strength = 0.1; strength < 20; strength *= 3)
        for (double away = 1e-4; away < 0.1; away *= 1.3)
            check_near(derive(bent, 1 - away, strength, &tries), 3, 1e-9); /* derivative: round-off of 1/e */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_scales), cmocka_unit_test(cheap),
                                       cmocka_unit_test(noise), cmocka_unit_test(kinks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
