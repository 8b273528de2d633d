/* Blocks of memory that go together. */
#include "fe/memory.h"

#include <stdint.h>
#include <string.h>

struct ph_pool_block {
    ph_pool_block *before;
    max_align_t first[];
};

void *ph_pool_take(ph_pool *p, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size)
        return NULL;
    ph_pool_block *b = ph_alloc(p->alloc, sizeof *b + count * size);
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b + count * size);
    b->before = p->last;
    p->last = b;
    return b->first;
}

double *ph_pool_numbers(ph_pool *p, size_t count)
{
    return ph_pool_take(p, count, sizeof(double));
}

int *ph_pool_ints(ph_pool *p, size_t count)
{
    return ph_pool_take(p, count, sizeof(int));
}

void ph_pool_free(ph_pool *p)
{
    for (ph_pool_block *b = p->last, *before; b; b = before) {
        before = b->before;
        ph_free(p->alloc, b);
    }
    p->last = NULL;
}
