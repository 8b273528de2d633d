/* What every layer uses: error records, allocation, and the arena that gives one object one block of memory. */
#ifndef PH_BASE_BASE_H
#define PH_BASE_BASE_H

#include "polhode/base.h"

#if defined(__GNUC__)
#define PH_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PH_PRINTF(text, first)
#endif

/* Fill e (may be NULL) with a sentence and return s. */
ph_status ph_fail(ph_error *e, ph_status s, const char *format, ...) PH_PRINTF(3, 4);

void *ph_alloc(const ph_allocator *a, size_t size); /* a may be NULL: malloc */
void ph_free(const ph_allocator *a, void *p);

/* An arena is laid out twice by the same function: first without memory, to add up the sizes; then, after
 * ph_arena_open, to hand out zeroed pieces, each aligned to a cache line. Free it by its block. */
typedef struct ph_arena {
    void *block;         /* what ph_free takes */
    unsigned char *base; /* aligned start of the block; NULL while sizes are added up */
    size_t used;         /* bytes */
    int overflow;        /* a size did not fit */
} ph_arena;

#define PH_ARENA_ALIGN ((size_t)64) /* of each piece; the block has as much more than is used */

/* Where the address sanitizer watches, a gap that nobody may touch follows each piece of an arena. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PH_ARENA_GAPS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PH_ARENA_GAPS
#endif

void *ph_arena_take(ph_arena *a, size_t count, size_t size);
int ph_arena_open(ph_arena *a, const ph_allocator *alloc); /* 0: no memory */

#endif
