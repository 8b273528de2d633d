/* The functions of solver.h, and the choice among backends: PH_AUTO. */
#include "la/backend.h"
#include "la/order.h"

#include <limits.h>
#include <string.h>

static const ph_solver_ops *const backends[PH_SOLVER_COUNT] = {
#define PH_SOLVER(code, ops, name, text) [code] = &ops,
#include "polhode/solvers.def"
#undef PH_SOLVER
};

/* Measured (bench/bench_la.c): block LU wins from blocks of 3 on (3+3+3: 82 against 450 ns), dense LU for
 * full matrices of smaller blocks (2+1: 108 against 120 ns, 3+1: 114 against 155, 12 scalars: 1.3 against
 * 3.5 us). */
#define DENSE_UP_TO 24

static int is_for_dense(const ph_graph *g)
{
    int total = 0, values = 0;
    for (int i = 0; i < g->n && total <= DENSE_UP_TO; i++)
        total += g->size[i];
    if (total > DENSE_UP_TO || total > 2 * g->n)
        return 0;
    for (int e = 0; e < g->nnz; e++)
        values += g->size[g->row[e]] * g->size[g->col[e]];
    return 2 * values >= total * total;
}

void ph_solver_begin(ph_solver *s, const ph_solver_ops *ops, const ph_allocator *alloc, const ph_arena *a)
{
    if (alloc)
        s->alloc_copy = *alloc;
    s->alloc = alloc ? &s->alloc_copy : NULL;
    s->ops = ops;
    s->block = a->block;
    s->info = (ph_solver_info){.backend = ops->name, .where = -1};
}

void ph_solver_end(ph_solver *s)
{
    ph_allocator copy = s->alloc_copy; /* s is inside what is freed */
    ph_analysis *analysis = s->analysis;
    ph_free(s->alloc ? &copy : NULL, s->block);
    ph_analysis_release(analysis);
}

/* Sizes, ranges, and that each place is listed once. */
static ph_status check_graph(const ph_graph *g, const ph_allocator *alloc)
{
    size_t total = 0, values = 0;
    if (g->n < 0 || g->nnz < 0)
        return PH_E_INPUT;
    for (int i = 0; i < g->n; i++) {
        if (g->size[i] < 1)
            return PH_E_INPUT;
        total += (size_t)g->size[i];
    }
    for (int e = 0; e < g->nnz; e++) {
        if (g->row[e] < 0 || g->row[e] >= g->n || g->col[e] < 0 || g->col[e] >= g->n)
            return PH_E_INPUT;
        values += (size_t)g->size[g->row[e]] * (size_t)g->size[g->col[e]];
    }
    if (total > INT_MAX / 4 || values > INT_MAX / 4)
        return PH_E_MEMORY;
    size_t ints = 2 * (size_t)g->n + (size_t)g->nnz + 1;
    int *next = ph_alloc(alloc, ints * sizeof(int));
    if (!next)
        return PH_E_MEMORY;
    int *seen = next + g->n + 1, *list = seen + g->n;
    memset(next, 0, ints * sizeof(int));
    for (int e = 0; e < g->nnz; e++)
        next[g->row[e] + 1]++;
    for (int i = 0; i < g->n; i++)
        next[i + 1] += next[i];
    for (int e = 0; e < g->nnz; e++)
        list[next[g->row[e]]++] = e;
    ph_status status = PH_OK;
    for (int t = 0; t < g->nnz; t++) { /* the list is by rows: seen[j] is one more than the last row with j */
        int i = g->row[list[t]], j = g->col[list[t]];
        if (seen[j] == i + 1)
            status = PH_E_INPUT;
        seen[j] = i + 1;
    }
    ph_free(alloc, next);
    return status;
}

ph_status ph_solver_analyse_known(ph_solver **out, ph_solver_kind kind, const ph_graph *g, ph_analyses *known,
                                  const ph_allocator *alloc)
{
    *out = NULL;
    if ((unsigned)kind >= PH_SOLVER_COUNT)
        return PH_E_INPUT;
    ph_status status = ph_analysis_find(known, NULL, g) ? PH_OK : check_graph(g, alloc);
    return status == PH_OK ? ph_solver_make(out, backends[kind], g, known, alloc) : status;
}

ph_status ph_solver_analyse(ph_solver **out, ph_solver_kind kind, const ph_graph *g,
                            const ph_allocator *alloc)
{
    return ph_solver_analyse_known(out, kind, g, NULL, alloc);
}

ph_status ph_solver_tape(ph_solver *s, ph_tape *t)
{
    return s && s->ops->tape ? s->ops->tape(s, t) : PH_OK;
}

ph_status ph_solver_factor(ph_solver *s, const double *value)
{
    return s->ops->factor(s, value);
}

ph_status ph_solver_solve(ph_solver *s, const double *b, double *x)
{
    return s->ops->solve(s, b, x, 0);
}

ph_status ph_solver_solve_transposed(ph_solver *s, const double *b, double *x)
{
    return s->ops->solve(s, b, x, 1);
}

void ph_solver_destroy(ph_solver *s)
{
    if (s)
        s->ops->destroy(s);
}

ph_solver_info ph_solver_get_info(const ph_solver *s)
{
    return s->info;
}

/* ---- PH_AUTO: dense for small full systems; else block LU, and KLU for matrices at which that fails
 * ------------ */

typedef struct automatic {
    ph_solver base;
    ph_pattern p;
    ph_analyses *known;
    const double *value; /* as factored */
    ph_solver *block;    /* or fronts */
    ph_solver *klu;      /* made when block LU fails for the first time */
    ph_solver *at_work;  /* one of the two */
} automatic;

static void auto_destroy(ph_solver *s)
{
    automatic *a = (automatic *)s;
    ph_solver_destroy(a->block);
    ph_solver_destroy(a->klu);
    ph_solver_end(s);
}

/* Measured (bench/bench_la.c, bench/lattice.lua): fronts win where block LU would subtract more pairs of blocks than this for
 * each block: a net of 10 x 10 bodies has 60, chains of hinges in the stabilised form have 13. */
#define PAIRS_FEW 30

static int is_mesh(const ph_structure *s)
{
    double pairs = 0;
    for (int k = 0; k < s->n; k++) {
        double c = s->start[k + 1] - s->start[k];
        pairs += c * (c + 1) / 2;
    }
    return pairs > PAIRS_FEW * (double)s->n;
}

/* Block LU, or fronts for meshes. */
static ph_status make_direct(ph_solver **out, const ph_graph *graph, ph_analyses *known,
                             const ph_allocator *alloc)
{
    ph_graph g = *graph;
    ph_structure s;
    for (int k = 0; k < 2; k++) {
        const ph_solver_ops *ops = k ? &ph_front_ops : &ph_block_ops;
        if (ph_analysis_find(known, ops, graph))
            return ph_solver_make(out, ops, graph, known, alloc);
    }
    ph_status status = ph_order(&s, graph, alloc);
    if (status != PH_OK)
        return status;
    g.ordered = &s;
    status = ph_solver_make(out, is_mesh(&s) ? &ph_front_ops : &ph_block_ops, &g, known, alloc);
    ph_structure_free(&s, alloc);
    return status;
}

static ph_status auto_create(ph_solver **out, const ph_graph *g, ph_analysis *none, ph_analyses *known,
                             const ph_allocator *alloc)
{
    ph_arena arena = {0};
    automatic *a;
    ph_pattern trial;
    (void)none;
    if (is_for_dense(g))
        return ph_solver_make(out, &ph_dense_ops, g, known, alloc);
    ph_arena_take(&arena, 1, sizeof *a);
    ph_pattern_lay(&trial, g, &arena);
    if (!ph_arena_open(&arena, alloc))
        return PH_E_MEMORY;
    a = ph_arena_take(&arena, 1, sizeof *a);
    ph_pattern_lay(&a->p, g, &arena);
    a->known = known;
    ph_solver_begin(&a->base, &ph_auto_ops, alloc, &arena);
    ph_status status = make_direct(&a->block, g, known, alloc);
    if (status != PH_OK) {
        auto_destroy(&a->base);
        return status;
    }
    a->at_work = a->block;
    a->base.info = a->block->info;
    *out = &a->base;
    return PH_OK;
}

static ph_status make_klu(automatic *a)
{
    const ph_pattern *p = &a->p;
    ph_graph g = {.n = p->n, .size = p->size, .late = p->late, .nnz = p->nnz, .row = p->row, .col = p->col};
    return ph_solver_make(&a->klu, &ph_klu_ops, &g, a->known, a->base.alloc);
}

static ph_status factor_klu(automatic *a)
{
    ph_status status = a->klu ? PH_OK : make_klu(a);
    if (status != PH_OK)
        return status;
    a->at_work = a->klu;
    return a->klu->ops->factor(a->klu, a->value);
}

/* Block LU is tried at every factorisation: a tenth of what KLU costs, and what a step does then does not
 * depend on the steps before it. */
static ph_status auto_factor(ph_solver *s, const double *value)
{
    automatic *a = (automatic *)s;
    a->value = value;
    a->at_work = a->block;
    ph_status status = a->block->ops->factor(a->block, value);
    if (status != PH_OK)
        status = factor_klu(a);
    s->info = a->at_work->info;
    return status;
}

static ph_status auto_solve(ph_solver *s, const double *b, double *x, int transposed)
{
    automatic *a = (automatic *)s;
    ph_status status = a->at_work->ops->solve(a->at_work, b, x, transposed);
    if (status == PH_E_SINGULAR && a->at_work == a->block) {
        status = factor_klu(a);
        s->info = a->at_work->info;
        if (status == PH_OK)
            status = a->klu->ops->solve(a->klu, b, x, transposed);
    }
    return status;
}

/* The size does not depend on whether KLU was needed yet. */
static ph_status auto_tape(ph_solver *s, ph_tape *t)
{
    automatic *a = (automatic *)s;
    int used = a->klu != NULL;
    ph_tape_int(t, &used);
    ph_status status = used && !a->klu ? make_klu(a) : PH_OK;
    if (status == PH_OK && a->klu)
        return ph_klu_ops.tape(a->klu, t);
    ph_tape_skip(t, ph_klu_tape_size(&a->p));
    return status;
}

const ph_solver_ops ph_auto_ops = {"auto",      NULL,       NULL,         auto_create,
                                   auto_factor, auto_solve, auto_destroy, auto_tape};
