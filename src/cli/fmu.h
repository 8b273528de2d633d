/* FMUs of compiled models. */
#ifndef PH_CLI_FMU_H
#define PH_CLI_FMU_H

#include "polhode/compile.h"

/* Write an FMU for co-simulation, interface fmi 2 or 3, with a binary for this machine if there is a C compiler. 0: it failed,
 * and a sentence says why. */
int ph_fmu_write(const ph_run *run, const ph_compile_config *config, const char *name, int fmi,
                 const char *path);

#endif
