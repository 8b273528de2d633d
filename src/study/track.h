/* A solution to compare with: rows of a probe at ascending times. */
#ifndef PH_STUDY_TRACK_H
#define PH_STUDY_TRACK_H

#include "study/probe.h"
#include "study/reference.h"

typedef struct ph_track {
    long n;           /* rows */
    int size;         /* numbers of a row */
    double *t, *row;  /* one block, at t; row k at row + k size */
    unsigned missing; /* bit m: it does not have measure m */
    double h;         /* of the finer run of the same method that it is; 0: the exact solution or a file */
} ph_track;

int ph_track_create(ph_track *t, long n, int size); /* zeros; 0: no memory */
void ph_track_clear(ph_track *t);

/* All states of a reference solution. 0: no memory */
int ph_track_of_reference(ph_track *t, ph_probe *probe, ph_reference *r);

/* A run is compared with a track on the way: largest distances at the times that both have, from from on. */
typedef struct ph_comparison {
    ph_probe *probe;
    const ph_track *track;
    double from;
    double tol;                /* times this near are equal */
    long next;                 /* row of the track that is not yet past */
    long times;                /* that both have */
    double error[PH_MEASURES]; /* NAN where a distance was; also where the track does not have a measure */
    double *row;               /* of the probe */
    unsigned mean;             /* bit m: the root mean square of measure m, not its largest, */
    double sum[PH_MEASURES];   /* whose squares add up to this */
} ph_comparison;

int ph_comparison_begin(ph_comparison *c, ph_probe *probe, const ph_track *track, double from,
                        double tol);                         /* 0: no memory */
void ph_comparison_see(ph_comparison *c, const ph_state *s); /* every state of the run, in order */
/* The same where the row of the other solution at this time is known. */
void ph_comparison_meet(ph_comparison *c, const ph_state *s, const double *row);
void ph_comparison_end(ph_comparison *c);

#endif
