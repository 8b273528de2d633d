/* Distance of a state from the exact solution of a problem. */
#ifndef PH_CLI_EXACT_H
#define PH_CLI_EXACT_H

#include "problem/problem.h"

typedef struct ph_exact_error {
    double q, v,
        lambda; /* 2-norms over the system: of log(q^-1 q_exact), v - v_exact, lambda - lambda_exact */
} ph_exact_error;

/* 0: the problem has no exact solution at this time, or memory does not suffice. */
int ph_exact_compare(const ph_problem *p, const ph_state *s, ph_exact_error *out);

#endif
