/* Generalized-alpha with steps by tolerance: what a change of the step size asks for, and the estimate of the error. */
#ifndef PH_METHOD_ALPHA_AHEAD_H
#define PH_METHOD_ALPHA_AHEAD_H

#include "method/ahead.h"
#include "method/genalpha.h"
#include "method/pace.h"

/* One step of size h from sim->now to sim->next, but with v and a of from; slope: h over that of the last step, 0: there
 * was none. */
typedef ph_status (*ph_alpha_step_fn)(ph_sim *sim, double h, const ph_point *from, double slope);

/* Factor the matrix of a step of size h at sim->now. */
typedef ph_status (*ph_alpha_factor_fn)(ph_sim *sim, double h);

typedef struct ph_alpha_ahead {
    ph_ahead ahead;
    ph_pace pace;
    const ph_alpha *p;
    ph_alpha_step_fn solve;
    ph_alpha_factor_fn factor;
    double C_q, C_v, lie; /* coefficients of (VS5), (VS6) */
    double *v, *a;        /* nv: corrected start of the step */
    double *d;            /* nv: of (VS4), at the end of the last step; index-3 */
    double *e, *l, *z;    /* nv: scratch */
} ph_alpha_ahead;

void ph_alpha_ahead_take(ph_alpha_ahead *x, const ph_sim *sim, ph_arena *arena);
ph_status ph_alpha_ahead_prepare(ph_alpha_ahead *x, const ph_sim *sim, const ph_alpha *p,
                                 ph_alpha_step_fn solve, ph_alpha_factor_fn factor, ph_error *err);
void ph_alpha_ahead_tape(ph_alpha_ahead *x, const ph_sim *sim, ph_tape *t);

ph_status ph_alpha_ahead_step(ph_sim *sim, ph_alpha_ahead *x);

#endif
