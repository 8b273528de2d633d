/* Numbers as text: the same bits come back, no shorter text gives them, and no other of its length is nearer. */
#include "io/number.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "number_cases.h"

static void known_texts(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1, "-1"},
                 {10, "10"},
                 {0.1, "0.1"},
                 {0.3, "0.3"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {-2.5, "-2.5"},
                 {123456.789, "123456.789"},
                 {1e-4, "0.0001"},
                 {1.5e-4, "0.00015"},
                 {9.9e-5, "9.9e-05"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e+17"},
                 {1.25e100, "1.25e+100"},
                 {9007199254740991, "9007199254740991"},
                 {9007199254740992, "9007199254740992"},
                 {9007199254740994, "9007199254740994"},
                 {2e23, "2e+23"}, /* whose nearest double is a midpoint's neighbour */
                 {9.5e-323, "9.4e-323"},
                 {5e-324, "5e-324"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {2.2250738585072011e-308, "2.225073858507201e-308"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {DBL_EPSILON, "2.220446049250313e-16"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[PH_NUMBER_MAX + 1];
        text[ph_number_write(known[i].x, text)] = 0;
        assert_string_equal(text, known[i].text);
    }
}

/* exact */
static void round_trip_at_edges(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; e++) /* every power of two and its neighbours */
        for (int k = -2; k <= 2; k++) {
            double x = ldexp(1, e);
            for (int i = 0; i < abs(k); i++)
                x = nextafter(x, k < 0 ? 0 : INFINITY);
            check_number(x);
            check_number(-x);
        }
    for (int e = -323; e <= 308; e++) { /* every power of ten, times digits, and the neighbours */
        char text[32];
        for (int d = 1; d < 100; d++) {
            snprintf(text, sizeof text, "%de%d", d, e);
            double x = strtod(text, NULL);
            if (!isfinite(x))
                continue;
            check_number(x);
            check_number(nextafter(x, 0));
            check_number(nextafter(x, INFINITY));
        }
    }
    for (int i = 0; i < 5000; i++) { /* the smallest, the largest, and whole numbers that end at 2^53 */
        check_number(ldexp(i, -1074));
        check_number(DBL_MIN - ldexp(i, -1074));
        check_number(DBL_MAX - ldexp(i, 971));
        check_number(9007199254740992.0 - 2500 + i);
        check_number(i);
        check_number(i / 1000.0);
    }
}

static void round_trip_at_random(void **state)
{
    (void)state;
    check_numbers_at_random(300000);
}

/* ---- the table of powers, by arithmetic on digits of 32 bits ------------------------------------------------ */

#define LIMBS 80 /* 10^324 2^128 has 1205 bits; 2^(1208 + 128) / 10^292 */

static void multiply(uint32_t *a, uint32_t by)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)a[i] * by;
        a[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert_int_equal(carry, 0);
}

static void divide(uint32_t *a, uint32_t by) /* floor; floor(floor(a/b)/c) = floor(a/(b c)) */
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | a[i];
        a[i] = (uint32_t)(rest / by);
        rest %= by;
    }
}

static int bits_of(const uint32_t *a)
{
    for (int i = 32 * LIMBS - 1; i >= 0; i--)
        if (a[i / 32] >> i % 32 & 1)
            return i + 1;
    return 0;
}

/* The 64 bits below position top. */
static uint64_t cut(const uint32_t *a, int top)
{
    uint64_t x = 0;
    for (int i = top - 1; i >= top - 64; i--)
        x = x << 1 | (i >= 0 ? a[i / 32] >> i % 32 & 1 : 0);
    return x;
}

/* exact */
static void powers_are_right(void **state)
{
    (void)state;
    static const uint64_t table[][2] = {
#define PH_POWER(high, low) {high, low},
#include "io/powers.def"
#undef PH_POWER
    };
    assert_int_equal(sizeof table / sizeof *table, 617);
    for (int k = -292; k <= 324; k++) {
        uint32_t a[LIMBS] = {0};
        a[k < 0 ? 40 : 4] = 1; /* 2^1280, 2^128 */
        for (int i = 0; i < abs(k); i++)
            k < 0 ? divide(a, 10) : multiply(a, 10);
        int top = bits_of(a);
        uint64_t high = cut(a, top), low = cut(a, top - 64) + 1;
        assert_true(low != 0); /* no carry */
        assert_true(table[k + 292][0] == high && table[k + 292][1] == low);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_texts), cmocka_unit_test(powers_are_right),
                                       cmocka_unit_test(round_trip_at_edges),
                                       cmocka_unit_test(round_trip_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
