/* Residuals and iterative refinement (A6): a poor solver is made good, and how far is told. */
#include "solver_cases.h"

#include "la/backend.h"

#define TOTAL 9

typedef struct poor {
    ph_solver base; /* solves with A^-1 (I + 1e-3 E), which knows three digits */
    ph_solver *inner;
} poor;

static void poor_solve(ph_solver *s, const double *b, double *x, int transposed)
{
    double c[TOTAL];
    for (int i = 0; i < TOTAL; i++)
        c[i] = b[i] + 1e-3 * b[(i + 4) % TOTAL];
    ph_solver *inner = ((poor *)s)->inner;
    assert_int_equal((transposed ? ph_solver_solve_transposed : ph_solver_solve)(inner, c, x), PH_OK);
}

typedef struct place {
    ph_pattern p;
    ph_refinement w;
    void *block;
} place;

static void lay(place *k, const ph_graph *g, ph_arena *a)
{
    ph_pattern_lay(&k->p, g, a);
    ph_refinement_lay(&k->w, TOTAL, a);
}

static void open_place(place *k, const ph_graph *g)
{
    ph_arena a = {0};
    lay(k, g, &a);
    assert_true(ph_arena_open(&a, NULL));
    lay(k, g, &a);
    k->block = a.block;
}

/* Each correction takes three digits, in both directions; none is taken where none is allowed. */
static void poor_solvers_become_good(void **state)
{
    (void)state;
    static const int size[3] = {2, 4, 3};
    block_case c = case_full(3, size);
    ph_graph g = case_graph(&c);
    poor s = {0};
    place k = {0};
    double b[TOTAL], x[TOTAL];
    right_side(b, TOTAL, 11);
    open_place(&k, &g);
    assert_int_equal(ph_solver_analyse(&s.inner, PH_DENSE, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(s.inner, c.value), PH_OK);
    for (int transposed = 0; transposed < 2; transposed++) {
        double last = 1;
        for (int steps = 0; steps <= 2; steps++) {
            double error = ph_refine(&k.w, &s.base, poor_solve, &k.p, c.value, b, x, steps, transposed);
            check_near(error / backward_error(&c, b, x, transposed), 1,
                       1e-6);             /* what it says is what it is */
            check_le(error, 0.02 * last); /* ordering: 1e-3 each */
            assert_true(steps > 0 || error > 1e-6);
            last = error;
        }
        double error =
            ph_refine(&k.w, &s.base, poor_solve, &k.p, c.value, b, b, 20, transposed); /* in place */
        check_le(error, 1e-15);                                                        /* round-off */
        right_side(b, TOTAL, 11);
    }
    b[3] = NAN;
    assert_true(isnan(ph_pattern_residual(&k.p, c.value, b, x, k.w.r, k.w.scale, 0)));
    assert_false(ph_all_finite(b, TOTAL));
    ph_solver_destroy(s.inner);
    free(k.block);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poor_solvers_become_good)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
