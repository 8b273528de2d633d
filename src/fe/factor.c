/* Symmetric positive definite matrices: factors and solutions.
 *
 * Cholesky's factors of A, scaled to a diagonal of 1, with its rows in the order of band.c, inside of a band.
 * Bodies are long more often than not, and then the band is narrow; a cube of 20000 rows still takes seconds.
 * Every matrix product is one of LAPACK's. */
#include "fe/factor.h"

#include <string.h>

#include "fe/band.h"
#include "fe/lapack.h"

#define BAND_MOST 1e9 /* numbers of a band, 8 GB */

/* Of a pivot, squared, of a matrix with a diagonal of 1: round-off. */
#define NOTHING 1e-14

struct ph_factor {
    ph_pool pool;
    int n, width, lead; /* rows; half bandwidth; numbers of a column */
    int *place;         /* of rows */
    double *L;          /* lead x n */
    double *scale, *b;  /* n, by rows: 1/sqrt of the diagonal; n, by places */
    double norm;        /* of the scaled matrix */
    double *work;       /* 3 n */
    int *more;          /* n */
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
    f->lead = f->width + 1;
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

static ph_status factor(ph_factor *f, const ph_csc *A, int *row)
{
    int info = 0;
    f->L = ph_pool_numbers(&f->pool, (size_t)f->lead * (size_t)f->n + 1);
    f->b = ph_pool_numbers(&f->pool, (size_t)f->n), f->scale = ph_pool_numbers(&f->pool, (size_t)f->n);
    f->work = ph_pool_numbers(&f->pool, 3 * (size_t)f->n), f->more = ph_pool_ints(&f->pool, (size_t)f->n);
    if (!f->L || !f->b || !f->scale || !f->work || !f->more)
        return PH_E_MEMORY;
    if (!fill(f, A, row))
        return PH_E_SINGULAR;
    if (f->n > 0)
        dpbtrf_("L", &f->n, &f->width, f->L, &f->lead, &info);
    for (int j = 0; info == 0 && j < f->n; j++) {
        double pivot = f->L[(size_t)j * (size_t)f->lead];
        if (!(pivot * pivot > NOTHING))
            info = j + 1;
    }
    for (int i = 0; info > 0 && i < f->n; i++)
        if (f->place[i] == info - 1)
            *row = i;
    return info ? PH_E_SINGULAR : PH_OK;
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

double ph_factor_sound(ph_factor *f)
{
    double rcond = 1;
    int info;
    if (f->n > 0)
        dpbcon_("L", &f->n, &f->width, f->L, &f->lead, &f->norm, &rcond, f->work, f->more, &info);
    return rcond;
}

void ph_factor_solve(ph_factor *f, double *x)
{
    int one = 1, info;
    if (f->n == 0)
        return;
    for (int i = 0; i < f->n; i++)
        f->b[f->place[i]] = f->scale[i] * x[i];
    dpbtrs_("L", &f->n, &f->width, &one, f->L, &f->lead, f->b, &f->n, &info);
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
