/* The fourth-order part of the Magnus series (D7) and its derivative. */
#include "method/magnus.h"

#include "la/small.h"

void ph_magnus_fourth(int n, const ph_group_ops *op, double h, double c, double V[4][PH_DIM_MAX],
                      const double w[4], double *E, double *dE)
{
    enum { NN = PH_DIM_MAX * PH_DIM_MAX };
    double H[4][NN], P[PH_DIM_MAX], Q[PH_DIM_MAX], R[PH_DIM_MAX], S[PH_DIM_MAX], U[PH_DIM_MAX];
    const double k1 = c, k2 = -1.0 / 720, k3 = h / 720, k4 = -h / 240, k5 = -h * h / 720;
    for (int d = 0; d < 4; d++)
        op->hat(n, V[d], H[d]);
    ph_small_mul(n, H[0], V[1], P);
    ph_small_mul(n, H[0], V[2], Q);
    ph_small_mul(n, H[0], P, R);
    for (int i = 0; i < n; i++) /* [V0, k2 V3 + k3 Q + k5 R] + [V1, k1 V2 + k4 P] */
        S[i] = k2 * V[3][i] + k3 * Q[i] + k5 * R[i], U[i] = k1 * V[2][i] + k4 * P[i];
    ph_small_mul(n, H[0], S, E);
    ph_small_mul_add(n, n, H[1], U, E);
    if (!dE)
        return;
    double dP[NN], X[NN], Y[NN], hP[NN], hS[NN], hU[NN];
    op->hat(n, P, hP), op->hat(n, S, hS), op->hat(n, U, hU);
    for (int i = 0; i < n * n; i++)
        dP[i] = w[1] * H[0][i] - w[0] * H[1][i];
    ph_small_mmul(n, n, n, H[0], dP, X); /* dR = H0 dP - w0 hat(P) */
    for (int i = 0; i < n * n; i++) {
        double dQ = w[2] * H[0][i] - w[0] * H[2][i], dR = X[i] - w[0] * hP[i];
        double dS = k3 * dQ + k5 * dR, dU = k4 * dP[i];
        X[i] = dS, Y[i] = dU;
        dE[i] = -w[0] * hS[i] - w[1] * hU[i] + k2 * w[3] * H[0][i] + k1 * w[2] * H[1][i];
    }
    ph_small_mmul_add(n, n, n, H[0], X, dE);
    ph_small_mmul_add(n, n, n, H[1], Y, dE);
}
