/* A model file built again for neighbouring values of one parameter. */
#ifndef PH_STUDY_VARY_H
#define PH_STUDY_VARY_H

#include "polhode/model.h"
#include "polhode/sens.h"

typedef struct ph_neighbour {
    ph_model *model;
    ph_mechanism *mech;
    ph_system sys; /* with n_redundant as that of the model itself */
    const double *q0, *v0;
} ph_neighbour;

typedef struct ph_vary {
    const char *name; /* of the caller */
    double value, eps;
    ph_neighbour at[PH_NEIGHBOURS];
    ph_loads *loads; /* what differs; NULL: unknown */
} ph_vary;

/* What the model itself is, which its neighbours are to follow. */
typedef struct ph_vary_base {
    const char *path;
    const ph_setting *sets;
    int n_sets;
    const ph_model *model;
    int space, assemble, n_redundant;
} ph_vary_base;

/* eps 0: a small part of the value. PH_E_INPUT for a name that is no parameter. */
ph_status ph_vary_create(ph_vary *out, const ph_vary_base *base, const char *name, double eps, ph_error *err);
void ph_vary_destroy(ph_vary *vary);
ph_param ph_vary_param(const ph_vary *vary);

#endif
