/* Colourings of sparse patterns: valid, and few. */
#include "sim_cases.h"
#include "step/pattern.h"

/* Calls of g for each iteration of a chain without tangents. */
static double calls_per_iteration(int bodies)
{
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){bodies, 0});
    assert_non_null(p);
    ph_options o = options_for(p, PH_GGL);
    wrap w;
    wrap_open(&w, &p->sys);
    without_tangents(&w.sys);
    ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
    memset(w.calls, 0, sizeof w.calls);
    run_sim(sim, 3);
    double n = (double)w.calls[IN_g] / (double)ph_sim_stats(sim).iterations;
    ph_sim_destroy(sim);
    wrap_close(&w);
    ph_problem_destroy(p);
    return n;
}

static void colours_do_not_grow(void **state)
{
    (void)state;
    double few = calls_per_iteration(10), many = calls_per_iteration(50);
    assert_true(few == many);
    /* 1 for the residual; by q and by v, both sides, 3 coordinates, at most 6 colours: bodies in a row of
     * three */
    assert_true(many > 1 && many <= 1 + 2 * 2 * 3 * 6);
}

static void check_colours(int rows, int cols, int count, uint64_t *seed)
{
    int *row = calloc((size_t)count + 1, sizeof(int)), *col = calloc((size_t)count + 1, sizeof(int));
    int *colour = calloc((size_t)cols + 1, sizeof(int));
    size_t need = ph_colour_scratch(rows, cols, count);
    int *scratch = calloc(need + 1, sizeof(int));
    assert_true(row && col && colour && scratch);
    for (int k = 0; k < count; k++) {
        row[k] = (int)((rnd(seed) + 1) / 2 * rows);
        col[k] = (int)((rnd(seed) + 1) / 2 * cols);
    }
    scratch[need] = 12345;
    int colours = ph_colour(rows, cols, count, row, col, colour, scratch), most = 0;
    assert_int_equal(scratch[need], 12345);
    int last = -1;
    for (int c = 0; c < cols; c++) {
        assert_true(colour[c] >= 0 && colour[c] <= last + 1); /* the least that is free: none is left out */
        last = colour[c] > last ? colour[c] : last;
    }
    assert_int_equal(colours, last + 1);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < k; l++)
            if (row[k] == row[l] && col[k] != col[l])
                assert_true(colour[col[k]] != colour[col[l]]);
    for (int r = 0; r < rows; r++) { /* no fewer than the fullest row has columns */
        int in_row = 0;
        for (int c = 0; c < cols; c++) {
            int there = 0;
            for (int k = 0; k < count; k++)
                there |= row[k] == r && col[k] == c;
            in_row += there;
        }
        most = in_row > most ? in_row : most;
    }
    assert_true(colours >= most);
    free(row), free(col), free(colour), free(scratch);
}

static void colours_are_valid(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int trial = 0; trial < 200; trial++) {
        int rows = 1 + (int)((rnd(&seed) + 1) * 6), cols = 1 + (int)((rnd(&seed) + 1) * 10);
        check_colours(rows, cols, (int)((rnd(&seed) + 1) * 20), &seed);
    }
    check_colours(1, 40, 200, &seed);
    check_colours(40, 1, 200, &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_do_not_grow),
        cmocka_unit_test(colours_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
