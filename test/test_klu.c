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

/* A star whose diagonal is a little smaller than what is beside it: nothing is exchanged, and the factors are as sparse. */
static void diagonals_serve(void **state)
{
    (void)state;
    enum { N = 60 };
    block_case c = {.seed = 3};
    for (int i = 0; i < N; i++)
        case_block(&c, 1, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i == j || i == 0 || j == 0)
                *case_entry(&c, i, j) = i == j ? 0.7 : i < j ? 1 : -1;
    ph_graph g = case_graph(&c);
    ph_solver *s;
    assert_int_equal(ph_solver_analyse(&s, PH_KLU, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    assert_true(ph_solver_get_info(s).fill <= 4 * N); /* 3 N - 2, and KLU's ones on the diagonal of L */
    ph_solver_destroy(s);
    case_free(&c);
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

/* [M B^T; B 0] of bodies with joints between neighbours and a row between turns of four of them, in any unit of length: scales that
 * make the largest entries one are not enough to see that it is regular. */
static block_case in_units(uint64_t seed, double L)
{
    enum { BODIES = 5 };
    block_case c = {.seed = seed};
    for (int i = 0; i < BODIES; i++)
        case_block(&c, 6, 0);
    for (int i = 0; i < BODIES; i++) {
        double *M = case_entry(&c, i, i), mass = pow(10, case_rnd(&c));
        for (int a = 0; a < 6; a++)
            M[7 * a] = a < 3 ? mass : mass * L * L * (1.5 + case_rnd(&c));
    }
    for (int j = 0; j <= BODIES; j++) {
        int rows = j < BODIES ? 5 : 1, b = case_block(&c, rows, 0);
        for (int i = 0; i < BODIES; i++) {
            if (j < BODIES && i != j && i != j - 1)
                continue;
            double B[30] = {0};
            for (int a = 0; a < 6 * rows; a++)
                B[a] =
                    a % 6 < 3 ? rows == 5 && a / 6 == a % 6 : (rows == 5 && a / 6 < 3 ? L : 1) * case_rnd(&c);
            double *down = case_entry(&c, b, i);
            memcpy(down, B, sizeof *B * (size_t)(6 * rows));
            double *up = case_entry(&c, i, b);
            for (int a = 0; a < 6 * rows; a++)
                up[a % 6 * rows + a / 6] = B[a];
        }
    }
    return c;
}

static void units_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int power = -40; power <= 40; power += 20) {
            block_case c = in_units(seed, ldexp(1, power));
            ph_graph g = case_graph(&c);
            ph_solver *s;
            double b[64], x[64];
            assert_true(c.total <= 64);
            right_side(b, c.total, seed);
            assert_int_equal(ph_solver_analyse(&s, PH_KLU, &g, NULL), PH_OK);
            assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
            assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
            check_le(backward_error(&c, b, x, 0), BACKWARD);
            ph_solver_destroy(s);
            case_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse_pivots),  cmocka_unit_test(diagonals_serve),
        cmocka_unit_test(first_value_changes), cmocka_unit_test(zeros_are_told),
        cmocka_unit_test(units_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
