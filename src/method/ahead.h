/* Steps that a method finds by error control, and the points where the user sees them: their ends, or a grid that the
 * method runs ahead of.
 *
 * With a grid, sim->now and sim->next are points of it, and the method's own points are kept here; they change places
 * while the method is at work. So a method always steps from sim->now to sim->next, and sim->last is the start of its
 * step before.
 *
 * Times at which functions are not smooth are ends of steps, which see the functions as they are just before; the next
 * step starts anew with the functions as they are just after. */
#ifndef PH_METHOD_AHEAD_H
#define PH_METHOD_AHEAD_H

#include "method/dense_output.h"
#include "method/pace.h"

typedef struct ph_ahead {
    ph_point now, last, next; /* of the method, with a grid */
    ph_dense dense;           /* of its step from last to now, with a grid */
    double span;              /* s, T of (VS9) */
    double h;                 /* s, of the last step; 0: the next one starts without memory */
    int corner;               /* now is a time at which functions are not smooth */
    double before; /* s, start of the step before the last, with a grid; NaN: there is none that goes on */
    double *lambda, *vdot; /* nl, nv: its multipliers and accelerations */
    double *rows;          /* 2 nl: scratch */
    double *e;             /* nv: an error, before it is filtered */
    double raw, part; /* of the last error that was filtered: before, and what was left; raw 0: of none */
    int since, again; /* steps since then, and after which it is filtered again */
} ph_ahead;

/* What a method does; it is the last argument of each. */
typedef struct ph_ahead_ops {
    void (*begin)(ph_sim *sim, void *method); /* what is remembered of steps before is void */
    ph_status (*step)(ph_sim *sim, double t_max,
                      void *method); /* an accepted one to sim->next, at most to t_max */
    /* The state at to->t, between the ends of the last step */
    ph_status (*between)(ph_sim *sim, const ph_point *last, const ph_point *end, ph_point *to, void *method);
} ph_ahead_ops;

void ph_ahead_take(ph_ahead *a, const ph_sim *sim, ph_arena *arena);
void ph_ahead_tape(ph_ahead *a, const ph_sim *sim, ph_tape *t);

/* For methods with a matrix of the step (N2). e = what is left of it: (N2) (e, ., .) = (M e, 0, 0)   (VS8) */
ph_status ph_ahead_filter(ph_sim *sim, double *e);

/* Factor the matrix of a step of size h that has not left sim->now. */
typedef ph_status (*ph_ahead_factor_fn)(ph_sim *sim, double h);

/* (VS9) of a rate e of the error of q, whose largest parts are given and r times which is that of v, filtered twice: a
 * spring of a few rad in a step leaves too much after once. Two solutions cost a part of a small step: while errors stay
 * as they were, the part that the filter left last is taken again. If a force law has another formula at the
 * end of the step than at its start, the error is filtered with the matrices of both (RB7). e may be overwritten. */
ph_status ph_ahead_estimate(ph_sim *sim, ph_ahead *a, const ph_pace *pace, double r, ph_size size, double *e,
                            ph_ahead_factor_fn factor, double *err);

/* The operation between of such methods. Positions are those of (K9), velocities of a cubic through those and the accelerations
 * at both ends, accelerations and multipliers of a parabola: derivatives of the polynomial of positions would divide the
 * difference of their errors by h. */
ph_status ph_ahead_between(ph_sim *sim, ph_ahead *a, const ph_point *last, const ph_point *end, ph_point *to);

/* vdot and lambda of sim->now as they are just after it. */
ph_status ph_ahead_leave_corner(ph_sim *sim);

/* To sim->next: the end of the next step or, with a grid, the state at sim->next.t. */
ph_status ph_ahead_step(ph_sim *sim, ph_ahead *a, const ph_ahead_ops *ops, void *method);

#endif
