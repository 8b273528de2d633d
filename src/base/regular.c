/* Files to read. */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *refusal(int fd, double limit, size_t *size)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return strerror(errno);
    *size = (size_t)st.st_size;
    if (S_ISDIR(st.st_mode))
        return "this is a directory, not a file";
    if (!S_ISREG(st.st_mode))
        return "this is not a regular file";
    return limit > 0 && (double)st.st_size > limit ? "the file is too large" : NULL;
}

FILE *ph_regular_open(const char *path, double limit, size_t *size, const char **why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* does not wait for the writer of a pipe */
    FILE *f = NULL;
    *size = 0;
    *why = refusal(fd, limit, size);
    if (!*why && !(f = fdopen(fd, "rb")))
        *why = strerror(errno);
    if (!f && fd >= 0)
        close(fd);
    return f;
}
