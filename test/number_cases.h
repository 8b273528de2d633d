/* What a number as text has to be, checked by the C library's own conversions. */
#ifndef NUMBER_CASES_H
#define NUMBER_CASES_H

#include "io/number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

/* Digits of a text, without zeros at either end: "-0.00125" has "125". */
static int digits_of(const char *text, char *digits)
{
    int n = 0, last = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n || *text != '0')) {
            digits[n++] = *text;
            if (*text != '0')
                last = n;
        }
    digits[last] = 0;
    return last;
}

static void check_number(double x)
{
    char text[PH_NUMBER_MAX + 1], other[64], mine[32], theirs[64];
    int length = ph_number_write(x, text);
    assert_true(length > 0 && length < PH_NUMBER_MAX);
    text[length] = 0;
    if (!same_bits(strtod(text, NULL), x))
        fail_msg("%.17g becomes %s", x, text);
    int n = digits_of(text, mine);
    if (n == 0) /* zero */
        return;
    /* the nearest of n digits is ours, unless it is read back as another: below a power of two there is less room */
    snprintf(other, sizeof other, "%.*e", n - 1, x);
    digits_of(other, theirs);
    if (strcmp(mine, theirs) != 0 && same_bits(strtod(other, NULL), x))
        fail_msg("%.17g becomes %s, but %s is nearer", x, text, other);
    /* neither the nearest of n - 1 digits nor, at a power of two, the one above it will do */
    if (n == 1)
        return;
    snprintf(other, sizeof other, "%.*e", n - 2, x);
    if (same_bits(strtod(other, NULL), x))
        fail_msg("%.17g becomes %s, but %s is shorter", x, text, other);
    int e;
    if (fabs(frexp(x, &e)) != 0.5)
        return;
    double unit = pow(10, atoi(strchr(other, 'e') + 1) - (n - 2)),
           above = strtod(other, NULL) + copysign(unit, x);
    snprintf(other, sizeof other, "%.*e", n - 2, above);
    if (same_bits(strtod(other, NULL), x))
        fail_msg("%.17g becomes %s, but %s is shorter", x, text, other);
}

static uint64_t next_bits(uint64_t *s) /* xorshift64* */
{
    *s ^= *s >> 12, *s ^= *s << 25, *s ^= *s >> 27;
    return *s * 0x2545f4914f6cdd1d;
}

/* n of any bits, n of [1, 2) and n of few decimal digits. */
static void check_numbers_at_random(int n)
{
    uint64_t s = 88172645463325252;
    for (int i = 0; i < n; i++) {
        uint64_t bits = next_bits(&s);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            check_number(x);
        check_number(1 + ldexp((double)(next_bits(&s) >> 12), -52));
        check_number((double)(int64_t)(next_bits(&s) >> (24 + next_bits(&s) % 40)) /
                     pow(10, (double)(next_bits(&s) % 12)));
    }
}

#endif
