/* A system linearised about a state of rest or of steady motion, without its constraints. */
#ifndef PH_EQUILIBRIUM_LINEAR_H
#define PH_EQUILIBRIUM_LINEAR_H

#include "step/sim.h"

/* Bases are rows of nv numbers. y = sum z_j Nh_j; y' = sum w_j Nw_j + sum z_j P_j. */
typedef struct ph_linear {
    ph_sim *sim;        /* consistent values at the state */
    int nv, nz, nw;     /* velocities; degrees of freedom of positions and of velocities */
    double *Nh, *Nw;    /* nz, nw: M-orthonormal null spaces of holonomic rows and of all rows */
    double *Nl;         /* nw: null space of B + g_lambda^T; NULL: that of B */
    double *P;          /* nz: what velocities owe to positions; only rows that rates alone have need it */
    double *H[2];       /* nv: what hat(v) makes of a vector; scratch */
    double *y[4], *row; /* nv; nl: scratch */
    double *rows;       /* (nl + nv) nv: scratch */
    int stay;           /* axes: 0 turn with the nodes, 1 stay */
    int frozen;         /* 1: what depends on time alone is looked at as it is now */
    int second;         /* 1: z'' = A z; 0: (z, w)' = A (z, w) */
    int n;              /* of A */
    double *A;          /* n x n */
    double noise[2];    /* round-off of entries of A that belong to positions, and to velocities */
    double speed, acceleration;
    double kappa; /* 1/s^2, of the stiffness; ph_linear_open_lowest only */
    const ph_allocator *alloc;
    void *block;
} ph_linear;

ph_status ph_linear_create(ph_linear *out, const ph_system *sys, double t, const double *q, const double *v,
                           const ph_allocator *alloc, ph_error *err);
/* The bases Nh and Nw alone, of any state, with the system evaluated there. */
ph_status ph_linear_open(ph_linear *out, const ph_system *sys, double t, const double *q, const double *v,
                         const ph_allocator *alloc, ph_error *err);
/* The same at rest with Nh = the `modes` lowest modes, or all if there are fewer, and Nw = Nh and the velocities of nodes of
 * first order. For any number of velocities. */
ph_status ph_linear_open_lowest(ph_linear *out, const ph_system *sys, double t, const double *q,
                                const double *v, int modes, const ph_allocator *alloc, ph_error *err);
/* lowest.c: write the `wanted` lowest modes to l->Nw, and their number to *found; second: velocities of second order. */
ph_status ph_linear_find_lowest(ph_linear *l, int second, int wanted, int *found, ph_error *err);
/* The rate of least kinetic energy that constraints ask for where the state moves by y: B rate = -Z y. */
ph_status ph_linear_follow(ph_linear *l, const double *y, double *rate);
void ph_linear_destroy(ph_linear *l);

/* out = M x, C x, K x with the blocks of the evaluated point. */
void ph_linear_apply(const ph_layout *lay, const double *blocks, const double *x, double *out);

#endif
