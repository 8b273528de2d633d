/* Figures that prove the core: published and independently computed numbers beside ours. One table,
 * claims.def; the test asserts every row and the page docs/verification.md prints it. */
#ifndef PH_CLAIM_CLAIM_H
#define PH_CLAIM_CLAIM_H

#include <stdio.h>

#include "polhode/sim.h"

#define PH_CLAIM_MAX 4 /* values of one row */

/* What is run to measure a claim; a measure reads what it needs. */
typedef struct ph_claim_run {
    const char *problem; /* row of problems.def; NULL: heavy_top_r3xso3; of local errors "SO3" or "SE3" */
    double x;            /* its parameter; NAN: the default */
    const char *method;  /* NULL: genalpha */
    ph_formulation formulation;
    ph_ggl_form ggl;
    ph_start start;
    double sigma, rho, h;
    double from, to; /* errors count at from <= t <= to; the run ends at to */
    int order;       /* of bliedf; 0: another method */
    ph_correction correction;
    const char *tableau; /* of rkmk; NULL: another method */
    double tol;          /* of error control; 0: none */
    ph_newton newton;
    double accuracy; /* of Newton's method, atol and rtol; 0: the default */
    double rtol;     /* of it; 0: as accuracy says */
    double expect;   /* order; 0: 2 */
    /* For model files. Without h the run is the one that the file describes, except for the formulation. */
    const char *model;          /* "heavy_top": heavy_top.lua in the folder of models; NULL: none */
    const char *set;            /* parameter of the model that x replaces; NULL: none */
    int space;                  /* row of spaces.def */
    const char *of;             /* what is looked at, words as claim_model.c has them: "tip", "pivot.force" */
    double exact[PH_CLAIM_MAX]; /* errors are taken against it */
} ph_claim_run;

typedef enum ph_claim_kind {
    PH_WITHIN,  /* |value - expected| <= tol */
    PH_PERCENT, /* |value - expected| <= tol/100 |expected| */
    PH_AT_MOST, /* value <= expected */
    PH_TINY,    /* the same of a round-off error: the page shows the power of ten above it */
    PH_EXACTLY, /* value == expected */
    PH_AT_LEAST /* value >= expected */
} ph_claim_kind;

/* What it takes to measure a claim. */
typedef enum ph_effort {
    PH_QUICK, /* by all tests */
    PH_LONG,  /* more than builds with sanitizers should do */
    PH_SLOW   /* by 'polhode-verify --all' and the slow tests alone */
} ph_effort;

/* Some measurements share runs; they are kept here. One thread at a time. */
typedef struct ph_study ph_study;

typedef struct ph_claim {
    const char *section; /* title of a new section, whose text is what; NULL in all other rows */
    const char *id, *what, *source;
    ph_effort effort;
    ph_claim_kind kind;
    double tol;
    int n; /* values, each with the same tolerance */
    double expected[PH_CLAIM_MAX];
    int (*measure)(ph_study *study, const ph_claim_run *run, double *value); /* 0: could not be measured */
    ph_claim_run run;
} ph_claim;

/* models: folder of the model files; it must outlive the study. NULL: no memory */
ph_study *ph_study_create(const char *models);
void ph_study_destroy(ph_study *study);
const char *ph_study_complaint(const ph_study *study); /* of the last model that could not be run; "": none */

const ph_claim *ph_claim_get(int k); /* row k of the table; NULL past the end */
void ph_claim_measure(ph_study *study, const ph_claim *f,
                      double *value); /* NAN where it cannot be measured */

/* The claim holds if error <= bound for each of its values; NAN is a failure. */
double ph_claim_error(const ph_claim *f, int i, double value);
double ph_claim_bound(const ph_claim *f, int i);

/* The command that shows it. 0: nothing but 'polhode-verify --row' does. */
int ph_claim_command(const ph_claim *f, char *text, size_t size);

int ph_claim_count(void);                      /* rows of the table */
const ph_claim *ph_claim_find(const char *id); /* NULL: there is none */

/* ---- the page ---------------------------------------------------------------------------------------- */

typedef struct ph_claims_def {
    const char *models; /* folder of the model files */
    ph_effort effort;   /* rows beyond it are not measured, and shown without a value */
    int jobs;           /* processes; 0: as many as there are processors */
    const char *title;  /* of the progress line; NULL: none */
} ph_claims_def;

/* Measure the rows, section by section in several processes: value[k] belongs to row k, NAN where it could
 * not be measured. */
ph_status ph_claims_measure(const ph_claims_def *def, double (*value)[PH_CLAIM_MAX], ph_error *err);

/* Write the page, in Markdown. pictures: their folder as the page names it. Returns the number of rows that
 * fail. */
int ph_claims_page(FILE *out, ph_effort effort, const double (*value)[PH_CLAIM_MAX], const char *pictures);

/* The rows with these places alone, as a table. Returns the number of rows that fail. */
int ph_claims_table(FILE *out, int n, const int *rows, const double (*value)[PH_CLAIM_MAX]);

enum {
    PH_TIMED = 1,
    PH_PARTLY = 2
}; /* of a picture: no two are alike, as it shows CPU times; some runs fail */

/* A picture of the page: the command that draws it, without --plot. */
typedef struct ph_picture {
    const char *name, *command, *caption;
    int kind; /* PH_TIMED, PH_PARTLY */
} ph_picture;

const ph_picture *ph_picture_get(int k); /* row k of pictures.def; NULL past the end */

/* Papers, figure by figure: rows of papers.def. */
typedef struct ph_paper {
    const char *title;   /* of a new paper, whose text is remark; NULL in all other rows */
    const char *place;   /* "Fig. 4" */
    const char *printed; /* what the page has, numbers where it prints any */
    const char *rows;    /* ids of our claims, with blanks between them; "": none */
    const char *see;     /* pictures by name, with blanks between them; "": none */
    const char *remark;
} ph_paper;

const ph_paper *ph_paper_get(int k); /* NULL past the end */

#endif
