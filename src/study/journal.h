/* What a study has found so far, in a file beside its output: a line for each case, appended when it is done.
 *
 *   polhode journal 1 9f86d081884c7d65              the study, by its key
 *   12 TEXT 5feceb66                                case number, text, checksum of both
 *
 * After any end of the program the lines that are whole count; what is torn is cut off. One process at a time
 * writes to a journal. */
#ifndef PH_STUDY_JOURNAL_H
#define PH_STUDY_JOURNAL_H

#include "polhode/base.h"

#include <stdint.h>

typedef struct ph_journal {
    int fd; /* -1: not open */
    char *path;
    char *line; /* that is being written */
    size_t room;
} ph_journal;

/* A record of a journal. 0: it makes no sense, and is as good as torn. */
typedef int (*ph_journal_take_fn)(int k, const char *text, void *ctx);

/* Open the journal of a study, or begin it; take gets the records there are. PH_E_INPUT: err says why not; it
 * is that of another study, some other file, or another process is at work with it. */
ph_status ph_journal_open(ph_journal *j, const char *path, uint64_t key, ph_journal_take_fn take, void *ctx,
                          ph_error *err);

/* The records of a journal that no one is at work with; it stays as it is. */
ph_status ph_journal_read(const char *path, uint64_t key, ph_journal_take_fn take, void *ctx, ph_error *err);

/* text: one line. It is with the system when this returns: only a crash of the machine may lose it. 0: errno
 * says why. */
int ph_journal_add(ph_journal *j, int k, const char *text);

/* Remove a journal, of whatever study, that no one is at work with. None is there: PH_OK. */
ph_status ph_journal_remove(const char *path, ph_error *err);

void ph_journal_close(ph_journal *j, int remove); /* accepts one that is not open */

#endif
