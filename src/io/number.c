/* The shortest decimal number that a double is read back from.
 *
 * x = c 2^q. Numbers between its neighbours' midpoints round to x; of these, one with the fewest digits is sought that is nearest to x.
 * With the largest k for which 10^k does not exceed the distance of the midpoints, multiples of 10^(k+1) have at most one
 * there, multiples of 10^k at least one, so these two are all that is looked at:
 *
 *   s = floor(x 10^-k),  candidates  s and s + 1  times 10^k,  floor(s/10) and floor(s/10) + 1  times 10^(k+1)
 *
 * Comparisons are made with 4 x 10^-k and those of the midpoints, (4c -+ 2) 2^q 10^-k, cut off to whole numbers whose last
 * bit tells that something was cut off (rounding to odd). 10^-k comes from a table of 128 bits, which is enough for
 * every double: R. Giulietti, The Schubfach way to render doubles, 2020. */
#include "io/number.h"

#include <stdint.h>
#include <string.h>

typedef struct decimal {
    uint64_t digits; /* at most 17 of them */
    int exponent;    /* of 10 */
} decimal;

static const struct {
    uint64_t high, low;
} powers[] = {
#define PH_POWER(high, low) {high, low},
#include "io/powers.def"
#undef PH_POWER
};

#define POWER_FIRST (-292)

/* floor(log10 2^e), of 3/4 2^e, and floor(log2 10^e), for all exponents that occur. */
static int log10_of_2(int e)
{
    return (e * 1262611) >> 22;
}

static int log10_of_3_4(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int log2_of_10(int e)
{
    return (e * 1741647) >> 19;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
#error "a compiler with integers of 128 bits is needed"
#endif

/* c 10^k/2^128 of the table, rounded to odd. */
static uint64_t scaled(int k, uint64_t c)
{
    wide low = (wide)powers[k - POWER_FIRST].low * c, high = (wide)powers[k - POWER_FIRST].high * c;
    high += low >> 64;
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static decimal shortest(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | (uint64_t)1 << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    int uneven = fraction == 0 && biased > 1; /* the next lower one is half as far */
    int k = uneven ? log10_of_3_4(q) : log10_of_2(q), shift = q + log2_of_10(-k) + 1;
    uint64_t odd = c & 1; /* midpoints themselves round to even */
    uint64_t lower = scaled(-k, (4 * c - 2 + (uint64_t)uneven) << shift) + odd;
    uint64_t x4 = scaled(-k, 4 * c << shift), upper = scaled(-k, (4 * c + 2) << shift) - odd;
    uint64_t s = x4 / 4, t = s / 10;
    if (s >= 10) {
        int under = lower <= 40 * t, over = 40 * t + 40 <= upper;
        if (under != over)
            return (decimal){t + (uint64_t)over, k + 1};
    }
    int under = lower <= 4 * s, over = 4 * s + 4 <= upper;
    if (under != over)
        return (decimal){s + (uint64_t)over, k};
    int up = x4 > 4 * s + 2 || (x4 == 4 * s + 2 && (s & 1));
    return (decimal){s + (uint64_t)up, k};
}

/* Digits without zeros at their end, to the end of a buffer; returns how many. */
static int write_digits(uint64_t digits, char *end)
{
    char *at = end;
    for (; digits; digits /= 10)
        *--at = (char)('0' + digits % 10);
    return (int)(end - at);
}

static decimal without_zeros(decimal d)
{
    for (; d.digits % 10000 == 0; d.exponent += 4)
        d.digits /= 10000;
    for (; d.digits % 10 == 0; d.exponent++)
        d.digits /= 10;
    return d;
}

/* "1.25e-07" */
static char *with_exponent(char *at, const char *digits, int n, int e)
{
    unsigned size = e < 0 ? (unsigned)-e : (unsigned)e;
    *at++ = digits[0];
    if (n > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)n - 1);
        at += n - 1;
    }
    *at++ = 'e', *at++ = e < 0 ? '-' : '+';
    if (size >= 100)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10), *at++ = (char)('0' + size % 10);
    return at;
}

/* "0.00125", "1.25", "12500"; e: exponent of the first digit */
static char *plain(char *at, const char *digits, int n, int e)
{
    int before = e + 1, zeros = before > n ? before - n : 0;
    if (before <= 0) {
        memcpy(at, "0.000", (size_t)(2 - before));
        at += 2 - before, before = 0;
    }
    int whole = before < n ? before : n;
    memcpy(at, digits, (size_t)whole);
    at += whole;
    memset(at, '0', (size_t)zeros);
    at += zeros;
    if (whole > 0 && whole < n)
        *at++ = '.';
    memcpy(at, digits + whole, (size_t)(n - whole));
    return at + (n - whole);
}

int ph_number_write(double x, char text[PH_NUMBER_MAX])
{
    uint64_t bits, fraction;
    char digits[20], *at = text;
    memcpy(&bits, &x, sizeof bits);
    fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52 & 2047);
    if (biased == 2047 && fraction)
        return memcpy(text, "nan", 3), 3;
    if (bits >> 63)
        *at++ = '-';
    if (biased == 2047)
        return memcpy(at, "inf", 3), (int)(at - text) + 3;
    if (biased == 0 && fraction == 0)
        return *at = '0', (int)(at - text) + 1;
    decimal d = without_zeros(shortest(fraction, biased));
    int n = write_digits(d.digits, digits + sizeof digits), e = d.exponent + n - 1;
    const char *first = digits + sizeof digits - n;
    at = e >= -4 && e < 17 ? plain(at, first, n, e) : with_exponent(at, first, n, e);
    return (int)(at - text);
}
