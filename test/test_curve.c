/* Curves: polynomials that they reproduce, derivatives, shapes, and what lies outside. */
#include "check.h"

#include "base/curve.h"

#define N 7

static const double xs[N] = {-1.3, -0.7, 0.1, 0.4, 1.9, 2.2, 3.7};

typedef struct made {
    double y[N], slope[N], work[4 * N];
    ph_curve c;
} made;

static void make(made *m, ph_curve_kind kind, ph_curve_outside outside, int n, const double *y)
{
    memcpy(m->y, y, sizeof *y * (size_t)n);
    m->c = (ph_curve){kind, outside, n, xs, m->y, NULL};
    if (kind == PH_CURVE_LINEAR)
        return;
    ph_curve_slopes(&m->c, m->slope, m->work);
    m->c.slope = m->slope;
}

/* A cubic through points of a cubic is that cubic: (Y2) and its ends. (Y1) */
static void reproduces(void **state)
{
    (void)state;
    for (int n = 2; n <= N; n++) {
        int degree = n - 1 < 3 ? n - 1 : 3;
        double a[4] = {0.7, -1.1, degree > 1 ? 0.9 : 0, degree > 2 ? -0.6 : 0}, y[N];
        for (int i = 0; i < n; i++)
            y[i] = a[0] + xs[i] * (a[1] + xs[i] * (a[2] + xs[i] * a[3]));
        made m;
        make(&m, PH_CURVE_CUBIC, PH_CURVE_ERROR, n, y);
        for (int k = 0; k <= 20; k++) {
            double x = fmin(xs[n - 1], xs[0] + (xs[n - 1] - xs[0]) * k / 20), out[3];
            assert_int_equal(ph_curve_at(&m.c, x, out), 1);
            double right[3] = {a[0] + x * (a[1] + x * (a[2] + x * a[3])),
                               a[1] + x * (2 * a[2] + 3 * x * a[3]), 2 * a[2] + 6 * x * a[3]};
            check_le(max_diff(out, right, 3), 2e-13); /* round-off */
        }
    }
}

static const double wild[N] = {0.3, 1.7, 1.6, 1.6, -0.4, 0.2, 0.3};

/* Value, slope and curvature belong together, in every kind and everywhere. */
static void derivatives(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int outside = 0; outside < 3; outside++) {
            made m;
            make(&m, (ph_curve_kind)kind, (ph_curve_outside)outside, N, wild);
            for (int k = 0; k < 37; k++) {
                double x = -6.01 + 0.417 * k, e = 1e-6, out[3], plus[3], minus[3];
                ph_curve_at(&m.c, x, out), ph_curve_at(&m.c, x + e, plus), ph_curve_at(&m.c, x - e, minus);
                check_le(fabs((plus[0] - minus[0]) / (2 * e) - out[1]), 1e-8); /* derivative */
                check_le(fabs((plus[1] - minus[1]) / (2 * e) - out[2]), 1e-7); /* derivative */
            }
        }
}

/* Cubic: two continuous derivatives, over the ends of a period too; monotone: one. */
static void smooth(void **state)
{
    (void)state;
    for (int kind = 1; kind < 3; kind++)
        for (int n = 3; n <= N; n++) {
            double y[N];
            memcpy(y, wild, sizeof y);
            y[n - 1] = y[0];
            made m;
            make(&m, (ph_curve_kind)kind, PH_CURVE_PERIODIC, n, y);
            for (int i = 0; i < n; i++) {
                double e = 1e-9, before[3], after[3];
                ph_curve_at(&m.c, xs[i] - e, before), ph_curve_at(&m.c, xs[i] + e, after);
                check_le(max_diff(before, after, kind == PH_CURVE_CUBIC ? 3 : 2), 1e-6); /* e times y''' */
                check_le(fabs(before[0] - y[i]), 1e-7);
            }
        }
}

/* (Y3) */
static void monotone(void **state)
{
    (void)state;
    made m;
    make(&m, PH_CURVE_MONOTONE, PH_CURVE_HOLD, N, wild);
    for (int i = 0; i + 1 < N; i++)
        for (int k = 0; k <= 50; k++) {
            double out[3], low = fmin(wild[i], wild[i + 1]), high = fmax(wild[i], wild[i + 1]);
            ph_curve_at(&m.c, xs[i] + (xs[i + 1] - xs[i]) * k / 50, out);
            check_le(low - out[0], 1e-15), check_le(out[0] - high, 1e-15); /* round-off */
        }
}

static void outside(void **state)
{
    (void)state;
    made m;
    double out[3], near[3];
    make(&m, PH_CURVE_LINEAR, PH_CURVE_HOLD, N, wild);
    ph_curve_at(&m.c, 99, out);
    assert_true(out[0] == wild[N - 1] && out[1] == 0 && out[2] == 0);
    make(&m, PH_CURVE_LINEAR, PH_CURVE_ON, N, wild);
    ph_curve_at(&m.c, xs[0] - 2, out);
    check_le(fabs(out[0] - (wild[0] - 2 * (wild[1] - wild[0]) / (xs[1] - xs[0]))), 1e-14); /* round-off */
    make(&m, PH_CURVE_CUBIC, PH_CURVE_PERIODIC, N, wild);
    ph_curve_at(&m.c, 0.77 - 3 * (xs[N - 1] - xs[0]), out), ph_curve_at(&m.c, 0.77, near);
    check_le(max_diff(out, near, 3), 1e-13); /* round-off */
    make(&m, PH_CURVE_CUBIC, PH_CURVE_ERROR, N, wild);
    assert_int_equal(ph_curve_at(&m.c, 3.8, out), 0);
    assert_true(isnan(out[0]));
    assert_int_equal(ph_curve_at(&m.c, NAN, out), 0);
}

/* Two points make a line or, with a period, a constant. */
static void two_points(void **state)
{
    (void)state;
    made m;
    double out[3], flat[2] = {3, 3};
    make(&m, PH_CURVE_MONOTONE, PH_CURVE_ON, 2, wild);
    ph_curve_at(&m.c, -1, out);
    double slope = (wild[1] - wild[0]) / (xs[1] - xs[0]);
    check_le(fabs(out[0] - (wild[0] + slope * (-1 - xs[0]))), 1e-15); /* round-off */
    check_le(fabs(out[1] - slope), 1e-14);                            /* round-off */
    make(&m, PH_CURVE_CUBIC, PH_CURVE_PERIODIC, 2, flat);
    ph_curve_at(&m.c, 5, out);
    assert_true(out[0] == 3 && out[1] == 0 && out[2] == 0); /* exact */
}

/* The number of a piece changes where a derivative jumps, and nowhere else. */
static void pieces(void **state)
{
    (void)state;
    made m;
    make(&m, PH_CURVE_LINEAR, PH_CURVE_HOLD, N, wild);
    for (int i = 0; i < N; i++)
        assert_true(ph_curve_piece(&m.c, xs[i] + 1e-9) == ph_curve_piece(&m.c, xs[i] - 1e-9) + 1);
    make(&m, PH_CURVE_CUBIC, PH_CURVE_HOLD, N, wild);
    const double at[] = {-9, 0, 9};
    for (int i = 0; i < 3; i++)
        assert_true(ph_curve_piece(&m.c, at[i]) == i);
    make(&m, PH_CURVE_CUBIC, PH_CURVE_ON, N, wild);
    assert_true(ph_curve_piece(&m.c, -9) == ph_curve_piece(&m.c, 9));
}

/* Points too near each other, and those that do not rise: the first interval where that is so. */
static void steep(void **state)
{
    (void)state;
    double x[] = {0, 1, 1 + 1e-12, 2}, y[] = {0, 1, 2, 1e90}, slope[4], work[16];
    ph_curve c = {PH_CURVE_LINEAR, PH_CURVE_HOLD, 4, x, y, NULL};
    assert_int_equal(ph_curve_steep(&c), -1);
    x[1] = 5e-324, y[1] = 1;
    assert_int_equal(ph_curve_steep(&c), 0);
    x[1] = 1, x[2] = 1;
    assert_int_equal(ph_curve_steep(&c), 1);
    x[2] = 1 + 1e-12, x[3] = 1.5, y[3] = NAN;
    assert_int_equal(ph_curve_steep(&c), 2);
    y[0] = 0, y[1] = 1e80, y[2] = 3, y[3] = 4, x[2] = 1 + 1e-15;
    assert_int_equal(ph_curve_steep(&c), -1);
    c.kind = PH_CURVE_MONOTONE, c.slope = slope;
    ph_curve_slopes(&c, slope, work);
    assert_int_equal(ph_curve_steep(&c), 1); /* its curvature is 1e80/1e-30 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reproduces), cmocka_unit_test(derivatives), cmocka_unit_test(smooth),
        cmocka_unit_test(monotone),   cmocka_unit_test(outside),     cmocka_unit_test(two_points),
        cmocka_unit_test(pieces),     cmocka_unit_test(steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
