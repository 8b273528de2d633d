/* Eigenvalues and singular vectors against matrices whose own are known. */
#include "check.h"
#include "base/spectrum.h"

/* A = Q B Q^-1 with Q = (I - 2 u u^T) D: a similarity that mixes all rows and scales them */
static void hide(int n, const double *B, double *A, uint64_t *seed)
{
    double u[16], d[16], length = 0;
    assert_true(n <= 16);
    for (int i = 0; i < n; i++) {
        u[i] = rnd(seed), d[i] = exp(rnd(seed));
        length += u[i] * u[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = d[i] * B[i * n + j] / d[j];
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int i = 0; i < n; i++)
                s += u[i] * (side ? A[j * n + i] : A[i * n + j]);
            for (int i = 0; i < n; i++)
                *(side ? &A[j * n + i] : &A[i * n + j]) -= 2 * s * u[i] / length;
        }
}

/* Blocks [a b; -b a] have a +- ib. */
static void finds_complex_pairs(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (int trial = 0; trial < 50; trial++) {
        double B[256] = {0}, A[256];
        double complex value[16];
        int n = 2 + 2 * (trial % 8);
        for (int k = 0; k < n; k += 2) { /* distinct moduli, the k-th pair is 1.5^-k */
            double arg = 1.5 + 1.2 * rnd(&seed), r = pow(1.5, -k), noise; /* no pair that is nearly real */
            noise = rnd(&seed);
            B[k * n + k] = B[(k + 1) * n + k + 1] = r * cos(arg);
            B[k * n + k + 1] = r * sin(arg), B[(k + 1) * n + k] = -r * sin(arg);
            for (int j = k + 2; j < n; j++)
                B[k * n + j] = noise * r;
        }
        hide(n, B, A, &seed);
        assert_int_equal(ph_eigenvalues(n, A, value), PH_OK);
        for (int k = 0; k < n; k++) {
            double re = B[k / 2 * 2 * n + k / 2 * 2], im = fabs(B[k / 2 * 2 * n + k / 2 * 2 + 1]);
            /* round-off, times the condition of the similarity */
            check_near(creal(value[k]), re, 1e-11);
            check_near(fabs(cimag(value[k])), im, 1e-11);
        }
    }
}

/* Real ones, zeros among them; permutations, on which the iteration without shifts stands still. */
static void finds_special_ones(void **state)
{
    (void)state;
    uint64_t seed = 43;
    const double B[25] = {2, 1, 3, 0, 1, 0, -1, 4, 1, 0, 0, 0, 0.5, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const double want[5] = {2, -1, 0.5, 0, 0};
    double A[25], P[36] = {0};
    double complex value[6];
    hide(5, B, A, &seed);
    assert_int_equal(ph_eigenvalues(5, A, value), PH_OK);
    for (int k = 0; k < 5; k++) /* round-off; square root of it at the double eigenvalue 0 */
        check_near(creal(value[k]), want[k], k < 3 ? 1e-12 : 1e-6);
    for (int i = 0; i < 6; i++)
        P[i * 6 + (i + 1) % 6] = 1;
    assert_int_equal(ph_eigenvalues(6, P, value), PH_OK);
    for (int k = 0; k < 6; k++) {
        check_near(cabs(value[k]), 1, 1e-14);         /* round-off */
        check_le(cabs(cpow(value[k], 6) - 1), 1e-13); /* round-off */
    }
    assert_int_equal(ph_eigenvalues(1, B, value), PH_OK);
    assert_true(creal(value[0]) == 2);
    A[7] = NAN;
    assert_int_equal(ph_eigenvalues(5, A, value), PH_E_NAN);
}

static void splits_into_singular_vectors(void **state)
{
    (void)state;
    enum { N = 7, M = 9 };
    uint64_t seed = 47;
    double A[N * M], U[N * M], V[N * N];
    for (int k = 0; k < N * M; k++)
        A[k] = rnd(&seed);
    for (int k = 0; k < M; k++) /* rank N - 1 */
        A[3 * M + k] = A[k] - 2 * A[5 * M + k];
    memcpy(U, A, sizeof A);
    ph_singular_rows(N, M, U, V);
    double least = HUGE_VAL;
    for (int p = 0; p < N; p++) {
        least = fmin(least, norm2(U + p * M, M));
        for (int q = 0; q < N; q++) {
            double uu = 0, vv = 0;
            for (int k = 0; k < M; k++)
                uu += U[p * M + k] * U[q * M + k];
            for (int k = 0; k < N; k++)
                vv += V[p * N + k] * V[q * N + k];
            check_near(vv, p == q, 1e-14);          /* round-off */
            check_le(p == q ? 0 : fabs(uu), 1e-14); /* round-off */
        }
        for (int k = 0; k < M; k++) { /* A^T v_p = s_p u_p */
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += A[i * M + k] * V[p * N + i];
            check_near(sum, U[p * M + k], 1e-14); /* round-off */
        }
    }
    check_le(least, 1e-14); /* round-off: the rank is seen */
}

/* A x = value x, the largest entry 1; of a double eigenvalue two seeds give two vectors. */
static void finds_vectors(void **state)
{
    (void)state;
    uint64_t seed = 47;
    for (int trial = 0; trial < 20; trial++) {
        double B[36] = {0}, A[36];
        double complex value[6], x[6], y[6];
        for (int k = 0; k < 6; k++)
            B[7 * k] = 3 - k / 2;                 /* 3, 3, 2, 2, 1, 1 ... */
        B[28] = B[35] = 1, B[29] = -2, B[34] = 2; /* ... but the last two are 1 +- 2i */
        hide(6, B, A, &seed);
        assert_int_equal(ph_eigenvalues(6, A, value), PH_OK);
        for (int k = 0; k < 6; k++) {
            double worst = 0, most = 0, apart = 0;
            assert_int_equal(ph_eigenvector(6, A, value[k], 3, 1, x), PH_OK);
            assert_int_equal(ph_eigenvector(6, A, value[k], 3, 2, y), PH_OK);
            for (int i = 0; i < 6; i++) {
                double complex sum = -value[k] * x[i];
                for (int j = 0; j < 6; j++)
                    sum += A[i * 6 + j] * x[j];
                worst = fmax(worst, cabs(sum)), most = fmax(most, cabs(x[i]));
                apart = fmax(apart, cabs(x[i] - y[i]));
            }
            check_le(worst, 1e-10);     /* round-off, times the condition of the similarity */
            check_near(most, 1, 1e-15); /* round-off */
            if (cimag(value[k]) != 0 && fabs(cimag(value[k])) > 1)
                check_le(apart, 1e-10); /* unique */
            else
                check_le(-apart, -1e-3); /* ordering: one of many */
        }
    }
    double never[1] = {NAN};
    double complex x[1];
    assert_int_equal(ph_eigenvector(1, never, 0, 1, 1, x), PH_E_NAN);
}

/* Zeros of Jordan blocks 3, 2, 1 and 2, and 2, -3, 1 +- 4i, in coordinates without special values. */
static void zeros_of_jordan_blocks(void **state)
{
    (void)state;
    enum { N = 12, ZEROS = 8 };
    const double complex want[N - ZEROS] = {1 + 4 * I, 1 - 4 * I, -3, 2};
    double J[N * N] = {0}, S[N * N], X[N * N], A[N * N], work[N * N];
    double complex value[N];
    const int chain[] = {0, 1, 3, 6}; /* a 1 behind these diagonals */
    unsigned seed = 7;
    for (int k = 0; k < 4; k++)
        J[chain[k] * N + chain[k] + 1] = 1;
    J[8 * N + 8] = 2, J[9 * N + 9] = -3, J[10 * N + 10] = J[11 * N + 11] = 1;
    J[10 * N + 11] = 4, J[11 * N + 10] = -4;
    for (int i = 0; i < N;
         i++) /* lower triangular, ones on the diagonal: S X = J, A = X S by columns from the right */
        for (int j = 0; j < N; j++) {
            seed = seed * 1664525u + 1013904223u;
            S[i * N + j] = j < i ? (double)seed / 4294967296.0 - 0.5 : i == j;
        }
    for (int j = 0; j < N; j++) /* S X = J */
        for (int i = 0; i < N; i++) {
            X[i * N + j] = J[i * N + j];
            for (int k = 0; k < i; k++)
                X[i * N + j] -= S[i * N + k] * X[k * N + j];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i * N + j] = 0;
            for (int k = 0; k < N; k++)
                A[i * N + j] += X[i * N + k] * S[k * N + j];
        }
    assert_int_equal(ph_remove_zeros(N, A, 1e-14, 0, work), N - ZEROS);
    assert_int_equal(ph_eigenvalues(N - ZEROS, A, value), PH_OK);
    for (int k = 0; k < N - ZEROS; k++) {
        double nearest = 1;
        for (int i = 0; i < N - ZEROS; i++)
            nearest = fmin(nearest, cabs(value[i] - want[k]));
        check_le(nearest, 1e-12); /* round-off */
    }
    double noise[4] = {1e-17, 2e-17, -1e-17, 3e-17};
    assert_int_equal(ph_remove_zeros(2, noise, 1e-14, 1e-15, work), 0);
}

/* What is not finite has no eigenvalues; a triangle has those of its diagonal, also where they are the same. */
static void refuses_nan(void **state)
{
    (void)state;
    const double bad[4] = {1, NAN, 0, 1}, same[4] = {1, 0, 1, 1}, plain[4] = {2, 0, 0, 3};
    double complex value[2], vector[2];
    assert_int_equal(ph_eigenvalues(2, bad, value), PH_E_NAN);
    assert_int_equal(ph_eigenvalues(2, same, value), PH_OK);
    assert_true(cabs(value[0] - 1) < 1e-7 && cabs(value[1] - 1) < 1e-7); /* round-off: the root of it */
    assert_int_equal(ph_eigenvector(2, plain, NAN, 1, 1, vector), PH_E_NAN);
    assert_int_equal(ph_eigenvector(2, plain, 3, 0, 1, vector), PH_OK); /* of no size given */
    assert_true(cabs(vector[0]) < 1e-9 && cabs(vector[1] - 1) < 1e-9);  /* round-off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_nan),        cmocka_unit_test(finds_complex_pairs),
        cmocka_unit_test(finds_special_ones), cmocka_unit_test(splits_into_singular_vectors),
        cmocka_unit_test(finds_vectors),      cmocka_unit_test(zeros_of_jordan_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
