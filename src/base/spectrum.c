/* Eigenvalues and singular vectors of small dense matrices.
 *
 *   H = P^T A P upper Hessenberg, by reflections; then H - mu I = Q R, H <- R Q + mu I with the eigenvalue mu
 *   of the last 2 x 2 block that is nearer to its corner, until entries below the diagonal vanish.
 *
 * A defective eigenvalue of multiplicity k is found to the k-th root of round-off only. The eigenvalue 0 loses nothing:
 * with an orthonormal basis Q = (Q_1, Q_2), Q_2 that of the null space of A,
 *
 *   Q^T A Q = (Q_1^T A Q_1  0; *  0),                                                              (T9)
 *
 * and once more for Q_1^T A Q_1 until it is regular.
 * (Golub, Van Loan, Matrix Computations, 7.4, 7.5 and 8.6.3.) */
#include "base/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 60 /* for one eigenvalue; three are usual */

/* ---- eigenvalues ------------------------------------------------------------------------------------- */

/* A <- (I - 2 u u^T) A (I - 2 u u^T), u != 0 from index k on */
static void reflect(int n, double *A, int k, const double *u)
{
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (int i = k; i < n; i++)
            s += u[i] * A[i * n + j];
        for (int i = k; i < n; i++)
            A[i * n + j] -= 2 * s * u[i];
    }
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = k; j < n; j++)
            s += A[i * n + j] * u[j];
        for (int j = k; j < n; j++)
            A[i * n + j] -= 2 * s * u[j];
    }
}

static void reduce(int n, double *A, double *u)
{
    for (int k = 1; k < n - 1; k++) {
        double norm = 0, length = 0;
        for (int i = k; i < n; i++) {
            u[i] = A[i * n + k - 1];
            norm = hypot(norm, u[i]);
        }
        u[k] += copysign(norm, u[k]);
        for (int i = k; i < n; i++)
            length = hypot(length, u[i]);
        if (!(length > 0))
            continue;
        for (int i = k; i < n; i++)
            u[i] /= length;
        reflect(n, A, k, u);
    }
}

static double length(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

/* The rank of the rows in W, n x n, where those below least are 0, which is tol of the largest at least. Row k of W becomes the reflection number k, which makes columns from rank on 0. */
static int find_rank(int n, double *W, double tol, double *least)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        double most = 0;
        for (int i = k; i < n; i++) {
            double x = length(n - k, W + i * n + k);
            if (x > most)
                most = x, best = i;
        }
        *least = k ? *least : fmax(*least, tol * most);
        if (!(most > *least))
            return k;
        double *u = W + k * n, *other = W + best * n;
        for (int j = 0; j < n && best != k; j++) {
            double x = u[j];
            u[j] = other[j], other[j] = x;
        }
        memset(u, 0, (size_t)k * sizeof *u);
        u[k] += copysign(most, u[k]);
        double size = length(n - k, u + k);
        for (int j = k; j < n; j++)
            u[j] /= size;
        for (int i = k + 1; i < n; i++) {
            double s = 0, *row = W + i * n;
            for (int j = k; j < n; j++)
                s += u[j] * row[j];
            for (int j = k; j < n; j++)
                row[j] -= 2 * s * u[j];
        }
    }
    return n;
}

int ph_remove_zeros(int n, double *A, double tol, double least, double *work)
{
    for (int rank; n > 0; n = rank) {
        memcpy(work, A, (size_t)n * (size_t)n * sizeof *A);
        rank = find_rank(n, work, tol, &least);
        if (rank == n)
            return n;
        for (int k = 0; k < rank; k++)
            reflect(n, A, k, work + k * n);
        for (int i = 0; i < rank; i++)
            memmove(A + i * rank, A + i * n, (size_t)rank * sizeof *A);
    }
    return 0;
}

/* The eigenvalue of [a b; c d] that is nearer to d. */
static double complex shift(double complex a, double complex b, double complex c, double complex d)
{
    double complex p = (a - d) / 2, bc = b * c, r = csqrt(p * p + bc);
    double complex q = cabs(p + r) > cabs(p - r) ? p + r : p - r; /* d - bc/q loses no digits */
    return cabs(q) > 0 ? d - bc / q : d;
}

/* One step of the QR iteration on rows and columns lo..hi. */
static void sweep(int n, double complex *H, int lo, int hi, double complex mu, double complex *turn)
{
    for (int i = lo; i <= hi; i++)
        H[i * n + i] -= mu;
    for (int k = lo; k < hi; k++) { /* G_k = [conj(c) conj(s); -s c], |c|^2 + |s|^2 = 1 */
        double complex a = H[k * n + k], b = H[(k + 1) * n + k];
        double r = hypot(cabs(a), cabs(b));
        double complex c = r > 0 ? a / r : 1, s = r > 0 ? b / r : 0;
        turn[2 * k] = c, turn[2 * k + 1] = s;
        for (int j = k; j <= hi; j++) {
            double complex x = H[k * n + j], y = H[(k + 1) * n + j];
            H[k * n + j] = conj(c) * x + conj(s) * y;
            H[(k + 1) * n + j] = c * y - s * x;
        }
    }
    for (int k = lo; k < hi; k++) {
        double complex c = turn[2 * k], s = turn[2 * k + 1];
        for (int i = lo; i <= k + 1; i++) {
            double complex x = H[i * n + k], y = H[i * n + k + 1];
            H[i * n + k] = x * c + y * s;
            H[i * n + k + 1] = y * conj(c) - x * conj(s);
        }
    }
    for (int i = lo; i <= hi; i++)
        H[i * n + i] += mu;
}

static int is_small(int n, const double complex *H, int i)
{
    double size = cabs(H[i * n + i]) + cabs(H[(i - 1) * n + i - 1]);
    return cabs(H[i * n + i - 1]) <= DBL_EPSILON * size || cabs(H[i * n + i - 1]) <= DBL_MIN;
}

static int iterate(int n, double complex *H, double complex *turn)
{
    int tries = 0;
    for (int hi = n - 1; hi > 0;) {
        int lo = hi;
        while (lo > 0 && !is_small(n, H, lo))
            lo--;
        if (lo == hi) {
            hi--, tries = 0;
            continue;
        }
        if (tries++ == SWEEPS)
            return 0;
        const double complex *row = H + (hi - 1) * n + hi - 1;
        double complex mu = shift(row[0], row[1], row[n], row[n + 1]);
        if (tries % 10 == 0) /* out of a cycle */
            mu += cabs(row[n]) * (1 + I);
        sweep(n, H, lo, hi, mu, turn);
    }
    return 1;
}

static int by_modulus(const void *a, const void *b)
{
    double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return (x < y) - (x > y);
}

/* (Parlett, Reinsch, Balancing a matrix for calculation of eigenvalues and eigenvectors, Numer. Math. 13, 1969.) */
void ph_balance(int n, double *A)
{
    for (int again = 1; again;) {
        again = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (int j = 0; j < n; j++)
                if (j != i)
                    row += fabs(A[i * n + j]), column += fabs(A[j * n + i]);
            if (!(row > 0 && column > 0 && isfinite(row + column)))
                continue;
            double sum = row + column, c = column;
            for (; c < row / 2; c *= 4)
                f *= 2;
            for (; c >= 2 * row; c /= 4)
                f /= 2;
            if (!((c + row) / f < 0.95 * sum))
                continue;
            again = 1;
            for (int j = 0; j < n; j++)
                A[i * n + j] /= f;
            for (int j = 0; j < n; j++)
                A[j * n + i] *= f;
        }
    }
}

ph_status ph_eigenvalues(int n, const double *A, double complex *value)
{
    size_t nn = (size_t)n * (size_t)n;
    for (size_t k = 0; k < nn; k++)
        if (!isfinite(A[k]))
            return PH_E_NAN;
    double *R = calloc(nn + (size_t)n, sizeof *R);
    double complex *H = calloc(nn + 2 * (size_t)n, sizeof *H);
    ph_status status = R && H ? PH_OK : PH_E_MEMORY;
    if (status == PH_OK) {
        memcpy(R, A, nn * sizeof *R);
        reduce(n, R, R + nn);
        for (int i = 0; i < n; i++)
            for (int j = i > 0 ? i - 1 : 0; j < n; j++)
                H[i * n + j] = R[i * n + j];
        status = iterate(n, H, H + nn) ? PH_OK : PH_E_NAN;
        for (int i = 0; i < n; i++)
            value[i] = H[i * n + i];
        qsort(value, (size_t)n, sizeof *value, by_modulus);
    }
    free(R);
    free(H);
    return status;
}

/* ---- eigenvectors ------------------------------------------------------------------------------------ */

#define NEAR   1e-12 /* of the largest eigenvalue: how far a shift stays away from its own */
#define PASSES 3     /* of inverse iteration; one is nearly enough */

/* H = P L U with rows swapped as swap says; a pivot that vanishes is replaced by tiny. */
static void factor(int n, double complex *H, int *swap, double tiny)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(H[i * n + k]) > cabs(H[best * n + k]))
                best = i;
        swap[k] = best;
        for (int j = 0; j < n && best != k; j++) {
            double complex x = H[k * n + j];
            H[k * n + j] = H[best * n + j], H[best * n + j] = x;
        }
        if (cabs(H[k * n + k]) <= tiny) /* NaN stays */
            H[k * n + k] = tiny;
        for (int i = k + 1; i < n; i++) {
            double complex l = H[i * n + k] /= H[k * n + k];
            for (int j = k + 1; j < n; j++)
                H[i * n + j] -= l * H[k * n + j];
        }
    }
}

/* x = H^-1 x, then its largest entry becomes 1. */
static int solve_and_scale(int n, const double complex *H, const int *swap, double complex *x)
{
    double complex most = 0;
    for (int k = 0; k < n; k++) { /* the rows of L were swapped along with those of H */
        double complex y = x[swap[k]];
        x[swap[k]] = x[k], x[k] = y;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= H[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= H[i * n + j] * x[j];
        x[i] /= H[i * n + i];
    }
    for (int i = 0; i < n; i++)
        if (!(cabs(x[i]) <= cabs(most)))
            most = x[i];
    for (int i = 0; i < n; i++)
        x[i] /= most;
    return isfinite(cabs(most)) && cabs(most) > 0;
}

ph_status ph_eigenvector(int n, const double *A, double complex value, double size, unsigned seed,
                         double complex *vector)
{
    size_t nn = (size_t)n * (size_t)n;
    double complex *H = calloc(nn, sizeof *H);
    int *swap = calloc((size_t)n, sizeof *swap), ok = 1;
    if (!H || !swap) {
        free(H), free(swap);
        return PH_E_MEMORY;
    }
    double away = NEAR * (size > 0 ? size : 1);
    for (size_t k = 0; k < nn; k++)
        H[k] = A[k];
    for (int i = 0; i < n; i++)
        H[i * n + i] -= value + away;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        vector[i] = (double)seed / 4294967296.0 - 0.5;
    }
    factor(n, H, swap, DBL_EPSILON * away);
    for (int k = 0; k < PASSES && ok; k++)
        ok = solve_and_scale(n, H, swap, vector);
    free(H), free(swap);
    return ok ? PH_OK : PH_E_NAN;
}

/* ---- singular vectors -------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static void turn_rows(int n, double *a, double *b, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Rotations of pairs of rows, until all of them are orthogonal (Jacobi, one-sided). */
void ph_singular_rows(int n, int m, double *A, double *V)
{
    memset(V, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        V[i * n + i] = 1;
    for (int k = 0, turned = 1; k < SWEEPS && turned; k++) {
        turned = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double *a = A + p * m, *b = A + q * m;
                double aa = dot(m, a, a), bb = dot(m, b, b), ab = dot(m, a, b);
                if (!(fabs(ab) > 4 * DBL_EPSILON * sqrt(aa * bb)))
                    continue;
                double z = (bb - aa) / (2 * ab), t = copysign(1 / (fabs(z) + sqrt(1 + z * z)), z);
                double c = 1 / sqrt(1 + t * t);
                turn_rows(m, a, b, c, c * t);
                turn_rows(n, V + p * n, V + q * n, c, c * t);
                turned = 1;
            }
    }
}
