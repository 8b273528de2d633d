/* Tables that are written and read back. */
#include "io/csv.h"
#include "model_file.h"

static void test_round_trip(void **unused)
{
    (void)unused;
    scratch s = scratch_create("t.csv");
    ph_csv csv = {.to = fopen(s.path, "w")};
    ph_csv_data d;
    char why[256];
    ph_csv_comment(&csv, "a comment, with commas");
    ph_csv_name(&csv, NULL, "t", "s");
    ph_csv_name(&csv, "top", "x", "m");
    ph_csv_name(&csv, "odd [name]", "y", NULL);
    ph_csv_end_header(&csv);
    for (int k = 0; k < 1000; k++) {
        ph_csv_number(&csv, k / 3.0), ph_csv_number(&csv, -1e-300 * k), ph_csv_number(&csv, NAN);
        ph_csv_end_row(&csv);
    }
    fclose(csv.to);
    assert_true(ph_csv_read(&d, s.path, why, sizeof why));
    assert_int_equal(d.n_columns, 3);
    assert_int_equal(d.n_rows, 1000);
    assert_int_equal(ph_csv_find(&d, "t"), 0);
    assert_int_equal(ph_csv_find(&d, "top.x"), 1);
    assert_int_equal(ph_csv_find(&d, "odd [name].y"), 2);
    assert_int_equal(ph_csv_find(&d, "x"), -1);
    for (int k = 0; k < 1000; k++) { /* exact */
        assert_true(d.x[3 * k] == k / 3.0 && d.x[3 * k + 1] == -1e-300 * k);
        assert_true(isnan(d.x[3 * k + 2]));
    }
    ph_csv_clear(&d);
    scratch_remove(&s);
}

static void refuse(const char *text, const char *words)
{
    scratch s = scratch_create("t.csv");
    ph_csv_data d;
    char why[256];
    scratch_write(&s, text, strlen(text));
    assert_false(ph_csv_read(&d, s.path, why, sizeof why));
    if (!strstr(why, words))
        fail_msg("'%s' does not contain '%s'", why, words);
    scratch_remove(&s);
}

static void test_refused(void **unused)
{
    (void)unused;
    ph_csv_data d;
    char why[256];
    refuse("", "no table");
    refuse("# only words\n", "no table");
    refuse("t,x\n", "no rows");
    refuse("t,x\n1,2\n1\n", ":3: a row wants 2 numbers");
    refuse("t,x\n1,2,3\n", ":2: a row wants 2 numbers");
    refuse("t,x\n\n1,b\n", ":3: a row wants 2 numbers");
    assert_false(ph_csv_read(&d, "/no/such/file.csv", why, sizeof why));
    assert_non_null(strstr(why, "cannot read"));
}

/* A sparse file takes no place on the disk, and is one line without end. */
static void test_long_line(void **unused)
{
    (void)unused;
    scratch s = scratch_create("t.csv");
    ph_csv_data d;
    char why[256];
    scratch_write(&s, "t,x\n1,2\n", 8);
    assert_int_equal(truncate(s.path, 1L << 40), 0);
    assert_false(ph_csv_read(&d, s.path, why, sizeof why));
    if (!strstr(why, "t.csv:3: the line is too long"))
        fail_msg("%s", why);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_long_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
