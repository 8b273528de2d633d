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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unstable),
        cmocka_unit_test(test_back_to_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
