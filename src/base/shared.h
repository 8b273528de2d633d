/* Shared libraries that are loaded when they are first used: most runs need none of them, and to find and bind them
 * took three quarters of the time of a short run.
 *
 * A header NAME_calls.h includes that of the library and lets the names of its functions stand for members of a
 * table, which ph_shared_load fills; who calls them has asked for it first. */
#ifndef PH_BASE_SHARED_H
#define PH_BASE_SHARED_H

#include <stddef.h>

/* A function or variable of the library, and where in the table its address goes. */
typedef struct ph_symbol {
    const char *name;
    size_t at; /* bytes */
} ph_symbol;

typedef enum ph_shared { PH_SHARED_NONE, PH_SHARED_THERE, PH_SHARED_LOADED } ph_shared;

/* Fill a table with the addresses of n symbols of the library "file". NONE: it is not there, or lacks one of
 * them; THERE: somebody has loaded it before; LOADED: we have. It stays to the end of the process. parts: it loads
 * parts of its own, which look for its symbols. */
ph_shared ph_shared_load(const char *file, int parts, int n, const ph_symbol *symbols, void *table);

#endif
