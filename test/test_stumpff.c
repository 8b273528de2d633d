/* Coefficients of rotation operators against their series in quad precision. */
#include "check.h"
#include "base/stumpff.h"
#include "quad.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

/* c_k(s) by its series (L3) */
static quad series(int k, quad s)
{
    quad term = 1, sum = 0;
    for (int i = 2; i <= k; i++)
        term /= i;
    for (int j = 0; j < Q_TERMS; j++) {
        sum += term;
        term *= -s / ((2 * j + k + 1) * (2 * j + k + 2));
    }
    return sum;
}

/* All of ph_stumpff by (L3): d is (c3 - 2 c4)/(2 c2) = N/(2 c2), and d, d1 are differentiated as quotients:
 * with X = 2 dx/ds: dN = N1, dc2 = b2, dN1 = N2. */
static void reference(quad s, quad *r)
{
    quad c[12];
    for (int k = 0; k < 12; k++)
        c[k] = series(k, s);
    quad dc[10], ddc[8];
    for (int k = 0; k < 10; k++)
        dc[k] = k * c[k + 2] - c[k + 1];
    for (int k = 0; k < 8; k++)
        ddc[k] = k * dc[k + 2] - dc[k + 1];
    quad N = c[3] - 2 * c[4], N1 = dc[3] - 2 * dc[4], N2 = ddc[3] - 2 * ddc[4];
    quad M = 2 * c[2], M1 = 2 * dc[2], M2 = 2 * ddc[2];
    r[0] = s, r[1] = series(0, s / 4), r[2] = series(1, s / 4);
    r[3] = c[1], r[4] = c[2], r[5] = c[3], r[6] = dc[2], r[7] = dc[3], r[8] = ddc[2], r[9] = ddc[3];
    r[10] = c[1] / M, r[11] = N / M, r[12] = (N1 * M - N * M1) / (M * M);
    r[13] = (N2 * M - N * M2) / (M * M) - 2 * M1 * (N1 * M - N * M1) / (M * M * M);
}

static const char *const names[14] = {"s",  "C",  "S",  "c1", "c2", "c3", "b2",
                                      "b3", "h2", "h3", "e",  "d",  "d1", "d2"};

/* A coefficient stands before a product of so many components of w. */
static const int weight[14] = {0, 0, 1, 0, 1, 2, 2, 3, 3, 4, 0, 2, 4, 6};

/* Errors relative to max(|x|, p^-weight) for those that change sign (C, c1, b2, b3, h2, h3), else to |x|. */
static void errors_at(ph_vec3 w, double *worst)
{
    const int sign_change[14] = {0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0};
    ph_stumpff a = ph_stumpff_of(w);
    const double v[14] = {a.s, a.C, a.S, a.c1, a.c2, a.c3, a.b2, a.b3, a.h2, a.h3, a.e, a.d, a.d1, a.d2};
    quad s = (quad)w.x * w.x + (quad)w.y * w.y + (quad)w.z * w.z, r[14];
    reference(s, r);
    for (int i = 0; i < 14; i++) {
        double size = fabs((double)r[i]), p = sqrt((double)s);
        if (sign_change[i])
            size = fmax(size, p <= 1 ? 0 : pow(p, -weight[i]));
        double e = fabs((double)(v[i] - r[i]));
        q_worst(worst + i, e == 0 ? 0 : e / size);
    }
}

static ph_vec3 direction(uint64_t *seed)
{
    ph_vec3 n = ph_v3(rnd(seed), rnd(seed), rnd(seed));
    return ph_scale(1 / ph_norm(n), n);
}

static void sweep(double from, double to, int count, double *worst)
{
    uint64_t seed = 20240811;
    for (int i = 0; i < count; i++) {
        double p = from * pow(to / from, (i + 0.5) / count);
        errors_at(ph_scale(p, direction(&seed)), worst);
    }
}

static void check_all(const double *worst, const double *tol)
{
    for (int i = 0; i < 14; i++)
        check_at(worst[i], tol[i], names[i], __FILE__, __LINE__);
}

/* round-off: bounds in units of 1.1e-16 are a few for the values, more for the second derivatives (L4) */
static void test_small(void **state)
{
    (void)state;
    double worst[14] = {0};
    sweep(1e-20, 1e-2, 200, worst);
    sweep(1e-2, 1.999, 600, worst);
    const double tol[14] = {1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 2e-15,
                            3e-15, 1e-14, 1e-14, 1e-15, 1e-15, 5e-15, 1e-14};
    check_all(worst, tol);
}

/* (L5) */
static void test_large(void **state)
{
    (void)state;
    double worst[14] = {0};
    sweep(2.001, 6.283185307179586 - 1e-3, 1000, worst);
    for (int i = 0; i < 200; i++) /* towards the pole of e */
        sweep(6.283185307179586 - 1e-3 * (1 + i), 6.283185307179586 - 1e-3 * (1 + i), 1, worst);
    sweep(6.2842, 8.2, 300, worst);
    /* round-off: 1 - e, 1/4 - 3 d and 2 d^2 - 5 d1 each lose up to a digit at s = 4 */
    const double tol[14] = {1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 2e-15,
                            3e-15, 1e-14, 1e-14, 1e-15, 2e-15, 2e-14, 2e-13};
    check_all(worst, tol);
}

/* Both sides of s = 4, p = 4 and p = 8, to the neighbouring doubles. */
static void test_branch_points(void **state)
{
    (void)state;
    const double p[3] = {2, 4, 8};
    double worst[14] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = -3; k <= 3; k++) {
            errors_at(ph_v3(p[i] * (1 + k * 2.220446049250313e-16), 0, 0), worst);
            errors_at(ph_scale(p[i] * (1 + k * 1e-15) / 3, ph_v3(2, -1, 2)), worst);
        }
    /* round-off, as above */
    const double tol[14] = {1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 2e-15,
                            3e-15, 1e-14, 1e-14, 1e-15, 2e-15, 2e-14, 2e-13};
    check_all(worst, tol);
}

/* At 0 and where s underflows: the first terms, exact. */
static void test_zero(void **state)
{
    (void)state;
    const double p[4] = {0, 5e-324, 1e-300, 1e-170};
    for (int i = 0; i < 4; i++) {
        ph_stumpff a = ph_stumpff_of(ph_v3(0, p[i], 0));
        const double v[6] = {a.C, a.S, a.c1, a.c2, a.c3, a.d}, r[6] = {1, 1, 1, 0.5, 1 / 6.0, 1 / 12.0};
        check_le(max_diff(v, r, 6), 3e-17); /* round-off: the last place of 1/6 and 1/12 */
    }
}

static void test_not_a_number(void **state)
{
    (void)state;
    ph_stumpff a = ph_stumpff_of(ph_v3(0, NAN, 0));
    assert_true(isnan(a.C) && isnan(a.S) && isnan(a.c3) && isnan(a.d) && isnan(a.d2)); /* exact */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),         cmocka_unit_test(test_large),
        cmocka_unit_test(test_branch_points), cmocka_unit_test(test_zero),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
