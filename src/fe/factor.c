/* Symmetric positive definite matrices: factors and solutions.
 *
 * Cholesky's factors of A, scaled to a diagonal of 1, with its rows in the order of band.c, inside of a band.
 * Bodies are long more often than not, and then the band is narrow; a cube of 20000 rows still takes seconds.
 * The order of all sums is fixed: a body has the same bits on every machine. */
#include "fe/factor.h"

#include <string.h>

#include "fe/band.h"
#include "la/vectors.h"

#define BAND_MOST 1e9 /* numbers of a band, 8 GB */
#define PANEL     32  /* columns that earlier ones are subtracted from while those are at hand */
#define GROUP     4   /* of which so many at once: beyond the band columns have zeros for that */

/* Round-off of a pivot, squared, of a matrix with a diagonal of 1. */
#define NOTHING 1e-14

struct ph_factor {
    ph_pool pool;
    int n, width, lead; /* rows; half bandwidth; numbers of a column, the last ones 0 */
    int *place;         /* of rows */
    double *L;          /* lead x n */
    double *scale, *b;  /* n, by rows: 1/sqrt of the diagonal; n, by places */
    double norm;        /* of the scaled matrix */
};

static ph_status order(ph_factor *f, const ph_csc *A, ph_factor_kind kind, ph_error *err)
{
    f->place = ph_pool_ints(&f->pool, (size_t)f->n);
    if (!f->place)
        return PH_E_MEMORY;
    if (kind == PH_FACTOR_DENSE) {
        f->width = f->n > 0 ? f->n - 1 : 0;
        for (int i = 0; i < f->n; i++)
            f->place[i] = i;
    } else {
        f->width = ph_band_order(&f->pool, A, f->place);
    }
    if (f->width < 0)
        return PH_E_MEMORY;
    f->lead = f->width + GROUP;
    if ((double)f->lead * f->n > BAND_MOST)
        return ph_fail(err, PH_E_INPUT,
                       "%d degrees of freedom in a band of %d to each side are too many for this program",
                       f->n, f->width);
    return PH_OK;
}

/* S A S with a diagonal of 1; 0: one of its entries is not above 0, and *row tells which */
static int fill(ph_factor *f, const ph_csc *A, int *row)
{
    for (int j = 0; j < f->n; j++) {
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            if (A->i[k] == j && A->x[k] > 0)
                f->scale[j] = 1 / sqrt(A->x[k]);
        if (!(f->scale[j] > 0)) {
            *row = j;
            return 0;
        }
    }
    for (int j = 0; j < f->n; j++) {
        double sum = 0;
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int a = f->place[A->i[k]], b = f->place[j];
            double x = f->scale[A->i[k]] * A->x[k] * f->scale[j];
            if (a >= b)
                f->L[(size_t)b * (size_t)f->lead + (size_t)(a - b)] = x;
            sum += fabs(x);
        }
        f->norm = fmax(f->norm, sum);
    }
    return 1;
}

static double *column(const ph_factor *f, int j)
{
    return f->L + (size_t)j * (size_t)f->lead;
}

/* Rows of column j below the diagonal. */
static int below(const ph_factor *f, int j)
{
    return f->n - 1 - j < f->width ? f->n - 1 - j : f->width;
}

/* Column c minus what columns k ... k + GROUP - 1, all before it, do to it. */
static void subtract(ph_factor *f, int k, int c)
{
    int last = k + GROUP + f->width, rows = (last < f->n ? last : f->n) - c;
    double by[GROUP];
    if (rows <= 0)
        return;
    for (int g = 0; g < GROUP; g++)
        by[g] = -column(f, k + g)[c - k - g];
    ph_vector_add4(rows, by, column(f, k) + c - k, f->lead - 1, column(f, c));
}

/* A = L L^T. Returns n, or the place at which A turns out not to be positive definite. */
static int eliminate(ph_factor *f)
{
    for (int panel = 0; panel < f->n; panel += PANEL) {
        int end = panel + PANEL < f->n ? panel + PANEL : f->n,
            first = panel > f->width ? (panel - f->width) / GROUP * GROUP : 0;
        for (int k = first; k < panel; k += GROUP)
            for (int c = panel; c < end; c++)
                subtract(f, k, c);
        for (int c = panel; c < end; c++) {
            double *to = column(f, c);
            int rows = below(f, c);
            for (int k = panel; k < c; k++) {
                int common = below(f, k) - (c - k); /* rows of both columns */
                if (common >= 0)
                    ph_vector_add(common + 1, -column(f, k)[c - k], column(f, k) + c - k, to);
            }
            if (!(to[0] > NOTHING))
                return c;
            double pivot = sqrt(to[0]);
            for (int i = 0; i <= rows; i++)
                to[i] /= pivot;
        }
    }
    return f->n;
}

static ph_status factor(ph_factor *f, const ph_csc *A, int *row)
{
    f->L = ph_pool_numbers(&f->pool, (size_t)f->lead * (size_t)f->n + 1);
    f->b = ph_pool_numbers(&f->pool, (size_t)f->n), f->scale = ph_pool_numbers(&f->pool, (size_t)f->n);
    if (!f->L || !f->b || !f->scale)
        return PH_E_MEMORY;
    if (!fill(f, A, row))
        return PH_E_SINGULAR;
    int bad = eliminate(f);
    for (int i = 0; i < f->n; i++)
        if (f->place[i] == bad)
            *row = i;
    return bad < f->n ? PH_E_SINGULAR : PH_OK;
}

ph_status ph_factor_create(ph_factor **out, const ph_csc *A, ph_factor_kind kind, const ph_allocator *alloc,
                           int *row, ph_error *err)
{
    ph_factor *f = ph_alloc(alloc, sizeof *f);
    *out = NULL, *row = -1;
    if (!f)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a factorisation");
    *f = (ph_factor){.pool = {.alloc = alloc}, .n = A->rows};
    ph_status s = order(f, A, kind, err);
    if (s == PH_OK)
        s = factor(f, A, row);
    if (s == PH_E_MEMORY)
        ph_fail(err, s, "not enough memory for a factorisation of %d rows", f->n);
    if (s == PH_OK)
        *out = f;
    else
        ph_factor_destroy(f);
    return s;
}

/* b = (L L^T)^-1 b, by places */
static void substitute(const ph_factor *f, double *b)
{
    for (int j = 0; j < f->n; j++) {
        const double *c = column(f, j);
        int rows = below(f, j);
        b[j] /= c[0];
        ph_vector_add(rows, -b[j], c + 1, b + j + 1);
    }
    for (int j = f->n - 1; j >= 0; j--) {
        const double *c = column(f, j);
        int rows = below(f, j);
        b[j] = (b[j] - ph_vector_dot(rows, c + 1, b + j + 1)) / c[0];
    }
}

static double sum_of(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* |A^-1| as Hager and Higham estimate it: the largest |A^-1 x|, |x| = 1, of a mean, of the axes that it points
 * to, and of one that changes sign. (Higham, Accuracy and Stability of Numerical Algorithms, 15.3.) */
double ph_factor_sound(ph_factor *f)
{
    int n = f->n, axis = -1;
    double *x = f->b, most = 0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int k = 0; k < 5; k++) {
        substitute(f, x);
        double sum = sum_of(n, x);
        if (k && !(sum > most))
            break;
        most = sum;
        for (int i = 0; i < n; i++)
            x[i] = x[i] < 0 ? -1 : 1;
        substitute(f, x);
        int next = 0;
        for (int i = 0; i < n; i++)
            next = fabs(x[i]) > fabs(x[next]) ? i : next;
        if (next == axis)
            break;
        axis = next;
        memset(x, 0, sizeof(double) * (size_t)n);
        if (n > 0)
            x[axis] = 1;
    }
    for (int i = 0; i < n; i++)
        x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (n > 1 ? n - 1 : 1));
    substitute(f, x);
    most = fmax(most, 2 * sum_of(n, x) / (3.0 * n));
    return n > 0 ? 1 / (f->norm * most) : 1;
}

void ph_factor_solve(ph_factor *f, double *x)
{
    for (int i = 0; i < f->n; i++)
        f->b[f->place[i]] = f->scale[i] * x[i];
    substitute(f, f->b);
    for (int i = 0; i < f->n; i++)
        x[i] = f->scale[i] * f->b[f->place[i]];
}

void ph_factor_destroy(ph_factor *f)
{
    if (!f)
        return;
    const ph_allocator *alloc = f->pool.alloc;
    ph_pool_free(&f->pool);
    ph_free(alloc, f);
}
