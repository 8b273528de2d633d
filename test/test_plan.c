/* Cases of a study: what --vary says, the product, and samples whose strata are each used once. */
#include "study/plan.h"
#include "base/hash.h"

#include "check.h"

static ph_plan plan_of(int n, const char *const *text)
{
    ph_plan p = {0};
    ph_error err;
    for (int i = 0; i < n; i++)
        if (ph_plan_add(&p, text[i], &err) != PH_OK)
            fail_msg("%s", err.text);
    return p;
}

static void build(ph_plan *p)
{
    ph_error err;
    if (ph_plan_build(p, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void test_product(void **state)
{
    const char *text[] = {"m=10:20:11", "rho=0.5,0.9", "k=1e-2:1e2:5:log"};
    (void)state;
    ph_plan p = plan_of(3, text);
    build(&p);
    assert_int_equal(p.n, 110);
    for (int k = 0, i = 0; i < 11; i++)
        for (int j = 0; j < 2; j++)
            for (int l = 0; l < 5; l++, k++) {
                assert_true(ph_plan_value(&p, 0, k) == 10 + i); /* exact: whole numbers */
                assert_true(ph_plan_value(&p, 1, k) == (j ? 0.9 : 0.5));
                /* round-off of pow, relative */
                check_near(ph_plan_value(&p, 2, k) / pow(10, l - 2), 1, 1e-15);
            }
    assert_true(ph_plan_value(&p, 2, 0) == 1e-2 && ph_plan_value(&p, 2, 4) == 1e2); /* exact: the ends */
    ph_plan_clear(&p);
}

static void test_forms(void **state)
{
    const char *text[] = {"a=3:1:3", "b=-1:1:2", "c=5", "d=7:7:1", "e=0.1:0.7:4"};
    (void)state;
    ph_plan p = plan_of(5, text);
    build(&p);
    assert_int_equal(p.n, 24);
    assert_true(ph_plan_value(&p, 0, 23) == 1 && ph_plan_value(&p, 1, 0) == -1 &&
                ph_plan_value(&p, 2, 5) == 5 && ph_plan_value(&p, 3, 9) == 7);
    assert_true(ph_plan_value(&p, 4, 3) == 0.7);
    ph_plan_clear(&p);
}

/* Each is refused with a sentence that holds the word. */
static void test_refused(void **state)
{
    static const struct {
        const char *text, *word;
    } bad[] = {{"m", "form"},           {"=1", "form"},
               {"m=", "list"},          {"m=1,", "list"},
               {"m=1,,2", "list"},      {"m=a", "list"},
               {"m=1:2:0", "form"},     {"m=1:2:x", "form"},
               {"m=1:2:3:lin", "form"}, {"m=1:", "form"},
               {"m=:2", "form"},        {"m=nan", "list"},
               {"m=1:inf:3", "form"},   {"m=1:2:2.5", "number"},
               {"m=1:2:1", "one"},      {"m=-1:2:3:log", "above 0"},
               {"m=1:2:1e9", "number"}, {"m=1:2:3:log:4", "form"},
               {"m=1 2", "list"},       {"m=1,2,1", "1 is there twice"},
               {"m=1:1:3", "one"},      {"m=1:-2:3:log", "above 0"},
               {"m=1;2:3", "form"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ph_plan p = {0};
        ph_error err = {0};
        if (ph_plan_add(&p, bad[i].text, &err) != PH_E_INPUT || !strstr(err.text, bad[i].word))
            fail_msg("'%s': '%s'", bad[i].text, err.text);
        ph_plan_clear(&p);
    }
    ph_plan p = {0};
    ph_error err = {0};
    ph_status s = PH_OK;
    for (int k = 0; k <= PH_VARY_MAX; k++) {
        char text[32];
        assert_int_equal(s, PH_OK);
        snprintf(text, sizeof text, "p%d=1,2", k);
        s = ph_plan_add(&p, text, &err);
    }
    assert_int_equal(s, PH_E_INPUT);
    assert_non_null(strstr(err.text, "more than"));
    ph_plan_clear(&p);
}

static void refused_together(int n, const char *const *text, int samples, int whole, const char *word)
{
    ph_plan p = {0};
    ph_error err = {0};
    ph_status s = PH_OK;
    for (int i = 0; i < n && s == PH_OK; i++)
        s = ph_plan_add(&p, text[i], &err);
    p.samples = samples;
    p.vary[0].whole = whole;
    if (s == PH_OK)
        s = ph_plan_build(&p, &err);
    if (s != PH_E_INPUT || !strstr(err.text, word))
        fail_msg("'%s': '%s'", word, err.text);
    ph_plan_clear(&p);
}

static void test_refused_together(void **state)
{
    (void)state;
    refused_together(0, NULL, 0, 0, "nothing");
    refused_together(2, (const char *[]){"m=1", "m=2"}, 0, 0, "twice");
    refused_together(1, (const char *[]){"m=1:2"}, 0, 0, "how many");
    refused_together(2, (const char *[]){"m=1:2:2000", "k=1:2:2000"}, 0, 0, "limit");
    refused_together(1, (const char *[]){"order=1:2:3"}, 0, 1, "whole");
    refused_together(1, (const char *[]){"order=1,1.5"}, 4, 1, "whole");
    refused_together(1, (const char *[]){"m=1:2"}, PH_PLAN_CASES_MAX + 1, 0, "limit");
}

/* ---- samples ----------------------------------------------------------------------------------------- */

static void test_strata(void **state)
{
    enum { N = 257 };
    const char *text[] = {"m=10:20", "k=1e-3:1e3:log", "c=1:5:7", "l=2,3,5"};
    (void)state;
    ph_plan p = plan_of(4, text);
    p.samples = N, p.seed = 42;
    build(&p);
    assert_int_equal(p.n, N);
    int seen[3][N] = {{0}}, list[6] = {0};
    for (int k = 0; k < N; k++) {
        double u[] = {(ph_plan_value(&p, 0, k) - 10) / 10, (log10(ph_plan_value(&p, 1, k)) + 3) / 6,
                      (ph_plan_value(&p, 2, k) - 1) / 4};
        for (int i = 0; i < 3; i++) {
            assert_true(u[i] >= 0 && u[i] < 1);
            seen[i][(int)(u[i] * N)]++;
        }
        list[(int)ph_plan_value(&p, 3, k)]++;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < N; k++)
            assert_int_equal(seen[i][k], 1); /* each stratum once */
    assert_int_equal(list[2] + list[3] + list[5], N);
    assert_true(abs(list[2] - N / 3) <= 1 && abs(list[3] - N / 3) <= 1); /* strata are shared evenly */
    ph_plan_clear(&p);
}

/* Independent of each other: the correlation of two quantities is that of chance, 1/sqrt(N) in size. */
static void test_independent(void **state)
{
    enum { N = 2000 };
    const char *text[] = {"a=-1:1", "b=-1:1"};
    double sum = 0;
    (void)state;
    ph_plan p = plan_of(2, text);
    p.samples = N;
    build(&p);
    for (int k = 0; k < N; k++)
        sum += ph_plan_value(&p, 0, k) * ph_plan_value(&p, 1, k);
    check_le(fabs(3 * sum / N), 4 / sqrt(N)); /* ordering: four standard deviations */
    ph_plan_clear(&p);
}

/* Samples depend on seed and name alone, not on what else is varied. */
static void test_reproducible(void **state)
{
    const char *one[] = {"m=0:1"}, *two[] = {"k=3:4", "m=0:1"};
    (void)state;
    ph_plan a = plan_of(1, one), b = plan_of(2, two), c = plan_of(1, one);
    a.samples = b.samples = c.samples = 50;
    a.seed = b.seed = 7, c.seed = 8;
    build(&a), build(&b), build(&c);
    int differ = 0;
    for (int k = 0; k < 50; k++) {
        assert_true(ph_plan_value(&a, 0, k) == ph_plan_value(&b, 1, k)); /* exact */
        differ += ph_plan_value(&a, 0, k) != ph_plan_value(&c, 0, k);
    }
    assert_true(differ > 40);
    ph_plan_clear(&a), ph_plan_clear(&b), ph_plan_clear(&c);
}

/* SplitMix64 as its authors print it, with 1234567 as the state: 6457827717110365317, 3203168211198807973,
 * ... One sample is r itself: the first draw, since a shuffle of one draws none. */
static void test_generator(void **state)
{
    const char *text[] = {"m=0:1"};
    (void)state;
    ph_plan p = plan_of(1, text);
    p.samples = 1;
    p.seed = 1234567u ^ ph_hash_text(PH_HASH_START, "m");
    build(&p);
    assert_true(ph_plan_value(&p, 0, 0) == (double)(6457827717110365317u >> 11) * 0x1p-53); /* exact */
    ph_plan_clear(&p);
}

static void test_whole_samples(void **state)
{
    const char *text[] = {"order=1:4"};
    int seen[6] = {0};
    (void)state;
    ph_plan p = plan_of(1, text);
    p.samples = 40, p.vary[0].whole = 1;
    build(&p);
    for (int k = 0; k < 40; k++)
        seen[(int)ph_plan_value(&p, 0, k)]++;
    for (int i = 1; i <= 4; i++)
        assert_int_equal(seen[i], 10);
    ph_plan_clear(&p);
}

/* FNV-1a as its authors' page of test values has it. */
static void test_hash(void **state)
{
    (void)state;
    assert_true(ph_hash_bytes(PH_HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(ph_hash_bytes(PH_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(ph_hash_bytes(PH_HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(ph_hash_text(ph_hash_text(PH_HASH_START, "ab"), "c") !=
                ph_hash_text(ph_hash_text(PH_HASH_START, "a"), "bc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),       cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_refused_together),
        cmocka_unit_test(test_strata),        cmocka_unit_test(test_independent),
        cmocka_unit_test(test_reproducible),  cmocka_unit_test(test_generator),
        cmocka_unit_test(test_whole_samples), cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
