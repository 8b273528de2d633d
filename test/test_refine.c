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

static void good_solve(ph_solver *s, const double *b, double *x, int transposed)
{
    ph_solver *inner = ((poor *)s)->inner;
    assert_int_equal((transposed ? ph_solver_solve_transposed : ph_solver_solve)(inner, b, x), PH_OK);
}

static void bad_solve(ph_solver *s, const double *b, double *x, int transposed) /* never gets better */
{
    good_solve(s, b, x, transposed);
    for (int i = 0; i < 4; i++)
        x[i] += 1e-5 * x[4 + i];
}

/* A body that a constraint holds: its unknowns are 0 but for round-off, and are good; wrong ones are not. */
static void zeros_are_good(void **state)
{
    (void)state;
    static const int size[2] = {4, 4};
    static const unsigned char late[2] = {0, 1};
    block_case c = case_full(2, size);
    ph_graph g = case_graph(&c);
    uint64_t seed = 5;
    ph_solver *inner;
    double b[8] = {0}, x[8];
    g.late = late;
    for (int i = 0; i < 8; i++) /* [M B^T; B 0] with B square */
        for (int j = 0; j <= i; j++) {
            int late_row = i >= 4, late_col = j >= 4;
            double a = late_row && late_col ? 0 : rnd(&seed) + (i == j ? 4 : 0);
            c.value[16 * (2 * late_row + late_col) + 4 * (i % 4) + j % 4] = a;
            c.value[16 * (2 * late_col + late_row) + 4 * (j % 4) + i % 4] = a;
        }
    for (int i = 0; i < 4; i++)
        b[i] = rnd(&seed);
    ph_arena a = {0};
    ph_pattern p;
    ph_refinement w;
    for (int k = 0; k < 2; k++) {
        ph_pattern_lay(&p, &g, &a), ph_refinement_lay(&w, 8, &a);
        if (!k)
            assert_true(ph_arena_open(&a, NULL));
    }
    assert_int_equal(ph_solver_analyse(&inner, PH_DENSE, &g, NULL), PH_OK);
    assert_int_equal(ph_solver_factor(inner, c.value), PH_OK);
    poor s = {.inner = inner};
    double good = ph_refine(&w, &s.base, good_solve, &p, c.value, b, x, 3, 0);
    check_le(norm2(x, 4), 1e-14); /* round-off */
    check_le(good, 1e-12);
    assert_true(ph_pattern_residual(&p, c.value, b, x, w.r, w.scale, 0) > 1e-4 || norm2(x, 4) == 0);
    double bad = ph_refine(&w, &s.base, bad_solve, &p, c.value, b, x, 3, 0);
    assert_true(bad > 1e-6);
    ph_solver_destroy(inner);
    free(a.block);
    case_free(&c);
}

/* The weight of a block of rows, by its definition: the size of its terms, or a thousandth of what cancels in it. Late rows
 * see the unknowns of others, whose own rows have one unit by the roots of their diagonals. */
static void weights(void **state)
{
    (void)state;
    static const int size[2] = {3, 2};
    static const unsigned char late[2] = {0, 1};
    block_case c = case_full(2, size);
    ph_graph g = case_graph(&c);
    g.late = late;
    const double A[5][5] = {{5, 0.1, 0.2, 3, 0.5},
                            {0.3, 2, -0.1, 0.7, 1},
                            {0.2, 0.4, 1e8, -0.2, 1},
                            {8, 0.1, -1, 0, 0},
                            {1, 2, 0.3, 0, 0}};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int r = i >= 3, s = j >= 3;
            c.value[(r ? 15 : 0) + (s ? (r ? 6 : 9) : 0) + (i - 3 * r) * size[s] + j - 3 * s] = A[i][j];
        }
    ph_arena a = {0};
    ph_pattern p;
    ph_refinement w;
    for (int k = 0; k < 2; k++) {
        ph_pattern_lay(&p, &g, &a), ph_refinement_lay(&w, 5, &a);
        if (!k)
            assert_true(ph_arena_open(&a, NULL));
    }
    const double b[5] = {0}, x[5] = {0, 0, 0, 1e-3, -2e-3};
    for (int transposed = 0; transposed < 2; transposed++) {
        double scale[5] = {0}, most = 0, gross[3], rows[5] = {0};
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                scale[i] += fabs((transposed ? A[j][i] : A[i][j]) * x[j]);
        for (int i = 0; i < 3; i++)
            gross[i] = scale[i] / A[i][i], most = fmax(most, scale[i] / sqrt(A[i][i]));
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 3; j++)
                rows[i] =
                    i < 3 ? sqrt(A[i][i]) * most : rows[i] + fabs(transposed ? A[j][i] : A[i][j]) * gross[j];
        double told = ph_refinement_weigh(&w, &p, c.value, b, x, transposed), error = 0;
        for (int block = 0, at = 0; block < 2; at += size[block++]) {
            double own = 0, all = 0, left = 0;
            for (int i = at; i < at + size[block]; i++)
                own = fmax(own, scale[i]), all = fmax(all, 1e-3 * rows[i]), left = fmax(left, fabs(w.r[i]));
            error = fmax(error, left / all);
            assert_true(all > own);                 /* what is looked at here */
            check_near(w.size[at] / all, 1, 1e-14); /* round-off */
        }
        check_near(told / error, 1, 1e-14); /* round-off: the worst block of rows */
    }
    free(a.block);
    case_free(&c);
}

/* Every number counts, at each place of the loop over four and of the rest. */
static void finite_numbers(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++)
        for (int at = 0; at <= n; at++) {
            double x[12];
            for (int i = 0; i < 12; i++)
                x[i] = i == at ? (i % 2 ? INFINITY : NAN) : 1e300;
            assert_int_equal(!ph_all_finite(x, n), at < n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poor_solvers_become_good),
                                       cmocka_unit_test(zeros_are_good), cmocka_unit_test(weights),
                                       cmocka_unit_test(finite_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
