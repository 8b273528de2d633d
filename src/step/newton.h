/* Newton's method for one step of an implicit method: the matrix, its scaling, and the iteration. */
#ifndef PH_STEP_NEWTON_H
#define PH_STEP_NEWTON_H

#include "la/solver.h"
#include "polhode/sim.h"
#include "step/eval.h"

/* A product of two blocks that is added to a block of the matrix. */
typedef struct ph_term {
    int left,
        right; /* places in the lists of blocks; right < 0: the left one itself, in the column of a hub */
    int at;    /* where the result starts in the matrix */
    int first; /* of its block: the result is set, not added; those that are added follow it */
    int left_at, right_at; /* where the two start; right_at < 0: they are not both of 3 x 3 */
} ph_term;

typedef struct ph_newton_matrix {
    const ph_layout *lay;
    ph_formulation formulation;
    unsigned what;      /* PH_EVAL_ flags that this form needs */
    ph_solver *solver;  /* of the step; NULL: of a method that has no such matrix */
    ph_solver *initial; /* of [M B^T; B 0], for initial values */
    int n;              /* unknowns: nv of dq, nl of lambda, n_eta of eta, n_hub of hubs */
    int n_eta, n_eta_blocks;
    int *eta_at;    /* C: where the eta of a constraint stand among the eta; -1: it has none */
    int *eta_block; /* C: block of unknowns of its eta */
    int n_hub, n_hub_blocks;
    int *hub_at;        /* N: where w of a node (N6) stands among those of all hubs; -1: it is none */
    int *hub_block;     /* N: block of unknowns of its w */
    int I_hub, FB_hub;  /* where the identities and the blocks -F B_n^T of the rows (N6) start in A */
    double *A, *b, *x;  /* values, right-hand side, solution */
    int A_size;         /* doubles of A */
    double *A0;         /* values of initial: M where there is mass, B^T, B, diagonals */
    int BT0;            /* where the blocks of B^T start in it */
    int BT, W;          /* where the blocks of B^T and of the lambda rows start in A */
    int P;              /* stabilised form: where the position rows start, the columns of eta after them */
    ph_term *X_term;    /* G FB: left a pair, right a link */
    ph_term *Y_term;    /* B FB: left a link, right a link */
    int n_X, n_Y;       /* terms */
    double *G, *FB;     /* G = M + C/eps on pairs; FB = F B_n^T on links; G is NULL in the other forms */
    double *work;       /* one block */
    double *convective; /* nl, of the initial values */
    double turn;        /* of rotations in W (N5); 1: as translations */
    double body;        /* m, size of bodies (N4) */
    double lever;       /* m, median of the levers of joints (N5); 0: none */
    double least;       /* kg m or kg m^2, the least inertia of a node, at the larger of these lengths */
    int redundant;      /* rows may be left out; what follows is there only then */
    int D, D_eta;       /* where the diagonal blocks of lambda and of eta start */
    unsigned char *out, *trial, *before; /* nl: rows that are left out (R1); scratch to choose them */
    double *pivot;                       /* nl: what stands on the diagonal for them */
    int choices;                         /* how often they were chosen */
    double tolerable[2]; /* growth of round-off up to which it is kept: of initial, of others */
    ph_solver *span;     /* of (R3) */
    double *S;           /* its values: E, then B^T, B, -1 */
    int *E_at, E_size;   /* N: where the block of a node starts; doubles of all of them */
    double *y, *w;       /* nv + nl: its solution; nl */
    double *unit;        /* nl: units of multipliers in their norm */
    int factored;        /* the solver holds a factorisation of a step */
    int started;         /* accelerations of the initial values are known */
    int without_bound; /* steps since a bound on forces did not tell, up to PH_NEWTON_WITHOUT; nothing but time depends on it */
    int fresh;        /* the step is made with a Jacobian in every iteration, whatever the options say */
    double increment; /* the last one of the last step, in units of the tolerances */
    double enough;    /* a step whose first increment is no larger needs no second one (N7); 0: not known */
    double enough_lambda; /* nor of lambda, times s: whatever increments of positions make of it was seen */
    double plain;         /* what the first increment would be from a plain first guess; 0: not known */
    int until;            /* steps until the two are found anew */
    int rest;             /* steps that go by plain first guesses: others did not help */
    int mass_factored;    /* and the initial one that of a mass matrix which is all there is and constant */
    void *block;
    const ph_allocator *alloc;
} ph_newton_matrix;

/* steps 0: the matrix of steps is not needed, only the initial one. */
ph_status ph_newton_create(ph_newton_matrix *nm, const ph_layout *lay, int steps, ph_formulation f,
                           ph_solver_kind kind, const ph_allocator *alloc, ph_error *err);
void ph_newton_destroy(ph_newton_matrix *nm);

/* A solver on the graph of [M B^T; B 0], every block stages times as large each way. Values: pairs, B^T, B and,
 * with redundant rows, the diagonal blocks of lambda; each list stages^2 times as long as its own. */
ph_status ph_newton_analyse_stages(const ph_layout *lay, int stages, ph_solver_kind kind,
                                   const ph_allocator *alloc, ph_solver **out);

/* Which rows are left out, and the matrix of a step that modified Newton keeps, which is factored again when it is
 * read; of a tape that is not brief, also what the solvers remember. */
ph_status ph_newton_tape(ph_newton_matrix *nm, ph_newton kind, ph_tape *t);

/* Increments of positions in m and of rotations in rad that Newton's method takes as nothing (N3). */
typedef struct ph_tolerance {
    double x, R;
} ph_tolerance;

/* What an implicit method tells of the step it is solving. Unknowns: the left increment dq of every node, the
 * scaled increments s dlambda and (stabilised form) gp^-1 (gamma/beta) deta:
 *   dv = gp (L dq + F B_n^T x_eta),   dvdot = eps (dv + gp Q dq),   s = 1/(eps gp)             (N1)
 * To the residual r a method may add a load of its own, a covector of each node, d(load) = N dq. */
typedef struct ph_step_ops {
    double s, inv_eps, inv_gp;
    ph_tolerance tol;                        /* of the step */
    double eta;                              /* deta = eta x_eta */
    int exact;                               /* L and F are exact: convergence is quadratic */
    int always;                              /* the solution depends on Jacobians: one in every iteration */
    const double *L;                         /* blocks at T_at; NULL: identity */
    const double *F;                         /* likewise */
    const double *Q;                         /* likewise; NULL: zero */
    const double *N;                         /* likewise; NULL: zero */
    const double *load;                      /* nv; NULL: none */
    const double *vdot;                      /* of the converged equations; NULL: of the point */
    const double *Bn;                        /* B(q_n) W, links; stabilised form only */
    ph_status (*update)(struct ph_sim *sim); /* the new point from the method's unknowns */
    ph_status (*settle)(struct ph_sim *sim); /* the same after the last increment; NULL: update */
    void (*linearise)(struct ph_sim *sim);   /* L and F at the new point */
    double (*correct)(struct ph_sim *sim, const double *x); /* apply an increment; its size, 1 = tolerance */
    double (*improve)(
        struct ph_sim *
            sim); /* first guesses to come, by those of this step; what a plain one would have left, as correct
                                              tells it. NULL: the method has plain ones */
} ph_step_ops;

/* Iterate until the next increment would be below tolerance. On failure the reason is in sim->failure. */
ph_status ph_newton_solve(struct ph_sim *sim, ph_step_ops *ops);

/* Whether a Jacobian is kept after an increment of this size, 1 = tolerance, and contraction, with so many iterations left. */
int ph_newton_keep(ph_newton kind, double size, double rate, int left);

/* Assemble (N2) at the evaluated point and factor it. */
ph_status ph_newton_factor(struct ph_sim *sim, const ph_step_ops *ops);

/* Solve (N2) with the last factorisation for what stands in sim->ev as r, Phi and rate, to sim->matrix.x. */
ph_status ph_newton_increment(struct ph_sim *sim, const ph_step_ops *ops);

/* W of (N5), with this length or, where it is 0, one from B at the initial values. */
void ph_newton_set_units(ph_newton_matrix *nm, const double *B, double length);

/* y = W y: nv numbers. */
void ph_newton_weigh(const ph_newton_matrix *nm, double *y);

/* Stabilised form: B(q_n) W, to Bn, which is what B_n means in all that follows. */
ph_status ph_newton_links(struct ph_sim *sim, double *Bn);

/* Stabilised form: dy = B_n^T x_eta for an increment x of (N2), and eta += scale x_eta. */
void ph_newton_eta(const ph_newton_matrix *nm, const double *Bn, double scale, const double *x, double *dy,
                   double *eta);

/* y = B_n^T eta. */
void ph_newton_pull(const ph_newton_matrix *nm, const double *Bn, const double *eta, double *y);

/* Factor [M, B^T + dg/dlambda; B, 0] at the evaluated point; friction 0: without dg/dlambda. The second keeps the rows
 * that are left out, whatever becomes of it. */
ph_status ph_newton_factor_initial(ph_newton_matrix *nm, const ph_eval *ev, int friction);
ph_status ph_newton_factor_as_is(ph_newton_matrix *nm, const ph_eval *ev, int friction);

/* Return kappa = max |K_ij|/M_ii [1/s^2] of the evaluated point, over the rows of all nodes. */
double ph_newton_stiffness(const ph_layout *lay, const ph_eval *ev);
/* Factor (T2) at the evaluated point: [scale (K + mu M), B^T + dg/dlambda; B, 0]. */
ph_status ph_newton_factor_stiffness(ph_newton_matrix *nm, const ph_eval *ev, double scale, double mu);

/* redundant.c: systems whose constraints depend on each other (R1)-(R3). Each does nothing for others. */

/* Which rows are left out, from M and B. PH_E_INPUT: there are fewer or more that depend than announced. */
ph_status ph_redundant_choose(ph_newton_matrix *nm, const ph_eval *ev);
#define PH_REDUNDANT_WORDS                                                                                   \
    "%d redundant rows are expected of the constraints, but fewer are, or more nearly so" /* of its PH_E_INPUT */

/* After a factorisation that ended so, at the evaluated point: 1 if the rows were chosen anew and the matrix is to be
 * factored again. */
int ph_redundant_renew(ph_newton_matrix *nm, const ph_eval *ev, const ph_solver *solver, ph_status factored);

/* The choice of rows. */
void ph_redundant_tape(ph_newton_matrix *nm, ph_tape *t);

/* Leave rows and columns out of a matrix whose blocks are stages times as large, and rows out of what eta adds. */
void ph_redundant_strike(const ph_newton_matrix *nm, int stages, double *BT, double *W);
void ph_redundant_strike_eta(const ph_newton_matrix *nm);

/* Leave them out of right-hand sides: nl numbers, or those of eta. */
void ph_redundant_leave_out(const ph_newton_matrix *nm, double *rows);
void ph_redundant_leave_out_eta(const ph_newton_matrix *nm, double *eta);

/* The largest Phi of rows that are left out, at the evaluated point q, relative to what cancels in it. */
double ph_redundant_violation(const ph_newton_matrix *nm, const ph_eval *ev, const double *q);

/* 1: with friction, whose forces are those of multipliers of least norm, which increments are not. */
int ph_redundant_shares(const ph_newton_matrix *nm);

/* Factor (R3) at the evaluated point; then what nl numbers have in the null space of B^T (R2): both only with redundant
 * rows. Multipliers without that part. */
ph_status ph_redundant_span(ph_newton_matrix *nm, const ph_eval *ev);
ph_status ph_redundant_null_part(ph_newton_matrix *nm, double *x);
ph_status ph_redundant_least(ph_newton_matrix *nm, const ph_eval *ev, double *lambda);

#endif
