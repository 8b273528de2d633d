/* Runs of a system with several step sizes and several variants of the method, each compared with a reference
 * solution: what convergence and work-precision studies share. */
#ifndef PH_STUDY_CASES_H
#define PH_STUDY_CASES_H

#include "study/pool.h"
#include "study/track.h"
#include "study/variant.h"

#define PH_STEPS_MAX 1e9 /* of one run: more is a slip of the pen, not a plan */

long ph_steps_of(double t_end, double h); /* so that t_end/steps is nearest to h */

typedef enum ph_against {
    PH_AGAINST_EXACT,  /* what ph_reference_create gives */
    PH_AGAINST_FINEST, /* a run of the same variant with a quarter of the smallest h, or a little less */
    PH_AGAINST_TRACK   /* def.track */
} ph_against;

/* One model, and what is compared of its states. */
typedef struct ph_case_site {
    ph_run *run; /* which is told methods and step sizes; watches nothing, t_end is that of the study */
    ph_probe *probe;
} ph_case_site;

typedef struct ph_cases_def {
    const ph_problem *p; /* of the reference */
    ph_run *run;         /* of all cases, unless sites says otherwise */
    ph_probe *probe;
    const ph_case_site
        *sites; /* of each variant: the same model in other coordinates, whose rows are alike; or NULL */
    int n_variants;
    const ph_variant *variants;
    int n_h;
    const long *steps; /* of each run, ascending: h = t_end / steps */
    int n_tol;
    const double *tol; /* of each run of a variant by tolerance, descending */
    double random; /* above 1: steps of random sizes from h/random to h random, compared at all their ends; */
    unsigned seed; /* against exact solutions alone */
    double t_end;
    double from; /* errors count from here on */
    ph_against against;
    const ph_track *track;
    int jobs;          /* processes; 0: as many as there are processors. Runs that are timed go one by one */
    int timed;         /* measure the time of each run */
    int repeats;       /* of timed runs; 0: as many as fit into 0.3 s, but 3 unless they take long */
    int extrapolate;   /* states are compared less the error that the run itself finds */
    const char *title; /* of progress lines; NULL: none */
} ph_cases_def;

/* What came of one run. No pointers: it travels between processes. */
typedef struct ph_case {
    double h;           /* step size, or tolerance */
    double h_reference; /* of the finer run that it is compared with; 0: no such run */
    long steps;         /* planned, or as many as it took */
    ph_status status;
    char why[256];             /* if not PH_OK */
    double error[PH_MEASURES]; /* NAN: not to be had */
    long times;                /* compared */
    ph_stats stats;
    double cpu_s; /* of the integration alone, best of the repeats; NAN: not timed */
    int repeats;
} ph_case;

/* Rows of a variant: n_h, or n_tol; where they begin, that of n_variants being the number of all; and the variant of a
 * row. */
int ph_cases_count(const ph_cases_def *def, int variant);
int ph_cases_first(const ph_cases_def *def, int variant);
int ph_cases_variant(const ph_cases_def *def, int row);

/* All runs: out[ph_cases_first(variant) + k]. A run that fails says so in its place; what stops the study is returned:
 * no reference, no memory, a signal (in *signal if that is not NULL; 0: none). */
ph_status ph_cases_run(const ph_cases_def *def, ph_case *out, int *signal, ph_error *err);

/* Order and constant of one measure of a variant; rows: its n cases. */
typedef struct ph_observed {
    double order;    /* of the last two rows */
    double fit;      /* least squares over all rows */
    double constant; /* C of e = C h^p with p the whole number next to order, from the last row */
} ph_observed;

ph_observed ph_cases_order(int n, const ph_case *rows, int measure);
double ph_cases_local_order(const ph_case *coarse, const ph_case *fine, int measure);

/* Whether an order differs from what is expected by more than 0.15; NAN does. */
int ph_order_missed(double order, double expected);

#endif
