/* State files: where a run is, so that another one goes on from there. */
#ifndef PH_CLI_STATE_FILE_H
#define PH_CLI_STATE_FILE_H

#include "cli/job.h"

/* Whether --save can be done: before a run that may take long. 0: said why. */
int ph_state_possible(const ph_job *r);

/* The run goes on from the file of --from. */
ph_status ph_state_read(ph_job *r);

/* The file of --save, whole or not at all. 0: said why. */
int ph_state_write(const ph_job *r);

/* The same of a state at rest: positions, turns and values of states{} alone, from which runs with any method, step size and inputs start. */
int ph_state_write_rest(const ph_job *r);

#endif
