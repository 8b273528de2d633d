/* Output files that appear whole or not at all: written beside their place, synchronised, then renamed. What a process
 * that was killed has left there, the next one removes. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of unfinished files tell the machine and the process that write them. */
static unsigned machine(void)
{
    char name[256] = "";
    unsigned hash = 2166136261u; /* FNV-1a */
    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

/* NAME.part-MACHINE-PROCESS-NUMBER of a process of this machine that is no more: it was killed while it wrote. */
static int is_left_over(const char *entry, const char *name)
{
    size_t n = strlen(name);
    unsigned host;
    long process;
    int number, end = 0;
    if (strncmp(entry, name, n) != 0)
        return 0;
    if (sscanf(entry + n, ".part-%8x-%ld-%d%n", &host, &process, &number, &end) != 3 ||
        entry[n + (size_t)end])
        return 0;
    return host == machine() && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

void ph_file_part_name(char *part, size_t size, const char *path, int k)
{
    snprintf(part, size, "%s.part-%08x-%ld-%d", path, machine(), (long)getpid(), k);
}

void ph_file_sweep(const char *folder, const char *name)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_left_over(e->d_name, name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

static void sweep_beside(const char *path)
{
    char *folder = folder_of(path);
    const char *slash = strrchr(path, '/');
    if (folder)
        ph_file_sweep(folder, slash ? slash + 1 : path);
    free(folder);
}

/* A name in the same folder: only there a rename is atomic. Not mkstemp: it would make the file private. */
static int open_beside(ph_file *file)
{
    size_t size = strlen(file->path) + PH_FILE_PART;
    file->temp = malloc(size);
    sweep_beside(file->path);
    for (int k = 0; file->temp && k < 100; k++) {
        ph_file_part_name(file->temp, size, file->path, k);
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
    char *folder = real ? folder_of(real) : NULL; /* with its '/', which a file does not have */
    int ok = folder && access(folder, W_OK | X_OK) == 0, why = errno;
    free(real), free(folder);
    errno = why;
    return ok;
}

/* The name of a file is on the disk when its folder is. Where a file system cannot do that, the file is there all the same. */
static void sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
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
    if (ok && file->temp)
        sync_folder(file->path);
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
