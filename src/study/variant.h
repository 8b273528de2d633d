/* Variants of a method: all combinations of the values that options of a study list. */
#ifndef PH_STUDY_VARIANT_H
#define PH_STUDY_VARIANT_H

#include "polhode/sim.h"

#define PH_LIST_MAX 64

/* Values of an option that takes several, "1e-3,5e-4"; n = 0: not given. */
typedef struct ph_numbers {
    int n;
    double x[PH_LIST_MAX];
} ph_numbers;

typedef struct ph_counts { /* whole numbers, and codes of words */
    int n;
    int k[PH_LIST_MAX];
} ph_counts;

typedef struct ph_names { /* of a table */
    int n;
    const char *text[PH_LIST_MAX];
} ph_names;

/* Several values where ph_options has one. */
typedef struct ph_lists {
    ph_numbers h, tol, sigma, rho;
    ph_counts order, formulation, correction, start, newton;
    ph_counts space; /* rows of spaces.def */
    ph_names method, tableau;
} ph_lists;

#define PH_VARIANTS_MAX  256
#define PH_VARIANT_LABEL 96

typedef struct ph_variant {
    ph_options opt;               /* without h */
    int space;                    /* row of spaces.def; -1: that of the study */
    int by_tol;                   /* its runs have tolerances in place of step sizes */
    char label[PH_VARIANT_LABEL]; /* what tells it apart: "genalpha, sigma 0"; the method if nothing does */
} ph_variant;

/* The combinations, methods slowest. A method that does not read an option takes no part in its values: it is
 * there once; so it is with sigma where coordinates are those of a chart, in R^n. Their number; -1: more than
 * PH_VARIANTS_MAX. */
int ph_variants_list(const ph_options *base, const ph_lists *lists, ph_variant out[PH_VARIANTS_MAX]);

/* Behind n variants, the same once more with steps by tolerance, where the method has them; alone 1: in their place. Their
 * number; -1: more than PH_VARIANTS_MAX. */
int ph_variants_add_tol(ph_variant variants[PH_VARIANTS_MAX], int n, int alone);

/* The first option with several values that none of the methods reads: "--order"; NULL: there is none. */
const char *ph_variants_unread(const ph_lists *lists, int n, const ph_variant *variants);

#endif
