/* Charts of rotations against their definitions in quadruple precision. */
#ifndef POLHODE_TEST_CHART_KIT_H
#define POLHODE_TEST_CHART_KIT_H

#include "lie_kit.h"

#ifndef PH_NO_QUAD

/* ---- charts --------------------------------------------------------------------------------------- */

/* The quaternion of coordinates c by definition: angle 4 atan(|c|/4); three rotations in turn; p/|p| */
static inline quad_quat chart_quat(ph_chart k, const quad *c)
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
static inline quad_mat chart_T(ph_chart k, const quad *c, int n)
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

static inline quad_mat chart_dT(ph_chart k, const quad *c, const quad_vec *u, int n)
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
static inline void chart_inputs(ph_chart k, int i, uint64_t *seed, double *c)
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

static inline void charts_of(ph_chart k)
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

#endif

#endif
