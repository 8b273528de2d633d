/* Files to read: regular ones alone. A pipe may never have a writer, and a device has no end. */
#ifndef PH_BASE_REGULAR_H
#define PH_BASE_REGULAR_H

#include <stdio.h>

/* Open a file of at most limit bytes (0: of any size), *size is what it has. NULL with some words in *why. */
FILE *ph_regular_open(const char *path, double limit, size_t *size, const char **why);

#endif
