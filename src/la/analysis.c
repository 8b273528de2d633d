/* Analyses of graphs, found instead of made where the graph is one that was analysed before. */
#include "la/backend.h"

#include <string.h>

static int same_ints(const int *a, const int *b, int n)
{
    return !n || !memcmp(a, b, (size_t)n * sizeof(int));
}

static int is_of(const ph_pattern *p, const ph_graph *g)
{
    if (p->n != g->n || p->nnz != g->nnz || !same_ints(p->size, g->size, g->n) ||
        !same_ints(p->row, g->row, g->nnz) || !same_ints(p->col, g->col, g->nnz))
        return 0;
    for (int i = 0; i < g->n; i++)
        if (p->late[i] != (g->late ? g->late[i] : 0) || p->upper[i] != (g->upper ? g->upper[i] : 0))
            return 0;
    return 1;
}

ph_analysis *ph_analysis_find(const ph_analyses *known, const ph_solver_ops *ops, const ph_graph *g)
{
    ph_analysis *a = known ? known->first : NULL;
    while (a && !((!ops || a->ops == ops) && is_of(&a->p, g)))
        a = a->next;
    return a;
}

void ph_analysis_begin(ph_analysis *a, const ph_solver_ops *ops, const ph_allocator *alloc,
                       const ph_arena *arena)
{
    if (alloc)
        a->alloc_copy = *alloc;
    a->alloc = alloc ? &a->alloc_copy : NULL;
    a->ops = ops;
    a->block = arena->block;
    a->users = 1;
}

void ph_analysis_release(ph_analysis *a)
{
    if (!a || --a->users > 0)
        return;
    ph_allocator copy = a->alloc_copy; /* a is inside what is freed */
    if (a->ops->forget)
        a->ops->forget(a);
    ph_free(a->alloc ? &copy : NULL, a->block);
}

void ph_analyses_forget(ph_analyses *known)
{
    for (ph_analysis *a = known->first, *next; a; a = next) {
        next = a->next;
        ph_analysis_release(a);
    }
    *known = (ph_analyses){0};
}

static void add(ph_analyses *known, ph_analysis *a)
{
    a->next = known->first, known->first = a;
    a->users++, known->count++;
}

ph_status ph_solver_make(ph_solver **out, const ph_solver_ops *ops, const ph_graph *g, ph_analyses *known,
                         const ph_allocator *alloc)
{
    ph_analysis *a = ops->plan ? ph_analysis_find(known, ops, g) : NULL;
    ph_status status = PH_OK;
    if (a) {
        a->users++;
    } else if (ops->plan) {
        status = ops->plan(&a, g, alloc);
        if (status == PH_OK && known)
            add(known, a);
    }
    if (status == PH_OK)
        status = ops->create(out, g, a, known, alloc);
    if (status != PH_OK)
        ph_analysis_release(a);
    else if (a)
        (*out)->analysis = a;
    return status;
}
