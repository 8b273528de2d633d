/* run --error-bars and --extrapolate. */
#ifndef PH_CLI_BARS_H
#define PH_CLI_BARS_H

#include "cli/sens_show.h"

/* Where they are asked for, the extension of a job whose target is open. 0 after one line on stderr. */
int ph_bars_open(ph_job *r);
void ph_bars_close(ph_job *r);

#endif
