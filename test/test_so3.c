/* SO(3): its operations, the logarithm at every rotation, long products. (L6), (L7), (L8), (L9) */
#include "group_kit.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

/* Quaternions with every size of scalar and vector part: at pi, next to pi, both signs, both sides of 1e-17. (L10) */
static void log_everywhere(void **state)
{
    (void)state;
    const ph_group_ops *ops = ph_group_get(PH_SO3);
    const double scalars[] = {0,    -0.0,   5e-324,  1e-300,  1e-20, -1e-20, 1e-16, -1e-16,
                              1e-9, -1e-9,  1e-4,    -1e-4,   0.1,   -0.1,   0.7,   -0.7,
                              0.99, -0.999, 0.99999, -0.9999, 1,     -1};
    const double vectors[] = {1e-320, 1e-300,       1e-160,       1e-100, 1e-20,
                              1e-10,  3.1622776e-9, 3.1622777e-9, 1e-8,   1e-5};
    uint64_t seed = 5;
    double error = 0, beyond = 0;
    for (int i = 0; i < (int)(sizeof scalars / sizeof scalars[0]); i++)
        for (int k = 0; k < 12; k++) {
            double w = scalars[i];
            double v = fabs(w) < 1 ? sqrt((1 - w) * (1 + w)) : k < 10 ? vectors[k] : 0, x[3];
            ph_vec3 n = k == 11 ? ph_v3(0, -1, 0) : direction(&seed);
            const double q[4] = {w, v * n.x, v * n.y, v * n.z};
            quad ref[3];
            ops->log(0, q, x);
            q_qlog((quad_quat){q[0], {q[1], q[2], q[3]}}, ref);
            /* denormals have no relative accuracy */
            if (v == 0 || v >= 1e-300)
                q_worst(&error, q_error(x, ref, 3));
            q_worst(&beyond, norm2(x, 3) - PI);
        }
    check_le(error, 1e-14);  /* round-off */
    check_le(beyond, 1e-15); /* round-off: |w| <= pi to the last place */
}

/* The rotation by exactly pi about an axis, both ways round: the angle is the double nearest to pi. */
/* b = a exp(w) gives w back, also in the place of b. */
static void rotation_between(void **state)
{
    (void)state;
    const ph_group_ops *ops = ph_group_get(PH_SO3);
    const double x[3] = {0.83, -0.41, 1.27}, w[3] = {-0.62, 1.19, 0.35};
    double a[4], e[4], b[4];
    ops->exp(3, x, a);
    ops->exp(3, w, e);
    ops->compose(3, a, e, b);
    ph_rotation_between(a, b, b);
    for (int i = 0; i < 3; i++)
        check_near(b[i], w[i], 1e-15); /* round-off */
}

static void log_at_pi(void **state)
{
    (void)state;
    const double plus[4] = {0, 0, 1, 0}, minus[4] = {-0.0, 0, 1, 0}, expected[3] = {0, PI, 0};
    double x[3];
    ph_group_get(PH_SO3)->log(0, plus, x);
    check_le(max_diff(x, expected, 3), 0); /* exact */
    ph_group_get(PH_SO3)->log(0, minus, x);
    check_le(max_diff(x, expected, 3), 0); /* exact */
}

/* The norm correction (L11) keeps long products on the group. */
static void long_products(void **state)
{
    (void)state;
    const ph_group_ops *ops = ph_group_get(PH_SO3);
    uint64_t seed = 8;
    double q[4], m[4], e[16][4], x[16][3], T[9], Ti[9];
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 3; k++)
            x[i][k] = rnd(&seed);
        ops->exp(0, x[i], e[i]);
    }
    ops->identity(0, q), ops->identity(0, m);
    double worst = 0;
    for (int i = 0; i < 10000000; i++) {
        ops->compose(0, q, e[i % 16], q);
        if (i % 1000 == 0)
            q_worst(&worst, fabs(norm2(q, 4) - 1));
    }
    for (int i = 0; i < 1000000; i++)
        ops->move(0, m, x[i % 16], m, T, Ti);
    q_worst(&worst, fabs(norm2(m, 4) - 1));
    check_le(worst, 1e-15); /* invariant: the errors of one product, not of ten million */

    /* An error of the norm is squared, not kept. */
    double off[4] = {1 + 1e-6, 0, 0, 0};
    ops->compose(0, off, e[0], off);
    check_le(fabs(norm2(off, 4) - 1), 2e-12); /* invariant: (3/2) 1e-12 */
}

int main(void)
{
    ph_group group = PH_SO3;
    const struct CMUnitTest tests[] = {
        GROUP_TESTS(&group),
        cmocka_unit_test(log_everywhere),
        cmocka_unit_test(log_at_pi),
        cmocka_unit_test(rotation_between),
        cmocka_unit_test(long_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
