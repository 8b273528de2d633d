/* Gradients by the adjoint from inside: what a step back needs of the run. */
#ifndef PH_SENS_ADJOINT_H
#define PH_SENS_ADJOINT_H

#include "sens/motion_back.h"
#include "step/sim.h"

/* A state from which the run goes on. */
typedef struct ph_checkpoint {
    long n; /* step */
    unsigned char *bytes;
} ph_checkpoint;

typedef struct ph_adjoint {
    ph_sens *sens;
    ph_sim *sim;
    const ph_objective *objective;
    long steps;
    int n_marks, n_spare, n_points;
    int memory;          /* vectors that the method remembers */
    size_t taped;        /* bytes of the simulation in a checkpoint; behind them those of the objective */
    ph_checkpoint *mark; /* n_marks of the run, n_spare of parts of it, and one of its end */
    ph_point *point;     /* n_points + 1: of the part at work */
    double **past;       /* likewise: what the method remembers there */
    ph_point scratch;
    int start;           /* steps of a start that is the motion; 0: there are none, or they are differenced */
    ph_point *begin;     /* start + 1: its points */
    ph_variation *bar;   /* likewise: covectors there, of what the method remembers */
    ph_motion_back back; /* with them */
    ph_variation now, next; /* covectors */
    double *mu, *rhs;       /* n of (N2) */
    double *w;              /* nl: of (W14), with redundant rows */
    double *y_bar;          /* nv */
    double *by_p;           /* for each parameter */
    double value, *gradient;
    double *sizes;   /* n_points + 1: size of the step before each point; steps that change */
    ph_point before; /* the point before the part at work, and */
    double *W, *v;   /* nv: covectors at the end of a step; for the terms */
    double *term,
        *time; /* steps: what each adds to the error of the objective, and its end [s]; NULL: not asked for */
    void *block;
} ph_adjoint;

/* From covectors of a->next at sim->next to those at sim->now, in a->next again. */
ph_status ph_adjoint_step_back(ph_adjoint *a);

#endif
