/* Loads whose functions read other bodies than the one they act on. */
#ifndef PH_MECH_REACH_H
#define PH_MECH_REACH_H

#include "mech/carry.h"

/* Places of the rows of the body that a load acts on, the second one, in the columns of a body that its function reads, the
 * first one. */
struct ph_reach {
    int body[2];
    unsigned couples;
    int K[16];
    ph_carried *carried; /* its places, where one of them is a marker; NULL: these */
};

size_t ph_reach_count(const ph_model *model); /* of all loads; at most */
void ph_reach_list(ph_mechanism *m);          /* once forces are made */

/* Adds what the load has beside the columns of its own body: dg/dq, or dg/dv. */
ph_status ph_reach_K(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_force_site *site,
                     double *out);
ph_status ph_reach_C(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_force_site *site,
                     double *out);

#endif
