/* Files to read: regular ones alone. A pipe may never have a writer, and a device has no end. */
#ifndef PH_BASE_REGULAR_H
#define PH_BASE_REGULAR_H

#include <stdio.h>

/* Open a file of at most limit bytes (0: of any size), *size is what it has. NULL with some words in *why. */
FILE *ph_regular_open(const char *path, double limit, size_t *size, const char **why);

/* The path of a file that another one names, beside it or in a folder below: "parts/wheel.csv". 0 with words in *why
 * where the name is absolute or goes up. The disk is not looked at. */
int ph_regular_name(const char *beside, const char *file, char *path, size_t size, const char **why);

/* 0 with words in *why where a link on such a path leads out of the folder. The file itself may be missing. */
int ph_regular_below(const char *beside, const char *path, const char **why);

/* The next line of at most limit bytes, with its end, as getline() does it: a sparse file of no size on disk may
 * be one line of any length. Its length; 0 at the end; -1 where it is too long, -2 where memory ends. */
long ph_line_read(FILE *f, char **line, size_t *room, size_t limit);

#endif
