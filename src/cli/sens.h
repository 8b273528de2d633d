/* polhode sens: what the files of the command share. */
#ifndef PH_CLI_SENS_H
#define PH_CLI_SENS_H

#include "cli/job.h"
#include "study/goal.h"

/* All that run reports of a state, as one list of numbers. */
typedef struct ph_seen {
    const ph_model *model;
    int n, width;
    ph_channel *channel; /* quantity by quantity; names are the model's */
    int *at;             /* where the numbers of each begin */
} ph_seen;

/* One objective: what it came to, and its derivatives. */
typedef struct ph_aim {
    ph_goal goal;
    double value, last;        /* last: the integrand at the last step */
    double *gradient, *slope;  /* n: derivatives of both */
    double *fd;                /* n: differences of runs */
    double end[PH_NEIGHBOURS]; /* what it came to in runs of the neighbours of one parameter */
} ph_aim;

typedef struct ph_sens_study {
    int n; /* parameters */
    ph_vary *vary;
    ph_given given;    /* settings of the command, */
    ph_vary_base from; /* which are among what they are built from */
    ph_param *param;
    char (*name)[64];
    ph_sens *sens; /* direct */
    ph_seen seen;
    double *value;   /* width: at the end */
    double *d, *fd;  /* n x width: derivatives; by differences of runs */
    double *work[6]; /* width each */
    ph_body_state *base;
    double *block; /* of all numbers */
    int n_aims;
    ph_aim *aim;
    int checked;
} ph_sens_study;

/* sens_seen.c: 0: no memory. */
int ph_seen_create(ph_seen *seen, const ph_model *model, const ph_mechanism *mech);
void ph_seen_destroy(ph_seen *seen);

/* Rotations as vectors from those of base, one for each body. */
void ph_seen_values(const ph_seen *seen, ph_mechanism *mech, const ph_state *s, const ph_body_state *base,
                    double *out);
void ph_seen_base(const ph_seen *seen, const ph_mechanism *mech, const ph_state *s, ph_body_state *base);

/* sens_direct.c: derivatives by parameter k at the state of the run, of all that is seen and of an objective. */
void ph_sens_derive(const ph_job *r, ph_sens_study *st, int k, double *out);
ph_status ph_sens_derive_aim(const ph_job *r, ph_sens_study *st, ph_aim *aim, ph_objective_part part, int k,
                             double *out);

/* sens_modes.c */
ph_status ph_sens_simulate(ph_job *r); /* of ph_extension */

/* sens_fd.c: five-point differences of whole runs, to st->fd and those of the aims. */
ph_status ph_sens_differences(ph_job *r, ph_sens_study *st);

/* sens_report.c: the rest of it */
void ph_sens_header(ph_job *r);
void ph_sens_row(ph_job *r, const ph_state *s);
void ph_sens_text(const ph_job *r);
void ph_sens_json(const ph_job *r, ph_json *j);

#endif
