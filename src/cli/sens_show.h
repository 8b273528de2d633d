/* polhode sens: what the files of the command share. */
#ifndef PH_CLI_SENS_SHOW_H
#define PH_CLI_SENS_SHOW_H

#include "cli/job.h"

/* All that run reports of a state, as one list of numbers. */
typedef struct ph_seen {
    int n, width;
    ph_channel *channel; /* quantity by quantity; names are the model's */
    int *at;             /* where the numbers of each begin */
    struct ph_view {
        int what, index; /* PH_GET_..., */
        int first;       /* and which of its numbers */
    } * view;
} ph_seen;

/* One objective: what it came to, and its derivatives. */
typedef struct ph_objective_result {
    int objective;
    double value;
    double *gradient; /* n */
    double *fd;       /* n: differences of runs */
} ph_objective_result;

typedef struct ph_sens_study {
    int n; /* parameters */
    int *param;
    double *at, *eps; /* their values, and the steps of their differences */
    char (*name)[64];
    ph_seen seen;
    double *value;  /* width: at the end */
    double *base;   /* rotations there, 4 for each body */
    double *d, *fd; /* n x width: derivatives; by differences of runs */
    double *block;  /* of all numbers */
    int n_results;
    ph_objective_result *result;
    int checked;
} ph_sens_study;

/* sens_seen.c: 0: no memory. */
int ph_seen_create(ph_seen *seen, const ph_run *run);
void ph_seen_destroy(ph_seen *seen);

/* Quantity c: its column in tables, and what it is in words, "position". */
ph_channel ph_seen_column(const ph_seen *seen, const ph_run *run, int c, char full[PH_TOLD_COLUMN]);
const char *ph_seen_quantity(const ph_seen *seen, int c);

/* At the end of a run, rotations as vectors from those of base, and the derivatives by its k-th parameter that follows, at the
 * end or at the present state; NaN where a function fails. */
void ph_seen_base(const ph_run *run, double *base);
void ph_seen_values(const ph_seen *seen, ph_run *run, const double *base, double *out);
/* The errors of the same, of a run with error bars. */
void ph_seen_error(const ph_seen *seen, ph_run *run, double *out);
void ph_seen_derive(const ph_seen *seen, ph_run *run, int k, int end, double *out);

/* sens_modes.c */
ph_status ph_sens_simulate(ph_job *r); /* of ph_extension */

/* sens_error.c: sens --error; the exit code */
int ph_sens_error(const ph_args *given);

/* sens_fd.c: five-point differences of whole runs, to st->fd and those of the results. */
ph_status ph_sens_differences(ph_job *r, ph_sens_study *st);

/* sens_report.c: the rest of it */
void ph_sens_header(ph_job *r);
void ph_sens_row(ph_job *r, const ph_state *s);
void ph_sens_text(const ph_job *r);
void ph_sens_json(const ph_job *r, ph_json *j);

#endif
