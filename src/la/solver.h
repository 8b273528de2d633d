/* Linear systems with a block matrix on a graph: analyse once, then factor and solve without allocation.
 *
 * A matrix is a list of dense blocks; block e couples row block row[e] with column block col[e], each
 * place at most once, in any order, unsymmetric patterns allowed. Its values stand one block after the
 * other in the order of the list, each row by row, size[row[e]] x size[col[e]] numbers. A place that is
 * not listed is zero. Rows and columns are matched: diagonal block i is the pivot of unknowns i. Where
 * late[i] is set, that pivot is zero or indefinite until every block coupled with i that is not late
 * itself is eliminated (a constraint after the bodies that it joins), so such a block is ordered after
 * them. */
#ifndef PH_LA_SOLVER_H
#define PH_LA_SOLVER_H

#include "base/tape.h"
#include "polhode/base.h"

/* Multipliers of a first and of a second kind, if there are two: each kind has the unknowns for itself that make its pivots regular. */
enum { PH_LATE = 1, PH_LATE_SECOND };

typedef struct ph_graph {
    int n;                     /* blocks */
    const int *size;           /* n: unknowns of each block, at least 1 */
    const unsigned char *late; /* n: 0, PH_LATE or PH_LATE_SECOND; NULL: none is late */
    const unsigned char
        *upper; /* n: 1: a block of 6 unknowns whose diagonal block is [A B; 0 D] of blocks of 3, whatever the
                                   values; NULL: none is */
    int nnz;    /* listed blocks */
    const int *row, *col; /* nnz */
    double trust; /* growth up to which solutions need no refinement, for a caller that iterates itself;
                                  0: what keeps them accurate to round-off */
    const struct ph_structure *ordered; /* its order, if that is known already; NULL: it is not */
} ph_graph;

typedef struct ph_solver ph_solver;

/* Symbolic phase: copies what it needs of g. PH_E_MEMORY, or PH_E_INPUT for a graph that makes no sense. */
ph_status ph_solver_analyse(ph_solver **out, ph_solver_kind kind, const ph_graph *g,
                            const ph_allocator *alloc);

/* Analyses that are kept for further solvers on the same graph, of one thread; zeros at the beginning.
 * Solvers that were made with it, which share what is constant in them, must not outlive it. */
typedef struct ph_analyses {
    struct ph_analysis *first;
    int count; /* analyses that were made; of matrices solved densely there are none */
} ph_analyses;

/* The same; a graph that is known is not analysed. known NULL: none is, and none will be. */
ph_status ph_solver_analyse_known(ph_solver **out, ph_solver_kind kind, const ph_graph *g, ph_analyses *known,
                                  const ph_allocator *alloc);
void ph_analyses_forget(ph_analyses *known);

/* Numeric phase. value must stay as it is until the last solve: U and refinement read it. On PH_E_SINGULAR
 * (also for values that are not finite) ph_solver_get_info says at which block; no solve is allowed then.
 * Nothing is allocated, but by KLU when it chooses pivots (PH_E_MEMORY is possible then) and by PH_AUTO
 * when a solver fails for the first time and the next one is made; that can also happen in solve. */
ph_status ph_solver_factor(ph_solver *s, const double *value);

/* A x = b and A^T x = b; x may be b. PH_E_NAN if b or x is not finite, PH_E_SINGULAR from block LU if
 * refinement does not converge. */
ph_status ph_solver_solve(ph_solver *s, const double *b, double *x);
ph_status ph_solver_solve_transposed(ph_solver *s, const double *b, double *x);

/* From the next factorisation on, PH_AUTO takes KLU at once (1), or the others first (0, as at first): for a caller whose own iteration
 * stalls, although residuals of solutions are small. */
void ph_solver_doubt(ph_solver *s, int doubts);

/* What a solver remembers of the matrices before the last: pivots of KLU. The same bits then follow from the same
 * matrices. PH_E_MEMORY where reading makes KLU choose them. */
ph_status ph_solver_tape(ph_solver *s, ph_tape *t);

void ph_solver_destroy(ph_solver *s); /* accepts NULL */

/* What is known of a solver. */
typedef struct ph_solver_info {
    const char *backend; /* the name of the one at work: with PH_AUTO it can change at factor and at solve */
    int where;           /* the block at which factor found the matrix singular; -1: none, or not known */
    size_t fill;         /* doubles that the factors hold */
    double
        growth; /* block LU: by what factor the last factorisation magnified round-off; KLU: ratio of pivots;
                            else 0 */
} ph_solver_info;

ph_solver_info ph_solver_get_info(const ph_solver *s);

#endif
