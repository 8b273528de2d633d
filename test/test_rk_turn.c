/* Stages of one node with rotations: (K1) holds to round-off, its tangent against differences, and what is
 * refused. */
#include "check.h"
#include "method/rk_newton.h"

#define S  3
#define NV 8 /* the node starts at 2 */

typedef struct node {
    ph_slot slot;
    ph_rk_turn w;
    double V[S * NV], Theta[S * NV], k[S * NV];
    void *block;
} node;

static void node_open(node *x, ph_group group, double speed)
{
    ph_arena a = {0};
    uint64_t seed = 99;
    const ph_group_ops *op = ph_group_get(group);
    memset(x, 0, sizeof *x);
    x->slot = (ph_slot){.op = op, .dim = op->dim, .rot = op->rot, .v_at = 2};
    ph_rk_turn_take(&x->w, S, &a);
    assert_true(ph_arena_open(&a, NULL));
    x->block = a.block;
    ph_rk_turn_take(&x->w, S, &a);
    for (int i = 0; i < S; i++)
        for (int r = 0; r < op->dim; r++)
            x->V[i * NV + 2 + r] = speed * rnd(&seed);
}

static ph_tableau tableau(const char *name)
{
    ph_tableau t;
    ph_error err;
    assert_int_equal(ph_tableau_get(name, &t, &err), PH_OK);
    return t;
}

static const ph_group groups[] = {PH_SO3, PH_R3XSO3, PH_SE3};

/* (K13) */
static void equation_holds(void **state)
{
    (void)state;
    ph_tableau t = tableau("radau3");
    for (int g = 0; g < 3; g++)
        for (double speed = 1e-3; speed < 30; speed *= 10) { /* up to 2 rad */
            node x;
            ph_stages st = {&t, 0.2, 0, S};
            node_open(&x, groups[g], speed);
            double angle = ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k);
            assert_true(angle > 0 && angle < 3);
            double most = 0;
            for (int i = 0; i < S; i++)
                most = fmax(most, norm2(x.Theta + i * NV + 2 + x.slot.rot, 3));
            check_near(angle / most, 1, 1e-15); /* round-off: the largest of all stages */
            for (int i = 0; i < S; i++) {
                double sum[6] = {0}, T[36], back[6] = {0};
                for (int j = 0; j < S; j++)
                    for (int r = 0; r < x.slot.dim; r++)
                        sum[r] += st.h * t.A[i][j] * x.k[j * NV + 2 + r];
                /* round-off, of increments of size 2 and more */
                check_le(max_diff(sum, x.Theta + i * NV + 2, x.slot.dim), 1e-14 * fmax(1, speed));
                x.slot.op->T(0, x.Theta + i * NV + 2, T);
                for (int r = 0; r < x.slot.dim; r++)
                    for (int c = 0; c < x.slot.dim; c++)
                        back[r] += T[r * x.slot.dim + c] * x.k[i * NV + 2 + c];
                /* round-off: T k = V */
                check_le(max_diff(back, x.V + i * NV + 2, x.slot.dim), 1e-14 * fmax(1, speed));
            }
            ph_free(NULL, x.block);
        }
}

/* dq = log(exp(Theta)^-1 exp(Theta + dTheta)) for a change of one acceleration. (K14) */
static void tangent(void **state)
{
    (void)state;
    ph_tableau t = tableau("gauss3");
    for (int g = 0; g < 3; g++) {
        node x, y;
        ph_stages st = {&t, 0.2, 0, S};
        node_open(&x, groups[g], 5);
        int n = x.slot.dim, size = S * n;
        double M[18 * 18], worst = 0, step = 1e-4;
        assert_true(ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k) < 3);
        assert_true(ph_rk_turn_tangent(&x.w, &st, &x.slot, NV, x.V, x.Theta, M));
        for (int col = 0; col < size; col++) {
            double dq[2][6 * S];
            for (int side = 0; side < 2; side++) {
                y = x;
                for (int i = 0; i < S; i++)
                    y.V[i * NV + 2 + col % n] += (side ? -step : step) * st.h * t.A[i][col / n];
                assert_true(ph_rk_turn_solve(&y.w, &st, &y.slot, NV, y.V, y.Theta, y.k) < 3);
                for (int i = 0; i < S; i++) {
                    double a[7], b[7];
                    x.slot.op->exp(0, x.Theta + i * NV + 2, a);
                    x.slot.op->inverse(0, a, a);
                    x.slot.op->exp(0, y.Theta + i * NV + 2, b);
                    x.slot.op->compose(0, a, b, b);
                    x.slot.op->log(0, b, dq[side] + i * n);
                }
            }
            for (int i = 0; i < size; i++)
                worst = fmax(worst, fabs((dq[0][i] - dq[1][i]) / (2 * step) - M[i * size + col]));
        }
        /* derivative: S is about h^2 = 0.04; round-off 1e-16/1e-4 */
        check_le(worst, 1e-11);
        ph_free(NULL, x.block);
    }
}

/* Implicit Euler: T(Theta) Theta = Theta, so Theta = h V, however large. */
static void implicit_euler(void **state)
{
    (void)state;
    ph_tableau t = tableau("implicit_euler");
    for (int g = 0; g < 3; g++) {
        node x;
        ph_stages st = {&t, 0.3, 0, 1};
        double hV[6];
        node_open(&x, groups[g], 9);
        ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k);
        for (int r = 0; r < x.slot.dim; r++)
            hV[r] = 0.3 * x.V[2 + r];
        check_le(max_diff(hV, x.Theta + 2, x.slot.dim), 3e-15);  /* round-off */
        check_le(max_diff(x.V + 2, x.k + 2, x.slot.dim), 3e-14); /* round-off, of T^-1 at some rad */
        ph_free(NULL, x.block);
    }
}

static void refused(void **state)
{
    (void)state;
    ph_tableau t = tableau("implicit_euler");
    ph_stages st = {&t, 1, 0, 1};
    node x;
    node_open(&x, PH_SO3, 0);
    x.V[2] = 5.9;
    double angle = ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k);
    check_near(angle, 5.9, 1e-13); /* round-off, magnified by 2 pi/(2 pi - 5.9) */
    x.V[2] = 6.1, x.Theta[2] = 6.1;
    assert_true(ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k) > PH_TURN_LIMIT);
    x.Theta[2] = NAN;
    assert_false(ph_rk_turn_solve(&x.w, &st, &x.slot, NV, x.V, x.Theta, x.k) <= PH_TURN_LIMIT);
    ph_free(NULL, x.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equation_holds),
        cmocka_unit_test(tangent),
        cmocka_unit_test(implicit_euler),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
