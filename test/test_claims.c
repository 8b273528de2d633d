/* Every row of the table of claims, section by section, and the page that shows them.
 * Classes and reasons of the tolerances stand in verify/claim/claims.def and in the texts of its sections.
 * PH_CLAIMS=quick leaves out rows that take long, for builds with sanitizers; PH_CLAIMS=all measures the
 * slow ones too. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "claim/claim.h"

enum { MAX_SECTIONS = 64 };

typedef struct section {
    ph_study *study;
    int first; /* row after its title */
} section;

static ph_effort effort(void)
{
    const char *word = getenv("PH_CLAIMS");
    return !word ? PH_LONG : !strcmp(word, "quick") ? PH_QUICK : !strcmp(word, "all") ? PH_SLOW : PH_LONG;
}

static double measured[1024][PH_CLAIM_MAX]; /* by row, for the page */

/* The state of a section is its place in the table. */
static void test_section(void **state)
{
    const section *s = *state;
    int rows = 0, failed = 0;
    for (int k = s->first; ph_claim_get(k) && !ph_claim_get(k)->section; k++, rows++) {
        const ph_claim *f = ph_claim_get(k);
        double *value = measured[k];
        if (f->effort > effort())
            continue;
        ph_claim_measure(s->study, f, value);
        for (int i = 0; i < f->n; i++) {
            double error = ph_claim_error(f, i, value[i]), bound = ph_claim_bound(f, i);
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
    for (int k = 0; ph_claim_get(k); k++) {
        const ph_claim *f = ph_claim_get(k);
        if (f->section)
            continue;
        assert_true(f->n >= 1 && f->n <= PH_CLAIM_MAX && f->measure);
        for (int j = 0; j < k; j++)
            assert_true(ph_claim_get(j)->section || strcmp(ph_claim_get(j)->id, f->id) != 0);
        /* what could not be measured must not pass */
        for (int i = 0; i < f->n; i++)
            assert_false(ph_claim_error(f, i, NAN) <= ph_claim_bound(f, i));
    }
    assert_null(ph_claim_get(-1));
}

static int claim_of(const char *id)
{
    for (int k = 0; ph_claim_get(k); k++)
        if (ph_claim_get(k)->id && !strcmp(ph_claim_get(k)->id, id))
            return k;
    return -1;
}

static int picture_of(const char *name)
{
    for (int k = 0; ph_picture_get(k); k++)
        if (!strcmp(ph_picture_get(k)->name, name))
            return k;
    return -1;
}

static void check_words(const char *words, int (*find)(const char *))
{
    char copy[512];
    assert_true(strlen(words) < sizeof copy);
    strcpy(copy, words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (find(word) < 0)
            fail_msg("'%s' is not there", word);
}

/* What papers are compared with is there, and so are the pictures. */
static void test_papers(void **state)
{
    (void)state;
    for (int k = 0; ph_paper_get(k); k++) {
        const ph_paper *p = ph_paper_get(k);
        assert_non_null(p->remark);
        if (!p->title) {
            check_words(p->rows, claim_of);
            check_words(p->see, picture_of);
        }
    }
    for (int k = 0; ph_picture_get(k); k++) {
        char path[512];
        snprintf(path, sizeof path, PH_TEST_DIR "/../docs/figures/%s.svg", ph_picture_get(k)->name);
        assert_int_equal(picture_of(ph_picture_get(k)->name), k);
        if (access(path, R_OK) != 0)
            fail_msg("%s is not there: polhode-verify --all -o docs/verification.md", path);
    }
}

/* A command that a method's formulation matters to states it. */
static void check_formulation(const char *command)
{
    int reads = strstr(command, "rkmk") == NULL && strstr(command, "verify") == NULL &&
                strncmp(command, "check", 5) != 0 && strncmp(command, "modes", 5) != 0 &&
                strstr(command, "--oscillator") == NULL;
    if (reads && !strstr(command, "--formulation"))
        fail_msg("'polhode %s' depends on the default formulation", command);
}

/* Without the name of the program, "polhode " or "polhode-": what is left of the second is no command. */
static const char *behind_name(const char *command)
{
    assert_memory_equal(command, "polhode", 7);
    return command + 8;
}

static void check_command(const char *id, const char *want)
{
    char text[512];
    ph_claim_command(ph_claim_find(id), text, sizeof text);
    assert_string_equal(behind_name(text), want);
}

/* Every row has a command, which states all that it depends on; rows that compare us with ourselves say so. */
static void test_commands(void **state)
{
    (void)state;
    for (int k = 0; ph_claim_get(k); k++) {
        char text[512];
        if (ph_claim_get(k)->section)
            continue;
        ph_claim_command(ph_claim_get(k), text, sizeof text);
        assert_in_range(strlen(text), 10, 400);
        check_formulation(behind_name(text));
    }
    for (int k = 0; ph_picture_get(k); k++)
        check_formulation(ph_picture_get(k)->command);
    check_command("e3-0", "converge heavy_top_r3xso3 --formulation index3 --sigma 0 --rho 0.9 --start "
                          "perturbed --h 0.001 --from 0.5 --t-end 1");
    check_command("o-rotor-opt", "converge rotor --formulation index3 --sigma opt --rho 0.9 --start "
                                 "perturbed --h 2.5e-5,1.25e-5,6.25e-6 "
                                 "--from 0.09 --t-end 0.1");
    check_command(
        "m-slider-2-order",
        "converge models/slider_crank.lua --formulation ggl --sigma 1 --rho 0.875 --start perturbed "
        "--h 0.0005,0.00025,0.000125 --from 2 --t-end 2 --sensor s,theta,sdot");
    check_command("m-slider-2",
                  "sweep models/slider_crank.lua --formulation ggl --sigma 1 --rho 0.875 --start perturbed "
                  "--vary h=0.0005,0.00025,0.000125 --t-end 2 --sensor s,theta,sdot --json");
    check_command(
        "hag-n-slider-euler",
        "work models/slider_crank.lua --space euler --formulation index3 --rho 0.875 --start perturbed "
        "--newton full --atol 1e-10 --rtol 1e-9 --h 0.001 --t-end 2 --repeats 1");
    check_command("thrown-linear", "run models/flying_spaghetti.lua --set mass=1 --space SE3 --method rkmk "
                                   "--tableau dopri8 --atol 1e-14 "
                                   "--rtol 1e-15 --h 0.001953125 --t-end 10");
    check_command("p-plain", "converge pendulum --set x=0.2 --formulation index3 --sigma 0 --rho 0.9 --start "
                             "plain --h 0.02,0.01 --t-end 2");
    check_command("eg-0", "verify --row eg-0"); /* eta outside for sigma = 0 is no option of the program */
    assert_memory_equal(ph_claim_find("mt-3-0")->source, "self", 4);
    assert_memory_equal(ph_claim_find("sens-d-3-1")->source, "self", 4);
}

/* A line for each row, and the number of rows that fail. */
static void test_page(void **state)
{
    static char page[1 << 20];
    FILE *out = tmpfile();
    (void)state;
    assert_non_null(out);
    assert_int_equal(ph_claims_page(out, effort(), (const double(*)[PH_CLAIM_MAX])measured, "figures"), 0);
    rewind(out);
    size_t size = fread(page, 1, sizeof page - 1, out);
    fclose(out);
    assert_true(size > 0 && size < sizeof page - 1);
    assert_null(strstr(page, "**no**"));
    assert_null(strstr(page, "nan"));
    for (int k = 0; ph_claim_get(k); k++) {
        const ph_claim *f = ph_claim_get(k);
        char line[160];
        snprintf(line, sizeof line, f->section ? "\n## %s\n" : "\n| %s |", f->section ? f->section : f->id);
        assert_non_null(strstr(page, line));
    }
    assert_non_null(strstr(page, "figures/heavy_top_orders.svg"));
}

/* A row that fails is counted and shown. */
static void test_failure(void **state)
{
    static double wrong[1024][PH_CLAIM_MAX];
    static char page[1 << 20];
    FILE *out = tmpfile();
    (void)state;
    assert_non_null(out);
    memcpy(wrong, measured, sizeof wrong);
    wrong[claim_of("start-xddot")][1] += 1e-6;
    wrong[claim_of("amp-0.9-n")][0] = NAN;
    assert_int_equal(ph_claims_page(out, effort(), (const double(*)[PH_CLAIM_MAX])wrong, "figures"), 2);
    rewind(out);
    page[fread(page, 1, sizeof page - 1, out)] = 0;
    fclose(out);
    assert_non_null(strstr(page, "**no**"));
}

/* In several processes the same numbers as in one. */
static void test_processes(void **state)
{
    static double again[1024][PH_CLAIM_MAX];
    ph_claims_def def = {.models = PH_TEST_DIR "/../models", .effort = PH_QUICK, .jobs = 2};
    ph_error err = {0};
    (void)state;
    if (effort() != PH_SLOW)
        return; /* all over again takes too long */
    assert_int_equal(ph_claims_measure(&def, again, &err), PH_OK);
    for (int k = 0; ph_claim_get(k); k++)
        for (int i = 0; !ph_claim_get(k)->section && i < ph_claim_get(k)->n; i++)
            if (ph_claim_get(k)->effort <= PH_QUICK && again[k][i] != measured[k][i])
                fail_msg("%s: %.17g and %.17g", ph_claim_get(k)->id, again[k][i], measured[k][i]);
}

int main(void)
{
    static section sections[MAX_SECTIONS];
    static const struct CMUnitTest last[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_papers),
                                             cmocka_unit_test(test_commands), cmocka_unit_test(test_failure),
                                             cmocka_unit_test(test_processes)};
    struct CMUnitTest tests[MAX_SECTIONS + 6] = {cmocka_unit_test(test_rows)};
    size_t n = 0;
    ph_study *study = ph_study_create(PH_TEST_DIR "/../models");
    if (!study || ph_claim_count() > 1024)
        return 1;
    for (int k = 0; ph_claim_get(k); k++)
        if (ph_claim_get(k)->section && n < MAX_SECTIONS) {
            sections[n] = (section){study, k + 1};
            tests[n + 1] = (struct CMUnitTest){
                .name = ph_claim_get(k)->section, .test_func = test_section, .initial_state = &sections[n]};
            n++;
        }
    memcpy(tests + n + 1, last, sizeof last);
    int failed = _cmocka_run_group_tests("claims", tests, n + 6, NULL, NULL);
    ph_study_destroy(study);
    return failed;
}
