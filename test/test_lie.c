/* Groups and charts against quad-precision series (L2), and their identities. */
#include "check.h"
#include "lie/conformal.h"
#include "quad.h"

#ifdef PH_NO_QUAD
int main(void)
{
    puts("left out: no quadruple precision here");
    return 0;
}
#else

static const double PI = 3.14159265358979323846;

static const char *const group_names[] = {
#define PH_GROUP(code, ops, text) #code,
#include "polhode/groups.def"
#undef PH_GROUP
};

/* ---- inputs --------------------------------------------------------------------------------------- */

static ph_vec3 direction(uint64_t *seed)
{
    ph_vec3 n = ph_v3(rnd(seed), rnd(seed), rnd(seed));
    return ph_scale(1 / ph_norm(n), n);
}

/* Angles: tiny (s underflows), both sides of every branch point (p = 2, 4, 8; the pole 2 pi), pi, and
 * between. */
static const double special_angles[] = {1e-300,
                                        1e-170,
                                        1e-160,
                                        1e-100,
                                        1e-20,
                                        1e-12,
                                        1e-8,
                                        1e-6,
                                        1e-5,
                                        1e-4,
                                        1e-3,
                                        1e-2,
                                        0.1,
                                        0.5,
                                        1,
                                        1.5,
                                        2 - 1e-9,
                                        2 - 4e-16,
                                        2,
                                        2 + 4e-16,
                                        2 + 1e-9,
                                        2.5,
                                        3,
                                        3.1415926,
                                        3.14159265358979,
                                        3.1416,
                                        3.5,
                                        4 - 1e-9,
                                        4 - 9e-16,
                                        4,
                                        4 + 9e-16,
                                        4 + 1e-9,
                                        5,
                                        5.5,
                                        6,
                                        6.2,
                                        6.28,
                                        6.28218530717958,
                                        8 - 1e-9,
                                        8 + 1e-9};
enum { SPECIAL = sizeof special_angles / sizeof special_angles[0], RANDOM = 110, ANGLES = SPECIAL + RANDOM };

static double angle_at(int i)
{
    if (i < SPECIAL)
        return special_angles[i];
    double t = (i - SPECIAL + 0.5) / RANDOM;
    if (i % 3 == 0) /* towards the pole, distances 1 to 1e-3 */
        return 2 * PI - pow(10, -3 * t);
    return i % 3 == 1 ? pow(10, -9 + 9 * t) : 2 * PI * t;
}

/* A twist with angle p and translation of size |U|, and a vector u to be multiplied: generic, nearly
 * orthogonal and nearly parallel ones in turn. Rotations only: U is unused. */
static void inputs(const ph_group_ops *ops, int i, uint64_t *seed, double *x, double *u)
{
    const double sizes[4] = {1, 100, 1e-3, 1};
    double p = angle_at(i);
    ph_vec3 n = direction(seed), U = direction(seed), w;
    if (i % 7 == 0) /* along an axis: p is then exact */
        n = ph_v3(i % 2, (i + 1) % 2, 0);
    w = ph_scale(p, n);
    if (i % 5 == 0) /* w.U is rounding only */
        U = ph_cross(n, U);
    U = ph_scale(sizes[i % 4], U);
    if (ops->rot == 3)
        ph_store3(x, U);
    ph_store3(x + ops->rot, w);
    for (int k = 0; k < ops->dim; k++)
        u[k] = i % 5 == 2 || i % 10 == 0 ? 2.7 * x[k] : rnd(seed);
}

/* ---- operators against series --------------------------------------------------------------------- */

/* Frobenius error relative to the whole matrix, and the worst of those relative to a 3x3 block */
static void compare(const double *A, const quad_mat *ref, int n, double *whole, double *block)
{
    q_worst(whole, q_block_error(A, n, ref, 0, 0, n, n));
    for (int i = 0; i < n; i += 3)
        for (int j = 0; j < n; j += 3)
            q_worst(block, q_block_error(A, n, ref, i, j, 3, 3));
}

enum { OP_T, OP_TINV, OP_DT, OP_DTINV, OP_DTT, OP_DTINVT, OP_HAT, OP_COUNT };
static const char *const op_names[OP_COUNT] = {"T", "Tinv", "dT", "dTinv", "dTt", "dTinvt", "hat"};

static void operators_at(ph_group g, int i, uint64_t *seed, double *whole, double *block)
{
    const ph_group_ops *ops = ph_group_get(g);
    int n = ops->dim;
    double x[6], u[6], A[OP_COUNT][36];
    inputs(ops, i, seed, x, u);
    ops->T(0, x, A[OP_T]);
    ops->Tinv(0, x, A[OP_TINV]);
    ops->dT(0, x, u, A[OP_DT]);
    ops->dTinv(0, x, u, A[OP_DTINV]);
    ops->dTt(0, x, u, A[OP_DTT]);
    ops->dTinvt(0, x, u, A[OP_DTINVT]);
    ops->hat(0, x, A[OP_HAT]);

    quad_vec qx = q_vec(x, n), qu = q_vec(u, n);
    quad_mat H = q_hat(g, qx), T = q_phi(H, -1, n);
    quad_mat ref[OP_COUNT] = {T,
                              q_inverse(T, n),
                              q_dT(g, qx, qu, n, 0),
                              q_dTinv(g, qx, qu, n, 0),
                              q_dT(g, qx, qu, n, 1),
                              q_dTinv(g, qx, qu, n, 1),
                              H};
    for (int k = 0; k < OP_COUNT; k++)
        compare(A[k], &ref[k], n, whole + k, block + k);
}

static void operators_of(ph_group g)
{
    uint64_t seed = 4711;
    double whole[OP_COUNT] = {0}, block[OP_COUNT] = {0};
    for (int i = 0; i < ANGLES; i++)
        operators_at(g, i, &seed, whole, block);
    for (int k = 0; k < OP_COUNT; k++) {
        char what[64];
        snprintf(what, sizeof what, "%s %s", group_names[g], op_names[k]);
        check_at(whole[k], 1e-14, what, __FILE__, __LINE__); /* round-off */
        snprintf(what, sizeof what, "%s %s by blocks", group_names[g], op_names[k]);
        check_at(block[k], 1e-14, what, __FILE__, __LINE__); /* round-off */
    }
}

static void test_so3_operators(void **state)
{
    (void)state;
    operators_of(PH_SO3);
}

static void test_se3_operators(void **state)
{
    (void)state;
    operators_of(PH_SE3);
}

static void test_r3xso3_operators(void **state)
{
    (void)state;
    operators_of(PH_R3XSO3);
}

/* ---- exp, log, Ad, compose ------------------------------------------------------------------------ */

/* Position and quaternion of exp(x), the position of SE(3) being sum_i W^i/(i+1)! U */
static void reference_exp(ph_group g, const double *x, quad_quat *q, quad *pos)
{
    const ph_group_ops *ops = ph_group_get(g);
    quad_vec qx = q_vec(x, ops->dim), U = q_vec(x, 3);
    *q = q_qexp(qx.a + ops->rot);
    if (g == PH_SE3) {
        quad_vec w = {{qx.a[3], qx.a[4], qx.a[5]}};
        U = q_mulv(q_phi(q_hat(PH_SO3, w), 1, 3), U);
    }
    for (int i = 0; i < 3; i++)
        pos[i] = U.a[i];
}

/* log of the rotation of q, and T(w)^-T x for SE(3) */
static void reference_log(ph_group g, const double *q, quad *x)
{
    const ph_group_ops *ops = ph_group_get(g);
    quad_vec w = {{0}}, U = q_vec(q, 3);
    q_qlog(q_unit(q + ops->quat), w.a);
    if (g == PH_SE3)
        U = q_mulv(q_transpose(q_inverse(q_phi(q_hat(PH_SO3, w), -1, 3), 3)), U);
    for (int i = 0; i < 3; i++) {
        if (ops->rot == 3)
            x[i] = U.a[i];
        x[ops->rot + i] = w.a[i];
    }
}

static double quat_error(const double *q, quad_quat ref)
{
    const quad r[4] = {ref.w, ref.v[0], ref.v[1], ref.v[2]};
    return q_error(q, r, 4);
}

/* Rotation by exp(x), then by its logarithm; position errors of SE(3) and R^3 x SO(3) by themselves */
static void maps_of(ph_group g)
{
    const ph_group_ops *ops = ph_group_get(g);
    uint64_t seed = 99;
    double exp_quat = 0, exp_vector = 0, exp_pos = 0, log_all = 0, log_rot = 0, ad = 0, ad_block = 0;
    for (int i = 0; i < ANGLES; i++) {
        double x[6], u[6], q[7], y[6], A[36];
        quad_quat ref;
        quad pos[3], ylog[6];
        inputs(ops, i, &seed, x, u);
        ops->exp(0, x, q);
        reference_exp(g, x, &ref, pos);
        q_worst(&exp_quat, quat_error(q + ops->quat, ref));
        q_worst(&exp_vector, q_error(q + ops->quat + 1, ref.v, 3));
        if (ops->rot == 3)
            q_worst(&exp_pos, q_error(q, pos, 3));

        ops->log(0, q, y);
        reference_log(g, q, ylog);
        q_worst(&log_all, q_error(y, ylog, ops->dim));
        q_worst(&log_rot, q_error(y + ops->rot, ylog + ops->rot, 3));

        ops->Ad(0, q, A);
        quad_mat E = q_expm(q_hat(g, q_vec(x, ops->dim)), ops->dim); /* Ad(exp x) = exp(hat x) */
        compare(A, &E, ops->dim, &ad, &ad_block);
    }
    /* round-off, all: the bar of every operator */
    check_le(exp_quat, 1e-14);
    check_le(exp_vector, 1e-14);
    check_le(exp_pos, 1e-14);
    check_le(log_all, 1e-14);
    check_le(log_rot, 1e-14);
    check_le(ad, 1e-14);
    check_le(ad_block, 1e-14);
}

static void test_so3_maps(void **state)
{
    (void)state;
    maps_of(PH_SO3);
}

static void test_se3_maps(void **state)
{
    (void)state;
    maps_of(PH_SE3);
}

static void test_r3xso3_maps(void **state)
{
    (void)state;
    maps_of(PH_R3XSO3);
}

/* Quaternions with every size of scalar and vector part: at pi, next to pi, both signs, both sides of 1e-17.
 */
static void test_log_everywhere(void **state)
{
    (void)state;
    const ph_group_ops *ops = ph_group_get(PH_SO3);
    const double scalars[] = {0,    -0.0,   5e-324,  1e-300,  1e-20, -1e-20, 1e-16, -1e-16,
                              1e-9, -1e-9,  1e-4,    -1e-4,   0.1,   -0.1,   0.7,   -0.7,
                              0.99, -0.999, 0.99999, -0.9999, 1,     -1};
    const double vectors[] = {1e-320, 1e-300,       1e-160,       1e-100, 1e-20,
                              1e-10,  3.1622776e-9, 3.1622777e-9, 1e-8,   1e-5};
    uint64_t seed = 5;
    double error = 0, beyond = 0;
    for (int i = 0; i < (int)(sizeof scalars / sizeof scalars[0]); i++)
        for (int k = 0; k < 12; k++) {
            double w = scalars[i];
            double v = fabs(w) < 1 ? sqrt((1 - w) * (1 + w)) : k < 10 ? vectors[k] : 0, x[3];
            ph_vec3 n = k == 11 ? ph_v3(0, -1, 0) : direction(&seed);
            const double q[4] = {w, v * n.x, v * n.y, v * n.z};
            quad ref[3];
            ops->log(0, q, x);
            q_qlog((quad_quat){q[0], {q[1], q[2], q[3]}}, ref);
            /* denormals have no relative accuracy */
            if (v == 0 || v >= 1e-300)
                q_worst(&error, q_error(x, ref, 3));
            q_worst(&beyond, norm2(x, 3) - PI);
        }
    check_le(error, 1e-14);  /* round-off */
    check_le(beyond, 1e-15); /* round-off: |w| <= pi to the last place */
}

/* The rotation by exactly pi about an axis, both ways round: the angle is the double nearest to pi. */
static void test_log_at_pi(void **state)
{
    (void)state;
    const double plus[4] = {0, 0, 1, 0}, minus[4] = {-0.0, 0, 1, 0}, expected[3] = {0, PI, 0};
    double x[3];
    ph_group_get(PH_SO3)->log(0, plus, x);
    check_le(max_diff(x, expected, 3), 0); /* exact */
    ph_group_get(PH_SO3)->log(0, minus, x);
    check_le(max_diff(x, expected, 3), 0); /* exact */
}

/* ---- identities ----------------------------------------------------------------------------------- */

static double max_abs(const double *a, int n)
{
    const double zero[36] = {0};
    return max_diff(a, zero, n);
}

static double product_minus_unit(const double *A, const double *B, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = -(i == j);
            for (int k = 0; k < n; k++)
                s += A[n * i + k] * B[n * k + j];
            q_worst(&worst, fabs(s));
        }
    return worst;
}

static void element(const ph_group_ops *ops, uint64_t *seed, double *q)
{
    double x[6];
    for (int i = 0; i < ops->dim; i++)
        x[i] = 1.7 * rnd(seed);
    ops->exp(0, x, q);
}

static void identities_at(ph_group g, int i, uint64_t *seed, double *worst)
{
    const ph_group_ops *ops = ph_group_get(g);
    int n = ops->dim, size = ops->size;
    double x[6], u[6], T[36], Ti[36], Tm[36], Tim[36], q0[7], q1[7], e[7], c[7], Tx[6];
    inputs(ops, i, seed, x, u);
    element(ops, seed, q0);
    ops->T(0, x, T);
    ops->Tinv(0, x, Ti);

    q_worst(worst + 0, product_minus_unit(T, Ti, n) / (norm2(T, n * n) * norm2(Ti, n * n)));
    for (int k = 0; k < n; k++) { /* T x = x */
        Tx[k] = 0;
        for (int j = 0; j < n; j++)
            Tx[k] += T[n * k + j] * x[j];
    }
    q_worst(worst + 1, max_diff(Tx, x, n) / max_abs(x, n));

    /* move is compose and exp, T, Tinv at once; in place as well */
    ops->move(0, q0, x, q1, Tm, Tim);
    ops->exp(0, x, e);
    ops->compose(0, q0, e, c);
    q_worst(worst + 2, max_diff(q1, c, size) / norm2(c, size));
    q_worst(worst + 3, max_diff(T, Tm, n * n) / norm2(T, n * n));
    q_worst(worst + 4, max_diff(Ti, Tim, n * n) / norm2(Ti, n * n));
    memcpy(c, q0, sizeof c);
    ops->move(0, c, x, c, Tm, Tim);
    q_worst(worst + 5, max_diff(q1, c, size));

    /* q^-1 q = 1, with inverse and compose in place */
    double one[7];
    ops->identity(0, one);
    memcpy(c, q1, sizeof c);
    ops->inverse(0, c, c);
    ops->compose(0, c, q1, c);
    q_worst(worst + 6, max_diff(c, one, size) / norm2(q1, size));

    /* exp(log q) = +-q; the angle of q1 is arbitrary in [0, 2 pi) */
    ops->log(0, q1, u);
    ops->exp(0, u, c);
    if (q1[ops->quat] < 0)
        for (int k = 0; k < 4; k++)
            c[ops->quat + k] *= -1;
    q_worst(worst + 7, max_diff(c, q1, size) / norm2(q1, size));
}

static void test_identities(void **state)
{
    (void)state;
    const ph_group groups[3] = {PH_SO3, PH_SE3, PH_R3XSO3};
    for (int g = 0; g < 3; g++) {
        uint64_t seed = 31;
        double worst[8] = {0};
        for (int i = 0; i < ANGLES; i++)
            identities_at(groups[g], i, &seed, worst);
        check_le(worst[0], 1e-15); /* round-off: T T^-1 = I, relative to |T| |T^-1| */
        check_le(worst[1], 2e-15); /* round-off: T x = x */
        check_le(worst[2], 1e-15); /* round-off: move and compose */
        check_le(worst[3], 1e-15); /* round-off: move and T */
        check_le(worst[4], 1e-15); /* round-off: move and Tinv */
        check_le(worst[5], 0);     /* exact: in place */
        check_le(worst[6], 1e-15); /* round-off: inverse */
        check_le(worst[7], 2e-15); /* round-off: exp(log q) */
    }
}

/* The derivative of T^T is the transposed derivative of T: a.(d(T u) dx) = u.(d(T^T a) dx); T^-1 likewise. */
static void test_transposes(void **state)
{
    (void)state;
    const ph_group groups[3] = {PH_SO3, PH_SE3, PH_R3XSO3};
    for (int g = 0; g < 3; g++) {
        const ph_group_ops *ops = ph_group_get(groups[g]);
        uint64_t seed = 71;
        double worst = 0, worst_inverse = 0;
        for (int i = 0; i < ANGLES; i++) {
            int n = ops->dim;
            double x[6], u[6], a[6], D[36], Dt[36], Di[36], Dit[36];
            inputs(ops, i, &seed, x, u);
            for (int k = 0; k < n; k++)
                a[k] = rnd(&seed);
            ops->dT(0, x, u, D);
            ops->dTt(0, x, a, Dt);
            ops->dTinv(0, x, u, Di);
            ops->dTinvt(0, x, a, Dit);
            double size = max_abs(a, n) * max_abs(D, n * n) + max_abs(u, n) * max_abs(Dt, n * n);
            double size_inverse = max_abs(a, n) * max_abs(Di, n * n) + max_abs(u, n) * max_abs(Dit, n * n);
            for (int j = 0; j < n; j++) {
                double s = 0, t = 0;
                for (int k = 0; k < n; k++) {
                    s += a[k] * D[n * k + j] - u[k] * Dt[n * k + j];
                    t += a[k] * Di[n * k + j] - u[k] * Dit[n * k + j];
                }
                q_worst(&worst, fabs(s) / size);
                q_worst(&worst_inverse, fabs(t) / size_inverse);
            }
        }
        check_le(worst, 3e-15);         /* round-off */
        check_le(worst_inverse, 3e-15); /* round-off */
    }
}

/* (L13): the product acts on points as one after the other, and Ad is a homomorphism */
static void test_compose(void **state)
{
    (void)state;
    const ph_group groups[3] = {PH_SO3, PH_SE3, PH_R3XSO3};
    for (int g = 0; g < 3; g++) {
        const ph_group_ops *ops = ph_group_get(groups[g]);
        uint64_t seed = 12;
        double quats = 0, places = 0, inverse = 0;
        for (int i = 0; i < 200; i++) {
            double a[7], b[7], ab[7], inv[7];
            element(ops, &seed, a), element(ops, &seed, b);
            ops->compose(0, a, b, ab);
            ops->inverse(0, a, inv);
            quad_quat qa = q_unit(a + ops->quat), qb = q_unit(b + ops->quat), qi = q_conj(qa);
            q_worst(&quats, quat_error(ab + ops->quat, q_qmul(qa, qb)));
            q_worst(&inverse, quat_error(inv + ops->quat, qi));
            if (ops->quat == 0)
                continue;
            quad_vec xa = q_vec(a, 3), xb = q_vec(b, 3), xi = xa;
            if (groups[g] == PH_SE3)
                xb = q_mulv(q_qmat(qa), xb), xi = q_mulv(q_qmat(qi), xi);
            for (int k = 0; k < 3; k++)
                xb.a[k] += xa.a[k], xi.a[k] *= -1;
            q_worst(&places, q_error(ab, xb.a, 3) * norm2(ab, 3) / (norm2(a, 3) + norm2(b, 3)));
            q_worst(&places, q_error(inv, xi.a, 3));
        }
        check_le(quats, 1e-15);   /* round-off */
        check_le(inverse, 1e-15); /* round-off */
        check_le(places, 1e-15);  /* round-off, relative to |x1| + |x2| */
    }
}

/* The norm correction (L11) keeps long products on the group. */
static void test_long_products(void **state)
{
    (void)state;
    const ph_group_ops *ops = ph_group_get(PH_SO3);
    uint64_t seed = 8;
    double q[4], m[4], e[16][4], x[16][3], T[9], Ti[9];
    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 3; k++)
            x[i][k] = rnd(&seed);
        ops->exp(0, x[i], e[i]);
    }
    ops->identity(0, q), ops->identity(0, m);
    double worst = 0;
    for (int i = 0; i < 10000000; i++) {
        ops->compose(0, q, e[i % 16], q);
        if (i % 1000 == 0)
            q_worst(&worst, fabs(norm2(q, 4) - 1));
    }
    for (int i = 0; i < 1000000; i++)
        ops->move(0, m, x[i % 16], m, T, Ti);
    q_worst(&worst, fabs(norm2(m, 4) - 1));
    check_le(worst, 1e-15); /* invariant: the errors of one product, not of ten million */

    /* An error of the norm is squared, not kept. */
    double off[4] = {1 + 1e-6, 0, 0, 0};
    ops->compose(0, off, e[0], off);
    check_le(fabs(norm2(off, 4) - 1), 2e-12); /* invariant: (3/2) 1e-12 */
}

/* A NaN in any coordinate reaches the results of every operation that uses it. */
static void test_not_a_number(void **state)
{
    (void)state;
    const ph_group groups[3] = {PH_SO3, PH_SE3, PH_R3XSO3};
    for (int g = 0; g < 3; g++) {
        const ph_group_ops *ops = ph_group_get(groups[g]);
        int n = ops->dim;
        double x[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, u[6] = {1, 2, 3, 4, 5, 6}, A[36], q[7], zero[36] = {0};
        x[ops->rot + 1] = NAN;
        ops->exp(0, x, q);
        assert_true(isnan(max_diff(q, zero, ops->size))); /* exact */
        ops->log(0, q, A);
        assert_true(isnan(max_diff(A, zero, n)));
        ops->T(0, x, A);
        assert_true(isnan(max_diff(A, zero, n * n)));
        ops->Tinv(0, x, A);
        assert_true(isnan(max_diff(A, zero, n * n)));
        ops->dT(0, x, u, A);
        assert_true(isnan(max_diff(A, zero, n * n)));
        ops->dTinvt(0, x, u, A);
        assert_true(isnan(max_diff(A, zero, n * n)));
    }
}

/* R^n: sums, units and zeros, exact. */
static void test_rn(void **state)
{
    (void)state;
    enum { N = 8 };
    const ph_group_ops *ops = ph_group_get(PH_RN);
    uint64_t seed = 3;
    double a[N], b[N], c[N], d[N], A[N * N], B[N * N], unit[N * N] = {0}, zero[N * N] = {0};
    for (int i = 0; i < N; i++)
        a[i] = rnd(&seed), b[i] = rnd(&seed), unit[N * i + i] = 1;
    ops->move(N, a, b, c, A, B);
    ops->inverse(N, b, d);
    ops->compose(N, c, d, d);
    check_le(max_diff(a, d, N), 3e-16);    /* round-off of (a + b) - b */
    check_le(max_diff(A, unit, N * N), 0); /* exact, and so all below */
    check_le(max_diff(B, unit, N * N), 0);
    ops->exp(N, a, c);
    check_le(max_diff(a, c, N), 0);
    ops->log(N, a, c);
    check_le(max_diff(a, c, N), 0);
    ops->identity(N, c);
    check_le(max_diff(zero, c, N), 0);
    void (*const ones[3])(int, const double *, double *) = {ops->T, ops->Tinv, ops->Ad};
    for (int i = 0; i < 3; i++) {
        ones[i](N, a, A);
        check_le(max_diff(A, unit, N * N), 0);
    }
    void (*const zeros[4])(int, const double *, const double *, double *) = {ops->dT, ops->dTinv, ops->dTt,
                                                                             ops->dTinvt};
    for (int i = 0; i < 4; i++) {
        memcpy(A, unit, sizeof A);
        zeros[i](N, a, b, A);
        check_le(max_diff(A, zero, N * N), 0);
    }
    memcpy(A, unit, sizeof A);
    ops->hat(N, a, A);
    check_le(max_diff(A, zero, N * N), 0);
}

static void test_tables(void **state)
{
    (void)state;
    assert_null(ph_group_get(PH_GROUP_COUNT));
    assert_null(ph_chart_get(PH_CHART_COUNT));
    assert_int_equal(ph_group_dim(PH_RN, 5), 5);
    assert_int_equal(ph_group_size(PH_RN, 5), 5);
    assert_int_equal(ph_group_dim(PH_SE3, 5), 6);
    assert_int_equal(ph_group_size(PH_SE3, 5), 7);
    for (int g = 0; g < PH_GROUP_COUNT; g++) {
        const ph_group_ops *ops = ph_group_get((ph_group)g);
        assert_true(ops->dim <= PH_DIM_MAX);
        assert_int_equal(ops->size - ops->dim, ops->quat >= 0);
    }
}

/* ---- charts --------------------------------------------------------------------------------------- */

/* The quaternion of coordinates c by definition: angle 4 atan(|c|/4); three rotations in turn; p/|p| */
static quad_quat chart_quat(ph_chart k, const quad *c)
{
    quad_quat q = {c[0], {0}};
    if (k == PH_CONFORMAL) {
        quad n = sqrtq(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), h = 2 * atan2q(n, 4);
        q.w = cosq(h);
        for (int i = 0; i < 3; i++)
            q.v[i] = n == 0 ? 0 : sinq(h) * c[i] / n;
    } else if (k == PH_CARDAN) {
        quad_quat x = {cosq(c[0] / 2), {sinq(c[0] / 2), 0, 0}}, y = {cosq(c[1] / 2), {0, sinq(c[1] / 2), 0}},
                  z = {cosq(c[2] / 2), {0, 0, sinq(c[2] / 2)}};
        q = q_qmul(q_qmul(x, y), z);
    } else {
        quad n = sqrtq(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
        q = (quad_quat){c[0] / n, {c[1] / n, c[2] / n, c[3] / n}};
    }
    return q;
}

/* (f(-2h) - 8 f(-h) + 8 f(h) - f(2h))/(12 h): error h^4 */
static const double stencil[4][2] = {{-2, 1}, {-1, -8}, {1, 8}, {2, -1}};

/* Column j: Omega of the motion c + t e_j, the vector part of 2 conj(q) dq/dt */
static quad_mat chart_T(ph_chart k, const quad *c, int n)
{
    quad_mat T = {{{0}}};
    quad_quat conj = q_conj(chart_quat(k, c));
    for (int j = 0; j < n; j++)
        for (int m = 0; m < 4; m++) {
            quad h = (quad)1e-8, s[4] = {c[0], c[1], c[2], n == 4 ? c[3] : 0};
            s[j] += stencil[m][0] * h;
            quad_quat r = q_qmul(conj, chart_quat(k, s));
            for (int i = 0; i < 3; i++)
                T.a[i][j] += 2 * r.v[i] * stencil[m][1] / (12 * h);
        }
    return T;
}

static quad_mat chart_dT(ph_chart k, const quad *c, const quad_vec *u, int n)
{
    quad_mat D = {{{0}}};
    for (int j = 0; j < n; j++)
        for (int m = 0; m < 4; m++) {
            quad h = (quad)1e-5, s[4] = {c[0], c[1], c[2], n == 4 ? c[3] : 0};
            s[j] += stencil[m][0] * h;
            quad_vec Tu = q_mulv(chart_T(k, s, n), *u);
            for (int i = 0; i < 3; i++)
                D.a[i][j] += Tu.a[i] * stencil[m][1] / (12 * h);
        }
    return D;
}

/* Coordinates number i: sizes from 1e-9 up; Cardan: up to 1e-6 from the singularity; Euler: units */
static void chart_inputs(ph_chart k, int i, uint64_t *seed, double *c)
{
    double size = i < 20 ? pow(10, -9 + 0.5 * i) : 1 + 3 * (i - 20) / 40.0;
    ph_vec3 n = ph_scale(size, direction(seed));
    ph_store3(c, n);
    if (k == PH_CARDAN && i >= 20) {
        c[0] = PI * rnd(seed), c[2] = PI * rnd(seed), c[1] = PI / 2 * rnd(seed);
        if (i % 4 == 0)
            c[1] = (i % 8 ? 1 : -1) * (PI / 2 - pow(10, -6.0 * (i - 20) / 40));
    }
    if (k == PH_EULER)
        ph_group_get(PH_SO3)->exp(0, (double[]){n.x, n.y, n.z}, c);
}

static void charts_of(ph_chart k)
{
    const ph_chart_ops *ops = ph_chart_get(k);
    int n = ops->dim;
    uint64_t seed = 2718;
    double to = 0, from = 0, round_trip = 0, T_error = 0, dT_error = 0;
    for (int i = 0; i < 60; i++) {
        double c[4], u[4], q[4], r[4], back[4], T[12], D[12];
        chart_inputs(k, i, &seed, c);
        quad_vec qc = q_vec(c, n);
        ops->to_quat(c, q);
        q_worst(&to, quat_error(q, chart_quat(k, qc.a)));
        assert_int_equal(ops->from_quat(q, back), 1);
        ops->to_quat(back, r);
        double dot = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3];
        for (int j = 0; j < 4; j++)
            r[j] *= dot < 0 ? -1 : 1;
        q_worst(&round_trip, max_diff(q, r, 4));
        /* The map back is as sensitive as T is near to a singular matrix. */
        double sensitivity = k == PH_CARDAN ? 1 / cos(c[1]) : 1;
        q_worst(&from, q_error(back, qc.a, n) / sensitivity);
        if (k != PH_EULER) { /* -q is the same rotation */
            const double minus[4] = {-q[0], -q[1], -q[2], -q[3]};
            assert_int_equal(ops->from_quat(minus, back), 1);
            q_worst(&from, q_error(back, qc.a, n) / sensitivity);
        }

        ops->T(c, T);
        quad_mat ref = chart_T(k, qc.a, n);
        q_worst(&T_error, q_block_error(T, n, &ref, 0, 0, 3, n));
        for (int j = 0; j < n; j++)
            u[j] = rnd(&seed);
        ops->dT(c, u, D);
        if (k == PH_EULER) /* off the unit sphere T(p) is 2 G(p) by definition, and linear */
            continue;
        quad_vec qu = q_vec(u, n);
        ref = chart_dT(k, qc.a, &qu, n);
        q_worst(&dT_error, q_block_error(D, n, &ref, 0, 0, 3, n));
    }
    check_le(to, 1e-14); /* round-off, and so all below */
    check_le(from, 1e-14);
    check_le(round_trip, 1e-14);
    check_le(T_error, 1e-14);
    check_le(dT_error, 1e-14);
}

static void test_conformal(void **state)
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
static void test_conformal_rates(void **state)
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

static void test_cardan(void **state)
{
    (void)state;
    charts_of(PH_CARDAN);
    /* Not reached within 1e-8 of the singularity, reached just outside; c is not set where it is not. */
    const ph_chart_ops *ops = ph_chart_get(PH_CARDAN);
    for (int sign = -1; sign <= 1; sign += 2) {
        double q[4], c[3] = {0.3, sign * (PI / 2 - 0.9e-8), 0.4}, unset[3] = {7, 7, 7}, seven[3] = {7, 7, 7};
        ops->to_quat(c, q);
        assert_int_equal(ops->from_quat(q, unset), 0);
        check_le(max_diff(unset, seven, 3), 0); /* exact */
        c[1] = sign * (PI / 2 - 1.1e-8);
        ops->to_quat(c, q);
        assert_int_equal(ops->from_quat(q, c), 1);
    }
}

static void test_euler(void **state)
{
    (void)state;
    charts_of(PH_EULER);
    /* T(p) u is linear in p: its derivative is exact for any step */
    const ph_chart_ops *ops = ph_chart_get(PH_EULER);
    const double p[4] = {0.5, -0.5, 0.5, 0.5}, dp[4] = {0.25, 0.5, -1, 0.125}, u[4] = {3, -2, 1, 5};
    double T[12], Td[12], D[12], sum[4];
    for (int i = 0; i < 4; i++)
        sum[i] = p[i] + dp[i];
    ops->T(p, T), ops->T(sum, Td), ops->dT(p, u, D);
    for (int i = 0; i < 3; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < 4; j++)
            a += (Td[4 * i + j] - T[4 * i + j]) * u[j], b += D[4 * i + j] * dp[j];
        check_near(a, b, 0); /* exact: small integers over powers of two */
    }
    const double far[4] = {0, 3, 0, -4}, unit[4] = {0, 0.6, 0, -0.8};
    double q[4];
    ops->to_quat(far, q);
    check_le(max_diff(q, unit, 4), 2e-16); /* round-off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_so3_operators),
        cmocka_unit_test(test_se3_operators),
        cmocka_unit_test(test_r3xso3_operators),
        cmocka_unit_test(test_so3_maps),
        cmocka_unit_test(test_se3_maps),
        cmocka_unit_test(test_r3xso3_maps),
        cmocka_unit_test(test_log_everywhere),
        cmocka_unit_test(test_log_at_pi),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_transposes),
        cmocka_unit_test(test_compose),
        cmocka_unit_test(test_long_products),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_rn),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_conformal),
        cmocka_unit_test(test_conformal_rates),
        cmocka_unit_test(test_cardan),
        cmocka_unit_test(test_euler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
