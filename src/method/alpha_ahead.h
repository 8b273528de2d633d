/* Generalized-alpha with steps by tolerance: what a change of the step size asks for, and the estimate of the error. */
#ifndef PH_METHOD_ALPHA_AHEAD_H
#define PH_METHOD_ALPHA_AHEAD_H

#include "method/ahead.h"
#include "method/alpha_start.h"
#include "method/genalpha.h"
#include "method/pace.h"

/* One step of size h from sim->now to sim->next, but with v and a of from; slope: h over that of the last step, 0: there
 * was none. */
typedef ph_status (*ph_alpha_step_fn)(ph_sim *sim, double h, const ph_point *from, double slope);

typedef struct ph_alpha_ahead {
    ph_ahead ahead;
    ph_pace pace;
    ph_pace_rules rules;
    const ph_alpha *p;
    ph_alpha_step_fn solve;
    ph_ahead_factor_fn factor;
    ph_alpha_start_rules starts;
    double C_q, C_v, lie, r; /* coefficients of (VS5), (VS6), and |r| of (VS9) */
    double om;               /* size of the step over that of the one before; 0: it started without memory, */
    int corner;              /* from a time at which functions are not smooth */
    double *v, *a, *vdot; /* nv: corrected start of the step; vdot only of one that started without memory */
    double *d;            /* nv: of (VS4), at the end of the last step; index-3, */
    int has_d;            /* where the next step is known to have another size */
    double *e, *l, *z;    /* nv: scratch */
} ph_alpha_ahead;

void ph_alpha_ahead_take(ph_alpha_ahead *x, const ph_sim *sim, ph_arena *arena);
ph_status ph_alpha_ahead_prepare(ph_alpha_ahead *x, const ph_sim *sim, const ph_alpha *p,
                                 ph_alpha_step_fn solve, ph_alpha_ops_fn ops, ph_ahead_factor_fn factor,
                                 ph_error *err);
void ph_alpha_ahead_tape(ph_alpha_ahead *x, const ph_sim *sim, ph_tape *t);

/* Derivatives, steps held fixed: (VS3) of a', to z; memory is vdot' of the point before. */
void ph_alpha_ahead_vary(const ph_sim *sim, const ph_alpha_ahead *x, const ph_variation *now, double *z);
void ph_alpha_ahead_vary_back(const ph_sim *sim, const ph_alpha_ahead *x, const double *a_bar,
                              ph_variation *now);

/* Starting values of a neighbour, as those of the step that of has made. */
ph_status ph_alpha_ahead_start_as(ph_sim *sim, ph_alpha_ahead *x, const ph_alpha_ahead *of, double h);

/* The corrected start of a step of size h from sim->now after one of size before, whose vdot is in sim->last; before 0: as
 * sim->now has it. Returned as a point whose other parts are those of sim->now. */
ph_point ph_alpha_ahead_restore(ph_sim *sim, ph_alpha_ahead *x, double h, double before);

/* Coefficients of (VS6) and of the bracket in (VS5). */
double ph_alpha_C_v(const ph_alpha *p);
double ph_alpha_lie(const ph_alpha *p);

ph_status ph_alpha_ahead_step(ph_sim *sim, ph_alpha_ahead *x);

#endif
