/* Sparse matrices against dense ones. */
#include "fe_cases.h"

enum { M = 9, N = 7 };

/* Random places, some of them twice. */
static ph_csc random_matrix(ph_pool *pool, int rows, int columns, uint64_t *seed, double *D)
{
    ph_triplets t;
    ph_csc A;
    memset(D, 0, sizeof(double) * (size_t)(rows * columns));
    assert_true(ph_triplets_open(pool, &t, 40));
    for (int k = 0; k < 40; k++) {
        int i = (int)(0.5 * (rnd(seed) + 1) * rows), j = (int)(0.5 * (rnd(seed) + 1) * columns);
        double x = rnd(seed);
        ph_triplets_add(&t, i, j, x);
        D[j * rows + i] += x;
    }
    assert_true(ph_csc_build(pool, rows, columns, &t, &A));
    return A;
}

static void as_dense_ones(void **state)
{
    (void)state;
    uint64_t seed = 3;
    ph_pool pool = {0};
    for (int trial = 0; trial < 10; trial++) {
        double D[M * N], E[M * N], F[M * N], x[M], y[M], z[M];
        ph_csc A = random_matrix(&pool, M, N, &seed, D), At;
        ph_csc_dense(&A, E);
        check_le(max_diff(D, E, M * N), 1e-15); /* round-off of sums */
        for (int j = 0; j < N; j++)
            for (int k = A.p[j] + 1; k < A.p[j + 1]; k++)
                assert_true(A.i[k] > A.i[k - 1]);
        assert_true(ph_csc_transpose(&pool, &A, &At));
        ph_csc_dense(&At, F);
        for (int i = 0; i < M * N; i++)
            assert_true(F[(i % M) * N + i / M] == E[i]);
        for (int i = 0; i < M; i++)
            x[i] = rnd(&seed);
        ph_csc_mul(&A, x, y);
        ph_csc_tmul(&At, x, z);
        check_le(max_diff(y, z, M), 1e-15);
        for (int i = 0; i < M; i++) {
            double s = 0;
            for (int j = 0; j < N; j++)
                s += E[j * M + i] * x[j];
            check_near(y[i], s, 1e-15);
        }
    }
    ph_pool_free(&pool);
}

/* T^T A T of a symmetric A */
static void congruences(void **state)
{
    (void)state;
    uint64_t seed = 5;
    ph_pool pool = {0};
    for (int trial = 0; trial < 10; trial++) {
        double D[M * M], S[M * M], T[M * N], C[N * N], exact[N * N];
        ph_csc A = random_matrix(&pool, M, M, &seed, D), At, T1 = random_matrix(&pool, M, N, &seed, T), B,
               out;
        ph_triplets t;
        assert_true(ph_csc_transpose(&pool, &A, &At) && ph_triplets_open(&pool, &t, 200));
        for (int j = 0; j < M; j++) {
            for (int k = A.p[j]; k < A.p[j + 1]; k++)
                ph_triplets_add(&t, A.i[k], j, A.x[k]);
            for (int k = At.p[j]; k < At.p[j + 1]; k++)
                ph_triplets_add(&t, At.i[k], j, At.x[k]);
        }
        assert_true(ph_csc_build(&pool, M, M, &t, &B) && ph_csc_congruence(&pool, &B, &T1, &out));
        ph_csc_dense(&B, S);
        ph_csc_dense(&out, C);
        for (int i = 0; i < N * N; i++) {
            exact[i] = 0;
            for (int a = 0; a < M; a++)
                for (int b = 0; b < M; b++)
                    exact[i] += T[(i % N) * M + a] * S[b * M + a] * T[(i / N) * M + b];
        }
        check_le(max_diff(C, exact, N * N), 1e-13); /* round-off of sums of 81 */
    }
    ph_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_dense_ones), cmocka_unit_test(congruences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
