/* Lowest frequencies of K x = omega^2 M x.
 *
 * Both ways look for the largest mu of M x = mu K x, mu = 1/omega^2: round-off is relative to the largest mu,
 * and so the lowest frequencies are the best ones. Dense matrices are reduced by the factors of K. Else
 * Lanczos iterates with A = K^-1 M, which is symmetric in the sense of M, from several vectors at once:
 *
 *   w = A q_j;  w -= Q Q^T M w;  q_next = w/|w|;   T = Q^T M A Q,  A Q_j = Q_j T_j + Q_rest R         (X27)
 *
 * Every vector is made orthogonal to all others, twice, so that T has no eigenvalue more often than A. Pairs
 * T s = mu s have the residual |R s|. Multiples of a frequency beyond the number of starting vectors show only
 * by chance: when all is found a vector at random joins, and only when it finds nothing new that is the end.
 * (Ruhe, Implementation aspects of band Lanczos algorithms, Math. Comp. 33, 1979.) */
#include "fe/eigen.h"

#include <stdint.h>
#include <string.h>

#include "la/small.h"
#include "la/symmetric.h"
#include "la/vectors.h"

#define STARTS   3     /* vectors that the iteration starts from: round bars have each frequency twice */
#define RESIDUAL 1e-15 /* of a pair, relative to its mu */
#define NEW      1e-8  /* of mu, relative: a pair that was not there before */
#define NOTHING  1e-9  /* of a vector, relative, after it was made orthogonal: it is in the space already */

/* ---- dense ----------------------------------------------------------------------------------------- */

static ph_status no_memory(int rows, ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for eigenvalues of %d rows", rows);
}

/* A = L^-1 A L^-T, of which the lower triangle counts */
static void congruence(int n, const double *L, double *A)
{
    size_t N = (size_t)n;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++)
            ph_cholesky_forward(n, L, A + (size_t)j * N);
        for (int j = 0; j < n; j++) /* transposed */
            for (int i = 0; i < j; i++) {
                double a = A[(size_t)j * N + (size_t)i];
                A[(size_t)j * N + (size_t)i] = A[(size_t)i * N + (size_t)j];
                A[(size_t)i * N + (size_t)j] = a;
            }
    }
}

ph_status ph_eigen_dense(int n, double *A, double *B, double *lambda, const ph_allocator *alloc,
                         ph_error *err)
{
    if (n == 0)
        return PH_OK;
    double *work = ph_alloc(alloc, sizeof(double) * 4 * (size_t)n);
    if (!work)
        return no_memory(n, err);
    int row = B ? ph_cholesky(n, B) : 0, ok = 1;
    if (B && !row)
        congruence(n, B, A);
    if (!row)
        ok = ph_symmetric_eigen(n, A, lambda, work);
    for (int j = 0; B && !row && j < n; j++)
        ph_cholesky_back(n, B, A + (size_t)j * (size_t)n);
    ph_free(alloc, work);
    if (row)
        return ph_fail(err, PH_E_SINGULAR, "a matrix is not positive definite, at row %d", row);
    return ok ? PH_OK : ph_fail(err, PH_E_NAN, "eigenvalues of %d rows: no convergence", n);
}

/* mu from large to small; x^T K x = 1 becomes x^T M x = 1 */
static ph_status lowest_dense(const ph_csc *K, const ph_csc *M, int n, double *lambda, double *V,
                              const ph_allocator *alloc, ph_error *err)
{
    int rows = K->rows;
    size_t N = (size_t)rows, room = N * N;
    double *A = ph_alloc(alloc, sizeof(double) * (2 * room + N));
    if (!A)
        return no_memory(rows, err);
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

/* ---- iteration ------------------------------------------------------------------------------------- */

typedef struct lanczos {
    const ph_csc *M;
    ph_factor *f;
    const ph_allocator *alloc;
    int rows, wanted;
    int room;          /* vectors that there is memory for */
    int n, done;       /* vectors of Q; those whose column of T is complete */
    double *Q, *T;     /* rows x room; room x room, column by column */
    double *w, *y, *c; /* rows, rows, room */
    uint64_t seed;
    double *S, *mu,
        *old; /* room^2, room, wanted: vectors and values of T, descending where used; the last ones */
} lanczos;

static void close_lanczos(lanczos *l)
{
    double *all[] = {l->Q, l->T, l->w, l->y, l->c, l->S, l->mu, l->old};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ph_free(l->alloc, all[i]);
}

/* A matrix with room for more: columns of length from become columns of length to. 0: no memory */
static int grow(const ph_allocator *alloc, double **A, int columns, int from, int to, int room)
{
    double *new = ph_alloc(alloc, sizeof(double) * (size_t)to * (size_t)room);
    if (!new)
        return 0;
    memset(new, 0, sizeof(double) * (size_t)to * (size_t)room);
    for (int j = 0; j < columns; j++)
        memcpy(new + (size_t)j *(size_t)to, *A + (size_t)j * (size_t)from, sizeof(double) * (size_t)from);
    ph_free(alloc, *A);
    *A = new;
    return 1;
}

static int make_room(lanczos *l, int room)
{
    int ok = grow(l->alloc, &l->Q, l->n, l->rows, l->rows, room) &&
             grow(l->alloc, &l->T, l->room, l->room, room, room) && grow(l->alloc, &l->S, 0, 0, room, room) &&
             grow(l->alloc, &l->c, 0, 0, 1, room) && grow(l->alloc, &l->mu, 0, 0, 1, room);
    l->room = ok ? room : l->room;
    return ok;
}

/* w -= Q Q^T M w, with the coefficients in c; y = M w before that */
static void project(lanczos *l)
{
    size_t N = (size_t)l->rows;
    int k = 0;
    ph_csc_mul(l->M, l->w, l->y);
    for (int i = 0; i < l->n; i++)
        l->c[i] = -ph_vector_dot(l->rows, l->Q + (size_t)i * N, l->y);
    for (; k + 4 <= l->n; k += 4)
        ph_vector_add4(l->rows, l->c + k, l->Q + (size_t)k * N, l->rows, l->w);
    for (; k < l->n; k++)
        ph_vector_add(l->rows, l->c[k], l->Q + (size_t)k * N, l->w);
}

static double length(lanczos *l)
{
    ph_csc_mul(l->M, l->w, l->y);
    return sqrt(fmax(ph_vector_dot(l->rows, l->w, l->y), 0));
}

/* w becomes the next vector of Q, where it has something new; returns its length then, else 0 */
static double join(lanczos *l, double before)
{
    project(l);
    double left = length(l);
    if (!(left > NOTHING * before) || l->n == l->rows)
        return 0;
    for (int i = 0; i < l->rows; i++)
        l->Q[(size_t)l->n * (size_t)l->rows + (size_t)i] = l->w[i] / left;
    l->n++;
    return left;
}

/* One with numbers at random, in [-1, 1), always the same. */
static void start(lanczos *l)
{
    for (int i = 0; i < l->rows; i++) {
        l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
        l->w[i] = (double)(int64_t)(l->seed >> 11) / 4503599627370496.0 - 1;
    }
    double before = length(l);
    project(l);
    join(l, before);
}

/* Column j of T, and the vector that A q_j has beside those that are there. */
static void expand(lanczos *l)
{
    int j = l->done++, n = l->n;
    size_t R = (size_t)l->room;
    ph_csc_mul(l->M, l->Q + (size_t)j * (size_t)l->rows, l->w);
    ph_factor_solve(l->f, l->w);
    double before = length(l);
    project(l);
    for (int i = 0; i < n; i++) /* the upper triangle is that of earlier columns */
        if (i >= j)
            l->T[(size_t)j * R + (size_t)i] = l->T[(size_t)i * R + (size_t)j] = -l->c[i];
    double left = join(l, before);
    if (l->n > n)
        l->T[(size_t)j * R + (size_t)n] = l->T[(size_t)n * R + (size_t)j] = left;
}

/* Values and vectors of the complete part of T; *found: those that are wanted are at rest. */
static ph_status settle(lanczos *l, int *found)
{
    int m = l->done, n = l->wanted;
    size_t R = (size_t)l->room;
    for (int j = 0; j < m; j++)
        memcpy(l->S + (size_t)j * (size_t)m, l->T + (size_t)j * R, sizeof(double) * (size_t)m);
    ph_status status = ph_eigen_dense(m, l->S, NULL, l->mu, l->alloc, NULL);
    *found = status == PH_OK;
    for (int k = 0; *found && k < n; k++) { /* |R s|: rows of T after the complete ones */
        const double *s = l->S + (size_t)(m - 1 - k) * (size_t)m;
        double residual = 0;
        for (int i = m; i < l->n; i++) {
            double r = ph_vector_dot(m, l->T + (size_t)i * R, s);
            residual += r * r;
        }
        *found = sqrt(residual) <= RESIDUAL * l->mu[m - 1 - k];
    }
    return status;
}

/* Whether the values are those of last time, which they replace. */
static int same_as_before(lanczos *l)
{
    int same = 1;
    for (int k = 0; k < l->wanted; k++) {
        double mu = l->mu[l->done - 1 - k];
        same = same && fabs(mu - l->old[k]) <= NEW * mu;
        l->old[k] = mu;
    }
    return same;
}

static ph_status iterate(lanczos *l)
{
    int next = l->wanted + 2 * STARTS, found;
    for (int k = 0; k < STARTS; k++)
        start(l);
    for (;;) {
        int whole = l->done == l->n && (start(l), l->done == l->n); /* nothing is outside of Q */
        if (!whole) {
            if (l->n + 2 > l->room && !make_room(l, 2 * l->room))
                return PH_E_MEMORY;
            expand(l);
        }
        if (!whole && (l->done < l->wanted || l->done < next))
            continue;
        ph_status s = settle(l, &found);
        int same = s == PH_OK && found && same_as_before(l);
        if (s != PH_OK || same || whole)
            return s == PH_OK && !found ? PH_E_NAN : s;
        next = l->done + 4 + l->done / 8;
        if (found)
            start(l), next += 4;
    }
}

static ph_status lowest_sparse(const ph_csc *M, ph_factor *f, int n, double *lambda, double *V,
                               const ph_allocator *alloc, ph_error *err)
{
    int rows = M->rows;
    size_t N = (size_t)rows;
    lanczos l = {.M = M, .f = f, .alloc = alloc, .rows = rows, .wanted = n, .seed = 1};
    l.w = ph_alloc(alloc, sizeof(double) * N), l.y = ph_alloc(alloc, sizeof(double) * N);
    l.old = ph_alloc(alloc, sizeof(double) * (size_t)n);
    ph_status status = l.w && l.y && l.old && make_room(&l, 2 * n + 40) ? PH_OK : PH_E_MEMORY;
    for (int k = 0; status == PH_OK && k < n; k++)
        l.old[k] = 0;
    if (status == PH_OK)
        status = iterate(&l);
    for (int k = 0; status == PH_OK && k < n; k++) {
        const double *s = l.S + (size_t)(l.done - 1 - k) * (size_t)l.done;
        double *v = V + (size_t)k * N;
        lambda[k] = 1 / l.mu[l.done - 1 - k];
        memset(v, 0, sizeof(double) * N);
        for (int j = 0; j < l.done; j++)
            ph_vector_add(rows, s[j], l.Q + (size_t)j * N, v);
    }
    close_lanczos(&l);
    if (status == PH_E_MEMORY)
        return no_memory(rows, err);
    return status == PH_OK
               ? PH_OK
               : ph_fail(err, status, "%d lowest frequencies of %d rows: no convergence", n, rows);
}

ph_status ph_eigen_lowest(const ph_csc *K, const ph_csc *M, ph_factor *f, ph_factor_kind kind, int n,
                          double *lambda, double *V, const ph_allocator *alloc, ph_error *err)
{
    int rows = K->rows, sparse = kind == PH_FACTOR_SPARSE || (kind == PH_FACTOR_AUTO && rows > PH_DENSE_ROWS);
    if (n == 0)
        return PH_OK;
    if (sparse && f && n < rows / 2)
        return lowest_sparse(M, f, n, lambda, V, alloc, err);
    return lowest_dense(K, M, n, lambda, V, alloc, err);
}
