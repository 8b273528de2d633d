/* Figures that prove the core: published and independently computed numbers beside ours. One table,
 * figures.def; the test asserts every row and the page docs/verification.md prints it. */
#ifndef PH_STUDY_FIGURE_H
#define PH_STUDY_FIGURE_H

#include <stdio.h>

#include "polhode/sim.h"

#define PH_FIGURE_MAX 3 /* values of one row */

/* What is run to measure a figure; a measure reads what it needs. */
typedef struct ph_figure_run {
    const char *problem; /* row of problems.def; NULL: heavy_top_r3xso3; of local errors "SO3" or "SE3" */
    double x;            /* its parameter; NAN: the default */
    const char *method;  /* NULL: genalpha */
    ph_formulation formulation;
    ph_ggl_form ggl;
    ph_start start;
    double sigma, rho, h;
    double from, to; /* errors count at from <= t <= to; the run ends at to */
    /* Of model files. Without h the run is that which the file describes, but for the formulation. */
    const char *model; /* "heavy_top": heavy_top.lua in the folder of models; NULL: none */
    const char *set;   /* parameter of the model that x replaces; NULL: none */
    int space;         /* row of spaces.def */
    const char *of;    /* what is looked at, words as figure_model.c has them: "tip", "pivot.force" */
    double exact[PH_FIGURE_MAX]; /* errors are taken against it */
} ph_figure_run;

typedef enum ph_figure_kind {
    PH_WITHIN,  /* |value - expected| <= tol */
    PH_PERCENT, /* |value - expected| <= tol/100 |expected| */
    PH_AT_MOST, /* value <= expected */
    PH_TINY,    /* the same of a round-off error: the page shows the power of ten above it */
    PH_EXACTLY, /* value == expected */
    PH_AT_LEAST /* value >= expected */
} ph_figure_kind;

/* Some measurements share runs; they are kept here. One thread at a time. */
typedef struct ph_study ph_study;

typedef struct ph_figure {
    const char *section; /* title of a new section, whose text is what; NULL in all other rows */
    const char *id, *what, *source;
    ph_figure_kind kind;
    double tol;
    int n; /* values, each with the same tolerance */
    double expected[PH_FIGURE_MAX];
    int (*measure)(ph_study *study, const ph_figure_run *run, double *value); /* 0: could not be measured */
    ph_figure_run run;
} ph_figure;

/* models: folder of the model files; it must outlive the study. NULL: no memory */
ph_study *ph_study_create(const char *models);
void ph_study_destroy(ph_study *study);
const char *ph_study_complaint(const ph_study *study); /* of the last model that could not be run; "": none */

const ph_figure *ph_figure_get(int k); /* row k of the table; NULL past the end */
void ph_figure_measure(ph_study *study, const ph_figure *f,
                       double *value); /* NAN where it cannot be measured */

/* The figure stands if error <= bound for each of its values; NAN is a failure. */
double ph_figure_error(const ph_figure *f, int i, double value);
double ph_figure_bound(const ph_figure *f, int i);

/* Measure all rows and write the page, in Markdown. Returns the number of rows that fail; -1: no memory. The
 * second goes on with what a study has measured before. */
int ph_figures_write(FILE *out, const char *models);
int ph_figures_page(ph_study *study, FILE *out);

#endif
