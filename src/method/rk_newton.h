/* Implicit Runge-Kutta stages from inside: their positions, their matrix. */
#ifndef PH_METHOD_RK_NEWTON_H
#define PH_METHOD_RK_NEWTON_H

#include "step/accel.h"
#include "method/rk.h"

/* The stages that are solved at once: all of them, or one of a diagonal tableau. */
typedef struct ph_stages {
    const ph_tableau *tab;
    double h;
    int first, end;
} ph_stages;

/* rk_turn.c: Theta of one node with rotations. v_at is where it stands in each row of nv numbers. */
typedef struct ph_rk_turn {
    double *W, *X;    /* (stages dim)^2: a matrix and a right-hand side */
    double *D, *Tinv; /* stages x dim^2: d(T^-1 V)/dTheta, T^-1 */
} ph_rk_turn;

void ph_rk_turn_take(ph_rk_turn *w, int stages, ph_arena *a);

/* Solve Theta_i = h sum_j a_ij T(Theta_j)^-1 V_j from the Theta given, and set k_j = T^-1 V_j. Returns the
 * largest angle [rad] reached, HUGE_VAL where the iteration does not converge; above PH_TURN_LIMIT nothing
 * is solved. */
#define PH_TURN_LIMIT 6.0
double ph_rk_turn_solve(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *V,
                        double *Theta, double *k);

/* S with dq_i = sum_j S_ij dA_j, (stages dim)^2, at what was solved; 0 if singular. */
int ph_rk_turn_tangent(ph_rk_turn *w, const ph_stages *st, const ph_slot *node, int nv, const double *V,
                       const double *Theta, double *S);

struct ph_rk_newton {
    int s; /* stages solved at once */
    ph_solver
        *solver; /* unknowns: s x dim accelerations of each node, s x rows multipliers of each constraint */
    double *A, *b, *x; /* values, right-hand side, solution */
    int A_size;        /* doubles of A */
    double *S;         /* of every node with rotations */
    int *S_at;         /* N; -1: none */
    double *square;    /* s^2: h^2 (a a)_ij, S of nodes without */
    ph_rk_turn turn;
    ph_accel accel;
    int factored;       /* the solver holds a factorisation */
    double coefficient; /* its h, or h a_ii of a diagonal tableau */
    int choices;        /* of the redundant rows that it leaves out, counted */
    double t;           /* end of the last step */
    void *block;        /* the memory of all this */
    const ph_allocator *alloc;
};

/* rk_implicit.c, for tests: V, Theta and k of the stages from A, then the residuals, to -b, and with
 * tangents the matrix. */
ph_status ph_rk_newton_kinematics(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st);
ph_status ph_rk_newton_evaluate(ph_sim *sim, ph_rk *rk, const ph_point *from, const ph_stages *st,
                                int tangents);

#endif
