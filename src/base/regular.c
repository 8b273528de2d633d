/* Files to read. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

long ph_line_read(FILE *f, char **line, size_t *room, size_t limit)
{
    size_t n = 0;
    for (int c = 0; c != '\n' && (c = getc_unlocked(f)) != EOF;) {
        if (n == limit)
            return -1;
        if (n + 1 >= *room) {
            size_t more = *room ? 2 * *room : 256;
            char *larger = realloc(*line, more);
            if (!larger)
                return -2;
            *line = larger, *room = more;
        }
        (*line)[n++] = (char)c;
        (*line)[n] = 0;
    }
    return (long)n;
}

/* One of the folders in a path is "..". */
static int goes_up(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2]))
            return 1;
    return 0;
}

/* What a path really names is below a folder, once all links are followed. */
static const char *leads_out(const char *folder, const char *path)
{
    char *top = realpath(folder, NULL), *real = top ? realpath(path, NULL) : NULL;
    int why = errno;
    size_t n = top ? strlen(top) : 0;
    int below = top && real && !strncmp(real, top, n) && (!real[n] || real[n] == '/' || top[n - 1] == '/');
    const char *words = below                                      ? NULL
                        : top && real                              ? "a link leads out of the model's folder"
                        : top && (why == ENOENT || why == ENOTDIR) ? NULL
                                                                   : strerror(why);
    free(real);
    free(top);
    return words;
}

/* Bytes of the folder in front of a name, with its slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

int ph_regular_name(const char *beside, const char *file, char *path, size_t size, const char **why)
{
    *why = NULL;
    if (file[0] == '/')
        *why = "an absolute path; files of a model are beside it or in folders below";
    else if (goes_up(file))
        *why = "'..' in a path; files of a model are beside it or in folders below";
    else if (snprintf(path, size, "%.*s%s", folder_length(beside), beside, file) >= (int)size)
        *why = "the path is too long";
    return !*why;
}

int ph_regular_below(const char *beside, const char *path, const char **why)
{
    int n = folder_length(beside);
    char *folder = n ? strndup(beside, (size_t)n) : strdup(".");
    *why = folder ? leads_out(folder, path) : strerror(errno);
    free(folder);
    return !*why;
}
