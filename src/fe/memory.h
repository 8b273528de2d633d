/* Blocks of memory that go together: what a reduction needs on its way, freed at once wherever it ends. */
#ifndef PH_FE_MEMORY_H
#define PH_FE_MEMORY_H

#include "base/base.h"

typedef struct ph_pool_block ph_pool_block;

typedef struct ph_pool {
    const ph_allocator *alloc; /* NULL: malloc */
    ph_pool_block *last;
} ph_pool;

void *ph_pool_take(ph_pool *p, size_t count, size_t size); /* zeroed; NULL: no memory */
double *ph_pool_numbers(ph_pool *p, size_t count);
int *ph_pool_ints(ph_pool *p, size_t count);
void ph_pool_free(ph_pool *p); /* all of it; the pool can be used again */

#endif
