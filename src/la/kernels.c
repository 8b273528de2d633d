/* Products of blocks of any size: loops with constant bounds for columns and inner sizes up to 6. */
#include "la/kernels.h"

PH_INLINE void mul_sized(int subtract, int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    for (int i = 0; i < m; i++, C += n, L += p)
        for (int j = 0; j < n; j++) {
            double t = L[0] * U[j];
            for (int k = 1; k < p; k++)
                t += L[k] * U[k * n + j];
            C[j] = subtract ? C[j] - t : t;
        }
}

#define SIZES(n, X) X(n, 1) X(n, 2) X(n, 3) X(n, 4) X(n, 5) X(n, 6)

PH_INLINE void mul_any(int subtract, int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    switch (n > 6 || p > 6 ? 0 : 8 * n + p) {
#define CASE(n, p)                                                                                           \
    case 8 * n + p:                                                                                          \
        mul_sized(subtract, m, n, p, C, L, U);                                                               \
        return;
        SIZES(1, CASE)
        SIZES(2, CASE)
        SIZES(3, CASE)
        SIZES(4, CASE)
        SIZES(5, CASE)
        SIZES(6, CASE)
#undef CASE
    default:
        mul_sized(subtract, m, n, p, C, L, U);
    }
}

void ph_block_mul(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    mul_any(0, m, n, p, C, L, U);
}

void ph_block_mul_sub(int m, int n, int p, double *restrict C, const double *L, const double *U)
{
    mul_any(1, m, n, p, C, L, U);
}
