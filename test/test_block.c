/* Block LU: matrices whose pivots are too small for it go to KLU and come back; tiny pivots. */
#include "solver_cases.h"

static void check_unstable(const block_case *c, int for_klu)
{
    ph_graph g = case_graph(c);
    ph_solver *s;
    double b[15], x[15];
    right_side(b, c->total, 21);
    assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c->value), PH_OK);
    for (int t = 0; t < 2; t++) {
        assert_int_equal((t ? ph_solver_solve_transposed : ph_solver_solve)(s, b, x), PH_OK);
        check_le(backward_error(c, b, x, t), BACKWARD); /* round-off */
    }
    if (for_klu)
        assert_string_equal(ph_solver_get_info(s).backend, "klu");
    ph_solver_destroy(s);
    /* block LU by itself says so, or is right */
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_OK);
    if (ph_solver_factor(s, c->value) == PH_OK && ph_solver_solve(s, b, x) == PH_OK)
        check_le(backward_error(c, b, x, 0), BACKWARD); /* round-off */
    ph_solver_destroy(s);
}

/* (A7) */
static void test_unstable(void **state)
{
    (void)state;
    static const double eps[] = {1e-3, 1e-7, 1e-10, 1e-14, 1e-18, 1e-30, 0};
    for (size_t k = 0; k < sizeof eps / sizeof *eps; k++)
        for (int n = 2; n <= 3; n++)
            for (int size = 1; size <= 5; size++) {
                block_case c = tiny_pivot(eps[k], n, size);
                check_unstable(&c, eps[k] < 1e-20 && size > 2);
                case_free(&c);
            }
}

/* After a matrix for KLU, PH_AUTO returns to block LU, bit by bit as if nothing had been. */
static void test_back_to_block(void **state)
{
    (void)state;
    block_case c = tiny_pivot(1, 3, 3), bad = tiny_pivot(0, 3, 3);
    ph_graph g = case_graph(&c);
    ph_solver *s;
    double b[9], x[9], y[9];
    right_side(b, 9, 2);
    assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
    assert_int_equal(ph_solver_factor(s, bad.value), PH_OK);
    assert_string_equal(ph_solver_get_info(s).backend, "klu");
    assert_int_equal(ph_solver_solve(s, b, y), PH_OK);
    check_le(backward_error(&bad, b, y, 0), BACKWARD); /* round-off */
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    assert_string_equal(ph_solver_get_info(s).backend, "block");
    assert_int_equal(ph_solver_solve(s, b, y), PH_OK);
    assert_memory_equal(x, y, sizeof x); /* exact */
    ph_solver_destroy(s);
    case_free(&c), case_free(&bad);
}

/* Blocks of 6 whose neighbours have 3 are eliminated in halves: fewer numbers, and the same solutions. Beside joints of 5 rows they are not. */
static void test_halves(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        int rows = k / 2 ? 5 : 3;
        block_case c = case_upper(8, rows, k % 2);
        ph_graph g = case_graph(&c);
        ph_solver *s[2];
        double b[200], x[2][200];
        assert_true(c.total <= 200);
        g.upper = NULL;
        right_side(b, c.total, 5);
        for (int i = 0; i < 2; i++, g.upper = c.upper) {
            assert_int_equal(ph_solver_analyse(&s[i], PH_BLOCK, &g, NULL), PH_OK);
            assert_int_equal(ph_solver_factor(s[i], c.value), PH_OK);
        }
        size_t whole = ph_solver_get_info(s[0]).fill, halves = ph_solver_get_info(s[1]).fill;
        assert_true(rows == 3 ? halves < whole : halves == whole);
        for (int t = 0; t < 2; t++) {
            for (int i = 0; i < 2; i++) {
                assert_int_equal((t ? ph_solver_solve_transposed : ph_solver_solve)(s[i], b, x[i]), PH_OK);
                check_le(backward_error(&c, b, x[i], t), BACKWARD); /* round-off */
            }
            for (int i = 0; i < c.total; i++)
                check_near(x[0][i], x[1][i], 1e-11); /* round-off */
        }
        ph_solver_destroy(s[0]), ph_solver_destroy(s[1]);
        case_free(&c);
    }
}

/* A block of 6 whose neighbours have 3, and meet one of 5, is eliminated after them, and meets that one: no halves then. */
static void test_halves_that_meet_others(void **state)
{
    (void)state;
    block_case c = {.seed = 3};
    int hub = case_block(&c, 6, 0), other = case_block(&c, 5, 0);
    case_body(&c, hub, 1, 0.2), case_body(&c, other, 1, 0.2);
    for (int k = 0; k < 9; k++)
        c.value[18 + 6 * (k / 3) + k % 3] = 0;
    for (int k = 0; k < 6; k++) {
        int i = case_block(&c, 3, 0);
        case_body(&c, i, 4, 0.2);
        case_random(&c, i, hub, 0.3), case_random(&c, hub, i, 0.3);
        case_random(&c, i, other, 0.3), case_random(&c, other, i, 0.3);
    }
    c.upper = calloc((size_t)c.n, 1);
    assert_non_null(c.upper);
    c.upper[hub] = 1;
    ph_graph g = case_graph(&c);
    ph_solver *s;
    double b[29], x[29];
    right_side(b, c.total, 5);
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    for (int t = 0; t < 2; t++) {
        assert_int_equal((t ? ph_solver_solve_transposed : ph_solver_solve)(s, b, x), PH_OK);
        check_le(backward_error(&c, b, x, t), BACKWARD); /* round-off */
    }
    ph_solver_destroy(s);
    case_free(&c);
}

/* A half at which the matrix is singular is named by its block; only blocks of 6 are upper. */
static void test_halves_that_fail(void **state)
{
    (void)state;
    block_case c = case_upper(3, 3, 0);
    ph_graph g = case_graph(&c);
    ph_solver *s;
    memset(c.value + c.at[1] + 21, 0,
           3 * sizeof(double)); /* row 4 of body 1, which the others do not fill before it is a pivot */
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_E_SINGULAR);
    assert_int_equal(ph_solver_get_info(s).where, c.row[1]);
    ph_solver_destroy(s);
    c.upper[c.n - 1] = 1;
    assert_int_equal(ph_solver_analyse(&s, PH_BLOCK, &g, NULL), PH_E_INPUT);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unstable),         cmocka_unit_test(test_back_to_block),
        cmocka_unit_test(test_halves),           cmocka_unit_test(test_halves_that_meet_others),
        cmocka_unit_test(test_halves_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
