/* What a study has found so far, in a file beside its output. */
#include "study/journal.h"
#include "base/hash.h"
#include "io/retry.h"
#include "study/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD   "polhode journal 1 "
#define DIGITS 8 /* of a checksum */

static uint32_t checksum(const char *text, size_t size)
{
    uint64_t hash = ph_hash_bytes(PH_HASH_START, text, size);
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

static char *slurp(int fd, size_t *size)
{
    struct stat st;
    char *text = fstat(fd, &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    *size = 0;
    while (text && *size < (size_t)st.st_size) {
        ssize_t n = pread(fd, text + *size, (size_t)st.st_size - *size, (off_t)*size);
        if (n > 0)
            *size += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    if (text)
        text[*size] = 0;
    return text;
}

/* "12 TEXT 5feceb66" without its end of line */
static void take_line(char *line, ph_journal_take_fn take, void *ctx)
{
    char *sum = strrchr(line, ' '), *end;
    if (!sum || strlen(sum + 1) != DIGITS)
        return;
    unsigned long given = strtoul(sum + 1, &end, 16);
    if (*end || given != checksum(line, (size_t)(sum - line)))
        return;
    *sum = 0;
    long k = strtol(line, &end, 10);
    if (end > line && *end == ' ' && k >= 0 && k <= 1000000000)
        take((int)k, end + 1, ctx);
}

/* The first line. A torn one is none at all: the study had not begun. */
static ph_status check_head(const char *line, int torn, const char *path, uint64_t key, ph_error *err)
{
    char head[64];
    snprintf(head, sizeof head, HEAD "%016" PRIx64, key);
    if (torn ? !strncmp(line, HEAD, strlen(line) < strlen(HEAD) ? strlen(line) : strlen(HEAD))
             : !strcmp(line, head))
        return PH_OK;
    if (strncmp(line, HEAD, strlen(HEAD)) != 0)
        return ph_study_fail(err, PH_E_INPUT, "'%s' is there, and no journal of a study", path);
    return ph_study_fail(err, PH_E_INPUT,
                         "'%s' is the journal of another study, or of another version of this one", path);
}

/* length: bytes up to the end of the last whole line; what follows is torn. */
static ph_status take_all(char *text, const char *path, uint64_t key, ph_journal_take_fn take, void *ctx,
                          size_t *length, ph_error *err)
{
    char *line = text, *end = strchr(line, '\n');
    *length = 0;
    if (end)
        *end = 0;
    if (check_head(line, !end, path, key, err) != PH_OK)
        return err->status;
    while (end) {
        *length = (size_t)(end + 1 - text);
        line = end + 1;
        end = strchr(line, '\n');
        if (end) {
            *end = 0;
            take_line(line, take, ctx);
        }
    }
    return PH_OK;
}

static ph_status load(int fd, const char *path, uint64_t key, ph_journal_take_fn take, void *ctx,
                      size_t *length, ph_error *err)
{
    size_t size;
    char *text = slurp(fd, &size);
    if (!text)
        return ph_study_fail(err, PH_E_INPUT, "cannot read '%s': %s", path, strerror(errno));
    ph_status status = take_all(text, path, key, take, ctx, length, err);
    free(text);
    return status;
}

static ph_status busy(const char *path, ph_error *err)
{
    return ph_study_fail(err, PH_E_INPUT, "another process is at work with '%s'", path);
}

ph_status ph_journal_read(const char *path, uint64_t key, ph_journal_take_fn take, void *ctx, ph_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    size_t length;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return ph_study_fail(err, PH_E_INPUT, "cannot read '%s': %s", path, strerror(errno));
    ph_status status =
        fcntl(fd, F_SETLK, &lock) == 0 ? load(fd, path, key, take, ctx, &length, err) : busy(path, err);
    close(fd);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* Cut off what is torn; begin a new one with its head. */
static int repair(int fd, uint64_t key, size_t length)
{
    char head[64];
    int n = snprintf(head, sizeof head, HEAD "%016" PRIx64 "\n", key);
    return ftruncate(fd, (off_t)length) == 0 && lseek(fd, 0, SEEK_END) >= 0 &&
           (length || ph_retry_write(fd, head, (size_t)n));
}

ph_status ph_journal_open(ph_journal *j, const char *path, uint64_t key, ph_journal_take_fn take, void *ctx,
                          ph_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    size_t length = 0;
    ph_status status = PH_OK;
    *j = (ph_journal){.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    if (j->fd < 0)
        return ph_study_fail(err, PH_E_INPUT, "cannot write '%s': %s", path, strerror(errno));
    j->path = strdup(path);
    if (!j->path)
        status = ph_study_fail(err, PH_E_INPUT, "not enough memory for the journal");
    else if (fcntl(j->fd, F_SETLK, &lock) != 0)
        status = errno == EACCES || errno == EAGAIN
                     ? busy(path, err)
                     : ph_study_fail(err, PH_E_INPUT, "cannot lock '%s': %s", path, strerror(errno));
    else if (load(j->fd, path, key, take, ctx, &length, err) != PH_OK)
        status = err->status;
    else if (!repair(j->fd, key, length))
        status = ph_study_fail(err, PH_E_INPUT, "cannot write '%s': %s", path, strerror(errno));
    if (status != PH_OK)
        ph_journal_close(j, 0);
    return status;
}

int ph_journal_add(ph_journal *j, int k, const char *text)
{
    size_t need = strlen(text) + 40;
    if (need > j->room) {
        char *more = realloc(j->line, 2 * need);
        if (!more)
            return 0;
        j->line = more, j->room = 2 * need;
    }
    int n = snprintf(j->line, j->room, "%d %s", k, text);
    n += snprintf(j->line + n, j->room - (size_t)n, " %08" PRIx32 "\n", checksum(j->line, (size_t)n));
    return ph_retry_write(j->fd, j->line, (size_t)n);
}

ph_status ph_journal_remove(const char *path, ph_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    ph_status status = PH_OK;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return PH_OK;
    if (fd < 0)
        return ph_study_fail(err, PH_E_INPUT, "cannot remove '%s': %s", path, strerror(errno));
    if (fcntl(fd, F_SETLK, &lock) != 0)
        status = busy(path, err);
    else if (unlink(path) != 0)
        status = ph_study_fail(err, PH_E_INPUT, "cannot remove '%s': %s", path, strerror(errno));
    close(fd);
    return status;
}

void ph_journal_close(ph_journal *j, int remove)
{
    if (j->fd >= 0 && j->path) {
        if (remove)
            unlink(j->path); /* before the lock goes with the descriptor */
        else
            fsync(j->fd);
    }
    if (j->fd >= 0)
        close(j->fd);
    free(j->path), free(j->line);
    *j = (ph_journal){.fd = -1};
}
