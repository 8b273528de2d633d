/* What tests of mechanisms share: models in C, a mechanism with dense matrices at any point, and
 * differences of order 8. */
#ifndef PH_TEST_MECH_CASES_H
#define PH_TEST_MECH_CASES_H

#include "check.h"
#include "lie/so3.h"
#include "mech/mech.h"
#include "step/eval.h"

/* ---- models ------------------------------------------------------------------------------------- */

#define KIT_MAX 12

/* A model with room for its elements. */
typedef struct kit {
    ph_model m;
    ph_body_def body[KIT_MAX];
    ph_joint_def joint[KIT_MAX];
    ph_force_def force[KIT_MAX];
    ph_sensor_def sensor[KIT_MAX];
    ph_user_constraint_def constraint[KIT_MAX];
    ph_flexible_def flexible[2];
    ph_input_def input[KIT_MAX];
    ph_actuator_def actuator[KIT_MAX];
    ph_coupling_def coupling[KIT_MAX];
} kit;

static inline void kit_open(kit *k)
{
    memset(k, 0, sizeof *k);
    k->m.name = "test";
    k->m.gravity = ph_v3(0, 0, -9.81);
    k->m.body = k->body, k->m.joint = k->joint, k->m.force = k->force, k->m.sensor = k->sensor;
    k->m.constraint = k->constraint, k->m.flexible = k->flexible;
    k->m.input = k->input, k->m.actuator = k->actuator, k->m.coupling = k->coupling;
}

static inline ph_vec3 rnd3(uint64_t *seed)
{
    double x = rnd(seed), y = rnd(seed), z = rnd(seed);
    return ph_v3(x, y, z);
}

static inline ph_vec3 unit3(uint64_t *seed)
{
    ph_vec3 a = rnd3(seed);
    return ph_scale(1 / ph_norm(a), a);
}

static inline ph_quat turn_about(ph_vec3 axis, double angle)
{
    ph_vec3 w = ph_scale(angle, axis);
    return ph_so3_exp(ph_stumpff_of(w), w);
}

/* By up to most rad. Draws are made one by one: compilers evaluate arguments in different orders. */
static inline ph_quat rnd_turn(double most, uint64_t *seed)
{
    double angle = most * rnd(seed);
    return turn_about(unit3(seed), angle);
}

/* A symmetric matrix that a mass distribution can have. */
static inline ph_mat3 rnd_inertia(uint64_t *seed)
{
    ph_mat3 R = ph_qmat(rnd_turn(3, seed));
    double a = 1.5 + rnd(seed) / 2, b = 1.5 + rnd(seed) / 2, c = 1.5 + rnd(seed) / 2;
    return ph_mmul(R, ph_mmul(ph_diag3(a, b, c), ph_transpose(R)));
}

/* Returns the index of a body at rest that is free to get any velocity. */
static inline int kit_body(kit *k, const char *name, double mass, ph_mat3 J, ph_vec3 x, ph_quat R)
{
    k->body[k->m.n_bodies] = (ph_body_def){.name = name, .mass = mass, .J = J, .x = x, .R = R};
    return k->m.n_bodies++;
}

static inline int kit_particle(kit *k, const char *name, double mass, ph_vec3 x)
{
    k->body[k->m.n_bodies] =
        (ph_body_def){.name = name, .particle = 1, .mass = mass, .x = x, .R = {1, 0, 0, 0}};
    return k->m.n_bodies++;
}

static inline int kit_random_body(kit *k, const char *name, uint64_t *seed)
{
    double mass = 2 + rnd(seed);
    ph_mat3 J = rnd_inertia(seed);
    ph_vec3 x = rnd3(seed);
    return kit_body(k, name, mass, J, x, rnd_turn(3, seed));
}

static inline ph_joint_def *kit_joint(kit *k, const char *name, int type, int a, int b, ph_vec3 at,
                                      ph_vec3 axis)
{
    ph_joint_def *d = &k->joint[k->m.n_joints++];
    *d = (ph_joint_def){.name = name, .type = type, .body = {a, b}, .at = at, .axis = axis, .length = NAN};
    return d;
}

static inline ph_force_def *kit_force(kit *k, const char *name, int type, int a, int b)
{
    ph_force_def *d = &k->force[k->m.n_forces++];
    *d = (ph_force_def){.name = name, .type = type, .body = {a, b}, .length = NAN};
    return d;
}

static inline int kit_sensor(kit *k, int type, int body, int joint)
{
    k->sensor[k->m.n_sensors] = (ph_sensor_def){.name = "sensor", .type = type, .body = body, .joint = joint};
    return k->m.n_sensors++;
}

static inline ph_actuator_def *kit_actuator(kit *k, const char *name, int joint, int coordinate)
{
    ph_actuator_def *d = &k->actuator[k->m.n_actuators++];
    *d = (ph_actuator_def){.name = name,
                           .joint = joint,
                           .coordinate = coordinate,
                           .input = -1,
                           .stop = {NAN, NAN},
                           .stop_width = 1};
    return d;
}

static inline ph_coupling_def *kit_coupling(kit *k, const char *name, int a, int b, double ratio)
{
    ph_coupling_def *d = &k->coupling[k->m.n_couplings++];
    *d = (ph_coupling_def){
        .name = name, .joint = {a, b}, .coordinate = {-1, -1}, .ratio = ratio, .offset = NAN};
    return d;
}

/* ---- a mechanism at a point --------------------------------------------------------------------- */

typedef struct fixture {
    ph_mechanism *mech;
    const ph_system *sys;
    ph_layout lay;
    ph_point at, probe;
    int nv, nl;
    double *M, *C, *K, *B, *Z, *Gl;                  /* dense: nv x nv; nl x nv; nv x nl */
    double *g, *Phi, *Phi_t, *rate, *convective, *r; /* vectors */
    double *blocks;
    void *block;
} fixture;

static inline void fixture_take(fixture *r, ph_arena *a)
{
    size_t d = sizeof(double), nv = (size_t)r->lay.nv, nl = (size_t)r->lay.nl;
    ph_layout_take(&r->lay, a);
    ph_point_take(&r->at, &r->lay, a), ph_point_take(&r->probe, &r->lay, a);
    double **square[] = {&r->M, &r->C, &r->K}, **wide[] = {&r->B, &r->Z, &r->Gl};
    double **vector[] = {&r->g, &r->Phi, &r->Phi_t, &r->rate, &r->convective, &r->r};
    for (int k = 0; k < 3; k++) {
        *square[k] = ph_arena_take(a, nv * nv, d);
        *wide[k] = ph_arena_take(a, nv * nl, d);
    }
    for (int k = 0; k < 6; k++)
        *vector[k] = ph_arena_take(a, nv + nl, d);
    r->blocks = ph_arena_take(a, (size_t)(r->lay.size_pairs + r->lay.size_links), d);
}

static inline void fixture_open(fixture *r, const ph_model *m, ph_space_code space)
{
    ph_error err = {0};
    *r = (fixture){0};
    if (ph_mechanism_create(&r->mech, m, space, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    r->sys = ph_mechanism_system(r->mech);
    assert_int_equal(ph_layout_measure(&r->lay, r->sys, &err), PH_OK);
    ph_arena a = {0};
    fixture_take(r, &a);
    assert_true(ph_arena_open(&a, NULL));
    r->block = a.block;
    fixture_take(r, &a);
    assert_int_equal(ph_layout_fill(&r->lay, &err), PH_OK);
    r->nv = r->lay.nv, r->nl = r->lay.nl;
}

static inline void fixture_close(fixture *r)
{
    ph_free(NULL, r->block);
    ph_mechanism_destroy(r->mech);
}

/* The physical state of a body, written in the coordinates of the space. */
static inline void fixture_set(fixture *r, int body, ph_kin k)
{
    const ph_body *b = &r->mech->body[body];
    if (b->particle)
        ph_store3(r->at.q + b->q[0], k.x), ph_store3(r->at.v + b->v[0], k.v);
    else if (b->turns) /* markers move as their frames do */
        r->mech->space->set(b, &k, r->at.q, r->at.v);
    ph_point_rotations(&r->at, &r->lay);
}

static inline ph_state fixture_state(const fixture *r)
{
    return ph_point_view(&r->at, &r->lay);
}

static inline void fixture_call(fixture *r, ph_callback f, const ph_state *s, double *out)
{
    if (f)
        assert_int_equal(f(s, out, r->sys->ctx), PH_OK);
}

/* Blocks to a dense matrix with ld columns. */
static inline void fixture_spread(fixture *r, ph_callback f, const ph_state *s, int links, int transposed,
                                  double *out)
{
    int count = links ? r->lay.n_links : r->lay.n_pairs, ld = transposed ? r->nl : r->nv;
    const ph_block *b = links ? r->lay.link : r->lay.pair;
    memset(out, 0, sizeof(double) * (size_t)(r->nv * (links ? r->nl : r->nv)));
    memset(r->blocks, 0, sizeof(double) * (size_t)(links ? r->lay.size_links : r->lay.size_pairs));
    fixture_call(r, f, s, r->blocks);
    for (int e = 0; e < count; e++, b++) {
        int m = transposed ? b->n : b->m, n = transposed ? b->m : b->n;
        int row = transposed ? b->col_at : b->row_at, col = transposed ? b->row_at : b->col_at;
        for (int i = 0; i < m * n; i++)
            out[(row + i / n) * ld + col + i % n] += r->blocks[b->at + i];
    }
}

/* r = M vdot + g + B^T lambda, Phi, rate = B v + Phi_t at a state. */
static inline void fixture_residual(fixture *r, const ph_state *s)
{
    int nv = r->nv, nl = r->nl;
    fixture_spread(r, r->sys->M, s, 0, 0, r->M);
    fixture_spread(r, nl ? r->sys->B : NULL, s, 1, 0, r->B);
    memset(r->g, 0, sizeof(double) * (size_t)nv);
    fixture_call(r, r->sys->g, s, r->g);
    fixture_call(r, nl ? r->sys->Phi : NULL, s, r->Phi);
    memset(r->Phi_t, 0, sizeof(double) * (size_t)nl);
    fixture_call(r, nl ? r->sys->Phi_t : NULL, s, r->Phi_t);
    for (int i = 0; i < nv; i++) {
        r->r[i] = r->g[i];
        for (int j = 0; j < nv; j++)
            r->r[i] += r->M[i * nv + j] * s->vdot[j];
        for (int j = 0; j < nl; j++)
            r->r[i] += r->B[j * nv + i] * s->lambda[j];
    }
    for (int j = 0; j < nl; j++) {
        r->rate[j] = r->Phi_t[j];
        for (int i = 0; i < nv; i++)
            r->rate[j] += r->B[j * nv + i] * s->v[i];
    }
}

static inline void fixture_tangents(fixture *r, const ph_state *s)
{
    fixture_residual(r, s);
    fixture_spread(r, r->sys->C, s, 0, 0, r->C);
    fixture_spread(r, r->sys->K, s, 0, 0, r->K);
    fixture_spread(r, r->nl ? r->sys->Z : NULL, s, 1, 0, r->Z);
    fixture_spread(r, r->nl ? r->sys->g_lambda : NULL, s, 1, 1, r->Gl);
    fixture_call(r, r->nl ? r->sys->convective : NULL, s, r->convective);
}

/* ---- linear algebra ----------------------------------------------------------------------------- */

/* x of A x = b by Gaussian elimination with row pivoting; A and b are destroyed. */
static inline void solve_dense(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        assert_true(fabs(A[p * n + k]) > 1e-12);
        for (int j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* The frequency nearest to a guess, of what is at rest at the point, across the first axis, by inverse iteration:
 * [K - guess^2 M, B^T; B, 0] (y, m) = (M x, 0). */
static inline double fixture_frequency(fixture *r, double guess)
{
    ph_state s = fixture_state(r);
    fixture_tangents(r, &s);
    int nv = r->nv, nl = r->nl, N = nv + nl;
    double *A = calloc((size_t)(N * N + 2 * N), sizeof(double)), *x = A + N * N, *b = x + N, omega2 = 0;
    assert_non_null(A);
    for (int i = 0; i < nv; i++)
        x[i] = i % 6 == 1 ? 1 + i : 0;
    for (int pass = 0; pass < 20; pass++) {
        double work = 0, size = 0;
        memset(A, 0, sizeof(double) * (size_t)(N * N)), memset(b, 0, sizeof(double) * (size_t)N);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++) {
                A[i * N + j] = r->K[i * nv + j] - guess * guess * r->M[i * nv + j];
                b[i] += r->M[i * nv + j] * x[j];
            }
        for (int i = 0; i < nl; i++)
            for (int j = 0; j < nv; j++)
                A[(nv + i) * N + j] = A[j * N + nv + i] = r->B[i * nv + j];
        solve_dense(N, A, b);
        for (int i = 0; i < nv; i++) /* Rayleigh's quotient of y */
            for (int j = 0; j < nv; j++)
                work += b[i] * r->M[i * nv + j] * x[j], size += b[i] * r->M[i * nv + j] * b[j];
        omega2 = guess * guess + work / size;
        for (int i = 0; i < nv; i++)
            x[i] = b[i] / sqrt(size);
    }
    free(A);
    return sqrt(omega2);
}

/* vdot and lambda of the point from [M B^T; B 0] (vdot, lambda) = (-g, -convective); no friction. */
static inline void fixture_accelerate(fixture *r)
{
    ph_state s = fixture_state(r);
    int nv = r->nv, nl = r->nl, n = nv + nl;
    memset(r->at.vdot, 0, sizeof(double) * (size_t)nv);
    memset(r->at.lambda, 0, sizeof(double) * (size_t)nl);
    fixture_residual(r, &s);
    fixture_call(r, nl ? r->sys->convective : NULL, &s, r->convective);
    double *A = calloc((size_t)(n * n + n), sizeof(double)), *b = A + n * n;
    assert_non_null(A);
    for (int i = 0; i < nv; i++) {
        b[i] = -r->g[i];
        for (int j = 0; j < nv; j++)
            A[i * n + j] = r->M[i * nv + j];
        for (int j = 0; j < nl; j++)
            A[i * n + nv + j] = A[(nv + j) * n + i] = r->B[j * nv + i];
    }
    for (int j = 0; j < nl; j++)
        b[nv + j] = -r->convective[j];
    solve_dense(n, A, b);
    memcpy(r->at.vdot, b, sizeof(double) * (size_t)nv);
    memcpy(r->at.lambda, b + nv, sizeof(double) * (size_t)nl);
    free(A);
}

/* v of the point -= what violates B v + Phi_t = 0, orthogonally. */
static inline void fixture_project_v(fixture *r)
{
    ph_state s = fixture_state(r);
    int nv = r->nv, nl = r->nl;
    fixture_residual(r, &s);
    double *A = calloc((size_t)(nl * nl + nl), sizeof(double)), *b = A + nl * nl;
    assert_non_null(A);
    for (int i = 0; i < nl; i++) {
        b[i] = r->rate[i];
        for (int j = 0; j < nl; j++)
            for (int k = 0; k < nv; k++)
                A[i * nl + j] += r->B[i * nv + k] * r->B[j * nv + k];
    }
    solve_dense(nl, A, b);
    for (int i = 0; i < nl; i++)
        for (int k = 0; k < nv; k++)
            r->at.v[k] -= r->B[i * nv + k] * b[i];
    free(A);
}

/* ---- differences -------------------------------------------------------------------------------- */

/* Order 8; with smooth functions of size and scale 1, error 1e-13. */
#define STEP8 0x1p-7
static const double weight8[] = {672. / 840, -168. / 840, 32. / 840, -3. / 840};

typedef enum vary { VARY_Q, VARY_V, VARY_LAMBDA, VARY_T, VARY_MOTION, VARY_FALL } vary;

/* The point shifted by e: coordinate i of q, v or lambda; time; along the motion at fixed v, or with v
 * changing by vdot. */
static inline ph_state fixture_shift(fixture *r, vary what, int i, double e)
{
    double *x = calloc((size_t)r->nv, sizeof(double));
    assert_non_null(x);
    ph_point_copy(&r->probe, &r->at, &r->lay);
    if (what == VARY_Q)
        x[i] = e;
    else if (what == VARY_MOTION || what == VARY_FALL)
        for (int k = 0; k < r->nv; k++)
            x[k] = e * r->at.v[k];
    ph_point_shift(&r->lay, &r->at, 1, x, &r->probe);
    free(x);
    if (what == VARY_V)
        r->probe.v[i] += e;
    else if (what == VARY_LAMBDA)
        r->probe.lambda[i] += e;
    else if (what != VARY_Q)
        r->probe.t += e;
    for (int k = 0; k < r->nv && what == VARY_FALL; k++)
        r->probe.v[k] += e * r->at.vdot[k];
    return ph_point_view(&r->probe, &r->lay);
}

/* Derivatives of (r, Phi, rate) in that direction: nv + 2 nl numbers. */
static inline void fixture_difference(fixture *r, vary what, int i, double *out)
{
    int nv = r->nv, nl = r->nl;
    memset(out, 0, sizeof(double) * (size_t)(nv + 2 * nl));
    for (int k = 0; k < 4; k++)
        for (int side = 1; side >= -1; side -= 2) {
            ph_state s = fixture_shift(r, what, i, side * (k + 1) * STEP8);
            double w = side * weight8[k] / STEP8;
            fixture_residual(r, &s);
            for (int j = 0; j < nv; j++)
                out[j] += w * r->r[j];
            for (int j = 0; j < nl; j++)
                out[nv + j] += w * r->Phi[j], out[nv + nl + j] += w * r->rate[j];
        }
}

/* dE/dt along the motion with accelerations vdot. */
static inline double fixture_power(fixture *r)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        for (int side = 1; side >= -1; side -= 2) {
            ph_state s = fixture_shift(r, VARY_FALL, 0, side * (k + 1) * STEP8);
            sum += side * weight8[k] / STEP8 * ph_mechanism_energy(r->mech, &s);
        }
    return sum;
}

/* A point off every manifold. */
static inline void fixture_scatter(fixture *r, uint64_t *seed)
{
    for (int b = 0; b < r->mech->model->n_bodies; b++) {
        const ph_body_def *d = &r->mech->model->body[b];
        ph_kin k = {.x = ph_add(d->x, rnd3(seed))};
        k.v = rnd3(seed);
        k.w = rnd3(seed);
        k.q = ph_qmul(d->R, rnd_turn(1.5, seed));
        fixture_set(r, b, k);
    }
    for (int k = 0; k < r->mech->n_flex; k++)
        for (int i = 0; i < r->mech->flex[k].r->modes; i++) {
            r->at.q[r->mech->flex[k].q + i] = rnd(seed) / 2;
            r->at.v[r->mech->flex[k].v + i] = rnd(seed);
        }
    for (int i = 0; i < r->nv; i++)
        r->at.vdot[i] = rnd(seed);
    for (int i = 0; i < r->nl; i++)
        r->at.lambda[i] = rnd(seed);
    r->at.t = 0.7;
}

/* The largest of |given - differenced| of every derivative; holonomic rows only where Phi is differenced. */
static inline double fixture_worst(fixture *r)
{
    ph_state s = fixture_state(r);
    int nv = r->nv, nl = r->nl;
    double *d = calloc((size_t)(nv + 2 * nl), sizeof(double)), worst = 0;
    assert_non_null(d);
#define COMPARE(given, differenced)                                                                          \
    do {                                                                                                     \
        double error = fabs((given) - (differenced));                                                        \
        worst = error > worst || isnan(error) ? error : worst;                                               \
    } while (0)
    unsigned char *holonomic = calloc((size_t)nl + 1, 1);
    assert_non_null(holonomic);
    for (int c = 0; c < r->lay.C; c++)
        for (int i = 0; i < r->lay.rows[c]; i++)
            holonomic[r->lay.l_at[c] + i] = !r->sys->constraints[c].nonholonomic;
    for (int i = 0; i < nv; i++) {
        fixture_difference(r, VARY_Q, i, d);
        fixture_tangents(r, &s);
        for (int j = 0; j < nv; j++)
            COMPARE(r->K[j * nv + i], d[j]);
        for (int j = 0; j < nl; j++) {
            if (holonomic[j])
                COMPARE(r->B[j * nv + i], d[nv + j]);
            COMPARE(r->Z[j * nv + i], d[nv + nl + j]);
        }
        fixture_difference(r, VARY_V, i, d);
        for (int j = 0; j < nv; j++)
            COMPARE(r->C[j * nv + i], d[j]);
    }
    for (int j = 0; j < nl; j++) {
        fixture_difference(r, VARY_LAMBDA, j, d);
        fixture_tangents(r, &s);
        for (int i = 0; i < nv; i++)
            COMPARE(r->Gl[i * nl + j] + r->B[j * nv + i], d[i]);
    }
    fixture_difference(r, VARY_T, 0, d);
    fixture_tangents(r, &s);
    for (int j = 0; j < nl; j++)
        if (holonomic[j])
            COMPARE(r->Phi_t[j], d[nv + j]);
    fixture_difference(r, VARY_MOTION, 0, d);
    fixture_tangents(r, &s);
    for (int j = 0; j < nl; j++)
        COMPARE(r->convective[j], d[nv + nl + j]);
#undef COMPARE
    free(d), free(holonomic);
    return worst;
}

#endif
