/* The program of block LU: pivots, their neighbours and what is subtracted, as elimination has them. */
#include "solver_cases.h"

#include "la/block.h"

/* Places of blocks of the store must not overlap: each is marked once. */
static void mark(unsigned char *used, size_t store, int at, int count)
{
    assert_true(at > 0 && (size_t)(at + count) <= store);
    for (int i = 0; i < count; i++)
        assert_int_equal(used[at + i]++, 0);
}

static void check_pivots(const ph_block_program *b, const block_case *c, const unsigned char *f)
{
    int n = c->n, above = 0, below = 0, pairs = 0;
    unsigned char *used = calloc(b->store, 1);
    assert_non_null(used);
    for (int k = 0; k < n; k++) {
        const ph_pivot *p = &b->pivot[k];
        int size = c->size[b->order[k]], column = 0, row = 0;
        for (int i = 0; i < n; i++) {
            column += i > k && f[i * n + k];
            row += i < k && f[k * n + i];
        }
        assert_true(p->size == size && p->unknown == c->first[b->order[k]]);
        mark(used, b->store, p->inverse, size * size);
        assert_true(p->above_end - above == column && p->below_end - below == row);
        for (int t = above; t < p->above_end; t++)
            mark(used, b->store, b->above[t].l, size * b->above[t].size);
        above = p->above_end, below = p->below_end;
        pairs += column * (column - 1) / 2; /* each pair of a column meets at one block of L and one of U */
    }
    assert_int_equal(above, below);
    assert_int_equal(above ? b->target[above - 1].pairs_end : 0, pairs);
    free(used);
}

/* Where column m of L has row i, counted as the program does: in above and in target. */
static int entry_of(const ph_block_program *b, int n, const unsigned char *f, int i, int m)
{
    int t = m > 0 ? b->pivot[m - 1].above_end : 0;
    for (int j = m + 1; j < i; j++)
        t += f[j * n + m];
    return t;
}

/* L_ik and U_ki lose L_im U_mk and L_km U_mi for each m that is coupled with both. */
static void check_pairs(const ph_block_program *b, const block_case *c, const unsigned char *f)
{
    int n = c->n, next = 0;
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int m = 0, first = next; m < k && f[i * n + k]; m++) {
                if (!f[i * n + m] || !f[k * n + m])
                    continue;
                const ph_block_neighbour *im = &b->above[entry_of(b, n, f, i, m)],
                                         *km = &b->above[entry_of(b, n, f, k, m)];
                int found = 0, end = b->target[entry_of(b, n, f, i, k)].pairs_end;
                for (int t = first; t < end; t++) {
                    const ph_pair *p = &b->pair[t];
                    found += p->l_im == im->l && p->u_mk == km->u && p->l_km == km->l && p->u_mi == im->u &&
                             p->size == b->pivot[m].size;
                }
                assert_int_equal(found, 1);
                assert_true(++next <= end);
            }
}

static void test_program(void **state)
{
    (void)state;
    block_case c[] = {case_chain(12, 0), case_lattice(6, 5, 2), case_lattice(1, 9, 4),
                      star_case(7, 1, 6, 5, 0)};
    for (size_t m = 0; m < sizeof c / sizeof *c; m++) {
        ph_graph g = case_graph(&c[m]);
        ph_analysis *a;
        assert_int_equal(ph_block_plan(&a, &g, NULL), PH_OK);
        const ph_block_program *b = (const ph_block_program *)a;
        unsigned char *f = eliminated(&c[m], b->order);
        assert_int_equal(b->n, c[m].n);
        check_pivots(b, &c[m], f);
        check_pairs(b, &c[m], f);
        free(f);
        ph_analysis_release(a);
        case_free(&c[m]);
    }
}

/* An order that is known is taken. */
static void test_known_order(void **state)
{
    (void)state;
    block_case c = case_lattice(4, 4, 3);
    ph_graph g = case_graph(&c);
    ph_structure s;
    ph_analysis *a;
    assert_int_equal(ph_order(&s, &g, NULL), PH_OK);
    g.ordered = &s;
    assert_int_equal(ph_block_plan(&a, &g, NULL), PH_OK);
    assert_memory_equal(((const ph_block_program *)a)->order, s.order, (size_t)c.n * sizeof(int));
    ph_analysis_release(a);
    ph_structure_free(&s, NULL);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_program), cmocka_unit_test(test_known_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
