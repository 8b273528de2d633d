/* The fourth-order part of the Magnus series: (D7) by commutators, and its derivative against differences. */
#include "check.h"

#include "method/magnus.h"

static void bracket(const ph_group_ops *op, int n, const double *a, const double *b, double *out)
{
    double H[PH_DIM_MAX * PH_DIM_MAX];
    op->hat(n, a, H);
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++)
            out[i] += H[i * n + j] * b[j];
    }
}

static void definition(const ph_group_ops *op, int n, double h, double c, double V[4][PH_DIM_MAX], double *E)
{
    double a[PH_DIM_MAX], b[PH_DIM_MAX], d[PH_DIM_MAX], term[5][PH_DIM_MAX];
    bracket(op, n, V[1], V[2], term[0]);
    bracket(op, n, V[0], V[3], term[1]);
    bracket(op, n, V[0], V[2], a), bracket(op, n, V[0], a, term[2]);
    bracket(op, n, V[0], V[1], b), bracket(op, n, V[1], b, term[3]);
    bracket(op, n, V[0], b, d), bracket(op, n, V[0], d, term[4]);
    for (int i = 0; i < n; i++)
        E[i] = c * term[0][i] - term[1][i] / 720 + h * (term[2][i] / 720 - term[3][i] / 240) -
               h * h * term[4][i] / 720;
}

static void check_group(ph_group group, int n, double c)
{
    const ph_group_ops *op = ph_group_get(group);
    const double w[4] = {0.3, -1.7, 2.1, 0.9}, h = 0.37, eps = 1e-5;
    double V[4][PH_DIM_MAX], U[4][PH_DIM_MAX], E[PH_DIM_MAX], want[PH_DIM_MAX], dE[PH_DIM_MAX * PH_DIM_MAX];
    uint64_t seed = 9;
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < n; i++)
            V[d][i] = rnd(&seed);
    ph_magnus_fourth(n, op, h, c, V, w, E, dE);
    definition(op, n, h, c, V, want);
    check_le(max_diff(E, want, n), 1e-16 + 1e-14 * norm2(want, n)); /* round-off */
    for (int j = 0; j < n; j++) {
        double side[2][PH_DIM_MAX];
        for (int s = 0; s < 2; s++) {
            memcpy(U, V, sizeof U);
            for (int d = 0; d < 4; d++)
                U[d][j] += (s ? 1 : -1) * eps * w[d];
            definition(op, n, h, c, U, side[s]);
        }
        for (int i = 0; i < n; i++)
            check_near(dE[i * n + j], (side[1][i] - side[0][i]) / (2 * eps), 1e-9); /* derivative */
    }
}

static void groups(void **state)
{
    (void)state;
    check_group(PH_SO3, 3, PH_MAGNUS_MIDDLE);
    check_group(PH_SO3, 3, PH_MAGNUS_DENSITY);
    check_group(PH_SE3, 6, PH_MAGNUS_MIDDLE);
    check_group(PH_R3XSO3, 6, PH_MAGNUS_DENSITY);
}

/* Where nothing turns, nothing is left. */
static void vector_spaces(void **state)
{
    (void)state;
    double V[4][PH_DIM_MAX], E[PH_DIM_MAX], zero[PH_DIM_MAX] = {0};
    const double w[4] = {1, 1, 1, 1};
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 4; i++)
            V[d][i] = d + 3 * i + 1;
    ph_magnus_fourth(4, ph_group_get(PH_RN), 0.1, PH_MAGNUS_MIDDLE, V, w, E, NULL);
    assert_memory_equal(E, zero, 4 * sizeof(double)); /* exact */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(vector_spaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
