/* Every row of problems.def: derivatives, energy, initial values, references; and published digits. */
#include "check.h"
#include "problem/problem.h"

/* ---- a problem and a point, without the library's own evaluation ------------------------------- */

typedef struct point {
    double t, *q, *v, *vdot, *lambda;
    ph_mat3 *R;
} point;

typedef struct bench {
    ph_problem *p;
    const ph_system *sys;
    int nq, nv, nl, nR;
    int *q_at, *v_at, *R_at, *l_at;
    point at;
    uint64_t seed;
} bench;

static void *zeros(int n, size_t size)
{
    void *p = test_calloc((size_t)n + 1, size);
    assert_non_null(p);
    return p;
}

static int dim_of(const bench *b, int node)
{
    return ph_group_dim(b->sys->nodes[node].group, b->sys->nodes[node].n);
}

static point point_make(const bench *b)
{
    return (point){.q = zeros(b->nq, sizeof(double)),
                   .v = zeros(b->nv, sizeof(double)),
                   .vdot = zeros(b->nv, sizeof(double)),
                   .lambda = zeros(b->nl, sizeof(double)),
                   .R = zeros(b->nR, sizeof(ph_mat3))};
}

static void point_free(point *x)
{
    test_free(x->q), test_free(x->v), test_free(x->vdot), test_free(x->lambda), test_free(x->R);
}

static void rotations(const bench *b, point *x)
{
    for (int i = 0; i < b->sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(b->sys->nodes[i].group);
        if (op->quat >= 0) {
            const double *p = x->q + b->q_at[i] + op->quat;
            x->R[b->R_at[i]] = ph_qmat((ph_quat){p[0], p[1], p[2], p[3]});
        }
    }
}

static void point_copy(const bench *b, point *to, const point *from)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)b->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)b->nv * sizeof(double));
    memcpy(to->vdot, from->vdot, (size_t)b->nv * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)b->nl * sizeof(double));
    memcpy(to->R, from->R, (size_t)b->nR * sizeof(ph_mat3));
}

/* q = q o exp(s dq) */
static void turn(const bench *b, point *x, double s, const double *dq)
{
    for (int i = 0; i < b->sys->n_nodes; i++) {
        const ph_node *node = &b->sys->nodes[i];
        const ph_group_ops *op = ph_group_get(node->group);
        double step[PH_DIM_MAX], e[7];
        int d = dim_of(b, i);
        for (int k = 0; k < d; k++)
            step[k] = s * dq[b->v_at[i] + k];
        op->exp(node->n, step, e);
        op->compose(node->n, x->q + b->q_at[i], e, x->q + b->q_at[i]);
    }
    rotations(b, x);
}

static bench bench_open(const char *name, const ph_problem_def *def)
{
    bench b = {.p = ph_problem_create(name, def), .seed = 20240229};
    assert_non_null(b.p);
    b.sys = &b.p->sys;
    b.q_at = zeros(b.sys->n_nodes, sizeof(int));
    b.v_at = zeros(b.sys->n_nodes, sizeof(int));
    b.R_at = zeros(b.sys->n_nodes, sizeof(int));
    b.l_at = zeros(b.sys->n_constraints, sizeof(int));
    for (int i = 0; i < b.sys->n_nodes; i++) {
        b.q_at[i] = b.nq, b.v_at[i] = b.nv, b.R_at[i] = b.nR;
        b.nq += ph_group_size(b.sys->nodes[i].group, b.sys->nodes[i].n);
        b.nv += dim_of(&b, i);
        b.nR += ph_group_get(b.sys->nodes[i].group)->quat >= 0;
    }
    for (int c = 0; c < b.sys->n_constraints; c++) {
        b.l_at[c] = b.nl;
        b.nl += b.sys->constraints[c].rows;
    }
    b.at = point_make(&b);
    memcpy(b.at.q, b.p->q0, (size_t)b.nq * sizeof(double));
    memcpy(b.at.v, b.p->v0, (size_t)b.nv * sizeof(double));
    rotations(&b, &b.at);
    return b;
}

static void bench_close(bench *b)
{
    test_free(b->q_at), test_free(b->v_at), test_free(b->R_at), test_free(b->l_at);
    point_free(&b->at);
    ph_problem_destroy(b->p);
}

/* A point off every manifold, rotated by up to 1.7 rad. */
static void scatter(bench *b)
{
    double *dq = zeros(b->nv, sizeof(double));
    for (int i = 0; i < b->nv; i++) {
        dq[i] = rnd(&b->seed);
        b->at.v[i] = b->p->v0[i] + 2 * rnd(&b->seed);
        b->at.vdot[i] = 3 * rnd(&b->seed);
    }
    for (int i = 0; i < b->nl; i++)
        b->at.lambda[i] = 5 * rnd(&b->seed);
    b->at.t = 1 + rnd(&b->seed) / 2;
    memcpy(b->at.q, b->p->q0, (size_t)b->nq * sizeof(double));
    turn(b, &b->at, 1, dq);
    test_free(dq);
}

static ph_state view(const bench *b, const point *x)
{
    return (ph_state){.t = x->t,
                      .q = x->q,
                      .v = x->v,
                      .vdot = x->vdot,
                      .lambda = x->lambda,
                      .R = x->R,
                      .q_at = b->q_at,
                      .v_at = b->v_at,
                      .l_at = b->l_at,
                      .R_at = b->R_at};
}

static void vector(const bench *b, const point *x, ph_callback f, double *out, int n)
{
    ph_state s = view(b, x);
    memset(out, 0, (size_t)n * sizeof(double));
    if (f)
        assert_int_equal(f(&s, out, b->sys->ctx), PH_OK);
}

/* The dense matrix of listed blocks: nv x nv of pairs, or nl x nv of links (transposed blocks: nv x nl). */
static void matrix(const bench *b, const point *x, ph_callback f, int links, int transposed, double *out)
{
    const ph_system *sys = b->sys;
    const ph_place *places = links ? sys->links : sys->pairs;
    int rows = links ? sys->n_constraints : sys->n_nodes, cols = sys->n_nodes;
    int count = places ? (links ? sys->n_links : sys->n_pairs) : rows * cols;
    int width = transposed ? b->nl : b->nv, height = links && !transposed ? b->nl : b->nv;
    double *blocks = zeros(b->nv * (b->nv + b->nl), sizeof(double)), *from = blocks;
    vector(b, x, f, blocks, b->nv * (b->nv + b->nl));
    memset(out, 0, (size_t)(width * height) * sizeof(double));
    for (int k = 0; k < count; k++) {
        int r = places ? places[k].row : k / cols, c = places ? places[k].col : k % cols;
        int m = links ? sys->constraints[r].rows : dim_of(b, r), n = dim_of(b, c);
        int i0 = links ? b->l_at[r] : b->v_at[r], j0 = b->v_at[c];
        for (int i = 0; i < (transposed ? n : m); i++)
            for (int j = 0; j < (transposed ? m : n); j++)
                out[((transposed ? j0 : i0) + i) * width + (transposed ? i0 : j0) + j] = *from++;
    }
    test_free(blocks);
}

/* r = M vdot + g + B^T lambda, then Phi, then B v + Phi_t: nv + 2 nl numbers */
static void residual(const bench *b, const point *x, double *out)
{
    int nv = b->nv, nl = b->nl;
    double *M = zeros(nv * nv, sizeof(double)), *B = zeros(nl * nv, sizeof(double));
    matrix(b, x, b->sys->M, 0, 0, M);
    vector(b, x, b->sys->g, out, nv);
    vector(b, x, b->sys->Phi, out + nv, nl);
    vector(b, x, b->sys->Phi_t, out + nv + nl, nl);
    if (nl)
        matrix(b, x, b->sys->B, 1, 0, B);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            out[i] += M[i * nv + j] * x->vdot[j];
        for (int j = 0; j < nl; j++) {
            out[i] += B[j * nv + i] * x->lambda[j];
            out[nv + nl + j] += B[j * nv + i] * x->v[i];
        }
    }
    test_free(M), test_free(B);
}

/* A x = b by elimination with row exchange; A and b are lost, x is in b. Returns the smallest pivot. */
static double solve(int n, double *A, double *b)
{
    double least = HUGE_VAL;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        for (int j = 0; j < n; j++) {
            double a = A[k * n + j];
            A[k * n + j] = A[best * n + j], A[best * n + j] = a;
        }
        double c = b[k];
        b[k] = b[best], b[best] = c;
        least = fmin(least, fabs(A[k * n + k]));
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
    return least;
}

/* vdot and lambda of [M B^T; B 0] (vdot, lambda) = (-g, -convective), put into the point. */
static void accelerate(const bench *b, point *x)
{
    int nv = b->nv, nl = b->nl, n = nv + nl;
    double *A = zeros(n * n, sizeof(double)), *M = zeros(nv * nv, sizeof(double));
    double *B = zeros(nl * nv, sizeof(double)), *y = zeros(n, sizeof(double));
    assert_false(b->sys->flags & PH_FORCE_LAMBDA);
    matrix(b, x, b->sys->M, 0, 0, M);
    vector(b, x, b->sys->g, y, nv);
    if (nl) {
        matrix(b, x, b->sys->B, 1, 0, B);
        vector(b, x, b->sys->convective, y + nv, nl);
    }
    for (int i = 0; i < n; i++)
        y[i] = -y[i];
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            A[i * n + j] = M[i * nv + j];
        for (int j = 0; j < nl; j++)
            A[i * n + nv + j] = A[(nv + j) * n + i] = B[j * nv + i];
    }
    assert_true(solve(n, A, y) > 1e-9);
    memcpy(x->vdot, y, (size_t)nv * sizeof(double));
    memcpy(x->lambda, y + nv, (size_t)nl * sizeof(double));
    test_free(A), test_free(M), test_free(B), test_free(y);
}

/* Every row, the chains in several sizes: calls f for each. */
static void each(void (*f)(bench *b))
{
    static const struct {
        const char *name;
        ph_problem_def def;
    } more[] = {{"chain", {1, 0}},       {"chain", {2, 0}}, {"ring", {3, 0}},    {"ring", {4, 0}},
                {"pendulum", {0, -0.1}}, {"rotor", {0, 3}}, {"skate", {0, -0.7}}};
    int k = 0;
    for (; ph_problem_name(k); k++) {
        bench b = bench_open(ph_problem_name(k), NULL);
        assert_true(strlen(ph_problem_text(k)) > 0);
        f(&b);
        bench_close(&b);
    }
    assert_true(k >= 14);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        bench b = bench_open(more[i].name, &more[i].def);
        f(&b);
        bench_close(&b);
    }
}

/* ---- derivatives ------------------------------------------------------------------------------ */

typedef enum direction { BY_Q, BY_V, BY_LAMBDA, BY_T, BY_MOTION } direction;

/* d(residual) in direction k, by five points: error about 1e-12 of the largest entry */
static void difference(const bench *b, direction by, int k, double *out)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double eps = by == BY_MOTION ? 1e-3 / (1 + norm2(b->at.v, b->nv)) : 1e-3;
    int n = b->nv + 2 * b->nl;
    double *r = zeros(n, sizeof(double)), *e = zeros(b->nv, sizeof(double));
    memset(out, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < 4; i++) {
        point x = point_make(b);
        point_copy(b, &x, &b->at);
        double s = at[i] * eps;
        if (by == BY_Q) {
            e[k] = 1;
            turn(b, &x, s, e);
        } else if (by == BY_V)
            x.v[k] += s;
        else if (by == BY_LAMBDA)
            x.lambda[k] += s;
        else
            x.t += s;
        if (by == BY_MOTION)
            turn(b, &x, s, b->at.v);
        residual(b, &x, r);
        for (int j = 0; j < n; j++)
            out[j] += weight[i] * r[j] / (12 * eps);
        point_free(&x);
    }
    test_free(r), test_free(e);
}

/* Each column of the residual's derivatives against the callbacks; places not listed must be zero. */
static void check_derivatives(bench *b)
{
    int nv = b->nv, nl = b->nl, n = nv + 2 * nl;
    double *K = zeros(nv * nv, sizeof(double)), *C = zeros(nv * nv, sizeof(double));
    double *B = zeros(nl * nv, sizeof(double)), *Z = zeros(nl * nv, sizeof(double));
    double *Gl = zeros(nl * nv, sizeof(double)), *d = zeros(n, sizeof(double)),
           *f = zeros(nl, sizeof(double));
    for (int trial = 0; trial < 3; trial++) {
        scatter(b);
        assert_non_null(b->sys->C);
        assert_non_null(b->sys->K);
        matrix(b, &b->at, b->sys->K, 0, 0, K);
        matrix(b, &b->at, b->sys->C, 0, 0, C);
        if (nl) {
            assert_non_null(b->sys->Z);
            assert_non_null(b->sys->convective);
            matrix(b, &b->at, b->sys->B, 1, 0, B);
            matrix(b, &b->at, b->sys->Z, 1, 0, Z);
            matrix(b, &b->at, b->sys->g_lambda, 1, 1, Gl);
        }
        /* derivative: five points with eps = 1e-3 leave 1e-12 of the largest entry */
        double scale = 1 + norm2(K, nv * nv) + norm2(C, nv * nv) + norm2(Z, nl * nv), tol = 1e-10 * scale;
        for (int k = 0; k < nv; k++) {
            difference(b, BY_Q, k, d);
            for (int i = 0; i < nv; i++)
                check_near(K[i * nv + k], d[i], tol);
            for (int i = 0, c = 0; i < nl; i++) {
                while (c + 1 < b->sys->n_constraints && i >= b->l_at[c + 1])
                    c++;
                if (!b->sys->constraints[c].nonholonomic)
                    check_near(B[i * nv + k], d[nv + i], tol);
                check_near(Z[i * nv + k], d[nv + nl + i], tol);
            }
            difference(b, BY_V, k, d);
            for (int i = 0; i < nv; i++)
                check_near(C[i * nv + k], d[i], tol);
        }
        for (int k = 0; k < nl; k++) {
            difference(b, BY_LAMBDA, k, d);
            for (int i = 0; i < nv; i++)
                check_near(B[k * nv + i] + Gl[i * nl + k], d[i], tol);
            assert_true(norm2(d, nv) > 0);
        }
        difference(b, BY_T, 0, d);
        vector(b, &b->at, b->sys->Phi_t, f, nl);
        for (int i = 0; i < nl; i++)
            check_near(f[i], d[nv + i], tol);
        difference(b, BY_MOTION, 0, d);
        vector(b, &b->at, b->sys->convective, f, nl);
        for (int i = 0; i < nl; i++)
            check_near(f[i], d[nv + nl + i], tol * (1 + norm2(b->at.v, nv)));
    }
    test_free(K), test_free(C), test_free(B), test_free(Z), test_free(Gl), test_free(d), test_free(f);
}

static void derivatives(void **state)
{
    (void)state;
    each(check_derivatives);
}

/* ---- energy ----------------------------------------------------------------------------------- */

/* For any q, v, lambda, and vdot = -M^-1 (g + B^T lambda):  dE/dt = power - lambda^T (B v + Phi_t) */
static void check_energy(bench *b)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    int nv = b->nv, nl = b->nl;
    double *M = zeros(nv * nv, sizeof(double)), *r = zeros(nv + 2 * nl, sizeof(double));
    assert_non_null(b->p->energy);
    for (int trial = 0; trial < 3; trial++) {
        scatter(b);
        memset(b->at.vdot, 0, (size_t)nv * sizeof(double));
        residual(b, &b->at, r);
        matrix(b, &b->at, b->sys->M, 0, 0, M);
        double *a = zeros(nv, sizeof(double));
        for (int i = 0; i < nv; i++)
            a[i] = -r[i];
        assert_true(solve(nv, M, a) > 0);
        memcpy(b->at.vdot, a, (size_t)nv * sizeof(double));
        test_free(a);

        ph_state s = view(b, &b->at);
        double rate = 0, eps = 1e-4 / (1 + norm2(b->at.v, nv) + sqrt(norm2(b->at.vdot, nv)));
        double power = b->p->power ? b->p->power(&s, b->sys->ctx) : 0;
        for (int j = 0; j < nl; j++)
            power -= b->at.lambda[j] * r[nv + nl + j];
        for (int i = 0; i < 4; i++) {
            point x = point_make(b);
            point_copy(b, &x, &b->at);
            turn(b, &x, at[i] * eps, b->at.v);
            for (int j = 0; j < nv; j++)
                x.v[j] += at[i] * eps * b->at.vdot[j];
            s = view(b, &x);
            rate += weight[i] * b->p->energy(&s, b->sys->ctx) / (12 * eps);
            point_free(&x);
        }
        s = view(b, &b->at);
        /* derivative: the rounding error of E over eps */
        double E = fabs(b->p->energy(&s, b->sys->ctx));
        check_near(rate, power, 1e-14 * (1 + E) / eps + 1e-9 * fabs(power));
        assert_true(fabs(power) + fabs(rate) > 0 || !nl);
    }
    test_free(M), test_free(r);
}

static void energy(void **state)
{
    (void)state;
    each(check_energy);
}

/* ---- initial values and references ------------------------------------------------------------ */

/* Least norm of a row of B after the rows before it are projected out, over the largest norm of a row. */
static double independence(bench *b)
{
    int nv = b->nv, nl = b->nl;
    double *B = zeros(nl * nv, sizeof(double)), least = 1, largest = 0;
    matrix(b, &b->at, b->sys->B, 1, 0, B);
    for (int i = 0; i < nl; i++) {
        double *row = B + i * nv;
        largest = fmax(largest, norm2(row, nv));
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < i; k++) {
                double dot = 0;
                for (int j = 0; j < nv; j++)
                    dot += row[j] * B[k * nv + j];
                for (int j = 0; j < nv; j++)
                    row[j] -= dot * B[k * nv + j];
            }
        double norm = norm2(row, nv);
        least = fmin(least, norm / largest);
        for (int j = 0; j < nv; j++)
            row[j] /= norm;
    }
    test_free(B);
    return least;
}

static void check_unit_quaternions(const bench *b, const double *q)
{
    for (int i = 0; i < b->sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(b->sys->nodes[i].group);
        if (op->quat >= 0)
            check_near(norm2(q + b->q_at[i] + op->quat, 4), 1, 4e-16); /* round-off */
    }
}

static void check_start(bench *b)
{
    int nv = b->nv, nl = b->nl;
    double *r = zeros(nv + 2 * nl, sizeof(double));
    assert_true(b->p->h > 0 && b->p->t_end > b->p->h);
    check_unit_quaternions(b, b->p->q0);
    residual(b, &b->at, r);
    check_le(norm2(r + nv, nl), 1e-14);      /* round-off: Phi of positions of a few metres */
    check_le(norm2(r + nv + nl, nl), 1e-14); /* round-off: B v of velocities of a few metres per second */
    if (nl)
        assert_true(independence(b) > 0.02);
    test_free(r);
}

static void start(void **state)
{
    (void)state;
    each(check_start);
}

/* The ring's constraints stay independent off the plane as well. */
static void ring_is_independent(void **state)
{
    (void)state;
    bench b = bench_open("ring", NULL);
    for (int trial = 0; trial < 5; trial++) {
        scatter(&b);
        assert_true(independence(&b) > 0.02);
    }
    bench_close(&b);
}

/* The exact state solves the equations, starts at (q0, v0), and v and vdot are the derivatives of q and v. */
static void check_exact(bench *b)
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    int nv = b->nv, nl = b->nl;
    if (!b->p->exact) {
        assert_true(!strcmp(b->p->name, "chain") || !strcmp(b->p->name, "ring"));
        return;
    }
    point *x = &b->at, y = point_make(b);
    double *r = zeros(nv + 2 * nl, sizeof(double)), *g = zeros(nv, sizeof(double));
    double *K = zeros(nv * nv, sizeof(double));
    assert_true(b->p->exact(b->p, 0, x->q, x->v, x->vdot, x->lambda));
    check_le(max_diff(x->q, b->p->q0, b->nq), 2e-16); /* round-off */
    check_le(max_diff(x->v, b->p->v0, nv), 2e-16);
    double eps = b->p->h / 100;
    for (int k = 1; k <= 3; k++) {
        double t = b->p->t_end * k / 3.1;
        double *rate = zeros(nv, sizeof(double)), *acc = zeros(nv, sizeof(double));
        assert_true(b->p->exact(b->p, t, x->q, x->v, x->vdot, x->lambda));
        x->t = t;
        rotations(b, x);
        check_unit_quaternions(b, x->q);
        residual(b, x, r);
        /* round-off: of the forces, and of positions times the stiffness */
        vector(b, x, b->sys->g, g, nv);
        matrix(b, x, b->sys->K, 0, 0, K);
        double force = 1 + norm2(g, nv) + norm2(x->lambda, nl) + norm2(x->vdot, nv);
        check_le(norm2(r, nv), 2e-14 * force + 2e-16 * norm2(K, nv * nv));
        check_le(norm2(r + nv, 2 * nl), 1e-14 * (1 + norm2(x->v, nv)));
        for (int i = 0; i < 4; i++) {
            assert_true(b->p->exact(b->p, t + at[i] * eps, y.q, y.v, y.vdot, NULL));
            for (int j = 0; j < nv; j++)
                acc[j] += weight[i] * y.v[j] / (12 * eps);
            for (int j = 0; j < b->sys->n_nodes; j++) {
                const ph_node *node = &b->sys->nodes[j];
                const ph_group_ops *op = ph_group_get(node->group);
                double e[7], d[PH_DIM_MAX];
                op->inverse(node->n, x->q + b->q_at[j], e);
                op->compose(node->n, e, y.q + b->q_at[j], e);
                op->log(node->n, e, d);
                for (int l = 0; l < dim_of(b, j); l++)
                    rate[b->v_at[j] + l] += weight[i] * d[l] / (12 * eps);
            }
        }
        /* derivative: five points, |v| eps = 5e-3 at most */
        check_le(max_diff(rate, x->v, nv), 1e-9 * (1 + norm2(x->v, nv)));
        check_le(max_diff(acc, x->vdot, nv), 1e-9 * (1 + norm2(x->v, nv) / b->p->t_end + norm2(x->vdot, nv)));
        test_free(rate), test_free(acc);
    }
    point_free(&y);
    test_free(r), test_free(g), test_free(K);
}

static void exact(void **state)
{
    (void)state;
    each(check_exact);
}

/* ---- the tops describe the same mechanics ----------------------------------------------------- */

static void tops_agree(void **state)
{
    (void)state;
    bench top = bench_open("heavy_top", NULL), one = bench_open("heavy_top_r3xso3", NULL);
    bench se3 = bench_open("heavy_top_se3", NULL), so3 = bench_open("heavy_top_so3", NULL);
    for (int trial = 0; trial < 10; trial++) {
        int on_manifold = trial >= 5;
        scatter(&top);
        ph_mat3 R = top.at.R[0];
        ph_vec3 w = ph_load3(top.at.v + 3), X = {0, 1, 0};
        if (on_manifold) {
            ph_store3(top.at.q, ph_mul(R, X));
            ph_store3(top.at.v, ph_mul(R, ph_cross(w, X)));
        }
        point_copy(&top, &one.at, &top.at);
        point_copy(&top, &se3.at, &top.at);
        ph_vec3 U = ph_tmul(R, ph_load3(top.at.v));
        ph_store3(se3.at.v, U);
        accelerate(&top, &top.at);
        accelerate(&one, &one.at);
        accelerate(&se3, &se3.at);
        ph_vec3 a = ph_add(ph_load3(se3.at.vdot), ph_cross(w, U));
        ph_store3(se3.at.vdot, ph_mul(R, a));
        /* round-off: accelerations of |Omega|^2 = 22500, forces of 15 times that */
        check_le(max_diff(one.at.vdot, top.at.vdot, 6), 1e-11);
        check_le(max_diff(one.at.lambda, top.at.lambda, 3), 1e-10);
        check_le(max_diff(se3.at.vdot, top.at.vdot, 6), 1e-11);
        check_le(max_diff(se3.at.lambda, top.at.lambda, 3), 1e-10);
        if (on_manifold) {
            memcpy(so3.at.q, top.at.q + 3, 4 * sizeof(double));
            memcpy(so3.at.v, top.at.v + 3, 3 * sizeof(double));
            rotations(&so3, &so3.at);
            accelerate(&so3, &so3.at);
            check_le(max_diff(so3.at.vdot, top.at.vdot + 3, 3), 1e-11);
        }
        ph_state s = view(&top, &top.at), s1 = view(&one, &one.at), s2 = view(&se3, &se3.at);
        double E = top.p->energy(&s, top.sys->ctx);
        check_near(one.p->energy(&s1, one.sys->ctx), E, 1e-11);
        check_near(se3.p->energy(&s2, se3.sys->ctx), E, 1e-11);
    }
    bench_close(&top), bench_close(&one), bench_close(&se3), bench_close(&so3);
}

/* ---- published and high-precision digits ------------------------------------------------------ */

/* Largest error over n components relative to the largest component. */
static double relative(const double *a, const double *b, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    return max_diff(a, b, n) / size;
}

/* Taylor series with 40 digits, printed with 15 */
static void heavy_top_digits(void **state)
{
    (void)state;
    static const struct {
        double t, x[3], Omega[3], lambda[3];
    } row[] = {
        {0.1,
         {0.421296658925402, 0.894571974345593, -0.149164700561900},
         {4.80894133172809, 150, 1.02830075671833},
         {-361.056004787116, -295.393173011226, -212.267171855119}},
        {0.5,
         {-0.702468297056586, -0.0211651847019233, -0.711400257651734},
         {-0.471053101745249, 150, 5.90108304832646},
         {523.281243514402, 404.206178320259, 357.336176453179}},
        {1.0,
         {0.173343964098386, 0.640088592070569, -0.748490791133581},
         {-0.822078101682704, 150, -5.92329134811734},
         {-517.600739476900, -396.843101489554, 404.574925162885}},
    };
    static const char *const names[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3", "heavy_top_so3"};
    double q[7], v[6], vdot[6], lambda[3];
    for (int k = 0; k < 4; k++) {
        ph_problem *p = ph_problem_create(names[k], NULL);
        int so3 = k == 3;
        assert_non_null(p);
        for (int i = 0; i < 3; i++) {
            assert_true(p->exact(p, row[i].t, q, v, vdot, lambda));
            /* reference: 15 digits, the last one rounded */
            check_le(relative(v + (so3 ? 0 : 3), row[i].Omega, 3), 5e-15);
            if (!so3) {
                check_le(relative(q, row[i].x, 3), 2e-15);
                check_le(relative(lambda, row[i].lambda, 3), 2e-15);
            }
        }
        const double quat[4] = {0.732943980679664, -0.278285719337613, 0.531824611334163, -0.320176142736249};
        check_le(max_diff(q + (so3 ? 0 : 3), quat, 4), 2e-15);
        ph_problem_destroy(p);
    }
}

/* Consistent start accelerations, from the callbacks and from the reference; 12 digits printed */
static void heavy_top_start(void **state)
{
    (void)state;
    const double xddot[3] = {0, -21.3017325444, -30.9608307692}, Omegadot[3] = {661.346169230769, 0, 0};
    const double lambda[3] = {0, -319.525988166, -317.262461538462};
    bench b = bench_open("heavy_top", NULL);
    accelerate(&b, &b.at);
    double q[7], v[6], vdot[6], force[3];
    assert_true(b.p->exact(b.p, 0, q, v, vdot, force));
    /* reference */
    check_le(max_diff(b.at.vdot, xddot, 3), 1e-10);
    check_le(max_diff(b.at.vdot + 3, Omegadot, 3), 1e-12 * 661);
    check_le(max_diff(b.at.lambda, lambda, 3), 1e-9);
    /* round-off */
    check_le(relative(vdot, b.at.vdot, 6), 1e-14);
    check_le(relative(force, b.at.lambda, 3), 1e-14);
    bench_close(&b);
}

/* Derivatives of the motion at t = 0.1 by the mass, J kept (five points) */
static void heavy_top_mass(void **state)
{
    (void)state;
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double dx[3] = {2.55360940446255e-3, -1.47245082107098e-4, 6.32928422697132e-3};
    const double dOmega[3] = {-0.0413913077597291, 0, 0.135554761842119};
    const double dlambda[3] = {-2.89395888691551, -22.5207090628176, -4.43844244207798};
    double d[9] = {0}, eps = 0.02;
    for (int i = 0; i < 4; i++) {
        ph_problem *p = ph_problem_create("heavy_top", &(ph_problem_def){0, 15 + at[i] * eps});
        double q[7], v[6], vdot[6], lambda[3];
        assert_non_null(p);
        assert_true(p->exact(p, 0.1, q, v, vdot, lambda));
        for (int j = 0; j < 3; j++) {
            d[j] += weight[i] * q[j] / (12 * eps);
            d[3 + j] += weight[i] * v[3 + j] / (12 * eps);
            d[6 + j] += weight[i] * lambda[j] / (12 * eps);
        }
        ph_problem_destroy(p);
    }
    /* reference; derivative: eps^4 and round-off */
    check_le(relative(d, dx, 3), 1e-10);
    check_le(relative(d + 3, dOmega, 3), 1e-10);
    check_le(relative(d + 6, dlambda, 3), 1e-10);
}

/* World positions of l_L and l_R, by extrapolation in long double, 15 digits and more */
static void rotor_digits(void **state)
{
    (void)state;
    const double p1[3] = {-0.11000000041258325, -2.67208459632658e-4, -9.1564223188698e-5};
    const double p2[3] = {0.089999201656640872, 2.67230924335315e-4, 9.1592044851952e-5};
    const double early[3] = {8.9999986406217956e-2, 4.6924602221328e-6, 3.6468318458508e-5};
    const ph_vec3 l_L = {-0.11, 0, 0}, l_R = {0.09, 0, 0};
    bench b = bench_open("rotor", NULL);
    point *x = &b.at;
    double a[3];
    assert_true(b.p->exact(b.p, 0.1, x->q, x->v, x->vdot, NULL));
    rotations(&b, x);
    ph_store3(a, ph_add(ph_load3(x->q), ph_mul(x->R[0], l_R)));
    /* reference: rounding of the double result in the first component, of the print in the others */
    check_near(a[0], early[0], 3e-17);
    check_le(max_diff(a + 1, early + 1, 2), 5e-19);
    assert_true(b.p->exact(b.p, 1, x->q, x->v, x->vdot, NULL));
    rotations(&b, x);
    ph_store3(a, ph_add(ph_load3(x->q), ph_mul(x->R[0], l_L)));
    check_near(a[0], p1[0], 3e-17);
    check_le(max_diff(a + 1, p1 + 1, 2), 5e-18);
    ph_store3(a, ph_add(ph_load3(x->q), ph_mul(x->R[0], l_R)));
    check_near(a[0], p2[0], 3e-17);
    check_le(max_diff(a + 1, p2 + 1, 2), 5e-18);
    bench_close(&b);
}

/* Extrapolation with 30 digits (mpmath) */
static void spring_ball_digits(void **state)
{
    (void)state;
    const double psi[3] = {0.326357908319535475, 0.0245153097816494055, 0.0191701445482055224};
    const double omega[3] = {-0.0945936481146108032, 0.796935430683716432, 0.434168978945725331};
    ph_problem *p = ph_problem_create("spring_ball", NULL);
    double q[4], v[3], vdot[3], log[3];
    assert_non_null(p);
    assert_true(p->exact(p, 2, q, v, vdot, NULL));
    ph_group_get(PH_SO3)->log(0, q, log);
    /* reference: rounding of double */
    check_le(max_diff(log, psi, 3), 2e-16);
    check_le(max_diff(v, omega, 3), 2e-16);
    ph_problem_destroy(p);
}

/* Jacobi functions, 20 digits */
static void free_body_digits(void **state)
{
    (void)state;
    const double omega[3] = {-0.018538737682986907111, 2.9155938279516502635, 1.2906394437953319179};
    const double quat[4] = {-0.85242739452678508165, 0.46168789282882174392, -0.20536197357007993733,
                            0.13430668816913360268};
    ph_problem *p = ph_problem_create("free_body", NULL);
    double q[4], v[3], vdot[3];
    assert_non_null(p);
    assert_true(p->exact(p, 2, q, v, vdot, NULL));
    /* reference: rounding of double */
    check_le(max_diff(v, omega, 3), 5e-16);
    check_le(max_diff(q, quat, 4), 2e-16);
    ph_problem_destroy(p);

    /* after one period omega is back; it turned over on the way. Spin about the middle axis amplifies errors
     * by (omega_2/omega_1)^2 = 4e6, which makes some 1e-13 of some 1e-19 */
    p = ph_problem_create("dzhanibekov", NULL);
    assert_non_null(p);
    double least = 2, period = 29.931990271191961671;
    for (int i = 0; i < 60; i++) {
        assert_true(p->exact(p, period * i / 60, q, v, vdot, NULL));
        least = fmin(least, v[1]);
    }
    assert_true(least < -1.99);
    assert_true(p->exact(p, period, q, v, vdot, NULL));
    check_le(max_diff(v, p->v0, 3), 1e-12);
    ph_problem_destroy(p);
}

/* ---- the table -------------------------------------------------------------------------------- */

static void refuses_nonsense(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ph_problem_def def;
    } bad[] = {{"heavy_top", {0, 0}},       {"heavy_top_se3", {0, -15}},
               {"heavy_top_so3", {0, NAN}}, {"heavy_top", {0, HUGE_VAL}},
               {"pendulum", {0, 0.9}},      {"pendulum", {0, NAN}},
               {"friction", {0, -1}},       {"skate", {0, 0}},
               {"skate", {0, NAN}},         {"spring_ball", {0, -1}},
               {"rotor", {0, NAN}},         {"chain", {0, 0}},
               {"chain", {-3, 0}},          {"ring", {2, 0}},
               {"chain", {2000000000, 0}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(ph_problem_create(bad[i].name, &bad[i].def));
    assert_null(ph_problem_create("heavy", NULL));
    assert_null(ph_problem_create("", NULL));
    assert_null(ph_problem_name(-1));
    assert_null(ph_problem_text(1000));
    ph_problem_destroy(NULL);
}

static void sizes(void **state)
{
    (void)state;
    bench b = bench_open("chain", &(ph_problem_def){1000, 0});
    assert_int_equal(b.nv, 6000);
    assert_int_equal(b.nl, 3000);
    check_near(b.at.q[7 * 999], 399.8, 1e-13); /* round-off */
    bench_close(&b);
    b = bench_open("ring", &(ph_problem_def){1000, 0});
    assert_int_equal(b.nl, 3003);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_nonsense),
        cmocka_unit_test(sizes),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(energy),
        cmocka_unit_test(start),
        cmocka_unit_test(ring_is_independent),
        cmocka_unit_test(exact),
        cmocka_unit_test(tops_agree),
        cmocka_unit_test(heavy_top_digits),
        cmocka_unit_test(heavy_top_start),
        cmocka_unit_test(heavy_top_mass),
        cmocka_unit_test(rotor_digits),
        cmocka_unit_test(spring_ball_digits),
        cmocka_unit_test(free_body_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
