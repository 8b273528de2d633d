/* Conformal rotation vectors: the chart, and what a step in them needs. */
#include "chart_kit.h"
#include "lie/conformal.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

/* (L18) */
static void chart(void **state)
{
    (void)state;
    charts_of(PH_CONFORMAL);
    /* c0 = 2 - |c|^2/8: a rotation by pi has |c| = 4, c0 = 0; q and -q give the same c */
    const ph_chart_ops *ops = ph_chart_get(PH_CONFORMAL);
    const double c[3] = {0, 0, 4}, half_turn[4] = {0, 0, 0, 1};
    double q[4], back[3], minus[3];
    ops->to_quat(c, q);
    check_le(max_diff(q, half_turn, 4), 0); /* exact */
    const double a[4] = {0.5, 0.5, -0.5, 0.5}, b[4] = {-0.5, -0.5, 0.5, -0.5};
    ops->from_quat(a, back), ops->from_quat(b, minus);
    check_le(max_diff(back, minus, 3), 0); /* exact */
}

/* Column j of the derivative of f by x, with the stencil above over h */
static void column(int j, ph_vec3 (*f)(ph_vec3 c, ph_vec3 u), const double *c, const double *u, int by_u,
                   double *D)
{
    double h = 1e-3, sum[3] = {0};
    for (int m = 0; m < 4; m++) {
        double x[3], y[3], v[3];
        memcpy(x, c, sizeof x), memcpy(y, u, sizeof y);
        *(by_u ? &y[j] : &x[j]) += stencil[m][0] * h;
        ph_store3(v, f(ph_load3(x), ph_load3(y)));
        for (int i = 0; i < 3; i++)
            sum[i] += v[i] * stencil[m][1] / (12 * h);
    }
    for (int i = 0; i < 3; i++)
        D[3 * i + j] = sum[i];
}

static ph_vec3 bend(ph_vec3 c, ph_vec3 u)
{
    ph_vec3 S;
    ph_mat3 S_c, S_u;
    ph_conformal_bend(c, u, &S, &S_c, &S_u);
    return S;
}

static ph_vec3 covector(ph_vec3 c, ph_vec3 G)
{
    ph_vec3 P;
    ph_mat3 P_c;
    ph_conformal_covector(c, G, &P, &P_c);
    return P;
}

/* (L21), (L22): values from the operations of the chart, derivatives against differences */
static void rates(void **state)
{
    (void)state;
    const ph_chart_ops *ops = ph_chart_get(PH_CONFORMAL);
    uint64_t seed = 31;
    double value = 0, by_c = 0, by_u = 0, back = 0, P_error = 0;
    for (int k = 0; k < 200; k++) {
        double c[3], u[3], D[9], S_c[9], S_u[9], P_c[9], T[9], x[3];
        for (int i = 0; i < 3; i++)
            c[i] = k ? 2.5 * rnd(&seed) : 0, u[i] = rnd(&seed);
        ph_vec3 S, P;
        ph_mat3 A, B, C;
        ph_conformal_bend(ph_load3(c), ph_load3(u), &S, &A, &B);
        ph_conformal_covector(ph_load3(c), ph_load3(u), &P, &C);
        ops->dT(c, u, D);
        ph_store3(x, ph_sub(S, ph_mul(ph_load33(D), ph_load3(u))));
        q_worst(&value, norm2(x, 3));
        ops->T(c, T);
        ph_store3(x, ph_sub(ph_tmul(ph_load33(T), P), ph_load3(u)));
        q_worst(&back, norm2(x, 3));
        ph_store33(S_c, A), ph_store33(S_u, B), ph_store33(P_c, C);
        double S_cd[9], S_ud[9], P_cd[9];
        for (int j = 0; j < 3; j++) {
            column(j, bend, c, u, 0, S_cd), column(j, bend, c, u, 1, S_ud);
            column(j, covector, c, u, 0, P_cd);
        }
        q_worst(&by_c, max_diff(S_c, S_cd, 9));
        q_worst(&by_u, max_diff(S_u, S_ud, 9));
        q_worst(&P_error, max_diff(P_c, P_cd, 9));
    }
    check_le(value, 1e-14); /* round-off */
    check_le(back, 1e-14);  /* round-off */
    check_le(by_c, 1e-11);  /* derivative: h^4 */
    check_le(by_u, 1e-11);
    check_le(P_error, 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chart),
        cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
