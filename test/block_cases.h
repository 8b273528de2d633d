/* Block matrices of mechanisms and lattices, shared by the tests of solvers and bench/bench_la.c. */
#ifndef PH_TEST_BLOCK_CASES_H
#define PH_TEST_BLOCK_CASES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "la/solver.h"

typedef struct block_case {
    int n, nnz, total, values;
    int *size, *first, *row, *col, *at;
    unsigned char *late, *upper; /* upper: NULL, or n */
    double *value;
    uint64_t seed;
    int room_n, room_nnz, room_values;
} block_case;

static inline double case_rnd(block_case *c)
{
    c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(c->seed >> 11 << 11) / 9223372036854775808.0;
}

static inline void *case_grow(void *p, int *room, int need, size_t size)
{
    if (need <= *room)
        return p;
    p = realloc(p, (size_t)need * 2 * size);
    if (!p)
        abort();
    return p;
}

static inline int case_block(block_case *c, int size, int late)
{
    int need = c->n + 2;
    c->size = case_grow(c->size, &c->room_n, need, sizeof(int));
    c->first = case_grow(c->first, &c->room_n, need, sizeof(int));
    c->late = case_grow(c->late, &c->room_n, need, 1);
    c->room_n = need > c->room_n ? 2 * need : c->room_n;
    c->size[c->n] = size;
    c->late[c->n] = (unsigned char)late;
    c->first[c->n] = c->total;
    c->total += size;
    c->first[c->n + 1] = c->total;
    return c->n++;
}

/* Values of a new block at (i, j), all zero; valid until the next call. */
static inline double *case_entry(block_case *c, int i, int j)
{
    int need = c->nnz + 2, count = c->size[i] * c->size[j];
    c->row = case_grow(c->row, &c->room_nnz, need, sizeof(int));
    c->col = case_grow(c->col, &c->room_nnz, need, sizeof(int));
    c->at = case_grow(c->at, &c->room_nnz, need, sizeof(int));
    c->room_nnz = need > c->room_nnz ? 2 * need : c->room_nnz;
    c->value = case_grow(c->value, &c->room_values, c->values + count, sizeof(double));
    c->room_values = c->values + count > c->room_values ? 2 * (c->values + count) : c->room_values;
    c->row[c->nnz] = i, c->col[c->nnz] = j, c->at[c->nnz++] = c->values;
    double *v = c->value + c->values;
    memset(v, 0, (size_t)count * sizeof(double));
    c->values += count;
    return v;
}

static inline void case_random(block_case *c, int i, int j, double size)
{
    double *v = case_entry(c, i, j);
    for (int k = 0; k < c->size[i] * c->size[j]; k++)
        v[k] = size * case_rnd(c);
}

/* Diagonally dominant, not symmetric. */
static inline void case_body(block_case *c, int i, double mass, double rest)
{
    double *v = case_entry(c, i, i);
    for (int a = 0; a < c->size[i]; a++)
        for (int b = 0; b < c->size[i]; b++)
            v[a * c->size[i] + b] = a == b ? mass * (1.5 + case_rnd(c)) : rest * mass * case_rnd(c);
}

static inline ph_graph case_graph(const block_case *c)
{
    return (ph_graph){.n = c->n,
                      .size = c->size,
                      .late = c->late,
                      .nnz = c->nnz,
                      .row = c->row,
                      .col = c->col,
                      .upper = c->upper};
}

static inline void case_free(block_case *c)
{
    free(c->size), free(c->first), free(c->late), free(c->upper), free(c->row), free(c->col), free(c->at),
        free(c->value);
}

/* Bodies of parts blocks each, joints of rows rows, one for each pair of bodies (-1: ground). */
typedef struct mechanism {
    int bodies, joints;
    const int (*pair)[2];
    int parts, part_size; /* blocks per body, unknowns of each */
    int rows;             /* of each joint */
    int ggl;              /* two multipliers per joint */
    double heavy;         /* masses are spread over 1 .. 1 + heavy */
} mechanism;

/* Index-3: K dtheta + B^T dlambda, B dtheta. With ggl, for v = gp theta + E eta: K dtheta + B^T dlambda +
 * K E / gp deta; rows of lambda gp B dtheta + B E deta; rows of eta B dtheta. E is B^T here, gp is GP. */
#define GP 2.0

/* v (m x n) += s A B, A m x p; with B^T, B n x p, where transposed */
static inline void case_product(double *v, double s, const double *A, const double *B, int m, int n, int p,
                                int transposed)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < p; k++)
                v[i * n + j] += s * A[i * p + k] * (transposed ? B[j * p + k] : B[k * n + j]);
}

/* All blocks between a joint and a block of one of its bodies; K and the result B are offsets of values. */
static inline int case_joint_rows(block_case *c, int body, int lambda, int eta, int K)
{
    int B = c->values, m = c->size[lambda], n = c->size[body];
    case_random(c, lambda, body, 1);
    double *v = case_entry(c, body, lambda);
    for (int i = 0; i < m * n; i++)
        v[i % n * m + i / n] = c->value[B + i] + 0.02 * case_rnd(c);
    if (eta >= 0) {
        v = case_entry(c, eta, body);
        memcpy(v, c->value + B, (size_t)(m * n) * sizeof(double));
        v = case_entry(c, body, eta);
        case_product(v, 1 / GP, c->value + K, c->value + B, n, m, n, 1);
        for (int i = 0; i < m * n; i++)
            c->value[B + i] *= GP;
    }
    return B;
}

/* B E between joint j and all that share a body with it; B[joint][side][part] are offsets of values (of gp
 * B). */
static inline void case_joint_pairs(block_case *c, const mechanism *m, int j, const int *lambda, const int *B,
                                    const int *head, const int *next, int *seen)
{
    for (int side = 0; side < 2; side++)
        for (int e = m->pair[j][side] < 0 ? -1 : head[m->pair[j][side]]; e >= 0; e = next[e]) {
            int k = e / 2;
            if (seen[2 * k] != j + 1) {
                seen[2 * k] = j + 1, seen[2 * k + 1] = c->values;
                case_entry(c, lambda[j], lambda[k] + 1);
            }
            for (int p = 0; p < m->parts; p++)
                case_product(c->value + seen[2 * k + 1], 1 / (GP * GP),
                             c->value + B[(2 * j + side) * m->parts + p], c->value + B[e * m->parts + p],
                             m->rows, m->rows, m->part_size, 1);
        }
}

static inline block_case case_mechanism(const mechanism *m, uint64_t seed)
{
    block_case c = {.seed = seed};
    int parts = m->parts, most = m->bodies > m->joints ? m->bodies : m->joints;
    int *body = calloc((size_t)(2 * most * (5 + parts) + 1), sizeof(int));
    int *lambda = body + most, *head = lambda + most, *next = head + most, *seen = next + 2 * most,
        *B = seen + 2 * most;
    int K = 0;
    if (!body)
        abort();
    for (int i = 0; i < most; i++) { /* numbered body, joint, body, joint ... */
        body[i] = c.n, head[i] = -1;
        for (int p = 0; p < parts && i < m->bodies; p++)
            case_block(&c, m->part_size, 0);
        lambda[i] = c.n;
        for (int k = 0; k <= m->ggl && i < m->joints; k++)
            case_block(&c, m->rows, 1);
    }
    for (int i = 0; i < m->bodies; i++)
        for (int p = 0; p < parts; p++)
            case_body(&c, body[i] + p, 1 + m->heavy * (1 + case_rnd(&c)) / 2, 0.2);
    for (int e = 0; e < 2 * m->joints; e++) {
        int i = m->pair[e / 2][e % 2], l = lambda[e / 2];
        if (i < 0)
            continue;
        next[e] = head[i], head[i] = e;
        for (int p = 0; p < parts; p++) {
            K = (i * parts + p) * m->part_size * m->part_size;
            B[e * parts + p] = case_joint_rows(&c, body[i] + p, l, m->ggl ? l + 1 : -1, K);
        }
    }
    for (int j = 0; j < m->joints && m->ggl; j++)
        case_joint_pairs(&c, m, j, lambda, B, head, next, seen);
    free(body);
    return c;
}

/* Pairs of a chain from the ground, and one that closes it. */
static inline int (*chain_pairs(int n))[2]
{
    int(*p)[2] = malloc((size_t)(n + 1) * sizeof *p);
    if (!p)
        abort();
    for (int i = 0; i < n; i++)
        p[i][0] = i - 1, p[i][1] = i;
    p[n][0] = n - 1, p[n][1] = -1;
    return p;
}

/* A closed chain of bodies with 6 unknowns each, whose diagonal blocks are upper, and one more of 3. */
static inline block_case case_upper(int n, int rows, int ggl)
{
    int(*pairs)[2] = chain_pairs(n);
    mechanism m = {.bodies = n,
                   .joints = n + 1,
                   .pair = (const int(*)[2])pairs,
                   .parts = 1,
                   .part_size = 6,
                   .rows = rows,
                   .ggl = ggl};
    block_case c = case_mechanism(&m, 11);
    case_body(&c, case_block(&c, 3, 0), 1, 0.2);
    c.upper = calloc((size_t)c.n, 1);
    if (!c.upper)
        abort();
    for (int e = 0; e < c.nnz; e++)
        if (c.row[e] == c.col[e] && c.size[c.row[e]] == 6) {
            c.upper[c.row[e]] = 1;
            for (int k = 0; k < 9; k++)
                c.value[c.at[e] + 18 + 6 * (k / 3) + k % 3] = 0;
        }
    free(pairs);
    return c;
}

/* A chain: x(3) and rot(3) per body, joints of so many rows. */
static inline block_case case_joints(int n, int rows, int ggl)
{
    int(*pairs)[2] = chain_pairs(n);
    mechanism m = {.bodies = n,
                   .joints = n,
                   .pair = (const int(*)[2])pairs,
                   .parts = 2,
                   .part_size = 3,
                   .rows = rows,
                   .ggl = ggl};
    block_case c = case_mechanism(&m, 7);
    free(pairs);
    return c;
}

/* The chain of the benchmarks: spherical joints. */
static inline block_case case_chain(int n, int ggl)
{
    return case_joints(n, 3, ggl);
}

/* Five rows per joint. */
static inline block_case case_hinges(int n, int ggl)
{
    return case_joints(n, 5, ggl);
}

/* nx x ny nodes of the given size, coupled directly with their four neighbours. */
static inline block_case case_lattice(int nx, int ny, int size)
{
    block_case c = {.seed = 11};
    for (int i = 0; i < nx * ny; i++)
        case_block(&c, size, 0);
    for (int i = 0; i < nx * ny; i++) {
        case_body(&c, i, 5, 0.1);
        if (i % nx + 1 < nx)
            case_random(&c, i, i + 1, 1), case_random(&c, i + 1, i, 1);
        if (i + nx < nx * ny)
            case_random(&c, i, i + nx, 1), case_random(&c, i + nx, i, 1);
    }
    return c;
}

/* Every place listed. */
static inline block_case case_full(int n, const int *size)
{
    block_case c = {.seed = 13};
    for (int i = 0; i < n; i++)
        case_block(&c, size[i], 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j)
                case_body(&c, i, 3, 0.3);
            else
                case_random(&c, i, j, 1);
    return c;
}

#endif
