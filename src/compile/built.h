/* A compiled model that was built and loaded. */
#ifndef PH_COMPILE_BUILT_H
#define PH_COMPILE_BUILT_H

#include <stdatomic.h>

#include "compile/compile.h"

struct ph_compiled {
    atomic_int users;
    void *library;
    unsigned (*step)(void *state);
    int lanes;
    ph_struct_places at;
    ph_constants constants; /* of the run whose source it is */
    int *datum;             /* of each of its numbers: its place among data; -1: every run must have it */
    int n_data, n_open;
    char (*open)[80]; /* names */
};

ph_compiled *ph_compiled_keep(ph_compiled *c); /* one more user */

#endif
