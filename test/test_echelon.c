/* Dependent rows of sparse matrices, beside Gram-Schmidt on dense rows; cost, memory. */
#include "check.h"
#include "la/echelon.h"
#include "model_file.h"

#include <time.h>

/* Dense rows, and an orthonormal basis of those so far. */
typedef struct dense {
    int rows, cols, rank;
    double *A, *Q;
    int *block;
} dense;

static dense dense_create(int rows, int cols, int width)
{
    dense d = {rows,
               cols,
               0,
               calloc((size_t)(rows * cols), sizeof(double)),
               calloc((size_t)(rows * cols), sizeof(double)),
               calloc((size_t)cols, sizeof(int))};
    assert_true(d.A && d.Q && d.block);
    for (int j = 0; j < cols; j++)
        d.block[j] = j / width;
    return d;
}

static void dense_free(dense *d)
{
    free(d->A), free(d->Q), free(d->block);
}

/* Distance of row i from the span of those kept before it, relative to the row; 0 for a row of zeros. */
static double distance(dense *d, int i)
{
    const double *a = d->A + i * d->cols;
    double *q = d->Q + d->rank * d->cols, before = norm2(a, d->cols);
    for (int j = 0; j < d->cols; j++)
        q[j] = before > 0 ? a[j] / before : 0;
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < d->rank; k++) {
            const double *b = d->Q + k * d->cols;
            double s = 0;
            for (int j = 0; j < d->cols; j++)
                s += b[j] * q[j];
            for (int j = 0; j < d->cols; j++)
                q[j] -= s * b[j];
        }
    return norm2(q, d->cols);
}

/* Keep the row that was measured last. */
static void extend(dense *d)
{
    double *q = d->Q + d->rank * d->cols, rest = norm2(q, d->cols);
    for (int j = 0; j < d->cols; j++)
        q[j] /= rest;
    d->rank++;
}

static int add(ph_echelon *e, const dense *d, int i)
{
    int n = 0, dependent, col[400];
    double x[400];
    assert_true(d->cols <= 400);
    for (int j = d->cols - 1; j >= 0; j--) /* any order will do */
        if (d->A[i * d->cols + j] != 0)
            x[n] = d->A[i * d->cols + j], col[n++] = j;
    assert_int_equal(ph_echelon_add(e, n, col, x, &dependent), PH_OK);
    return dependent;
}

/* Both methods must agree wherever the distance is not within a factor of 100 of the threshold. Returns how many
 * rows depend. */
static int compare(dense *d)
{
    ph_echelon *e;
    int count = 0;
    assert_int_equal(ph_echelon_create(&e, d->cols, d->block, NULL), PH_OK);
    for (int i = 0; i < d->rows; i++) {
        double far = distance(d, i);
        int dependent = add(e, d, i);
        if (far <= 1e-10 || far > 1e-8) /* never called dependent above the threshold */
            if (dependent != (far <= 1e-8))
                fail_msg("row %d of %d, distance %.1e: called %s", i, d->rows, far,
                         dependent ? "dependent" : "independent");
        count += dependent;
        if (!dependent)
            extend(d);
    }
    ph_echelon_destroy(e);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
