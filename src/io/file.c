/* Output files that appear whole or not at all: written beside their place, synchronised, then renamed. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name in the same folder: only there a rename is atomic. Not mkstemp: it would make the file private. */
static int open_beside(ph_file *file)
{
    size_t size = strlen(file->path) + 48;
    file->temp = malloc(size);
    for (int k = 0; file->temp && k < 100; k++) {
        snprintf(file->temp, size, "%s.part-%ld-%d", file->path, (long)getpid(), k);
        int fd = open(file->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void forget(ph_file *file)
{
    free(file->path);
    free(file->temp);
    *file = (ph_file){0};
}

int ph_file_open(ph_file *file, const char *path)
{
    struct stat st;
    int exists = strcmp(path, PH_STDOUT) != 0 && stat(path, &st) == 0, fd = -1;
    *file = (ph_file){.path = exists ? realpath(path, NULL) : strdup(path)};
    if (exists && S_ISDIR(st.st_mode))
        errno = EISDIR;
    else if (file->path && !strcmp(path, PH_STDOUT))
        fd = dup(1); /* whatever it is: what it has is not to be replaced */
    else if (file->path && exists && !S_ISREG(st.st_mode))
        fd = open(path, O_WRONLY | O_CLOEXEC); /* /dev/stdout, /dev/null: never rename over these */
    else if (file->path && (!exists || access(path, W_OK) == 0))
        fd = open_beside(file);
    if (fd >= 0)
        file->stream = fdopen(fd, "w");
    if (file->stream)
        return 1;
    int why = errno;
    if (fd >= 0) {
        close(fd);
        if (file->temp)
            unlink(file->temp);
    }
    forget(file);
    errno = why;
    return 0;
}

int ph_file_possible(const char *path)
{
    struct stat st;
    if (!strcmp(path, PH_STDOUT))
        return 1;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            errno = EISDIR;
            return 0;
        }
        if (access(path, W_OK) != 0 || !S_ISREG(st.st_mode))
            return access(path, W_OK) == 0;
    }
    char *real = stat(path, &st) == 0 ? realpath(path, NULL) : strdup(path);
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        slash[slash == real] = 0; /* the folder; "/" stays */
    int ok = real && access(slash ? real : ".", W_OK | X_OK) == 0, why = errno;
    free(real);
    errno = why;
    return ok;
}

int ph_file_commit(ph_file *file)
{
    int ok = fflush(file->stream) == 0 && !ferror(file->stream);
    if (ok && file->temp)
        ok = fsync(fileno(file->stream)) == 0;
    int why = errno;
    if (fclose(file->stream) != 0 && ok)
        ok = 0, why = errno;
    if (ok && file->temp && rename(file->temp, file->path) != 0)
        ok = 0, why = errno;
    if (!ok && file->temp)
        unlink(file->temp);
    forget(file);
    errno = why;
    return ok;
}

char *ph_file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL, *more = NULL;
    *size = 0;
    for (size_t room = 1 << 14; f; room *= 2) {
        more = realloc(text, room);
        if (!more)
            break;
        text = more;
        *size += fread(text + *size, 1, room - 1 - *size, f);
        if (*size < room - 1)
            break;
    }
    int ok = f && more && !ferror(f), why = errno;
    if (f)
        fclose(f);
    if (ok)
        text[*size] = 0;
    else
        free(text);
    errno = why;
    return ok ? text : NULL;
}

void ph_file_discard(ph_file *file)
{
    if (!file->stream)
        return;
    fclose(file->stream);
    if (file->temp)
        unlink(file->temp);
    forget(file);
}
