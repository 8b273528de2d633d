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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
