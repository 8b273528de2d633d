/* A model at neighbouring values of one parameter: what sensitivities need of it. */
#ifndef PH_RUN_NEIGHBOURS_H
#define PH_RUN_NEIGHBOURS_H

#include "run/private.h"

typedef struct ph_neighbour {
    ph_model *model;
    ph_mechanism *mech;
    ph_system sys; /* with n_redundant as that of the model itself */
    const double *q0, *v0;
} ph_neighbour;

typedef struct ph_neighbours {
    const char *name; /* the model's */
    double value, eps;
    ph_neighbour at[PH_NEIGHBOURS];
    ph_loads *loads; /* what differs; NULL: unknown */
    int steady;      /* of ph_param */
} ph_neighbours;

/* Return the derivative from the values at the neighbours. It is exactly 0 if they are equal. */
static inline double ph_neighbours_difference(const double x[PH_NEIGHBOURS], double eps)
{
    return (8 * (x[2] - x[1]) - (x[3] - x[0])) / (12 * eps);
}

/* Neighbours of a parameter of the run's model. eps 0: that of the run. */
ph_status ph_neighbours_create(ph_neighbours *out, const ph_run *run, int parameter, double eps,
                               ph_error *err);
void ph_neighbours_destroy(ph_neighbours *n);
ph_param ph_neighbours_param(const ph_neighbours *n);

/* run_derivative.c: those of several parameters, and what sens.h needs of them; two arrays from the run's allocator. */
ph_status ph_neighbours_of(const ph_run *run, const int *parameters, int n, ph_neighbours **near,
                           ph_param **param, ph_error *err);
/* Words for PH_E_CALLBACK, where a function failed in one of n neighbours; returns s. */
ph_status ph_neighbours_explain(const ph_neighbours *near, int n, ph_status s, ph_error *err);

#endif
