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

/* Exact: as spreadsheets write it, with the mark of UTF-8 and two characters at the end of a line; two columns of a name. */
static void test_marked(void **unused)
{
    (void)unused;
    static const char *const text[] = {"\xEF\xBB\xBFt [s],u [m],u [N]\r\n0,1,2\r\n",
                                       "\xEF\xBB\xBF# words\nt,u,u\n0,1,2\n"};
    for (int k = 0; k < 2; k++) {
        scratch s = scratch_create("t.csv");
        ph_csv_data d;
        char why[256] = "";
        scratch_write(&s, text[k], strlen(text[k]));
        if (!ph_csv_read(&d, s.path, why, sizeof why))
            fail_msg("%s", why);
        assert_true(ph_csv_find(&d, "t") == 0 && ph_csv_find(&d, "u") == 1);
        assert_true(!ph_csv_twice(&d, 0) && ph_csv_twice(&d, 1) && ph_csv_twice(&d, 2));
        assert_true(d.n_rows == 1 && d.n_columns == 3 && d.x[2] == 2);
        ph_csv_clear(&d);
        scratch_remove(&s);
    }
}

static void refuse_bytes(const char *text, size_t size, const char *words)
{
    scratch s = scratch_create("t.csv");
    ph_csv_data d;
    char why[256];
    scratch_write(&s, text, size);
    assert_false(ph_csv_read(&d, s.path, why, sizeof why));
    if (!strstr(why, words))
        fail_msg("'%s' does not contain '%s'", why, words);
    scratch_remove(&s);
}

static void refuse(const char *text, const char *words)
{
    refuse_bytes(text, strlen(text), words);
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
    refuse_bytes("t,x\n1,2\0 3\n", 10, ":2: a byte of 0 stands in the line");
    refuse_bytes("t,x\n1,2\0\n", 9, ":2: a byte of 0 stands in the line");
    refuse_bytes("t,x\0y\n1,2\n", 10, ":1: a byte of 0 stands in the line");
    refuse("t,x\n\xEF\xBB\xBF"
           "1,2\n",
           ":2: a row wants 2 numbers"); /* only the file has a mark */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_marked),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_long_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
