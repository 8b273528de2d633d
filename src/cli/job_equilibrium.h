/* What static and modes share: the equilibrium of a model. */
#ifndef PH_CLI_JOB_EQUILIBRIUM_H
#define PH_CLI_JOB_EQUILIBRIUM_H

#include "cli/job.h"
#include "polhode/equilibrium.h"

/* The equilibrium of the target of r under full load; NULL: r->status and r->err say why. */
ph_equilibrium *ph_job_equilibrium(ph_job *r);

/* From now on turns are those of the equilibrium, until the run starts anew: numbers of its state want them. NULL: nothing changes. */
void ph_job_recall(const ph_job *r, const ph_equilibrium *e);

#endif
