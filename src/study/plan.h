/* Which cases a parameter study has: the product of lists of values, or a Latin hypercube over ranges.
 *
 *   m=10:20:11        n equidistant values from 10 to 20
 *   m=0.1:10:5:log    the same with equal ratios
 *   m=10,15,20        these
 *   m=10:20           a range, for samples alone
 *
 * Samples: the range of each quantity has N strata of equal size; each stratum is used once, in an order that
 * is random and of the quantity's own; the place within the stratum is random too:
 *
 *   u_k = (pi(k) + r_k)/N,   value = a + u (b - a),   log: a (b/a)^u,   list of n: entry floor(u n)
 *
 * pi is Fisher and Yates' shuffle, r uniform in [0, 1) with 53 bits; both come from the generator SplitMix64
 * whose state starts with the seed xor the fingerprint (hash.h) of the quantity's name: its samples depend on
 * nothing but seed, N, name and range. */
#ifndef PH_STUDY_PLAN_H
#define PH_STUDY_PLAN_H

#include "polhode/base.h"

#include <stdint.h>

#define PH_PLAN_CASES_MAX 1000000 /* more is a slip of the pen, not a plan */
#define PH_VARY_MAX       16      /* quantities varied */
#define PH_VARY_NAME      64

/* One quantity and its values. */
typedef struct ph_vary {
    char name[PH_VARY_NAME];
    int whole;       /* whole numbers alone; the caller knows */
    int is_list;     /* 1: given one by one */
    int log;         /* equal ratios */
    int n;           /* values; 0: a range */
    double from, to; /* of what is no list */
    double *value;   /* n of them; or, of samples, one for each case */
} ph_vary;

typedef struct ph_plan {
    int n_vary;
    ph_vary vary[PH_VARY_MAX];
    int samples;   /* 0: the product of all */
    uint64_t seed; /* of samples */
    int n;         /* cases */
} ph_plan;

/* "m=10:20:11". PH_E_INPUT: err says what is wrong with it. ph_plan_clear frees it. */
ph_status ph_plan_add(ph_plan *p, const char *text, ph_error *err);

/* After all quantities are added, and samples, seed and whole are set. */
ph_status ph_plan_build(ph_plan *p, ph_error *err);

void ph_plan_clear(ph_plan *p);

/* The last quantity of the product changes fastest. */
double ph_plan_value(const ph_plan *p, int quantity, int k);

#endif
