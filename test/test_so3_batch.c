/* Four nodes of SO(3) at once: the bits of each are those of the group's own operations, whatever the others do. */
#include "check.h"

#include "lie/so3_batch.h"
#include "polhode/lie.h"

enum { NODES = 4, SETS = 400 };

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
        double w[3], n = 0, p = angle[(set + 3 * i) % 10];
        for (int k = 0; k < 4; k++)
            q[11 * i + k] = next(seed), n += q[11 * i + k] * q[11 * i + k];
        for (int k = 0; k < 4; k++)
            q[11 * i + k] /= sqrt(n);
        for (int k = 0; k < 3; k++)
            w[k] = next(seed), u[7 * i + k] = 10 * next(seed);
        n = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int k = 0; k < 3; k++)
            x[7 * i + k] = set == SETS - 1 && i == 2 ? NAN : p * w[k] / n;
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
    const ph_group_ops *op = ph_group_get(PH_SO3);
    const ph_batch b = {{33, 0, 11, 22}, {14, 7, 0, 21}, {0, 9, 27, 18}, {10, 0, 30, 20}};
    uint64_t seed = 11;
    for (int set = 0; set < SETS; set++) {
        double q0[44] = {0}, x[28] = {0}, u[28] = {0}, q1[44], R[36], T[40], Tinv[40], Tu[28], D[36], L[40];
        fill(&seed, set, q0, x, u);
        ph_so3_batch_move(&b, q0, x, u, q1, R, T, Tinv, Tu);
        ph_so3_batch_dT(&b, x, u, D);
        ph_so3_batch_L(&b, x, u, 0.03, Tinv, L);
        for (int i = 0; i < NODES; i++) {
            double q[4], A[9], Ai[9], d[9], r[9], t[3], X[9], l[9];
            op->move(3, q0 + b.q_at[i], x + b.v_at[i], q, A, Ai);
            op->dT(3, x + b.v_at[i], u + b.v_at[i], d);
            ph_store33(r, ph_qmat((ph_quat){q[0], q[1], q[2], q[3]}));
            ph_store3(t, ph_mul(ph_load33(A), ph_load3(u + b.v_at[i])));
            assert_true(same(4, q, q1 + b.q_at[i]) && same(9, r, R + b.R_at[i]));
            assert_true(same(9, A, T + b.T_at[i]) && same(9, Ai, Tinv + b.T_at[i]));
            assert_true(same(3, t, Tu + b.v_at[i]) && same(9, d, D + 9 * i));
            for (int k = 0; k < 9; k++)
                X[k] = 0.03 * d[k] + (k % 4 == 0);
            ph_store33(l, ph_mmul(ph_load33(X), ph_load33(Ai)));
            assert_true(same(9, l, L + b.T_at[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_those_of_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
