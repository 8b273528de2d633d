/* Matrix Market files and tables of nodes: what is right is read, what is wrong has one sentence with file
 * and line. */
#include "model_file.h"

#include <time.h>

#include "fe/market.h"

static const char symmetric[] = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n3 3 4\n1 1 "
                                "2.5\n2 1 -1\n2 2 3e0\n3 3 1\n";

static ph_status read_matrix(const char *text, int rows, double *D, ph_error *err)
{
    scratch s = scratch_create("A.mtx");
    ph_pool pool = {0};
    ph_csc A;
    scratch_write(&s, text, strlen(text));
    ph_status status = ph_market_symmetric(&pool, NULL, s.path, rows, &A, err);
    if (status == PH_OK)
        ph_csc_dense(&A, D);
    ph_pool_free(&pool);
    scratch_remove(&s);
    return status;
}

static void reads(void **state)
{
    (void)state;
    static const char *const texts[] = {symmetric,
                                        "%%MatrixMarket MATRIX Coordinate Real SYMMETRIC\r\n3 3 4\r\n1 1 "
                                        "2.5\r\n1 2 -1\r\n2 2 3\r\n3 3 1\r\n", /* the upper triangle */
                                        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2.5\n1 2 "
                                        "-1\n2 1 -1.0000000000001\n2 2 3\n3 3 1\n"};
    const double exact[9] = {2.5, -1, 0, -1, 3, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
        double D[9];
        ph_error err = {0};
        if (read_matrix(texts[k], 3, D, &err) != PH_OK)
            fail_msg("%s", err.text);
        check_le(max_diff(D, exact, 9), k == 2 ? 1e-12 : 0); /* exact; round-off of the file */
        assert_true(D[1] == D[3]);
    }
}

static void refuses(void **state)
{
    (void)state;
#define HEAD "%%MatrixMarket matrix coordinate real symmetric\n"
    static const struct {
        const char *text, *words;
    } rows[] = {{"", "A.mtx:0: no Matrix Market file"},
                {"1 1 1\n", "A.mtx:1: no Matrix Market file"},
                {"%%MatrixMarket matrix coordinate complex symmetric\n", "A.mtx:1: the entries must be real"},
                {"%%MatrixMarket matrix coordinate real hermitian\n", "must be symmetric or general"},
                {"%%MatrixMarket matrix sparse real general\n", "must be coordinate or array"},
                {"%%MatrixMarket matrix array real general\n3 3\n",
                 "A.mtx:2: mass and stiffness must be in coordinate format"},
                {HEAD, "A.mtx:1: ROWS COLUMNS ENTRIES expected"},
                {HEAD "3 3\n", "A.mtx:2: ROWS COLUMNS ENTRIES expected"},
                {HEAD "3 3 0\n", "sizes must be above 0"},
                {HEAD "0 3 1\n", "sizes must be above 0"},
                {HEAD "3 0 1\n", "sizes must be above 0"},
                {HEAD "3 3 1\n1 1 nan\n", "the value is not finite"},
                {HEAD "3 3 1\n0 1 1\n", "A.mtx:3"},
                {HEAD "3 3 1\n1 4 1\n", "A.mtx:3"},
                {HEAD "3 3 900000000\n1 1 1\n", "A.mtx:2: the file is too short for so many entries"},
                {HEAD "3 3 4294967297\n1 1 1\n", "A.mtx:2: ROWS COLUMNS ENTRIES expected"},
                {HEAD "3 2 1\n1 1 1\n", "A.mtx:2: 3 x 2 is not square"},
                {HEAD "4 4 1\n1 1 1\n", "A.mtx:2: the matrix has 4 rows, and 3 are expected"},
                {HEAD "3 3 3\n1 1 1\n2 2 1\n", "A.mtx: ends after 2 of 3 entries"},
                {HEAD "3 3 1\n1 1 1\n2 2 1\n", "A.mtx:4: something follows the last entry"},
                {HEAD "3 3 1\n4 1 1\n", "A.mtx:3: entry (4, 1) is outside of a matrix of 3 x 3"},
                {HEAD "3 3 1\n0 1 1\n", "entry (0, 1) is outside"},
                {HEAD "3 3 1\n1 1\n", "A.mtx:3: an entry must be ROW COLUMN VALUE"},
                {HEAD "3 3 1\n1 1 x\n", "an entry must be ROW COLUMN VALUE"},
                {HEAD "3 3 1\n1 1 1 1\n", "an entry must be ROW COLUMN VALUE"},
                {HEAD "3 3 1\n1 1 inf\n", "A.mtx:3: the value is not finite"},
                {HEAD "3 3 1\n1 1 nan\n", "the value is not finite"},
                {HEAD "3 3 2\n2 1 1\n1 2 1\n",
                 "A.mtx:4: a symmetric matrix has entries on one side of its diagonal alone"},
                {HEAD "3 3 3\n2 1 1\n1 1 1\n2 1 1\n", "A.mtx: entry (2, 1) is there twice"},
                {"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 1 1\n1 2 1.1\n",
                 "A.mtx: not symmetric: entry (2, 1) is 1, entry (1, 2) is 1.1"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double D[9];
        ph_error err = {0};
        assert_int_equal(read_matrix(rows[k].text, 3, D, &err), PH_E_INPUT);
        if (!strstr(err.text, rows[k].words))
            fail_msg("'%s' does not contain '%s'", err.text, rows[k].words);
    }
#undef HEAD
}

/* Cut at every place: an error, or the whole matrix where only the end of the last line is missing. */
static void truncated(void **state)
{
    (void)state;
    char text[sizeof symmetric];
    for (size_t cut = 0; cut + 2 < sizeof symmetric; cut++) {
        double D[9];
        ph_error err = {0};
        memcpy(text, symmetric, cut);
        text[cut] = 0;
        ph_status s = read_matrix(text, 3, D, &err);
        assert_true(s == PH_E_INPUT);
    }
}

static ph_status read_dense(const char *text, double *D, int *columns, ph_error *err)
{
    scratch s = scratch_create("Psi.mtx");
    ph_pool pool = {0};
    double *A;
    scratch_write(&s, text, strlen(text));
    ph_status status = ph_market_dense(&pool, NULL, s.path, 3, 60, columns, &A, err);
    if (status == PH_OK)
        memcpy(D, A, sizeof(double) * 3 * (size_t)*columns);
    ph_pool_free(&pool);
    scratch_remove(&s);
    return status;
}

#define ZEROS                                                                                                \
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " \
    "0 0 0 0 0"                                                                                              \
    " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "  \
    "0 0 0 0 0 0"

static void dense(void **state)
{
    (void)state;
    double D[6];
    int columns;
    ph_error err = {0};
    const double exact[6] = {1, 2, 3, 0, 5, 0};
    assert_int_equal(
        read_dense("%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n0\n5\n0\n", D, &columns, &err),
        PH_OK);
    check_le(max_diff(D, exact, 6), 0);
    assert_int_equal(
        read_dense("%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 1\n2 1 2\n3 1 3\n2 2 5\n", D,
                   &columns, &err),
        PH_OK);
    check_le(max_diff(D, exact, 6), 0);
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n0\n5\n",
         "Psi.mtx: ends after 5 of 6 entries"},
        {"%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n4\n",
         "Psi.mtx:6: something follows the last entry"},
        {"%%MatrixMarket matrix array real general\n3 300000000\n1\n2\n3\n",
         "Psi.mtx:2: the file is too short for so many entries"},
        {"%%MatrixMarket matrix coordinate real general\n3 300000000 1\n1 1 1\n",
         "Psi.mtx:2: a column is without entries"},
        {"%%MatrixMarket matrix array real general\n3 61\n" ZEROS,
         "Psi.mtx:2: the matrix has 61 columns; the limit is 60"},
        {"%%MatrixMarket matrix array real general\n3 1\n1 2\n3 4\n",
         "Psi.mtx:4: more numbers than the matrix has"},
        {"%%MatrixMarket matrix array real general\n3 1\n1\nx\n3\n", "Psi.mtx:4: a number expected"},
        {"%%MatrixMarket matrix array real general\n3 1\n1\nnan\n3\n", "Psi.mtx:4: the value is not finite"},
        {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n",
         "Psi.mtx:2: the matrix has 2 rows, and 3 are expected"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 1\n",
         "modes must be a general matrix"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(read_dense(rows[k].text, D, &columns, &err), PH_E_INPUT);
        if (!strstr(err.text, rows[k].words))
            fail_msg("'%s' does not contain '%s'", err.text, rows[k].words);
    }
}

/* One entry that is there twice is found in a time that is linear in the entries: 200 000 here, in one row. */
static void twice(void **state)
{
    (void)state;
    int n = 200000;
    char *text = malloc((size_t)n * 24), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n, n + 1);
    for (int k = 1; k <= n; k++)
        at += sprintf(at, "%d 1 1\n", k);
    sprintf(at, "%d 1 1\n", n);
    ph_error err = {0};
    clock_t start = clock();
    assert_int_equal(read_matrix(text, n, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "A.mtx: entry (200000, 1) is there twice"));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5); /* all pairs: 20 s */
    free(text);
}

/* A sparse file takes no place on the disk, and is one line without end. */
static void long_line(void **state)
{
    (void)state;
    scratch s = scratch_create("A.mtx");
    ph_pool pool = {0};
    ph_csc A;
    ph_error err = {0};
    scratch_write(&s, symmetric, strlen(symmetric));
    assert_int_equal(truncate(s.path, 1L << 40), 0);
    assert_int_equal(ph_market_symmetric(&pool, NULL, s.path, 3, &A, &err), PH_E_INPUT);
    if (!strstr(err.text, "A.mtx:9: the line is too long"))
        fail_msg("%s", err.text);
    ph_pool_free(&pool);
    scratch_remove(&s);
}

static void nodes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words; /* NULL: it is right */
    } rows[] = {{"# nodes\nid,x [m],y [m],z [m]\n7,1,2,3\n9,4,5,6\n", NULL},
                {"1,0,0,0\n2,1,0,0\n", "there is no column 'id'; the first line must be 'id,x,y,z'"},
                {"id,x,y\n1,0,0\n", "there is no column 'z'"},
                {"id,x,y,z\n", "holds no rows"},
                {"id,x,y,z\n1,0,0\n", "nodes.csv:2: a row wants 4 numbers"},
                {"id,x,y,z\n-1,0,0,0\n", "nodes.csv: row 1: id -1 is not a whole number"},
                {"id,x,y,z\n3e9,0,0,0\n", "nodes.csv: row 1: id 3e+09 is not a whole number"},
                {"id,x,y,z\n1.5,0,0,0\n", "nodes.csv: row 1: id 1.5 is not a whole number"},
                {"id,x,y,z\n1,0,inf,0\n", "nodes.csv: row 1: y is not finite"},
                {"id,x,y,z\n3,0,0,0\n4,1,0,0\n3,2,0,0\n", "nodes.csv: node 3 is there twice"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        scratch s = scratch_create("nodes.csv");
        ph_pool pool = {0};
        int n, *id;
        double *X;
        ph_error err = {0};
        scratch_write(&s, rows[k].text, strlen(rows[k].text));
        ph_status status = ph_market_nodes(&pool, NULL, s.path, &n, &id, &X, &err);
        assert_int_equal(status, rows[k].words ? PH_E_INPUT : PH_OK);
        if (!rows[k].words)
            assert_true(n == 2 && id[0] == 7 && id[1] == 9 && X[2] == 3 && X[4] == 5);
        else if (!strstr(err.text, rows[k].words))
            fail_msg("'%s' does not contain '%s'", err.text, rows[k].words);
        ph_pool_free(&pool);
        scratch_remove(&s);
    }
}

/* Every allocation fails in turn. */
static void without_memory(void **state)
{
    (void)state;
    static const char *const text[] = {
        symmetric,
        "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n0\n5\n0\n",
        "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 1 2\n2 2 5\n",
        "id,x,y,z\n7,1,2,3\n9,4,5,6\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 2\n1 2 2\n",
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n1 1 2\n"};
    for (int k = 0; k < 6; k++)
        for (long at = 0, all = 0; !all; at++) {
            counter c = {.fail_at = at + 1};
            const ph_allocator hooks = {counter_alloc, counter_free, &c};
            int n, *id;
            double *x;
            ph_csc A;
            ph_error err = {0};
            scratch s = scratch_create(k == 3 ? "nodes.csv" : "A.mtx");
            scratch_write(&s, text[k], strlen(text[k]));
            ph_pool pool = {.alloc = &hooks};
            ph_status status = k == 3 ? ph_market_nodes(&pool, NULL, s.path, &n, &id, &x, &err)
                               : k == 1 || k == 2
                                   ? ph_market_dense(&pool, NULL, s.path, 3, 60, &n, &x, &err)
                                   : ph_market_symmetric(&pool, NULL, s.path, k ? 2 : 3, &A, &err);
            all = c.calls <= at;
            if (status != (!all ? PH_E_MEMORY : k == 5 ? PH_E_INPUT : PH_OK))
                fail_msg("file %d without allocation %ld: status %d, '%s'", k, at, (int)status, err.text);
            ph_pool_free(&pool);
            assert_int_equal(c.live, 0);
            scratch_remove(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory), cmocka_unit_test(reads),
                                       cmocka_unit_test(refuses),        cmocka_unit_test(truncated),
                                       cmocka_unit_test(dense),          cmocka_unit_test(nodes),
                                       cmocka_unit_test(twice),          cmocka_unit_test(long_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
