/* Shared libraries that are loaded when they are first used. */
#include "base/shared.h"

#include <dlfcn.h>
#include <string.h>

/* A program that is linked with the library may hold copies of its variables, which the library then uses as well. */
ph_shared ph_shared_load(const char *file, int parts, const char *const *names, void *table)
{
    int how = RTLD_LAZY | (parts ? RTLD_GLOBAL : RTLD_LOCAL);
    void *there = dlopen(file, how | RTLD_NOLOAD), *library = there ? there : dlopen(file, how);
    void *program = there ? dlopen(NULL, RTLD_LAZY) : NULL;
    for (int i = 0; library && names[i]; i++) {
        void *address = program ? dlsym(program, names[i]) : NULL;
        if (!address)
            address = dlsym(library, names[i]);
        if (!address)
            return PH_SHARED_NONE;
        memcpy((char *)table + (size_t)i * sizeof address, &address,
               sizeof address); /* C has no cast to functions */
    }
    return !library ? PH_SHARED_NONE : there ? PH_SHARED_THERE : PH_SHARED_LOADED;
}
