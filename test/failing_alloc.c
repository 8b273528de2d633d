/* malloc, calloc and realloc of the whole process, libraries too: allocation number PH_FAIL_ALLOC of a process, counted from 1,
 * fails, and with a + behind the number all that follow it too. A worker goes on counting from its parent. PH_COUNT_ALLOC
 * names a file to which each process that ends adds how many it made. With PH_OWN_ALLOC those of libraries never fail and do not
 * count. With sanitizers, which have allocators of their own,
 * the linker wraps those of the program alone. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static long made, chosen;
static int on, own, counting;
extern const char __executable_start[], etext[]; /* of the linker */

__attribute__((noinline)) void ph_allocation_fails(void);
void ph_allocation_fails(void) /* where a debugger stops to see whose it is */
{
    errno = ENOMEM; /* as malloc does */
}

static int fails(const void *caller)
{
    if (!counting || (own && (caller < (const void *)__executable_start || caller >= (const void *)etext)))
        return 0;
    made++;
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
}

void __wrap__exit(int code) /* of workers */
{
    tell();
    __real__exit(code);
}

__attribute__((constructor)) static void begin(void) /* what comes before main is not the program's */
{
    const char *text = getenv("PH_FAIL_ALLOC");
    chosen = text ? atol(text) : 0;
    on = text && strchr(text, '+');
    own = getenv("PH_OWN_ALLOC") != NULL;
    atexit(tell);
    counting = 1;
}
