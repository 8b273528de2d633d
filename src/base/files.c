/* Files that a model reads beside its own. */
#include "base/files.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/hash.h"
#include "base/regular.h"

#define FIRST_ROOM 65536 /* bytes that are kept of a file before more are asked for */

typedef struct ph_kept_file {
    struct ph_kept_file *next;
    char *path, *bytes; /* with a 0 behind them */
    size_t size;
    uint64_t key; /* of its bytes */
} ph_kept_file;

struct ph_kept {
    const ph_allocator *alloc;
    atomic_int holders;
    ph_kept_file *first;
};

/* ---- what is kept ------------------------------------------------------------------------------------ */

static void free_file(const ph_allocator *alloc, ph_kept_file *k)
{
    if (k)
        ph_free(alloc, k->bytes), ph_free(alloc, k->path);
    ph_free(alloc, k);
}

/* A file of which nothing is kept yet; NULL: no memory. */
static ph_kept_file *new_file(const ph_allocator *alloc, const char *path)
{
    ph_kept_file *k = ph_alloc(alloc, sizeof *k);
    if (!k)
        return NULL;
    *k = (ph_kept_file){.path = ph_alloc(alloc, strlen(path) + 1)};
    if (!k->path) {
        free_file(alloc, k);
        return NULL;
    }
    strcpy(k->path, path);
    return k;
}

static ph_kept_file *find(const ph_files *files, const char *path)
{
    ph_kept_file *k = files && files->kept ? files->kept->first : NULL;
    while (k && strcmp(k->path, path))
        k = k->next;
    return k;
}

static void use(ph_files *files, const ph_kept_file *k)
{
    files->key = ph_hash_bytes(files->key, &k->key, sizeof k->key);
}

/* 0: no memory for the list itself. */
static int make_list(ph_files *files)
{
    if (files->kept)
        return 1;
    files->kept = ph_alloc(files->alloc, sizeof *files->kept);
    if (files->kept)
        *files->kept = (ph_kept){.alloc = files->alloc, .holders = 1};
    return files->kept != NULL;
}

/* All of its bytes are there. */
static void keep(ph_files *files, ph_kept_file *k)
{
    k->bytes[k->size] = 0;
    k->key = ph_hash_bytes(PH_HASH_START, k->bytes, k->size);
    k->next = files->kept->first;
    files->kept->first = k;
    use(files, k);
}

ph_files ph_files_again(const ph_files *files)
{
    if (files->kept)
        atomic_fetch_add(&files->kept->holders, 1);
    return (ph_files){.alloc = files->alloc, .kept = files->kept, .closed = 1};
}

void ph_files_drop(ph_files *files)
{
    ph_kept *kept = files->kept;
    files->kept = NULL;
    if (!kept || atomic_fetch_sub(&kept->holders, 1) > 1)
        return;
    for (ph_kept_file *k = kept->first, *next; k; k = next) {
        next = k->next;
        free_file(kept->alloc, k);
    }
    ph_free(kept->alloc, kept);
}

/* ---- line by line ------------------------------------------------------------------------------------ */

static ph_status refuse(const char *path, const char *why, ph_error *err)
{
    return ph_fail(err, PH_E_INPUT, "cannot read '%.200s': %s", path, why);
}

ph_status ph_source_open(ph_source *s, ph_files *files, const char *path, double limit, ph_error *err)
{
    const char *why;
    *s = (ph_source){.files = files, .path = path, .k = find(files, path)};
    if (s->k) {
        s->size = s->k->size;
        if (limit > 0 && (double)s->size > limit)
            return refuse(path, "the file is too large", err);
        use(files, s->k);
        return PH_OK;
    }
    if (files && files->closed)
        return refuse(path, "the model was read without it; read the model file again, with these parameters",
                      err);
    s->f = ph_regular_open(path, limit, &s->size, &why);
    return s->f ? PH_OK : refuse(path, why, err);
}

/* Room for n more bytes and a 0: twice as much as before, but no more than the file has. */
static int make_room(ph_source *s, size_t n)
{
    const ph_allocator *alloc = s->files->alloc;
    size_t need = s->at + n + 1, room = s->room ? 2 * s->room : FIRST_ROOM;
    if (!s->k && (!make_list(s->files) || !(s->k = new_file(alloc, s->path))))
        return 0;
    if (need <= s->room)
        return 1;
    room = room > s->size + 1 ? s->size + 1 : room;
    room = room < need ? need : room;
    char *more = ph_alloc(alloc, room);
    if (!more)
        return 0;
    if (s->at)
        memcpy(more, s->k->bytes, s->at);
    ph_free(alloc, s->k->bytes);
    s->k->bytes = more, s->room = room;
    return 1;
}

/* A line of a file that is kept. */
static long kept_line(ph_source *s, char **line, size_t *room, size_t limit)
{
    const char *from = s->k->bytes + s->at;
    size_t left = s->k->size - s->at;
    const char *end = memchr(from, '\n', left);
    size_t n = end ? (size_t)(end - from) + 1 : left;
    if (n > limit)
        return -1;
    if (n && n + 1 > *room) {
        char *larger = realloc(*line, 2 * n + 1);
        if (!larger)
            return -2;
        *line = larger, *room = 2 * n + 1;
    }
    if (n) {
        memcpy(*line, from, n);
        (*line)[n] = 0;
    }
    s->at += n;
    return (long)n;
}

long ph_source_line(ph_source *s, char **line, size_t *room, size_t limit)
{
    if (!s->f)
        return kept_line(s, line, room, limit);
    long n = ph_line_read(s->f, line, room, limit);
    s->ended = n == 0;
    if (n < 1 || !s->files)
        return n;
    if (!make_room(s, (size_t)n))
        return -2;
    memcpy(s->k->bytes + s->at, *line, (size_t)n);
    s->at += (size_t)n;
    return n;
}

void ph_source_close(ph_source *s)
{
    if (!s->f)
        return;
    fclose(s->f);
    if (s->k && s->ended) {
        s->k->size = s->at;
        keep(s->files, s->k);
    } else if (s->k) {
        free_file(s->files->alloc, s->k);
    }
    *s = (ph_source){0};
}

/* ---- as a whole -------------------------------------------------------------------------------------- */

ph_status ph_files_bytes(ph_files *files, const char *path, double limit, const char **bytes, size_t *size,
                         ph_error *err)
{
    ph_source s;
    ph_status status = ph_source_open(&s, files, path, limit, err);
    if (status == PH_OK && s.f && !make_room(&s, s.size))
        status = ph_fail(err, PH_E_MEMORY, "not enough memory for '%.200s'", path);
    if (status == PH_OK && s.f) {
        s.at = fread(s.k->bytes, 1, s.size, s.f);
        s.ended = s.at == s.size;
        if (!s.ended)
            status = refuse(path, "it ends too early", err);
    }
    const ph_kept_file *k = s.k;
    ph_source_close(&s);
    if (status == PH_OK)
        *bytes = k->bytes, *size = k->size;
    return status;
}
