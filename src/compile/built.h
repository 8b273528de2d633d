/* A compiled model that was built and loaded. */
#ifndef PH_COMPILE_BUILT_H
#define PH_COMPILE_BUILT_H

#include <stdatomic.h>

#include "compile/compile.h"

/* First steps that are made by the library too, and how far apart they may be, of the size of positions and
 * velocities: Newton's tolerance is 1e-8 of accelerations. */
#define PH_STEPS_CHECKED 4
#define PH_AGREE         1e-9

/* The function of text/ensemble.cu: NULL, or a sentence that says what is wrong. */
typedef const char *(*ph_ensemble_fn)(long members, double *state, long steps, double *sensors,
                                      double *iterations, unsigned char *failed);

struct ph_compiled {
    atomic_int users;
    void *library;
    unsigned (*step)(void *state); /* NULL: it is made for a device, and has */
    ph_ensemble_fn ensemble;       /* NULL: it is not */
    void (*seen)(const void *state,
                 double *out); /* numbers of ph_sighting, lane by lane; NULL: it has none */
    int lanes, device;
    int from_cache; /* it was built by an earlier run */
    ph_struct_places at;
    ph_constants constants; /* of the run whose source it is */
    int *datum;             /* of each of its numbers: its place among data; -1: every run must have it */
    int n_data, n_open, n_sensors; /* numbers of sensors */
    char (*open)[80];              /* names */
};

ph_compiled *ph_compiled_keep(ph_compiled *c); /* one more user */

/* built.c: for a device, or for this processor; anew 1: what is kept of earlier runs does not serve. */
ph_status ph_compiled_open(ph_compiled **out, ph_run *run, const char *const *open, int n_open, int lanes,
                           int device, int anew, ph_error *err);

/* native.c: the run as one member has it; how far q and v of a member are from those of the run, of their size. */
ph_status ph_compiled_pack(const ph_compiled *c, const ph_run *run, double *state, ph_error *err);
double ph_compiled_apart(const ph_compiled *c, const ph_run *run, double *state);

#endif
