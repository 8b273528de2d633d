/* Which method reaches an accuracy soonest, found by trying. */
#ifndef PH_STUDY_PROPOSE_H
#define PH_STUDY_PROPOSE_H

#include "study/probe.h"

typedef struct ph_proposal {
    ph_options opt; /* method, tableau or order, and tol */
    double cpu_s;   /* of the run up to its end */
    double error;   /* of positions [m] and rotations [rad]: the largest at some times up to the end */
} ph_proposal;

/* Runs from the start up to t_end with steps by tolerance, method by method, each compared with a run that is a thousand times as exact;
 * the method is left as the last one tried. probe: of the run. PH_E_STEP: no method comes to the end in the seconds that there are. */
ph_status ph_propose(ph_run *run, ph_probe *probe, double accuracy, double t_end, ph_proposal *out,
                     ph_error *err);

/* "--method rkmk --tableau dopri8 --tol 1e-06", to text; returns it. */
const char *ph_proposal_words(const ph_proposal *p, char *text, size_t size);

#endif
