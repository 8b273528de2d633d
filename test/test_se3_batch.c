/* Four nodes of SE(3) at once: the bits of each are those of the group's own operations, whatever the others do. */
#include "check.h"

#include "la/small.h"
#include "lie/se3_batch.h"
#include "polhode/lie.h"

enum { NODES = 4, SETS = 400, Q = 11, V = 9 };

static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* Angles of all sizes side by side: tiny, small, on both sides of 2, near the pole at 2 pi, not a number. */
static void fill(uint64_t *seed, int set, double *q, double *x, double *u)
{
    static const double angle[] = {1e-170, 1e-9, 0.1, 1.3, 1.9999999, 2.0000001, 3.14, 6.2831853, 9, 0};
    for (int i = 0; i < NODES; i++) {
        double *w = x + V * i + 3, p = angle[(set + 3 * i) % 10], n = 0, m = 0;
        for (int k = 0; k < 7; k++)
            q[Q * i + k] = next(seed), n += k < 3 ? 0 : q[Q * i + k] * q[Q * i + k];
        for (int k = 3; k < 7; k++)
            q[Q * i + k] /= sqrt(n);
        for (int k = 0; k < 6; k++)
            x[V * i + k] = 5 * next(seed), u[V * i + k] = 10 * next(seed);
        for (int k = 0; k < 3; k++)
            m += w[k] * w[k];
        for (int k = 0; k < 3; k++)
            w[k] = set == SETS - 1 && i == 2 ? NAN : p * w[k] / sqrt(m);
    }
}

static int same(int n, const double *a, const double *b)
{
    for (int k = 0; k < n; k++)
        if (memcmp(a + k, b + k, sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k])))
            return 0;
    return 1;
}

static void bits_are_those_of_one(void **state)
{
    (void)state;
    const ph_group_ops *op = ph_group_get(PH_SE3);
    const ph_batch b = {{33, 0, 11, 22}, {18, 9, 0, 27}, {0, 9, 27, 18}, {37, 0, 111, 74}};
    uint64_t seed = 11;
    for (int set = 0; set < SETS; set++) {
        double q0[Q * NODES] = {0}, x[V * NODES] = {0}, u[V * NODES] = {0}, q1[Q * NODES], R[36], T[148],
                      Tinv[148], Tu[V * NODES], D[144], L[148];
        fill(&seed, set, q0, x, u);
        ph_se3_batch_move(&b, q0, x, u, q1, R, T, Tinv, Tu);
        ph_se3_batch_dT(&b, x, u, D);
        ph_se3_batch_L(&b, x, u, 0.03, Tinv, L);
        for (int i = 0; i < NODES; i++) {
            double q[7], A[36], Ai[36], d[36], r[9], t[6], X[36], l[36] = {0};
            op->move(6, q0 + b.q_at[i], x + b.v_at[i], q, A, Ai);
            op->dT(6, x + b.v_at[i], u + b.v_at[i], d);
            ph_store33(r, ph_qmat((ph_quat){q[3], q[4], q[5], q[6]}));
            ph_small_upper_mul(6, A, u + b.v_at[i], t);
            assert_true(same(7, q, q1 + b.q_at[i]) && same(9, r, R + b.R_at[i]));
            assert_true(same(36, A, T + b.T_at[i]) && same(36, Ai, Tinv + b.T_at[i]));
            assert_true(same(6, t, Tu + b.v_at[i]) && same(36, d, D + 36 * i));
            ph_upper_store(X, ph_upper_one_and(ph_upper_scale(0.03, ph_upper_load(d))));
            ph_upper_store(l, ph_upper_mul(X, ph_upper_load(Ai)));
            assert_true(same(36, l, L + b.T_at[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_those_of_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
