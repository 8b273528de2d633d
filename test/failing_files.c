/* A library for LD_PRELOAD: call number PH_FAIL_FILE of those that change files, counted from 1 in each process, fails as PH_FAIL_HOW says:
 * ENOSPC, EIO, EINTR, or short: a write takes half of its bytes. With a + behind the number all that follow fail too. PH_LOG_FILE names a
 * file to which each call adds a line: its name and what it is about. Streams are made anew with a write function of our own, since those
 * of the C library call it from inside. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long made;

static void put_line(const char *call, const char *about, int fails)
{
    const char *path = getenv("PH_LOG_FILE");
    char line[600];
    int fd = path ? REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    int n = snprintf(line, sizeof line, "%ld %s %.500s%s\n", made, call, about, fails ? " fails" : "");
    if (REAL(write)(fd, line, (size_t)n) != n)
        abort();
    REAL(close)(fd);
}

/* 1: this call fails, and errno is set; 2: it is short */
static int fails(const char *call, const char *about)
{
    const char *text = getenv("PH_FAIL_FILE"), *how = getenv("PH_FAIL_HOW");
    long chosen = text ? atol(text) : 0;
    made++;
    int now = chosen > 0 && (made == chosen || (strchr(text, '+') && made > chosen));
    put_line(call, about, now);
    if (!now)
        return 0;
    if (how && !strcmp(how, "short"))
        return 2;
    errno = how && !strcmp(how, "EIO") ? EIO : how && !strcmp(how, "EINTR") ? EINTR : ENOSPC;
    return 1;
}

static const char *kind_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return "?";
    return S_ISREG(st.st_mode) ? "file" : S_ISDIR(st.st_mode) ? "folder" : "other";
}

static int is_file(int fd) /* pipes and terminals are left alone */
{
    return strcmp(kind_of(fd), "other") != 0;
}

/* ---- descriptors --------------------------------------------------------------------------------------------- */

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    if ((flags & (O_WRONLY | O_RDWR)) && strncmp(path, "/dev/", 5) != 0 && fails("open", path) == 1)
        return -1;
    return REAL(openat)(folder, path, flags, mode);
}

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...)                                                               \
    {                                                                                                        \
        va_list a;                                                                                           \
        va_start(a, flags);                                                                                  \
        mode_t mode = flags & O_CREAT ? va_arg(a, mode_t) : 0;                                               \
        va_end(a);                                                                                           \
        return open_at(AT_FDCWD, path, flags, mode);                                                         \
    }
OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...)
{
    va_list a;
    va_start(a, flags);
    mode_t mode = flags & O_CREAT ? va_arg(a, mode_t) : 0;
    va_end(a);
    return open_at(folder, path, flags, mode);
}

ssize_t write(int fd, const void *data, size_t size)
{
    int how = fd > 2 && is_file(fd) ? fails("write", kind_of(fd)) : 0;
    return how == 1 ? -1 : REAL(write)(fd, data, how == 2 ? (size + 1) / 2 : size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    int how = fails("pwrite", kind_of(fd));
    return how == 1 ? -1 : REAL(pwrite64)(fd, data, how == 2 ? (size + 1) / 2 : size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    return pwrite64(fd, data, size, at);
}

int fsync(int fd)
{
    return fails("fsync", kind_of(fd)) == 1 ? -1 : REAL(fsync)(fd);
}

int ftruncate(int fd, off_t size)
{
    return fails("ftruncate", kind_of(fd)) == 1 ? -1 : REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

/* The descriptor is gone in any case, as on Linux. */
int close(int fd)
{
    int how = is_file(fd) && fcntl(fd, F_GETFL) % 4 != O_RDONLY ? fails("close", kind_of(fd)) : 0,
        why = errno;
    int code = REAL(close)(fd);
    if (how == 1)
        errno = why;
    return how == 1 ? -1 : code;
}

int rename(const char *from, const char *to)
{
    return fails("rename", to) == 1 ? -1 : REAL(rename)(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
    return fails("rename", to) == 1 ? -1 : REAL(renameat)(a, from, b, to);
}

/* ---- streams -------------------------------------------------------------------------------------------------- */

typedef struct ours {
    FILE *stream;
    int fd;
} ours;

static ours list[64];

static int fd_of(FILE *stream)
{
    for (int k = 0; k < 64; k++)
        if (list[k].stream == stream)
            return list[k].fd;
    return -1;
}

static ssize_t our_write(void *cookie, const char *data, size_t size)
{
    int fd = ((ours *)cookie)->fd;
    for (size_t done = 0; done < size;) { /* as the C library does */
        ssize_t n = write(fd, data + done, size - done);
        if (n < 0)
            return 0;
        done += (size_t)n;
    }
    return (ssize_t)size;
}

static ssize_t our_read(void *cookie, char *data, size_t size)
{
    return read(((ours *)cookie)->fd, data, size);
}

static int our_seek(void *cookie, off64_t *at, int whence)
{
    off64_t to = lseek64(((ours *)cookie)->fd, *at, whence);
    if (to >= 0)
        *at = to;
    return to < 0 ? -1 : 0;
}

static int our_close(void *cookie)
{
    ours *o = cookie;
    o->stream = NULL;
    return close(o->fd);
}

FILE *fdopen(int fd, const char *mode)
{
    for (int k = 0; k < 64 && (strchr(mode, 'w') || strchr(mode, 'a') || strchr(mode, '+')) && is_file(fd);
         k++)
        if (!list[k].stream) {
            list[k].fd = fd;
            return list[k].stream = fopencookie(
                       &list[k], mode, (cookie_io_functions_t){our_read, our_write, our_seek, our_close});
        }
    return REAL(fdopen)(fd, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    if (mode[0] == 'r' && !strchr(mode, '+'))
        return REAL(fopen)(path, mode);
    int fd = open(path,
                  (strchr(mode, '+') ? O_RDWR : O_WRONLY) | (mode[0] == 'r' ? 0 : O_CREAT) |
                      (mode[0] == 'w'   ? O_TRUNC
                       : mode[0] == 'a' ? O_APPEND
                                        : 0),
                  0666);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

int fileno(FILE *stream)
{
    int fd = fd_of(stream);
    return fd >= 0 ? fd : REAL(fileno)(stream);
}
