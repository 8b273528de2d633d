/* Dependent rows of sparse matrices, beside Gram-Schmidt on dense rows; cost, memory. */
#include "check.h"
#include "la/echelon.h"
#include "model_file.h"

/* Dense rows, and an orthonormal basis of those that were kept. In double precision Gram-Schmidt itself
 * would fail after a few nearly dependent rows. */
typedef struct dense {
    int rows, cols, rank;
    double *A;
    long double *Q;
    int *block;
} dense;

static dense dense_create(int rows, int cols, int width)
{
    size_t n = (size_t)(rows * cols);
    dense d = {.rows = rows, .cols = cols};
    d.A = calloc(n, sizeof *d.A), d.Q = calloc(n, sizeof *d.Q);
    d.block = calloc((size_t)cols, sizeof(int));
    assert_true(d.A && d.Q && d.block);
    for (int j = 0; j < cols; j++)
        d.block[j] = j / width;
    return d;
}

static void dense_free(dense *d)
{
    free(d->A), free(d->Q), free(d->block);
}

static long double size(const long double *x, int n)
{
    long double s = 0;
    for (int j = 0; j < n; j++)
        s += x[j] * x[j];
    return sqrtl(s);
}

/* Distance of row i from the span of those kept before it, relative to the row; 0 for a row of zeros. */
static double distance(dense *d, int i)
{
    long double *q = d->Q + d->rank * d->cols;
    for (int j = 0; j < d->cols; j++)
        q[j] = d->A[i * d->cols + j];
    long double before = size(q, d->cols);
    for (int j = 0; j < d->cols && before > 0; j++)
        q[j] /= before;
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < d->rank; k++) {
            const long double *b = d->Q + k * d->cols;
            long double s = 0;
            for (int j = 0; j < d->cols; j++)
                s += b[j] * q[j];
            for (int j = 0; j < d->cols; j++)
                q[j] -= s * b[j];
        }
    return (double)size(q, d->cols);
}

/* Keep the row that was measured last. */
static void extend(dense *d)
{
    long double *q = d->Q + d->rank * d->cols, rest = size(q, d->cols);
    for (int j = 0; j < d->cols; j++)
        q[j] /= rest;
    d->rank++;
}

/* The rows of d as sparse ones, entries in any order, to memory that free_sparse frees. */
static ph_echelon sparse(const dense *d)
{
    size_t n = (size_t)(d->rows * d->cols);
    int *start = calloc((size_t)d->rows + 1, sizeof(int)), *col = calloc(n, sizeof(int)), at = 0;
    double *x = calloc(n, sizeof(double));
    assert_true(start && col && x);
    for (int i = 0; i < d->rows; i++) {
        for (int j = d->cols - 1; j >= 0; j--)
            if (d->A[i * d->cols + j] != 0)
                x[at] = d->A[i * d->cols + j], col[at++] = j;
        start[i + 1] = at;
    }
    return (ph_echelon){d->rows, d->cols, d->block[d->cols - 1] + 1, start, col, x, d->block};
}

static void free_sparse(ph_echelon *e)
{
    free((void *)e->start), free((void *)e->col), free((void *)e->x);
}

/* Against the span of all rows that are kept: a row that is called dependent has next to nothing outside it
 * (2e-8: round-off, of spans that nearly dependent rows determine to a few digits), and each row that is
 * kept has something outside the span of those kept before it: what is left of a row is overestimated by
 * the sizes of entries beside pivots, so below 1e-11 a row must be called dependent. Returns how many rows
 * depend. */
static int compare(dense *d)
{
    ph_echelon e = sparse(d);
    unsigned char *dependent = calloc((size_t)d->rows, 1);
    int count = 0;
    assert_non_null(dependent);
    assert_int_equal(ph_echelon_rows(&e, PH_ECHELON_DEPENDENT, NULL, dependent), PH_OK);
    for (int i = 0; i < d->rows; i++) {
        double far = distance(d, i);
        count += dependent[i];
        if (!dependent[i] && !(far > 1e-11))
            fail_msg("row %d of %d, distance %.1e from those before it: called independent", i, d->rows, far);
        if (!dependent[i])
            extend(d);
    }
    for (int i = 0; i < d->rows; i++)
        if (dependent[i] && !(distance(d, i) <= 2e-8))
            fail_msg("row %d of %d, distance %.1e: called dependent", i, d->rows, distance(d, i));
    free(dependent);
    free_sparse(&e);
    return count;
}

static int draw(uint64_t *seed, int n)
{
    return (int)((rnd(seed) + 1) / 2 * n) % n;
}

/* A row with a few entries in two or three blocks. */
static void sparse_row(dense *d, int i, uint64_t *seed)
{
    int blocks = d->block[d->cols - 1] + 1, parts = 2 + draw(seed, 2);
    for (int p = 0; p < parts; p++) {
        int b = draw(seed, blocks);
        for (int j = 0; j < d->cols; j++)
            if (d->block[j] == b && rnd(seed) > -0.4)
                d->A[i * d->cols + j] = rnd(seed);
    }
}

/* Row i becomes a combination of a few rows before it, plus so much of what it is. */
static void plant(dense *d, int i, double own, uint64_t *seed)
{
    int parts = 1 + draw(seed, 6);
    double *a = d->A + i * d->cols;
    for (int j = 0; j < d->cols; j++)
        a[j] *= own;
    for (int p = 0; p < parts; p++) {
        int from = draw(seed, i);
        double f = rnd(seed);
        for (int j = 0; j < d->cols; j++)
            a[j] += f * d->A[from * d->cols + j];
    }
}

/* (A8) */
static void random_rows(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int planted = 0, found = 0;
    for (int trial = 0; trial < 300; trial++) {
        int cols = 6 + draw(&seed, 90), width = 1 + draw(&seed, 6);
        dense d = dense_create(cols + 4, cols, width);
        for (int i = 0; i < d.rows; i++) {
            sparse_row(&d, i, &seed);
            double kind = rnd(&seed), power = 5 * rnd(&seed);
            if (i > 2 && kind > 0.7)
                plant(&d, i, 0, &seed), planted++; /* exact, up to round-off */
            else if (i > 2 && kind > 0.5)
                plant(&d, i, pow(10, -8 + power), &seed); /* near */
            else if (kind < -0.9)
                memset(d.A + i * d.cols, 0, sizeof(double) * (size_t)d.cols);
            double scale = kind > 0 ? pow(10, 3 * power) : 1; /* badly scaled */
            for (int j = 0; j < d.cols; j++)
                d.A[i * d.cols + j] *= scale;
        }
        found += compare(&d);
        dense_free(&d);
    }
    assert_true(planted > 1000 && found >= planted);
}

/* ---- cases made by hand ---------------------------------------------------------------------------- */

/* A first entry that is small but no round-off would be a bad pivot: round-off of the same row again,
 * divided by it, would look like a row of its own. (A9) */
static void small_entries_are_no_pivots(void **state)
{
    (void)state;
    const double rows[][4] = {
        {1e-9, 1, 0.5, 0}, {0, 1e-11, 1, 1}, {1e-9 + 1e-16, 1, 0.5, 0}, {0, 3e-11, 3, 3}};
    for (int width = 1; width <= 4; width++) {
        dense d = dense_create(4, 4, width);
        memcpy(d.A, rows, sizeof rows);
        assert_int_equal(compare(&d), 2);
        dense_free(&d);
    }
}

/* A row nearly in the span of others leaves a direction that later rows can lie in; that direction counts
 * by itself, whatever the size of what is left of the row. */
static void what_is_left_is_scaled(void **state)
{
    (void)state;
    const double rows[][3] = {{1, 0, 0}, {1, 1e-7, 0}, {0, 1, 0.1}, {5, 3, 1}, {0, 0, 1e-30}};
    dense d = dense_create(5, 3, 1);
    memcpy(d.A, rows, sizeof rows);
    assert_int_equal(compare(&d), 2);
    dense_free(&d);
}

/* Rows with one large entry, farther to the left in each, after many small ones: columns are given on to
 * later groups until there is a pivot for them. */
static void columns_are_given_on(void **state)
{
    (void)state;
    enum { N = 40 };
    uint64_t seed = 3;
    dense d = dense_create(2 * N, N + 1, 1);
    for (int i = 0; i < N / 2; i++)
        for (int j = 0; j < N - i; j++)
            d.A[i * d.cols + j] = j == N - 1 - i ? 1 : 0.005 * rnd(&seed);
    for (int i = N / 2; i < d.rows; i++)
        plant(&d, i, 0, &seed);
    assert_int_equal(compare(&d), d.rows - N / 2);
    dense_free(&d);
}

/* ---- long loops ------------------------------------------------------------------------------------ */

/* Differences of neighbours in a closed row of n columns: the last one follows from the others. Columns are
 * halved and halved: those between two halves come last. */
static int closed_loop(int n, int step, unsigned char *dependent, const ph_allocator *alloc,
                       ph_status *status)
{
    int count = 0, *group = calloc((size_t)n, sizeof(int)), *start = calloc((size_t)n + 1, sizeof(int));
    int *col = calloc(2 * (size_t)n, sizeof(int)), place = 0;
    double *x = calloc(2 * (size_t)n, sizeof(double));
    assert_true(group && start && col && x);
    for (int gap = 2; place < n; gap *= 2)
        for (int k = gap / 2 - 1; k < n; k += gap)
            group[k] = place++;
    for (int i = 0, k = 0; i < n; i++, k = (k + step) % n) {
        start[i + 1] = 2 * i + 2;
        col[2 * i] = k, col[2 * i + 1] = (k + 1) % n;
        x[2 * i] = 1, x[2 * i + 1] = -1;
    }
    ph_echelon e = {n, n, n, start, col, x, group};
    *status = ph_echelon_rows(&e, PH_ECHELON_DEPENDENT, alloc, dependent);
    for (int i = 0; i < n && *status == PH_OK; i++)
        count += dependent[i];
    free(group), free(start), free(col), free(x);
    return count;
}

/* In order and in disorder (7919 is prime to n); dense rows would be 1e10 numbers. */
static void long_loops(void **state)
{
    (void)state;
    enum { N = 100000 };
    unsigned char *dependent = calloc(N, 1);
    assert_non_null(dependent);
    for (int step = 1; step <= 7919; step += 7918) {
        ph_status status;
        assert_int_equal(closed_loop(N, step, dependent, NULL, &status), 1);
        assert_int_equal(status, PH_OK);
        assert_int_equal(dependent[N - 1], 1);
    }
    free(dependent);
}

static void memory_that_ends(void **state)
{
    (void)state;
    unsigned char dependent[30];
    ph_status status = PH_E_MEMORY;
    long at = 0;
    while (status == PH_E_MEMORY) {
        counter c = {.fail_at = ++at};
        const ph_allocator alloc = {counter_alloc, counter_free, &c};
        int count = closed_loop(30, 7, dependent, &alloc, &status);
        assert_int_equal(c.live, 0);
        assert_true(status == PH_OK ? count == 1 : c.calls == at);
    }
    assert_int_equal(status, PH_OK);
    assert_true(at > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
        cmocka_unit_test(small_entries_are_no_pivots),
        cmocka_unit_test(what_is_left_is_scaled),
        cmocka_unit_test(columns_are_given_on),
        cmocka_unit_test(long_loops),
        cmocka_unit_test(memory_that_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
