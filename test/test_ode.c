/* The extrapolation code of the references, against solutions in closed form. */
#include "check.h"
#include "problem/ode.h"

#include <float.h>

/* y = (sin wt, cos wt, exp(sin t)) */
static void waves(long double t, const long double *y, long double *dy, const void *ctx)
{
    long double w = *(const long double *)ctx;
    dy[0] = w * y[1];
    dy[1] = -w * y[0];
    dy[2] = cosl(t) * y[2];
}

static const long double w = 7.25L;

static ph_ode start(void)
{
    ph_ode o = {.n = 3, .f = waves, .ctx = &w, .y0 = {0, 1, 1}, .size = {1, 1, 1}};
    ph_ode_start(&o, 0.3L);
    return o;
}

static double error(const ph_ode *o)
{
    long double t = o->t, a = fabsl(o->y[0] - sinl(w * t)), b = fabsl(o->y[1] - cosl(w * t));
    return (double)(a + b + fabsl(o->y[2] - expl(sinl(t))));
}

static void reaches_its_tolerance(void **state)
{
    (void)state;
    ph_ode o = start();
    const double t[] = {1e-9, 0.1, 0.10001, 3, 3.5, 20};
    for (int i = 0; i < 6; i++) {
        assert_true(ph_ode_move(&o, t[i]));
        assert_true(o.t == t[i]);
        /* round-off: 100 units for each of the steps, of 0.3 or so, and the rounding of wt */
        check_le(error(&o) / (double)LDBL_EPSILON, 300 * (1 + t[i] / 0.3));
    }
}

static void goes_back(void **state)
{
    (void)state;
    ph_ode o = start();
    assert_true(ph_ode_move(&o, 5));
    assert_true(ph_ode_move(&o, 2));
    assert_true(o.t == 2);
    check_le(error(&o) / (double)LDBL_EPSILON, 300 * (1 + 2 / 0.3)); /* round-off, as above */
    long double y = o.y[0];
    assert_true(ph_ode_move(&o, 2));
    assert_true(o.y[0] == y); /* exact: it is there already */
}

static void forgets_where_it_was(void **state)
{
    (void)state;
    static const double way[] = {0.31, 3, 0.02, 1.99, 7.3, 2};
    ph_ode direct = start(), o = start();
    assert_true(ph_ode_move(&direct, 2));
    for (int i = 0; i < 6; i++)
        assert_true(ph_ode_move(&o, way[i]));
    for (int i = 0; i < 3; i++)
        assert_true(o.y[i] == direct.y[i]); /* exact */
}

static void not_finite(long double t, const long double *y, long double *dy, const void *ctx)
{
    (void)y, (void)ctx;
    dy[0] = t > 0.5L ? NAN : 1;
}

static void says_when_it_fails(void **state)
{
    (void)state;
    ph_ode o = {.n = 1, .f = not_finite, .size = {1}};
    ph_ode_start(&o, 0.1L);
    assert_true(ph_ode_move(&o, 0.4L));
    assert_false(ph_ode_move(&o, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_its_tolerance),
        cmocka_unit_test(goes_back),
        cmocka_unit_test(forgets_where_it_was),
        cmocka_unit_test(says_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
