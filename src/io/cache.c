/* Files that are kept from run to run. All is opened below the descriptor of the folder, so that what is checked is what
 * is used. */
#define _XOPEN_SOURCE 700 /* mkdir */

#include "io/cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"

#define FOLDER_MAX 900

static int folder_name(char *folder, size_t size)
{
    const char *own = getenv("POLHODE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (own)
        n = snprintf(folder, size, "%s", own);
    else if (xdg && xdg[0] == '/')
        n = snprintf(folder, size, "%s/polhode", xdg);
    else
        n = snprintf(folder, size, "%s/.cache/polhode", home ? home : "");
    return n > 0 && (size_t)n < size && (own || folder[0] == '/');
}

/* The folder, which is made for the user alone. -1: there is none, or others may write to it. */
static int open_folder(char *folder, size_t size)
{
    struct stat st;
    if (!folder_name(folder, size))
        return -1;
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--)
        folder[n - 1] = 0; /* a slash at the end would follow a link */
    for (char *at = folder + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(folder, 0700);
            *at = '/';
        }
    mkdir(folder, 0700);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH))))
        return fd;
    close(fd);
    return -1;
}

FILE *ph_cache_open(const char *name)
{
    char path[FOLDER_MAX];
    struct stat st;
    int folder = open_folder(path, sizeof path);
    if (folder < 0)
        return NULL;
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe may have no writer */
    FILE *f = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "rb") : NULL;
    if (!f && fd >= 0)
        close(fd);
    close(folder);
    return f;
}

static int write_blocks(int fd, int n, const ph_cache_block *block)
{
    FILE *f = fdopen(fd, "wb");
    if (!f)
        return close(fd), 0;
    int ok = 1;
    for (int k = 0; k < n; k++)
        ok &= fwrite(block[k].data, 1, block[k].size, f) == block[k].size;
    ok &= fflush(f) == 0;
    ok &= fsync(fd) == 0;
    ok &= fclose(f) == 0;
    return ok;
}

/* The rename replaces a link, and not what it names. */
int ph_cache_keep(const char *name, int n, const ph_cache_block *block)
{
    char path[FOLDER_MAX], part[128];
    int folder = open_folder(path, sizeof path);
    if (folder < 0)
        return 0;
    ph_file_sweep(path, name);
    ph_file_part_name(part, sizeof part, name, 0);
    int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int ok = fd >= 0 && write_blocks(fd, n, block) && renameat(folder, part, folder, name) == 0;
    if (!ok && fd >= 0)
        unlinkat(folder, part, 0);
    close(folder);
    return ok;
}
