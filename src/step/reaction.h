/* B^T y of one node: what constraints do to it. */
#ifndef PH_STEP_REACTION_H
#define PH_STEP_REACTION_H

#include <string.h>

#include "la/small.h"
#include "step/layout.h"

/* B^T y of one node with the links from k to end; of a node with 3 unknowns added up in registers */
PH_INLINE void ph_reaction(const ph_layout *lay, const int *k, const int *end, int n, const double *B,
                           const double *y, double *f)
{
    const ph_block *b = &lay->link[*k];
    if (n == 3) {
        ph_row sum = ph_small_tmul_3(b->m, B + b->at, y + b->row_at);
        for (k++; k < end; k++) {
            b = &lay->link[*k];
            sum = ph_row_add(sum, ph_small_tmul_3(b->m, B + b->at, y + b->row_at));
        }
        ph_row_store3(f, sum);
        return;
    }
    memset(f, 0, sizeof(double) * (size_t)n);
    for (; k < end; k++) {
        b = &lay->link[*k];
        ph_small_tmul_add(b->m, n, B + b->at, y + b->row_at, f);
    }
}

#endif
