/* Every row of the table of figures, section by section, and the page that shows them.
 * Classes and reasons of the tolerances stand in src/study/figures.def and in the texts of its sections. */
#include "check.h"

#include "study/figure.h"

enum { MAX_SECTIONS = 32 };

typedef struct section {
    ph_study *study;
    int first; /* row after its title */
} section;

/* The state of a section is its place in the table. */
static void test_section(void **state)
{
    const section *s = *state;
    int rows = 0, failed = 0;
    for (int k = s->first; ph_figure_get(k) && !ph_figure_get(k)->section; k++, rows++) {
        const ph_figure *f = ph_figure_get(k);
        double value[PH_FIGURE_MAX];
        ph_figure_measure(s->study, f, value);
        for (int i = 0; i < f->n; i++) {
            double error = ph_figure_error(f, i, value[i]), bound = ph_figure_bound(f, i);
            if (tol_scale() == 0)
                printf("%s[%d] = %.10g: %.3e of %.1e\n", f->id, i, value[i], error, bound);
            else if (!(error <= bound * (bound > 0 ? tol_scale() : 1))) {
                print_error("%s[%d], %s: %.10g instead of %.10g\n", f->id, i, f->what, value[i],
                            f->expected[i]);
                if (isnan(value[i]))
                    print_error("last complaint of a model: %s\n", ph_study_complaint(s->study));
                failed++;
            }
        }
    }
    assert_true(rows > 0);
    assert_int_equal(failed, 0);
}

static void test_rows(void **state)
{
    (void)state;
    for (int k = 0; ph_figure_get(k); k++) {
        const ph_figure *f = ph_figure_get(k);
        if (f->section)
            continue;
        assert_true(f->n >= 1 && f->n <= PH_FIGURE_MAX && f->measure);
        for (int j = 0; j < k; j++)
            assert_true(ph_figure_get(j)->section || strcmp(ph_figure_get(j)->id, f->id) != 0);
        /* what could not be measured must not pass */
        for (int i = 0; i < f->n; i++)
            assert_false(ph_figure_error(f, i, NAN) <= ph_figure_bound(f, i));
    }
    assert_null(ph_figure_get(-1));
}

/* A line for each row, and the number of rows that fail. */
static void test_page(void **state)
{
    static char page[1 << 17];
    const section *s = *state;
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(ph_figures_page(s->study, out), 0);
    rewind(out);
    size_t size = fread(page, 1, sizeof page - 1, out);
    fclose(out);
    assert_true(size > 0 && size < sizeof page - 1);
    assert_null(strstr(page, "**no**"));
    assert_null(strstr(page, "nan"));
    for (int k = 0; ph_figure_get(k); k++) {
        const ph_figure *f = ph_figure_get(k);
        char line[160];
        snprintf(line, sizeof line, f->section ? "\n## %s\n" : "\n| %s |", f->section ? f->section : f->id);
        assert_non_null(strstr(page, line));
    }
}

int main(void)
{
    static section sections[MAX_SECTIONS];
    struct CMUnitTest tests[MAX_SECTIONS + 2] = {cmocka_unit_test(test_rows)};
    size_t n = 0;
    ph_study *study = ph_study_create(PH_TEST_DIR "/../models");
    if (!study)
        return 1;
    for (int k = 0; ph_figure_get(k); k++)
        if (ph_figure_get(k)->section && n < MAX_SECTIONS) {
            sections[n] = (section){study, k + 1};
            tests[n + 1] = (struct CMUnitTest){
                .name = ph_figure_get(k)->section, .test_func = test_section, .initial_state = &sections[n]};
            n++;
        }
    tests[n + 1] = (struct CMUnitTest){.name = "page", .test_func = test_page, .initial_state = &sections[0]};
    int failed = _cmocka_run_group_tests("figures", tests, n + 2, NULL, NULL);
    ph_study_destroy(study);
    return failed;
}
