/* Dense symmetric matrices: Cholesky's factors, eigenvalues and eigenvectors. */
#include "check.h"
#include "la/symmetric.h"

enum { MOST = 70 };

/* Residuals A v = mu v and V^T V = I, of sizes on both sides of what vectors take at once; graded, of rank 1,
 * zero */
static void eigenpairs(void **state)
{
    (void)state;
    static double A[MOST * MOST], V[MOST * MOST], value[MOST], work[4 * MOST];
    uint64_t seed = 11;
    for (int n = 1; n <= MOST; n += n < 10 ? 1 : 20)
        for (int kind = 0; kind < 4; kind++) {
            double size = 0, residual = 0, square = 0, row[MOST];
            for (int i = 0; i < n; i++)
                row[i] = rnd(&seed);
            for (int j = 0; j < n; j++)
                for (int i = j; i < n; i++) {
                    double x = kind == 0   ? rnd(&seed)
                               : kind == 1 ? rnd(&seed) * pow(10, -0.3 * (i + j))
                               : kind == 2 ? 1e150 * row[i] * row[j]
                                           : 0;
                    A[j * n + i] = A[i * n + j] = V[j * n + i] = x;
                    V[i * n + j] = i == j ? x : 7; /* the upper triangle is not read */
                    size = fmax(size, fabs(x));
                }
            assert_true(ph_symmetric_eigen(n, V, value, work));
            for (int k = 0; k < n; k++) {
                assert_true(k == 0 || value[k] >= value[k - 1]);
                for (int i = 0; i < n; i++) {
                    double r = -value[k] * V[k * n + i], s = -(i == k);
                    for (int j = 0; j < n; j++)
                        r += A[i * n + j] * V[k * n + j], s += V[i * n + j] * V[k * n + j];
                    residual = fmax(residual, fabs(r)), square = fmax(square, fabs(s));
                }
            }
            check_le(square, 1e-13);
            check_le(size > 0 ? residual / size : residual, 1e-13); /* round-off */
        }
}

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    double A[4] = {1, 0, 0, NAN}, B[4] = {1, INFINITY, 0, 1}, value[2], work[8];
    assert_false(ph_symmetric_eigen(2, A, value, work));
    assert_false(ph_symmetric_eigen(2, B, value, work));
}

/* A x = b with A = L L^T of known numbers; and the row of what is not positive definite */
static void factors(void **state)
{
    (void)state;
    static double L[MOST * MOST], A[MOST * MOST];
    uint64_t seed = 5;
    for (int n = 1; n <= MOST; n += n < 10 ? 1 : 20) {
        double x[MOST], b[MOST] = {0};
        for (int i = 0; i < n * n; i++)
            L[i] = i % n > i / n ? 0.3 * rnd(&seed) / n : i % n == i / n; /* column by column */
        for (int i = 0; i < n * n; i++) {
            A[i] = 0;
            for (int k = 0; k < n; k++)
                A[i] += L[k * n + i % n] * L[k * n + i / n];
        }
        for (int i = 0; i < n; i++)
            x[i] = rnd(&seed);
        for (int i = 0; i < n * n; i++)
            b[i % n] += A[i] * x[i / n];
        assert_int_equal(ph_cholesky(n, A), 0);
        for (int i = 0; i < n * n; i++)
            if (i % n >= i / n)
                check_near(A[i], L[i], 1e-14); /* round-off */
        ph_cholesky_forward(n, A, b);
        ph_cholesky_back(n, A, b);
        check_le(max_diff(b, x, n), 1e-13); /* round-off */
    }
    double bad[9] = {1, 0, 1, 0, 1, 0, 1, 0, 1};
    assert_int_equal(ph_cholesky(3, bad), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenpairs), cmocka_unit_test(refuses_what_is_no_number), cmocka_unit_test(factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
