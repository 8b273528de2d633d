/* Dense symmetric matrices.
 *
 *   H_(n-2) ... H_0 A H_0 ... H_(n-2) = T tridiagonal, H_k = I - b v v^T; then T - mu I = Q L,
 *   T <- L Q + mu I with the eigenvalue mu of the first 2 x 2 block that is nearer to its corner, until entries
 *   beside the diagonal vanish.
 *
 * (Golub, Van Loan, Matrix Computations, 4.2, 8.3; Parlett, The Symmetric Eigenvalue Problem, 8.) */
#include "la/symmetric.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"

#define SWEEPS 60 /* for one eigenvalue; two are usual */

/* ---- Cholesky's factors ---------------------------------------------------------------------------- */

int ph_cholesky(int n, double *A)
{
    size_t N = (size_t)n;
    for (int j = 0; j < n; j++) {
        double *c = A + (size_t)j * N + j;
        int k = 0;
        for (; k + 4 <= j; k += 4) {
            const double *x = A + (size_t)k * N + j, f[4] = {-x[0], -x[N], -x[2 * N], -x[3 * N]};
            ph_vector_add4(n - j, f, x, n, c);
        }
        for (; k < j; k++)
            ph_vector_add(n - j, -A[(size_t)k * N + (size_t)j], A + (size_t)k * N + j, c);
        if (!(c[0] > 0))
            return j + 1;
        double d = sqrt(c[0]);
        for (int i = 0; i < n - j; i++)
            c[i] /= d;
    }
    return 0;
}

void ph_cholesky_forward(int n, const double *L, double *x)
{
    for (int j = 0; j < n; j++) {
        const double *c = L + (size_t)j * (size_t)n + j;
        x[j] /= c[0];
        ph_vector_add(n - 1 - j, -x[j], c + 1, x + j + 1);
    }
}

void ph_cholesky_back(int n, const double *L, double *x)
{
    for (int j = n - 1; j >= 0; j--) {
        const double *c = L + (size_t)j * (size_t)n + j;
        x[j] = (x[j] - ph_vector_dot(n - 1 - j, c + 1, x + j + 1)) / c[0];
    }
}

/* ---- tridiagonal form ------------------------------------------------------------------------------ */

/* The reflection that makes v, of n numbers, a multiple of the first axis: v becomes its vector, *b its
 * factor. Returns the multiple. */
static double reflection(int n, double *v, double *b)
{
    double rest = ph_vector_dot(n - 1, v + 1, v + 1), first = v[0];
    *b = 0;
    if (!(rest > 0))
        return first;
    double to = -copysign(sqrt(first * first + rest), first);
    v[0] = first - to;
    *b = 2 / (v[0] * v[0] + rest);
    return to;
}

/* p = A v, A n x n with columns at a distance of lead, of which the lower triangle is read */
static void multiply(int n, const double *A, size_t lead, const double *v, double *p)
{
    memset(p, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++) {
        const double *c = A + (size_t)j * lead + j;
        p[j] += c[0] * v[j] + ph_vector_dot(n - 1 - j, c + 1, v + j + 1);
        ph_vector_add(n - 1 - j, v[j], c + 1, p + j + 1);
    }
}

/* d, e: the diagonal and what is beside it; column k of A keeps the vector of H_k below the diagonal, b its
 * factor */
static void reduce(int n, double *A, double *d, double *e, double *b, double *p)
{
    size_t N = (size_t)n;
    for (int k = 0; k < n - 1; k++) {
        int m = n - 1 - k;
        double *v = A + (size_t)k * N + k + 1, *rest = A + (size_t)(k + 1) * (N + 1);
        d[k] = v[-1];
        e[k] = reflection(m, v, &b[k]);
        if (!(b[k] > 0))
            continue;
        multiply(m, rest, N, v, p); /* w = b (A v - b/2 (v.A v) v); A -= v w^T + w v^T */
        double half = b[k] / 2 * ph_vector_dot(m, v, p);
        for (int i = 0; i < m; i++)
            p[i] = b[k] * (p[i] - half * v[i]);
        for (int j = 0; j < m; j++) {
            ph_vector_add(m - j, -v[j], p + j, rest + (size_t)j * N + j);
            ph_vector_add(m - j, -p[j], v + j, rest + (size_t)j * N + j);
        }
    }
    d[n - 1] = A[N * N - 1];
}

/* A becomes H_0 H_1 ..., from the last one on: H_k leaves the rows and columns up to k alone. */
static void accumulate(int n, double *A, const double *b)
{
    size_t N = (size_t)n;
    for (int k = n - 1; k >= 0; k--) {
        double *c = A + (size_t)k * N;
        int m = n - 1 - k; /* rows and columns from k + 1 on are done but for H_k */
        for (int j = k + 1; j < n && b[k] > 0; j++) {
            double *q = A + (size_t)j * N + k + 1;
            ph_vector_add(m, -b[k] * ph_vector_dot(m, c + k + 1, q), c + k + 1, q);
        }
        for (int j = k + 1; j < n; j++)
            A[(size_t)j * N + (size_t)k] = c[j] = 0;
        c[k] = 1;
    }
}

/* ---- diagonal form --------------------------------------------------------------------------------- */

/* One step of the iteration on rows l .. m; columns of Z are turned along. */
static void sweep(int n, double *d, double *e, int l, int m, double *Z)
{
    double p = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(p * p + 1);
    double g = d[m] - d[l] + e[l] / (p + copysign(r, p)), s = 1, c = 1;
    p = 0;
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (!(r > 0)) { /* it has come apart */
            d[i + 1] -= p, e[m] = 0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p, g = c * r - b;
        ph_vector_turn(n, c, s, Z + (size_t)i * (size_t)n, Z + (size_t)(i + 1) * (size_t)n);
    }
    d[l] -= p, e[l] = g, e[m] = 0;
}

static int diagonalise(int n, double *d, double *e, double *Z)
{
    for (int l = 0; l < n; l++)
        for (int k = 0;; k++) {
            int m = l;
            while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])))
                m++;
            if (m == l)
                break;
            if (k == SWEEPS)
                return 0;
            sweep(n, d, e, l, m, Z);
        }
    return 1;
}

static void sort(int n, double *d, double *Z, double *work)
{
    size_t N = (size_t)n, bytes = sizeof(double) * N;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (int j = i + 1; j < n; j++)
            k = d[j] < d[k] ? j : k;
        if (k == i)
            continue;
        double value = d[k], *a = Z + (size_t)i * N, *b = Z + (size_t)k * N;
        d[k] = d[i], d[i] = value;
        memcpy(work, a, bytes), memcpy(a, b, bytes), memcpy(b, work, bytes);
    }
}

int ph_symmetric_eigen(int n, double *A, double *value, double *work)
{
    size_t N = (size_t)n;
    double size = 0, *e = work, *b = e + n, *p = b + n;
    int power;
    for (int j = 0; j < n; j++)
        size = ph_small_larger(n - j, size, A + (size_t)j * (N + 1));
    if (!isfinite(size))
        return 0;
    frexp(size, &power); /* so that squares neither overflow nor vanish */
    for (size_t i = 0; i < N * N; i++)
        A[i] = ldexp(A[i], -power);
    if (n > 0)
        reduce(n, A, value, e, b, p), accumulate(n, A, b);
    int ok = n == 0 || diagonalise(n, value, e, A);
    for (int i = 0; i < n; i++)
        value[i] = ldexp(value[i], power);
    sort(n, value, A, p);
    return ok;
}
