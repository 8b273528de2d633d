/* Wraps malloc, calloc and realloc of the program: allocation number PH_FAIL_ALLOC of a process, counted from 1, fails,
 * and with a + behind the number all that follow it too. A worker goes on counting from its parent. PH_COUNT_ALLOC names a
 * file to which each process that ends adds how many it made. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real__exit(int code);

static long made, chosen = -1;
static int on;

static int fails(void)
{
    if (chosen < 0) {
        const char *text = getenv("PH_FAIL_ALLOC");
        chosen = text ? atol(text) : 0;
        on = text && strchr(text, '+');
    }
    made++;
    int now = chosen > 0 && (made == chosen || (on && made > chosen));
    if (now)
        errno = ENOMEM; /* as malloc does */
    return now;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

static void tell(void)
{
    const char *path = getenv("PH_COUNT_ALLOC");
    FILE *to = path ? fopen(path, "a") : NULL;
    if (to)
        fprintf(to, "%ld\n", made), fclose(to);
}

void __wrap__exit(int code) /* of workers */
{
    tell();
    __real__exit(code);
}

__attribute__((constructor)) static void begin(void)
{
    atexit(tell);
}
