/* The words for choices: each value has one of its own, in the order of its enumeration, and the list ends. */
#include "check.h"

#include "polhode/sens.h"

static void check_words(const char *(*word)(int), int n, const char *first, const char *last)
{
    for (int k = 0; k < n; k++) {
        assert_non_null(word(k));
        for (int i = 0; i < k; i++)
            assert_string_not_equal(word(i), word(k));
    }
    assert_string_equal(word(0), first);
    assert_string_equal(word(n - 1), last);
    assert_null(word(-1));
    assert_null(word(n));
}

static void words(void **state)
{
    (void)state;
    check_words(ph_formulation_word, PH_GGL + 1, "index3", "ggl");
    check_words(ph_newton_word, PH_MODIFIED + 1, "step", "modified");
    check_words(ph_start_word, PH_PLAIN + 1, "perturbed", "plain");
    check_words(ph_correction_word, PH_WITHOUT + 1, ph_correction_word(0), "none");
    check_words(ph_simplification_word, PH_WITHOUT_KG + 1, "none", "without-kg");
    check_words(ph_solver_word, PH_SOLVER_COUNT, "auto", ph_solver_word(PH_SOLVER_COUNT - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
