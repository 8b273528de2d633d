/* Output files that appear whole or not at all. */
#ifndef PH_IO_FILE_H
#define PH_IO_FILE_H

#include <stdio.h>

#define PH_STDOUT "/dev/stdout" /* a file of this name is what standard output is, as it is */

typedef struct ph_file {
    FILE *stream;
    char *path; /* where it will stand; links resolved */
    char *temp; /* where it is written, beside path; NULL: straight to a device or a pipe */
} ph_file;

/* Each returns 0 on failure, errno says why, and nothing is left behind. */
int ph_file_open(ph_file *file, const char *path);
int ph_file_commit(ph_file *file); /* flush, sync, rename */

/* Whether ph_file_open would succeed; nothing is created, and a pipe is not opened. 0: errno says why. */
int ph_file_possible(const char *path);

/* All of a file, with a 0 behind its end; free() ends it. NULL: errno says why. */
char *ph_file_read(const char *path, size_t *size);

/* The name of what is written before it stands at path; it is at most PH_FILE_PART longer, and k tells those of one
 * process apart. Sweep removes those of name in a folder whose processes were killed. */
#define PH_FILE_PART 64
void ph_file_part_name(char *part, size_t size, const char *path, int k);
void ph_file_sweep(const char *folder, const char *name);

void ph_file_discard(ph_file *file); /* no trace; accepts a file that is not open */

#endif
