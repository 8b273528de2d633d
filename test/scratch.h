/* Files that tests write and remove. */
#ifndef PH_TEST_SCRATCH_H
#define PH_TEST_SCRATCH_H

#include "check.h"

#include <unistd.h>

typedef struct scratch {
    char dir[64], path[128];
} scratch;

static inline scratch scratch_create(const char *name)
{
    scratch s = {.dir = "/tmp/polhode_test_XXXXXX"};
    assert_non_null(mkdtemp(s.dir));
    snprintf(s.path, sizeof s.path, "%s/%s", s.dir, name);
    return s;
}

static inline void scratch_write(const scratch *s, const char *text, size_t length)
{
    FILE *f = fopen(s->path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static inline void scratch_remove(const scratch *s)
{
    unlink(s->path);
    rmdir(s->dir);
}

#endif
