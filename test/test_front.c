/* Fronts: meshes, where they are chosen, beside all other solvers. */
#include "solver_cases.h"

/* Chains go to block LU, meshes to fronts. */
static void test_choice(void **state)
{
    (void)state;
    block_case c[] = {case_chain(50, 0), case_hinges(50, 1), case_lattice(12, 12, 3),
                      case_lattice(30, 30, 3)};
    static const char *const backend[] = {"block", "block", "block", "front"};
    for (int k = 0; k < 4; k++) {
        ph_graph g = case_graph(&c[k]);
        ph_solver *s;
        assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
        assert_string_equal(ph_solver_get_info(s).backend, backend[k]);
        ph_solver_destroy(s);
        case_free(&c[k]);
    }
}

/* (A10) */
static void test_lattices(void **state)
{
    (void)state;
    static const int sizes[][3] = {{20, 20, 3}, {7, 9, 6}, {12, 5, 1}, {1, 30, 4}, {6, 6, 8}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        block_case c = case_lattice(sizes[k][0], sizes[k][1], sizes[k][2]);
        check_backends(&c, 1e-10, c.total < 400);
        case_free(&c);
    }
    static const int full[6] = {3, 1, 6, 3, 5, 2};
    block_case c = case_full(6, full);
    check_backends(&c, 1e-10, 1);
    case_free(&c);
}

/* Fronts of several panels with blocks that begin anywhere in them, whose rows stand in reverse: each pivot is one of another row of its block. */
static void test_exchanges_at_ends_of_panels(void **state)
{
    (void)state;
    for (int first = 1; first <= 8; first++)
        for (int second = 1; second <= first; second++) {
            const int size[] = {8, first, second, 6, 8, 6, 3, 6};
            block_case c = case_full(8, size);
            for (int e = 0; e < c.nnz; e++) {
                int m = c.size[c.row[e]], n = c.size[c.col[e]];
                for (int i = 0; i < m / 2; i++)
                    for (int j = 0; j < n; j++) {
                        double *a = c.value + c.at[e] + i * n + j,
                               *b = c.value + c.at[e] + (m - 1 - i) * n + j, x = *a;
                        *a = *b, *b = x;
                    }
            }
            check_backends(&c, 1e-10, 1);
            case_free(&c);
        }
}

/* After the first unknown is gone, ((0, 1), (1, 0)) is what 1 + 25e12 - 25e12 leaves: rows are exchanged, and so is what is known of them. (A7) */
static void test_growth_of_exchanged_rows(void **state)
{
    (void)state;
    const double large = 5e6, rhs[3] = {1, 2, 3};
    double x[3];
    block_case c = {0};
    int a = case_block(&c, 1, 0), b = case_block(&c, 2, 1);
    case_entry(&c, a, a)[0] = 1;
    for (int i = 0; i < 2; i++) {
        double *v = case_entry(&c, i ? b : a, i ? a : b);
        v[0] = v[1] = large;
    }
    double *d = case_entry(&c, b, b);
    d[0] = d[3] = large * large, d[1] = d[2] = large * large + 1;
    ph_graph g = case_graph(&c);
    g.trust = 1e13;
    ph_solver *s;
    assert_int_equal(ph_solver_analyse(&s, PH_FRONT, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    check_near(ph_solver_get_info(s).growth, 2 * large * large, 1e10);
    assert_int_equal(ph_solver_solve(s, rhs, x), PH_OK);
    check_le(backward_error(&c, rhs, x, 0), 1e-15);
    ph_solver_destroy(s);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_exchanges_at_ends_of_panels),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_growth_of_exchanged_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
