/* Block LU with vectors and with scalars: the same bits. The library has the vectors where the machine
 * does; the scalars are compiled here, under other names. */
#include "check.h"
#include "block_cases.h"

#define PH_SCALAR_KERNELS
#define ph_block_ops            scalar_block_ops
#define ph_block_mul            scalar_block_mul
#define ph_block_mul_sub        scalar_block_mul_sub
#define ph_block_apply          scalar_block_apply
#define ph_block_apply_sub      scalar_block_apply_sub
#define ph_block_tapply         scalar_block_tapply
#define ph_block_tapply_sub     scalar_block_tapply_sub
#define ph_block_invert         scalar_block_invert
#define ph_block_invert_pivoted scalar_block_invert_pivoted
#include "../src/la/kernels.c"
#include "../src/la/block.c"

static void check_bits(block_case c)
{
    ph_graph g = case_graph(&c);
    ph_solver *s;
    size_t n = (size_t)c.total;
    double *b = malloc(5 * n * sizeof(double)), *x = b + n;
    assert_non_null(b);
    for (int i = 0; i < c.total; i++)
        b[i] = case_rnd(&c);
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    double growth = ph_solver_ask(s).growth;
    assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
    assert_int_equal(ph_solver_solve_transposed(s, b, x + n), PH_OK);
    assert_int_equal(scalar_block_ops.factor(s, c.value), PH_OK);
    assert_int_equal(scalar_block_ops.solve(s, b, x + 2 * n, 0), PH_OK);
    assert_int_equal(scalar_block_ops.solve(s, b, x + 3 * n, 1), PH_OK);
    assert_true(ph_solver_ask(s).growth == growth);            /* exact */
    assert_memory_equal(x, x + 2 * n, 2 * n * sizeof(double)); /* exact */
    ph_solver_destroy(s);
    free(b);
    case_free(&c);
}

static void test_bits(void **state)
{
    (void)state;
    static const int sizes[] = {3, 1, 6, 3, 5, 2, 7, 4};
    for (int ggl = 0; ggl < 2; ggl++)
        check_bits(case_chain(50, ggl));
    for (int size = 1; size <= 8; size++)
        check_bits(case_lattice(5, 6, size));
    check_bits(case_full(8, sizes));
}

/* Inverses of ill-conditioned blocks: each takes the way with row exchanges at some point. */
static void test_ill_conditioned(void **state)
{
    (void)state;
    for (int size = 1; size <= 8; size++)
        for (int k = 0, turn = 0; k < 10; k += turn, turn = !turn) {
            block_case c = case_full(1, &size);
            for (int i = 0; i < size * size; i++)
                if (turn) /* nearly of rank one, first entry small */
                    c.value[i] =
                        (1 + i / size) * (2 + i % size) + pow(10, -k) * c.value[i] - (i == 0 ? 2 : 0);
                else if (i / size < 3 && i % size < 3) /* only the first 3 rows and columns are small */
                    c.value[i] *= pow(10, -k);
            double T[64], M[64], D[64], worst = 0;
            int swap[8];
            memcpy(D, c.value, sizeof(double) * (size_t)(size * size));
            for (int i = 0; i < size * size; i++)
                M[i] = fabs(D[i]);
            double growth = scalar_block_invert(size, D, M, T, swap);
            for (int i = 0; i < size; i++) /* D^-1 D = I, judged by |D^-1| |D| */
                for (int j = 0; j < size; j++) {
                    double sum = -(i == j), scale = 0;
                    for (int l = 0; l < size; l++) {
                        double product = T[l * size + i] * c.value[l * size + j];
                        sum += product, scale += fabs(product);
                    }
                    worst = !(fabs(sum) <= worst * scale) ? fabs(sum) / scale : worst;
                }
            check_le(worst, 1e-13);                                  /* round-off */
            assert_true(growth >= 0.99 * size && growth < INFINITY); /* sum |D^-1| |D| over the diagonal */
            case_free(&c);
        }
}

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
    assert_false(ph_small_solve(2, 1, singular, b));
    assert_false(ph_small_solve(2, 1, bad, b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_solve), cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_ill_conditioned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
