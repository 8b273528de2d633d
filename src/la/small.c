/* Small dense matrices: what is too long to be inline. */
#include "la/small.h"

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
