/* Block matrices of mechanisms and lattices, shared by test_solver.c and bench/bench_la.c. */
#ifndef PH_TEST_BLOCK_CASES_H
#define PH_TEST_BLOCK_CASES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "la/solver.h"

typedef struct block_case {
    int n, nnz, total, values;
    int *size, *first, *row, *col, *at;
    unsigned char *late;
    double *value;
    uint64_t seed;
    int room_n, room_nnz, room_values;
} block_case;

static double case_rnd(block_case *c)
{
    c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(c->seed >> 11 << 11) / 9223372036854775808.0;
}

static void *case_grow(void *p, int *room, int need, size_t size)
{
    if (need <= *room)
        return p;
    p = realloc(p, (size_t)need * 2 * size);
    if (!p)
        abort();
    return p;
}

static int case_block(block_case *c, int size, int late)
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
static double *case_entry(block_case *c, int i, int j)
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

static void case_random(block_case *c, int i, int j, double size)
{
    double *v = case_entry(c, i, j);
    for (int k = 0; k < c->size[i] * c->size[j]; k++)
        v[k] = size * case_rnd(c);
}

/* Diagonally dominant, not symmetric. */
static void case_body(block_case *c, int i, double mass, double rest)
{
    double *v = case_entry(c, i, i);
    for (int a = 0; a < c->size[i]; a++)
        for (int b = 0; b < c->size[i]; b++)
            v[a * c->size[i] + b] = a == b ? mass * (1.5 + case_rnd(c)) : rest * mass * case_rnd(c);
}

static ph_graph case_graph(const block_case *c)
{
    return (ph_graph){c->n, c->size, c->late, c->nnz, c->row, c->col};
}

static void case_free(block_case *c)
{
    free(c->size), free(c->first), free(c->late), free(c->row), free(c->col), free(c->at), free(c->value);
}

/* Bodies of parts blocks each, joints of rows rows, one for each pair of bodies (-1: ground). */
typedef struct mechanism {
    int bodies, joints;
    const int (*pair)[2];
    int parts;       /* blocks per body */
    int part_size;   /* unknowns of each */
    int rows;        /* of each joint */
    int ggl;         /* two multipliers per joint */
    int by_body;     /* number blocks body, joint, body, joint ...; else all bodies first */
    double mass_spread;
} mechanism;

static void case_joint_blocks(block_case *c, const mechanism *m, int *lambda, int *eta, int j)
{
    lambda[j] = case_block(c, m->rows, 1);
    eta[j] = m->ggl ? case_block(c, m->rows, 1) : -1;
}

/* B and about B^T; with two multipliers, B dtheta in the rows of lambda and of eta, and E in the columns of eta. */
static void case_joint_rows(block_case *c, int body, int lambda, int eta)
{
    case_random(c, lambda, body, 1);
    int B = c->at[c->nnz - 1], m = c->size[lambda], n = c->size[body];
    for (int k = 0; k < (eta < 0 ? 1 : 3); k++) {
        double *v = case_entry(c, k == 1 ? eta : body, k == 0 ? lambda : k == 1 ? body : eta);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                v[k == 1 ? i * n + j : j * m + i] = (k + 1) * c->value[B + i * n + j] + 0.02 * case_rnd(c);
    }
}

static block_case case_mechanism(const mechanism *m, uint64_t seed)
{
    block_case c = {.seed = seed};
    int *body = malloc((size_t)(m->bodies + 1) * sizeof(int)), *lambda = malloc((size_t)m->joints * 2 * sizeof(int));
    int *eta = lambda + m->joints;
    if (!body || !lambda)
        abort();
    for (int i = 0; i < m->bodies; i++) {
        body[i] = c.n;
        for (int p = 0; p < m->parts; p++)
            case_block(&c, m->part_size, 0);
        if (m->by_body && i < m->joints)
            case_joint_blocks(&c, m, lambda, eta, i);
    }
    for (int j = m->by_body ? m->bodies : 0; j < m->joints; j++)
        case_joint_blocks(&c, m, lambda, eta, j);
    for (int i = 0; i < m->bodies; i++)
        for (int p = 0; p < m->parts; p++)
            case_body(&c, body[i] + p, m->mass_spread ? 1 + m->mass_spread * (1 + case_rnd(&c)) : 1, 0.2);
    for (int j = 0; j < m->joints; j++) {
        for (int side = 0; side < 2; side++)
            for (int p = 0; p < m->parts && m->pair[j][side] >= 0; p++)
                case_joint_rows(&c, body[m->pair[j][side]] + p, lambda[j], eta[j]);
        for (int k = 0; k < m->joints && m->ggl; k++) /* B E between joints that share a body */
            for (int side = 0; side < 4; side++) {
                int a = m->pair[j][side / 2], b = m->pair[k][side % 2];
                if (a >= 0 && a == b) {
                    case_random(&c, lambda[j], eta[k], j == k ? 1 : 0.3);
                    break;
                }
            }
    }
    free(body), free(lambda);
    return c;
}

/* Pairs of a chain from the ground, and one that closes it. */
static int (*chain_pairs(int n))[2]
{
    int(*p)[2] = malloc((size_t)(n + 1) * sizeof *p);
    if (!p)
        abort();
    for (int i = 0; i < n; i++)
        p[i][0] = i - 1, p[i][1] = i;
    p[n][0] = n - 1, p[n][1] = -1;
    return p;
}

/* The chain of the benchmarks: x(3) and rot(3) per body, spherical joints. */
static block_case case_chain(int n, int ggl)
{
    int(*pairs)[2] = chain_pairs(n);
    mechanism m = {.bodies = n, .joints = n, .pair = (const int(*)[2])pairs, .parts = 2, .part_size = 3, .rows = 3,
                   .ggl = ggl, .by_body = 1};
    block_case c;
    if (!ggl) {
        c = case_mechanism(&m, 7);
    } else { /* joints that share a body are neighbours: the general search is quadratic */
        m.ggl = 0;
        c = (block_case){.seed = 7};
        for (int i = 0; i < n; i++)
            for (int p = 0; p < 4; p++)
                case_block(&c, 3, p > 1);
        for (int i = 0; i < n; i++)
            for (int p = 0; p < 2; p++) {
                case_body(&c, 4 * i + p, 1, 0.2);
                case_joint_rows(&c, 4 * i + p, 4 * i + 2, 4 * i + 3);
                if (i + 1 < n)
                    case_joint_rows(&c, 4 * i + p, 4 * i + 6, 4 * i + 7);
            }
        for (int i = 0; i < n; i++)
            for (int k = i - 1; k <= i + 1; k++)
                if (k >= 0 && k < n)
                    case_random(&c, 4 * i + 2, 4 * k + 3, k == i ? 1 : 0.3);
    }
    free(pairs);
    return c;
}

/* nx x ny nodes of the given size, coupled directly with their four neighbours. */
static block_case case_lattice(int nx, int ny, int size)
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
static block_case case_full(int n, const int *size)
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
