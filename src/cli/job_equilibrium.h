/* What static and modes share: the equilibrium of a model. */
#ifndef PH_CLI_JOB_EQUILIBRIUM_H
#define PH_CLI_JOB_EQUILIBRIUM_H

#include "cli/job.h"
#include "polhode/equilibrium.h"

/* The equilibrium of the target of r under full load; NULL: r->status and r->err say why. */
ph_equilibrium *ph_job_equilibrium(ph_job *r);

#endif
