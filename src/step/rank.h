/* Which rows of constraints others imply. */
#ifndef PH_STEP_RANK_H
#define PH_STEP_RANK_H

#include "step/eval.h"

/* Mark the rows, with the values B on links, that depend on the others: nl marks. M: the mass
 * matrix on pairs, by whose diagonal columns are scaled. least: what a row must have outside the span of
 * others, relative to its size, to be independent. PH_E_MEMORY, PH_E_NAN. */
ph_status ph_rank_rows(const ph_layout *lay, const double *B, const double *M, double least,
                       const ph_allocator *alloc, unsigned char *dependent);

/* ph_system_rank for a system whose layout is made already. */
ph_status ph_skeleton_rank(const ph_skeleton *skeleton, double t, const double *q, int *dependent,
                           ph_error *err);

#endif
