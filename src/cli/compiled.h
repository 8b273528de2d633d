/* Runs by compiled steps. */
#ifndef PH_CLI_COMPILED_H
#define PH_CLI_COMPILED_H

#include "polhode/run.h"

/* Build and load the model of a run, whose steps are compiled from then on. NULL: a sentence says why they are not. Close it after
 * the run. */
void *ph_compiled_open(ph_run *run);
void ph_compiled_close(void *library);

#endif
