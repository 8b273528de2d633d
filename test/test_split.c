/* Meshes of bodies and joints by a part of their matrix: that it is taken, which part, its accuracy, and what follows where it does not serve. */
#include "solver_cases.h"

#include "la/split.h"

/* Blocks of coupling between bodies a and b, which have two each. */
static void couple(block_case *c, int a, int b, double size)
{
    for (int k = 0; k < 4; k++)
        case_random(c, 2 * a + k / 2, 2 * b + k % 2, size),
            case_random(c, 2 * b + k / 2, 2 * a + k % 2, size);
}

/* Row l has blocks of bodies a and b, its column those across. */
static void join(block_case *c, int l, int a, int b)
{
    for (int k = 0; k < 4; k++) {
        int i = 2 * (k / 2 ? b : a) + k % 2;
        case_random(c, l, i, 1);
        double *v = case_entry(c, i, l), *across = v - c->size[l] * 3;
        for (int m = 0; m < 3 * c->size[l]; m++)
            v[m % 3 * c->size[l] + m / 3] = across[m];
    }
}

/* A net of n x n bodies with rods, of which one corner has a joint of three rows more; couplings of rods are this stiff. */
static block_case net(int n, double stiff)
{
    block_case c = {.seed = 17};
    for (int i = 0; i < n * n; i++)
        case_block(&c, 3, 0), case_block(&c, 3, 0);
    for (int i = 0; i < n * n; i++) {
        case_body(&c, 2 * i, 1, 0.1), case_body(&c, 2 * i + 1, 1, 0.1);
        case_random(&c, 2 * i, 2 * i + 1, 0.1), case_random(&c, 2 * i + 1, 2 * i, 0.1);
        for (int way = 0; way < 2; way++) {
            int other = way ? i + n : i + 1;
            if (way ? other >= n * n : other % n == 0)
                continue;
            couple(&c, i, other, stiff);
            join(&c, case_block(&c, 1, PH_LATE), i, other);
        }
    }
    join(&c, case_block(&c, 3, PH_LATE), 0, n * n - 1);
    return c;
}

/* Solutions of auto, of A and of A^T; who found the last one. */
static const char *check_net(const block_case *c)
{
    ph_graph g = case_graph(c);
    ph_solver *s, *klu;
    size_t n = (size_t)c->total;
    double *b = malloc(3 * n * sizeof(double)), *x = b + n, *y = x + n;
    assert_non_null(b);
    right_side(b, c->total, 3);
    assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_analyse(&klu, PH_KLU, &g, NULL), PH_OK);
    for (int t = 0; t < 2; t++) {
        ph_status (*const solve)(ph_solver *, const double *, double *) =
            t ? ph_solver_solve_transposed : ph_solver_solve;
        assert_int_equal(ph_solver_factor(s, c->value), PH_OK);
        assert_int_equal(ph_solver_factor(klu, c->value), PH_OK);
        assert_int_equal(solve(s, b, x), PH_OK);
        assert_int_equal(solve(klu, b, y), PH_OK);
        check_le(backward_error(c, b, x, t), 1e-14); /* round-off */
        double most = 0, apart = 0;
        for (int i = 0; i < c->total; i++)
            most = fmax(most, fabs(y[i])), apart = fmax(apart, fabs(x[i] - y[i]));
        check_le(apart, 1e-11 * most); /* round-off, times the condition of the net */
    }
    const char *backend = ph_solver_get_info(s).backend;
    ph_solver_destroy(s), ph_solver_destroy(klu);
    free(b);
    return backend;
}

/* (A13): as long as couplings are small; fronts of the whole matrix else. */
static void test_nets(void **state)
{
    (void)state;
    static const double stiff[] = {0, 1e-6, 1e-3, 1};
    static const char *const backend[] = {"split", "split", "split", "front"};
    for (int k = 0; k < 4; k++) {
        block_case c = net(12, stiff[k]);
        assert_string_equal(check_net(&c), backend[k]);
        case_free(&c);
    }
}

/* A body without mass, which its couplings alone hold: pivots across blocks are needed, and KLU comes after fronts. */
static void test_massless(void **state)
{
    (void)state;
    block_case c = net(12, 1e-3);
    for (int e = 0; e < c.nnz; e++)
        for (int k = 0; k < 9 && c.row[e] < 2 && c.col[e] < 2; k++)
            c.value[c.at[e] + k] = 0;
    assert_string_equal(check_net(&c), "klu");
    case_free(&c);
}

static void test_not_a_number(void **state)
{
    (void)state;
    block_case c = net(12, 1e-3);
    ph_graph g = case_graph(&c);
    ph_solver *s;
    double *b = calloc((size_t)c.total, sizeof(double));
    assert_non_null(b);
    assert_int_equal(ph_solver_analyse(&s, PH_AUTO, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s, c.value), PH_OK);
    b[5] = NAN;
    assert_int_equal(ph_solver_solve(s, b, b), PH_E_NAN);
    assert_string_equal(ph_solver_get_info(s).backend, "split");
    c.value[0] = NAN;
    assert_int_equal(ph_solver_factor(s, c.value), PH_E_SINGULAR);
    ph_solver_destroy(s);
    free(b);
    case_free(&c);
}

/* Bodies keep their own couplings, and lose those with each other; columns of multipliers lose what their rows do not have. */
static void test_part(void **state)
{
    (void)state;
    block_case c = {.seed = 1};
    for (int i = 0; i < 4; i++)
        case_block(&c, 3, 0);
    for (int l = 4; l < 7; l++)
        case_block(&c, 1, PH_LATE);
    for (int i = 0; i < 4; i++)
        case_body(&c, i, 1, 0.1);
    static const int kept[][2] = {{0, 1}, {1, 0}, {4, 0}, {4, 1}, {4, 2}, {5, 0},
                                  {5, 1}, {6, 2}, {0, 4}, {2, 3}, {4, 5}};
    static const int lost[][2] = {{0, 2}, {2, 1}, {3, 5}, {2, 5}};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        case_random(&c, kept[k][0], kept[k][1], 1);
    for (size_t k = 0; k < sizeof lost / sizeof *lost; k++)
        case_random(&c, lost[k][0], lost[k][1], 1);
    ph_graph g = case_graph(&c);
    ph_analysis *a;
    assert_int_equal(ph_split_ops.plan(&a, &g, NULL), PH_OK);
    ph_graph part = ph_split_graph(a);
    assert_int_equal(part.nnz, 4 + (int)(sizeof kept / sizeof *kept));
    for (int e = 0; e < part.nnz; e++) /* in the order of A, whose last blocks are lost */
        assert_true(part.row[e] == c.row[e] && part.col[e] == c.col[e]);
    ph_analysis_release(a);
    case_free(&c);
}

/* Each allocation fails in turn. */
static void test_memory(void **state)
{
    (void)state;
    block_case c = net(12, 1e-3);
    ph_graph g = case_graph(&c);
    memory.made = 0;
    for (int k = 1; k <= memory.made + 1; k++) {
        ph_analyses known = {0};
        ph_solver *s = NULL;
        memory_begin(k);
        ph_status status = ph_solver_analyse_known(&s, PH_AUTO, &g, &known, &counting);
        assert_true(status == PH_E_MEMORY || status == PH_OK);
        ph_solver_destroy(s);
        ph_analyses_forget(&known);
        memory_end();
        assert_int_equal(memory.live, 0);
    }
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nets), cmocka_unit_test(test_massless), cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_part), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
