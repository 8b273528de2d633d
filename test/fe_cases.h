/* Finite elements that several tests reduce: a square steel bar 1 m long, a rod of a slider-crank, a solid
 * block. */
#ifndef PH_TEST_FE_CASES_H
#define PH_TEST_FE_CASES_H

#include "check.h"

#include "fe/reduce.h"
#include "fe/stiffen.h"

/* 10 mm square steel */
static inline ph_fe_section steel_bar(void)
{
    return (ph_fe_section){
        .EA = 2.1e7, .GJ = 135, .EI = {175, 175}, .rhoA = 0.785, .J = {1.30833333e-5, 0, 0}};
}

/* 6 mm round */
static inline ph_fe_section crank_rod(void)
{
    const double A = 3.14159265358979323846 * 0.006 * 0.006 / 4, I = A * 0.006 * 0.006 / 16, E = 2e11,
                 rho = 7870;
    return (ph_fe_section){
        .EA = E * A, .GJ = 0.77 * E * I, .EI = {E * I, E * I}, .rhoA = rho * A, .J = {2 * rho * I, 0, 0}};
}

/* A straight member along the line to (x, y, z). */
static inline ph_fe straight(ph_fe_section s, int n, double x, double y, double z)
{
    ph_fe fe;
    ph_error err = {0};
    double points[6] = {0, 0, 0, x, y, z};
    ph_fe_member m = {.from = 0, .to = 1, .n = n, .section = s};
    if (ph_fe_frame(&fe, NULL, 2, points, 1, &m, &err) != PH_OK)
        fail_msg("%s", err.text);
    return fe;
}

/* ---- solids: a block of bricks of eight nodes, 2 x 2 x 2 Gauss points ------------------------------ */

typedef struct brick {
    double K[24 * 24], M[24 * 24];
} brick;

/* Corner a of a brick: bit k is its side along axis k. */
static inline double brick_side(int a, int k)
{
    return a >> k & 1 ? 1 : -1;
}

static inline void brick_point(brick *b, const double *at, const double *half, double E, double nu,
                               double rho)
{
    double dN[8][3], N[8], volume = half[0] * half[1] * half[2], mu = E / (2 * (1 + nu)),
                           lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    for (int a = 0; a < 8; a++) {
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = (1 + brick_side(a, k) * at[k]) / 2;
        N[a] = f[0] * f[1] * f[2];
        for (int k = 0; k < 3; k++)
            dN[a][k] = brick_side(a, k) / 2 / half[k] * f[(k + 1) % 3] * f[(k + 2) % 3];
    }
    for (int a = 0; a < 8; a++)
        for (int c = 0; c < 8; c++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double same = dN[a][0] * dN[c][0] + dN[a][1] * dN[c][1] + dN[a][2] * dN[c][2];
                    b->K[24 * (3 * a + i) + 3 * c + j] +=
                        volume *
                        (lambda * dN[a][i] * dN[c][j] + mu * dN[a][j] * dN[c][i] + (i == j ? mu * same : 0));
                    b->M[24 * (3 * a + i) + 3 * c + j] += i == j ? volume * rho * N[a] * N[c] : 0;
                }
}

/* n[k] bricks along axis k of a block with sides L[k], its first corner at the origin; ids from 1. */
static inline ph_fe block(const int *n, const double *L, double E, double nu, double rho)
{
    ph_fe fe = {.dofs = 3, .label = {"M.mtx", "K.mtx"}};
    brick b = {0};
    double half[3];
    int m[3] = {n[0] + 1, n[1] + 1, n[2] + 1}, bricks = n[0] * n[1] * n[2],
        stride[3] = {1, m[0], m[0] * m[1]};
    for (int k = 0; k < 3; k++)
        half[k] = L[k] / n[k] / 2;
    for (int p = 0; p < 8; p++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = brick_side(p, k) / sqrt(3);
        brick_point(&b, at, half, E, nu, rho);
    }
    ph_triplets K, M;
    fe.n_nodes = m[0] * m[1] * m[2];
    fe.id = ph_pool_ints(&fe.pool, (size_t)fe.n_nodes),
    fe.X = ph_pool_numbers(&fe.pool, 3 * (size_t)fe.n_nodes);
    for (int i = 0; i < fe.n_nodes; i++) {
        int at[3] = {i % m[0], i / m[0] % m[1], i / stride[2]};
        fe.id[i] = i + 1;
        for (int k = 0; k < 3; k++)
            fe.X[3 * i + k] = at[k] * L[k] / n[k];
    }
    assert_true(ph_triplets_open(&fe.pool, &K, 576 * bricks) && ph_triplets_open(&fe.pool, &M, 576 * bricks));
    for (int e = 0; e < bricks; e++) {
        int first = e % n[0] + stride[1] * (e / n[0] % n[1]) + stride[2] * (e / (n[0] * n[1])), node[8];
        for (int a = 0; a < 8; a++)
            node[a] = first + (a & 1) * stride[0] + (a >> 1 & 1) * stride[1] + (a >> 2 & 1) * stride[2];
        for (int i = 0; i < 576; i++) {
            int row = 3 * node[i / 24 / 3] + i / 24 % 3, column = 3 * node[i % 24 / 3] + i % 24 % 3;
            ph_triplets_add(&K, row, column, b.K[i]);
            if (b.M[i] != 0)
                ph_triplets_add(&M, row, column, b.M[i]);
        }
    }
    int rows = ph_fe_size(&fe);
    assert_true(ph_csc_build(&fe.pool, rows, rows, &K, &fe.K) &&
                ph_csc_build(&fe.pool, rows, rows, &M, &fe.M));
    return fe;
}

/* Ids of the nodes with x = at; how many. */
static inline int block_face(const ph_fe *fe, double at, int *id)
{
    int n = 0;
    for (int i = 0; i < fe->n_nodes; i++)
        if (fabs(fe->X[3 * i] - at) < 1e-12)
            id[n++] = fe->id[i];
    return n;
}

static inline ph_fe_spec clamped(int n)
{
    return (ph_fe_spec){.frame_id = 0, .type = PH_MODES_CLAMPED, .n = n, .stiffen = 1};
}

static inline ph_reduced *reduce_kind(ph_fe *fe, const ph_fe_spec *spec, ph_factor_kind kind)
{
    ph_reduced *r;
    ph_vec3 origin;
    ph_fe_sound sound;
    ph_error err = {0};
    if (ph_fe_reduce(fe, spec, kind, NULL, &r, &origin, &sound, &err) != PH_OK)
        fail_msg("%s", err.text);
    return r;
}

static inline ph_reduced *reduce(ph_fe *fe, const ph_fe_spec *spec)
{
    return reduce_kind(fe, spec, PH_FACTOR_AUTO);
}

/* The error must contain the words. */
static inline void refuse(ph_fe *fe, const ph_fe_spec *spec, const char *words)
{
    ph_reduced *r;
    ph_vec3 origin;
    ph_fe_sound sound;
    ph_error err = {0};
    assert_int_equal(ph_fe_reduce(fe, spec, PH_FACTOR_AUTO, NULL, &r, &origin, &sound, &err), PH_E_INPUT);
    assert_null(r);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

#endif
