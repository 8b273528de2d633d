/* Status texts, error records, and the arena that gives one object one block of memory. */
#include "base/base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PH_ARENA_GAPS
#include <sanitizer/asan_interface.h>
#define GAP PH_ARENA_ALIGN
#else
#define ASAN_POISON_MEMORY_REGION(from, size)   ((void)(from))
#define ASAN_UNPOISON_MEMORY_REGION(from, size) ((void)(from))
#define GAP                                     ((size_t)0)
#endif

static const struct {
    const char *word, *text;
} statuses[PH_STATUS_COUNT] = {
#define PH_STATUS_ROW(code, word, text) [code] = {word, text},
    PH_STATUS_LIST(PH_STATUS_ROW)
#undef PH_STATUS_ROW
};

static int known(ph_status s)
{
    return (unsigned)s < PH_STATUS_COUNT;
}

const char *ph_status_word(ph_status s)
{
    return known(s) ? statuses[s].word : "unknown";
}

const char *ph_status_text(ph_status s)
{
    return known(s) ? statuses[s].text : "no status of this library";
}

const char *ph_version(void)
{
    return PH_VERSION;
}

ph_status ph_fail(ph_error *e, ph_status s, const char *format, ...)
{
    if (e) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(e->text, sizeof e->text, format, ap);
        va_end(ap);
        e->status = s;
    }
    return s;
}

void *ph_alloc(const ph_allocator *a, size_t size)
{
    return a ? a->alloc(size, a->ctx) : malloc(size);
}

void ph_free(const ph_allocator *a, void *p)
{
    if (a)
        a->free(p, a->ctx);
    else
        free(p);
}

/* Cache lines, and the widest vector of the machines we know. */

void *ph_arena_take(ph_arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size) {
        a->overflow = 1;
        return NULL;
    }
    size_t bytes = (count * size + PH_ARENA_ALIGN - 1) / PH_ARENA_ALIGN * PH_ARENA_ALIGN + GAP;
    if (a->used > SIZE_MAX / 2 - bytes) {
        a->overflow = 1;
        return NULL;
    }
    unsigned char *p = a->base ? a->base + a->used : NULL;
    a->used += bytes;
    if (p)
        ASAN_POISON_MEMORY_REGION(p + count * size, bytes - count * size);
    return p;
}

int ph_arena_open(ph_arena *a, const ph_allocator *alloc)
{
    if (a->overflow)
        return 0;
    a->block = ph_alloc(alloc, a->used + PH_ARENA_ALIGN);
    if (!a->block)
        return 0;
    ASAN_UNPOISON_MEMORY_REGION(a->block, a->used + PH_ARENA_ALIGN); /* of an allocator that gives it again */
    memset(a->block, 0, a->used + PH_ARENA_ALIGN);
    uintptr_t at = (uintptr_t)a->block;
    a->base = (unsigned char *)a->block + (PH_ARENA_ALIGN - at % PH_ARENA_ALIGN) % PH_ARENA_ALIGN;
    a->used = 0;
    return 1;
}
