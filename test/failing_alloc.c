/* malloc, calloc and realloc of the whole process, libraries too: allocation number PH_FAIL_ALLOC of a process, counted from 1,
 * fails, and with a + behind the number all that follow it too. A worker goes on counting from its parent. PH_COUNT_ALLOC
 * names a file to which each process that ends adds how many it made; PH_ALLOC_PLACES one to which each adds the number of the first
 * allocation of each place, and the place: the innermost DEPTH functions of ours. With PH_OWN_ALLOC those of libraries never fail and do not
 * count. With sanitizers, which have allocators of their own,
 * the linker wraps those of the program alone. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define DEPTH 4

#ifdef PH_WRAP
#define OURS(name)  __wrap_##name
#define THEIR(name) __real_##name
#else
#define OURS(name)  name
#define THEIR(name) __libc_##name /* of glibc */
#endif

void *THEIR(malloc)(size_t size);
void *THEIR(calloc)(size_t n, size_t size);
void *THEIR(realloc)(void *old, size_t size);
void __real__exit(int code);
#ifdef PH_COVERAGE
void __gcov_dump(void);
#else
#define __gcov_dump() ((void)0)
#endif

static long made, chosen;
static int on, own, counting, noting;
extern const char __executable_start[], etext[]; /* of the linker */

/* ---- places ------------------------------------------------------------------------------------------------- */

#define PLACES 65536 /* a power of 2, far more than there are */

static struct place {
    unsigned long hash; /* 0: none */
    long first;
} place[PLACES];

typedef struct walk {
    unsigned long hash;
    int n;
} walk;

static int is_ours(const char *at)
{
    return at >= __executable_start && at < etext;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *c, void *ctx)
{
    walk *w = ctx;
    const char *at = (const char *)_Unwind_GetIP(c);
    if (!is_ours(at))
        return _URC_NO_REASON;
    w->hash = (w->hash ^ (unsigned long)(at - __executable_start)) * 1099511628211ul;
    return ++w->n < 3 + DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK; /* below are this file's own */
}

static void note_place(void)
{
    walk w = {14695981039346656037ul, 0};
    _Unwind_Backtrace(visit, &w);
    unsigned long at = w.hash % PLACES;
    while (place[at].hash && place[at].hash != w.hash)
        at = (at + 1) % PLACES;
    if (!place[at].hash)
        place[at] = (struct place){w.hash, made};
}

/* ---- failures ----------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void ph_allocation_fails(void);
void ph_allocation_fails(void) /* where a debugger stops to see whose it is */
{
    errno = ENOMEM; /* as malloc does */
}

static int fails(const void *caller)
{
    if (!counting || (own && !is_ours(caller)))
        return 0;
    made++;
    if (noting)
        counting = 0, note_place(), counting = 1;
    int now = chosen > 0 && (made == chosen || (on && made > chosen));
    if (now)
        ph_allocation_fails();
    return now;
}

#define FAILS() fails(__builtin_return_address(0))

void *OURS(malloc)(size_t size)
{
    return FAILS() ? NULL : THEIR(malloc)(size);
}

void *OURS(calloc)(size_t n, size_t size)
{
    return FAILS() ? NULL : THEIR(calloc)(n, size);
}

void *OURS(realloc)(void *old, size_t size)
{
    return FAILS() ? NULL : THEIR(realloc)(old, size);
}

static void tell(void)
{
    const char *path = getenv("PH_COUNT_ALLOC");
    counting = 0;
    FILE *to = path ? fopen(path, "a") : NULL;
    if (to)
        fprintf(to, "%ld\n", made), fclose(to);
    to = noting ? fopen(getenv("PH_ALLOC_PLACES"), "a") : NULL;
    for (int k = 0; to && k < PLACES; k++)
        if (place[k].hash)
            fprintf(to, "%ld %lx\n", place[k].first, place[k].hash);
    if (to)
        fclose(to);
}

void __wrap__exit(int code) /* of workers */
{
    tell();
    __gcov_dump();
    __real__exit(code);
}

__attribute__((constructor)) static void begin(void) /* what comes before main is not the program's */
{
    const char *text = getenv("PH_FAIL_ALLOC");
    chosen = text ? atol(text) : 0;
    on = text && strchr(text, '+');
    own = getenv("PH_OWN_ALLOC") != NULL;
    noting = getenv("PH_ALLOC_PLACES") != NULL;
    atexit(tell);
    counting = 1;
}
