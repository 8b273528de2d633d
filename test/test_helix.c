/* Motion along a helix: its scalars against closed forms in quad precision, its matrices against exponentials
 * and differences. */
#include "mech_cases.h"
#include "mech/helix.h"
#include "quad.h"

/* ---- scalars --------------------------------------------------------------------------------------- */

#ifndef PH_NO_QUAD
/* (B8); odd: g, else f */
static quad closed(quad kappa, int odd, quad s)
{
    quad p = sqrtq(s), S = sinq(p / 2);
    if (odd)
        return (kappa - sinq(kappa * p / 2) / S) / (2 * s);
    return (cosq(kappa * p / 2) - cosq(p / 2)) / (2 * p * S);
}

/* 2^order d^order/ds^order by nested differences of order 8 */
static quad derivative(quad kappa, int odd, quad s, int order)
{
    static const int weight[] = {672, -168, 32, -3};
    quad h = (quad)1 / 1024, sum = 0;
    if (order == 0)
        return closed(kappa, odd, s);
    for (int k = 0; k < 4; k++)
        sum += weight[k] * (derivative(kappa, odd, s + (k + 1) * h, order - 1) -
                            derivative(kappa, odd, s - (k + 1) * h, order - 1));
    return 2 * sum / (840 * h);
}

static void scalars_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 60; trial++) {
        double p = 0.12 + 1.5 * (1 + rnd(&seed)),
               s = p * p; /* up to half a turn; differences need s > 0.01 */
        ph_helix_scalars at[PH_HELIX_POINTS];
        ph_helix_scalars_at(s, at);
        for (int point = 0; point < PH_HELIX_POINTS; point++)
            for (int order = 0; order < 4; order++) {
                quad kappa = point == 1 ? 0 : (point - 1) * sqrtq((quad)3 / 5);
                double f = (double)derivative(kappa, 0, s, order), g = (double)derivative(kappa, 1, s, order);
                check_le(fabs(at[point].f[order] - f), 1e-15 * fabs(f)); /* round-off */
                check_le(fabs(at[point].g[order] - g), 1e-15 * fabs(g)); /* round-off; at the middle g = 0 */
            }
    }
}

/* f(0) = (1 - kappa^2)/8, g(0) = kappa (kappa^2 - 1)/48: no branch leads there */
static void scalars_are_exact_at_zero(void **state)
{
    (void)state;
    ph_helix_scalars at[PH_HELIX_POINTS];
    for (int tiny = 0; tiny < 2; tiny++) {
        ph_helix_scalars_at(tiny ? 1e-30 : 0, at);
        for (int point = 0; point < PH_HELIX_POINTS; point++) {
            double k = 2 * ph_helix_xi[point] - 1;
            check_near(at[point].f[0], (1 - k * k) / 8, 1e-16);      /* round-off */
            check_near(at[point].g[0], k * (k * k - 1) / 48, 1e-17); /* round-off */
        }
    }
}
#endif

/* ---- matrices --------------------------------------------------------------------------------------- */

static void spread(const ph_dual *A, double *out)
{
    double r[9], e[9];
    ph_rows_store(r, A->r), ph_rows_store(e, A->e);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[6 * i + j] = out[6 * (i + 3) + j + 3] = r[3 * i + j];
            out[6 * i + j + 3] = e[3 * i + j], out[6 * (i + 3) + j] = 0;
        }
}

static ph_twist rnd_twist(double size, uint64_t *seed)
{
    ph_vec3 u = rnd3(seed), w = ph_scale(size, unit3(seed));
    return (ph_twist){u, w};
}

static void store6(ph_twist a, double s, double *x)
{
    ph_store3(x, ph_scale(s, a.u)), ph_store3(x + 3, ph_scale(s, a.w));
}

/* X = xi T(xi d) T^-1(d): its definition by exponentials */
static void matrices_are_those_of_exponentials(void **state)
{
    (void)state;
    uint64_t seed = 2;
    const ph_group_ops *op = ph_group_get(PH_SE3);
    for (int trial = 0; trial < 100; trial++) {
        static const double sizes[] = {1e-12, 1e-4, 0.7, 2, 3.1};
        ph_helix h = {.d = rnd_twist(sizes[trial % 5], &seed)};
        ph_helix_fill(&h, 0);
        for (int point = 0; point < PH_HELIX_POINTS; point++) {
            double x[6], T[36], Tinv[36], want[36], got[36], xi = ph_helix_xi[point];
            ph_dual X[3];
            store6(h.d, xi, x), op->T(0, x, T);
            store6(h.d, 1, x), op->Tinv(0, x, Tinv);
            ph_small_mmul(6, 6, 6, T, Tinv, want);
            for (int i = 0; i < 36; i++)
                want[i] *= xi;
            ph_helix_point(&h, point, 0, X);
            spread(&X[0], got);
            check_le(max_diff(got, want, 36), 1e-15 * fmax(1, ph_small_max(36, want))); /* round-off */
        }
    }
}

/* A rigid motion v_b = Ad(h^-1) v_a is one of every section: v(xi) = Ad(exp(-xi d)) v_a (B7) */
static void rigid_motions_are_reproduced(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const ph_group_ops *op = ph_group_get(PH_SE3);
    for (int trial = 0; trial < 100; trial++) {
        ph_helix h = {.d = rnd_twist(2.5 * fabs(rnd(&seed)), &seed)};
        double va[6], vb[6], want[6], got[6], x[6], q[7], A[36], X6[36];
        for (int i = 0; i < 6; i++)
            va[i] = rnd(&seed);
        ph_helix_fill(&h, 0);
        store6(h.d, -1, x), op->exp(0, x, q), op->Ad(0, q, A);
        ph_small_mul(6, A, va, vb);
        for (int point = 0; point < PH_HELIX_POINTS; point++) {
            ph_dual X[3];
            double dv[6];
            store6(h.d, -ph_helix_xi[point], x), op->exp(0, x, q), op->Ad(0, q, A);
            ph_small_mul(6, A, va, want);
            ph_helix_point(&h, point, 0, X), spread(&X[0], X6);
            for (int i = 0; i < 6; i++)
                dv[i] = vb[i] - va[i];
            ph_small_mul(6, X6, dv, got);
            for (int i = 0; i < 6; i++)
                got[i] += va[i];
            check_le(max_diff(got, want, 6), 1e-14); /* round-off: numbers of size 5 */
        }
    }
}

/* d(t) = d + d1 t + d2 t^2/2; values at k STEP8 */
static void derivatives_by_time(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 30; trial++) {
        ph_twist d = rnd_twist(2.5 * fabs(rnd(&seed)), &seed), d1 = rnd_twist(1, &seed),
                 d2 = rnd_twist(1, &seed);
        for (int point = 0; point < PH_HELIX_POINTS; point++) {
            ph_dual X[3];
            double first[36] = {0}, second[36] = {0}, got[36];
            for (int k = 0; k < 8; k++) {
                double t = STEP8 * (k / 2 + 1) * (k % 2 ? -1 : 1),
                       w = (k % 2 ? -1 : 1) * weight8[k / 2] / STEP8;
                ph_helix at = {.d = {ph_add(d.u, ph_add(ph_scale(t, d1.u), ph_scale(t * t / 2, d2.u))),
                                     ph_add(d.w, ph_add(ph_scale(t, d1.w), ph_scale(t * t / 2, d2.w)))},
                               .d1 = {ph_add(d1.u, ph_scale(t, d2.u)), ph_add(d1.w, ph_scale(t, d2.w))}};
                ph_helix_fill(&at, 1);
                ph_helix_point(&at, point, 1, X);
                spread(&X[0], got);
                for (int i = 0; i < 36; i++)
                    first[i] += w * got[i];
                spread(&X[1], got);
                for (int i = 0; i < 36; i++)
                    second[i] += w * got[i];
            }
            ph_helix here = {.d = d, .d1 = d1, .d2 = d2};
            ph_helix_fill(&here, 2);
            ph_helix_point(&here, point, 2, X);
            spread(&X[1], got);
            check_le(max_diff(got, first, 36), 1e-12); /* derivative: order 8 */
            spread(&X[2], got);
            check_le(max_diff(got, second, 36), 1e-12); /* derivative: order 8 */
        }
    }
}

static ph_twist times(const ph_six *A, ph_twist b)
{
    return (ph_twist){ph_add(ph_rows_times(A->uu, b.u), ph_rows_times(A->uw, b.w)),
                      ph_add(ph_rows_times(A->wu, b.u), ph_rows_times(A->ww, b.w))};
}

/* d(X^T y)/dd */
static void derivative_of_forces(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 30; trial++) {
        ph_twist d = rnd_twist(2.5 * fabs(rnd(&seed)), &seed), y = rnd_twist(1, &seed);
        for (int point = 0; point < PH_HELIX_POINTS; point++) {
            ph_helix h = {.d = d};
            ph_six J;
            ph_helix_fill(&h, 0);
            ph_helix_fold_slope(&h, point, y, &J);
            for (int j = 0; j < 6; j++) {
                double e[6] = {0}, sum[6] = {0}, x[6];
                e[j] = 1;
                ph_twist by = {ph_load3(e), ph_load3(e + 3)}, column = times(&J, by);
                for (int k = 0; k < 8; k++) {
                    double t = STEP8 * (k / 2 + 1) * (k % 2 ? -1 : 1),
                           w = (k % 2 ? -1 : 1) * weight8[k / 2] / STEP8;
                    ph_helix at = {.d = {ph_add(d.u, ph_scale(t, by.u)), ph_add(d.w, ph_scale(t, by.w))}};
                    ph_dual X[3];
                    ph_helix_fill(&at, 0);
                    ph_helix_point(&at, point, 0, X);
                    store6(ph_dual_fold(X[0], y), w, x);
                    for (int i = 0; i < 6; i++)
                        sum[i] += x[i];
                }
                store6(column, 1, x);
                check_le(max_diff(x, sum, 6), 1e-12); /* derivative: order 8 */
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef PH_NO_QUAD
        cmocka_unit_test(scalars_are_exact),
        cmocka_unit_test(scalars_are_exact_at_zero),
#endif
        cmocka_unit_test(matrices_are_those_of_exponentials),
        cmocka_unit_test(rigid_motions_are_reproduced),
        cmocka_unit_test(derivatives_by_time),
        cmocka_unit_test(derivative_of_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
