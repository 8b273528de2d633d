/* Reference solutions: states of a system at equidistant points, better than any run of it. Providers stand
 * in references.def; a further one is one file and one row. */
#ifndef PH_STUDY_REFERENCE_H
#define PH_STUDY_REFERENCE_H

#include "problem/problem.h"

typedef struct ph_reference ph_reference;

typedef struct ph_reference_provider {
    const char *name;                  /* "exact solution" */
    int (*knows)(const ph_problem *p); /* 0: ask another one */
    /* State at t in the layout of the system, asked for in ascending order of t, beginning with 0; opened and
     * closed around them. lambda is NULL where there are no constraints. */
    ph_status (*open)(const ph_problem *p, double t_end, long points, void **session, ph_error *err);
    ph_status (*at)(void *session, double t, double *q, double *v, double *vdot, double *lambda,
                    ph_error *err);
    void (*close)(void *session); /* accepts NULL */
} ph_reference_provider;

const ph_reference_provider *ph_reference_provider_of(const ph_problem *p); /* the last row knows all */

/* States at t_end k / points, k = 0 ... points. */
ph_status ph_reference_create(ph_reference **out, const ph_problem *p, double t_end, long points,
                              ph_error *err);
void ph_reference_destroy(ph_reference *r); /* accepts NULL */

const char *ph_reference_source(const ph_reference *r); /* name of the provider */
long ph_reference_points(const ph_reference *r);

/* State k, as callbacks see it; it holds until the next call. */
ph_state ph_reference_state(ph_reference *r, long k);

#define PH_REFERENCE(provider) extern const ph_reference_provider provider;
#include "study/references.def"
#undef PH_REFERENCE

#endif
