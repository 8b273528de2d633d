/* Symmetric positive definite matrices: factors and solutions. */
#include "fe/factor.h"

#include <string.h>

#include "fe/lapack.h"

#ifdef PH_HAVE_CHOLMOD
#include <cholmod.h>
#endif

struct ph_factor {
    const ph_allocator *alloc;
    int n;
    double *L; /* dense; NULL: sparse */
#ifdef PH_HAVE_CHOLMOD
    cholmod_common common;
    cholmod_factor *sparse;
#endif
};

int ph_factor_has_sparse(void)
{
#ifdef PH_HAVE_CHOLMOD
    return 1;
#else
    return 0;
#endif
}

static ph_status factor_dense(ph_factor *f, const ph_csc *A, int *row)
{
    int info;
    f->L = ph_alloc(f->alloc, sizeof(double) * (size_t)(f->n ? f->n : 1) * (size_t)f->n + 1);
    if (!f->L)
        return PH_E_MEMORY;
    ph_csc_dense(A, f->L);
    dpotrf_("L", &f->n, f->L, &f->n, &info);
    *row = info - 1;
    return info ? PH_E_SINGULAR : PH_OK;
}

#ifdef PH_HAVE_CHOLMOD

/* A view: nothing is copied. The triangle with rows below columns is used. */
static cholmod_sparse view(const ph_csc *A)
{
    return (cholmod_sparse){.nrow = (size_t)A->rows,
                            .ncol = (size_t)A->columns,
                            .nzmax = (size_t)A->p[A->columns],
                            .p = A->p,
                            .i = A->i,
                            .x = A->x,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static ph_status factor_sparse(ph_factor *f, const ph_csc *A, int *row)
{
    cholmod_sparse S = view(A);
    f->common.print = 0;
    f->common.final_ll = 1;
    f->sparse = cholmod_analyze(&S, &f->common);
    if (!f->sparse || !cholmod_factorize(&S, f->sparse, &f->common))
        return PH_E_MEMORY;
    if (f->common.status != CHOLMOD_NOT_POSDEF)
        return PH_OK;
    const int *perm = f->sparse->Perm;
    *row = f->sparse->minor < (size_t)f->n ? perm[f->sparse->minor] : f->n - 1;
    return PH_E_SINGULAR;
}

static int solve_sparse(ph_factor *f, double *x, int m)
{
    cholmod_dense B = {.nrow = (size_t)f->n,
                       .ncol = (size_t)m,
                       .nzmax = (size_t)f->n * (size_t)m,
                       .d = (size_t)f->n,
                       .x = x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *X = cholmod_solve(CHOLMOD_A, f->sparse, &B, &f->common);
    if (!X)
        return 0;
    memcpy(x, X->x, sizeof(double) * (size_t)f->n * (size_t)m);
    cholmod_free_dense(&X, &f->common);
    return 1;
}

#endif

static ph_status make(ph_factor *f, const ph_csc *A, ph_factor_kind kind, int *row, ph_error *err)
{
    int sparse = kind == PH_FACTOR_SPARSE || (kind == PH_FACTOR_AUTO && f->n > PH_DENSE_ROWS);
    *row = -1;
#ifdef PH_HAVE_CHOLMOD
    if (sparse)
        return factor_sparse(f, A, row);
#endif
    if (sparse && f->n > PH_DENSE_MOST)
        return ph_fail(err, PH_E_INPUT,
                       "%d degrees of freedom are too many for dense matrices (%d are the limit), and "
                       "this program was built without CHOLMOD (libsuitesparse-dev)",
                       f->n, PH_DENSE_MOST);
    return factor_dense(f, A, row);
}

ph_status ph_factor_create(ph_factor **out, const ph_csc *A, ph_factor_kind kind, const ph_allocator *alloc,
                           int *row, ph_error *err)
{
    ph_factor *f = ph_alloc(alloc, sizeof *f);
    *out = NULL;
    if (!f)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for a factorisation");
    memset(f, 0, sizeof *f);
    f->alloc = alloc, f->n = A->rows;
#ifdef PH_HAVE_CHOLMOD
    cholmod_start(&f->common);
#endif
    ph_status s = make(f, A, kind, row, err);
    if (s == PH_E_MEMORY)
        ph_fail(err, s, "not enough memory for a factorisation of %d rows", f->n);
    if (s == PH_OK)
        *out = f;
    else
        ph_factor_destroy(f);
    return s;
}

int ph_factor_solve(ph_factor *f, double *x, int m)
{
    int info;
    if (f->n == 0)
        return 1;
#ifdef PH_HAVE_CHOLMOD
    if (f->sparse)
        return solve_sparse(f, x, m);
#endif
    dpotrs_("L", &f->n, &m, f->L, &f->n, x, &f->n, &info);
    return info == 0;
}

void ph_factor_destroy(ph_factor *f)
{
    if (!f)
        return;
#ifdef PH_HAVE_CHOLMOD
    cholmod_free_factor(&f->sparse, &f->common);
    cholmod_finish(&f->common);
#endif
    ph_free(f->alloc, f->L);
    ph_free(f->alloc, f);
}
