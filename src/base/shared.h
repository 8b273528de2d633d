/* Shared libraries that are loaded when they are first used: most runs need none of them, and to find and bind them
 * took three quarters of the time of a short run.
 *
 * A header NAME_calls.h includes that of the library and lets the names of its functions stand for members of a
 * table, which ph_shared_load fills; who calls them has asked for it first. */
#ifndef PH_BASE_SHARED_H
#define PH_BASE_SHARED_H

#include <stddef.h>

/* The two uses of a list NAMES(X) of functions and variables: members of a table, and their names (as the library has
 * them: some are renamed by macros). */
#define PH_CALL_MEMBER(name) __typeof__(&name) name;
#define PH_CALL_TEXT(name)   #name
#define PH_CALL_NAME(name)   PH_CALL_TEXT(name),

typedef enum ph_shared { PH_SHARED_NONE, PH_SHARED_THERE, PH_SHARED_LOADED } ph_shared;

/* Fill a table with the addresses of what has these names, up to NULL, in the library "file". NONE: it is not there, or lacks one of
 * them; THERE: somebody has loaded it before; LOADED: we have. It stays to the end of the process. parts: it loads
 * parts of its own, which look for its symbols. */
ph_shared ph_shared_load(const char *file, int parts, const char *const *names, void *table);

#endif
