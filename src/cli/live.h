/* Live pages: a run that goes on while a browser shows it. */
#ifndef PH_CLI_LIVE_H
#define PH_CLI_LIVE_H

#include "cli/job.h"

/* Serve the page of a target that is open until it is closed or a signal comes; the exit code. */
int ph_live(ph_job *r);

#endif
