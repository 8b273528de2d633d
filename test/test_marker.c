/* Markers of flexible bodies: motion, chain rule and the stiffness of forces at them, against differences. */
#include "modal_cases.h"

static void position(const instant *a, void *ctx, double *out)
{
    ph_kin k;
    ph_marker_kin(&a->s, *(int *)ctx, &k);
    ph_store3(out, k.x);
    ph_store33(out + 3, k.R);
}

static void velocity(const instant *a, void *ctx, double *out)
{
    ph_kin k;
    ph_marker_kin(&a->s, *(int *)ctx, &k);
    ph_store3(out, k.v), ph_store3(out + 3, k.w);
}

typedef struct push {
    int marker;
    double f[6];
} push;

/* D^T f */
static void pushed(const instant *a, void *ctx, double *out)
{
    push *p = ctx;
    int n = 6 + a->s.r->modes;
    double D[6 * FLEX_N], V[6 * FLEX_N];
    ph_marker_chain(&a->s, p->marker, D, V);
    memset(out, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < n; j++)
            out[j] += D[i * n + j] * p->f[i];
}

/* A turned rotation: vee(R^T dR), and how far that is from skew */
static void turn_of(ph_mat3 R, ph_mat3 dR, double *w, double *rest)
{
    ph_mat3 W = ph_mmul(ph_transpose(R), dR);
    w[0] = W.zy, w[1] = W.xz, w[2] = W.yx;
    *rest = fmax(fabs(W.zy + W.yz), fmax(fabs(W.xz + W.zx), fabs(W.yx + W.xy)));
}

static void open_case(flex *x, instant *a, int trial, uint64_t *seed)
{
    flex_random(x, 1 + trial % 4, seed);
    if (trial % 3 == 0)
        x->r.KG = NULL;
    instant_random(a, &x->r, seed);
}

/* D: velocities along one coordinate at a time, from positions alone; kin: D v (X21), (X22) */
static void velocities_follow_positions(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 12; trial++) {
        flex x;
        instant a;
        int marker = trial % 2, n;
        open_case(&x, &a, trial, &seed);
        n = 6 + x.r.modes;
        double D[6 * FLEX_N], V[6 * FLEX_N], d[12], w[6], v[FLEX_N], vdot[FLEX_N], rest, sum[6] = {0}, kin[6];
        ph_kin k;
        ph_marker_kin(&a.s, marker, &k);
        ph_mat3 R = ph_qmat(k.q);
        check_le(max_diff(&R.xx, &k.R.xx, 9), 1e-15); /* round-off */
        ph_marker_chain(&a.s, marker, D, V);
        instant_v(&a, v, vdot);
        for (int i = 0; i < n; i++) {
            instant_difference(&a, VARY_Q, i, position, &marker, 12, d);
            memcpy(w, d, sizeof(double) * 3);
            turn_of(k.R, ph_load33(d + 3), w + 3, &rest);
            check_le(rest, 1e-10); /* derivative: order 8 */
            for (int j = 0; j < 6; j++) {
                check_near(D[j * n + i], w[j], 1e-10);
                sum[j] += D[j * n + i] * v[i];
            }
        }
        velocity(&a, &marker, kin);
        check_le(max_diff(kin, sum, 6), 1e-14); /* round-off */
    }
}

/* (X23) */
static void rates_follow_velocities(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 12; trial++) {
        flex x;
        instant a;
        int marker = trial % 2, n;
        open_case(&x, &a, trial, &seed);
        n = 6 + x.r.modes;
        double D[6 * FLEX_N], V[6 * FLEX_N], d[6], given[6];
        ph_marker_chain(&a.s, marker, D, V);
        for (int i = 0; i < n; i++) {
            instant_difference(&a, VARY_Q, i, velocity, &marker, 6, d);
            for (int j = 0; j < 6; j++)
                check_near(V[j * n + i], d[j], 1e-10); /* derivative: order 8 */
        }
        ph_vec3 acc, omega_dot;
        ph_marker_acceleration(&a.s, marker, &acc, &omega_dot);
        ph_store3(given, acc), ph_store3(given + 3, omega_dot);
        instant_difference(&a, VARY_FALL, 0, velocity, &marker, 6, d);
        check_le(max_diff(given, d, 6), 1e-10); /* derivative: order 8 */
    }
}

/* (X24) */
static void forces_stiffen(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 12; trial++) {
        flex x;
        instant a;
        open_case(&x, &a, trial, &seed);
        int n = 6 + x.r.modes;
        push p = {.marker = trial % 2};
        double K[FLEX_N * FLEX_N], d[FLEX_N];
        for (int i = 0; i < 6; i++)
            p.f[i] = rnd(&seed);
        for (int i = 0; i < n * n; i++)
            K[i] = 7; /* it adds */
        ph_marker_fold(&a.s, p.marker, p.f, K);
        for (int j = 0; j < n; j++) {
            instant_difference(&a, VARY_Q, j, pushed, &p, n, d);
            for (int i = 0; i < n; i++)
                check_near(K[i * n + j] - 7, d[i], 1e-10); /* derivative: order 8 */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_follow_positions),
        cmocka_unit_test(rates_follow_velocities),
        cmocka_unit_test(forces_stiffen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
