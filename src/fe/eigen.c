/* Lowest frequencies of K x = omega^2 M x.
 *
 * Both ways look for the largest mu of M x = mu K x, mu = 1/omega^2: round-off is relative to the largest mu,
 * and so the lowest frequencies are the best ones. LAPACK reduces by the factors of K, ARPACK iterates with
 * K^-1 M. */
#include "fe/eigen.h"

#include <string.h>

#include "fe/lapack.h"

#ifdef PH_HAVE_ARPACK
#define SPARSE 1
#else
#define SPARSE 0
#endif

int ph_eigen_has_sparse(void)
{
    return SPARSE;
}

ph_status ph_eigen_dense(int n, double *A, double *B, double *lambda, const ph_allocator *alloc,
                         ph_error *err)
{
    int type = 1, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n, info = 0;
    if (n == 0)
        return PH_OK;
    double *work = ph_alloc(alloc, sizeof(double) * (size_t)lwork);
    int *iwork = ph_alloc(alloc, sizeof(int) * (size_t)liwork);
    ph_status s = PH_OK;
    if (!work || !iwork)
        s = ph_fail(err, PH_E_MEMORY, "not enough memory for eigenvalues of %d rows", n);
    else if (B)
        dsygvd_(&type, "V", "L", &n, A, &n, B, &n, lambda, work, &lwork, iwork, &liwork, &info);
    else
        dsyevd_("V", "L", &n, A, &n, lambda, work, &lwork, iwork, &liwork, &info);
    if (s == PH_OK && info > n)
        s = ph_fail(err, PH_E_SINGULAR, "a matrix is not positive definite, at row %d", info - n);
    else if (s == PH_OK && info)
        s = ph_fail(err, PH_E_NAN, "eigenvalues of %d rows: LAPACK did not converge", n);
    ph_free(alloc, work);
    ph_free(alloc, iwork);
    return s;
}

/* mu from large to small; x^T K x = 1 becomes x^T M x = 1 */
static ph_status lowest_dense(const ph_csc *K, const ph_csc *M, int n, double *lambda, double *V,
                              const ph_allocator *alloc, ph_error *err)
{
    int rows = K->rows;
    size_t N = (size_t)rows, room = N * N;
    double *A = ph_alloc(alloc, sizeof(double) * (2 * room + N));
    if (!A)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for eigenvalues of %d rows", rows);
    double *B = A + room, *mu = B + room;
    ph_csc_dense(M, A);
    ph_csc_dense(K, B);
    ph_status s = ph_eigen_dense(rows, A, B, mu, alloc, err);
    for (int k = 0; s == PH_OK && k < n; k++) {
        int from = rows - 1 - k;
        lambda[k] = 1 / mu[from];
        for (int i = 0; i < rows; i++)
            V[(size_t)k * N + (size_t)i] = A[(size_t)from * N + (size_t)i] / sqrt(mu[from]);
    }
    ph_free(alloc, A);
    return s;
}

#if SPARSE

void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv, int *iparam,
             int *ipntr, double *workd, double *workl, const int *lworkl, int *info);

typedef struct lanczos {
    int n, nev, ncv, lworkl;
    double tol; /* 0: ARPACK makes it that of round-off */
    double *resid, *v, *workd, *workl;
    int *select, iparam[11], ipntr[11], info;
} lanczos;

/* Mode 3 with sigma = 0: y = K^-1 M x, y = K^-1 (the product with M that is there already), y = M x */
static void iterate(lanczos *a, const ph_csc *M, ph_factor *f)
{
    for (int ido = 0; ido != 99;) {
        dsaupd_(&ido, "G", &a->n, "LM", &a->nev, &a->tol, a->resid, &a->ncv, a->v, &a->n, a->iparam, a->ipntr,
                a->workd, a->workl, &a->lworkl, &a->info);
        double *x = a->workd + a->ipntr[0] - 1, *y = a->workd + a->ipntr[1] - 1;
        if (ido == -1 || ido == 2)
            ph_csc_mul(M, x, y);
        else if (ido == 1)
            memcpy(y, a->workd + a->ipntr[2] - 1, sizeof(double) * (size_t)a->n);
        if (ido == -1 || ido == 1)
            ph_factor_solve(f, y);
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* From a fixed start, so that every run gives the same bits. */
static int open_lanczos(ph_pool *pool, lanczos *a, int rows, int n)
{
    *a = (lanczos){.n = rows, .nev = n, .ncv = least(rows, 2 * n + 20), .info = 1};
    size_t N = (size_t)rows, m = (size_t)a->ncv;
    a->lworkl = a->ncv * (a->ncv + 8);
    a->resid = ph_pool_numbers(pool, N), a->v = ph_pool_numbers(pool, N * m);
    a->workd = ph_pool_numbers(pool, 3 * N), a->workl = ph_pool_numbers(pool, (size_t)a->lworkl);
    a->select = ph_pool_ints(pool, m);
    a->iparam[0] = 1, a->iparam[2] = 300, a->iparam[6] = 3;
    if (!a->resid || !a->v || !a->workd || !a->workl || !a->select)
        return 0;
    for (int i = 0; i < rows; i++)
        a->resid[i] = 1 + 0.5 * sin(1.7 * i);
    return 1;
}

/* dseupd gives lambda ascending, and vectors with x^T M x = 1. */
static ph_status lowest_sparse(const ph_csc *K, const ph_csc *M, ph_factor *f, int n, double *lambda,
                               double *V, const ph_allocator *alloc, ph_error *err)
{
    ph_pool pool = {.alloc = alloc};
    lanczos a;
    int all = 1, rows = K->rows;
    double sigma = 0;
    int ok = open_lanczos(&pool, &a, rows, n);
    if (ok)
        iterate(&a, M, f);
    if (ok && a.info == 0)
        dseupd_(&all, "A", a.select, lambda, V, &rows, &sigma, "G", &rows, "LM", &n, &a.tol, a.resid, &a.ncv,
                a.v, &rows, a.iparam, a.ipntr, a.workd, a.workl, &a.lworkl, &a.info);
    int info = a.info, converged = a.iparam[4];
    ph_pool_free(&pool);
    if (!ok)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for eigenvalues of %d rows", rows);
    if (info != 0 || converged < n)
        return ph_fail(err, PH_E_NAN, "%d lowest frequencies: ARPACK found %d (code %d)", n, converged, info);
    return PH_OK;
}

#endif

ph_status ph_eigen_lowest(const ph_csc *K, const ph_csc *M, ph_factor *f, ph_factor_kind kind, int n,
                          double *lambda, double *V, const ph_allocator *alloc, ph_error *err)
{
    int rows = K->rows, sparse = kind == PH_FACTOR_SPARSE || (kind == PH_FACTOR_AUTO && rows > PH_DENSE_ROWS);
    if (n == 0)
        return PH_OK;
#if SPARSE
    if (sparse && f && n < rows / 2)
        return lowest_sparse(K, M, f, n, lambda, V, alloc, err);
#else
    (void)f;
#endif
    if (sparse && rows > PH_DENSE_MOST)
        return ph_fail(err, PH_E_INPUT,
                       "%d degrees of freedom are too many for dense matrices (%d are the limit), and this "
                       "program was built without ARPACK (libarpack2-dev)",
                       rows, PH_DENSE_MOST);
    return lowest_dense(K, M, n, lambda, V, alloc, err);
}
