/* KLU: pivots that keep the factors sparse. */
#include "solver_cases.h"

/* Small diagonals that keep the factors sparse let entries grow, and small pivots beside them are no sign of a singular
 * matrix: what dense LU solves KLU solves. */
static void test_sparse_pivots(void **state)
{
    (void)state;
    double b[60], x[60];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        block_case c = {.seed = seed};
        for (int i = 0; i < 60; i++)
            case_block(&c, 1, 0);
        for (int i = 0; i < 60; i++)
            *case_entry(&c, i, i) = 1.1e-3;
        for (int i = 0; i < 60; i++)
            for (int j = 0; j < 60; j++)
                if (i != j && case_rnd(&c) > 0.8)
                    *case_entry(&c, i, j) = case_rnd(&c) > 0 ? 1 : -1;
        ph_graph g = case_graph(&c);
        right_side(b, 60, seed);
        for (int kind = 0; kind < 2; kind++) {
            ph_solver *s;
            assert_int_equal(ph_solver_analyse(&s, kind ? PH_KLU : PH_DENSE, &g, NULL), PH_OK);
            assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
            assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
            /* round-off; dense LU has no refinement */
            check_le(backward_error(&c, b, x, 0), kind ? BACKWARD : 100 * BACKWARD);
            ph_solver_destroy(s);
        }
        case_free(&c);
    }
}

/* Two blocks of one unknown: four values, row by row. */
static block_case two(double a, double b, double c, double d)
{
    block_case k = {.seed = 1};
    const double value[] = {a, b, c, d};
    case_block(&k, 1, 0), case_block(&k, 1, 0);
    for (int i = 0; i < 4; i++)
        *case_entry(&k, i / 2, i % 2) = value[i];
    return k;
}

/* Old pivots with new values, of which the first may be the only one that changed. */
static void first_value_changes(void **state)
{
    (void)state;
    static const double first[] = {2, 2e3, -5, 2};
    block_case c = two(first[0], 1, 1, 3);
    ph_graph g = case_graph(&c);
    ph_solver *s;
    double b[2] = {1, 2}, x[2];
    assert_int_equal(ph_solver_analyse(&s, PH_KLU, &g, NULL), PH_OK);
    for (int k = 0; k < 4; k++) {
        c.value[0] = first[k];
        assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
        assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
        check_le(backward_error(&c, b, x, 0), BACKWARD);
    }
    ph_solver_destroy(s);
    case_free(&c);
}

/* A row or a column of zeros is told, be it the first. */
static void zeros_are_told(void **state)
{
    (void)state;
    static const double value[][4] = {{0, 0, 1, 3}, {0, 1, 0, 3}, {2, 0, 1, 0}, {2, 1, 0, 0}};
    for (int k = 0; k < 4; k++) {
        block_case c = two(value[k][0], value[k][1], value[k][2], value[k][3]);
        ph_graph g = case_graph(&c);
        ph_solver *s;
        assert_int_equal(ph_solver_analyse(&s, PH_KLU, &g, NULL), PH_OK);
        assert_int_equal(ph_solver_factor(s, c.value), PH_E_SINGULAR);
        assert_int_equal(ph_solver_get_info(s).where, k / 2);
        ph_solver_destroy(s);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_pivots),
        cmocka_unit_test(first_value_changes),
        cmocka_unit_test(zeros_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
