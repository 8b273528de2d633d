/* The plan of fronts: each unknown in one front, each block of A at its place, updates where their parent expects them. */
#include "solver_cases.h"

#include "la/front.h"

/* Unknown i of front f, in elimination order. */
static int unknown(const ph_front_plan *b, int f, int i)
{
    const ph_front *x = &b->front[f];
    return i < x->p ? x->first + i : b->row[x->rows + i - x->p];
}

static void check_front(const ph_front_plan *b, const block_case *c, int f, int *parents)
{
    const ph_front *x = &b->front[f];
    for (int i = 1; i < x->p + x->r; i++)
        assert_true(unknown(b, f, i) > unknown(b, f, i - 1));
    for (int e = x->entries; e < x->end; e++) {
        const ph_front_entry *y = &b->entry[e];
        int listed = 0;
        while (c->at[listed] != y->at)
            assert_true(++listed < c->nnz);
        for (int i = 0; i < y->m; i++)
            assert_int_equal(b->from[unknown(b, f, y->row + i)], c->first[c->row[listed]] + i);
        for (int i = 0; i < y->n; i++)
            assert_int_equal(b->from[unknown(b, f, y->col + i)], c->first[c->col[listed]] + i);
        assert_true(y->row < x->p || y->col < x->p); /* eliminated here */
    }
    for (int k = x->child; k >= 0; k = b->front[k].sibling, parents[0]++)
        for (int i = 0; i < b->front[k].r; i++)
            assert_int_equal(unknown(b, f, b->map[b->front[k].rows + i]), b->row[b->front[k].rows + i]);
}

static void test_plan(void **state)
{
    (void)state;
    block_case c[] = {case_lattice(9, 8, 3), case_lattice(5, 5, 6), case_chain(15, 0), case_lattice(1, 9, 4)};
    for (size_t m = 0; m < sizeof c / sizeof *c; m++) {
        ph_graph g = case_graph(&c[m]);
        ph_analysis *a;
        int next = 0, entries = 0, parents = 0, roots = 0;
        size_t doubles = 0;
        assert_int_equal(ph_front_make_plan(&a, &g, NULL), PH_OK);
        const ph_front_plan *b = (const ph_front_plan *)a;
        unsigned char *seen = calloc((size_t)c[m].total, 1);
        assert_non_null(seen);
        for (int i = 0; i < c[m].total; i++)
            assert_int_equal(seen[b->from[i]]++, 0);
        for (int f = 0; f < b->n_fronts; f++) {
            const ph_front *x = &b->front[f];
            assert_true(x->first == next && x->entries == entries && x->lu == doubles);
            next += x->p, entries = x->end, doubles += (size_t)x->p * (size_t)(x->p + 2 * x->r);
            roots += x->r == 0;
            assert_in_range(x->p + x->r, 1, b->widest);
            assert_true(x->update + (size_t)x->r * (size_t)x->r <= b->stack);
            check_front(b, &c[m], f, &parents);
        }
        assert_true(next == c[m].total && entries == c[m].nnz && doubles == b->store);
        assert_int_equal(parents + roots, b->n_fronts);
        free(seen);
        ph_analysis_release(a);
        case_free(&c[m]);
    }
}

/* Fronts are joined where that is less work (A11): a full matrix is one front, blocks without neighbours are one each, and
 * a long row of numbers is cut where a front of so many would cost more than two. */
static void test_joined(void **state)
{
    (void)state;
    static const int size[6] = {3, 1, 6, 3, 5, 2};
    block_case c[3] = {case_full(6, size), {.seed = 3}, case_lattice(1, 400, 1)};
    static const int least[3] = {1, 7, 5}, most[3] = {1, 7, 40};
    for (int i = 0; i < 7; i++)
        case_block(&c[1], 2, 0), case_body(&c[1], i, 3, 0.2);
    for (int m = 0; m < 3; m++) {
        ph_graph g = case_graph(&c[m]);
        ph_analysis *a;
        assert_int_equal(ph_front_make_plan(&a, &g, NULL), PH_OK);
        assert_in_range(((const ph_front_plan *)a)->n_fronts, least[m], most[m]);
        ph_analysis_release(a);
        case_free(&c[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan), cmocka_unit_test(test_joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
