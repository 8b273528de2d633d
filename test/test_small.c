/* Small dense matrices. */
#include "check.h"

#include "la/small.h"

/* X = A^-1 X with exchanges of rows, for more columns than one; what cannot be solved is said to be so. */
static void small_solve(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 1; n <= 18; n++) {
        double A[18 * 18], kept[18 * 18], X[18 * 3], B[18 * 3] = {0};
        for (int i = 0; i < n * n; i++)
            kept[i] = A[i] = rnd(&seed);
        A[0] = kept[0] = n > 1 ? 0 : 2; /* the first pivot has to be looked for */
        for (int i = 0; i < 3 * n; i++)
            X[i] = rnd(&seed);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                for (int j = 0; j < 3; j++)
                    B[i * 3 + j] += kept[i * n + k] * X[k * 3 + j];
        assert_true(ph_small_solve(n, 3, A, B));
        check_le(max_diff(B, X, 3 * n), 1e-12); /* round-off, magnified by the condition of random matrices */
    }
    double singular[4] = {1, 2, 2, 4}, bad[4] = {NAN, 1, 1, 1}, b[2] = {1, 1};
    double infinite[4] = {1, 2, INFINITY, 3}; /* the pivot, below */
    assert_false(ph_small_solve(2, 1, infinite, b));
    assert_false(ph_small_solve(2, 1, singular, b));
    assert_false(ph_small_solve(2, 1, bad, b));
}

/* The largest number wherever it stands, and NaN wherever that stands. */
static void small_max(void **state)
{
    (void)state;
    for (int n = 0; n <= 43; n++)
        for (int at = 0; at < n; at++) {
            double a[43];
            for (int k = 0; k < 43; k++)
                a[k] = k % 3 ? -0.02 * k : 1.5 / (k + 1);
            a[at] = -2;
            check_near(ph_small_max(n, a), 2, 0); /* exact */
            a[at] = NAN;
            assert_true(isnan(ph_small_max(n, a)));
        }
    check_near(ph_small_max(0, NULL), 0, 0); /* exact */
}

/* A^T x in registers, from room of exactly nine numbers and three, so that the sanitizer sees who reads beyond. */
static void transposed_product_in_registers(void **state)
{
    (void)state;
    double *A = malloc(9 * sizeof *A), *x = malloc(3 * sizeof *x), y[3], z[3];
    assert_true(A && x);
    for (int k = 0; k < 9; k++)
        A[k] = sin(1 + 3 * k), x[k % 3] = cos(2 + 5 * k);
    ph_row_store3(y, ph_row_tapply(3, A, x));
    ph_row_store3(z, ph_row_add(ph_row_tapply(3, A, x), ph_row_load3(x)));
    for (int j = 0; j < 3; j++) {
        double sum = A[j] * x[0] + A[3 + j] * x[1] + A[6 + j] * x[2];
        assert_true(y[j] == sum && z[j] == sum + x[j]); /* exact */
    }
    free(A), free(x);
}

static double upper_entry(const double *X, int i, int j)
{
    return i >= 3 && j < 3 ? 0 : X[6 * i + j];
}

/* [A B; 0 D] in registers: zeros are neither read nor written, and sums have the order that is written here. */
static void upper_products(void **state)
{
    (void)state;
    double *X = malloc(36 * sizeof *X), *Y = malloc(36 * sizeof *Y), *Z = malloc(36 * sizeof *Z);
    double *x = malloc(6 * sizeof *x), *y = malloc(6 * sizeof *y), *T = malloc(18 * sizeof *T);
    assert_true(X && Y && Z && x && y && T);
    for (int k = 0; k < 36; k++) {
        int zero = k / 6 >= 3 && k % 6 < 3;
        X[k] = zero ? 1e9 : sin(1 + 3 * k), Y[k] = zero ? -1e9 : cos(2 + 5 * k), Z[k] = 7;
        x[k % 6] = cos(k), y[k % 6] = sin(k);
    }
    ph_upper sum = ph_upper_add(ph_upper_mul(X, ph_upper_load(Y)),
                                ph_upper_scale(3, ph_upper_one_and(ph_upper_load(X))));
    ph_upper_store(Z, sum);
    ph_small_upper_mul_add(6, X, x, y);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            double first = 0, last = 0;
            for (int k = 0; k < 6; k++)
                *(k < 3 ? &first : &last) += upper_entry(X, i, k) * upper_entry(Y, k, j);
            double want = first + last + 3 * ((i == j) + upper_entry(X, i, j));
            assert_true(Z[6 * i + j] == (i >= 3 && j < 3 ? 7 : want)); /* exact */
        }
        double lane[3];
        for (int k = 0; k < 3; k++)
            lane[k] = upper_entry(X, i, k) * x[k] + upper_entry(X, i, k + 3) * x[k + 3];
        assert_true(y[i] == sin(30 + i) + (lane[0] + lane[1] + lane[2])); /* exact */
    }
    ph_small_transpose(3, 6, X, T);
    for (int k = 0; k < 18; k++)
        assert_true(T[k] == X[6 * (k % 3) + k / 3]); /* exact */
    double small[9], three[3] = {1, 2, 3}, back[3] = {0};
    memcpy(small, X, sizeof small);
    ph_small_upper_mul_add(3, small, three, back);
    check_near(back[1], small[3] + 2 * small[4] + 3 * small[5], 1e-15); /* round-off */
    free(X), free(Y), free(Z), free(x), free(y), free(T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transposed_product_in_registers),
                                       cmocka_unit_test(small_solve), cmocka_unit_test(small_max),
                                       cmocka_unit_test(upper_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
