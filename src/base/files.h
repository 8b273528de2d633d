/* Files that a model reads beside its own: all bytes of each are kept, so that the model can be evaluated anew without
 * them. */
#ifndef PH_BASE_FILES_H
#define PH_BASE_FILES_H

#include <stdint.h>
#include <stdio.h>

#include "polhode/base.h"

/* The files of a model. Models of one text share them: they are constant once the first of these is read, and count
 * who holds them. Memory is from the allocator of that first model. */
typedef struct ph_kept ph_kept;

/* The way of one reader to its files. */
typedef struct ph_files {
    const ph_allocator *alloc; /* of what is kept */
    ph_kept *kept;             /* NULL: no file yet */
    int closed;                /* 1: none but those that are kept; the disk is not looked at */
    uint64_t key;              /* of all bytes that were read, in this order */
} ph_files;

ph_files ph_files_again(const ph_files *files); /* the same files for another reader, closed */
void ph_files_drop(ph_files *files);            /* the reader needs them no more */

/* A file that is read line by line, once. On its first reading it is kept when it ends, not before: a file of any
 * size may turn out to be none of ours on its first line. */
typedef struct ph_source {
    ph_files *files; /* NULL: its bytes are not kept */
    const char *path;
    FILE *f;                /* NULL: it is kept already */
    struct ph_kept_file *k; /* what is kept, or will be; NULL: nothing yet */
    size_t size;            /* bytes of the file */
    size_t at, room;        /* in k */
    int ended;
} ph_source;

/* At most limit bytes; 0: of any size. Close it, also where this fails. */
ph_status ph_source_open(ph_source *s, ph_files *files, const char *path, double limit, ph_error *err);
long ph_source_line(ph_source *s, char **line, size_t *room, size_t limit); /* as ph_line_read */
void ph_source_close(ph_source *s);

/* All bytes of a file, with a 0 behind them; they belong to files. */
ph_status ph_files_bytes(ph_files *files, const char *path, double limit, const char **bytes, size_t *size,
                         ph_error *err);

#endif
