/* Which method reaches an accuracy with the least work, found by trying. */
#ifndef PH_STUDY_PROPOSE_H
#define PH_STUDY_PROPOSE_H

#include "study/probe.h"

typedef struct ph_proposal {
    ph_options opt; /* method, tableau or order, and tol; tol 0: constant steps h */
    double
        work; /* of the run up to its end, in evaluations of accelerations: decides, and does not depend on the clock */
    double cpu_s; /* what it took here */
    double error; /* of positions [m] and rotations [rad]: the largest at some times up to the end */
    double
        ratio; /* error of a run with twice the h or four times the tol over this error; NAN: that run failed */
    double promised; /* what the order of the method makes of the ratio */
    int sure;        /* 1: the ratio is near that, or the coarser run keeps the accuracy, too */
} ph_proposal;

/* Run from the start to t_end method by method, with tolerances and with constant steps, each compared with a run that is a thousand
 * times as exact; the method is left as the last one tried. probe: of the run. PH_E_STEP: no method comes to the end in the seconds that
 * there are. */
ph_status ph_propose(ph_run *run, ph_probe *probe, double accuracy, double t_end, ph_proposal *out,
                     ph_error *err);

/* "--method rkmk --tableau dopri8 --tol 1e-06" or "--h 0.001", to text; returns it. */
const char *ph_proposal_words(const ph_proposal *p, char *text, size_t size);

#endif
