/* What test_analysis.c, test_block.c, test_front.c, test_klu.c, test_order.c, test_solver.c share. */
#ifndef PH_TEST_SOLVER_CASES_H
#define PH_TEST_SOLVER_CASES_H

#include "check.h"
#include "block_cases.h"
#include "base/base.h"
#include <SuiteSparse_config.h>
#include <dlfcn.h>
#include <time.h>

static struct {
    int made, live, fail_at; /* fail_at: the allocation that fails, counted from 1; 0: none */
} memory;

static inline int may_allocate(void)
{
    return ++memory.made != memory.fail_at;
}

static inline void *counting_malloc(size_t size)
{
    void *p = may_allocate() ? malloc(size) : NULL;
    memory.live += p != NULL;
    return p;
}

static inline void counting_free(void *p)
{
    memory.live -= p != NULL;
    free(p);
}

static inline void *counting_calloc(size_t n, size_t size)
{
    void *p = counting_malloc(n * size);
    return p ? memset(p, 0, n * size) : NULL;
}

static inline void *counting_realloc(void *p, size_t size)
{
    return may_allocate() ? realloc(p, size) : NULL;
}

static inline void *counting_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return counting_malloc(size);
}

static inline void counting_release(void *p, void *ctx)
{
    (void)ctx;
    counting_free(p);
}

static const ph_allocator counting = {counting_alloc, counting_release, NULL};

/* KLU's own memory is counted too, through the hooks of a library that only KLU is linked with. */
static inline void *hook(const char *name)
{
    void *program = dlopen(NULL, RTLD_LAZY), *found = program ? dlsym(program, name) : NULL;
    assert_non_null(found);
    dlclose(program);
    return found;
}

static inline void set_hooks(void *(*m)(size_t), void *(*c)(size_t, size_t), void *(*r)(void *, size_t),
                             void (*f)(void *))
{
#if SUITESPARSE_MAIN_VERSION >= 6 /* the record is private, and each hook has a function */
    void (*set_malloc)(void *(*)(size_t)), (*set_calloc)(void *(*)(size_t, size_t));
    void (*set_realloc)(void *(*)(void *, size_t)), (*set_free)(void (*)(void *));
    *(void **)&set_malloc = hook("SuiteSparse_config_malloc_func_set"), set_malloc(m);
    *(void **)&set_calloc = hook("SuiteSparse_config_calloc_func_set"), set_calloc(c);
    *(void **)&set_realloc = hook("SuiteSparse_config_realloc_func_set"), set_realloc(r);
    *(void **)&set_free = hook("SuiteSparse_config_free_func_set"), set_free(f);
#else
    struct SuiteSparse_config_struct *hooks = hook("SuiteSparse_config");
    hooks->malloc_func = m, hooks->calloc_func = c, hooks->realloc_func = r, hooks->free_func = f;
#endif
}

static inline void memory_begin(int fail_at)
{
    memory.made = memory.live = 0;
    memory.fail_at = fail_at;
    set_hooks(counting_malloc, counting_calloc, counting_realloc, counting_free);
}

static inline void memory_end(void)
{
    set_hooks(malloc, calloc, realloc, free);
}

/* Largest |b - A x| / (|A| |x| + |b|) over blocks of rows, by their largest entries; NaN if any is. */
static inline double backward_error(const block_case *c, const double *b, const double *x, int transposed)
{
    double *r = malloc((size_t)c->total * 2 * sizeof(double)), *s = r + c->total, error = 0;
    assert_non_null(r);
    for (int i = 0; i < c->total; i++)
        r[i] = b[i], s[i] = fabs(b[i]);
    for (int e = 0; e < c->nnz; e++) {
        int m = c->size[c->row[e]], n = c->size[c->col[e]], fi = c->first[c->row[e]],
            fj = c->first[c->col[e]];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double a = c->value[c->at[e] + i * n + j];
                int to = transposed ? fj + j : fi + i, from = transposed ? fi + i : fj + j;
                r[to] -= a * x[from];
                s[to] += fabs(a * x[from]);
            }
    }
    for (int k = 0; k < c->n; k++) {
        double rk = 0, sk = 0;
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            rk = !(fabs(r[i]) <= rk) ? fabs(r[i]) : rk;
            sk = !(s[i] <= sk) ? s[i] : sk;
        }
        if (rk > 0 || isnan(rk))
            error = !(rk / sk <= error) ? rk / sk : error;
    }
    free(r);
    return error;
}

static inline void right_side(double *b, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++)
        b[i] = rnd(&seed);
}

/* Block LU may magnify round-off by 1e4 before it refines, and dense LU does not refine; 2.8e-13 is the
 * worst here. */
#define BACKWARD 1e-12

/* All backends solve A x = b and A^T x = b, and agree. dense_too: small enough for that. */
static inline void check_backends(const block_case *c, double agree, int dense_too)
{
    ph_graph g = case_graph(c);
    size_t n = (size_t)c->total;
    double *b = malloc(4 * n * sizeof(double)), *x = b + n, *x_klu = b + 2 * n;
    assert_non_null(b);
    right_side(b, c->total, 5);
    for (int kind = PH_SOLVER_COUNT - 1; kind >= 0; kind--) { /* KLU first: the others are compared with it */
        ph_solver *s;
        if (kind == PH_DENSE && !dense_too)
            continue;
        assert_int_equal(ph_solver_analyse(&s, (ph_solver_kind)kind, &g, NULL), PH_OK);
        for (int again = 0; again < 2; again++) { /* the second time with pivots chosen */
            assert_int_equal(ph_solver_factor(s, c->value), PH_OK);
            assert_int_equal(ph_solver_get_info(s).where, -1);
            for (int t = 0; t < 2; t++) {
                double *known = x_klu + (size_t)t * n;
                memcpy(x, b, n * sizeof(double)); /* in place */
                assert_int_equal((t ? ph_solver_solve_transposed : ph_solver_solve)(s, x, x), PH_OK);
                check_le(backward_error(c, b, x, t), BACKWARD); /* round-off */
                if (kind == PH_KLU)
                    memcpy(known, x, n * sizeof(double));
                check_le(max_diff(x, known, c->total) / norm2(known, c->total),
                         agree); /* round-off x condition */
            }
        }
        ph_solver_destroy(s);
    }
    free(b);
}

static inline block_case mechanism_case(const int (*pair)[2], int bodies, int joints, int parts, int part,
                                        int rows, int ggl, uint64_t seed)
{
    mechanism m = {.bodies = bodies,
                   .joints = joints,
                   .pair = pair,
                   .parts = parts,
                   .part_size = part,
                   .rows = rows,
                   .ggl = ggl,
                   .heavy = 20};
    return case_mechanism(&m, seed);
}

/* A body that n others are joined to, itself joined to the ground. */
static inline block_case star_case(int n, int parts, int part, int rows, int ggl)
{
    int(*pair)[2] = malloc(sizeof(int[2]) * (size_t)(n + 1));
    assert_non_null(pair);
    for (int i = 0; i <= n; i++)
        pair[i][0] = i > 0 ? 0 : -1, pair[i][1] = i;
    block_case c = mechanism_case((const int(*)[2])pair, n + 1, n + 1, parts, part, rows, ggl, 5);
    free(pair);
    return c;
}

/* [eps K, B; C, E] of n x n blocks: the first pivot is tiny, so the others lose E; only pivots across blocks
 * help. */
static inline block_case tiny_pivot(double eps, int n, int size)
{
    int sizes[3] = {size, size, size};
    block_case c = case_full(n, sizes);
    for (int k = 0; k < size * size; k++)
        c.value[k] *= eps;
    return c;
}

/* The factors by their definition, n x n flags: eliminating order[k] couples all that it is coupled with. at(i, k) says
 * whether L has a block there, both counted as they are eliminated; free() ends it. */
static inline unsigned char *eliminated(const block_case *c, const int *order)
{
    size_t n = (size_t)c->n;
    unsigned char *f = calloc(n * n, 1);
    int *rank = malloc(n * sizeof(int));
    assert_true(f && rank);
    for (int k = 0; k < c->n; k++)
        rank[order[k]] = k;
    for (int e = 0; e < c->nnz; e++) {
        size_t i = (size_t)rank[c->row[e]], j = (size_t)rank[c->col[e]];
        f[i * n + j] = f[j * n + i] = 1;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n && f[i * n + k]; j++)
                f[i * n + j] |= f[j * n + k];
    free(rank);
    return f;
}

#endif
