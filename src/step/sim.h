/* A simulation from inside, and what a method is. */
#ifndef PH_STEP_SIM_H
#define PH_STEP_SIM_H

#include <stdint.h>

#include "base/tape.h"
#include "polhode/sim.h"
#include "step/eval.h"
#include "step/newton.h"
#include "step/tally.h"
#include "step/variation.h"

/* A time integration method: one file, one row in steppers.def. */
typedef struct ph_stepper {
    const char *name, *text, *cite;
    unsigned reads;                                   /* options, PH_READS_ bits */
    int compiles;                                     /* compiled models can take its steps */
    int in_coordinates;                               /* of rotations, which start anew with each step */
    size_t size;                                      /* bytes of its own record, sim->method */
    ph_status (*prepare)(ph_sim *sim, ph_error *err); /* check the options, compute what is constant */
    void (*resize)(
        ph_sim *sim); /* what follows from sim->h, before a start with another size; NULL: nothing */
    void (*take)(ph_sim *sim, ph_arena *a); /* its arrays; sim->method is NULL while sizes are added up */
    ph_status (*start)(ph_sim *sim);        /* starting values, from consistent q, v, vdot, lambda */
    ph_status (*step)(ph_sim *sim);         /* from sim->now to sim->next; with h = 0 it sets next.t too */
    void (*accept)(ph_sim *sim); /* what it remembers of a step, before now becomes next; NULL: nothing */
    ph_status (*tape)(ph_sim *sim, ph_tape *t); /* all that it remembers; NULL: nothing */
    /* Sensitivities; NULL: the method has none. Between step and its acceptance: */
    const ph_step_ops *(*sens_ops)(ph_sim *sim); /* exact L, F, Q and N at sim->next */
    /* To r_p what (load)' is for theta' = 0, less N W_pred; NULL: the method has no load */
    ph_status (*sens_load)(ph_sim *sim, const ph_follower *d, double *r_p);
    /* W, v and vdot of next for theta' = 0 and eta' = 0; y is (W5), NULL outside the stabilised form */
    void (*sens_predict)(ph_sim *sim, const ph_variation *now, const double *y, ph_variation *next);
    void (*sens_accept)(ph_sim *sim, const ph_variation *now, ph_variation *next); /* what it remembers */
    /* Local errors of the step from sim->now to sim->next, exact less numerical, as if nothing were constrained; before: s,
     * size of the step before, from sim->last, 0: none. NULL: the method does not know them */
    void (*sens_local)(ph_sim *sim, double before, double *l_q, double *l_v);
    /* Steps of several sizes, NULL: the method has none with derivatives. The size of the step before sim->now, 0: the next one
     * starts without memory; whether the step to sim->next did; and its starting values vdot, lambda and a at the present
     * point of a neighbour */
    double *(*sens_size)(ph_sim *sim);
    int (*sens_started)(const ph_sim *sim);
    ph_status (*sens_start_as)(ph_sim *neighbour, const ph_sim *sim);
    /* For methods with a past, NULL for others: vector j of nv numbers that it remembers beside sim->now, in
     * the order of the memory of a variation, NULL if it has no more; and steps at the start which are
     * differentiated by differences over the neighbours, states and past */
    double *(*sens_past)(const ph_sim *sim, int j);
    int (*sens_start_steps)(const ph_sim *sim);
    /* For a start that is the motion to round-off: its one-step method, NULL if it is not, with the number of
     * pieces of a step; and covectors of the memory at its end, to be added to W and v of those of its
     * points */
    struct ph_rk *(*sens_start_method)(ph_sim *sim, int step, int *pieces);
    void (*sens_start_back)(ph_sim *sim, const ph_point *at, const double *memory, ph_variation *bar);
    /* The same backwards: the arrays of a step from sim->now to sim->next that was solved before, and the
     * transposed maps, which add to now; y_bar receives the covector of y */
    ph_status (*sens_restore)(ph_sim *sim);
    void (*sens_accept_back)(ph_sim *sim, ph_variation *next, ph_variation *now);
    void (*sens_predict_back)(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now);
    void (*sens_load_back)(ph_sim *sim, const double *bar, ph_variation *now); /* with sens_load */
    /* After sens_accept_back: what sens_accept has of a parameter itself; NULL: nothing */
    double (*sens_explicit)(ph_sim *sim, const ph_follower *d);
    void (*release)(ph_sim *sim); /* what prepare allocated beside the arena; NULL: nothing */
} ph_stepper;

/* Largest positions, velocities, angular velocities; rotations have the size 1. */
typedef struct ph_largest {
    double x, v, w;
} ph_largest;

#define PH_PAST 7 /* a top that turns by 0.15 rad in a step needs polynomials of degree 6 for one iteration */

struct ph_sim {
    ph_options opt;
    const ph_stepper *stepper;
    ph_skeleton *skeleton;
    ph_layout lay; /* its own copy of that of the skeleton */
    ph_eval ev;
    ph_newton_matrix matrix;
    ph_point now, next; /* the start and the end of the step at work */
    ph_point last;      /* the start of the step before; they take turns when a step is accepted */
    ph_point kept;      /* the state that a reset or a step which fails brings back */
    int n_past; /* steps before now of its size, up to PH_PAST: last is the start of one, a method may remember more of them */
    double t0;
    long n;      /* steps since t0, where the method started, last */
    double grid; /* s, the output is at grid + k h, */
    long passed; /* of which points so many were before t0 */
    int off;     /* t0 is none of them: with constant steps, the first one goes to the next of them */
    int after;   /* starting values look at nothing before t0: functions may not be smooth there */
    int renew;   /* it did, and the method starts anew before the next one */
    int stiff;   /* the last starting values are (RB2) */
    ph_point
        relaxed; /* if they are: the start after its unresolved motion, (RB32), and its damped accelerations */
    const struct ph_sim *base; /* decides about (RB2) for a neighbour; NULL: the simulation itself does */
    double
        part; /* s, with constant steps: one that would go beyond ends there, and the next goes on to the grid; HUGE_VAL:
                  * none does */
    double
        h; /* size of the step at work: that of the options, but for steps by tolerance, and next to events */
    ph_largest largest; /* of now, from ph_step_tolerances */
    double t_stop;      /* a method that looks ahead must not evaluate beyond; HUGE_VAL: it may */
    double
        within; /* s, size of the step of the method within which now is, a point of the output; 0: it is an end of one */
    void (*pass)(
        void *
            ctx); /* the output has passed now, the end of a step of the method ahead of it; NULL: nobody asks */
    void *pass_ctx;
    ph_tally *tally; /* integrals that follow the steps, the caller's; NULL: none */
    int projected;   /* levels that the last start projected, bits: 1 positions, 2 velocities */
    int project_as;  /* the levels that the next start projects, of a neighbour; -1: those that need it */
    uint64_t (*sides)(const ph_state *s,
                      void *ctx); /* a number that changes if a law of the system takes another
                                                        formula (RB6); NULL: none has several */
    void *sides_ctx;
    int untraced;      /* a law of the system calls a function whose sides are not known (RB7) */
    double *touch;     /* 4 for each node: norms of stiffness at both ends of a step */
    int changes;       /* a law has changed its side in the step at work; */
    int looks;         /* the stiffness of so many further steps is compared, */
    int hold;          /* and for so many parts the depth stays (RB6) */
    int depth;         /* the present parts are 2^-depth of a step (RB5); 0: whole steps */
    int in_parts;      /* sim->now is between two parts of a step, and the state before it is kept */
    void *whole;       /* there; NULL: steps are not divided */
    int begun;         /* the step at work restarted, from sim->kept */
    int gives_up;      /* the step at work is made for its message only */
    int parts_fail;    /* parts of the step that failed would fail for the same reason */
    long last_divided; /* number of the step that was divided last */
    ph_stats stats;
    ph_failure failure;
    int step_iterations;    /* of the step at work */
    char reason[256];       /* why the step failed, in the method's words; empty: see the status */
    ph_sens *sens;          /* derivatives that follow the steps; NULL: none */
    struct ph_guard *guard; /* steps end where functions change their sign; not its own; NULL: nowhere */
    void *method;           /* the stepper's record */
    void *block;            /* memory of all arrays */
};

/* By name, NULL: there is none. src/method/methods.c */
const ph_stepper *ph_stepper_find(const char *method);

/* Steps of more sizes than one, by tolerance or by chance; and points of the output between their ends. */
static inline int ph_sim_paced(const ph_sim *sim)
{
    return sim->opt.tol > 0 || sim->opt.random > 1;
}

static inline int ph_sim_has_grid(const ph_sim *sim)
{
    return sim->opt.tol > 0 && sim->opt.h > 0;
}

double ph_sim_next_of_grid(const ph_sim *sim); /* s, with h > 0 */

/* Like ph_sim_step, but return after each part of a step that is divided. */
ph_status ph_sim_step_part(ph_sim *sim, ph_error *err);

/* 1: the next step, of constant size otherwise, ends at sim->part. */
int ph_sim_parts(const ph_sim *sim);

/* What to say where a matrix is singular, or Newton's method fails: a solver that the user chose may be at fault; "" for those that exchange any rows */
const char *ph_sim_solver_words(const ph_sim *sim);
double ph_sim_clock(void);         /* s since some moment */
double ph_sim_since(double begun); /* s; 0 where a clock was set back */
double ph_sim_cpu(void);           /* s that the thread has had a processor */

/* ph_sim_create for a system whose layout is made already; the simulation keeps it. started 0: it has its initial
 * values and no accelerations and multipliers, until ph_sim_reset. */
ph_status ph_sim_create_on(ph_sim **out, ph_skeleton *skeleton, const ph_options *opt, double t0,
                           const double *q0, const double *v0, int started, ph_error *err);

/* The method starts anew from the present state, whose q, v may have been changed and are made consistent: nothing is
 * remembered but counters and the grid. On failure the state is of no use. */
ph_status ph_sim_restart(ph_sim *sim, ph_error *err);

/* From the present state of a neighbour, as sim has just done from its own. */
ph_status ph_sim_restart_as(ph_sim *neighbour, const ph_sim *sim);

/* A part of a step that is too short for the method, from sim->now to sim->next at sim->next.t. */
ph_status ph_sim_drift(ph_sim *sim);

/* All that changes, but for derivatives: the state, what the method and Newton's method remember, counters. Reading
 * factors matrices again where they are kept; the status is that of the factorisation. */
ph_status ph_sim_tape(ph_sim *sim, ph_tape *tape);

uint64_t ph_sim_fingerprint(const ph_sim *sim); /* of all that a state must fit to: sizes and options */

/* What ph_sim_state returns. */
static inline ph_state ph_sim_view(const ph_sim *sim)
{
    ph_state s = ph_point_view(&sim->now, &sim->lay);
    s.a = sim->stepper->reads & PH_READS_ALPHA ? sim->now.a : NULL;
    s.eta = sim->matrix.n_eta > 0 ? sim->now.eta : NULL;
    return s;
}

/* start.c: consistent initial values. Each reads and writes sim->now or p; sim->next is scratch. */

/* Check q and v against the constraints, project them if asked to, then find vdot and lambda. */
ph_status ph_start_consistent(ph_sim *sim, ph_error *err);

/* The constant mass matrix at sim->now, after other points were looked at. */
void ph_start_again(ph_sim *sim);

/* vdot and lambda of p from M vdot + g + B^T lambda = 0, d(rate)/dt = 0; lambda holds a first guess. */
ph_status ph_start_accelerations(ph_sim *sim, ph_point *p);

/* Move q, then v of p along M^-1 B^T until the constraints hold to round-off (*projected becomes 1), then
 * find vdot and lambda; lambda holds a first guess. */
ph_status ph_start_settle(ph_sim *sim, ph_point *p, int *projected);

/* Move q, if positions, then v of p likewise, and no more. */
ph_status ph_start_project(ph_sim *sim, ph_point *p, int positions);

/* d(vdot)/dt at sim->now by central differences over +-h along the motion (S1); after 1: by differences over h/2 and h,
 * which look at nothing before now; also where the system has no values before now, or others (PH_FROM_START). */
ph_status ph_start_jerk(ph_sim *sim, double h, int after, double *vddot);

/* v of sim->now += d with M d + B^T m = 0 and B d = B l on holonomic rows, 0 on others. Prepares lifts at sim->now. */
ph_status ph_start_perturb(ph_sim *sim, const double *l);

/* Compute z of least kinetic energy with B z = rows at p. The first two do it in two parts: the system evaluated and its
 * matrix factored at p, then one solution for each z. */
ph_status ph_start_prepare_lift(ph_sim *sim, ph_point *p);
ph_status ph_start_lift_rows(ph_sim *sim, const double *rows, double *z);
ph_status ph_start_lift(ph_sim *sim, ph_point *p, const double *rows, double *z);

/* Solve M a + B^T m = f, B a = rows with the matrices at p, which include friction; x = (a, m). */
ph_status ph_start_respond(ph_sim *sim, ph_point *p, const double *f, const double *rows, double *x);

/* tol = beta h^2 (atol + rtol |vdot|) + 4 eps (|q| + h |v|)                                  (N3) */
ph_tolerance ph_step_tolerances(ph_sim *sim, double beta);

#endif
