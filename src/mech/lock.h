/* A mechanism whose rough joints are held: the system with one more constraint for each friction,
 *
 *   A v = 0,   A = dw/dv of its sliding velocity w,   T = its multipliers                            (T16)
 *
 * so that it only moves by increments with A dq = 0. Friction can hold the joint if |T| <= mu N. */
#ifndef PH_MECH_LOCK_H
#define PH_MECH_LOCK_H

#include "mech/mech.h"

typedef struct ph_lock ph_lock;

/* held: of each friction of m, whether it holds its joint. The mechanism must outlive it; q: where redundant rows are counted. */
ph_status ph_lock_create(ph_lock **out, const ph_mechanism *m, const unsigned char *held, double t,
                         const double *q, ph_error *err);
void ph_lock_destroy(ph_lock *h); /* accepts NULL */
const ph_system *ph_lock_system(const ph_lock *h);

/* |T| of the k-th friction of the mechanism, and mu N: N or N m. T is 0 if the friction is not held. */
void ph_lock_force(const ph_lock *h, const ph_state *s, int k, double *force, double *most);

#endif
