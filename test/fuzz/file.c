/* Inputs as files, in memory where the system has a place for that. */
#include "fuzz.h"

#include <unistd.h>

static char path[96];

static void remove_it(void)
{
    unlink(path);
}

const char *fuzz_file(const char *ending, const uint8_t *data, size_t size)
{
    const char *folder = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    if (!path[0])
        atexit(remove_it);
    else
        remove_it();
    snprintf(path, sizeof path, "%s/polhode-fuzz-%ld%s", folder, (long)getpid(), ending);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(data, 1, size, f) == size);
    must(!fclose(f));
    return path;
}
