/* The functions of solver.h, and the choice among backends: PH_AUTO. */
#include "la/backend.h"
#include "la/order.h"
#include "la/split.h"

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
        if (g->size[i] < 1 || (g->upper && g->upper[i] && g->size[i] != 6))
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

void ph_solver_doubt(ph_solver *s, int doubts)
{
    s->doubted = doubts;
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

/* ---- PH_AUTO: dense for small full systems; else block LU, for meshes the solvers split and front, and KLU for matrices at which all
 * these fail ------------ */

#define STAGES 3

typedef struct automatic {
    ph_solver base;
    ph_pattern p;
    double trust;
    ph_analyses *known;
    const double *value;              /* as factored */
    const ph_solver_ops *ops[STAGES]; /* in the order in which they are tried; the last is KLU */
    ph_solver *stage[STAGES];         /* the first one; the others are made when they are first needed */
    int n_stages, at_work;
} automatic;

static void auto_destroy(ph_solver *s)
{
    automatic *a = (automatic *)s;
    for (int k = 0; k < STAGES; k++)
        ph_solver_destroy(a->stage[k]);
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

static void put_stage(automatic *a, const ph_solver_ops *ops)
{
    a->ops[a->n_stages++] = ops;
}

/* Block LU, or split and fronts for meshes; KLU behind them. */
static ph_status make_direct(automatic *a, const ph_graph *graph)
{
    static const ph_solver_ops *const any[] = {&ph_split_ops, &ph_front_ops, &ph_block_ops};
    const ph_allocator *alloc = a->base.alloc;
    const ph_solver_ops *first = NULL;
    ph_graph g = *graph;
    ph_structure s = {0};
    for (int k = 0; k < 3 && !first; k++)
        first = ph_analysis_find(a->known, any[k], graph) ? any[k] : NULL;
    ph_status status = first ? PH_OK : ph_order(&s, graph, alloc);
    if (status != PH_OK)
        return status;
    if (!first) {
        g.ordered = &s;
        first = !is_mesh(&s) ? &ph_block_ops : ph_split_gains(&g, &s, alloc) ? &ph_split_ops : &ph_front_ops;
    }
    put_stage(a, first);
    if (first == &ph_split_ops)
        put_stage(a, &ph_front_ops);
    put_stage(a, &ph_klu_ops);
    status = ph_solver_make(&a->stage[0], first, &g, a->known, alloc);
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
    a->known = known, a->trust = g->trust;
    ph_solver_begin(&a->base, &ph_auto_ops, alloc, &arena);
    ph_status status = make_direct(a, g);
    if (status != PH_OK) {
        auto_destroy(&a->base);
        return status;
    }
    a->base.info = a->stage[0]->info;
    *out = &a->base;
    return PH_OK;
}

static ph_status make_stage(automatic *a, int k)
{
    const ph_pattern *p = &a->p;
    ph_graph g = {.n = p->n,
                  .size = p->size,
                  .late = p->late,
                  .upper = p->upper,
                  .nnz = p->nnz,
                  .row = p->row,
                  .col = p->col,
                  .trust = a->trust};
    return a->stage[k] ? PH_OK : ph_solver_make(&a->stage[k], a->ops[k], &g, a->known, a->base.alloc);
}

/* By stage k, or by the first after it that can. */
static ph_status factor_from(automatic *a, int k)
{
    ph_status status = PH_E_SINGULAR;
    for (; k < a->n_stages && status != PH_OK; k++) {
        status = make_stage(a, k);
        if (status != PH_OK)
            break;
        a->at_work = k;
        status = a->ops[k]->factor(a->stage[k], a->value);
    }
    a->base.info = a->stage[a->at_work]->info;
    return status;
}

/* The first solver is tried at every factorisation: a tenth of what the next one costs, and what a step does then does
 * not depend on the steps before it. */
static ph_status auto_factor(ph_solver *s, const double *value)
{
    automatic *a = (automatic *)s;
    a->value = value;
    return factor_from(a, s->doubted ? a->n_stages - 1 : 0);
}

static ph_status auto_solve(ph_solver *s, const double *b, double *x, int transposed)
{
    automatic *a = (automatic *)s;
    ph_status status = a->ops[a->at_work]->solve(a->stage[a->at_work], b, x, transposed);
    while (status == PH_E_SINGULAR && a->at_work + 1 < a->n_stages) {
        status = factor_from(a, a->at_work + 1);
        if (status != PH_OK)
            break;
        status = a->ops[a->at_work]->solve(a->stage[a->at_work], b, x, transposed);
    }
    return status;
}

/* The size does not depend on whether KLU was needed yet. */
static ph_status auto_tape(ph_solver *s, ph_tape *t)
{
    automatic *a = (automatic *)s;
    int last = a->n_stages - 1, used = a->stage[last] != NULL;
    ph_tape_int(t, &used);
    ph_status status = used ? make_stage(a, last) : PH_OK;
    if (status == PH_OK && a->stage[last])
        return ph_klu_ops.tape(a->stage[last], t);
    ph_tape_skip(t, ph_klu_tape_size(&a->p));
    return status;
}

const ph_solver_ops ph_auto_ops = {"auto",      NULL,       NULL,         auto_create,
                                   auto_factor, auto_solve, auto_destroy, auto_tape};
