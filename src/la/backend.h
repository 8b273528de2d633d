/* What the backends of solver.h share: the operations record, their own copy of the graph, and refinement.
 *
 * A backend is a struct that begins with a ph_solver, one file, and one row in polhode/solvers.def. */
#ifndef PH_LA_BACKEND_H
#define PH_LA_BACKEND_H

#include "la/solver.h"
#include "base/base.h"

/* The graph as a backend keeps it, with the places of unknowns and values counted up. */
typedef struct ph_pattern {
    int n, nnz;
    int total;      /* unknowns */
    int *size;      /* n */
    int *first;     /* n + 1: first unknown of each block */
    int *row, *col; /* nnz */
    int *at;        /* nnz + 1: first value of each listed block */
    unsigned char *late, *upper;
} ph_pattern;

/* Take memory for a copy of g; fill it once the arena is open. */
void ph_pattern_lay(ph_pattern *p, const ph_graph *g, ph_arena *a);

/* r = b - A x, scale = |b| + |A| |x|, or with A^T. Returns the largest |r| / scale over the blocks of
 * rows, each by its largest entries (the backward error); NaN if any number is. */
double ph_pattern_residual(const ph_pattern *p, const double *value, const double *b, const double *x,
                           double *r, double *scale, int transposed);

/* r = b - A x, or with A^T, alone. */
void ph_pattern_rest(const ph_pattern *p, const double *value, const double *b, const double *x, double *r,
                     int transposed);

/* 1 if every number is finite. */
int ph_all_finite(const double *x, int n);

/* What a backend finds out about a graph: the start of a struct of its own, constant and shared by its solvers. */
typedef struct ph_analysis {
    const struct ph_solver_ops *ops; /* of the backend */
    ph_pattern p;
    int users; /* solvers, and the list in which it is */
    struct ph_analysis *next;
    ph_allocator alloc_copy;
    const ph_allocator *alloc; /* &alloc_copy, or NULL for malloc */
    void *block;               /* the memory of the whole object */
} ph_analysis;

/* The one of this backend, or of any for NULL; NULL: there is none. */
ph_analysis *ph_analysis_find(const ph_analyses *known, const struct ph_solver_ops *ops, const ph_graph *g);

/* Set up the common part of an object that stands at the start of the arena; it has one user. */
void ph_analysis_begin(ph_analysis *a, const struct ph_solver_ops *ops, const ph_allocator *alloc,
                       const ph_arena *arena);
void ph_analysis_release(ph_analysis *a); /* by one of its users; accepts NULL */

typedef struct ph_solver_ops {
    const char *name;
    /* What is constant of a graph that makes sense, by ph_analysis_begin; NULL: nothing */
    ph_status (*plan)(ph_analysis **out, const ph_graph *g, const ph_allocator *alloc);
    void (*forget)(ph_analysis *a); /* what is not in its block; NULL: nothing */
    ph_status (*create)(ph_solver **out, const ph_graph *g, ph_analysis *a, ph_analyses *known,
                        const ph_allocator *alloc);
    ph_status (*factor)(ph_solver *s, const double *value); /* sets s->info.where */
    ph_status (*solve)(ph_solver *s, const double *b, double *x, int transposed);
    void (*destroy)(ph_solver *s);
    ph_status (*tape)(ph_solver *s, ph_tape *t); /* what it remembers of earlier matrices; NULL: nothing */
} ph_solver_ops;

struct ph_solver {
    const ph_solver_ops *ops;
    ph_allocator alloc_copy;
    const ph_allocator *alloc; /* &alloc_copy, or NULL for malloc */
    void *block;               /* the memory of the whole object */
    ph_analysis *analysis;     /* what plan gave, by ph_solver_make */
    int doubted;               /* by ph_solver_doubt */
    ph_solver_info info;
};

/* A solver of this backend, on what is known of the graph if it is. */
ph_status ph_solver_make(ph_solver **out, const ph_solver_ops *ops, const ph_graph *g, ph_analyses *known,
                         const ph_allocator *alloc);

/* Set up the common part of a solver that stands at the start of the arena. */
void ph_solver_begin(ph_solver *s, const ph_solver_ops *ops, const ph_allocator *alloc, const ph_arena *a);
void ph_solver_end(ph_solver *s); /* frees s itself, and gives up its analysis */

/* Solution of A x = b improved by its residual, for a backend whose plain solve is not accurate by itself. */
typedef struct ph_refinement {
    double *r, *d, *x, *scale, *size; /* total unknowns each */
} ph_refinement;

typedef void (*ph_plain_solve)(ph_solver *s, const double *b, double *x, int transposed);

void ph_refinement_lay(ph_refinement *w, int total, ph_arena *a);

/* x = A^-1 b with at most steps corrections, ended when the backward error is at round-off or falls no
 * more. Returns the backward error reached; x may be b and is written last. */
double ph_refine(ph_refinement *w, ph_solver *s, ph_plain_solve plain, const ph_pattern *p,
                 const double *value, const double *b, double *x, int steps, int transposed);

/* The backward error of x where unknowns are 0, as accelerations of a body that is fixed: what is there are rounding errors of numbers
 * that cancelled, and a row of them holds as well as it can if its residual is small beside these. Leaves the residual in w->r and
 * what rows are compared with in w->size, for further residuals of nearly the same x in w->r. */
double ph_refinement_weigh(ph_refinement *w, const ph_pattern *p, const double *value, const double *b,
                           const double *x, int transposed);
double ph_refinement_error(const ph_refinement *w, const ph_pattern *p);

size_t ph_klu_tape_size(const ph_pattern *p); /* bytes of what KLU remembers */

#define PH_SOLVER(code, ops, name, text) extern const ph_solver_ops ops;
#include "polhode/solvers.def"
#undef PH_SOLVER

#endif
