/* Files that are kept from run to run, in a folder of the user alone. */
#ifndef PH_IO_CACHE_H
#define PH_IO_CACHE_H

#include <stdio.h>

/* The folder is $POLHODE_CACHE, else the user's cache folder; nothing is kept where POLHODE_CACHE is empty, or where
 * others could write to the folder. Links are not followed, and files that are not regular are not opened. */
FILE *ph_cache_open(const char *name); /* to read; NULL: there is none */

/* n blocks of bytes become the file, whole or not at all; 0: it cannot be kept. */
typedef struct ph_cache_block {
    const void *data;
    size_t size;
} ph_cache_block;

int ph_cache_keep(const char *name, int n, const ph_cache_block *block);

#endif
