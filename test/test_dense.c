/* Dense LU: known factors, pivots that depend on the units of no row, and where a matrix is singular. */
#include "solver_cases.h"

static ph_solver *factored(const block_case *c, ph_status want)
{
    ph_graph g = case_graph(c);
    ph_solver *s;
    assert_int_equal(ph_solver_analyse(&s, PH_DENSE, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c->value), want);
    return s;
}

/* A zero pivot needs an exchange across blocks: [0 2; 3 4] in blocks of one. */
static void rows_are_exchanged(void **state)
{
    (void)state;
    block_case c = {.seed = 1};
    case_block(&c, 1, 0), case_block(&c, 1, 0);
    *case_entry(&c, 0, 1) = 2, *case_entry(&c, 1, 0) = 3, *case_entry(&c, 1, 1) = 4;
    ph_solver *s = factored(&c, PH_OK);
    double b[2] = {6, 18}, x[2];
    assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
    assert_true(x[0] == 2 && x[1] == 3); /* exact */
    b[0] = 9, b[1] = 16;                 /* A^T x = b */
    assert_int_equal(ph_solver_solve_transposed(s, b, x), PH_OK);
    assert_true(x[0] == 2 && x[1] == 3); /* exact */
    ph_solver_destroy(s);
    case_free(&c);
}

/* Rows of other units: powers of two change no bit of the solution. */
static void units_do_not_matter(void **state)
{
    (void)state;
    static const int size[4] = {3, 1, 2, 4};
    block_case c = case_full(4, size);
    double b[10], x[10], y[10];
    right_side(b, 10, 77);
    ph_solver *s = factored(&c, PH_OK);
    assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
    ph_solver_destroy(s);
    for (int e = 0; e < c.nnz; e++)
        for (int i = 0; i < size[c.row[e]]; i++)
            for (int j = 0; j < size[c.col[e]]; j++)
                c.value[c.at[e] + i * size[c.col[e]] + j] *= ldexp(1, 7 * (c.first[c.row[e]] + i) - 30);
    for (int i = 0; i < 10; i++)
        b[i] *= ldexp(1, 7 * i - 30);
    s = factored(&c, PH_OK);
    assert_int_equal(ph_solver_solve(s, b, y), PH_OK);
    assert_memory_equal(x, y, sizeof x); /* exact */
    ph_solver_destroy(s);
    case_free(&c);
}

/* Rows of block 2 are a third of those of block 1, which leaves round-off for pivots: the matrix is singular there, or where
 * its twin is. */
static void singular_block_is_named(void **state)
{
    (void)state;
    static const int size[3] = {2, 2, 2};
    block_case c = case_full(3, size);
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 4; i++)
            c.value[c.at[6 + e] + i] = c.value[c.at[3 + e] + i] / 3;
    ph_solver *s = factored(&c, PH_E_SINGULAR);
    assert_int_equal(ph_solver_get_info(s).fill, 36); /* all entries */
    assert_in_range(ph_solver_get_info(s).where, 1, 2);
    ph_solver_destroy(s);
    case_free(&c);
}

/* A row of zeros or with a number that is not finite, be it the first, is told by its block. */
static void rows_without_a_size(void **state)
{
    (void)state;
    static const int size[2] = {1, 1};
    static const double bad[] = {0, INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 8; k++) {
        block_case c = case_full(2, size);
        int row = k % 2;
        c.value[2 * row] = bad[k / 2], c.value[2 * row + 1] = k / 2 ? 1 : 0;
        ph_solver *s = factored(&c, PH_E_SINGULAR);
        assert_int_equal(ph_solver_get_info(s).where, row);
        ph_solver_destroy(s);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_exchanged), cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(singular_block_is_named), cmocka_unit_test(rows_without_a_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
