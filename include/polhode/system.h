/* The seam between mechanics and integrators: all that a time integrator knows of a mechanical system.
 *
 *   q' = q o tilde(v)
 *   M(q) vdot = -g(q, v, t, lambda) - B(q)^T lambda
 *   Phi(q, t) = 0            holonomic rows,      Phidot = B v + Phi_t
 *   A(q) v + b(t) = 0        non-holonomic rows;  A stands where B stands, b where Phi_t stands
 *
 * A system is a list of nodes, each an element of one group, and a list of constraints, each a few rows. Give
 * M and g and, where there are constraints, Phi and B. Every tangent that is not given is differenced: right,
 * but slower; the log hook says so. Rigid bodies are fastest as two nodes, PH_RN with n = 3 and PH_SO3; one
 * PH_R3XSO3 node gives the same solution.
 *
 * The library only reads a ph_system. Callbacks may run in several threads at once when several simulations
 * share one system: they must not write to ctx. */
#ifndef POLHODE_SYSTEM_H
#define POLHODE_SYSTEM_H

#include "polhode/lie.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_node {
    ph_group group;
    int n;            /* dimension of PH_RN; ignored for other groups */
    const char *name; /* for messages; NULL: "node 3" */
} ph_node;

typedef struct ph_constraint {
    int rows;         /* at least 1 */
    int nonholonomic; /* 0: Phi(q, t) = 0; 1: A(q) v + b(t) = 0 */
    const char *name; /* for messages; NULL: "constraint 3" */
} ph_constraint;

/* A place of a block matrix. */
typedef struct ph_place {
    int row, col;
} ph_place;

/* Where a callback evaluates. Node i has its element at q + q_at[i], its velocity at v + v_at[i]; constraint
 * c its multipliers at lambda + l_at[c]. */
typedef struct ph_state {
    double t;
    const double *q;      /* group elements as lie.h stores them */
    const double *v;      /* velocities */
    const double *vdot;   /* accelerations */
    const double *lambda; /* multipliers, one for each row of the constraints */
    const ph_mat3 *R;     /* rotation matrices of the nodes that have one: node i at R[R_at[i]] */
    const double *a;   /* algorithmic accelerations, of residual-alpha forces; NULL in callbacks and where the
                             method has none */
    const double *eta; /* multipliers of the stabilised form; NULL in callbacks and elsewhere */
    const int *q_at, *v_at, *l_at, *R_at;
} ph_state;

/* Position of a PH_R3XSO3 or PH_SE3 node or of a PH_RN node with n = 3. */
static inline ph_vec3 ph_state_x(const ph_state *s, int node)
{
    return ph_load3(s->q + s->q_at[node]);
}

static inline ph_mat3 ph_state_R(const ph_state *s, int node)
{
    return s->R[s->R_at[node]];
}

/* The vector of velocities that starts at coordinate k of a node: Omega of PH_R3XSO3 is ph_state_v(s, node,
 * 3). */
static inline ph_vec3 ph_state_v(const ph_state *s, int node, int k)
{
    return ph_load3(s->v + s->v_at[node] + k);
}

static inline ph_vec3 ph_state_vdot(const ph_state *s, int node, int k)
{
    return ph_load3(s->vdot + s->v_at[node] + k);
}

static inline ph_vec3 ph_state_lambda(const ph_state *s, int constraint)
{
    return ph_load3(s->lambda + s->l_at[constraint]);
}

/* A callback writes its result to out. Any status but PH_OK ends the step with PH_E_CALLBACK. out is zero
 * before the first call and keeps what the last call wrote, so entries that are always zero need not be
 * written. */
typedef ph_status (*ph_callback)(const ph_state *s, double *out, void *ctx);

/* Return the fraction of the increment dv of v, in (0, 1], that Newton's method may take at s. Forces that change their
 * sign within a narrow range of v, as friction does, return less if the whole increment would jump over that range. */
typedef double (*ph_cut)(const ph_state *s, const double *dv, void *ctx);

/* Products of M and B with vectors, and Phi, at once, for elements that share what they compute:
 *   r += M vdot + B^T lambda,   Phi,   rate += B v
 * Each of the three may be NULL: it is not asked for. Phi is as the callback of that name leaves it. */
typedef ph_status (*ph_products)(const ph_state *s, double *r, double *Phi, double *rate, void *ctx);

/* g and its tangents at once, and Phi with B, likewise: each as the callback of its name leaves it. */
typedef ph_status (*ph_tangents)(const ph_state *s, double *g, double *C, double *K, void *ctx);
typedef ph_status (*ph_positions)(const ph_state *s, double *Phi, double *B, void *ctx);

/* What callbacks remember of a motion, such as the turns of joints that are counted, and so what goes with one motion at a time. Whoever moves
 * a system along tells it of each point that is accepted, but not of those that are only tried: equilibria and studies do, and who makes
 * steps with ph_sim must. A run (run.h) does it for its model. */
typedef struct ph_memory {
    size_t size; /* bytes of it */
    /* In order; NULL: a motion begins, of which nothing is remembered. */
    void (*follow)(const ph_state *s, void *ctx);
    void (*keep)(void *to, void *ctx); /* write it to size bytes */
    void (*take_back)(const void *from, void *ctx);
    void *ctx;
} ph_memory;

/* Flags of a system. PH_FORCE_LAMBDA is implied where g_lambda is given. */
#define PH_MASS_CONSTANT 1u /* M does not change: it is asked for once */
#define PH_RHEONOMIC     2u /* Phi depends on t: Phi_t is differenced, over 3e-5 s, if it is not given */
#define PH_FORCE_LAMBDA                                                                                      \
    4u /* g depends on lambda (joint friction): g_lambda is differenced if it is not given */
#define PH_SMOOTH                                                                                            \
    8u /* all that depends on the motion does so smoothly, with no stops, friction or cases: Newton's method then need
              not look again at each step whether its first iteration was enough */
#define PH_FROM_START                                                                                        \
    16u /* what depends on t may jump where a run starts, as the first of a row of pulses does: starting values ask   \
               for nothing before */

/* What may be other than zero at a place of pairs, besides K. */
#define PH_HAS_M 1u
#define PH_HAS_C 2u
/* At the place (i, i) of a node with 6 velocities: the last three rows of M, C and K are zero in the first three columns, as those of a body
 * on SE(3) with joints and gravity alone, whose torques do not depend on its position. Such a node is eliminated in two halves. */
#define PH_UPPER 4u

/* Matrices are lists of dense blocks, each row by row, one after the other in the order of the list of
 * places:
 *   M, C, K   one block for each of pairs:  dim(row node) x dim(col node)
 *   B, Z      one block for each of links:  rows(constraint row) x dim(node col)
 *   g_lambda  one block for each of links:  dim(node col) x rows(constraint row), the shape of B^T
 * Vectors have the layout of v (g) and of lambda (Phi, Phi_t, convective). */
typedef struct ph_system {
    const char *name;
    int n_nodes;
    const ph_node *nodes;
    int n_constraints;
    const ph_constraint *constraints;
    int n_pairs;           /* places of M, C, K: (node, node), every diagonal place among them */
    const ph_place *pairs; /* NULL: all n_nodes^2, row by row */
    const unsigned char *
        pair_has; /* PH_HAS_ flags and PH_UPPER of each of pairs; M and C are never read where they have none.
                                      NULL: both everywhere. Two bodies that a joint holds share K alone: telling so
                                      makes matrices sparser */
    int n_links;  /* places of B, Z: (constraint, node) */
    const ph_place *links; /* NULL: all, constraint by constraint */
    unsigned flags;
    int n_first; /* the last so many nodes, of PH_RN, are of first order: nothing depends on their elements, which are
                    the integrals of their velocities; linearisation leaves those out */
    int n_redundant; /* rank deficiency of B: rows that others imply, as in many closed loops. The multipliers
                        of least norm are found. 0: rows are independent, and dependent ones an error */
    int n_idle;      /* among these: rows of constraints that are switched off, which are zero everywhere */
    int switches; /* 1: constraints may be switched off and on: n_redundant and n_idle change between a step and
                        ph_sim_reset */

    ph_callback M;   /* mass matrix, symmetric positive definite */
    ph_callback g;   /* forces, with the sign of the equation above: gravity and gyroscopic terms included */
    ph_callback Phi; /* constraint residuals; rows of non-holonomic constraints are not read */
    ph_callback B;   /* dPhi = B dq for the left increment dq: q o exp(tilde(dq)) */

    ph_callback Phi_t;      /* partial derivative of Phi by t, or b(t); NULL: see PH_RHEONOMIC */
    ph_callback convective; /* d(B v + Phi_t)/dt at fixed v; NULL: differenced along the motion */
    ph_callback C;          /* dg/dv; NULL: differenced */
    ph_callback K;          /* d(M vdot + g + B^T lambda)/dq; NULL: differenced */
    ph_callback Z; /* d(B v + Phi_t)/dq; NULL: differenced; only index-2 and stabilised forms need it */
    ph_callback g_lambda;   /* dg/dlambda; NULL: see PH_FORCE_LAMBDA */
    ph_products products;   /* NULL: from the blocks of M and B, and Phi */
    ph_tangents tangents;   /* NULL, or C or K NULL: one after the other */
    ph_positions positions; /* NULL: Phi and B one after the other */
    const struct ph_system
        *origin; /* the system whose callbacks and ctx these three stand for: a copy that has others,
                                       as where forces are added, does without the three. NULL: they are its own */
    const ph_memory *memory; /* NULL: callbacks remember nothing */
    ph_cut cut;              /* NULL: Newton's method always takes the whole increment */

    void *ctx; /* handed to every callback */
} ph_system;

/* The worst disagreement of a given derivative with central differences. */
typedef struct ph_check {
    double error; /* |given - differenced| / max(1, largest entry of its block) */
    const char *
        what; /* "B", "C", "K", "Z", "g_lambda", "Phi_t", "convective", "products", "tangents", "positions" */
    int row, col; /* node or constraint of the entry, as in the list of places; col is -1 for vectors */
    int i, j;     /* entry of that block */
    double given, differenced;
} ph_check;

/* Compare every derivative that the system gives with central differences at the point (q, v, vdot, lambda,
 * t), its products with those of the blocks, and what comes at once with what comes alone, and report the worst entry. PH_E_INPUT for a
 * system that makes no sense. */
PH_API ph_status ph_system_check(const ph_system *sys, double t, const double *q, const double *v,
                                 const double *vdot, const double *lambda, ph_check *worst, ph_error *err);

/* How many rows of each constraint those before it imply at (q, t), to dependent, one number for each
 * constraint. Their sum is the n_redundant of the system. */
PH_API ph_status ph_system_rank(const ph_system *sys, double t, const double *q, int *dependent,
                                ph_error *err);

/* Numbers that store q; -1 for a system that makes no sense. */
PH_API int ph_system_nq(const ph_system *sys);
PH_API int ph_system_nv(const ph_system *sys); /* dimension of v; -1 likewise */
PH_API int ph_system_nl(const ph_system *sys); /* rows of all constraints; -1 likewise */

#ifdef __cplusplus
}
#endif

#endif
