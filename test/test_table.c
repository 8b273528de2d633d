/* Tables of a study: text, CSV and JSON of the same rows. */
#include "study/table.h"
#include "check.h"

#include <unistd.h>

static const ph_column columns[] = {{"method", NULL, PH_WORDS},
                                    {"h", "s", PH_SHORT},
                                    {"steps", NULL, PH_WHOLE},
                                    {"error.q", "1", PH_REAL},
                                    {"error.v", "m/s", PH_REAL}};

static ph_table *example(void)
{
    ph_table *t = ph_table_create(5, columns);
    ph_table_word(t, "genalpha, sigma 0"), ph_table_number(t, 0.1), ph_table_number(t, 1000);
    ph_table_number(t, 1.0 / 3), ph_table_number(t, NAN);
    ph_table_word(t, "b \"x\""), ph_table_number(t, 2.5e-4), ph_table_number(t, 4000);
    ph_table_number(t, 12345.678), ph_table_number(t, -1);
    return t;
}

/* What fn writes to a stream, as text. */
static void read_back(FILE *f, char *text, size_t size)
{
    rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    fclose(f);
}

static void test_text(void **unused)
{
    (void)unused;
    char text[1024];
    FILE *f = tmpfile();
    ph_table *t = example();
    assert_int_equal(ph_table_rows(t), 2);
    ph_table_print(t, f);
    read_back(f, text, sizeof text);
    assert_string_equal(text, "method                   h  steps    error.q     error.v\n"
                              "                       [s]               [1]       [m/s]\n"
                              "genalpha, sigma 0      0.1   1000  3.333e-01            \n"
                              "b \"x\"              0.00025   4000  1.235e+04  -1.000e+00\n");
    ph_table_destroy(t);
}

/* exact: 17 digits give every double back */
static void test_csv(void **unused)
{
    (void)unused;
    char text[1024], path[] = "table_XXXXXX";
    static const char *const comments[] = {"polhode", "second line"};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    ph_table *t = example();
    assert_true(ph_table_write(t, path, 2, comments));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    read_back(f, text, sizeof text);
    assert_string_equal(text, "# polhode\n# second line\n"
                              "method,h [s],steps,error.q [1],error.v [m/s]\n"
                              "\"genalpha, sigma 0\",0.1,1000,0.3333333333333333,nan\n"
                              "\"b \"\"x\"\"\",0.00025,4000,12345.678,-1\n");
    unlink(path);
    assert_false(ph_table_write(t, "no/such/folder/x.csv", 0, NULL));
    ph_table_destroy(t);
}

static void test_json(void **unused)
{
    (void)unused;
    char text[1024];
    FILE *f = tmpfile();
    ph_table *t = example();
    ph_json j = ph_json_create();
    cJSON *rows = ph_json_array(&j, j.root, "rows");
    ph_table_json(t, &j, rows, 0, 1);
    ph_table_json(t, &j, rows, 1, 2);
    assert_true(ph_json_print(&j, f));
    read_back(f, text, sizeof text);
    assert_string_equal(
        text, "{\"rows\":[{\"method\":\"genalpha, sigma 0\",\"h\":0.10000000000000001,\"steps\":1000,"
              "\"error\":{\"q\":0.33333333333333331,\"v\":null}},"
              "{\"method\":\"b \\\"x\\\"\",\"h\":0.00025000000000000001,\"steps\":4000,"
              "\"error\":{\"q\":12345.678,\"v\":-1}}]}\n");
    ph_table_destroy(t);
}

/* Rows beyond the first room, and a table that is not there. */
static void test_growth(void **unused)
{
    (void)unused;
    ph_table *t = ph_table_create(5, columns);
    for (int i = 0; i < 1000; i++) {
        ph_table_word(t, "w");
        for (int k = 0; k < 4; k++)
            ph_table_number(t, i);
    }
    assert_true(ph_table_ok(t));
    assert_int_equal(ph_table_rows(t), 1000);
    ph_table_destroy(t);
    ph_table_number(NULL, 1);
    ph_table_word(NULL, "x");
    assert_false(ph_table_ok(NULL));
    assert_int_equal(ph_table_rows(NULL), 0);
    ph_table_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_json), cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
