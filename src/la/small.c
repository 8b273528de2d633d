/* Small dense matrices: what is too long to be inline. */
#include "la/small.h"

void ph_small_mul_add_any(int m, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
}

void ph_small_tmul_add_any(int m, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i * n + j] * x[i];
}

void ph_small_mmul_any(int m, int k, int n, const double *A, const double *B, double *C)
{
    memset(C, 0, sizeof(double) * (size_t)m * (size_t)n);
    ph_small_mmul_add_any(m, k, n, A, B, C);
}

void ph_small_mmul_add_any(int m, int k, int n, const double *A, const double *B, double *C)
{
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += A[i * k + l] * B[l * n + j];
}

void ph_small_transpose_any(int m, int n, const double *A, double *B)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            B[j * m + i] = A[i * n + j];
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
