/* Numeric checks on top of cmocka. Every tolerance names its class in a comment at the call.
 * PH_TOL_SCALE in the environment scales every tolerance; 0 prints the errors really reached. */
#ifndef PH_TEST_CHECK_H
#define PH_TEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline double tol_scale(void)
{
    const char *s = getenv("PH_TOL_SCALE");
    return s ? atof(s) : 1;
}

/* error <= tol, where NaN is a failure */
static inline void check_at(double error, double tol, const char *what, const char *file, int line)
{
    double scale = tol_scale();
    if (scale == 0) {
        printf("%s:%d: %s: %.3e of %.1e\n", file, line, what, error, tol);
        return;
    }
    if (!(error <= tol * scale)) {
        print_error("%s:%d: %s = %.6e exceeds %.3e\n", file, line, what, error, tol * scale);
        _fail(file, line);
    }
}

/* Convergence studies: many steps of code that other tests run as well, for the sake of the numbers alone. They
 * are left out where every access is watched, as is PH_CLAIMS=quick. */
static inline int is_quick(void)
{
    const char *claims = getenv("PH_CLAIMS");
    return claims && !strcmp(claims, "quick");
}

static inline void numbers_alone(void)
{
    if (is_quick())
        skip();
}

#define check_le(error, tol)  check_at((error), (tol), #error, __FILE__, __LINE__)
#define check_near(a, b, tol) check_at(fabs((a) - (b)), (tol), #a " - " #b, __FILE__, __LINE__)

/* largest |a - b|, NaN if any is NaN */
static inline double max_diff(const double *a, const double *b, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        if (!(d <= m))
            m = d;
        if (isnan(d))
            return d;
    }
    return m;
}

static inline double norm2(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * a[i];
    return sqrt(s);
}

/* A small reproducible generator: uniform in [-1, 1). */
static inline double rnd(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11 << 11) / 9223372036854775808.0;
}

#endif
