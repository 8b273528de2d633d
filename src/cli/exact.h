/* Distance of a state from the exact solution, where it is known, or from a reference solution. */
#ifndef PH_CLI_EXACT_H
#define PH_CLI_EXACT_H

#include "problem/problem.h"

typedef struct ph_exact_error {
    double q, v,
        lambda; /* 2-norms over the system: of log(q^-1 q_exact), v - v_exact, lambda - lambda_exact */
    const char *source; /* the solution in words */
} ph_exact_error;

/* solve: a solution that is not known is computed. source NULL: there is none to compare with. */
ph_status ph_exact_compare(const ph_problem *p, const ph_state *s, int solve, ph_exact_error *out,
                           ph_error *err);

#endif
