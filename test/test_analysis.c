/* Analyses of graphs that were analysed before are found. */
#include "solver_cases.h"

/* Two solvers on one graph, and one on another. */
static ph_status shared_life(ph_solver_kind kind, const block_case *c, const block_case *other,
                             ph_analyses *known)
{
    ph_solver *s[3] = {0};
    const block_case *of[] = {c, c, other};
    double b[48], x[3][48];
    ph_status status = PH_OK;
    for (int k = 0; k < 3 && status == PH_OK; k++) {
        ph_graph g = case_graph(of[k]);
        g.trust = k == 1 ? 1e13 : 0;
        status = ph_solver_analyse_known(&s[k], kind, &g, known, &counting);
    }
    for (int k = 0; k < 3 && status == PH_OK; k++) /* all are factored before the first is solved */
        status = ph_solver_factor(s[k], of[k]->value);
    for (int k = 0; k < 3 && status == PH_OK; k++) {
        right_side(b, of[k]->total, 6);
        status = ph_solver_solve(s[k], b, x[k]);
    }
    if (status == PH_OK)
        assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)c->total); /* exact */
    for (int k = 0; k < 3; k++)
        ph_solver_destroy(s[k]);
    return status;
}

/* A graph is analysed once for all solvers that are told of it; each allocation fails in turn. */
static void test_known_graphs(void **state)
{
    (void)state;
    const int made[PH_SOLVER_COUNT] = {[PH_AUTO] = 2, [PH_BLOCK] = 2, [PH_FRONT] = 2, [PH_KLU] = 2};
    block_case c = case_chain(4, 0), other = case_chain(4, 1);
    for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
        memory.made = 0;
        for (int k = 1; k <= memory.made + 1; k++) {
            ph_analyses known = {0};
            memory_begin(k);
            ph_status status = shared_life((ph_solver_kind)kind, &c, &other, &known);
            assert_true(status == PH_E_MEMORY || status == PH_OK);
            assert_true(known.count <= made[kind]);
            ph_analyses_forget(&known);
            memory_end();
            assert_int_equal(memory.live, 0);
        }
        ph_analyses known = {0};
        memory_begin(0);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(shared_life((ph_solver_kind)kind, &c, &other, &known), PH_OK);
            assert_int_equal(known.count, made[kind]);
        }
        ph_analyses_forget(&known);
        memory_end();
        assert_int_equal(memory.live, 0);
    }
    case_free(&c), case_free(&other);
}

/* Where nothing is told of blocks, none is late or upper: the graph of zeros. One late or upper block makes another graph. */
static void test_graphs_that_tell_nothing(void **state)
{
    (void)state;
    block_case c = case_lattice(2, 2, 6);
    unsigned char none[4] = {0}, one[4] = {0, 0, 0, 1};
    ph_graph g[] = {case_graph(&c), case_graph(&c), case_graph(&c), case_graph(&c)};
    const int made[] = {1, 1, 2, 3};
    g[0].late = g[0].upper = NULL;
    g[1].late = g[1].upper = none;
    g[2].late = one, g[2].upper = NULL;
    g[3].late = NULL, g[3].upper = one;
    ph_analyses known = {0};
    for (int k = 0; k < 8; k++) {
        ph_solver *s = NULL;
        assert_int_equal(ph_solver_analyse_known(&s, PH_BLOCK, &g[k % 4], &known, NULL), PH_OK);
        ph_solver_destroy(s);
        assert_int_equal(known.count, k < 4 ? made[k] : 3);
    }
    ph_analyses_forget(&known);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_graphs),
        cmocka_unit_test(test_graphs_that_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
