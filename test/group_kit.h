/* Every operation of a group against series in quadruple precision (L2), and its identities. A test of a group lists GROUP_TESTS. */
#ifndef POLHODE_TEST_GROUP_KIT_H
#define POLHODE_TEST_GROUP_KIT_H

#include "lie_kit.h"

#ifndef PH_NO_QUAD

static const char *const group_names[] = {
#define PH_GROUP(code, ops, text) #code,
#include "polhode/groups.def"
#undef PH_GROUP
};

/* ---- inputs --------------------------------------------------------------------------------------- */

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

static inline double angle_at(int i)
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
static inline void inputs(const ph_group_ops *ops, int i, uint64_t *seed, double *x, double *u)
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
static inline void compare(const double *A, const quad_mat *ref, int n, double *whole, double *block)
{
    q_worst(whole, q_block_error(A, n, ref, 0, 0, n, n));
    for (int i = 0; i < n; i += 3)
        for (int j = 0; j < n; j += 3)
            q_worst(block, q_block_error(A, n, ref, i, j, 3, 3));
}

enum { OP_T, OP_TINV, OP_DT, OP_DTINV, OP_DTT, OP_DTINVT, OP_HAT, OP_COUNT };
static const char *const op_names[OP_COUNT] = {"T", "Tinv", "dT", "dTinv", "dTt", "dTinvt", "hat"};

static inline void operators_at(ph_group g, int i, uint64_t *seed, double *whole, double *block)
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

static inline void operators_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
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

/* ---- exp, log, Ad, compose ------------------------------------------------------------------------ */

/* Position and quaternion of exp(x), the position of SE(3) being sum_i W^i/(i+1)! U */
static inline void reference_exp(ph_group g, const double *x, quad_quat *q, quad *pos)
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
static inline void reference_log(ph_group g, const double *q, quad *x)
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

/* Rotation by exp(x), then by its logarithm; position errors of SE(3) and R^3 x SO(3) by themselves */
static inline void maps_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
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

/* ---- identities ----------------------------------------------------------------------------------- */

static inline double max_abs(const double *a, int n)
{
    const double zero[36] = {0};
    return max_diff(a, zero, n);
}

static inline double product_minus_unit(const double *A, const double *B, int n)
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

static inline void element(const ph_group_ops *ops, uint64_t *seed, double *q)
{
    double x[6];
    for (int i = 0; i < ops->dim; i++)
        x[i] = 1.7 * rnd(seed);
    ops->exp(0, x, q);
}

static inline void identities_at(ph_group g, int i, uint64_t *seed, double *worst)
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

    /* what is not asked for changes nothing of the rest */
    double Tn[36], Tin[36];
    ops->move(0, q0, x, c, Tn, NULL);
    q_worst(worst + 5, fmax(max_diff(q1, c, size), max_diff(Tm, Tn, n * n)));
    ops->move(0, q0, x, c, NULL, Tin);
    q_worst(worst + 5, fmax(max_diff(q1, c, size), max_diff(Tim, Tin, n * n)));
    ops->move(0, q0, x, c, NULL, NULL);
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

static inline void identities_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
    uint64_t seed = 31;
    double worst[8] = {0};
    for (int i = 0; i < ANGLES; i++)
        identities_at(g, i, &seed, worst);
    check_le(worst[0], 1e-15); /* round-off: T T^-1 = I, relative to |T| |T^-1| */
    check_le(worst[1], 2e-15); /* round-off: T x = x */
    check_le(worst[2], 1e-15); /* round-off: move and compose */
    check_le(worst[3], 1e-15); /* round-off: move and T */
    check_le(worst[4], 1e-15); /* round-off: move and Tinv */
    check_le(worst[5], 0);     /* exact: in place */
    check_le(worst[6], 1e-15); /* round-off: inverse */
    check_le(worst[7], 2e-15); /* round-off: exp(log q) */
}

/* The derivative of T^T is the transposed derivative of T: a.(d(T u) dx) = u.(d(T^T a) dx); T^-1 likewise. */
static inline void transposes_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
    const ph_group_ops *ops = ph_group_get(g);
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

/* (L13): the product acts on points as one after the other, and Ad is a homomorphism */
static inline void products_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
    const ph_group_ops *ops = ph_group_get(g);
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
        if (g == PH_SE3)
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

/* A NaN in any coordinate reaches the results of every operation that uses it. */
static inline void nan_of(void **state)
{
    ph_group g = *(const ph_group *)*state;
    const ph_group_ops *ops = ph_group_get(g);
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

/* All of it, of the group at g */
#define GROUP_TESTS(g)                                                                                       \
    cmocka_unit_test_prestate(operators_of, g), cmocka_unit_test_prestate(maps_of, g),                       \
        cmocka_unit_test_prestate(identities_of, g), cmocka_unit_test_prestate(transposes_of, g),            \
        cmocka_unit_test_prestate(products_of, g), cmocka_unit_test_prestate(nan_of, g)

#endif

#endif
