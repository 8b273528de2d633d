/* Rows of the tables of a large model. Places that are not there are -1. */
#ifndef PH_COMPILE_TABLES_H
#define PH_COMPILE_TABLES_H

typedef struct ph_body_entry {
    int q[2], v[2]; /* position and rotation; v[1] -1: a particle */
    int turn, C;    /* number among rotations; block (phi, phi) of pairs */
    double m, J[9], weight[3];
} ph_body_entry;

typedef struct ph_joint_entry {
    ph_joint j;
    int body[2], B[4], K[16]; /* bodies, 0: the ground; places */
    int l;                    /* first multiplier */
} ph_joint_entry;

typedef struct ph_force_entry {
    ph_force f;
    ph_force_def def;
    int body[2], v[4], K[16];
} ph_force_entry;

/* Blocks of the matrix that are always c times the identity are in the tables of the elimination alone: their place in A is -1. */
typedef struct ph_pair_entry {
    int to, at, turn, diagonal; /* block of A; of C and K; of the column; its row is its column */
    double M[9];
} ph_pair_entry;

/* Three rows of a constraint, or less. */
typedef struct ph_group_entry {
    int unknown, diagonal, l; /* diagonal: where rows are missing; l: first multiplier */
    int there, keep;          /* bits of rows that exist, and that are not left out */
    int by_rate, is_eta;
} ph_group_entry;

/* A group and a node. */
typedef struct ph_link_entry {
    int at, l, v, turn; /* rows of B; first multiplier; of the node */
    int there, keep, by_rate, holonomic;
    int column, row, eta_row, eta; /* blocks of A; unknown of eta */
    int unknown, constant;         /* of lambda; B is always c times the identity, */
    double c;                      /* and this is c */
} ph_link_entry;

/* A block of the columns of eta: (G or B) F B_n^T */
typedef struct ph_product_entry {
    int to, pair, at, keep, link;
    int first; /* of its block, which begins as c times the identity */
    double c, M[9];
} ph_product_entry;

/* Statements of the elimination: places of A, and constants. */
enum {
    PH_OP_INVERT,       /* to = to^-1 */
    PH_OP_PRODUCT,      /* to = l u */
    PH_OP_SCALE,        /* to = c l */
    PH_OP_SUB_PRODUCT,  /* to -= l u */
    PH_OP_SET_PRODUCT,  /* to = d I - l u */
    PH_OP_SUB_SCALED,   /* to -= c l */
    PH_OP_SET_SCALED,   /* to = d I - c l */
    PH_OP_SUB_CONSTANT, /* to -= c I */
};

typedef struct ph_op_entry {
    int op, to, l, u;
    double c, d;
} ph_op_entry;

/* A row of the solution: three numbers y of an unknown lose A[a] or c times those of others, and then become A[a] or c times
 * themselves; a -1: c. */
typedef struct ph_row_entry {
    int unknown, first, terms, a; /* first: of its terms */
    double c;
} ph_row_entry;

typedef struct ph_term_entry {
    int unknown, a;
    double c;
} ph_term_entry;

/* What values of elements are for, and their derivatives, which the matrix of a step needs. */
enum { PH_MATRIX, PH_RESIDUAL, PH_START };

typedef struct ph_slopes {
    ph_real C[PH_NP], K[PH_NP], Z[PH_RATES ? PH_NB + 1 : 1];
} ph_slopes;

/* Values of all elements at one point. f is B^T lambda, a part of r. */
typedef struct ph_values {
    ph_real r[PH_NV], f[PH_NV], B[PH_NB + 1];
    ph_real Phi[PH_NL + 1], rate[PH_NL + 1], convective[PH_NL + 1];
    ph_kin body[PH_BODIES + 1]; /* the ground first */
    ph_slopes *slopes;          /* of PH_MATRIX */
} ph_values;

/* A body at one point; R: its matrix, where it is known. Field by field: copies of the whole wait for each other. */
PH_FN void ph_body_kin(const ph_body_entry *b, const ph_real *q, const ph_real *v, const ph_mat3 *R,
                       ph_kin *out)
{
    int turns = b->v[1] >= 0;
    out->x = ph_load3(q + b->q[0]), out->v = ph_load3(v + b->v[0]);
    out->w = turns ? ph_load3(v + b->v[1]) : ph_zero3();
    out->q = turns ? ph_quat_load(q + b->q[1]) : ph_no_turn();
    out->R = R ? *R : turns ? ph_qmat(out->q) : ph_one33();
}

#endif
