/* Small dense matrices: what is too long to be inline. */
#include "la/small.h"

/* Four vectors of four: a comparison need not wait for the one before. The last numbers stand among 16 that overlap. */
double ph_small_max_long(int n, const double *a)
{
    typedef long long bits __attribute__((vector_size(32), aligned(8), may_alias));
    bits most[4] = {{0}};
    double m[16];
    for (int i = 0; i < n; i += 16) {
        const double *from = a + (i + 16 <= n ? i : n - 16);
        for (int k = 0; k < 4; k++) {
            bits b = *(const bits *)(from + 4 * k) & INT64_MAX, is_more = b > most[k];
            most[k] = (b & is_more) | (most[k] & ~is_more);
        }
    }
    memcpy(m, most, sizeof m);
    return ph_small_larger(16, 0, m);
}

int ph_small_inverse(int n, const double *A, double *inv)
{
    double W[6][12];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            W[i][j] = A[i * n + j];
            W[i][n + j] = i == j;
        }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(W[i][k]) > fabs(W[p][k]))
                p = i;
        if (!(fabs(W[p][k]) > 0))
            return 0;
        for (int j = 0; j < 2 * n; j++) {
            double x = W[p][j];
            W[p][j] = W[k][j];
            W[k][j] = x;
        }
        double d = 1 / W[k][k];
        for (int j = 0; j < 2 * n; j++)
            W[k][j] *= d;
        for (int i = 0; i < n; i++) {
            double f = W[i][k];
            if (i != k && f != 0)
                for (int j = 0; j < 2 * n; j++)
                    W[i][j] -= f * W[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inv[i * n + j] = W[i][n + j];
    return 1;
}

static void swap_rows(int n, double *a, double *b)
{
    for (int j = 0; j < n; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

int ph_small_solve(int n, int m, double *A, double *X)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        if (!(fabs(A[p * n + k]) > 0) || !isfinite(A[p * n + k]))
            return 0;
        if (p != k) {
            swap_rows(n, A + k * n, A + p * n);
            swap_rows(m, X + k * m, X + p * m);
        }
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n && f != 0; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (int j = 0; j < m && f != 0; j++)
                X[i * m + j] -= f * X[k * m + j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < m; j++) {
            double sum = X[i * m + j];
            for (int k = i + 1; k < n; k++)
                sum -= A[i * n + k] * X[k * m + j];
            X[i * m + j] = sum / A[i * n + i];
        }
    return 1;
}
