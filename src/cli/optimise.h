/* polhode optimise: what the files of the command share. */
#ifndef PH_CLI_OPTIMISE_H
#define PH_CLI_OPTIMISE_H

#include "cli/cli.h"
#include "study/journal.h"

#define PH_DESIGN_MAX  32 /* parameters */
#define PH_DESIGN_NAME 64

/* One point that was tried. */
typedef struct ph_evaluation {
    double x[PH_DESIGN_MAX], value, gradient[PH_DESIGN_MAX];
} ph_evaluation;

typedef struct ph_design {
    const ph_args *args;
    ph_run *run; /* one for all evaluations */
    int n;
    char name[PH_DESIGN_MAX][PH_DESIGN_NAME];
    double lower[PH_DESIGN_MAX], upper[PH_DESIGN_MAX], start[PH_DESIGN_MAX];
    int n_evaluations, room; /* in the order of the search */
    ph_evaluation *evaluation;
    int n_known, known_room; /* of the log */
    ph_evaluation *known;
    int runs; /* that were not in the log */
    ph_journal log;
    char title[160];
    ph_error err;
} ph_design;

/* What is to become least: an objective, or a number of a sensor. */
typedef struct ph_least {
    int objective; /* -1: the sensor */
    int sensor, number;
} ph_least;

/* evaluate.c: by name, "J", "peak", "peak.z" or "peak.3"; 0: there is none */
int ph_least_find(const ph_run *run, const char *name, ph_least *out);

/* evaluate.c: value and gradient of the objective at x, by one adjoint run; ctx is the ph_design, whose err tells
 * what went wrong. */
ph_status ph_design_evaluate(const ph_design *d, const double *x, ph_evaluation *out, ph_error *err);

/* |gradient| as the search sees it: by parameters as parts of the range of their bounds. */
double ph_design_steepness(const ph_design *d, const ph_evaluation *t);

/* optimise_show.c: the exit code */
int ph_design_deliver(const ph_design *d, const double *best, double value, const char *why);

#endif
