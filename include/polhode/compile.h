/* Compiled models: a run as C source that needs nothing of this library.
 *
 * The source has a struct with the state, of fixed size, and functions on it; it does not allocate, print or keep
 * anything elsewhere. docs/compile.md describes it. */
#ifndef POLHODE_COMPILE_H
#define POLHODE_COMPILE_H

#include <stdio.h>

#include "polhode/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_compile_config {
    size_t size;        /* sizeof(ph_compile_config); set by ph_compile_defaults */
    const char *name;   /* of the struct, and what its functions begin with; NULL: the title of the model */
    int lanes;          /* members that step at once: 1, 2, 4 or 8 */
    int max_iterations; /* of Newton's method in a step; 0: as in the options of the run */
    const char *const
        *open; /* parameters that stay variable: fields of the struct, which NAME_restart reads */
    int n_open;
} ph_compile_config;

/* One member, named as the model is. */
PH_API ph_compile_config ph_compile_defaults(void);

/* The name that the source has: at most size - 1 characters. PH_E_INPUT: C does not allow it. */
PH_API ph_status ph_compile_name_of(const ph_run *run, const ph_compile_config *config, char *name,
                                    size_t size, ph_error *err);

/* Write NAME.h and NAME.c. The run is at its initial time: its values are those of NAME_init. PH_E_INPUT: the model has
 * what cannot be compiled, and err names it. */
PH_API ph_status ph_run_compile(const ph_run *run, const ph_compile_config *config, FILE *header,
                                FILE *source, ph_error *err);

/* Write NAME.cu: the same model on a device, one thread for each member, and a program that runs an ensemble. It includes
 * NAME.c. */
PH_API ph_status ph_run_compile_cuda(const ph_run *run, const ph_compile_config *config, FILE *driver,
                                     ph_error *err);

/* ---- compiled steps of runs --------------------------------------------------------------------------------- */
/* A compiled model that was built by the C compiler of the system, cc or $CC, and loaded. What was built is kept in the folder of
 * POLHODE_CACHE, by its source, the version of the library, the compiler and its flags. Constant: runs in several threads may
 * share it. */
typedef struct ph_compiled ph_compiled;

/* The model of a run at its initial time. open: parameters in which the runs that use it may differ, in any way that does not change the
 * structure of the model. lanes: runs that step at once, 1, 2, 4 or 8; 0: as many as vectors of this processor have numbers.
 * PH_E_INPUT: the model cannot be compiled, or there is no compiler. */
PH_API ph_status ph_compiled_create(ph_compiled **out, ph_run *run, const char *const *open, int n_open,
                                    int lanes, ph_error *err);
PH_API void ph_compiled_release(ph_compiled *c);    /* accepts NULL; runs that use it keep it */
PH_API int ph_compiled_lanes(const ph_compiled *c); /* runs that step at once */

/* Steps of a run are made by it from now on, until other parameters or options. The run is as before otherwise. Its first steps
 * are made both ways and must agree, or its own are used again. Steps that fail are made by the library, which says why. eta of the
 * stabilised form is not told. PH_E_INPUT: the run differs from what was compiled by more than open parameters, or its
 * constraints are redundant. */
PH_API ph_status ph_run_use(ph_run *run, ph_compiled *c, ph_error *err);

/* Both in one, of a single run; and again where its parameters or options change. */
PH_API ph_status ph_run_build(ph_run *run, const char *const *open, int n_open, ph_error *err);

/* Runs that use the same compiled model, as many as it has lanes or fewer, all to t: one that fails does not touch the others. Nobody
 * observes them. status and err: n of them, as ph_run_until has them. */
PH_API ph_status ph_runs_until(ph_run *const *run, int n, double t, ph_status *status, ph_error *err);

/* ---- ensembles on a device --------------------------------------------------------------------------------------- */
/* A compiled model as ph_compiled_create makes it, but for a device: built by nvcc, or that of $NVCC. Its first steps of the
 * run, which is at its initial time before and after, must be those of the library; where a kept one does not make them, it is built anew. PH_E_INPUT also: there is no nvcc, no device; the
 * model has events, or sensors over time. */
PH_API ph_status ph_compiled_create_device(ph_compiled **out, ph_run *run, const char *const *open,
                                           int n_open, ph_error *err);
PH_API int ph_compiled_numbers(const ph_compiled *c); /* of the state of one member */
PH_API int ph_compiled_sensors(const ph_compiled *c); /* numbers that all sensors give, one after the other */

/* A run that was started as the state of a member. PH_E_INPUT: it differs from what was compiled by more than open parameters,
 * has an input that changes over time, or redundant constraints. */
PH_API ph_status ph_compiled_load(const ph_compiled *c, const ph_run *run, double *state, ph_error *err);

/* So many steps of all members: their states, one after the other, before and after; numbers of sensors, the sum of iterations, and
 * failed 1 for each that does not converge, whose state is the one before that step. Nobody watches violations or energy on the way.
 * PH_E_INPUT: the device says why. */
PH_API ph_status ph_compiled_run(const ph_compiled *c, long members, double *state, long steps,
                                 double *sensors, double *iterations, unsigned char *failed, ph_error *err);

/* ---- code of the caller ------------------------------------------------------------------------------------------- */
/* Steps of a run by its compiled model, which the caller has built and loaded: step is NAME_step of the source that
 * ph_run_compile wrote for this very run, one member. The run is as before otherwise; its first steps are made both ways and must
 * agree, or its own steps are used again, as they are after other parameters or options. Steps that fail are made by the library,
 * which says why. eta of the stabilised form is not told. PH_E_INPUT: constraints are redundant. The code must outlive the run. */
PH_API ph_status ph_run_use_compiled(ph_run *run, unsigned (*step)(void *state), ph_error *err);

/* Write what makes an FMU for co-simulation of NAME.h and NAME.c: its modelDescription.xml, and NAME_fmu.c, which includes
 * NAME.c. fmi: 2 or 3, the version of the interface. */
PH_API ph_status ph_run_compile_fmu(const ph_run *run, const ph_compile_config *config, int fmi,
                                    FILE *description, FILE *source, ph_error *err);

#ifdef __cplusplus
}
#endif

#endif
