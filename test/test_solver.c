/* The linear solvers: every backend on mechanisms, lattices and odd patterns; singular, unstable and NaN
 * matrices; memory; order. */
#include "solver_cases.h"

/* Chains and rings of all body and joint sizes. (A1), (A2), (A3), (A5) */
static void test_chains(void **state)
{
    (void)state;
    static const int sizes[][3] = {{2, 3, 3}, {1, 6, 5}, {1, 6, 3}, {2, 3, 5}, {1, 6, 4}, {1, 3, 1},
                                   {1, 2, 1}, {1, 7, 2}, {3, 2, 5}, {1, 4, 3}, {2, 1, 1}, {1, 9, 7}};
    int(*pairs)[2] = chain_pairs(20);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int n = 1; n <= 20; n += 19)
            for (int ring = 0; ring < 2; ring++)
                for (int ggl = 0; ggl < 2; ggl++) {
                    int dof = sizes[k][0] * sizes[k][1];
                    if (dof * n < sizes[k][2] * (n + ring))
                        continue;
                    pairs[n][0] = n - 1, pairs[n][1] = -1;
                    block_case c = mechanism_case((const int(*)[2])pairs, n, n + ring, sizes[k][0],
                                                  sizes[k][1], sizes[k][2], ggl, 17 * k + 3);
                    check_backends(&c, 1e-10, 1);
                    case_free(&c);
                    pairs[n][0] = n - 1, pairs[n][1] = n;
                }
    free(pairs);
}

/* Random trees with closed loops. */
static void test_trees(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int k = 0; k < 12; k++) {
        int n = 5 + 7 * k, loops = k / 3, pair[120][2];
        for (int i = 0; i < n; i++)
            pair[i][0] = i ? (int)(fabs(rnd(&seed)) * i) : -1, pair[i][1] = i;
        for (int i = 0; i < loops; i++) {
            pair[n + i][0] = (int)(fabs(rnd(&seed)) * n);
            pair[n + i][1] = (pair[n + i][0] + 1 + (int)(fabs(rnd(&seed)) * (n - 1))) % n;
        }
        block_case c =
            mechanism_case((const int(*)[2])pair, n, n + loops, 2, 3, 3, k % 2, 31 * (uint64_t)k + 1);
        check_backends(&c, 1e-10, n < 40);
        case_free(&c);
    }
}

/* Few joints of one body, and many. */
static void test_stars(void **state)
{
    (void)state;
    static const int sizes[][3] = {{2, 3, 3}, {2, 3, 5}, {1, 6, 5}, {1, 3, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int n = 3; n <= 40; n += 6)
            for (int ggl = 0; ggl < 2; ggl++) {
                block_case c = star_case(n, sizes[k][0], sizes[k][1], sizes[k][2], ggl);
                check_backends(&c, 1e-10, n < 20);
                case_free(&c);
            }
}

/* Blocks of sizes 1 to 7 with direct couplings at random, a pattern that is not symmetric, listed in
 * random order. */
static void test_random_patterns(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        block_case c = {.seed = 1000 + (uint64_t)k};
        int n = 1 + k;
        for (int i = 0; i < n; i++)
            case_block(&c, 1 + (int)(3.5 * (1 + case_rnd(&c))), 0);
        for (int i = 0; i < n; i++)
            for (int j = n - 1; j >= 0; j--)
                if (i == j)
                    case_body(&c, i, 12, 0.1);
                else if (case_rnd(&c) > 1 - 6.0 / n)
                    case_random(&c, i, j, 1);
        check_backends(&c, 1e-10, 1);
        case_free(&c);
    }
}

/* What PH_AUTO takes for a small matrix: dense where half of it or more is there, by blocks or fronts where less is, or blocks are large, or it is not small. */
static void test_small_matrices(void **state)
{
    (void)state;
    static const struct {
        int n, size, couplings;
        const char *backend;
    } row[] = {{2, 1, 0, "dense"}, {3, 1, 0, "block"},        {3, 1, 1, "dense"},
               {2, 3, 1, "block"}, {24, 1, 12 * 24, "dense"}, {25, 1, 300, "front"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        block_case c = {.seed = 11};
        ph_solver *s;
        for (int i = 0; i < row[k].n; i++)
            case_block(&c, row[k].size, 0);
        for (int i = 0; i < row[k].n; i++)
            case_body(&c, i, 5, 0.1);
        for (int i = 0, left = row[k].couplings; i < row[k].n; i++)
            for (int l = 0; l < i && left-- > 0; l++)
                case_random(&c, i, l, 0.01), case_random(&c, l, i, 0.01);
        ph_graph g = case_graph(&c);
        assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
        assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
        assert_string_equal(ph_solver_get_info(s).backend, row[k].backend);
        ph_solver_destroy(s);
        case_free(&c);
    }
}

/* Rows and columns in any units: the same answer in those units. */
static void test_units(void **state)
{
    (void)state;
    block_case c = case_chain(8, 0);
    ph_graph g = case_graph(&c);
    double b[72], x[72], y[72], unit[72];
    uint64_t seed = 8;
    right_side(b, 72, 3);
    for (int i = 0; i < 72; i++)
        unit[i] = ldexp(1, (int)(40 * rnd(&seed)));
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
        ph_solver *s;
        assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &g, NULL), PH_OK);
        block_case d = c;
        d.value = malloc((size_t)c.values * sizeof(double));
        assert_non_null(d.value);
        for (int e = 0; e < c.nnz; e++)
            for (int k = 0; k < 9; k++)
                d.value[c.at[e] + k] = c.value[c.at[e] + k] * unit[c.first[c.row[e]] + k / 3] *
                                       unit[71 - (c.first[c.col[e]] + k % 3)];
        assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
        assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
        for (int i = 0; i < 72; i++)
            y[i] = b[i] * unit[i];
        assert_int_equal(ph_solver_factor(s, d.value), PH_OK);
        assert_int_equal(ph_solver_solve(s, y, y), PH_OK);
        for (int i = 0; i < 72; i++)
            y[i] *= unit[71 - i];
        check_le(max_diff(x, y, 72) / norm2(x, 72), 1e-12); /* round-off: other pivots may be chosen */
        free(d.value);
        ph_solver_destroy(s);
    }
    case_free(&c);
}

static void check_singular(const block_case *c, int from, int to)
{
    ph_graph g = case_graph(c);
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
        ph_solver *s;
        assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &g, NULL), PH_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(ph_solver_factor(s, c->value), PH_E_SINGULAR);
            assert_true(ph_solver_get_info(s).where >= from && ph_solver_get_info(s).where <= to);
        }
        ph_solver_destroy(s);
    }
}

static void test_singular(void **state)
{
    (void)state;
    /* two joints with the same rows between the same bodies, exact and up to round-off of a factor */
    for (int rounded = 0; rounded < 2; rounded++) {
        int pair[4][2] = {{-1, 0}, {0, 1}, {1, 2}, {0, 1}};
        block_case c = mechanism_case((const int(*)[2])pair, 3, 4, 2, 3, 3, 0, 4);
        int twin = 9, joint = 5; /* blocks: x0 r0 j0 x1 r1 j1 x2 r2 j2 j3 */
        for (int e = 0; e < c.nnz; e++)
            for (int f = 0; f < c.nnz; f++)
                if ((c.row[e] == twin && c.row[f] == joint && c.col[e] == c.col[f]) ||
                    (c.col[e] == twin && c.col[f] == joint && c.row[e] == c.row[f]))
                    for (int k = 0; k < 9; k++)
                        c.value[c.at[e] + k] = c.value[c.at[f] + k] * (rounded ? 1 / 3.0 : 1);
        check_singular(&c, 0, c.n - 1);
        case_free(&c);
    }
    /* a body without mass that nothing holds: block 3 */
    block_case c = case_chain(3, 0);
    for (int e = 0; e < c.nnz; e++)
        if (c.row[e] == 3 || c.col[e] == 3)
            memset(c.value + c.at[e], 0, 9 * sizeof(double));
    check_singular(&c, 3, 3);
    case_free(&c);
    /* a block that no row lists */
    c = (block_case){.seed = 5};
    for (int i = 0; i < 4; i++)
        case_block(&c, 2, 0);
    for (int i = 0; i < 3; i++)
        case_body(&c, i, 1, 0.2);
    check_singular(&c, -1, 3);
    case_free(&c);
}

/* NaN or infinity anywhere in A or b is an error. */
static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY};
    for (int ggl = 0; ggl < 2; ggl++)
        for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
            block_case c = case_chain(3, ggl);
            ph_graph g = case_graph(&c);
            ph_solver *s;
            double b[36], x[36];
            right_side(b, c.total, 4);
            assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &g, NULL), PH_OK);
            for (int k = 0; k < 2 * c.values; k += 1 + k % 5) {
                double keep = c.value[k / 2];
                c.value[k / 2] = bad[k % 2];
                if (ph_solver_factor(s, c.value) == PH_OK) {
                    assert_int_not_equal(ph_solver_solve(s, b, x), PH_OK);
                    assert_int_not_equal(ph_solver_solve_transposed(s, b, x), PH_OK);
                }
                c.value[k / 2] = keep;
            }
            assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
            for (int k = 0; k < c.total; k++) {
                double keep = b[k];
                b[k] = bad[k % 2];
                assert_int_equal(ph_solver_solve(s, b, x), PH_E_NAN);
                assert_int_equal(ph_solver_solve_transposed(s, b, x), PH_E_NAN);
                b[k] = keep;
            }
            ph_solver_destroy(s);
            case_free(&c);
        }
}

/* Graphs that make no sense. */
static void test_bad_graphs(void **state)
{
    (void)state;
    static const int size[] = {3, 3}, none[] = {3, 0}, row[] = {0, 1, 0}, col[] = {0, 1, 0},
                     out[] = {0, 2, 1}, negative[] = {0, -1, 1}, first[] = {2, 1, 0}, less[] = {-1, 1, 0};
#define BAD(blocks, sizes, count, rows, cols)                                                                \
    {                                                                                                        \
        .n = blocks, .size = sizes, .nnz = count, .row = rows, .col = cols                                   \
    }
    const ph_graph bad[] = {
        BAD(2, size, 3, row, col),  BAD(2, none, 2, row, col),      BAD(2, size, 2, row, out),
        BAD(2, size, 2, out, col),  BAD(2, size, 2, row, negative), BAD(-1, size, 0, row, col),
        BAD(2, size, -1, row, col), BAD(2, size, 2, row, first),    BAD(2, size, 2, first, col),
        BAD(2, size, 2, row, less), BAD(2, size, 2, less, col)};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
            ph_solver *s;
            assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &bad[k], NULL), PH_E_INPUT);
            assert_null(s);
        }
    ph_solver *s;
    assert_int_equal(ph_solver_analyse(&s, PH_SOLVER_COUNT, &bad[0], NULL), PH_E_INPUT);
    ph_solver_destroy(NULL);
    const ph_graph empty = {.size = size, .row = row, .col = col};
    double x = 0;
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) { /* a system of nothing is solved by nothing */
        assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &empty, NULL), PH_OK);
        assert_int_equal(ph_solver_factor(s, &x), PH_OK);
        assert_int_equal(ph_solver_solve(s, &x, &x), PH_OK);
        ph_solver_destroy(s);
    }
}

/* Analyse, factor twice (the second time a matrix that PH_AUTO gives to KLU), solve. */
static ph_status whole_life(ph_solver_kind kind, const block_case *c, const block_case *bad)
{
    ph_graph g = case_graph(c);
    ph_solver *s;
    double b[36], x[36];
    right_side(b, c->total, 6);
    ph_status status = ph_solver_analyse(&s, kind, &g, &counting);
    if (status == PH_OK)
        status = ph_solver_factor(s, c->value);
    if (status == PH_OK)
        status = ph_solver_solve(s, b, x);
    if (status == PH_OK && kind != PH_BLOCK && kind != PH_FRONT)
        status = ph_solver_factor(s, bad->value);
    if (status == PH_OK && kind != PH_BLOCK && kind != PH_FRONT)
        status = ph_solver_solve(s, b, x);
    ph_solver_destroy(s);
    return status;
}

static void test_memory_fails(void **state)
{
    (void)state;
    block_case c = tiny_pivot(1, 3, 4), bad = tiny_pivot(0, 3, 4);
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
        int failed = 0;
        memory.made = 0;
        for (int k = 1; k <= memory.made + 1; k++) {
            memory_begin(k);
            ph_status status = whole_life((ph_solver_kind)kind, &c, &bad);
            memory_end();
            assert_int_equal(memory.live, 0);
            assert_true(status == PH_E_MEMORY ||
                        status == PH_OK); /* KLU need not succeed in giving back memory */
            failed += status == PH_E_MEMORY;
        }
        assert_true(failed >= 2); /* the check of the graph, and the object */
    }
    case_free(&c), case_free(&bad);
}

static void test_no_allocation(void **state)
{
    (void)state;
    for (int ggl = 0; ggl < 2; ggl++) {
        block_case c = case_chain(4, ggl);
        ph_graph g = case_graph(&c);
        double b[48], x[48];
        right_side(b, c.total, 6);
        for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
            ph_solver *s;
            memory_begin(0);
            assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &g, &counting), PH_OK);
            if (kind == PH_KLU) /* chooses pivots the first time */
                assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
            int before = memory.made;
            for (int k = 0; k < 3; k++) {
                assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
                assert_int_equal(ph_solver_solve(s, b, x), PH_OK);
                assert_int_equal(ph_solver_solve_transposed(s, b, x), PH_OK);
            }
            assert_int_equal(memory.made, before);
            ph_solver_destroy(s);
            memory_end();
            assert_int_equal(memory.live, 0);
        }
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),         cmocka_unit_test(test_trees),
        cmocka_unit_test(test_stars),          cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_small_matrices), cmocka_unit_test(test_units),
        cmocka_unit_test(test_singular),       cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_graphs),     cmocka_unit_test(test_memory_fails),
        cmocka_unit_test(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
