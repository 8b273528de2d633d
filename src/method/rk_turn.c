/* Implicit Runge-Kutta stages of one node with rotations.
 *
 *   F_i = Theta_i - h sum_j a_ij T(Theta_j)^-1 V_j = 0                                             (K1)
 *   sum_j (delta_ij - h a_ij D_j) dTheta_j = -F_i,   D_j = d(T(Theta_j)^-1 V_j)/dTheta_j           (K13)
 *   S = T (I - h a D)^-1 h^2 a T^-1 a,   dq_i = T(Theta_i) dTheta_i = sum_j S_ij dA_j              (K14)
 *
 * The matrices are as small as a node, so (K1) is solved to round-off whenever V changes, and the
 * equations of motion have no unknowns but accelerations and multipliers. */
#include <math.h>
#include <string.h>

#include "la/small.h"
#include "method/method_limits.h"
#include "method/rk_newton.h"

void ph_rk_turn_take(ph_rk_turn *w, int stages, ph_arena *a)
{
    size_t s = (size_t)stages, block = PH_DIM_MAX * PH_DIM_MAX;
    w->W = ph_arena_take(a, s * s * block, sizeof(double));
    w->X = ph_arena_take(a, s * s * block, sizeof(double));
    w->D = ph_arena_take(a, s * block, sizeof(double));
    w->Tinv = ph_arena_take(a, s * block, sizeof(double));
}

static double largest_angle(const ph_stages *st, const ph_slot *node, int nv, const double *Theta)
{
    double angle = 0;
    for (int i = st->first; i < st->end; i++)
        angle = ph_larger(angle, ph_norm(ph_load3(Theta + i * nv + node->v_at + node->op->rot)));
    return angle;
}

/* T^-1 and D of every stage, and k = T^-1 V. */
static void operators(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *V,
                      const double *Theta, double *k)
{
    int n = node->dim;
    for (int j = st->first; j < st->end; j++) {
        const double *theta = Theta + j * nv + node->v_at, *v = V + j * nv + node->v_at;
        double *Tinv = w->Tinv + (j - st->first) * n * n;
        node->op->Tinv(n, theta, Tinv);
        node->op->dTinv(n, theta, v, w->D + (j - st->first) * n * n);
        if (k)
            ph_small_mul(n, Tinv, v, k + j * nv + node->v_at);
    }
}

/* W = I - h a D */
static void matrix(ph_rk_turn *w, const ph_stages *st, int n)
{
    int s = st->end - st->first, size = s * n;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double ha = st->h * st->tab->A[st->first + i][st->first + j];
            for (int r = 0; r < n; r++)
                for (int c = 0; c < n; c++)
                    w->W[(i * n + r) * size + j * n + c] =
                        (i == j && r == c) - ha * w->D[(j * n + r) * n + c];
        }
}

/* X = F, (K1) */
static void residual(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *Theta,
                     const double *k)
{
    int n = node->dim;
    for (int i = st->first; i < st->end; i++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int j = 0; j < st->end; j++)
                sum += st->tab->A[i][j] * k[j * nv + node->v_at + r];
            w->X[(i - st->first) * n + r] = Theta[i * nv + node->v_at + r] - st->h * sum;
        }
}

double ph_rk_turn_solve(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *V,
                        double *Theta, double *k)
{
    int n = node->dim, size = (st->end - st->first) * n;
    for (int iteration = 0; iteration < PH_RK_TURN_ITERATIONS; iteration++) {
        double angle = largest_angle(st, node, nv, Theta), change = 0, length = 1;
        if (!(angle <= PH_TURN_LIMIT))
            return angle;
        operators(w, st, node, nv, V, Theta, k);
        residual(w, st, node, nv, Theta, k);
        matrix(w, st, n);
        if (!ph_small_solve(size, 1, w->W, w->X))
            return HUGE_VAL;
        for (int i = st->first; i < st->end; i++)
            for (int r = 0; r < n; r++) {
                double d = w->X[(i - st->first) * n + r], *theta = &Theta[i * nv + node->v_at + r];
                *theta -= d;
                change = ph_larger(change, fabs(d)), length = fmax(length, fabs(*theta));
            }
        if (change <= PH_RK_TURN_SMALL * length) {
            operators(w, st, node, nv, V, Theta, k);
            return largest_angle(st, node, nv, Theta);
        }
    }
    return HUGE_VAL;
}

int ph_rk_turn_tangent(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *V,
                       const double *Theta, double *S)
{
    int n = node->dim, s = st->end - st->first, size = s * n;
    double T[PH_DIM_MAX * PH_DIM_MAX], h2 = st->h * st->h;
    operators(w, st, node, nv, V, Theta, NULL);
    matrix(w, st, n);
    memset(w->X, 0, sizeof(double) * (size_t)(size * size));
    for (int i = 0; i < s; i++)
        for (int l = 0; l < s; l++)
            for (int j = 0; j < s; j++) {
                const double *a = st->tab->A[st->first + i], *al = st->tab->A[st->first + l];
                double weight = h2 * a[st->first + l] * al[st->first + j];
                for (int r = 0; r < n; r++)
                    for (int c = 0; c < n; c++)
                        w->X[(i * n + r) * size + j * n + c] += weight * w->Tinv[(l * n + r) * n + c];
            }
    if (!ph_small_solve(size, size, w->W, w->X))
        return 0;
    for (int i = 0; i < s; i++) {
        node->op->T(n, Theta + (st->first + i) * nv + node->v_at, T);
        ph_small_mmul(n, n, size, T, w->X + i * n * size, S + i * n * size);
    }
    return 1;
}
